"""Modes that explain themselves: energies by body and element, participation, screw axes and a label for each mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.modes.elastic_labels import ElasticPart, ElasticParts
from eigenbody.analyses.modes.energy import ELASTIC, ModeEnergies, mode_energies
from eigenbody.analyses.modes.given import modes_of
from eigenbody.analyses.modes.labels import Story, story
from eigenbody.analyses.modes.motion import ModeMotion, mode_motion
from eigenbody.analyses.modes.participation import by_coordinate, participation
from eigenbody.analyses.modes.scene import scene
from eigenbody.analyses.modes.screws import Screws, screws
from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.subject import Subject
from eigenbody.model.description import owner_of
from eigenbody.numerics.runtime import on_one_thread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.result import Modes

NO_STRAIN = 1e-10  # of what is added up: a strain energy or a dissipation below it is rounding
ADDED = "(added damping)"
NEGATIVE = (
    "Shares are of the whole: a negative one opposes it (a destabilizing stiffness, a force that feeds the mode)."
)
SOFT = (
    "In mode{s} {which} the stiffness as a whole is negative: there the positive shares of strain energy are"
    " those that destabilize."
)
FED = "In mode{s} {which} the forces feed energy in as a whole: there the positive shares of dissipation feed the mode."
TURNING = (
    "Coordinates in a turning frame of the model exchange energy with what turns it; that exchange is in no share, and"
    " the energies of a mode need not balance."
)
ROLLING = (
    "Rolling without slip exchanges energy between the modes and the forward motion; that exchange is in no share."
)


@dataclass(frozen=True, eq=False)
class Explanation(Drawn, look="analyses.modes.look.explain"):
    """What each mode of a set is. n modes; energies are averaged over a cycle, shares are of the whole of the mode.

    kinetic        (n, bodies, 6) share of the kinetic energy: translation x, y, z, rotation x, y, z in global axes; of
                   flexible bodies that of their mean motion
    deformation    (n, bodies) share of the kinetic energy: deformation of flexible bodies, zero for the others
    strain         (n, strain_sources) share of the strain energy: force elements, then loaded joints with gravity, then
                   inertia in motion; all zero where a mode strains nothing
    dissipation    (n, dissipation_sources) share of the energy lost; all zero where nothing is lost
    participation  (n, coordinates) product of left and right vectors, velocity with its coordinate; sums to one
    screws         instantaneous screw axis of every body
    labels, whirls one line and "forward", "backward" or "" for each mode

    Shares sum to one; those of stiffness that destabilizes and of forces that feed the mode are negative.
    mean_kinetic, mean_strain (J) and mean_power lost (W) are at the amplitude of `modes.shapes`.
    """

    modes: Modes
    labels: tuple[str, ...]
    whirls: tuple[str, ...]
    kinetic: np.ndarray
    deformation: np.ndarray
    strain_sources: tuple[str, ...]
    strain: np.ndarray
    dissipation_sources: tuple[str, ...]
    dissipation: np.ndarray
    coordinates: tuple[str, ...]
    participation: np.ndarray
    states_participation: np.ndarray  # (n, states) complex
    screws: Screws
    twist: np.ndarray  # (n, bodies, 6) the motion that is described: shapes, or velocities of motions at constant speed
    mean_kinetic: np.ndarray
    mean_strain: np.ndarray
    mean_power: np.ndarray
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.modes)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of their shares."""
        return self.modes.bodies

    def plot(self, mode: int | None = None, modes: Sequence[int] | None = None) -> Figure:
        """Magnitude, phase and energy shares of one `mode`, or a row for each of several `modes`, counted from 1; by
        default of the lowest that are not rigid."""
        if mode is not None and modes is not None:
            raise InputError(Fault("modes", "one mode and a list of modes are given.", "Give one of the two."))
        return self.look.plot(self, self.modes.numbered(modes if mode is None else [mode]))


@on_one_thread
def explain(modes: Subject) -> Explanation:
    """Explain every mode of a set, dense or sparse, or of a model."""
    modes = modes_of(modes)
    if modes.linear.by_route is not None:
        what = f"energies are those of the mechanism, and these equations are by the route {modes.linear.by_route}."
        raise InputError(Fault("explain", what, "Explain the modes of the model itself."))
    report("explaining the modes")
    point = modes.linear.point
    motion = mode_motion(modes)
    energies = mode_energies(modes, motion)
    kinetic, deformation, total = _kinetic_shares(energies)
    material = np.flatnonzero(point.system.description.bodies.is_material)
    twist = motion.twist[:, material]
    strain, mean_strain = _strain_shares(modes, energies, total)
    lost_names, lost = _lost(modes, energies, motion)
    dissipation, power = _lost_shares(modes, lost, total)
    states, remark = participation(modes)
    coordinates, shares = by_coordinate(modes.linear, states)
    setting = scene(point, twist, modes.is_rigid, kinetic, modes.linear.seen_from)
    bent = {name.removesuffix(ELASTIC): strain[:, k] for k, name in enumerate(energies.sources) if ELASTIC in name}
    elastic = ElasticParts(modes, kinetic.sum(axis=-1) + deformation, energies.inertia, bent)
    flags = zip(modes.eigenvalues, modes.is_rigid, motion.drifts, strict=True)
    told = _without_blades(modes, setting.names, kinetic)
    stories = [
        story(setting, twist[i], told[i], complex(value), bool(rigid), bool(drifts), _support(modes, elastic.of(i)))
        for i, (value, rigid, drifts) in enumerate(flags)
    ]
    for i, pattern in enumerate(modes.patterns or ()):
        if pattern.label:
            growing = ", growing" if modes.growths[i] == "unstable" else ""
            stories[i] = Story(pattern.label + growing, pattern.whirl)
    return Explanation(
        modes=modes,
        labels=tuple(_with_states(modes, coordinates, shares, i, s.label) for i, s in enumerate(stories)),
        whirls=tuple(s.whirl for s in stories),
        kinetic=kinetic,
        deformation=deformation,
        strain_sources=energies.sources,
        strain=strain,
        dissipation_sources=lost_names,
        dissipation=dissipation,
        coordinates=coordinates,
        participation=shares,
        states_participation=states,
        screws=screws(np.real(point.state.r)[material], twist, point.system.length),
        twist=twist,
        mean_kinetic=total,
        mean_strain=mean_strain,
        mean_power=power,
        notes=(*_notes(strain, dissipation, mean_strain, power), *([remark] if remark else []), *exchanges(modes)),
    )


def _without_blades(modes: Modes, names: Sequence[str], kinetic: np.ndarray) -> np.ndarray:
    """Shares (n, bodies, 6) without those of blades, which are told as patterns or are carried by what is told."""
    blades = modes.linear.blades
    if blades is None:
        return kinetic
    beside = np.array([name not in {own for group in blades.bodies for own in group} for name in names])
    rest = kinetic * beside[:, None]
    whole = rest.sum(axis=(1, 2), keepdims=True)
    is_told = (whole > 0) & ~modes.is_rigid[:, None, None]
    return np.where(is_told, rest / np.where(whole > 0, whole, 1.0), kinetic)


def _support(modes: Modes, parts: Sequence[ElasticPart]) -> Sequence[ElasticPart]:
    """Bodies that deform, without blades."""
    blades = modes.linear.blades
    if blades is None:
        return parts
    names, own = modes.bodies, {name for group in blades.bodies for name in group}
    return [part for part in parts if not any(owner_of(names[b]) in own for b in part.bodies)]


def _kinetic_shares(energies: ModeEnergies) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n, bodies, 6) and (n, bodies) shares and the whole (n,). Divided in two steps: amplitudes may be huge."""
    total = energies.kinetic.sum(axis=(1, 2)) + energies.deformation.sum(axis=1)
    whole = np.where(total > 0, total, 1.0)
    return energies.kinetic / whole[:, None, None], energies.deformation / whole[:, None], total


def _strain_shares(modes: Modes, energies: ModeEnergies, kinetic: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    total = energies.strain.sum(axis=1)
    none = modes.is_rigid | (np.abs(total) <= NO_STRAIN * energies.strain_size) | (np.abs(total) <= 1e-14 * kinetic)
    total = np.where(none, 0.0, total)
    shares = np.where(none[:, None], 0.0, energies.strain / np.where(none, 1.0, total)[:, None])
    return shares, total


def _lost(modes: Modes, energies: ModeEnergies, motion: ModeMotion) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and lost power (n, sources); damping that was added to the linear model counts as a source of its own."""
    added = modes.linear.added_damping
    if added is None:
        return energies.elements, energies.dissipated
    speed = motion.u
    if modes.states_shape is not None:
        n = len(modes.linear.coordinates)
        speed = modes.states_shape[:, n : n + len(modes.linear.velocities)]
    own = 0.5 * (speed.conj() * (added @ speed.T).T).sum(axis=1).real
    return (*energies.elements, ADDED), np.column_stack((energies.dissipated, own))


def _lost_shares(modes: Modes, lost: np.ndarray, kinetic: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    total, size = lost.sum(axis=1), np.abs(lost).sum(axis=1)
    rate = np.abs(modes.eigenvalues)
    none = modes.is_rigid | (np.abs(total) <= NO_STRAIN * size) | (size <= 1e-14 * rate * kinetic)
    total = np.where(none, 0.0, total)
    return np.where(none[:, None], 0.0, lost / np.where(none, 1.0, total)[:, None]), total


def _with_states(modes: Modes, names: tuple[str, ...], shares: np.ndarray, i: int, label: str) -> str:
    """A mode that is mainly one of first-order states says so."""
    count = len(modes.linear.coordinates)
    own = shares[i, count:]
    if not own.size or not np.isfinite(own).all() or own.sum() <= 0.5:
        return label
    largest = names[count + int(np.argmax(own))]
    return f"state {largest}" if label == "no body moves" else f"state {largest}, with {label}"


def exchanges(modes: Modes) -> tuple[str, ...]:
    """What exchanges energy with the modes and is in none of their shares."""
    point = modes.linear.point
    notes = [ROLLING] if point.system.slips.count and not point.is_at_rest else []
    if any(frame["rate"] for frame in point.system.description.frames) and not point.is_at_rest:
        notes.append(TURNING)
    return tuple(notes)


def _notes(strain: np.ndarray, dissipation: np.ndarray, total: np.ndarray, power: np.ndarray) -> tuple[str, ...]:
    notes = [NEGATIVE] if (strain < -1e-9).any() or (dissipation < -1e-9).any() else []
    for text, which in ((SOFT, np.flatnonzero(total < 0)), (FED, np.flatnonzero(power < 0))):
        if len(which):
            listed = ", ".join(str(i + 1) for i in which[:8]) + (", ..." if len(which) > 8 else "")
            notes.append(text.format(s="s" if len(which) > 1 else "", which=listed))
    return tuple(notes)
