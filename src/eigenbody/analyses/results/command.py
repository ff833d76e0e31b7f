"""`eigenbody results`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.cli import delivery, options


def results(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="What was given as --store.", show_default=False)],
    run: Annotated[str | None, options.option("--run", "KEY", "One of several runs; its beginning is enough.")] = None,
    where: Annotated[
        list[str] | None,
        options.option("--where", "CONDITION", 'Lines that keep it: "real_1 > 0", failed, computed; repeatable.'),
    ] = None,
    json: options.Json = False,
    out: Annotated[
        str | None, options.option("--out -o", "FILE", "Write the lines: .csv, .jsonl, .parquet, .npz or .mat.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """What a store of many points has: summarized, filtered, exported.

    The model is not needed, and the run that fills the store may still go on.

    \b
    Examples:
      eigenbody results scatter/
      eigenbody results scatter/ --where "real_1 > 0" --out unstable.csv
      eigenbody results scatter/ --where failed --json

    \b
    JSON: {"run", "analysis", "model", "version", "options", "points", "done", "where",
           "lines", "failed",
           "columns": [{"name", "unit", "meaning", "known", "least", "mean", "greatest"}],
           "failures": [{"reason", "count"}]}
      points  that were asked for; done: computed so far; lines: that keep the conditions

    \b
    Files: .csv, .parquet, .npz and .mat hold the columns point, what was varied, what was
      found, failure; .jsonl has a map for each point on a line; .json the document above.
    """
    goal = delivery.Delivery("analyses.results.look", None, json, out, None, quiet)
    from eigenbody.analyses.results import results as results_of

    goal.deliver(results_of(folder, run, where or ()))
