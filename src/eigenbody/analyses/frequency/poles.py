"""Frequencies on undamped poles: where the response is infinite, and the finite rest where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.frequency.residues import Poles
from eigenbody.analyses.frequency.system import DenseEquations, Excited

NEAR = 1e-9  # relative step beside a frequency of a large model, to see whether the response grows without limit
FEW = 64  # frequencies of a large model up to which each is looked at
BESIDE = 1e-6  # relative distance from a pole within which rounding of its residue can show where it is not felt
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


def mask_dense(system: Excited, poles: tuple[SharpPole, ...], omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]:
    """Write infinity into H (nf, ny, nu) where a frequency lies on a pole; beside a pole that an entry does not feel,
    where rounding would speak, the entry without the pole."""
    met = []
    for pole in poles:
        apart = np.abs(omega)[:, None] - pole.frequencies
        beside = np.flatnonzero(np.abs(apart).min(axis=1) <= pole.reach)
        if not len(beside):
            continue
        step = (1j * (np.abs(omega[beside]) - pole.omega) + pole.decay)[:, None, None]
        value = pole.rest + step * pole.slope
        value = np.where((omega[beside] < 0)[:, None, None], value.conj(), value)
        H[beside] = np.where(pole.felt, H[beside], value)
        hit = beside[np.abs(apart[beside]).min(axis=1) <= 4 * pole.error]
        if pole.decay == 0 and len(hit) and pole.felt.any():
            H[hit] = np.where(pole.felt, INFINITE, H[hit])
            met.append(named(system, pole.omega, pole.felt))
    return tuple(met)


def named(system: Excited, omega: float, bad: np.ndarray) -> Pole:
    """The pole with the names of the inputs and outputs between which it is infinite."""
    hz = omega / (2 * np.pi)
    mode = f"undamped mode at {hz:.6g} Hz" if omega else "free motion (a mode at 0 Hz)"
    inputs = tuple(name for name, on in zip(system.inputs, bad.T, strict=True) if on.any())
    outputs = tuple(name for name, on in zip(system.outputs, bad, strict=True) if on.any())
    return Pole(hz, mode, inputs, outputs)


def mask_sparse(system: Excited, poles: tuple[SharpPole, ...], omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]:
    """The same where not all eigenvalues are known: on one that is, what feels it; elsewhere a response that grows
    without limit as the frequency comes near."""
    finite = np.isfinite(H).all(axis=(1, 2))
    size = np.abs(H).max(axis=(1, 2), initial=0.0)
    typical = float(np.median(size[finite])) if finite.any() else 0.0
    suspect = ~finite | (omega == 0) | (size > 1e7 * typical) | (len(omega) <= FEW)
    least = np.abs(omega[omega != 0]).min(initial=np.inf)
    met: list[Pole] = []
    for i, w in enumerate(np.abs(omega)):
        known = [pole for pole in poles if np.abs(pole.frequencies - w).min() <= pole.reach]
        if not suspect[i] and not known:
            continue
        step = NEAR * w if w else 1e-3 * (least if np.isfinite(least) else 1.0)
        if known:
            on = [p.felt for p in known if not p.decay and np.abs(p.frequencies - w).min() <= 4 * p.error]
            bad = np.any([np.zeros(H[i].shape, bool), *on], axis=0)
            hidden = ~np.any([p.felt for p in known], axis=0)
            H[i] = np.where(hidden, _between(system, omega[i], BESIDE * w), H[i])
        else:
            near, far = _beside(system, omega[i], step * np.array([1.0, 10.0]))
            bad = np.abs(near) > 5 * np.abs(far)
            bad &= (w == 0) | ~np.isfinite(H[i]) | (np.abs(H[i]) > 1e3 * np.abs(near))
            H[i] = H[i] if finite[i] and w else _between(system, omega[i], step)
        H[i] = np.where(bad, INFINITE, H[i])
        if bad.any():
            met.append(named(system, float(w), bad))
    return tuple(met)


def _beside(system: Excited, omega: float, steps: np.ndarray) -> np.ndarray:
    """H (k, ny, nu) at steps (k,) from a frequency."""
    s = 1j * (omega + steps)
    return system.through(system.transfer(s), s)


def _between(system: Excited, omega: float, step: float) -> np.ndarray:
    """H (ny, nu) at a frequency from both sides of it, by Richardson extrapolation."""
    a, b, c, d = _beside(system, omega, step * np.array([-2.0, -1.0, 1.0, 2.0]))
    return (4 * (b + c) - (a + d)) / 6


def unstable_note(equations: DenseEquations) -> str | None:
    """A warning that names the fastest growing mode that an output sees, or says that none sees one."""
    spectrum = equations.spectrum
    grows = (spectrum.eigenvalues.real > 0) & ~spectrum.on_axis
    if not grows.any():
        return None
    growing = Poles(equations).among(grows)
    seen = [pole for pole in growing if pole.part.seen.any()]
    fastest = max(seen or growing, key=lambda pole: pole.values.real.max())
    value = complex(fastest.values[np.argmax(fastest.values.real)])
    return growth_text(value) if seen else f"A mode grows ({_growth(value)}), which none of these outputs sees."


def growth_text(value: complex) -> str:
    """What an unstable mode means for a frequency response."""
    return (
        f"Unstable: a mode grows ({_growth(value)}), so this response is defined mathematically but"
        " never reached: free motion outgrows it."
    )


def _growth(value: complex) -> str:
    how = f"oscillating at {abs(value.imag) / (2 * np.pi):.6g} Hz, " if value.imag else ""
    return f"{how}real part {value.real:.6g} 1/s"
