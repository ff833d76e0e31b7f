"""`eigenbody study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

PLACES = {"workers": "--workers", "store": "--store"}
SAID = {"of": "--of", "method": "--method", "points": "--points", "seed": "--seed", "correlation": "--correlation"}


def study(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|STUDY|FOLDER",
            help="A study file, a model with what to study of it, or a store that has a study.",
            show_default=False,
        ),
    ],
    set_: options.Set = None,
    vary: Annotated[
        list[str] | None,
        options.option("--vary", "NAME=WHAT", "k=5%, k=100..200, k=[1,2,3] or k={mean: 9, deviation: 1}; repeatable."),
    ] = None,
    of: Annotated[
        list[str] | None,
        options.option("--of", "QUANTITY", 'frequency[1], damping[NAME], peak(y/u), "gain(y/u, 9 Hz)"; repeatable.'),
    ] = None,
    mode: Annotated[
        list[str] | None, options.option("--mode", "NAME=NUMBER", "What a mode is called: weave=8; repeatable.")
    ] = None,
    method: Annotated[
        str | None,
        options.option("--method", "NAME", "latin (default), factorial, sobol, monte-carlo or saltelli."),
    ] = None,
    points: Annotated[int | None, options.option("--points", "N", "Designs; of saltelli base points.")] = None,
    seed: Annotated[int | None, options.option("--seed", "N", "Of the random numbers; 1 by default.")] = None,
    correlation: Annotated[
        list[str] | None, options.option("--correlation", "A,B=R", "Of two varied numbers; repeatable.")
    ] = None,
    picture: Annotated[
        str, typer.Option("--picture", metavar="NAME", help="For --plot: scatter, parallel or instability.")
    ] = "scatter",
    workers: options.Workers = None,
    scheduler: options.Scheduler = None,
    store: options.Store = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Many designs: scatter, Sobol indices, probability of instability.

    Varies numbers of a model by all combinations, Latin hypercube, Sobol sequence or Monte Carlo. Modes are those of
    the model as it is, followed by their shapes, so that a name means the same mode in every design.

    \b
    A study file; every line but model, vary and of may be left out:
      model: quarter_car.yaml             beside this file
      vary:
        ks: 5 %                           uniform; or 15e3..20e3
        cs: {mean: 1500, deviation: 100}  normal; from, to: truncated
        mu: [45, 50, 55]                  levels, equally likely
        kt: {from: 1e5, to: 3e5, scale: log}
      of: ["frequency[1]", "damping[hop]", "peak(y/u, 1..20 Hz)"]
      modes: {hop: 3}                     numbers as `modes` shows them
      method: latin                       factorial, sobol, monte-carlo, saltelli
      points: 2000
      seed: 1
      correlation: [[ks, cs, 0.5]]

    \b
    Examples:
      eigenbody study problems/bicycle_study.yaml --plot scatter.png
      eigenbody study quarter_car.yaml --vary ks=5% --vary cs=10% --of "damping[2]"
      eigenbody study quarter_car.yaml --vary ks=5% --vary cs=10% --of "damping[2]" \\
                      --method saltelli --points 1024 --store kept
      eigenbody study kept --plot where.png --picture instability

    With --store points are kept as they come: stopped or killed, the same command goes on where it was, and the folder
    itself can be named instead of the model, also while it grows.

    \b
    JSON: {"model", "method", "seed", "points", "done",
           "varied": [{"name", "nominal", "distribution", "numbers"}], "correlation",
           "quantities": [{"name", "what", "unit", "nominal", "known", "mean", "deviation",
                           "least", "greatest", "percentiles", "regression", "sobol"}],
           "instability": {"share", "low", "high", "unstable", "known", "failed"},
           "doubtful", "failures": [{"reason", "count"}], "notes"}
      regression   standardized coefficients of the linear fit, their errors, r_squared
      sobol        first-order and total indices with 95 % intervals (saltelli)
      instability  share of unstable designs, ends of its 95 % interval

    \b
    Files: .csv, .npz and .mat hold the columns point, what was varied, the quantities,
      growth, unstable, doubtful, failure; .json the document above.
    """
    goal = delivery.Delivery("analyses.design.study.look", model, json, out, plot, quiet)
    said = _said(vary, of, mode, method, points, seed, correlation)
    from eigenbody.analyses.design.study.result import PICTURES
    from eigenbody.base.errors import suggest

    if picture not in PICTURES:
        raise InputError(Fault(f"--picture {picture}", "there is no such picture.", suggest(picture, PICTURES)))
    has_study = Path(model).is_dir()
    result = _kept(model, said, store) if has_study else _computed(model, set_, said, workers, scheduler, store)
    goal.deliver(result, figure=lambda: result.plot(picture))


def _kept(folder: str, said: dict[str, Any], store: str | None) -> Any:
    if said or store is not None:
        what = "a store has a study already."
        raise InputError(Fault(folder, what, "Name it alone, or name a model or a study file."))
    from eigenbody.analyses.design.study.find import study as study_of

    return study_of(folder)


def _computed(
    what: str, set_: list[str] | None, said: dict[str, Any], workers: int | None, scheduler: str | None,
    store: str | None,
) -> Any:  # fmt: skip
    """Of a study file, changed by what was said, or of a model."""
    from eigenbody.analyses.design.study.find import study_of
    from eigenbody.analyses.design.study.task import model_file
    from eigenbody.many.run import Crew
    from eigenbody.model.source import read

    model, places = what, {**PLACES, **{key: option for key, option in SAID.items() if key in said}}
    source = read(said)
    if what != "-" and Path(what).suffix in (".yaml", ".yml", ".json"):
        file = read(what)
        if "vary" in file.data:
            named = model_file(file)
            if named is None:
                raise InputError(Fault(file.where(()), "the study names no model.", "Write `model: FILE`."))
            model, source = str(named), file.with_data({**file.data, **said})
    mechanism = session.load(model, set_)
    with session.client_of(scheduler) as client, session.going_on_from(store), session.places_of(mechanism, **places):
        return study_of(mechanism, source, Crew(workers, client), store)


def _said(
    vary: list[str] | None, of: list[str] | None, mode: list[str] | None, method: str | None, points: int | None,
    seed: int | None, correlation: list[str] | None,
) -> dict[str, Any]:  # fmt: skip
    """What the options say, as a study file would."""
    pairs = dict(session.pair("--vary", text, "NAME=WHAT", "k=5%") for text in vary or ())
    names = {}
    for text in mode or ():
        name, number = session.pair("--mode", text, "NAME=NUMBER", "weave=8")
        if not number.isdecimal():
            raise InputError(Fault(f"--mode {text}", "the number of a mode is expected.", "For example weave=8."))
        names[name] = int(number)
    given: dict[str, Any] = {
        "vary": {name: _value(text) for name, text in pairs.items()},
        "of": list(of or ()),
        "modes": names,
        "method": method,
        "points": points,
        "seed": seed,
    }
    given["correlation"] = [_pair(text) for text in correlation or ()]
    return {key: value for key, value in given.items() if value not in (None, [], {})}


def _value(text: str) -> Any:
    """Maps and lists as YAML has them; else the text."""
    if text[:1] not in "{[":
        return text
    from eigenbody.model.source import read_text

    return read_text(f"value: {text}", label="--vary").data["value"]


def _pair(text: str) -> tuple[str, str, float]:
    names, value = session.pair("--correlation", text, "A,B=R", "ks,cs=0.5")
    one, _, other = (part.strip() for part in names.partition(","))
    if not session.NUMBER.fullmatch(value) or not other:
        raise InputError(Fault(f"--correlation {text}", "this is written A,B=R.", "For example: ks,cs=0.5."))
    return one, other, float(value)
