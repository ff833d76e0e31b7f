"""Frequency responses against closed forms, against each other, and against the nonlinear motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from families import family

import eigenbody as eb
from eigenbody.analyses.frequency.find import frequency_response
from eigenbody.analyses.frequency.modal import ModalForm
from eigenbody.analyses.frequency.system import excited
from eigenbody.analyses.linearize.ports import ports
from eigenbody.numerics.signals.transfer import DenseTransfer

ROOT = Path(__file__).parents[3]

MS, MU, KS, KT, CS, CT = 500.0, 50.0, 18000.0, 180000.0, 1500.0, 500.0  # quarter car


def quarter_car(damping: float = 1.0, **road):
    """Sprung and unsprung mass over a massless road plate, in static equilibrium under gravity."""
    z = {"axis": [0, 0, 1]}
    return {
        "eigenbody": 1,
        "name": "quarter car",
        "gravity": [0, 0, -9.81],
        "bodies": {
            "plate": {"mass": 0, "at": [0, 0, 0]},
            "wheel": {"mass": MU, "at": [0, 0, 0.3]},
            "body": {"mass": MS, "at": [0, 0, 0.8]},
        },
        "joints": {
            "road": {"type": "prismatic", "between": ["ground", "plate"], "at": [0, 0, 0], "motion": 0, **z, **road},
            "hop": {"type": "prismatic", "between": ["ground", "wheel"], "at": [0, 0, 0.3], **z},
            "heave": {"type": "prismatic", "between": ["ground", "body"], "at": [0, 0, 0.8], **z},
        },
        "measures": {
            "tyre": {"type": "displacement", "between": ["plate", "wheel"], **z},
            "strut": {"type": "displacement", "between": ["wheel", "body"], **z},
        },
        "forces": {
            "t": {"type": "spring", "along": "tyre", "k": KT, "c": CT * damping, "free": 0.3 + (MS + MU) * 9.81 / KT},
            "s": {"type": "spring", "along": "strut", "k": KS, "c": CS * damping, "free": 0.5 + MS * 9.81 / KS},
        },
        "outputs": {
            "comfort": {"measure": "heave", "order": 2},
            "wheel load": {"force": "t"},
            "travel": {"measure": "strut"},
        },
    }


def quarter_car_matrix(s):
    """Dynamic stiffness in (heave, hop)."""
    b = CS * s + KS
    return MS * s**2 + b, b, MU * s**2 + b + CT * s + KT


def against(values, expected, tolerance=1e-11):
    expected = np.asarray(expected)
    assert values.shape == expected.shape
    scale = np.abs(expected).max(axis=0)
    assert np.abs(values - expected).max() <= (tolerance * scale).max()
    assert np.all(np.abs(values - expected) <= tolerance * scale)


# ---- closed forms: forces


def test_quarter_car_force_to_everything():
    hz = np.geomspace(0.05, 200, 300)
    s = 2j * np.pi * hz
    r = eb.frf(eb.load(quarter_car()), "heave", ["heave", "heave'", "heave''", "hop"], hz)
    a, b, d = quarter_car_matrix(s)
    det = a * d - b * b
    against(r.values[:, :, 0], np.stack([d / det, s * d / det, s**2 * d / det, b / det], axis=1))
    assert r.input_units == ("N",)
    assert r.output_units == ("m", "m/s", "m/s^2", "m")
    assert r.unit(2, 0) == "(m/s^2)/N"


@pytest.mark.parametrize("method", ["direct", "modal"])
def test_two_layer_tree_against_its_closed_form(method):
    """TL2RF1 of Jiang, Chen & Luo 2011: three bodies of 4 kg and 1 kg m^2 in relative angles t1 (root), t2, t3.

    From the root's joint at (1, 0.5): v1 = t1' z x (0, .5), v2 = t1' z x (0, 1.5) + t2' z x (0, .5),
    v3 = t1' z x (1, 1.5) + t3' z x (.5, .5), so M = [[26, 4, 6], [4, 2, 0], [6, 0, 3]], K = k 1, C = c 1 with k and c
    given per degree.
    """
    k, c = 1e4 * 180 / np.pi, 10 * 180 / np.pi
    model = eb.load(family("TL2RF1"))
    r = eb.frf(model, ["j1", "j2", "j3"], ["j1", "j2", "j3"], (0.5, 500, 400), method=method, refine=False)
    s = r.omega * 1j
    p = k + c * s
    d1, d2, d3, a, b = 26 * s**2 + p, 2 * s**2 + p, 3 * s**2 + p, 4 * s**2, 6 * s**2
    det = d1 * d2 * d3 - a * a * d3 - b * b * d2
    H = [[d2 * d3, -a * d3, -b * d2], [-a * d3, d1 * d3 - b * b, a * b], [-b * d2, a * b, d1 * d2 - a * a]]
    against(r.values, np.moveaxis(np.array(H) / det, 2, 0))


def test_spherical_tree_turns_about_z_like_the_revolute_one_and_nothing_leaks():
    hz = np.geomspace(0.5, 500, 50)
    spherical = eb.frf(eb.load(family("TL2SF1")), "j1.rz", ["j1.rz", "j3.rz", "j2.rx"], hz)
    revolute = eb.frf(eb.load(family("TL2RF1")), "j1", ["j1", "j3"], hz)
    against(spherical.values[:, :2], revolute.values)
    assert not spherical.values[:, 2].any()  # exactly: no path leads out of the plane


# ---- direct, modal, sparse, second order, real form


def test_all_modes_agree_with_direct_and_with_the_second_order_equations():
    model = eb.load(family("TL4SF1"))
    found = ports(model, ["j1.rx", "j9.rz"], ["j1.ry", "j15.rz", "j1.rx'"])
    linear = found.linear
    hz = np.geomspace(0.1, 1000, 200)
    direct = eb.frf(linear, frequencies_hz=hz).values
    modal = eb.frf(linear, frequencies_hz=hz, method="modal").values
    against(modal, direct, 1e-10)
    n = linear.dof
    s = 2j * np.pi * hz[:, None, None]
    q = np.linalg.solve(s**2 * linear.M + s * linear.C + linear.K, (linear.M @ linear.B[n:])[None] + 0 * s)
    against(linear.state_space.C @ np.concatenate((q, s * q), axis=1) + linear.state_space.D, direct, 1e-10)


@pytest.mark.parametrize("name", ["C6RF1", "TL3SF2", "L2RF1"])
def test_sparse_agrees_with_dense(name):
    model = eb.load(family(name))
    names = eb.operating_point(model).system.names
    hz = np.geomspace(0.1, 300, 60)
    inputs, outputs = [names[0], names[-1]], [names[1], names[-1] + "'", names[0] + "''"]
    dense = eb.frf(model, inputs, outputs, hz, solver="dense")
    sparse = eb.frf(model, inputs, outputs, hz, solver="sparse")
    against(sparse.values, dense.values, 1e-9)


def test_sparse_in_motion_with_states_and_reactions():
    """The whole augmented pencil, where the small one would be wrong."""
    model = eb.load(ROOT / "examples" / "rotor_stator.yaml")
    hz = np.geomspace(0.01, 3, 40)
    wanted = eb.operating_point(model).system.names[:4]
    dense = eb.frf(model, wanted[:2], [*wanted, wanted[0] + "''"], hz, solver="dense")
    sparse = eb.frf(model, wanted[:2], [*wanted, wanted[0] + "''"], hz, solver="sparse")
    assert np.abs(dense.values).max() > 0
    against(sparse.values, dense.values, 1e-9)


def test_sparse_modal_equals_dense_modal_and_a_residual_mends_the_truncation():
    model = eb.load(family("C30RF1"))
    hz = np.geomspace(0.1, 1.5, 30)  # modes at 6, 19, 31 Hz ...; the damping of the higher ones is k/1000 s
    kw = {"inputs": "j30", "outputs": ["j30", "j1'"], "frequencies_hz": hz}
    exact = eb.frf(model, **kw).values
    few = eb.frf(model, solver="sparse", method="modal", modes=8, **kw)
    dense = eb.frf(model, method="modal", modes=8, **kw)
    against(few.values, dense.values, 1e-8)
    assert any("8 lowest" in note for note in few.notes)
    own = lambda r: np.abs(r.values - exact)[:, 0].max() / np.abs(exact[:, 0]).max()  # noqa: E731
    assert own(dense) > 0.1  # the push at the tip is carried by the modes left out
    for solver in ("dense", "sparse"):
        mended = eb.frf(model, method="modal", modes=8, residual=True, solver=solver, **kw)
        assert own(mended) < 2e-3 * 2 * np.pi * 1.5  # a constant cannot follow c s of the modes left out


def test_sparse_modal_of_a_free_mechanism():
    """Rigid zeros are a cluster with chains; all modes together are everything."""
    doc = two_carts()
    hz = np.array([0.1, 1.0, 3.0])
    outputs = ["xa", "gap", "xa''", "xb''"]
    exact = eb.frf(eb.load(doc), "xa", outputs, hz).values
    modal = eb.frf(eb.load(doc), "xa", outputs, hz, solver="sparse", method="modal", modes=20)
    against(modal.values, exact, 1e-9)


def test_sparse_modal_of_a_turning_mechanism_with_accelerations():
    """Accelerations answer at once: the constant that the infinite eigenvalues of the pencil leave."""
    model = eb.load(ROOT / "examples" / "rotor_stator.yaml")
    rx, ry = (name for name in eb.operating_point(model).system.names if name.endswith((".rx", ".ry")))
    hz = np.geomspace(0.01, 3, 40)
    outputs = [rx, ry + "'", rx + "''"]  # gyroscopic coupling
    exact = eb.frf(model, rx, outputs, hz).values
    assert np.abs(exact).min() > 0
    modal = eb.frf(model, rx, outputs, hz, solver="sparse", method="modal", modes=20)
    against(modal.values, exact, 1e-8)


def test_a_truncated_sum_still_has_the_accelerations_of_its_displacements():
    model = eb.load(family("C30RF1"))
    hz = np.geomspace(0.1, 40, 20)
    s = 2j * np.pi * hz
    for solver in ("dense", "sparse"):
        r = eb.frf(model, "j30", ["j30", "j30''"], hz, method="modal", modes=8, solver=solver)
        against(r.values[:, 1, 0], s**2 * r.values[:, 0, 0], 1e-7)


def test_real_form_is_the_inverse_of_the_real_dynamic_stiffness():
    """Lecture notes on multibody vibration: F = [[Q - W^2 M, W P], [-W P, Q - W^2 M]]^-1 in cosine and sine parts."""
    linear = ports(eb.load(family("TL2RF1")), ["j1", "j2", "j3"], ["j1", "j2", "j3"]).linear
    hz = [3.0, 20.0, 77.0]
    F = eb.frf(linear, frequencies_hz=hz).real_form()
    for f, own in zip(hz, F, strict=True):
        w = 2 * np.pi * f
        Z, P = linear.K - w**2 * linear.M, w * linear.C
        expected = np.linalg.inv(np.block([[Z, P], [-P, Z]]))
        assert np.abs(own - expected).max() < 1e-11 * np.abs(expected).max()


def test_undamped_response_by_cramers_rule():
    """P = 0: x_k = D_k / N with N = det(Q - W^2 M)."""
    found = ports(eb.load(quarter_car(damping=0)), ["heave"], ["heave", "hop"])
    w = 2 * np.pi * 3.0
    Z = np.array([[KS - w**2 * MS, -KS], [-KS, KS + KT - w**2 * MU]])
    N = np.linalg.det(Z)
    assert frequency_response(found, np.array([w]))[0, :, 0] == pytest.approx([Z[1, 1] / N, -Z[1, 0] / N], rel=1e-12)


def test_response_in_time_is_the_real_form():
    """y_c, y_s of the nonlinear simulation of a small harmonic force."""
    doc = quarter_car(damping=2)
    w, size = 2 * np.pi * 1.5, 20.0
    H = eb.frf(eb.load(doc), "heave", "heave", [1.5]).values[0, 0, 0]
    doc["forces"]["shaker"] = {"type": "expression", "along": "heave", "value": f"={size}*cos({w!r}*t)"}
    run = eb.simulate(eb.load(doc), until=6, points=601, tolerance=1e-8)
    late = run.t > 4.5
    y, t = run.signal("heave")[late], run.t[late]
    (c, sine, _), *_ = np.linalg.lstsq(np.column_stack((np.cos(w * t), np.sin(w * t), np.ones_like(t))), y, rcond=None)
    assert c - 1j * sine == pytest.approx(size * H, rel=1e-4)


def test_defective_model_refuses_modes_and_has_a_direct_response():
    """Two equal critically damped oscillators in a chain of influence: (s + 2)^2, one eigenvector."""
    doc = {
        "eigenbody": 1,
        "bodies": {"b": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"x": {"type": "prismatic", "between": ["ground", "b"], "axis": [1, 0, 0], "at": [0, 0, 0]}},
        "forces": {"s": {"type": "spring", "along": "x", "k": 4, "c": 4}},
    }
    model, hz = eb.load(doc), np.array([0.1, 1.0])
    s = 2j * np.pi * hz
    against(eb.frf(model, "x", "x", hz).values[:, 0, 0], 1 / (s + 2) ** 2)
    with pytest.raises(eb.ComputationError, match=r"defective.*method direct"):
        eb.frf(model, "x", "x", hz, method="modal")


def test_accelerations_keep_their_digits_far_below_the_resonances():
    """C z and D u would cancel to ten digits there."""
    model = eb.load(family("TL4SF1"))
    hz = np.geomspace(1e-4, 1, 9)
    values = eb.frf(model, "j9.rz", ["j9.rz", "j9.rz''", "j1.rz", "j1.rz''"], hz).values[:, :, 0]
    s = 2j * np.pi * hz
    assert values[:, 1] / (s**2 * values[:, 0]) == pytest.approx(np.ones(9), abs=1e-10)
    assert values[:, 3] / (s**2 * values[:, 2]) == pytest.approx(np.ones(9), abs=1e-9)


def test_many_states_by_blocks_against_lu():
    """More rows than one block of the triangular form, nonnormal, badly scaled."""
    rng = np.random.default_rng(2)
    n = 131
    scale = 10.0 ** rng.uniform(-3, 3, n)
    A = (rng.normal(size=(n, n)) - 30 * np.eye(n)) * scale[:, None] / scale
    B, C, D = rng.normal(size=(n, 2)) * scale[:, None], rng.normal(size=(3, n)) / scale, rng.normal(size=(3, 2))
    s = 1j * np.linspace(0, 50, 23)
    expected = np.stack([C @ np.linalg.solve(v * np.eye(n) - A, B) + D for v in s])
    against(DenseTransfer(A, B, C, D)(s), expected, 1e-12)


# ---- poles, free motion, instability


def test_on_an_undamped_pole_the_response_is_infinite_and_said_so():
    model = eb.load(quarter_car(damping=0))
    hz = eb.modes(model).frequency_hz
    for solver in ("dense", "sparse"):
        r = eb.frf(model, "heave", ["heave", "hop''"], [hz[0], 1.0, hz[1]], solver=solver)
        assert np.isinf(r.magnitude[[0, 2]]).all()
        assert np.isfinite(r.values[1]).all()
        assert [p.frequency_hz for p in r.poles] == pytest.approx(list(hz[:2]))
        assert "undamped mode" in r.poles[0].mode
        document = r.as_dict()
        assert document["real"][0][0][0] is None
        assert document["magnitude"][0][0][0] is None
        assert "infinite" in str(r)


def test_beside_the_pole_the_response_is_the_large_number_it_is():
    model = eb.load(quarter_car(damping=0))
    w = 2 * np.pi * eb.modes(model).frequency_hz[0] * (1 + 1e-6)
    a, b, d = MS * -(w**2) + KS, KS, -MU * w**2 + KS + KT
    r = eb.frf(model, "heave", "heave", [w / (2 * np.pi)])
    assert not r.poles
    assert r.values[0, 0, 0].real == pytest.approx(d / (a * d - b * b), rel=1e-7)


def two_carts():
    """Equal masses on a rail, joined by a spring, otherwise free."""
    x = {"type": "prismatic", "axis": [1, 0, 0]}
    return {
        "eigenbody": 1,
        "bodies": {"a": {"mass": 2, "at": [0, 0, 0]}, "b": {"mass": 2, "at": [1, 0, 0]}},
        "joints": {
            "xa": {**x, "between": ["ground", "a"], "at": [0, 0, 0]},
            "xb": {**x, "between": ["ground", "b"], "at": [1, 0, 0]},
        },
        "measures": {"gap": {"type": "displacement", "between": ["a", "b"], "axis": [1, 0, 0]}},
        "forces": {"s": {"type": "spring", "along": "gap", "k": 100, "free": 1}},
    }


@pytest.mark.parametrize("method", ["direct", "modal"])
def test_free_motion_at_zero_and_what_does_not_feel_it(method):
    """Push on a: at 0 Hz both positions run away, the gap and the accelerations do not."""
    r = eb.frf(eb.load(two_carts()), ["xa", "gap"], ["xa", "gap", "xa''"], [0.0, 0.3], method=method)
    assert np.isinf(r.values[0, 0, 0])
    assert r.values[0, 1, 0] == pytest.approx(-1 / 200)  # half of the push accelerates b: k gap = -1/2
    assert r.values[0, 2, 0] == pytest.approx(1 / 4)
    assert r.values[0, 0, 1] == pytest.approx(-1 / 200)  # inner force: no run-away; the middle stays
    assert r.poles[0].frequency_hz == 0
    assert "free motion" in r.poles[0].mode
    assert r.poles[0].inputs == ("xa",)
    s = 2j * np.pi * 0.3
    p, k = 2 * s**2 + 100, 100
    assert r.values[1, 0, 0] == pytest.approx(p / (p * p - k * k), rel=1e-12)


def test_a_symmetric_pole_that_is_not_felt_is_finite():
    """The antisymmetric mode does not move the middle of the carts."""
    doc = two_carts()
    doc["outputs"] = {"middle": {"expression": "=(xa + xb)/2"}}
    w = np.sqrt(100.0)  # 2 k / m
    r = eb.frf(eb.load(doc), "xa", ["middle", "xa"], [w / (2 * np.pi)])
    assert np.isinf(r.values[0, 1, 0])
    assert r.values[0, 0, 0] == pytest.approx(-1 / (4 * w**2), rel=1e-9)


def test_unstable_model_is_warned_of():
    doc = quarter_car()
    doc["forces"]["s"]["c"] = -800
    r = eb.frf(eb.load(doc), "heave", "heave")
    growing = max(eb.modes(eb.load(doc)).eigenvalues, key=lambda v: v.real)
    note = next(note for note in r.notes if note.startswith("Unstable"))
    assert f"{growing.real:.6g}" in note
    assert f"{growing.imag / (2 * np.pi):.6g} Hz" in note


# ---- peaks


def test_peaks_are_located_between_the_points():
    """|1/(k - m w^2 + i c w)| is largest at w0 sqrt(1 - 2 z^2) with 1/(k 2 z sqrt(1 - z^2))."""
    doc = {
        "eigenbody": 1,
        "bodies": {"b": {"mass": 2, "at": [0, 0, 0]}},
        "joints": {"x": {"type": "prismatic", "between": ["ground", "b"], "axis": [1, 0, 0], "at": [0, 0, 0]}},
        "forces": {"s": {"type": "spring", "along": "x", "k": 800, "c": 4}},
    }
    w0, z = 20.0, 4 / (2 * 2 * 20.0)
    for asked in (None, (0.1, 100, 12)):
        (peak,) = eb.frf(eb.load(doc), "x", "x", asked).peaks
        assert peak.frequency_hz == pytest.approx(w0 * np.sqrt(1 - 2 * z**2) / (2 * np.pi), rel=1e-7)
        assert peak.magnitude == pytest.approx(1 / (800 * 2 * z * np.sqrt(1 - z**2)), rel=1e-12)


def test_default_range_covers_the_modes_and_has_points_on_sharp_resonances():
    doc = quarter_car(damping=1e-4)
    model = eb.load(doc)
    hz = eb.modes(model).frequency_hz
    r = eb.frf(model, "heave", "heave")
    assert r.frequency_hz[0] == pytest.approx(hz.min() / 10)
    assert r.frequency_hz[-1] == pytest.approx(hz.max() * 10)
    top = r.magnitude.max()
    assert top > 0.99 * max(p.magnitude for p in r.peaks)
    coarse = eb.frf(model, "heave", "heave", refine=False)
    assert coarse.magnitude.max() < 0.1 * top


def test_undamped_peaks_are_listed_as_infinite():
    model = eb.load(quarter_car(damping=0))
    r = eb.frf(model, "heave", "heave")
    assert [p.magnitude for p in r.peaks] == [np.inf, np.inf]
    assert [p.frequency_hz for p in r.peaks] == pytest.approx(list(eb.modes(model).frequency_hz))
    assert [p["magnitude"] for p in r.as_dict()["peaks"]] == [None, None]


# ---- base excitation


@pytest.mark.parametrize("solver", ["dense", "sparse"])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_quarter_car_over_a_road(solver, order):
    hz = np.geomspace(0.1, 100, 80)
    s = 2j * np.pi * hz
    r = eb.frf(eb.load(quarter_car()), base="road", base_order=order, frequencies_hz=hz, solver=solver)
    a, b, d = quarter_car_matrix(s)
    g = CT * s + KT
    heave, hop = b * g / (a * d - b * b), a * g / (a * d - b * b)
    expected = np.stack([s**2 * heave, g * (hop - 1), heave - hop], axis=1) / s[:, None] ** order
    against(r.values[:, :, 0], expected)
    assert r.input_units == (("m", "m/s", "m/s^2")[order],)


def test_pendulum_on_a_moving_pivot():
    """t'' + c/(m l^2) t' + g/l t = -r''/l: the stiffness is geometric, from gravity alone."""
    m, length, c, g = 2.0, 0.7, 0.3, 9.81
    doc = {
        "eigenbody": 1,
        "gravity": [0, 0, -g],
        "bodies": {"slide": {"mass": 3, "at": [0, 0, 0]}, "bob": {"mass": m, "at": [0, 0, -length]}},
        "joints": {
            "rail": {"type": "prismatic", "between": ["ground", "slide"], "axis": [1, 0, 0], "at": [0, 0, 0]},
            "pin": {"type": "revolute", "between": ["slide", "bob"], "axis": [0, -1, 0], "at": [0, 0, 0]},
        },
        "forces": {"loss": {"type": "damper", "along": "pin", "c": c}},
        "drivers": {"shake": {"measure": "rail", "motion": 0}},
        "outputs": {"swing": {"measure": "pin"}, "place": {"measure": "rail"}},
    }
    hz = np.linspace(0, 3, 31)
    s = 2j * np.pi * hz
    r = eb.frf(eb.load(doc), base="shake", frequencies_hz=hz)
    swing = -(s**2) / length / (s**2 + c / (m * length**2) * s + g / length)
    against(r.values[:, :, 0], np.stack([swing, np.ones_like(swing)], axis=1))


def loaded_arm(motion: bool):
    """An upper arm held at an angle by a prescribed shoulder, a heavy sprung forearm, all under gravity."""
    doc = {
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {
            "upper": {"mass": 3, "inertia": [0.1, 0.1, 0.02], "at": [0.4, 0, 0]},
            "fore": {"mass": 2, "inertia": [0.05, 0.06, 0.02], "at": [1.1, 0, 0]},
        },
        "joints": {
            "shoulder": {"type": "revolute", "between": ["ground", "upper"], "axis": [0, -1, 0], "at": [0, 0, 0]},
            "elbow": {"type": "revolute", "between": ["upper", "fore"], "axis": [0, -1, 0], "at": [0.8, 0, 0]},
        },
        "forces": {"muscle": {"type": "spring", "along": "elbow", "k": 60, "c": 0.8, "free": 0.4}},
        "operating_point": "equilibrium",
        "coordinates": ["shoulder", "elbow"],
        "outputs": {
            "elbow": {"measure": "elbow"},
            "elbow'": {"measure": "elbow", "order": 1},
            "elbow''": {"measure": "elbow", "order": 2},
        },
    }
    doc["outputs"] = {name.replace("'", " rate"): entry for name, entry in doc["outputs"].items()}
    if motion:
        doc["joints"]["shoulder"]["motion"] = 0.5
    return doc


def test_base_motion_equals_the_partition_of_the_released_mechanism():
    """Mff qf'' + Cff qf' + Kff qf = -(Mfr r'' + Cfr r' + Kfr r), the holding moment kept as a constant load."""
    held = eb.load(loaded_arm(motion=True))
    point = eb.operating_point(held)
    elbow = point.coordinates()["elbow"]
    row = next(i for i, r in enumerate(point.system.constraints.rows) if r.kind == "driver")
    moment = -float(point.motion.multipliers[row])
    free = loaded_arm(motion=False)
    free["forces"]["hold"] = {"type": "expression", "along": "shoulder", "value": moment}
    free["operating_point"] = {"shoulder": 0.5, "elbow": elbow}
    linear = eb.linearize(eb.load(free))
    assert linear.point.is_equilibrium
    (mr, mf), (cr, cf), (kr, kf) = linear.M[1], linear.C[1], linear.K[1]
    assert abs(kr) > 1  # gravity on the forearm feels the shoulder: geometric stiffness
    hz = np.geomspace(0.05, 20, 50)
    s = 2j * np.pi * hz
    turn = -(mr * s**2 + cr * s + kr) / (mf * s**2 + cf * s + kf)
    for solver in ("dense", "sparse"):
        r = eb.frf(held, base="shoulder", frequencies_hz=hz, solver=solver)
        against(r.values[:, :, 0], np.stack([turn, s * turn, s**2 * turn], axis=1), 1e-10)


def test_base_motion_against_a_simulation():
    f, size = 2.0, 1e-3
    H = eb.frf(eb.load(quarter_car(damping=2)), base="road", outputs=["heave"], frequencies_hz=[f]).values[0, 0, 0]
    shaken = eb.load(quarter_car(damping=2, motion=f"={size}*sin(2*pi*{f}*t)"))
    run = eb.simulate(shaken, until=6, points=601, tolerance=1e-8)
    late = run.t > 4.5
    t, y = run.t[late], run.signal("heave")[late]
    basis = np.column_stack((np.cos(2 * np.pi * f * t), np.sin(2 * np.pi * f * t), np.ones_like(t)))
    c, sine, _ = np.linalg.lstsq(basis, y, rcond=None)[0]
    assert sine + 1j * c == pytest.approx(size * H, rel=1e-4)  # Im(H e^iwt) = Re H sin + Im H cos


# ---- unbalance


def jeffcott(m=5.0, k=2e4, c=30.0, speed=10.0):
    """A disc on isotropic springs: two massless slides carry its bearing."""
    return {
        "eigenbody": 1,
        "parameters": {"speed": speed},
        "bodies": {
            "slide": {"mass": 0, "at": [0, 0, 0]},
            "bearing": {"mass": 0, "at": [0, 0, 0]},
            "disc": {"mass": m, "inertia": [0.1, 0.1, 0.2], "at": [0, 0, 0]},
        },
        "joints": {
            "x": {"type": "prismatic", "between": ["ground", "slide"], "axis": [1, 0, 0], "at": [0, 0, 0]},
            "y": {"type": "prismatic", "between": ["slide", "bearing"], "axis": [0, 1, 0], "at": [0, 0, 0]},
            "spin": {
                "type": "revolute", "between": ["bearing", "disc"], "axis": [0, 0, 1], "at": [0, 0, 0],
                "velocity": "=speed",
            },
        },
        "forces": {
            "kx": {"type": "spring", "along": "x", "k": k, "c": c},
            "ky": {"type": "spring", "along": "y", "k": k, "c": c},
        },
    }  # fmt: skip


def test_jeffcott_rotor():
    m, k, c, me = 5.0, 2e4, 30.0, 1e-3
    hz = np.geomspace(1, 100, 60)
    w = 2 * np.pi * hz
    x = me * w**2 / (k - m * w**2 + 1j * c * w)
    r = eb.frf(eb.load(jeffcott()), outputs=["x", "y"], frequencies_hz=hz, unbalance={"body": "disc", "moment": me})
    against(r.values[:, :, 0], np.stack([x, -1j * x], axis=1))
    assert r.unit(0, 0) == "m"
    backward = eb.frf(
        eb.load(jeffcott()), outputs=["x", "y"], frequencies_hz=hz,
        unbalance={"body": "disc", "moment": me, "axis": [0, 0, -1]},
    )  # fmt: skip
    assert backward.values[:, 1, 0] / backward.values[:, 0, 0] == pytest.approx(1j)


EI, LENGTH, MASS, ID, IP = 1657.1901247686158, 0.4, 10.0, 0.1, 0.2


def overhung(speed=100.0):
    """Stodola's rotor: a thin disc at the end of a massless shaft, as a carrier on the stiffness of its tip."""
    a, b, d = 12 * EI / LENGTH**3, 6 * EI / LENGTH**2, 4 * EI / LENGTH
    K = np.diag([a, a, 1e9, d, d, 1e6])
    K[0, 4] = K[4, 0] = -b
    K[1, 3] = K[3, 1] = b
    return {
        "eigenbody": 1,
        "parameters": {"turns": speed / (2 * np.pi)},
        "bodies": {
            "tip": {"mass": 0, "inertia": [0, 0, 0], "at": [0, 0, 0]},
            "disc": {"mass": MASS, "inertia": [ID, ID, IP], "at": [0, 0, 0]},
        },
        "joints": {
            "still": {
                "type": "perpendicular", "between": ["ground", "tip"], "at": [0, 0, 0], "axis": [1, 0, 0],
                "axis2": [0, 1, 0],
            },
            "spin": {
                "type": "revolute", "between": ["tip", "disc"], "axis": [0, 0, 1], "at": [0, 0, 0],
                "velocity": "=2*pi*turns",
            },
        },
        "measures": {
            "x": {"type": "displacement", "between": ["ground", "tip"], "axis": [1, 0, 0]},
            "y": {"type": "displacement", "between": ["ground", "tip"], "axis": [0, 1, 0]},
        },
        "forces": {"shaft": {"type": "bushing", "between": ["ground", "tip"], "at": [0, 0, 0], "k": K.tolist()}},
    }  # fmt: skip


def test_overhung_rotor_at_every_speed():
    """Forward synchronous: (12EI/L^3 - m W^2) z - 6EI/L^2 p = me W^2, -6EI/L^2 z + (4EI/L + (Ip - Id) W^2) p = 0."""
    me = 1e-4
    w = np.array([20.0, 60.0, 90.0, 100.0, 300.0])
    a, b, d = 12 * EI / LENGTH**3 - MASS * w**2, 6 * EI / LENGTH**2, 4 * EI / LENGTH + (IP - ID) * w**2
    z = me * w**2 * d / (a * d - b * b)
    model = eb.load(overhung())
    turning = {"body": "disc", "moment": me}
    r = eb.frf(
        model, outputs=["x", "y"], frequencies_hz=w / (2 * np.pi), unbalance=turning, speed_parameter="turns",
        refine=False,
    )  # fmt: skip
    against(r.values[:, :, 0], np.stack([z, -1j * z], axis=1), 1e-9)
    fixed = eb.frf(model, outputs=["x"], frequencies_hz=w / (2 * np.pi), unbalance=turning)
    assert abs(fixed.values[4, 0, 0] / z[4] - 1) > 0.01  # the gyroscopic moment of another speed
    assert fixed.values[3, 0, 0] == pytest.approx(z[3], rel=1e-9)  # the speed of the model itself


def test_overhung_rotor_has_its_forward_critical_speed_as_peak():
    """94.6781274761 rad/s: the forward critical speed of the closed form."""
    r = eb.frf(
        eb.load(overhung()), outputs=["x"], frequencies_hz=(12, 18, 9), spacing="linear",
        unbalance={"body": "disc", "moment": 1e-4}, speed_parameter="turns",
    )  # fmt: skip
    (peak,) = r.peaks
    assert 2 * np.pi * peak.frequency_hz == pytest.approx(94.6781274761, rel=1e-7)
    assert np.isinf(peak.magnitude)


# ---- the function others use


def test_frequency_response_of_ports():
    found = ports(eb.load(quarter_car()), ["heave"], ["heave"])
    w = np.array([1.0, 10.0])
    a, b, d = quarter_car_matrix(1j * w)
    against(frequency_response(found, w)[:, 0, 0], d / (a * d - b * b))
    assert frequency_response(found, -w)[:, 0, 0] == pytest.approx(frequency_response(found, w)[:, 0, 0].conj())


def test_modal_form_of_ports_knows_its_independence():
    form = ModalForm(excited(ports(eb.load(quarter_car()), ["heave"], ["heave"])).dense)
    assert form.is_usable
    assert form.entries() == 2


def test_an_input_that_nothing_feels_is_said():
    doc = quarter_car()
    doc["inputs"] = {"setpoint": {}, "push": {"along": "heave"}}
    r = eb.frf(eb.load(doc), outputs=["heave", "hop"])
    assert not r.entry("heave", "setpoint").any()
    assert r.entry("heave", "push").all()
    assert "Nothing leads from setpoint to heave, hop: there the response is zero." in r.notes


def test_no_degree_of_freedom():
    held = {
        "eigenbody": 1,
        "bodies": {"b": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"x": {"type": "fixed", "between": ["ground", "b"], "at": [0, 0, 0]}},
        "measures": {"d": {"type": "distance", "between": ["ground", "b"], "at": [[1, 0, 0], [0, 0, 0]]}},
        "outputs": {"pull": {"reaction": "x", "component": "fx", "axes": "ground"}},
    }
    r = eb.frf(eb.load(held), "d", ["d", "pull"], [1.0])
    assert r.values[0, :, 0] == pytest.approx([0.0, 1.0])  # pushed towards -x, held back by the joint


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_coordinates_of_bodies_can_be_read() -> None:
    """Every body has x y z rx ry rz, whether or not the model speaks of them: here the slider's y is the rail's own."""
    model = eb.load(Path(__file__).parents[3] / "examples" / "slider_pendulum.yaml", c=20)
    along, of_body = (eb.frf(model, "rail", output, [0.3, 1.0, 2.0], refine=False) for output in ("rail", "slider.y"))
    assert of_body.values == pytest.approx(along.values, rel=1e-12)
