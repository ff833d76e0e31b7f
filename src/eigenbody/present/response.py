"""Time responses of linear models as tables, pictures, JSON documents and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.present.documents import as_json, number, require_finite
from eigenbody.present.export import Writer, array_file, csv_text, names_array, text_file
from eigenbody.present.tables import Grid, counted, model_name, significant, wrapped

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.analyses.response import TimeResponse
    from eigenbody.analyses.response_amplitudes import ModeAmplitude

RESPONSE_ENDINGS = ("npz", "mat", "csv", "json")
MAX_ROWS = 40
ENERGIES = (
    ("kinetic", "kinetic"), ("potential", "potential"), ("dissipated", "dissipated"),
    ("circulatory", "drawn by circulatory forces"), ("work", "work of inputs"),
    ("states_work", "work of first-order states"),
)  # fmt: skip


# ---- tables


def response_text(response: TimeResponse) -> str:
    """What each output does, what the modes or harmonics are, whether the energies balance."""
    return "\n".join((*headlines(response), *(f"\n{grid.text()}" for grid in _grids(response)), "", *_tail(response)))


def response_html(response: TimeResponse) -> str:
    """The same for a notebook."""
    from html import escape

    around = lambda lines: "".join(f"<p>{escape(line)}</p>" for line in lines)  # noqa: E731
    return around(headlines(response)) + "".join(grid.html() for grid in _grids(response)) + around(_tail(response))


def response_rich(response: TimeResponse) -> RenderableType:
    """The same for the terminal."""
    from rich.console import Group
    from rich.text import Text

    head = [Text(line, style="bold" if not i else "") for i, line in enumerate(headlines(response))]
    grids = [part for grid in _grids(response) for part in (Text(""), grid.rich())]
    return Group(*head, *grids, Text(""), *(Text(line) for line in _tail(response)))


def headlines(r: TimeResponse) -> list[str]:
    """What this is, and of what."""
    span = f"t = {r.times[0]:.6g} to {r.times[-1]:.6g} s, {counted(len(r), 'time')}, {r.method}"
    return [f"{'Stationary response' if r.is_stationary else 'Response'} of {model_name(r.linear.point)}",
            f"{excited_by(r)}; {span}; deviations from the operating point"]  # fmt: skip


def excited_by(r: TimeResponse) -> str:
    """The excitation in words."""
    units = dict(zip(r.input_names, r.input_units, strict=True))
    given: Any = r.excitation
    if given.kind == "free":
        return "Free motion from initial conditions"
    if given.kind == "sampled":
        how = "straight lines between" if given.hold == "first" else "held after each"
        return f"Sampled {', '.join(given.names)} ({counted(len(given.times), 'sample')}, {how})"
    if given.kind == "periodic":
        return f"Periodic {', '.join(given.names)} at {significant(given.frequency_hz)} Hz"
    sizes = []
    for name, size in given.inputs.items():
        unit = units.get(name, "") + ("*s" if given.kind == "impulse" else "")
        sizes.append(
            f"{name} = {significant(float(np.abs(size)) if np.imag(size) else float(np.real(size)))} {unit}".strip()
        )
    if given.kind == "harmonic":
        phase = f", phase {significant(np.degrees(given.phase), 4)} deg" if given.phase else ""
        return f"Harmonic {', '.join(sizes)} at {significant(given.frequency_hz)} Hz{phase}"
    return f"{given.kind.capitalize()} {', '.join(sizes)}" + (f" at {given.at:g} s" if given.at else "")


def _grids(r: TimeResponse) -> list[Grid]:
    grids = [_signals(r)]
    if r.harmonics is not None:
        grids.append(_harmonics(r))
    elif (found := r.modes_in_motion[0]) is not None:
        grids.append(_modes(found))
    return grids


def _signals(r: TimeResponse) -> Grid:
    rows = []
    for name, unit, y in list(zip(r.output_names, r.output_units, r.outputs.T, strict=True))[:MAX_ROWS]:
        least, greatest = int(np.argmin(y)), int(np.argmax(y))
        cells = (y[0], y[-1], y[least], r.times[least], y[greatest], r.times[greatest], np.sqrt(np.mean(y * y)))
        rows.append((name, unit, *(significant(float(v)) for v in cells)))
    columns = ("output", "unit", "start", "end", "least", "at\ns", "greatest", "at\ns", "rms")
    left_out = max(0, len(r.output_names) - MAX_ROWS)
    return Grid("", columns, tuple(rows), (False, False, *[True] * 7), left_out)


def _harmonics(r: TimeResponse) -> Grid:
    assert r.harmonics is not None
    rows = []
    for hz, line in zip(r.harmonics.frequency_hz, r.harmonics.outputs, strict=True):
        for name, value in zip(r.output_names, line, strict=True):
            phase = significant(np.degrees(np.angle(value)), 5)
            rows.append((significant(hz), name, significant(abs(value)), phase))
    columns = ("frequency\nHz", "output", "amplitude", "phase\ndeg")
    shown = tuple(rows[:MAX_ROWS])
    return Grid("Amplitude and phase", columns, shown, (True, False, True, True), len(rows) - len(shown))


def _modes(found: tuple[ModeAmplitude, ...]) -> Grid:
    rows = tuple(
        (str(m.index), significant(m.frequency_hz), significant(m.eigenvalue.real), significant(m.amplitude),
         significant(np.degrees(m.phase), 5))
        for m in found[:MAX_ROWS]
    )  # fmt: skip
    columns = ("mode", "damped frequency\nHz", "real part\n1/s", "amplitude", "phase\ndeg")
    title = "Modes in the motion (amplitude of the shapes given by `modes`)"
    return Grid(title, columns, rows, (True,) * 5, max(0, len(found) - MAX_ROWS))


def _tail(r: TimeResponse) -> list[str]:
    notes = [f"Note: {note}" for note in (*r.notes, *r.modes_in_motion[1])]
    if r.energy is None:
        return wrapped(notes)
    e = r.energy
    parts = [f"{label} {significant(getattr(e, key)[-1], 4)}" for key, label in ENERGIES if np.any(getattr(e, key))]
    balance = f"Energy at the end, J: {', '.join(parts) or 'none'}; the balance holds to {e.imbalance:.1e}"
    return wrapped([balance, *notes])


# ---- documents and files


def response_document(r: TimeResponse) -> dict[str, Any]:
    """`response --json`."""
    require_finite(time=r.times, outputs=r.outputs, inputs=r.inputs)
    amplitudes, remarks = r.modes_in_motion
    return {
        "model": r.linear.point.model.name,
        "method": r.method,
        "stationary": r.is_stationary,
        "excitation": r.excitation.as_dict(),
        "time": r.times.tolist(),
        "outputs": _columns(r.output_names, r.outputs),
        "inputs": _columns(r.input_names, r.inputs),
        "units": {
            "outputs": dict(zip(r.output_names, r.output_units, strict=True)),
            "inputs": dict(zip(r.input_names, r.input_units, strict=True)),
        },
        "energy": _energy(r),
        "modes": None if amplitudes is None else [_mode(entry) for entry in amplitudes],
        "harmonics": None if r.harmonics is None else r.harmonics.as_dict(r.output_names),
        "notes": [*r.notes, *remarks],
        "warnings": list(r.linear.point.warnings),
    }


def _columns(names: tuple[str, ...], table: np.ndarray) -> dict[str, list[float]]:
    return dict(zip(names, (table.T + 0.0).tolist(), strict=True))


def _mode(entry: ModeAmplitude) -> dict[str, Any]:
    return {
        "index": entry.index, "real": number(entry.eigenvalue.real), "imag": number(entry.eigenvalue.imag),
        "damped_frequency_hz": number(entry.frequency_hz), "amplitude": number(entry.amplitude),
        "phase": number(entry.phase),
    }  # fmt: skip


def _energy(r: TimeResponse) -> dict[str, Any] | None:
    if r.energy is None:
        return None
    series = {key: [number(v) for v in getattr(r.energy, key)] for key, _ in ENERGIES}
    return {**series, "imbalance": number(r.energy.imbalance)}


def response_writer(r: TimeResponse, ending: str) -> Writer:
    """Writes a response: csv holds t, inputs and outputs as columns; npz and mat the arrays; json the document."""
    if ending == "json":
        return text_file(as_json(response_document(r)) + "\n")
    require_finite(time=r.times, outputs=r.outputs, inputs=r.inputs)
    if ending == "csv":
        inputs = [name if name not in r.output_names else f"input {name}" for name in r.input_names]
        table = np.column_stack((r.times, r.inputs, r.outputs))
        heading = ("t", *inputs, *r.output_names)
        return text_file(csv_text([heading, *(tuple(map(repr, row)) for row in table.tolist())]))
    arrays: dict[str, Any] = {"t": r.times, "outputs": r.outputs, "inputs": r.inputs}
    arrays |= {"output_names": names_array(r.output_names), "input_names": names_array(r.input_names)}
    arrays |= {"output_units": names_array(r.output_units), "input_units": names_array(r.input_units)}
    if r.states is not None:
        arrays |= {"states": r.states, "state_names": names_array(r.linear.states)}
    if r.energy is not None:
        arrays |= {f"energy_{key}": getattr(r.energy, key) for key, _ in ENERGIES}
    return array_file(arrays | {"model": np.array(r.linear.point.model.name)}, ending)
