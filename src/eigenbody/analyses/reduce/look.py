"""Reduced models: what they print, their document, files and picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.exchange.block import LinearBlock
from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.export import matrix_records
from eigenbody.present.tables import Grid, Sheet, counted, significant
from eigenbody.present.words import model_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.reduce import ReducedModel

MAX_ROWS = 30
MAX_CHANNELS = 3


def sheet(model: ReducedModel) -> Sheet:
    """What was kept, and how far off it can be."""
    whole, few = len(model.linear.states), len(model.states)
    what = "balanced truncation" if model.method == "balanced" else "second-order reduction"
    static = "the gain at zero frequency is kept" if model.static else "without static correction"
    lines = [
        f"{few} of {whole} states by {what}, {static}",
        f"{counted(len(model.inputs), 'input')}, {counted(len(model.outputs), 'output')}",
    ]
    if len(model.kept):
        lines.append(f"Of these {len(model.kept)} for what does not decay, as it is")
    part = " (of what decays)" if len(model.kept) else ""
    of = f"of the largest gain of its output{part}" if model.relative else "in SI units"
    if np.isfinite(model.bound):
        lines.append(f"No gain is off by more than {_part(model, model.bound)} {of}, at any frequency")
    if np.isfinite(model.error):
        where = f"at {significant(model.error_hz)} Hz" if np.isfinite(model.error_hz) else "at high frequencies"
        lines.append(f"Largest error of all gains together: {_part(model, model.error)} {where}")
    return Sheet(f"Reduced model of {model_name(model.linear.point)}", lines, _hankel(model))


def _part(model: ReducedModel, error: float) -> str:
    return f"{100 * error:.3g} %" if model.relative else significant(error)


def _hankel(model: ReducedModel) -> list[Grid]:
    values = model.hankel[:MAX_ROWS]
    if not len(values):
        return []
    count = len(model.states) - len(model.kept)
    largest = float(model.hankel[0]) or 1.0
    rows = tuple(
        (str(k + 1), significant(float(v)), f"{v / largest:.2e}", "kept" if k < count else "")
        for k, v in enumerate(values)
    )
    columns = ("#", "Hankel singular\nvalue", "of the\nlargest", "")
    return [Grid("", columns, rows, (True, True, True, False), len(model.hankel) - len(values))]


def document(model: ReducedModel) -> dict[str, Any]:
    """`reduce --json`."""
    A, B, C, D = model.state_space
    require_finite(A=A, B=B, C=C, D=D)
    rows = lambda m: None if m is None else (m + 0.0).tolist()  # noqa: E731
    return {
        "model": model.linear.point.model.name,
        "method": model.method,
        "states": list(model.states),
        "inputs": list(model.inputs),
        "outputs": list(model.outputs),
        "A": rows(A),
        "B": rows(B),
        "C": rows(C),
        "D": rows(D),
        "mass": rows(model.M),
        "damping": rows(model.damping),
        "stiffness": rows(model.K),
        "hankel": model.hankel.tolist(),
        "kept": [{"real": v.real, "imag": v.imag} for v in model.kept.tolist()],
        "bound": number(model.bound),
        "error": number(model.error),
        "error_hz": number(model.error_hz),
        "gains": model.gains.tolist(),
        "static": model.static,
        "relative": model.relative,
    }


def arrays(model: ReducedModel) -> dict[str, Any]:
    """Matrices, Hankel singular values and names."""
    A, B, C, D = model.state_space
    require_finite(A=A, B=B, C=C, D=D)
    second = {} if model.M is None else {"M": model.M, "C": model.damping, "K": model.K}
    names = {"states": model.states, "inputs": model.inputs, "outputs": model.outputs}
    known = {"bound": model.bound, "error": model.error}
    quality = {"gains": model.gains, **{key: np.array(v) for key, v in known.items() if np.isfinite(v)}}
    return {"A": A, "B": B, "C_out": C, "D": D, "T": model.T, **second, **names, "hankel": model.hankel, **quality}


def axes(model: ReducedModel) -> dict[str, Over]:
    """What the arrays lie over."""
    own = {
        "A": over(rate="states", state="states"), "B": over(rate="states", input="inputs"),
        "C_out": over(output="outputs", state="states"), "D": over(output="outputs", input="inputs"),
        "T": over(whole_state=model.linear.states, state="states"), "hankel": over(value=""),
        "gains": over(output="outputs", input="inputs"),
    }  # fmt: skip
    if model.M is not None:
        own |= {name: over(force="", coordinate="") for name in "MCK"}
    return own


def records(model: ReducedModel) -> Iterator[list[Any]]:
    """A block for each matrix."""
    x, u, y = model.states, model.inputs, model.outputs
    blocks = (("A", model.A, x, x), ("B", model.B, x, u), ("C", model.C, y, x), ("D", model.D, y, u))
    for k, (key, matrix, rows, columns) in enumerate(blocks):
        yield from [[]] if k else []
        yield from matrix_records(key, matrix, rows, columns)


def block(model: ReducedModel) -> LinearBlock:
    """What an FMU or a Modelica block is made of; reduced states have no unit."""
    units, names = model.linear.units, (model.states, model.inputs, model.outputs)
    own = ("",) * len(model.states)
    return LinearBlock(model.linear.point.model.name, *model.state_space, *names, own, units.inputs, units.outputs)


def plot(model: ReducedModel) -> Figure:
    """Magnitude of the full and the reduced model with the error and its bound, and the Hankel singular values."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.6), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=(2, 1))
    hz = _frequencies(model)
    full, few = model.full_response(hz), model.frequency_response(hz)
    channels = [(o, i) for o in range(len(model.outputs)) for i in range(len(model.inputs))]
    ranked = sorted(channels, key=lambda c: -float(np.nan_to_num(np.abs(full[:, c[0], c[1]])).max()))[:MAX_CHANNELS]
    for k, (o, i) in enumerate(ranked):
        name = f"{shown(model.outputs[o], 20)} / {shown(model.inputs[i], 20)}"
        left.loglog(hz, np.abs(full[:, o, i]), color=f"C{k}", lw=2.6, alpha=0.4, label=name)
        left.loglog(hz, np.abs(few[:, o, i]), color=f"C{k}", lw=1.1, ls="--")
        off = np.abs(few - full)[:, o, i]
        left.loglog(hz, np.where(off > 0, off, np.nan), color=f"C{k}", lw=0.7, alpha=0.8)
        if np.isfinite(model.bound):
            left.axhline(model.bound * model.gains[o, i], color=f"C{k}", lw=0.9, ls=":")
    left.plot([], [], color="#777777", lw=1.1, ls="--", label="reduced")
    left.plot([], [], color="#777777", lw=0.7, label="error")
    if np.isfinite(model.bound):
        left.plot([], [], color="#777777", lw=0.9, ls=":", label="its bound")
    left.set_xlabel("frequency, Hz")
    left.set_ylabel("magnitude, SI units")
    counts = f"{len(model.states)} of {len(model.linear.states)} states"
    left.set_title(f"{shown(model.linear.point.model.name, 50)}: {counts}", loc="left", fontsize=10)
    left.grid(True, which="major", color="#eeeeee")
    left.legend(fontsize=8, frameon=False, loc="lower left")
    _bars(model, right)
    return figure


def _bars(model: ReducedModel, axes: Any) -> None:
    values = model.hankel[model.hankel > 0][:60]
    if not len(values):
        axes.axis("off")
        return
    count = len(model.states) - len(model.kept)
    place = np.arange(1, len(values) + 1)
    colors = ["#1f5fbf" if k <= count else "#c9c9c9" for k in place]
    axes.bar(place, values, color=colors)
    axes.set_yscale("log")
    axes.set_xlabel("state")
    axes.set_title("Hankel singular values (blue: kept)", loc="left", fontsize=10)


def _frequencies(model: ReducedModel) -> np.ndarray:
    own = np.abs(np.linalg.eigvals(model.linear.A)) / (2 * np.pi)
    own = own[own > 1e-9 * own.max(initial=1.0)]
    low, high = (0.2 * own.min(), 5 * own.max()) if len(own) else (0.01, 10.0)
    return np.unique(np.concatenate((np.geomspace(low, high, 700), own)))
