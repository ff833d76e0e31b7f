"""Notes on beams whose load needs more shapes than are kept: that they come, what they say, and that their advice
serves. References are Ritz methods written here."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from numpy.polynomial import Legendre
from scipy.linalg import eigh

import eigenbody as eb
from eigenbody.analyses.modes.richer import relative_changes
from eigenbody.linearization.stiffening import strained_beams

# E I = m = L = 1 in both planes, stiff in stretch and twist, without rotary inertia across
UNIFORM = {
    "type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 1.0, "G": 1.0, "area": 1e8, "Iy": 1.0, "Iz": 1.0, "J": 1e5,
    "shear": False, "mass_per_length": 1.0, "jx": 1e-8, "jy": 0.0, "jz": 0.0, "y_axis": [0, 1, 0],
}  # fmt: skip


def ritz(N: Callable, EI: float, held: tuple[int, int] = (2, 0), terms: int = 70) -> np.ndarray:
    """Circular frequencies of a beam of unit mass and length under N(x): x^a (1-x)^b times Legendre polynomials."""
    x, w = np.polynomial.legendre.leggauss(2 * terms + 8)
    x, w = (x + 1) / 2, w / 2
    foot = Legendre.fromroots([0] * held[0] + [1] * held[1], domain=[0, 1])
    basis = [foot * Legendre.basis(k, domain=[0, 1]) for k in range(terms)]
    v, v1, v2 = (np.array([one.deriv(order)(x) if order else one(x) for one in basis]) for order in (0, 1, 2))
    K, M = EI * (v2 * w) @ v2.T + (v1 * w * N(x)) @ v1.T, (v * w) @ v.T
    size = 1 / np.sqrt(np.diag(M))
    return np.sqrt(eigh(K * size * size[:, None], M * size * size[:, None], eigvals_only=True))


def rates(found: eb.Modes) -> np.ndarray:
    return np.sort(found.eigenvalues.imag[found.eigenvalues.imag > 1e-6])


def notes(found: eb.Modes) -> list[str]:
    return [text for text in found.notes if "With more shapes" in text or "could not be judged" in text]


def told(text: str) -> float:
    return float(re.search(r"another by ([\d.e+-]+) of it", text)[1])


def advised(model: eb.Model, text: str) -> eb.Model:
    """The same with what the note says done to it."""
    beams = {name: dict(beam) for name, beam in model.document["flexible"].items()}
    for name, count in re.findall(r"flexible\.(\w+)\.modes: (\d+)", text):
        beams[name]["modes"] = int(count)
    for name, *apart in re.findall(r"flexible\.(\w+)\.points stations ([\d.e+-]+) and ([\d.e+-]+) m from", text):
        first, last = (np.array(point, dtype=float) for point in beams[name]["points"])
        along = (last - first) / np.linalg.norm(last - first)
        near = [float(one) * along for one in apart]
        points = [first, *(first + one for one in near), *(last - one for one in near[::-1]), last]
        cut = {"names": list("abcdef"), "cuts": list("bcde")}
        beams[name] |= {"points": [point.tolist() for point in points], **cut}
    return model.set(flexible=beams)


def on_hub(speed: float, beams: dict, at: dict, point: str = "steady") -> eb.Model:
    joints = {"spin": {"type": "revolute", "between": ["ground", "hub"], "at": [0, 0, 0], "motion": f"={speed}*t"}}
    joints |= {f"root_{name}": {"type": "fixed", "between": ["hub", f"{name}.start"], "at": at[name]} for name in beams}
    hub = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}
    return eb.load({
        "eigenbody": 1, "operating_point": point, "bodies": {"hub": hub}, "joints": joints, "flexible": beams,
    })  # fmt: skip


# Strings --------------------------------------------------------------------------------------------------------------
def guitar(**more: object) -> eb.Model:
    beam = {"type": "beam", "points": [[0, 0, 0], [0.65, 0, 0]], "E": 205e9, "nu": 0.3, "density": 7850,
            "diameter": 0.0003, "tension": 70.0}  # fmt: skip
    joints = {end: {"type": "fixed", "between": ["ground", f"s.{end}"], "at": at}
              for end, at in (("start", [0, 0, 0]), ("end", [0.65, 0, 0]))}  # fmt: skip
    return eb.load({
        "eigenbody": 1, "joints": joints, "flexible": {"s": {**beam, **more}}, "operating_point": "equilibrium",
    })  # fmt: skip


def guitar_ritz(count: int) -> np.ndarray:
    mass, EI = 7850 * np.pi * 0.0003**2 / 4 * 0.65, 205e9 * np.pi * 0.0003**4 / 64
    return ritz(lambda x: 70 * 0.65**2 / (mass * 0.65**3) + 0 * x, EI / (mass * 0.65**3), (2, 2))[:count]


@pytest.mark.parametrize("modes", [8, 24, 48])
def test_a_string_is_noted_and_the_advice_gives_its_frequencies(modes: int) -> None:
    """274.13 Hz, the clamped stiff string."""
    model, wanted = guitar(modes=modes), guitar_ritz(2)
    assert wanted[0] / (2 * np.pi) == pytest.approx(274.13, abs=0.01)
    found = eb.modes(model)
    (text,) = notes(found)
    assert told(text) == pytest.approx(rates(found)[0] / wanted[0] - 1, rel=0.1)
    better = eb.modes(advised(model, text))
    assert rates(better)[:4:2] == pytest.approx(wanted, rel=1e-3)
    assert not notes(better)


def test_a_hanging_wire_is_noted() -> None:
    """20 m of steel, 2 mm, under its own weight."""
    beam = {"type": "beam", "points": [[0, 0, 20], [0, 0, 0]], "E": 205e9, "nu": 0.3, "density": 7850, "diameter": 2e-3}
    joints = {"top": {"type": "fixed", "between": ["ground", "w.start"], "at": [0, 0, 20]}}
    model = eb.load({
        "eigenbody": 1, "gravity": [0, 0, -9.81], "operating_point": "equilibrium", "joints": joints,
        "flexible": {"w": beam},
    })  # fmt: skip
    EI = 205e9 * np.pi * 2e-3**4 / 64 / (7850 * np.pi * 1e-6 * 20**4)
    wanted = ritz(lambda x: 9.81 / 20 * (1 - x), EI)[:4]
    found = eb.modes(model)
    (text,) = notes(found)
    assert told(text) == pytest.approx((rates(found)[:4:2] / wanted[:2] - 1).max(), rel=0.1)
    better = eb.modes(advised(model, text))
    assert rates(better)[:4:2] == pytest.approx(wanted[:2], rel=1e-3)
    assert not notes(better)


# Blades ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("speed", [100.0, 150.0, 300.0])
def test_a_fast_blade_is_noted(speed: float) -> None:
    """Hub radius 2: the tension is far beyond the stiffness."""
    model = on_hub(speed, {"rod": {**UNIFORM, "points": [[2, 0, 0], [3, 0, 0]], "area": 1e11}}, {"rod": [2, 0, 0]})
    squares = ritz(lambda x: speed**2 * ((1 - x**2) / 2 + 2 * (1 - x)), 1.0)[:2] ** 2
    wanted = np.sqrt(np.sort(np.concatenate((squares, squares - speed**2))))
    found = eb.modes(model)
    (text,) = notes(found)
    assert told(text) == pytest.approx((rates(found)[:4] / wanted - 1).max(), rel=0.05)
    better = eb.modes(advised(model, text))
    assert rates(better)[:4] == pytest.approx(wanted, rel=1e-3)
    assert not notes(better)


def test_beams_are_judged_each_by_itself() -> None:
    """A soft one beside a stiff one, at 12 rad/s: each has its own frequencies, and its own advice."""
    soft = {**UNIFORM, "points": [[0, 0, 0], [-1, 0, 0]], "E": 1e-4, "G": 1e-4, "area": 1e12, "J": 1e9}
    model = on_hub(12, {"rod": UNIFORM, "whip": soft}, {"rod": [0, 0, 0], "whip": [0, 0, 0]})
    (text,) = notes(eb.modes(model))
    assert "flexible.rod.modes: " in text
    assert "flexible.whip.points" in text
    better = eb.modes(advised(model, text))
    for EI in (1.0, 1e-4):  # lag 1 and flap 1
        first = ritz(lambda x: 72 * (1 - x**2), EI)[0]
        for wanted in (first, np.sqrt(first**2 - 144)):
            assert np.abs(rates(better) / wanted - 1).min() < 1e-3
    assert not notes(better)


def test_the_load_of_the_drawing_counts_without_an_operating_point() -> None:
    """Drawn at 12 rad/s; lag 1 of the Ritz method."""
    model = on_hub(12, {"rod": {**UNIFORM, "spin": [0, 0, 12.0]}}, {"rod": [0, 0, 0]}, "reference")
    found = eb.modes(model)
    (text,) = notes(found)
    wanted = np.sqrt(ritz(lambda x: 72 * (1 - x**2), 1.0)[0] ** 2 - 144)
    assert told(text) == pytest.approx(rates(found)[0] / wanted - 1, rel=0.1)


def test_what_cannot_be_judged_is_said() -> None:
    (text,) = notes(eb.modes(guitar(), n=1, near=5000.0))
    assert "could not be judged" in text


def test_matching_is_one_to_one() -> None:
    """Two equal frequencies of which one moves: the nearest of the others would serve both."""
    assert relative_changes(np.array([1j, 1j]), np.array([1j, 1.2j, -1j])) == pytest.approx([0, 0.2])


# Thresholds -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("share", "is_strained"), [(0.15, True), (0.05, False)])
@pytest.mark.parametrize("along", [[-1, 0, 0], [0, 0, -1]])
def test_a_tenth_of_the_buckling_load_counts_in_any_direction(
    along: list[float], share: float, is_strained: bool
) -> None:
    """pi^2 / 4 is the buckling load of the cantilever."""
    joints = {"foot": {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]}}
    value = [share * np.pi**2 / 4 * one for one in along]
    push = {"type": "force", "body": "rod.end", "at": [1, 0, 0], "value": value}
    model = eb.load({"eigenbody": 1, "operating_point": {"equilibrium": {"which": "nearest"}}, "joints": joints,
                     "flexible": {"rod": UNIFORM}, "forces": {"push": push}})  # fmt: skip
    assert ("rod" in strained_beams(eb.operating_point(model))) is is_strained


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_a_strip_near_lateral_buckling_is_noted(share: float) -> None:
    """Prandtl's 4.0126 sqrt(E I G J) / L^2; with 4 modes, against 40."""
    joints = {"foot": {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]}}
    push = {"type": "force", "body": "rod.end", "at": [1, 0, 0], "value": [0, 0, -4.0126 * share]}

    def strip(modes: int) -> eb.Modes:
        beam = {**UNIFORM, "Iy": 1e4, "Iz": 1.0, "J": 1.0, "jx": 0.01, "modes": modes}
        return eb.modes(eb.load({
            "eigenbody": 1, "operating_point": {"equilibrium": {"which": "nearest"}}, "joints": joints,
            "flexible": {"rod": beam}, "forces": {"push": push},
        }))  # fmt: skip

    few = strip(4)
    (text,) = notes(few)
    assert told(text) == pytest.approx(np.abs(rates(few)[:2] / rates(strip(40))[:2] - 1).max(), rel=0.2)


# Sections -------------------------------------------------------------------------------------------------------------
def strip_of(sections: int, height: float, speed: float = 0.0, **more: object) -> eb.Model:
    """A blade of aluminium, 0.5 m, 40 mm wide."""
    beam = {"type": "beam", "points": [[0, 0, 0], [0.5, 0, 0]], "E": 70e9, "nu": 0.33, "density": 2700, "width": 0.04,
            "height": height, "y_axis": [0, 1, 0], "sections": sections, **more}  # fmt: skip
    return on_hub(speed, {"rod": beam}, {"rod": [0, 0, 0]}, "steady" if speed else "reference")


@pytest.mark.parametrize("height", [0.003, 0.0005])
def test_sections_have_shapes_in_both_planes_and_in_torsion(height: float) -> None:
    """The default of two sections against one body of 80 modes: before, the free section was rigid across the strip."""
    found = rates(eb.modes(strip_of(2, height)))
    wanted = rates(eb.modes(strip_of(1, height, modes=80)))
    assert found[:4] == pytest.approx(wanted[:4], rel=1e-3)


def test_beams_in_sections_are_judged_too() -> None:
    """600 rad/s, two modes each, against 80 of one body."""
    found = eb.modes(strip_of(2, 0.003, 600.0, modes=2))
    wanted = rates(eb.modes(strip_of(1, 0.003, 600.0, modes=80)))
    (text,) = notes(found)
    assert told(text) == pytest.approx((rates(found)[:2] / wanted[:2] - 1).max(), rel=0.3)
    better = eb.modes(advised(strip_of(2, 0.003, 600.0, modes=2), text))
    assert rates(better)[:2] == pytest.approx(wanted[:2], rel=1e-3)
    assert not notes(better)


# Sweeps ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["sweep", "campbell"])
@pytest.mark.parametrize("point", ["steady", "reference"])
def test_sweeps_note_what_modes_notes_at_their_last_point(kind: str, point: str) -> None:
    """12 rad/s, from 1 rad/s, where nothing is to be noted."""
    document = on_hub(1.0, {"rod": UNIFORM}, {"rod": [0, 0, 0]}, point).document
    spin = {**document["joints"]["spin"], "motion": "=speed*t"}
    beams = {"rod": {**UNIFORM, "spin": [0, 0, "=speed"]}}
    varied = {"joints": {**document["joints"], "spin": spin}, "flexible": beams}
    model = eb.load({**document, **varied, "parameters": {"speed": 12.0}})
    (alone,) = notes(eb.modes(model))
    for last, is_noted in ((12.0, True), (1.5, False)):
        found = getattr(eb, kind)(model, "speed", np.linspace(1, last, 3))
        told_there = [text for text in found.notes if "more shapes" in text]
        if is_noted:
            (text,) = told_there
            assert text == f"At speed = 12 (SI): w{alone[1:]}"
        else:
            assert not told_there


# Torque, growth, stretch ----------------------------------------------------------------------------------------------
def pinned_shaft(torque: float, modes: int) -> eb.Model:
    """1 m of round steel between two ends that may tilt, twisted by moments whose axes stay."""
    second, mass = np.pi * 0.02**4 / 64, 7850 * np.pi * 0.02**2 / 4  # stiff along and about its axis
    steel = {
        "E": 210e9, "nu": 0.3, "area": np.pi * 0.01**2 * 100, "Iy": second, "Iz": second, "J": 2e5 * second,
        "shear": False, "mass_per_length": mass, "jx": 1e-7, "jy": 0, "jz": 0,
    }  # fmt: skip
    ends = {"type": "torque", "axes": "ground"}
    return eb.Model(
        flexible={"s": {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "modes": modes, **steel}},
        joints={
            "low": {"type": "spherical", "between": ["ground", "s.start"], "at": [0, 0, 0]},
            "high": {"type": "inline", "between": ["ground", "s.end"], "at": [0, 0, 1], "axis": [0, 0, 1]},
        },
        forces={
            "one": {**ends, "body": "s.start", "at": [0, 0, 0], "value": [0, 0, -torque]},
            "two": {**ends, "body": "s.end", "at": [0, 0, 1], "value": [0, 0, torque]},
        },
        operating_point="equilibrium",
    )


@pytest.mark.parametrize(("part", "what"), [(0.9, "a frequency of"), (1.02, "a growth of")])
def test_a_torque_that_needs_more_shapes_is_noted_and_so_is_what_grows(part: float, what: str) -> None:
    """Greenhill's shaft buckles at 2 pi E I / L; 30 modes are enough for either, and nothing is said."""
    torque = part * 2 * np.pi * 210e9 * np.pi * 0.02**4 / 64
    few, many = (eb.modes(pinned_shaft(torque, modes)) for modes in (8, 30))
    assert any(f"With more shapes than the 8 modes of s {what}" in note for note in few.notes)
    assert not any("With more shapes" in note for note in many.notes)


def cord(strain: float) -> eb.Model:
    """A cord that its load makes longer, clamped below and guided above."""
    E, d = 5e6, 0.01
    pull = strain * E * np.pi * d**2 / 4
    rubber = {"E": E, "nu": 0.3, "density": 1000, "diameter": d, "modes": 12}
    return eb.Model(
        flexible={"b": {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], **rubber}},
        joints={
            "low": {"type": "fixed", "between": ["ground", "b.start"], "at": [0, 0, 0]},
            "high": {"type": "prismatic", "between": ["ground", "b.end"], "at": [0, 0, 1], "axis": [0, 0, 1]},
        },
        forces={"pull": {"type": "force", "body": "b.end", "at": [0, 0, 1], "value": [0, 0, pull]}},
        operating_point="equilibrium",
    )


def test_a_beam_that_its_load_makes_longer_is_noted_by_how_much() -> None:
    """The frequency errs by up to half of the strain."""
    notes = " ".join(eb.linearize(cord(0.05)).notes)
    assert "longer or shorter by 5.0e-02 of its length" in notes
    assert "may err by 2.5e-02" in notes
    assert "longer or shorter" not in " ".join(eb.linearize(cord(1e-3)).notes)


def test_a_beam_without_modes_of_its_own_that_is_held_is_rigid() -> None:
    model = cord(1e-3)
    held = model.set(flexible={"b": {**model.document["flexible"]["b"], "modes": 0, "interface": ["start"]}})
    free = held.set(joints={"low": {**model.document["joints"]["low"], "type": "spherical"}}, forces={})
    assert eb.linearize(free).dof == 3
