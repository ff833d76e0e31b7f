"""Random vibration: densities, RMS values and rates of the outputs of a linear model under random excitation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from eigenbody.analyses.frequency import Excited, base_excited, excited
from eigenbody.analyses.linearize import need_inputs, ports
from eigenbody.analyses.random.comfort import Weighting, weighting
from eigenbody.analyses.random.drives import QUANTITIES, Coherence, Drive, Excitation, Source, check_quantity, drives_of
from eigenbody.analyses.random.exact import MOST_STATES, Exact, exact_variances
from eigenbody.analyses.random.moments import Moments, Span, moments_of
from eigenbody.analyses.random.paths import OutputDensities, Path, base_path, input_densities, paths_of
from eigenbody.analyses.random.result import RandomResponse
from eigenbody.analyses.random.stationary import Motions, motions_of
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for

GRID = 500  # frequencies of the curves, before those around resonances
AGREE = 1e-6  # of variances by the two routes
WAVES, POINTS = 200, 16  # of interference between delayed signals, and frequencies in each
SHARP = 200  # resonances with frequencies of their own
ROTATION = ("rad/s^2",)
ACCELERATION = ("m/s^2", "m/s**2", "", *ROTATION)


@on_one_thread
def psd(
    model: Subject,
    excitation: Excitation,
    inputs: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
    band_hz: tuple[float | None, float | None] | None = None,
    *,
    of: str | Mapping[str, str] | None = None,
    delays: Mapping[str, float] | None = None,
    coherence: Coherence = 1.0,
    weighting: str | Mapping[str, str] | None = None,
    base: str | None = None,
    solver: str | None = None,
) -> RandomResponse:
    """Stationary response to random excitation: densities, RMS, spectral moments, crossings, peaks, comfort.

    excitation  a source (Road, White, Tabulated, Shaped) for `inputs`; a map of inputs and independent sources; or
                Drives: independent sources, each with its inputs, delays and coherence
    inputs      inputs of the model or measures (forces along them); with one source and several inputs they get the
                same signal, each `of` its quantity and with its delay, or partly coherent copies
    outputs     outputs of the model or measures with ' and '' for rate and acceleration
    band_hz     (from, to); None at either end is no limit. RMS values and moments are those of the band
    weighting   of ISO 2631-1 (Wk, Wd, Wf, Wc, We, Wj) for all outputs or by output
    base        name of a driver, or of a joint with motion, whose motion is random, instead of inputs; the density is
                `of` its displacement, velocity or acceleration
    """
    if base is None:
        found, drives = _located(model, excitation, inputs, outputs, of, delays, coherence, solver)
        paths = paths_of(found, drives)
    else:
        if delays or coherence != 1.0:
            raise InputError(Fault("base", "a moving base is one input: it has no delays and no coherence."))
        found, paths = _moving_base(model, excitation, base, inputs, outputs, of, solver)
    weightings = _weightings(found, weighting)
    low, high = _band(band_hz, paths)
    report("finding modes")
    motions = motions_of(found, paths)
    _needs_a_band(found, low, high)
    densities = OutputDensities(found, paths)
    span = _span(motions, paths, weightings, low, high)
    densities.hasten(*span.busy)
    report("integrating densities")
    moments = moments_of(densities, span, weightings)
    _refuse_drift(found, motions, moments.endless_below, low)
    exact = None if found.dense is None else exact_variances(found.dense, paths, motions, weightings)
    grid = _grid(motions.poles, span)
    return RandomResponse(
        system=found,
        drives=tuple(path.drive for path in paths),
        band_hz=(low, high),
        frequency_hz=grid,
        input_densities=input_densities(found, paths, grid),
        densities=densities(grid),
        moments=moments,
        exact=exact,
        weightings=weightings,
        notes=(
            *motions.notes,
            *_remarks(found, motions, paths, moments, low),
            *_disagreement(found, moments, exact, low, high),
        ),
    )


def _located(
    model: Subject, excitation: Excitation, inputs: str | Sequence[str] | None,
    outputs: str | Sequence[str] | None, of: str | Mapping[str, str] | None, delays: Mapping[str, float] | None,
    coherence: Coherence, solver: str | None,
) -> tuple[Excited, tuple[Drive, ...]]:  # fmt: skip
    """The model excited at all inputs that are driven, and the drives."""
    wanted = [inputs] if isinstance(inputs, str) else None if inputs is None else list(inputs)
    drives = drives_of(excitation, wanted, of, delays, coherence)
    driven = None
    if not isinstance(drives, Source):
        driven = list(dict.fromkeys(name for drive in drives for name in drive.inputs))
    found = ports(model, driven, outputs, solver)
    need_inputs(found)
    if isinstance(drives, Source):
        drives = (Drive(drives, found.input_names, of, delays or {}, coherence),)
    return _watched(excited(found)), drives


def _moving_base(
    model: Subject, excitation: Excitation, base: str,
    inputs: str | Sequence[str] | None, outputs: str | Sequence[str] | None, of: str | Mapping[str, str] | None,
    solver: str | None,
) -> tuple[Excited, tuple[Path, ...]]:  # fmt: skip
    """The model excited by the motion of its base."""
    if not isinstance(excitation, Source) or inputs is not None:
        raise InputError(Fault("base", "a moving base is driven by one source alone.", "Leave out the inputs."))
    quantity = excitation.of or of
    if not isinstance(quantity, str):
        what = "it is not known what the density is of."
        raise InputError(Fault("of", what, f"Say one of: {', '.join(QUANTITIES)}."))
    check_quantity(quantity)
    found = _watched(base_excited(model_asking_for(model), base, QUANTITIES.index(quantity), outputs, solver))
    return found, (base_path(found, excitation, quantity),)


def _watched(system: Excited) -> Excited:
    if not system.outputs:
        what = "nothing is observed."
        raise InputError(Fault("outputs", what, "Name an output or a measure (--output \"body''\")."))
    return system


def _weightings(found: Excited, wanted: str | Mapping[str, str] | None) -> tuple[Weighting | None, ...]:
    """The weighting of each output; only accelerations are weighted."""
    if wanted is None:
        return (None,) * len(found.outputs)
    if isinstance(wanted, str):
        weighting(wanted)
        pairs = zip(found.outputs, found.output_units, strict=True)
        chosen = {name: wanted for name, unit in pairs if unit in ACCELERATION}
        if not chosen:
            units = ", ".join(f'"{n}" in {u}' for n, u in zip(found.outputs, found.output_units, strict=True))
            what = f"{wanted} weights accelerations, but the outputs are {units}."
            raise InputError(Fault("weighting", what, "Ask for an acceleration: a measure with '' or order 2."))
    else:
        chosen = dict(wanted)
    for name in chosen:
        if name not in found.outputs:
            raise InputError(Fault("weighting", f'"{name}" is no output.', suggest(name, found.outputs)))
    return tuple(weighting(chosen[name]) if name in chosen else None for name in found.outputs)


def _band(band_hz: tuple[float | None, float | None] | None, paths: Sequence[Path]) -> tuple[float, float]:
    """From and to in Hz (inf where open), not beyond what the sources have."""
    low, high = band_hz if band_hz is not None else (None, None)
    start, end = 0.0 if low is None else float(low), math.inf if high is None else float(high)
    if not (0 <= start < end) or math.isnan(end) or math.isinf(start):
        what = f"{start:g} to {end:g} Hz is no band."
        raise InputError(Fault("band", what, "It goes from zero or more to something greater."))
    least, most = (pick(path.source.range_hz[i] for path in paths) for i, pick in ((0, min), (1, max)))
    if start >= most or end <= least:
        what = f"the band {start:g} to {end:g} Hz holds nothing of the excitation, which has {least:g} to {most:g} Hz."
        raise InputError(Fault("band", what))
    return max(start, least), min(end, most)


def _needs_a_band(found: Excited, low: float, high: float) -> None:
    if found.dense is None and not (low > 0 and math.isfinite(high)):
        what = "not all modes of a large model are known, so its response is integrated over a band alone."
        raise InputError(Fault("band", what, "Give from and to (--from, --to)."))


def _span(
    motions: Motions, paths: Sequence[Path], weightings: Sequence[Weighting | None], low: float, high: float
) -> Span:
    """What the integration has to know beforehand."""
    delays = sorted({delay for path in paths for delay in path.delays})
    gaps = tuple(b - a for a, b in pairwise(delays))
    corners = [f for path in paths for f in path.source.corners_hz]
    corners += [f for w in weightings if w is not None for f in w.corners_hz]
    corners += [1 / (2 * math.pi * gap) for gap in gaps]
    return Span(low, high, motions.poles[motions.poles != 0], np.unique(corners), gaps)


def _grid(poles: np.ndarray, span: Span) -> np.ndarray:
    """Frequencies of the curves: evenly in the logarithm, and closer around resonances."""
    low, high = span.shown
    parts = [np.geomspace(low, high, GRID)]
    f, width = np.abs(poles.imag) / (2 * np.pi), np.abs(poles.real) / (2 * np.pi)
    sharp = (f > low) & (f < high) & (width < 0.2 * f)
    steps = np.sinh(np.linspace(-4, 4, 33))
    for centre, half in list(zip(f[sharp], width[sharp], strict=True))[:SHARP]:
        parts.append(centre + half * steps)
    if span.gaps:  # the waves of interference
        wave = 1 / sum(span.gaps)
        parts.append(np.arange(1, min(WAVES * wave, high) / wave * POINTS) * wave / POINTS)
    corners = span.corners[(span.corners > low) & (span.corners < high)]
    grid = np.unique(np.concatenate((*parts, corners)))
    return grid[(grid >= low) & (grid <= high)]


def _refuse_drift(found: Excited, motions: Motions, endless: np.ndarray, low: float) -> None:
    """Where a motion that nothing restores makes an output infinite, there is no stationary response."""
    rows = zip(found.outputs, motions.drifts, endless, strict=True)
    wrong = [name for name, drifts, bad in rows if drifts.any() and bad]
    if wrong and low == 0:
        names = ", ".join(f'"{name}"' for name in wrong)
        what = f"excited and seen by {names}: {motions.drifting}. It wanders ever farther, nothing is stationary."
        remedy = "Give a band that begins above 0 Hz (--from), or ask for accelerations or relative displacements."
        raise InputError(Fault("stability", what, remedy))


def _remarks(found: Excited, motions: Motions, paths: Sequence[Path], moments: Moments, low: float) -> list[str]:
    notes = []
    for name, below, above in zip(found.outputs, moments.endless_below, moments.endless_above, strict=True):
        if below:
            notes.append(f'"{name}": the RMS is infinite, the excitation has too much at low frequencies; give a band.')
        if above:
            notes.append(
                f'"{name}": the RMS is infinite, the density does not fall off at high frequencies; give a band.'
            )
    restless = [n for n, m in zip(found.outputs, moments.values, strict=True) if np.isfinite(m[0]) and np.isinf(m[2])]
    if restless:
        notes.append(
            f"{', '.join(restless)}: the density falls off so slowly that crossings have no rate (the velocity is"
            " infinite); a band with an end (--to) gives one."
        )
    drifting = [name for name, drifts in zip(found.outputs, motions.drifts, strict=True) if drifts.any()]
    if drifting and low > 0:
        notes.append(f"{', '.join(drifting)}: {motions.drifting} is seen; the numbers hold inside the band alone.")
    for path in paths:
        least, most = path.source.range_hz
        if least > 0 or math.isfinite(most):
            notes.append(f"Excitation from {least:g} to {most:g} Hz: nothing outside.")
    if found.dense is not None and len(found.dense.A) > MOST_STATES:
        notes.append(f"The exact route is left out above {MOST_STATES} states.")
    if not moments.converged:
        notes.append(f"The integrals converged to {float(moments.relative_error.max()):.1e} only.")
    return notes


def _disagreement(found: Excited, moments: Moments, exact: Exact | None, low: float, high: float) -> list[str]:
    """Notes where integration and Lyapunov equations do not give the same, and which of them holds."""
    if exact is None or low > 0 or math.isfinite(high):
        return []
    notes = []
    for name, a, b, error in zip(found.outputs, moments.values[:, 0], exact.plain, exact.relative_error, strict=True):
        if a == b or abs(a - b) <= AGREE * b:
            continue
        apart = f'"{name}": the integral over the frequency and the Lyapunov equation differ'
        if min(a, b) > 0 and max(a, b) < math.inf and error <= AGREE:
            notes.append(
                f"{apart} by {abs(math.sqrt(a / b) - 1):.1e}. The exact RMS holds (its own error is about"
                f" {0.5 * error:.0e}); the RMS in the band, moments and crossings are as uncertain as that difference."
            )
        else:
            notes.append(f"{apart}, and neither is certain enough to decide; trust neither, and give a band.")
    return notes
