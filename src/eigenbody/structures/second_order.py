"""Displacements of second order of a beam: what its strains, which are linear in the modal coordinates, do to its line.

With eta, strain gamma and curvature kappa of the drawn line are given at every section (in the axes of the drawing, as
the section carries them along), and so is the line: R^T R' = kappa, r' = R (t + gamma). To second order in eta, with
R = exp(th + P) and r = p + u + S (' along the line, t its tangent),

    th' = kappa,   P' = 1/2 th x kappa
    u'  = gamma + th x t,   S' = 1/2 th x (th x t) + th x gamma + P x t - 1/2 (|g|^2 + i^2 kappa_t^2) t

where the last term makes gamma the mean of Green's strain of the fibres: g is what gamma and kappa shear the elastic
centre by, i the radius of gyration of the area (Wagner). The strain energy stays 1/2 eta.K eta, and the stiffness that
loads give to the beam is the work they do along S and P (docs/theory/flexible.md).

Where the rigid motion in S and P goes is free: it is chosen so that the frame is one of mean axes to second order, too.
Neither the momentum nor the moment of momentum of the body then knows S and P but for the inertia in J.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.spatial.rotations import cross, dot
from eigenbody.structures.beam_quadrature import gauss
from eigenbody.structures.invariants import EPS3
from eigenbody.structures.structure import Line, Structure


@dataclass(frozen=True, slots=True, eq=False)
class SecondOrder:
    """S and P as sum_kl eta_k eta_l: rows x, y, z of the displacement and of the rotation."""

    nodes: np.ndarray  # (n, 6, m, m)
    points: np.ndarray  # (p, 6, m, m) of the mass
    J2: np.ndarray  # (m, m, 3, 3): what they add to the inertia


def second_order(structure: Structure, Phi: np.ndarray, centre: np.ndarray, J0: np.ndarray) -> SecondOrder | None:
    """Of the modes Phi (N, m), in a frame of mean axes; None where the structure does not know its strains, or where no
    mode is kept."""
    line, points = structure.line, structure.points
    if line is None or points is None or not Phi.shape[1]:
        return None
    nodes, sections = _along(line, Phi)
    S, P = sections
    th = _by_modes(line.turn, line, Phi)
    arm = line.mass_arm[:, :, None, None]
    S = S + _even(cross(th[:, :, :, None], cross(th[:, :, None], arm))) / 2 + cross(P, arm)
    S, P, th = (part.reshape(-1, *part.shape[2:]) for part in (S, P, th))
    p, mass, inertia = points.position - centre, points.mass, points.inertia
    shift = -np.tensordot(mass, S, 1) / mass.sum()
    turned = _even(cross(th[:, :, None], np.einsum("pij,plj->pli", inertia, th)[:, None])) / 2
    momentum = np.tensordot(mass, cross(p[:, None, None], S), 1) + turned.sum(axis=0)
    momentum = momentum + np.tensordot(P, inertia, axes=((0, 3), (0, 1)))
    turn = -np.linalg.solve(J0, momentum[..., None])[..., 0]
    S, P = _moved(S, P, p, shift, turn)
    return SecondOrder(
        nodes=_rows(*_moved(*nodes, structure.nodes - centre, shift, turn)),
        points=_rows(S, P),
        J2=_inertia(mass, inertia, p, S, P),
    )


Fields = tuple[np.ndarray, np.ndarray]  # S and P (..., m, m, 3)


def _along(line: Line, Phi: np.ndarray) -> tuple[Fields, Fields]:
    """S and P at the nodes (n, m, m, 3) and the sections (e, g, m, m, 3), zero at the first node."""
    strain, th = _by_modes(line.strain, line, Phi), _by_modes(line.turn, line, Phi)
    gamma, kappa = strain[..., :3], strain[..., 3:]
    t = line.tangent[:, None, None]
    P_nodes, P = _integrals(line, _even(cross(th[:, :, :, None], kappa[:, :, None])) / 2)
    sheared = gamma + cross(kappa, line.elastic_arm[:, :, None])
    sheared = sheared - dot(sheared, t)[..., None] * t
    twist = dot(kappa, t)
    fibres = dot(sheared[:, :, :, None], sheared[:, :, None])
    fibres = fibres + line.radius2[:, :, None, None] * twist[:, :, :, None] * twist[:, :, None]
    slope = _even(cross(th[:, :, :, None], cross(th, t)[:, :, None] / 2 + gamma[:, :, None]))
    slope = slope + cross(P, t[:, :, None]) - fibres[..., None] * t[:, :, None] / 2
    S_nodes, S = _integrals(line, slope)
    return (S_nodes, P_nodes), (S, P)


def _by_modes(field: np.ndarray, line: Line, Phi: np.ndarray) -> np.ndarray:
    """(e, g, i, c) by the freedoms to (e, g, m, i) by the modes."""
    return (field @ Phi[line.columns][:, None]).swapaxes(-1, -2)


def _integrals(line: Line, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Integrals of (e, g, ...) from the first node to all nodes (n, ...) and to the sections (e, g, ...)."""
    _, w, upto = gauss(slope.shape[1])
    flat = line.length[:, None, None] * slope.reshape(*slope.shape[:2], -1)
    whole = (w @ flat).reshape(len(slope), *slope.shape[2:])
    nodes = np.concatenate((np.zeros_like(whole[:1]), np.cumsum(whole, axis=0)))
    return nodes, nodes[:-1, None] + (upto @ flat).reshape(slope.shape)


def _even(pairs: np.ndarray) -> np.ndarray:
    """The part of (..., m, m, 3) symmetric in the modes."""
    return (pairs + pairs.swapaxes(-2, -3)) / 2


def _moved(S: np.ndarray, P: np.ndarray, p: np.ndarray, shift: np.ndarray, turn: np.ndarray) -> Fields:
    """S and P of places p (n, 3) with a rigid motion (m, m, 3) added."""
    return S + shift + cross(turn, p[:, None, None]), P + turn


def _rows(S: np.ndarray, P: np.ndarray) -> np.ndarray:
    """(n, m, m, 3) and the same to (n, 6, m, m)."""
    return np.moveaxis(np.concatenate((S, P), axis=-1), -1, 1)


def _inertia(mass: np.ndarray, inertia: np.ndarray, p: np.ndarray, S: np.ndarray, P: np.ndarray) -> np.ndarray:
    """What points displaced by S and turned by P add to J (m, m, 3, 3), to first order in both."""
    away = np.moveaxis(np.tensordot(mass[:, None] * p, S, axes=(0, 0)), 0, 2)
    turned = np.einsum("iaj,klajc->klic", EPS3, np.tensordot(P, inertia, axes=(0, 0)), optimize=True)  # [P] J
    J2 = turned - away
    return J2 + J2.swapaxes(-1, -2) + 2 * np.trace(away, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
