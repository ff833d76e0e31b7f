"""Inverse dynamics shows what the free coordinates do (Passerello & Huston, Figures 12 and 13: a base that floats)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli import main

FLOATING = {
    "eigenbody": 1,
    "name": "arm on a floating base",
    "bodies": {
        "base": {"mass": 30, "inertia": [1, 1, 1], "at": [0, 0, 0]},
        "arm": {"mass": 10, "inertia": [0.1, 0.1, 0.1], "at": [1, 0, 0]},
    },
    "joints": {"reach": {"type": "prismatic", "between": ["base", "arm"], "at": [1, 0, 0], "axis": [1, 0, 0]}},
}
LAW = "cycloid(0, 0.4 m, 2 s)"


@pytest.fixture
def found() -> eb.InverseDynamics:
    return eb.inverse(eb.load(FLOATING), {"reach": LAW}, until=2.0, points=21)


def test_the_base_goes_back_as_the_centre_of_mass_stays(found: eb.InverseDynamics) -> None:
    """x = -m/(m + M) s, for every s: closed form."""
    assert found.free == ("base.x", "base.y", "base.z", "base.rx", "base.ry", "base.rz")
    assert found.free_units == ("m", "m", "m", "rad", "rad", "rad")
    x = found.t / 2
    s, rate = 0.4 * (x - np.sin(2 * np.pi * x) / (2 * np.pi)), 0.2 * (1 - np.cos(2 * np.pi * x))
    assert found.free_value[:, 0] == pytest.approx(-0.25 * s, abs=1e-12)
    assert found.free_rate[:, 0] == pytest.approx(-0.25 * rate, abs=1e-11)
    assert found.free_value[:, 1:] == pytest.approx(0, abs=1e-12)


def test_it_is_printed_drawn_and_written(found: eb.InverseDynamics, tmp_path: Path, capsys: Any) -> None:
    assert "Motion of the free coordinates" in str(found)
    assert [axes.get_ylabel() for axes in found.plot().axes] == ["N", "free, m"]  # rotations stay zero
    model, file = tmp_path / "arm.json", tmp_path / "arm.csv"
    model.write_text(json.dumps(FLOATING))
    arguments = ["--until", "2", "--points", "21", "--motion", f"reach={LAW}", "-o", str(file), "--json"]
    assert main(["inverse", str(model), *arguments]) == 0
    told = json.loads(capsys.readouterr().out)["free_motion"]
    assert [entry["coordinate"] for entry in told] == list(found.free)
    assert told[0]["value"] == pytest.approx(found.free_value[:, 0].tolist(), abs=1e-12)
    with file.open() as lines:
        rows = list(csv.reader(lines))
    column = rows[0].index("base.x m")
    assert [float(row[column]) for row in rows[1:]] == pytest.approx(found.free_value[:, 0].tolist(), abs=1e-12)
    assert rows[0].index("base.x' m/s") > column


def test_nothing_free_nothing_shown() -> None:
    held = eb.inverse(eb.load(FLOATING), {"reach": LAW}, until=1.0, points=3, holds=["base"])
    assert held.free == ()
    assert held.free_value.shape == held.free_rate.shape == (3, 0)
    assert "free coordinates" not in str(held)
    assert held.document()["free_motion"] == []
