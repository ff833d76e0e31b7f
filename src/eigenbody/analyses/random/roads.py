"""Roads of ISO 8608: displacement density Gd(n) = Gd(n0) (n/n0)^-w over the spatial frequency n, n0 = 0.1 cycles/m."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from eigenbody.analyses.random.drives import Shaping, Source, positive
from eigenbody.base.errors import Fault, InputError, suggest

N0 = 0.1  # cycles/m
CLASSES = {name: 16e-6 * 4.0**i for i, name in enumerate("ABCDEFGH")}
"""Geometric mean of Gd(n0) in m^3 of each class (ISO 8608, Table C.1)."""


@dataclass(frozen=True)
class Road(Source):
    """A road of a class (A to H) or of roughness Gd(n0) in m^3, driven over at `speed` (m/s).

    With the exponent 2 its vertical velocity is white noise: (2 pi)^2 Gd(n0) n0^2 v. The displacement then has no
    finite variance; with a `cutoff` (cycles/m) it levels off there: Gd(n0) n0^w / (n^2 + cutoff^2)^(w/2), which is
    2^(-w/2) of ISO 8608 at the cut-off, constant far below it and the standard's far above.
    """

    roughness: str | float
    speed: float
    exponent: float = 2.0
    cutoff: float = 0.0
    of: str | None = field(default="displacement", init=False)

    def __post_init__(self) -> None:
        if isinstance(self.roughness, str):
            object.__setattr__(self, "roughness", self.roughness.upper())
        if isinstance(self.roughness, str) and self.roughness not in CLASSES:
            what = f'"{self.roughness}" is no road class.'
            raise InputError(Fault("road", what, f"{suggest(self.roughness, CLASSES)} Or give Gd(n0) in m^3."))
        if not isinstance(self.roughness, str):
            positive("road", self.roughness)
        positive("speed", self.speed)
        positive("cutoff", self.cutoff, zero=True)
        if not 0 < self.exponent < 5:
            raise InputError(Fault("exponent", f"{self.exponent:g} is not between 0 and 5.", "ISO 8608 takes 2."))

    @property
    def Gd(self) -> float:
        """Gd(n0) in m^3."""
        return CLASSES[self.roughness] if isinstance(self.roughness, str) else float(self.roughness)

    @property
    def corner_hz(self) -> float:
        """Frequency at which the density levels off."""
        return self.cutoff * self.speed

    def density(self, frequency_hz: np.ndarray) -> np.ndarray:
        """Of the displacement, m^2/Hz."""
        w = self.exponent
        squared = np.asarray(frequency_hz, dtype=float) ** 2 + self.corner_hz**2
        return self.Gd * N0**w * self.speed ** (w - 1) / squared ** (0.5 * w)

    @property
    def shaping(self) -> Shaping | None:
        if self.exponent != 2.0:
            return None
        level = (2 * math.pi) ** 2 * self.Gd * N0**2 * self.speed  # of the velocity
        return Shaping(level, np.ones(1), np.array([1.0, 2 * math.pi * self.corner_hz]))

    @property
    def corners_hz(self) -> tuple[float, ...]:
        return (self.corner_hz,) if self.cutoff else ()

    def __str__(self) -> str:
        name = f"class {self.roughness}" if isinstance(self.roughness, str) else f"Gd(n0) {self.Gd:g} m^3"
        more = "" if self.exponent == 2 else f", exponent {self.exponent:g}"
        flat = f", levelling off at {self.cutoff:g} cycles/m" if self.cutoff else ""
        return f"ISO 8608 road, {name} at {self.speed:g} m/s{more}{flat}"
