"""Analytic linearization against finite differences, as in Tables 3.5, 3.6, 4.1 and 4.2 of Trom (1990).

    python benchmarks/linearization_routes.py

For each mechanism the largest error of the state matrix, relative to its largest entry, against the main engine, and
milliseconds of the processor (the least of five): `relative` with exact partial derivatives, `difference` with
automatic steps, and `dithered`, one forward difference with the fixed step 1e-4 of the source, and with 1e-8; and the
engine itself (`eb.linearize` at a known point). A forward difference takes one solution of the equations of motion for
each state and one more, which is what `states + 1` counts.
"""

from __future__ import annotations

import runpy
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


def chain() -> eb.Model:
    """Trom's chain of seven freedoms with springs chosen here, at its equilibrium (examples/seven_freedom_chain.py)."""
    names = runpy.run_path(str(ROOT / "examples" / "seven_freedom_chain.py"))
    return names["model"](position=eb.equilibrium(names["model"]()).point.coordinates())


CASES: dict[str, Any] = {
    "slider-pendulum (Table 3.5)": ROOT / "examples" / "slider_pendulum.yaml",
    "chain of seven freedoms (3.6)": chain,
    "spatial four-bar (4.1)": ROOT / "examples" / "four_bar.yaml",
    "McPherson strut (4.2)": ROOT / "examples" / "mcpherson_strut.yaml",
    "twist axle (4.2)": ROOT / "examples" / "twist_axle.yaml",
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


def timed(call: Callable[[], np.ndarray], runs: int = 5) -> tuple[np.ndarray, float]:
    """Result and the least time of the processor."""
    best = np.inf
    for _ in range(runs):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return result, best


@on_one_thread
def row(name: str, document: Any) -> str:
    """One line of the table."""
    model = document() if callable(document) else eb.load(document)
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
    cells.append(f"{1e3 * timed(lambda: np.asarray(eb.linearize(point).A))[1]:8.1f}")
    return f"{name:32} {len(reference) // 2:3d} {len(reference) + 1:6d}  " + "  ".join(cells)


def main() -> None:
    """Print the table."""
    ways = ("relative", "difference", "dithered 1e-4", "dithered 1e-8")
    print(f"{'':43}  " + "  ".join(f"{way:17}" for way in ways) + "    engine")
    print(f"{'mechanism':32} dof states  " + "  ".join(f"{'error':>8} {'ms':>8}" for _ in ways) + f"  {'ms':>8}")
    print(f"{'':36}   + 1")
    for name, document in CASES.items():
        print(row(name, document), flush=True)


if __name__ == "__main__":
    main()
