"""Energy and power of the whole and of every element, so that the budget can be closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.numerics.matrices.assembly import dense_vector
from eigenbody.spatial.rotations import apply, dot


@dataclass(frozen=True, slots=True, eq=False)
class Energy:
    """Energies in J and powers in W. Power is what the element delivers to the bodies.

    `stored` and `dissipated` cover the linear part of each force element: power = -d(stored)/dt - dissipated + rest.
    """

    kinetic: np.ndarray  # (..., bodies)
    gravity: np.ndarray  # (..., bodies) potential of the weight
    gravity_power: np.ndarray  # (..., bodies)
    elements: tuple[str, ...]
    stored: np.ndarray  # (..., elements)
    dissipated: np.ndarray  # (..., elements)
    power: np.ndarray  # (..., elements)

    @property
    def total(self) -> np.ndarray:
        return self.kinetic.sum(-1) + self.gravity.sum(-1) + self.stored.sum(-1)


def energy(mechanics: Mechanics) -> Energy:
    """Energy and power of every body and force element at the state."""
    system, state, forces = mechanics.system, mechanics.state, mechanics.system.forces
    applied = mechanics.applied
    s, v, law, n = applied.now.s, applied.now.v, forces.linear, len(forces.owners)
    stored = dense_vector(law.owner, 0.5 * law.k * (s[..., law.i] - law.s0) * (s[..., law.j] - law.s0), n)
    dissipated = dense_vector(law.owner, law.c * v[..., law.i] * v[..., law.j], n)
    tension = law.k * (s[..., law.j] - law.s0) + law.c * v[..., law.j]
    pace = _rate_by_bodies(mechanics)
    power = -dense_vector(law.owner, tension * pace[..., law.i], n)
    for signal in forces.signals:
        power[..., signal.owner] -= signal.value(applied.now) * pace[..., signal.target]
    for owner, channel, value in forces.constant_owner:
        power[..., int(np.real(owner))] -= value * pace[..., int(np.real(channel))]
    kinetic = 0.5 * (system.mass * dot(state.v, state.v) + dot(state.w, apply(system.inertia, state.w)))
    for part in mechanics.flexible:
        kinetic[..., part.batch.frame] += part.energy()
    for armature in mechanics.armature:  # with the body that the coordinate moves
        kinetic = kinetic + dense_vector(armature.armature.body, armature.energy(), system.bodies)
    return Energy(
        kinetic=kinetic,
        gravity=-system.mass * dot(state.r, system.gravity),
        gravity_power=system.mass * dot(state.v, system.gravity),
        elements=forces.owners,
        stored=stored,
        dissipated=dissipated,
        power=power,
    )


def fed_power(mechanics: Mechanics) -> np.ndarray:
    """What elements and inputs feed into kinetic and potential energy (...): their power on the bodies, and what linear
    springs gain."""
    applied, law = mechanics.applied, mechanics.system.forces.linear
    v, bent = applied.now.v, applied.now.s[..., law.i] - law.s0
    other = applied.now.s[..., law.j] - law.s0
    gained = 0.5 * law.k * (v[..., law.i] * other + bent * v[..., law.j])
    return gained.sum(-1) - (applied.tension * _rate_by_bodies(mechanics)).sum(-1)


def _rate_by_bodies(mechanics: Mechanics) -> np.ndarray:
    """Rates of the measures of forces by the motion of bodies alone, without that of moving frames (..., channels)."""
    system, jet = mechanics.system, mechanics.applied.jet
    if not system.description.frames:
        return jet.rate
    u = mechanics.state.velocity(system)
    padded = np.concatenate((u, np.zeros((*u.shape[:-1], 1))), axis=-1)
    return (jet.gradient * padded[..., system.forces.measures.columns]).sum(-1)
