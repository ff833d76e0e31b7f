"""Relative joint coordinates with exact partial derivatives (Trom 1990, chapters 2 to 5); see docs/theory/relative.md.

Open chains by the velocity transformation, closed loops by cut joints and multipliers, in any motion. Where formulas of
the source are wrong, the corrected ones stand here and the page says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.description import Description
from eigenbody.routes.base import Linear, Place, Route, Unsupported
from eigenbody.routes.joints import NON_HOLONOMIC
from eigenbody.routes.relative.assemble import Dynamics, Mechanism, dynamics, open_chain, read, turning
from eigenbody.routes.relative.loops import null_space
from eigenbody.routes.relative.reduce import (
    OpenChain,
    eigenvalues,
    felt_coordinates,
    frame_of,
    reduced,
    unreduced_eigenvalues,
)

REDUCTIONS = ("coordinates", "qr", "svd", "lu", "none")


def applies(description: Description, place: Place) -> str:
    """Why the formulation does not apply; empty if it does."""
    try:
        read(description, place)
    except Unsupported as reason:
        return str(reason)
    return ""


def linearize(
    description: Description,
    place: Place,
    *,
    reduction: str = "coordinates",
    cut: Sequence[str] = (),
    drop_multiplier_term: bool = False,
) -> Linear:
    """Linear equations and eigenvalues.

    reduction: "coordinates" (those of the place or the description, filled up from the tree; away from equilibrium the
    eigenvalues depend on them), a null space of the constraint Jacobian by "qr", "svd" or "lu", or "none": eigenvalues
    of the unreduced generalized problem.
    cut: joints at which loops are opened; by default what closes a loop, in the order of the file.
    drop_multiplier_term: leave out d(Phi_q^T lambda)/dq as Trom's Eq. 4.13 does, which is wrong.
    """
    if reduction not in REDUCTIONS:
        raise InputError(Fault("reduction", f'"{reduction}" is not known.', suggest(reduction, REDUCTIONS)))
    mechanism = read(description, place, cut)
    found = dynamics(mechanism)
    M_l, C_l, K_l = open_chain(mechanism, found)
    stiffness = K_l if drop_multiplier_term else K_l + found.K_lambda
    Y = turning(mechanism.tree, mechanism.nu)
    states, held = found.states, np.vstack((found.Phi_q, found.N))
    felt = felt_coordinates(M_l, C_l, stiffness, held, found.state_slope.T, states.by_q, states.by_nu)
    frame = frame_of(mechanism, found, "coordinates" if reduction == "none" else reduction, felt)
    own = np.ix_(felt, felt)
    chain = OpenChain(
        M_l[own], C_l[own], stiffness[own], found.state_slope[felt], (states.by_q - states.by_nu @ Y)[:, felt],
        states.by_nu[:, felt], states.by_x,
    )  # fmt: skip
    least = reduced(frame, chain)
    values = unreduced_eigenvalues(frame, len(held), chain) if reduction == "none" else eigenvalues(least.A)
    matrices = {
        "M_l": M_l[own], "C_l": C_l[own], "K_l": K_l[own], "K_lambda": found.K_lambda[own],
        "Phi_q": found.Phi_q[:, felt], "Q2": null_space(found.Phi_q[:, felt]), "lambda": found.multipliers,
        "M": least.M, "C": least.C, "K": least.K, "P": least.P, "A": least.A,
    }  # fmt: skip
    if len(found.slips):
        matrices |= {"N": found.N[:, felt], "Y": least.Y, "Z": least.Z}
    names = tuple(mechanism.tree.names[k] for k in felt)
    return Linear(
        values, matrices, _notes(names, frame.names, mechanism, found, drop_multiplier_term), not drop_multiplier_term
    )


def _notes(
    own: tuple[str, ...], chosen: tuple[str, ...], mechanism: Mechanism, found: Dynamics, dropped: bool
) -> tuple[str, ...]:
    notes = [f"relative coordinates: {', '.join(own)}"]
    if len(chosen) < len(own):
        notes.append(f"independent: {', '.join(chosen) or 'a null space of the constraint Jacobian'}")
    if len(found.rows):
        cut = ", ".join(entry.name for entry in mechanism.tree.cut if entry.type not in NON_HOLONOMIC)
        which = f" with those of cut joints ({cut})" if cut else ""
        notes.append(f"{len(found.rows)} constraint rows{which}, {found.redundant} more are redundant")
    if len(found.slips):
        notes.append(f"{len(found.slips)} non-holonomic rows: fewer velocities than coordinates are independent")
    if dropped:
        notes.append("the geometric stiffness of the loops, d(Phi_q^T lambda)/dq, is left out as in Trom's Eq. 4.13")
    return tuple(notes)


ROUTE = Route(
    "relative", "relative joint coordinates", "Trom 1990, corrected", applies, linearize, choices=("reduction", "cut")
)
