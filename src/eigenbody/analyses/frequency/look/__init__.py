"""Frequency responses as tables, JSON documents and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.exchange.measured import Functions
from eigenbody.present.axes import Over, Places, over
from eigenbody.present.documents import number, plain
from eigenbody.present.tables import Grid, Sheet, Styled, counted, listed, significant
from eigenbody.present.words import model_name, remarks_below

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.frequency.find import FrequencyResponse

MAX_PEAKS = 40  # rows of the printed table
MAX_VALUES = 24  # rows of printed values


# Tables ---------------------------------------------------------------------------------------------------------------
def sheet(response: FrequencyResponse) -> Sheet:
    """Resonance peaks, values where few were asked for, notes."""
    hz = response.frequency_hz
    span = f"{significant(hz.min())} to {significant(hz.max())} Hz" if len(hz) > 1 else f"{significant(hz[0])} Hz"
    few = counted(len(hz), "frequency", "frequencies")
    lines = [
        f"Inputs: {listed(_named(response.inputs, response.input_units))}",
        f"Outputs: {listed(_named(response.outputs, response.output_units))}",
        f"{few}, {span}; method {response.method}",
    ]
    quiet = [note for note in response.notes if note not in response.cautions]
    warnings = [Styled(line, "yellow") for line in (*_poles(response), *response.cautions)]
    title = f"Frequency response of {model_name(response.linear.point)}"
    return Sheet(title, lines, _grids(response), [*warnings, *remarks_below(response.linear, quiet)])


def _named(names: tuple[str, ...], units: tuple[str, ...]) -> list[str]:
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)]


def _grids(response: FrequencyResponse) -> list[Grid]:
    grids = []
    if response.values.size <= MAX_VALUES:
        grids.append(_values_grid(response))
    if response.peaks:
        grids.append(_peaks_grid(response))
    return grids


def _values_grid(response: FrequencyResponse) -> Grid:
    phase = np.degrees(response.phase)
    rows = []
    for j, name in enumerate(response.inputs):
        for i, output in enumerate(response.outputs):
            for k, hz in enumerate(response.frequency_hz):
                size = _size(response.magnitude[k, i, j])
                cells = (significant(hz, 8), size, significant(phase[k, i, j], 5))
                rows.append((name, output, *cells, response.unit(i, j)))
    columns = ("input", "output", "frequency\nHz", "magnitude", "phase\ndeg", "unit")
    return Grid("Values", columns, tuple(rows), (False, False, True, True, True, False))


def _peaks_grid(response: FrequencyResponse) -> Grid:
    at = {name: k for k, name in enumerate(response.outputs)}, {name: k for k, name in enumerate(response.inputs)}
    rows = tuple(
        (p.input, p.output, significant(p.frequency_hz, 8), _size(p.magnitude),
         response.unit(at[0][p.output], at[1][p.input]))
        for p in response.peaks[:MAX_PEAKS]
    )  # fmt: skip
    columns = ("input", "output", "frequency\nHz", "magnitude", "unit")
    left_out = max(0, len(response.peaks) - MAX_PEAKS)
    return Grid("Resonance peaks", columns, rows, (False, False, True, True, False), left_out)


def _size(value: float) -> str:
    return "infinite" if np.isposinf(value) else significant(value)


def _poles(response: FrequencyResponse) -> list[str]:
    return [
        f"On a pole: at {significant(pole.frequency_hz, 8)} Hz the response is infinite ({pole.mode}),"
        f" from {listed(pole.inputs)} to {listed(pole.outputs)}."
        for pole in response.poles
    ]


# Documents and files --------------------------------------------------------------------------------------------------
def document(response: FrequencyResponse) -> dict[str, Any]:
    """The document of `frf --json`; null where the response is infinite or undefined."""
    require_known(response)
    return {
        "model": response.linear.point.model.name,
        "inputs": list(response.inputs),
        "outputs": list(response.outputs),
        "units": {"inputs": list(response.input_units), "outputs": list(response.output_units)},
        "method": response.method,
        "frequency_hz": response.frequency_hz.tolist(),
        "real": plain(np.where(np.isfinite(response.values), response.values.real, np.nan)),
        "imag": plain(np.where(np.isfinite(response.values), response.values.imag, np.nan)),
        "magnitude": plain(response.magnitude),
        "phase_deg": plain(np.degrees(response.phase)),
        "peaks": [
            {"input": p.input, "output": p.output, "frequency_hz": p.frequency_hz, "magnitude": number(p.magnitude)}
            for p in response.peaks
        ],
        "poles": [pole.as_dict() for pole in response.poles],
        "notes": list(response.notes),
        "warnings": list(response.linear.point.warnings),
        "certificate": response.certificate.as_dict(),
    }


def require_known(response: FrequencyResponse) -> None:
    """Refuse numbers that are neither finite nor on a pole."""
    met = np.zeros(len(response.frequency_hz), bool)
    for pole in response.poles:
        met |= np.abs(response.frequency_hz - pole.frequency_hz) <= 1e-6 * pole.frequency_hz
    odd = ~np.isfinite(response.values).all(axis=(1, 2)) & ~met
    if np.any(odd):
        raise ComputationError(
            f"The response at {np.count_nonzero(odd)} of {len(odd)} frequencies is not finite, from"
            f" {response.frequency_hz[odd][0]:.6g} Hz on. Check the model for absurd magnitudes."
        )


def arrays(response: FrequencyResponse) -> dict[str, Any]:
    """The response (frequencies, outputs, inputs), its peaks and names."""
    require_known(response)
    return {
        "frequency_hz": response.frequency_hz,
        "response": response.values,
        "magnitude": response.magnitude,
        "phase_deg": np.degrees(response.phase),
        "peaks": np.array([(p.frequency_hz, p.magnitude) for p in response.peaks]).reshape(-1, 2),
        "peak_inputs": tuple(p.input for p in response.peaks),
        "peak_outputs": tuple(p.output for p in response.peaks),
        "inputs": tuple(response.inputs),
        "outputs": tuple(response.outputs),
        "input_units": tuple(response.input_units),
        "output_units": tuple(response.output_units),
    }


def universal(response: FrequencyResponse) -> list[Functions]:
    """What a universal file is made of: a frequency response for each output and input."""
    require_known(response)
    if not np.isfinite(response.values).all():
        what = "the response is infinite on a pole, which a universal file cannot say."
        raise InputError(Fault("--out", what, "Choose other frequencies, or write .npz."))
    pairs = [(i, j) for j in range(len(response.inputs)) for i in range(len(response.outputs))]
    values = np.column_stack([response.values[:, i, j] for i, j in pairs])
    names = zip(*((response.outputs[i], response.inputs[j], response.unit(i, j)) for i, j in pairs), strict=True)
    return [Functions(response.linear.point.model.name, "frequency", response.frequency_hz, values, *names)]


def axes(response: FrequencyResponse) -> dict[str, Over]:
    """What the arrays lie over."""
    whole: dict[str, Places] = {"frequency_hz": "", "output": "outputs", "input": "inputs"}
    return {
        "frequency_hz": over("Hz", frequency_hz=""),
        "response": over(**whole),
        "magnitude": over(**whole),
        "phase_deg": over("deg", **whole),
        "input_units": over(input="inputs"),
        "output_units": over(output="outputs"),
        "peaks": over(peak="", of=("frequency_hz", "magnitude")),
        "peak_inputs": over(peak=""),
        "peak_outputs": over(peak=""),
    }


def records(response: FrequencyResponse) -> Iterator[list[Any]]:
    """frequency_hz, then real, imag, magnitude and phase of each entry; infinite magnitudes are written inf."""
    require_known(response)
    head, columns = ["frequency_hz"], [response.frequency_hz]
    phase = np.degrees(response.phase)
    for j, name in enumerate(response.inputs):
        for i, output in enumerate(response.outputs):
            label = f"{output} / {name} [{response.unit(i, j)}]"
            value = response.values[:, i, j]
            known = np.where(np.isfinite(value), value, np.nan)
            head += [f"{label} real", f"{label} imag", f"{label} magnitude", f"{output} / {name} phase [deg]"]
            columns += [known.real, known.imag, np.abs(value), phase[:, i, j]]
    yield head
    yield from np.column_stack(columns).tolist()


def plot(response: FrequencyResponse, kind: str = "bode") -> Figure:
    """Bode or Nyquist diagram."""
    from eigenbody.analyses.frequency.look.plots import plot_frf

    return plot_frf(response, kind)
