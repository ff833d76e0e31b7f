"""Whether a model has a stationary response: which motions last, and whether they are excited and observed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.frf_system import DenseEquations, Excited
from eigenbody.analyses.modes import modes
from eigenbody.analyses.random_exact import space_of
from eigenbody.errors import Fault, InputError
from eigenbody.linearization.large import SparseLinearModel
from eigenbody.numerics.covariance import UNSEEN, balanced, entered, lasting, seen, split
from eigenbody.numerics.spectrum import Spectrum, conjugate_representatives

FEW = 20  # modes looked at in a large model


@dataclass(frozen=True)
class Motions:
    """What was found out about the modes.

    poles     (n,) complex: the eigenvalues, one of each pair
    lasting   number of eigenvalues of the model that do not decay
    drifts    (outputs,) bool: sees a motion without restoring force (eigenvalue zero) that the inputs excite
    drifting  the names of these modes
    """

    poles: np.ndarray
    lasting: int
    drifts: np.ndarray
    drifting: str
    notes: tuple[str, ...] = ()


def motions_of(system: Excited) -> Motions:
    """Modes of the model; InputError where one that grows, or an undamped one, takes part."""
    if isinstance(system.linear, SparseLinearModel):
        return _few_motions(system, system.linear)
    assert isinstance(system.equations, DenseEquations)
    spectrum = system.equations.spectrum
    values = spectrum.eigenvalues
    growing = (values.real > 0) & ~spectrum.on_axis & ~spectrum.is_rigid
    swinging = spectrum.on_axis & ~spectrum.is_rigid
    counts = [int(np.count_nonzero(kind)) for kind in (growing, swinging, spectrum.is_rigid)]
    poles = values[conjugate_representatives(spectrum)]
    if not sum(counts):
        return Motions(poles, 0, np.zeros(len(system.outputs), dtype=bool), "")
    parts = _Parts(system.equations, counts)
    _refuse_growing(parts, spectrum, growing)
    _refuse_undamped(system, parts, spectrum, swinging)
    return Motions(poles, sum(counts), parts.transmitted("zero"), _named(spectrum, spectrum.is_rigid))


class _Parts:
    """The lasting motions by kind: growing, swinging (undamped), zero; each as V, W, A of its own."""

    def __init__(self, equations: DenseEquations, counts: list[int]) -> None:
        A, self.B, self.C = balanced(*space_of(equations)[:3])
        first = split(A, lasting(A, sum(counts)))
        second = split(first.A1, lasting(first.A1, counts[0]))
        third = split(second.A2, _smallest(second.A2, counts[2]))
        V2, W2 = first.V1 @ second.V2, second.W2 @ first.W1
        self.kinds = {
            "growing": (first.V1 @ second.V1, second.W1 @ first.W1, second.A1),
            "zero": (V2 @ third.V1, third.W1 @ W2, third.A1),
            "swinging": (V2 @ third.V2, third.W2 @ W2, third.A2),
        }

    def transmitted(self, kind: str) -> np.ndarray:
        """Which outputs see what the inputs excite, (outputs,)."""
        V, W, A = self.kinds[kind]
        rows = [seen(A, self.C, V, entered(W, b)) for b in self.B.T]
        return np.any(rows, axis=0) if rows else np.zeros(len(self.C), dtype=bool)

    def excited(self, kind: str) -> bool:
        return any(entered(self.kinds[kind][1], b).any() for b in self.B.T)

    def observed(self, kind: str) -> np.ndarray:
        V, _, _ = self.kinds[kind]
        return (np.abs(self.C @ V) > UNSEEN * (np.abs(self.C) @ np.abs(V))).any(axis=1)


def _smallest(A: np.ndarray, count: int) -> Callable[[complex], bool]:
    """Which eigenvalues are the `count` smallest ones: a test for `split`."""
    if count == 0 or len(A) == 0:
        return lambda value: False
    size = np.sort(np.abs(np.linalg.eigvals(A)))
    threshold = np.inf if count >= len(size) else 0.5 * (size[count - 1] + size[count])
    return lambda value: bool(abs(value) < threshold)


def _refuse_growing(parts: _Parts, spectrum: Spectrum, which: np.ndarray) -> None:
    if not which.any() or not (parts.excited("growing") or parts.observed("growing").any()):
        return
    what = f"growing: {_named(spectrum, which)}. An unstable model has no stationary response."
    raise InputError(Fault("stability", what, "Stabilize it first; eigenbody modes shows all modes."))


def _refuse_undamped(system: Excited, parts: _Parts, spectrum: Spectrum, which: np.ndarray) -> None:
    rows = parts.transmitted("swinging") if which.any() else np.zeros(0, dtype=bool)
    if rows.any():
        outputs = ", ".join(f'"{name}"' for name, row in zip(system.outputs, rows, strict=True) if row)
        what = f"undamped, excited and seen by {outputs}: {_named(spectrum, which)}. Its motion builds up without end."
        raise InputError(Fault("stability", what, "Give it damping, or choose other inputs or outputs."))


def _named(spectrum: Spectrum, which: np.ndarray) -> str:
    """`mode 2 (0.5 +- 3i 1/s, 0.48 Hz)`, several with commas."""
    names = []
    for number, i in enumerate(conjugate_representatives(spectrum), 1):
        if which[i]:
            value = spectrum.eigenvalues[i]
            names.append(_mode(number, complex(value)))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _mode(number: int, value: complex) -> str:
    if value == 0:
        return f"mode {number} (0 Hz, nothing restores it)"
    turning = f" ± {value.imag:.4g}i" if value.imag else ""
    return f"mode {number} ({value.real:.4g}{turning} 1/s, {abs(value) / (2 * np.pi):.4g} Hz)"


def _few_motions(system: Excited, linear: SparseLinearModel) -> Motions:
    """Of a large model: the lowest modes only; those that last are refused, whoever sees them."""
    lowest = modes(linear, n=FEW)
    for number, (value, stability) in enumerate(zip(lowest.eigenvalues, lowest.growths, strict=True), 1):
        if value != 0 and stability != "stable":
            what = f"{_mode(number, complex(value))} does not decay, so there is no stationary response."
            raise InputError(Fault("stability", what, "Give it damping."))
    rigid = bool(lowest.is_rigid.any())
    note = f"Large model: stability was judged by its {len(lowest)} lowest modes."
    drifting = "a motion that nothing restores" if rigid else ""
    return Motions(lowest.eigenvalues, int(rigid), np.full(len(system.outputs), rigid), drifting, (note,))
