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
SHARP = 1e-5  # damping ratio below which a resonance is looked for at its eigenvalue
DOUBTFUL = 1e-6  # relative error of a height that is worth a remark
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
class SharpPole:
    """An eigenvalue on the imaginary axis or close to it (several that are nearly one) as H (ny, nu) meets it.

    omega, decay  rad/s and 1/s; no decay where it is undamped, no frequency for free motion
    frequencies   (m,) of its members, rad/s
    error         of the eigenvalue
    felt          (ny, nu) bool: whether it makes a resonance between an input and an output
    noise         (ny, nu) what rounding may leave of its residue where it is not felt
    rest          (ny, nu) values there of an entry that does not feel it
    """

    omega: float
    decay: float
    frequencies: np.ndarray
    error: float
    felt: np.ndarray
    noise: np.ndarray
    rest: np.ndarray


def sharp_poles(system: Excited) -> tuple[SharpPole, ...]:
    """Eigenvalues with non-negative frequency on the imaginary axis or so close that a grid would miss them."""
    if not isinstance(system.equations, DenseEquations) or not (system.inputs and system.outputs):
        return ()
    spectrum = system.equations.spectrum
    values = spectrum.eigenvalues
    sharp = spectrum.on_axis | (np.abs(values.real) < SHARP * np.abs(values))
    if not sharp.any():
        return ()
    found = []
    for pole in Poles(system.equations).among(sharp):
        undamped = bool(spectrum.on_axis[pole.members].all())
        part = replace(pole.part, value=1j * pole.part.value.imag) if undamped else pole.part
        decay = 0.0 if undamped else -float(part.value.real)
        frequencies = np.abs(pole.values.imag)
        found.append(SharpPole(float(frequencies.mean()), decay, frequencies, pole.error, *at_pole(system, part)))
    return tuple(found)


def doubtful_heights(poles: tuple[SharpPole, ...]) -> tuple[str, ...]:
    """A note on each resonance so lightly damped that rounding of its eigenvalue shows in its height."""
    return tuple(
        f"The resonance at {pole.omega / (2 * np.pi):.6g} Hz is so lightly damped (ratio"
        f" {pole.decay / pole.omega:.1e}) that rounding leaves its height certain to {pole.error / abs(pole.decay):.1e}"
        " of itself only."
        for pole in poles
        if pole.decay and pole.omega and pole.felt.any() and pole.error > DOUBTFUL * abs(pole.decay)
    )


def mask_dense(system: Excited, poles: tuple[SharpPole, ...], omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]:
    """Write infinity into H (nf, ny, nu) where a frequency lies on a pole; what does not feel it gets its finite
    value."""
    met = []
    for pole in (pole for pole in poles if pole.decay == 0):
        apart = np.abs(np.abs(omega)[:, None] - pole.frequencies).min(axis=1)
        hit = np.flatnonzero(apart <= 4 * pole.error)
        if not len(hit):
            continue
        value = np.where(pole.felt, INFINITE, pole.rest)
        H[hit] = np.where((omega[hit] < 0)[:, None, None], value.conj(), value)
        if pole.felt.any():
            met.append(named(system, pole.omega, pole.felt))
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
