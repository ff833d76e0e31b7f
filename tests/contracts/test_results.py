"""Every result prints itself in three forms that say the same, and is saved in full precision."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections.abc import Callable
from html import unescape
from io import StringIO
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import eigenbody as eb
from eigenbody.analyses.check import check
from eigenbody.analyses.verify.find import by_route
from eigenbody.base.result import Drawn, Result, Shown
from eigenbody.present.export import endings_of

ROOT = Path(__file__).parents[2]
SCRIPT = run_path(str(ROOT / "scripts" / "contract.py"))
MODEL = eb.load(SCRIPT["MODEL"])
ROTOR = eb.load(ROOT / "examples" / "rotor_stator.yaml")


def motion() -> eb.Simulation:
    return eb.simulate(MODEL, 0.01, points=16)


def updated() -> eb.Update:
    return eb.update(MODEL, SCRIPT["PROBLEM"]["variables"], {"frequencies": eb.modes(MODEL).frequency_hz})


MADE: dict[str, Callable[[], Shown]] = {
    "point": lambda: eb.operating_point(MODEL),
    "linear": lambda: eb.linearize(MODEL),
    "sparse": lambda: eb.linearize(MODEL, solver="sparse"),
    "damped": lambda: eb.with_damping(eb.linearize(MODEL), proportional=(0.1, 0.1)),
    "damped sparse": lambda: eb.with_damping(eb.linearize(MODEL, solver="sparse"), proportional=(0.1, 0.1)),
    "dependents": lambda: eb.linearize(MODEL).dependents(["high"]),
    "modes": lambda: eb.modes(MODEL),
    "explained": lambda: eb.modes(MODEL).explain(),
    "frames": lambda: eb.modes_in_frames(ROTOR, "spin"),
    "sweep": lambda: eb.sweep(MODEL, "k", [90.0, 110.0]),
    "campbell": lambda: eb.campbell(ROTOR, "speed", [1.0, 2.0]),
    "frf": lambda: eb.frf(MODEL, frequencies_hz=[1.0, 2.0]),
    "response": lambda: eb.response(MODEL, eb.StepInput({"push": 1.0}), times=(0.1, 3)),
    "psd": lambda: eb.psd(MODEL, eb.White(1.0), band_hz=(0, 9)),
    "sensitivity": lambda: eb.sensitivity(MODEL),
    "rms": lambda: eb.sensitivity(MODEL).rms("push", "y"),
    "tolerance": lambda: eb.tolerance(MODEL, {"k": "1%"}),
    "optimum": lambda: eb.optimize(MODEL, SCRIPT["PROBLEM"]),
    "update": updated,
    "verification": lambda: eb.verify(MODEL, ["relative"]),
    "route": lambda: by_route(MODEL, "relative"),
    "mac": lambda: eb.mac(MODEL),
    "truncated": lambda: eb.truncate(MODEL, 1),
    "variants": lambda: eb.variants(MODEL, {"k": [90.0, 110.0]}),
    "along": lambda: eb.along(motion()),
    "equilibrium": lambda: eb.equilibrium(MODEL),
    "reactions": lambda: eb.reactions(MODEL),
    "impulse": lambda: eb.impulse(MODEL, {"along": "low", "value": 1.0}),
    "inverse": lambda: eb.inverse(MODEL, {"low": "0", "high": "0"}, until=0.01, points=3),
    "simulation": motion,
    "spectrum": lambda: eb.fft(motion(), "low"),
    "inspection": lambda: check(MODEL),
}
REFUSED = {"RouteModel": ("tex", "py")}  # only "symbolic" has them
made = pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))


def words(text: str) -> list[str]:
    """Words of a table in any order: columns are laid out differently, rules and boxes say nothing."""
    return sorted(word for word in re.sub("[-\u2500]{2,}|\u2500", " ", text).split() if word != "-")


@made
def test_text_terminal_and_notebook_say_the_same(make: Callable[[], Shown]) -> None:
    result = make()
    terminal = StringIO()
    Console(file=terminal, width=1000, no_color=True).print(result.sheet().rich())
    notebook = unescape(re.sub("<[^>]*>", " ", result._repr_html_()))
    assert words(str(result)) == words(terminal.getvalue()) == words(notebook)
    assert result.table() == str(result)


@made
def test_documents_are_json_and_files_hold_every_digit(make: Callable[[], Shown], tmp_path: Path) -> None:
    result = make()
    if not isinstance(result, Result):
        return
    document = result.document()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    for ending in endings_of(result.look):
        sparse = isinstance(result, eb.LinearModel) and result.is_sparse and ending == "csv"  # which no table is
        if ending not in REFUSED.get(type(result).__name__, ()) and not sparse:
            result.write(tmp_path / f"out.{ending}")
            assert (tmp_path / f"out.{ending}").stat().st_size > 0
    assert json.loads((tmp_path / "out.json").read_text()) == document
    if (tmp_path / "out.npz").exists():
        with np.load(tmp_path / "out.npz") as held:
            arrays = result.arrays()
            assert set(held.files) == set(arrays)
            for name in held.files:
                np.testing.assert_array_equal(held[name], arrays[name])


@made
def test_tables_of_pandas_are_the_lines_of_the_csv_file(make: Callable[[], Shown], tmp_path: Path) -> None:
    result = make()
    if not isinstance(result, Result):
        return
    if "csv" not in endings_of(result.look) or isinstance(result, eb.LinearModel):  # several matrices
        with pytest.raises(eb.InputError, match=r"not one table|a table cannot hold"):
            result.to_pandas()
        return
    result.write(tmp_path / "out.csv")
    result.to_pandas().to_csv(tmp_path / "frame.csv", index=False)
    ours, theirs = (
        [[_number(cell) for cell in line] for line in csv.reader((tmp_path / name).open(newline=""))]
        for name in ("out.csv", "frame.csv")
    )
    assert ours == theirs


def _number(cell: str) -> float | str | None:
    """A number whatever its digits; nothing for what is not a number."""
    try:
        value = float(cell)
    except ValueError:
        return cell or None
    return None if math.isnan(value) else value


@made
def test_what_has_a_picture_draws_it(make: Callable[[], Shown]) -> None:
    result = make()
    assert hasattr(result, "plot") == hasattr(result.look, "plot") == isinstance(result, Drawn)
    if isinstance(result, Drawn):
        assert result.plot().axes


def test_every_kind_of_result_is_made_here() -> None:
    def kinds(of: type) -> set[Any]:
        return {kind for sub in of.__subclasses__() for kind in (sub, *kinds(sub))}

    own = {kind for kind in kinds(Shown) if kind.__module__.startswith("eigenbody.")}
    own = {kind for kind in own if kind.__module__ in sys.modules}  # not what a test of the documentation defined
    here = {type(make()) for make in MADE.values()} | {Result, Drawn}
    assert {kind.__qualname__ for kind in own} == {kind.__qualname__ for kind in here}
