"""Whether a model has a stationary response: which motions last, and whether they are excited and observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.frequency import Excited, PoleAtPorts, Poles
from eigenbody.analyses.modes import modes
from eigenbody.analyses.random.paths import Path
from eigenbody.base.errors import Fault, InputError
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.signals.residues import PrincipalPart
from eigenbody.operating.turning.constant_form import refuse_stationary_of_an_instant

FEW = 20  # modes looked at in a large model


@dataclass(frozen=True, eq=False)
class Motions:
    """What was found out about the modes.

    poles     (n,) complex: the eigenvalues that decay, one of each pair
    lasting   (states, k) real basis of the motions that do not decay
    drifts    (outputs, columns of B) bool: sees a motion without restoring force (eigenvalue zero) that these excite
    drifting  the names of these modes
    """

    poles: np.ndarray
    lasting: np.ndarray
    drifts: np.ndarray
    drifting: str
    notes: tuple[str, ...] = ()


def motions_of(system: Excited, paths: Sequence[Path]) -> Motions:
    """Modes of the model; InputError where one that grows, or an undamped one, takes part."""
    refuse_stationary_of_an_instant(system.linear)
    equations = system.dense
    if equations is None:
        return _few_motions(system)
    spectrum = equations.spectrum
    values = spectrum.eigenvalues
    growing = (values.real > 0) & ~spectrum.on_axis
    poles = Poles(equations)
    _refuse_growing(spectrum, poles.among(growing))
    _refuse_undamped(system, paths, spectrum, poles.among(spectrum.on_axis & ~spectrum.is_rigid))
    drifts = np.zeros(equations.D.shape, dtype=bool)
    for pole in poles.among(spectrum.is_rigid):
        drifts |= pole.part.felt
    return Motions(
        values[[i for i in conjugate_representatives(spectrum) if not spectrum.on_axis[i]]],
        _lasting(spectrum, growing | spectrum.on_axis),
        drifts,
        _named(spectrum, spectrum.is_rigid),
    )


def _lasting(spectrum: Spectrum, which: np.ndarray) -> np.ndarray:
    """Real basis (n, k) of the motions of these eigenvalues."""
    upper = which & (spectrum.eigenvalues.imag > 0)
    real = which & (spectrum.eigenvalues.imag == 0)
    found = spectrum.right[:, upper], spectrum.right[:, real]
    return np.hstack((found[0].real, found[0].imag, found[1].real))


def _refuse_growing(spectrum: Spectrum, poles: Sequence[PoleAtPorts]) -> None:
    which = np.zeros(len(spectrum.eigenvalues), bool)
    for pole in poles:
        if pole.part.driven.any() or pole.part.seen.any():
            which[pole.members] = True
    if not which.any():
        return
    what = f"growing: {_named(spectrum, which)}. An unstable model has no stationary response."
    raise InputError(Fault("stability", what, "Stabilize it first; eigenbody modes shows all modes."))


def _excited(part: PrincipalPart, paths: Sequence[Path]) -> np.ndarray:
    """Outputs (ny,) that see an undamped mode by what the paths do to it, together where inputs are one signal."""
    rows = np.zeros(len(part.rest), bool)
    for path in paths:
        factors = path.factors(np.array([part.value.imag / (2 * np.pi)]))[0]
        columns = list(path.columns)
        shares = factors[:, None] if path.drive.coherence == 1.0 else np.diag(factors)
        for term, bound in zip(part.terms, part.bounds, strict=True):
            certain = np.abs(term[:, columns] @ shares) > bound[:, columns] @ np.abs(shares)
            rows |= certain.any(axis=1)
    return rows


def _refuse_undamped(system: Excited, paths: Sequence[Path], spectrum: Spectrum, poles: Sequence[PoleAtPorts]) -> None:
    which, rows = np.zeros(len(spectrum.eigenvalues), bool), np.zeros(len(system.outputs), bool)
    for pole in poles:
        felt = _excited(pole.part, paths)
        which[pole.members] = felt.any()
        rows |= felt
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


def _few_motions(system: Excited) -> Motions:
    """Of a large model: the lowest modes only; those that last are refused, whoever sees them."""
    lowest = modes(system.linear, n=FEW)
    for number, (value, stability) in enumerate(zip(lowest.eigenvalues, lowest.growths, strict=True), 1):
        if value != 0 and stability != "stable":
            what = f"{_mode(number, complex(value))} does not decay, so there is no stationary response."
            raise InputError(Fault("stability", what, "Give it damping."))
    rigid = bool(lowest.is_rigid.any())
    note = f"Large model: stability was judged by its {len(lowest)} lowest modes."
    drifting = "a motion that nothing restores" if rigid else ""
    drifts = np.full((len(system.outputs), 1), rigid)
    return Motions(lowest.eigenvalues, np.zeros((0, 0)), drifts, drifting, notes=(note,))
