"""Options of every command that reads a MODEL: how a file of another format is read, and the pose that the model is put
into."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Annotated, Any, get_args

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import options

BASES = ("fixed", "free")
POSING = ("pose", "at", "held", "tolerance")
AT = 'Pose: --at elbow=0.3 or --at "elbow=20 deg"; repeatable.'
_SAID: ContextVar[dict[str, Any] | None] = ContextVar("said", default=None)  # while a command runs
EXTRA = {
    "base": (
        Annotated[str | None, options.option("--base", "fixed|free", "Of a URDF or SDF: how its root link stands.")],
        None,
    ),
    "strict": (
        Annotated[bool, typer.Option("--strict", help="Of other formats: refuse what would be repaired with a note.")],
        False,
    ),
    "allow_files": (
        Annotated[bool, typer.Option("--allow-files", help="The model may name files outside its folder.")],
        False,
    ),
    "pose": (Annotated[str | None, options.option("--pose", "NAME", "One of the model's poses.")], None),
    "tolerance": (
        Annotated[
            str | None,
            options.option("--tolerance", "LENGTH", "Gap of joints that counts as rounding of the drawing, in m."),
        ],
        None,
    ),
    "held": (
        Annotated[
            str | None,
            options.option("--held", "all|A,B", "Operating point: the pose at rest, held by torques along joints."),
        ],
        None,
    ),
    "at": (Annotated[list[str] | None, options.option("--at", "JOINT=VALUE", AT)], None),
}


def with_reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the options of EXTRA, if it reads a MODEL. Where it has one of that name already
    (`frf --base NAME`, `simulate --strict`, `frf --at HZ`), that one serves both, but for the `--tolerance` of a motion
    in time."""
    signature = inspect.signature(function, eval_str=True)
    if "model" not in signature.parameters:
        return function
    added = {name: spec for name, spec in EXTRA.items() if name not in signature.parameters}
    own_at = signature.parameters.get("at")

    @wraps(function)
    def command(**given: Any) -> Any:
        said = {name: given.pop(name) for name in added}
        if "base" not in added and given["base"] in BASES and str(given["model"]).lower().endswith((".urdf", ".sdf")):
            said["base"], given["base"] = given["base"], None
        if own_at is not None:
            said["at"], given["at"] = _poses_among(given["at"] or [], own_at)
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
    own = [_serving_both(p) if p is own_at else p for p in signature.parameters.values()]
    parameters = [*own, *extra]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del command.__wrapped__
    return command


def _serving_both(at: inspect.Parameter) -> inspect.Parameter:
    """A command's own `--at` as texts, among which there may be joints and their values."""
    _, given = get_args(at.annotation)
    both = options.option("--at", f"{given.metavar}|JOINT=VALUE", f"{given.help} {AT}")
    return at.replace(annotation=Annotated[list[str] | None, both], default=None)


def _poses_among(texts: list[str], own: inspect.Parameter) -> tuple[list[str], Any]:
    """Joints and their values, and what else was given to a command's own `--at`, as it expects it."""
    poses, others = [t for t in texts if "=" in t], [t for t in texts if "=" not in t]
    kind, given = get_args(own.annotation)
    if kind is not float and float not in get_args(get_args(kind)[0]):
        return poses, others or own.default
    try:
        numbers = [float(text) for text in others]
    except ValueError:
        wanted = f"{given.metavar} is a number, and a pose is written JOINT=VALUE."
        raise InputError(Fault(f"--at {others[0]}", wanted, "For example --at 2.5 or --at elbow=0.3.")) from None
    if kind is float:
        return poses, numbers[-1] if numbers else own.default
    return poses, numbers or own.default


def said() -> dict[str, Any]:
    """`base`, `strict` and `allow_files` as they were given to the command that runs."""
    return {name: value for name, value in (_SAID.get() or {}).items() if name not in POSING}


def pose_said() -> dict[str, Any]:
    """`pose`, `at` (texts), `held` and `tolerance` as they were given."""
    return {name: value for name, value in (_SAID.get() or {}).items() if name in POSING}
