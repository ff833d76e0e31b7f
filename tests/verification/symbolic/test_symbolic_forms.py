"""The three forms of the symbolic equations: the engine's matrices, textbook expressions, the lecture's steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy
from sympy import Matrix, cos, sin, symbols

import eigenbody as eb
from eigenbody.analyses.symbolic import SymbolicModel
from eigenbody.analyses.verify import place_of
from eigenbody.routes.symbolic import TITLES
from eigenbody.routes.symbolic.equations import equations
from eigenbody.routes.symbolic.linear import linearized
from small_mechanisms import DOUBLE_PENDULUM, DRIVEN, FOUR_BAR, PENDULUM, SLIDER_PENDULUM, G, moved, random_small

EXAMPLES = Path(__file__).parents[3] / "examples"
FORMS = tuple(TITLES)
MINIMAL = ("newton-euler", "lagrange-2")


def same(found: object, expected: object) -> bool:
    """Whether expressions or matrices are equal for all values of their symbols."""
    difference = sympy.sympify(found) - sympy.sympify(expected)
    entries = list(difference) if isinstance(difference, sympy.MatrixBase) else [difference]
    return all(sympy.simplify(entry) == 0 for entry in entries)


def values_of(model: SymbolicModel, matrix: object) -> np.ndarray:
    """Numbers of a matrix of the linear equations, at the parameters and the reference."""
    numbers = dict((*model.eqs.values.items(), *model.linear.values.items()))
    return np.array(sympy.Matrix(matrix).subs(numbers).evalf(20).tolist(), float)


# ---- the same linear equations


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("kind", "seed"),
    [*(("planar tree", k) for k in range(3)), *(("planar loop", k) for k in range(3)), ("space", 0)],
)
def test_random_mechanisms_in_motion_have_the_linear_equations_of_the_engine(kind: str, seed: int, form: str) -> None:
    point = eb.operating_point(eb.load(random_small(np.random.default_rng([seed, len(kind)]), kind)))
    known, place = eb.linearize(point), place_of(point)
    assert not point.is_at_rest
    found = linearized(equations(point.system.description, place, form), place, place.independent)
    size = max(np.abs(matrix).max() for matrix in (known.M, known.C, known.K))
    for mine, theirs in ((found.M, known.M), (found.P, known.C), (found.Q, known.K)):
        assert mine == pytest.approx(theirs, abs=1e-11 * size)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("document", [SLIDER_PENDULUM, DOUBLE_PENDULUM, FOUR_BAR, PENDULUM], ids=lambda d: d["name"])
def test_expressions_about_the_reference_have_the_values_of_the_engine(document: dict, form: str) -> None:
    model, known = eb.symbolic(eb.load(document), form), eb.linearize(eb.load(document))
    assert model.linear.is_reduced
    assert model.linear.coordinates == known.coordinates
    for mine, theirs in ((model.linear.M, known.M), (model.linear.P, known.C), (model.linear.Q, known.K)):
        assert values_of(model, mine) == pytest.approx(theirs, abs=1e-11 * np.abs(known.K).max())
    assert values_of(model, model.linear.A) == pytest.approx(known.A, abs=1e-9)
    D, gyroscopic, C, N = (values_of(model, getattr(model.linear, name)) for name in "DGCN")
    assert D + gyroscopic == pytest.approx(known.C, abs=1e-9)
    assert pytest.approx(known.K, abs=1e-11 * np.abs(known.K).max()) == C + N
    assert np.array_equal(C, C.T)
    assert np.array_equal(N, -N.T)


@pytest.mark.parametrize("form", FORMS)
def test_a_moving_point_has_the_values_of_the_engine(form: str) -> None:
    document = moved(FOUR_BAR, np.random.default_rng(5), ("a",))
    model, known = eb.symbolic(eb.load(document), form), eb.linearize(eb.load(document))
    parts = model.numbers.matrices
    assert parts["M"] == pytest.approx(known.M, rel=1e-10)
    assert parts["C"] + parts["N"] == pytest.approx(known.K, abs=1e-10 * np.abs(known.K).max())


# ---- textbook expressions


@pytest.mark.parametrize("form", MINIMAL)
def test_slider_pendulum_of_trom(form: str) -> None:
    """Trom 1990, section 3.2.4: by hand M = [[m2 + m3, m3 l/2 cos], [., j3 + m3 l^2/4]]; `2*c` of the file stays 2 c,
    and c = 0 stays c."""
    model = eb.symbolic(eb.load(SLIDER_PENDULUM), form)
    m2, m3, l, j3, k, c, g = symbols("m2 m3 l j3 k c g")  # noqa: E741
    y, phi, dy, dphi = symbols("q_rail q_hinge u_rail u_hinge")
    coupling = m3 * l / 2 * cos(phi)
    assert same(model.M, Matrix([[m2 + m3, coupling], [coupling, j3 + m3 * l**2 / 4]]))
    assert same(model.g, Matrix([-m3 * l / 2 * sin(phi) * dphi**2, 0]))
    assert same(model.d, Matrix([-k * y - 2 * c * dy, -m3 * g * l / 2 * sin(phi)]))
    assert same(model.linear.M, Matrix([[m2 + m3, m3 * l / 2], [m3 * l / 2, j3 + m3 * l**2 / 4]]))
    assert same(model.linear.D, Matrix([[2 * c, 0], [0, 0]]))
    assert same(model.K, Matrix([[k, 0], [0, m3 * g * l / 2]]))
    assert model.parameters == {"m2": 10, "m3": 20, "l": 2, "j3": 15, "k": 20, "c": 0, "g": G}


@pytest.mark.parametrize("form", MINIMAL)
def test_double_pendulum_of_the_textbooks(form: str) -> None:
    """Relative angles, point masses: e.g. Craig, Introduction to Robotics, section 6.7."""
    model = eb.symbolic(eb.load(DOUBLE_PENDULUM), form)
    m1, m2, l1, l2, g = symbols("m1 m2 l1 l2 g")
    q1, q2, u1, u2 = symbols("q_phi1 q_phi2 u_phi1 u_phi2")
    off = m2 * l2**2 + m2 * l1 * l2 * cos(q2)
    first = m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * cos(q2))
    assert same(model.M, Matrix([[first, off], [off, m2 * l2**2]]))
    h = m2 * l1 * l2 * sin(q2)
    assert same(model.g, Matrix([-h * (2 * u1 * u2 + u2**2), h * u1**2]))
    lower = m2 * g * l2 * sin(q1 + q2)
    assert same(model.d, Matrix([-(m1 + m2) * g * l1 * sin(q1) - lower, -lower]))
    assert same(model.kinetic_energy, (Matrix([[u1, u2]]) * model.M * Matrix([u1, u2]))[0] / 2)
    assert same(model.potential_energy.diff(q1), -model.d[0])


def test_parallelogram_of_rods() -> None:
    """5/3 m x'' + 2 m g x = 0 (the example's own source); the cranks carry 3/2 m g each, the coupler hangs by m g/2."""
    for form in FORMS:
        model = eb.symbolic(eb.load(EXAMPLES / "parallelogram.yaml"), form)
        m, g = symbols("m g")
        assert same(model.linear.M, Matrix([[5 * m / 3]]))
        assert same(model.K, Matrix([[2 * m * g]]))
        assert same(model.linear.A, Matrix([[0, 1], [-6 * g / 5, 0]]))
    first = eb.symbolic(eb.load(EXAMPLES / "parallelogram.yaml"), "lagrange-1")
    multipliers = [first.linear.reference[s] for s in first.multipliers]
    assert multipliers == [0, 3 * m * g / 2, 0, 3 * m * g / 2, 0, m * g / 2, 0, m * g / 2]


def test_rotor_keeps_its_spin_as_a_symbol() -> None:
    """Polar inertia 1, transverse 0.6: gyroscopic matrix spin [[0, 1], [-1, 0]] in ground axes."""
    model = eb.symbolic(eb.load(EXAMPLES / "rotor_on_bearing.yaml"))
    spin, stiffness = symbols("spin tilt_stiffness")
    assert same(model.linear.G, Matrix([[0, spin, 0], [-spin, 0, 0], [0, 0, 0]]))
    assert same(model.K, sympy.diag(stiffness, stiffness, 0))


# ---- the lecture's steps


def test_planar_pendulum_of_the_first_kind() -> None:
    """Lecture notes, L6: T = diag(m, m, J), r = (x, y, phi), G, gamma, Q = G T^-1 G^T and lambda by hand.

    The joint is at r - S (0, -l) = r + l (sin, -cos)... : x - l sin(phi) = 0, y + l cos(phi) = 0.
    """
    model = eb.symbolic(eb.load(PENDULUM), "lagrange-1")
    m, J, l, g = symbols("m J l g")  # noqa: E741
    x, y, phi, w = symbols("q_rod_x q_rod_y q_rod_phi u_rod_phi")
    T, e = sympy.diag(m, m, J), Matrix([0, -m * g, 0])
    assert model.coordinates == ("rod.x", "rod.y", "rod.phi")
    assert same(model.M, T)
    assert same(model.d - model.g, e)
    assert same(model.constraints, Matrix([x - l * sin(phi), y + l * cos(phi)]))
    jacobian = Matrix([[1, 0, -l * cos(phi)], [0, 1, -l * sin(phi)]])
    gamma = Matrix([l * sin(phi), -l * cos(phi)]) * w**2
    assert same(model.G, jacobian)
    assert same(model.gamma, gamma)
    assert same(model.reactions, jacobian.T * Matrix(model.multipliers))
    by_hand = -(jacobian * T.inv() * jacobian.T).inv() * (jacobian * T.inv() * e + gamma)
    assert same(model.solved_multipliers, by_hand)
    accelerations = T.inv() * (e + jacobian.T * model.solved_multipliers)
    assert same(accelerations[2], -m * g * l * sin(phi) / (J + m * l**2))  # the pendulum's own equation


def test_jacobians_and_velocities_of_the_bodies() -> None:
    """v = J_T u + v_local, omega~ = S' S^T (entry 13 is omega_y: the notes print omega_x)."""
    model = eb.symbolic(eb.load(DOUBLE_PENDULUM))
    q, u = Matrix(model.q), Matrix(model.u)
    for body in model.bodies.values():
        assert same(body.J_T, body.r.jacobian(q))
        assert same(body.v, body.J_T * u)
        rate = body.S.applyfunc(lambda e: sum(e.diff(s) * v for s, v in zip(model.q, model.u, strict=True)))
        tilde = rate * body.S.T
        assert same(Matrix([tilde[2, 1], tilde[0, 2], tilde[1, 0]]), body.omega)
        assert not any(body.v_local)
    lower = model.bodies["lower"]
    l1, l2, q1, q2 = symbols("l1 l2 q_phi1 q_phi2")
    assert same(lower.r, Matrix([-l1 * sin(q1) - l2 * sin(q1 + q2), 0, -l1 * cos(q1) - l2 * cos(q1 + q2)]))


def test_prescribed_motion_gives_local_velocities() -> None:
    """phi = Omega t + A sin t: m x'' - m x (Omega + A cos t)^2 + k (x - l0) + c x' = 0, x = l0 + slide."""
    model = eb.symbolic(eb.load(DRIVEN))
    Omega, A, m, k, l0, t, s, v = symbols("Omega A m k l0 t q_slide u_slide")
    rate = Omega + A * cos(t)
    assert model.coordinates == ("slide",)
    assert same(model.bodies["arm"].omega_local, Matrix([0, 0, rate]))
    angle = Omega * t + A * sin(t)
    across = Matrix([-sin(angle), cos(angle), 0])
    assert same(model.bodies["bead"].v_local, (l0 + s) * rate * across)
    assert same(model.M, Matrix([[m]]))
    assert same(model.g, Matrix([-m * (l0 + s) * rate**2]))
    assert same(model.d, Matrix([-k * s - v]))
    first = eb.symbolic(eb.load(DRIVEN), "lagrange-1")  # the motion is a constraint there
    assert first.held_by[-1] == "spin"
    assert same(first.constraints[len(first.held_by) - 1], symbols("q_arm_phi") - angle)


def test_global_axes_and_names_stay() -> None:
    """The slider moves along y in the y-z plane: its coordinates keep these names."""
    model = eb.symbolic(eb.load(SLIDER_PENDULUM), "lagrange-1")
    assert model.coordinates[:3] == ("slider.y", "slider.z", "slider.phi")
    assert set(model.held_by) == {"rail", "hinge"}
    assert model.bodies["pendulum"].r[0] == 0


def test_numbers_stay_numbers_as_they_are_written() -> None:
    model = eb.symbolic(eb.load(EXAMPLES / "slider_pendulum.yaml"))
    assert Matrix([[30, 20 * cos(model.q[1])], [20 * cos(model.q[1]), 35]]) == model.M
    assert model.K[1, 1] == sympy.Rational(981, 5)
    named = eb.symbolic(eb.load(EXAMPLES / "slider_pendulum.yaml"), symbols="all")
    assert same(named.M[0, 0], sum(symbols("m_slider m_pendulum")))
    assert named.parameters["m_slider"] == 10


def test_parameters_of_parameters_keep_their_formula() -> None:
    model = eb.symbolic(eb.load(FOUR_BAR), "newton-euler")
    m, h, J = symbols("m h J")
    assert model.eqs.kin.pool.definitions == {J: m * h**2 / 12}
    assert J in model.M.free_symbols


def test_what_stands_by_its_value_is_said() -> None:
    """The angle of a body's rotation turns its inertia; the equations have the numbers."""
    body = {"mass": 1, "inertia": [1, 2, 3], "at": [0, 0, 0], "rotation": {"axis": [1, 0, 0], "angle": "=tilt"}}
    document = {
        "eigenbody": 1, "parameters": {"tilt": 0.3}, "bodies": {"b": body},
        "joints": {"pin": {"type": "revolute", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
    }  # fmt: skip
    assert any("bodies.b.rotation.angle" in note for note in eb.symbolic(eb.load(document)).notes)


def test_bad_choices_are_named() -> None:
    with pytest.raises(eb.InputError, match="Choose one of: newton-euler"):
        eb.symbolic(eb.load(PENDULUM), "kane")
    with pytest.raises(eb.InputError, match="parameters"):
        eb.symbolic(eb.load(PENDULUM), symbols="some")
    with pytest.raises(eb.InputError, match="modelica"):
        eb.symbolic(eb.load(PENDULUM)).text("fortran")
    with pytest.raises(eb.InputError, match="non-holonomic rows"):
        eb.symbolic(eb.load(EXAMPLES / "rolling_disc.yaml"))
    apart = {**PENDULUM, "joints": {"pin": {**PENDULUM["joints"]["pin"], "at": [[0, 0, 0], [0.1, 0, 0]]}}}
    with pytest.raises(eb.InputError, match="only lagrange-1"):
        eb.symbolic(eb.load(apart), "lagrange-2")
