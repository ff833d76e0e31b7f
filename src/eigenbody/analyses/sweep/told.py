"""What is said of many points: what differs in numbers alone is said once."""

from __future__ import annotations

import re
from collections.abc import Iterable

NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?(?![\w])")


def told_once(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes of all points; of those that differ in numbers alone the one with the largest, which bounds the others."""
    told: dict[str, tuple[list[float], str]] = {}
    for note in notes:
        numbers = [float(number) for number in NUMBER.findall(note)]
        words = NUMBER.sub("#", note)
        told[words] = max(told.get(words, (numbers, note)), (numbers, note))
    return tuple(note for _, note in told.values())
