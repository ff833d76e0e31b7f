"""The symbolic route: three formulations against the engine and closed forms, exports, and what it says no to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.verify.find import by_route, place_of, verify
from eigenbody.routes.symbolic import TITLES, applies
from eigenbody.routes.symbolic.equations import equations, fitting_form
from eigenbody.routes.symbolic.linear import Linearized, Numbers, linearized

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81


def example(name: str) -> eb.OperatingPoint:
    return eb.operating_point(eb.load(EXAMPLES / f"{name}.yaml"))


def by(point: eb.OperatingPoint, method: str) -> Linearized:
    place = place_of(point)
    return linearized(equations(point.system.description, place, method), place, place.independent)


def assert_agrees(model: object) -> None:
    found = verify(model, ["symbolic"])  # type: ignore[arg-type]
    assert found.verdict == "agree", str(found)


PRELOADED = {
    "eigenbody": 1,
    "gravity": [0, 0, -G],
    "bodies": {"bob": {"mass": 2, "inertia": [0.1, 0.2, 0.15], "at": [0, 0, 0.5]}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    "forces": {
        "stay": {"type": "spring", "between": ["ground", "bob"], "at": [[0, 0, 2], [0, 0, 1]], "k": 300,
                 "free_length": 0.7},
    },
}  # fmt: skip
SPUN = {  # a pendulum carried round by a prescribed motion
    "eigenbody": 1,
    "gravity": [0, 0, -G],
    "bodies": {
        "arm": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.2, 0, 0]},
        "bob": {"mass": 2, "inertia": [0.02, 0.03, 0.01], "at": [0.4, 0, -0.5]},
    },
    "joints": {
        "spin": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "axis": [0, 0, 1],
                 "motion": "=3*t + 0.2*sin(t)"},
        "hinge": {"type": "revolute", "between": ["arm", "bob"], "at": [0.4, 0, 0], "axis": [0, 1, 0],
                  "position": 0.3, "velocity": 0.5},
    },
    "forces": {"twist": {"type": "spring", "along": "hinge", "k": 4, "c": 0.3}},
}  # fmt: skip
MOVING_LOOP = {  # an uneven four-bar caught in motion, far from equilibrium
    "eigenbody": 1,
    "gravity": [0, 0, -G],
    "bodies": {
        "crank": {"mass": 1, "inertia": [0.02, 0.02, 0.02], "at": [0, 0, 0.25]},
        "coupler": {"mass": 2, "inertia": [0.1, 0.2, 0.1], "at": [0.5, 0, 0.6]},
        "rocker": {"mass": 1.5, "inertia": [0.05, 0.06, 0.05], "at": [1.05, 0, 0.35]},
    },
    "joints": {
        "a": {"type": "revolute", "between": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 1, 0], "velocity": 2},
        "b": {"type": "revolute", "between": ["crank", "coupler"], "at": [0, 0, 0.5], "axis": [0, 1, 0]},
        "c": {"type": "revolute", "between": ["coupler", "rocker"], "at": [1, 0, 0.7], "axis": [0, 1, 0]},
        "d": {"type": "revolute", "between": ["ground", "rocker"], "at": [1.1, 0, 0], "axis": [0, 1, 0]},
    },
    "forces": {"damper": {"type": "damper", "along": "a", "c": 0.4}},
}  # fmt: skip


@pytest.mark.parametrize("document", [PRELOADED, SPUN, MOVING_LOOP], ids=["preloaded", "spun", "moving loop"])
def test_preload_prescribed_motion_and_moving_loops_agree(document: dict) -> None:
    assert_agrees(eb.load(document))


@pytest.mark.parametrize("name", ["slider_pendulum", "hanging_pendulum", "rotating_pendulum"])
def test_three_formulations_give_the_same_matrices(name: str) -> None:
    point = example(name)
    linear = eb.linearize(point.model, at=point)
    for method in TITLES:
        found = by(point, method)
        assert found.coordinates == linear.coordinates
        for mine, known in ((found.M, linear.M), (found.P, linear.C), (found.Q, linear.K)):
            assert mine == pytest.approx(known, abs=1e-10 * np.abs(linear.K).max()), method


def test_closed_form_of_a_preloaded_inverted_pendulum() -> None:
    """The spring hangs 1 m above the tip at 1 m: k r^2 (1 - l0/l) (1 + r/l) ... from V = k/2 (l - l0)^2 by hand."""
    k, l0, r, far, m, h = 300.0, 0.7, 1.0, 2.0, 2.0, 0.5
    length = far - r
    stiffness = k * (length - l0) * far * r / length - m * G * h  # d2l/dphi2 = far r / length at the top
    inertia = 0.2 + m * h**2
    found = by(eb.operating_point(eb.load(PRELOADED)), "lagrange-2")
    assert found.Q[0, 0] == pytest.approx(stiffness, rel=1e-12)
    assert found.M[0, 0] == pytest.approx(inertia, rel=1e-12)


def test_first_kind_carries_the_multipliers_of_a_loaded_loop() -> None:
    """Four-bar of unequal cranks (Trom 1990, Sec. 4.4): 147.15/21.25 with the term of the multipliers, 171.675/21.25
    without."""
    document = eb.load(EXAMPLES / "four_bar.yaml").document
    document["joints"]["d"]["at"] = [1, 0, 1]
    document["bodies"]["rocker"]["at"] = [1, 0, 0]
    found = by(eb.operating_point(eb.load(document)), "lagrange-1").eigenvalues()
    assert -(found**2).real == pytest.approx(147.15 / 21.25, rel=1e-12)


def test_angular_jacobian_is_that_of_the_rotation_matrix() -> None:
    """J_R has the columns of (dS/dq) S^T; in this skew matrix row 1, column 3 is w_y, where the notes print w_x."""
    point = example("rotor_on_bearing")
    eqs = equations(point.system.description, place_of(point), "newton-euler")
    S, q = eqs.kin.S[0], np.array([0.4, -0.7, 1.1])  # three Cardan angles
    slopes = [np.vectorize(lambda e, s=s: e.diff(s) + 0 * s, otypes=[object])(S + 0 * s) for s in eqs.q]
    none = np.zeros(3)
    S, J, *dS = Numbers(eqs, S, S @ eqs.kin.angular(0), *slopes).at(q, none, none, [], [0.0])
    for k in range(3):
        skew = dS[k] @ S.T
        assert [skew[2, 1], skew[0, 2], skew[1, 0]] == pytest.approx(J[:, k], abs=1e-14)


def test_angles_need_their_rate_matrix_in_space() -> None:
    """T r'' with r = (alpha, beta, gamma), as the notes print it for the first kind, holds in the plane alone: a
    spinning rotor would lose its gyroscopic matrix."""
    parts = by_route(example("rotor_on_bearing"), "symbolic").linear.matrices
    assert np.abs(parts["G"]).max() > 1
    values = np.abs(np.linalg.eigvals(np.linalg.solve(parts["M"], parts["C"])))
    without = np.sqrt(np.sort(values))[-1]
    assert abs(without - 92.35635441915184) > 10  # rad/s, with the gyroscopic matrix


@pytest.mark.parametrize("name", ["slider_pendulum", "rotating_pendulum", "parallelogram"])
def test_exported_module_needs_numpy_alone(name: str, tmp_path: Path) -> None:
    point = example(name)
    file = tmp_path / "equations.py"
    file.write_text(eb.symbolic(point).python())
    code = (
        "import sys; sys.modules['eigenbody'] = sys.modules['sympy'] = sys.modules['scipy'] = None\n"
        "import numpy, equations\n"
        "v = equations.linear()['eigenvalues']\n"
        "print(*sorted(abs(v)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    known = np.sort(np.abs(verify(point, []).eigenvalues))
    assert [float(text) for text in run.stdout.split()] == pytest.approx(known, rel=1e-8, abs=1e-6)


def test_exported_module_takes_other_parameters() -> None:
    point = example("slider_pendulum")
    space: dict = {"__name__": "equations"}
    exec(eb.symbolic(point, symbols="all").python(), space)
    changed = eb.linearize(eb.load(EXAMPLES / "slider_pendulum.yaml").with_values({"bodies.slider.mass": 7.0}))
    assert space["linear"](m_slider=7.0)["M"] == pytest.approx(changed.M, rel=1e-12)
    with pytest.raises(TypeError, match="mass"):
        space["linear"](mass=1)


def test_the_route_is_told_a_form() -> None:
    titles = {by_route(example("slider_pendulum"), "symbolic", form=form).linear.notes[0] for form in TITLES}
    assert titles == {f"{title}, planar." for title in TITLES.values()}
    with pytest.raises(eb.InputError, match="Choose one of"):
        by_route(example("slider_pendulum"), "symbolic", form="hamilton")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rolling_disc", "non-holonomic rows (rolling"),
        ("caster", "non-holonomic rows (knife_edge"),
        ("single_track_car", "a force of type tyre"),
        ("stewart_platform", "more than 3 bodies in space, with oblique axes"),
        ("quarter_car", "first-order states"),
    ],
)
def test_says_why_it_does_not_apply(name: str, reason: str) -> None:
    point = example(name)
    assert applies(point.system.description, place_of(point)).startswith(reason)


def test_method_fits_the_mechanism() -> None:
    chosen = {}
    for name in ("slider_pendulum", "four_bar"):
        point = example(name)
        chosen[name] = fitting_form(point.system.description, place_of(point))
    assert chosen == {"slider_pendulum": "newton-euler", "four_bar": "lagrange-1"}
