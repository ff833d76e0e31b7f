"""Frequency responses evaluated: transfer matrix, inputs' weights, poles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Protocol

import numpy as np

from eigenbody.analyses.frequency.grid import near_resonances
from eigenbody.analyses.frequency.poles import (
    Pole,
    SharpPole,
    SharpPoles,
    SparseSharpPoles,
    growth_text,
    mask_dense,
    mask_sparse,
    unstable_note,
)
from eigenbody.analyses.frequency.system import DenseEquations, Excited
from eigenbody.base.errors import ComputationError
from eigenbody.numerics.signals.transfer import require_finite_frequencies

FEW_POINTS = 60  # beside the resonances of a large model, where each costs a factorization
MARGIN = 1e-5  # relative, beside frequencies: poles so near matter to them
LARGE_MODES = 20  # of a large model, to choose a range and find resonances


class Response(Protocol):
    """Something that answers at frequencies."""

    @property
    def system(self) -> Excited: ...
    def __call__(self, omega: np.ndarray) -> np.ndarray: ...
    def respond(self, omega: np.ndarray) -> tuple[np.ndarray, tuple[Pole, ...]]: ...
    @property
    def sharp_poles(self) -> Callable[[float, float], tuple[SharpPole, ...]]: ...
    @property
    def beside_resonances(self) -> np.ndarray: ...
    def is_undamped(self, omega: float) -> np.ndarray: ...


class Evaluator:
    """H at any frequencies of one excited system; `transfer` may be replaced by a sum over modes."""

    def __init__(self, system: Excited) -> None:
        self._system = system
        self.transfer: Callable[[np.ndarray], np.ndarray] | None = None
        self._without_modes = ""  # why the modes of a large model are not known

    @property
    def system(self) -> Excited:
        """What is excited."""
        return self._system

    @cached_property
    def sharp_poles(self) -> Callable[[float, float], tuple[SharpPole, ...]]:
        """Undamped and nearly undamped resonances between two frequencies in rad/s."""
        if isinstance(self.system.equations, DenseEquations):
            return SharpPoles(self.system)
        return SparseSharpPoles(self.system, *self._large_modes)

    @cached_property
    def _no_path(self) -> np.ndarray | None:
        """Entries (ny, raw) of T that no path connects, whatever rounding says."""
        equations = self.system.equations
        if not isinstance(equations, DenseEquations):
            return None
        without = ~connected(equations)
        return without if without.any() else None

    def __call__(self, omega: np.ndarray) -> np.ndarray:
        """H (nf, ny, nu) at omega (nf,) rad/s, whatever arithmetic makes of it on a pole."""
        require_finite_frequencies(omega)
        s = 1j * omega
        T = (self.transfer or self.system.equations.transfer)(s)
        if self._no_path is not None:
            T[:, self._no_path] = 0
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
        mask = mask_dense if isinstance(self.system.equations, DenseEquations) else mask_sparse
        return H, mask(self.system, poles, omega, H)

    def is_undamped(self, omega: float) -> np.ndarray:
        """Nowhere: undamped resonances are known from `sharp_poles`."""
        return np.zeros((len(self.system.outputs), len(self.system.inputs)), bool)

    @cached_property
    def resonances(self) -> np.ndarray:
        """Eigenvalues (m,) that may show as resonances: one of each pair; of a large model the lowest."""
        equations = self.system.equations
        if isinstance(equations, DenseEquations):
            spectrum = equations.spectrum
            values = np.where(spectrum.on_axis, 1j * spectrum.eigenvalues.imag, spectrum.eigenvalues)
        else:
            values, on_axis = self._large_modes
            values = np.where(on_axis, 1j * values.imag, values)
        return values[(values.imag >= 0) & (values != 0)]

    @property
    def beside_resonances(self) -> np.ndarray:
        """Frequencies in rad/s at which to look for peaks, whatever the frequencies asked for."""
        few = {} if isinstance(self.system.equations, DenseEquations) else {"most": FEW_POINTS}
        return near_resonances(self.resonances, **few)

    @cached_property
    def _large_modes(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues (m,) of a large model, the lowest, and which (bool) are undamped."""
        from eigenbody.analyses.modes import sparse_modes

        linear, none = self.system.linear, (np.zeros(0, complex), np.zeros(0, bool))
        if not linear.is_sparse:
            return none
        try:
            found = sparse_modes(linear, min(LARGE_MODES, max(linear.dof, 1)), None)
        except ComputationError as error:
            self._without_modes = f"Stability and resonances are not known, the modes were not found: {error}"
            return none
        return found.eigenvalues, np.isin(found.growths, ("marginal", "drifting"))

    def unknown_above(self, high: float) -> tuple[str, ...]:
        """A note where a range that ends at `high` rad/s goes beyond the known modes of a large model."""
        linear, values = self.system.linear, self._large_modes[0]
        if isinstance(self.system.equations, DenseEquations) or not len(values) or len(values) >= linear.dof:
            return ()
        last = float(np.abs(values).max())
        if high <= last:
            return ()
        return (
            f"The lowest {len(values)} modes are known, to {last / (2 * np.pi):.6g} Hz: above, peaks are located by the"
            " frequencies asked for alone, and sharp ones may be missed or come out too low.",
        )

    @property
    def _silence(self) -> tuple[str, ...]:
        """Inputs that some outputs do not feel at all."""
        system = self.system
        if self._no_path is None or system.weight is not None:
            return ()
        return tuple(
            f"Nothing leads from {name} to {_few(o for o, off in zip(system.outputs, column, strict=True) if off)}:"
            " there the response is zero."
            for name, column in zip(system.inputs, self._no_path.T, strict=True)
            if column.any()
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """A warning where the model is unstable; what does not respond at all."""
        equations = self.system.equations
        if isinstance(equations, DenseEquations):
            note = unstable_note(equations)
        else:
            values, on_axis = self._large_modes
            growing = values[(values.real > 0) & ~on_axis]
            note = growth_text(complex(growing[np.argmax(growing.real)])) if len(growing) else self._without_modes
        return ((note,) if note else ()) + self._silence


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")


def connected(equations: DenseEquations) -> np.ndarray:
    """Between which inputs and outputs (ny, nu) a chain of entries beyond rounding leads."""
    from scipy.sparse import csr_array

    A, B, C, D = equations.A, equations.B, equations.C, equations.D
    links = csr_array((np.abs(A) > equations.noise).astype(np.int32))
    reached = _beyond_rounding(B)
    while True:
        more = reached | (links @ reached.astype(np.int32) > 0)
        if np.array_equal(more, reached):
            break
        reached = more
    seen = _beyond_rounding(C.T).T.astype(np.int32) @ reached.astype(np.int32) > 0
    return seen | (D != 0)


def _beyond_rounding(columns: np.ndarray) -> np.ndarray:
    size = np.abs(columns)
    return size > 1e-15 * size.max(axis=0, initial=0.0)
