"""Motions without mass that forces hold: a junction of springs in series, a hub whose twist only a beam holds.

They have no equation of motion but a balance of forces. With the null vectors N of the mass matrix, S = E y + N z parts
the coordinates into y, which move mass, and z, which do not (docs/theory/massless.md):

    M y'' + C_yy y' + C_yz z' + K_yy y + K_yz z = B_y in + X_y x
            C_zy y' + C_zz z' + K_zy y + K_zz z = B_z in + X_z x

What the damping C_zz resists (d) is of first order; the rest (e) follows at once. Both are eliminated exactly: a
velocity is left for each y, a position for each y and each d.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.base.copies import Known
from eigenbody.base.errors import ComputationError, InputError
from eigenbody.linearization.forms import DenseForm, EntryNoise, KnownStateSpace, StateSpace
from eigenbody.linearization.rows import Rows, output_rows, rate_rows
from eigenbody.mobility.motion import massless_fault
from eigenbody.numerics.matrices.linear import beside

if TYPE_CHECKING:
    from eigenbody.linearization.linearize import VariationalEquations
    from eigenbody.linearization.point import OperatingPoint

NOTHING = 1e-10  # part of the size of what is summed in an entry, below which the entry counts as none
INDEPENDENT = 1e-6  # of the largest: what one of the coordinates that are left has beside the others
NO_MOTIONS = np.zeros((0, 0))
REMEDY = "Give the bodies that it moves a small mass and inertia."


def with_mass(M: np.ndarray, massless: np.ndarray) -> np.ndarray:
    """The mass matrix with some mass for motions that have none: enough to ask where errors of forces go."""
    if not len(massless):
        return M
    along, _ = np.linalg.qr(massless)
    return np.asarray(M + (float(np.abs(np.diagonal(M)).max(initial=0.0)) or 1.0) * along @ along.T)


@dataclass(frozen=True, eq=False)
class Parts:
    """The split of the coordinates: E (n, y), N (n, z) with unit entries at the light ones, and of z into d and e."""

    heavy: list[int]
    light: list[int]
    E: np.ndarray
    N: np.ndarray
    Nd: np.ndarray  # motions that damping resists
    Ne: np.ndarray  # motions that it does not
    Ld: np.ndarray  # balances: of the damped ones as they are,
    Le: np.ndarray  # and of the others without any damping
    slow: list[int]  # coordinates of first order


def condensed(full: VariationalEquations, N: np.ndarray) -> Condensed:
    """The equations without the massless motions N (n, k); refuses motions that nothing holds."""
    point = full.point
    _refuse_others(full)
    light, N = _light(N)
    heavy = [i for i in range(len(N)) if i not in light]
    E = np.eye(len(N))[:, heavy]
    D, size = N.T @ full.C @ N, np.abs(N.T) @ np.abs(full.C) @ np.abs(N)
    d = _damped(D, size)
    e = [k for k in range(len(light)) if k not in d]
    eye = np.eye(len(light))
    at_d = np.linalg.inv(D[np.ix_(d, d)]) if d else np.zeros((0, 0))
    right = eye[:, e] - eye[:, d] @ at_d @ D[np.ix_(d, e)]
    left = eye[:, e] - eye[:, d] @ (D[np.ix_(e, d)] @ at_d).T
    parts = Parts(heavy, light, E, N, N[:, d], N @ right, N[:, d], N @ left, [light[k] for k in d])
    held = parts.Le.T @ full.K @ parts.Ne
    if len(held):
        s = np.linalg.svd(held / np.maximum(_sizes(parts.Le, full.K, parts.Ne), 1e-300), compute_uv=False)
        if s.min() <= NOTHING:
            raise InputError(massless_fault(point.system, point.frame, light))
    _refuse_fast_growth(point, D[np.ix_(d, d)], held, light)
    return Condensed(full, parts)


def _refuse_fast_growth(point: OperatingPoint, damping: np.ndarray, held: np.ndarray, light: list[int]) -> None:
    """With any mass, however small, a massless motion must settle at once: dampers and springs of it are positive."""
    for matrix in (damping, held):
        even = (matrix + matrix.T) / 2
        if len(even) and (
            np.linalg.eigvalsh(even).min() <= 0 or np.abs(matrix - even).max() > NOTHING * np.abs(even).max()
        ):
            of = ", ".join(point.system.names[point.chosen.positions[i]] for i in light)
            raise ComputationError(
                f"Motion without mass ({of}) is driven by what should hold it (negative or one-way stiffness or"
                f" damping): with any mass, however small, it would leave its place at once. {REMEDY}"
            )


def _sizes(left: np.ndarray, matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Rows' and columns' largest sums in left^T matrix right, as one size for each entry."""
    size = np.abs(left.T) @ np.abs(matrix) @ np.abs(right)
    return np.asarray(
        np.sqrt(size.max(axis=1, keepdims=True, initial=0.0) * size.max(axis=0, keepdims=True, initial=0.0))
    )


def _refuse_others(full: VariationalEquations) -> None:
    point = full.point
    what = ""
    if point.system.algebraic:
        what = "forces that read reactions or accelerations"
    elif point.frame.has_slips:
        what = "rolling"
    elif not point.is_equilibrium:
        what = "motion"
    if what:
        raise ComputationError(f"Massless motions that forces hold cannot be combined with {what} here. {REMEDY}")


def _light(N: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Coordinates in whose place the massless motions stand, which move most in them; N with unit entries there."""
    left, chosen = N.copy(), []
    for _ in range(N.shape[1]):
        i, k = (int(a) for a in np.unravel_index(int(np.argmax(np.abs(left))), left.shape))
        chosen.append(i)
        left = left - np.outer(left[:, k] / left[i, k], left[i])
        left[i] = 0.0
    chosen.sort()
    N = N @ np.linalg.inv(N[chosen])
    N[np.abs(N) <= 1e-13 * np.abs(N).max()] = 0.0
    return chosen, N


def _independent(rows: np.ndarray, among: list[int], wanted: list[int]) -> list[int]:
    """As many of some rows as there are columns, independent of each other: those wanted, or the largest in turn."""
    from scipy.linalg import qr

    if not rows.shape[1]:
        return []
    if np.linalg.svd(rows[wanted], compute_uv=False).min() > INDEPENDENT * np.linalg.norm(rows, axis=1).max():
        return wanted
    _, R, order = qr(rows[among].T, mode="economic", pivoting=True)
    size = np.abs(np.diagonal(R))
    if len(size) < rows.shape[1] or size.min() <= INDEPENDENT * size.max():
        raise ComputationError(f"No coordinates are left that tell all motion beside the massless one. {REMEDY}")
    return sorted(among[i] for i in order[: rows.shape[1]])


def _damped(D: np.ndarray, size: np.ndarray) -> list[int]:
    """As many massless coordinates as damping resists motions, so that it resists each of them."""
    left, chosen = D.copy(), []
    for _ in range(len(D)):
        share = np.abs(np.diagonal(left)) / np.maximum(np.diagonal(size), 1e-300)
        k = int(np.argmax(share))
        if share[k] <= NOTHING:
            break
        chosen.append(k)
        left = left - np.outer(left[:, k], left[k]) / left[k, k]
        left[k], left[:, k] = 0.0, 0.0
    if np.any(np.abs(left) > NOTHING * np.maximum(size, size.max(initial=0.0) * 1e-300)):
        raise ComputationError(f"Damping couples massless motions otherwise than a damper does. {REMEDY}")
    return sorted(chosen)


@dataclass(frozen=True, eq=False)
class Condensed:
    """Linear equations in the positions p = R [y, d] and velocities W = R_w y' that are left. Rows are over
    [y, d, y', x, in] unless said otherwise."""

    full: VariationalEquations
    parts: Parts

    def __post_init__(self) -> None:
        full, p = self.full, self.parts
        crossed = [(p.Le, full.C, p.E), (p.E, full.C, p.Ne)]
        if any(np.any(np.abs(a.T @ C @ b) > NOTHING * np.abs(full.C).max(initial=0.0)) for a, C, b in crossed):
            raise ComputationError(f"Damping couples massless motions otherwise than a damper does. {REMEDY}")
        if p.slow and np.any(p.N[p.heavy]):
            raise ComputationError(f"A massless motion that is damped also turns or moves other parts. {REMEDY}")
        if np.any(p.Le.T @ self._X) or np.any(self._S[[*self.left[0], *self.left[1]]][:, self._first_input :]):
            raise ComputationError(f"An input or a state pushes a massless motion on which coordinates rest. {REMEDY}")

    @cached_property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the positions and of the velocities that are left."""
        point, (first, slow) = self.full.point, self.left
        of = [point.system.names[i] for i in point.chosen.positions]
        return tuple(of[i] for i in (*first, *slow)), tuple(of[i] for i in first)

    @cached_property
    def left(self) -> tuple[list[int], list[int]]:
        """Coordinates that are left: one for each y, whose rates are made of y' alone, and one for each d. Those that
        stand for them serve unless the balance of forces makes some of them follow from the others."""
        y, d, p = self._y, self._d, self.parts
        S = self._S[:, : y + d]
        first = _independent(S[:, :y], [i for i in range(len(S)) if not np.any(S[i, y:])], p.heavy)
        return first, _independent(S[:, y:], [i for i in range(len(S)) if i not in first], p.slow)

    @property
    def note(self) -> str:
        """Which motions have no mass."""
        point = self.full.point
        of = ", ".join(point.system.names[point.chosen.positions[i]] for i in self.parts.light)
        return f"Motion without mass ({of}) follows from the balance of forces at every instant: eliminated exactly."

    # Sizes and loads ----------------------------------------------------------------------------------------------
    @property
    def _y(self) -> int:
        return len(self.parts.heavy)

    @property
    def _d(self) -> int:
        return len(self.parts.slow)

    @property
    def _first_input(self) -> int:
        return 2 * self._y + self._d + self._X.shape[1]

    @cached_property
    def _X(self) -> np.ndarray:
        return np.asarray(self.full.frame.Pv.T @ self.full.tangents.X)

    @cached_property
    def _B(self) -> np.ndarray:
        return np.asarray(self.full.frame.Pv.T @ self.full.tangents.B)

    @cached_property
    def _held_inverse(self) -> np.ndarray:
        return np.linalg.inv(self.parts.Le.T @ self.full.K @ self.parts.Ne)

    # Elimination --------------------------------------------------------------------------------------------------
    def _without_e(self, left: np.ndarray) -> np.ndarray:
        """Balances (n, m) to which those of e are added so that e has no part in them."""
        K, p = self.full.K, self.parts
        return left - p.Le @ (left.T @ K @ p.Ne @ self._held_inverse).T

    @cached_property
    def _on_d(self) -> np.ndarray:
        return self._without_e(self.parts.Ld)

    @cached_property
    def _on_y(self) -> np.ndarray:
        C, p = self.full.C, self.parts
        resisted = p.E.T @ C @ p.Nd @ np.linalg.inv(p.Ld.T @ C @ p.Nd) if self._d else np.zeros((self._y, 0))
        return self._without_e(p.E - p.Ld @ resisted.T)

    def _loads(self, left: np.ndarray) -> np.ndarray:
        """-left^T (C E y' + K (E y + N d)) + left^T (X x + B in)."""
        full, p = self.full, self.parts
        moving = [full.K @ p.E, full.K @ p.Nd, full.C @ p.E, -self._X, -self._B]
        return -beside([left.T @ part for part in moving])

    @cached_property
    def _e(self) -> np.ndarray:
        return self._held_inverse @ self._loads(self.parts.Le)

    @cached_property
    def _d_rate(self) -> np.ndarray:
        p = self.parts
        return np.linalg.solve(p.Ld.T @ self.full.C @ p.Nd, self._loads(self._on_d)) if self._d else self._loads(p.Ld)

    @cached_property
    def _unknowns(self) -> np.ndarray:
        return np.eye(self._first_input + self._B.shape[1])

    @cached_property
    def _S(self) -> np.ndarray:
        """All coordinates."""
        p, (y, d) = self.parts, (self._y, self._d)
        return p.E @ self._unknowns[:y] + p.Nd @ self._unknowns[y : y + d] + p.Ne @ self._e

    @cached_property
    def _W(self) -> np.ndarray:
        """Rates of all coordinates, inputs constant."""
        p, (y, d) = self.parts, (self._y, self._d)
        v = self._unknowns[y + d : 2 * y + d]
        e_rate = self._e[:, :y] @ v + self._e[:, y : y + d] @ self._d_rate
        return p.E @ v + p.Nd @ self._d_rate + p.Ne @ e_rate

    @cached_property
    def _M_y(self) -> np.ndarray:
        return np.asarray(self.parts.E.T @ self.full.M @ self.parts.E)

    @cached_property
    def _acceleration(self) -> np.ndarray:
        return np.linalg.solve(self._M_y, self._loads(self._on_y)) if self._y else self._loads(self._on_y)

    # In the coordinates that are left -----------------------------------------------------------------------------
    @cached_property
    def _back(self) -> np.ndarray:
        """[y, d, y', x, in] by [p, W, x, in]."""
        y, d = self._y, self._d
        out = np.eye(len(self._unknowns))
        R = self._S[[*self.left[0], *self.left[1]]][:, : y + d]
        out[: y + d, : y + d] = np.linalg.inv(R)
        out[y + d : 2 * y + d, y + d : 2 * y + d] = np.linalg.inv(R[:y, :y])
        return out

    @cached_property
    def form(self) -> DenseForm:
        """All matrices, and the motion of all bodies."""
        y, n, P = self._y, self._y + self._d, self.full.frame.P
        at = slice(n, n + y)
        to_y = self._back[at, at]
        loads = to_y.T @ self._loads(self._on_y) @ self._back
        own = self._S[[*self.left[0], *self.left[1]]][:, :n]
        positions = own @ np.vstack((self._unknowns[at], self._d_rate)) @ self._back
        positions[:y] = self._unknowns[at]
        noise = self.full.noise()
        left, right = np.abs(self._on_y @ to_y), np.abs(self._S @ self._back)[:, :n]
        moved = P @ self._W @ self._back
        return DenseForm(
            M=to_y.T @ self._M_y @ to_y,
            C=-loads[:, at],
            K=-loads[:, :n],
            Y=positions[:, :n],
            Z=positions[:, at],
            noise=Known(
                EntryNoise(
                    K=left.T @ noise.K @ right,
                    C=left.T @ noise.C @ np.abs(self.parts.E @ to_y),
                    Y=4 * np.finfo(float).eps * np.abs(positions[:, :n]),
                    Z=4 * np.finfo(float).eps * np.abs(positions[:, at]),
                )
            ),
            P=(P @ self._S @ self._back)[:, :n],
            Pv=moved[:, at],
            drag=moved[:, :n],
            source=KnownStateSpace(self._state_space(positions)),
        )

    def _state_space(self, positions: np.ndarray) -> StateSpace:
        y, n, frame, point = self._y, self._y + self._d, self.full.frame, self.full.point
        to_W = np.linalg.inv(self._back[n : n + y, n : n + y])
        parts = [positions, to_W @ self._acceleration @ self._back]
        if point.system.states:
            parts.append(self._through(rate_rows(point, frame, frame.is_sparse)))
        rates = np.vstack(parts)
        outputs = np.zeros((0, len(self._unknowns)))
        if point.system.outputs:
            outputs = self._through(output_rows(point, frame, frame.is_sparse))
        states = self._first_input
        return StateSpace(rates[:, :states], rates[:, states:], outputs[:, :states], outputs[:, states:])

    def _through(self, rows: Rows) -> np.ndarray:
        """Derivative of what rows read by [p, W, x, in]."""
        P, tangents, frame, states = self.full.frame.P, self.full.tangents, self.full.frame, self._first_input
        q, u, a, multipliers, x, inputs = (
            as_dense(part) for part in (rows.q, rows.u, rows.a, rows.multipliers, rows.x, rows.inputs)
        )
        jumps = P @ self.parts.Ne @ self._e[:, states:]
        if np.any(u @ jumps) or np.any(a @ (P @ self.parts.N)):
            raise ComputationError(
                "The velocity or acceleration of a massless motion is read where an input jumps. " + REMEDY
            )
        free = P @ self.parts.E @ self._acceleration
        dq, du = P @ self._S, P @ self._W
        pushed = tangents.M @ free + tangents.C @ du + tangents.K @ dq
        first = 2 * self._y + self._d
        pushed[:, first:states] -= tangents.X
        pushed[:, states:] -= tangents.B
        held = len(frame.chosen.rows)
        carried = -frame.at_velocity.solve_transposed(np.asfortranarray(pushed))[:held]
        direct = np.zeros((len(q), len(self._unknowns)))
        direct[:, first:states], direct[:, states:] = x, inputs
        return (q @ dq + u @ du + a @ free + multipliers @ carried + direct) @ self._back
