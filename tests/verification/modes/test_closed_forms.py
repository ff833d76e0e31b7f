"""Every closed form of ``closed_forms.py`` against the public calls, and a few against the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from closed_forms import CASES, Case

every_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
ON_THE_COMMAND_LINE = {
    "compound pendulum, hanging",
    "parallelogram of four revolutes",
    "free body at rest",
    "rotor in a massless frame on a universal",
    "oscillator, overdamped",
    "mass with a damper only",
    "Chaplygin sleigh running forwards",
}
command_line_case = pytest.mark.parametrize(
    "case", [c for c in CASES if c.name in ON_THE_COMMAND_LINE], ids=lambda case: case.name
)


def assert_same_entries(found: np.ndarray, case: Case) -> None:
    """Same number of entries; zeros exactly zero; every other expected entry has its own nearest neighbour."""
    expected = np.asarray(case.eigenvalues)
    found = np.asarray(found, dtype=complex)
    assert len(found) == len(expected), f"entries: found {found}, expected {expected}"
    assert np.all(found.imag >= 0), f"an entry stands for a pair by its positive imaginary part: {found}"
    assert np.count_nonzero(found == 0) == np.count_nonzero(expected == 0), f"exact zeros: found {found}"
    rest = list(found[found != 0])
    for value in sorted(expected[expected != 0], key=abs, reverse=True):
        nearest = min(range(len(rest)), key=lambda i: abs(rest[i] - value))
        match = rest.pop(nearest)
        assert abs(match - value) <= case.tolerance * abs(value), f"expected {value}, nearest {match}, all {found}"


OF_THE_MOTION = dict.fromkeys(
    (
        "pendulum at rest at 30 deg, in its angle",
        "pendulum at rest at 30 deg, in the horizontal displacement",
        "pendulum swinging through the bottom",
        "mass on springs in a turning frame, starting from rest",
        "pendulum on a lengthening arm, in the angle",
        "pendulum on a lengthening string, in the displacement",
        "pendulum on a string reeled out with acceleration",
        "rotor spun up by a torque in ground axes",
        "rotor spun up by a torque in body axes",
        "two-slope spring at 0.2 m",
    ),
    "frozen",  # coefficients change with time: no verdict
) | {"free body spinning about the axis of middle inertia, ground axes": "unstable"}  # Euler: seen from the body


@every_case
def test_modes(case: Case) -> None:
    modes = eb.modes(eb.load(case.document))
    assert_same_entries(modes.eigenvalues, case)
    sizes = np.abs(modes.eigenvalues)
    assert np.all(np.diff(sizes) >= -case.tolerance * sizes.max()), "entries are sorted by |eigenvalue|"
    assert modes.states == case.states
    if case.dof is not None:
        assert modes.dof == case.dof
    if case.stability is not None:
        assert modes.growth == case.stability  # of the equations of this instant
        assert modes.stability == OF_THE_MOTION.get(case.name, case.stability)
    if case.redundant is not None:
        assert len(modes.certificate.redundant) == case.redundant


@pytest.mark.parametrize("case", [c for c in CASES if c.matrices], ids=lambda case: case.name)
def test_matrices(case: Case) -> None:
    linear = eb.linearize(eb.load(case.document))
    assert case.matrices is not None
    for name, expected in case.matrices.items():
        found = np.asarray(getattr(linear, name))
        expected = np.asarray(expected, dtype=float)
        # Zero matrices (C of a system at rest) are measured on the scale of M and K.
        scale = max(np.abs(expected).max(), *(np.abs(np.asarray(m)).max() for m in case.matrices.values()))
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=0, atol=case.tolerance * scale, err_msg=name)


@command_line_case
def test_command_line_document(case: Case) -> None:
    """`modes --json` of the same document: entries, kinds and counts as docs/cli.md states them."""
    command = [str(Path(sys.executable).with_name("eigenbody")), "modes", "-", "--json"]
    run = subprocess.run(command, input=json.dumps(case.document), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    entries = answer["modes"]
    assert_same_entries(np.array([complex(e["real"], e["imag"]) for e in entries]), case)
    for entry in entries:
        value = complex(entry["real"], entry["imag"])
        assert entry["kind"] == ("rigid" if value == 0 else "oscillatory" if value.imag else "real")
        if value == 0:
            assert entry["damping_ratio"] is None
        else:
            assert entry["damping_ratio"] == pytest.approx(-value.real / abs(value), abs=1e-9)
            assert entry["frequency_hz"] == pytest.approx(abs(value) / (2 * np.pi), rel=1e-12)
    assert answer["states"] == case.states
    assert answer["stability"] == case.stability
    assert len(answer["certificate"]["redundant"]) == case.redundant
