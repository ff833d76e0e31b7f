"""Every analysis takes a model, a path, a map, an operating point, or any result that carries one; the answer is the
same whatever it was given. What carries none is refused by name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

import eigenbody as eb
from public_analyses import ANALYSES, OTHERS, PENDULUM

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "along": lambda r: r.A,
    "by_route": lambda r: r.eigenvalues,
    "campbell": lambda r: r.eigenvalues,
    "compiled": lambda r: r.eigenvalues,
    "derivatives": lambda r: r.dA,
    "equilibrium": lambda r: r.eigenvalues,
    "explain": lambda r: r.kinetic,
    "frf": lambda r: r.values,
    "frf_map": lambda r: r.response,
    "fundamental": lambda r: r.values,
    "fundamental_matrix": lambda r: r,
    "impulse": lambda r: r.jump,
    "inverse": lambda r: r.force,
    "linearize": lambda r: r.K,
    "mac": lambda r: r.values,
    "modes": lambda r: r.eigenvalues,
    "modes_in_frames": lambda r: r.fixed.eigenvalues,
    "operating_point": lambda r: r.state.r,
    "optimize": lambda r: r.objective_after,
    "psd": lambda r: r.rms["angle"],
    "reactions": lambda r: r.force,
    "reduce": lambda r: r.frequency_response([0.1, 1.0]),
    "report": lambda r: re.findall("[0-9.]+ Hz", r),
    "response": lambda r: r.outputs,
    "sensitivity": lambda r: r.eigenvalues,
    "simulate": lambda r: r.signal("pin"),
    "check": lambda r: [r.gruebler, r.dof],
    "superelement": lambda r: r.K,
    "sweep": lambda r: r.eigenvalues,
    "floquet": lambda r: r.multipliers,
    "floquet_sweep": lambda r: r.growth,
    "symbolic": lambda r: r.numbers.eigenvalues,
    "study": lambda r: r.column("frequency[1]"),
    "tolerance": lambda r: [band.upper for band in r.bands],
    "truncate": lambda r: r.A,
    "update": lambda r: r.after,
    "variants": lambda r: r.eigenvalues,
    "verify": lambda r: r.eigenvalues,
    "with_damping": lambda r: r.C,
}
"""What is compared of each result."""

GIVEN: dict[str, Callable[[Path], Any]] = {
    "model": eb.load,
    "path": lambda path: path,
    "text": str,
    "map": lambda path: PENDULUM,
    "point": lambda path: eb.operating_point(eb.load(path)),
    "equilibrium": lambda path: eb.equilibrium(eb.load(path)),
    "equilibrium of a model that asks for none": lambda path: eb.equilibrium(
        eb.load({k: v for k, v in PENDULUM.items() if k != "operating_point"}, k=3)
    ),
    "linear": lambda path: eb.linearize(eb.load(path)),
    "modes": lambda path: eb.modes(eb.load(path)),
    "simulation at rest": lambda path: eb.simulate(eb.operating_point(eb.load(path)), until=0.1),
    "verification": lambda path: eb.verify(path, ["relative"]),
    "sensitivity": lambda path: eb.sensitivity(path, "k"),
    "frf": lambda path: eb.frf(path, "push", "angle", [1.0]),
    "explanation": lambda path: eb.explain(path),
}  # fmt: skip
ENDED = {"simulation at rest": {"compiled", "derivatives", "sensitivity", "inverse", "campbell", "sweep", "optimize",
                                "study", "tolerance", "update", "variants", "report", "floquet_sweep",
                                "frf_map"}}  # fmt: skip
"""At a later time than that of the model's operating point nothing can be varied: said so."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("models") / "pendulum.yaml"
    file.write_text(yaml.safe_dump(PENDULUM))
    return file


@pytest.fixture(scope="module")
def given(path: Path) -> dict[str, Any]:
    return {name: make(path) for name, make in GIVEN.items()}


@pytest.fixture(scope="module")
def wanted(path: Path) -> Callable[[str], Any]:
    known: dict[str, Any] = {}

    def find(name: str) -> Any:
        if name not in known:
            known[name] = NUMBERS[name](ANALYSES[name](eb.load(path)))
        return known[name]

    return find


def test_every_public_function_is_an_analysis_or_listed() -> None:
    functions = {name for name in eb.__all__ if inspect.isfunction(getattr(eb, name))}
    assert functions == set(ANALYSES) | OTHERS


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("name", ANALYSES)
def test_an_analysis_gives_the_same_whatever_carries_its_point(
    name: str, kind: str, given: dict[str, Any], wanted: Callable[[str], Any]
) -> None:
    if name in ENDED.get(kind, ()):
        with pytest.raises(eb.InputError, match="model"):
            ANALYSES[name](given[kind])
        return
    found, expected = NUMBERS[name](ANALYSES[name](given[kind])), wanted(name)
    assert found == expected if name == "report" else np.allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("wrong", ["nowhere.yaml", "", 3, None, [1, 2], SimpleNamespace(point=1), {}], ids=repr)
@pytest.mark.parametrize("name", ANALYSES)
def test_what_carries_no_point_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(eb.InputError) as caught:
        ANALYSES[name](wrong)
    told = str(caught.value)
    if wrong != {}:
        assert "Give a model, the path of a model file" in told
        assert str(wrong)[:10] in told


def test_the_end_of_a_simulation_is_where_analyses_begin() -> None:
    """A pendulum that has swung: linearized, settled and simulated on from its last state."""
    swung = eb.simulate(eb.load({**PENDULUM, "operating_point": "reference"}).set(
        joints={**PENDULUM["joints"], "pin": {**PENDULUM["joints"]["pin"], "velocity": 1.0}}), until=0.4)  # fmt: skip
    assert np.array_equal(eb.operating_point(swung).state.w, swung.state.w)
    assert np.allclose(eb.linearize(swung).A, eb.linearize(swung.point).A)
    on = eb.simulate(swung, until=0.8)
    assert on.t[0] == 0.4
    assert on.signal("pin")[0] == swung.signal("pin")[-1]
    assert eb.equilibrium(swung).coordinates()["pin"] == pytest.approx(0, abs=1e-9)
    assert eb.equilibrium(swung).distance == pytest.approx(
        np.hypot(swung.signal("pin")[-1], swung.signal("slide")[-1] / swung.system.length), rel=1e-6
    )


def test_a_point_of_another_model_is_refused(path: Path) -> None:
    model = eb.load(path)
    other = model.with_parameters(k=4)
    with pytest.raises(eb.InputError, match="another model"):
        eb.linearize(other, at=eb.equilibrium(model))
    found = eb.linearize(model, at=eb.equilibrium(model))
    assert np.array_equal(found.K, eb.linearize(eb.equilibrium(model)).K)


def test_a_point_with_adjusted_parameters_is_one_of_its_model() -> None:
    """The steady turn of the truck adjusts two parameters; a third one makes it another truck."""
    model = eb.load(Path(__file__).parents[2] / "examples" / "tractor_semitrailer.yaml")
    point = eb.operating_point(model)
    assert point.model.parameters["delta"] != model.parameters["delta"]
    assert np.array_equal(eb.linearize(model, at=point).A, eb.linearize(point).A)
    name = next(name for name in model.parameters if name not in ("delta", "push"))
    other = model.with_parameters({name: 1.1 * model.parameters[name]})
    with pytest.raises(eb.InputError, match="another model"):
        eb.linearize(other, at=point)


def test_damping_that_was_added_is_not_dropped_silently(path: Path) -> None:
    damped = eb.modes(eb.with_damping(path, proportional=(0.5, 0)))
    assert np.array_equal(eb.modes(damped).eigenvalues, damped.eigenvalues)
    for analysis in ("simulate", "verify", "linearize", "sweep"):
        with pytest.raises(eb.InputError, match="damping was added"):
            ANALYSES[analysis](damped)


def test_a_truncated_model_is_not_taken_for_the_whole(path: Path) -> None:
    with pytest.raises(eb.InputError, match="TruncatedModel"):
        eb.modes(eb.truncate(path, n=1))


def test_results_over_many_points_name_their_model(path: Path) -> None:
    with pytest.raises(eb.InputError, match="Give its `model`"):
        eb.modes(eb.sweep(path, "k", [2, 3], refine=0))


def test_a_measure_can_be_an_input_at_a_given_point() -> None:
    """Pushed at the end of a simulation: B of the linear model there, with the input in the model from the start."""
    model = eb.load({**PENDULUM, "operating_point": {"positions": {"pin": 0.5}}})
    point = eb.operating_point(model)
    pushed = eb.frf(eb.linearize(model.input("turn", along="pin")), "turn", "angle", [0.2, 0.7])
    assert np.allclose(eb.frf(point, "pin", "angle", [0.2, 0.7]).values, pushed.values, rtol=1e-12)
