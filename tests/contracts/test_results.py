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
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import eigenbody as eb
from eigenbody.base.result import Drawn, Result, Shown
from eigenbody.present.export import endings_of
from every_result import MODEL, RESULTS, motion

made = pytest.mark.parametrize("make", RESULTS.values(), ids=list(RESULTS))


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
        if isinstance(result, eb.LinearModel) and result.is_sparse and ending not in ("npz", "mat", "json"):
            with pytest.raises(eb.InputError, match="is kept sparse"):
                result.write(tmp_path / f"out.{ending}")
        else:
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
    if "csv" not in endings_of(result.look) or isinstance(
        result, eb.LinearModel | eb.FirstOrderModel | eb.ReducedModel | eb.Superelement
    ):
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


@made
def test_datasets_of_xarray_have_every_array_over_named_axes(make: Callable[[], Shown]) -> None:
    """In full precision, none forgotten: an array is a variable, or it names the places along an axis."""
    result = make()
    if not isinstance(result, Result):
        return
    if not hasattr(result.look, "arrays") or getattr(result, "is_sparse", False):
        with pytest.raises(eb.InputError, match=r"no arrays over named axes|is kept sparse"):
            result.to_xarray()
        return
    found, arrays = result.to_xarray(), result.arrays()
    placed = {places for one in result.look.axes(result).values() for places in one.axes.values()}
    for name, array in arrays.items():
        if np.ndim(array) == 0:
            assert found.attrs[name] == array
        elif name in placed:
            assert any(np.array_equal(found[axis], array) for axis in found.dims), name
        else:
            np.testing.assert_array_equal(found[name], array, err_msg=name)
            assert all(axis in found.coords for axis in found[name].dims), name
    assert not any("units" in part.attrs and not part.attrs["units"] for part in found.variables.values())


def test_axes_of_a_frequency_response_are_chosen_by_name() -> None:
    response = eb.frf(MODEL, ["push", "high"], ["y", "low"], [1.0, 2.0, 3.0])
    found = response.to_xarray()
    assert found.response.dims == ("frequency_hz", "output", "input")
    assert found.frequency_hz.attrs["units"] == "Hz"
    assert complex(found.response.sel(frequency_hz=2.0, output="low", input="high")) == response.entry("low", "high")[1]
    assert found.output_units.sel(output="y").item() == "m"


def test_axes_of_histories_sweeps_and_shapes_are_chosen_by_name() -> None:
    moved = motion()
    assert np.array_equal(moved.to_xarray()["low"], moved.signal("low"))
    assert moved.to_xarray()["low"].attrs["units"] == "m"
    swept = eb.sweep(MODEL, "k", [90.0, 110.0])
    assert swept.to_xarray().frequency_hz.sel(values=110.0, branch=1).item() == swept.frequency_hz[-1, 0]
    assert swept.to_xarray()["values"].attrs["long_name"] == "k"
    modes = eb.modes(MODEL)
    assert complex(modes.to_xarray().shapes.sel(mode=2, body="b", motion="z")) == modes.shapes[1, 1, 2]
    slopes = eb.sensitivity(MODEL)
    found = slopes.to_xarray()
    assert complex(found.d_eigenvalues.sel(parameter="k", mode=2)) == slopes.eigenvalues[0, 1]
    assert float(found.dK.sel(parameter="k", force="high", coordinate="high")) == 2.0  # spring "link" has 2 k


def test_a_missing_library_is_named_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenbody.present.export.find_spec", lambda name: None)
    with pytest.raises(eb.InputError, match=r"pip install 'eigenbody\[pandas\]'"):
        eb.modes(MODEL).to_pandas()
    with pytest.raises(eb.InputError, match=r"pip install 'eigenbody\[xarray\]'"):
        eb.modes(MODEL).to_xarray()


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

    here = {type(make()) for make in RESULTS.values()} | {
        Result,
        Drawn,
    }  # first: what makes them is imported when it is asked for
    own = {kind for kind in kinds(Shown) if kind.__module__.startswith("eigenbody.")}
    own = {kind for kind in own if kind.__module__ in sys.modules}  # not what a test of the documentation defined
    assert {kind.__qualname__ for kind in own} == {kind.__qualname__ for kind in here}
