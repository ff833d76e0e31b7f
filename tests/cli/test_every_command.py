"""Every command on the smallest mechanisms there are: an answer in finite numbers, or one message with its remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli.main import DONE, FAILED, UNCHECKED, WRONG_INPUT, main

BODY = {"mass": "=m", "inertia": [1, 2, 2.5], "at": [0, 0, 0.5]}
FIXED = {"j": {"type": "fixed", "between": ["ground", "a"], "at": [0, 0, 0]}}
HINGE = {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}
BEAM = {
    "type": "beam",
    "points": [[0, 0, 0], [0, 0, 1]],
    "E": 210e9,
    "density": 7850,
    "diameter": "=0.04*m",
    "modes": 2,
}
PORTS = {"inputs": {"push": {"along": "j"}}, "outputs": {"angle": {"measure": "j"}}}
LAG = {"inputs": {"u": {}}, "states": {"x": {"rate": "=u - 3*x"}}, "outputs": {"y": {"expression": "=2*x"}}}


def mechanism(**sections: object) -> dict:
    return {"eigenbody": 1, "gravity": [0, 0, -9.81], "parameters": {"m": 1.0}, **sections}


IMMOBILE = {
    "held": mechanism(bodies={"a": BODY}, joints=FIXED),
    "driven": mechanism(bodies={"a": BODY}, joints={"j": {**HINGE, "motion": "=0.3*sin(3*t)"}}, **PORTS),
    "lag alone": mechanism(bodies={"a": BODY}, joints=FIXED, **LAG),
}
SMALL = IMMOBILE | {
    "free body": mechanism(bodies={"a": BODY}),
    "massless link": mechanism(
        bodies={"a": {"mass": 0, "at": [0, 0, 0]}, "b": BODY},
        joints={"j": HINGE, "w": {"type": "fixed", "between": ["a", "b"], "at": [0, 0, 0]}},
        **PORTS,
    ),
    "massless alone": mechanism(bodies={"a": {"mass": 0, "at": [0, 0, 0.5]}}, joints={"j": HINGE}),
    "free beam": mechanism(flexible={"a": BEAM}),
    "clamped beam": mechanism(
        flexible={"a": BEAM}, joints={"j": {"type": "fixed", "between": ["ground", "a.start"], "at": [0, 0, 0]}}
    ),
    "chain for a beam": mechanism(
        flexible={"a": {**{k: v for k, v in BEAM.items() if k != "damping"}, "segments": 2}},
        joints={"j": {**HINGE, "between": ["ground", "a.start"]}},
        **PORTS,
    ),
    "nothing": {"eigenbody": 1},
}

MEASURES = {"driven": "j", "massless link": "j", "massless alone": "j", "chain for a beam": "j", "clamped beam": "a.q1"}
STRUCK = {"free beam": "a.start", "clamped beam": "a.start", "chain for a beam": "a.start"}
RANGE = "--from 0.9 --to 1.1 --points 3"
COMMANDS = [
    "modes", "modes --explain", "modes --n 1", "modes --solver sparse", "modes --solver sparse --n 1", "modes --near 1",
    "linearize", "linearize --solver sparse", "check", "equilibrium",
    "simulate --until 0.01 --points 3", "simulate --until 0.01 --points 3 --method generalized-alpha --step 0.002",
    "simulate --until 0.01 --points 3 --method radau", "simulate --until 0.01 --points 3 --method rk4 --step 0.002",
    "inverse --until 0.01 --points 3", "inverse --until 0.01 --points 3 --hold BODY",
    "inverse --until 0.01 --points 3 --motion MEASURE=0.0", "impulse --at BODY --impulse 1,0,0",
    "impulse --along MEASURE=1", "along --until 0.01 --points 3", "floquet --period 0.001", "frf",
    "frf --input MEASURE --output MEASURE", "frf --method modal",
    "response --step MEASURE --until 0.1 --points 3", "response --impulse MEASURE --until 0.1 --points 3",
    "response --harmonic MEASURE=3 --stationary", "psd --white 1", "psd --white 1 --input MEASURE --output MEASURE",
    f"campbell -p m {RANGE}", "sensitivity", "sensitivity -p m", "sensitivity -p bodies.a.mass",
    "tolerance --vary m=1%", "tolerance --vary m=1% --samples 4 --workers 1", "optimize PROBLEM", "verify",
    "report --out PAGE --simulate 0.01", "reduce", "reduce --n 1 --method modal", "reduce --n 1 --method second-order",
    "superelement --interface BODY",
]  # fmt: skip


def no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


@pytest.mark.parametrize("kind", SMALL)
def test_every_command_answers_or_says_why_not(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, problem = tmp_path / "model.json", tmp_path / "problem.json"
    model.write_text(json.dumps(SMALL[kind]))
    objective = {"maximize": {"frequency": {"mode": 1}}}
    problem.write_text(json.dumps({"variables": {"m": {"from": 0.9, "to": 1.1}}, "objective": objective}))
    words = {
        "MEASURE": MEASURES.get(kind, "a.x"), "BODY": STRUCK.get(kind, "a"), "PROBLEM": str(problem),
        "PAGE": str(tmp_path / "page.html"),
    }  # fmt: skip
    for line in COMMANDS:
        for word, name in words.items():
            line = line.replace(word, name)
        command, *options = line.split()
        for form in ([], ["--json"]):
            code = main([command, str(model), *options, *form])
            out, err = capsys.readouterr()
            assert code in (DONE, WRONG_INPUT, FAILED) or (code, command) == (UNCHECKED, "verify"), (line, err)
            assert code == DONE or err.startswith("eigenbody: "), (line, err)
            assert "nan" not in out.lower().split(), (line, out)
            if code == DONE and form:
                json.loads(out, parse_constant=no_number)


@pytest.mark.parametrize("kind", IMMOBILE)
def test_results_of_what_cannot_move_have_no_modes(kind: str) -> None:
    """No coordinate, so M is 0 x 0: no modes but that of the lag, which neither mass nor damping changes."""
    model = eb.load(IMMOBILE[kind])
    linear, count = eb.linearize(model), 1 if kind == "lag alone" else 0
    found = eb.modes(model)
    assert linear.dof == 0
    assert found.eigenvalues == pytest.approx(np.full(count, -3.0))
    assert eb.mac(found, found).values.shape == (count, count)
    assert len(eb.sweep(model, "m", [1.0, 2.0]).as_dict()["branches"]) == count
    assert f"2 variants of {model.name}" in str(eb.variants(model, {"m": [1.0, 2.0]}))
    for damping in ({"modal": 0.1}, {"proportional": (0.1, 0.1)}, {"matrix": np.zeros((0, 0))}):
        assert eb.modes(eb.with_damping(linear, **damping)).eigenvalues == pytest.approx(found.eigenvalues)


def test_bands_of_what_has_no_modes_are_refused() -> None:
    for method in ("first-order", "monte-carlo"):
        with pytest.raises(eb.InputError, match=r"no mode of the model vibrates or decays.*--peak"):
            eb.tolerance(eb.load(IMMOBILE["held"]), {"m": "1 %"}, method, samples=4)
