"""Assembly of rough drawings: joints close, heavy bodies move least, given values hold, misfits are named."""

from __future__ import annotations

import math

import numpy as np
import pytest

import eigenbody as eb

X = [1, 0, 0]
POINTS = [[0, 0, 0], [0.3, 1, 0], [1.3, 1.4, 0], [1.5, 0, 0]]
OFF = [(0.03, -0.02, 0.02), (0.02, 0.03, -0.01), (-0.03, 0.01, 0.03)]  # a few per cent of the links
TURNED = [0.05, -0.03, 0.04]


def linkage(points: list, masses: list, off: list, turned: list, lengths: list | None = None) -> dict:
    """Bars through points, hinged by markers on their own ends, drawn off their places and turned."""
    bodies, markers = {}, {"g0": {"body": "ground", "at": points[0]}, "g1": {"body": "ground", "at": points[-1]}}
    for i, mass in enumerate(masses):
        p, q = np.array(points[i], float), np.array(points[i + 1], float)
        length = lengths[i] if lengths else float(np.linalg.norm(q - p))
        angle = math.atan2(q[1] - p[1], q[0] - p[0]) + turned[i]
        bodies[f"l{i}"] = {
            "mass": mass, "inertia": [mass * length**2 / 12] * 3, "at": ((p + q) / 2 + off[i]).tolist(),
            "rotation": {"axis": [0, 0, 1], "angle": angle},
        }  # fmt: skip
        for end, x in (("a", -length / 2), ("b", length / 2)):
            markers[f"l{i}{end}"] = {"body": f"l{i}", "at": [x, 0, 0], "frame": "body"}
    ends = ["g0", *(f"l{i}{end}" for i in range(len(masses)) for end in "ab"), "g1"]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    joints = {f"j{k}": {"type": "revolute", "between": list(pair)} for k, pair in enumerate(pairs)}
    return {"eigenbody": 1, "bodies": bodies, "markers": markers, "joints": joints}


def blocks(m1: float, m2: float, gap: float, **sections: object) -> dict:
    """Two blocks on one rail, welded together by markers that are drawn a gap apart."""
    rail = {"type": "prismatic", "at": [0, 0, 0], "axis": X}
    return {
        "eigenbody": 1,
        "bodies": {"a": {"mass": m1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                   "b": {"mass": m2, "inertia": [1, 1, 1], "at": [1, 0, 0]}},
        "markers": {"left": {"body": "a", "at": [0.5, 0, 0]}, "right": {"body": "b", "at": [0.5 + gap, 0, 0]}},
        "joints": {"one": {**rail, "between": ["ground", "a"]}, "two": {**rail, "between": ["ground", "b"]},
                   "weld": {"type": "fixed", "between": ["left", "right"]}},
        **sections,
    }  # fmt: skip


def moved(point: eb.OperatingPoint) -> np.ndarray:
    return np.linalg.norm(point.state.r - point.system.description.bodies.position, axis=1)


@pytest.mark.parametrize(("m1", "m2"), [(1.0, 1.0), (1.0, 9.0), (1000.0, 1.0)])
def test_the_gap_is_shared_by_mass(m1: float, m2: float) -> None:
    """Least m1 x1^2 + m2 x2^2 with x1 - x2 = gap: x1 = gap m2 / (m1 + m2)."""
    point = eb.operating_point(eb.load(blocks(m1, m2, 0.04)))
    expected = 0.04 * np.array([m2, m1]) / (m1 + m2)
    assert moved(point) == pytest.approx(
        expected, rel=1e-3, abs=1e-7
    )  # coordinates without mass weigh 1e-6 of the mean
    assert max(point.drift) < 1e-14


def test_given_positions_are_respected_exactly() -> None:
    document = blocks(1.0, 1000.0, 0.04)
    document["joints"]["one"]["position"] = 0.0
    point = eb.operating_point(eb.load(document))
    assert point.coordinates()["one"] == pytest.approx(0.0, abs=1e-16)
    assert moved(point) == pytest.approx([0, 0.04], abs=1e-14)
    document["joints"]["one"]["position"] = 3.0  # far away: the drawing is closed first, then carried along
    assert eb.operating_point(eb.load(document)).coordinates()["one"] == pytest.approx(3.0, rel=1e-14)


def test_an_assembly_driver_holds_at_the_start_only() -> None:
    hold = {"hold": {"measure": "one", "motion": "=0.25 + 2*t", "assembly": True}}
    point = eb.operating_point(eb.load(blocks(1.0, 1.0, 0.04, drivers=hold)))
    assert point.coordinates()["one"] == pytest.approx(0.25, abs=1e-15)
    assert point.state.v[:, 0] == pytest.approx([2, 2], rel=1e-14)  # velocities likewise
    assert len(point.chosen.velocities) == 1  # released: the blocks are free to slide
    drive = {"hold": {"measure": "one", "motion": "=0.25 + 2*t"}}
    assert len(eb.operating_point(eb.load(blocks(1.0, 1.0, 0.04, drivers=drive))).chosen.velocities) == 0


@pytest.mark.parametrize("heavy", [0, 1, 2])
def test_rough_four_bar_closes_and_the_heavy_body_moves_less(heavy: int) -> None:
    masses = [1.0, 1.0, 1.0]
    even = moved(eb.operating_point(eb.load(linkage(POINTS, masses, OFF, TURNED))))
    masses[heavy] = 200.0
    point = eb.operating_point(eb.load(linkage(POINTS, masses, OFF, TURNED)))
    assert max(point.drift) < 1e-14
    assert len(point.redundant) == 3  # planar again, though drawn out of its plane
    assert moved(point)[heavy] < even[heavy]
    assert moved(point).max() < 0.1


def test_rough_four_bar_with_a_given_crank_angle() -> None:
    document = linkage(POINTS, [1, 1, 1], OFF, TURNED)
    document["joints"]["j0"]["position"] = 1.4
    point = eb.operating_point(eb.load(document))
    assert point.coordinates()["j0"] == pytest.approx(1.4, abs=1e-14)
    assert max(point.drift) < 1e-13


def test_the_rule_of_the_initial_state_holds_for_a_drawing_that_closes() -> None:
    exact = linkage(POINTS, [1, 1, 1], [(0, 0, 0)] * 3, [0, 0, 0])
    point = eb.operating_point(eb.load(exact))
    assert moved(point) == pytest.approx([0, 0, 0], abs=1e-15)
    assert max(point.drift) < 1e-14


def test_large_rough_drawing_on_the_sparse_path() -> None:
    """Sixty bars in a row, every one a little off, between two pins."""
    rng = np.random.default_rng(4)
    points = [[0.2 * i, 0.3 * math.sin(0.4 * i), 0] for i in range(61)]
    off = [(*rng.normal(0, 0.004, 2), 0) for _ in range(60)]
    point = eb.operating_point(eb.load(linkage(points, [1.0] * 60, off, rng.normal(0, 0.02, 60).tolist())))
    assert point.system.nq == 360
    assert max(point.drift) < 1e-13
    assert moved(point).max() < 0.05


def test_bars_that_are_too_short_are_reported_with_their_gaps() -> None:
    """Two bars of 1 m between pins 3 m apart: the least squares share the missing metre among the three joints."""
    points = [[0, 0, 0], [0.5, 0.3, 0], [3, 0, 0]]
    document = linkage(points, [1, 5], [(0, 0, 0)] * 2, [0, 0], lengths=[1, 1])
    with pytest.raises(eb.InputError) as caught:
        eb.operating_point(eb.load(document))
    faults = {fault.where: fault.what for fault in caught.value.faults}
    assert "cannot be assembled" in faults.pop("joints")
    assert set(faults) == {"joints.j0", "joints.j1", "joints.j2"}
    assert all("stays open by 0.333" in what for what in faults.values())


def test_a_weld_against_a_motion_is_reported_worst_first() -> None:
    document = blocks(1.0, 1.0, 0.04)
    document["joints"]["one"]["position"] = 0.0
    document["joints"]["two"]["position"] = 0.1
    with pytest.raises(eb.InputError) as caught:
        eb.operating_point(eb.load(document))
    wheres = [fault.where for fault in caught.value.faults]
    assert {"joints.weld", "joints.one: position", "joints.two: position"} <= set(wheres)


@pytest.mark.parametrize(
    "turn", [[math.pi, 0, 0], [0, -math.pi, 0], [math.pi / math.sqrt(2), -math.pi / math.sqrt(2), 0]]
)
def test_half_a_turn_of_a_ball_joint(turn: list) -> None:
    """One way or the other is the same; the bob of a pendulum drawn hanging then stands on top, about x or y."""
    bob = {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -1]}
    ball = {"type": "spherical", "between": ["ground", "bob"], "at": [0, 0, 0], "position": turn}
    point = eb.operating_point(eb.load({"eigenbody": 1, "bodies": {"bob": bob}, "joints": {"ball": ball}}))
    assert point.state.r[0] == pytest.approx([0, 0, 1], abs=1e-12)
    found = np.array(list(point.coordinates().values()))
    assert min(np.abs(found - turn).max(), np.abs(found + np.array(turn)).max()) < 1e-9
