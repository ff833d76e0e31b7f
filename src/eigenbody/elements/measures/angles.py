"""Angles of an intrinsic sequence of three rotations, R_rel = R1(a) R2(b) R3(c): Euler zxz, Cardan xyz, all twelve.

With R_pq the cosine between axis p of the first frame and axis q of the second, m the axis that is neither i nor j, and
sign = 1 where j follows i as in x, y, z, x, else -1:

    Cardan ijk:  a = atan2(-sign R_jk, R_kk)    sin b = sign R_ik    c = atan2(-sign R_ij, R_ii)    -pi/2 < b < pi/2
    Euler iji:   a = atan2(R_ji, -sign R_mi)    cos b = R_ii         c = atan2(R_ij, sign R_im)     0 < b < pi

At the ends of b the first and the third angle turn about the same axis: only their sum or difference is known there.
"""

from __future__ import annotations

import numpy as np

from eigenbody.elements.measures.compose import Composed, Outer
from eigenbody.elements.measures.features import Feature, ScalarProduct
from eigenbody.elements.measures.templates import Pairs, arctangent

LETTERS = "xyz"
SEQUENCES = tuple(a + b + c for a in LETTERS for b in LETTERS for c in LETTERS if a != b and b != c)


def angle_kernels(pairs: Pairs, sequence: str) -> tuple[Composed, Composed, Composed]:
    """The three angles between the frames of every pair."""
    i, j, k = (LETTERS.index(letter) for letter in sequence)
    m, sign = 3 - i - j, 1 if (j - i) % 3 == 1 else -1

    def cosine(p: int, q: int, factor: int = 1) -> ScalarProduct:
        x = pairs.direction(f"{LETTERS[p]}1")
        x = x if factor > 0 else Feature(x.c, -x.arm)
        return ScalarProduct(pairs.carriers, x, pairs.direction(f"{LETTERS[q]}2"))

    if i == k:
        first, middle, last = (cosine(j, i), cosine(m, i, -sign)), cosine(i, i), (cosine(i, j), cosine(i, m, sign))
        return Composed(OUTER_ANGLE, first), Composed(ARCCOSINE, (middle,)), Composed(OUTER_ANGLE, last)
    first, middle, last = (cosine(j, k, -sign), cosine(k, k)), cosine(i, k, sign), (cosine(i, j, -sign), cosine(i, i))
    return Composed(OUTER_ANGLE, first), Composed(ARCSINE, (middle,)), Composed(OUTER_ANGLE, last)


def _outer_angle(b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """Zero where the angle is not defined, without derivatives."""
    lost = np.all(b == 0, axis=-1)
    found = arctangent(np.where(lost[..., None], 1.0, b), order)
    return tuple(
        np.where(lost[(..., *(None,) * k)], np.nan if k else 0.0, part) for k, part in enumerate(found[: order + 1])
    )


def _arcsine(b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """Of b = (x,), without derivatives at its ends; rounding may take x beyond them."""
    x = b[..., 0]
    end = np.abs(np.real(x)) >= 1
    x = np.where(end, np.sign(np.real(x)), x)
    inside = np.where(end, np.nan, 1 - x * x)
    slope = 1 / np.sqrt(inside)
    second, third = x * slope / inside, (1 + 2 * x * x) * slope / inside**2
    whole = (np.arcsin(x), slope[..., None], second[..., None, None], third[..., None, None, None])
    return whole[: order + 1]


def _arccosine(b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    value, *derivatives = _arcsine(b, order)
    return (np.pi / 2 - value, *(-d for d in derivatives))


OUTER_ANGLE = Outer("first or last angle of a sequence", _outer_angle, counts_turns=True)
ARCSINE = Outer("arcsine", _arcsine)
ARCCOSINE = Outer("arccosine", _arccosine)
