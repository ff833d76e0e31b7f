"""What every command does after its one library call: the result as a table, JSON, files and pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO, cast

from eigenbody.base.errors import Fault, InputError, printable
from eigenbody.cli.main import abandon_output, say

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from eigenbody.base.result import Drawn, Result
    from eigenbody.present.tables import Sheet


@dataclass(frozen=True)
class Delivery:
    """What a command was asked to do with its result; what cannot be written is refused before anything is computed."""

    look: str  # module of the looks of the result
    model: str | None
    json: bool
    out: str | None
    plot: str | None
    quiet: bool
    endings: Sequence[str] = ()  # of files; by default those of the looks

    def __post_init__(self) -> None:
        if self.out is not None or self.plot is not None:
            from eigenbody.present.export import PICTURE_ENDINGS, endings_of

            endings = self.endings or endings_of(import_module(f"eigenbody.{self.look}"))
            require_writable(self.out, endings, self.model)
            require_writable(self.plot, PICTURE_ENDINGS, self.model)

    @property
    def is_table(self) -> bool:
        """Whether a table is printed."""
        return not self.json and not (self.quiet and (self.out or self.plot))

    def deliver(
        self,
        result: Result,
        warnings: Sequence[str] = (),
        sheet: Callable[[], Sheet] | None = None,
        document: Callable[[], dict[str, Any]] | None = None,
        figure: Callable[[], Figure] | None = None,
    ) -> None:
        """Warnings, files, picture, then JSON or the table; each the result's own unless given."""
        warn(warnings, self.quiet)
        self.write(result, document)
        if self.plot is not None:
            from eigenbody.present.export import PICTURE_ENDINGS, ending_of, figure_writer

            picture = figure_writer((figure or cast("Drawn", result).plot)(), ending_of(self.plot, PICTURE_ENDINGS))
            write(self.plot, picture, self.quiet)
        if self.json:
            from eigenbody.present.documents import as_json

            put(as_json((document or result.document)()))
        elif self.is_table:
            put_sheet((sheet or result.sheet)())

    def write(self, result: Result, document: Callable[[], dict[str, Any]] | None = None) -> None:
        """The file alone, where one was asked for."""
        if self.out is not None:
            from eigenbody.present.export import result_writer

            write(self.out, result_writer(result, self.out, document), self.quiet)


def require_writable(path: str | None, endings: Sequence[str], model: str | None = None) -> None:
    """Refuse, before anything is computed, a file that cannot be written."""
    if path is None:
        return
    from eigenbody.present.export import ending_of, refuse_unwritable

    ending_of(path, endings)
    refuse_unwritable(path)
    if model is not None and os.path.exists(path) and os.path.exists(model) and os.path.samefile(path, model):
        raise InputError(Fault(path, "this is the model file itself.", "Choose another name."))


def write(path: str, writer: Callable[[Any], Any], quiet: bool) -> None:
    """Write a file whole or not at all and say so."""
    from eigenbody.present.export import write_atomically

    write_atomically(path, writer)
    if not quiet:
        say(f"wrote {path}")


def warn(warnings: Sequence[str], quiet: bool) -> None:
    """Warnings of the model, on standard error."""
    if not quiet:
        for warning in warnings:
            say(f"warning: {warning}")


def put(text: str) -> None:
    """Text to standard output."""
    with _standard_output() as stream:
        stream.write(printable(text) + "\n")


def put_sheet(sheet: Sheet) -> None:
    """A rich table on a terminal, plain text elsewhere (a pipe has no width)."""
    if sys.stdout is None or not sys.stdout.isatty():
        put(sheet.text())
        return
    from rich.console import Console

    with _standard_output() as stream:
        Console(file=stream, highlight=False).print(_Printable(sheet.rich()))


class _Printable:
    """What rich has laid out, without anything that the terminal would obey but rich's own colours."""

    def __init__(self, inner: RenderableType) -> None:
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        from rich.segment import Segment

        for text, style, control in console.render(self.inner, options):
            yield Segment(printable(text), style, control)


@contextmanager
def _standard_output() -> Iterator[TextIO]:
    """Standard output, flushed; BrokenPipeError when the reader has gone, InputError when it takes nothing."""
    if sys.stdout is None:
        raise InputError(Fault("standard output", "is closed.", "Write to a file with --out and --quiet."))
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise InputError(Fault("standard output", f"cannot be written: {error.strerror or error}.")) from error
