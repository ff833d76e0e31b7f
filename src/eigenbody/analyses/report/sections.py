"""Sections of the report as HTML. All text of the model passes through `escape`."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.report.charts import MAX_CURVES, Chart
from eigenbody.model.description import is_internal, owner_of
from eigenbody.model.source import shown
from eigenbody.present.tables import counted, significant
from eigenbody.present.words import redundancy, verdict

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Explanation, Modes
    from eigenbody.linearization.point import OperatingPoint

MAX_ROWS = 400
GOOD = 1e-9  # residuals, drifts and tangent errors below are rounding


@dataclass
class Section:
    """A titled part of the page with its charts by identifier."""

    id: str
    title: str
    html: str
    charts: dict[str, Chart] = field(default_factory=dict)


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of escaped text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[bool], left_out: int = 0) -> str:
    """A table that scrolls sideways by itself where the screen is narrow."""
    cell = lambda tag, text, r: f"<{tag}{' class=num' if r else ''}>{escape(text)}</{tag}>"  # noqa: E731
    head = "".join(cell("th", text, r) for text, r in zip(columns, right, strict=True))
    body = "".join(
        "<tr>" + "".join(cell("td", text, r) for text, r in zip(row, right, strict=True)) + "</tr>" for row in rows
    )
    more = paragraph(f"... and {left_out} more.", "quiet") if left_out else ""
    return scrolling(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>") + more


def scrolling(html: str) -> str:
    """A region that scrolls sideways by itself, also by keys."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="table">{html}</div>'


def chart_section(id_: str, title: str, intro: str, charts: Sequence[tuple[str, Chart]], below: str = "") -> Section:
    """A section of charts, one below the other."""
    named = {f"{id_}-{k}": chart for k, (_, chart) in enumerate(charts)}
    places = "".join(
        f'<div class="chart" data-chart="{key}" role="img" aria-label="{escape(title)}, chart {k + 1}"'
        f' style="min-height:{chart["layout"]["height"]}px"></div>{_left_out(chart)}'
        for k, (key, chart) in enumerate(named.items())
    )
    return Section(id_, title, (paragraph(intro) if intro else "") + places + below, named)


def _left_out(chart: Chart) -> str:
    """A note where a chart has not all its curves."""
    curves = chart["layout"].get("meta", {}).get("curves")
    return paragraph(f"The first {MAX_CURVES} of {curves} curves are drawn.", "quiet") if curves else ""


# ---- stability, modes


def stability_section(modes: Modes, chart: Chart) -> Section:
    """The verdict in words and the eigenvalues in the complex plane."""
    text = f'<p class="verdict {modes.stability}">{escape(verdict(modes).capitalize())}.</p>'
    found = chart_section("stability", "Stability", "", [("", chart)])
    return Section("stability", "Stability", text + found.html, found.charts)


def modes_section(modes: Modes, found: Explanation | None, count: int) -> Section:
    """Every mode with its explanation; a row chooses the mode above."""
    columns = ["#", "damped Hz", "damping ratio", "stability"]
    rows = [
        [str(i + 1), significant(hz, 5), significant(ratio, 4), stability]
        for i, (hz, ratio, stability) in enumerate(
            zip(modes.damped_frequency_hz[:count], modes.damping_ratio[:count], modes.stabilities[:count], strict=True)
        )
    ]
    numeric = [True, True, True, False]
    if found is not None:
        from eigenbody.analyses.modes.look.explain import energy_grid

        columns += ["what it is", "kinetic energy", "strain energy", "dissipation"]
        numeric += [False] * 4
        rows = [[*row, *cells[3:]] for row, cells in zip(rows, energy_grid(found).rows, strict=False)]
    head = "".join(f"<th{' class=num' if n else ''}>{escape(c)}</th>" for c, n in zip(columns, numeric, strict=True))
    lines = []
    for i, row in enumerate(rows):
        cells = "".join(f"<td{' class=num' if n else ''}>{escape(c)}</td>" for c, n in zip(row, numeric, strict=True))
        lines.append(f'<tr data-mode="{i}" class="{modes.stabilities[i]}">{cells}</tr>')
    more = (
        paragraph(f"{len(modes) - count} more modes are not shown; ask for them with --n.", "quiet")
        if len(modes) > count
        else ""
    )
    notes = "".join(paragraph(f"Note: {note}", "quiet") for note in (*modes.notes, *(found.notes if found else ())))
    body = "".join(lines)
    html = scrolling(f'<table class="rows"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')
    return Section("modes", "Modes", html + more + notes)


# ---- the model


def model_section(point: OperatingPoint) -> Section:
    """Bodies, joints, forces and parameters."""
    description = point.system.description
    parts = [_titled("Bodies", _body_table(point))]
    for title, every in (("Joints", description.joints), ("Forces", description.forces)):
        entries = [entry for entry in every if not is_internal(entry)]
        if entries:
            rows = [(shown(e.name), e.type, _ends(e)) for e in entries[:MAX_ROWS]]
            parts.append(
                _titled(title, table(("name", "type", "acts on"), rows, (False,) * 3, len(entries) - len(rows)))
            )
    if description.parameters:
        values = [(shown(name), significant(float(np.real(v)))) for name, v in description.parameters.items()]
        parts.append(_titled("Parameters (SI units)", table(("name", "value"), values, (False, True))))
    if point.model.notes:
        parts.append(_titled("Notes on reading", "".join(paragraph(note, "quiet") for note in point.model.notes)))
    return Section("model", "Model", f'<div class="columns">{"".join(parts)}</div>')


def _body_table(point: OperatingPoint) -> str:
    bodies = point.system.description.bodies
    own = np.flatnonzero(bodies.is_material).tolist()
    size = float(np.abs(np.real(point.state.r)[own]).max(initial=0.0))
    rows = [
        (
            shown(bodies.names[i]),
            significant(float(np.real(bodies.mass[i]))),
            _vector(np.diag(np.real(bodies.inertia[i])), float(np.abs(np.real(bodies.inertia[i])).max())),
            _vector(np.real(point.state.r[i]), size),
        )
        for i in own[:MAX_ROWS]
    ]
    columns = ("body", "mass, kg", "inertia xx, yy, zz, kg m²", "centre of mass, m")
    return table(columns, rows, (False, True, False, False), len(own) - len(rows))


def _titled(title: str, html: str) -> str:
    return f"<div><h3>{escape(title)}</h3>{html}</div>"


def _vector(values: np.ndarray, scale: float) -> str:
    return ", ".join(significant(float(v), 4, scale) for v in values)


def _share(value: float) -> str:
    """A number that counts in parts of 1: half a unit in the last place of 1 is as good as nothing."""
    return significant(0.0 if value < 2.0**-53 else value, 3)


def _ends(entry: Any) -> str:
    between, along, body = entry.get("between"), entry.get("along"), entry.get("body")
    if between is not None:
        return f"{shown(between[0])} and {shown(between[1])}"
    return f"along {shown(along)}" if along is not None else shown(body) if body is not None else ""


def certificate_section(modes: Modes) -> Section:
    """How well the equations hold, in words and numbers."""
    c = modes.certificate
    against = "exact tangents against a derivative of the equations along random directions"
    rows = [
        ("Residual of the operating point", _share(c.residual), "imbalance of forces relative to the largest"),
        ("Constraint drift", ", ".join(map(_share, c.drift)), "position, velocity, acceleration"),
        ("Tangent error", _share(c.tangent_error), against),
        ("Degrees of freedom", str(c.dof), ""),
    ]
    is_good = max(c.residual, *c.drift, c.tangent_error) <= GOOD
    words = "All equations hold to rounding." if is_good else "Some equations hold less well than rounding allows."
    lines = [paragraph(words, f"verdict {'stable' if is_good else 'marginal'}")]
    lines.append(table(("check", "value", "meaning"), rows, (False, True, False)))
    lines.append(paragraph(redundancy(c.redundant)))
    lines += [paragraph(f"Slopes of the function in {at}: {how}", "quiet") for at, how in c.derivatives.items()]
    lines += [paragraph(note, "warning") for note in c.notes]
    lines += [paragraph(f"Warning: {warning}", "warning") for warning in modes.linear.point.warnings]
    return Section("certificate", "Certificate", "".join(lines))


# ---- any other result


def result_section(result: Any, id_: str, title: str = "") -> Section:
    """A result that has no chart of its own here: its table, and the picture it draws of itself."""
    name = title or type(result).__name__
    html = result._repr_html_() if hasattr(result, "_repr_html_") else f"<pre>{escape(str(result))}</pre>"
    figure = result.plot() if hasattr(result, "plot") else None
    picture = ""
    if figure is not None:
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
        data = base64.b64encode(stream.getvalue()).decode("ascii")
        picture = f'<img class="picture" alt="{escape(name)}" src="data:image/svg+xml;base64,{data}">'
    return Section(id_, name, picture + scrolling(html))


# ---- the head of the page


def summary(point: OperatingPoint, modes: Modes | None) -> str:
    """What it is, in one line."""
    description = point.system.description
    freedoms = len(point.chosen.velocities)
    flexible = {owner_of(body.name) for body in description.flexible}
    at_rest = "at rest, in equilibrium" if point.is_equilibrium else "at rest, accelerating"
    parts = [
        counted(len({owner_of(name) for name in description.bodies.material_names}), "body", "bodies")
        + (f", {len(flexible)} flexible" if flexible else ""),
        counted(sum(not is_internal(entry) for entry in description.joints), "joint"),
        counted(freedoms, "degree of freedom", "degrees of freedom"),
        at_rest if point.is_at_rest else "in steady motion" if point.is_steady else "in motion",
        *([counted(len(modes), "mode")] if modes is not None else []),
    ]
    return " · ".join(parts)
