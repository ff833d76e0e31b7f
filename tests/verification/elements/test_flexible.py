"""Flexible bodies against closed forms, literature, and other ways to model the same thing."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigvalsh

import eigenbody as eb
from eigenbody.simulation.momentum import momentum
from eigenbody.structures.beam import beam_structure
from eigenbody.structures.beam_section import BeamStations

EXAMPLES = Path(__file__).parents[3] / "examples"
STEEL = {"E": 210e9, "nu": 0.3, "density": 7850.0}


def beam_on_ground(beam: dict, **sections: object) -> eb.Model:
    clamp = {"type": "fixed", "between": ["ground", "rod.start"], "at": beam["points"][0]}
    document = {"eigenbody": 1, "flexible": {"rod": {"type": "beam", **beam}}, "joints": {"clamp": clamp}}
    return eb.load({**document, **sections})


def rates(model: eb.Model) -> np.ndarray:
    """Circular frequencies, ascending, one per conjugate pair."""
    found = eb.modes(model).eigenvalues.imag
    return np.sort(found[found > 1e-6])


def nearest(found: np.ndarray, wanted: float) -> float:
    return float(found[np.abs(found - wanted).argmin()])


# Cantilevers ----------------------------------------------------------------------------------------------------------
def test_timoshenko_cantilever() -> None:
    """1 m x 0.1 m x 0.1 m, shear coefficient 5/6: roots of the characteristic equation of Timoshenko's beam."""
    beam = {"points": [[0, 0, 0], [1, 0, 0]], **STEEL, "width": 0.1, "height": 0.1, "elements": 80, "modes": 8}
    found = rates(beam_on_ground(beam))
    for wanted in (520.8406417227, 3121.577765398, 8210.226133092):
        assert nearest(found, wanted) == pytest.approx(wanted, rel=1e-4)


def test_sag_by_gravity() -> None:
    """w L^4 / 8 E I of a cantilever, Euler-Bernoulli, in a small deflection."""
    w, EI = 7850 * 0.01**2 * 9.81, 210e9 * 0.01**4 / 12
    beam = {"points": [[0, 0, 0], [0.5, 0, 0]], **STEEL, "width": 0.01, "height": 0.01, "shear": False, "modes": 8}
    model = beam_on_ground(
        beam, gravity=[0, 0, -9.81], operating_point="equilibrium", outputs={"tip": {"measure": "rod.end.z"}}
    )
    assert eb.operating_point(model).outputs()["tip"] == pytest.approx(-w * 0.5**4 / (8 * EI), rel=1e-4)


@pytest.mark.parametrize("sections", [1, 2, 3, 6])
def test_sag_of_stiff_sections(sections: int) -> None:
    """Joints close by moving frames, not by straining what is a million times stiffer than the load."""
    beam = {"points": [[0, 0, 0], [0.5, 0, 0]], **STEEL, "E": 210e11, "width": 0.01, "height": 0.01, "shear": False}
    model = beam_on_ground(
        {**beam, "sections": sections}, gravity=[0, 0, -9.81], operating_point="equilibrium",
        outputs={"tip": {"measure": "rod.end.z"}},
    )  # fmt: skip
    w, EI = 7850 * 0.01**2 * 9.81, 210e11 * 0.01**4 / 12
    assert eb.operating_point(model).outputs()["tip"] == pytest.approx(-w * 0.5**4 / (8 * EI), rel=1e-4)


@pytest.mark.parametrize("form", [{}, {"sections": 4}, {"segments": 40}])
def test_forms_of_a_beam_agree(form: dict) -> None:
    """One body with modes, several joined rigidly, and a chain of rigid bodies are the same cantilever."""
    beam = {"points": [[0, 0, 0], [0.2, 0, 0.1], [0.5, 0.1, 0.1]], **STEEL, "diameter": [0.02, 0.015, 0.01]}
    reference = rates(beam_on_ground({**beam, "modes": 12, "elements": 12}))
    found = rates(beam_on_ground({**beam, **form, "elements": 12, "modes": 12}))
    tolerance = 3e-3 if "segments" in form else 3e-4
    assert found[:6] == pytest.approx(reference[:6], rel=tolerance)


def test_free_body_has_six_rigid_motions() -> None:
    beam = {"points": [[0, 0, 0], [0.3, 0.1, 0.2]], **STEEL, "diameter": 0.01, "modes": 4}
    result = eb.modes(eb.load({"eigenbody": 1, "flexible": {"rod": {"type": "beam", **beam}}}))
    assert np.sum(result.eigenvalues == 0) == 12
    bar = 22.3732854481 * np.sqrt(210e9 * np.pi * 0.01**4 / 64 / (7850 * np.pi * 0.01**2 / 4)) / 0.14  # L^2 = 0.14
    assert np.sort(np.abs(result.eigenvalues.imag))[-1] > 0
    elastic = np.sort(result.eigenvalues.imag[result.eigenvalues.imag > 0])
    assert elastic[:2] == pytest.approx([bar, bar], rel=5e-3)  # shear and rotary inertia lower it a little
    assert (elastic[:2] < bar).all()


# Spinning beams: more in test_load_stiffness.py -----------------------------------------------------------------------
def blade(**parameters: float) -> np.ndarray:
    return rates(eb.load(EXAMPLES / "helicopter_blade.yaml", **parameters)) / (2 * np.pi)


@pytest.mark.parametrize(
    ("rpm", "wanted"),
    [
        (0, (11.53, 36.38, 42.44, 76.80, 102.05)),
        (660, (29.62, 55.69, 49.29, 96.52, 102.53)),
    ],
)
def test_helicopter_blade(rpm: float, wanted: tuple[float, ...]) -> None:
    """NASA TM-4760, NASTRAN: flap 1, flap 2, chord 1, flap 3, torsion 1; hub, universal joint, twenty sections."""
    found = blade(rpm=rpm)
    for value in wanted:
        assert nearest(found, value) == pytest.approx(value, rel=3e-3)


def test_helicopter_blade_fits_its_printed_chord_modes_better_without_the_spring_at_the_lag_hinge() -> None:
    """Negrut & Ortiz put 464 in lb/rad there; TM-4760 prints 42.44 Hz at rest and 49.29 Hz at 660 rpm."""
    for rpm, printed in ((0, 42.44), (660, 49.29)):
        hinge = {"forces": {"lag": {"type": "spring", "along": "hinge.angle1", "k": 464 * 0.112984829}}}
        free = eb.load(EXAMPLES / "helicopter_blade.yaml", rpm=rpm)
        with_spring = nearest(rates(free.set(**hinge)) / (2 * np.pi), printed)
        assert abs(nearest(rates(free) / (2 * np.pi), printed) - printed) < 0.05
        assert with_spring == pytest.approx({0: 42.621, 660: 49.428}[rpm], abs=1e-3)


def test_helicopter_blade_flaps_rigidly() -> None:
    assert nearest(blade(rpm=660), 11.5) == pytest.approx(11.500, abs=5e-4)


def two_disc_rotor(rpm: float) -> eb.Model:
    """Shaft as one flexible body; all coordinates turn with it (frame `turning`), so the equations are constant.

    Friswell, Penny, Garvey & Lees (2010), example 5.9.1.
    """
    discs = {
        "disc1": {"mass": 32.58972765304033, "inertia": [0.32956362089137037, *[0.17808928257067666] * 2]},
        "disc2": {"mass": 51.5252611115262, "inertia": [0.8050822048675967, *[0.42358058405433824] * 2]},
    }
    at = {"disc1": [0.5, 0, 0], "disc2": [1.0, 0, 0]}
    shaft = {
        "type": "beam", "points": [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1.5, 0, 0]],
        "names": ["left", "a", "b", "right"],
        "E": 211e9, "G": 81.2e9, "nu": 211 / 162.4 - 1, "density": 7810, "diameter": 0.05, "elements": 12, "modes": 16,
    }  # fmt: skip
    bearing = {"type": "bearing", "axis": [1, 0, 0], "k": [1e6, 1e6, 1e3, 0, 0, 0]}
    return eb.load(
        {
            "eigenbody": 1,
            "parameters": {"speed": rpm * np.pi / 30},
            "frames": {"turning": {"about": [1, 0, 0], "rate": "=speed"}},
            "bodies": {name: {**disc, "at": at[name]} for name, disc in discs.items()},
            "flexible": {"shaft": shaft},
            "joints": {
                "float": {"type": "free", "between": ["turning", "shaft.left"], "at": [0, 0, 0]},
                **{f"weld {k}": {"type": "fixed", "between": [f"shaft.{node}", disc], "at": at[disc]}
                   for k, (node, disc) in enumerate((("a", "disc1"), ("b", "disc2")))},
            },
            "forces": {
                end: {**bearing, "between": ["ground", f"shaft.{end}"], "at": place}
                for end, place in (("left", [0, 0, 0]), ("right", [1.5, 0, 0]))
            },
        }
    )  # fmt: skip


def test_two_disc_rotor() -> None:
    """The rigid coordinates are measured in the frame that turns; `modes_in_frames` sees all from either side. Seen
    from the turning shaft a forward whirl has its frequency minus the speed, a backward one plus."""
    speed = 4000 * np.pi / 30
    found = np.sort(np.abs(eb.modes_in_frames(two_disc_rotor(4000), "turning").rotating.eigenvalues.imag))
    wanted = ((85.389467, 1), (87.7958637, -1), (251.7846041, 1), (294.7133309, -1), (600.179362, 1))
    for value, sense in wanted:
        whirl = abs(nearest(found, abs(value + sense * speed)) - speed)
        assert whirl == pytest.approx(value, rel=5e-4)


# Mechanisms -----------------------------------------------------------------------------------------------------------
def slider_crank(**parameters: float) -> eb.Model:
    return eb.load(EXAMPLES / "flexible_slider_crank.yaml", **parameters)


@pytest.mark.parametrize("angle", [0.0, np.pi / 3, 2.0])
def test_locked_slider_crank(angle: float) -> None:
    """Pinned at both ends in the plane, clamped and pinned across it; shear and rotary inertia by Timoshenko's first
    correction, -(beta^2/2) (1 + E / k G) I / A."""
    EI_m, length = np.sqrt(2.1e11 * 0.006**2 / 12 / 7850), 0.45
    found = rates(slider_crank(angle=angle))
    for beta in (np.pi, 2 * np.pi):
        correction = 1 - 0.5 * (beta / length) ** 2 * (1 + 2.6 * 6 / 5) * 0.006**2 / 12
        wanted = (beta / length) ** 2 * EI_m * correction
        assert nearest(found, wanted) == pytest.approx(wanted, rel=2e-4)
    across = (3.926602312 / length) ** 2 * EI_m
    assert nearest(found, across) == pytest.approx(across, rel=2e-3)


def test_energy_of_a_running_slider_crank() -> None:
    """A soft rod that bends by centimetres while the crank turns: what moves, bends and weighs adds up."""
    model = slider_crank(locked=0, speed=30, E=2e9)
    run = eb.simulate(model, until=0.05, tolerance=1e-8)
    energy = run.signal("energy")
    assert np.abs(run.signal("sag")).max() > 5e-3
    assert np.abs(energy - energy[0]).max() < 1e-6 * energy[0]


def test_tumbling_beam_keeps_its_momentum() -> None:
    """Free flight with fast rotation and large bending: energy and both momenta stay."""
    beam = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 1e7, "density": 1000, "width": 0.05, "height": 0.08}
    model = eb.load(
        {
            "eigenbody": 1,
            "bodies": {"tip": {"mass": 0.5, "inertia": [0.01, 0.02, 0.015], "at": [1, 0, 0.1]}},
            "flexible": {"rod": {**beam, "elements": 8, "modes": 2}},
            "joints": {
                "free": {"type": "free", "between": ["ground", "tip"], "at": [1, 0, 0.1],
                         "velocity": [0.3, -0.2, 0.5, 2.0, 6.0, -4.0]},
                "weld": {"type": "fixed", "between": ["rod.end", "tip"], "at": [1, 0, 0]},
            },
        }
    )  # fmt: skip
    run = eb.simulate(model, until=1.0, tolerance=1e-9)
    first, last = (momentum(run.system, run.state_at(k)) for k in (0, len(run.t) - 1))
    bent = [np.abs(run.signal(f"rod.q{k + 1}")).max() for k in range(2)]
    assert max(bent) > 1e-3
    assert last.linear == pytest.approx(first.linear, abs=1e-6 * np.linalg.norm(first.linear))
    assert last.angular == pytest.approx(first.angular, abs=1e-6 * np.linalg.norm(first.angular))
    energy = run.signal("energy")
    assert energy[-1] == pytest.approx(energy[0], rel=1e-6)


def test_flexible_chain_is_the_rigid_chain_in_motion() -> None:
    """A pendulum of modes and one of forty rigid pieces with springs swing alike, nonlinear, from the horizontal."""
    ends = []
    for form in ({"modes": 3}, {"segments": 40}):
        beam = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 3e8, "density": 1000, "width": 0.05, **form}
        model = eb.load(
            {
                "eigenbody": 1, "gravity": [0, 0, -9.81],
                "flexible": {"rod": {**beam, "height": 0.05, "elements": 8, "damping": 0.0, "interface": ["start"]}},
                "joints": {"pin": {"type": "revolute", "between": ["ground", "rod.start"], "at": [0, 0, 0],
                                   "axis": [0, 1, 0]}},
                "outputs": {"x": {"measure": "rod.end.x"}, "z": {"measure": "rod.end.z"}},
            }
        )  # fmt: skip
        run = eb.simulate(model, until=0.2, tolerance=1e-6, method="generalized-alpha")
        ends.append([run.signal("x")[-1], run.signal("z")[-1]])
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)
    assert ends[0][1] < -0.15


# Parameters -----------------------------------------------------------------------------------------------------------
PARAMETERS = {"E": 2e9, "L": 1.0, "b": 0.02, "h": 0.03, "rho": 2700.0, "zeta": 0.02, "N": 50.0, "m": 0.5}


def parametric(**values: float) -> eb.Model:
    beam = {
        "type": "beam", "points": [[0, 0, 0], ["=L/3", 0, 0], ["=L", 0, 0]], "y_axis": [0, 1, 0], "E": "=E",
        "density": "=rho", "width": "=b", "height": ["=h", "=h", "=h/2"], "elements": 6, "modes": 3,
        "damping": "=zeta", "tension": "=N",
    }  # fmt: skip
    return eb.load(
        {
            "eigenbody": 1, "gravity": [0, 0, -9.81], "parameters": {**PARAMETERS, **values},
            "operating_point": "equilibrium",
            "bodies": {"tip": {"mass": "=m", "inertia": [0.001, 0.002, 0.003], "at": ["=L", 0, 0]}},
            "flexible": {"rod": beam},
            "joints": {
                "pin": {"type": "revolute", "between": ["ground", "rod.start"], "at": [0, 0, 0], "axis": [0, 1, 0]},
                "weld": {"type": "fixed", "between": ["rod.end", "tip"], "at": ["=L", 0, 0]},
            },
            "forces": {"s": {"type": "spring", "along": "pin", "k": 50.0}},
        }
    )  # fmt: skip


def test_sensitivities_to_beam_parameters() -> None:
    """Exact derivatives at the loaded equilibrium against differences extrapolated to step zero. What carries its load
    in one way only hardly knows N, a load in the drawing: it takes a larger step to see it."""
    found = eb.sensitivity(parametric(), list(PARAMETERS))
    for k, (name, value) in enumerate(PARAMETERS.items()):
        slopes = []
        for step in (2e-4 * value, 1e-4 * value) if name != "N" else (0.2 * value, 0.1 * value):
            ahead, behind = (eb.modes(parametric(**{name: value + s})).eigenvalues for s in (step, -step))
            slopes.append((ahead - behind) / (2 * step))
        wanted = (4 * slopes[1] - slopes[0]) / 3
        assert np.abs(found.eigenvalues[k] - wanted).max() < 1e-6 * np.abs(wanted).max(), name


@pytest.mark.parametrize("name", list(PARAMETERS))
def test_a_sensitivity_is_the_same_alone_as_among_others(name: str) -> None:
    """One step alone gives arrays of one variant, which keep their batch axis."""
    alone, all_of_them = eb.sensitivity(parametric(), [name]), eb.sensitivity(parametric(), list(PARAMETERS))
    wanted = all_of_them.eigenvalues[list(PARAMETERS).index(name)]
    assert np.abs(alone.eigenvalues[0] - wanted).max() < 1e-10 * np.abs(wanted).max()


SUM = {"E": "=E1 + E2", "nu": 0.3, "density": "=rho", "diameter": 0.02, "modes": 4}


@pytest.mark.parametrize("names", [["E1"], ["rho"], ["E1", "E2"], ["E1", "rho", "E2"], ["flexible.rod.E"]])
def test_frequencies_grow_with_the_root_of_modulus_over_density(names: list[str]) -> None:
    """f = const sqrt(E / rho): d ln f = (d ln E - d ln rho) / 2. Halves of E have equal variants."""
    halves = {"E1": 105e9, "E2": 105e9, "rho": 7850.0}
    model = beam_on_ground({"points": [[0, 0, 0], [0.5, 0, 0]], **SUM}, parameters=halves)
    found = eb.sensitivity(model, names)
    f, values = found.modes.frequency_hz, {**halves, "flexible.rod.E": 210e9}
    shares = {"E1": 0.25, "E2": 0.25, "rho": -0.5, "flexible.rod.E": 0.5}
    for k, name in enumerate(names):
        assert found.frequency_hz[k] * values[name] / f == pytest.approx(shares[name], rel=1e-9)


def test_tolerance_and_optimum_of_a_beam_by_its_modulus() -> None:
    """The band of f is half that of E; the least E with f at least 1.1 f0 is 1.21 E0."""
    model = beam_on_ground({"points": [[0, 0, 0], [0.5, 0, 0]], **SUM}, parameters={"E1": 210e9, "E2": 0, "rho": 7850})
    band = eb.tolerance(model, {"E1": "2 %"}).bands[0]
    assert band.upper - band.nominal == pytest.approx(0.01 * band.nominal, rel=1e-9)
    problem = {
        "variables": {"E1": {"from": 100e9, "to": 400e9}}, "objective": {"minimize": {"parameter": "E1"}},
        "constraints": [{"frequency": {"mode": 1}, "min": 1.1 * band.nominal}],
    }  # fmt: skip
    assert eb.optimize(model, problem).values["E1"] == pytest.approx(1.21 * 210e9, rel=1e-6)


def test_variants_are_single_models() -> None:
    values = {"E": [1e9, 2e9, 3e9], "L": [0.9, 1.0, 1.2]}
    many = eb.variants(parametric(), values)
    for k in range(3):
        single = eb.modes(parametric(E=values["E"][k], L=values["L"][k])).eigenvalues
        found = np.asarray(many.eigenvalues)[k]
        for value in single:
            assert np.abs(found - value).min() < 1e-8 * max(1.0, abs(value))


STATIONS = {"points": [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]], **STEEL, "diameter": 0.04}


@pytest.mark.parametrize("name", ["s1", "s2", "frame"])
def test_a_station_has_any_name_that_is_free(name: str) -> None:
    beam = {**STATIONS, "names": [name, "middle", "tip"]}
    clamp = {"type": "fixed", "between": ["ground", f"rod.{name}"], "at": [0, 0, 0]}
    document = {"eigenbody": 1, "flexible": {"rod": {"type": "beam", **beam}}, "joints": {"clamp": clamp}}
    outputs = {"y": {"measure": f"rod.{name}.x"}}
    assert rates(eb.load({**document, "outputs": outputs})) == pytest.approx(rates(beam_on_ground(STATIONS)), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "form"),
    [("q1", {}), ("x", {}), ("rz", {}), ("modes1", {}), ("2", {}), ("end", {}), ("start+1", {}), ("middle+1", {}),
     ("s1", {"sections": 2}), ("s2", {"cuts": ["middle"]}), ("s3", {"segments": 4})],
)  # fmt: skip
def test_a_station_cannot_have_the_name_of_something_else(name: str, form: dict) -> None:
    """Once "2" and "end" meant another station, "s1" the first section, "q1" a coordinate: none of them the station."""
    with pytest.raises(eb.InputError, match=rf'flexible\.rod\.names: "{re.escape(name)}" means .* another name'):
        eb.modes(beam_on_ground({**STATIONS, "names": [name, "middle", "tip"], **form}))


@pytest.mark.parametrize("name", ["q1", "x", "rx", "modes1", "s1", "s1.q1"])
def test_what_is_no_node_carries_nothing(name: str) -> None:
    beam = {"type": "beam", **STATIONS}
    clamp = {"type": "fixed", "between": ["ground", f"rod.{name}"], "at": [0, 0, 0]}
    with pytest.raises(eb.InputError, match="no node"):
        eb.modes(eb.load({"eigenbody": 1, "flexible": {"rod": beam}, "joints": {"clamp": clamp}}))


@pytest.mark.parametrize(
    ("name", "form"), [("s1", {"sections": 2}), ("s2", {"names": ["a", "middle", "b"], "cuts": ["middle"]})]
)
@pytest.mark.parametrize("kind", ["joints", "forces", "markers"])
def test_what_is_attached_to_a_section_is_refused(name: str, form: dict, kind: str) -> None:
    """Its mean axes are no point of the material: 0.5 kg fixed to them vibrated at 13.26 Hz, on the rod at 13.12 Hz."""
    beam = {"type": "beam", **STATIONS, **form}
    used = {
        "joints": {"clamp": {"type": "fixed", "between": ["ground", f"rod.{name}"], "at": [0, 0, 0]}},
        "forces": {"push": {"type": "force", "body": f"rod.{name}", "at": [0, 0, 0], "value": [0, 0, 1]}},
        "markers": {"here": {"body": f"rod.{name}", "at": [0, 0, 0]}},
    }
    document = {"eigenbody": 1, "flexible": {"rod": beam}, kind: used[kind]}
    with pytest.raises(eb.InputError, match=rf'"rod.{name}" is a section, .* Name one: rod.start'):
        eb.operating_point(eb.load(document))


@pytest.mark.parametrize(
    ("measure", "form"),
    [("rod.q99", {}), ("rod.x", {"sections": 2}), ("rod.q1", {"segments": 4}), ("rod.s1.q99", {"sections": 2})],
)
@pytest.mark.parametrize(
    "section",
    [lambda name: {"outputs": {"y": {"measure": name}}}, lambda name: {"outputs": {"y": {"expression": f"=2*{name}"}}},
     lambda name: {"coordinates": [name]}, lambda name: {"operating_point": {"positions": {name: 0}}}],
)  # fmt: skip
def test_coordinates_that_a_beam_does_not_have(measure: str, form: dict, section: Callable[[str], dict]) -> None:
    with pytest.raises(eb.InputError, match=rf'flexible\.rod: it has no "{re.escape(measure)}"'):
        eb.modes(beam_on_ground({**STATIONS, **form}, **section(measure)))


# Wrong input ----------------------------------------------------------------------------------------------------------
GOOD = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 1e9, "density": 1000, "diameter": 0.01}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"diameter": None}, "exactly one of diameter, width, area"),
        ({"width": 0.1}, "exactly one of diameter, width, area"),
        ({"diameter": None, "width": 0.1}, '"height" is missing'),
        ({"diameter": None, "area": 0.1}, '"Iy" is missing'),
        ({"density": None}, "the beam has no mass"),
        ({"points": [[0, 0, 0]]}, "at least two stations"),
        ({"points": [[0, 0, 0], [0, 0, 0]]}, "at the same place"),
        ({"points": [[0, 0, 0], [0, 0, 2], [0, 0, 1]]}, "turns back on itself at station 2"),
        ({"E": -1.0}, "E"),
        ({"sections": 0}, "too few"),
        ({"sections": 99}, "cannot be parted into 99 sections"),
        ({"elements": 2.5}, "whole"),
        ({"names": ["a"]}, "1 names for 2 stations"),
        ({"interface": ["nowhere"]}, 'no node "nowhere"'),
        ({"modes": -1}, "not negative"),
        ({"damping": -0.1}, "not negative"),
        ({"density": 0.0}, "no mass"),
        ({"nu": -1.0}, "Poisson"),
        ({"segments": 1}, "flexible.rod.segments"),
        ({"segments": 4, "damping": 0.01}, "no modes that it could damp"),
        ({"segments": 4, "sections": 2}, "not both"),
        ({"names": ["a", "b"], "cuts": ["b"]}, "an end of it"),
        ({"tension": [1.0, 2.0]}, "2 tensions for"),
        ({"diameter": [0.01, 0.02, 0.03]}, "flexible.rod.diameter: the values have the shape 3"),
        ({"diameter": -0.01}, "flexible.rod.diameter: -0.01 is not positive"),
        ({"inner_diameter": 1.0}, "flexible.rod.inner_diameter: the bore of 1 m is as wide as the shaft"),
        ({"diameter": [0.02, 0.01], "inner_diameter": [0.005, 0.01]}, "the bore of 0.01 m"),
        ({"inner_diameter": -0.001}, "flexible.rod.inner_diameter: -0.001 is negative"),
        ({"height": 0.1}, "flexible.rod.height: it belongs to a section by width"),
        ({"diameter": None, "width": 0.1, "height": 0.1, "inner_diameter": 0.01}, "belongs to a section by diameter"),
        ({"density": None, "mass_per_length": 1.0, "jx": 0.0}, "no inertia"),
    ],
)
def test_wrong_beams_are_refused(change: dict, message: str) -> None:
    beam = {key: value for key, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(eb.InputError) as error:
        eb.modes(beam_on_ground(beam))
    assert message in str(error.value)
    assert "flexible.rod" in str(error.value)


@pytest.mark.parametrize("d1", [0.02, 0.01, 0.005])
def test_a_cone_is_linear_in_its_diameter(d1: float) -> None:
    """A light cone of 0.03 m at its root and `d1` at its tip, with a mass there: k = 3 pi E d0^3 d1 / (64 L^3)."""
    E, L, m = 2e11, 0.8, 100.0
    beam = {"type": "beam", "points": [[0, 0, 0], [0, 0, L]], "E": E, "density": 1e-3, "diameter": [0.03, d1],
            "shear": False}  # fmt: skip
    model = beam_on_ground(beam, bodies={"tip": {"on": "rod.end", "mass": m, "inertia": [1e-9, 1e-9, 1e-9]}})
    k = 3 * np.pi * E * 0.03**3 * d1 / (64 * L**3)
    assert np.sort(eb.modes(model, n=2).eigenvalues.imag)[-2:] == pytest.approx(np.sqrt(k / m), rel=2e-6)


def test_a_wedge_is_linear_in_its_height() -> None:
    """The flexibility of a wedge is the integral of s^2 / EI(s); its sections, bored or not, are those of the place."""
    E, L, m, width, (h0, h1) = 7e10, 0.8, 100.0, 0.05, (0.02, 0.008)
    beam = {"type": "beam", "points": [[0, 0, 0], [L, 0, 0]], "E": E, "density": 1e-3, "width": width,
            "height": [h0, h1], "shear": False, "y_axis": [0, 1, 0]}  # fmt: skip
    model = beam_on_ground(beam, bodies={"tip": {"on": "rod.end", "mass": m, "inertia": [1e-9, 1e-9, 1e-9]}})
    x, w = np.polynomial.legendre.leggauss(40)
    s = L * (x + 1) / 2
    flexibility = np.sum(w * L / 2 * s**2 * 12 / (E * width * (h1 + (h0 - h1) * s / L) ** 3))
    lowest = np.sort(np.abs(eb.modes(model, n=1).eigenvalues))[0]
    assert lowest == pytest.approx(1 / np.sqrt(flexibility * m), rel=2e-6)


def test_a_bore_may_change_in_steps_where_the_outside_tapers() -> None:
    """One diameter for each station and one bore for each segment: a section of its own at every place."""
    line = [[0, 0, 0], [0, 0, 0.5], [0, 0, 1]]
    beam = {"type": "beam", "points": line, **STEEL, "diameter": [0.03, 0.025, 0.02], "inner_diameter": [0.01, 0.01]}
    plain = beam | {"inner_diameter": 0.01}
    expected = eb.modes(beam_on_ground(plain)).eigenvalues
    assert eb.modes(beam_on_ground(beam)).eigenvalues == pytest.approx(expected, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("joint", ["fixed", "revolute", "spherical", "free"])
def test_a_beam_may_start_bent(joint: str) -> None:
    """Modal coordinates given as positions: its nodes, and the frame that hangs on one of them, move along."""
    beam = {"points": [[0, 0, 0], [0, 0, 1]], **STEEL, "width": 0.02, "height": 0.03, "modes": 6}
    model = beam_on_ground(beam, operating_point={"rod.q1": 0.003, "rod.q2": -0.001}).set(
        joints={"clamp": {"type": joint, "between": ["ground", "rod.start"], "at": [0, 0, 0]}}
    )
    point = eb.operating_point(model)
    assert point.coordinates()["rod.q1"] == pytest.approx(0.003, rel=1e-12)
    assert point.coordinates()["rod.q2"] == pytest.approx(-0.001, rel=1e-12)
    assert eb.linearize(model).certificate.drift[0] < 1e-12


def test_unknown_node_is_named() -> None:
    with pytest.raises(eb.InputError, match=r'outputs\.o\.measure: rod has no node "tip"'):
        eb.modes(beam_on_ground(GOOD, outputs={"o": {"measure": "rod.tip.x"}}))


def test_frame_of_a_flexible_body_is_no_place() -> None:
    """The floating frame is no point of the material: joints and forces act at nodes."""
    with pytest.raises(eb.InputError, match=r'"rod" is a flexible body.*rod\.start'):
        eb.load({"eigenbody": 1, "flexible": {"rod": GOOD},
                 "joints": {"j": {"type": "fixed", "between": ["ground", "rod"], "at": [0, 0, 0]}}})  # fmt: skip


# Bodies from files ----------------------------------------------------------------------------------------------------
def exported(folder: Path, **change: object) -> dict:
    """A bent steel rod as matrices in a file, and the entry that reads it."""
    stations = BeamStations(
        points=np.array([[0, 0, 0], [0.4, 0, 0], [0.4, 0.3, 0.1]]), E=210e9, G=81e9, A=1e-4, Iy=8e-10, Iz=9e-10,
        J=1.5e-9, density=7850.0,
    )  # fmt: skip
    mesh = beam_structure(stations, 6, ["root", "knee", "tip"], inside=False)
    arrays = {"M": mesh.M, "K": mesh.K, "nodes": mesh.nodes, "names": np.array(mesh.names), **change}
    np.savez(folder / "rod.npz", **arrays)
    return {"type": "matrices", "file": "rod.npz", "modes": 12}


def on_its_root(folder: Path, rod: dict) -> eb.Model:
    """A model file in the folder of the matrices: paths count from there."""
    root = {"type": "fixed", "between": ["ground", "rod.root"], "at": rod.get("at", [0, 0, 0])}
    model = {"eigenbody": 1, "flexible": {"rod": rod}, "joints": {"clamp": root}}
    (folder / "rod.json").write_text(json.dumps(model))
    return eb.load(folder / "rod.json")


def test_matrices_from_a_file(tmp_path: Path) -> None:
    """Held at its root it has the frequencies of its matrices without the root; turned and moved it is the same."""
    rod = exported(tmp_path)
    with np.load(tmp_path / "rod.npz") as held:
        wanted = np.sqrt(eigvalsh(held["K"][6:, 6:], held["M"][6:, 6:]))[:12]
    assert rates(on_its_root(tmp_path, rod)) == pytest.approx(wanted, rel=1e-6)
    moved = {**rod, "at": [1.0, 2.0, 3.0], "rotation": {"axis": [1, 2, 2], "angle": 0.7}}
    assert rates(on_its_root(tmp_path, moved)) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda s: {"M": s["M"][:-1]}, "square"),
        (lambda s: {"K": s["K"] + np.triu(s["K"], 1)}, "symmetric"),
        (lambda s: {"K": s["K"] + 1e6 * np.eye(len(s["K"]))}, "strain"),
        (lambda s: {"M": -s["M"]}, "total mass"),
        (lambda s: {"nodes": s["nodes"][:-1]}, "node"),
        (lambda s: {"K": s["K"] * 1e25}, "Hz"),
        (lambda s: {"K": s["K"] * np.nan}, "K has nan"),
    ],
)
def test_spoilt_matrices_are_refused(spoil: Callable, message: str, tmp_path: Path) -> None:
    rod = exported(tmp_path)
    good = dict(np.load(tmp_path / "rod.npz"))
    exported(tmp_path, **spoil(good))
    with pytest.raises(eb.InputError) as error:
        eb.modes(on_its_root(tmp_path, rod))
    assert message in str(error.value)
    assert "flexible.rod" in str(error.value)


def test_missing_interface_node_and_file(tmp_path: Path) -> None:
    rod = exported(tmp_path)
    with pytest.raises(eb.InputError, match="ellbow"):
        on_its_root(tmp_path, {**rod, "interface": ["root", "ellbow"]})
    with pytest.raises(eb.InputError, match=r'no file ".*rood\.npz"\. Did you mean "rod\.npz"'):
        on_its_root(tmp_path, {**rod, "file": "rood.npz"})


def test_steps_of_a_vibration_are_seldom_rejected() -> None:
    """Errors of modes that are not damped go up and down: a step that was too long is not tried again at once."""
    run = eb.simulate(slider_crank(locked=0, speed=30), until=0.006, method="dop853", points=2)
    assert run.statistics["rejected"] < 0.25 * run.statistics["steps"]
