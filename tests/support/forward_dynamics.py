"""Nonlinear forward dynamics in the linear state [S, W, x], independent of the engine's tangents and reductions.

Only values, rates, accelerations and forces of the engine are read. Every Jacobian is found by asking for rates at unit
velocities, every system is solved with all rows (redundant ones too) by dense least squares, and A is a difference
quotient. Relative rotations are displaced as R <- exp(dphi) R, R turning along with the undisturbed motion, so that

    omega = J(dphi) dphi' + exp(dphi) omega_0          J: left Jacobian of the rotation vector

All functions take states with one leading batch axis.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.system.state import State

RANK = 1e-10  # singular values below this share of the largest are zero
STEP = 3e-4  # rad, m, rad/s, ...: truncation and rounding are both near 1e-10 of the result
EPS = 1e-30


# Small rotations, complex-safe ------------------------------------------------------------------------------------


def hat(a):
    """Matrix [a] with [a] b = a x b."""
    x, y, z = np.moveaxis(a, -1, 0)
    o = np.zeros_like(x)
    rows = (np.stack((o, -z, y), -1), np.stack((z, o, -x), -1), np.stack((-y, x, o), -1))
    return np.stack(rows, -2)


def exponential(a):
    """exp [a] by its series, for |a| << 1."""
    term = total = np.broadcast_to(np.eye(3), (*a.shape, 3))
    for k in range(1, 14):
        term = term @ hat(a) / k
        total = total + term
    return total


def small_logarithm(R):
    """Rotation vector of a rotation by less than about 0.02 rad."""
    v = 0.5 * np.stack((R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]), -1)
    x = (v * v).sum(-1)[..., None]
    return v * (1 + x / 6 + 3 * x**2 / 40 + 5 * x**3 / 112 + 35 * x**4 / 1152)  # asin(sqrt x)/sqrt x


def inverse_left_jacobian(a):
    """J(a)^-1 for small a: dphi' = J^-1 (angular velocity of exp(dphi))."""
    x = (a * a).sum(-1)[..., None, None]
    S = hat(a)
    return np.eye(3) - 0.5 * S + (1 / 12 + x / 720 + x**2 / 30240 + x**3 / 1209600) * (S @ S)


def times(A, b):
    return (A @ b[..., None])[..., 0]


# The mechanism ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rotations:
    """Relative rotations in first-frame axes: R, omega, omega', (..., n, 3[, 3])."""

    R: np.ndarray
    omega: np.ndarray
    acceleration: np.ndarray


class ForwardDynamics:
    """(S', W', x') as a function of (S, W, x, inputs) near an operating state, in the coordinates named."""

    def __init__(self, system, state, coordinates, velocities):
        self.system = system
        self.coordinates = [system.aliases[name] for name in coordinates]
        self.velocities = [self.coordinates.index(system.aliases[name]) for name in velocities]
        self._kernels = self._rotation_kernels()
        one = replace(state, **{k: getattr(state, k)[None] for k in ("r", "R", "v", "w", "x", "turns", "u_in", "z")})
        self.state = one
        self._unit = np.eye(system.nq)
        self._nominal = None  # while this is None, rotations are measured from the operating state itself
        u1 = self._accelerations(one)
        self._nominal = self._rotations(one, u1)
        rows = np.vstack((self._rows(one)[0][0][: system.constraints.count], self._coordinate_rows(one)[0]))
        self._pinv = np.linalg.pinv(rows, rcond=RANK)
        self._start = self._coordinate_values(one)

    @property
    def reach(self):
        """Largest motion of the bodies per unit of constraint values and coordinates."""
        return float(np.linalg.norm(self._pinv, 2))

    # Rotations among the coordinates ------------------------------------------------------------------------------
    def _rotation_kernels(self):
        """[(position in coordinates, kernel of one measure)] of the small rotations."""
        found = []
        for kernel, positions in self.system.named.batches:
            if isinstance(kernel, RotationComponent):
                found += [
                    (self.coordinates.index(p), kernel.take(np.array([k])))
                    for k, p in enumerate(positions.tolist())
                    if p in self.coordinates
                ]
        return found

    def _rotations(self, state, acceleration=None):
        at = Mechanics(self.system, state, acceleration).at
        R, omega, rate = [], [], []
        for _, kernel in self._kernels:
            i, j = kernel.carriers[0]
            P, Q = at.R[..., i, :, :] @ kernel.first[0], at.R[..., j, :, :] @ kernel.second[0]
            Pt = np.swapaxes(P, -1, -2)
            spin_i, spin_j = (times(at.R[..., k, :, :], at.w[..., k, :]) for k in (i, j))
            turn_i, turn_j = (times(at.R[..., k, :, :], at.alpha[..., k, :]) for k in (i, j))
            R.append(Pt @ Q)
            omega.append(times(Pt, spin_j - spin_i))
            rate.append(times(Pt, turn_j - turn_i - np.cross(spin_i, spin_j - spin_i)))
        empty = np.zeros((len(state.r), 0, 3))
        stack = lambda parts, none: np.stack(parts, axis=1) if parts else none  # noqa: E731
        return Rotations(stack(R, np.zeros((len(state.r), 0, 3, 3))), stack(omega, empty), stack(rate, empty))

    def _small(self, now, epsilon=0.0):
        """dphi and dphi' of rotations, `epsilon` later on both motions (complex allowed)."""
        base = self._nominal if self._nominal is not None else now
        R, omega = exponential(epsilon * now.omega) @ now.R, now.omega + epsilon * now.acceleration
        R0, omega0 = exponential(epsilon * base.omega) @ base.R, base.omega + epsilon * base.acceleration
        E = R @ np.swapaxes(R0, -1, -2)
        dphi = small_logarithm(E)
        return dphi, times(inverse_left_jacobian(dphi), omega - times(E, omega0))

    def _components(self, vectors):
        """e . vector of each rotation coordinate."""
        return [(vectors[:, k] * kernel.e[0]).sum(-1) for k, (_, kernel) in enumerate(self._kernels)]

    # Coordinates --------------------------------------------------------------------------------------------------
    def _jet(self, state, acceleration=None):
        mechanics = Mechanics(self.system, state, acceleration)
        return self.system.named.jet(mechanics.at, state.turns)

    def _with_rotations(self, values, components):
        batch = len(components[0]) if components else len(values)
        values = np.array(np.broadcast_to(values, (batch, values.shape[-1])))
        for (position, _), component in zip(self._kernels, components, strict=True):
            values[:, position] = component
        return values

    def _coordinate_values(self, state):
        plain = self._jet(state).value[..., self.coordinates]
        return self._with_rotations(plain, self._components(self._small(self._rotations(state))[0]))

    def _coordinate_rates(self, state):
        """S', (B, coordinates)."""
        plain = self._jet(state).rate[..., self.coordinates]
        return self._with_rotations(plain, self._components(self._small(self._rotations(state))[1]))

    def _coordinate_accelerations(self, state, acceleration):
        """S'', (B, coordinates)."""
        plain = self._jet(state, acceleration).acceleration[..., self.coordinates]
        later = self._small(self._rotations(state, acceleration), 1j * EPS)[1].imag / EPS
        return self._with_rotations(plain, self._components(later))

    # Jacobians: rates at unit velocities --------------------------------------------------------------------------
    def _at_unit_velocities(self, state, rate):
        """Affine rates: matrix (B, rows, nq) and rate at rest (B, rows)."""
        system = self.system
        rest = rate(state.with_velocity(system, np.zeros((len(state.r), system.nq))))
        columns = []
        for unit in self._unit:
            u = np.broadcast_to(unit, (len(state.r), system.nq))
            columns.append(rate(state.with_velocity(system, u)) - rest)
        return np.stack(columns, axis=-1), rest

    def _constraint_rates(self, state):
        mechanics = Mechanics(self.system, state)
        held = np.broadcast_to(mechanics.holonomic.rate, (len(state.r), self.system.constraints.count))
        return np.concatenate((held, self._slip(mechanics, "rate", len(state.r))), axis=-1)

    def _slip(self, mechanics, what, batch):
        if not self.system.slips.count:
            return np.zeros((batch, 0))
        return getattr(mechanics.non_holonomic, what)

    def _rows(self, state):
        return self._at_unit_velocities(state, self._constraint_rates)

    def _coordinate_rows(self, state):
        return self._at_unit_velocities(state, self._coordinate_rates)[0]

    # The three levels ---------------------------------------------------------------------------------------------
    def _moved(self, change):
        """States on the constraint manifold with the coordinates changed by `change` (B, coordinates)."""
        system, batch = self.system, len(change)
        grow = lambda a: np.broadcast_to(a, (batch, *a.shape[1:]))  # noqa: E731
        state = replace(self.state, **{k: grow(getattr(self.state, k)) for k in State.__slots__ if k != "t"})
        for _ in range(40):
            held = Mechanics(system, state).holonomic.value
            wrong = np.concatenate((np.broadcast_to(held, (batch, system.constraints.count)),
                                    self._coordinate_values(state) - self._start - change), axis=-1)  # fmt: skip
            if np.abs(wrong).max(initial=0.0) < 3e-15:
                break
            state = state.moved(system, -wrong @ self._pinv.T)
        assert np.abs(wrong).max(initial=0.0) < 1e-13, "the displaced mechanism does not close"
        return state

    def _with_rates(self, state, change):
        """Velocities: constraints hold, the velocity coordinates have their undisturbed rates plus `change`."""
        G, g = self._rows(state)
        S, s = self._at_unit_velocities(state, self._coordinate_rates)
        W, w = S[:, self.velocities], s[:, self.velocities]
        target = self._coordinate_rates(self.state)[:, self.velocities] + change - w
        J, right = np.concatenate((G, W), axis=1), np.concatenate((-g, target), axis=1)
        u = np.stack([np.linalg.lstsq(j, r, rcond=RANK)[0] for j, r in zip(J, right, strict=True)])
        return state.with_velocity(self.system, u)

    def _accelerations(self, state):
        """u' of M u' + G^T lambda = Q - h, G u' + gamma = 0, all rows, least squares."""
        system, mechanics = self.system, Mechanics(self.system, state)
        batch, nq = len(state.r), system.nq
        G, _ = self._rows(state)
        held = np.broadcast_to(mechanics.holonomic.acceleration, (batch, system.constraints.count))
        gamma = np.concatenate((held, self._slip(mechanics, "acceleration", batch)), axis=-1)
        driving = np.broadcast_to(mechanics.driving, (batch, nq))
        rows = G.shape[1]
        mass = np.stack([np.broadcast_to(mechanics.inertia_times(unit), (batch, nq)) for unit in self._unit], axis=-1)
        out = np.empty((batch, nq))
        for b in range(batch):
            kkt = np.block([[mass[b], G[b].T], [G[b], np.zeros((rows, rows))]])
            out[b] = np.linalg.lstsq(kkt, np.concatenate((driving[b], -gamma[b])), rcond=RANK)[0][:nq]
        return out

    # The function and its derivative ------------------------------------------------------------------------------
    def rates(self, dS, dW, dx, du):
        """(S', W', x', outputs) (B, .) at displacements (B, .) of coordinates, velocities, states and inputs."""
        state = self._moved(dS)
        state = replace(state, x=state.x + dx, u_in=state.u_in + du)
        state = self._with_rates(state, dW)
        acceleration = self._accelerations(state)
        x1 = np.broadcast_to(Mechanics(self.system, state).applied.state_rate(), dx.shape)
        S1, S2 = self._coordinate_rates(state), self._coordinate_accelerations(state, acceleration)
        return np.concatenate((S1, S2[:, self.velocities], x1, self._outputs(state, acceleration)), axis=-1)

    def _outputs(self, state, acceleration):
        mechanics = Mechanics(self.system, state, acceleration)
        jet = self.system.named.jet(mechanics.at, state.turns)
        out = np.zeros((len(state.r), len(self.system.outputs)))
        for k, output in enumerate(self.system.outputs):
            if output.signal is not None:
                out[:, k] = output.signal.value(mechanics.applied.now)
            else:
                out[:, k] = (jet.value, jet.rate, jet.acceleration)[output.order][..., output.measure]
        return out

    def derivative(self, step=STEP):
        """[A | B; C | D] by central differences at two steps, extrapolated."""
        sizes = (len(self.coordinates), len(self.velocities), self.state.x.shape[-1], self.state.u_in.shape[-1])
        n, cuts = sum(sizes), np.cumsum(sizes)[:-1]
        shifts = np.concatenate([factor * np.eye(n) for factor in (1, -1, 2, -2)]) * step
        plus, minus, plus2, minus2 = np.split(self.rates(*np.split(shifts, cuts, axis=-1)), 4)
        near, far = (plus - minus) / (2 * step), (plus2 - minus2) / (4 * step)
        return ((4 * near - far) / 3).T


def relative_error(found, expected, coordinates):
    """Largest error of [A | B; C | D] in any row, relative to the largest entry of that row.

    Velocities are first divided by a typical circular frequency, so that one row can be measured as a whole: each rate
    is compared with what it depends on most.
    """
    n = coordinates
    frequency = max(1.0, float(np.sqrt(np.abs(expected[n:, :n]).max(initial=0.0))))
    column = np.ones(expected.shape[1])
    column[:n] = 1 / frequency
    size = np.abs(expected * column).max(axis=1)
    error = np.abs((found - expected) * column).max(axis=1)
    return float(np.max(error / np.maximum(size, 1e-3 * size.max(initial=1e-300)), initial=0.0))
