"""One command in this process, its output caught and its CPU time limited; what it must never do."""

from __future__ import annotations

import io
import json
import re
import signal
import sys
import traceback
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eigenbody.cli.main import main

CODES = (0, 2, 3, 4)
CPU_SECONDS = 60.0


class TooLongError(BaseException):
    """The CPU time is over; no `except Exception` may catch it."""


@dataclass(frozen=True)
class Run:
    """Exit code (None where the time was over) and texts of a command."""

    code: int | None
    out: str
    err: str
    where: str = ""  # place in the source where an internal error or the end of the time occurred


def run(arguments: list[str], seconds: float = CPU_SECONDS) -> Run:
    """Run a command line as a terminal would, without a terminal."""
    found = _caught(arguments, seconds)
    if found.code in CODES or found.code is None:
        return found
    again = _caught([*arguments, "--debug"], seconds)  # --debug lets the exception through
    return Run(found.code, found.out, found.err, again.where)


def _caught(arguments: list[str], seconds: float) -> Run:
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    kept = sys.stdout, sys.stderr

    def stop(*_: Any) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    code, where = None, ""
    sys.stdout, sys.stderr = streams  # type: ignore[assignment]
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        code = main(arguments)
    except TooLongError as error:
        where = place(error)
    except Exception as error:
        code, where = 1, f"{type(error).__name__} {place(error)}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        sys.stdout, sys.stderr = kept
    return Run(code, _text(streams[0]), _text(streams[1]), where)


def _text(stream: io.TextIOWrapper) -> str:
    try:
        stream.flush()
        return stream.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]
    except ValueError:
        return ""  # closed by the command


def place(error: BaseException) -> str:
    """Innermost place of an exception in the source of the tool."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "/eigenbody/" in f.filename] or frames
    return f"{own[-1].filename.rpartition('/eigenbody/')[2]}:{own[-1].lineno}" if own else ""


def faults(arguments: list[str], run: Run, model: str) -> dict[str, str]:
    """What the run must not have done, by name."""
    found: dict[str, str] = {}
    if run.code is None:
        return {"hang": run.where}
    if run.code not in CODES:
        found[f"exit {run.code}"] = f"{run.where} {run.err[-300:]}"
    both = run.out + run.err
    if "Traceback" in both:
        found["traceback"] = both[both.index("Traceback") :][:500]
    if control := sorted({c for c in both if is_control(c)}):
        at = both.index(control[0])
        found["control character"] = f"{control!r} in {both[max(0, at - 60) : at + 20]!r}"
    if run.code == 0 and "--json" in arguments and "report" not in arguments[:1] and (bad := bad_json(run.out)):
        found["json"] = bad
    if run.code == 0 and "nan" not in model.lower() and (hit := re.search(r"(?i)(?<![\w.])nan(?![\w.])", run.out)):
        found["nan"] = run.out[max(0, hit.start() - 200) : hit.end() + 50]
    if run.code in (2, 3) and not (run.err if run.code == 2 else both).strip():  # a result may say that it failed
        found["silent"] = f"exit code {run.code} without a message"
    return found


def is_control(character: str) -> bool:
    """Characters that move the cursor, colour or hide: all controls but the ends of lines and tabs."""
    return character not in "\n\t" and unicodedata.category(character) == "Cc"


def bad_json(text: str) -> str:
    def refuse(constant: str) -> Any:
        raise ValueError(f"the constant {constant}")

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return f"{error}: {text[:200]!r}"
    return ""


def signature(found: dict[str, str]) -> str:
    """What makes two failures the same: kind of fault and place."""
    return "; ".join(f"{name} {text.split(' eigenbody:')[0][:90]}" for name, text in sorted(found.items()))


def tidy(text: str, folder: Path) -> str:
    """Text without the name of the temporary folder."""
    return text.replace(str(folder), "FOLDER")
