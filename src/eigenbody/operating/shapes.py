"""Modal coordinates of a flexible body whose numbers change: its shapes are others then, and so is what a modal
coordinate means. Displacements of its nodes mean the same.

With shapes S, displacements are u = S q. A state at other numbers, q' in shapes S', is in the shapes of these numbers
what gives the same displacements; and where shapes change by dS with a step, displacements that change by du are modal
coordinates that change by dq, S dq = du - dS q.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody
from eigenbody.structures.structure import Reduced
from eigenbody.system.state import State
from eigenbody.system.system import System


def in_shapes_of(point: OperatingPoint, there: OperatingPoint) -> State:
    """The state of another point, of other numbers of the same mechanism, with modal coordinates in the shapes of this
    one."""
    r, v = there.state.r.copy(), there.state.v.copy()
    for (body, carriers), other in zip(_modal(point.system), there.system.description.flexible, strict=True):
        for part in (r, v):
            moved = _shapes(body, other.reduced) @ _coordinates(part, carriers, body)
            _put(part, carriers, _solved(body, moved))
    return replace(there.state, r=r, v=v)


def less_changed_shapes(
    point: OperatingPoint, stepped: System, size: np.ndarray, dq: np.ndarray, du: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Changes (n, nq) of coordinates and velocities, found in the shapes of the point, for a system whose shapes change
    with steps of these sizes (n,)."""
    dq, du = dq.copy(), du.copy()
    dof = point.system.dof
    for (body, carriers), changing in zip(_modal(point.system), stepped.description.flexible, strict=True):
        own = dof[carriers, :3].ravel()[: body.reduced.modes]
        dS = np.imag(_shapes(body, changing.reduced)) / size[:, None, None]
        for change, part in ((dq, point.state.r), (du, point.state.v)):
            q = _coordinates(part, carriers, body)
            change[:, own] -= _solved(body, (dS @ q).T).T
    return dq, du


def _modal(system: System) -> Iterator[tuple[FlexibleBody, list[int]]]:
    """Flexible bodies and the numbers of their carriers."""
    for body in system.description.flexible:
        yield body, [system.places.index[name] for name in body.carriers]


def _shapes(body: FlexibleBody, reduced: Reduced) -> np.ndarray:
    """(..., 6 nodes, m) displacements and, in the size of the body, rotations of all nodes by modal coordinates of the
    body, with these shapes of it."""
    own = body.reduced
    reach = np.abs(np.real(own.nodes - own.centre)).max(initial=0.0)
    both = np.stack(np.broadcast_arrays(reduced.move, reach * reduced.turn), axis=-4)
    return both.reshape(*both.shape[:-4], -1, both.shape[-1])


def _coordinates(part: np.ndarray, carriers: list[int], body: FlexibleBody) -> np.ndarray:
    return part[carriers].ravel()[: body.reduced.modes]


def _put(part: np.ndarray, carriers: list[int], q: np.ndarray) -> None:
    padded = np.zeros(3 * len(carriers))
    padded[: len(q)] = q
    part[carriers] = padded.reshape(-1, 3)


def _solved(body: FlexibleBody, moved: np.ndarray) -> np.ndarray:
    """Modal coordinates (m, ...) that move the nodes so."""
    return np.asarray(np.linalg.lstsq(_shapes(body, body.reduced), moved, rcond=None)[0])
