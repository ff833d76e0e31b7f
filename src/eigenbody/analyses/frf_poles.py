"""Frequencies on undamped poles: where the response is infinite, and the finite rest where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.frf_modal import ModalForm
from eigenbody.analyses.frf_system import DenseEquations, Excited
from eigenbody.numerics.spectrum import Spectrum
from eigenbody.numerics.transfer import EPS

ROUNDING = 8 * EPS
FELT = 1e-10  # share of its own summands above which a residue is not zero
NEAR = 1e-9  # relative step beside a frequency of a large model, to see whether the response grows without limit
FEW = 64  # frequencies of a large model up to which each is looked at
INFINITE = complex(np.inf, 0.0)


@dataclass(frozen=True)
class Pole:
    """An undamped mode that was met: its frequency in Hz, what it is, and where the response is infinite."""

    frequency_hz: float
    mode: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "frequency_hz": self.frequency_hz,
            "mode": self.mode,
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
        }


@dataclass(frozen=True)
class AxisPole:
    """An undamped eigenvalue i omega (0 for free motion), its uncertainty, and whether each entry of T feels it."""

    omega: float
    error: float
    felt: tuple[np.ndarray, ...]  # residues (ny, raw), zero where they are rounding; of 1/s, 1/s^2, ... for zeros
    members: np.ndarray  # (m,) bool among the nonzero eigenvalues


def axis_poles(equations: DenseEquations) -> tuple[tuple[AxisPole, ...], ModalForm | None]:
    """Undamped eigenvalues with non-negative frequency, and the modal form they came from."""
    spectrum = equations.spectrum
    if not spectrum.on_axis.any():
        return (), None
    form = ModalForm(equations)
    return tuple(([_at_zero(form)] if spectrum.is_rigid.any() else []) + _oscillating(form)), form


def _at_zero(form: ModalForm) -> AxisPole:
    rigid = form.spectrum.is_rigid
    lowest = float(np.abs(form.values).min(initial=np.inf))
    size = form.size_c[:, rigid].max(axis=1)[:, None] * form.size_b[rigid].max(axis=0)
    reach = np.abs(form.N).max(initial=0.0)
    felt = [_significant(term, size * max(reach, 1e-300) ** k) for k, term in enumerate(form.zero_terms())]
    error = 1e-12 * lowest if np.isfinite(lowest) else 0.0
    return AxisPole(0.0, error, tuple(felt), np.zeros(len(form.values), bool))


def _oscillating(form: ModalForm) -> list[AxisPole]:
    spectrum = form.spectrum
    on_axis = spectrum.on_axis[~spectrum.is_rigid]
    upper = np.flatnonzero(on_axis & (form.values.imag > 0))
    upper = upper[np.argsort(form.values[upper].imag)]
    size_c, size_b = form.size_c[:, ~spectrum.is_rigid], form.size_b[~spectrum.is_rigid]
    poles: list[AxisPole] = []
    while len(upper):
        omega = float(form.values[upper[0]].imag)
        error = float(max(ROUNDING * omega, min(form.error[upper[0]], 1e-9 * omega)))
        same = upper[np.abs(form.values[upper].imag - omega) <= 4 * error]
        members = np.zeros(len(form.values), bool)
        members[same] = True
        residue = form.c[:, same] @ form.b[same]
        poles.append(AxisPole(omega, error, (_significant(residue, size_c[:, same] @ size_b[same]),), members))
        upper = upper[len(same) :]
    return poles


def _significant(value: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.where(np.abs(value) > FELT * size, value, 0.0)


def infinite(system: Excited, pole: AxisPole, s: complex) -> np.ndarray:
    """Which entries (ny, nu) of H are infinite at the pole."""
    return np.any([np.abs(_weighted(system, part, s)) > 0 for part in pole.felt], axis=0)


def _weighted(system: Excited, residue: np.ndarray, s: complex) -> np.ndarray:
    if system.weight is None:
        return residue
    weight = system.weight(np.array([s]))[0]
    return _significant(residue @ weight, np.abs(residue) @ np.abs(weight))


def mask_dense(
    system: Excited, poles: tuple[AxisPole, ...], form: ModalForm | None, omega: np.ndarray, H: np.ndarray
) -> tuple[Pole, ...]:
    """Write infinity into H (nf, ny, nu) where a frequency lies on a pole; what does not feel it gets its finite
    value, or nan where the modes do not give one."""
    met = []
    for pole in poles:
        hit = np.flatnonzero(np.abs(np.abs(omega) - pole.omega) <= 4 * pole.error)
        if not len(hit) or form is None:
            continue
        s = 1j * pole.omega
        bad = infinite(system, pole, s)
        keep = ~pole.members
        rest = form(np.array([s]), keep, zeros=pole.omega > 0)[0] if form.is_usable else np.full(form.D.shape, np.nan)
        finite = system.through(rest[None], np.array([s]))[0]
        value = np.where(bad, INFINITE, finite)
        H[hit] = np.where((omega[hit] < 0)[:, None, None], value.conj(), value)
        if bad.any():
            met.append(named(system, pole.omega, bad))
    return tuple(met)


def named(system: Excited, omega: float, bad: np.ndarray) -> Pole:
    """The pole with the names of the inputs and outputs between which it is infinite."""
    hz = omega / (2 * np.pi)
    mode = f"undamped mode at {hz:.6g} Hz" if omega else "free motion (a mode at 0 Hz)"
    inputs = tuple(name for name, on in zip(system.inputs, bad.T, strict=True) if on.any())
    outputs = tuple(name for name, on in zip(system.outputs, bad, strict=True) if on.any())
    return Pole(hz, mode, inputs, outputs)


def mask_sparse(system: Excited, omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]:
    """The same where the eigenvalues are not known: a response that grows without limit as the frequency comes near."""
    finite = np.isfinite(H).all(axis=(1, 2))
    size = np.abs(H).max(axis=(1, 2), initial=0.0)
    typical = float(np.median(size[finite])) if finite.any() else 0.0
    suspect = ~finite | (omega == 0) | (size > 1e7 * typical) | (len(omega) <= FEW)
    if not np.any(suspect):
        return ()
    least = np.abs(omega[omega != 0]).min(initial=np.inf)
    met: list[Pole] = []
    for i in np.flatnonzero(suspect):
        step = NEAR * abs(omega[i]) if omega[i] else 1e-3 * (least if np.isfinite(least) else 1.0)
        s = 1j * (omega[i] + step * np.array([10.0, 1.0, -1.0]))
        far, near, other = system.through(system.equations.transfer(s), s)
        bad = np.abs(near) > 5 * np.abs(far)
        H[i] = np.where(bad, INFINITE, H[i] if finite[i] else (near + other) / 2)
        if bad.any():
            met.append(named(system, abs(float(omega[i])), bad))
    return tuple(met)


def unstable_note(spectrum: Spectrum) -> str | None:
    """A warning that names the fastest growing mode."""
    grows = (spectrum.eigenvalues.real > 0) & ~spectrum.on_axis
    if not grows.any():
        return None
    return growth_text(complex(spectrum.eigenvalues[grows][np.argmax(spectrum.eigenvalues[grows].real)]))


def growth_text(value: complex) -> str:
    """What an unstable mode means for a frequency response."""
    how = f"oscillating at {abs(value.imag) / (2 * np.pi):.6g} Hz, " if value.imag else ""
    return (
        f"Unstable: a mode grows ({how}real part {value.real:.6g} 1/s), so this response is defined mathematically but"
        " never reached: free motion outgrows it."
    )
