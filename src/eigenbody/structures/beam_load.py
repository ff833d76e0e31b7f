"""Axial load that a beam has as drawn."""

from __future__ import annotations

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.spatial.rotations import cross, dot, skew
from eigenbody.structures.beam import GAUSS_POINTS, BeamMesh
from eigenbody.structures.beam_quadrature import gauss


def drawn_together(mesh: BeamMesh, axial_force: np.ndarray) -> np.ndarray:
    """Forces (N,) along the freedoms by which an axial force (e, g) in the drawing, tension positive, pulls: N times
    the mean strain of the fibres."""
    stretch, curvature = mesh.strain[..., :3, :], mesh.strain[..., 3:, :]
    strain = stretch - skew(mesh.sections.elastic_arm) @ curvature
    along = np.einsum("eg,ei,egic->ec", mesh.weight * axial_force, mesh.tangent, strain, optimize=True)
    out = np.zeros(mesh.freedoms, along.dtype)
    np.add.at(out, mesh.columns, along)
    return out


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


def _outboard(beam: BeamMesh, held: int, line: np.ndarray, at_nodes: np.ndarray) -> np.ndarray:
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
