"""Options of every command that reads a MODEL: how a file of another format is read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Annotated, Any

import typer

from eigenbody.cli import options

BASES = ("fixed", "free")
_SAID: ContextVar[dict[str, Any] | None] = ContextVar("said", default=None)  # while a command runs
EXTRA = {
    "base": (
        Annotated[str | None, options.option("--base", "fixed|free", "Of a URDF: how its root link stands [fixed].")],
        None,
    ),
    "strict": (
        Annotated[bool, typer.Option("--strict", help="Of a URDF: refuse what would be repaired with a note.")],
        False,
    ),
}


def with_reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command with `--base` and `--strict`, if it reads a MODEL. Where it has an option of that name already
    (`frf --base NAME`, `simulate --strict`), that one serves both."""
    signature = inspect.signature(function, eval_str=True)
    if "model" not in signature.parameters:
        return function
    added = {name: spec for name, spec in EXTRA.items() if name not in signature.parameters}

    @wraps(function)
    def command(**given: Any) -> Any:
        said = {name: given.pop(name) for name in added}
        if "base" not in added and given["base"] in BASES and str(given["model"]).lower().endswith(".urdf"):
            said["base"], given["base"] = given["base"], None
        said.setdefault("strict", given.get("strict", False))
        token = _SAID.set(said)
        try:
            return function(**given)
        finally:
            _SAID.reset(token)

    extra = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in added.items()
    ]
    parameters = [*signature.parameters.values(), *extra]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del command.__wrapped__
    return command


def said() -> dict[str, Any]:
    """`base` and `strict` as they were given to the command that runs."""
    return _SAID.get() or {}
