"""Frequencies on undamped poles: where the response is infinite, and the finite rest where it is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.analyses.frf_residues import Poles, at_pole
from eigenbody.analyses.frf_system import DenseEquations, Excited
from eigenbody.numerics.spectrum import Spectrum

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
    """An undamped eigenvalue i omega (0 for free motion), or several that are nearly one, as H (ny, nu) meets it."""

    omega: float
    frequencies: np.ndarray  # (m,) of its members, rad/s
    error: float
    infinite: np.ndarray
    finite: np.ndarray  # values of the entries that do not feel it


def axis_poles(system: Excited) -> tuple[AxisPole, ...]:
    """Undamped eigenvalues with non-negative frequency."""
    assert isinstance(system.equations, DenseEquations)
    spectrum = system.equations.spectrum
    if not spectrum.on_axis.any() or not (system.inputs and system.outputs):
        return ()
    found = []
    for pole in Poles(system.equations).among(spectrum.on_axis):
        frequencies = np.abs(pole.values.imag)
        part = replace(pole.part, value=1j * pole.part.value.imag)
        found.append(AxisPole(float(frequencies.mean()), frequencies, pole.error, *at_pole(system, part)))
    return tuple(found)


def mask_dense(system: Excited, poles: tuple[AxisPole, ...], omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]:
    """Write infinity into H (nf, ny, nu) where a frequency lies on a pole; what does not feel it gets its finite
    value."""
    met = []
    for pole in poles:
        apart = np.abs(np.abs(omega)[:, None] - pole.frequencies).min(axis=1)
        hit = np.flatnonzero(apart <= 4 * pole.error)
        if not len(hit):
            continue
        value = np.where(pole.infinite, INFINITE, pole.finite)
        H[hit] = np.where((omega[hit] < 0)[:, None, None], value.conj(), value)
        if pole.infinite.any():
            met.append(named(system, pole.omega, pole.infinite))
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
