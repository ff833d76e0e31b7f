"""Finite elements of a beam along a polyline.

An element carries constant force and linear moment, which end loads cause whatever its properties are: integrating the
section's compliance over them gives its flexibility, exact for varying, twisted and eccentric sections and free of
locking. The displacements that belong to these loads carry the mass; for constant properties they are the cubic
functions of Timoshenko with Phi = 12 E I / (k G A L^2), and those of Euler and Bernoulli for Phi = 0.

What its own inertia does inside an element has freedoms of its own: section loads of higher degree (`INSIDE`), less the
end loads that bring the ends back. Such a state has the strain of the section's compliance, moves no node, and its
energy is its own alone. Frequencies converge as h^6 at least, where those of the end loads alone converge as h^2 (h^4
without shear).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.spatial.rotations import dot, skew, unit
from eigenbody.structures.beam_quadrature import gauss
from eigenbody.structures.beam_section import BeamStations, Sections, check_stations, sections_at
from eigenbody.structures.structure import InertiaPoints, Line, Structure

GAUSS_POINTS = 6  # the mass of displacements of degree 5 needs degree 10, with a linear mass 11: exact
MOST_ELEMENTS = 500
DENSE = 600  # freedoms up to which matrices are dense
INSIDE = ((1, 2), (0, 1, 2), (0, 1, 2), (1, 2), (2,), (2,))  # degrees along x of N, Qy, Qz, T, My, Mz inside
SAME = 1e-10  # part of their energy by which states inside an element must differ from each other


@dataclass(frozen=True, eq=False)
class BeamMesh:
    """Elements (e) of a beam with g Gauss points each; their freedoms (c) are the 12 of two nodes and those inside."""

    names: tuple[str, ...]  # of the nodes
    nodes: np.ndarray  # (n, 3); element i lies between the nodes i and i + 1
    stations: np.ndarray  # (s,) nodes at the stations
    length: np.ndarray  # (e,)
    tangent: np.ndarray  # (e, 3)
    sections: Sections  # at the Gauss points (e, g)
    weight: np.ndarray  # (e, g) length of the beam that belongs to a Gauss point
    strain: np.ndarray  # (e, g, 6, c) strain and curvature of the drawn line by the freedoms
    move: np.ndarray  # (e, g, 3, c) displacement of the drawn line
    turn: np.ndarray  # (e, g, 3, c) rotation of the section
    stiffness: np.ndarray  # (e, c, c)

    @property
    def columns(self) -> np.ndarray:
        """The places (e, c) of an element's freedoms among all: 6 of each node, then those inside the elements."""
        element, inside = np.arange(len(self.length))[:, None], self.stiffness.shape[-1] - 12
        own = 6 * len(self.nodes) + inside * element + np.arange(inside)
        return np.concatenate((6 * element + np.arange(12), own), axis=1)

    @property
    def directions(self) -> np.ndarray:
        """Direction (n, 3) of the line at the nodes; in a corner the mean of both sides."""
        return unit(np.concatenate((self.tangent[:1], self.tangent[:-1] + self.tangent[1:], self.tangent[-1:])))

    @property
    def freedoms(self) -> int:
        """How many there are in all."""
        return 6 * len(self.nodes) + len(self.length) * (self.stiffness.shape[-1] - 12)


def beam_structure(
    stations: BeamStations,
    elements_per_segment: int | Sequence[int] = 1,
    names: Sequence[str] | None = None,
    where: str = "beam",
    inside: bool = True,
) -> Structure:
    """Mass, stiffness and inertia points of a beam that nothing holds."""
    return structure_of(beam_mesh(stations, elements_per_segment, names, where, inside))


def beam_mesh(
    stations: BeamStations,
    elements_per_segment: int | Sequence[int] = 1,
    names: Sequence[str] | None = None,
    where: str = "beam",
    inside: bool = True,
) -> BeamMesh:
    """Elements between the stations. `names` are those of the stations (default 1, 2, ...).

    The k-th node within the segment after station "a" is called "a+k". Without `inside` the elements have the freedoms
    of their nodes alone.
    """
    check_stations(stations, where)
    points = np.asarray(stations.points)
    counts = _counts(elements_per_segment, len(points) - 1, where)
    segment = np.repeat(np.arange(len(points) - 1), counts)
    first = np.cumsum(counts) - counts  # element after each station but the last
    inner = np.arange(len(segment)) - first[segment]
    share = 1 / counts[segment]
    x, w, _ = gauss(GAUSS_POINTS)
    step = (points[segment + 1] - points[segment]) * share[:, None]
    length = np.sqrt(dot(step, step))
    sections = sections_at(stations, segment, (inner[:, None] + x) * share[:, None])
    tangent = step / length[:, None]
    strain, move, turn, stiffness = _fields(length, tangent, sections, inside)
    return BeamMesh(
        names=_node_names(names, segment, inner, len(points), where),
        nodes=np.concatenate((points[segment] + inner[:, None] * step, points[-1:])),
        stations=np.append(first, len(segment)),
        length=length,
        tangent=tangent,
        sections=sections,
        weight=length[:, None] * w,
        strain=strain,
        move=move,
        turn=turn,
        stiffness=stiffness,
    )


def part_of(mesh: BeamMesh, first: int, last: int) -> BeamMesh:
    """The elements between two nodes, as a beam of its own."""
    own = slice(first, last)
    sections = Sections(**{part.name: getattr(mesh.sections, part.name)[own] for part in fields(Sections)})
    arrays = ("length", "tangent", "weight", "strain", "move", "turn", "stiffness")
    return BeamMesh(
        names=mesh.names[first : last + 1],
        nodes=mesh.nodes[first : last + 1],
        stations=np.array([0, last - first]),
        sections=sections,
        **{name: getattr(mesh, name)[own] for name in arrays},
    )


@np.errstate(over="ignore", invalid="ignore")  # what is not finite the reduction refuses
def structure_of(mesh: BeamMesh) -> Structure:
    """Assembled mass and stiffness of a mesh, and its mass as points."""
    n = len(mesh.nodes)
    mass = mesh.weight * mesh.sections.mass
    inertia = mesh.weight[..., None, None] * mesh.sections.inertia
    move = mesh.move - skew(mesh.sections.mass_arm) @ mesh.turn
    M = np.einsum("eg,egia,egib->eab", mass, move, move, optimize=True)
    M = M + (mesh.turn.swapaxes(-1, -2) @ inertia @ mesh.turn).sum(axis=1)
    points = InertiaPoints(
        mass=mass.ravel(),
        inertia=inertia.reshape(-1, 3, 3),
        position=(mesh.sections.position + mesh.sections.mass_arm).reshape(-1, 3),
        move=_by_points(move),
        turn=_by_points(mesh.turn),
        columns=np.repeat(mesh.columns, mesh.weight.shape[1], axis=0),
    )
    freedoms = np.arange(6 * n).reshape(n, 6)
    matrices = assemble(mesh, M), assemble(mesh, mesh.stiffness)
    return Structure(mesh.names, mesh.nodes, freedoms, *matrices, points, _line(mesh))


def _line(mesh: BeamMesh) -> Line:
    sections = mesh.sections
    return Line(
        mesh.length, mesh.tangent, mesh.columns, mesh.strain, mesh.turn,
        sections.mass_arm, sections.elastic_arm, sections.radius2,
    )  # fmt: skip


def assemble(mesh: BeamMesh, blocks: np.ndarray) -> Any:
    """The matrix (N, N) of all freedoms from those of the elements (e, c, c), exactly symmetric; sparse if large."""
    N, columns = mesh.freedoms, mesh.columns
    blocks = (blocks + blocks.swapaxes(1, 2)) / 2
    rows, columns = np.broadcast_arrays(columns[:, :, None], columns[:, None, :])
    if N > DENSE:
        from scipy.sparse import coo_array

        out = coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(N, N)).tocsr()
        out.eliminate_zeros()  # which the factors would fill
        return out
    out = np.zeros((N, N), dtype=blocks.dtype)
    np.add.at(out, (rows, columns), blocks)
    return out


def _fields(length: np.ndarray, tangent: np.ndarray, sections: Sections, inside: bool) -> tuple[np.ndarray, ...]:
    """Strain (e, g, 6, c), displacement and rotation (e, g, 3, c) by the freedoms; stiffness (e, c, c)."""
    x, w, upto = gauss(GAUSS_POINTS)
    C = sections.compliance
    full = skew(length[:, None] * tangent)  # (e, 3, 3)
    eye = np.eye(3)
    b = np.zeros((*C.shape[:2], 6, 6), dtype=np.result_type(full, C))  # section loads by those at the second node
    b[..., :3, :3] = b[..., 3:, 3:] = eye
    b[..., 3:, :3] = (1 - x)[:, None, None] * full[:, None]
    weight = (length[:, None] * w)[..., None, None]
    flexibility = (weight * (b.swapaxes(-1, -2) @ C @ b)).sum(axis=1)
    H = np.zeros((len(length), 6, 12), dtype=b.dtype)  # motion of the second node seen from the first
    H[:, :3, :3] = H[:, 3:, 3:6] = -eye
    H[:, :3, 6:9] = H[:, 3:, 9:] = eye
    H[:, :3, 3:6] = full
    loads = b @ np.linalg.solve(flexibility, H)[:, None]
    if inside:
        more, energy = _inside(weight, b, flexibility, C, _loads_inside(sections.axes[:, 0]))
        loads = np.concatenate((loads, more), axis=-1)
    strain = C @ loads
    stretch, curvature = strain[..., :3, :], strain[..., 3:, :]
    turn = np.einsum("e,ij,ejab->eiab", length, upto, curvature, optimize=True)
    turn[..., 3:6] += eye
    lever = np.einsum("e,ij,ejab->eiab", length, upto * (x[:, None] - x), curvature, optimize=True)
    move = np.einsum("e,ij,ejab->eiab", length, upto, stretch, optimize=True) - full[:, None] @ lever
    move[..., :3] += eye
    move[..., 3:6] -= x[:, None, None] * full[:, None]
    stiffness = np.zeros((len(length), strain.shape[-1], strain.shape[-1]), strain.dtype)
    stiffness[:, :12, :12] = H.swapaxes(-1, -2) @ np.linalg.solve(flexibility, H)
    if inside:
        stiffness[:, 12:, 12:] = energy
    return strain, move, turn, stiffness


def _inside(
    weight: np.ndarray, b: np.ndarray, flexibility: np.ndarray, C: np.ndarray, loads: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Section loads (e, g, 6, i) less those that bring the ends back, made independent, and their energy (e, i, i),
    unity at the real part.

    Those of a section that is rigid against them, or that another one stands for (forces beside the shear centre twist
    as a torque does), have no strain; their stiffness is that of a freedom that nothing moves.
    """
    moved = (weight * (b.swapaxes(-1, -2) @ C @ loads)).sum(axis=1)  # of the second node
    loads = loads - b @ np.linalg.solve(flexibility, moved)[:, None]
    energy = (weight * (loads.swapaxes(-1, -2) @ C @ loads)).sum(axis=1)
    size = np.real(np.diagonal(energy, axis1=1, axis2=2))
    free = np.real((weight * (loads**2 * np.diagonal(C, axis1=-2, axis2=-1).max(axis=-1)[..., None, None])).sum((1, 2)))
    size = np.where(size > SAME**2 * free, size, np.inf)
    scale = 1 / np.sqrt(size)
    values, turn = np.linalg.eigh(np.real(energy) * scale[:, :, None] * scale[:, None, :])
    alone = values > SAME
    turn = scale[:, :, None] * turn / np.sqrt(np.where(alone, values, np.inf))[:, None, :]
    turn = turn[:, :, alone.any(axis=0)]
    unity = np.broadcast_to(np.eye(turn.shape[2]), (len(turn), *turn.shape[2:] * 2))
    if np.iscomplexobj(energy):
        unity = unity + 1j * (turn.swapaxes(1, 2) @ energy.imag @ turn)
    return loads @ turn[:, None], unity


def _loads_inside(axes: np.ndarray) -> np.ndarray:
    """Section loads (e, g, 6, i) of `INSIDE`, Legendre polynomials along the axes (e, 3, 3) of the first section."""
    x, _, _ = gauss(GAUSS_POINTS)
    parts = []
    for component, degrees in enumerate(INSIDE):
        along = np.polynomial.legendre.legvander(2 * x - 1, max(degrees))[:, list(degrees)]  # (g, d)
        load = np.zeros((len(axes), len(x), 6, len(degrees)), axes.dtype)
        first, k = 3 * (component // 3), component % 3
        load[:, :, first : first + 3] = axes[:, None, :, k, None] * along[:, None]
        parts.append(load)
    return np.concatenate(parts, axis=-1)


def _by_points(field: np.ndarray) -> np.ndarray:
    """(e, g, 3, c) to (e g, 3, c)."""
    return field.reshape(-1, *field.shape[2:])


def _counts(elements_per_segment: int | Sequence[int], segments: int, where: str) -> np.ndarray:
    counts = np.asarray(elements_per_segment)
    whole = np.issubdtype(counts.dtype, np.integer) and counts.shape in ((), (segments,))
    if not whole or (counts < 1).any():
        remedy = f"Give a whole number of at least 1, or one for each of the {segments} segments."
        raise InputError(
            Fault(f"{where}.elements", f"{elements_per_segment} cannot be the elements per segment.", remedy)
        )
    counts = np.broadcast_to(counts, (segments,))
    if counts.sum() > MOST_ELEMENTS:
        remedy = "Give fewer elements per segment, or split the beam into several bodies."
        raise InputError(Fault(f"{where}.elements", f"{counts.sum()} are more than {MOST_ELEMENTS} elements.", remedy))
    return counts


def _node_names(
    names: Sequence[str] | None, segment: np.ndarray, inner: np.ndarray, stations: int, where: str
) -> tuple[str, ...]:
    given = tuple(map(str, range(1, stations + 1))) if names is None else tuple(names)
    if len(given) != stations or len(set(given)) != stations:
        what = f"{len(given)} names ({len(set(given))} of them different) for {stations} stations."
        raise InputError(Fault(f"{where}.names", what, "Give each station a name of its own."))
    inside = [given[s] if k == 0 else f"{given[s]}+{k}" for s, k in zip(segment, inner, strict=True)]
    return (*inside, given[-1])
