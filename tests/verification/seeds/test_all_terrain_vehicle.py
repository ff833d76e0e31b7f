"""The all-terrain vehicle of the gallery with its flexible frame: against its full matrices, against equations written
out independently, and against the same vehicle with a rigid frame."""

from __future__ import annotations

import math
import re
import runpy
from collections import Counter
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import yaml

import eigenbody as eb
from vehicle_reference import Frame, Vehicle

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81
FRAME = EXAMPLES / "data" / "atv_frame.npz"
SCRIPT = str(Path(__file__).parents[3] / "scripts" / "make_atv_frame.py")
ALL = 10**6  # modes
UNLOADED = {"g": 0, "pf": 0, "pr": 0}  # the drawing is in equilibrium


def vehicle(file: Path = FRAME, modes: int = 26, is_damped: bool = True, **parameters: float) -> eb.Model:
    """The vehicle with another frame, with or without all its damping."""
    document = deepcopy(eb.load(EXAMPLES / "all_terrain_vehicle.yaml").document)
    document["flexible"]["frame"].update(file=str(file), modes=modes)
    if not is_damped:
        document["flexible"]["frame"]["damping"] = 0
        for force in document["forces"].values():
            force.pop("c")
    return eb.load(document, **parameters)


def vehicle_with_rigid_frame(**parameters: float) -> eb.Model:
    """All that hangs on the frame hangs on a rigid body of the same mass properties."""
    frame, text = Frame(FRAME), (EXAMPLES / "all_terrain_vehicle.yaml").read_text()
    document = yaml.safe_load(re.sub(r"frame\.\w+", "frame", text))
    document.pop("flexible")
    document["bodies"]["frame"] = {"mass": frame.mass, "inertia": frame.inertia.tolist(), "at": frame.centre.tolist()}
    return eb.load(document, **parameters)


def stiffened(folder: Path, factor: float) -> Path:
    with np.load(FRAME) as held:
        np.savez(folder / "stiff.npz", **{**held, "K": factor * held["K"]})
    return folder / "stiff.npz"


def coarse_frame(folder: Path) -> Path:
    """One element to a tube."""
    made = runpy.run_path(SCRIPT)
    made["save"](made["frame"](longest=1.0), folder / "coarse.npz")
    return folder / "coarse.npz"


def hz_of(model: eb.Model) -> np.ndarray:
    return np.sort(np.abs(eb.modes(model).eigenvalues)) / (2 * math.pi)


def test_vehicle_has_the_parts_of_the_paper() -> None:
    """Negrut & Ortiz (2006): 28 rigid bodies (with the ground) and a flexible one, 140 modal coordinates, 132 freedoms.

    Their 314 coordinates are six of 29 bodies and the modal ones. Their Table 5 has no counterpart: no numbers are
    given. 24 of the rows are redundant where the frame is rigid.
    """
    model = eb.load(EXAMPLES / "all_terrain_vehicle.yaml")
    joints = model.document["joints"].values()
    types = Counter(j["type"] for j in joints)
    motions = sum("motion" in j for j in joints)
    assert len(model.document["bodies"]) + 1 == 28
    assert motions == 5
    assert types == {
        "cylindrical": 1, "revolute": 3, "spherical": 21, "prismatic": 7, "universal": 4, "fixed": 6, "inline": 1,
    }  # fmt: skip
    rows = {"cylindrical": 4, "revolute": 5, "spherical": 3, "prismatic": 5, "universal": 4, "fixed": 6, "inline": 2}
    held = sum(count * rows[name] for name, count in types.items()) + motions
    (frame,) = model.description.flexible
    assert 6 * 29 + frame.reduced.modes == 314
    found = eb.modes(model)
    assert not found.certificate.redundant
    assert found.dof == 6 * 28 + 140 - held == 132
    rigid = eb.modes(vehicle_with_rigid_frame())
    assert (rigid.dof, len(rigid.certificate.redundant)) == (16, 24)
    assert [found.frequency_hz[0], rigid.frequency_hz[0]] == pytest.approx([1.263, 1.333], abs=1e-3)  # the rider nods


def test_frame_is_what_its_script_makes() -> None:
    made = runpy.run_path(SCRIPT)["frame"]()
    frame = Frame(FRAME)
    assert tuple(frame.names) == made.names
    assert frame.nodes == pytest.approx(made.nodes, abs=1e-14)
    for given, again in ((frame.M, made.M), (frame.K, made.K)):
        assert np.abs(given - again).max() < 1e-12 * np.abs(given).max()
    assert FRAME.stat().st_size < 200_000


def test_free_frame_has_the_frequencies_of_its_full_matrices(tmp_path: Path) -> None:
    """594 freedoms by scipy against 140 and more modal coordinates, and against all of a coarse frame."""
    full = Frame(FRAME)
    assert 20 < full.free_hz[0] < 60
    for modes, largest in ((26, 5e-4), (120, 5e-5)):
        (frame,) = vehicle(modes=modes).description.flexible
        error = frame.reduced.frequencies[:5] / (2 * math.pi * full.free_hz[:5]) - 1
        assert 0 < error.min() <= error.max() < largest  # from above
    coarse = coarse_frame(tmp_path)
    (frame,) = vehicle(coarse, ALL).description.flexible
    assert frame.reduced.frequencies / (2 * math.pi) == pytest.approx(Frame(coarse).free_hz, rel=1e-9)


def test_frame_weighs_what_its_matrices_weigh() -> None:
    (frame,) = eb.load(EXAMPLES / "all_terrain_vehicle.yaml").description.flexible
    full, reduced = Frame(FRAME), frame.reduced
    assert full.mass == pytest.approx(32, rel=1e-3)
    assert reduced.mass == pytest.approx(full.mass, rel=1e-12)
    assert reduced.centre == pytest.approx(full.centre, abs=1e-12)
    np.testing.assert_allclose(reduced.J0, full.inertia, atol=1e-11)


def test_vehicle_by_matrices_written_out(tmp_path: Path) -> None:
    """Nothing left out of a frame of one element to a tube: every frequency of the vehicle is that of the matrices."""
    coarse = coarse_frame(tmp_path)
    model = vehicle(coarse, ALL, is_damped=False, **UNLOADED)
    expected = Vehicle(model.document, model.parameters, Frame(coarse)).hz
    assert len(expected) == eb.modes(model).dof
    assert hz_of(model) == pytest.approx(expected, rel=1e-7)


def test_frequencies_converge_with_the_modes_of_the_frame() -> None:
    """From above, to those of the vehicle with all 594 freedoms of the frame."""
    model = vehicle(is_damped=False, **UNLOADED)
    expected = Vehicle(model.document, model.parameters, Frame(FRAME)).hz
    below = expected[expected < 100]
    errors = []
    for modes in (0, 8, 26):
        error = hz_of(vehicle(modes=modes, is_damped=False, **UNLOADED))[: len(below)] / below - 1
        assert error.min() > -1e-8
        errors.append([error[:16].max(), error[below < 50].max(), error.max()])
    limits = [[6e-4, 0.07, 0.26], [8e-6, 4e-4, 1.5e-3], [4e-6, 7e-5, 5e-4]]  # first 16, below 50 Hz, below 100 Hz
    assert (np.array(errors) < limits).all()


def test_stiff_frame_becomes_rigid(tmp_path: Path) -> None:
    """The frequencies approach those of a rigid frame with the inverse of its stiffness."""
    rigid = eb.modes(vehicle_with_rigid_frame(**UNLOADED)).eigenvalues
    distance = {}
    for factor in (1e4, 1e6):
        found = eb.modes(vehicle(stiffened(tmp_path, factor), **UNLOADED)).eigenvalues[: len(rigid)]
        distance[factor] = np.abs(found / rigid - 1)
    assert distance[1e6].max() < 1e-7
    assert distance[1e4].max() / distance[1e6].max() == pytest.approx(100, rel=0.01)


def test_vehicle_with_rigid_frame_by_relative_coordinates() -> None:
    model = vehicle_with_rigid_frame()
    lifted = {item.name: item.value for item in eb.reactions(eb.operating_point(model)).generalized}
    assert lifted["front_post_left"] == pytest.approx(lifted["front_post_right"], rel=1e-9)
    found = eb.verify(model, ["relative"])
    assert found.verdict == "agree"
    assert found["relative"].match.largest < 1e-9


@pytest.mark.slow
def test_differences_of_the_vehicle_with_rigid_frame() -> None:
    assert eb.verify(vehicle_with_rigid_frame(), ["difference"]).verdict == "agree"


def test_vehicle_stands_on_its_posts() -> None:
    """Forces of the posts: the weight of everything, its moments, and each tyre by its law.

    Left and right differ by 2e-6: the frame narrows by half a micrometre between the pivots of the swing arm, of which
    the left one alone holds it sideways. Both sides are the same where the frame is rigid.
    """
    model = eb.load(EXAMPLES / "all_terrain_vehicle.yaml")
    point = eb.operating_point(model)
    mass = {name: float(body["mass"]) for name, body in model.document["bodies"].items()} | {"frame": Frame(FRAME).mass}
    place = {name: (point.state.r[k], point.state.R[k]) for name in mass for k in [point.system.places.index[name]]}
    weight = sum(mass.values()) * G
    reactions = eb.reactions(point)
    lifted = {item.name: item.value for item in reactions.generalized if "post" in item.name}
    assert sum(lifted.values()) == pytest.approx(weight, rel=1e-9)
    assert lifted["front_post_left"] == pytest.approx(lifted["front_post_right"], rel=3e-6)
    roll = -G * sum(m * place[name][0][1] for name, m in mass.items())
    pitch = G * sum(m * place[name][0][0] for name, m in mass.items())
    for post, up in lifted.items():
        along = reactions[post]
        x, y, z = along.point
        roll += y * up - z * along.force[1] + along.moment[0]
        pitch += z * along.force[0] - x * up + along.moment[1]
    assert [roll, pitch] == pytest.approx([0, 0], abs=1e-9 * weight)
    for post, up in lifted.items():
        tyre = model.document["forces"][post.replace("post", "tyre")]
        pad, wheel = tyre["between"]
        r, R = place[wheel]
        contact = r + R @ (np.array(tyre["at"]) - model.document["bodies"][wheel]["at"])
        assert up == pytest.approx(mass[pad] * G - 70e3 * contact[2], rel=1e-9)


def test_shock_that_spins() -> None:
    """The rear shock turns about itself between two ball joints against its rubber alone: k over its inertia."""
    along = np.array([0.18, 0, 0.28]) / math.hypot(0.18, 0.28)
    inertia = along**2 @ np.array([6e-3 + 3e-3, 6e-3 + 3e-3, 1e-3 + 4e-4])
    found = eb.modes(eb.load(EXAMPLES / "all_terrain_vehicle.yaml"))
    assert np.abs(np.abs(found.eigenvalues) - math.sqrt(30 / inertia)).min() < 2e-3 * math.sqrt(30 / inertia)
