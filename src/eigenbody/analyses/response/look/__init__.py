"""Time responses of linear models as tables, pictures, JSON documents and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.exchange.measured import Functions
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.tables import Grid, Sheet, counted, significant
from eigenbody.present.words import model_name, noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.response.amplitudes import ModeAmplitude
    from eigenbody.analyses.response.find import TimeResponse

MAX_ROWS = 40
ENERGIES = (
    ("kinetic", "kinetic"), ("potential", "potential"), ("dissipated", "dissipated"),
    ("circulatory", "drawn by circulatory forces"), ("work", "work of inputs"),
    ("states_work", "work of first-order states"),
)  # fmt: skip


# ---- tables


def sheet(r: TimeResponse) -> Sheet:
    """What each output does, what the modes or harmonics are, whether the energies balance."""
    title, line = headlines(r)
    return Sheet(title, [line], _grids(r), _below(r))


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
        size = float(np.abs(y).max()) or 1.0
        rms = size * np.sqrt(np.mean((y / size) ** 2))  # squares of large ones are no numbers
        cells = (y[0], y[-1], y[least], r.times[least], y[greatest], r.times[greatest], rms)
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


def _below(r: TimeResponse) -> list[str]:
    notes = noted((*r.notes, *r.modes_in_motion[1]))
    if r.energy is None:
        return notes
    e = r.energy
    parts = [f"{label} {significant(getattr(e, key)[-1], 4)}" for key, label in ENERGIES if np.any(getattr(e, key))]
    held = f"holds to {e.imbalance:.1e}" if np.isfinite(e.imbalance) else "is beyond all numbers"
    return [f"Energy at the end, J: {', '.join(parts) or 'none'}; the balance {held}", *notes]


# ---- documents and files


def document(r: TimeResponse) -> dict[str, Any]:
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


def records(r: TimeResponse) -> Iterator[Sequence[Any]]:
    """A line for each time with inputs and outputs."""
    require_finite(time=r.times, outputs=r.outputs, inputs=r.inputs)
    inputs = [name if name not in r.output_names else f"input {name}" for name in r.input_names]
    yield ("t", *inputs, *r.output_names)
    yield from np.column_stack((r.times, r.inputs, r.outputs)).tolist()


def arrays(r: TimeResponse) -> dict[str, Any]:
    """Histories, their names and units, and the energies."""
    require_finite(time=r.times, outputs=r.outputs, inputs=r.inputs)
    own: dict[str, Any] = {"t": r.times, "outputs": r.outputs, "inputs": r.inputs}
    own |= {"output_names": tuple(r.output_names), "input_names": tuple(r.input_names)}
    own |= {"output_units": tuple(r.output_units), "input_units": tuple(r.input_units)}
    if r.states is not None:
        own |= {"states": r.states, "state_names": tuple(r.linear.states)}
    if r.energy is not None:
        own |= {f"energy_{key}": getattr(r.energy, key) for key, _ in ENERGIES}
    return own | {"model": np.array(r.linear.point.model.name)}


def universal(r: TimeResponse) -> list[Functions]:
    """What a universal file is made of: inputs and outputs over time."""
    require_finite(time=r.times, outputs=r.outputs, inputs=r.inputs)
    names, units = (*r.input_names, *r.output_names), (*r.input_units, *r.output_units)
    values = np.column_stack((r.inputs, r.outputs))
    return [Functions(r.linear.point.model.name, "time", r.times, values, names, ("",) * len(names), units)]


def axes(r: TimeResponse) -> dict[str, Over]:
    """What the arrays lie over."""
    own = {
        "t": over("s", t=""),
        "outputs": over(t="", output="output_names"),
        "output_units": over(output="output_names"),
        "inputs": over(t="", input="input_names"),
        "input_units": over(input="input_names"),
    }
    if r.states is not None:
        own["states"] = over(t="", state="state_names")
    if r.energy is not None:
        own |= {f"energy_{key}": over("J", t="") for key, _ in ENERGIES}
    return own


def plot(r: TimeResponse) -> Figure:
    """Inputs, outputs and energies over time."""
    from eigenbody.analyses.response.look.plots import plot_response

    return plot_response(r)
