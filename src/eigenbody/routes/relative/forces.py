"""Cartesian forces on the bodies and their exact partial derivatives (Trom 1990, Secs. 3.2.2.2 and 3.2.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.routes.relative.kinematics import Kinematics
from eigenbody.routes.relative.laws import Law
from eigenbody.routes.relative.measures import Channel, Pose, Terms, Twists


def dense(terms: Terms, carriers: int) -> np.ndarray:
    """Gradient terms as an array (..., carriers, 6)."""
    lead = np.broadcast_shapes(*(row.shape[:-1] for _, row in terms))
    kind = np.result_type(*(row for _, row in terms))
    out = np.zeros((*lead, carriers, 6), dtype=kind)
    for carrier, row in terms:
        out[..., carrier, :] += row
    return out


def gradients(channels: tuple[Channel, ...], pose: Pose) -> np.ndarray:
    """Gradients (channels, carriers, 6)."""
    count = len(pose.r)
    rows = [dense(channel.gradient(pose), count) for channel in channels]
    return np.array(rows).reshape(len(rows), count, 6)


def gradient_rates(channels: tuple[Channel, ...], pose: Pose, motion: Twists) -> np.ndarray:
    """Derivatives of the gradients along motions (..., carriers, 3): (channels, ..., carriers, 6)."""
    count = len(pose.r)
    lead = motion.v.shape[:-2]
    rows = [np.broadcast_to(dense(c.gradient_rate(pose, motion), count), (*lead, count, 6)) for c in channels]
    return np.array(rows).reshape(len(rows), *lead, count, 6)


@dataclass(frozen=True, eq=False)
class Cartesian:
    """Force [force; torque] on every carrier (carriers, 6), and its partial derivatives (b, carriers, 6)."""

    value: np.ndarray
    by_position: np.ndarray
    by_velocity: np.ndarray


def weights(mass: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Gravity on all carriers (carriers, 6); it does not vary."""
    out = np.zeros((len(mass) + 1, 6))
    out[:-1, :3] = mass[:, None] * gravity
    return out


def applied(laws: list[Law], at: Kinematics) -> Cartesian:
    """All force laws at a configuration in motion."""
    n, carriers = at.tree.count, len(at.pose.r)
    value, by_q, by_nu = np.zeros((carriers, 6)), np.zeros((n, carriers, 6)), np.zeros((n, carriers, 6))
    for law in laws:
        J = gradients(law.channels, at.pose)
        J_by = gradient_rates(law.channels, at.pose, at.directions)
        f, f_q, f_nu = _tensions(law, at)
        value -= np.tensordot(f, J, 1)
        by_q -= np.tensordot(f_q.T, J, 1) + np.tensordot(f, J_by, 1)
        by_nu -= np.tensordot(f_nu.T, J, 1)
    return Cartesian(value, by_q, by_nu)


def _tensions(law: Law, at: Kinematics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tensions (m,) and their derivatives by coordinates and velocities (m, n)."""
    measures = tuple(argument.measure for argument in law.arguments)
    s = np.array([argument.value(at.pose) for argument in law.arguments])
    velocity = np.concatenate((at.v, at.w), axis=-1)
    J = gradients(measures, at.pose)
    s_q = np.einsum("mci,cib->mb", J, at.B)
    rate = s_q @ at.nu
    J_by = gradient_rates(measures, at.pose, at.directions)
    rate_q = np.einsum("mbci,ci->mb", J_by, velocity) + np.einsum("mci,bci->mb", J, at.B_partial @ at.nu)
    f, by_s, by_rate = law.tension(s, rate)
    return f, by_s @ s_q + by_rate @ rate_q, by_rate @ s_q
