"""Robots read from URDF against Newton-Euler equations of the same XML written apart (tests/support/robots.py)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.exchange.model_file import with_parameters
from robots import Reference

EXAMPLES = Path(__file__).parents[3] / "examples"
ARM = EXAMPLES / "six_axis_arm.urdf"

BRANCHED = """<robot name="branched">
  <link name="trunk"><inertial><origin xyz="0.01 0.02 0.1" rpy="0.3 -0.2 0.5"/><mass value="7"/>
    <inertia ixx="0.2" ixy="0.01" ixz="0.02" iyy="0.3" iyz="-0.01" izz="0.25"/></inertial></link>
  <link name="slide"><inertial><origin xyz="0.1 0 0.05"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04"/></inertial></link>
  <link name="virtual"/>
  <link name="hand"><inertial><origin xyz="0 0.1 0.02" rpy="1 2 3"/><mass value="1.1"/>
    <inertia ixx="0.01" ixy="0.001" iyy="0.02" izz="0.015"/></inertial></link>
  <link name="pad"><inertial><origin xyz="0.02 0 0"/><mass value="0.4"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial></link>
  <link name="tail"><inertial><mass value="0.8"/><inertia ixx="0.01" iyy="0.012" izz="0.009"/></inertial></link>
  <joint name="lift" type="prismatic"><parent link="trunk"/><child link="slide"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.2 0.4 -0.3"/><axis xyz="1 2 -1"/><dynamics damping="3"/></joint>
  <joint name="roll" type="continuous"><parent link="slide"/><child link="virtual"/>
    <origin xyz="0.2 0 0.1" rpy="0.1 0.1 2.4"/><axis xyz="0 1 0"/></joint>
  <joint name="pitch" type="revolute"><parent link="virtual"/><child link="hand"/>
    <origin rpy="0 0 3.0"/><axis xyz="1 0 0.2"/><limit effort="1" velocity="1"/><dynamics damping="0.4"/></joint>
  <joint name="glue" type="fixed"><parent link="hand"/><child link="pad"/><origin xyz="0 0.2 0" rpy="0 0.5 0"/></joint>
  <joint name="wag" type="revolute"><parent link="trunk"/><child link="tail"/>
    <origin xyz="-0.3 0 0"/><limit effort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture(params=["arm", "branched"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "arm":
        return ARM
    path = tmp_path / "branched.urdf"
    path.write_text(BRANCHED)
    return path


def posed(path: Path, q: dict[str, float], rate: dict[str, float], base: str = "fixed") -> eb.Model:
    document = eb.load(path, base=base).document
    for name, value in q.items():
        document["joints"][name] |= {"position": value, "velocity": rate[name]}
    coordinates = [f"base.{c}" for c in ("x", "y", "z", "rx", "ry", "rz")] if base == "free" else []
    return eb.Model(document).set(coordinates=[*coordinates, *q])


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_fixed_base_at_random_poses_with_rates(path: Path, seed: int) -> None:
    """M, C, K in the coordinates, signs and zeros of the file."""
    reference, rng = Reference(path), np.random.default_rng(seed)
    q, rate = rng.uniform(-1.2, 1.2, (2, len(reference.names))) * (seed > 0)
    model = posed(path, dict(zip(reference.names, q, strict=True)), dict(zip(reference.names, rate, strict=True)))
    linear = eb.linearize(model)
    M, C, K = reference.linear(q, rate)
    assert linear.coordinates == tuple(reference.names)
    close(linear.M, M)
    close(linear.C, C)
    close(linear.K, K)


def test_free_base(path: Path) -> None:
    """The mass matrix with the six coordinates of the root link before those of the joints."""
    reference = Reference(path)
    q = np.random.default_rng(5).uniform(-1.2, 1.2, len(reference.names))
    model = posed(path, dict(zip(reference.names, q, strict=True)), dict.fromkeys(reference.names, 0.0), "free")
    close(eb.linearize(model).M, reference.free_mass(q))


def test_free_base_in_motion_by_another_route(path: Path) -> None:
    """Kane's equations and differences agree with the engine on a robot that floats, its joints and base moving."""
    names = Reference(path).names
    rng = np.random.default_rng(8)
    values = [dict(zip(names, rng.uniform(-1, 1, len(names)), strict=True)) for _ in range(2)]
    document = posed(path, *values, "free").document
    document["joints"]["base"]["velocity"] = [0.3, -0.2, 0.1, 0.4, 0.5, -0.6]
    found = eb.verify(eb.Model(document))
    assert found.verdict == "agree", found


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_to_a_model_file_and_back(path: Path, base: str, tmp_path: Path) -> None:
    """URDF to YAML is the same model, number by number; YAML to URDF gives the same M, C, K and names."""
    read = eb.load(path, base=base)
    written = eb.load(eb.convert(read, tmp_path / "robot.yaml"))
    assert written.document == with_parameters(read.document)
    again = eb.load(eb.convert(written, tmp_path / "again.urdf"))
    assert [*again.document["joints"]] == [*read.document["joints"]]
    assert {*again.document["bodies"]} == {*read.document["bodies"]}
    rng = np.random.default_rng(11)
    names = Reference(path).names
    values = [dict(zip(names, rng.uniform(-1, 1, len(names)), strict=True)) for _ in range(2)]
    coordinates = [*([f"base.{c}" for c in ("x", "y", "z", "rx", "ry", "rz")] if base == "free" else []), *names]
    matrices = []
    for model in (read, written, again):
        document = model.document
        for name in names:
            document["joints"][name] |= {"position": values[0][name], "velocity": values[1][name]}
        linear = eb.linearize(eb.Model(document).set(coordinates=coordinates))
        matrices.append((linear.M, linear.C, linear.K))
    for a, b, c in zip(*matrices, strict=True):
        np.testing.assert_array_equal(b, a)
        np.testing.assert_allclose(c, a, rtol=1e-11, atol=1e-12 * np.abs(a).max())


def test_repeated_numbers_of_a_converted_file_are_parameters(tmp_path: Path) -> None:
    """A damping that several joints have is named once; the equations are the same, number by number, and the file goes
    back to URDF."""
    arm = eb.load(EXAMPLES / "six_axis_arm.urdf")
    path = eb.convert(arm, tmp_path / "arm.yaml")
    again = eb.load(path)
    assert again.document["parameters"] == {"damping": 1.8}
    assert again.document["forces"]["waist_damping"]["c"] == "=damping"
    assert again.document["forces"]["elbow_damping"]["c"] == 1.1
    back = eb.load(eb.convert(again, tmp_path / "arm.urdf"))
    wanted = eb.linearize(arm)
    for model in (again, back):
        found = eb.linearize(model)
        for name in "MCK":
            scale = np.abs(getattr(wanted, name)).max()
            np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-12 * scale)
