"""Transition matrices of x' = A(t) x over the segments of an interval, by Gauss collocation.

With the Gauss points c, weights b and coefficients a of one segment of length h, and A_j = A at the j-th point,

    X_i = I + h sum_j a_ij A_j X_j,    Phi = I + h sum_j b_j A_j X_j

of order 2 * STAGES (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.7): A is needed at these
points alone. The method is A-stable: motions that are damped fast need no short segments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

STAGES = 8
ENTRIES = 4_000_000  # numbers of the linear systems that are solved at a time


@dataclass(frozen=True)
class Mesh:
    """Segments of an interval, with Gauss points in each. `ends` are where they end, as parts of the length; all are
    equal where it is empty. `breaks` are those of the ends at which something jumps."""

    start: float
    length: float
    segments: int
    ends: tuple[float, ...] = ()
    breaks: tuple[float, ...] = ()

    @cached_property
    def parts(self) -> np.ndarray:
        """Where segments begin, and where the last one ends (segments + 1,), as parts of the length."""
        if self.ends:
            return np.array((0.0, *self.ends))
        return np.arange(self.segments + 1) / self.segments

    @cached_property
    def steps(self) -> np.ndarray:
        """Lengths of the segments (segments,)."""
        if self.ends:
            return self.length * np.diff(self.parts)
        return np.full(self.segments, self.length / self.segments)

    @cached_property
    def times(self) -> np.ndarray:
        """All Gauss points in order (segments * STAGES,)."""
        first = self.length * self.parts[:-1, None]
        return (self.start + first + self.steps[:, None] * gauss_rule()[0]).ravel()

    @cached_property
    def weights(self) -> np.ndarray:
        """Of the integral over the interval, for each of `times`."""
        return (self.steps[:, None] * gauss_rule()[1]).ravel()

    def halved(self) -> Mesh:
        """Each segment as two."""
        if not self.ends:
            return replace(self, segments=2 * self.segments)
        middles = 0.5 * (self.parts[:-1] + self.parts[1:])
        both = np.stack((middles, self.parts[1:]), axis=-1).ravel()
        return replace(self, segments=2 * self.segments, ends=tuple(both.tolist()))


@dataclass(frozen=True, eq=False)
class Transitions:
    """Phi of each segment (K, n, n), and x at the Gauss points from x at the segment's begin (K, STAGES, n, n)."""

    mesh: Mesh
    segments: np.ndarray
    stages: np.ndarray

    @cached_property
    def prefixes(self) -> np.ndarray:
        """Phi from the start of the interval to the begin of each segment, and to the end (K + 1, n, n)."""
        out = [np.eye(self.segments.shape[-1])]
        for one in self.segments:
            out.append(one @ out[-1])
        return np.stack(out)

    @property
    def whole(self) -> np.ndarray:
        """Phi over the whole interval."""
        return self.prefixes[-1]

    def at_times(self, start: np.ndarray) -> np.ndarray:
        """x (times, n, m) at the Gauss points from x (n, m) at the start."""
        found = self.stages @ (self.prefixes[:-1] @ start)[:, None]
        return found.reshape(found.shape[0] * found.shape[1], *found.shape[-2:])

    def moved_by(self, error: np.ndarray) -> np.ndarray:
        """What errors of A of at most `error` (n, n) at every time make of `whole` at most (n, n), to first order: the
        sum of Phi(end, t) error Phi(t, start) in size. From a Gauss point to the end of its segment the motion is taken
        to be that over the same time from its begin."""
        size = np.abs(self.stages)  # Gauss points lie symmetrically
        own = np.tensordot(gauss_rule()[1], np.moveaxis(size[:, ::-1] @ error @ size, 1, 0), 1)
        out = np.zeros_like(self.whole)
        after = np.eye(len(out))
        for k in reversed(range(len(self.segments))):
            out += self.mesh.steps[k] * (np.abs(after) @ own[k] @ np.abs(self.prefixes[k]))
            after = after @ self.segments[k]
        return out

    def rounding(self, relative: float) -> np.ndarray:
        """Size (n, n) of the error of `whole` where every segment has errors of `relative` times its entries."""
        out = np.zeros_like(self.whole)
        after = np.eye(len(out))
        for k in reversed(range(len(self.segments))):
            out += np.abs(after) @ np.abs(self.segments[k]) @ np.abs(self.prefixes[k])
            after = after @ self.segments[k]
        return relative * out


def gauss_rule() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (s,), weights (s,) and coefficients a (s, s) on the interval from 0 to 1."""
    from numpy.polynomial import legendre

    x, w = legendre.leggauss(STAGES)
    values = legendre.legvander(x, STAGES - 1)
    integrals = np.stack([legendre.legval(x, legendre.legint(e, lbnd=-1)) for e in np.eye(STAGES)], axis=-1)
    return (x + 1) / 2, w / 2, 0.5 * np.linalg.solve(values.T, integrals.T).T


def transitions(A: np.ndarray, mesh: Mesh) -> Transitions:
    """Of x' = A x with A (times, n, n) at the Gauss points of the mesh."""
    n, h = A.shape[-1], mesh.steps[:, None, None]
    _, b, a = gauss_rule()
    A = A.reshape(mesh.segments, STAGES, n, n)
    if not n:
        return Transitions(mesh, A[:, 0], A)
    stages = np.empty_like(A)
    rhs = np.tile(np.eye(n), (STAGES, 1))
    chunk = max(1, ENTRIES // (STAGES * n) ** 2)
    for first in range(0, mesh.segments, chunk):
        part = slice(first, first + chunk)
        blocks = -np.einsum("ij,kjmn->kimjn", a, h[part, None] * A[part])
        left = np.eye(STAGES * n) + blocks.reshape(-1, STAGES * n, STAGES * n)
        stages[part] = np.linalg.solve(left, np.broadcast_to(rhs, (len(left), *rhs.shape))).reshape(-1, STAGES, n, n)
    ends = np.eye(n) + h * np.einsum("j,kjmn->kmn", b, A @ stages)
    return Transitions(mesh, ends, stages)
