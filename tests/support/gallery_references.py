"""A tractor-semitrailer written out independently of the package, to check its example in a steady turn against.

Seven bodies, 19 coordinates: place and heading of the tractor with its roll and pitch, the same angles of the trailer
on the fifth wheel, travel and roll of five axles. Equations of motion by virtual power with numerical Jacobians; state
without place and heading, on which nothing depends, and with the speeds in the axes of the heading: 16 + 19.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

TINY = 1e-30  # complex step
FAR = (-2.0, -1.0, 1.0, 2.0)  # central differences of fourth order
WEIGHT = np.array([1.0, -8.0, 8.0, -1.0]) / 12


def turned(axis: int, angle: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) about a coordinate axis; bears complex angles."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*np.shape(angle), 3, 3), dtype=np.asarray(angle).dtype)
    R[..., axis, axis] = 1
    R[..., i, i] = R[..., j, j] = np.cos(angle)
    R[..., j, i], R[..., i, j] = np.sin(angle), -np.sin(angle)
    return R


@dataclass(frozen=True)
class Axle:
    """Place ahead of the tractor's centre of mass, roll centre above the road, tyres, suspension."""

    x: float
    on_trailer: bool
    mass: float
    inertia: tuple[float, float, float]
    roll_centre: float
    half_track: float
    k: float
    c: float
    roll_k: float
    roll_c: float
    tyre_k: float
    carried: float


@dataclass(frozen=True)
class Truck:
    """The numbers of the example, again."""

    g: float = 9.80665
    axles: tuple[Axle, ...] = (
        Axle(1.9, False, 600, (280, 40, 280), 0.5, 1.02, 450e3, 18e3, 180e3, 5e3, 850e3, 43.8e3),
        Axle(-2.0, False, 1050, (450, 70, 450), 0.7, 0.93, 1.6e6, 30e3, 750e3, 9e3, 1.6e6, 61.5e3),
        Axle(-3.3, False, 1050, (450, 70, 450), 0.7, 0.93, 1.6e6, 30e3, 750e3, 9e3, 1.6e6, 61.5e3),
        Axle(-11.75, True, 750, (380, 60, 380), 0.7, 0.93, 1.8e6, 30e3, 900e3, 9e3, 1.6e6, 68.6e3),
        Axle(-13.05, True, 750, (380, 60, 380), 0.7, 0.93, 1.8e6, 30e3, 900e3, 9e3, 1.6e6, 68.6e3),
    )
    tyre_c: float = 1.5e3
    B: float = 6.0
    C: float = 1.3
    D: float = 0.8
    E: float = -0.5
    fade: float = 0.1
    tractor: np.ndarray = field(default_factory=lambda: np.array([0, 0, 1.05]))
    trailer: np.ndarray = field(default_factory=lambda: np.array([-7.93, 0, 2.0]))
    fifth: np.ndarray = field(default_factory=lambda: np.array([-2.25, 0, 1.2]))
    wheel: float = 0.5  # radius and height of the axles

    @property
    def mass(self) -> np.ndarray:
        """Of tractor, trailer and axles."""
        return np.array([6000.0, 25000.0, *(axle.mass for axle in self.axles)])

    @property
    def inertia(self) -> np.ndarray:
        """Principal moments, likewise."""
        return np.array([[3.5e3, 2e4, 2e4], [3.2e4, 2.6e5, 2.6e5], *(axle.inertia for axle in self.axles)])

    def places(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centres of mass (..., 7, 3) and rotations (..., 7, 3, 3).

        q (..., 19): x, y, z of the tractor's centre from the drawing, its roll, pitch, yaw; roll, pitch, yaw of the
        trailer; then travel and roll of each axle.
        """
        R0 = turned(2, q[..., 5]) @ turned(1, q[..., 4]) @ turned(0, q[..., 3])
        R1 = turned(2, q[..., 8]) @ turned(1, q[..., 7]) @ turned(0, q[..., 6])
        r0 = self.tractor + q[..., :3]
        r1 = r0 + R0 @ (self.fifth - self.tractor) + R1 @ (self.trailer - self.fifth)
        r, R = [r0, r1], [R0, R1]
        for i, axle in enumerate(self.axles):
            rc, Rc, centre = (r1, R1, self.trailer) if axle.on_trailer else (r0, R0, self.tractor)
            travel, roll = q[..., 9 + 2 * i], q[..., 10 + 2 * i]
            down = np.zeros((*travel.shape, 3), dtype=q.dtype)
            down[..., 2] = axle.roll_centre + travel
            down += np.array([axle.x, 0, 0]) - centre
            own = Rc @ turned(0, roll)
            r.append(rc + (Rc @ down[..., None])[..., 0] + own @ np.array([0, 0, self.wheel - axle.roll_centre]))
            R.append(own)
        return np.stack(r, axis=-2), np.stack(R, axis=-3)

    def speeds(self, q: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and angular velocities (ground axes) of all bodies while q moves along `direction`."""
        r, R = self.places(q + 1j * TINY * direction)
        spin = (R.imag / TINY) @ np.swapaxes(R.real, -1, -2)
        return r.imag / TINY, np.stack((spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]), axis=-1)

    def tyres(self, q: np.ndarray, rate: np.ndarray, steer: float) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Body, point and force of each of the ten contacts."""
        r, R = (a[0] for a in self.places(q[None]))
        v, w = (a[0] for a in self.speeds(q[None], rate[None]))
        found, up = [], np.array([0.0, 0.0, 1.0])
        for i, axle in enumerate(self.axles):
            body = 2 + i
            left = R[body] @ (turned(2, np.array(steer)) @ [0, 1, 0] if i == 0 else np.array([0.0, 1.0, 0.0]))
            ahead = np.cross(left, up)
            ahead /= np.linalg.norm(ahead)
            across = np.cross(up, ahead)
            below = -np.cross(ahead, left) * self.wheel
            for side in (axle.half_track, -axle.half_track):
                centre = r[body] + R[body] @ [0, side, 0]
                moving = v[body] + np.cross(w[body], centre - r[body])
                touching = moving + np.cross(w[body], below)
                at = centre + below
                # the height of the lowest point falls as the centre does and as the wheel leans
                lean = up @ left
                sink = moving[2] + self.wheel * lean / np.sqrt(1 - lean**2) * (up @ np.cross(w[body], left))
                static = (axle.carried + axle.mass * self.g) / 2
                load = max(0.0, static - axle.tyre_k * at[2] - self.tyre_c * sink)
                slip = np.arctan(-(touching @ across) / abs(moving @ ahead))
                grip = self.D * (1 - self.fade * (load / static - 1))
                side_force = grip * load * np.sin(
                    self.C * np.arctan(self.B * slip - self.E * (self.B * slip - np.arctan(self.B * slip)))
                )  # fmt: skip
                found.append((body, at, load * up + side_force * across))
        return found

    def accelerations(self, q: np.ndarray, rate: np.ndarray, steer: float, push: float) -> np.ndarray:
        """q'' (19,) from M q'' = J^T (forces - inertia forces at q'' = 0)."""
        r, R = (a[0] for a in self.places(q[None]))
        Jv, Jw = self.speeds(np.broadcast_to(q, (19, 19)), np.eye(19))
        steps = 1e-3 * np.array(FAR)
        along_v, along_w = self.speeds(q + steps[:, None] * rate, np.broadcast_to(rate, (4, 19)))
        bias_v, bias_w = (np.tensordot(WEIGHT, a, 1) / 1e-3 for a in (along_v, along_w))
        w = self.speeds(q[None], rate[None])[1][0]
        inertia = R @ (self.inertia[:, :, None] * np.swapaxes(R, -1, -2))
        angular = (inertia @ w[..., None])[..., 0]
        force = self.mass[:, None] * ([0, 0, -self.g] - bias_v)
        torque = -(inertia @ bias_w[..., None])[..., 0] - np.cross(w, angular)
        for body, at, push_on in [
            *self.tyres(q, rate, steer),
            (0, r[0] + R[0] @ [-2.65, 0, -0.55], R[0] @ [push, 0, 0]),
        ]:
            force[body] += push_on
            torque[body] += np.cross(at - r[body], push_on)
        Q = np.tensordot(Jv, force, 2) + np.tensordot(Jw, torque, 2)
        for i, axle in enumerate(self.axles):
            Q[9 + 2 * i] -= axle.k * q[9 + 2 * i] + axle.carried + axle.c * rate[9 + 2 * i]
            Q[10 + 2 * i] -= axle.roll_k * q[10 + 2 * i] + axle.roll_c * rate[10 + 2 * i]
        M = np.einsum("aik,i,bik->ab", Jv, self.mass, Jv) + np.einsum("aij,ijk,bik->ab", Jw, inertia, Jw)
        return np.linalg.solve(M, Q)

    def rates(self, state: np.ndarray, steer: float, push: float) -> np.ndarray:
        """Time derivative (35,) of [z, roll, pitch; roll, pitch, yaw from the tractor's; axles; 19 speeds]."""
        q, speed = np.zeros(19), state[16:]
        q[2:5], q[6:9], q[9:] = state[:3], state[3:6], state[6:16]
        acceleration = self.accelerations(q, speed, steer, push)
        u, v, turn = speed[0], speed[1], speed[5]
        acceleration[:2] += [turn * v, -turn * u]  # seen in the axes of the heading
        return np.concatenate((speed[2:5], speed[6:8], [speed[8] - turn], speed[9:], acceleration))

    def steady_turn(self, speed: float, turn: float) -> tuple[np.ndarray, float, float]:
        """State, steering angle and driving force of the turn, by Newton's method."""

        def state(p: np.ndarray) -> np.ndarray:
            s = np.zeros(35)
            s[:16] = p[:16]
            s[16:18], s[21], s[24] = [speed * np.cos(p[16]), speed * np.sin(p[16])], turn, turn
            return s

        p = np.zeros(19)
        for _ in range(30):
            f = self.rates(state(p), p[17], 1e4 * p[18])[16:]
            shifted = (p + 1e-7 * e for e in np.eye(19))
            J = np.stack([(self.rates(state(z), z[17], 1e4 * z[18])[16:] - f) / 1e-7 for z in shifted], axis=1)
            change = np.linalg.solve(J, f)
            p = p - change * min(1.0, 0.1 / np.abs(change).max())
            if np.abs(change).max() < 1e-13:
                break
        return state(p), float(p[17]), float(1e4 * p[18])

    def exponents(self, state: np.ndarray, steer: float, push: float) -> np.ndarray:
        """Eigenvalues of the linear equations about the turn: 35."""
        return np.linalg.eigvals(differences(lambda s: self.rates(s, steer, push), state, 1e-4))


def differences(f: Callable[[np.ndarray], np.ndarray], at: np.ndarray, step: float) -> np.ndarray:
    """Jacobian by central differences of fourth order."""
    columns = [
        sum(weight * f(at + far * step * e) for far, weight in zip(FAR, WEIGHT, strict=True)) / step
        for e in np.eye(len(at))
    ]
    return np.stack(columns, axis=1)
