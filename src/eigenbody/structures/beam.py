"""Finite elements of a beam along a polyline.

An element carries constant force and linear moment, which end loads cause whatever its properties are: integrating the
section's compliance over them gives its flexibility, exact for varying, twisted and eccentric sections and free of
locking. The displacements that belong to these loads carry the mass; for constant properties they are the cubic
functions of Timoshenko with Phi = 12 E I / (k G A L^2), and those of Euler and Bernoulli for Phi = 0. Frequencies of
bending without shear converge as h^4, those of bending with shear, extension and torsion as h^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.spatial.rotations import dot, skew
from eigenbody.structures.beam_section import BeamStations, Sections, check_stations, sections_at
from eigenbody.structures.structure import InertiaPoints, Structure

GAUSS_POINTS = 4  # the mass of cubic displacements needs degree 6, with a linear mass 7: exact
MOST_ELEMENTS = 500  # motion of the inertia points is dense: 1.2 kB times the square of the number of elements


@dataclass(frozen=True, eq=False)
class BeamMesh:
    """Elements (e) of a beam with g Gauss points each; freedoms are those of the element's two nodes, 12 in all."""

    names: tuple[str, ...]  # of the nodes
    nodes: np.ndarray  # (n, 3); element i lies between the nodes i and i + 1
    stations: np.ndarray  # (s,) nodes at the stations
    length: np.ndarray  # (e,)
    tangent: np.ndarray  # (e, 3)
    sections: Sections  # at the Gauss points (e, g)
    weight: np.ndarray  # (e, g) length of the beam that belongs to a Gauss point
    strain: np.ndarray  # (e, g, 6, 12) strain and curvature of the drawn line by the freedoms
    move: np.ndarray  # (e, g, 3, 12) displacement of the drawn line
    turn: np.ndarray  # (e, g, 3, 12) rotation of the section
    stiffness: np.ndarray  # (e, 12, 12)

    @property
    def columns(self) -> np.ndarray:
        """The places (e, 12) of an element's freedoms among all 6 n."""
        return 6 * np.arange(len(self.length))[:, None] + np.arange(12)


def beam_structure(
    stations: BeamStations,
    elements_per_segment: int | Sequence[int] = 1,
    names: Sequence[str] | None = None,
    where: str = "beam",
) -> Structure:
    """Mass, stiffness and inertia points of a beam that nothing holds."""
    return structure_of(beam_mesh(stations, elements_per_segment, names, where))


def beam_mesh(
    stations: BeamStations,
    elements_per_segment: int | Sequence[int] = 1,
    names: Sequence[str] | None = None,
    where: str = "beam",
) -> BeamMesh:
    """Elements between the stations. `names` are those of the stations (default 1, 2, ...).

    The k-th node within the segment after station "a" is called "a+k".
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
    strain, move, turn, stiffness = _fields(length, tangent, sections.compliance)
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
        move=_over_all_freedoms(mesh, move),
        turn=_over_all_freedoms(mesh, mesh.turn),
    )
    freedoms = np.arange(6 * n).reshape(n, 6)
    return Structure(mesh.names, mesh.nodes, freedoms, assemble(mesh, M), assemble(mesh, mesh.stiffness), points)


def assemble(mesh: BeamMesh, blocks: np.ndarray) -> np.ndarray:
    """The matrix (N, N) of all freedoms from those of the elements (e, 12, 12), exactly symmetric."""
    N = 6 * len(mesh.nodes)
    out = np.zeros((N, N), dtype=blocks.dtype)
    columns = mesh.columns
    np.add.at(out, (columns[:, :, None], columns[:, None, :]), (blocks + blocks.swapaxes(1, 2)) / 2)
    return out


@lru_cache
def gauss(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gauss points and weights on (0, 1), and the matrix of the integrals from 0 to each point."""
    x, w = np.polynomial.legendre.leggauss(n)
    x, w = (x + 1) / 2, w / 2
    powers = np.arange(n)
    upto = (x[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(x[:, None] ** powers)
    return x, w, upto


def _fields(length: np.ndarray, tangent: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, ...]:
    """Strain (e, g, 6, 12), displacement and rotation (e, g, 3, 12) by the freedoms; stiffness (e, 12, 12)."""
    x, w, upto = gauss(GAUSS_POINTS)
    full = skew(length[:, None] * tangent)  # (e, 3, 3)
    eye = np.eye(3)
    b = np.zeros((*C.shape[:2], 6, 6), dtype=np.result_type(full, C))  # section loads by those at the second node
    b[..., :3, :3] = b[..., 3:, 3:] = eye
    b[..., 3:, :3] = (1 - x)[:, None, None] * full[:, None]
    Cb = C @ b
    flexibility = (length[:, None, None, None] * w[:, None, None] * (b.swapaxes(-1, -2) @ Cb)).sum(axis=1)
    H = np.zeros((len(length), 6, 12), dtype=b.dtype)  # motion of the second node seen from the first
    H[:, :3, :3] = H[:, 3:, 3:6] = -eye
    H[:, :3, 6:9] = H[:, 3:, 9:] = eye
    H[:, :3, 3:6] = full
    loads = np.linalg.solve(flexibility, H)
    strain = Cb @ loads[:, None]
    stretch, curvature = strain[..., :3, :], strain[..., 3:, :]
    turn = np.einsum("e,ij,ejab->eiab", length, upto, curvature, optimize=True)
    turn[..., 3:6] += eye
    lever = np.einsum("e,ij,ejab->eiab", length, upto * (x[:, None] - x), curvature, optimize=True)
    move = np.einsum("e,ij,ejab->eiab", length, upto, stretch, optimize=True) - full[:, None] @ lever
    move[..., :3] += eye
    move[..., 3:6] -= x[:, None, None] * full[:, None]
    return strain, move, turn, H.swapaxes(-1, -2) @ loads


def _over_all_freedoms(mesh: BeamMesh, field: np.ndarray) -> np.ndarray:
    """(e, g, 3, 12) by the element's freedoms to (e g, 3, N) by all."""
    e, g = field.shape[:2]
    out = np.zeros((e, g, 3, 6 * len(mesh.nodes)), dtype=field.dtype)
    at = np.arange(e)[:, None]
    out[at, :, :, mesh.columns] = field.transpose(0, 3, 1, 2)
    return out.reshape(e * g, 3, -1)


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
