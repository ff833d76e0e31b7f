"""Common forms of a beam's section: what its dimensions say about area, second moments, torsion and shear."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True)
class Round:
    """A circle or a ring. Dimensions (m) are profiles along the beam: they, not the moments, are linear in between."""

    diameter: Any
    inner_diameter: Any = 0.0
    nu: Any = 0.3  # Poisson's ratio, for the shear coefficient
    DIMENSIONS: ClassVar[tuple[str, ...]] = ("diameter", "inner_diameter")

    def section(self, diameter: Any, inner_diameter: Any) -> dict[str, Any]:
        """A (m^2), Iy, Iz, J (m^4) and the shear coefficients (Cowper 1966) at places of these dimensions."""
        second = np.pi / 64 * (diameter**4 - inner_diameter**4)
        m2, nu = (inner_diameter / diameter) ** 2, self.nu
        k = 6 * (1 + nu) * (1 + m2) ** 2 / ((7 + 6 * nu) * (1 + m2) ** 2 + (20 + 12 * nu) * m2)
        area = np.pi / 4 * (diameter**2 - inner_diameter**2)
        return {"A": area, "Iy": second, "Iz": second, "J": 2 * second, "ky": k, "kz": k}


@dataclass(frozen=True)
class Rectangle:
    """A rectangle of `width` along y and `height` along z (m): profiles along the beam."""

    width: Any
    height: Any
    DIMENSIONS: ClassVar[tuple[str, ...]] = ("width", "height")

    def section(self, width: Any, height: Any) -> dict[str, Any]:
        """A (m^2), Iy, Iz, J (m^4) and the shear coefficients at places of these dimensions."""
        k = np.full(np.shape(width), 5 / 6)
        return {"A": width * height, "Iy": width * height**3 / 12, "Iz": height * width**3 / 12,
                "J": _torsion(width, height), "ky": k, "kz": k}  # fmt: skip


def dimensions(form: Round | Rectangle) -> dict[str, Any]:
    """The profiles of a form by name."""
    return {field.name: getattr(form, field.name) for field in fields(form) if field.name in form.DIMENSIONS}


def _torsion(y: Any, z: Any) -> Any:
    """Torsion constant of a rectangle by the series of Saint-Venant."""
    is_wide = np.real(y) >= np.real(z)
    a, b = np.where(is_wide, y, z), np.where(is_wide, z, y)  # b the shorter side
    odd = np.arange(1, 40, 2)
    series = sum(np.tanh(n * np.pi * a / (2 * b)) / n**5 for n in odd)
    return a * b**3 * (1 / 3 - 64 * b / (np.pi**5 * a) * series)
