"""Frequency responses evaluated: transfer matrix, inputs' weights, poles."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

import numpy as np

from eigenbody.analyses.frequency.grid import near_resonances
from eigenbody.analyses.frequency.known import KnownModes, known_modes
from eigenbody.analyses.frequency.poles import Pole, SharpPole
from eigenbody.analyses.frequency.system import Excited, Transfer
from eigenbody.numerics.signals.transfer import require_finite_frequencies
from eigenbody.operating.turning.constant_form import is_of_an_instant

MARGIN = 1e-5  # relative, beside frequencies: poles so near matter to them


class Response(Protocol):
    """Something that answers at frequencies."""

    @property
    def system(self) -> Excited: ...
    def __call__(self, omega: np.ndarray) -> np.ndarray: ...
    def respond(self, omega: np.ndarray) -> tuple[np.ndarray, tuple[Pole, ...]]: ...
    def sharp_poles(self, low: float, high: float) -> tuple[SharpPole, ...]: ...
    @property
    def beside_resonances(self) -> np.ndarray: ...
    def is_undamped(self, omega: float) -> np.ndarray: ...
    @property
    def notes(self) -> tuple[str, ...]: ...  # on what was answered so far


class Evaluator:
    """H at any frequencies of one excited system; `transfer` may be replaced by a sum over modes."""

    def __init__(self, system: Excited) -> None:
        self._system = system
        self.transfer: Transfer | None = None

    @property
    def system(self) -> Excited:
        """What is excited."""
        return self._system

    @cached_property
    def known(self) -> KnownModes:
        """What is known of the modes."""
        return known_modes(self.system)

    def sharp_poles(self, low: float, high: float) -> tuple[SharpPole, ...]:
        """Undamped and nearly undamped resonances between two frequencies in rad/s."""
        return self.known.sharp_poles(low, high)

    def __call__(self, omega: np.ndarray) -> np.ndarray:
        """H (nf, ny, nu) at omega (nf,) rad/s, whatever arithmetic makes of it on a pole."""
        require_finite_frequencies(omega)
        s = 1j * omega
        T = (self.transfer or self.system.transfer)(s)
        if self.known.no_path is not None:
            T[:, self.known.no_path] = 0
        H = np.ascontiguousarray(self.system.through(T, s))
        if self.system.weight is None:
            H.imag[omega == 0] = 0.0  # real equations at rest have a real answer
        return H

    def respond(self, omega: np.ndarray) -> tuple[np.ndarray, tuple[Pole, ...]]:
        """H (nf, ny, nu), infinite on poles, and the poles that were met."""
        H = self(omega)
        if not H.size:
            return H, ()
        low, high = float(np.abs(omega).min()), float(np.abs(omega).max())
        poles = self.sharp_poles((1 - MARGIN) * low, (1 + MARGIN) * high)
        return H, self.known.mask(poles, omega, H)

    def is_undamped(self, omega: float) -> np.ndarray:
        """Nowhere: undamped resonances are known from `sharp_poles`."""
        return np.zeros((len(self.system.outputs), len(self.system.inputs)), bool)

    @cached_property
    def resonances(self) -> np.ndarray:
        """Eigenvalues (m,) that may show as resonances: one of each pair; of a large model the lowest."""
        values = self.known.eigenvalues
        return values[(values.imag >= 0) & (values != 0)]

    @property
    def beside_resonances(self) -> np.ndarray:
        """Frequencies in rad/s at which to look for peaks, whatever the frequencies asked for."""
        return near_resonances(self.resonances, self.known.most)

    @property
    def _silence(self) -> tuple[str, ...]:
        """Inputs that some outputs do not feel at all."""
        system = self.system
        if self.known.no_path is None or system.weight is not None:
            return ()
        return tuple(
            f"Nothing leads from {name} to {_few(o for o, off in zip(system.outputs, column, strict=True) if off)}:"
            " there the response is zero."
            for name, column in zip(system.inputs, self.known.no_path.T, strict=True)
            if column.any()
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """A warning where the model is unstable; what does not respond at all."""
        is_told = not is_of_an_instant(self.system.linear)  # growth of an instant is not that of the motion
        note = self.known.note if is_told else None
        return ((note,) if note else ()) + self._silence


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
