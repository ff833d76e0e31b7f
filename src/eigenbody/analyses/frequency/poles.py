"""Frequencies on undamped poles: where the response is infinite, and the finite rest where it is not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.frequency.residues import Poles
from eigenbody.analyses.frequency.system import DenseEquations, Excited
from eigenbody.operating.turning.constant_form import INSTANT, PORTS_TURN

UNSTABLE = "Unstable"
DOUBTFUL = 1e-6  # relative error of a height that is worth a remark


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


@dataclass(frozen=True, eq=False)
class SharpPole:
    """An eigenvalue on the imaginary axis or close to it (several that are nearly one) as H (ny, nu) meets it.

    omega, decay  rad/s and 1/s; no decay where it is undamped, no frequency for free motion
    frequencies   (m,) of its members, rad/s
    error         of the eigenvalue
    felt          (ny, nu) bool: whether it makes a resonance between an input and an output
    noise         (ny, nu) what rounding may leave of its residue where it is not felt
    rest, slope   (ny, nu) values there of an entry that does not feel it, and their derivatives by s
    reach         distance in rad/s within which these two are all that is needed
    """

    omega: float
    decay: float
    frequencies: np.ndarray
    error: float
    reach: float
    felt: np.ndarray
    noise: np.ndarray
    rest: np.ndarray
    slope: np.ndarray


def doubtful_heights(poles: tuple[SharpPole, ...]) -> tuple[str, ...]:
    """A note on each resonance so lightly damped that rounding of its eigenvalue shows in its height."""
    return tuple(
        f"The resonance at {pole.omega / (2 * np.pi):.6g} Hz is so lightly damped (ratio"
        f" {pole.decay / pole.omega:.1e}) that rounding leaves its height certain to {pole.error / abs(pole.decay):.1e}"
        " of itself only."
        for pole in poles
        if pole.decay and pole.omega and pole.felt.any() and pole.error > DOUBTFUL * abs(pole.decay)
    )


def named(system: Excited, omega: float, bad: np.ndarray) -> Pole:
    """The pole with the names of the inputs and outputs between which it is infinite."""
    hz = omega / (2 * np.pi)
    mode = f"undamped mode at {hz:.6g} Hz" if omega else "free motion (a mode at 0 Hz)"
    inputs = tuple(name for name, on in zip(system.inputs, bad.T, strict=True) if on.any())
    outputs = tuple(name for name, on in zip(system.outputs, bad, strict=True) if on.any())
    return Pole(hz, mode, inputs, outputs)


@dataclass(frozen=True)
class Growth:
    """The eigenvalue of a mode that grows, and whether an output sees it."""

    value: complex
    is_seen: bool

    def text(self, where: str = "") -> str:
        """What it means for a frequency response; `where` says at which speeds, " at 3 Hz"."""
        if self.is_seen:
            return growth_text(self.value, where)
        return f"A mode grows{where} ({_growth(self.value)}), which none of these outputs sees."


def fastest_growth(equations: DenseEquations) -> Growth | None:
    """That of the mode that grows fastest of those that an output sees, or of all where none does."""
    spectrum = equations.spectrum
    grows = (spectrum.eigenvalues.real > 0) & ~spectrum.on_axis
    if not grows.any():
        return None
    growing = Poles(equations).among(grows)
    seen = [pole for pole in growing if pole.part.seen.any()]
    fastest = max(seen or growing, key=lambda pole: pole.values.real.max())
    return Growth(complex(fastest.values[np.argmax(fastest.values.real)]), bool(seen))


def growth_text(value: complex, where: str = "") -> str:
    """What an unstable mode means for a frequency response."""
    return (
        f"{UNSTABLE}{where}: a mode grows ({_growth(value)}), so this response is defined mathematically but"
        " never reached: free motion outgrows it."
    )


def cautions_among(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes that take a response its meaning."""
    return tuple(note for note in notes if note.startswith((UNSTABLE, INSTANT, PORTS_TURN)))


def _growth(value: complex) -> str:
    how = f"oscillating at {abs(value.imag) / (2 * np.pi):.6g} Hz, " if value.imag else ""
    return f"{how}real part {value.real:.6g} 1/s"
