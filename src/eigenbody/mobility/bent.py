"""How far flexible bodies can be deformed: their nodes are not turned by a quarter turn, their lines have a length.

What holds a node is the axial vector of its relative rotation, axis times sine of the angle, which its modes give. At a
quarter turn the sine stops growing and the rows that hold the node become dependent; beyond, the same modes are met by
a second angle, up to half a turn of a body that is not deformed at all. No deformation leads there: closing constraints
from too far away does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.elements.joints.node import NODE
from eigenbody.model.description import Description, FlexibleBody
from eigenbody.system.state import State
from eigenbody.system.system import System

FOLDED = 0.5  # rad between a section of a beam and the frame of its body, which cannot be bent so far


class BentTooFarError(ComputationError):
    """A search that ended because one body cannot be bent as far as its load bends it."""


def turned_over(system: System, state: State) -> dict[str, float]:
    """Nodes, by name, that are turned by more than a quarter turn, and by what angle (rad); batch axes may lead."""
    return {
        system.description.joints[joint].name: float(np.arccos(np.clip(cosine, -1.0, 1.0)))
        for joints, cosines in _cosines(system, state)
        for joint, cosine in zip(joints.tolist(), cosines.tolist(), strict=True)
        if cosine < 0.0
    }


def _cosines(system: System, state: State) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Joints of nodes by their numbers, and the least cosine of the angle that each is turned by."""
    R = np.real(state.R)
    for group in system.joints if system.flexible else ():
        if group.type is not NODE:
            continue
        first, second = (
            R[..., carrier, :, :] @ axes
            for carrier, axes in ((group.pairs.first, group.pairs.axes1), (group.pairs.second, group.pairs.axes2))
        )
        cosine = ((first * second).sum(axis=(-2, -1)) - 1) / 2
        yield group.index, cosine.reshape(-1, cosine.shape[-1]).min(axis=0)


def stay_below_a_quarter_turn(system: System, before: State, after: State) -> None:
    """Raise where closing constraints turned a node over that was not before: it found another root of its rows."""
    over = turned_over(system, after)
    if over and not turned_over(system, before):
        raise ComputationError(f"The node {next(iter(over))} was turned over in the frame of its flexible body.")


def refuse_turned_over(system: System, state: State) -> None:
    """Refuse a state with nodes that are turned over."""
    over = turned_over(system, state)
    if not over:
        return
    worst: dict[str, tuple[FlexibleBody, float]] = {}
    for body in system.description.flexible:
        angle = max((over[node] for node in body.nodes if node in over), default=0.0)
        if angle > worst.get(body.where, (body, 0.0))[1]:
            worst[body.where] = body, angle
    raise InputError(
        Fault(
            where,
            f"a section is turned by {angle:.3g} rad in the frame of its body here, and one body cannot be bent or"
            " twisted by a quarter turn.",
            remedy(system.description, body, 4),
        )
        for where, (body, angle) in worst.items()
    )


def bent_too_far(system: System, state: State, coordinates: Sequence[str] | None = None) -> Fault | None:
    """What is to be said of a beam whose sections are turned so far in its frame that its modal coordinates no longer
    tell its shape; of those only that have one of these coordinates."""
    flexible, index = system.description.flexible, system.places.index
    for body in flexible:
        nodes = [index[name] for name in body.nodes]
        is_asked = coordinates is None or bool(set(coordinates) & set(body.coordinates))
        if body.reduced.bow is None or not nodes or not is_asked:
            continue
        R, frame = np.real(state.R[..., nodes, :, :]), np.real(state.R[..., index[body.name], :, :])[..., None, :, :]
        turn = float(np.arccos(np.clip(((R * frame).sum(axis=(-2, -1)) - 1) / 2, -1, 1)).max())
        if turn > FOLDED:
            return Fault(
                body.where,
                f"the load turns its sections by {turn:.2g} rad in the frame of one body, farther than that can bend:"
                " it carries more than its buckling load, or far more than it can hold straight.",
                remedy(system.description, body, 4),
            )
    return None


def modal_coordinates(system: System, state: State, body: FlexibleBody) -> np.ndarray:
    """(..., modes); batch axes may lead."""
    r = np.real(state.r[..., [system.places.index[name] for name in body.carriers], :])
    return np.asarray(r.reshape(*r.shape[:-2], -1)[..., : body.reduced.modes])


def strains(system: System, state: State, body: FlexibleBody) -> np.ndarray:
    """(..., pieces) part by which the pieces of a body's lines are longer. Displacements of first order are counted:
    what bends draws its ends together by those of second order."""
    nodes, eta = np.real(body.reduced.nodes), modal_coordinates(system, state, body)
    moved, found = np.einsum("nim,...m->...ni", np.real(body.reduced.move), eta), [np.zeros((*eta.shape[:-1], 0))]
    for line in body.lines:
        pieces, change = np.diff(nodes[list(line)], axis=0), np.diff(moved[..., list(line), :], axis=-2)
        found.append((pieces * change).sum(axis=-1) / (pieces**2).sum(axis=-1))
    return np.concatenate(found, axis=-1)


def refuse_crushed(system: System, state: State) -> None:
    """Refuse a beam that is shorter by its own length or more: its line would run backwards."""
    worst: dict[str, float] = {}
    for body in system.description.flexible:
        if body.reduced.bow is not None and body.reduced.modes:
            least = float(strains(system, state, body).min(initial=0.0))
            worst[body.where] = min(least, worst.get(body.where, 0.0))
    faults = [
        Fault(
            where,
            f"the load along it makes a piece of it shorter by {-least:.3g} times its own length: it has the stiffness"
            " of small strains.",
            "Load it less along its line, or make it stiffer: look at units of its forces, E, area and diameter.",
        )
        for where, least in worst.items()
        if least <= -1.0
    ]
    if faults:
        raise InputError(faults)


def remedy(description: Description, body: FlexibleBody, times: int) -> str:
    """What to do about a flexible body that is deformed too far: more bodies by a factor, or less load."""
    if body.reduced.bow is None:
        return "Part it into several bodies joined rigidly, or load it less."
    parts = sum(other.where == body.where for other in description.flexible)
    return f"Give {body.where}.sections: {times * parts} or more, or less load."
