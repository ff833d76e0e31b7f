"""`eigenbody serve`."""

from __future__ import annotations

from typing import Annotated

from eigenbody.cli import delivery, options


def serve(
    port: Annotated[int, options.option("--port", "NUMBER", "Port to serve on [8337]; 0: any that is free.")] = 8337,
    host: Annotated[
        str, options.option("--host", "ADDRESS", "Who may connect; by default this machine alone.")
    ] = "127.0.0.1",
    folder: Annotated[
        str | None, options.option("--folder", "FOLDER", "Models may name files in there; without it none.")
    ] = None,
    workers: Annotated[
        int, options.option("--workers", "N", "Computing processes; by default as many as processors.", min=1)
    ] = 0,
    queue: Annotated[int, options.option("--queue", "N", "Requests that may wait [16].", min=0)] = 16,
    seconds: Annotated[float, options.option("--seconds", "S", "Time that a request may take [30].")] = 30.0,
    memory: Annotated[float, options.option("--memory", "MB", "Memory that a request may use [1024].")] = 1024.0,
    size: Annotated[float, options.option("--size", "MB", "Largest request [8].")] = 8.0,
    quiet: options.Quiet = False,
) -> None:
    """The commands as a service: JSON over HTTP.

    POST /v1/modes with {"model": ..., "options": {"n": 4}} answers the document of `eigenbody modes --json`; likewise
    every command that answers a model with a document. GET /openapi.json describes all of it, GET /v1/commands lists
    commands and options, GET /health says whether it works. Computing processes are apart from the server and are
    ended when a request takes more than it may. SIGTERM and Ctrl-C end it when what is being computed is answered.
    Other machines (--host) need the token of the variable EIGENBODY_SERVE_TOKEN, or the one that is printed.
    Needs the extra `studio`: pip install 'eigenbody[studio]'

    \b
    Examples:
      eigenbody serve
      eigenbody serve --port 8080 --workers 4 --seconds 10 --memory 512
      EIGENBODY_SERVE_TOKEN=... eigenbody serve --host 0.0.0.0 --folder models
    """
    import gc

    from eigenbody.pages.service import TOKEN, Budget, prepared

    gc.set_threshold(1000, 10, 10)  # other commands live shortly and let garbage lie
    budget = Budget(seconds, memory, size, workers=workers, queue=queue)
    made = prepared(host=host, port=port, folder=folder, budget=budget)
    if not quiet:
        import os

        delivery.put(f"The service is at {made.address}")
        if made.token is not None and not os.environ.get(TOKEN):
            delivery.put(f"Its token is {made.token}")
    made.run()
