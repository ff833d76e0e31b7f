"""Arguments and options that commands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def option(names: str, metavar: str, meaning: str, **more: Any) -> Any:
    """An option that may be left out: its names, how its value is written, what it means."""
    return typer.Option(*names.split(), metavar=metavar, help=meaning, show_default=False, **more)


MODEL = "Model file (YAML, JSON, URDF, SDF, .adm), or - for standard input."
ModelPath = Annotated[
    str,
    typer.Argument(metavar="MODEL", help=MODEL, show_default=False),
]
OptionalModelPath = Annotated[
    str | None,
    typer.Argument(metavar="[MODEL]", help=MODEL, show_default=False),
]
Set = Annotated[
    list[str] | None,
    option("--set", "NAME=VALUE", 'Parameter of the model: number, "2 kN/m" or "=2*k"; repeatable.'),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, full precision.")]
Out = Annotated[
    str | None, option("--out -o", "FILE", "Also write the result, by the ending: .npz, .mat, .csv, .json, ...")
]
Plot = Annotated[str | None, option("--plot", "FILE", "Draw it: .png, .svg or .pdf.")]
Until = Annotated[str | None, option("--until", "T", 'End of the motion: 2 or "200 ms".')]
Times = Annotated[int, typer.Option("--points", metavar="N", min=2, help="Number of times from 0 on.")]
Coordinates = Annotated[
    str | None, option("--coordinates", "A,B,C", "Measures to linearize in; the rest is filled in.")
]
MaxSteps = Annotated[
    float | None,
    option("--max-steps", "N", "Steps that a motion may take, rejected ones included; by default 5000 or more."),
]
Parameter = Annotated[str | None, option("--parameter -p", "NAME", "Parameter to change.")]
From = Annotated[str | None, option("--from", "VALUE", 'First value: 0 or "2 rad/s".')]
To = Annotated[str | None, option("--to", "VALUE", 'Last value: 100 or "6000 rpm".')]
Points = Annotated[int, typer.Option("--points", min=2, metavar="N", help="Number of values.")]
Values = Annotated[str | None, option("--values", "A,B,C", "The values one by one instead.")]
Method = Annotated[str | None, option("--method", "kane", "By Kane's equations of a tree in place of the engine's.")]
Solver = Annotated[str | None, option("--solver", "dense|sparse", "Force a path; by default sparse when large.")]
Workers = Annotated[
    int | None,
    option("--workers", "N", "Processes; by default as many as there are processors, where that pays."),
]
Scheduler = Annotated[
    str | None,
    option("--scheduler", "ADDRESS", "Workers of a Dask cluster instead: tcp://host:8786; the same numbers."),
]
Store = Annotated[
    str | None, option("--store", "FOLDER", "Keep what is computed there; the same command goes on where it was.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No warnings or remarks; with --out or --plot no table.")]
Damping = Annotated[
    str | None,
    option("--damping", "KIND:NUMBERS", "Add damping: proportional:ALPHA,BETA, modal:RATIO or structural:LOSS."),
]
Route = Annotated[
    str | None,
    option("--route", "topology", "By the equations of Jiang, Chen & Luo: without geometric stiffness."),
]
