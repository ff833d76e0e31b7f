"""First-order equations by momenta (Trom 1990, section 3.2.6), and the fundamental matrix of the lecture notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
SLIDER = EXAMPLES / "slider_pendulum.yaml"
PHI = np.array([  # slider-pendulum with c = 20 at 1 s; modal, series and Cayley-Hamilton agree to 2e-14
    [0.71253514063371, 0.78533782439978, 0.59605450350647, 0.4644934575779],
    [0.080054824097837, -0.78986911137266, 0.12740380040547, 0.1222709678492],
    [-0.3560627221898, -0.60783172237559, 0.35647241844391, 0.78533782439978],
    [-0.061960420221773, -0.3380836984143, 0.018094403876064, -0.78986911137266],
])  # fmt: skip


Capture = pytest.CaptureFixture[str]


def document(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_momenta_of_the_slider_pendulum() -> None:
    """p = M q': q' = M^-1 p, p' = -K q, with M = [[30, 20], [20, 35]], K = diag(20, 196.2)."""
    found = eb.linearize(SLIDER).in_first_order("momenta")
    inverse = np.linalg.inv([[30.0, 20.0], [20.0, 35.0]])
    expected = np.block([[np.zeros((2, 2)), inverse], [-np.diag([20, 196.2]), np.zeros((2, 2))]])
    assert pytest.approx(expected, rel=1e-13, abs=1e-13) == found.A
    assert found.states == ("rail", "hinge", "p(rail)", "p(hinge)")
    assert found.hamiltonian == pytest.approx(0, abs=1e-15)


def test_by_momenta_eigenvalues_and_responses_are_the_same_and_damping_shows() -> None:
    model = eb.load(SLIDER).with_parameters(c=20).input("push", along="rail").output("a", measure="rail", order=2)
    linear = eb.linearize(model)
    one, other = (linear.in_first_order(form) for form in ("velocities", "momenta"))
    assert np.sort_complex(np.linalg.eigvals(other.A)) == pytest.approx(np.sort_complex(np.linalg.eigvals(one.A)))
    s = 2.3j
    H = [f.C @ np.linalg.solve(s * np.eye(4) - f.A, f.B) + f.D for f in (one, other)]
    assert H[1] == pytest.approx(H[0], rel=1e-12)
    assert one.hamiltonian is None
    assert other.hamiltonian is not None
    assert other.hamiltonian > 1e-3


def test_a_rotor_is_hamiltonian_by_canonical_momenta() -> None:
    """The gyroscopic part G enters p = M q' + G q/2; damping of the mount is set to zero."""
    document = eb.load(EXAMPLES / "rotor_stator.yaml").document
    mount = dict(document["forces"]["mount"]) | {"c": [0.0] * 6}
    model = eb.load({**document, "forces": {"mount": mount}})
    linear = eb.linearize(model)
    assert np.abs(linear.gyroscopic).max() > 100
    assert linear.in_first_order("momenta").hamiltonian == pytest.approx(0, abs=1e-12)


def test_the_command_says_the_same(capsys: Capture) -> None:
    found = document(capsys, "linearize", str(SLIDER), "--form", "momenta")
    assert found["form"] == "momenta"
    assert np.array(found["A"]) == pytest.approx(eb.linearize(SLIDER).first_order("momenta"))
    assert main(["linearize", str(SLIDER), "--form", "moment"]) == 2


@pytest.mark.parametrize("method", ["pade", "modal", "series", "cayley-hamilton"])
def test_fundamental_matrix_of_the_lecture_notes(method: str) -> None:
    found = eb.fundamental(eb.load(SLIDER).with_parameters(c=20), [0.0, 1.0], method)
    assert found.values[0] == pytest.approx(np.eye(4), abs=1e-15)
    assert found.values[1] == pytest.approx(PHI, abs=2e-14)
    moved = found.motion({"rail": 0.1, "hinge": -0.05, "hinge'": 0.2})[1]
    assert moved == pytest.approx([0.124885314359, 0.071953131548, 0.15185287878, -0.147265679376], abs=1e-12)
    assert max(found.spread.values()) < 1e-13
    assert found.determinant[1] == pytest.approx(np.linalg.det(PHI), rel=1e-12)


def test_fundamental_matrix_by_the_command(capsys: Capture) -> None:
    found = document(capsys, "fundamental", str(SLIDER), "--set", "c=20", "--at", "1", "--method", "cayley-hamilton")
    assert np.array(found["matrices"][0]) == pytest.approx(PHI, abs=2e-14)
    assert found["states"] == ["rail", "hinge", "rail'", "hinge'"]


def test_wrong_times_and_states_are_refused() -> None:
    with pytest.raises(eb.InputError, match="one finite time"):
        eb.fundamental(SLIDER, [])
    with pytest.raises(eb.InputError, match='no state "rial"'):
        eb.fundamental(SLIDER, 1.0).motion({"rial": 1})
    assert main(["fundamental", str(SLIDER)]) == 2
    assert main(["fundamental", str(SLIDER), "--at", "1", "--until", "2"]) == 2
