"""What a result prints, once: plain text, HTML for notebooks, rich renderables for the terminal are made from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING, Any

from eigenbody.model.source import shown

if TYPE_CHECKING:
    from rich.console import RenderableType

MAX_ROWS = 200  # of a printed table
MAX_MATRIX = 8  # rows and columns of a printed matrix
COLOURS = {"stable": "green", "marginal": "yellow", "drifting": "yellow", "unstable": "bold red"}
ROUNDING = 1e-14  # of the numbers that a small one was computed from
SAID = "said"  # style of a line that standard error has already: a terminal does not show it twice


class Styled(str):
    """A line with a colour of its own on a terminal."""

    style: str

    def __new__(cls, text: str, style: str) -> Styled:
        """The text, to be shown in the style of rich."""
        line = super().__new__(cls, text)
        line.style = style
        return line


@dataclass(frozen=True, slots=True)
class Sheet:
    """A title with lines, then tables (or text in the place of one), then remarks, which are folded where long."""

    title: str
    lines: Sequence[str] = ()
    grids: Sequence[Grid | str] = ()
    below: Sequence[str] = ()

    def text(self) -> str:
        """Plain text."""
        head = "\n".join([*([self.title] if self.title else []), *self.lines])
        grids = (grid if isinstance(grid, str) else grid.text() for grid in self.grids)
        return "\n\n".join(part for part in (head, *grids, "\n".join(wrapped(self.below))) if part)

    def html(self) -> str:
        """For a notebook; every name is escaped."""
        title = [f"<b>{escape(self.title)}</b>"] if self.title else []
        head = _paragraph([*title, *map(escape, self.lines)])
        grids = (_paragraph([escape(grid)]) if isinstance(grid, str) else grid.html() for grid in self.grids)
        return "".join([head, *grids, _paragraph(map(escape, self.below))])

    def rich(self) -> RenderableType:
        """For the terminal."""
        from rich.console import Group
        from rich.text import Text

        line = lambda text, style: Text(text, style=_style(text, style))  # noqa: E731
        head = [*([line(self.title, "bold")] if self.title else []), *(line(text, "") for text in self.lines)]
        grids = [[line(grid, "") if isinstance(grid, str) else grid.rich()] for grid in self.grids]
        below = [line(text, "dim") for text in self.below if _style(text, "") != SAID]
        blocks: list[list[Any]] = [head, *grids, below]
        parts = [part for block in blocks if block for part in (Text(), *block)]
        return Group(*parts[1:])  # a blank line between blocks


def _style(text: str, usual: str) -> str:
    return text.style if isinstance(text, Styled) else usual


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

        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
        for column, right in zip(self.columns, self.right, strict=True):
            table.add_column(Text(column), justify="right" if right else "left", no_wrap=right)
        for row in self.rows:
            table.add_row(*(Text(cell, style=COLOURS.get(cell, "")) for cell in row))
        title = [Text(self.title, style="bold")] if self.title else []  # rich would fold it at the width of the table
        return Group(*title, table, *([Text(self.more, style="dim")] if self.left_out else []))


def significant(value: float, digits: int = 6, scale: float = 0.0) -> str:
    """A number for the eye; an em dash for what is undefined, 0 for the rounding of numbers of the size `scale` from
    which it was computed (those of its vector or of its column, in the same unit)."""
    if not math.isfinite(value):
        return "—"
    return "0" if abs(value) < ROUNDING * scale else f"{value + 0.0:.{digits}g}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 body`, `2 bodies`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names with commas; after `limit` of them how many more there are."""
    names = list(names)
    more = f", ... and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(shown(name) for name in names[:limit]) + more


def plain_text(text: str) -> str:
    """Text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def wrapped(lines: Iterable[str]) -> list[str]:
    """Long lines folded, with indented continuation."""
    return [fill(line, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) for line in lines]


def _paragraph(lines: Iterable[str]) -> str:
    """Lines of HTML as one paragraph; nothing for none."""
    text = "<br>".join(lines)
    return f"<p>{text}</p>" if text else ""
