"""From arguments to an exit code: 0 done, 2 wrong input, 3 the computation did not succeed, 4 nothing was checked, 130
interrupted, 143 terminated."""

from __future__ import annotations

import atexit
import errno
import gc
import logging
import os
import re
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from eigenbody.base.errors import EigenbodyError, InputError, printable
from eigenbody.cli import stopping, waiting
from eigenbody.cli.imports import import_on_use

MAX_FAULTS = 20
DONE, BUG, WRONG_INPUT, FAILED, UNCHECKED, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    is_program = arguments is None
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    _prepare(debug)
    if is_program:
        import_on_use()
    waiting.QUIET = "--quiet" in arguments or "-q" in arguments
    start = time.monotonic()
    with stopping.listening_for_signals() as stop:
        code = _outcome([argument for argument in arguments if argument != "--debug"], debug, start)
    if code != INTERRUPTED and stop.signal is None:
        return code
    say(stop.word)
    if is_program:
        _leave(stop.exit_code)
    return stop.exit_code


def _outcome(arguments: list[str], debug: bool, start: float) -> int:
    """Exit code; whatever goes wrong is said."""
    try:
        code = _run(arguments)
        _say_effort(time.monotonic() - start)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # typer turns the one into the other
        abandon_output()  # the reader of a pipe (`| head`) has seen enough
        return DONE
    except EigenbodyError as error:
        _say_faults(error)
        return error.exit_code
    except Exception as error:
        if debug and not isinstance(error, MemoryError):
            raise
        return _unexpected(error)


def _leave(code: int) -> None:
    """End the process with this code. Left to itself the interpreter ends with 130 whatever was returned, where the
    KeyboardInterrupt of any signal came up in code that was compiled from text, as parts of libraries are."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def say(text: str) -> None:
    """A message to the user, on standard error."""
    with suppress(OSError, ValueError, AttributeError):  # nobody listens
        sys.stderr.write(f"eigenbody: {printable(text)}\n")
        sys.stderr.flush()


def abandon_output() -> None:
    """Keep the interpreter from complaining, when it ends, about output that nobody takes."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout = sys.__stdout__  # typer puts a wrapper there
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _say_effort(seconds: float) -> None:
    """Time and memory of work that took long, for whoever sits at the terminal."""
    if seconds > 5 and waiting.is_watched():
        say(f"{seconds:.1f} s, {waiting.peak_memory()}")


def _prepare(debug: bool) -> None:
    gc.set_threshold(100_000, 50, 50)  # a command lives shortly: looking for garbage all along costs several per cent
    atexit.register(gc.freeze)  # and the interpreter looks for it once more when it ends: a tenth of a short command
    # Small dense LAPACK calls are many times slower when threads share them; numpy is not imported yet.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to fail
    if not debug and not sys.warnoptions:
        warnings.simplefilter("ignore")
        logging.getLogger("matplotlib").setLevel(logging.ERROR)  # no word about its font cache


def _run(arguments: list[str]) -> int:
    """Let typer parse and call the command; its complaints become one line."""
    from typer import Abort
    from typer.main import get_command

    from eigenbody.cli.app import application

    try:
        code = get_command(application(arguments)).main(arguments, prog_name="eigenbody", standalone_mode=False)
    except Abort:
        return INTERRUPTED
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _wrong_usage(error)
    return code if isinstance(code, int) else DONE


def _wrong_usage(error: Any) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "eigenbody"
    say(f"{usage_message(error)} Try '{path} --help'.")
    return WRONG_INPUT


def usage_message(error: Any) -> str:
    """What typer complains about, once: click and typer both suggest the nearest name."""
    sentences = re.split(r"(?<=[.?]) ", " ".join(str(error.format_message()).split()))
    message = " ".join(dict.fromkeys(sentences))
    return message if message.endswith((".", "?")) else f"{message}."


def _say_faults(error: EigenbodyError) -> None:
    if not isinstance(error, InputError):
        say(str(error))
        return
    for fault in error.faults[:MAX_FAULTS]:
        say(str(fault))
    if len(error.faults) > MAX_FAULTS:
        say(f"... and {len(error.faults) - MAX_FAULTS} more")


def _unexpected(error: Exception) -> int:
    code, text = unexpected(error)
    say(f"{text} This is a bug, please report it; --debug shows where." if code == BUG else text)
    return code


def unexpected(error: Exception) -> tuple[int, str]:
    """Exit code and message of an error that is none of eigenbody's own."""
    text = " ".join(str(error).split())
    if is_memory_short(error):
        return FAILED, (
            "there is not enough memory for this computation. Ask for fewer modes (--n), use a smaller model, or allow"
            " more (--limit-memory)."
        )
    if type(error).__name__ == "LinAlgError":
        return FAILED, f"the computation did not succeed: {text}. Check the model for absurd magnitudes."
    return BUG, f"internal error ({type(error).__name__}: {text[:200]})."


def is_memory_short(error: Exception) -> bool:
    """Whether memory is short: also for the system, which then reads no folder and no library."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or (isinstance(error, ImportError) and "map segment" in str(error))
