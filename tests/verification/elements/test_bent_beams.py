"""Beams that their load bends too far for one body: what the notes say against the same beams in many sections."""

import re

import numpy as np
import pytest

import eigenbody as eb

BEAM = {
    "type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 1.0, "G": 1.0, "area": 1e5, "Iy": 1.0, "Iz": 1.3, "J": 1.0,
    "shear": False, "mass_per_length": 1.0, "jx": 1e-2, "jy": 1e-4, "jz": 1e-4, "y_axis": [0, 1, 0],
}  # fmt: skip
CLAMPED = {"foot": {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]}}
SIMPLE = {
    "foot": {"type": "revolute", "between": ["ground", "rod.start"], "at": [0, 0, 0], "axis": [0, 1, 0]},
    "head": {"type": "inline", "between": ["ground", "rod.end"], "at": [1, 0, 0], "axis": [1, 0, 0]},
}
SPUN = {
    "spin": {"type": "revolute", "between": ["ground", "hub"], "at": [0, 0, 0], "motion": "=3*t"},
    "root": {"type": "fixed", "between": ["hub", "rod.start"], "at": [0, 0, 0]},
}
ARCH = [[0, 0, 0], [0.25, 0, 0.1], [0.5, 0, 0.14], [0.75, 0, 0.1], [1, 0, 0]]


def bent(joints: dict, weight: float, push: float = 0.0, **more: object) -> dict:
    """A beam under its weight along -z and a force along -x at its end."""
    model = {
        "eigenbody": 1, "gravity": [0, 0, -weight], "operating_point": {"equilibrium": {"which": "nearest"}},
        "joints": joints, "flexible": {"rod": {**BEAM, **more}},
        "forces": {"push": {"type": "force", "body": "rod.end", "at": [1, 0, 0], "value": [-push, 0, 0]}},
    }  # fmt: skip
    if joints is SPUN:
        model |= {"operating_point": "steady", "bodies": {"hub": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}}}
    return model


def lowest(model: dict, count: int, **more: object) -> np.ndarray:
    found = eb.linearize(eb.load({**model, "flexible": {"rod": {**model["flexible"]["rod"], **more}}}))
    rates = np.linalg.eigvals(found.A).imag
    return np.sort(rates[rates > 1e-6])[:count]


def note(model: dict, **more: object) -> str:
    model = {**model, "flexible": {"rod": {**model["flexible"]["rod"], **more}}}
    return " ".join(text for text in eb.modes(eb.load(model)).notes if "The load bends" in text)


CASES = {
    "cantilever": bent(CLAMPED, 0.5),
    "sag of 14 percent": bent(CLAMPED, 1.12),
    "on two supports": bent(SIMPLE, 4.0),
    "axial and across": bent(SIMPLE, 1.0, 0.6 * np.pi**2),
    "spinning": bent(SPUN, 1.0),
    "strip": bent(CLAMPED, 0.06, Iz=0.01, J=0.02),
    "strip on edge": bent(CLAMPED, 0.3, Iz=100.0, J=0.02),
    "arch": bent(SIMPLE, 0.0, 2.0, points=ARCH, elements=6),
}


@pytest.mark.parametrize("case", CASES)
def test_the_note_says_by_how_much_and_its_remedy_serves(case: str) -> None:
    """Reference: 8 sections (their error is a fiftieth of that of one); the note compares with 4."""
    model = CASES[case]
    wanted, one = lowest(model, 10, sections=8, modes=5), lowest(model, 10, modes=24)
    text = note(model)
    worst = np.argmin(np.abs(one - 2 * np.pi * float(re.search(r"frequency of ([\d.e+-]+) Hz", text)[1])))
    error = np.abs(one[worst] / wanted[worst] - 1)
    assert float(re.search(r"another by ([\d.e+-]+) of it", text)[1]) == pytest.approx(error, rel=0.3)
    proposed = int(re.search(r"flexible\.rod\.sections: (\d+)", text)[1])
    better = lowest(model, 4, sections=proposed, modes=8)
    assert np.abs(better / wanted[:4] - 1).max() < 1e-3


@pytest.mark.parametrize("model", [bent(CLAMPED, 0.12), bent(SIMPLE, 0.5), bent(SPUN, 0.2), bent(SIMPLE, 0.0, 0.9)])
def test_beams_bent_a_little_are_right_and_not_noted(model: dict) -> None:
    wanted = lowest(model, 4, sections=6, modes=5)
    assert np.abs(lowest(model, 4, modes=20) / wanted - 1).max() < 1e-3
    assert not note(model)
    assert not [text for text in eb.linearize(eb.load(model)).certificate.notes if "turned by" in text]


@pytest.mark.parametrize(("weight", "sections"), [(0.5, 1), (1.12, 1), (1.12, 4), (3.0, 6)])
def test_the_certificate_estimates_it_for_every_analysis(weight: float, sections: int) -> None:
    """Cantilevers about as stiff in both planes; within a factor of two of what 16 sections show."""
    model = bent(CLAMPED, weight, elements=32)
    kept = {"sections": sections, "modes": 20 if sections == 1 else 5}
    error = np.abs(lowest(model, 3, **kept) / lowest(model, 3, sections=16, modes=4) - 1).max()
    beam = {**model["flexible"]["rod"], **kept}
    (text,) = eb.linearize(eb.load({**model, "flexible": {"rod": beam}})).certificate.notes
    told = float(re.search(r"may err by ([\d.e+-]+),", text)[1])
    assert told / 2 < error < 2 * told


@pytest.mark.parametrize("ratio", [30, 40])
def test_a_strip_near_lateral_buckling_is_compared_however_little_it_turns(ratio: int) -> None:
    """0.97 of Prandtl's 4.0126 sqrt(E I G J) / L^2; it turns by 0.002 and 0.001 rad. Reference: 8 sections."""
    model = bent(CLAMPED, 0.0, Iy=float(ratio**2), Iz=1.0, J=1.54, area=1e7)
    model["forces"]["push"]["value"] = [0, 0, -0.97 * 4.0126 * np.sqrt(1.54)]
    error = np.abs(lowest(model, 1, modes=24) / lowest(model, 1, sections=8, modes=5) - 1)[0]
    assert error > 5e-3
    assert float(re.search(r"another by ([\d.e+-]+) of it", note(model))[1]) == pytest.approx(error, rel=0.1)


def test_a_beam_whose_modal_coordinates_are_named_is_noted_all_the_same() -> None:
    """It cannot be parted for the comparison: the note says how far it is bent, and why there is no number."""
    model = {**CASES["cantilever"], "outputs": {"first": {"measure": "rod.q1"}}}
    text = note(model)
    assert "by up to 0.067 rad" in text
    assert "could not be told" in text


def test_a_buckled_column_of_one_body_is_told_so() -> None:
    """5 mm of steel, 1 m, clamped below: Euler's load is pi^2/4 E I / L^2 = 15.5 N, the tip weighs 15.7 N. One body
    folds over on the way from the straight column; four sections find the bow beside it."""
    EI = 205e9 * np.pi * 0.005**4 / 64
    assert np.pi**2 / 4 * EI < 9.81 * 1.6
    beam = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "E": 205e9, "nu": 0.3, "density": 7850, "diameter": 0.005}
    model = {
        "eigenbody": 1, "gravity": [0, 0, -9.81], "operating_point": "equilibrium",
        "bodies": {"tip": {"mass": 1.6, "inertia": [1e-4] * 3, "at": [0, 0, 1]}},
        "joints": {
            "foot": {"type": "fixed", "between": ["ground", "col.start"], "at": [0, 0, 0]},
            "weld": {"type": "fixed", "between": ["col.end", "tip"], "at": [0, 0, 1]},
        },
    }  # fmt: skip
    straight = eb.modes(eb.load({**model, "flexible": {"col": beam}}))
    assert straight.stability == "unstable"
    (text,) = straight.linear.point.warnings
    assert "more than its buckling load" in text
    assert "flexible.col.sections: 4 or more" in text
    parted = eb.operating_point(eb.load({**model, "flexible": {"col": {**beam, "sections": 4}}}))
    assert 0.9 < np.real(parted.state.r)[parted.system.places.index["tip"], 2] < 1.0


def test_a_twist_given_in_the_drawing_is_noted_where_nothing_balances_it() -> None:
    """Half a radian between its ends: a quarter in the frame of the one body, sin(0.25)^2 = 6.1e-2."""
    turn = {"type": "cylindrical", "between": ["ground", "rod.end"], "at": [1, 0, 0], "axis": [1, 0, 0]}
    model = {"eigenbody": 1, "joints": {**CLAMPED, "head": {**turn, "position": [0, 0.5]}}, "flexible": {"rod": BEAM}}
    notes = " ".join(eb.linearize(eb.load(model)).notes)
    assert "flexible.rod: its sections are turned by up to 0.25 rad" in notes
    assert "may err by 6.1e-02" in notes
