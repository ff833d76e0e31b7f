"""Stationary response to harmonic and periodic inputs, and what stands against one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.frequency import DenseEquations, Poles
from eigenbody.analyses.modes import Modes
from eigenbody.analyses.modes import modes as modes_of
from eigenbody.analyses.response.excitation import Lines
from eigenbody.analyses.response.linear_motion import stationary_amplitudes
from eigenbody.base.errors import Fault, InputError
from eigenbody.linearization.model import LinearModel
from eigenbody.operating.turning.constant_form import refuse_stationary_of_an_instant

ON_POLE = 1e-9  # distance of an excitation from an undamped pole, relative to it, that counts as on it
NEAR_POLE = 1e-3  # distance that is worth a remark
NOT_FELT = 1e-9  # residual of the equations, relative to the excitation, at which an undamped mode is not excited
FOR_EVER = ("marginal", "drifting")


@dataclass(frozen=True, eq=False)
class Harmonics:
    """Stationary response: y = Re(sum Y_k exp(i 2 pi f_k t)), f (k,), states (k, n) and outputs (k, p) complex."""

    frequency_hz: np.ndarray
    states: np.ndarray
    outputs: np.ndarray

    def __post_init__(self) -> None:
        for array in (self.frequency_hz, self.states, self.outputs):
            array.setflags(write=False)

    def real_form(self) -> tuple[np.ndarray, np.ndarray]:
        """Cosine and sine amplitudes (k, p) of the outputs: y = sum y_c cos + y_s sin."""
        return self.outputs.real.copy(), -self.outputs.imag

    def as_dict(self, names: tuple[str, ...]) -> list[dict[str, Any]]:
        """One map for each frequency: amplitude and phase (rad) of every output."""
        size, phase = np.abs(self.outputs), np.angle(self.outputs)
        return [
            {
                "frequency_hz": float(hz),
                "outputs": {
                    name: {"amplitude": float(size[k, i]), "phase": float(phase[k, i])} for i, name in enumerate(names)
                },
            }
            for k, hz in enumerate(self.frequency_hz)
        ]


def mode_words(modes: Modes, i: int) -> str:
    """`mode 3 (2.5 Hz, growing as exp(0.3 t))`."""
    value = modes.eigenvalues[i]
    if modes.is_rigid[i]:
        return f"mode {i + 1} (rigid motion)"
    hz = f"{value.imag / (2 * np.pi):.6g} Hz, " if value.imag else ""
    if modes.growths[i] in FOR_EVER:
        return f"mode {i + 1} ({hz}undamped)"
    return f"mode {i + 1} ({hz}{'growing' if value.real > 0 else 'decaying'} as exp({value.real:.4g} t))"


def sentence(text: str) -> str:
    """With a capital at its start."""
    return text[:1].upper() + text[1:]


def refuse_unstable(modes: Modes) -> None:
    """A growing mode leaves no stationary response."""
    refuse_stationary_of_an_instant(modes.linear)
    growing = [i for i, verdict in enumerate(modes.growths) if verdict == "unstable"]
    if growing:
        words = ", ".join(mode_words(modes, i) for i in growing[:4])
        what = f"the model is unstable, so no motion of it is stationary: {words}."
        raise InputError(Fault("stationary", what, "Stabilize the model, or ask for the response with its transients."))


def resonant_modes(modes: Modes, omega: float) -> list[int]:
    """Undamped modes on whose pole an excitation stands; rigid ones for a constant."""
    axis = np.array([verdict in FOR_EVER for verdict in modes.growths], dtype=bool)
    values = modes.eigenvalues
    near = np.abs(values - 1j * omega) <= ON_POLE * np.maximum(np.abs(values), omega)
    return np.flatnonzero(axis & np.where(modes.is_rigid, omega == 0, near)).tolist()


def near_pole(modes: Modes, omega: float) -> list[str]:
    """A remark where an excitation is so near to an undamped pole that the response is large for that reason alone."""
    values = modes.eigenvalues
    apart = np.abs(values - 1j * omega) / np.maximum(np.abs(values), 1e-300)
    close = [i for i in np.flatnonzero((apart > ON_POLE) & (apart < NEAR_POLE)) if modes.growths[i] in FOR_EVER]
    return [
        f"The excitation at {omega / (2 * np.pi):.6g} Hz is within {apart[i]:.1e} of the pole of"
        f" {mode_words(modes, int(i))}: nothing but that distance bounds its response."
        for i in close
    ]


def pole_remarks(linear: LinearModel, omega: float) -> list[str]:
    """What to say about an excitation on or near an undamped pole; the modes are found only where it may be."""
    poles = np.linalg.eigvals(linear.A)
    apart = np.abs(poles - 1j * omega)
    if not np.any(apart < 10 * NEAR_POLE * max(omega, 1e-300)):
        return []
    found = modes_of(linear)
    on = resonant_modes(found, omega)
    return [sentence(growth(found, on, omega)[0])] if on else near_pole(found, omega)


def stationary_states(equations: DenseEquations, lines: Lines, modes: Modes) -> tuple[np.ndarray, list[str]]:
    """Complex state amplitudes (lines, n) and remarks; InputError where the response grows without bound."""
    refuse_unstable(modes)
    A, B = equations.A, equations.B
    out = np.zeros((len(lines.omega), len(A)), complex)
    acting = np.any(lines.amplitude != 0, axis=1)
    on_pole = [resonant_modes(modes, float(omega)) for omega in lines.omega]
    singular = np.array([bool(found) for found in on_pole], dtype=bool)
    regular = acting & ~singular
    out[regular] = stationary_amplitudes(A, B, Lines(lines.omega[regular], lines.amplitude[regular]))
    notes = []
    for k in np.flatnonzero(acting & singular):
        beside = _beside_pole if lines.omega[k] else _beside_rest
        out[k] = beside(equations, float(lines.omega[k]), lines.amplitude[k], modes, on_pole[k])
        notes.append(sentence(f"{mode_words(modes, on_pole[k][0])} is not excited by this input."))
    for omega in lines.omega[acting]:
        notes += near_pole(modes, float(omega))
    if any(verdict in FOR_EVER for verdict in modes.growths):
        notes.append(
            "Undamped or rigid motion does not die out: the stationary response is the part at the frequencies of the"
            " excitation; what the start adds to it stays for ever."
        )
    return out, notes


def _beside_pole(
    equations: DenseEquations, omega: float, amplitude: np.ndarray, modes: Modes, on: list[int]
) -> np.ndarray:
    """The response on an undamped pole that the input does not excite; else it grows, which is said."""
    spectrum = equations.spectrum
    near = np.abs(spectrum.eigenvalues - 1j * omega) <= ON_POLE * np.maximum(np.abs(spectrum.eigenvalues), omega)
    parts = [pole.part for pole in Poles(equations).among(spectrum.on_axis & near)]
    if not parts or any((np.abs(p.drive @ amplitude) > p.drive_error @ np.abs(amplitude)).any() for p in parts):
        raise InputError(Fault("stationary", *growth(modes, on, omega)))
    return parts[0].states @ amplitude


def _beside_rest(
    equations: DenseEquations, omega: float, amplitude: np.ndarray, modes: Modes, on: list[int]
) -> np.ndarray:
    """The response of a model that can move freely to a constant input that does not move it; else it grows."""
    A, force = equations.A, equations.B @ amplitude
    left = -A
    unit = np.maximum(np.abs(A).max(axis=1), 1e-300)  # rows of like size
    found = np.linalg.lstsq(left / unit[:, None], force / unit, rcond=1e-10)[0]
    if np.abs((left @ found - force) / unit).max() <= NOT_FELT * np.abs(force / unit).max():
        return found
    raise InputError(Fault("stationary", *growth(modes, on, omega)))


def growth(modes: Modes, on: list[int], omega: float) -> tuple[str, str]:
    """What is wrong with an excitation on an undamped pole, and what to do."""
    words = ", ".join(mode_words(modes, i) for i in on[:4])
    if omega == 0:
        what = f"nothing holds the model against a constant input, the response grows without bound: {words}."
        return what, "Take out the mean of the input, or hold the model by a spring."
    hz = omega / (2 * np.pi)
    what = f"the excitation at {hz:.6g} Hz is on an undamped pole, the response grows without bound: {words}."
    return what, "Add damping, move the frequency, or ask for the response with its transients."
