"""A request in JSON as a command line: every fault of it at once, nothing that could be taken for another option."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.exchange import READERS
from eigenbody.model.source import shown

FORMATS = {ending.removeprefix("."): ending for ending in READERS}
KEYS = ("model", "file", "format", "options")
WORDS = {"boolean": "true or false", "integer": "a whole number", "number": "a number", "string": "a text"}
EXAMPLE = 'For example {"model": "eigenbody: 1\\n...", "options": {"n": 4}}.'


@dataclass(frozen=True)
class Asked:
    """What a request asks for: `model` is a path, `-` for `text`, or None; `ending` of a text of another format;
    `options` and, after the model, `files` are words of the command line."""

    model: str | None
    text: str
    ending: str
    options: tuple[str, ...]
    files: tuple[str, ...]


def read_request(body: bytes, command: dict[str, Any], folder: Path | None) -> Asked:
    """The request of a command of the catalog; InputError with all that is wrong with it."""
    found = _object(body)
    faults = [Fault(shown(key), "a request has no such key.", suggest(key, KEYS)) for key in found if key not in KEYS]
    model, text, ending = None, "", ""
    try:
        model, text, ending = _model(found, command, folder)
    except InputError as error:
        faults += error.faults
    arguments: list[str] = []
    options = found.get("options")
    if options is not None and not isinstance(options, dict):
        faults.append(Fault("options", "a map of options is expected.", EXAMPLE))
    else:
        known = {option["name"]: option for option in command["options"]}
        for name, value in (options or {}).items():
            try:
                arguments += _arguments(name, value, known, command, folder)
            except InputError as error:
                faults += error.faults
    if faults:
        raise InputError(faults)
    files = [word for word in arguments if not word.startswith("--")]  # paths are absolute
    return Asked(model, text, ending, tuple(word for word in arguments if word not in files), tuple(files))


def _object(body: bytes) -> dict[str, Any]:
    def no_number(word: str) -> NoReturn:
        raise ValueError(f"{word} is no number of JSON")

    try:
        found = json.loads(body, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else shown(" ".join(str(error).split()))
        raise InputError(Fault("request", f"this is no JSON: {reason}.", EXAMPLE)) from error
    if not isinstance(found, dict):
        raise InputError(Fault("request", "a JSON object is expected.", EXAMPLE))
    return found


def _model(found: dict[str, Any], command: dict[str, Any], folder: Path | None) -> tuple[str | None, str, str]:
    """Path or `-`, text, ending."""
    given, file, kind = (found.get(key) for key in ("model", "file", "format"))
    if file is not None:
        if given is not None or kind is not None:
            raise InputError(Fault("file", "a model and a file were both given.", "Leave out one of the two."))
        return str(path_within(folder, "file", file)), "", ""
    if kind is not None and (not isinstance(kind, str) or kind not in FORMATS):
        raise InputError(Fault("format", f'"{shown(kind)}" is not read.', suggest(str(kind), FORMATS)))
    if given is None and command["model"] == "optional":
        return None, "", ""
    if isinstance(given, dict) and kind is None:
        given = json.dumps(given)
    if not isinstance(given, str):
        what = "the model is missing." if given is None else "a text or a map of sections is expected."
        raise InputError(Fault("model", what, EXAMPLE))
    return "-", given, FORMATS[kind] if kind else ""


def path_within(folder: Path | None, where: str, name: object) -> Path:
    """A file of the folder of the service, links followed."""
    if folder is None:
        what = "this service reads no files."
        raise InputError(Fault(where, what, "Send the text, or start it with --folder FOLDER."))
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(Fault(where, "a path is expected."))
    path = folder.absolute() / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(Fault(where, f'"{shown(name)}" is not in the folder of the service.'))
    return path


def _arguments(
    name: str, value: Any, known: dict[str, dict[str, Any]], command: dict[str, Any], folder: Path | None
) -> list[str]:
    """Words of the command line for one option."""
    option = known.get(name)
    where = f"options.{shown(name)}"
    if option is None:
        if (reason := command["left_out"].get(name)) is not None:
            raise InputError(Fault(where, f"a service does not take this option: {reason}.", "Leave it out."))
        raise InputError(Fault(where, f"{command['command']} has no such option.", suggest(name, known)))
    if value is None:
        return []
    items = value if option["multiple"] and isinstance(value, list) else [value]
    return [word for item in items if (word := _word(where, item, option, folder)) is not None]


def _word(where: str, value: Any, option: dict[str, Any], folder: Path | None) -> str | None:
    """One word; what is written with `=` cannot be taken for another option."""
    kind, flag = option["type"], option["flag"]
    if kind == "boolean" and isinstance(value, bool):
        return flag if value else option["off"] or None
    if kind == "file":
        path = str(path_within(folder, where, value))
        return f"{flag}={path}" if flag else path
    if kind == "string" and isinstance(value, str):
        return f"{flag}={value}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and kind != "boolean" and not (kind == "integer" and isinstance(value, float)):
        return f"{flag}={_number(where, value)}"
    many = ", or a list of them," if option["multiple"] else ""
    raise InputError(Fault(where, f"{WORDS[kind]}{many} is expected, not {shown(json.dumps(value))}.", option["help"]))


def _number(where: str, value: float) -> str:
    try:
        if math.isfinite(value):
            return repr(value)
    except (OverflowError, ValueError):  # a whole number of hundreds of digits
        pass
    raise InputError(Fault(where, "this number is too large."))
