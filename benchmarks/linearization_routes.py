"""Analytic linearization against finite differences, as in Tables 3.5, 3.6 and 4.1 of Trom (1990).

    python benchmarks/linearization_routes.py

For each mechanism the largest error of the state matrix, relative to its largest entry, against the main engine, and
seconds (best of three): `relative` with exact partial derivatives, `difference` with automatic steps, and `dithered`,
one forward difference with the fixed step 1e-4 of the source, and with 1e-8.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import eigenbody as eb
from eigenbody.analyses.verify.difference import DisturbedMotion
from eigenbody.analyses.verify.difference import linearize as by_differences
from eigenbody.analyses.verify.find import place_of
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.routes.base import Linear
from eigenbody.routes.relative import linearize as by_partials

ROOT = Path(__file__).resolve().parents[1]


def chain() -> dict[str, Any]:
    """Seven freedoms like Trom's Fig. 3.5 (whose springs and axes are not given): a moving chain of four joints."""
    bodies = {f"b{k}": {"mass": 5 + k, "inertia": [2, 2.5, 1], "at": [2 * k + 1, 0.1 * k, 0]} for k in range(4)}
    kinds = [
        {"type": "revolute", "axis": [0, 1, 0], "velocity": 0.5},
        {"type": "universal", "axis": [0, 1, 0], "axis2": [0, 0, 1], "velocity": [1, 2]},
        {"type": "prismatic", "axis": [1, 0, 0]},
        {"type": "spherical", "velocity": [1, 0, 2]},
    ]
    joints = {
        f"j{k}": {**kind, "between": ["ground" if k == 0 else f"b{k - 1}", f"b{k}"], "at": [2 * k, 0, 0]}
        for k, kind in enumerate(kinds)
    }
    forces = {
        "wall": {
            "type": "spring",
            "between": ["ground", "b3"],
            "at": [[9, 0, 2], [8, 0, 0]],
            "k": 500,
            "free_length": 1,
        },
        "slider": {"type": "spring", "along": "j2", "k": 800, "c": 5},
    }
    return {"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints, "forces": forces}


CASES: dict[str, Any] = {
    "slider-pendulum (Table 3.5)": ROOT / "examples" / "slider_pendulum.yaml",
    "chain of seven freedoms (3.6)": chain(),
    "spatial four-bar (4.1)": ROOT / "examples" / "four_bar.yaml",
    "rotating pendulum (5.1)": ROOT / "examples" / "rotating_pendulum.yaml",
    "rotor on stator, spinning": ROOT / "examples" / "rotor_stator.yaml",
    "Stewart platform": ROOT / "examples" / "stewart_platform.yaml",
}


def state_matrix(linear: Linear) -> np.ndarray:
    """A of a route's result."""
    if "A" in linear.matrices:
        return linear.matrices["A"]
    M, C, K = (linear.matrices[key] for key in "MCK")
    n = len(M)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, np.hstack((K, C)))]])


def dithered(point: eb.OperatingPoint, step: float) -> np.ndarray:
    """State matrix by one forward difference for each column, all with the same step (Trom 1990, Eq. 3.7)."""
    nS, nW = len(point.chosen.positions), len(point.chosen.velocities)
    return DisturbedMotion(point).rates(*np.split(step * np.eye(nS + nW), [nS, nS + nW], axis=1)).T / step


def timed(call: Callable[[], np.ndarray], runs: int = 3) -> tuple[np.ndarray, float]:
    """Result and the best time."""
    best = np.inf
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return result, best


@on_one_thread
def row(name: str, document: Any) -> str:
    """One line of the table."""
    model = eb.load(document)
    point = eb.operating_point(model)
    place, description = place_of(point), model.description
    reference = np.asarray(eb.linearize(model, at=point).A)
    ways: list[Callable[[], np.ndarray]] = [
        lambda: state_matrix(by_partials(description, place)),
        lambda: state_matrix(by_differences(point)),
        lambda: dithered(point, 1e-4),
        lambda: dithered(point, 1e-8),
    ]
    cells = []
    for way in ways:
        A, seconds = timed(way)
        cells.append(f"{np.abs(A - reference).max() / np.abs(reference).max():8.1e} {1e3 * seconds:8.1f}")
    return f"{name:32} {len(reference) // 2:3d}  " + "  ".join(cells)


def main() -> None:
    """Print the table."""
    print(f"{'':36}  " + "  ".join(f"{way:17}" for way in ("relative", "difference", "dithered 1e-4", "dithered 1e-8")))
    print(f"{'mechanism':32} dof  " + "  ".join(f"{'error':>8} {'ms':>8}" for _ in range(4)))
    for name, document in CASES.items():
        print(row(name, document), flush=True)


if __name__ == "__main__":
    main()
