"""Constraint-topology transformation against the conventional way, by operations and by time (Jiang, Chen & Luo 2011).

    python benchmarks/constraint_topology.py [C10RF1 T5RF1 L10RF1 ...]

Section 5.1 of the paper counts sizes of matrices and claims less work; its comparison of times is missing. For each
member of its families: operations (multiplications and additions of dense matrices) of the two ways, and milliseconds
of the processor, the least of five:

  conventional   the augmented matrix of order 12 n - m solved for the m free motions, dense; nothing else of it
  topology       the route as published (`eigenbody linearize --method topology`): free system, B', B'', M'', C'', K''
  engine         `eb.linearize` at a known point, exact, with the stiffness of loaded joints; and with that point found

The three give the same M, C, K up to the choice of coordinates; eigenvalues are compared before a time is shown.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import null_space

import eigenbody as eb
from eigenbody.analyses.verify.find import place_of
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.routes.topology import Oscillations, state_matrix

MEMBERS = ("C10RF1", "C30RF1", "C100RF1", "T4RF1", "T6RF1", "T5SF1", "L3RF1", "L10RF1", "L30RF1")
AGREE = 1e-8


def least(call: Callable[[], Any], runs: int = 5) -> tuple[Any, float]:
    """Result and milliseconds of the processor."""
    best, result = np.inf, None
    for _ in range(runs):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return result, 1e3 * best


def augmented(M: np.ndarray, C: np.ndarray, K: np.ndarray, B: np.ndarray, G: np.ndarray) -> np.ndarray:
    """A by accelerations for each free motion: [[M, G^T], [G, 0]] [q''; lambda] = [-K B, -C B; 0]."""
    n, rows, m = len(M), len(G), B.shape[1]
    whole = np.zeros((n + rows, n + rows))
    whole[:n, :n], whole[n:, :n], whole[:n, n:] = M, G, G.T
    right = np.zeros((n + rows, 2 * m))
    right[:n, :m], right[:n, m:] = -K @ B, -C @ B
    q2 = np.linalg.solve(whole, right)[:n]
    A = np.zeros((2 * m, 2 * m))
    A[:m, m:] = np.eye(m)
    A[m:] = np.linalg.lstsq(B, q2, rcond=None)[0]
    return A


def operations(n: int, m: int, tree: int, cut: int) -> tuple[float, float]:
    """Dense operations: LU of order 12 n - m, 2 m right sides; products with B' (6 n, tree), QR of cut rows, B''."""
    order = 12 * n - m
    conventional = 2 / 3 * order**3 + 2 * order**2 * 2 * m
    topology = 3 * (2 * (6 * n) ** 2 * tree + 2 * 6 * n * tree**2)
    if cut:
        topology += 2 * cut * tree**2 + 3 * (2 * tree**2 * m + 2 * tree * m**2)
    return conventional, float(topology)


def spectrum(A: np.ndarray) -> np.ndarray:
    """Sizes of the eigenvalues in order."""
    return np.sort(np.abs(np.linalg.eigvals(A)))


def matrices(point: eb.OperatingPoint) -> eb.LinearModel:
    """The linear model with M, C and K formed."""
    linear = eb.linearize(point, solver="dense")
    assert linear.M is not None
    assert linear.C is not None
    assert linear.K is not None
    return linear


@on_one_thread
def row(name: str) -> str:
    """One line of the table."""
    model = eb.new("family", name)
    point = eb.operating_point(model)
    place = place_of(point)
    system, _ = least(lambda: Oscillations(model.description, place), 1)
    (M2, C2, K2), by_topology = least(lambda: Oscillations(model.description, place).matrices(False))
    M, C, K = system.M, system.C, system.K
    B = system.B1 @ system.B2
    G = null_space(B.T).T
    A, conventional = least(lambda: augmented(M, C, K, B, G))
    _, engine = least(lambda: matrices(point))
    linear, whole = least(lambda: matrices(eb.operating_point(model)))
    reference = spectrum(np.asarray(linear.A))
    for other in (spectrum(A), spectrum(state_matrix(M2, C2, K2))):
        assert np.abs(other - reference).max() < AGREE * reference.max(), name
    n, m = len(M) // 6, B.shape[1]
    counts = operations(n, m, system.B1.shape[1], len(system.rows))
    return (
        f"{name:8} {n:4} {m:4} {counts[0]:10.1e} {counts[1]:10.1e} {counts[0] / counts[1]:7.1f}  "
        f"{conventional:10.2f} {by_topology:10.2f} {engine:10.2f} {whole:10.2f}"
    )


def main(names: list[str]) -> None:
    """Print the table."""
    print(f"{'':18} {'operations':>29}  {'milliseconds of the processor':>43}")
    print(
        f"{'member':8} {'n':>4} {'m':>4} {'augmented':>10} {'topology':>10} {'ratio':>7}  "
        f"{'augmented':>10} {'topology':>10} {'engine':>10} {'with point':>10}"
    )
    for name in names:
        print(row(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(MEMBERS))
