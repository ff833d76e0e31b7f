"""Rounding in the entries of large sparse systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SparseNoise:
    """Error (n, n sparse, none negative) of the entries of K, by the rounding of its summands and of the loads that it
    carries, and of C."""

    summands: Any
    loads: Any
    C: Any

    @property
    def K(self) -> Any:
        return self.summands + self.loads
