"""Rotors that turn at different speeds, written one on the other: their equations are constant for an observer at rest,
and every analysis is seen from there. What is seen from nowhere is of an instant, and each result says so."""

from typing import Any

import numpy as np
import pytest

import eigenbody as eb

INNER, OUTER = (10.0, 0.3, 0.2, 0.0), (6.0, 0.15, 0.25, 0.1)  # kg, kg m2 across and along, place on the axis in m
TO_INNER = ((-0.3, (1e6, 2e6)), (0.4, (2e6, 1e6)))  # bearings: place, stiffness along x and y
BETWEEN = ((0.0, (1e6, 1e6)), (0.25, (8e5, 8e5)))
TO_OUTER = ((0.2, (3e5, 5e5)),)
BEARINGS = ((("ground", "inner"), TO_INNER), (("inner", "outer"), BETWEEN), (("ground", "outer"), TO_OUTER))


def damping(between: tuple[str, str]) -> float:
    """N s/m: between the rotors it would turn with the inner one."""
    return 20.0 if between[0] == "ground" else 0.0


def two_spools(is_relative: bool) -> eb.Model:
    """The outer rotor written from ground, or on the inner one."""
    bodies = {
        name: {"mass": m, "inertia": [across, across, along], "at": [0, 0, z]}
        for name, (m, across, along, z) in (("inner", INNER), ("outer", OUTER))
    }
    joint = {"type": "free", "at": [0, 0, 0]}
    first, speed = ("inner", "=second-first") if is_relative else ("ground", "=second")
    forces: dict[str, Any] = {}
    for between, places in BEARINGS:
        for z, k in places:
            stiffness = [*k, 0 if between == ("ground", "outer") else 1e6, 0, 0, 0]
            forces[f"b{len(forces)}"] = {
                "type": "bearing", "between": [*between], "at": [0, 0, z], "k": stiffness,
                "c": [damping(between)] * 2 + [0] * 4,
            }  # fmt: skip
    return eb.Model(
        parameters={"first": 300.0, "second": 500.0},
        bodies=bodies,
        joints={
            "one": {**joint, "between": ["ground", "inner"], "velocity": [0, 0, 0, 0, 0, "=first"]},
            "two": {**joint, "between": [first, "outer"], "velocity": [0, 0, 0, 0, 0, speed]},
        },
        forces=forces,
    )


def by_hand(first: float, second: float) -> np.ndarray:
    """Eigenvalues of x, y, turn about y and minus that about x of both rotors, gyroscopic."""
    (m1, I1, J1, z1), (m2, I2, J2, z2) = INNER, OUTER
    M, C, K = np.diag([m1, m1, I1, I1, m2, m2, I2, I2]), np.zeros((8, 8)), np.zeros((8, 8))
    C[2, 3], C[6, 7] = J1 * first, J2 * second
    C[3, 2], C[7, 6] = -C[2, 3], -C[6, 7]
    place = {"inner": (0, z1), "outer": (4, z2)}
    for (here, there), places in BEARINGS:
        for z, k in places:
            for axis in (0, 1):
                row = np.zeros(8)
                for body, sign in ((here, -1.0), (there, 1.0)):
                    if body in place:
                        start, centre = place[body]
                        row[start + axis] += sign
                        row[start + 2 + axis] += sign * (z - centre)
                K += k[axis] * np.outer(row, row)
                C += damping((here, there)) * np.outer(row, row)
    below = -np.linalg.solve(M, np.hstack([K, C]))
    found = np.linalg.eigvals(np.block([[np.zeros((8, 8)), np.eye(8)], [below]]))
    return found[found.imag > 0]


def assert_among(found: np.ndarray, wanted: np.ndarray) -> None:
    away = np.abs(found[:, None] - wanted).min(axis=0, initial=np.inf)
    assert np.all(away <= 1e-9 * np.abs(wanted))


@pytest.mark.parametrize("second", [500.0, 303.0, -500.0, 300.0])
@pytest.mark.parametrize("is_relative", [False, True])
def test_two_spools_at_any_speeds_are_the_same_however_they_are_written(second: float, is_relative: bool) -> None:
    found = eb.modes(two_spools(is_relative).with_parameters(second=second))
    assert found.stability == "drifting"
    assert_among(found.eigenvalues, by_hand(300.0, second))


def test_all_analyses_of_two_spools_are_seen_from_the_ground() -> None:
    model, speeds = two_spools(True), [450.0, 500.0]
    diagram = eb.campbell(model, "second", speeds, joint="two", refine=0)
    sweep = eb.sweep(model, "second", speeds, refine=0)
    many = eb.variants(model, {"second": speeds})
    for k, second in enumerate(speeds):
        wanted = by_hand(300.0, second)
        for values in (diagram.eigenvalues[k], sweep.eigenvalues[k], many.eigenvalues[k]):
            assert_among(values, wanted)
    assert not diagram.is_frozen
    assert sweep.stability == ("drifting", "drifting")
    step = 1e-3
    slopes = (by_hand(300.0, 500.0 + step) - by_hand(300.0, 500.0 - step)) / (2 * step)
    found = eb.sensitivity(model, "second")
    for value, slope in zip(by_hand(300.0, 500.0), slopes, strict=True):
        k = int(np.abs(found.modes.eigenvalues - value).argmin())
        assert abs(found.eigenvalues[0, k] - slope) < 1e-6 * max(1.0, abs(slope))
    from_ground = {"type": "displacement", "between": ["ground", "outer"], "axis": [1, 0, 0]}
    seen, written = (
        eb.frf(way.set(measures={"x": from_ground}), inputs=["x"], outputs=["x"], frequencies_hz=[20.0, 63.0])
        for way in (model, two_spools(False))
    )
    np.testing.assert_allclose(seen.values, written.values, rtol=1e-9)


def unsymmetric_on_unequal_bearings() -> eb.Model:
    bearing = {"type": "bearing", "between": ["ground", "r"]}
    return eb.Model(
        parameters={"speed": 280.0},
        bodies={"r": {"mass": 10, "inertia": [0.3, 0.45, 0.5], "at": [0, 0, 0]}},
        joints={
            "spin": {"type": "free", "between": ["ground", "r"], "at": [0, 0, 0], "velocity": [0] * 5 + ["=speed"]}
        },
        forces={
            "a": {**bearing, "at": [0, 0, -0.2], "k": [1e5, 2e5, 1e5, 0, 0, 0]},
            "b": {**bearing, "at": [0, 0, 0.3], "k": [1.5e5, 1e5, 0, 0, 0, 0]},
        },
    )


@pytest.mark.parametrize("analysis", [eb.sweep, eb.campbell])
def test_a_point_of_which_nothing_can_be_said_is_frozen_in_sweeps_too(analysis: Any) -> None:
    """At 280 rad/s it grows by Floquet's theory, and no eigenvalue of an instant tells."""
    model = unsymmetric_on_unequal_bearings()
    assert eb.floquet(model).stability == "unstable"
    found = analysis(model, "speed", [0.0, 270.0, 280.0])
    assert set(found.stability[1:]) == {"frozen"}
    assert found.stability[0] != "frozen"  # at rest
    assert any("eigenvalues are those of an instant" in note for note in found.notes)
    document = found.as_dict()
    assert document["frozen"] is True
    assert document["stability"][-1] == "frozen"


def test_sweeps_of_a_flat_rotor_in_equal_bearings_are_those_that_turn_with_it() -> None:
    """In its axes the stiffness changes its sign at W^2 (J - A) = k for both axes: between these it diverges."""
    k, c, inertia = 1e4, 1.0, (0.3, 0.45, 0.6)
    model = eb.Model(
        parameters={"speed": 100.0},
        bodies={"r": {"mass": 10, "inertia": list(inertia), "at": [0, 0, 0]}},
        joints={
            "spin": {"type": "free", "between": ["ground", "r"], "at": [0, 0, 0], "velocity": [0] * 5 + ["=speed"]}
        },
        forces={"a": {"type": "bearing", "between": ["ground", "r"], "at": [0, 0, 0], "k": [1e6, 1e6, 1e6, k, k, 0],
                      "c": [c, c, c, c, c, 0]}},
    )  # fmt: skip
    found = eb.sweep(model, "speed", [50.0, 100.0, 400.0])
    assert not found.is_frozen
    for speed, verdict in zip(found.values, found.stability, strict=True):
        assert verdict == eb.modes(model.with_parameters(speed=speed)).stability


def test_of_parts_that_float_it_is_said_which_body_rests() -> None:
    """The first listed: where it is the rotor, the casing turns, held as it is by springs that see it turn."""
    bushing = {"type": "bushing", "between": ["ground", "casing"], "at": [0, 0, 0], "c": [0] * 6}
    rotor = {"mass": 1300, "inertia": [500, 600, 1000], "at": [0, 0, 0.75]}
    casing = {"mass": 200, "inertia": [50, 50, 10], "at": [0, 0, 0]}
    joint = {"type": "revolute", "between": ["casing", "rotor"], "at": [0, 0, 0.75], "velocity": 3.0}

    def notes(first: str) -> str:
        order = [first, *({"casing", "rotor"} - {first})]
        bodies = {name: {"casing": casing, "rotor": rotor}[name] for name in order}
        model = eb.Model(bodies=bodies, joints={"spin": joint},
                         forces={"mount": {**bushing, "k": [1e3, 2e3, 1e3, 1e4, 2e4, 1e5]}})  # fmt: skip
        return " ".join(eb.modes(model).notes)

    assert "rotor rests and casing turns" in notes("rotor")
    assert "list casing first in bodies" in notes("rotor")
    assert "rests and" not in notes("casing")


@pytest.mark.parametrize("count", [4, 5])
def test_blades_on_a_driven_hub_that_can_move_turn_steadily(count: int) -> None:
    """A speed that is prescribed is one that the equations are measured by."""
    names = [f"b{k}" for k in range(count)]
    angles = 2 * np.pi * np.arange(count) / count + 0.2
    along = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=-1)
    top = np.array([0.0, 0.0, 1.0])
    blade = {"type": "beam", "E": 30e9, "nu": 0.3, "density": 1800, "width": 0.1, "height": 0.02, "modes": 4}
    model = eb.Model(
        parameters={"speed": 20.0},
        bodies={
            "nacelle": {"mass": 60, "inertia": [3, 2, 2], "at": [0, 0, 0.8]},
            "hub": {"mass": 20, "inertia": [0.3, 0.3, 0.5], "at": [0, 0, 1]},
        },
        flexible={
            name: {**blade, "points": [(top + 0.2 * r).tolist(), (top + 1.6 * r).tolist()], "y_axis": [-r[1], r[0], 0]}
            for name, r in zip(names, along, strict=True)
        },
        joints={
            "tow": {"type": "prismatic", "between": ["ground", "nacelle"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "spin": {"type": "revolute", "between": ["nacelle", "hub"], "at": [0, 0, 1], "motion": "=speed*t"},
            **{
                f"root {name}": {"type": "fixed", "between": ["hub", f"{name}.start"], "at": (top + 0.2 * r).tolist()}
                for name, r in zip(names, along, strict=True)
            },
        },
        forces={"spring": {"type": "spring", "along": "tow", "k": 2e5}},
        operating_point="steady",
    )
    found = eb.modes(model)
    assert found.stability == "marginal"
    given = {**model.document["joints"]["spin"], "velocity": "=speed"}
    del given["motion"]
    free = eb.modes(model.set(joints={**model.document["joints"], "spin": given}))
    assert_among(free.eigenvalues, found.eigenvalues[found.eigenvalues.imag > 1][:1])
