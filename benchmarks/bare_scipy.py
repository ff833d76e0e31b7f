"""The limit to come near: the same mechanism with nothing but NumPy and SciPy.

    python benchmarks/bare_scipy.py L333RF1

Vectorized assembly of mass, stiffness, damping and constraint rows from arrays, one sparse LU, 20 lowest modes by
shift-invert at zero. No file, no names, no units, no checks, no certificate; it knows that the mechanism is unloaded
and at rest (no geometric stiffness) and which rows of a ladder of revolute joints are redundant. Nothing of eigenbody
is imported.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigs, eigsh, splu

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from families import DAMPING, LINKS, NAME, STIFFNESS

DEGREE = np.pi / 180
MASS = np.array([4.0, 4, 4, 1, 1, 1])


def arrays(name):
    """Parent and child numbers (ground -1), joint points, centres, rows held at each joint (joints, 6)."""
    match = NAME.fullmatch(name)
    number, parent, child, points, centres = {"ground": -1}, [], [], [], []
    for link in LINKS[match["kind"]](int(match["size"])):
        if link.centre is not None:
            number[link.child] = len(centres)
            centres.append(link.centre)
        parent.append(number[link.parent])
        child.append(number[link.child])
        points.append(link.joint)
    held = np.tile([True, True, True, True, True, False] if match["letter"] == "R" else [True] * 3 + [False] * 3,
                   (len(points), 1))  # fmt: skip
    if match["kind"] == "L" and match["letter"] == "R":
        held[3::4, 2:5] = False  # the joint that closes a planar loop holds x and y; its other three rows are redundant
    return np.array(parent), np.array(child), np.array(points, float), np.array(centres, float), held


def assemble(parent, child, points, centres, held):
    """M, C, K over the six coordinates of every body, and the held rows G, of the mechanism at rest."""
    joints, n = len(parent), 6 * len(centres)
    inside = parent >= 0
    entries = []
    for body, sign, mask in ((child, 1.0, np.ones(joints, bool)), (parent, -1.0, inside)):
        x, y, z = np.where(mask[:, None], points - centres[body], 0.0).T
        block = np.zeros((joints, 6, 6))
        block[:, range(6), range(6)] = 1
        block[:, 0, 4], block[:, 0, 5], block[:, 1, 3] = z, -y, -z  # displacement of the point: dr + dtheta x arm
        block[:, 1, 5], block[:, 2, 3], block[:, 2, 4] = x, y, -x
        rows = (6 * np.arange(joints)[:, None, None] + np.arange(6)[None, :, None]) + np.zeros((1, 1, 6), int)
        columns = (6 * body[:, None, None] + np.arange(6)[None, None, :]) + np.zeros((1, 6, 1), int)
        entries.append((sign * block[mask].ravel(), rows[mask].ravel(), columns[mask].ravel()))
    values, rows, columns = (np.concatenate(part) for part in zip(*entries, strict=True))
    relative = sp.csr_array((values, (rows, columns)), shape=(6 * joints, n))  # motion at each joint
    relative.eliminate_zeros()
    stiffness = np.tile([STIFFNESS] * 3 + [STIFFNESS / DEGREE] * 3, joints)
    K = (relative.T @ sp.diags_array(stiffness) @ relative).tocsc()
    C = K * (DAMPING / STIFFNESS)
    return sp.diags_array(np.tile(MASS, len(centres)), format="csc"), C, K, relative[held.ravel()]


def solver_of(K, G):
    """x -> the dq of [K G^T; G 0] [dq; multipliers] = [x; 0]."""
    n = K.shape[0]
    lu = splu(sp.block_array([[K, G.T], [G, None]], format="csc"))
    zeros = np.zeros(G.shape[0])
    return lambda x: lu.solve(np.concatenate((x, zeros)))[:n]


def undamped(M, K, G, k):
    """The k lowest frequencies in Hz of M, K."""
    n, dof = K.shape[0], K.shape[0] - G.shape[0]
    solve = solver_of(K, G)
    start = solve(np.random.default_rng(0).standard_normal(n))
    inverse = LinearOperator((n, n), matvec=solve, dtype=float)
    k = min(k, dof - 1)
    values = eigsh(K, k, M, sigma=0, OPinv=inverse, v0=start, ncv=min(2 * k + 1, dof), return_eigenvectors=False)
    return np.sqrt(np.sort(values)) / (2 * np.pi)


def damped(M, C, K, G, k):
    """The k lowest |eigenvalue| / 2 pi of the damped pencil, one per pair: z = [dq, du], shift-invert at zero."""
    n, dof = K.shape[0], K.shape[0] - G.shape[0]
    solve, mass = solver_of(K, G), M.diagonal()

    def inverse(z):
        q, u = z[:n], z[n:]
        return np.concatenate((-solve(C @ q + mass * u), q))

    generator = np.random.default_rng(0)
    start = np.concatenate([solve(generator.standard_normal(n)) for _ in range(2)])
    count = min(2 * k + 4, 2 * dof - 2)
    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=float)
    values = eigs(operator, count, v0=start, ncv=min(2 * count + 1, 2 * dof), return_eigenvectors=False)
    return np.sort(1 / np.abs(values[values.imag >= 0]))[:k] / (2 * np.pi)


def limit(name, k=20, repeats=3):
    """Best seconds of the undamped and of the damped job, from arrays to frequencies, and the frequencies."""
    parts = arrays(name)
    best = {"undamped": np.inf, "damped": np.inf}
    for _ in range(repeats):
        start = time.perf_counter()
        M, C, K, G = assemble(*parts)
        assembled = time.perf_counter()
        lowest = undamped(M, K, G, k)
        middle = time.perf_counter()
        pairs = damped(M, C, K, G, k)
        end = time.perf_counter()
        best["undamped"] = min(best["undamped"], middle - start)
        best["damped"] = min(best["damped"], end - middle + assembled - start)
    return {**best, "frequencies": lowest.tolist(), "damped_frequencies": pairs.tolist()}


if __name__ == "__main__":
    print(json.dumps(limit(sys.argv[1], repeats=int(sys.argv[2]) if len(sys.argv) > 2 else 3)))
