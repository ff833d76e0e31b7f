"""Cartesian forces on the bodies and their exact partial derivatives (Trom 1990, Secs. 3.2.2.2 and 3.2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.routes.relative.kinematics import Kinematics
from eigenbody.routes.relative.laws import Pull
from eigenbody.routes.relative.measures import Channel, Pose, Terms, Twists
from eigenbody.routes.relative.signals import Gauge, Now, Reading, slopes

ITERATIONS = 50  # of Newton's method for implicit states


def dense(terms: Terms, carriers: int) -> np.ndarray:
    """Gradient terms as an array (..., carriers, 6)."""
    lead = np.broadcast_shapes(*(row.shape[:-1] for _, row in terms))
    kind = np.result_type(*(row for _, row in terms))
    out = np.zeros((*lead, carriers, 6), dtype=kind)
    for carrier, row in terms:
        out[..., carrier, :] += row
    return out


def gradients(channels: Sequence[Channel], pose: Pose) -> np.ndarray:
    """Gradients (channels, carriers, 6)."""
    count = len(pose.r)
    rows = [dense(channel.gradient(pose), count) for channel in channels]
    return np.array(rows).reshape(len(rows), count, 6)


def gradient_rates(channels: Sequence[Channel], pose: Pose, motion: Twists) -> np.ndarray:
    """Derivatives of the gradients along motions (..., carriers, 3): (channels, ..., carriers, 6)."""
    count = len(pose.r)
    lead = motion.v.shape[:-2]
    rows = [np.broadcast_to(dense(c.gradient_rate(pose, motion), count), (*lead, count, 6)) for c in channels]
    return np.array(rows).reshape(len(rows), *lead, count, 6)


@dataclass(frozen=True, eq=False)
class Readings:
    """All gauges at a configuration in motion: what is now, and how values and rates change with q and nu (gauges, n).

    The rate of a gauge is s_q nu, so that its derivative by nu is s_q.
    """

    now: Now
    s_q: np.ndarray
    rate_q: np.ndarray

    @staticmethod
    def at(gauges: Sequence[Gauge], x: np.ndarray, at: Kinematics) -> Readings:
        """Read all gauges."""
        channels = [gauge.measure for gauge in gauges]
        s = np.array([np.real(gauge.value(at.pose)) for gauge in gauges])
        J = gradients(channels, at.pose)
        s_q = np.einsum("mci,cib->mb", J, at.B)
        velocity = np.concatenate((at.v, at.w), axis=-1)
        J_by = gradient_rates(channels, at.pose, at.directions)
        rate_q = np.einsum("mbci,ci->mb", J_by, velocity) + np.einsum("mci,bci->mb", J, at.B_partial @ at.nu)
        return Readings(Now(s, s_q @ at.nu, x, np.zeros(len(x))), s_q, rate_q)

    def derivatives(self, readings: Sequence[Reading]) -> Derivatives:
        """Values of readings and their derivatives by coordinates, velocities and states."""
        now = self.now
        value = np.array([np.real(reading.value(now)) for reading in readings])
        by_s, by_rate, by_x, by_w = (
            np.array([slopes(reading, now, what) for reading in readings]).reshape(
                len(readings), len(getattr(now, what))
            )
            for what in ("s", "rate", "x", "w")
        )
        return Derivatives(value, by_s @ self.s_q + by_rate @ self.rate_q, by_rate @ self.s_q, by_x, by_w)


@dataclass(frozen=True, eq=False)
class Derivatives:
    """m scalars and their derivatives by q and nu (m, n), by the states and the rates of implicit ones (m, states)."""

    value: np.ndarray
    by_q: np.ndarray
    by_nu: np.ndarray
    by_x: np.ndarray
    by_w: np.ndarray

    def solved(self, own: np.ndarray) -> Derivatives:
        """Derivatives of w where the scalars stay zero, w being the columns `own`: -(dF/dw)^-1 of the others."""
        inverse = -np.linalg.inv(self.by_w[:, own])
        none = np.zeros_like(self.by_w)
        return Derivatives(self.value, inverse @ self.by_q, inverse @ self.by_nu, inverse @ self.by_x, none)


def state_rates(rates: Sequence[Reading | None], residuals: Sequence[Reading], at: Readings) -> Derivatives:
    """x' and its derivatives; where the rate is None the residuals, in the same order, determine it."""
    implicit = np.array([k for k, rate in enumerate(rates) if rate is None], dtype=int)
    explicit = np.array([k for k, rate in enumerate(rates) if rate is not None], dtype=int)
    parts = [(explicit, at.derivatives([rate for rate in rates if rate is not None]))]
    if len(implicit):
        w = _solved_rates(residuals, implicit, at)
        found = replace(at, now=replace(at.now, w=w)).derivatives(residuals).solved(implicit)
        parts.append((implicit, replace(found, value=w[implicit])))
    n, count = at.s_q.shape[1], len(rates)
    out = Derivatives(np.zeros(count), *(np.zeros((count, k)) for k in (n, n, count, count)))
    for where, part in parts:
        out.value[where], out.by_q[where], out.by_nu[where] = part.value, part.by_q, part.by_nu
        out.by_x[where] = part.by_x
    return out


def _solved_rates(residuals: Sequence[Reading], implicit: np.ndarray, at: Readings) -> np.ndarray:
    w = np.zeros(len(at.now.x))
    for _ in range(ITERATIONS):
        found = replace(at, now=replace(at.now, w=w)).derivatives(residuals)
        step = np.linalg.solve(found.by_w[:, implicit], found.value)
        w[implicit] -= step
        if np.all(np.abs(step) <= 1e-14 * (1 + np.abs(w[implicit]))):
            return w
    raise ComputationError("the equations of the implicit states could not be solved for their rates.")


@dataclass(frozen=True, eq=False)
class Cartesian:
    """Force [force; torque] on every carrier (carriers, 6), and its partial derivatives (b, carriers, 6)."""

    value: np.ndarray
    by_position: np.ndarray
    by_velocity: np.ndarray
    by_state: np.ndarray


def weights(mass: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Gravity on all carriers (carriers, 6); it does not vary."""
    out = np.zeros((len(mass), 6))
    out[:, :3] = mass[:, None] * gravity
    return out


def applied(pulls: Sequence[Pull], readings: Readings, at: Kinematics) -> Cartesian:
    """All forces at a configuration in motion."""
    channels = [pull.channel for pull in pulls]
    J = gradients(channels, at.pose)
    J_by = gradient_rates(channels, at.pose, at.directions)  # (m, b, carriers, 6)
    f = readings.derivatives([pull.tension for pull in pulls])
    return Cartesian(
        -np.tensordot(f.value, J, 1),
        -np.tensordot(f.by_q.T, J, 1) - np.tensordot(f.value, J_by, 1),
        -np.tensordot(f.by_nu.T, J, 1),
        -np.tensordot(f.by_x.T, J, 1),
    )
