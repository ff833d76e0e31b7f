"""Axial load of a beam and the stiffness it gives across the beam (geometric stiffness)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.spatial.rotations import cross, dot, skew
from eigenbody.structures.beam import GAUSS_POINTS, BeamMesh, assemble, gauss


@dataclass(frozen=True, slots=True, eq=False)
class AxialLoad:
    """The axial force (e, g) at the Gauss points of a beam, tension positive, that its stiffness contains, and what the
    force it carries follows from: mass per length, position, length that belongs to each point, and the elements."""

    force: np.ndarray  # (e, g)
    mass: np.ndarray  # (e, g) kg/m
    position: np.ndarray  # (e, g, 3)
    weight: np.ndarray  # (e, g)
    length: np.ndarray  # (e,)
    tangent: np.ndarray  # (e, 3)

    def carried(self, acceleration: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Axial force (e, g) under an acceleration of the mass (e, g, 3), as for gravity, and forces on the nodes."""
        return _outboard(self, 0, self.mass[..., None] * acceleration, forces)


def axial_load(mesh: BeamMesh, force: np.ndarray) -> AxialLoad:
    """An axial force (e, g) of a mesh."""
    position = mesh.sections.position + mesh.sections.mass_arm
    return AxialLoad(force, mesh.sections.mass, position, mesh.weight, mesh.length, mesh.tangent)


def geometric_stiffness(mesh: BeamMesh, axial_force: np.ndarray | float, torsion: bool = True) -> np.ndarray:
    """Stiffness (N, N) of the axial force, tension positive: one number, per element (e,) or per Gauss point (e, g).

    The energy is N/2 int (v'^2 + w'^2) dx of the elastic centre, and with `torsion` that of the fibres around it which
    a twist tilts, N/2 (Iy + Iz)/A int theta_x'^2 dx (Wagner). Rigid rotations carry energy too, as a load that keeps
    its direction does work when the beam turns.
    """
    N = np.asarray(axial_force)
    N = np.broadcast_to(N[:, None] if N.ndim == 1 else N, mesh.weight.shape) * mesh.weight
    along = mesh.tangent[:, None]
    stretch, curvature = mesh.strain[..., :3, :], mesh.strain[..., 3:, :]
    slope = stretch - skew(along) @ mesh.turn - skew(mesh.sections.elastic_arm) @ curvature
    slope = slope - along[..., None] * (along[..., None, :] @ slope)
    blocks = np.einsum("eg,egia,egib->eab", N, slope, slope, optimize=True)
    if torsion:
        twist = (along[..., None, :] @ curvature)[..., 0, :]
        blocks = blocks + np.einsum("eg,ega,egb->eab", N * mesh.sections.radius2, twist, twist, optimize=True)
    return assemble(mesh, blocks)


def axial_force(
    mesh: BeamMesh, held_at: int | str, acceleration: np.ndarray | None = None, forces: np.ndarray | None = None
) -> np.ndarray:
    """Axial force (e, g) at the Gauss points, tension positive, of a beam held at one node and free elsewhere.

    `acceleration` (e, g, 3) loads the mass at the Gauss points with mass times acceleration (gravity: g; centrifugal:
    away from the axis); `forces` (n, 3) act on the nodes.
    """
    line = np.zeros(3) if acceleration is None else mesh.sections.mass[..., None] * acceleration
    at_nodes = np.zeros((len(mesh.nodes), 3)) if forces is None else np.asarray(forces)
    return _outboard(mesh, node_index(mesh, held_at), line, at_nodes)


def _outboard(beam: BeamMesh | AxialLoad, held: int, line: np.ndarray, at_nodes: np.ndarray) -> np.ndarray:
    """Axial force (e, g) of the loads beyond each Gauss point, seen from the node that is held: per length (e, g, 3)
    and on the nodes (n, 3)."""
    _, _, upto = gauss(GAUSS_POINTS)
    line = np.broadcast_to(line, (*beam.weight.shape, 3))
    whole = (beam.weight[..., None] * line).sum(axis=1)
    part = beam.length[:, None, None] * np.einsum("ij,eja->eia", upto, line)
    before = np.cumsum(whole, axis=0) - whole + np.cumsum(at_nodes[:-1], axis=0)  # up to the element's first node
    before = before[:, None] + part
    after = whole.sum(axis=0) + at_nodes.sum(axis=0) - before
    outboard = np.where((np.arange(len(whole)) >= held)[:, None, None], after, -before)
    return dot(outboard, beam.tangent[:, None])


def centrifugal_force(mesh: BeamMesh, rate: np.ndarray, through: np.ndarray, held_at: int | str) -> np.ndarray:
    """Axial force (e, g) of a beam that spins with `rate` (3,) about an axis and is held at one node."""
    rate = np.asarray(rate)
    arm = mesh.sections.position + mesh.sections.mass_arm - np.asarray(through)
    return axial_force(mesh, held_at, -cross(rate, cross(rate, arm)))


def node_index(mesh: BeamMesh, node: int | str) -> int:
    """The number of a node given by number or name."""
    if isinstance(node, str):
        if node not in mesh.names:
            raise InputError(Fault(f"node {node}", "the beam has no such node.", suggest(node, mesh.names)))
        return mesh.names.index(node)
    if not 0 <= node < len(mesh.names):
        raise InputError(
            Fault(f"node {node}", "the beam has no such node.", f"Take one of 0 to {len(mesh.names) - 1}.")
        )
    return node
