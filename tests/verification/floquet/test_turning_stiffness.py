"""Shafts whose stiffness turns: where they become unstable, against equations by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import eigenbody as eb
from turning_stiffness import in_frame_of_shaft, transition, unsymmetric_shaft

MODEL = eb.load(Path(__file__).parents[3] / "examples" / "unsymmetric_shaft.yaml")


def growth_by_hand(speed: float, ky: float) -> float:
    """Largest real part of an exponent: in the frame of the shaft on equal bearings, else over a turn."""
    if ky == 8e6:
        return float(np.linalg.eigvals(in_frame_of_shaft(speed)).real.max())
    period = 2 * np.pi / speed
    return float(np.log(np.abs(np.linalg.eigvals(transition(unsymmetric_shaft(speed), period))).max()) / period)


@pytest.mark.parametrize("ky", [8e6, 4e6])
def test_edges_of_the_unstable_band(ky: float) -> None:
    """Equal bearings, where a frame has constant coefficients, and unequal ones, where none has: the verdict changes
    within 1e-6 of the edges by hand."""
    first, last = (brentq(growth_by_hand, *ends, args=(ky,), xtol=1e-9) for ends in ((125, 140), (150, 168)))
    inside, outside = (first * (1 + 1e-6), last * (1 - 1e-6)), (first * (1 - 1e-6), last * (1 + 1e-6))
    for speeds, word in ((inside, "unstable"), (outside, "stable")):
        for speed in speeds:
            assert eb.floquet(MODEL.with_parameters(ky=ky, speed=speed)).stability == word
