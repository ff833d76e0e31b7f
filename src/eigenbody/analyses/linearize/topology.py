"""The linear model by constraint-topology transformation (Jiang, Chen & Luo 2011), for every further analysis.

The route finds M'', C'', K'' in displacements of its own. Both it and the engine know how all bodies move by their
coordinates: P S = B q'' for every small motion, so q'' = T S, and T^T M'' T, T^T C'' T, T^T K'' T are the route's
matrices in the coordinates of the linear model. What a force does at once to outputs is geometry, and the engine's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.analyses.linearize.gates import gates
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.linearization.forms import KnownStateSpace
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.place import place_of
from eigenbody.linearization.point import OperatingPoint
from eigenbody.routes.topology import Oscillations, reason_against
from eigenbody.spatial.rotations import apply
from eigenbody.system.state import spread

ROUTES = ("topology",)
SAME = 1e-8  # part of the motion of the bodies by which the two may differ
BY_ROUTE = "Equations by constraint-topology transformation (Jiang, Chen & Luo 2011)"
NEGLECTED = " without the geometric stiffness of loaded joints and springs, which is up to {:.4g} here."


def oscillations_at(point: OperatingPoint, route: str = "topology") -> Oscillations:
    """The route's equations at an operating point; InputError where it does not apply."""
    if route not in ROUTES:
        what = f'modes and responses by the route "{route}" are not known.'
        raise InputError(Fault("route", what, suggest(route, ROUTES)))
    description, place = point.system.description, place_of(point)
    if reason := reason_against(description, place):
        what = f'the route "topology" does not apply to this model: {reason.rstrip(".")}.'
        raise InputError(Fault("route", what, "Leave it out: the engine's own equations have no such limits."))
    return Oscillations(description, place)


def by_topology(linear: LinearModel, route: str = "topology") -> LinearModel:
    """The linear model with the matrices of the route, in the same coordinates, inputs and outputs."""
    system = oscillations_at(linear.point, route)
    T = _coordinates(linear, system)
    M, C, K = (T.T @ E @ T for E in system.matrices())
    form, space = linear.dense, linear.state_space
    n = linear.dof
    by_output = gates(linear)[0]
    A, B, out = space.A.copy(), space.B.copy(), space.C.copy()
    if n:
        A[n:, :n], A[n:, n:] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
        B[n:] = np.linalg.solve(M, form.M @ space.B[n:])
    out[:, :n] -= by_output @ (K - form.K)
    out[:, n:] -= by_output @ (C - form.C)
    note = BY_ROUTE + ("." if system.is_exact else NEGLECTED.format(float(np.abs(K - form.K).max(initial=0.0))))
    changed = replace(form, M=M, C=C, K=K, source=KnownStateSpace(space._replace(A=A, B=B, C=out)))
    return replace(linear, form=changed, notes=(*linear.notes, note), by_route=route)


def _coordinates(linear: LinearModel, system: Oscillations) -> np.ndarray:
    """T (n'', n): the displacements of the route by the coordinates of the linear model."""
    point = linear.point
    motion = spread(point.system, linear.P.T)  # (n, bodies, 6)
    turned = apply(np.real(point.state.R), motion[..., 3:])
    bodies = np.concatenate((motion[..., :3], turned), axis=-1).reshape(len(motion), -1).T
    T = np.linalg.lstsq(system.B, bodies, rcond=None)[0]
    off = np.abs(system.B @ T - bodies).max(initial=0.0)
    if T.shape[0] != T.shape[1] or off > SAME * np.abs(bodies).max(initial=1.0):
        raise ComputationError(
            "The route topology and the engine find different free motions here: a singular configuration, or rows that"
            " are nearly dependent. Move the mechanism a little."
        )
    return T
