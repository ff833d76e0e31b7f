"""Columns that their load makes shorter: what one body errs by against the extensible column in closed form, and what
the note says."""

import re

import numpy as np
import pytest

import eigenbody as eb

E, RHO = 210e9, 7850


def column(diameter: float, share: float) -> eb.Model:
    """1 m of round steel on two supports under a part of Euler's load (positive: compressed)."""
    load = share * np.pi**2 * E * np.pi * diameter**4 / 64
    steel = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": E, "nu": 0.3, "density": RHO, "diameter": diameter}
    return eb.Model(
        flexible={"rod": {**steel, "shear": False, "modes": 24}},
        joints={
            "foot": {"type": "universal", "between": ["ground", "rod.start"], "at": [0, 0, 0],
                     "axis": [0, 1, 0], "axis2": [0, 0, 1]},
            "head": {"type": "inline", "between": ["ground", "rod.end"], "at": [1, 0, 0], "axis": [1, 0, 0]},
        },
        forces={"load": {"type": "force", "body": "rod.end", "value": [-load, 0, 0]}},
        operating_point="equilibrium",
    )  # fmt: skip


def extensible(diameter: float, share: float) -> float:
    """First frequency (Hz) of Reissner's column, longer by e: w^2 = (EI q^4/(1+e)^2 + N q^2/(1+e)) / (m + rho I
    q^2/(1+e)^2), q = pi / L."""
    area, second, q = np.pi * diameter**2 / 4, np.pi * diameter**4 / 64, np.pi
    N = -share * np.pi**2 * E * second
    long = 1 + N / (E * area)
    K, M = E * second * q**4 / long**2 + N * q**2 / long, RHO * area + RHO * second * q**2 / long**2
    return float(np.sqrt(K / M) / (2 * np.pi))


def stretch_note(found: eb.Modes) -> str:
    return " ".join(note for note in found.notes if "from the mode" in note)


@pytest.mark.parametrize(("diameter", "share"), [(0.04, 0.9), (0.04, 0.98), (0.03, 0.9), (0.08, 0.5), (0.08, 0.9)])
def test_the_note_says_what_one_body_errs_by_beside_its_buckling_load(diameter: float, share: float) -> None:
    found = eb.modes(column(diameter, share))
    error = abs(found.frequency_hz[0] / extensible(diameter, share) - 1)
    assert error > 1e-3
    told = re.search(r"may err by ([\d.e+-]+) with one body", stretch_note(found))
    assert told is not None
    assert 1.0 < float(told[1]) / error < 1.5


@pytest.mark.parametrize(("diameter", "share"), [(0.02, 0.5), (0.04, -0.9)])
def test_columns_that_err_by_less_than_a_thousandth_are_not_noted(diameter: float, share: float) -> None:
    found = eb.modes(column(diameter, share))
    assert found.frequency_hz[0] == pytest.approx(extensible(diameter, share), rel=1e-3)
    assert not stretch_note(found)


def test_a_beam_shorter_by_its_own_length_is_refused() -> None:
    """1e8 N on 20 mm of steel: N / (E A) = -1.516."""
    steel = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": E, "nu": 0.3, "density": RHO, "diameter": 0.02}
    model = eb.Model(
        flexible={"rod": steel},
        joints={"foot": {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]}},
        forces={"load": {"type": "force", "body": "rod.end", "value": [-1e8, 0, 0]}},
        operating_point="equilibrium",
    )
    with pytest.raises(eb.InputError, match=r"flexible\.rod: the load along it .* shorter by 1\.52 times its own"):
        eb.modes(model)
