"""Truncated models: what they print, their document and a picture of what was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.exchange.block import LinearBlock
from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.tables import Sheet, counted, significant
from eigenbody.present.words import model_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.truncate import TruncatedModel

MAX_CHANNELS = 4  # curves of the picture


def sheet(model: TruncatedModel) -> Sheet:
    """What was kept."""
    hz = np.abs(model.eigenvalues) / (2 * np.pi)
    top = f"up to {significant(float(hz.max(initial=0.0)))} Hz"
    left = len(model.linear.states) - len(model.states)
    dropped = f"; the first dropped is at {significant(model.first_dropped_hz)} Hz" if left else "; none dropped"
    static = "with" if model.static_correction else "without"
    lines = [
        f"{counted(len(hz), 'mode')} {top}, {len(model.states)} of {len(model.linear.states)} states{dropped}",
        f"{counted(len(model.inputs), 'input')}, {counted(len(model.outputs), 'output')}, {static} static correction",
    ]
    return Sheet(f"Truncated model of {model_name(model.linear.point)}", lines)


def document(model: TruncatedModel) -> dict[str, Any]:
    """Matrices and names as plain data."""
    A, B, C, D = model.state_space
    require_finite(A=A, B=B, C=C, D=D)
    return {
        "model": model.linear.point.model.name,
        "states": list(model.states),
        "inputs": list(model.inputs),
        "outputs": list(model.outputs),
        "A": A.tolist(),
        "B": B.tolist(),
        "C": C.tolist(),
        "D": D.tolist(),
        "eigenvalues": [{"real": value.real, "imag": value.imag} for value in model.eigenvalues.tolist()],
        "first_dropped_hz": number(model.first_dropped_hz),
        "static_correction": model.static_correction,
    }


def arrays(model: TruncatedModel) -> dict[str, Any]:
    """Matrices and names."""
    A, B, C, D = model.state_space
    require_finite(A=A, B=B, C=C, D=D)
    names = {"states": model.states, "inputs": model.inputs, "outputs": model.outputs}
    return {"A": A, "B": B, "C_out": C, "D": D, "T": model.T, "eigenvalues": model.eigenvalues, **names}


def axes(model: TruncatedModel) -> dict[str, Over]:
    """What the matrices lie over."""
    return {
        "A": over(rate="states", state="states"), "B": over(rate="states", input="inputs"),
        "C_out": over(output="outputs", state="states"), "D": over(output="outputs", input="inputs"),
        "T": over(whole_state=model.linear.states, state="states"), "eigenvalues": over("1/s", mode=""),
    }  # fmt: skip


def block(model: TruncatedModel) -> LinearBlock:
    """What an FMU or a Modelica block is made of; modal coordinates have no unit."""
    units, names = model.linear.units, (model.states, model.inputs, model.outputs)
    own = ("",) * len(model.states)
    return LinearBlock(model.linear.point.model.name, *model.state_space, *names, own, units.inputs, units.outputs)


def plot(model: TruncatedModel) -> Figure:
    """Magnitude of the response of the truncated and, where it is dense, of the full model; the first few channels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    channels = [(o, i) for o in range(len(model.outputs)) for i in range(len(model.inputs))][:MAX_CHANNELS]
    axes.set_title(
        f"{shown(model.linear.point.model.name, 80)}: full model and {len(model.eigenvalues)} modes", loc="left"
    )
    if not channels:
        axes.axis("off")
        axes.text(0.5, 0.5, "The model has no inputs or no outputs", ha="center", va="center", color="#777777")
        return figure
    hz = _frequencies(model)
    full, kept = model.full_response(hz), model.frequency_response(hz)
    for k, (o, i) in enumerate(channels):
        name = f"{shown(model.outputs[o], 24)} / {shown(model.inputs[i], 24)}"
        if full is not None:
            axes.loglog(hz, np.abs(full[:, o, i]), color=f"C{k}", lw=2.4, alpha=0.45, label=f"{name}, full")
        axes.loglog(hz, np.abs(kept[:, o, i]), color=f"C{k}", lw=1.1, ls="--", label=f"{name}, truncated")
    if np.isfinite(model.first_dropped_hz):
        axes.axvline(model.first_dropped_hz, color="#777777", lw=0.9, ls=":", label="first dropped mode")
    axes.set_xlabel("frequency, Hz")
    axes.set_ylabel("magnitude of output per input, SI units")
    axes.grid(True, which="both", color="#eeeeee")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=9, frameon=False)
    return figure


def _frequencies(model: TruncatedModel) -> np.ndarray:
    own = np.abs(model.eigenvalues[model.eigenvalues != 0]) / (2 * np.pi)
    low = 0.2 * float(own.min()) if len(own) else 0.01
    high = 3 * model.first_dropped_hz if np.isfinite(model.first_dropped_hz) else 5 * float(own.max(initial=1.0))
    return np.geomspace(low, high, 1200)
