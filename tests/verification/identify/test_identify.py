"""Modes found in simulated measurements with noise are those of the model that was simulated."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli.main import DONE, WRONG_INPUT, main
from eigenbody.numerics.signals.rational import rebuilt, refined, residues
from eigenbody.numerics.signals.stabilization import diagram
from eigenbody.numerics.signals.subspace import Poles, observability, poles_by_order

N = 7
DT = 0.02
MEASURES = [f"x{i}" for i in range(N)]


def chain(k: float = 1000.0) -> dict[str, Any]:
    """Seven masses between springs and two walls, along x; every mass is seen, the first and the fourth are pushed."""
    names = [f"m{i}" for i in range(N)]
    ends = [("ground", names[0]), *pairwise(names), (names[-1], "ground")]
    places = [[-1.0, 0, 0], *([float(i), 0, 0] for i in range(N)), [float(N), 0, 0]]
    return {
        "eigenbody": 1, "name": "seven masses", "parameters": {"k": k},
        "bodies": {m: {"mass": 1.0, "at": [float(i), 0, 0]} for i, m in enumerate(names)},
        "joints": {f"x{i}": {"type": "prismatic", "between": ["ground", m], "at": [float(i), 0, 0], "axis": [1, 0, 0]}
                   for i, m in enumerate(names)},
        "forces": {f"f{i}": {"type": "spring", "between": list(pair), "at": [places[i], places[i + 1]],
                             "free_length": 1.0, "k": "=k", "c": 0.4} for i, pair in enumerate(ends)}
        | {f"air{i}": {"type": "damper", "along": f"x{i}", "c": 0.1} for i in range(N)},
        "inputs": {"push": {"along": "x0"}, "shake": {"along": "x3"}},
        "outputs": {f"y{i}": {"measure": f"x{i}"} for i in range(N)},
    }  # fmt: skip


@cache
def truth() -> eb.Modes:
    return eb.modes(chain())


def noisy(values: np.ndarray, rng: np.random.Generator, part: float = 0.01) -> np.ndarray:
    """With noise of 1 % of the root mean square of each channel."""
    size = part * np.sqrt(np.mean(np.abs(values) ** 2, axis=0))
    if np.iscomplexobj(values):
        return values + size * (rng.normal(size=values.shape) + 1j * rng.normal(size=values.shape)) / np.sqrt(2)
    return values + size * rng.normal(size=values.shape)


def histories(seed: int, count: int = 6000) -> dict[str, np.ndarray]:
    """Random forces, held over each sample, and what the masses do."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(count, 2))
    t = DT * np.arange(count)
    response = eb.response(
        chain(), eb.SampledInput(t, {"push": u[:, 0], "shake": u[:, 1]}, hold="zero"), outputs=MEASURES
    )
    y = noisy(response.outputs, rng)
    return {"t": t, "push": u[:, 0], "shake": u[:, 1], **{name: y[:, i] for i, name in enumerate(MEASURES)}}


def responses(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    found = eb.frf(chain(), ["push", "shake"], MEASURES, np.linspace(0.5, 12, 500))
    return {"frequency_hz": found.frequency_hz, "response": noisy(found.values, rng), "outputs": MEASURES,
            "inputs": ["push", "shake"]}  # fmt: skip


def decay(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    start = {"x0'": 1.0, "x2'": -1.5, "x6'": 0.7}
    found = eb.response(chain(), initial=start, times=(60.0, 3001), outputs=MEASURES)
    return {"t": found.times, **dict(zip(MEASURES, noisy(found.outputs, rng).T, strict=True))}


def checked(found: eb.Identified, frequency: float = 1e-3, damping: float = 0.05) -> None:
    """Exactly the seven modes, each within the tolerances, with its shape."""
    modes = truth()
    assert len(found) == N
    np.testing.assert_allclose(found.frequency_hz, modes.frequency_hz, rtol=frequency)
    np.testing.assert_allclose(found.damping_ratio, modes.damping_ratio, rtol=damping)
    shapes = modes.shapes[:, :, 0]
    order = [modes.bodies.index(f"m{i}") for i in range(N)]
    likeness = eb.mac(found.shapes, shapes[:, order], weight=None).values
    assert np.diag(likeness).min() > 0.999


# ---- seven masses, one per cent of noise: frequencies within 0.1 %, damping within 5 %


@pytest.mark.parametrize("seed", range(4))
def test_modes_of_a_shaken_chain(seed: int) -> None:
    found = eb.identify(histories(seed), inputs=["push", "shake"])
    checked(found)
    spare = np.abs(found.spurious) / (2 * np.pi)
    assert all(np.abs(hz / truth().frequency_hz - 1).min() > 0.01 for hz in spare)
    assert found.method == "subspace identification with inputs"


@pytest.mark.parametrize("seed", range(4))
def test_modes_of_frequency_responses(seed: int) -> None:
    checked(eb.identify(responses(seed)))


@pytest.mark.parametrize("seed", range(4))
def test_modes_of_a_free_decay(seed: int) -> None:
    found = eb.identify(decay(seed))
    checked(found)
    assert found.notes == ()


def test_ambient_vibration_says_what_its_length_leaves_open() -> None:
    """Without inputs 120 s do not tell damping within 5 %: errors are within three of the deviations that are said."""
    data = {name: values for name, values in histories(3).items() if name not in ("push", "shake")}
    found, modes = eb.identify(data), truth()
    assert len(found) == N
    assert "leaves damping uncertain" in found.notes[0]
    assert (np.abs(found.frequency_hz - modes.frequency_hz) < 3 * found.frequency_deviation).all()
    assert (np.abs(found.damping_ratio - modes.damping_ratio) < 3 * found.damping_deviation).all()
    assert (found.damping_deviation > 0.05 * found.damping_ratio).all()


def test_without_noise_all_digits_come_back() -> None:
    """Pure histories and responses: the algebra has no error of its own."""
    found = eb.frf(chain(), ["push", "shake"], MEASURES, np.linspace(0.5, 12, 300))
    values = truth().eigenvalues
    exact = refined(found.omega, found.values, values * (1 + 1e-3))
    np.testing.assert_allclose(exact, values, rtol=1e-6)
    np.testing.assert_allclose(
        rebuilt(found.omega, found.values, values), found.values, atol=1e-9 * np.abs(found.values).max()
    )
    assert residues(found.omega, found.values, values).shape == (N, N, 2)
    free = eb.response(chain(), initial={"x0'": 1.0, "x2'": -1.5}, times=(20.0, 1001), outputs=MEASURES)
    wide, strength = observability(free.outputs, np.zeros((1001, 0)), 10)
    assert strength[14] < 1e-9 * strength[0]  # fourteen states and no more
    (poles,) = poles_by_order(wide, strength, N, free.times[1], range(14, 15))
    np.testing.assert_allclose(poles.eigenvalues, values, rtol=1e-6)


# ---- the diagram


def test_poles_that_come_and_go_are_spurious() -> None:
    """Made by hand: one mode in all orders, one that wanders, one only in the highest orders, one that is as weak
    as the noise."""
    rng = np.random.default_rng(0)
    shape, other = np.array([1.0, 0.5]), np.array([0.2, -1.0])
    sets = []
    for order in range(2, 42, 2):
        values, shapes = [-0.1 + 10j], [shape]
        values.append(complex(-rng.uniform(0.1, 1), rng.uniform(20, 60)))
        shapes.append(rng.normal(size=2))
        if order > 34:
            values.append(-0.2 + 80j)
            shapes.append(other)
        if order > 10:
            values.append(-0.3 + 95j)
            shapes.append(other)
        if order > 6:
            values.append(-0.4 + 99j)
            shapes.append(shape)
        strengths = np.where(np.array(values) == -0.4 + 99j, 1.5, 40.0)  # in parts of the noise
        sets.append(Poles(order, np.array(values), np.array(shapes, dtype=complex), strengths))
    found = diagram(sets)
    physical = [g.eigenvalue for g in found.groups if g.is_physical]
    assert physical == [-0.1 + 10j, -0.3 + 95j]
    assert [g.eigenvalue for g in found.groups if not g.is_physical] == [-0.2 + 80j, -0.4 + 99j]
    wandering = (found.eigenvalue.imag > 20) & (found.eigenvalue.imag < 60)
    assert (found.group[wandering] == -1).all()


def test_two_modes_at_nearly_one_frequency_are_told_apart_by_shape() -> None:
    """A square table: two equal modes but for 0.2 %."""
    rng = np.random.default_rng(2)
    w = np.array([20.0, 20.04])
    t = 0.02 * np.arange(4000)
    a = np.exp(-0.1 * t) * np.cos(w[0] * t), np.exp(-0.1 * t) * np.sin(w[1] * t)
    y = noisy(np.column_stack((a[0] + 0.3 * a[1], a[1] - 0.3 * a[0], a[0] + a[1])), rng)
    found = eb.identify({"t": t, "a": y[:, 0], "b": y[:, 1], "c": y[:, 2]}, order=20)
    np.testing.assert_allclose(found.eigenvalues.imag, w, rtol=1e-4)


# ---- files, commands, updating


def test_files_give_the_same_modes(tmp_path: Path) -> None:
    """CSV, NPZ and universal files, written by us and by hand."""
    response = eb.frf(chain(), ["push", "shake"], MEASURES, np.linspace(0.5, 12, 200))
    plain = eb.identify(response)
    checked(plain, 1e-6, 1e-4)
    for ending in ("csv", "npz", "uff", "unv"):
        response.write(tmp_path / f"a.{ending}")
        found = eb.identify(tmp_path / f"a.{ending}")
        np.testing.assert_allclose(found.eigenvalues, plain.eigenvalues, rtol=1e-9)
        assert found.outputs == tuple(MEASURES)
        assert found.inputs == ("push", "shake")
    data = histories(1, 3000)
    np.savez(tmp_path / "b.npz", **data)
    table = np.column_stack(list(data.values()))
    np.savetxt(tmp_path / "b.csv", table, delimiter=",", header=",".join(data), comments="", fmt="%.17g")
    one, other = (eb.identify(tmp_path / f"b.{e}", inputs=["push", "shake"]) for e in ("npz", "csv"))
    np.testing.assert_array_equal(one.eigenvalues, other.eigenvalues)
    checked(one)


def test_the_command_says_what_the_call_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = histories(2, 3000)
    np.savez(tmp_path / "bench.npz", **data)
    asked = ["identify", str(tmp_path / "bench.npz"), "--inputs", "push,shake", "--json"]
    asked += ["--plot", str(tmp_path / "a.png")]
    assert main(asked) == DONE
    document = json.loads(capsys.readouterr().out)
    found = eb.identify(tmp_path / "bench.npz", inputs=["push", "shake"])
    assert [mode["frequency_hz"] for mode in document["modes"]] == found.frequency_hz.tolist()
    assert {pole["status"] for pole in document["poles"]} <= {"new", "frequency", "damping", "stable"}
    assert (tmp_path / "a.png").stat().st_size > 10_000
    assert main(["identify", str(tmp_path / "bench.npz"), "--inputs", "pusch"]) == WRONG_INPUT
    assert "--inputs" in capsys.readouterr().err


def test_a_model_is_updated_from_what_was_identified() -> None:
    """The bench is softer than the model: from data with noise its stiffness is found within 0.05 %."""
    rng = np.random.default_rng(4)
    bench = eb.frf(chain(k=930.0), ["push", "shake"], MEASURES, np.linspace(0.5, 12, 400))
    data = {
        "frequency_hz": bench.frequency_hz,
        "response": noisy(bench.values, rng),
        "outputs": MEASURES,
        "inputs": ["a", "b"],
    }
    found = eb.identify(data)
    fit = eb.update(chain(), {"k": {"from": 500, "to": 2000, "start": 1000}}, found)
    assert fit["k"] == pytest.approx(930.0, rel=5e-4)
    assert fit.mac_after is not None
    assert fit.mac_after.min() > 0.999
    part = found.at({"x0": "x0", "x3": "x3"}, modes=[1, 2, 3])
    assert eb.update(chain(), {"k": {"from": 500, "to": 2000}}, part)["k"] == pytest.approx(930.0, rel=5e-4)
    with pytest.raises(eb.InputError, match='no output "z"'):
        found.at({"x0": "z"})


@pytest.mark.parametrize(("more", "said"), [
    ({"inputs": "pusch"}, "push"), ({"outputs": ["q"]}, 'no signal "q"'), ({"order": 2}, "too few"),
    ({"band_hz": (5, 2)}, "rising"), ({"band_hz": (900, 1000)}, "reach"),
    ({"inputs": ["push", "x0"]}, "nothing answers"),
])  # fmt: skip
def test_what_cannot_be_asked_is_said(more: dict[str, Any], said: str) -> None:
    rng = np.random.default_rng(0)
    data = {"t": 0.1 * np.arange(300), "push": rng.normal(size=300), "x0": rng.normal(size=300)}
    with pytest.raises(eb.InputError, match=said):
        eb.identify(data, **more)


@pytest.mark.parametrize(("content", "said"), [
    ("t,a\n0,1\n1,x\n", "no table of numbers"), ("time\n1\n", "as long as the titles"), ("a,b\n1,2\n", "first column"),
    ("t,a\n0,1\n0,2\n", "do not rise"), ("t,a\n0,nan\n1,2\n", "no numbers"),
    ("frequency_hz,a\n0,1\n1,2\n", "real and imag"),
    ("t,a\n" + "".join(f"{k * k},{k % 7}\n" for k in range(200)), "not even"), ("", "no table"),
    ("t,a\n0,1\n1,2\n", "too few"), ("t,a\n" + "".join(f"{k},1\n" for k in range(200)), "does not move"),
])  # fmt: skip
def test_what_is_wrong_with_a_table_is_said(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(eb.InputError, match=said):
        eb.identify(tmp_path / "a.csv")


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"no archive")
    np.savez(tmp_path / "b.npz", a=np.zeros(3))
    for name, said in (
        ("a.npz", "no file of arrays"),
        ("b.npz", "neither"),
        ("c.xls", "ending"),
        ("d.csv", "no such file"),
    ):
        with pytest.raises(eb.InputError, match=said):
            eb.identify(tmp_path / name)
    with pytest.raises(eb.InputError, match="no measured data"):
        eb.identify(truth())


def test_noise_alone_has_no_modes() -> None:
    rng = np.random.default_rng(8)
    with pytest.raises(eb.ComputationError, match="No mode was found"):
        eb.identify({"t": 0.01 * np.arange(3000), "a": rng.normal(size=3000), "b": rng.normal(size=3000)}, order=20)
