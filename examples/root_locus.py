"""Root locus over speed of the single-track car, and the critical speed of one that oversteers.

Prints the exponents at each speed; with matplotlib at hand, `python examples/root_locus.py --plot` draws them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import eigenbody as eb

CAR = Path(__file__).parent / "single_track_car.yaml"


def exponents(V: float, Cf: float) -> np.ndarray:
    """Non-zero eigenvalues at the speed V (m/s), conjugates included."""
    found = eb.modes(eb.load(CAR, V=V, Cf=Cf)).eigenvalues
    found = found[found != 0]
    return np.concatenate((found, found[found.imag != 0].conj()))


def locus(speeds: np.ndarray, Cf: float) -> dict[float, np.ndarray]:
    """Exponents by speed."""
    return {V: exponents(V, Cf) for V in speeds.tolist()}


def critical_speed(Cf: float, low: float, high: float) -> float:
    """Speed at which the largest real part crosses zero, where it does between `low` and `high`."""
    from scipy.optimize import brentq

    return float(brentq(lambda V: exponents(V, Cf).real.max(), low, high, xtol=1e-10))


if __name__ == "__main__":
    found = locus(np.arange(10, 61, 10), 140e3)
    for V, roots in found.items():
        print(f"{V:5.0f} m/s  ", "  ".join(f"{x:.4f}" for x in roots))
    print(f"critical speed {critical_speed(140e3, 30, 60):.6f} m/s")
    if "--plot" in sys.argv:
        import matplotlib.pyplot as plt

        for roots in found.values():
            plt.plot(roots.real, roots.imag, "o")
        plt.xlabel("real part (1/s)")
        plt.ylabel("imaginary part (1/s)")
        plt.show()
