"""Arguments and options that commands share."""

from __future__ import annotations

from typing import Annotated

import typer

ModelPath = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file (YAML or JSON), or - for standard input.", show_default=False)
]
OptionalModelPath = Annotated[
    str | None,
    typer.Argument(metavar="[MODEL]", help="Model file (YAML or JSON), or - for standard input.", show_default=False),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help='Parameter of the model: number, "2 kN/m" or "=2*k"; repeatable.',
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, full precision.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Also write the result: .npz, .mat, .csv or .json.", show_default=False
    ),
]
Plot = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Draw it: .png, .svg or .pdf.", show_default=False)
]
Solver = Annotated[
    str | None,
    typer.Option(
        "--solver", metavar="dense|sparse", help="Force a path; by default sparse when large.", show_default=False
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No warnings or remarks; with --out or --plot no table.")]
