"""Linear models as FMUs and Modelica blocks: what other programs compute with them is what `response` and the matrices
say, by fmpy, which shares nothing with this package."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Model
from fmpy.validation import validate_fmu

import eigenbody as eb
from eigenbody.exchange.units import powers

CAR = "examples/active_suspension.yaml"  # a controlled mechanism: regulator, actuator with a lag, road
ENDINGS = {2: "fmu", 3: "fmi3.fmu"}
KINDS = ("ModelExchange", "CoSimulation")
both = pytest.mark.parametrize("version", [2, 3])
HEADERS = Path(fmpy.__file__).parent / "c-code"
NAMELESS = {
    "eigenbody": 1, "name": "1 % <of> \"all\" & more", "bodies": {"a": {"mass": 2, "at": [0, 0, 0]}},
    "joints": {"z": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
    "forces": {"s": {"type": "spring", "along": "z", "k": 8}},
}  # fmt: skip


def written(linear: Any, version: int, folder: Path) -> str:
    path = folder / f"car.{ENDINGS[version]}"
    linear.write(path)
    return str(path)


def simulated(path: str, kind: str, **more: Any) -> np.ndarray:
    return fmpy.simulate_fmu(path, fmi_type=kind, output_interval=0.01, relative_tolerance=1e-11, **more)


def furthest(found: np.ndarray, response: eb.TimeResponse) -> float:
    """Largest difference, in parts of the largest value of each output."""
    np.testing.assert_allclose(found["time"], response.times, atol=1e-12)
    size = np.abs(response.outputs).max(axis=0)
    return max(float(np.abs(found[name] - y).max() / s)
               for name, y, s in zip(response.output_names, response.outputs.T, size, strict=True))  # fmt: skip


@both
@pytest.mark.parametrize("kind", KINDS)
def test_simulated_elsewhere_it_moves_as_response_says(version: int, kind: str, tmp_path: Path) -> None:
    """From a start off rest, pushed by a step."""
    linear = eb.linearize(CAR)
    response = eb.response(linear, eb.StepInput({"road_speed": 1.0}), initial={"body": 0.01}, times=(3.0, 301))
    found = simulated(written(linear, version, tmp_path), kind, stop_time=3.0, output=list(linear.outputs),
                      start_values={"road_speed": 1.0, "body": 0.01})  # fmt: skip
    assert furthest(found, response) < (1e-8 if kind == "ModelExchange" else 1e-11)  # steps of co-simulation are exact


@both
def test_inputs_of_co_simulation_hold_over_each_step(version: int, tmp_path: Path) -> None:
    linear = eb.linearize(CAR)
    t = np.arange(301) * 0.01
    u = np.sin(3 * t) + np.sign(np.sin(7 * t))
    response = eb.response(linear, eb.SampledInput(t, {"road_speed": u}, hold="zero"))
    signal = np.array(list(zip(t, u, strict=True)), dtype=[("time", float), ("road_speed", float)])
    path = written(linear, version, tmp_path)
    found = simulated(path, "CoSimulation", stop_time=3.0, input=signal, output=list(linear.outputs))
    assert furthest(found, response) < 1e-11


def test_stiff_models_are_stepped_exactly(tmp_path: Path) -> None:
    """A spring of 1e9 N/m beside one of 1 N/m; the closed form of a free oscillation."""
    slide = {"type": "prismatic", "at": [0, 0, 0], "axis": [0, 0, 1]}
    linear = eb.linearize({
        "eigenbody": 1, "name": "stiff", "bodies": {key: {"mass": 1, "at": [0, 0, 0]} for key in "ab"},
        "joints": {"fast": {**slide, "between": ["ground", "a"]}, "slow": {**slide, "between": ["ground", "b"]}},
        "forces": {"hard": {"type": "spring", "along": "fast", "k": 1e9, "c": 1e3},
                   "soft": {"type": "spring", "along": "slow", "k": 1.0}},
        "outputs": {"x": {"measure": "fast"}, "y": {"measure": "slow"}},
    })  # fmt: skip
    path = written(linear, 2, tmp_path)
    start = dict.fromkeys(linear.coordinates, 1.0)
    found = fmpy.simulate_fmu(path, fmi_type="CoSimulation", stop_time=1.0, output_interval=0.1,
                              output=["x", "y"], start_values=start)  # fmt: skip
    np.testing.assert_allclose(found["y"], np.cos(found["time"]), atol=1e-11)
    decay = np.exp(-500 * found["time"])
    assert np.abs(found["x"]).max() == 1.0
    assert (np.abs(found["x"]) <= 1.0001 * decay + 1e-12).all()


@both
def test_the_checker_finds_nothing(version: int, tmp_path: Path) -> None:
    """Also of a model without inputs and outputs, and of names that XML must escape."""
    for model in (CAR, NAMELESS, "examples/geared_shafts.yaml", "examples/rotor_stator.yaml"):
        path = written(eb.linearize(model), version, tmp_path)
        assert validate_fmu(path) == [], model
        assert fmpy.read_model_description(path).modelName == eb.load(model).name


def test_names_units_and_starts_are_those_of_the_linear_model(tmp_path: Path) -> None:
    """A state that is called like an output gives way."""
    linear = eb.linearize(CAR)
    model = dict(eb.load(CAR).document)
    clash = eb.linearize({**model, "outputs": {"body": {"measure": "body"}}})
    for version in ENDINGS:
        found = fmpy.read_model_description(written(linear, version, tmp_path))
        units = {v.name: v.unit or "" for v in found.modelVariables}
        for names, own in zip((linear.states, linear.inputs, linear.outputs), linear.units, strict=True):
            assert [units[name] for name in names] == list(own)
        assert units["der(hub')"] == "m/s^2"
        assert {v.name for v in found.modelVariables if v.start is not None} == {*linear.states, *linear.inputs}
        newton = next(unit for unit in found.unitDefinitions if unit.name == "N").baseUnit
        assert (newton.kg, newton.m, newton.s, newton.rad) == (1, 1, -2, 0)
        names = [v.name for v in fmpy.read_model_description(written(clash, version, tmp_path)).modelVariables]
        assert names[:3] == ["road_speed", "body", "hub"]
        assert "state body" in names


@pytest.mark.parametrize(("unit", "expected"), [
    ("N*m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}), ("m/s^2", {"m": 1, "s": -2}), ("1/s", {"s": -1}), ("", {}),
    ("N*s/m", {"kg": 1, "s": -1}), ("kg*m^2", {"kg": 1, "m": 2}), ("furlong", None), ("m/", None), ("m m", None),
])  # fmt: skip
def test_units_are_powers_of_base_units(unit: str, expected: dict[str, int] | None) -> None:
    assert powers(unit) == expected


def slave(path: str, folder: Path, version: int) -> Any:
    found = fmpy.read_model_description(path)
    place = fmpy.extract(path, unzipdir=str(folder / f"unzipped{version}"))
    more = {"guid": found.guid, "unzipDirectory": place, "instanceName": "car"}
    if version == 3:
        model = FMU3Model(**{**more, "modelIdentifier": found.modelExchange.modelIdentifier})
        model.instantiate()
        model.enterInitializationMode()
        return model
    model = FMU2Slave(**{**more, "modelIdentifier": found.coSimulation.modelIdentifier})
    model.instantiate()
    model.setupExperiment(startTime=0.0)
    model.enterInitializationMode()
    model.exitInitializationMode()
    return model


@both
def test_directional_derivatives_are_the_matrices(version: int, tmp_path: Path) -> None:
    linear = eb.linearize(CAR)
    A, B, C, D = linear.state_space
    nu, ny, nx = len(linear.inputs), len(linear.outputs), len(linear.states)
    car = slave(written(linear, version, tmp_path), tmp_path, version)
    knowns = [*range(nu + ny, nu + ny + nx), *range(nu)]
    unknowns = [*range(nu + ny + nx, nu + ny + 2 * nx), *range(nu, nu + ny)]
    columns = [car.getDirectionalDerivative(unknowns, [known], [1.0]) for known in knowns]
    whole = np.block([[A, B], [C, D]])
    np.testing.assert_array_equal(np.transpose(columns), whole)
    if version == 3:
        rows = [car.getAdjointDerivative([unknown], knowns, [1.0], len(knowns)) for unknown in unknowns]
        np.testing.assert_array_equal(rows, whole)
    car.freeInstance()


def test_slopes_of_inputs_and_saved_states_of_fmi_2(tmp_path: Path) -> None:
    linear = eb.linearize(CAR)
    t = np.arange(101) * 0.02
    u = np.sin(3 * t)
    response = eb.response(linear, eb.SampledInput(t, {"road_speed": u}, hold="first"))
    car = slave(written(linear, 2, tmp_path), tmp_path, 2)

    def rest(k: int) -> list[list[float]]:
        """Outputs from here on."""
        out = []
        for i in range(k, 100):
            car.setReal([0], [u[i]])
            car.setRealInputDerivatives([0], [1], [(u[i + 1] - u[i]) / 0.02])
            car.doStep(t[i], 0.02)
            out.append(car.getReal([1, 2, 3, 4]))
        return out

    kept = car.getFMUState()
    found = np.array(rest(0))
    assert np.abs(found - response.outputs[1:]).max() < 1e-11 * np.abs(response.outputs).max()
    again = car.deserializeFMUState(car.serializeFMUState(kept))
    car.setFMUState(again)
    np.testing.assert_array_equal(rest(0), found)
    car.reset()
    assert car.getReal([5, 6, 7, 8, 9, 10]) == [0.0] * 6
    with pytest.raises(Exception, match="fmi2SetReal"):
        car.setReal([1], [1.0])  # an output
    car.freeInstance()


@both
def test_sources_agree_with_the_official_headers(version: int, tmp_path: Path) -> None:
    """Every function has the type that the standard gives it, and no warning is left; the names can have a prefix."""
    with zipfile.ZipFile(written(eb.linearize(CAR), version, tmp_path)) as archive:
        archive.extractall(tmp_path / "in")
    gcc, folder = shutil.which("gcc"), tmp_path / "in" / "sources"
    assert gcc is not None
    strict = [gcc, "-std=c99", "-Wall", "-Wextra", "-Wno-strict-prototypes", "-Werror", "-c", f"fmi{version}.c"]
    official = ["-include", str(HEADERS / f"fmi{version}Functions.h"), "-o", "with.o"]
    own = [f"-DFMI{version}_FUNCTION_PREFIX=car_", "-pedantic", "-o", "without.o"]
    for more in (official, own):
        subprocess.run([*strict, *more], cwd=folder, check=True, capture_output=True, text=True)
    header = (HEADERS / f"fmi{version}Functions.h").read_text()
    wanted = set(re.findall(rf"FMI{version}_Export fmi{version}\w+TYPE\s+(fmi{version}\w+);", header))
    listed = subprocess.run(["nm", "with.o"], cwd=folder, check=True, capture_output=True, text=True).stdout
    assert len(wanted) > 40
    assert wanted <= set(re.findall(r" T (\w+)", listed))


def test_without_a_compiler_the_sources_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linear = eb.linearize(CAR)
    with zipfile.ZipFile(written(linear, 3, tmp_path)) as archive:
        names = archive.namelist()
    assert any(name.startswith("binaries/") for name in names)
    first = (tmp_path / "car.fmi3.fmu").read_bytes()
    linear.write(tmp_path / "again.fmi3.fmu")
    assert (tmp_path / "again.fmi3.fmu").read_bytes() == first  # the same model, the same bytes
    monkeypatch.setenv("CC", "no-such-compiler")
    with zipfile.ZipFile(written(linear, 3, tmp_path)) as archive:
        bare = archive.namelist()
    assert bare == [name for name in names if not name.startswith("binaries/")]
    assert {"sources/fmi3.c", "sources/linear.c", "sources/numbers.h", "sources/buildDescription.xml"} <= set(bare)
    monkeypatch.setenv("CC", "false")
    with pytest.raises(eb.ComputationError, match="Set CC to another"):
        linear.write(tmp_path / "car.fmu")


def test_large_models_are_sent_to_reduction(tmp_path: Path) -> None:
    linear = eb.linearize(NAMELESS, solver="sparse")
    with pytest.raises(eb.InputError, match="Reduce it first"):
        linear.write(tmp_path / "a.fmu")


# ---- Modelica


def test_modelica_blocks_hold_every_digit_and_name(tmp_path: Path) -> None:
    linear = eb.linearize(CAR)
    linear.write(tmp_path / "car.mo")
    text = (tmp_path / "car.mo").read_text()
    for key, matrix in zip("ABCD", linear.state_space, strict=True):
        body = re.search(rf"parameter Real {key}\[n., n.\] = \[(.*?)\];", text, re.DOTALL)
        assert body is not None
        rows = [[float(cell) for cell in row.split(",")] for row in body[1].split(";")]
        np.testing.assert_array_equal(np.reshape(rows, matrix.shape), matrix)
    assert 'Modelica.Blocks.Interfaces.RealInput road_speed(unit = "m/s")' in text
    assert 'Modelica.Blocks.Interfaces.RealOutput acceleration(unit = "m/s2")' in text
    assert "constant String stateNames[nx] = {" + ", ".join(f'"{name}"' for name in linear.states) + "};" in text
    assert text.startswith("block Active_suspension_of_a_quarter_car ")
    assert text.rstrip().endswith("end Active_suspension_of_a_quarter_car;")


# ---- netCDF


def test_netcdf_files_are_the_datasets(tmp_path: Path) -> None:
    """Read back by xarray: every digit, every name, the parts of complex arrays."""
    import xarray

    modes = eb.modes("examples/rotor_stator.yaml")
    modes.write(tmp_path / "modes.nc")
    with xarray.open_dataset(tmp_path / "modes.nc", engine="scipy") as found:
        np.testing.assert_array_equal(found.shapes_real + 1j * found.shapes_imag, modes.shapes)
        np.testing.assert_array_equal(found.frequency_hz, modes.frequency_hz)
        assert found.frequency_hz.attrs["units"] == "Hz"
        assert [str(name) for name in found.body.values.astype(str)] == list(modes.bodies)
