"""`eigenbody studio`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.cli import delivery, options


def studio(
    file: Annotated[str | None, typer.Argument(metavar="[MODEL]", help="Model file.", show_default=False)] = None,
    port: Annotated[int, options.option("--port", "NUMBER", "Port to serve on; default any that is free.")] = 0,
    host: Annotated[
        str, options.option("--host", "ADDRESS", "Who may connect; by default this machine alone.")
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """A page where a slider moves the poles.

    Serves a page on this machine alone and opens it in the browser: the text of the model with faults under the
    line, the mechanism in 3-D, a slider for every parameter; modes, poles, responses and reactions follow the hand.
    Without MODEL the page offers the models of this folder and new ones. Ctrl-C ends it. Needs the extra `studio`:
    pip install 'eigenbody[studio]'

    \b
    Examples:
      eigenbody studio rotor.yaml
      eigenbody studio
      eigenbody studio car.yaml --port 8123 --no-browser
    """
    from eigenbody.pages.studio import prepared

    made = prepared(file, host=host, port=port)
    delivery.put(f"The studio is at {made.address}")
    if not no_browser:
        import threading
        import webbrowser

        threading.Timer(0.5, webbrowser.open, (made.address,)).start()
    made.run()
