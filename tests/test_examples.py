"""Every example runs and gives its key number. A new file in examples/ fails here until it has a check of its own."""

from __future__ import annotations

import json
import math
import runpy
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import eigenbody as eb
from floquet_references import bladed_equations, monodromy, same_sets
from robots import Reference
from rotor_elements import Shaft, both_planes, eigenvalues
from short_bearing import ShortBearing
from turning_stiffness import cracked_shaft, in_frame_of_shaft, orbit, transition, unsymmetric_shaft, washer

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = sorted(p.name for p in EXAMPLES.iterdir() if p.is_file() and not p.name.startswith("."))
PROBLEMS = sorted(f"problems/{p.name}" for p in (EXAMPLES / "problems").iterdir())
CHECKS: dict[str, Callable[[], None]] = {}
ROSS = EXAMPLES.parent / "benchmarks" / "results" / "rotors"
G = 9.81


def check(file: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register the check of one example."""

    def register(function: Callable[[], None]) -> Callable[[], None]:
        CHECKS[file] = function
        return function

    return register


@cache
def modes_of(file: str, **parameters: object) -> eb.Modes:
    return eb.modes(eb.load(EXAMPLES / file, **parameters))


def nonzero(modes: eb.Modes) -> np.ndarray:
    return modes.eigenvalues[modes.eigenvalues != 0]


@pytest.mark.parametrize("file", [*FILES, *PROBLEMS])
def test_example(file: str) -> None:
    assert file in CHECKS, f"examples/{file} has no check of its key number in this file"
    CHECKS[file]()


@pytest.mark.parametrize("file", [f for f in FILES if f.endswith((".yaml", ".json"))])
def test_every_result_is_certified(file: str) -> None:
    found = modes_of(file)
    certificate, motion = found.certificate, found.linear.point.motion
    assert certificate.residual < 1e-12
    assert max(certificate.drift[:2]) < 1e-12
    assert certificate.drift[2] < 1e-12 * max(1.0, np.abs(motion.acceleration).max(initial=0.0))
    assert certificate.tangent_error < 1e-12


@check("six_axis_arm.urdf")
def six_axis_arm() -> None:
    """Mass matrix of the drawing, by recursive Newton-Euler equations on the file itself."""
    found = eb.linearize(eb.load(EXAMPLES / "six_axis_arm.urdf"))
    own = Reference(EXAMPLES / "six_axis_arm.urdf")
    assert list(found.coordinates) == list(own.names)
    expected = own.mass(np.zeros(len(own.names)))
    np.testing.assert_allclose(found.M, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@check("gripper.xml")
def gripper() -> None:
    """Two loops and a coupling leave two freedoms; lifting moves all masses of the file as MuJoCo compiles it."""
    import mujoco

    own = mujoco.MjModel.from_xml_path(str(EXAMPLES / "gripper.xml"))
    lift = int(own.jnt_dofadr[mujoco.mj_name2id(own, mujoco.mjtObj.mjOBJ_JOINT, "lift")])
    found = eb.linearize(eb.load(EXAMPLES / "gripper.xml"))
    assert found.coordinates == ("lift", "left-drive")
    assert found.M[0, 0] == pytest.approx(own.body_mass.sum() + own.dof_armature[lift], rel=1e-12)


@check("spatial_four_bar.adm")
def adams_four_bar() -> None:
    """omega^2 = 7.848 1/s^2 (Trom 1990, Eq. 4.18), and the matrices of the same linkage as a model file."""
    found, own = (eb.linearize(eb.load(EXAMPLES / name)) for name in ("spatial_four_bar.adm", "four_bar.yaml"))
    assert found.coordinates == own.coordinates == ("a",)
    for one, other in ((found.M, own.M), (found.C, own.C), (found.K, own.K)):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    assert found.K[0, 0] / found.M[0, 0] == pytest.approx(7.848, abs=1e-9)


@check("vibration_absorber.yaml")
def vibration_absorber() -> None:
    model = eb.load(EXAMPLES / "vibration_absorber.yaml")
    assert max(p.magnitude for p in eb.frf(model).peaks) == pytest.approx(57111.1, abs=0.1)
    tuned = model.with_parameters(k=1 / 1.05**2, c=2 / 1.05 * math.sqrt(3 * 0.05 / (8 * 1.05)))  # Den Hartog
    peaks = [p.magnitude for p in eb.frf(tuned).peaks]
    assert peaks == pytest.approx([math.sqrt(1 + 2 / 0.05)] * 2, rel=1.2e-3)


@check("problems/vibration_absorber.yaml")
def vibration_absorber_problem() -> None:
    found = eb.optimize(eb.load(EXAMPLES / "vibration_absorber.yaml"), EXAMPLES / "problems/vibration_absorber.yaml")
    assert math.sqrt(found["k"]) == pytest.approx(0.952372, abs=5e-7)  # Nishihara and Asami
    assert found["c"] / (2 * math.sqrt(found["k"])) == pytest.approx(0.133938, abs=5e-7)


@check("stewart_platform.yaml")
def stewart_platform() -> None:
    assert modes_of("stewart_platform.yaml").frequency_hz == pytest.approx(
        [2.64417, 2.65374, 4.84156, 4.94991, 5.49135, 6.16072], abs=5e-6
    )


@check("problems/bicycle_study.yaml")
def bicycle_study() -> None:
    """Speeds between weave (4.29 m/s) and capsize (6.02 m/s) are stable: 1 - 1.73/5 = 65.4 % unstable where speed alone
    varies; the rest moves both boundaries a little."""
    found = eb.study(EXAMPLES / "problems/bicycle_study.yaml")
    assert found.instability is not None
    assert found.instability.low < 0.654 < found.instability.high
    assert found.failures == {}


@check("problems/stewart_platform.yaml")
def stewart_platform_problem() -> None:
    """The optimum that the file names keeps the constraints and has its peak; three peaks are equal."""
    text = (EXAMPLES / "problems/stewart_platform.yaml").read_text()
    values = json.loads(text[text.index("# {") + 2 : text.index("}\n") + 1].replace("\n#", ""))
    model = eb.load(EXAMPLES / "stewart_platform.yaml").with_values(values)
    hz = eb.modes(model).frequency_hz
    assert hz.min() == pytest.approx(3.5, abs=1e-4)
    assert hz.max() == pytest.approx(6.5, abs=1e-4)
    peaks = [p.magnitude for p in eb.frf(model, frequencies_hz=(0.5, 50, 400)).peaks]
    assert peaks == pytest.approx([2.0901] * 3, abs=1e-3)


@check("space_manipulator.yaml")
def space_manipulator() -> None:
    model = eb.load(EXAMPLES / "space_manipulator.yaml")
    found = eb.impulse(model, {"body": "base", "impulse": ["100 lbf*s", 0, 0]}, angles="123")
    assert found["base.x"] / 0.0254 == pytest.approx(112.0389524, rel=1e-9)  # Passerello & Huston, Fig. 17: 112 in/s
    assert len(found.indeterminate) == 1


@check("andrews_squeezer.yaml")
def andrews_squeezer() -> None:
    found = eb.simulate(eb.load(EXAMPLES / "andrews_squeezer.yaml"), until=0.03, points=2)
    assert found.signal("beta")[-1] == pytest.approx(15.81077119629904, abs=1e-6)  # test set for IVP solvers


@check("single_track_car.yaml")
def single_track_car() -> None:
    for V in (10.0, 30.0):
        A = [[-120 / V, 44 / (1.5 * V) - V], [17.6 / V, -124.48 / V]]  # of (v, r): Riekert and Schunck
        root = next(x for x in np.linalg.eigvals(A) if x.imag > 0)
        assert nonzero(modes_of("single_track_car.yaml", V=V)) == pytest.approx([root], rel=1e-11)


@check("wheelset.yaml")
def wheelset() -> None:
    m, I, f11, f22 = 1250, 700, 1e7, 8.8e6  # noqa: E741  Wickens: lateral displacement and yaw
    V = 40.0
    lateral, yaw = np.poly1d([m, 2 * f22 / V, 2.3e5]), np.poly1d([I, 2 * f11 * 0.75**2 / V, 2.5e6])
    roots = (lateral * yaw + 2 * f22 * 2 * f11 * 0.75 * 0.1 / 0.45).roots
    found = nonzero(modes_of("wheelset.yaml"))
    assert sorted(found[found.imag > 0], key=abs) == pytest.approx(sorted(roots[roots.imag > 0], key=abs), rel=1e-9)
    assert modes_of("wheelset.yaml", V=78.8).stability != "unstable"
    assert modes_of("wheelset.yaml", V=79.0).stability == "unstable"


@check("root_locus.py")
def root_locus() -> None:
    names = runpy.run_path(str(EXAMPLES / "root_locus.py"))
    closed = math.sqrt(140e3 * 100e3 * 2.6**2 / (1500 * (1.2 * 140e3 - 1.4 * 100e3)))
    assert names["critical_speed"](140e3, 40, 55) == pytest.approx(closed, rel=1e-7)
    assert len(names["locus"](np.array([10.0, 20.0]), 140e3)) == 2


@check("hanging_pendulum.yaml")
def hanging_pendulum() -> None:
    w2 = G * 0.5 / ((1 + 0.1**2) / 12 + 0.25)  # textbook: m g l / (I + m l^2)
    assert w2 == pytest.approx(14.678, abs=5e-4)
    assert modes_of("hanging_pendulum.yaml").eigenvalues == pytest.approx([1j * math.sqrt(w2)], rel=1e-12)


@check("slider_pendulum.yaml")
def slider_pendulum() -> None:
    linear = eb.linearize(eb.load(EXAMPLES / "slider_pendulum.yaml"))
    assert linear.coordinates == ("rail", "hinge")
    np.testing.assert_allclose(linear.M, [[30, 20], [20, 35]], rtol=1e-13)  # Trom 1990, section 3.2.4
    np.testing.assert_allclose(linear.K, [[20, 0], [0, 196.2]], rtol=1e-13, atol=1e-12)
    undamped = modes_of("slider_pendulum.yaml").eigenvalues
    assert undamped == pytest.approx([0.797302985861869j, 3.08165793705976j], rel=1e-12)  # roots of det(K - w2 M)
    damped = [-0.312177227401119 + 0.747815417342014j, -0.226284311060419 + 3.02355045399089j]  # Table 3.7 with signs
    assert modes_of("slider_pendulum.yaml", c=20).eigenvalues == pytest.approx(damped, rel=1e-12)


@check("four_bar.yaml")
def four_bar() -> None:
    modes = modes_of("four_bar.yaml")
    assert np.imag(modes.eigenvalues) ** 2 == pytest.approx([7.848], rel=1e-12)  # Trom 1990, Table 4.1
    assert modes.certificate.redundant == ()


@check("four_bar_with_spring.yaml")
def four_bar_with_spring() -> None:
    modes = modes_of("four_bar_with_spring.yaml")
    assert modes.linear.point.coordinates()["A"] == pytest.approx(2.234331019017586 - math.pi / 2, abs=1e-11)
    assert modes.eigenvalues == pytest.approx([-0.2423858093105051 + 2.13395502834838j], abs=1e-10)


@check("planar_four_bar_redundant.yaml")
def planar_four_bar_redundant() -> None:
    modes = modes_of("planar_four_bar_redundant.yaml")
    assert np.imag(modes.eigenvalues) ** 2 == pytest.approx([7.848], rel=1e-12)  # the same planar motion
    assert len(modes.certificate.redundant) == 3  # 20 rows, rank 17
    assert {row["joint"] for row in modes.certificate.redundant} <= set("abcd")


@check("parallelogram.yaml")
def parallelogram() -> None:
    hanging, upright = modes_of("parallelogram.yaml"), modes_of("parallelogram.yaml", g=-G)
    assert np.imag(hanging.eigenvalues) ** 2 == pytest.approx([1.2 * G], rel=1e-12)  # 2 g / (5/3)
    assert np.sort(upright.eigenvalues.real) == pytest.approx([-math.sqrt(1.2 * G), math.sqrt(1.2 * G)], rel=1e-12)
    assert (hanging.stability, upright.stability) == ("marginal", "unstable")
    assert len(hanging.certificate.redundant) == 3


@check("rotating_pendulum.yaml")
def rotating_pendulum() -> None:
    modes = modes_of("rotating_pendulum.yaml")
    assert nonzero(modes) == pytest.approx([8.58076219398679j], rel=1e-12)  # Trom 1990, Table 5.1
    assert modes.kinds == ("rigid", "rigid", "oscillatory")
    assert modes.stability == "drifting"


@check("conical_pendulum.yaml")
def conical_pendulum() -> None:
    assert nonzero(modes_of("conical_pendulum.yaml")) == pytest.approx([8.58076219398679j], rel=1e-12)  # as above
    faster = math.sqrt(G / (0.5 * math.cos(0.8))) * math.sqrt(1 + 3 * math.cos(0.8) ** 2)
    assert nonzero(modes_of("conical_pendulum.yaml", tilt=0.8)) == pytest.approx([1j * faster], rel=1e-12)


@check("heavy_top.yaml")
def heavy_top() -> None:
    A, C, weight, tilt, spin = 0.02 + 1.5 * 0.2**2, 0.015, 1.5 * G * 0.2, 0.6, 150
    roots = np.sort(np.roots([(A - C) * math.cos(tilt), -C * spin, weight]).real)
    for guess, p in zip((1, 30), roots, strict=True):
        momentum = C * (spin + p * math.cos(tilt))
        bend = -A * p**2 * math.cos(2 * tilt) + (momentum * p - weight) * math.cos(tilt)  # textbook: V_eff'' / A
        nutation = math.sqrt((bend + (momentum - 2 * A * p * math.cos(tilt)) ** 2 / A) / A)
        assert nonzero(modes_of("heavy_top.yaml", guess=guess)) == pytest.approx([1j * nutation], rel=1e-9)


@check("flyball_governor.yaml")
def flyball_governor() -> None:
    point = eb.operating_point(eb.load(EXAMPLES / "flyball_governor.yaml"))
    cosine = G * (1.5 + 6 + 1.5 * 0.2 + 0.5 * 0.3) / ((1.5 + 0.5 / 3) * 0.25 * 16**2)  # see the file
    lift = 0.5 * (math.cos(math.radians(35)) - cosine)
    assert point.coordinates()["sleeve"] == pytest.approx(lift, abs=1e-12)


@check("rotor_stator.yaml")
def rotor_stator() -> None:
    expected = {  # damped frequencies in Hz of the equations of motion in ground axes; Negrut & Ortiz 2006, Figs. 6-9
        "0 Hz": [0.127177187, 0.127177187, 0.129949456, 0.639093829, 0.639093829, 15.895587492],
        "0.5 Hz": [0.126247702, 0.127739224, 0.129949456, 0.361730598, 1.132439848, 15.895587492],
        "1 Hz": [0.124464511, 0.128113742, 0.129949456, 0.233502471, 1.774254785, 15.895587492],
    }
    for speed, frequencies in expected.items():
        modes = modes_of("rotor_stator.yaml", speed=speed)
        assert modes.kinds[:2] == ("rigid", "rigid")
        assert np.sort(modes.damped_frequency_hz)[2:] == pytest.approx(frequencies, abs=6e-10)


@check("rotor_on_bearing.yaml")
def rotor_on_bearing() -> None:
    whirl = np.sort(np.abs(np.roots([0.6, -1.0 * 50, -500])))  # It n^2 - Ip Omega n - k = 0
    assert whirl == pytest.approx([9.023, 92.356], abs=5e-4)
    assert np.imag(nonzero(modes_of("rotor_on_bearing.yaml"))) == pytest.approx(whirl, rel=1e-12)


@check("two_blades.yaml")
def two_blades() -> None:
    model = eb.load(EXAMPLES / "two_blades.yaml")
    equations = bladed_equations(2, 30.0, kx=1000.0, ky=1500.0, c=5.0, cb=0.2, kb=0.0)
    found = eb.floquet(model)
    same_sets(found.multipliers, np.linalg.eigvals(monodromy(equations, found.period, 8)), 1e-9)
    assert found.growth == pytest.approx(0.023951, abs=1e-6)


@check("three_blade_turbine.yaml")
def three_blade_turbine() -> None:
    model = eb.load(EXAMPLES / "three_blade_turbine.yaml")
    found = eb.modes(model)
    assert (found.stability, found.linear.blades.count) == ("stable", 3)
    fast = model.with_parameters(speed=20.0)  # short turns are cheap to follow
    values, period = eb.modes(fast).eigenvalues, eb.floquet(fast)
    same_sets(np.exp(np.concatenate((values, values.conj())) * period.period), period.multipliers, 1e-9)
    at_rest = eb.modes(model.with_parameters(speed=0.0)).frequency_hz[:8]
    assert at_rest[:2] == pytest.approx(0.32, abs=0.02)  # NREL/TP-500-38060, table 9-1: 0.31 to 0.32
    assert at_rest[2:5] == pytest.approx([0.64, 0.67, 0.70], abs=0.02)  # 0.6296 to 0.7019
    assert at_rest[5:] == pytest.approx(1.08, abs=0.1)  # 1.0740 to 1.0898


@check("parametric_pendulum.yaml")
def parametric_pendulum() -> None:
    found = eb.floquet(eb.load(EXAMPLES / "parametric_pendulum.yaml"), sensitivity="w")

    def hand(w: float) -> np.ndarray:
        pull = lambda t: 0.5 * (9.81 - 0.05 * w**2 * np.cos(w * t)) / 0.35  # noqa: E731
        return np.linalg.eigvals(monodromy(lambda t: np.array([[0, 1], [pull(t), 0]]), 2 * np.pi / w, 2))

    same_sets(found.multipliers, hand(200.0), 1e-9)
    rates = [np.abs(np.angle(hand(w)))[0] * w / (2 * np.pi) for w in (200.2, 199.8)]
    assert found.slopes.exponents[0, 0].imag == pytest.approx((rates[0] - rates[1]) / 0.4, rel=1e-5)
    assert found.stability == "marginal"


@check("chaplygin_sleigh.yaml")
def chaplygin_sleigh() -> None:
    decay = 2 * 0.25 * 1.5 / (0.3 + 2 * 0.25**2)  # textbook: m a V / (I + m a^2)
    forwards, backwards = modes_of("chaplygin_sleigh.yaml"), modes_of("chaplygin_sleigh.yaml", V=-1.5)
    assert nonzero(forwards) == pytest.approx([-decay], rel=1e-12)
    assert nonzero(backwards) == pytest.approx([decay], rel=1e-12)
    assert (forwards.states, forwards.dof) == (5, 2)
    assert (forwards.stability, backwards.stability) == ("drifting", "unstable")


@check("geared_shafts.yaml")
def geared_shafts() -> None:
    modes = modes_of("geared_shafts.yaml")
    assert nonzero(modes) == pytest.approx([100j], rel=1e-12)  # k (1/(Jw + 9 Jm) + 1/Jl) = 1e4
    wheel, motor = (modes.bodies.index(name) for name in ("wheel", "motor"))
    turning = modes.shapes[-1][:, 5]
    assert turning[motor] == pytest.approx(-3 * turning[wheel], rel=1e-12)


@check("python_api.py")
def python_api() -> None:
    example = runpy.run_path(str(EXAMPLES / "python_api.py"))
    linear = example["linearized"]()
    assert linear.states == ("pin", "pin'", "torque")
    inertia, weight, lag, kp, kd = 0.25 + 3 * 0.5**2, 3 * G * 0.5, 0.02, 60, 12
    plant = np.polymul([inertia, 0, -weight], [lag, 1])
    roots = np.roots(np.polyadd(plant, [kd, kp]))  # the loop closed by hand
    expected = sorted((r for r in roots if r.imag >= 0), key=abs)
    modes = eb.modes(linear)
    assert modes.eigenvalues == pytest.approx(expected, rel=1e-10)
    assert modes.stability == "stable"
    example["main"]()


@check("unsymmetric_shaft.yaml")
def unsymmetric_shaft_example() -> None:
    """Equations by hand in the fixed frame, integrated over a turn; on equal bearings constant in the frame of the
    shaft."""
    both = eb.load(EXAMPLES / "unsymmetric_shaft.yaml")
    one = both.with_parameters(ky=8e6)
    period = 2 * math.pi / 140
    wanted = np.linalg.eigvals(transition(unsymmetric_shaft(140.0), period))
    same_sets(eb.floquet(both).multipliers, wanted, 1e-8)
    exact = np.linalg.eigvals(in_frame_of_shaft(140.0))
    same_sets(eb.floquet(one).multipliers, np.exp(exact * period), 1e-8)
    frames = eb.modes_in_frames(one, "spin").rotating
    same_sets(frames.eigenvalues, exact[exact.imag >= 0], 1e-6)
    assert eb.modes(one).stability == "unstable"  # as seen from the shaft
    assert eb.modes(both).stability == "frozen"
    still = both.with_parameters(speed=120.0)
    assert eb.floquet(still).stability == "stable"


@check("cracked_shaft.yaml")
def cracked_shaft_example() -> None:
    """Equations by hand in the fixed frame: multipliers, and the motion under gravity that repeats itself."""
    model, period = eb.load(EXAMPLES / "cracked_shaft.yaml"), 2 * math.pi / 75
    matrices = cracked_shaft(75.0)
    point = eb.operating_point(model)
    same_sets(eb.floquet(point).multipliers, np.linalg.eigvals(transition(matrices, period)), 1e-8)
    motion = eb.simulate(point, until=period, points=33, tolerance=1e-12)
    found = np.column_stack([motion.signal("disc.x"), motion.signal("disc.y")])
    wanted = orbit(matrices, period, np.array([0.0, -9.81]), motion.t)
    assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max()


@check("washing_machine_run_up.py")
def washing_machine_run_up() -> None:
    """Equations of the plane by hand, through all resonances; the largest swing that the page tells."""
    machine = runpy.run_path(str(EXAMPLES / "washing_machine_run_up.py"))
    motion = eb.simulate(machine["model"](), until=2.5, times=1 / 128, tolerance=1e-8)
    wanted = washer(machine, motion.t)
    found = np.column_stack([motion.signal(name) for name in ("tub.x", "tub.y", "tub.rz")])
    assert np.abs(found - wanted).max() < 1e-6 * np.abs(wanted).max()
    assert machine["largest"](motion)["up and down"][0] == pytest.approx(0.0200, abs=5e-5)


@check("flexible_rotor.py")
def flexible_rotor() -> None:
    """Rotor finite elements by hand; and the same numbers by ROSS as recorded by benchmarks/rotors.py."""
    names = runpy.run_path(str(EXAMPLES / "flexible_rotor.py"))
    record = json.loads(sorted(ROSS.glob("*.json"))[-1].read_text())["agreement"]
    rows = {(row["rotor"], row["speed"]): np.array(row["ross"]) @ [1, 1j] for row in record["rows"]}
    for rotor in names["ROTORS"]:
        shaft = Shaft(rotor.length, rotor.diameter, 60, rotor.E, rotor.nu, rotor.density)
        bearing = (np.array(rotor.k), rotor.c * np.eye(2))
        discs = {round(z / rotor.length * 60): tuple(rest) for z, *rest in rotor.discs}
        parts = both_planes(shaft, {0: bearing, 60: bearing}, discs)
        for speed, found in zip(rotor.speeds, names["whirl"](rotor, 4, 20), strict=True):
            wanted = eigenvalues(parts, speed)[:4]
            for reference in (wanted, rows[rotor.name, speed]):
                same_sets(np.log(found), np.log(reference), 1e-4)  # relative differences


@check("two_disc_rotor.py")
def two_disc_rotor() -> None:
    """Error against the book (Friswell et al. 2010, example 5.9.1) falls with the square of the number of pieces."""
    example = runpy.run_path(str(EXAMPLES / "two_disc_rotor.py"))
    book = np.array([85.389467, 87.7958637, 251.7846041, 294.7133309, 600.179362])
    coarse, fine = (example["whirl_speeds"]("4000 rpm", n)[:5] / book - 1 for n in (6, 12))
    assert np.abs(fine).max() < 1.6e-3
    assert coarse[:4] / fine[:4] == pytest.approx(4, rel=0.03)


@check("oil_whip.yaml")
def oil_whip() -> None:
    """The table is the film of a short bearing, and the bending mode grows above the speed of the gallery."""
    film = ShortBearing(0.05, 0.025, 50e-6, 0.02, 360.0)
    table = np.loadtxt(EXAMPLES / "data" / "short_bearing.csv", delimiter=",", skiprows=2)
    for rpm, *coefficients in table[::5]:
        k, c = film.coefficients(rpm * math.pi / 30)
        np.testing.assert_allclose(coefficients, [*(k.ravel() / 1e6), *(c.ravel() / 1e3)], rtol=1e-7)
    assert modes_of("oil_whip.yaml", speed="3740 rpm").stability == "drifting"
    assert modes_of("oil_whip.yaml", speed="3760 rpm").stability == "unstable"
    with pytest.raises(eb.InputError, match="lies outside of its table"):
        modes_of("oil_whip.yaml", speed="9000 rpm")


@check("anisotropic_bearings.yaml")
def anisotropic_bearings() -> None:
    """Critical speeds of rotor finite elements by hand, on the same bearings."""
    model = eb.load(EXAMPLES / "anisotropic_bearings.yaml")
    bodies = model.description.bodies
    discs = {node: (bodies.mass[k], bodies.inertia[k, 0, 0], bodies.inertia[k, 2, 2]) for k, node in ((0, 10), (1, 20))}
    bearing = np.diag([1e6, 0.8e6]), 200 * np.eye(2)
    parts = both_planes(Shaft(1.5, 0.05, 30, 211e9, 211 / 162.4 - 1, 7810), {0: bearing, 30: bearing}, discs)
    places = ((0, 82.0), (1, 87.0), (2, 248.0), (3, 282.0))
    wanted = [brentq(lambda w, k=k: eigenvalues(parts, w)[k].imag - w, near - 6, near + 6) for k, near in places]
    found = eb.campbell(model, "speed", np.linspace(60, 300, 4), n=7)
    speeds = [place.spin for place in found.critical_speeds if "axial" not in found.labels[place.branch]]
    assert speeds == pytest.approx(wanted, rel=2e-5)
    told = [note.partition(":")[0] for note in found.notes]
    assert len(set(told)) == len(told)  # not once for every point


@check("torsional_line.yaml")
def torsional_line() -> None:
    """The chain at the speed of the wheel: inertias and stiffnesses of the engines count four times."""
    je, jw, js, ke, ks = 4 * 90, 60 + 2 * 4 * 4, 500, 4 * 0.8e6, 1.2e6
    M = np.diag([je, je, jw, js])
    K = np.array([[ke, 0, -ke, 0], [0, ke, -ke, 0], [-ke, -ke, 2 * ke + ks, -ks], [0, 0, -ks, ks]])
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)[1:]
    found = nonzero(modes_of("torsional_line.yaml")).imag
    assert found == pytest.approx(np.sqrt(squares), rel=1e-10)
    assert found[1] == pytest.approx(math.sqrt(0.8e6 / 90), rel=1e-10)


@check("cart_pole_lqr.py")
def cart_pole_lqr() -> None:
    pytest.importorskip("control")
    example = runpy.run_path(str(EXAMPLES / "cart_pole_lqr.py"))
    gains = example["gains"]()
    linear = eb.linearize(example["plant"]())
    row = np.array([[gains[name] for name in linear.states]])
    expected = [v for v in np.linalg.eigvals(linear.A - linear.B @ row) if v.imag >= 0]
    assert eb.modes(example["controlled"](gains)).eigenvalues == pytest.approx(sorted(expected, key=abs), rel=1e-8)


@check("pump_on_frame.py")
def pump_on_frame() -> None:
    """All modes: the whole pump. Fewer: from above, and the better the more there are."""
    whole, found, _ = runpy.run_path(str(EXAMPLES / "pump_on_frame.py"))["comparison"]()
    assert found[14][:8] == pytest.approx(whole[:8], rel=1e-9)
    off = np.array([found[n][:8] / whole[:8] - 1 for n in (0, 2, 6)])
    assert np.all(off > 0)
    assert np.all(np.diff(off, axis=0) < 0)
    assert np.all(off[2, :6] < 1e-3)


@check("actuated_linkage.yaml")
def actuated_linkage() -> None:
    modes = modes_of("actuated_linkage.yaml")
    point = modes.linear.point
    assert modes.stability == "stable"
    assert point.contacts == {"stop": "open"}
    valve, pressure = point.state.x  # what leaks goes through the valve; the valve's error holds the load
    assert 2e-7 * valve * math.sqrt(12e6 - pressure) == pytest.approx(2e-12 * pressure, rel=1e-9)
    assert 4 * (point.coordinates()["A"] - 0.3) == pytest.approx(valve, rel=1e-9)


@check("families.py")
def families() -> None:
    family = runpy.run_path(str(EXAMPLES / "families.py"))["family"]
    n, k = 10, 1e4 * 180 / math.pi
    chain = [math.sqrt(k) / math.pi * math.sin((2 * j - 1) * math.pi / (2 * (2 * n + 1))) for j in range(1, n + 1)]
    expected = {
        "C10RF1": chain,  # torsional chain, clamped at one end: closed form
        # the others: assembled independently in absolute coordinates with the null space of the constraints
        "C3RF1": [53.61450709, 150.2245106, 217.0807074],
        "TL4RF1": [
            2.863143416, 6.507477848, 10.23631292, 18.60868718, 30.26369152, 33.55430711, 43.38920932, 56.78278167,
            65.91251552, 79.27746587, 117.8579198, 149.5050187, 162.4771118, 209.457803, 232.1916542,
        ],
        "L3RF1": [121.770203, 162.9627712, 167.9150884],
        "L3RF2": [121.770203, 162.9627712, 167.9150884],  # two springs share the stiffness of one
    }  # fmt: skip
    for name, frequencies in expected.items():
        modes = eb.modes(eb.load(family(name)))
        assert modes.frequency_hz == pytest.approx(frequencies, rel=1e-8), name
        assert modes.damping_ratio == pytest.approx(np.array(frequencies) * math.pi * 1e-3, rel=1e-8)  # C = 1e-3 s K
    assert len(eb.modes(eb.load(family("L3RF1"))).certificate.redundant) == 9  # 60 rows, rank 51


@check("cut_joints.py")
def cut_joints() -> None:
    names = runpy.run_path(str(EXAMPLES / "cut_joints.py"))
    for rocker, right in ((1.0, 7.848), (2.0, 147.15 / 21.25)):  # Table 4.1; potential along the constraints
        cuts = {joint: names["opened"](names["model"](rocker), joint) for joint in "abcd"}
        assert [cut.right for cut in cuts.values()] == pytest.approx([right] * 4, rel=1e-11)
        assert [cut.coordinates - cut.rows for cut in cuts.values()] == [1] * 4
    assert cuts["c"].without == pytest.approx(171.675 / 21.25, rel=1e-11)  # Eq. 4.13 by hand, ball joint cut
    assert min(abs(cut.without / right - 1) for cut in cuts.values()) > 0.15


@check("seven_freedom_chain.py")
def seven_freedom_chain() -> None:
    names = runpy.run_path(str(EXAMPLES / "seven_freedom_chain.py"))
    found = eb.equilibrium(names["model"]()).point.coordinates()
    rest = names["settled"]()
    assert rest == pytest.approx({name: found[name] for name in rest}, abs=1e-5)
    chain = names["model"](position=found)
    hz = eb.modes(chain).frequency_hz
    route = eb.by_route(chain, "relative").eigenvalues
    assert hz == pytest.approx(np.sort(np.abs(route[route.imag > 0])) / (2 * np.pi), rel=1e-9)
    assert names["peaks"](*names["spectra"](found), hz) == pytest.approx(hz, abs=0.0025)  # the 200 s of Table 3.6


@check("manipulator_reach.py")
def manipulator_reach() -> None:
    """Conservation, work and rates of momentum; integrals and derivatives by splines through 41 instants."""
    from scipy.interpolate import make_interp_spline

    names = runpy.run_path(str(EXAMPLES / "manipulator_reach.py"))
    free, held = names["free"](), names["held"]()
    assert np.abs(free.linear_momentum).max() < 1e-7  # kg m/s; the arms have up to 100
    assert np.abs(free.angular_momentum).max() < 1e-7
    assert names["distance"](free, -1) == pytest.approx(0, abs=1e-9)
    for found in (free, held):
        work = make_interp_spline(found.t, found.power.sum(axis=1), 5).antiderivative()(found.t)
        assert work == pytest.approx(found.kinetic_energy, abs=2e-4 * found.kinetic_energy.max())
    for momentum, load in (
        (held.linear_momentum, held.holding_force), (held.angular_momentum, held.holding_moment),
    ):  # fmt: skip
        rate = make_interp_spline(held.t, momentum, 5).derivative()(held.t)
        np.testing.assert_allclose(load[:, 0], rate, atol=2e-3 * np.abs(rate).max())


@check("rotor_run_up.py")
def rotor_run_up() -> None:
    """A Hann window of 80 s has lines 0.025 Hz wide."""
    names = runpy.run_path(str(EXAMPLES / "rotor_run_up.py"))
    for name, expected, found in names["compare"](80.0):
        assert found == pytest.approx(expected, abs=0.025), name


def test_families_on_the_command_line() -> None:
    run = [sys.executable, str(EXAMPLES / "families.py")]
    good = subprocess.run([*run, "L3RF1"], capture_output=True, text=True, check=False)
    assert good.returncode == 0
    model = json.loads(good.stdout)
    assert (len(model["bodies"]), len(model["joints"]), len(model["forces"])) == (9, 12, 12)
    bad = subprocess.run([*run, "X3"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert "C10RF1" in bad.stderr


@pytest.mark.parametrize("closing", ["spherical", "inline"])
def test_parallelogram_closed_by_a_point_constraint(closing: str) -> None:
    """The sign of the multiplier term shows upside down: +-sqrt(11.772), not sqrt(2.943)."""
    document = eb.load(EXAMPLES / "parallelogram.yaml", g=-G).document
    document["joints"]["d"]["type"] = closing
    modes = eb.modes(eb.load(document))
    assert np.sort(modes.eigenvalues.real) == pytest.approx([-math.sqrt(1.2 * G), math.sqrt(1.2 * G)], rel=1e-12)


@check("whipple_bicycle.yaml")
def whipple_bicycle() -> None:
    # Meijaard, Papadopoulos, Ruina and Schwab 2007, table 2
    published = [-0.322866429004087, -0.775341882195842 + 4.464867713788225j, -14.0783896927982]
    np.testing.assert_allclose(nonzero(modes_of("whipple_bicycle.yaml")), published, rtol=0, atol=1e-9)
    assert modes_of("whipple_bicycle.yaml", v=4.2).stability == "unstable"  # weave
    assert modes_of("whipple_bicycle.yaml", v=6.1).stability == "unstable"  # capsize


@check("rolling_disc.yaml")
def rolling_disc() -> None:
    m, r, spin = 2.0, 0.5, 3.0 / 0.5
    A, D = m * r**2 / 2, m * r**2 / 4
    expected = math.sqrt((A * (A + m * r**2) * spin**2 - D * m * G * r) / (D * (D + m * r**2)))
    np.testing.assert_allclose(nonzero(modes_of("rolling_disc.yaml")), [1j * expected], atol=1e-10)
    assert modes_of("rolling_disc.yaml", v=1.28).stability == "drifting"
    assert modes_of("rolling_disc.yaml", v=1.27).stability == "unstable"


@check("rattleback.yaml")
def rattleback() -> None:
    """The equations of the rolling stone in its own axes (tests/verification/elements/test_rolling_surfaces.py)."""
    forth, back = modes_of("rattleback.yaml"), modes_of("rattleback.yaml", spin=-5)
    expected = [0.20252128 + 34.14369167j, -2.1206924 + 109.39232284j]
    np.testing.assert_allclose(nonzero(forth)[1:], expected, rtol=1e-8)
    np.testing.assert_allclose(nonzero(back)[1:], -np.conj(expected), rtol=1e-8)
    assert nonzero(forth)[0] == pytest.approx(5j)  # the place on the table, seen from the turning frame
    assert (forth.stability, back.stability) == ("unstable", "unstable")


@check("caster.yaml")
def caster() -> None:
    V, L, a, r, m, k = 3.0, 0.4, 0.2, 0.16329931618554522, 2.0, 130.0
    mu, wn2 = (a * (L - a) - r**2) / (a**2 + r**2), k * L**2 / (m * (a**2 + r**2))
    expected = np.roots([1, (1 + mu) * V / L, wn2, V / L * wn2])
    np.testing.assert_allclose(nonzero(modes_of("caster.yaml")), [expected[2], expected[0]], rtol=1e-9)
    assert modes_of("caster.yaml", r=0.21).stability == "unstable"


@check("quarter_car.yaml")
def quarter_car() -> None:
    found = nonzero(modes_of("quarter_car.yaml"))
    expected = [-1.2609383016 + 5.6321418644j, -20.2390616984 + 58.9999030664j]  # two masses by hand
    np.testing.assert_allclose(found, expected, rtol=0, atol=6e-11)
    response = eb.psd(eb.load(EXAMPLES / "quarter_car.yaml"), eb.Road("B", 20.0), outputs="acceleration")
    assert response.rms["acceleration"] == pytest.approx(0.407497651821, abs=1e-11)  # quadrature of the closed form


@check("half_car.yaml")
def half_car() -> None:
    model = eb.load(EXAMPLES / "half_car.yaml")
    m, J, mu, a, b, k, c, kt = 1000, 1500, 50, 1.2, 1.4, 18e3, 1500, 180e3
    lift = np.array([[1, a], [1, -b]])  # of the ends by heave and nose-up pitch
    struts = np.block([[lift.T @ lift, -lift.T], [-lift, np.eye(2)]])
    M, K = np.diag([m, J, mu, mu]), k * struts + np.diag([0, 0, kt, kt])
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.linalg.solve(M, K), -np.linalg.solve(M, c * struts)]])
    expected = sorted((v for v in np.linalg.eigvals(A) if v.imag > 0), key=abs)
    np.testing.assert_allclose(nonzero(eb.modes(model)), expected, rtol=1e-9)
    response = eb.psd(model, eb.Road("B", 20.0), outputs="pitch", delays={"rear": 0.13})
    assert response.rms["pitch"] == pytest.approx(response.rms_exact["pitch"], rel=1e-8)
    assert response.rms["pitch"] == pytest.approx(0.00179868, abs=5e-9)


@check("overhung_rotor.yaml")
def overhung_rotor() -> None:
    modes = modes_of("overhung_rotor.yaml")
    published = [69.340778735, 95.3498581426, 362.7525221145, 536.7434427068]  # Stodola; rad/s at 100 rad/s
    assert np.imag(nonzero(modes)) == pytest.approx(published, abs=1e-9)
    found = eb.campbell(eb.load(EXAMPLES / "overhung_rotor.yaml"), "speed", [50.0, 120.0])
    forward = [c.spin for c in found.critical_speeds if found.whirl[c.branch] == "forward"]
    assert forward == pytest.approx([94.6781274761], abs=1e-9)


@check("which_screw.yaml")
def which_screw() -> None:
    model = eb.load(EXAMPLES / "which_screw.yaml")
    found = eb.sensitivity(model)
    assert found.modes.frequency_hz[2] == pytest.approx(13.8915, abs=1e-4)  # beside the motor's 840 rpm
    assert [found.names[i] for i in found.ranking(2)][:3] == ["reach", "hinge_z", "motor_x"]
    reach = found.names.index("reach")
    ahead, behind = (eb.modes(model.with_parameters(reach=0.22 + d)).frequency_hz[2] for d in (1e-4, -1e-4))
    assert found.frequency_hz[reach, 2] == pytest.approx((ahead - behind) / 2e-4, rel=1e-6)


@check("helicopter_blade.yaml")
def helicopter_blade() -> None:
    """NASA TM-4760 at 660 rpm, NASTRAN (more in tests/verification/elements/test_flexible.py)."""
    hertz = modes_of("helicopter_blade.yaml").frequency_hz
    for wanted in (11.50, 29.62, 49.29, 55.69, 96.52, 102.53):
        assert np.abs(hertz / wanted - 1).min() < 3e-3


@check("flexible_slider_crank.yaml")
def flexible_slider_crank() -> None:
    """Bending of a rod pinned at both ends."""
    pinned = (math.pi / 0.45) ** 2 * math.sqrt(2.1e11 * 0.006**2 / 12 / 7850) / (2 * math.pi)
    assert modes_of("flexible_slider_crank.yaml").frequency_hz[0] == pytest.approx(pinned, rel=5e-4)


# The gallery; more of each in tests/verification/seeds/test_gallery.py ------------------------------------------------
@check("quadruped.yaml")
def quadruped() -> None:
    modes = modes_of("quadruped.yaml")
    assert modes.dof == 18  # Jiang, Chen & Luo 2011
    assert modes.stability == "stable"
    assert eb.verify(eb.load(EXAMPLES / "quadruped.yaml"), ["kane"]).verdict == "agree"


@check("stewart_flexures.yaml")
def stewart_flexures() -> None:
    modes = modes_of("stewart_flexures.yaml")
    assert modes.dof == 12  # Jiang, Chen & Luo 2011
    spin = math.sqrt(2 * 20 / (4e-4 + 1.2e-4)) / (2 * math.pi)  # of a leg between its two flexures
    assert modes.frequency_hz[6:9] == pytest.approx([spin] * 3, rel=1e-9)


@check("mcpherson_strut.yaml")
def mcpherson_strut() -> None:
    modes = modes_of("mcpherson_strut.yaml", c=0)
    assert modes.dof == 1
    assert modes.frequency_hz == pytest.approx([11.587], abs=1e-3)  # near Trom 1990, Table 4.2: 11.597
    assert eb.verify(eb.load(EXAMPLES / "mcpherson_strut.yaml"), ["relative"]).verdict == "agree"


@check("twist_axle.yaml")
def twist_axle() -> None:
    modes = modes_of("twist_axle.yaml", c=0)
    assert modes.dof == 2
    both_up = math.sqrt((153e3 * 0.4**2 + 25e3 * 0.35**2) / (1.6 + 45 * 0.33**2)) / (2 * math.pi)
    assert modes.frequency_hz[0] == pytest.approx(both_up, rel=2e-3)  # near Trom 1990, Table 4.2: 10.35


@check("tractor_semitrailer.yaml")
def tractor_semitrailer() -> None:
    modes = modes_of("tractor_semitrailer.yaml")
    assert (modes.dof, modes.states) == (19, 38)  # Trom 1990, section 5.4
    turn = 0.25 * 9.80665 / 22.352  # a path displaced as a whole, seen from the turning frame
    assert np.abs(modes.eigenvalues - 1j * turn).min() < 1e-9


@check("washing_machine.yaml")
def washing_machine() -> None:
    modes = modes_of("washing_machine.yaml")
    assert modes.dof == 10  # Negrut & Ortiz 2006
    assert np.abs(modes.eigenvalues + 0.02 * (1 / 0.12)).min() < 1e-3  # the liquid follows the drum


@check("all_terrain_vehicle.yaml")
def all_terrain_vehicle() -> None:
    modes = modes_of("all_terrain_vehicle.yaml")
    assert modes.dof == 132  # Negrut & Ortiz 2006: 6*28 + 140 - 176
    assert len(modes.certificate.redundant) == 0
    assert modes.stability == "stable"
    with np.load(EXAMPLES / "data" / "atv_frame.npz") as frame:
        free = np.linalg.eigvals(np.linalg.solve(frame["M"], frame["K"]))
    first = math.sqrt(np.sort(free.real)[6]) / (2 * math.pi)
    assert first == pytest.approx(49.849, abs=1e-3)  # of the frame alone, nothing held
    (reduced,) = (body.reduced for body in modes.linear.point.system.description.flexible)
    assert reduced.frequencies[0] / (2 * math.pi) == pytest.approx(first, rel=2e-4)


@check("isolated_table.yaml")
def isolated_table() -> None:
    """((m + ka) s^2 + (c + rub) s + k)(s + leak) + skyhook s^2 = 0, rub = 2 mu m g e / (span transition)."""
    rub = 2 * 0.02 * 40 * G * 0.1 / (0.2 * 0.05)
    for ka, skyhook in ((120.0, 800.0), (0.0, 0.0), (-20.0, 100.0)):
        exact = np.roots(np.polyadd(np.polymul([40 + ka, 80 + rub, 16000], [1, 0.5]), [skyhook, 0, 0]))
        found = modes_of("isolated_table.yaml", ka=ka, skyhook=skyhook).eigenvalues
        upper = exact[exact.imag >= 0]
        np.testing.assert_allclose(found, upper[np.argsort(np.abs(upper))], rtol=1e-10)
    with pytest.raises(eb.InputError, match=r"forces\.actuator.*guide'' and forces depend on each other"):
        modes_of("isolated_table.yaml", ka=-40)


@check("active_suspension.yaml")
def active_suspension() -> None:
    expected = [-4.52657466 + 3.22070875j, -12.87614482 + 72.75435347j, -187.69456104]  # matrices by hand
    np.testing.assert_allclose(nonzero(modes_of("active_suspension.yaml")), expected, rtol=1e-7)
