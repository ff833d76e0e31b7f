"""A mechanism as one element of a larger structure: mass, damping and stiffness over the freedoms where it is fastened.

Craig and Bampton (1968): static shapes of every freedom of the interface, and modes with the interface held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.linearize import constant_linear_of
from eigenbody.analyses.modes import global_motion
from eigenbody.analyses.superelement.condensed import condensed, independent_rows
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Result
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.spatial.rotations import cross

FREEDOMS = ("ux", "uy", "uz", "rx", "ry", "rz")
MODES = 10
Interface = Sequence[str] | Mapping[str, Sequence[float] | None]


@dataclass(frozen=True, eq=False)
class Superelement(Result, look="analyses.superelement.look"):
    """M z'' + C z' + K z = f with z = [displacements and small rotations of the interface, amplitudes of modes with the
    interface held]; deviations from the operating point, global axes, SI units. f are the forces and torques at the
    interface, and none along the modes.

    nodes        (k,) bodies of the interface
    places       (k, 3) where each is fastened, m
    freedoms     (k, 6) column of each displacement and rotation, -1 where it is none of its own: `left_out`
    frequencies  (n,) Hz of the modes with the interface held, which follow the interface; 0 where these move freely,
                 nan where they run away
    T            (coordinates, columns) S = T z restores the coordinates of the linear model, but for what was dropped
    first_dropped_hz  frequency of the first mode that was dropped; infinite where all were kept
    """

    linear: LinearModel
    nodes: tuple[str, ...]
    places: np.ndarray
    freedoms: np.ndarray
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    T: np.ndarray
    frequencies: np.ndarray
    first_dropped_hz: float
    left_out: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """(columns,) of the freedoms: "hub.ux", ..., "mode 1", ..."""
        own = {c: f"{node}.{FREEDOMS[i]}" for node, row in zip(self.nodes, self.freedoms.tolist(), strict=True)
               for i, c in enumerate(row) if c >= 0}  # fmt: skip
        return (*(own[c] for c in sorted(own)), *(f"mode {k + 1}" for k in range(len(self.frequencies))))


@on_one_thread
def superelement(model: Subject, interface: Interface, n: int = MODES) -> Superelement:
    """The mechanism as an element that other programs can fasten: Craig and Bampton's matrices.

    interface  bodies (or nodes of flexible bodies) at which it will be fastened; a map gives each the point of it, in m
               in the drawing, None for its own (centre of mass, place of the node)
    n          modes with the interface held; statics are exact without any. Motions that the held interface leaves free
               are kept beyond that number
    """
    if n < 0:
        raise InputError(Fault("n", f"{n} modes cannot be kept.", "Give 0 or more."))
    linear = constant_linear_of(model)
    _refuse_unfit(linear)
    points = dict(interface) if isinstance(interface, Mapping) else dict.fromkeys(_several(interface))
    rows, places = _interface(linear, points)
    kept = independent_rows(rows, float(linear.point.system.length))
    found = condensed(linear, rows[kept], n)
    columns = np.full(len(rows), -1)
    columns[kept] = np.arange(len(kept))
    freedoms = columns.reshape(-1, 6)
    names = [f"{node}.{word}" for node in points for word in FREEDOMS]
    left_out = tuple(name for name, column in zip(names, columns.tolist(), strict=True) if column < 0)
    return Superelement(
        linear, tuple(points), places, freedoms, found.M, found.C, found.K, found.T,
        _hz(found.values), float(_hz(found.dropped[:1])[0]) if len(found.dropped) else np.inf, left_out,
    )  # fmt: skip


def _several(interface: Sequence[str]) -> Sequence[str]:
    return (interface,) if isinstance(interface, str) else tuple(interface)


def _hz(values: np.ndarray) -> np.ndarray:
    """Hz of omega^2; nan of what runs away."""
    return np.asarray(np.where(values >= 0, np.sqrt(np.maximum(values, 0.0)), np.nan) / (2 * np.pi))


def _refuse_unfit(linear: LinearModel) -> None:
    if linear.is_sparse:
        what = f"the model has {linear.dof} degrees of freedom and is kept sparse."
        raise InputError(Fault("superelement", what, "Ask for the solver dense."))
    if not linear.is_second_order:
        what = "the model has first-order states or non-holonomic constraints: it is not M, C, K alone."
        raise InputError(Fault("superelement", what, "Write it as a block: linearize -o model.fmu."))
    if linear.blades is not None:
        what = "multi-blade coordinates are not motions of bodies."
        raise InputError(Fault("superelement", what, "Use a model without blades."))


def _interface(linear: LinearModel, points: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """How the coordinates move the interface (6 k, coordinates), and where it is (k, 3)."""
    point = linear.point
    index = point.system.places.index
    bodies = {name: i for name, i in index.items() if i < point.system.bodies and ".modes" not in name}
    faults = [
        Fault("interface", f'there is no body "{name}" that moves.', suggest(name, bodies))
        for name in points
        if name not in bodies
    ]
    faults += [
        Fault("interface", f'the point of "{name}" has to be x, y, z.', "For example [0, 0.1, 0].")
        for name, at in points.items()
        if at is not None and not (np.shape(at) == (3,) and np.isfinite(at).all())
    ]
    if not points:
        faults.append(Fault("interface", "no body is named.", "Name those at which it will be fastened."))
    if faults:
        raise InputError(faults)
    moved = global_motion(point, linear.P.T)
    parts = [_at_point(point, moved[:, bodies[name]], bodies[name], name, at) for name, at in points.items()]
    return np.concatenate([rows for rows, _ in parts]), np.array([place for _, place in parts])


def _at_point(
    point: OperatingPoint, moved: np.ndarray, body: int, name: str, drawn: Any
) -> tuple[np.ndarray, np.ndarray]:
    """(6, coordinates) of a point of a body, and its place."""
    state = point.state
    if np.any(state.v[body]) or np.any(state.w[body]):
        what = f'"{name}" moves at the operating point: its freedoms would be those of an instant.'
        raise InputError(Fault("interface", what, "Fasten what is at rest, such as housings and bearings."))
    place, R = np.real(state.r[body]), np.real(state.R[body])
    if drawn is not None:
        start = point.system.reference_state()
        place = place + R @ np.real(start.R[body]).T @ (np.asarray(drawn, dtype=float) - np.real(start.r[body]))
    arm = place - np.real(state.r[body])
    spin = moved[:, 3:]
    return np.concatenate((moved[:, :3] + cross(spin, np.broadcast_to(arm, spin.shape)), spin), axis=1).T, place


__all__ = ("Superelement", "superelement")
