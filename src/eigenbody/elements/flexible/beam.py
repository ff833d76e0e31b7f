"""A beam: stations along a line with their sections, as a body with modes, as several of them joined rigidly, or as a
chain of rigid bodies with matched springs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.checks import Wrong
from eigenbody.elements.flexible.base import (
    REDUCTION,
    FlexibleType,
    Section,
    UnknownNode,
    attached,
    joint,
    over_variants_of,
    wrong_reduction,
)
from eigenbody.elements.flexible.profile import PROFILE, stations_of, wrong_profile
from eigenbody.model.description import Entry
from eigenbody.model.flexible import NOTHING, AddedBody, Expansion
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.names import NO_NODE
from eigenbody.model.vocabulary import Field, Kind, TypeSpec
from eigenbody.structures.beam import BeamMesh, beam_mesh, part_of, structure_of
from eigenbody.structures.beam_load import centrifugal_force, drawn_together
from eigenbody.structures.beam_section import check_stations, outline_of
from eigenbody.structures.rigid_elements import rigid_segments

ELEMENTS = 24  # finite elements of a beam unless the user says otherwise, spread over its segments
MODES, SECTION_MODES = 8, 4
BACK = -1 + 1e-9  # cosine between two pieces of the line of which the second goes back

KEYS = (
    Field("points", Kind.MATRIX, required=True, doc="stations along the line in the drawing, [[x, y, z], ...], m"),
    Field("names", Kind.NAMES, doc="names of the stations; start and end, and 1, 2, ... are always known"),
    *PROFILE,
    Field("elements", Kind.PROFILE, "1", doc="finite elements between two stations, or a list; default 24 in all"),
    Field("sections", Kind.INTEGER, default=1, doc="number of bodies with modes of their own, joined rigidly"),
    Field("cuts", Kind.NAMES, doc="stations at which to part it into sections instead"),
    Field("segments", Kind.INTEGER, doc="a chain of so many rigid bodies with matched springs instead of modes"),
    *REDUCTION,
    Field(
        "tension",
        Kind.PROFILE,
        "N",
        doc="axial force in the beam as drawn, tension positive: one, or per element",
    ),
    Field("spin", Kind.VECTOR, "rad/s", doc="angular velocity whose centrifugal load the beam has as drawn"),
    Field("spin_at", Kind.POINT, "m", doc="a point on the axis of the spin, default the origin"),
    Field("held", Kind.TEXT, default="start", doc="station that bears the centrifugal load"),
    Field("shape", Kind.ANY, doc="for drawing only"),
)


@dataclass(frozen=True, slots=True)
class _Beam:
    """A meshed beam: which node each name means, and the nodes at which it is parted."""

    entry: Entry
    mesh: BeamMesh
    known: Mapping[str, int]
    cuts: tuple[int, ...]  # first node, inner cuts, last node

    def node(self, name: str) -> int:
        if name not in self.known:
            what = f'the beam has no node "{name}".'
            raise InputError(UnknownNode(self.entry.where, what, suggest(name, self.known), name))
        return self.known[name]

    @property
    def part_names(self) -> list[str]:
        name, segments = self.entry.name, self.entry.get("segments")
        parts = len(self.cuts) - 1 if segments is None else int(segments)
        return [name] if parts == 1 and segments is None else [f"{name}.s{k + 1}" for k in range(parts)]

    def part(self, node: int) -> int:
        """The section that a node belongs to; at a cut the one that ends there."""
        return max(int(np.searchsorted(self.cuts, node)) - 1, 0)


def _build(entry: Entry, used: Sequence[str]) -> Expansion:
    beam = _meshed(entry)
    own = [name.removeprefix(f"{entry.name}.") for name in beam.part_names]
    _refuse_names(entry, own)
    used = [name for name in used if name not in own]
    if entry.get("segments") is not None:
        return _rigid(beam, used)
    parts = len(beam.cuts) - 1
    modes = entry.get("modes", MODES if parts == 1 else SECTION_MODES)
    out = NOTHING
    for section in _sections(beam, used):
        out = out + attached(section, entry, modes)
    return out + Expansion(joints=tuple(_seams(beam)))


def _sections(beam: _Beam, used: Sequence[str]) -> Iterator[Section]:
    """The parts between the cuts, with the nodes that something is attached to, the seams among them."""
    entry, load = beam.entry, _axial_load(beam)
    wanted = {f"{entry.name}.{name}": beam.node(name) for name in used}
    interface = {beam.node(name) for name in entry.get("interface", used)}
    outline = outline_of(stations_of(entry), beam.mesh.stations)
    for k, (first, last) in enumerate(zip(beam.cuts, beam.cuts[1:], strict=False)):
        seams = {name: node for name, node, is_seam in (
            (f"{beam.part_names[k]}.start", first, k > 0), (f"{beam.part_names[k]}.end", last, last != beam.cuts[-1]),
        ) if is_seam}  # fmt: skip
        nodes = {name: node for name, node in wanted.items() if beam.part(node) == k} | seams
        held = {node for node in interface if beam.part(node) == k} | set(seams.values())
        if len(beam.cuts) > 2 and entry.get("interface") is None:
            held |= {first, last}
        mesh = part_of(beam.mesh, first, last)
        structure = structure_of(mesh)
        if load is not None:
            structure = replace(structure, pull=drawn_together(mesh, load[first:last]))
        yield Section(
            name=beam.part_names[k],
            structure=structure,
            interface=tuple(sorted(node - first for node in held)),
            nodes={name: node - first for name, node in nodes.items()},
            lines=(tuple(range(last - first + 1)),),
            outlines=(replace(outline, half=outline.half[first:last]),),
            directions=beam.mesh.directions[first : last + 1],
        )


def _seams(beam: _Beam) -> Iterator[Entry]:
    """Rigid joints between neighbouring sections."""
    for before, after, node in zip(beam.part_names, beam.part_names[1:], beam.cuts[1:], strict=False):
        ends = (f"{before}.end", f"{after}.start")
        yield joint("fixed", f"{after}.seam", ends, beam.mesh.nodes[node], beam.entry.where)


def _meshed(entry: Entry) -> _Beam:
    stations = stations_of(entry)
    check_stations(stations, entry.where)
    count = len(stations.points)
    labels = entry.get("names", tuple(str(k + 1) for k in range(count)))
    if len(labels) != count:
        what = f"{len(labels)} names for {count} stations."
        raise InputError(Fault(f"{entry.where}.names", what, "Give one for each station."))
    given = entry.get("elements")
    elements = _spread(stations.points) if given is None else _counted(given, f"{entry.where}.elements")
    mesh = beam_mesh(stations, elements, labels, entry.where)
    always = {str(k + 1): int(node) for k, node in enumerate(mesh.stations)}
    always |= {"start": 0, "end": len(mesh.nodes) - 1}
    always |= {f"start+{k}": k for k in range(1, int(mesh.stations[1]))}
    given = {name: k for k, name in enumerate(mesh.names)}
    _refuse_names(
        entry, [name for name in labels if always.get(name, given[name]) != given[name] or mesh.names.count(name) > 1]
    )
    beam = _Beam(entry, mesh, given | always, ())
    return replace(beam, cuts=_cuts(beam))


def _refuse_names(entry: Entry, taken: Sequence[str]) -> None:
    """Refuse names of stations that mean something else already: another node, or a part of the beam."""
    for name in entry.get("names", ()):
        if name in taken:
            what = f'"{name}" means another node or a part of this beam.'
            raise InputError(Fault(f"{entry.where}.names", what, "Choose another name for the station."))


def _counted(given: np.ndarray, where: str) -> int | list[int]:
    """Numbers of elements as whole numbers."""
    if any(np.real(n) != np.round(np.real(n)) or np.real(n) < 1 for n in given):
        raise InputError(Fault(where, "numbers of elements are whole and at least 1."))
    counts = [int(np.real(n)) for n in given]
    return counts[0] if len(counts) == 1 else counts


def _spread(points: np.ndarray) -> list[int]:
    """Elements in each segment: about equally long ones."""
    length = np.linalg.norm(np.diff(np.real(points), axis=0), axis=-1)
    return [max(1, int(n)) for n in np.ceil(ELEMENTS * length / length.sum() - 1e-9)]


def _cuts(beam: _Beam) -> tuple[int, ...]:
    entry, last = beam.entry, len(beam.mesh.nodes) - 1
    if entry.get("cuts") is not None:
        cut = {beam.node(name): name for name in entry["cuts"]}
        if ends := [cut[node] for node in (0, last) if node in cut]:
            what = f'"{ends[0]}" is an end of it: nothing is cut off there.'
            raise InputError(Fault(f"{entry.where}.cuts", what, "Name stations between its ends."))
        return (0, *sorted(cut), last)
    parts = int(entry.get("sections", 1))
    if not 1 <= parts <= last:
        what = f"it cannot be parted into {parts} sections: it has {last} elements."
        raise InputError(Fault(f"{entry.where}.sections", what, "Give more elements, or fewer sections."))
    along = np.concatenate(([0.0], np.cumsum(np.real(beam.mesh.length))))
    inner = [int(np.abs(along - along[-1] * k / parts).argmin()) for k in range(1, parts)]
    cuts = (0, *inner, last)
    if len(set(cuts)) <= parts:
        what = f"its elements cannot be shared out among {parts} sections of equal length."
        raise InputError(Fault(f"{entry.where}.sections", what, "Give more elements, or name the stations in cuts."))
    return cuts


def _axial_load(beam: _Beam) -> np.ndarray | None:
    """The axial force in the drawing at the Gauss points of the elements."""
    entry, mesh = beam.entry, beam.mesh
    if entry.get("tension") is None and entry.get("spin") is None:
        return None
    N: Any = 0.0
    if entry.get("tension") is not None:
        tension = entry["tension"]
        if len(tension) not in (1, len(mesh.length)):
            what = f"{len(tension)} tensions for {len(mesh.length)} elements."
            raise InputError(Fault(f"{entry.where}.tension", what, "Give one, or one for each element."))
        N = N + tension[:, None]
    if entry.get("spin") is not None:
        N = N + centrifugal_force(mesh, entry["spin"], entry.get("spin_at", np.zeros(3)), beam.node(entry["held"]))
    return np.broadcast_to(N, mesh.weight.shape)


def _rigid(beam: _Beam, used: Sequence[str]) -> Expansion:
    """Rigid bodies and bushings; a node is a point of the rigid body that contains it."""
    entry, names = beam.entry, beam.part_names
    n = len(names)
    chain = rigid_segments(stations_of(entry), n, entry.where)
    shape = entry.get("shape")
    bodies = [
        AddedBody(name, chain.centre[k], chain.mass[k], chain.inertia[k], shape=shape) for k, name in enumerate(names)
    ]
    forces = [
        Entry(
            f"{name}.spring", "bushing",
            FrozenDict(
                between=(names[k], names[k + 1]), at=np.stack([chain.spring_position[k]] * 2),
                axis=chain.spring_axes[k][:, 2], axis2=chain.spring_axes[k][:, 0], k=chain.spring_stiffness[k],
            ),
            entry.where,
        )
        for k, name in enumerate(names[:-1])
    ]  # fmt: skip
    joints = []
    along = np.concatenate(([0.0], np.cumsum(np.real(beam.mesh.length))))
    for name in used:
        node = beam.node(name)
        at, full = beam.mesh.nodes[node], f"{entry.name}.{name}"
        owner = names[min(n - 1, int(np.floor(along[node] / along[-1] * (n - 1) + 0.5)))]
        bodies.append(AddedBody(full, at, is_node=True, axis=beam.mesh.directions[node]))
        joints.append(joint("fixed", f"{full} joint", (owner, full), at, entry.where))
    return Expansion(tuple(bodies), tuple(joints), tuple(forces))


def _folds(points: np.ndarray) -> Iterator[Wrong]:
    """Stations at which the line turns back on itself."""
    along = np.diff(points, axis=0)
    length = np.linalg.norm(along, axis=-1)
    along = along / np.where(length > 0, length, 1.0)[:, None]
    for k in np.flatnonzero((along[1:] * along[:-1]).sum(axis=-1) < BACK):
        what = f"the line turns back on itself at station {k + 2}, {points[k + 1].tolist()}."
        yield "points", what, "Give the stations in the order in which they stand along the beam."


def _check(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    yield from wrong_profile(values)
    points = values.get("points")
    if isinstance(points, np.ndarray) and (points.ndim != 2 or points.shape[0] < 2 or points.shape[1] != 3):
        yield "points", "a beam needs at least two stations of three coordinates each.", "Write [[0, 0, 0], [1, 0, 0]]."
    elif isinstance(points, np.ndarray) and points.dtype.kind in "fiu":
        yield from _folds(points)
    for name in values.get("names") or ():
        if isinstance(name, str) and NO_NODE.fullmatch(name):
            yield "names", f'"{name}" means a coordinate of the beam.', "Choose another name for the station."
    for key in ("sections", "segments"):
        if isinstance(values.get(key), int) and values[key] < 1:
            yield key, f"{values[key]} is too few.", "Give at least 1."
    if values.get("segments") is not None and (values.get("cuts") or values.get("sections") not in (None, 1)):
        what = "a chain of rigid bodies has no sections with modes of their own."
        yield "segments", what, "Give segments, or sections (cuts), not both."
    if values.get("segments") is not None and values.get("damping"):
        remedy = "Leave damping out and put dampers where they are, or take sections in place of segments."
        yield "damping", "a chain of rigid bodies has no modes that it could damp.", remedy
    yield from wrong_reduction(values)


BEAM = FlexibleType(
    TypeSpec("beam", KEYS, check=_check, doc="A beam along a line, by finite elements."), over_variants_of(_build)
)
