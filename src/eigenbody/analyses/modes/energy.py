"""Energies of a mode, averaged over a cycle: kinetic by body and direction, strain and dissipation by force element.

The motion is Re(x exp(l t)), l = a + i b, taken at the amplitude of the shape. With dq = x and v = l x

    kinetic      1/4 v^H M v                       by body, in global axes; of flexible bodies also by deformation
    strain       1/4 Re(x^H K x)                   elements (g^T k g + f H), loaded joints, inertia in motion
    dissipation  1/2 Re((g v)^H c ds') + b/2 Im(x^H K x)   elements; inertia in motion: to what keeps up the spin

The bodies' own velocities are others where coordinates do not turn with what spins: du has a part by their values.
A force that comes through first-order states (x' = ...), or that reads accelerations or loads, is read as k + l c with
real k and c. These satisfy
a = -dissipation / (2 (kinetic + strain)) for any M, C, K of an oscillating mode (docs/modes.md has the proof); rolling
without slip in motion exchanges energy with the forward motion, which is in none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.modes.motion import ModeMotion, motion_work
from eigenbody.dynamics.constraints import pull_back
from eigenbody.dynamics.flexible import FlexibleInertia
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import owner_of
from eigenbody.numerics.matrices.assembly import dense_vector
from eigenbody.spatial.rotations import apply, cross
from eigenbody.system.measureset import MeasureSet, SetJet
from eigenbody.system.state import spread

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes

ELASTIC = ".elastic"  # after the name of a flexible body: its own strain
JOINT_LOADS = "(gravity and joint loads)"
MOTION = "(inertia in motion)"
ROUNDED = 1e-10  # of what is added up: power below it is rounding
CHUNK = 4_000_000  # numbers gathered at a time


@dataclass(frozen=True, slots=True, eq=False)
class ModeEnergies:
    """Mean energies (J) and powers (W) at the amplitude of the shapes.

    kinetic (n, bodies, 6) of motion with the (mean) axes of the bodies; deformation (n, bodies) kinetic energy of the
    modal coordinates of flexible bodies; strain (n, sources) of the named `sources`: force elements, then loaded joints
    and inertia in motion; strain_size (n,) the sum of what was added up, however it cancels; dissipated (n, elements).
    """

    kinetic: np.ndarray
    deformation: np.ndarray
    inertia: np.ndarray  # (n, bodies) x^H M x of the displacements
    sources: tuple[str, ...]
    strain: np.ndarray
    strain_size: np.ndarray
    elements: tuple[str, ...]
    dissipated: np.ndarray


def mode_energies(modes: Modes, motion: ModeMotion) -> ModeEnergies:
    """Energies of every mode."""
    point = modes.linear.point
    elements = _Elements(point, modes.eigenvalues, motion)
    joints = _bent(point.system.constraints.measures, point.mechanics.holonomic.jet, _joint_loads(point), motion.q)
    if point.system.slips.count:
        slips = point.mechanics.non_holonomic.jet
        rolling = _bent(point.system.slips, slips, np.real(point.motion.slip_multipliers), motion.q)
        joints = np.hstack((joints, rolling))
    inertial = motion_work(modes, motion)
    owners, together = _shown(point.system.forces.owners)
    strain = np.column_stack((elements.stored @ together, joints.sum(axis=1).real, inertial.stiffness.real)) / 4
    kinetic, deformation = _kinetic(point, motion.speed)
    moved, bent = _kinetic(point, motion.q)
    size = elements.stored_size + np.abs(joints).sum(axis=1) + np.abs(inertial.stiffness)
    turned = inertial.stiffness + joints.sum(axis=1) + _moments_skew_work(point, motion.q)
    drive = inertial.damping.real + modes.eigenvalues.imag * turned.imag
    felt = np.abs(drive) > ROUNDED * (inertial.size + np.abs(modes.eigenvalues.imag) * size)
    drive = np.where(felt & (not point.system.slips.count), drive, 0.0)
    return ModeEnergies(
        kinetic=kinetic / 4,
        deformation=deformation / 4,
        inertia=moved.sum(axis=-1) + bent,
        sources=(*owners, JOINT_LOADS, MOTION),
        strain=strain,
        strain_size=size / 4,
        elements=(*owners, *((MOTION,) if drive.any() else ())),
        dissipated=np.column_stack((elements.lost @ together, *((drive[:, None],) if drive.any() else ()))) / 2,
    )


def _shown(owners: tuple[str, ...]) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of force elements to show and the matrix (owners, names) that adds up those of one flexible body."""
    named = [owner_of(name) + ELASTIC if "." in name else name for name in owners]
    names = tuple(dict.fromkeys(named))
    together = np.zeros((len(owners), len(names)))
    together[np.arange(len(owners)), [names.index(name) for name in named]] = 1.0
    return names, together


def _kinetic(point: OperatingPoint, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, bodies, 6): Re(conj(velocity) momentum) by global direction, and (n, bodies) that of deformation."""
    system, R = point.system, np.real(point.state.R)
    both = spread(system, speed)
    turning, momentum = apply(R, both[..., 3:]), apply(R, apply(np.real(system.inertia), both[..., 3:]))
    along = np.real(system.mass)[:, None] * np.abs(both[..., :3]) ** 2
    rigid = np.concatenate((along, (turning.conj() * momentum).real), axis=-1)
    deformation = np.zeros(rigid.shape[:2])
    for part in point.mechanics.flexible:
        _bending(part, speed, turning, R, rigid, deformation)
    for armature in point.mechanics.armature:  # what it adds to the momentum of the bodies on both sides
        more = spread(
            system, np.real(armature.inertia_times(speed.real)) + 1j * armature.inertia_times(speed.imag).real
        )
        rigid[..., :3] += (both[..., :3].conj() * more[..., :3]).real
        rigid[..., 3:] += (turning.conj() * apply(R, more[..., 3:])).real
    material = system.description.bodies.is_material
    return rigid[:, material], deformation[:, material]


def _bending(
    part: FlexibleInertia, speed: np.ndarray, turning: np.ndarray, R: np.ndarray, rigid: np.ndarray, own: np.ndarray
) -> None:
    """Add what flexible bodies have more: that of their bent shape to `rigid`, that of the modal rates to `own`. What
    couples rotation and modal rates is shared in halves."""
    frame = part.batch.frame
    padded = np.concatenate((speed, np.zeros((len(speed), 1))), axis=-1)[:, part.columns]
    turn, rate = padded[..., :3], padded[..., 3:]
    by_rate = np.einsum("kmi,nkm->nki", np.real(part.coupling), rate)
    momentum = apply(R[frame], apply(np.real(part.change), turn) + by_rate)
    rigid[:, frame, 3:] += (turning[:, frame].conj() * momentum).real
    pushed = np.einsum("klm,nkm->nkl", np.real(part.batch.mass), rate)
    own[:, frame] += ((rate.conj() * pushed).sum(axis=-1) + (turn.conj() * by_rate).sum(axis=-1)).real


def _joint_loads(point: OperatingPoint) -> np.ndarray:
    return np.real(point.mechanics.holonomic.along_measures(point.motion.multipliers))


def along(measures: MeasureSet, rows: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """(n, measures) rows times motion (n, nq), in chunks of modes."""
    padded = np.concatenate((motion, np.zeros((len(motion), 1))), axis=1)
    columns = np.minimum(measures.columns, motion.shape[1])
    step = max(1, CHUNK // max(1, columns.size))
    out = np.zeros((len(motion), measures.count), complex)
    for first in range(0, len(motion), step):
        chosen = slice(first, first + step)
        out[chosen] = np.einsum("cw,mcw->mc", rows, padded[chosen][:, columns])
    return out


def _bent(measures: MeasureSet, jet: SetJet, force: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """(n, measures) force x^H H x, without the skew part that every moment has in these variations (H - H^T is the skew
    matrix of the gradient; it cancels where moments balance)."""
    loaded = np.flatnonzero(force)
    out = np.zeros((len(motion), measures.count), complex)
    if not len(loaded):
        return out
    padded = np.concatenate((motion, np.zeros((len(motion), 1))), axis=1)
    columns = np.minimum(measures.columns[loaded], motion.shape[1])
    H, g = np.real(jet.curvature[loaded]), np.real(jet.gradient[loaded])
    H = H - 0.5 * _moment_skew(g)
    step = max(1, CHUNK // max(1, columns.size))
    for first in range(0, len(motion), step):
        x = padded[first : first + step][:, columns]
        turned = np.matmul(H, x[..., None])[..., 0]
        out[first : first + step, loaded] = force[loaded] * (x.conj() * turned).sum(axis=-1)
    return out


def _moments_skew_work(point: OperatingPoint, q: np.ndarray) -> np.ndarray:
    """(n,) x^H K x of all skew parts that `_bent` leaves out: those of the moments with which bodies turn on."""
    system, mechanics = point.system, point.mechanics
    applied = pull_back(system.forces.measures, mechanics.applied.jet.gradient, mechanics.applied.tension, system.nq)
    held = pull_back(system.constraints.measures, mechanics.holonomic.jet.gradient, _joint_loads(point), system.nq)
    moment = np.real(spread(system, applied + held))[:, 3:]
    turn = spread(system, q)[..., 3:]
    return 0.5 * (turn.conj() * cross(np.broadcast_to(moment, turn.shape), turn)).sum(axis=(-2, -1))


def _moment_skew(gradient: np.ndarray) -> np.ndarray:
    """(m, w, w): the skew matrix of the moment of each carrier in its rotation block."""
    count, width = gradient.shape
    out = np.zeros((count, width, width))
    for first in range(3, width, 6):
        a, b, c = first, first + 1, first + 2
        x, y, z = gradient[:, a], gradient[:, b], gradient[:, c]
        out[:, a, b], out[:, b, a] = -z, z
        out[:, a, c], out[:, c, a] = y, -y
        out[:, b, c], out[:, c, b] = -x, x
    return out


def _tensions(point: OperatingPoint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Owner, channel and tension of every share of the applied forces: linear laws, signals, constants."""
    forces, now = point.system.forces, point.mechanics.applied.now
    law = forces.linear
    linear = np.real(law.k * (now.s[law.j] - law.s0) + law.c * now.v[law.j])
    values = [float(np.real(signal.value(now))) for signal in forces.signals]
    constants = np.real(np.asarray(forces.constant_owner)).reshape(-1, 3)
    owner = np.concatenate((law.owner, [s.owner for s in forces.signals], constants[:, 0])).astype(int)
    channel = np.concatenate((law.i, [s.target for s in forces.signals], constants[:, 1])).astype(int)
    return owner, channel, np.concatenate((linear, values, constants[:, 2]))


class _Elements:
    """x^H K_e x and lost power of every force element."""

    def __init__(self, point: OperatingPoint, eigenvalues: np.ndarray, motion: ModeMotion) -> None:
        forces, applied = point.system.forces, point.mechanics.applied
        self._measures, self._jet = forces.measures, applied.jet
        self._count, self._eigenvalues = len(forces.owners), eigenvalues
        gradient, rate_q = np.real(applied.jet.gradient), np.real(applied.jet.rate_q)
        self._s = along(forces.measures, gradient, motion.q)  # deflections
        self._push = along(forces.measures, gradient, motion.along)  # velocities on which forces work
        self._v = along(forces.measures, gradient, motion.u)
        self._v = self._v + (along(forces.measures, rate_q, motion.q) if np.any(rate_q) else 0.0)
        self.stored, self.lost = (np.zeros((len(motion.q), self._count)) for _ in range(2))
        self.stored_size = np.zeros(len(motion.q))
        self._linear_laws(point)
        self._signals(point, motion)
        self._geometric(point, motion)

    def _linear_laws(self, point: OperatingPoint) -> None:
        law = point.system.forces.linear
        owner = law.owner.astype(int)
        k, c = np.real(law.k), np.real(law.c)
        self._spring(owner, self._s[:, law.i].conj() * k * self._s[:, law.j])
        self._damper(owner, self._push[:, law.i].conj() * c * self._v[:, law.j])

    def _signals(self, point: OperatingPoint, motion: ModeMotion) -> None:
        """Expressions, tables and functions: one slope for each argument."""
        forces, now = point.system.forces, point.mechanics.applied.now
        if not forces.signals:
            return
        slopes = [(s.owner, s.target, a, float(np.real(d))) for s in forces.signals for a, d in s.partials(now)]
        for kind, of in (("s", self._s), ("v", self._v), ("x", motion.x), ("z", motion.z)):
            chosen = [(e, i, a.index, d) for e, i, a, d in slopes if a.kind == kind and a.index < of.shape[1]]
            if not chosen:
                continue
            e, i, j = (np.array([row[n] for row in chosen]) for n in range(3))
            d = np.array([row[3] for row in chosen])
            if kind == "v":
                self._damper(e, self._push[:, i].conj() * d * of[:, j])
            elif kind == "s":
                self._spring(e, self._s[:, i].conj() * d * of[:, j])
            else:
                self._through_states(e, self._s[:, i].conj() * d * of[:, j])

    def _geometric(self, point: OperatingPoint, motion: ModeMotion) -> None:
        """Tension times the curvature of its measure, by element."""
        owner, channel, tension = _tensions(point)
        loaded = np.bincount(channel, np.abs(tension), self._measures.count)
        curved = _bent(self._measures, self._jet, (loaded > 0).astype(float), motion.q)
        self._spring(owner, tension * curved[:, channel])

    def _spring(self, owner: np.ndarray, work: np.ndarray) -> None:
        """Work (n, k) complex: the real part is stored, the imaginary part circulates."""
        self.stored += dense_vector(owner, work.real, self._count)
        self.stored_size += np.abs(work).sum(axis=1)
        self.lost += self._eigenvalues.imag[:, None] * dense_vector(owner, work.imag, self._count)

    def _damper(self, owner: np.ndarray, work: np.ndarray) -> None:
        self.lost += dense_vector(owner, work.real, self._count)

    def _through_states(self, owner: np.ndarray, work: np.ndarray) -> None:
        """Read as k + l c: c from the imaginary part, where there is oscillation to tell it by."""
        b = self._eigenvalues.imag[:, None]
        c = np.where(b != 0, work.imag / np.where(b != 0, b, 1.0), 0.0)
        k = work.real - self._eigenvalues.real[:, None] * c
        self.stored += dense_vector(owner, k, self._count)
        self.stored_size += np.abs(k).sum(axis=1)
        self.lost += np.abs(self._eigenvalues[:, None]) ** 2 * dense_vector(owner, c, self._count)
