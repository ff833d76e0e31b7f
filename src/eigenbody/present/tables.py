"""Results as readable tables: plain text, HTML for notebooks, rich renderables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.documents import dense, has_second_order_matrices

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.analyses.mode_checks import ModesCertificate
    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.certificate import Certificate
    from eigenbody.linearization.large import SparseLinearModel
    from eigenbody.linearization.model import LinearModel
    from eigenbody.operation.point import OperatingPoint

MAX_ROWS = 200  # of a printed table
MAX_MATRIX = 8  # rows and columns of a printed matrix
COLOURS = {"stable": "green", "marginal": "yellow", "drifting": "yellow", "unstable": "bold red"}


@dataclass(frozen=True, slots=True)
class Grid:
    """A table without its looks: column titles over rows of text, numbers to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]  # aligned to the right
    left_out: int = 0  # rows that were not worth printing

    @property
    def more(self) -> str:
        return f"... and {self.left_out} more (all of them: --json or --out)" if self.left_out else ""

    def text(self) -> str:
        split = [column.split("\n") for column in self.columns]
        depth = max(map(len, split), default=0)
        head = [tuple(parts[i] if i < len(parts) else "" for parts in split) for i in range(depth)]
        widths = [max(len(row[k]) for row in (*head, *self.rows)) for k in range(len(self.columns))]
        lines = [self._line(row, widths) for row in head]
        lines.append("  ".join("-" * width for width in widths))
        lines += [self._line(row, widths) for row in self.rows]
        return "\n".join([*([self.title] if self.title else []), *lines, *([self.more] if self.left_out else [])])

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        cells = (
            cell.rjust(w) if right else cell.ljust(w) for cell, w, right in zip(row, widths, self.right, strict=True)
        )
        return "  ".join(cells).rstrip()

    def html(self) -> str:
        cell = lambda tag, text, right: (  # noqa: E731
            f'<{tag} style="text-align:{"right" if right else "left"}">{escape(text).replace(chr(10), "<br>")}</{tag}>'
        )
        row = lambda tag, cells: (  # noqa: E731
            "<tr>" + "".join(cell(tag, text, right) for text, right in zip(cells, self.right, strict=True)) + "</tr>"
        )
        caption = f'<caption style="text-align:left">{escape(self.title)}</caption>' if self.title else ""
        body = "".join(row("td", cells) for cells in self.rows)
        more = f"<p>{escape(self.more)}</p>" if self.left_out else ""
        return f"<table>{caption}<thead>{row('th', self.columns)}</thead><tbody>{body}</tbody></table>{more}"

    def rich(self) -> RenderableType:
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(
            title=Text(self.title, style="bold") if self.title else None,
            title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False,
        )  # fmt: skip
        for column, right in zip(self.columns, self.right, strict=True):
            table.add_column(Text(column), justify="right" if right else "left", no_wrap=right)
        for row in self.rows:
            table.add_row(*(Text(cell, style=COLOURS.get(cell, "")) for cell in row))
        return Group(table, Text(self.more, style="dim")) if self.left_out else table


def significant(value: float, digits: int = 6) -> str:
    """A number for the eye; an em dash for what is undefined."""
    if not math.isfinite(value):
        return "—"
    return f"{value + 0.0:.{digits}g}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 body`, `2 bodies`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names with commas; after `limit` of them how many more there are."""
    names = list(names)
    more = f", ... and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(shown(name) for name in names[:limit]) + more


# ---- sentences


def verdict(modes: Modes) -> str:
    """The stability of the whole in words."""
    entries = list(zip(modes.stabilities, modes.kinds, modes.eigenvalues, strict=True))
    some = " (of the modes found)" if modes.solver == "sparse" else ""
    if modes.stability == "marginal":
        neutral = all(kind == "rigid" for stability, kind, _ in entries if stability == "marginal")
        words = ": a position that nothing restores" if neutral and entries else ": undamped oscillation"
    elif modes.stability == "drifting":
        drifting = [kind for stability, kind, _ in entries if stability == "drifting"]
        free = "rigid" in drifting or not drifting
        words = (
            ": a free rotation or translation" if free else ": an undamped resonance that grows in proportion to time"
        )
    elif modes.stability == "unstable":
        rates = [value.real for stability, _, value in entries if stability == "unstable"]
        words = _growth(rates) if rates else ": modes beyond those listed grow"
    elif modes.stability == "frozen":
        point = modes.linear.point
        at = "a point that is no equilibrium" if point.is_at_rest else "an instant of a motion along which they change"
        return f"frozen: equations linearized at {at}; nothing is said about stability"
    elif modes.stability == "immobile":
        return "immobile: nothing can move"
    else:
        words = ""
    if not modes.is_constant and modes.steady_frame is not None:
        words = f", seen from the frame that turns with {shown(modes.steady_frame[0])}"
    return f"{modes.stability}{words}{some}"


def _growth(rates: list[float]) -> str:
    doubling = significant(math.log(2) / float(max(rates)), 3)
    return f": {counted(len(rates), 'growing mode')}, the fastest doubles every {doubling} s"


def redundancy(rows: Sequence[dict[str, str]]) -> str:
    """The redundant rows by joint."""
    if not rows:
        return "Redundant constraints: none"
    by_joint: dict[str, list[str]] = {}
    for row in rows:
        by_joint.setdefault(row["joint"], []).append(row["row"])
    parts = [f"{shown(joint)} ({', '.join(labels)})" for joint, labels in list(by_joint.items())[:8]]
    more = f", ... and {len(by_joint) - 8} more joints" if len(by_joint) > 8 else ""
    return f"Redundant constraints: {len(rows)}: {', '.join(parts)}{more}"


def certified_modes(check: ModesCertificate) -> str:
    """The certificate of modes, to follow that of the linear equations."""
    found, plain = check.zeros
    zeros = f", {counted(found, 'zero')}" + ("" if plain in (None, found) else f" ({plain} by plain eigenvalues)")
    trace = "" if check.trace is None else f", trace defect {significant(check.trace, 2)}"
    return f"Modes: backward error {significant(check.residual, 2)}{trace}{zeros}"


def certified(certificate: Certificate) -> str:
    """The certificate in one line."""
    drift = ", ".join(significant(d, 2) for d in certificate.drift)
    return (
        f"Certificate: residual {significant(certificate.residual, 2)}, constraint drift {drift}"
        f" (position, velocity, acceleration), tangent error {significant(certificate.tangent_error, 2)}"
    )


def model_name(point: OperatingPoint) -> str:
    """Name of the model, safe to print."""
    return shown(point.model.name, 100)


def remarks_below(
    linear: LinearModel | SparseLinearModel, with_warnings: bool = True, remarks: Iterable[str] | None = None
) -> list[str]:
    """What stands under a table: notes, warnings, redundant rows, certificate."""
    warnings = [f"Warning: {warning}" for warning in linear.point.warnings] if with_warnings else []
    notes = [f"Note: {note}" for note in (linear.notes if remarks is None else remarks)]
    means = [f"Slopes of the function in {where}: {how}" for where, how in linear.certificate.derivatives.items()]
    return [*notes, *warnings, redundancy(linear.certificate.redundant), certified(linear.certificate), *means]


def wrapped(lines: Iterable[str]) -> list[str]:
    """Long lines folded, with indented continuation."""
    return [fill(line, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) for line in lines]


# ---- modes


def _modes_head(modes: Modes) -> list[str]:
    dof = counted(modes.dof, "degree of freedom", "degrees of freedom")
    return [
        f"Modes of {model_name(modes.linear.point)}",
        f"{dof}, {counted(modes.states, 'state')}; {verdict(modes)}",
    ]


def _modes_grid(modes: Modes) -> Grid:
    hz, damped, ratio, kinds = modes.frequency_hz, modes.damped_frequency_hz, modes.damping_ratio, modes.kinds
    shown_rows = min(len(modes), MAX_ROWS)
    rows = tuple(
        (
            str(i + 1),
            significant(hz[i]),
            significant(damped[i]),
            significant(ratio[i], 5),
            significant(modes.eigenvalues[i].real),
            significant(modes.eigenvalues[i].imag),
            kinds[i],
            modes.stabilities[i],
        )
        for i in range(shown_rows)
    )
    columns = ("#", "frequency\nHz", "damped\nHz", "damping\nratio", "real\n1/s", "imag\nrad/s", "kind", "stability")
    return Grid("", columns, rows, (True,) * 6 + (False,) * 2, len(modes) - shown_rows)


def modes_text(modes: Modes) -> str:
    """The table of modes as plain text."""
    below = wrapped([*remarks_below(modes.linear, remarks=modes.notes), certified_modes(modes.check)])
    return "\n".join([*_modes_head(modes), "", _modes_grid(modes).text(), "", *below])


def modes_html(modes: Modes) -> str:
    """The table of modes as HTML; every name is escaped."""
    title, line = _modes_head(modes)
    below = paragraph([*remarks_below(modes.linear, remarks=modes.notes), certified_modes(modes.check)])
    return f"<p><b>{escape(title)}</b><br>{escape(line)}</p>{_modes_grid(modes).html()}{below}"


def modes_rich(modes: Modes) -> RenderableType:
    """The table of modes for the terminal."""
    from rich.console import Group
    from rich.text import Text

    title, line = _modes_head(modes)
    counts, _, words = line.partition("; ")
    remarks = remarks_below(modes.linear, with_warnings=False, remarks=modes.notes)
    below = [Text(line, style="dim") for line in (*remarks, certified_modes(modes.check))]
    verdict_line = Text.assemble(f"{counts}; ", (words, COLOURS.get(modes.stability, "")))
    return Group(Text(title, style="bold"), verdict_line, Text(), _modes_grid(modes).rich(), Text(), *below)


# ---- linear models


def _linear_head(linear: LinearModel | SparseLinearModel) -> list[str]:
    dof = counted(linear.dof, "degree of freedom", "degrees of freedom")
    lines = [
        f"Linear model of {model_name(linear.point)}",
        f"{dof}, {counted(len(linear.states), 'state')}, {counted(len(linear.inputs), 'input')},"
        f" {counted(len(linear.outputs), 'output')}",
        f"Coordinates: {listed(linear.coordinates) or 'none'}",
    ]
    if len(linear.velocities) != len(linear.coordinates):
        lines.append(f"Velocities (non-holonomic constraints leave fewer): {listed(linear.velocities) or 'none'}")
    if linear.inputs:
        lines.append(f"Inputs: {listed(_with_units(linear.inputs, linear.units.inputs))}")
    if linear.outputs:
        lines.append(f"Outputs: {listed(_with_units(linear.outputs, linear.units.outputs))}")
    return lines


def _with_units(names: Iterable[str], units: Iterable[str]) -> list[str]:
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)]


def _linear_grids(linear: LinearModel | SparseLinearModel) -> list[Grid | str]:
    """Every matrix with names, or its size where it is large."""
    full = dense(linear)
    if full is None:
        form = linear.descriptor
        return [f"Kept sparse: E z' = A z + B u of order {form.A.shape[0]} with {form.A.nnz} entries in A, see --out"]
    space = full.state_space
    x, u, y, s, w = linear.states, linear.inputs, linear.outputs, linear.coordinates, linear.velocities
    matrices: list[tuple[str, np.ndarray, Sequence[str], Sequence[str]]] = []
    if has_second_order_matrices(full):
        matrices += [("Mass M", full.M, w, w), ("Damping C", full.C, w, w), ("Stiffness K", full.K, w, s)]
    matrices += [("State matrix A", space.A, x, x), ("Input matrix B", space.B, x, u)]
    matrices += [("Output matrix C", space.C, y, x), ("Feedthrough D", space.D, y, u)]
    return [matrix_text(*parts) for parts in matrices if parts[1].size]


def matrix_text(title: str, matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> Grid | str:
    """A matrix with its names; only its size where it is large."""
    if max(matrix.shape) > MAX_MATRIX:
        return f"{title}: {matrix.shape[0]} x {matrix.shape[1]}, see --json or --out"
    cells = tuple(
        (shown(name, 24), *(significant(value) for value in line)) for name, line in zip(rows, matrix, strict=True)
    )
    return Grid(title, ("", *(shown(c, 24) for c in columns)), cells, (False, *(True for _ in columns)))


def linear_text(linear: LinearModel | SparseLinearModel) -> str:
    """The linear model as plain text; matrices are printed while they are small."""
    parts = [part if isinstance(part, str) else part.text() for part in _linear_grids(linear)]
    return "\n\n".join(["\n".join(_linear_head(linear)), *parts, "\n".join(wrapped(remarks_below(linear)))])


def linear_html(linear: LinearModel | SparseLinearModel) -> str:
    """The linear model as HTML; every name is escaped."""
    parts = [f"<p>{escape(part)}</p>" if isinstance(part, str) else part.html() for part in _linear_grids(linear)]
    title, *head = _linear_head(linear)
    return f"<p><b>{escape(title)}</b></p>{paragraph(head)}{''.join(parts)}{paragraph(remarks_below(linear))}"


def linear_rich(linear: LinearModel | SparseLinearModel) -> RenderableType:
    """The linear model for the terminal."""
    from rich.console import Group
    from rich.text import Text

    title, *head = _linear_head(linear)
    lines: list[RenderableType] = [Text(title, style="bold"), *map(Text, head)]
    for part in _linear_grids(linear):
        lines += [Text(), Text(part) if isinstance(part, str) else part.rich()]
    return Group(*lines, Text(), *(Text(line, style="dim") for line in remarks_below(linear, with_warnings=False)))


def paragraph(lines: Iterable[str]) -> str:
    """Lines as one paragraph of HTML."""
    return "<p>" + "<br>".join(escape(line) for line in lines) + "</p>"


# ---- operating point


def operating_point_text(point: OperatingPoint) -> str:
    """The operating point as plain text: what it is, the values of all measures, how well the equations hold."""
    lines, grid, below = _operating_point_parts(point)
    return "\n".join([*lines, "", grid.text(), "", *below])


def operating_point_html(point: OperatingPoint) -> str:
    """The same as HTML; every name is escaped."""
    (title, *lines), grid, below = _operating_point_parts(point)
    return f"<p><b>{escape(title)}</b></p>{paragraph(lines)}{grid.html()}{paragraph(below)}"


def _operating_point_parts(point: OperatingPoint) -> tuple[list[str], Grid, list[str]]:
    at_rest = "at rest, in equilibrium" if point.is_equilibrium else "at rest, accelerating"
    moving = at_rest if point.is_at_rest else "moving steadily" if point.is_steady else "moving"
    units = dict(zip(point.system.names, point.system.dimensions, strict=True))
    values, rates = list(point.coordinates().items()), point.rates()
    rows: tuple[tuple[str, ...], ...] = tuple(
        (shown(name, 40), significant(value), units[name]) for name, value in values[:MAX_ROWS]
    )
    head: tuple[str, ...] = ("measure", "value", "unit")
    if not point.is_at_rest:
        head = (*head, "rate\nper s")
        rows = tuple((*row, significant(rates[name])) for row, (name, _) in zip(rows, values, strict=False))
    grid = Grid("", head, rows, (False, True, False, True)[: len(head)], len(values) - len(rows))
    drift = ", ".join(significant(d, 2) for d in point.drift)
    lines = [
        f"Operating point of {model_name(point)}",
        f"{moving}; {counted(len(point.chosen.velocities), 'degree')} of freedom",
    ]
    below = [
        *(f"Warning: {warning}" for warning in point.warnings),
        *(["Contact: " + ", ".join(f"{n} {s}" for n, s in point.contacts.items())] if point.contacts else []),
        redundancy(point.redundant),
        f"Residual {significant(point.residual, 2)}, constraint drift {drift} (position, velocity, acceleration)",
    ]
    return lines, grid, below
