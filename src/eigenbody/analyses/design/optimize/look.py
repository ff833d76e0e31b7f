"""Optimization: what it prints, its document, arrays, the changed model and the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.modes.look import mode_entries
from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number
from eigenbody.present.export import Writer, text_file
from eigenbody.present.style import INK
from eigenbody.present.tables import Grid, Sheet, Styled, counted, plain_text, significant
from eigenbody.present.words import noted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eigenbody.analyses.design.optimize.optimum import Kept, Optimum
    from eigenbody.analyses.modes import Modes

BEFORE, AFTER, LIMIT = "#9a9a9a", "#1f5fbf", "#d1495b"


# Tables ---------------------------------------------------------------------------------------------------------------
def sheet(r: Optimum) -> Sheet:
    """Variables, constraints and modes before and after."""
    lines = [f"Objective: {r.objective}"]
    if r.objective_before is not None and r.objective_after is not None:
        unit = f" {plain_unit(r.unit)}" if plain_unit(r.unit) else ""
        change = 100 * (r.objective_after / r.objective_before - 1) if r.objective_before else np.nan
        words = f" ({change:+.3g} %)" if np.isfinite(change) else ""
        before, after = significant(r.objective_before, 8), significant(r.objective_after, 8)
        lines.append(f"Before {before}{unit}, after {after}{unit}{words}")
    grids = [_variable_grid(r), *([_constraint_grid(r)] if r.constraints else []), _mode_grid(r)]
    effort = f"{counted(r.iterations, 'iteration')}, {counted(r.evaluations, 'design')} computed"
    known = np.isfinite(r.residual) and r.success
    more = f"; a step of 1 % of the ranges promises {r.residual:.1e} of the objective" if known else ""
    message = Styled(r.message, "green" if r.success else "bold red")
    title = f"Optimization of {shown(r.problem.model.name, 100)}"
    return Sheet(title, lines, grids, [message, effort + more + ".", *noted(r.notes)])


def plain_unit(unit: str) -> str:
    """`m/N` for `(m)/(N)`; nothing for `(N)/(N)`."""
    above, slash, below = unit.partition(")/(")
    if not slash:
        return unit
    above, below = above.removeprefix("("), below.removesuffix(")")
    return "" if above == below else f"{above or '1'}/{f'({below})' if set('*/') & set(below) else below}"


def _variable_grid(r: Optimum) -> Grid:
    rows = tuple(
        (
            shown(v.name, 40), significant(v.before, 8), significant(v.after, 8),
            f"{100 * (v.after / v.before - 1):+.3g} %" if v.before else "—",
            significant(v.lower), significant(v.upper), v.at_bound,
        )
        for v in r.variables
    )  # fmt: skip
    columns = ("variable", "before", "after", "change", "from", "to", "at bound")
    return Grid("Variables", columns, rows, (False, True, True, True, True, True, False))


def _constraint_grid(r: Optimum) -> Grid:
    rows = []
    for c in r.constraints:
        wanted = f"= {significant(c.equals, 10)}" if c.equals is not None else _range(c.lower, c.upper)
        state = "missed" if not c.holds else "active" if c.is_active else "holds"
        rows.append((shown(c.label, 60), wanted, _span(c.before), _span(c.after), plain_unit(c.unit), state))
    columns = ("constraint", "wanted", "before", "after", "unit", "")
    return Grid("Constraints", columns, tuple(rows), (False, False, True, True, False, False))


def _range(low: float, high: float) -> str:
    if np.isfinite(low) and np.isfinite(high):
        return f"{significant(low)} to {significant(high)}"
    return f">= {significant(low)}" if np.isfinite(low) else f"<= {significant(high)}"


def _span(values: np.ndarray) -> str:
    if not len(values):
        return "-"
    low, high = significant(float(values.min()), 8), significant(float(values.max()), 8)
    return low if low == high else f"{low} to {high}"


def _mode_grid(r: Optimum) -> Grid:
    a, b = r.modes_before, r.modes_after
    cell = lambda m, name, k, digits: significant(float(getattr(m, name)[k]), digits) if k < len(m) else ""  # noqa: E731
    count = max(len(a), len(b))
    rows = tuple(
        (
            str(k + 1), cell(a, "frequency_hz", k, 8), cell(b, "frequency_hz", k, 8),
            cell(a, "damping_ratio", k, 4), cell(b, "damping_ratio", k, 4),
        )
        for k in range(min(count, 40))
    )  # fmt: skip
    columns = ("#", "before\nHz", "after\nHz", "damping\nbefore", "damping\nafter")
    return Grid("Modes", columns, rows, (True,) * 5, count - len(rows))


# Documents and files --------------------------------------------------------------------------------------------------
def document(r: Optimum) -> dict[str, Any]:
    """`optimize --json`."""
    known = lambda x: None if x is None else number(x)  # noqa: E731
    return {
        "model": r.problem.model.name,
        "success": r.success,
        "message": r.message,
        "objective": {
            "what": r.objective, "unit": plain_unit(r.unit),
            "before": known(r.objective_before), "after": known(r.objective_after),
        },
        "variables": [
            {
                "name": v.name, "before": number(v.before), "after": number(v.after), "lower": number(v.lower),
                "upper": number(v.upper), "at_bound": v.at_bound or None,
            }
            for v in r.variables
        ],
        "constraints": [_constraint(c) for c in r.constraints],
        "modes_before": mode_entries(r.modes_before),
        "modes_after": mode_entries(r.modes_after),
        "iterations": r.iterations,
        "evaluations": r.evaluations,
        "optimality": number(r.residual),
        "notes": list(r.notes),
    }  # fmt: skip


def _constraint(c: Kept) -> dict[str, Any]:
    return {
        "what": c.label,
        "unit": plain_unit(c.unit),
        "before": [number(v) for v in c.before],
        "after": [number(v) for v in c.after],
        "min": number(c.lower),
        "max": number(c.upper),
        "equals": None if c.equals is None else number(c.equals),
        "holds": c.holds,
        "active": c.is_active,
    }


def records(r: Optimum) -> Iterator[Sequence[Any]]:
    """A line for each variable."""
    yield "name", "before", "after", "lower", "upper", "at_bound"
    yield from ((v.name, v.before, v.after, v.lower, v.upper, v.at_bound) for v in r.variables)


def arrays(r: Optimum) -> dict[str, Any]:
    """Variables and eigenvalues before and after."""
    return {
        "names": tuple(v.name for v in r.variables),
        "before": np.array([v.before for v in r.variables]),
        "after": np.array([v.after for v in r.variables]),
        "eigenvalues_before": r.modes_before.eigenvalues,
        "eigenvalues_after": r.modes_after.eigenvalues,
        "model": np.array(r.problem.model.name),
    }


def axes(r: Optimum) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "before": over(variable="names"),
        "after": over(variable="names"),
        "eigenvalues_before": over("1/s", mode_before=""),
        "eigenvalues_after": over("1/s", mode_after=""),
    }


def _changed_model(r: Optimum, path: Path) -> Writer:
    """The model with the new values; it names its own files from the folder that it will be in."""
    import yaml

    remark = f"# {r.objective}: {r.message}\n".replace("\n#", " ")
    document = r.model.document_in(path.absolute().parent)
    return text_file(remark + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=140))


FILES = {"yaml": _changed_model}


# Pictures -------------------------------------------------------------------------------------------------------------
def plot(r: Optimum) -> Figure:
    """Response before and after where one is judged, else frequencies; and the variables between their bounds."""
    from matplotlib.figure import Figure

    count = len(r.variables)
    figure = Figure(figsize=(11, max(4.4, 1.8 + 0.28 * count)), layout="constrained", facecolor="white")
    figure.suptitle(plain_text(f"Optimization of {shown(r.problem.model.name, 70)}"), fontsize=12, color=INK)
    left, right = figure.subplots(1, 2, width_ratios=(1.7, 1))
    if r.peak is None:
        _draw_modes(left, r)
    else:
        _draw_response(left, r, r.peak)
    _draw_variables(right, r)
    return figure


def _draw_response(axes: Axes, r: Optimum, peak: Any) -> None:
    for found, colour, label in zip(r.responses, (BEFORE, AFTER), ("before", "after"), strict=True):
        size = np.where(np.isfinite(found.magnitude[:, 0, 0]), found.magnitude[:, 0, 0], np.nan)
        top = max([float(np.nanmax(size)), *(p.magnitude for p in found.peaks)])
        axes.plot(
            found.frequency_hz,
            size,
            color=colour,
            lw=1.8,
            label=f"{label}: peak {significant(top, 5) if np.isfinite(top) else 'infinite'}",
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    _plain_ticks(axes)
    axes.set_xlabel("frequency, Hz")
    unit = plain_unit(peak.unit)
    axes.set_ylabel(plain_text(f"|{peak.output} / {peak.input}|{f', {unit}' if unit else ''}"))
    axes.grid(True, which="major", color="#dddddd", lw=0.7)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)


def _plain_ticks(axes: Axes) -> None:
    low, high = axes.get_xlim()
    named = "123457" if high / low < 30 else ""
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in named else "")


def _draw_modes(axes: Axes, r: Optimum) -> None:
    pairs: tuple[tuple[Modes, str, str, float], ...] = (
        (r.modes_before, BEFORE, "before", 0.12), (r.modes_after, AFTER, "after", -0.12),
    )  # fmt: skip
    for modes, colour, label, shift in pairs:
        chosen = [k for k, kind in enumerate(modes.kinds) if kind != "rigid"][:24]
        hz = modes.frequency_hz[chosen]
        axes.plot(hz, np.array(chosen) + 1 - shift, "o", color=colour, ms=7, label=label)
    for limit in r.wanted_hz:
        axes.axvline(limit, color=LIMIT, lw=1.2, ls="--")
    axes.invert_yaxis()
    axes.yaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    axes.set_xlabel("frequency, Hz (dashed: wanted)" if r.problem.bounds else "frequency, Hz")
    axes.set_ylabel("mode")
    axes.grid(True, axis="x", color="#dddddd", lw=0.7)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)


def _draw_variables(axes: Axes, r: Optimum) -> None:
    places = list(range(len(r.variables)))
    for place, v, own in zip(places, r.variables, r.problem.variables, strict=True):
        a, b = own.unit(v.before), own.unit(v.after)
        axes.plot([0, 1], [place, place], color="#e6e6e6", lw=6, solid_capstyle="round", zorder=1)
        axes.plot([a], [place], "o", color=BEFORE, ms=7, zorder=3)
        axes.plot([b], [place], "D" if v.at_bound else "o", color=AFTER, ms=7, zorder=4)
        axes.annotate("", (b, place), (a, place), arrowprops={"arrowstyle": "-", "color": AFTER, "lw": 1.2}, zorder=2)
        axes.text(1.06, place, significant(v.after, 5), va="center", fontsize=9, color=INK)
    axes.set_yticks(places, [plain_text(shown(v.name, 30)) for v in r.variables])
    axes.set_xticks([0, 1], ["lowest", "highest"])
    axes.set_xlim(-0.05, 1.4)
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.set_title("variables in their ranges, with values after", fontsize=10)
    for side in axes.spines.values():
        side.set_visible(False)
