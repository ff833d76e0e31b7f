"""What every command does around its one library call: load the model, place faults in its file, present the result."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from eigenbody.cli import waiting
from eigenbody.cli.main import abandon_output, say
from eigenbody.errors import Fault, InputError, printable
from eigenbody.progress import report

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from eigenbody.model.model import Model

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


# ---- the model


def load(path: str, settings: Sequence[str] | None) -> Model:
    """The model with the parameters of `--set`; all faults at once."""
    values = parse_settings(settings or ())
    from eigenbody.api import VOCABULARY, Model
    from eigenbody.model.source import read

    if path == "-" and sys.stdin is None:
        raise InputError(Fault("standard input", "is closed.", "Give the path of a model file."))
    with waiting.shown():
        report("reading the model")
        return Model.from_source(read(path), VOCABULARY, values)


def parse_settings(settings: Sequence[str]) -> dict[str, object]:
    """`["k=1200", "speed=1 Hz", "c==2*k"]` as parameter values: numbers, quantities, expressions."""
    values: dict[str, object] = {}
    faults = []
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not name or not equals or not value:
            what = "a setting is written name=value."
            faults.append(Fault(f"--set {setting}", what, 'For example: --set k=1200, --set "k=2 kN/m", --set k==2*c.'))
        values[name] = float(value) if NUMBER.fullmatch(value) else value
    if faults:
        raise InputError(faults)
    return values


@contextmanager
def places_of(model: Model, **options: str) -> Iterator[None]:
    """Faults found while computing name dotted places (`joints.b`): add the line of the model file.

    `options` maps places that come from the command line instead to the option's name.
    """
    try:
        with waiting.shown():
            yield
    except InputError as error:
        document = model.document
        faults = [
            replace(fault, where=options.get(fault.where) or _placed(model, document, fault.where))
            for fault in error.faults
        ]
        raise InputError(faults) from error


def _placed(model: Model, document: Mapping[str, Any], where: str) -> str:
    if "(" in where:
        return where
    return ", ".join(_place(model, document, part) for part in where.split(", "))


def _place(model: Model, document: Mapping[str, Any], where: str) -> str:
    """`joints.b`, `joints.b: position` or the bare name of a coupling or driver, with file and line where known."""
    dotted, _, key = where.partition(": ")
    path = [*dotted.split("."), *([key] if key else [])]
    for section in ("joints", "couplings", "drivers"):
        named = path[1:] if path[0] == "joints" else path  # a prescribed motion may be that of a joint or of a driver
        if named and named[0] in (document.get(section) or {}):
            return model.where(section, *named)
    return model.where(*path) if path[0] in document else where


# ---- the result


def known_ending(path: str | None, endings: Sequence[str], model: str | None = None) -> str:
    """Ending of a file to write ("" for none); refuses, before anything is computed, what cannot be written."""
    if path is None:
        return ""
    from eigenbody.present.export import ending_of, refuse_unwritable

    ending = ending_of(path, endings)
    refuse_unwritable(path)
    if model is not None and os.path.exists(path) and os.path.exists(model) and os.path.samefile(path, model):
        raise InputError(Fault(path, "this is the model file itself.", "Choose another name."))
    return ending


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


def put_table(text: Callable[[], str], rich: Callable[[], RenderableType]) -> None:
    """A rich table on a terminal, plain text elsewhere (a pipe has no width)."""
    if sys.stdout is None or not sys.stdout.isatty():
        put(text())
        return
    from rich.console import Console

    with _standard_output() as stream:
        Console(file=stream, highlight=False).print(_Printable(rich()))


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
