"""The response to random excitation: what it was asked for, and what follows for a Gaussian process."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.frequency import Excited
from eigenbody.analyses.random.comfort import Weighting, comfort_verdict, estimated_vdv
from eigenbody.analyses.random.drives import Drive, positive
from eigenbody.analyses.random.exact import Exact
from eigenbody.analyses.random.moments import ORDERS, Moments
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Drawn

if TYPE_CHECKING:
    from eigenbody.linearization.model import LinearModel

EULER = 0.5772156649015329


@dataclass(frozen=True, eq=False)
class RandomResponse(Drawn, look="analyses.random.look"):
    """Stationary Gaussian response of a linear model; all outputs are variations about the operating point.

    frequency_hz     (n,)
    densities        (n, outputs) one-sided, per Hz, in the unit of the output squared
    input_densities  (n, inputs) likewise
    moments          integrals of f^n G over the band, and how well they are known
    exact            variances and weighted variances (outputs,) over all frequencies by Lyapunov equations, inf where
                     infinite, and their relative error; None where a source has no rational density or the model is
                     large
    """

    system: Excited
    drives: tuple[Drive, ...]
    band_hz: tuple[float, float]
    frequency_hz: np.ndarray
    input_densities: np.ndarray
    densities: np.ndarray
    moments: Moments
    exact: Exact | None
    weightings: tuple[Weighting | None, ...]
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.frequency_hz, self.input_densities, self.densities):
            array.setflags(write=False)

    # ---- names

    @property
    def linear(self) -> LinearModel:
        """The linear model that is shaken."""
        return self.system.linear

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the excitations."""
        return self.system.inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return self.system.outputs

    @property
    def units(self) -> dict[str, str]:
        """Unit of every input and output; empty where none is known."""
        return dict(
            zip((*self.inputs, *self.outputs), (*self.system.input_units, *self.system.output_units), strict=True)
        )

    def _index(self, output: str) -> int:
        if output not in self.outputs:
            raise InputError(Fault("outputs", f'"{output}" was not asked for.', suggest(output, self.outputs)))
        return self.outputs.index(output)

    # ---- numbers

    def psd(self, output: str) -> np.ndarray:
        """One-sided density (n,) of an output per Hz."""
        return self.densities[:, self._index(output)]

    @property
    def rms(self) -> dict[str, float]:
        """RMS value of each output over the band; inf where it is infinite."""
        return self._by_output(np.sqrt(self.moments.values[:, 0]))

    @property
    def rms_exact(self) -> dict[str, float]:
        """RMS over all frequencies by Lyapunov equations; nan where this route is not open, inf where infinite."""
        if self.exact is None:
            return dict.fromkeys(self.outputs, math.nan)
        return self._by_output(np.sqrt(np.maximum(self.exact.plain, 0.0)))

    @property
    def is_whole(self) -> bool:
        """Whether the band is all frequencies, so that both routes must agree."""
        return self.band_hz == (0.0, math.inf)

    @property
    def difference(self) -> dict[str, float]:
        """Relative difference of the two RMS values; nan where they cannot be compared."""
        if not self.is_whole:
            return dict.fromkeys(self.outputs, math.nan)
        return {name: _relative(self.rms[name], exact) for name, exact in self.rms_exact.items()}

    def spectral_moment(self, output: str, order: int) -> float:
        """Integral of f^order G(f) over the band, f in Hz, order 0, 1, 2 or 4; inf where it diverges."""
        if order not in ORDERS:
            raise InputError(Fault("order", f"{order} is not known.", "Known: 0, 1, 2, 4."))
        return float(self.moments.values[self._index(output), ORDERS.index(order)])

    @property
    def zero_crossings_hz(self) -> dict[str, float]:
        """Expected upward crossings of the mean per second, sqrt(m2/m0) (Rice); inf where m2 is infinite."""
        m = self.moments.values
        good = np.isfinite(m[:, 0]) & (m[:, 0] > 0)
        return self._by_output(np.where(good, np.sqrt(m[:, 2] / np.where(good, m[:, 0], 1.0)), math.nan))

    @property
    def peaks_hz(self) -> dict[str, float]:
        """Expected maxima per second, sqrt(m4/m2); inf where m4 is infinite."""
        m = self.moments.values
        good = np.isfinite(m[:, 2]) & (m[:, 2] > 0)
        return self._by_output(np.where(good, np.sqrt(m[:, 3] / np.where(good, m[:, 2], 1.0)), math.nan))

    def level_crossings(self, output: str, level: float) -> float:
        """Expected upward crossings of a level per second: nu0 exp(-level^2 / 2 rms^2) (Rice)."""
        rms, rate = self.rms[self.outputs[self._index(output)]], self.zero_crossings_hz[output]
        if rms == 0:
            return 0.0
        return rate * math.exp(-0.5 * (level / rms) ** 2) if math.isfinite(rms) else math.nan

    def expected_peak(self, output: str, duration: float) -> float:
        """Expected greatest value in `duration` s (Davenport): rms (g + 0.5772 / g), g = sqrt(2 ln(nu0 T)).

        inf where the rate of crossings is infinite; nan where fewer than e/2 crossings are expected.
        """
        positive("duration", duration)
        rms, rate = self.rms[self.outputs[self._index(output)]], self.zero_crossings_hz[output]
        crossings = rate * duration
        if not math.isfinite(rms) or math.isinf(crossings):
            return math.inf
        if not crossings > 0.5 * math.e:
            return math.nan
        g = math.sqrt(2 * math.log(crossings))
        return rms * (g + EULER / g)

    # ---- comfort

    @property
    def weighted(self) -> tuple[str, ...]:
        """Outputs with a weighting."""
        return tuple(name for name, w in zip(self.outputs, self.weightings, strict=True) if w is not None)

    def weighted_psd(self, output: str) -> np.ndarray:
        """Density (n,) of an output after its weighting."""
        return np.abs(self.weighting_of(output)(self.frequency_hz)) ** 2 * self.psd(output)

    @property
    def weighted_rms(self) -> dict[str, float]:
        """Weighted RMS value over the band of each output that has a weighting."""
        values = np.sqrt(self.moments.weighted)
        return {name: float(values[self._index(name)]) for name in self.weighted}

    @property
    def weighted_rms_exact(self) -> dict[str, float]:
        """The same over all frequencies by Lyapunov equations; nan where this route is not open."""
        if self.exact is None:
            return dict.fromkeys(self.weighted, math.nan)
        return {name: float(np.sqrt(self.exact.weighted[self._index(name)])) for name in self.weighted}

    @property
    def comfort(self) -> dict[str, str]:
        """The words of ISO 2631-1 for the weighted RMS of each translational acceleration."""
        units = self.units
        return {
            name: comfort_verdict(value)
            for name, value in self.weighted_rms.items()
            if math.isfinite(value) and "rad" not in units[name] and self.weighting_of(name).name != "Wf"
        }

    def estimated_vdv(self, output: str, duration: float) -> float:
        """Estimated vibration dose value 1.4 a_w T^(1/4), m/s^1.75."""
        self.weighting_of(output)
        return estimated_vdv(self.weighted_rms[output], positive("duration", duration))

    def weighting_of(self, output: str) -> Weighting:
        """The weighting of an output; InputError where none was asked for."""
        found = self.weightings[self._index(output)]
        if found is None:
            raise InputError(Fault("weighting", f'"{output}" has no weighting.', 'Ask for one: weighting="Wk".'))
        return found

    def _by_output(self, values: np.ndarray) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.outputs, values, strict=True)}

    # ---- looks

    def as_dict(self, levels: tuple[float, ...] = (), duration: float | None = None) -> dict[str, Any]:
        """The document of `psd --json`."""
        return self.look.document(self, levels, duration)

    def table(self, levels: tuple[float, ...] = (), duration: float | None = None) -> str:
        """Readable table, with crossings of levels and expected peaks where asked for."""
        return self.look.sheet(self, levels, duration).text()


def _relative(value: float, exact: float) -> float:
    if not (math.isfinite(value) and math.isfinite(exact)):
        return math.nan
    return abs(value - exact) / exact if exact > 0 else abs(value)
