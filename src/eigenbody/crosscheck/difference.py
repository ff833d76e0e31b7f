"""Central differences of the nonlinear forward dynamics, with automatic steps and a convergence check.

The nonlinear dynamics use positions and velocities alone: recursive positions, the velocity transformation B, the
Jacobian of the constraints and the force laws. Rates of B and of the Jacobian are complex steps along the motion.
Independent coordinates and velocities are perturbed, the mechanism is closed again by Newton's method, and the
accelerations are differenced with steps halved and extrapolated (Ridders 1982) until rounding wins; see
docs/theory/difference.md. Trom (1990, Sec. 3.1) explains why one fixed step fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eigenbody.crosscheck.base import Linear, Place, Route
from eigenbody.crosscheck.relative import applies
from eigenbody.crosscheck.relative.assemble import Mechanism, inertia_times, inertias, masses, read
from eigenbody.crosscheck.relative.forces import gradients, weights
from eigenbody.crosscheck.relative.kinematics import Kinematics, moved, velocity_transformation
from eigenbody.crosscheck.relative.laws import Argument, Law
from eigenbody.crosscheck.relative.loops import Rows, choose_coordinates, independent_rows, variation_rows
from eigenbody.crosscheck.relative.measures import Channel, Measure, Pose
from eigenbody.crosscheck.relative.reduce import felt_coordinates
from eigenbody.crosscheck.relative.sides import Side
from eigenbody.errors import ComputationError
from eigenbody.model.description import Description
from eigenbody.spatial.rotations import apply, cross, log

FIRST_STEP = 0.05  # radians, or sizes of the mechanism
LEVELS = 14  # halvings at most; smooth dynamics need four to six
ENOUGH = 1e-11  # estimated error relative to the largest entry at which no smaller step is tried
ACCEPTED = 1e-6  # estimated error relative to the largest entry above which the result is called not converged
TINY_STEP = 1e-10  # part of the first step at which curvature is beneath rounding
_TINY = 1e-40  # complex step


@dataclass(frozen=True)
class Coordinate:
    """An independent coordinate: its variation, and how far it is from the operating point."""

    name: str
    channel: Channel
    measure: Argument | None  # None: a component of a three-dimensional rotation
    sides: tuple[Side, Side] | None
    component: int

    def change(self, pose: Pose, reference: Pose) -> float:
        """Value at a pose minus that at the operating point; rotations by the vector of the change."""
        if self.measure is not None:
            return self.measure.value(pose) - self.measure.here
        return float(self.rotation(pose, reference)[self.component])

    def rotation(self, pose: Pose, reference: Pose) -> np.ndarray:
        """Rotation vector (3,) from the relative rotation at the operating point, in axes of the first body."""
        if self.sides is None:
            return np.zeros(3)
        first, second = self.sides

        def relative(at: Pose) -> np.ndarray:
            return (at.R[first.carrier] @ first.axes).T @ at.R[second.carrier] @ second.axes

        return log(relative(pose) @ relative(reference).T)

    def spin(self, pose: Pose, motion: np.ndarray) -> np.ndarray:
        """Relative angular velocity (3,) in axes of the first body."""
        if self.sides is None:
            return np.zeros(3)
        first, second = self.sides
        axes = pose.R[first.carrier] @ first.axes
        return axes.T @ (motion[second.carrier, 3:] - motion[first.carrier, 3:])


class ForwardDynamics:
    """Accelerations of the independent coordinates as a function of these and their rates."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.reference = mechanism, mechanism.pose
        self.tree, self.laws = mechanism.tree, mechanism.laws
        self.mass = masses(mechanism.description)
        self.weight = weights(mechanism.description.bodies.mass, mechanism.description.gravity)
        start = Kinematics(self.tree, mechanism.pose, mechanism.nu)
        self.rows = mechanism.rows.taken(independent_rows(mechanism.rows, start, mechanism.scale))
        self.held = [_anchored(channel, self.reference) for channel in self.rows.channels]
        self.felt = self._felt(start)
        self.coordinates = self._choose(start)
        self.free = variation_rows(tuple(c.channel for c in self.coordinates))
        motion = start.B @ mechanism.nu
        self.rate = np.einsum("rci,ci->r", self.free.cartesian(self.reference), motion)
        self.spins = [c.spin(self.reference, motion) for c in self.coordinates]
        self.second_rate, self.spin_rates = self._accelerations(self.reference, start.B, mechanism.nu)

    def __call__(self, z: np.ndarray, z_rate: np.ndarray) -> np.ndarray:
        """z'' (f,) for deviations z, z' from the motion at the operating point."""
        pose = self._closed(z)
        turned = [c.rotation(pose, self.reference) for c in self.coordinates]
        drift = [cross(w, phi) for w, phi in zip(self.spins, turned, strict=True)]
        rate = self.rate + z_rate - np.array([d[c.component] for c, d in zip(self.coordinates, drift, strict=True)])
        B = velocity_transformation(self.tree, pose)
        nu = self._velocities(pose, B, rate)
        second, _ = self._accelerations(pose, B, nu)
        motion = B @ nu
        out = second - self.second_rate
        for k, c in enumerate(self.coordinates):  # phi'' = dw' + w' x phi + w x phi', phi' = dw + w x phi
            if c.sides is not None:
                phi_rate = c.spin(pose, motion) - self.spins[k] + drift[k]
                out[k] += (cross(self.spin_rates[k], turned[k]) + cross(self.spins[k], phi_rate))[c.component]
        return out

    # ---- which coordinates

    def _felt(self, start: Kinematics) -> np.ndarray:
        flow = start.B[:-1].reshape(-1, self.tree.count)
        J = inertias(self.mechanism.description, self.reference)
        M = flow.T @ np.moveaxis(inertia_times(self.mass, J, np.moveaxis(start.B, -1, 0)), 0, -1)[:-1].reshape(
            flow.shape
        )
        felt = [M, np.einsum("rci,cin->rn", self.rows.cartesian(self.reference), start.B)]
        felt += [np.einsum("rci,cin->rn", gradients(law.channels, self.reference), start.B) for law in self.laws]
        return felt_coordinates(*felt)

    def _choose(self, start: Kinematics) -> tuple[Coordinate, ...]:
        wishes, names = self.mechanism.wishes, self.mechanism.names
        scale = self.mechanism.scale[self.felt]
        wanted = variation_rows(tuple(names.variation(name) for name in wishes))
        Phi_q, S = (self._jacobian(rows, self.reference, start.B) for rows in (self.rows, wanted))
        kept, filled = choose_coordinates(Phi_q, S, scale)
        chosen = (*(wishes[k] for k in kept), *(self.tree.names[self.felt[k]] for k in filled))
        return tuple(self._coordinate(name) for name in chosen)

    def _coordinate(self, name: str) -> Coordinate:
        names = self.mechanism.names
        sides = names.rotation_sides(name)
        if sides is not None:
            return Coordinate(name, names.variation(name), None, sides[:2], sides[2])
        return Coordinate(name, names.variation(name), _anchored(names.measure(name), self.reference), None, 0)

    def _jacobian(self, rows: Rows, pose: Pose, B: np.ndarray) -> np.ndarray:
        if not len(rows):
            return np.zeros((0, len(self.felt)), dtype=B.dtype)
        return np.einsum("rci,cin->rn", rows.cartesian(pose), B[..., self.felt])

    def stacked(self, pose: Pose, B: np.ndarray) -> np.ndarray:
        """Rows of the constraints, then of the independent coordinates (square)."""
        return np.vstack((self._jacobian(self.rows, pose, B), self._jacobian(self.free, pose, B)))

    # ---- three levels

    def _closed(self, z: np.ndarray) -> Pose:
        """The configuration with the independent coordinates changed by z, all loops closed."""
        pose, last = self.reference, np.inf
        for _ in range(25):
            gap = -self.rows.combine @ np.array([a.value(pose) - a.here for a in self.held])
            missing = z - np.array([c.change(pose, self.reference) for c in self.coordinates])
            left = float(np.abs(np.concatenate((gap, missing))).max(initial=0.0))
            if left == 0 or (left < 1e-9 and left >= last / 2):
                return pose
            last = left
            step = np.linalg.solve(
                self.stacked(pose, velocity_transformation(self.tree, pose)), np.concatenate((gap, missing))
            )
            full = np.zeros(self.tree.count)
            full[self.felt] = step
            pose = moved(self.tree, pose, full)
        raise ComputationError(f"the loops do not close near the operating point; {last:.3g} remains.")

    def _velocities(self, pose: Pose, B: np.ndarray, rate: np.ndarray) -> np.ndarray:
        nu = np.zeros(self.tree.count)
        nu[self.felt] = np.linalg.solve(self.stacked(pose, B), np.concatenate((self.rows.rate, rate)))
        return nu

    def _accelerations(self, pose: Pose, B: np.ndarray, nu: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Second rates of the independent coordinates, and rates of the relative angular velocities behind them."""
        ahead = moved(self.tree, pose, 1j * _TINY * nu)
        B_ahead = velocity_transformation(self.tree, ahead)
        bias = (B_ahead @ nu).imag / _TINY
        matrix = self.stacked(pose, B)
        matrix_bias = (self.stacked(ahead, B_ahead) @ nu[self.felt]).imag / _TINY
        rest = np.concatenate((self.rows.second_rate, np.zeros(len(self.coordinates)))) - matrix_bias
        held = len(self.rows)
        both = np.linalg.solve(matrix, np.column_stack((rest, np.eye(len(matrix))[:, held:])))
        known, P = both[:, 0], both[:, 1:]  # accelerations with z'' = 0, and those that z'' adds
        flow = B[..., self.felt]
        J = inertias(self.mechanism.description, pose)
        motion = B @ nu
        load = inertia_times(self.mass, J, flow @ known + bias) - self.weight - self._forces(pose, motion)
        load[:, 3:] += cross(motion[:, 3:], apply(J, motion[:, 3:]))
        free = flow @ P
        M = np.einsum("cia,bci->ab", free, inertia_times(self.mass, J, np.moveaxis(free, -1, 0)))
        second = -np.linalg.solve(M, np.einsum("cia,ci->a", free, load))
        nu_rate = known + P @ second
        return second, self._spin_rates(pose, motion, flow @ nu_rate + bias)

    def _spin_rates(self, pose: Pose, motion: np.ndarray, acceleration: np.ndarray) -> list[np.ndarray]:
        """d/dt of E1^T (w2 - w1) for the coordinates that are rotations."""
        out = []
        for c in self.coordinates:
            if c.sides is None:
                out.append(np.zeros(3))
                continue
            i, j = (side.carrier for side in c.sides)
            axes = pose.R[i] @ c.sides[0].axes
            w = motion[j, 3:] - motion[i, 3:]
            out.append(axes.T @ (acceleration[j, 3:] - acceleration[i, 3:] - cross(motion[i, 3:], w)))
        return out

    def _forces(self, pose: Pose, motion: np.ndarray) -> np.ndarray:
        total = np.zeros((len(pose.r), 6))
        for law in self.laws:
            total -= np.tensordot(_tension(law, pose, motion), gradients(law.channels, pose), 1)
        return total


def _anchored(channel: Channel, pose: Pose) -> Argument:
    measure: Measure = channel  # type: ignore[assignment]
    return Argument(measure, measure.value(pose), measure.value(pose))


def _tension(law: Law, pose: Pose, motion: np.ndarray) -> np.ndarray:
    s = np.array([argument.value(pose) for argument in law.arguments])
    J = gradients(tuple(argument.measure for argument in law.arguments), pose)
    return law.tension(s, np.einsum("mci,ci->m", J, motion))[0]


# ---- differences


@dataclass(frozen=True)
class Slope:
    """A derivative with the estimate of its error, entry by entry, and the smallest step that was used."""

    value: np.ndarray
    error: np.ndarray
    step: float


def extrapolated(
    function: Callable[[float], np.ndarray],
    first_step: float,
    levels: int = LEVELS,
    size: float = 0.0,
    noise: np.ndarray | float = 0.0,
) -> Slope:
    """Derivative at zero by central differences with halved steps and Richardson's table.

    Each entry takes the member of the table that agrees best with its neighbours; it stops when rounding wins. `size`
    is that of other derivatives: 1e-14 of it is nothing. `noise` is that of the function's values: members that agree
    by chance are trusted no more than noise / step.
    """
    step = first_step
    row = [(function(step) - function(-step)) / (2 * step)]
    best, error = row[0], np.full(row[0].shape, np.inf)
    idle = 0
    for _ in range(1, levels):
        step /= 2
        now = [(function(step) - function(-step)) / (2 * step)]
        for k, before in enumerate(row):
            now.append(now[k] + (now[k] - before) / (4 ** (k + 1) - 1))
            doubt = np.maximum(np.abs(now[k + 1] - now[k]), np.abs(now[k + 1] - before))
            doubt = np.maximum(doubt, noise / step)
            better = doubt < error
            best, error = np.where(better, now[k + 1], best), np.where(better, doubt, error)
        own, worst = np.abs(best).max(initial=0.0), error.max(initial=0.0)
        idle = idle + 1 if np.abs(now[-1] - best).max(initial=0.0) > worst and worst <= ACCEPTED * own else 0
        row = now
        if worst <= max(ENOUGH * own, 1e-14 * size) or idle >= 2 or np.all(error <= 2 * noise / step):
            break
    return Slope(best, error, step)


def linearize(description: Description, place: Place) -> Linear:
    """State matrix of [z, z'] by differences, its eigenvalues, and how well it converged."""
    mechanism = read(description, place)
    forward = ForwardDynamics(mechanism)
    f = len(forward.coordinates)
    steps = [_first_step(forward, k) for k in range(2 * f)]
    noise = _noise(forward, np.array(steps))
    slopes: list[Slope] = []
    for k in range(2 * f):
        size = max((float(np.abs(slope.value).max()) for slope in slopes), default=0.0)
        slopes.append(extrapolated(_along(forward, k), steps[k], size=size, noise=noise))
    A = np.zeros((2 * f, 2 * f))
    A[:f, f:] = np.eye(f)
    A[f:] = np.column_stack([slope.value for slope in slopes]) if f else 0.0
    error = np.column_stack([slope.error for slope in slopes]) if f else np.zeros((0, 0))
    values = np.linalg.eigvals(A) if f else np.zeros(0)
    values = values[np.argsort(np.abs(values), kind="stable")].astype(complex)
    whole = np.vstack((np.zeros_like(error), error))
    return Linear(values, {"A": A, "error": error}, _notes(forward, slopes, A, error), error=whole)


def dithered(description: Description, place: Place, step: float = 1e-4) -> np.ndarray:
    """State matrix by one forward difference for each column, all with the same step (Trom 1990, Eq. 3.7)."""
    forward = ForwardDynamics(read(description, place))
    f = len(forward.coordinates)
    A = np.zeros((2 * f, 2 * f))
    A[:f, f:] = np.eye(f)
    for k in range(2 * f):
        A[f:, k] = _along(forward, k)(step) / step  # the deviation of the accelerations is zero at the point itself
    return A


def _along(forward: ForwardDynamics, k: int) -> Callable[[float], np.ndarray]:
    f = len(forward.coordinates)

    def function(step: float) -> np.ndarray:
        both = np.zeros(2 * f)
        both[k] = step
        return forward(both[:f], both[f:])

    return function


def _noise(forward: ForwardDynamics, steps: np.ndarray) -> np.ndarray:
    """Rounding (f,) of the accelerations, measured: what steps too small for curvature leave of f(h) + f(-h)."""
    f = len(forward.coordinates)
    tiny = [TINY_STEP * steps * np.cos(k * (1.0 + np.arange(2 * f))) for k in range(1, 5)]
    both = [np.abs(forward(h[:f], h[f:]) + forward(-h[:f], -h[f:])) for h in tiny]
    return np.max(both, axis=0)


def _first_step(forward: ForwardDynamics, k: int) -> float:
    """Such that no relative coordinate changes by more than FIRST_STEP (rates: times the largest speed)."""
    f, held = len(forward.coordinates), len(forward.rows)
    matrix = forward.stacked(forward.reference, velocity_transformation(forward.tree, forward.reference))
    scale = forward.mechanism.scale[forward.felt]
    reach = np.abs(np.linalg.solve(matrix, np.eye(len(matrix))[:, held + k % f]) / scale).max()
    fastest = np.abs(forward.mechanism.nu[forward.felt] / scale).max(initial=0.0) if k >= f else 0.0
    return float(FIRST_STEP * max(1.0, fastest) / reach)


def _notes(forward: ForwardDynamics, slopes: list[Slope], A: np.ndarray, error: np.ndarray) -> tuple[str, ...]:
    relative = float(error.max(initial=0.0) / max(np.abs(A).max(initial=0.0), 1e-300))
    steps = [slope.step for slope in slopes] or [0.0]
    names = ", ".join(coordinate.name for coordinate in forward.coordinates)
    verdict = "converged" if relative <= ACCEPTED else "NOT converged"
    return (
        f"independent coordinates: {names}",
        f"{verdict}: estimated error {relative:.1e} of the largest entry; "
        f"steps were halved to {min(steps):.1e} ... {max(steps):.1e}",
    )


ROUTE = Route("difference", "central differences of the nonlinear dynamics", "Ridders 1982", applies, linearize)
