"""Modes that explain themselves: closed forms, a second route to every energy, and labels of machines one knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import family

import eigenbody as eb
from bladed_rotors import flexible_rotor, ground_rotor, hinged_rotor, lagging_rotor
from eigenbody.analyses.modes.alike import mac_matrix
from eigenbody.analyses.modes.explain import exchanges
from eigenbody.analyses.modes.small import frequency_response

EXAMPLES = Path(__file__).parents[3] / "examples"

OMEGA = np.array([0.797302985861869, 3.08165793705976])  # slider-pendulum, Trom 1990


def example(name: str, **parameters: Any) -> eb.Model:
    model = eb.load(EXAMPLES / f"{name}.yaml")
    return model.with_parameters(**parameters) if parameters else model


def quarter_car(gravity: float = 9.81) -> eb.Model:
    return eb.load(
        {
            "eigenbody": 1,
            "name": "quarter car",
            "gravity": [0, 0, -gravity],
            "bodies": {"car": {"mass": 500, "at": [0, 0, 1]}, "hub": {"mass": 50, "at": [0, 0, 0.3]}},
            "joints": {
                "a": {"type": "prismatic", "between": ["ground", "hub"], "at": [0, 0, 0], "axis": [0, 0, 1]},
                "b": {"type": "prismatic", "between": ["hub", "car"], "at": [0, 0, 1], "axis": [0, 0, 1]},
            },
            "forces": {
                "suspension": {"type": "spring", "along": "b", "k": 18000, "c": 1500},
                "tyre": {"type": "spring", "along": "a", "k": 180000, "c": 500},
            },
            "operating_point": "equilibrium",
        }
    )


def slider_pendulum(c: float = 0.0) -> eb.Model:
    """M = [[30, 20], [20, 35]], K = diag(20, 196.2), C = diag(c, 0)."""
    return eb.load(
        {
            "eigenbody": 1,
            "name": "slider-pendulum",
            "gravity": [0, 0, -9.81],
            "bodies": {
                "slider": {"mass": 10, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                "pendulum": {"mass": 20, "inertia": [15, 15, 1], "at": [0, 0, -1]},
            },
            "joints": {
                "rail": {"type": "prismatic", "between": ["ground", "slider"], "at": [0, 0, 0], "axis": [0, 1, 0]},
                "hinge": {"type": "revolute", "between": ["slider", "pendulum"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            },
            "forces": {"spring": {"type": "spring", "along": "rail", "k": 20, "c": c}},
            "inputs": {"push": {"along": "rail"}, "turn": {"along": "hinge"}},
            "outputs": {
                "y": {"measure": "rail"},
                "a": {"measure": "rail", "order": 2},
                "swing": {"measure": "hinge", "order": 2},
                "load": {"reaction": "hinge", "component": "fz"},
                "across": {"reaction": "hinge", "component": "fy"},
            },
            "coordinates": ["rail", "hinge"],
        }
    )


# ---- sums and the energy identity, on everything


NAMES = sorted(path.stem for path in EXAMPLES.glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_shares_sum_to_one_and_energies_close(name: str) -> None:
    """a = -dissipation / (2 (kinetic + strain)) of every oscillating mode: energies found element by element against
    the eigenvalue. Rolling in motion, and motion in turning frames of the model, exchange energy
    with what drives them: exempt, and said in a note."""
    modes = eb.modes(example(name))
    found = modes.explain()
    assert np.allclose(found.kinetic.sum(axis=(1, 2)) + found.deformation.sum(axis=1), 1, atol=1e-9)
    for shares in (found.strain, found.dissipation):
        if shares.shape[1]:
            total = shares.sum(axis=1)
            assert np.all((np.abs(total - 1) < 1e-6) | (np.abs(shares).sum(axis=1) == 0))
    assert np.allclose(found.participation.sum(axis=1), 1, atol=1e-9)
    if not exchanges(modes):
        energies_close(modes, found)


def energies_close(modes: eb.Modes, found: eb.Explanation) -> None:
    """Of all oscillating modes."""
    oscillates = modes.eigenvalues.imag > 0
    energy = found.mean_kinetic + found.mean_strain
    real = -found.mean_power[oscillates] / (2 * energy[oscillates])
    assert np.allclose(real, modes.eigenvalues.real[oscillates], atol=1e-8 * np.abs(modes.eigenvalues[oscillates]))


SPINNING = {
    "blades": lambda: ground_rotor(3, 9.0, ky=1700.0),
    "growing blades": lambda: ground_rotor(4, 20.0, ky=1700.0),
    "hinges": lambda: hinged_rotor(4, 12.0, np.random.default_rng(3)),
    "ball": lambda: lagging_rotor(3, 15.0, "ball"),
    "bending blades": lambda: flexible_rotor(3, 25.0),
}


@pytest.mark.parametrize("name", SPINNING)
def test_energies_of_what_spins_close(name: str) -> None:
    """Coordinates that do not turn with the spin: with the rates of the coordinates as velocities, and what the drive
    takes that keeps up the spin, energies found body by body and element by element give the decay."""
    modes = eb.modes(SPINNING[name]())
    energies_close(modes, modes.explain())


@pytest.mark.parametrize("k", [(1e7, 1e7), (1e7, 4e6)])
def test_energies_of_a_spinning_shaft_close(k: tuple[float, float]) -> None:
    """Damping that turns with the shaft feeds the forward whirl above its critical speed."""
    shaft = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "E": "210 GPa", "nu": 0.3, "density": 7850}
    bearing = {"type": "bearing", "between": ["ground", "shaft.start"], "at": [0, 0, 0], "c": [200, 200, 0, 0, 0, 0]}
    model = eb.Model(
        flexible={"shaft": {**shaft, "diameter": "40 mm", "modes": 6, "damping": 0.02}},
        joints={
            "spin": {
                "type": "free", "between": ["ground", "shaft.start"], "at": [0, 0, 0], "velocity": [0, 0, 0, 0, 0, 900]
            }
        },
        forces={
            "left": {**bearing, "k": [*k, 1e6, 0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.end"], "at": [0, 0, 1], "k": [*k, 0, 0, 0, 0]},
        },
    )  # fmt: skip
    modes = eb.modes(model)
    found = modes.explain()
    energies_close(modes, found)
    assert not any("balance" in note for note in found.notes)


@pytest.mark.parametrize("name", ["rotor_stator", "slider_pendulum", "four_bar_with_spring", "conical_pendulum"])
def test_strain_energy_is_that_of_the_reduced_stiffness(name: str) -> None:
    modes = eb.modes(example(name))
    found = modes.explain()
    S = modes.states_shape[:, : len(modes.linear.coordinates)]
    reduced = (S.conj() * (S @ modes.linear.K.T)).sum(axis=1).real / 4
    moving = ~modes.is_rigid
    assert np.allclose(found.mean_strain[moving], reduced[moving], rtol=1e-9)


def test_kinetic_energy_is_that_of_the_reduced_mass() -> None:
    modes = eb.modes(slider_pendulum(20))
    found = modes.explain()
    W = modes.states_shape[:, 2:]
    reduced = (W.conj() * (W @ modes.linear.M.T)).sum(axis=1).real / 4
    assert np.allclose(found.mean_kinetic, reduced, rtol=1e-12)
    assert np.allclose(found.mean_kinetic, found.mean_strain, rtol=1e-12)  # symmetric: equal in the mean


# ---- closed forms


def test_slider_pendulum_shares() -> None:
    found = eb.explain(eb.modes(slider_pendulum()))
    for i, omega in enumerate(OMEGA):
        y, turn = 35 * omega**2 - 196.2, -20 * omega**2  # second row of (K - omega^2 M) x = 0
        kinetic = np.zeros((2, 6))
        kinetic[0, 1], kinetic[1, 1], kinetic[1, 3] = 10 * y**2, 20 * (y + turn) ** 2, 15 * turn**2
        strain = np.array([20 * y**2, 196.2 * turn**2, 0])
        M = np.array([[30, 20], [20, 35]])
        x = np.array([y, turn])
        assert np.allclose(found.kinetic[i], kinetic / kinetic.sum(), atol=1e-12)
        assert np.allclose(found.strain[i], strain / strain.sum(), atol=1e-12)
        assert np.allclose(found.participation[i], x * (M @ x) / (x @ M @ x), atol=1e-12)
    assert found.strain_sources == ("spring", "(gravity and joint loads)", "(inertia in motion)")
    assert not found.dissipation.any()


def test_quarter_car() -> None:
    modes = eb.modes(quarter_car())
    assert np.allclose(modes.eigenvalues, [-1.2609383016 + 5.6321418644j, -20.2390616984 + 58.9999030664j], rtol=1e-9)
    found = modes.explain()
    z = modes.shapes[:, :, 2]  # car, hub
    stretch = np.column_stack((z[:, 0] - z[:, 1], z[:, 1]))
    strain, lost = (np.abs(stretch) ** 2 * np.array(rate) for rate in ([18000, 180000], [1500, 500]))
    assert np.allclose(found.strain[:, :2], strain / strain.sum(axis=1, keepdims=True), atol=1e-12)
    assert np.allclose(found.dissipation, lost / lost.sum(axis=1, keepdims=True), atol=1e-12)
    assert found.labels == ("car vertical bounce", "hub vertical bounce")
    assert eb.modes(quarter_car(0)).explain().labels == ("car translation z", "hub translation z")


def internally_damped(speed: float) -> eb.Model:
    """m w'' + (ce + ci) w' + (k - i speed ci) w = 0, w = x + i y: a disc with a damper that turns with it."""
    return eb.load(
        {
            "eigenbody": 1,
            "name": "internal damping",
            "bodies": {
                "shaft": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                "disc": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 0, 0]},
            },
            "joints": {
                "spin": {"type": "revolute", "between": ["ground", "shaft"], "at": [0, 0, 0], "velocity": speed},
                "plane": {"type": "planar", "between": ["ground", "disc"], "at": [0, 0, 0], "velocity": [0, 0, speed]},
            },
            "forces": {
                "inner": {"type": "bushing", "between": ["shaft", "disc"], "at": [0, 0, 0],
                          "k": [200, 200, 0, 0, 0, 1e4], "c": [3, 3, 0, 0, 0, 0]},
                "outer_x": {"type": "damper", "along": "plane.x", "c": 2},
                "outer_y": {"type": "damper", "along": "plane.y", "c": 2},
            },
        }
    )  # fmt: skip


@pytest.mark.parametrize("speed", [5.0, 40.0])
def test_damping_in_the_rotor_feeds_the_forward_whirl_above_the_critical_speed(speed: float) -> None:
    """Power of the inner damper Re(conj(l) ci (l - i speed)) against ce |l|^2 of the outer one."""
    modes = eb.modes(internally_damped(speed))
    found = modes.explain()
    forward = found.whirls.index("forward")
    roots = np.roots([2, 5, 200 - 3j * speed])
    root = roots[np.argmax(roots.imag)]
    assert np.isclose(modes.eigenvalues[forward], root, rtol=1e-10)
    inner, outer = (np.conj(root) * 3 * (root - 1j * speed)).real, 2 * abs(root) ** 2
    share = dict(zip(found.dissipation_sources, found.dissipation[forward], strict=True))
    assert np.isclose(share["inner"], inner / (inner + outer), rtol=1e-9)
    assert np.isclose(share["outer_x"] + share["outer_y"], outer / (inner + outer), rtol=1e-9)
    assert (inner < 0) == (speed == 40.0)
    backward = found.labels[found.whirls.index("backward")]
    assert backward == "disc lateral translation, backward whirl"
    grows = ", growing" if root.real > 0 else ""
    assert found.labels[forward] == f"disc lateral translation, forward whirl{grows}"


def test_force_through_first_order_states() -> None:
    """A Maxwell element is k + l c with real k, c at the eigenvalue l: k_m l tau / (1 + l tau) = k + l c."""
    model = eb.load(
        {
            "eigenbody": 1,
            "bodies": {"block": {"mass": 3, "at": [0, 0, 0]}},
            "joints": {
                "slide": {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0]}
            },
            "forces": {
                "spring": {"type": "spring", "along": "slide", "k": 50},
                "strut": {"type": "maxwell", "along": "slide", "k": 80, "c": 20},
            },
        }
    )
    for solver in ("dense", "sparse"):
        modes = eb.modes(model, solver=solver)
        found = modes.explain()
        i = int(np.argmax(modes.eigenvalues.imag))
        root = modes.eigenvalues[i]
        tau = 20 / 80
        dynamic = 80 * root * tau / (1 + root * tau)
        c = dynamic.imag / root.imag
        k = dynamic.real - root.real * c
        assert np.allclose(found.strain[i, :2], [50 / (50 + k), k / (50 + k)], rtol=1e-9)
        assert np.isclose(found.dissipation[i, 1], 1)


def test_destabilizing_stiffness_is_negative() -> None:
    """Inverted pendulum on a torsion spring: k = 30 against m g l = 9.81: shares 30 and -9.81 of 20.19."""
    model = eb.load(
        {
            "eigenbody": 1,
            "gravity": [0, 0, -9.81],
            "bodies": {"rod": {"mass": 1, "at": [0, 0, 1]}},
            "joints": {"hinge": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
            "forces": {"spring": {"type": "spring", "along": "hinge", "k": 30}},
        }
    )
    found = eb.modes(model).explain()
    assert np.allclose(found.strain[0], [30 / 20.19, -9.81 / 20.19, 0], rtol=1e-12)
    assert any("negative" in note for note in found.notes)
    falling = eb.modes(model.set(forces={"spring": {"type": "spring", "along": "hinge", "k": 3}})).explain()
    assert any("as a whole is negative" in note for note in falling.notes)
    assert {label.rpartition(", ")[2] for label in falling.labels} == {"diverging", "without oscillation"}


def test_gravity_acts_through_loaded_joints() -> None:
    found = eb.modes(example("four_bar")).explain()
    assert np.allclose(found.strain[0], [1, 0], atol=1e-12)


# ---- labels


@pytest.mark.parametrize("solver", ["dense", "sparse"])
@pytest.mark.parametrize("speed", ["0.5 Hz", "1 Hz"])
def test_labels_of_the_rotor_stator(speed: str, solver: str) -> None:
    """Order of the modes: Negrut & Ortiz 2006."""
    found = eb.modes(example("rotor_stator", speed=speed), solver=solver).explain()
    assert found.labels[0] == "free rotation about z of rotor"
    assert found.labels[2:] == (
        "rotor and stator lateral translation, backward whirl",
        "rotor and stator lateral translation, forward whirl",
        "rotor and stator translation z",
        "rotor and stator rocking, backward whirl",
        "rotor and stator rocking, forward whirl",
        "stator torsion about z",
    )
    assert found.whirls == ("", "", "backward", "forward", "", "backward", "forward", "")


def test_whirl_turns_round_with_the_spin() -> None:
    ahead = eb.modes(example("rotor_on_bearing")).explain()
    back = eb.modes(example("rotor_on_bearing", spin=-50)).explain()
    assert np.allclose(np.sort(ahead.modes.eigenvalues.imag), np.sort(back.modes.eigenvalues.imag), rtol=1e-9)
    assert ahead.whirls == back.whirls == ("", "", "backward", "forward")


def test_labels_without_spin() -> None:
    """Two pairs of equal frequencies: any direction in the plane is right, whirl is none."""
    found = eb.modes(example("rotor_stator", speed="0 Hz")).explain()
    assert not any(found.whirls)
    assert all(label.startswith("rotor and stator translation") for label in found.labels[2:5])
    assert found.labels[4] == "rotor and stator translation z"
    assert all(label.startswith("rotor and stator rocking about") for label in found.labels[5:7])
    assert found.labels[7] == "stator torsion about z"


def test_labels_of_known_machines() -> None:
    label = lambda model: eb.modes(model).explain().labels  # noqa: E731
    assert label(slider_pendulum()) == (
        "pendulum and slider translation y",
        "pendulum rotation about x, slider translation y",
    )
    assert label(example("four_bar")) == ("coupler translation x, crank and rocker rotation about y in phase",)
    assert label(example("geared_shafts"))[2] == "motor and load against wheel rotation about z"
    assert label(eb.load(family("C3RF1"))) == (
        "b3, b2 and b1 rotation about z in phase",
        "b1 and b2 against b3 rotation about z",
        "b2 against b1 and b3 rotation about z",
    )


def test_labels_of_a_free_body() -> None:
    model = eb.load({"eigenbody": 1, "bodies": {"probe": {"mass": 2, "inertia": [1, 2, 3], "at": [0, 0, 0]}}})
    labels = eb.modes(model).explain().labels
    motions = [*(f"translation {a}" for a in "xyz"), *(f"rotation about {a}" for a in "xyz")]
    assert sorted(labels) == sorted(f"free {m} of probe{end}" for m in motions for end in ("", " (at constant speed)"))


def test_names_do_not_matter() -> None:
    """The same machine with misleading names."""
    plain = eb.modes(quarter_car()).explain()
    document = {**quarter_car().document}
    document["bodies"] = {"rotor": document["bodies"]["car"], "pendulum": document["bodies"]["hub"]}
    document["joints"] = {
        "a": {**document["joints"]["a"], "between": ["ground", "pendulum"]},
        "b": {**document["joints"]["b"], "between": ["pendulum", "rotor"]},
    }
    other = eb.modes(eb.load(document)).explain()
    assert other.labels == tuple(label.replace("car", "rotor").replace("hub", "pendulum") for label in plain.labels)


# ---- screw axes


def test_screw_axes_of_the_four_bar() -> None:
    found = eb.modes(example("four_bar")).explain()
    bodies = list(found.bodies)
    crank, rocker, coupler = (bodies.index(name) for name in ("crank", "rocker", "coupler"))
    axes = found.screws
    assert np.allclose(axes.point[0, crank], [0, 0, 0], atol=1e-12)
    assert np.allclose(axes.point[0, rocker], [1, 0, 0], atol=1e-12)
    assert np.allclose(np.abs(axes.direction[0, [crank, rocker]]), [0, 1, 0], atol=1e-12)
    assert np.isinf(axes.pitch[0, coupler])
    assert np.isnan(axes.point[0, coupler]).all()
    assert np.allclose(np.abs(axes.direction[0, coupler]), [1, 0, 0], atol=1e-12)
    assert not axes.wanders.any()


def test_screw_axis_of_a_screw() -> None:
    """A nut off its axis: the axis found is that of the joint and the pitch is its pitch."""
    model = eb.load(
        {
            "eigenbody": 1,
            "bodies": {"nut": {"mass": 2, "inertia": [1, 2, 3], "at": [0.3, 0.2, 0]}},
            "joints": {"thread": {"type": "screw", "between": ["ground", "nut"], "at": [1, 0, 0], "pitch": 0.04,
                                  "axis": [0, 0.6, 0.8]}},
            "forces": {"spring": {"type": "spring", "along": "thread", "k": 10}},
        }
    )  # fmt: skip
    axes = eb.modes(model).explain().screws
    away = axes.point[0, 0] - [1, 0, 0]
    assert np.isclose(axes.pitch[0, 0], 0.04, rtol=1e-9)
    assert np.allclose(np.cross(axes.direction[0, 0], [0, 0.6, 0.8]), 0, atol=1e-9)
    assert np.allclose(np.cross(away, [0, 0.6, 0.8]), 0, atol=1e-9)


def test_axis_of_a_whirling_rotor_wanders() -> None:
    found = eb.modes(example("rotor_stator")).explain()
    assert found.screws.wanders[5].all()
    assert not found.screws.wanders[7].any()


# ---- the sparse path


@pytest.mark.parametrize("name", ["TL4RF1", "L20RF1"])
def test_sparse_path_agrees_with_dense(name: str) -> None:
    model = eb.load(family(name))
    dense, sparse = (eb.modes(model, n=6, solver=solver).explain() for solver in ("dense", "sparse"))
    assert np.allclose(dense.kinetic, sparse.kinetic, atol=1e-8)
    assert np.allclose(dense.strain, sparse.strain, atol=1e-8)
    assert np.allclose(dense.dissipation, sparse.dissipation, atol=1e-8)
    assert np.allclose(dense.participation, sparse.participation, atol=1e-7)
    assert dense.labels == sparse.labels


def test_sparse_path_in_motion_agrees_with_dense() -> None:
    dense, sparse = (eb.modes(example("rotor_stator"), solver=s).explain() for s in ("dense", "sparse"))
    moving = ~dense.modes.is_rigid
    for name in ("kinetic", "strain", "dissipation", "participation"):
        assert np.allclose(getattr(dense, name)[moving], getattr(sparse, name)[moving], atol=1e-8), name


def test_thousand_bodies() -> None:
    modes = eb.modes(eb.load(family("L334RF1")), n=5, solver="sparse")
    found = modes.explain()
    assert len(found.bodies) == 1002
    for total in (found.kinetic.sum(axis=(1, 2)), found.strain.sum(1), found.dissipation.sum(1)):
        assert np.allclose(total, 1, atol=1e-9)
    real = -found.mean_power / (2 * (found.mean_kinetic + found.mean_strain))
    assert np.allclose(real, modes.eigenvalues.real, atol=1e-9 * np.abs(modes.eigenvalues))
    assert found.labels[0].endswith("of 1002 bodies translation x")


# ---- MAC


def test_mac_matrix_of_batches() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=(4, 3, 7)) + 1j * rng.normal(size=(4, 3, 7))
    b = rng.normal(size=(4, 2, 7)) + 1j * rng.normal(size=(4, 2, 7))
    root = rng.normal(size=(7, 7))
    weight = root @ root.T
    for w in (None, np.diagonal(weight), weight):
        W = np.eye(7) if w is None else np.diag(w) if w.ndim == 1 else w
        values = mac_matrix(a, b, w)
        for k in range(4):
            for i in range(3):
                for j in range(2):
                    x, y = a[k, i], b[k, j]
                    expected = abs(x.conj() @ W @ y) ** 2 / ((x.conj() @ W @ x) * (y.conj() @ W @ y)).real
                    assert np.isclose(values[k, i, j], expected, rtol=1e-12)
    assert np.allclose(mac_matrix(a, a * (2 - 3j)).diagonal(axis1=-2, axis2=-1), 1)
    assert np.array_equal(mac_matrix(np.zeros((1, 3)), np.ones((1, 3))), [[0.0]])
    assert np.allclose(mac_matrix(1e-200 * a, 1e-200 * a).diagonal(axis1=-2, axis2=-1), 1)


def test_undamped_modes_are_orthogonal_by_mass() -> None:
    modes = eb.modes(eb.load(family("TL4RF1")))
    values = eb.mac(modes).values
    assert np.allclose(values, np.eye(len(modes)), atol=1e-9)
    assert not np.allclose(eb.mac(modes, weight=None).values, np.eye(len(modes)), atol=1e-3)


def test_mac_pairs_find_a_permutation() -> None:
    modes = eb.modes(eb.load(family("C10RF1")))
    order = np.random.default_rng(3).permutation(len(modes))
    found = eb.mac(modes.shapes.reshape(len(modes), -1), modes.shapes[order].reshape(len(modes), -1))
    assert [pair.second for pair in found.pairs()] == [int(np.flatnonzero(order == i)[0]) for i in range(len(modes))]
    assert all(np.isclose(pair.value, 1) for pair in found.pairs(at_least=0.9))
    assert found.weighting == "plain"
    assert found.plot() is not None
    assert found.as_dict()["pairs"][0]["first"] == 1


def test_mac_refuses_what_does_not_match() -> None:
    one, other = eb.modes(slider_pendulum()), eb.modes(quarter_car())
    with pytest.raises(eb.InputError, match="other bodies"):
        eb.mac(one, other)
    with pytest.raises(eb.InputError, match="components"):
        eb.mac(np.ones((2, 3)), np.ones((2, 4)))
    with pytest.raises(eb.InputError, match="weight"):
        eb.mac(np.ones((2, 3)), weight=np.ones(4))


# ---- damping models


def test_proportional_damping() -> None:
    """2 zeta omega = alpha + beta omega^2."""
    damped = eb.with_damping(eb.linearize(slider_pendulum()), proportional=(0.1, 0.02))
    loss = (0.1 + 0.02 * OMEGA**2) / 2
    modes = eb.modes(damped)
    assert np.allclose(modes.eigenvalues, -loss + 1j * np.sqrt(OMEGA**2 - loss**2), rtol=1e-12)
    found = modes.explain()
    assert found.dissipation_sources == ("spring", "(added damping)")
    assert np.allclose(found.dissipation, [[0, 1], [0, 1]])


def test_proportional_damping_kept_sparse() -> None:
    model = eb.load(family("L20RF1"))
    dense, sparse = (
        eb.modes(eb.with_damping(eb.linearize(model, solver=solver), proportional=(0.3, 1e-4)), n=5).explain()
        for solver in ("dense", "sparse")
    )
    assert np.allclose(dense.modes.eigenvalues, sparse.modes.eigenvalues, rtol=1e-8)
    assert np.allclose(dense.dissipation, sparse.dissipation, atol=1e-8)
    assert dense.dissipation_sources[-1] == "(added damping)"
    assert 0.01 < dense.dissipation[0, -1] < 0.99


def test_modal_damping() -> None:
    linear = eb.linearize(slider_pendulum())
    for ratio, expected in ((0.02, [0.02, 0.02]), ([0.05, 0.3], [0.05, 0.3]), ([0.05], [0.05, 0.0])):
        modes = eb.modes(eb.with_damping(linear, modal=ratio))
        assert np.allclose(modes.damping_ratio, expected, atol=1e-12)
        assert np.allclose(modes.frequency_hz, OMEGA / (2 * np.pi), rtol=1e-12)


def test_modal_damping_leaves_rigid_modes_free() -> None:
    linear = eb.linearize(example("geared_shafts"))
    modes = eb.modes(eb.with_damping(linear, modal=0.1))
    assert modes.kinds == ("rigid", "rigid", "oscillatory")
    assert np.isclose(modes.damping_ratio[2], 0.1)


def test_given_damping_is_that_of_a_damper_there() -> None:
    """Everything is the same as in the model that has the damper: accelerations and reactions too."""
    damper = eb.linearize(slider_pendulum(20))
    added = eb.with_damping(eb.linearize(slider_pendulum()), matrix=np.diag([20.0, 0.0]))
    for name in "ABCD":
        assert np.allclose(getattr(added.state_space, name), getattr(damper.state_space, name), atol=1e-12), name
    assert np.array_equal(added.C, np.diag([20.0, 0.0]))
    assert np.allclose(eb.modes(added).eigenvalues[0], -0.312177227401119 + 0.747815417342014j, rtol=1e-12)


def test_damping_refusals() -> None:
    linear = eb.linearize(slider_pendulum())
    for given in (
        {},
        {"modal": 0.1, "proportional": (1, 1)},
        {"matrix": np.eye(3)},
        {"modal": -1},
        {"modal": [0.1] * 3},
    ):
        with pytest.raises(eb.InputError):
            eb.with_damping(linear, **given)
    with pytest.raises(eb.ComputationError, match="non-holonomic"):
        eb.with_damping(eb.linearize(example("caster")), proportional=(1, 0))


# ---- first-order forms


@pytest.mark.parametrize("name", ["rotor_stator", "slider_pendulum", "wheelset", "actuated_linkage"])
def test_momenta_and_velocities_have_the_same_eigenvalues(name: str) -> None:
    linear = eb.linearize(example(name))
    one, other = (linear.first_order(form) for form in ("velocities", "momenta"))
    assert np.array_equal(one, linear.A)
    for power in range(1, 5):  # traces of powers: sums of powers of the eigenvalues, whether defective or not
        traces = [np.trace(np.linalg.matrix_power(A, power)) for A in (one, other)]
        size = np.linalg.norm(np.linalg.matrix_power(one, power)) + 1
        assert np.isclose(*traces, atol=1e-9 * size)


def test_momenta_of_a_gyroscopic_system_are_canonical() -> None:
    """J A is symmetric without damping: p = M q' + G q / 2 makes the equations Hamiltonian."""
    linear = eb.linearize(example("rotor_on_bearing"))
    assert np.abs(linear.gyroscopic).max() > 1
    A = linear.first_order("momenta")
    n = linear.dof
    J = np.block([[np.zeros((n, n)), -np.eye(n)], [np.eye(n), np.zeros((n, n))]])
    assert np.allclose(J @ A, (J @ A).T, atol=1e-9 * np.abs(A).max())
    with pytest.raises(eb.InputError, match="momenta"):
        linear.first_order("momentum")


# ---- truncation


def with_ports(name: str) -> eb.LinearModel:
    model = eb.load(family(name))
    names = list(model.document["joints"])
    model = model.input("push", along=names[0])
    return eb.linearize(model.output("root", measure=names[0]).output("acc", measure=names[-1], order=2))


def test_truncation_with_all_modes_is_the_model() -> None:
    linear = with_ports("C10RF1")
    small = eb.truncate(linear, n=10)
    hz = np.linspace(0.1, 400, 57)
    full = frequency_response(linear.state_space, hz)
    assert np.allclose(small.frequency_response(hz), full, rtol=1e-9, atol=1e-12 * np.abs(full).max())
    assert small.first_dropped_hz == np.inf
    assert len(small.A) == 20


def test_truncated_model_at_low_frequency() -> None:
    """With the static correction exact at zero, and much better below the first dropped mode."""
    linear = with_ports("C10RF1")
    hz = np.array([0.0, 2.0, 5.0])
    full = frequency_response(linear.state_space, hz)[:, 0, 0]
    plain, fixed = (
        eb.truncate(linear, below_hz=100, static_correction=static).frequency_response(hz)[:, 0, 0]
        for static in (False, True)
    )
    assert np.isclose(fixed[0], full[0], rtol=1e-10)
    assert np.all(np.abs(fixed - full) < 0.05 * np.abs(plain - full))
    # to first order in frequency: 2 x 0.378 (damping ratio at 120 Hz) x 5 / 120 x 0.46 (share of the dropped modes)
    assert np.allclose(fixed, full, rtol=1.5e-2)
    small = eb.truncate(linear, below_hz=100)
    assert len(small.eigenvalues) == 3
    assert np.isclose(small.first_dropped_hz, 120.4707039, rtol=1e-8)
    kept = np.linalg.eigvals(small.A)
    assert np.allclose(np.sort(kept.imag[kept.imag > 0]), np.sort(small.eigenvalues.imag), rtol=1e-12)


def test_truncation_keeps_rigid_motion_with_its_chain() -> None:
    """A free rotation stays a double integrator: response 1 / (J s^2) at low frequency."""
    model = example("geared_shafts")
    names = list(model.document["joints"])
    model = model.input("torque", along=names[0]).output("turn", measure=names[0])
    linear = eb.linearize(model)
    small = eb.truncate(linear, n=1, static_correction=True)
    assert len(small.A) == 2
    assert np.allclose(small.A @ small.A, 0, atol=1e-10)
    hz = np.array([0.01, 0.1])
    full = frequency_response(linear.state_space, hz)
    assert np.allclose(small.frequency_response(hz), full, rtol=1e-4)


def test_truncation_of_a_model_kept_sparse() -> None:
    model = eb.load(family("L20RF1"))
    names = list(model.document["joints"])
    model = model.input("push", along=names[0]).output("root", measure=names[0])
    model = model.output("acc", measure=names[0], order=2)
    dense, sparse = (
        eb.truncate(eb.linearize(model, solver=solver), n=4, static_correction=True) for solver in ("dense", "sparse")
    )
    assert np.allclose(dense.A, sparse.A, rtol=1e-7, atol=1e-7 * np.abs(dense.A).max())
    assert np.isclose(dense.first_dropped_hz, sparse.first_dropped_hz)
    hz = np.array([0.0, 5.0, 20.0, 90.0])
    one, other = dense.frequency_response(hz), sparse.frequency_response(hz)
    assert np.allclose(one, other, rtol=1e-6, atol=1e-8 * np.abs(one).max(axis=0))
    assert sparse.T.shape == (40, 8)
    assert sparse.plot() is not None


def test_truncation_of_parallel_modes_is_refused() -> None:
    """Critical damping: a double eigenvalue with one vector."""
    model = eb.load(
        {
            "eigenbody": 1,
            "bodies": {"a": {"mass": 1, "at": [0, 0, 0]}},
            "joints": {"j": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0]}},
            "forces": {"s": {"type": "spring", "along": "j", "k": 1, "c": 2}},
        }
    )
    assert any("parallel" in note for note in eb.modes(model).explain().notes)
    with pytest.raises(eb.ComputationError, match="parallel"):
        eb.truncate(model, n=1)


def test_truncation_refusals() -> None:
    linear = with_ports("C3RF1")
    for given in ({}, {"n": 0}, {"n": 1, "below_hz": 2}, {"below_hz": 1e-3}, {"below_hz": -1}):
        with pytest.raises(eb.InputError):
            eb.truncate(linear, **given)


# ---- presentation


def test_results_print_and_draw() -> None:
    found = eb.modes(example("rotor_stator")).explain()
    assert "rotor and stator rocking, backward whirl" in str(found)
    assert "<table>" in found._repr_html_()
    assert found.plot() is not None
    assert found.plot(mode=6) is not None
    with pytest.raises(eb.InputError, match="1 to 8"):
        found.plot(mode=9)
    small = eb.truncate(with_ports("C3RF1"), n=1)
    assert "1 mode" in str(small)
    assert small.plot() is not None
    assert small.as_dict()["states"] == ["mode 1 re", "mode 1 im"]
