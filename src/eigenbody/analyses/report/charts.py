"""Results as interactive charts: plain plotly figures, `{"data": [...], "layout": {...}}`.

Colours that begin with `--` are variables of the page, so that charts follow its light and dark looks; `LIGHT` has
their values for a notebook. Names are escaped: plotly reads some markup in text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.tables import significant

if TYPE_CHECKING:
    from eigenbody.analyses.frequency import FrequencyResponse
    from eigenbody.analyses.modes import Modes
    from eigenbody.analyses.response import TimeResponse
    from eigenbody.analyses.sweep import Sweep
    from eigenbody.simulation.result import Simulation

Chart = dict[str, Any]

MAX_CURVES = 8
MAX_BRANCHES = 40
FAR = 4.0  # ratio of the highest branches from which on the higher one is out of the picture
MAX_POINTS = 1500  # of a curve
STABILITY = {"stable": "--good", "marginal": "--fair", "drifting": "--fair", "unstable": "--bad"}
LIGHT = {
    "--good": "#1a8754", "--fair": "#b7791f", "--bad": "#c53030", "--faint": "#7a8496", "--ink": "#1d2433",
    "--accent": "#2563c9", "--line-strong": "#c3cad6", "--c1": "#3568b8", "--c2": "#d9782b", "--c3": "#3a8f4d",
    "--c4": "#9b5fa5", "--c5": "#c8504f", "--c6": "#3d8f93", "--c7": "#b0891b", "--c8": "#7b5b47",
}  # fmt: skip
WHIRL_DASH = {"forward": "solid", "backward": "dash", "none": "solid", "mixed": "dashdot"}


def without_markup(text: str, limit: int = 60) -> str:
    """A name as text that plotly does not take for markup."""
    return escape(shown(text, limit), quote=False)


def listed(values: Any, digits: int = 6) -> list[float | None]:
    """Numbers for JSON: rounded, null for what is not finite."""
    return [float(f"{v:.{digits}g}") if np.isfinite(v) else None for v in np.asarray(values, dtype=float)]


def _layout(x: str, y: str, height: int = 380, **more: Any) -> dict[str, Any]:
    return {
        "xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}, "height": height,
        "margin": {"l": 64, "r": 18, "t": 36, "b": 52}, "hovermode": "closest",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    } | more  # fmt: skip


# ---- eigenvalues


def eigenvalue_chart(modes: Modes, labels: Sequence[str]) -> Chart:
    """Eigenvalues in the complex plane, one colour for each stability class."""
    values = modes.eigenvalues
    data = []
    for stability, color in STABILITY.items():
        own = [i for i, s in enumerate(modes.stabilities) if s == stability and i < len(labels)]
        if own:
            text = [f"mode {i + 1}: {without_markup(labels[i], 80)}" for i in own]
            data.append({
                "type": "scatter", "mode": "markers", "name": stability, "x": listed(values[own].real),
                "y": listed(values[own].imag / (2 * np.pi)), "text": text, "customdata": own,
                "hovertemplate": "%{text}<br>real %{x:.4g} 1/s<br>%{y:.4g} Hz<extra></extra>",
                "marker": {"size": 10, "color": color, "symbol": "circle" if stability != "unstable" else "diamond"},
            })  # fmt: skip
    layout = _layout("real part, 1/s (left of zero: decays)", "damped frequency, Hz", 360)
    layout["xaxis"] |= {"zeroline": True, "zerolinewidth": 2}
    return {"data": data, "layout": layout}


# ---- frequency response


def frf_charts(response: FrequencyResponse) -> list[tuple[str, Chart]]:
    """Magnitude and phase over frequency; one chart for each unit of the entries."""
    groups: dict[str, list[tuple[int, int]]] = {}
    for j in range(len(response.inputs)):
        for i in range(len(response.outputs)):
            groups.setdefault(response.unit(i, j), []).append((i, j))
    return [
        (unit, _with_rest(_bode(response, unit, entries[:MAX_CURVES]), len(entries)))
        for unit, entries in groups.items()
    ]


def _with_rest(chart: Chart, curves: int) -> Chart:
    """The chart with a note of how many curves it could have."""
    return chart | {"layout": chart["layout"] | {"meta": {"curves": curves}}} if curves > MAX_CURVES else chart


def _bode(response: FrequencyResponse, unit: str, entries: Sequence[tuple[int, int]]) -> Chart:
    order = np.argsort(response.frequency_hz, kind="stable")
    hz = response.frequency_hz[order]
    is_log = bool(len(hz) > 1 and hz[0] > 0 and hz[-1] > 5 * hz[0])
    x = listed(hz, 8)
    data: list[dict[str, Any]] = []
    for k, (i, j) in enumerate(entries):
        size = response.magnitude[order, i, j]
        size = np.where(size > 0, size, np.nan)
        phase = np.degrees(response.phase[order, i, j])
        folded = (phase + 180.0) % 360.0 - 180.0
        name = f"{without_markup(response.outputs[i], 30)} / {without_markup(response.inputs[j], 30)}"
        line = {"color": f"--c{k % 8 + 1}", "width": 1.8, "simplify": False}
        common = {"type": "scatter", "mode": "lines", "x": x, "name": name, "legendgroup": str(k), "line": line}
        data.append(
            common | {"y": listed(size), "hovertemplate": "%{x:.5g} Hz<br>%{y:.4g}<extra>%{fullData.name}</extra>"}
        )
        data.append(common | {"y": listed(_cut(folded)), "yaxis": "y2", "showlegend": False,
                              "hovertemplate": "%{x:.5g} Hz<br>%{y:.1f}°<extra>%{fullData.name}</extra>"})  # fmt: skip
    data += _peaks(response, entries)
    kind = "log" if is_log else "linear"
    layout = _layout("frequency, Hz", f"magnitude, {without_markup(unit)}", 460)
    layout["xaxis"] |= {"type": kind, "anchor": "y2"}
    layout["yaxis"] |= {"type": "log", "domain": [0.38, 1], "exponentformat": "power"} | _decades(response, entries)
    layout["yaxis2"] = {
        "title": {"text": "phase, °"},
        "domain": [0, 0.3],
        "range": [-190, 190],
        "tickvals": [-180, -90, 0, 90, 180],
    }
    return {"data": data, "layout": layout}


def _decades(response: FrequencyResponse, entries: Sequence[tuple[int, int]]) -> dict[str, int]:
    """Ticks at whole decades where there are enough of them."""
    sizes = np.concatenate([response.magnitude[:, i, j] for i, j in entries])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return {"dtick": 1} if len(sizes) and sizes.max() > 300 * sizes.min() else {}


def _cut(phase: np.ndarray) -> np.ndarray:
    """No line where the phase jumps from one end to the other."""
    phase = phase.copy()
    phase[np.flatnonzero(np.abs(np.diff(phase)) > 270)] = np.nan
    return phase


def _peaks(response: FrequencyResponse, entries: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    names = {(response.outputs[i], response.inputs[j]): k for k, (i, j) in enumerate(entries)}
    own = [p for p in response.peaks if (p.output, p.input) in names and np.isfinite(p.magnitude)]
    if not own:
        return []
    colors = [f"--c{names[p.output, p.input] % 8 + 1}" for p in own]
    return [{
        "type": "scatter", "mode": "markers", "name": "peaks", "x": listed([p.frequency_hz for p in own], 8),
        "y": listed([p.magnitude for p in own]), "marker": {"size": 8, "color": colors}, "showlegend": False,
        "hovertemplate": "peak at %{x:.5g} Hz<br>%{y:.4g}<extra></extra>",
    }]  # fmt: skip


# ---- sweeps


def sweep_chart(sweep: Sweep) -> Chart:
    """Frequency and damping of every branch over the parameter, with excitation lines and critical speeds."""
    from eigenbody.analyses.sweep.look import as_campbell, is_rigid_branch

    unit, factor = sweep.unit
    x = sweep.values / factor
    speed = as_campbell(sweep)
    drawn = [k for k in range(sweep.eigenvalues.shape[1]) if not is_rigid_branch(sweep, k)][:MAX_BRANCHES]
    data: list[dict[str, Any]] = []
    for n, k in enumerate(drawn):
        whirl = speed.whirl[k] if speed is not None else "none"
        name = f"{k + 1} {without_markup(sweep.labels[k], 40)}"
        line = {"color": f"--c{n % 8 + 1}", "width": 2, "dash": WHIRL_DASH.get(whirl, "solid")}
        common = {
            "type": "scatter",
            "mode": "lines",
            "x": listed(x, 7),
            "name": name,
            "legendgroup": str(k),
            "line": line,
        }
        word = f", {whirl} whirl" if whirl in ("forward", "backward") else ""
        data.append(
            common
            | {
                "y": listed(sweep.frequency_hz[:, k]),
                "hovertemplate": f"{name}{word}<br>%{{x:.5g}}: %{{y:.5g}} Hz<extra></extra>",
            }
        )
        data.append(common | {"y": listed(sweep.damping_ratio[:, k]), "yaxis": "y2", "showlegend": False,
                              "hovertemplate": f"{name}<br>%{{x:.5g}}: ratio %{{y:.4g}}<extra></extra>"})  # fmt: skip
    if speed is not None:
        data += _excitation(speed, x, drawn)
    layout = _layout(
        f"{without_markup(sweep.parameter)}{', ' + without_markup(unit) if unit else ''}", "damped frequency, Hz", 560
    )
    layout["legend"] = (
        {"orientation": "v", "font": {"size": 11}} if len(drawn) <= 12 else {"orientation": "v", "font": {"size": 10}}
    )
    layout["xaxis"]["anchor"] = "y2"
    layout["yaxis"] |= {"domain": [0.36, 1], "range": [0, _top(sweep, drawn)]}
    layout["yaxis2"] = {"title": {"text": "damping ratio"}, "domain": [0, 0.28], "zeroline": True}
    return {"data": data, "layout": layout}


def _top(sweep: Sweep, drawn: Sequence[int]) -> float:
    """Top of the picture: branches far above the others are there, but one must zoom out to see them."""
    hz = np.nan_to_num(sweep.frequency_hz[:, list(drawn)])
    highest = np.sort(hz.max(axis=0, initial=0.0))
    highest = highest[highest > 0]
    far = np.flatnonzero(highest[1:] > FAR * highest[:-1])
    last = int(far[-1]) if len(far) and far[-1] >= len(highest) // 2 else len(highest) - 1
    return 1.06 * float(highest[last]) if len(highest) else 1.0


def _excitation(speed: Any, x: np.ndarray, drawn: Sequence[int]) -> list[dict[str, Any]]:
    data = []
    if np.any(np.nan_to_num(speed.spin) > 0):
        for order in speed.per_rev:
            data.append({
                "type": "scatter", "mode": "lines", "x": listed(x, 7), "y": listed(order * speed.spin / (2 * np.pi)),
                "name": f"{significant(order, 3)} per revolution",
                "line": {"color": "--faint", "width": 1.2, "dash": "dot"},
                "hoverinfo": "skip",
            })  # fmt: skip
    own = [c for c in speed.critical_speeds if c.branch in drawn]
    if own:
        data.append({
            "type": "scatter", "mode": "markers", "name": "critical speeds",
            "x": listed([c.values[speed.parameter] / speed.unit[1] for c in own], 7),
            "y": listed([c.frequency / (2 * np.pi) for c in own]),
            "marker": {"size": 10, "color": "--bad", "symbol": "circle-open", "line": {"width": 2}},
            "hovertemplate": "critical speed %{x:.5g}<br>%{y:.5g} Hz<extra></extra>",
        })  # fmt: skip
    return data


# ---- histories


def response_charts(response: TimeResponse) -> list[tuple[str, Chart]]:
    """Outputs over time, one chart for each unit."""
    columns = zip(response.output_names, response.output_units, response.outputs.T, strict=True)
    return _histories(response.times, [(name, unit, values) for name, unit, values in columns])


def simulation_charts(simulation: Simulation) -> list[tuple[str, Chart]]:
    """The chosen signals of a simulation over time, one chart for each unit; what stays constant is left out."""
    from eigenbody.simulation.look import with_unit

    curves = []
    for name in simulation.outputs:
        values = simulation.signal(name)
        if np.ptp(values) > 1e-9 * (1e-9 + np.abs(values).max()):
            unit = with_unit(simulation, name).removeprefix(name).removeprefix(", ")
            curves.append((name, unit, values))
    return _histories(simulation.t, curves)


def _histories(times: np.ndarray, curves: Iterable[tuple[str, str, np.ndarray]]) -> list[tuple[str, Chart]]:
    step = max(1, -(-len(times) // MAX_POINTS))
    groups: dict[str, list[tuple[str, np.ndarray]]] = {}
    for name, unit, values in curves:
        groups.setdefault(unit, []).append((name, values[::step]))
    x = listed(times[::step])
    charts = []
    for unit, own in groups.items():
        data = [
            {"type": "scatter", "mode": "lines", "x": x, "y": listed(values), "name": without_markup(name, 40),
             "line": {"color": f"--c{k % 8 + 1}", "width": 1.6},
             "hovertemplate": "%{x:.4g} s: %{y:.5g}<extra>%{fullData.name}</extra>"}
            for k, (name, values) in enumerate(own[:MAX_CURVES])
        ]  # fmt: skip
        title = without_markup(unit) if unit not in ("", "1") else "value"
        chart = {"data": data, "layout": _layout("time, s", title, 340, showlegend=True)}
        charts.append((unit, _with_rest(chart, len(own))))
    return charts


# ---- in a notebook


def with_colours(chart: Chart) -> Chart:
    """The chart with colours in place of the page's variables."""

    def real(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: real(item) for key, item in value.items()}
        if isinstance(value, list):
            return [real(item) for item in value]
        return LIGHT.get(value, value) if isinstance(value, str) else value

    return {key: real(value) for key, value in chart.items()}
