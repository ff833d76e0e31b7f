"""Drawings whose joints are open by rounding: loops of other programs close to as many digits as were written.

Assembled by moving bodies such a drawing is over-determined: a planar loop in space closes twice over, and axes that
are parallel to seven digits hold what they were meant to leave free. Where all joints close within a tolerance, bodies
stay as drawn and the frames of joints are moved: the second of each onto the first (at the values of its coordinates),
axes that are parallel within the tolerance made parallel, lines that coincide made the same line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.joints.pose import relative_pose
from eigenbody.mobility.assembly import CLOSES
from eigenbody.model.description import Description, Entry, Marker
from eigenbody.model.frozen import FrozenDict
from eigenbody.spatial.rotations import apply, dot, frame
from eigenbody.system.compile import compile_system
from eigenbody.system.joints import JointGroup
from eigenbody.system.system import System

TOLERANCE = 1e-5  # gap of joints that counts as rounding, in lengths of the mechanism, unless the model says
ABOUT_A_LINE = ("revolute", "cylindrical", "screw")  # joints whose axis is a line, wherever on it the point is


@dataclass(eq=False)
class _Frames:
    """Frames of all joints of a group in the drawing: origins (n, 3) and axes (n, 3, 3) of the first, the second."""

    group: JointGroup
    p1: np.ndarray
    A1: np.ndarray
    p2: np.ndarray
    A2: np.ndarray

    def apart(self) -> np.ndarray:
        """(n,) by how much the two differ at all."""
        return np.maximum(np.abs(self.p1 - self.p2).max(axis=-1), np.abs(self.A1 - self.A2).max(axis=(-2, -1)))


def tolerance_of(system: System) -> float:
    """Gap (m) of joints that counts as rounding of the drawing."""
    given = system.description.tolerance
    return TOLERANCE * system.length if given is None else given


def with_closed_joints(system: System) -> System:
    """The system with joints closed that are open by the rounding of the drawing; as it is where none is."""
    description = _closed_drawing(system)
    return system if description is None else compile_system(description)


def _closed_drawing(system: System) -> Description | None:
    """The description with joints closed that are open by rounding; None where none is, or where some are really."""
    frames = [_frames(system, group) for group in system.joints]
    if not any((f.apart() > CLOSES * system.length).any() for f in frames):
        return None
    drawn = Mechanics(system, system.reference_state())
    gaps = np.abs(drawn.holonomic.value)
    own = {system.description.joints[i].name for f in frames for i in f.group.index.tolist()}
    rows, tolerance = system.constraints.rows, tolerance_of(system)
    wide = [i for i in np.flatnonzero(gaps > CLOSES * system.length).tolist() if rows[i].kind == "joint"]
    if not wide or gaps[wide].max() > tolerance or any(rows[i].owner not in own for i in wide):
        return None
    angle = tolerance / system.length
    values = system.named.jet(drawn.at, drawn.state.turns).value
    _straighten(frames, angle, tolerance)
    moved = max(_matched(f, values, system, tolerance, angle) for f in frames)
    worst = rows[max(wide, key=lambda i: gaps[i])].owner
    note = (
        f"Joints of the drawing are open by up to {gaps[wide].max():.2g} (m or rad, {worst}), which counts as rounding"
        f" (tolerance {tolerance:.2g} m): bodies stay as drawn, frames of joints moved by up to {moved:.2g} m."
    )
    return _rewritten(system.description, frames, note)


def _frames(system: System, group: JointGroup) -> _Frames:
    r, R, pairs = np.real(system.places.r), np.real(system.places.R), group.pairs
    first, second = pairs.first, pairs.second
    return _Frames(
        group, r[first] + apply(R[first], pairs.origin1), R[first] @ pairs.axes1,
        r[second] + apply(R[second], pairs.origin2), R[second] @ pairs.axes2,
    )  # fmt: skip


def _straighten(frames: list[_Frames], angle: float, tolerance: float) -> None:
    """Axes that are nearly parallel become parallel, lines that nearly coincide the same line."""
    axes = np.concatenate([f.A1[:, :, 2] for f in frames])
    like, common = _clusters(axes, angle, is_direction=True)
    points = np.concatenate([f.p1 for f in frames])
    lines = np.concatenate([np.full(len(f.p1), f.group.type.name in ABOUT_A_LINE) for f in frames])
    for k in np.unique(like):
        mine = np.flatnonzero((like == k) & lines)
        feet = points[mine] - dot(points[mine], common[mine])[:, None] * common[mine]
        points[mine] += _clusters(feet, tolerance)[1] - feet
    ends = np.cumsum([0, *(len(f.p1) for f in frames)])
    for f, a, b in zip(frames, ends, ends[1:], strict=False):
        f.p1 = points[a:b]
        f.A1 = np.array([frame(z, x) for z, x in zip(common[a:b], f.A1[:, :, 0], strict=True)]).reshape(-1, 3, 3)


def _clusters(vectors: np.ndarray, width: float, is_direction: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Which vectors (n, 3) are within the width of the first of each set, and the mean of the set of each; of
    directions up to sign, in the sense of each."""
    label, mean = np.full(len(vectors), -1), np.array(vectors)
    for i in range(len(vectors)):
        if label[i] < 0:
            sign = np.where(vectors @ vectors[i] < 0, -1.0, 1.0) if is_direction else np.ones(len(vectors))
            near = (np.abs(sign[:, None] * vectors - vectors[i]).max(axis=1) <= 2 * width) & (label < 0)
            whole = (sign[near, None] * vectors[near]).mean(axis=0)
            if is_direction:
                whole = whole / np.sqrt(whole @ whole)
            label[near], mean[near] = i, sign[near, None] * whole
    return label, mean


def _matched(f: _Frames, values: np.ndarray, system: System, tolerance: float, angle: float) -> float:
    """Put the second frames where the coordinates say; how far they moved. Coordinates that are rounding are zero."""
    q = np.array(np.real(values[f.group.coordinates]))
    lengths = np.array([t.dimension == "m" for t in f.group.type.free], dtype=bool)
    q[np.abs(q) <= np.where(lengths, tolerance, angle)] = 0.0
    p, R = relative_pose(f.group.type, q, f.group.pairs.keys)
    there = f.p1 + apply(f.A1, p)
    moved = float(np.abs(there - f.p2).max(initial=0.0))
    f.p2, f.A2 = there, f.A1 @ R
    return moved


def _rewritten(description: Description, frames: list[_Frames], note: str) -> Description:
    """The description with joints between markers at these frames."""
    joints, markers = list(description.joints), dict(description.markers)
    for f in frames:
        for k, i in enumerate(f.group.index.tolist()):
            added = tuple(_markers(description, joints[i], f, k))
            markers |= {marker.name: marker for marker in added}
            between = tuple(marker.name for marker in added)
            values = {**joints[i].values, "between": between, "at": None, "axis": None, "axis2": None}
            joints[i] = Entry(joints[i].name, joints[i].type, FrozenDict(values), joints[i].where)
    return replace(description, joints=tuple(joints), markers=FrozenDict(markers), closed=note)


def _markers(description: Description, joint: Entry, f: _Frames, k: int) -> Iterator[Marker]:
    ends = zip(joint["between"], (f.p1[k], f.p2[k]), (f.A1[k], f.A2[k]), strict=True)
    for side, (name, point, axes) in enumerate(ends, start=1):
        marker = description.markers.get(name)
        yield Marker(f"{joint.name}.{side}", name if marker is None else marker.body, point, axes)
