"""The frequency response as a result: arrays, resonance peaks, real form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.frequency.evaluate import Response
from eigenbody.analyses.frequency.poles import Pole, SharpPole, cautions_among
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.signals.peaks import local_maxima, refine_minima

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PEAKS = 400
FLAT = 1e-9  # relative rise above the neighbours below which a maximum is rounding


@dataclass(frozen=True)
class Peak:
    """A resonance: where |output / input| is largest; `magnitude` is infinite for an undamped one."""

    input: str
    output: str
    frequency_hz: float
    magnitude: float


@dataclass(frozen=True, eq=False)
class FrequencyResponse(Drawn, look="analyses.frequency.look"):
    """H (nf, ny, nu) complex: amplitude and phase of each output to a unit cosine at each input.

    Entries on undamped poles are infinite (`poles` names the mode); nan where a pole is met that the entry does not
    feel and its finite value could not be told.
    """

    linear: LinearModel
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    frequency_hz: np.ndarray
    values: np.ndarray
    peaks: tuple[Peak, ...]
    poles: tuple[Pole, ...]
    method: str
    notes: tuple[str, ...]

    @property
    def cautions(self) -> tuple[str, ...]:
        """The notes that take the response its meaning."""
        return cautions_among(self.notes)

    @property
    def omega(self) -> np.ndarray:
        """Angular frequency (nf,), rad/s."""
        return 2 * np.pi * self.frequency_hz

    @property
    def magnitude(self) -> np.ndarray:
        """|H| (nf, ny, nu); infinite on poles."""
        return np.abs(self.values)

    @property
    def phase(self) -> np.ndarray:
        """Angle of H (nf, ny, nu) in rad, unwrapped along the frequencies; nan on poles."""
        finite = np.isfinite(self.values)
        angle = np.angle(np.where(finite, self.values, 0.0))
        out = np.full(angle.shape, np.nan)
        for i, j in np.ndindex(angle.shape[1:]):
            on = finite[:, i, j]
            out[on, i, j] = np.unwrap(angle[on, i, j])
        return out

    @property
    def certificate(self) -> Certificate:
        """How well the linear model holds."""
        return self.linear.certificate

    def unit(self, output: int, input: int) -> str:
        """Unit of one entry, output per input."""
        return unit_of_entry(self.output_units[output], self.input_units[input])

    def entry(self, output: str, input: str) -> np.ndarray:
        """H (nf,) from one input to one output by name."""
        return self.values[:, self.outputs.index(output), self.inputs.index(input)]

    def real_form(self) -> np.ndarray:
        """F (nf, 2 ny, 2 nu) real: [y_c, y_s] = F [u_c, u_s] for u = u_c cos(wt) + u_s sin(wt), y likewise.

        F = [[Re H, Im H], [-Im H, Re H]]: the inverse of the real dynamic stiffness matrix (lecture notes on multibody
        vibration), seen from the inputs to the outputs.
        """
        H = np.where(np.isfinite(self.values), self.values, np.nan)
        return np.concatenate(
            (np.concatenate((H.real, H.imag), axis=2), np.concatenate((-H.imag, H.real), axis=2)), axis=1
        )

    def plot(self, kind: str = "bode") -> Figure:
        """Bode (magnitude and phase over frequency) or Nyquist (imaginary over real part) diagram."""
        return self.look.plot(self, kind)


def unit_of_entry(above: str, below: str) -> str:
    """Unit of an output per that of an input."""
    if below in ("", "1"):
        return above or "1"
    bracket = lambda unit, signs: f"({unit})" if set(signs) & set(unit) else unit  # noqa: E731
    return f"{bracket(above or '1', '/')}/{bracket(below, '*/')}"


def found_peaks(evaluator: Response, grid: np.ndarray, values: np.ndarray) -> tuple[Peak, ...]:
    """Resonances of every entry: undamped ones from their modes, the others refined from the maxima on the grid and
    beside the modes."""
    outputs, inputs = evaluator.system.outputs, evaluator.system.inputs
    if not values.size:
        return ()
    low, high = float(grid.min()), float(grid.max())
    poles = evaluator.sharp_poles(2 * np.pi * low, 2 * np.pi * high)
    undamped = [(pole.omega / (2 * np.pi), pole.felt) for pole in poles if not pole.decay and pole.omega]
    rows = [(int(j), int(i), hz, np.inf) for hz, felt in undamped for i, j in np.argwhere(felt)]
    more = np.setdiff1d(evaluator.beside_resonances / (2 * np.pi), grid)
    more = more[(more > low) & (more < high)]
    if len(more):
        grid = np.concatenate((grid, more))
        values = np.concatenate((values, evaluator.respond(2 * np.pi * more)[0]))
    order = np.argsort(grid, kind="stable")
    rows += _refined(evaluator, grid[order], np.abs(values[order]), poles)
    rows.sort()
    return tuple(Peak(inputs[j], outputs[i], hz, size) for j, i, hz, size in rows)


def _rounding(poles: tuple[SharpPole, ...], hz: np.ndarray, i: int, j: int) -> np.ndarray:
    """What rounding of the residues of sharp poles may leave in one entry, (n,)."""
    total = np.zeros(len(hz))
    for pole in poles:
        apart = np.hypot(2 * np.pi * hz - pole.omega, max(abs(pole.decay), pole.error))
        total += pole.noise[i, j] / np.maximum(apart, 1e-300)
    return total


def _refined(
    evaluator: Response, x: np.ndarray, size: np.ndarray, poles: tuple[SharpPole, ...]
) -> list[tuple[int, int, float, float]]:
    """Input, output, frequency and height of each maximum of the curves `size` (nf, ny, nu) over x (nf,) rising."""
    found: list[tuple[int, int, int]] = []
    for i, j in np.ndindex(size.shape[1:]):
        curve = size[:, i, j]
        at = local_maxima(curve)
        rise = curve[at] - np.minimum(curve[at - 1], curve[at + 1])
        at = at[rise > FLAT * curve[at] + _rounding(poles, x[at], i, j)]
        at = at[x[at + 1] > x[at - 1]]
        infinite = [pole.omega / (2 * np.pi) for pole in poles if not pole.decay and pole.felt[i, j]]
        at = np.array([k for k in at if not any(x[k - 1] <= hz <= x[k + 1] for hz in infinite)], dtype=int)
        highest = at[np.argsort(-curve[at], kind="stable")[:MOST_PEAKS]]
        found += [(int(k), i, j) for k in highest]
    if not found:
        return []
    report("locating the peaks")
    k, i, j = (np.array(part) for part in zip(*found, strict=True))

    def softness(hz: np.ndarray, which: np.ndarray) -> np.ndarray:
        """1/|H|^2, nearly a parabola about a resonance."""
        H = evaluator(2 * np.pi * hz)
        with np.errstate(divide="ignore"):
            return 1.0 / np.abs(H[np.arange(len(hz)), i[which], j[which]]) ** 2

    hz, least = refine_minima(softness, x[k - 1], x[k], x[k + 1])
    with np.errstate(divide="ignore"):
        height = 1.0 / np.sqrt(least)
    rows = zip(i, j, hz.tolist(), height.tolist(), strict=True)
    return [(int(b), int(a), f, np.inf if evaluator.is_undamped(2 * np.pi * f)[a, b] else h) for a, b, f, h in rows]
