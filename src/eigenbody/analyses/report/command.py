"""`eigenbody report`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from eigenbody.analyses.report.page import Page

ENDINGS = ("html", "htm")


def report(
    model: options.ModelPath,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The page to write: .html.")] = "report.html",
    set_: options.Set = None,
    n: Annotated[int | None, options.option("--n", "COUNT", "Modes to show, lowest first; default 40.", min=1)] = None,
    campbell: Annotated[
        str | None,
        options.option("--campbell", "NAME:FROM:TO[:POINTS]", "Also frequencies and damping over a parameter."),
    ] = None,
    response: Annotated[
        float | None,
        options.option(
            "--response", "SECONDS", "End of the response to steps at the inputs; 0: none. Default: by the lowest mode."
        ),
    ] = None,
    simulate: Annotated[
        float | None, options.option("--simulate", "SECONDS", "Also a simulated motion to play.")
    ] = None,
    max_steps: options.MaxSteps = None,
    sensitivity: Annotated[
        str | None, options.option("--sensitivity", "A,B,C", "Also what these parameters do to the modes.")
    ] = None,
    optimize: Annotated[
        str | None, options.option("--optimize", "PROBLEM", "Also the design before and after.")
    ] = None,
    json: options.Json = False,
    open_: Annotated[bool, typer.Option("--open", help="Show the page in the browser.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """A page to show: the mechanism in 3-D, modes that move.

    One self-contained file that opens offline in any browser: the mechanism with its modes moving, tables of modes
    with explanation and energy shares, the verdict on stability, the certificate; where the model has inputs and
    outputs, frequency and step responses.

    \b
    Examples:
      eigenbody report rotor.yaml -o rotor.html
      eigenbody report rotor.yaml --campbell "speed:0:1 Hz" --open
      eigenbody report pendulum.yaml --set "start=30 deg" --simulate 10
      eigenbody report car.yaml --n 12 --response 3 -o car.html
      eigenbody report absorber.yaml --sensitivity k,c --optimize problem.yaml

    \b
    JSON: {"model", "file", "bytes", "bodies", "modes", "stability", "sections"}
      file       the page that was written, of that many bytes
      modes      number of modes that the page can play
      sections   titles of what it holds
    """
    delivery.require_writable(out, ENDINGS, model)
    wanted = None if campbell is None else _range(campbell)
    mechanism = session.load(model, set_)
    with session.places_of(
        mechanism, n="--n", response="--response", simulate="--simulate", until="--simulate", campbell="--campbell",
        parameter="--campbell", values="--campbell", parameters="--sensitivity", max_steps="--max-steps",
    ):  # fmt: skip
        from eigenbody.analyses.report.build import Wanted, build, refuse_incomplete

        names = None if sensitivity is None else [name.strip() for name in sensitivity.split(",") if name.strip()]
        page = build(mechanism, Wanted(n, wanted, response, simulate, names, optimize, max_steps=max_steps))
        text = page.html()
    delivery.warn(page.warnings, quiet)
    delivery.write(out, lambda file: file.write(text.encode()), quiet)
    if json:
        delivery.put(_document(page, out, len(text.encode())))
    if open_:
        _show(out)
    refuse_incomplete(page, text)


def _range(text: str) -> tuple[str, str, str, int]:
    """`speed:0:1 Hz:41` in its parts."""
    parts = [part.strip() for part in text.split(":")]
    example = 'Write for example --campbell "speed:0:1 Hz:41".'
    if len(parts) not in (3, 4) or not all(parts):
        raise InputError(
            Fault(f"--campbell {text}", "a range is written NAME:FROM:TO or NAME:FROM:TO:POINTS.", example)
        )
    points = parts[3] if len(parts) == 4 else "41"
    if not points.isdecimal() or int(points) < 2:
        raise InputError(Fault(f"--campbell {text}", f'"{points}" is no number of points, two or more.', example))
    return parts[0], parts[1], parts[2], int(points)


def _document(page: Page, out: str, size: int) -> str:
    from eigenbody.present.documents import as_json

    return as_json(
        {
            "model": page.name, "file": out, "bytes": size, "bodies": len(page.scene["bodies"]),
            "modes": len(page.modes), "stability": page.stability or None,
            "sections": [section.title for section in page.sections],
        }
    )  # fmt: skip


def _show(out: str) -> None:
    import webbrowser
    from pathlib import Path

    webbrowser.open(Path(out).resolve().as_uri())
