"""The list of commands: each folder of an analysis brings its own along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from eigenbody import PUBLIC
from eigenbody.cli.limits import with_limits
from eigenbody.cli.reading import with_reading_options

EXIT_CODES = """\b
Exit codes:
  0  done
  1  a fault of eigenbody itself, with the request to report it
  2  the input is wrong: every fault on standard error, with its place in the file
  3  the computation did not succeed, or a limit was reached: the message says how far it came
  4  `verify` found nothing that it could check
  130, 143  interrupted (Ctrl-C), terminated: what was done is kept
"""


def commands() -> dict[str, str]:
    """Every command by name, with the module or folder of its analysis."""
    return {
        name.removeprefix("$"): module for module, names in PUBLIC.items() for name in names.split() if name[0] == "$"
    }


def function_of(name: str, module: str) -> Callable[..., Any]:
    """The function of a command, from `command.py` in the folder of its analysis. The analysis itself is not imported:
    help and faults of the command line come at once."""
    package, _, _ = f"eigenbody.{module}".rpartition(".")
    around = import_module(package).__path__
    own = PathFinder.find_spec(f"eigenbody.{module}", around)
    spec = PathFinder.find_spec("command", (own and own.submodule_search_locations) or around)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"there is no command.py beside eigenbody.{module}")
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return getattr(found, name)


class _Command(TyperCommand):
    """A command whose help has no escapes: typer puts them before brackets wherever rich is installed."""

    def get_help(self, ctx: Any) -> str:
        return super().get_help(ctx).replace(r"\[", "[")


def application(arguments: Sequence[str] = ()) -> typer.Typer:
    """The application: with the one command that the arguments begin with, or with all."""
    app = typer.Typer(
        name="eigenbody",
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True, epilog=EXIT_CODES)(_eigenbody)
    known = commands()
    for name in arguments[:1] if arguments and arguments[0] in known else known:
        app.command(cls=_Command, epilog=EXIT_CODES, no_args_is_help=False)(
            with_limits(with_reading_options(function_of(name, known[name])))
        )
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from eigenbody import __version__

        typer.echo(f"eigenbody {__version__}")
        raise typer.Exit


def _eigenbody(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an internal error arose (any place).")] = False,
) -> None:
    """Exact linearization of mechanisms: how they vibrate, whether they are stable.

    \b
    Examples:
      eigenbody check rotor.yaml                  faults, constraints, degrees of freedom
      eigenbody modes rotor.yaml                  frequencies, damping, stability
      eigenbody modes rotor.yaml --set speed="1 Hz" --json
      eigenbody linearize rotor.yaml -o rotor.mat M, C, K and A, B, C, D for MATLAB
      eigenbody report rotor.yaml -o rotor.html   a page with the modes moving in 3-D

    MODEL is a YAML, JSON, URDF, SDF, MJCF (.xml) or Adams (.adm) file, or - for standard input.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)
