"""The cases of the comparison: their numbers, their exact results, and the line that each script prints.

Nothing here computes with a tool: a script builds the case natively in its tool and hands what it found to `show`.

pendulum        bar of square section (mass, length, width) on a hinge about y; exact: omega^2 = m g l / (I + m l^2)
parallelogram   two cranks and a coupler, thin rods of 1 m and 2 kg, hanging; exact: omega^2 = 1.2 g
upside down     the same with gravity reversed, its last joint a point constraint; exact: omega^2 = -1.2 g
four-bar        the same rods with ground pivots 2 m apart, so that the cranks splay; exact: `four_bar` below
rotor           centre fixed, tilt of the axis resisted by a bearing, spinning; exact: It n^2 -+ Ip Omega n - k = 0
                in ground axes, each root shifted by the speed in axes that turn with the rotor
"""

from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np

GRAVITY = 9.81

MASS, LENGTH, WIDTH = 2.0, 1.0, 0.1
ACROSS, ALONG = MASS * (LENGTH**2 + WIDTH**2) / 12, MASS * WIDTH**2 / 6  # central moments of inertia of the bar
PENDULUM = MASS * GRAVITY * LENGTH / 2 / (ACROSS + MASS * LENGTH**2 / 4)

ROD = MASS / 12  # central moment of inertia of a thin rod of 1 m
PARALLELOGRAM = 1.2 * GRAVITY

SLIM = 1e-3  # moment of inertia of a rod about its own line; the motion is planar, so it has no effect
# ground pivots and ends of the coupler, x, y, z
PARALLEL = ([0.0, 0, 0], [1.0, 0, 0], [0.0, 0, -1.0], [1.0, 0, -1.0])
SPLAYED = ([0.0, 0, 0], [2.0, 0, 0], [0.5, 0, -sqrt(0.75)], [1.5, 0, -sqrt(0.75)])

POLAR, TRANSVERSE, TILT, SPEED, ROTOR_MASS = 1.0, 0.6, 500.0, 50.0, 4.0
_ROOT = sqrt((POLAR * SPEED) ** 2 + 4 * TRANSVERSE * TILT)
BACKWARD, FORWARD = (_ROOT - POLAR * SPEED) / (2 * TRANSVERSE), (_ROOT + POLAR * SPEED) / (2 * TRANSVERSE)
ROTOR = (BACKWARD, FORWARD)
ROTOR_TURNING = (FORWARD - SPEED, BACKWARD + SPEED)


class Rod(NamedTuple):
    """A thin rod from one point to another: centre, and inertia about it in global axes."""

    start: np.ndarray
    end: np.ndarray

    @property
    def centre(self):
        """Middle of the rod."""
        return (self.start + self.end) / 2

    @property
    def inertia(self):
        """Central inertia, 3 x 3."""
        along = self.end - self.start
        return ROD * np.eye(3) - (ROD - SLIM) * np.outer(along, along)


def rods(points):
    """Left crank, coupler and right crank of a four-bar, each from its first to its second joint."""
    a, b, c, d = np.array(points)
    return Rod(a, c), Rod(c, d), Rod(b, d)


def four_bar():
    """omega^2 of the splayed four-bar, by differentiating its loop twice along the motion of the left crank.

    Angles a of left crank, coupler and right crank to the x axis: e(a0) + e(a1) - e(a2) = (2, 0), e = (cos, sin).
    """
    a, b, c, d = np.array(SPLAYED)[:, ::2]
    directions = np.array([c - a, d - c, d - b])
    signs = np.array([1.0, 1.0, -1.0])
    slopes = (signs[:, None] * directions[:, ::-1] * [-1, 1]).T  # derivative of the loop by the angles
    first = np.array([1.0, *np.linalg.solve(slopes[:, 1:], -slopes[:, 0])])
    bend = -(signs[:, None] * directions).T @ first**2
    second = np.array([0.0, *np.linalg.solve(slopes[:, 1:], -bend)])
    share = MASS * np.array([1.5, 0.5, 0.5])  # heights: m (z0/2) + m (z0 + z1/2) + m (z2/2), z = sin of the angles
    lift = directions[:, 0] @ (share * second) - directions[:, 1] @ (share * first**2)
    joint = first[0] * first[1] * directions[0] @ directions[1]  # crank and coupler move the coupler's centre together
    mass = MASS * ((first**2 @ [4, 1, 1]) / 3 + joint)
    return GRAVITY * lift / mass


def title(tool, version):
    """First line of a script's output."""
    print(f"{tool} {version}")


def show(case, way, found, exact=None, note=""):
    """One line: what the tool found by one way, the exact result, and the largest relative difference."""
    found = _numbers(found)
    text = f"  {case:14} {way:38} {_text(found):>20}"
    if exact is not None:
        exact = _numbers(exact)
        text += f"   exact {_text(exact):>16}   {_verdict(found, exact)}"
    print(text + (f"   {note}" if note else ""), flush=True)


def say(case, way, text):
    """One line for a way that gives no number."""
    print(f"  {case:14} {way:38} {text}", flush=True)


def _numbers(values):
    return [float(v) for v in values] if hasattr(values, "__len__") else [float(values)]


def _text(values):
    return " / ".join("0" if abs(v) < 5e-4 else f"{v:.3f}" for v in values)


def _verdict(found, exact):
    if len(found) != len(exact):
        return "other number of modes"
    error = max(abs(a - b) / abs(b) for a, b in zip(found, exact, strict=True))
    if not isfinite(error):
        return "no number"
    return "right" if error < 1e-4 else f"off by {float(f'{100 * error:.2g}'):g} %"
