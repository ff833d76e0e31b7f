"""Controllers, states, Python functions, inputs and outputs against closed forms and python-control."""

import io
import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

import eigenbody as eb
from eigenbody.linearization.point import at_state

control = pytest.importorskip("control")
EXAMPLES = Path(__file__).parents[3] / "examples"
MASS, K, C = 2.0, 50.0, 3.0
FREQUENCIES = (0.0, 0.1j, 2j, 17j + 0.3, 300j)


def block(**sections: object) -> eb.Model:
    """A mass on a spring; `wish` is an input that only expressions read."""
    rail = {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    doc = {
        "eigenbody": 1,
        "bodies": {"block": {"mass": MASS, "at": [0, 0, 0]}},
        "joints": {"rail": rail},
        "forces": {"spring": {"type": "spring", "along": "rail", "k": K, "c": C}},
        "inputs": {"wish": {}},
    }
    for name, section in sections.items():
        doc[name] = {**doc.get(name, {}), **section}
    return eb.load(doc)


def transfer(linear: eb.LinearModel, s: complex) -> np.ndarray:
    A, B, Co, D = linear.state_space
    return Co @ np.linalg.solve(s * np.eye(len(A)) - A, B) + D


# Blocks ---------------------------------------------------------------------------------------------------------------
def low(s, w):
    return w / (s + w)


def pade(s, T, n):
    p = [math.factorial(2 * n - k) / (math.factorial(k) * math.factorial(n - k)) * (s * T) ** k for k in range(n + 1)]
    return sum(x * (-1) ** k for k, x in enumerate(p)) / sum(p)


BLOCKS = {
    "first order": ({"type": "transfer", "numerator": [2], "denominator": [0.5, 1]}, lambda s: 2 / (0.5 * s + 1)),
    "feedthrough": (
        {"type": "transfer", "numerator": [3, 1, 4], "denominator": [2, 5, 9]},
        lambda s: (3 * s * s + s + 4) / (2 * s * s + 5 * s + 9),
    ),
    "gain": ({"type": "transfer", "numerator": [6], "denominator": [2]}, lambda s: 3 + 0 * s),
    "lowpass": ({"type": "filter", "corner": 7}, lambda s: low(s, 7)),
    "highpass": ({"type": "filter", "corner": "2 rev/s", "kind": "highpass"}, lambda s: s / (s + 4 * math.pi)),
    "lowpass 2": (
        {"type": "filter", "corner": 7, "order": 2, "damping": 0.4},
        lambda s: 49 / (s * s + 2 * 0.4 * 7 * s + 49),
    ),
    "highpass 2": ({"type": "filter", "corner": 7, "order": 2, "kind": "highpass"},
                   lambda s: s * s / (s * s + math.sqrt(2) * 7 * s + 49)),
    "pid": (
        {"type": "pid", "kp": 3, "ki": 2, "kd": 0.5, "filter": 0.05},
        lambda s: 3 + 2 / s + 0.5 * s / (0.05 * s + 1),
    ),
    "pd": ({"type": "pid", "kp": 3, "kd": 0.5, "filter": 0.05}, lambda s: 3 + 0.5 * s / (0.05 * s + 1)),
    "delay 1": ({"type": "delay", "time": 0.2, "order": 1}, lambda s: pade(s, 0.2, 1)),
    "delay 4": ({"type": "delay", "time": "0.2 s", "order": 4}, lambda s: pade(s, 0.2, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_block_is_its_transfer_function(name: str) -> None:
    entry, function = BLOCKS[name]
    model = block(blocks={"b": entry | {"input": "=2*wish"}}, outputs={"y": {"expression": "=b"}})
    linear = eb.linearize(model)
    for s in FREQUENCIES:
        if s or "ki" not in entry:
            assert transfer(linear, s)[0, 0] == pytest.approx(2 * function(s), rel=1e-9, abs=1e-12), s


def test_delay_approximates_a_delay() -> None:
    linear = eb.linearize(
        block(
            blocks={"b": {"type": "delay", "input": "=wish", "time": 0.2, "order": 6}},
            outputs={"y": {"expression": "=b"}},
        )
    )
    assert transfer(linear, 10j)[0, 0] == pytest.approx(np.exp(-2j), abs=1e-8)


def test_state_space_block_with_several_inputs_and_outputs() -> None:
    A, B, Co, D = ([[0, 1], [-4, -2]], [[0, 1], [2, 0]], [[1, 0], [0, 3]], [[0, 0.5], [0, 0]])
    entry = {
        "type": "state_space",
        "inputs": ["=wish", "=rail"],
        "A": A,
        "B": B,
        "C": Co,
        "D": D,
        "outputs": ["p", "q"],
    }
    outputs = {"p": {"expression": "=b.p"}, "q": {"expression": "=b.q"}}
    linear = eb.linearize(block(blocks={"b": entry}, outputs=outputs))
    assert linear.states == ("rail", "rail'", "b.x1", "b.x2")
    for s in FREQUENCIES:
        H = np.array(Co) @ np.linalg.solve(s * np.eye(2) - A, np.array(B)[:, :1])
        assert transfer(linear, s)[:, 0] == pytest.approx(H[:, 0], rel=1e-12)  # the rail does not move
    assert linear.state_space.C[0, 0] == 0.5  # feedthrough of the rail


def test_blocks_feed_each_other_and_close_the_loop() -> None:
    """Position control of the mass by a PID through a lagging actuator: the characteristic polynomial by hand."""
    kp, ki, kd, tf, tau = 400.0, 900.0, 30.0, 0.01, 0.05
    blocks = {
        "pid": {"type": "pid", "input": "=wish - rail", "kp": kp, "ki": ki, "kd": kd, "filter": tf},
        "valve": {"type": "filter", "input": "=pid", "corner": 1 / tau},
    }
    forces = {"act": {"type": "actuator", "along": "rail", "value": "=valve"}}
    linear = eb.linearize(block(blocks=blocks, forces=forces, outputs={"x": {"measure": "rail"}}))
    s = np.poly1d([1, 0])
    lead = tf * s + 1
    regulator = kp * s * lead + ki * lead + kd * s * s
    closed = (MASS * s**2 + C * s + K) * s * lead * (tau * s + 1) + regulator
    assert sorted(np.linalg.eigvals(linear.A), key=abs) == pytest.approx(sorted(closed.roots, key=abs), rel=1e-8)
    for value in FREQUENCIES[1:]:
        assert transfer(linear, value)[0, 0] == pytest.approx(regulator(value) / closed(value), rel=1e-9)
    assert transfer(linear, 0)[0, 0] == pytest.approx(1, rel=1e-12)  # integral action


# Implicit states ------------------------------------------------------------------------------------------------------
def test_implicit_states_are_the_explicit_ones() -> None:
    """Coupled through their rates: 3 x' + y' = f, x' - 2 y' = g."""
    f, g = "(wish - x + rail')", "(x*y - rail)"
    implicit = {
        "x": {"residual": f"=3*x' + y' - {f}", "initial": 0.7},
        "y": {"residual": f"=x' - 2*y' - {g}", "initial": -0.4},
    }
    explicit = {
        "x": {"rate": f"=(2*{f} + {g})/7", "initial": 0.7},
        "y": {"rate": f"=({f} - 3*{g})/7", "initial": -0.4},
    }
    forces = {"act": {"type": "actuator", "along": "rail", "value": "=x*y"}}
    one, two = (eb.linearize(block(states=states, forces=forces)) for states in (implicit, explicit))
    np.testing.assert_allclose(one.A, two.A, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(one.B, two.B, rtol=1e-12, atol=1e-13)


def test_nonlinear_implicit_state() -> None:
    """x' + x'^3 = 2 has x' = 1; the slopes follow from the implicit function theorem: dx' = din / (1 + 3 x'^2)."""
    linear = eb.linearize(block(states={"x": {"residual": "=x' + x'**3 - 2 - wish + 8*x"}}))
    assert linear.point.mechanics.applied.state_rate() == pytest.approx([1.0], rel=1e-14)
    assert linear.A[2, 2] == pytest.approx(-2, rel=1e-13)
    assert linear.B[2, 0] == pytest.approx(0.25, rel=1e-13)


# Python functions -----------------------------------------------------------------------------------------------------
def law(s, v):
    return -(40 * s + 7 * s**3) - 0.5 * v


FUNCTIONS = {
    "complex step": eb.Function(law),
    "given": eb.Function(law, derivative=lambda s, v: (-(40 + 21 * s**2), -0.5)),
    "differences": eb.Function(lambda s, v: law(float(s), float(v))),
}


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("means", FUNCTIONS)
def test_python_function_as_a_force(means: str, vectorized: bool) -> None:
    function = FUNCTIONS[means]
    if vectorized:
        if means == "differences":
            call = lambda s, v: np.asarray(law(np.real(s), np.real(v)))  # noqa: E731  drops the imaginary part
            function = eb.Function(call, vectorized=True)
        else:
            function = eb.Function(law, function.of, function.derivative, vectorized=True)
    model = block(forces={"f": {"type": "expression", "along": "rail", "value": function}})
    model = model.set(operating_point={"rail": 0.3, "rail'": 0.2})
    linear = eb.linearize(model)
    assert linear.certificate.derivatives["forces.f"].startswith(means)
    assert linear.certificate.as_dict()["derivatives"] == dict(linear.certificate.derivatives)
    assert f"forces.f: {means}" in str(linear)
    assert linear.K[0, 0] == pytest.approx(K + 40 + 21 * 0.3**2, rel=1e-9)
    assert linear.C[0, 0] == pytest.approx(C + 0.5, rel=1e-9)
    motion = eb.simulate(model, until=0.5)
    text = block(forces={"f": {"type": "expression", "along": "rail", "value": "=-(40*s + 7*s**3) - 0.5*v"}})
    same = eb.simulate(text.set(operating_point={"rail": 0.3, "rail'": 0.2}), until=0.5)
    assert motion.signal("rail") == pytest.approx(same.signal("rail"), abs=1e-7)


def test_slopes_of_a_python_function_do_not_depend_on_where_it_was_asked_before() -> None:
    """Up to 0.2 it bears complex numbers, beyond it drops the imaginary part: 3 s both ways."""
    function = eb.Function(lambda s: 3 * s if np.real(s) < 0.2 else 3 * float(np.real(s)))
    model = block(forces={"f": {"type": "expression", "along": "rail", "value": function}})
    near = eb.operating_point(model.set(operating_point={"rail": 0.1}))
    there = near.state.moved(near.system, np.array([0.4 * (d == 0) for d in range(near.system.nq)]))
    for where, means in ((near.state, "complex step"), (there, "differences"), (near.state, "complex step")):
        linear = eb.linearize(at_state(model, near.system, where))
        assert linear.certificate.derivatives["forces.f"].startswith(means)
        assert linear.certificate.tangent_error < 1e-9
        assert linear.K[0, 0] == pytest.approx(K - 3, rel=1e-9)


def test_python_function_elsewhere() -> None:
    model = block(
        states={"x": {"rate": lambda x, wish: wish * 3 - x**2, "initial": 1.0}},
        outputs={"y": {"expression": eb.Function(lambda p, a: p * a, of=("x", "rail''"))}},
        forces={"push": {"type": "actuator", "along": "rail", "value": 6.0}},
    )
    linear = eb.linearize(model)
    assert linear.certificate.derivatives == {"states.x": "complex step", "outputs.y": "complex step"}
    assert linear.A[2, 2] == pytest.approx(-2, rel=1e-12)
    assert linear.B[2, 0] == pytest.approx(3, rel=1e-12)
    assert linear.state_space.C[0] == pytest.approx([-K / MASS, -C / MASS, 6 / MASS], rel=1e-12)
    assert "derivatives" not in eb.linearize(block()).certificate.as_dict()


# Outputs --------------------------------------------------------------------------------------------------------------
def test_reaction_of_a_pendulum() -> None:
    """The hinge carries m g cos(phi) + m l phi'^2 along the rod; along its axis nothing."""
    m, length, g, phi, rate = 1.5, 0.4, 9.81, 0.5, 2.0
    doc = {
        "eigenbody": 1,
        "gravity": [0, 0, -g],
        "bodies": {"rod": {"mass": m, "inertia": [0, 0, 0], "at": [0, 0, -length]}},
        "joints": {"pin": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0],
                           "position": phi, "velocity": rate}},
        "outputs": {
            **{c: {"reaction": "pin", "component": c, "axes": "ground"} for c in ("fx", "fy", "fz")},
            "along": {"reaction": "pin", "component": "fz"},
        },
    }  # fmt: skip
    linear = eb.linearize(eb.load(doc))
    s, c = math.sin(phi), math.cos(phi)
    pull = m * (g * c + length * rate**2)
    found = linear.point.outputs()
    assert [found[k] for k in ("fx", "fy", "fz")] == pytest.approx([pull * s, 0, pull * c], abs=1e-12)
    rows = linear.state_space.C
    assert rows[0] == pytest.approx([-m * g * s * s + pull * c, 2 * m * length * rate * s], rel=1e-12)
    assert rows[2] == pytest.approx([-m * g * s * c - pull * s, 2 * m * length * rate * c], rel=1e-12)
    assert rows[3] == pytest.approx([0, 0], abs=1e-12)  # the joint's z is its axis
    motion = eb.simulate(linear.point, until=0.7)
    swing, speed = motion.signal("pin"), motion.signal("pin'")
    assert motion.signal("fx") == pytest.approx(m * (g * np.cos(swing) + length * speed**2) * np.sin(swing), abs=1e-9)


def test_reactions_left_open_by_redundancy_are_refused() -> None:
    doc = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml").document
    doc["outputs"] = {"ok": {"reaction": "a", "component": "fx", "axes": "ground"}}
    open_ones = eb.reactions(eb.operating_point(eb.load(doc)), "ground")["a"].indeterminate
    fine = [c for c in ("fx", "fy", "fz", "mx", "my", "mz") if c not in open_ones]
    doc["outputs"] = {c: {"reaction": "a", "component": c, "axes": "ground"} for c in fine}
    assert np.isfinite(eb.linearize(eb.load(doc)).state_space.C).all()
    doc["outputs"] = {"bad": {"reaction": "a", "component": open_ones[0], "axes": "ground"}}
    with pytest.raises(eb.InputError, match=rf"outputs.bad: {open_ones[0]} of the joint a is left open by redundant"):
        eb.linearize(eb.load(doc))


def test_units_of_every_signal() -> None:
    model = block(
        measures={"ratio": {"type": "cosine", "between": ["ground", "block"], "axis": [0, 0, 1]}},
        inputs={"push": {"along": "rail"}, "turn": {"body": "block", "direction": [1, 0, 0], "torque": True},
                "volts": {"unit": "V"}},
        states={"x": {"rate": "=volts - x", "unit": "Wb"}},
        outputs={"place": {"measure": "rail"}, "speed": {"measure": "rail", "order": 1},
                 "shake": {"expression": "=rail''"}, "ratio": {"measure": "ratio"}, "flux": {"expression": "=x"},
                 "pull": {"force": "spring"}, "bend": {"reaction": "rail", "component": "my"},
                 "mixed": {"expression": "=x*rail"}, "power": {"expression": "=push*rail'", "unit": "W"}},
    )  # fmt: skip
    units = eb.linearize(model).units
    assert units.states == ("m", "m/s", "Wb")
    assert units.inputs == ("", "N", "N*m", "V")
    assert units.outputs == ("m", "m/s", "m/s^2", "", "Wb", "N", "N*m", "", "W")


# Other forms ----------------------------------------------------------------------------------------------------------
def linkage() -> eb.LinearModel:
    return eb.linearize(eb.load(EXAMPLES / "actuated_linkage.yaml"))


@pytest.mark.parametrize("solver", ["dense", "sparse"])
def test_descriptor_form_has_the_same_transfer_function(solver: str) -> None:
    dense = linkage()
    form = eb.linearize(dense.point, solver=solver).descriptor
    assert len(form.unknowns) == form.A.shape[0] == form.E.shape[1]
    assert form.unknowns[: form.differential] == dense.states
    assert len(set(form.unknowns)) == len(form.unknowns)
    for s in (1j, 40j, 3 + 300j):
        wanted = transfer(dense, s)
        found = form.C @ np.linalg.solve((s * form.E - form.A).toarray(), form.B.toarray()) + form.D.toarray()
        assert np.abs(found - wanted) == pytest.approx(0, abs=1e-9 * np.abs(wanted).max())


def test_python_control_round_trip() -> None:
    linear = linkage()
    system = linear.to_control()
    assert isinstance(system, control.StateSpace)
    assert tuple(system.state_labels) == linear.states
    assert tuple(system.input_labels) == linear.inputs
    assert tuple(system.output_labels) == linear.outputs
    by_size = lambda values: sorted(values, key=lambda z: (round(abs(z), 6), z.imag))  # noqa: E731
    assert by_size(system.poles()) == pytest.approx(by_size(np.linalg.eigvals(linear.A)), rel=1e-10)
    A, B, Co, D = linear.state_space
    again = control.ss(A, B[:, :1], Co[:1], D[:1, :1])
    assert by_size(system["crank", "angle"].zeros()) == pytest.approx(by_size(again.zeros()), rel=1e-9)
    for w in (0.5, 60.0):
        assert system(1j * w) == pytest.approx(transfer(linear, 1j * w), rel=1e-9)


def test_zeros_survive_the_way_to_python_control() -> None:
    """From the force on one of two masses to its own position: zeros at the other mass's frequency, sqrt(k/m2)."""
    rails = {
        f"r{i}": {"type": "prismatic", "between": ["ground", f"m{i}"], "at": [0, 0, 0], "axis": [1, 0, 0]}
        for i in (1, 2)
    }
    doc = {
        "eigenbody": 1,
        "bodies": {"m1": {"mass": 1.0, "at": [0, 0, 0]}, "m2": {"mass": 2.5, "at": [0, 0, 0]}},
        "joints": rails,
        "measures": {"gap": {"type": "displacement", "between": ["m1", "m2"], "axis": [1, 0, 0]}},
        "forces": {"k": {"type": "spring", "along": "gap", "k": 90.0}},
        "inputs": {"push": {"along": "r1"}},
        "outputs": {"x": {"measure": "r1"}},
    }
    zeros = eb.linearize(eb.load(doc)).to_control().zeros()
    assert np.sort(zeros.imag) == pytest.approx([-6, 6], rel=1e-9)
    assert zeros.real == pytest.approx([0, 0], abs=1e-9)


def test_names_with_dots_reach_python_control() -> None:
    linear = eb.linearize(block(blocks={"lag": {"type": "filter", "input": "=rail", "corner": 3}}))
    assert linear.to_control().state_labels == ["rail", "rail'", "lag_x1"]


def test_mat_file_holds_both_forms() -> None:
    from eigenbody.present.export import result_writer

    linear, file = linkage(), io.BytesIO()
    result_writer(linear, "linear.mat")(file)
    data = loadmat(io.BytesIO(file.getvalue()), simplify_cells=True)
    for name, matrix in zip("ABCD", linear.state_space, strict=True):
        np.testing.assert_array_equal(data[name], matrix)
    np.testing.assert_array_equal(data["E"], np.eye(4))
    assert list(data["outputs"]) == list(linear.outputs)
    assert [str(u) if len(u) else "" for u in data["output_units"]] == list(linear.units.outputs)
    np.testing.assert_array_equal(data["descriptor"]["A"].toarray(), linear.descriptor.A.toarray())
    assert tuple(data["descriptor"]["unknowns"]) == linear.descriptor.unknowns


# Closed loops ---------------------------------------------------------------------------------------------------------
def test_cart_and_pole_with_a_regulator_from_python_control() -> None:
    example = runpy.run_path(str(EXAMPLES / "cart_pole_lqr.py"))
    gains = example["gains"]()
    linear = eb.linearize(example["plant"]())
    assert max(np.linalg.eigvals(linear.A).real) > 4  # falls by itself
    row = np.array([[gains[name] for name in linear.states]])
    wanted = np.sort_complex(np.linalg.eigvals(linear.A - linear.B @ row))
    found = np.sort_complex(np.linalg.eigvals(eb.linearize(example["controlled"](gains)).A))
    assert found == pytest.approx(wanted, rel=1e-8)
    motion = eb.simulate(example["controlled"](gains, position=0.35), until=12.0, tolerance=1e-7)
    assert abs(motion.signal("pole")).max() < 0.4
    assert [abs(motion.signal(n)[-1]) for n in ("pole", "cart", "pole'", "cart'")] == pytest.approx([0] * 4, abs=1e-5)
