"""Flexible bodies as a user sees them: in tables, documents, notes and pictures, without what holds them together."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.check import check
from eigenbody.analyses.drawing.scene import scene_of
from eigenbody.analyses.report.build import Wanted, build
from eigenbody.analyses.report.motions import motion_document, scales
from eigenbody.base.errors import InputError
from eigenbody.structures.beam import BeamStations, beam_structure

STEEL = {"E": 210e9, "density": 7850}
RUBBER = {"E": 1e9, "density": 1000}
INTERNAL = ("rod.modes", ".seam", ' joint"', ".s2.start", ".s1.end")


def clamped(joint: str = "fixed", **beam: Any) -> Any:
    """A cantilever along x, 1 x 0.1 x 0.05 m, 5 kg, that sags."""
    rod = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], **RUBBER, "width": 0.1, "height": 0.05, "elements": 12}
    return eb.load(
        {
            "eigenbody": 1,
            "name": "cantilever",
            "gravity": [0, 0, -9.81],
            "operating_point": {"type": "equilibrium"},
            "flexible": {"rod": {**rod, "modes": 4, **beam}},
            "joints": {"clamp": {"type": joint, "between": ["ground", "rod.start"], "at": [0, 0, 0]}},
            "outputs": {"tip": {"measure": "rod.end.z"}},
        }
    )


def blade(speed: float = 6.0, **beam: Any) -> Any:
    """A blade with EI = m = L = 1 on a hub that turns about z."""
    section = {"E": 1.0, "G": 1.0, "area": 1e7, "Iy": 1.0, "Iz": 300.0, "J": 1e4, "mass_per_length": 1.0}
    return eb.load(
        {
            "eigenbody": 1,
            "operating_point": {"type": "steady"},
            "parameters": {"speed": speed},
            "bodies": {"hub": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
            "flexible": {
                "blade": {
                    "type": "beam", "points": [[0, 0, 0], [1, 0, 0]], **section, "shear": False, "jx": 1e-7, "jy": 0.0,
                    "jz": 0.0, "elements": 12, **beam,
                }
            },
            "joints": {
                "spin": {"type": "revolute", "between": ["ground", "hub"], "at": [0, 0, 0], "axis": [0, 0, 1],
                         "motion": "=speed*t"},
                "root": {"type": "fixed", "between": ["hub", "blade.start"], "at": [0, 0, 0]},
            },
        }
    )  # fmt: skip


FORMS = pytest.mark.parametrize(
    "form", [{}, {"sections": 3, "modes": 1}, {"segments": 6}], ids=["one", "three", "chain"]
)


# ---- tables and documents


@FORMS
def test_nothing_internal_is_shown(form: dict[str, Any]) -> None:
    model = clamped(**form)
    point, modes, found = eb.operating_point(model), eb.modes(model), eb.equilibrium(model)
    shown = [
        str(check(model)), json.dumps(check(model).document()), str(modes), json.dumps(modes.as_dict()),
        str(modes.explain()), json.dumps(modes.explain().as_dict()), str(eb.reactions(point)),
        json.dumps(eb.reactions(point).as_dict()), str(found), json.dumps(found.as_dict()),
        str(eb.impulse(point, {"body": "rod.end", "impulse": [0, 0, 1]})), build(model, Wanted(n=3)).html(),
    ]  # fmt: skip
    for text in shown:
        assert not [part for part in INTERNAL if part in text]


@FORMS
def test_check_counts_modes_and_rows(form: dict[str, Any]) -> None:
    found = check(clamped(**form))
    assert found.gruebler == found.dof == found.body_coordinates - found.rows
    assert [joint.name for joint in found.joints] == ["clamp"]
    assert sum(body.coordinates for body in found.bodies) == found.body_coordinates
    assert sum(body.mass for body in found.bodies) == pytest.approx(5.0, rel=1e-9)


def test_check_tells_the_frequencies_of_the_free_body() -> None:
    """First bending of a free beam: (4.730 / L)^2 sqrt(EI / m) without shear, rotary inertia a little less."""
    document = check(clamped(shear=False, modes=8)).document()
    entry = document["bodies"][0]
    bending = 4.730040745**2 * np.sqrt(1e9 * 0.05**2 / 12 / 1000) / (2 * np.pi)
    assert entry["frequency_hz"][0] == pytest.approx(bending, rel=5e-3)
    assert len(entry["frequency_hz"]) + 6 == entry["coordinates"]


def test_reactions_are_those_of_the_users_joints() -> None:
    for form in ({}, {"sections": 3, "modes": 1}):
        found = eb.reactions(eb.operating_point(clamped(**form)))
        assert found.joints == ("clamp",)
        assert found.force.shape == found.moment.shape == found.point.shape == (1, 3)
        assert found["clamp"].force == pytest.approx([0, 0, 5 * 9.81], abs=1e-6)
        assert not found.loads


def test_a_simulation_shows_nodes_and_no_modal_coordinates() -> None:
    found = eb.simulate(clamped("revolute"), until=0.002, outputs=None)
    assert "rod.end.z" in found.outputs
    assert not [name for name in found.outputs if ".q" in name]
    assert not [name for name in found.names if ".modes" in name]


def test_names_of_modal_coordinates_are_no_bodies() -> None:
    with pytest.raises(InputError, match="no body or marker"):
        eb.impulse(eb.operating_point(clamped()), {"body": "rod.modes1", "impulse": [0, 0, 1]})


# ---- energies and labels


@FORMS
def test_kinetic_shares_sum_to_one_and_labels_say_how_it_bends(form: dict[str, Any]) -> None:
    found = eb.modes(clamped(**form)).explain()
    assert np.allclose(found.kinetic.sum(axis=(1, 2)) + found.deformation.sum(axis=1), 1, atol=1e-9)
    assert "rod.elastic" in found.strain_sources
    assert found.labels[:4] == ("rod bending z", "rod bending y", "rod bending z", "rod bending y")
    assert "rod twisting about x" in found.labels
    assert "rod stretching x" in found.labels


def test_strain_and_loss_close_in_motion() -> None:
    """mean_strain against the reduced stiffness; a = -P / (2 (T + V)) with T of the reduced mass matrix."""
    for form in ({"modes": 5}, {"sections": 3, "modes": 1}):
        modes = eb.modes(blade(damping=0.01, **form))
        found, linear = modes.explain(), modes.linear
        S = modes.states_shape[:, : len(linear.coordinates)]
        stiffness, mass = ((S.conj() * (S @ matrix.T)).sum(axis=1).real / 4 for matrix in (linear.K, linear.M))
        assert found.mean_strain == pytest.approx(stiffness, rel=1e-9)
        kinetic = np.abs(modes.eigenvalues) ** 2 * mass
        real = -found.mean_power / (2 * (kinetic + stiffness))
        assert real == pytest.approx(modes.eigenvalues.real, rel=1e-8)


def test_mac_by_mass_knows_the_deformation() -> None:
    """Modes of an undamped structure are orthogonal by mass; those of a free beam move no mean axes at all."""
    for model in (clamped(), clamped(sections=2, modes=2)):
        assert eb.mac(eb.modes(model)).values == pytest.approx(np.eye(eb.modes(model).dof), abs=1e-9)


def test_node_shapes_fit_the_nodes_that_are_bodies() -> None:
    modes = eb.modes(clamped(sections=3, modes=1))
    nodes, index = modes.deformations, modes.linear.point.system.places.index
    tip = nodes.bodies.index("rod.s3") + list(nodes.names[nodes.bodies.index("rod.s3") :]).index("2")
    assert nodes.move[:, tip] == pytest.approx(modes.motion[:, index["rod.end"], :3], abs=1e-9)
    entry = modes.as_dict()["modes"][0]["nodes"]["rod.s3"]["2"]
    assert entry["real"] == pytest.approx(nodes.move[0, tip].real.tolist())


def test_a_sweep_follows_and_names_what_bends() -> None:
    found = eb.sweep(blade(modes=5, spin=["=0", "=0", "=speed"]), "speed", np.linspace(1, 6, 4))
    assert set(found.labels) == {"blade bending z", "blade bending y"}


# ---- load that stiffens


def test_the_certificate_names_a_body_that_is_not_stiffened(tmp_path: Path) -> None:
    """A body from matrices has displacements of first order only."""
    unit = {"E": 1.0, "G": 1.0, "A": 1e7, "Iy": 1.0, "Iz": 300.0, "J": 1e4, "m": 1.0, "jx": 1e-7, "jy": 0.0, "jz": 0.0}
    mesh = beam_structure(BeamStations([[0, 0, 0], [1, 0, 0]], **unit), 8, ["root", "tip"], inside=False)
    np.savez(tmp_path / "blade.npz", M=mesh.M, K=mesh.K, nodes=mesh.nodes, names=np.array(mesh.names))
    document = blade().document
    document["flexible"] = {"blade": {"type": "matrices", "file": str(tmp_path / "blade.npz"), "modes": 5}}
    document["joints"]["root"]["between"] = ["hub", "blade.root"]
    found = eb.modes(eb.load(document))
    assert len(found.certificate.notes) == 1
    assert "flexible.blade: it turns at 6 rad/s and carries 18 N as one body" in found.certificate.notes[0]
    assert found.notes[-1] == found.certificate.notes[0] == found.as_dict()["certificate"]["notes"][0]


@pytest.mark.parametrize("model", [
    blade(sections=3, modes=1), blade(modes=5), blade(modes=5, spin=[0, 0, 6.0]), blade(0.05, modes=5), clamped(),
], ids=["sections", "one", "spin", "slow", "at rest"])  # fmt: skip
def test_the_certificate_is_silent_where_the_load_is_small_or_accounted_for(model: Any) -> None:
    found = eb.modes(model)
    assert not found.certificate.notes
    assert "notes" not in found.certificate.as_dict()


def test_a_shaft_that_spins_about_its_own_line_is_not_stiffened_by_it() -> None:
    shaft = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], **STEEL, "diameter": 0.03, "elements": 8, "modes": 4}
    spin = {"type": "revolute", "between": ["ground", "shaft.start"], "at": [0, 0, 0], "axis": [0, 0, 1]}
    document = {"eigenbody": 1, "operating_point": {"type": "steady"}, "flexible": {"shaft": shaft}}
    found = eb.modes(eb.load({**document, "joints": {"spin": {**spin, "motion": "=400*t"}}}))
    assert not found.certificate.notes


def test_an_axial_load_is_told() -> None:
    """A rod on a ball joint pulled at its end: a hundredth of its buckling load is the limit."""
    side = 0.02
    rod = {"type": "beam", "points": [[0, 0, 0], [0, 0, -1]], "E": 1e8, "density": 1000, "width": side, "height": side}
    euler = np.pi**2 * 1e8 * side**4 / 12
    for share, is_told in ((0.002, False), (0.05, True)):
        model = eb.load(
            {
                "eigenbody": 1,
                "flexible": {"rod": rod},
                "joints": {"ball": {"type": "spherical", "between": ["ground", "rod.start"], "at": [0, 0, 0]}},
                "forces": {"pull": {"type": "force", "body": "rod.end", "value": [0, 0, -share * euler]}},
            }
        )
        notes = eb.modes(model).certificate.notes
        assert bool(notes) == is_told
        assert not is_told or f"carries {share * euler:.4g} N" in notes[0]


# ---- verification


def test_rigid_body_routes_say_why_they_do_not_apply() -> None:
    found = eb.verify(clamped())
    reasons = [result.reason for result in found.results if result.route.is_independent and not result.applies]
    assert len(reasons) == 3  # all but kane, which knows them
    assert all(reason.startswith('the flexible body "rod"') for reason in reasons)
    assert [result.applies for result in found.results if not result.route.is_independent] == [True]


# ---- drawing


@pytest.mark.parametrize("form", [{}, {"sections": 3, "modes": 1}], ids=["one", "three"])
def test_a_beam_is_drawn_as_a_line_through_its_nodes(form: dict[str, Any]) -> None:
    model = clamped(**form)
    point, modes = eb.operating_point(model), eb.modes(model)
    scene = scene_of(point)
    tip = point.system.places.index["rod.end"]
    assert scene.bent.position[0] == pytest.approx([0, 0, 0], abs=1e-12)
    assert scene.bent.position[-1] == pytest.approx(point.state.r[tip], abs=1e-12)  # where gravity has bent it to
    assert scene.bent.position[-1, 2] < -1e-3
    shapes = scene.bent.shapes(modes, 3)
    assert shapes[:, -1, :3] == pytest.approx(modes.motion[:3, tip, :3], abs=1e-9)
    assert shapes[:, -1, 3:] == pytest.approx(modes.motion[:3, tip, 3:], abs=1e-3)  # of a beam that gravity has bent
    assert np.abs(shapes[:, 0, :3]).max() < 1e-12  # clamped
    assert (np.abs(shapes[..., :3]).max(axis=(1, 2)) * scales(modes, 3, scene) <= 0.17 * scene.size).all()
    lines = scene.document()["lines"]
    assert {line["title"] for line in lines} == {"rod"}
    assert [body["label"] for body in scene.bodies if body["label"]] == ["rod"]


LINE = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "E": 70e9, "density": 2700, "elements": 2}


def sections_of(**keys: Any) -> np.ndarray:
    """Half of y and z (pieces, ends, 2, 3) of a beam along x, as drawn."""
    clamp = {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]}
    rod = LINE | {"y_axis": [0, 1, 0]} | keys
    model = eb.load({"eigenbody": 1, "flexible": {"rod": rod}, "joints": {"clamp": clamp}})
    (line,) = scene_of(eb.operating_point(model)).document()["lines"]
    return np.array(line["sections"]).reshape(-1, 2, 2, 3)


def test_a_beam_is_drawn_with_its_section() -> None:
    """A blade that tapers and twists by a right angle; a stepped shaft; an area with its moments; a corner."""
    blade = sections_of(width=[0.2, 0.15, 0.1], height=0.02, twist=[0, math.pi / 4, math.pi / 2])
    assert blade[0, 0] == pytest.approx(np.array([[0, 0.1, 0], [0, 0, 0.01]]), abs=1e-9)
    assert blade[-1, 1] == pytest.approx(np.array([[0, 0, 0.05], [0, -0.01, 0]]), abs=1e-9)
    shaft = np.linalg.norm(sections_of(diameter=[0.04, 0.05]), axis=-1)
    assert shaft[:2] == pytest.approx(0.02)
    assert shaft[2:] == pytest.approx(0.025)  # the step stays one
    panel = sections_of(area=0.004, Iy=0.2 * 0.02**3 / 12, Iz=0.02 * 0.2**3 / 12, J=1e-6)
    assert np.linalg.norm(panel, axis=-1)[0, 0] == pytest.approx([0.1, 0.01], rel=1e-4)
    corner = sections_of(points=[[0, 0, 0], [1, 0, 0], [1, 0, 1]], width=0.02, height=0.02)
    assert corner[1, 1] == pytest.approx(corner[2, 0])  # no gap
    assert corner[1, 1, 1] == pytest.approx([-0.005, 0, 0.005])


def test_a_simulated_line_follows_its_nodes() -> None:
    model = clamped("revolute")
    found = eb.simulate(eb.operating_point(model.set(operating_point={"type": "reference"})), until=0.004, points=5)
    scene = scene_of(eb.operating_point(model))
    path, turns = scene.bent.path(found, 1)
    tip = found.system.places.index["rod.end"]
    since = np.real(found.states.R[:, tip] @ eb.operating_point(model).state.R[tip].T)
    assert turns[:, -1] == pytest.approx(since, abs=1e-5)  # small rotations are drawn to first order
    assert path[:, -1] == pytest.approx(found.states.r[:, tip], abs=1e-9)
    assert path[-1, -1, 2] < path[0, -1, 2]
    assert set(motion_document(found, scene)) == {"times", "poses", "vertices"}


def test_pictures_are_drawn_deformed() -> None:
    """The first mode bends towards the tip: the line in the picture ends farther from that at rest than it begins."""
    modes = eb.modes(clamped())
    for figure in (modes.plot(), modes.explain().plot()):
        panel = next(axes for axes in figure.get_axes() if axes.get_title(loc="left").startswith("mode 1"))
        rest, bent = (np.array(line.get_xydata()) for line in panel.get_lines() if len(line.get_xydata()) == 13)
        away = np.linalg.norm(bent - rest, axis=1)
        assert away[0] < 1e-9
        assert np.all(np.diff(away) > 0)
