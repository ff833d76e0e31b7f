"""Numbers as a person would have written them: without the rounding of products of rotations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from eigenbody.spatial.rotations import quaternion

LARGEST = 1e100  # of numbers in a file
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
DIGITS = 15  # significant, of the largest: what products of rotations leave is below
NOTHING = 4e-16  # sine of half an angle that turns nothing


def read_numbers(text: str) -> list[float] | None:
    """Numbers between blanks, as C reads them; None where one of them is none, or not finite."""
    parts = text.split()
    if not all(_PLAIN.fullmatch(part) for part in parts):
        return None
    values = [float(part) for part in parts]
    return values if all(abs(value) < LARGEST for value in values) else None


def is_endless(text: str) -> bool:
    """Whether a limit is none: `inf`, `-inf`."""
    return text.strip().lstrip("+-").lower() in ("inf", "infinity")


def clean(values: Any, size: float | None = None) -> Any:
    """The numbers (a number, or lists) without what is a rounding beside `size`, or beside the largest of them."""
    array = np.asarray(values, dtype=float)
    largest = float(np.abs(array).max(initial=0.0)) if size is None else size
    if not largest > 0:
        return array.tolist()
    decimals = DIGITS - 1 - int(np.floor(np.log10(largest)))
    return (np.array([round(float(value), decimals) for value in array.ravel()]) + 0.0).reshape(array.shape).tolist()


def direction(vector: np.ndarray) -> list[float]:
    """A direction, its largest component one or as it stands where it is a unit vector along an axis."""
    return clean(vector / np.abs(vector).max())


def rotation(R: np.ndarray) -> dict[str, Any] | None:
    """`{axis, angle}` of a rotation matrix; None where it turns nothing."""
    w, *v = quaternion(R)
    sine = float(np.linalg.norm(v))
    if sine <= NOTHING:
        return None
    angle = 2 * np.arctan2(sine, w)
    axis = np.array(v) / sine
    if angle > np.pi:
        axis, angle = -axis, 2 * np.pi - angle
    if axis[np.argmax(np.abs(axis))] < 0:
        axis, angle = -axis, -angle
    return {"axis": direction(axis), "angle": float(angle)}


def summed(terms: Iterable[tuple[float, str]]) -> str:
    """`2*a - 0.5*b` of factors and what stands behind them; zero ones are left out."""
    text = ""
    for factor, word in terms:
        if factor:
            sign = (" - " if text else "-") if factor < 0 else (" + " if text else "")
            text += f"{sign}{abs(float(factor))!r}".removesuffix(".0") + word
    return text or "0"
