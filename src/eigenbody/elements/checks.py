"""Checks that several element types share: what their keys must fulfil together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.base.batched import Variants, agreed, verdict
from eigenbody.spatial.rotations import dot

Wrong = tuple[str, str, str]  # key, what is wrong, what to do

POINT_MISSING: Wrong = ("", "has no point.", 'Give it as "at: [x, y, z]", or join two markers.')


def any_marker(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> bool:
    """Whether one of the two ends is a marker, which brings its own point and axes."""
    ends = values.get("between")
    return isinstance(ends, tuple | list) and any(isinstance(end, str) and is_marker(end) for end in ends)


def axes_fit(values: Mapping[str, Any], right_angle: bool) -> Iterator[Wrong]:
    """axis2 must not be parallel to axis, and perpendicular where the type needs that."""
    axis, axis2 = values.get("axis"), values.get("axis2")
    if not isinstance(axis2, np.ndarray):
        return
    z = np.array([0.0, 0.0, 1.0]) if axis is None else axis
    if not isinstance(z, np.ndarray):
        return
    if right_angle and verdict(_are_oblique, z, axis2):
        degrees = np.degrees(np.arccos(np.clip(verdict(_first_cosine, z, axis2), -1, 1)))
        what = f"axis2 must be perpendicular to axis, but the angle between them is {degrees:.6g} deg."
        yield "axis2", what, "Correct one of the two."
    elif verdict(_are_parallel, z, axis2):
        yield "axis2", "axis2 is parallel to axis.", "Give axis2 another direction."


def _cosine(z: np.ndarray, x: np.ndarray) -> np.ndarray:
    z, x = np.real(z), np.real(x)
    return dot(z, x) / np.sqrt(dot(z, z) * dot(x, x))


def _first_cosine(z: np.ndarray, x: np.ndarray) -> float:
    return float(np.atleast_1d(_cosine(z, x))[0])


def _are_oblique(z: np.ndarray, x: np.ndarray) -> bool:
    return agreed(np.abs(_cosine(z, x)) > 1e-9)


def _are_parallel(z: np.ndarray, x: np.ndarray) -> bool:
    return agreed(np.abs(_cosine(z, x)) > 1 - 1e-9)


def real(value: Any) -> Any:
    """The real part of a value that could be read as a number, else None: its fault is known already."""
    if isinstance(value, Variants):
        return value.real
    is_number = isinstance(value, int | float | complex | np.number) and not isinstance(value, bool)
    return float(np.real(value)) if is_number else None


def at_most(value: Any, limit: float) -> bool:
    """Whether the value is a number not above the limit."""
    number = real(value)
    return number is not None and number <= limit


def positive(values: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Wrong]:
    """Numbers that must be above zero where they are given."""
    for key in keys:
        if at_most(values.get(key), 0):
            yield key, "a number above zero is expected.", "Correct it."
