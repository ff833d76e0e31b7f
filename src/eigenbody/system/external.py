"""Python functions as signals: values and slopes, by the best means the function allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.description import Function
from eigenbody.system.arguments import Argument, Quantities

TINY = 1e-30  # complex step
AGREES = 1e-6  # how well a complex step must agree with differences to be believed
NOISE = 1e-10  # rounding of differences, in values of the function
COMPLEX_STEP = "complex step"
LEVELS = 6  # halvings of the step in the extrapolation


@dataclass(frozen=True, slots=True)
class External:
    """A Python function of arguments, multiplied by `factor` and meant for `target`."""

    target: int
    factor: float
    owner: int
    function: Function
    arguments: tuple[Argument, ...]
    where: str = ""

    def value(self, now: Quantities) -> np.ndarray:
        arguments = self._values(now)
        if not any(np.iscomplexobj(a) for a in arguments):
            return self.factor * self._call(arguments)
        real = [np.real(a) for a in arguments]
        slopes, means = self._slopes(real)
        if means == COMPLEX_STEP:
            return self.factor * self._call(arguments)
        # else a perturbation goes through the slopes
        return self.factor * (
            self._call(real) + 1j * sum(d * np.imag(a) for d, a in zip(slopes, arguments, strict=True))
        )

    def partials(self, now: Quantities) -> list[tuple[Argument, np.ndarray]]:
        """Derivative by each argument."""
        values = self._values(now)
        slopes = self._bent(values) if any(np.iscomplexobj(v) for v in values) else self._slopes(values)[0]
        return [(a, self.factor * d) for a, d in zip(self.arguments, slopes, strict=True)]

    def means(self, now: Quantities) -> str:
        """How its slopes are found here, for the certificate."""
        return self._slopes([np.real(v) for v in self._values(now)])[1]

    def _bent(self, values: list[np.ndarray]) -> list[np.ndarray]:
        """Slopes at values with small imaginary parts: these go through the second derivative, by differences."""
        real, steps = [np.real(v) for v in values], [np.imag(v) for v in values]
        size = np.max(np.broadcast_arrays(*(np.abs(step) for step in steps)), axis=0)
        along = [step / np.where(size > 0, size, 1.0) for step in steps]
        reach = np.max(np.broadcast_arrays(*(np.maximum(np.abs(r), 1.0) for r in real)), axis=0)
        slopes, found = self._slopes(real)[0], []
        for h in (2e-3 * reach, 1e-3 * reach):
            there, back = (self._slopes([r + s * h * d for r, d in zip(real, along, strict=True)])[0] for s in (1, -1))
            found.append([(a - b) / (2 * h) for a, b in zip(there, back, strict=True)])
        return [s + 1j * size * (4 * fine - coarse) / 3 for s, coarse, fine in zip(slopes, *found, strict=True)]

    def _values(self, now: Quantities) -> list[np.ndarray]:
        return [np.asarray(now.of(a)) for a in self.arguments]

    def _call(self, values: Sequence[np.ndarray]) -> np.ndarray:
        return self._apply(self.function.call, values, 1)[0]

    def _apply(self, call: Any, values: Sequence[np.ndarray], count: int) -> list[np.ndarray]:
        """`count` results of the call, over leading axes one by one unless the function is vectorized."""
        shape = np.broadcast_shapes(*(np.shape(v) for v in values))
        if self.function.vectorized or not shape:
            return self._checked(call(*(v if shape else v[()] for v in values)), count, shape)
        flat = [np.broadcast_to(v, shape).ravel() for v in values]
        rows = [self._checked(call(*row), count, ()) for row in zip(*flat, strict=True)]
        return [np.array([row[k] for row in rows]).reshape(shape) for k in range(count)]

    def _checked(self, result: Any, count: int, shape: tuple[int, ...]) -> list[np.ndarray]:
        results = [result] if count == 1 and not isinstance(result, list | tuple) else list(result)
        try:
            arrays = [np.broadcast_to(np.asarray(r) + 0.0, shape) for r in results]
        except (TypeError, ValueError) as error:
            raise self._refusal(f"the function returned {result!r}, which is not a number.") from error
        if len(arrays) != count:
            raise self._refusal(f"{len(arrays)} slopes were returned for {count} arguments.")
        if not all(np.isfinite(a).all() for a in arrays):
            raise self._refusal("the function or its slope has no finite value at the operating point.")
        return arrays

    def _refusal(self, what: str) -> InputError:
        return InputError(Fault(self.where or "function", what, "Correct the function."))

    # Slopes -------------------------------------------------------------------------------------------------------
    def _slopes(self, values: list[np.ndarray]) -> tuple[list[np.ndarray], str]:
        """Slopes at real values, and how they were found."""
        if self.function.derivative is not None:
            return self._apply(self.function.derivative, values, len(values)), "given"
        differences = [self._difference(values, k) for k in range(len(values))]
        exact = self._complex_steps(values)
        noise = NOISE * np.abs(self._call(values))
        if exact is not None and all(_agree(e, d, noise) for e, (d, _) in zip(exact, differences, strict=True)):
            return exact, COMPLEX_STEP
        worst = max((float(np.max(error, initial=0.0)) for _, error in differences), default=0.0)
        return [d for d, _ in differences], f"differences, error about {worst:.0e}"

    def _complex_steps(self, values: list[np.ndarray]) -> list[np.ndarray] | None:
        """Slopes by complex steps, or None where the function does not bear complex numbers."""
        out = []
        for k in range(len(values)):
            moved = [v + (1j * TINY if i == k else 0.0) for i, v in enumerate(values)]
            try:
                with catch_warnings():
                    simplefilter("error", np.exceptions.ComplexWarning)
                    out.append(np.imag(self._call(moved)) / TINY)
            except (TypeError, ValueError, InputError, np.exceptions.ComplexWarning):
                return None
        return out

    def _difference(self, values: list[np.ndarray], k: int) -> tuple[np.ndarray, np.ndarray]:
        """Central differences extrapolated to step zero (Richardson), and an estimate of the error: the entry of the
        tableau that changes least is taken."""
        step = 1e-2 * np.maximum(np.abs(values[k]), 1.0)
        rows: list[list[np.ndarray]] = []
        best, error = np.zeros(np.shape(step)), np.full(np.shape(step), np.inf)
        for level in range(LEVELS):
            h = step / 2**level
            ahead, behind = ([v + (sign * h if i == k else 0.0) for i, v in enumerate(values)] for sign in (1, -1))
            row = [(self._call(ahead) - self._call(behind)) / (2 * h)]
            for m in range(level):
                row.append(row[m] + (row[m] - rows[-1][m]) / (4.0 ** (m + 1) - 1))
                change = np.maximum(np.abs(row[-1] - row[-2]), np.abs(row[-1] - rows[-1][m]))
                better = change < error
                best, error = np.where(better, row[-1], best), np.where(better, change, error)
            rows.append(row)
        return best, error


def _agree(exact: np.ndarray, difference: np.ndarray, noise: np.ndarray) -> bool:
    """Whether two slopes are the same within what the differences can tell."""
    size = np.maximum(np.abs(difference), np.abs(exact))
    return bool(np.all(np.abs(exact - difference) <= AGREES * np.maximum(size, 1e-6) + noise))
