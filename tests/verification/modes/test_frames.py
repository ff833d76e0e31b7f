"""Modes in the fixed and in a rotating frame: the rotor-stator of Negrut & Ortiz 2006 and machines with known answers.

The reference for the rotor is its complex equation of motion, w = x + i y and th = thx + i thy,

    m w'' - i S th'' + C w' + K w = 0,   I th'' + i S w'' + (Ct - i Iz Omega) th' + Kt th = 0

whose eigenvalues are signed whirl frequencies; seen from the rotor each is lambda - i Omega.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb

EXAMPLES = Path(__file__).parents[3] / "examples"
TWO_PI = 2 * np.pi
ROTOR = {"m": 1500, "S": 1300 * 0.75, "I": 550 + 1300 * 0.75**2, "Iz": 1000, "K": 1e3, "C": 1, "Kt": 1e4, "Ct": 10}


def rotor(speed: float) -> eb.Model:
    return eb.load(EXAMPLES / "rotor_stator.yaml").with_parameters(speed=speed)


def signed_whirl(speed: float) -> np.ndarray:
    """Eigenvalues of the complex equations (4,): positive imaginary part is forward."""
    p, omega = ROTOR, TWO_PI * speed
    M = np.array([[p["m"], -1j * p["S"]], [1j * p["S"], p["I"]]])
    D = np.diag([p["C"], p["Ct"] - 1j * p["Iz"] * omega])
    K = np.diag([p["K"], p["Kt"]])
    first = np.linalg.solve(M, np.hstack((-K, -D)))
    return np.linalg.eigvals(np.vstack((np.hstack((np.zeros((2, 2)), np.eye(2))), first)))


def upper(values: np.ndarray) -> np.ndarray:
    """One of each conjugate pair, by magnitude."""
    values = np.where(values.imag < 0, np.conj(values), values)
    return values[np.argsort(np.abs(values))]


@pytest.mark.parametrize("speed", [0.03, 0.12, 0.1273, 0.2, 0.5, 1.0])
def test_rotor_stator_in_both_frames(speed: float) -> None:
    found = eb.modes_in_frames(rotor(speed), frame="spin")
    lateral = [pair for pair in found.pairs if pair.whirl in ("forward", "backward")]
    assert len(lateral) == 4
    for modes, shift, index in (
        (found.fixed, 0.0, [pair.fixed for pair in lateral]),
        (found.rotating, TWO_PI * speed, [pair.rotating for pair in lateral]),
    ):
        expected = upper(signed_whirl(speed) - 1j * shift)
        np.testing.assert_allclose(upper(modes.eigenvalues[index]), expected, rtol=0, atol=1e-8)
    assert found.fixed_is_constant
    assert found.rotating_is_constant
    assert any("depend on the frame" in note for note in found.notes)


def test_rotor_stator_at_half_a_turn_per_second() -> None:
    """Negrut & Ortiz, Fig. 7 (b) has curves alone; these are the complex equations to nine digits."""
    found = eb.modes_in_frames(rotor(0.5), frame="spin")
    printed = [0.129949456, 0.372260776, 0.626247702, 0.632439848, 0.861730598]
    np.testing.assert_allclose(found.rotating.damped_frequency_hz[2:7], printed, rtol=0, atol=1e-8)
    whirls = {pair.rotating: pair.whirl for pair in found.pairs}
    assert [whirls[j] for j in range(8)] == ["none"] * 3 + ["forward", "backward", "forward", "backward", "none"]
    assert all(pair.likeness > 1 - 1e-9 for pair in found.pairs)
    assert found.rotating.linear.coordinates[:2] == ("stator x in spin", "stator y in spin")


def test_forward_translation_stands_still_at_the_critical_speed() -> None:
    """Past it the mode is overtaken by the rotor: seen from there it goes backwards, its frequency rises again."""
    slow, fast = (eb.modes_in_frames(rotor(speed), frame="spin") for speed in (0.12, 0.135))

    def seen(found: eb.FrameModes) -> tuple[float, float]:
        pair = next(p for p in found.pairs if p.whirl == "forward")
        return found.fixed.damped_frequency_hz[pair.fixed], found.rotating.damped_frequency_hz[pair.rotating]

    whirl, frequency = seen(slow)
    assert frequency == pytest.approx(whirl - 0.12, abs=1e-9)
    whirl, frequency = seen(fast)
    assert frequency == pytest.approx(0.135 - whirl, abs=1e-9)


def test_named_frame_equals_the_frame_of_the_joint() -> None:
    by_joint = eb.modes_in_frames(rotor(0.5), frame="spin")
    turning = rotor(0.5).frame("turn", about=[0, 0, -2], at=[0, 0, 0.3], rate=-np.pi)
    by_name = eb.modes_in_frames(turning, frame="turn")
    for name in ("fixed", "rotating"):
        one, other = getattr(by_joint, name).eigenvalues, getattr(by_name, name).eigenvalues
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-10 * np.abs(one).max())


def disc(ix: float, iy: float, kx: float, ky: float, spin: float = 30.0, axis: tuple = (0, 0, 1)) -> eb.Model:
    """A disc on a bearing that gives way sideways; asymmetric in the disc (ix, iy) or in the bearing (kx, ky)."""
    return eb.Model(
        bodies={"disc": {"mass": 3, "inertia": [ix, iy, 0.5], "at": [0, 0, 0]}},
        joints={"free": {"type": "free", "between": ["ground", "disc"], "velocity": [0, 0, 0, 0, 0, spin]}},
        forces={
            "bearing": {
                "type": "bearing", "between": ["ground", "disc"], "at": [0, 0, 0],
                "k": [kx, ky, 2e3, 800, 800, 0],
            }
        },
    )  # fmt: skip


def test_asymmetric_disc_is_constant_in_the_rotating_frame_alone() -> None:
    """Tilt of a disc with J1 != J2 on an isotropic bearing, in its own axes (textbook: ground resonance of a shaft).

    J1 a'' + (J3 - J2 - J1)... in rotating axes a, b: J1 a'' - (J1 + J2 - J3) W b' + (k + (J3 - J2) W^2) a = 0,
                                                      J2 b'' + (J1 + J2 - J3) W a' + (k + (J3 - J1) W^2) b = 0.
    """
    J1, J2, J3, W, k = 0.3, 0.4, 0.5, 30.0, 800.0
    found = eb.modes_in_frames(disc(J1, J2, 1e3, 1e3), frame="free")
    assert found.rotating_is_constant
    assert found.fixed_is_constant is False
    assert any("constant in the rotating frame alone" in note for note in found.notes)
    M, g = np.diag([J1, J2]), (J1 + J2 - J3) * W
    G = np.array([[0, -g], [g, 0]])
    K = np.diag([k + (J3 - J2) * W**2, k + (J3 - J1) * W**2])
    first = np.linalg.solve(M, np.hstack((-K, -G)))
    exact = np.linalg.eigvals(np.vstack((np.hstack((np.zeros((2, 2)), np.eye(2))), first)))
    exact = np.sort(exact.imag[exact.imag > 0])
    near = [np.abs(found.rotating.eigenvalues.imag - value).min() for value in exact]
    assert max(near) < 1e-9 * exact.max()


def test_asymmetric_bearing_is_constant_in_the_fixed_frame_alone() -> None:
    found = eb.modes_in_frames(disc(0.3, 0.3, 1e3, 2e3), frame="free")
    assert found.fixed_is_constant
    assert found.rotating_is_constant is False
    expected = np.sqrt([1e3 / 3, 2e3 / 3])
    assert all(np.abs(found.fixed.eigenvalues.imag - value).min() < 1e-10 * value for value in expected)


def test_gimballed_rotor_turns_with_its_shaft_not_with_its_ring() -> None:
    """Two hinges in a massless ring: the pair of sideways rotations is that of the shaft. Answer of the fast top."""
    J, Jp, k, spin = 0.6, 1.0, 500.0, 50.0
    model = eb.Model(
        bodies={
            "ring": {"mass": 0, "inertia": [0, 0, 0], "at": [0, 0, 0]},
            "cage": {"mass": 0, "inertia": [0, 0, 0], "at": [0, 0, 0]},
            "rotor": {"mass": 1, "inertia": [J, J, Jp], "at": [0, 0, 0]},
        },
        joints={
            "outer": {"type": "revolute", "between": ["ground", "ring"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "inner": {"type": "revolute", "between": ["ring", "cage"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            "spin": {"type": "revolute", "between": ["cage", "rotor"], "at": [0, 0, 0], "axis": [0, 0, 1],
                     "velocity": spin},
        },
        forces={n: {"type": "spring", "along": n, "k": k} for n in ("outer", "inner")},
    )  # fmt: skip
    found = eb.modes_in_frames(model, frame="spin")
    whirl = np.roots([J, -Jp * spin, -k])  # J w^2 - Jp W w - k = 0 for exp(i w t)
    for modes, shift in ((found.fixed, 0.0), (found.rotating, spin)):
        np.testing.assert_allclose(np.sort(np.abs(whirl - shift)), modes.eigenvalues.imag[2:], rtol=1e-10)


def test_frame_about_a_slanting_axis() -> None:
    """The same rotor lying along (1, 2, 2)/3: nothing depends on how the drawing is turned."""
    axis = np.array([1, 2, 2]) / 3
    from eigenbody.spatial.rotations import frame, quaternion

    turn = frame(axis)
    q = quaternion(turn).tolist()
    model = eb.Model(
        bodies={
            "stator": {"mass": 200, "inertia": [50, 50, 10], "at": [0, 0, 0], "rotation": {"quaternion": q}},
            "rotor": {"mass": 1300, "inertia": [500, 500, 1000], "at": (0.75 * axis).tolist(),
                      "rotation": {"quaternion": q}},
        },
        joints={"spin": {"type": "revolute", "between": ["stator", "rotor"], "at": (0.75 * axis).tolist(),
                         "axis": axis.tolist(), "velocity": np.pi}},
        forces={"mount": {"type": "bushing", "between": ["ground", "stator"], "at": [0, 0, 0], "axis": axis.tolist(),
                          "k": [1e3, 1e3, 1e3, 1e4, 1e4, 1e5], "c": [1, 1, 1, 10, 10, 100]}},
    )  # fmt: skip
    upright, slanting = eb.modes_in_frames(rotor(0.5), frame="spin"), eb.modes_in_frames(model, frame="spin")
    for name in ("fixed", "rotating"):
        one, other = getattr(upright, name).eigenvalues, getattr(slanting, name).eigenvalues
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.abs(one).max())


def test_bodies_that_hang_on_the_frame_are_seen_from_the_ground_too() -> None:
    """A point mass on springs at rest, its coordinates given relative to a turning frame: fixed frame sqrt(k/m)."""
    model = eb.Model(
        bodies={"p": {"mass": 2, "at": [0, 0, 0]}},
        frames={"turn": {"about": [0, 0, 1], "rate": 3}},
        joints={"free": {"type": "free", "between": ["turn", "p"]}},
        forces={"mount": {"type": "bearing", "between": ["ground", "p"], "at": [0, 0, 0], "k": [50, 50, 8, 0, 0, 0]}},
    )
    found = eb.modes_in_frames(model, frame="turn")
    np.testing.assert_allclose(found.fixed.eigenvalues.imag, [2, 5, 5], rtol=1e-12)
    np.testing.assert_allclose(found.rotating.eigenvalues.imag, [2, 2, 8], rtol=1e-12)
    resting = eb.modes_in_frames(eb.operating_point(model, at="equilibrium"), frame="turn")
    np.testing.assert_allclose(resting.rotating.eigenvalues.imag, [2, 2, 8], rtol=1e-12)


def test_blade_hinges_are_the_same_in_both_frames() -> None:
    """A lag hinge at e on a rigid hub: w^2 = W^2 m e l / (m l^2 + J) for a point-like blade; no frame changes it."""
    e, length, W = 0.3, 1.2, 20.0
    model = eb.Model(
        bodies={
            "hub": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
            "blade": {"mass": 2, "inertia": [1e-3, 1e-3, 1e-3], "at": [e + length, 0, 0]},
        },
        joints={
            "spin": {"type": "revolute", "between": ["ground", "hub"], "at": [0, 0, 0], "motion": "=20*t"},
            "lag": {"type": "revolute", "between": ["hub", "blade"], "at": [e, 0, 0], "axis": [0, 0, 1]},
        },
    )
    found = eb.modes_in_frames(model, frame="spin")
    w = W * np.sqrt(2 * e * length / (2 * length**2 + 1e-3))
    np.testing.assert_allclose(found.fixed.eigenvalues.imag, [w], rtol=1e-10)
    np.testing.assert_allclose(found.rotating.eigenvalues.imag, [w], rtol=1e-10)
    assert found.pairs[0].whirl == "none"


@pytest.mark.parametrize(("name", "said"), [("spn", 'Did you mean "spin"?'), ("mount", "no frame and no joint")])
def test_unknown_frames(name: str, said: str) -> None:
    with pytest.raises(eb.InputError, match="there is no frame and no joint") as error:
        eb.modes_in_frames(rotor(0.5), frame=name)
    assert said in str(error.value)


def test_at_standstill_both_frames_are_one() -> None:
    found = eb.modes_in_frames(rotor(0.0), frame="spin")
    assert found.frame.rate == 0
    np.testing.assert_array_equal(found.fixed.eigenvalues, found.rotating.eigenvalues)
    assert {pair.whirl for pair in found.pairs} == {"none"}
    assert found.notes == ("Nothing moves here: the rotating frame stands still, and both sets are the same.",)
    assert "0 rad/s = 0 Hz" in str(found)


def test_a_joint_that_does_not_turn_while_others_do_has_no_rotating_frame() -> None:
    with pytest.raises(eb.InputError, match="does not turn at the operating point"):
        eb.modes_in_frames(jeffcott(25.0, still=True), frame="still")


def jeffcott(speed: float, k1: float = 400.0, k2: float = 900.0, still: bool = False) -> eb.Model:
    """A disc of 1 kg on a shaft without symmetry, k1 and k2 in axes that turn with it; no damping."""
    place = {"at": [0, 0, 0], "axis": [0, 0, 1]}
    bodies = {
        "shaft": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
        "disc": {"mass": 1, "inertia": [0.1, 0.1, 0.2], "at": [0, 0, 0]},
    }
    joints = {
        "spin": {"type": "revolute", "between": ["ground", "shaft"], "velocity": speed, **place},
        "plane": {
            "type": "planar", "between": ["ground", "disc"], "axis2": [1, 0, 0], "velocity": [0, 0, speed], **place,
        },
    }  # fmt: skip
    if still:
        bodies["block"] = {"mass": 1, "inertia": [1, 1, 1], "at": [3, 0, 0]}
        joints["still"] = {"type": "revolute", "between": ["ground", "block"], "at": [3, 0, 0], "axis": [0, 0, 1]}
    bend = {"type": "bushing", "between": ["shaft", "disc"], "at": [0, 0, 0], "k": [k1, k2, 0, 0, 0, 1e4]}
    return eb.Model(bodies=bodies, joints=joints, forces={"bend": bend})


@pytest.mark.parametrize("speed", [0.0, 10.0, 19.999, 20.001, 25.0, 29.999, 30.001, 60.0])
def test_unsymmetric_jeffcott_shaft_is_unstable_between_its_two_natural_frequencies(speed: float) -> None:
    """Turning axes: (s^2 + k1/m - W^2)(s^2 + k2/m - W^2) + 4 W^2 s^2 = 0, a real root where k1/m < W^2 < k2/m."""
    k1, k2 = 400.0, 900.0
    exact = np.roots([1, 0, k1 + k2 + 2 * speed**2, 0, (k1 - speed**2) * (k2 - speed**2)])
    model = jeffcott(speed, k1, k2)
    found = eb.modes_in_frames(model, frame="spin")
    assert found.rotating_is_constant
    for value in exact[(exact.imag > 1e-9) | ((np.abs(exact.imag) < 1e-9) & (exact.real > 0))]:
        assert np.abs(found.rotating.eigenvalues - value).min() < 1e-7 * np.abs(exact).max()
    is_inside = k1 < speed**2 < k2
    assert (found.rotating.stability == "unstable") is is_inside
    assert (eb.modes(model).stability == "unstable") is is_inside


def command(*arguments: str) -> subprocess.CompletedProcess:
    path = str(EXAMPLES / "rotor_stator.yaml")
    return subprocess.run(
        [sys.executable, "-m", "eigenbody", "modes", path, *arguments], capture_output=True, text=True, check=False
    )


def test_command_line(tmp_path: Path) -> None:
    outcome = command("--frame", "spin", "--json", "-o", str(tmp_path / "r.csv"))
    document = json.loads(outcome.stdout)
    frames = document["frames"]
    assert frames["rate"] == pytest.approx(np.pi)
    rotating = {mode["index"]: mode["damped_frequency_hz"] for mode in frames["rotating"]}
    fixed = {mode["index"]: mode["damped_frequency_hz"] for mode in document["modes"]}
    for pair in frames["pairs"]:
        shift = {"forward": -0.5, "backward": 0.5, "none": 0.0}[pair["whirl"]]
        assert rotating[pair["rotating"]] == pytest.approx(abs(fixed[pair["fixed"]] + shift), abs=1e-9)
    assert (tmp_path / "r.csv").read_text().startswith("fixed_index,")
    text = command("--frame", "spin").stdout
    assert "0.372260776" in text
    assert "Eigenvalues depend on the frame" in text


def test_command_line_refuses_what_it_cannot_do() -> None:
    outcome = command("--frame", "spin", "--n", "3")
    assert outcome.returncode == 2
    assert "--frame" in outcome.stderr


def shaft_held(between: list[str], sign: int) -> eb.Model:
    """A round shaft on unequal bearings, free but for them; `sign` of its turning as the joint counts it."""
    bearing = {"type": "bearing", "c": [100, 100, 10, 0, 0, 0], "k": [1e7, 1.3e7, 1e6, 0, 0, 0]}
    steel = {"E": 2.1e11, "nu": 0.3, "density": 7800, "diameter": 0.05, "elements": 4, "modes": 4}
    return eb.Model(
        flexible={"shaft": {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], **steel}},
        joints={
            "hold": {"type": "free", "between": between, "at": [0, 0, 0], "velocity": [0, 0, 0, 0, 0, sign * 300.0]}
        },
        forces={
            "left": {**bearing, "between": ["ground", "shaft.start"], "at": [0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.end"], "at": [0, 0, 1]},
        },
    )


def test_a_joint_written_from_what_turns_is_seen_from_the_ground_or_named_with_its_remedy() -> None:
    """Its coordinates turn with the shaft, the bearings do not. The modes of the model are those of coordinates from
    ground; the linear equations as they are belong to an instant, and following the remedy they are constant."""
    model = shaft_held(["shaft.start", "ground"], -1)
    turned = eb.modes(eb.linearize(model))
    assert turned.stability == "frozen"
    (remedy,) = [note for note in turned.notes if note.startswith("joints.hold: ")]
    assert "between: [ground, shaft.start]" in remedy
    assert "with the other sign" in remedy
    plain = eb.modes(shaft_held(["ground", "shaft.start"], 1))
    assert plain.is_constant
    seen = eb.modes(model)
    assert (seen.linear.seen_from, seen.stability) == ("ground", plain.stability)
    np.testing.assert_allclose(seen.eigenvalues, plain.eigenvalues, rtol=1e-8, atol=1e-6)
    assert not any(note.startswith("joints.hold: ") for note in plain.notes)
    np.testing.assert_allclose(plain.linear.point.state.w, turned.linear.point.state.w, atol=1e-9)
