"""Where branches of motion meet every method stops, says where and by which joints, and keeps what it has."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "examples"
METHODS: list[dict[str, Any]] = [
    {"method": "dop853"},
    {"method": "radau"},
    {"method": "generalized-alpha", "tolerance": 1e-6},
    {"method": "generalized-alpha", "step": 0.01},
    {"method": "hht", "step": 0.02},
    {"method": "rk4", "step": 0.05},
]


def parallelogram(**crank: Any) -> dict[str, Any]:
    """Links of 1 m hanging side by side: at 90 degrees all four hinges are in line."""
    document = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml").document
    document["joints"]["a"] |= crank
    return document


@pytest.mark.parametrize("options", METHODS, ids=lambda o: "-".join(map(str, o.values())))
@pytest.mark.parametrize("crank", [{"position": 1.0, "velocity": 3.0}, {"position": 1.0, "motion": "=1 + 0.5*t"}])
def test_a_parallelogram_stops_where_it_lies_flat(crank: dict[str, Any], options: dict[str, Any]) -> None:
    with pytest.raises(eb.SimulationError, match=r'singular configuration .*"a", "b", "c", "d".*branches') as caught:
        eb.simulate(eb.load(parallelogram(**crank)), until=1.5, points=301, **options)
    assert "stiff" not in str(caught.value)
    partial = caught.value.partial
    angle = partial.signal("a")
    assert angle[-1] == pytest.approx(math.pi / 2, abs=2e-3)
    assert angle.max() < math.pi / 2 + 1e-5
    assert len(partial) > 30
    assert np.all(np.diff(partial.t) > 0)


def crank_rocker() -> eb.Model:
    """Links 0.3, 1.0, 0.8 and ground 1.1 m: the crank turns round (Grashof), nothing is ever in line for all."""

    def bar(first: list[float], second: list[float]) -> dict[str, Any]:
        return {
            "mass": 1,
            "inertia": [0.1, 0.1, 0.1],
            "at": [0.5 * (a + b) for a, b in zip(first, second, strict=True)],
        }

    A, D = [0.0, 0.0, 0.0], [1.1, 0.0, 0.0]
    B = [0.0, 0.0, 0.3]
    r = math.hypot(D[0], B[2])
    along = (r**2 + 1.0 - 0.8**2) / (2 * r)
    off = math.sqrt(1.0 - along**2)
    e = np.array([D[0] / r, -B[2] / r])
    C = [along * e[0] - off * e[1], 0.0, B[2] + along * e[1] + off * e[0]]
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    return eb.Model(
        bodies={"crank": bar(A, B), "rod": bar(B, C), "rocker": bar(C, D)},
        joints={
            "a": hinge | {"between": ["ground", "crank"], "at": A, "velocity": 10.0},
            "b": hinge | {"between": ["crank", "rod"], "at": B},
            "c": hinge | {"between": ["rod", "rocker"], "at": C},
            "d": hinge | {"between": ["ground", "rocker"], "at": D},
        },
    )


@pytest.mark.parametrize(
    "options", [*METHODS[:4], {"method": "rk4", "step": 0.02}], ids=lambda o: "-".join(map(str, o.values()))
)
def test_a_loop_without_change_points_goes_round(options: dict[str, Any]) -> None:
    """Dead points of the rocker and long steps are no change points."""
    found = eb.simulate(crank_rocker(), until=1.0, points=11, **options)
    assert found.finished
    assert abs(found.signal("a")[-1]) > 2 * math.pi


def test_the_command_stops_with_what_it_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    model, out = tmp_path / "flat.json", tmp_path / "flat.csv"
    model.write_text(json.dumps(parallelogram(position=1.0, velocity=3.0)))
    command = [
        "simulate",
        str(model),
        "--until",
        "1",
        "--method",
        "generalized-alpha",
        "--step",
        "0.01",
        "-o",
        str(out),
    ]
    assert main(command) == 3
    assert "branches of motion meet" in capsys.readouterr().err.replace("\n", " ")
    assert len(out.read_text().splitlines()) > 100
