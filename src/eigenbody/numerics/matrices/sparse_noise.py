"""Rounding in the entries of large sparse systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class SparseNoise:
    """Error (n, n sparse, none negative) of the entries of K, by the rounding of its summands and of the loads that it
    carries, and of C; each formed when it is needed."""

    of_summands: Callable[[], Any]
    of_loads: Callable[[], Any]
    of_C: Callable[[], Any]

    @cached_property
    def loads(self) -> Any:
        return self.of_loads()

    @cached_property
    def K(self) -> Any:
        return self.of_summands() + self.loads

    @cached_property
    def C(self) -> Any:
        return self.of_C()
