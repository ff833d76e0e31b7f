"""What is prescribed and what may not slip: the rows of a model, and the free motions that they leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.model.description import Description, Entry
from eigenbody.model.expressions import Expression
from eigenbody.routes.base import Place
from eigenbody.routes.drawing import GROUND, Attachment, attached, drawn_point, ends
from eigenbody.routes.joints import ROTATIONS, motions, names_of, terms_of
from eigenbody.routes.kane.measures import ANGLES, ChainMeasures, angle_frames
from eigenbody.routes.kane.rows import Along, Held, KnifeEdge, Law, Linear, Rolling, Row, Speed, Turned, still
from eigenbody.routes.kane.tree import Tree
from eigenbody.spatial.rotations import frame

_REDUNDANT = 1e-9  # part of a row that those before it leave of one that they determine
_DEPENDENT = 1e-12  # part of the largest entry of a row that elimination leaves of one that others determine


@dataclass(frozen=True, eq=False)
class Prescribed:
    """Rows C (m, n), the accelerations x'' they give with the free ones zero (n,), and the free motions N (n, f).

    `chosen` (f,) are the coordinates that stay independent: N has the identity there.
    """

    rows: np.ndarray
    particular: np.ndarray
    free: np.ndarray
    chosen: np.ndarray


def prescribed(rows: np.ndarray, given: np.ndarray, preferred: Sequence[int] = ()) -> Prescribed:
    """Solve the rows for as many coordinates as they determine, for others than the preferred ones if they can."""
    m, n = rows.shape
    chosen, reduced, rest = list(range(n)), rows.astype(float), given.astype(float)
    size = np.abs(rows).max(axis=1, initial=0.0)
    others = np.setdiff1d(np.arange(n), preferred)
    pivots: list[int] = []
    for row in range(m):  # Gauss-Jordan with the largest entry of each row
        pivot = int(np.abs(reduced[row]).argmax())
        if not abs(reduced[row, pivot]) > _DEPENDENT * size[row]:
            raise ComputationError("kane: the prescribed motions and couplings are not independent; remove one.")
        if len(others) and (best := others[np.abs(reduced[row, others]).argmax()]) not in pivots:
            pivot = int(best) if abs(reduced[row, best]) > 1e-2 * abs(reduced[row, pivot]) else pivot
        rest[row] /= reduced[row, pivot]
        reduced[row] /= reduced[row, pivot]
        for other in range(m):
            if other != row:
                rest[other] -= reduced[other, pivot] * rest[row]
                reduced[other] -= reduced[other, pivot] * reduced[row]
        pivots.append(pivot)
        chosen.remove(pivot)
    free, particular = np.zeros((n, len(chosen))), np.zeros(n)
    free[chosen, range(len(chosen))] = 1.0
    free[pivots] = -reduced[:, chosen]
    particular[pivots] = rest
    return Prescribed(rows, particular, free, np.array(chosen, dtype=int))


def independent_rows(rows: np.ndarray) -> np.ndarray:
    """Numbers of the rows (m, n) that those before them do not determine."""
    size = np.linalg.norm(rows, axis=1)
    basis = np.zeros((0, rows.shape[1]))
    kept = []
    for k, row in enumerate(rows):
        rest = row / size[k] if size[k] > 0 else row
        for _ in range(2):  # once more, as rounding wants it
            rest = rest - (basis @ rest) @ basis
        left = float(np.linalg.norm(rest))
        if left > _REDUNDANT:
            kept.append(k)
            basis = np.vstack([basis, rest / left])
    return np.array(kept, dtype=int)


def index_of(tree: Tree, name: str) -> int | None:
    """The scalar coordinate of the tree that a measure is, or None."""
    stem, _, label = name.rpartition(".")
    for candidate in (name, stem if label in ("angle", "displacement") else name):
        if candidate in tree.coordinates and candidate.rpartition(".")[2] not in ROTATIONS:
            return tree.coordinates.index(candidate)
    return None


def law_of(signal: Any) -> Law:
    """A motion of the model file: an expression of time, or a number."""
    if not isinstance(signal, Expression):
        return lambda t: np.array([float(np.real(signal)), 0.0, 0.0])
    first = signal.derivative("t")
    levels = (signal, first, first.derivative("t"))
    return lambda t: np.array([float(np.real(level.evaluate({"t": t}))) for level in levels])


def rows_of(
    description: Description, place: Place, tree: Tree, measures: ChainMeasures, laws: Sequence[Law] | None = None
) -> tuple[Row, ...]:
    """All prescribed motions, couplings and non-holonomic rows of a model; `laws` in place of those of its motions."""
    listed = list(motions(description))
    names = [name for name, _, _ in listed]
    laws = [law_of(signal) for _, signal, _ in listed] if laws is None else laws
    rows: list[Row] = []
    whole = _whole_rotations(description, names)
    taken = {k for numbers, _ in whole for k in numbers}
    for numbers, (first, second, sequence) in whole:
        own = tuple(names[k] for k in numbers)
        rows.append(Turned(own, first, second, tuple(laws[k] for k in numbers), sequence, numbers))  # type: ignore[arg-type]
    for k, name in enumerate(names):
        if k not in taken:
            rows.append(_combined((name,), {name: 1.0}, tree, measures, laws[k], (k,)))
    for coupling in description.couplings:
        if coupling.type == "velocity":
            rows.append(_speed(coupling, measures))
        else:
            rows.append(_combined((coupling.name,), terms_of(coupling), tree, measures))
    rows.extend(_slips(description))
    return tuple(rows)


def held_body(place: Place, name: str, body: int) -> Held:
    """A body held where the place has it."""
    labels = tuple(f"{name} {part}{axis}" for part in "FM" for axis in "xyz")
    return Held(labels, body, (place.r[body].copy(), place.R[body].copy()))


def _combined(
    names: tuple[str, ...],
    terms: dict[str, float],
    tree: Tree,
    measures: ChainMeasures,
    law: Law | None = None,
    numbers: tuple[int, ...] = (),
) -> Row:
    """Linear on the tree where all terms are coordinates of it, else along deflections."""
    shifted = still if law is None else _counted_from(measures.place.t, law)
    index = [index_of(tree, name) for name in terms]
    if all(i is not None for i in index):
        C = np.zeros(tree.count)
        for i, factor in zip(index, terms.values(), strict=True):
            C[i] += factor
        return Linear(names, C, shifted, numbers)
    return Along(names, tuple((factor, measures[name]) for name, factor in terms.items()), shifted, numbers)


def _counted_from(start: float, law: Law) -> Law:
    """A law whose value is counted from that at a time."""
    before = np.array([law(start)[0], 0.0, 0.0])
    return lambda t: law(t) - before


Frames = tuple[Attachment, Attachment, str | None]


def _whole_rotations(description: Description, names: Sequence[str]) -> list[tuple[tuple[int, ...], Frames]]:
    """Rotations prescribed in all three coordinates: numbers of their motions, frames and sequence."""
    found = []
    owners = dict.fromkeys(name.rpartition(".")[0] for name in names)
    for owner in owners:
        for labels in (ROTATIONS, ANGLES):
            wanted = [f"{owner}.{label}" for label in labels]
            if owner and all(name in names for name in wanted):
                numbers = tuple(names.index(name) for name in wanted)
                found.append((numbers, _rotation_frames(description, owner, labels)))
    return found


def _rotation_frames(description: Description, owner: str, labels: tuple[str, ...]) -> Frames:
    if labels == ANGLES:
        entry = next(measure for measure in description.measures if measure.name == owner)
        return (*angle_frames(description, entry), entry["sequence"])
    for joint in description.joints:
        if joint.name == owner and ROTATIONS[0] in {name.rpartition(".")[2] for name in names_of(joint)}:
            return (*ends(description, joint), None)
    point = drawn_point(description, owner)
    return Attachment(GROUND, point, np.eye(3)), attached(description, owner, point, np.eye(3)), None


def _speed(coupling: Entry, measures: ChainMeasures) -> Speed:
    formula = coupling["speed"]
    names = dict.fromkeys(name.rstrip("'") for name in sorted(formula.names))
    return Speed((coupling.name,), formula, {name: measures[name] for name in names})


def _slips(description: Description) -> Iterator[Row]:
    for joint in description.joints:
        if joint.type == "knife_edge":
            yield KnifeEdge((joint.name,), *ends(description, joint))
        elif joint.type == "rolling":
            _, second = ends(description, joint)
            normal = np.asarray(joint["normal"], dtype=float)
            plane, at = joint["between"][0], joint.get("at")
            first = attached(
                description, plane, drawn_point(description, plane) if at is None else at[0], frame(normal)
            )
            size = float(joint["radius"]), float(joint.get("tube", 0.0))
            yield Rolling((f"{joint.name} contact",), first, second, *size, True)
            yield Rolling((f"{joint.name} no slip x", f"{joint.name} no slip y"), first, second, *size, False)
