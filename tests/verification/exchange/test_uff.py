"""Universal files: read back to every digit that the format holds, by pyuff too, and used to compare and to update."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyuff

import eigenbody as eb
from eigenbody.exchange.uff import read_uff

CAR = "examples/half_car.yaml"
FOUR_BAR = "examples/four_bar_with_spring.yaml"
ROUNDED = 5.1e-6  # half a unit of the last of six digits


def three(k: float = 100.0) -> dict[str, Any]:
    """A chain of three masses along x."""
    slide = {"type": "prismatic", "axis": [1, 0, 0]}
    return {
        "eigenbody": 1, "name": "three masses", "parameters": {"k1": k, "k2": 150.0, "k3": 200.0},
        "bodies": {f"m{i}": {"mass": 1.0 + 0.2 * i, "at": [float(i), 0, 0]} for i in (1, 2, 3)},
        "joints": {f"s{i}": {**slide, "between": ["ground", f"m{i}"], "at": [float(i), 0, 0]} for i in (1, 2, 3)},
        "measures": {"d2": {"type": "displacement", "between": ["m1", "m2"], "axis": [1, 0, 0]},
                     "d3": {"type": "displacement", "between": ["m2", "m3"], "axis": [1, 0, 0]}},
        "forces": {"f1": {"type": "spring", "along": "s1", "k": "=k1", "c": 0.1},
                   "f2": {"type": "spring", "along": "d2", "k": "=k2", "c": 0.1, "free": 1},
                   "f3": {"type": "spring", "along": "d3", "k": "=k3", "c": 0.1, "free": 1}},
        "inputs": {"push": {"along": "s1"}}, "outputs": {"y": {"measure": "s3"}, "z": {"measure": "s1"}},
    }  # fmt: skip


@pytest.mark.parametrize("model", [CAR, FOUR_BAR, "examples/flexible_slider_crank.yaml"])
def test_modes_come_back_to_the_digits_of_the_format(model: str, tmp_path: Path) -> None:
    """Written, read, written again: the same bytes. Eigenvalues and shapes to six digits."""
    modes = eb.modes(model)
    modes.write(tmp_path / "a.uff")
    found = eb.measured_modes(tmp_path / "a.uff")
    found.write(tmp_path / "b.unv")
    assert (tmp_path / "a.uff").read_bytes() == (tmp_path / "b.unv").read_bytes()
    for ours, theirs in (
        (found.eigenvalues.real, modes.eigenvalues.real),
        (found.eigenvalues.imag, modes.eigenvalues.imag),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=ROUNDED)
    assert found.name == modes.linear.point.model.name
    assert {name for name, _ in found.traces} <= set(modes.linear.point.system.description.bodies.names)


def test_pyuff_reads_what_the_format_says(tmp_path: Path) -> None:
    """Nodes of bodies are at their centres and where they are held; they move as rigid bodies do."""
    modes = eb.modes(FOUR_BAR)
    modes.write(tmp_path / "a.uff")
    sets = pyuff.UFF(str(tmp_path / "a.uff")).read_sets()
    kinds = [one["type"] for one in sets]
    assert kinds == [164, 15, *[82] * len(modes.bodies), *[55] * len(modes)]
    nodes, first = sets[1], sets[-len(modes)]
    point = modes.linear.point
    place = dict(zip(map(int, nodes["node_nums"]), zip(nodes["x"], nodes["y"], nodes["z"], strict=True), strict=True))
    for k, name in enumerate(modes.bodies):
        i = point.system.description.bodies.names.index(name)
        np.testing.assert_allclose(place[1000 * (k + 1)], np.real(point.state.r)[i], rtol=ROUNDED, atol=1e-12)
        own = [j for j, number in enumerate(first["node_nums"]) if number // 1000 == k + 1]
        assert len(own) > 1
        for j in own:
            arm = np.array(place[int(first["node_nums"][j])]) - place[1000 * (k + 1)]
            expected = modes.motion[0, i, :3] + np.cross(modes.motion[0, i, 3:], arm)
            shown = [first[key][j] for key in ("r1", "r2", "r3")]
            np.testing.assert_allclose(shown, expected, atol=2e-5 * np.abs(modes.motion[0]).max())


@pytest.mark.parametrize("hz", [np.linspace(0.5, 5, 40), np.geomspace(0.1, 7.3, 33)])
def test_frequency_responses_come_back_bit_by_bit(hz: np.ndarray, tmp_path: Path) -> None:
    response = eb.frf(three(), ["push", "s2"], ["y", "z"], hz)
    response.write(tmp_path / "a.uff")
    _, (found,) = read_uff(tmp_path / "a.uff")
    np.testing.assert_array_equal(found.x, response.frequency_hz)
    for k, (output, input_) in enumerate(zip(found.responses, found.references, strict=True)):
        np.testing.assert_array_equal(found.values[:, k], response.entry(output, input_))
    assert set(zip(found.responses, found.references, strict=True)) == {(y, u) for y in "yz" for u in ("push", "s2")}
    theirs = [one for one in pyuff.UFF(str(tmp_path / "a.uff")).read_sets() if one["type"] == 58]
    assert all(one["n_bytes"] == 24 * len(hz) for one in theirs)  # pyuff itself writes another number


def test_histories_come_back_bit_by_bit(tmp_path: Path) -> None:
    response = eb.response(three(), eb.StepInput({"push": 1.0}), times=(1.0, 67))
    response.write(tmp_path / "a.unv")
    _, (found,) = read_uff(tmp_path / "a.unv")
    assert found.responses == ("push", "y", "z")
    np.testing.assert_array_equal(found.x, response.times)
    np.testing.assert_array_equal(found.values[:, 1:], response.outputs)
    with pytest.raises(eb.InputError, match="no modes"):
        eb.measured_modes(tmp_path / "a.unv")


def test_files_of_other_programs_are_read(tmp_path: Path) -> None:
    """Real normal modes with damping ratios, three directions of which two were measured, as pyuff writes them."""
    model = three()
    modes = eb.modes(model)
    file = pyuff.UFF(str(tmp_path / "test.uff"))
    common = {"node_nums": np.array([11, 12, 13]), "r2": np.zeros(3), "r3": np.zeros(3)}
    file.write_sets({"type": 15, "x": [1.0, 2.0, 3.0], "y": [0.0] * 3, "z": [0.0] * 3, **common}, mode="overwrite")
    for k, hz in enumerate(modes.frequency_hz):
        file.write_sets({
            "type": 55, "model_type": 1, "id1": "bench", "id2": "NONE", "id3": "NONE", "id4": "NONE", "id5": "NONE",
            "analysis_type": 2, "data_ch": 2, "spec_data_type": 8, "data_type": 2, "n_data_per_node": 3,
            "r1": modes.motion[k, :, 0].real, "load_case": 0, "mode_n": k + 1, "freq": hz, "modal_m": 1.0,
            "modal_damp_vis": modes.damping_ratio[k], "modal_damp_his": 0.0, **common,
        })  # fmt: skip
    test = eb.measured_modes(tmp_path / "test.uff")
    np.testing.assert_allclose(test.frequency_hz, modes.frequency_hz, rtol=ROUNDED)
    np.testing.assert_allclose(test.damping_ratio, modes.damping_ratio, rtol=2e-5)
    with pytest.raises(eb.InputError, match=r"which body these nodes are on: 11, 12, 13"):
        eb.mac(modes, test)
    with pytest.raises(eb.InputError, match=r'no body "m4"'):
        test.mac(modes, {11: "m1", 12: "m2", 13: "m4"})
    likeness = test.mac(modes, {11: "m1", 12: "m2", 13: "m3"})
    np.testing.assert_allclose(np.diag(likeness.values), 1.0, atol=1e-5)
    assert likeness.values[0, 1] < 0.5


def test_modes_of_a_file_are_compared_by_the_names_of_its_lines(tmp_path: Path) -> None:
    """A car written as a measurement, compared with itself and with one whose shapes differ."""
    modes = eb.modes(CAR)
    modes.write(tmp_path / "a.uff")
    test = eb.measured_modes(tmp_path / "a.uff")
    np.testing.assert_allclose(np.diag(eb.mac(modes, test).values), 1.0, atol=1e-8)
    other = eb.mac(eb.modes(eb.load(CAR).with_parameters(cf=100.0)), test) if "cf" in eb.load(CAR).parameters else None
    assert other is None or other.values[0, 0] < 1.0


def test_a_model_is_updated_from_a_file(tmp_path: Path) -> None:
    """The stiffness of the bench is found again, from frequencies alone and with shapes."""
    eb.modes(three(k=120.0)).write(tmp_path / "bench.uff")
    variables = {"k1": {"from": 50, "to": 300, "start": 100}}
    plain = eb.update(three(), variables, tmp_path / "bench.uff")
    assert plain["k1"] == pytest.approx(120.0, rel=2e-5)  # six digits
    shaped = {
        "file": tmp_path / "bench.uff",
        "measures": {"s1": "1000:x", "s2": "2000:x", "s3": "3000:x"},
        "modes": [1, 3],
    }
    fit = eb.update(three(), variables, shaped)
    assert fit["k1"] == pytest.approx(120.0, rel=2e-5)
    assert fit.mac_after is not None
    assert fit.mac_after.min() > 1 - 1e-8
    turned = eb.measured_modes(tmp_path / "bench.uff").at({"s1": "1000:x", "s2": "2000:-x"})
    assert eb.update(three(), variables, turned).mac_after.min() < 0.9  # type: ignore[union-attr]


@pytest.mark.parametrize(("place", "said"), [("7:x", "node 7 was not measured"), ("1000:q", "no place"),
                                             ("1000:rx", "no rotations")])  # fmt: skip
def test_places_that_were_not_measured_are_named(place: str, said: str, tmp_path: Path) -> None:
    eb.modes(three()).write(tmp_path / "a.uff")
    with pytest.raises(eb.InputError, match=said):
        eb.update(three(), {"k1": {"from": 1, "to": 9}}, {"file": tmp_path / "a.uff", "measures": {"s1": place}})


@pytest.mark.parametrize("text", [b"", b"no universal file\n", b"    -1\n    55\nNONE\n    -1\n", b"\xff\xfe\x00" * 50])
def test_what_is_no_universal_file_is_refused(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.uff").write_bytes(text)
    with pytest.raises(eb.InputError, match=r"a\.uff"):
        eb.measured_modes(tmp_path / "a.uff")
    with pytest.raises(eb.InputError, match="no such file"):
        eb.measured_modes(tmp_path / "b.uff")
