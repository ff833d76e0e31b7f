"""Table 1 of Negrut & Ortiz 2006, block by block, against the augmented matrix that eigenbody assembles.

The mechanism: two bodies in space, a ball joint to ground, a ball joint between them, a rod (distance) to ground; a
spring-damper, a user variable and a user differential equation (Eqs. 10) that feeds a force; five user states S. It
moves and accelerates. Everything of the table is written here anew, from points, velocities and accelerations, in

    q = (r, 3-1-3 Euler angles) of each body, u = (velocity in ground axes, angular velocity in body axes) = T(q) q'

and differentiated by complex steps. The table itself is corrected as in docs/theory/errata.md: nine zero rows and two
unit rows on the right, C''_u' and -s''_u' in the first column, P = (C_q T^-1)^T.

Where each block stands in our matrix (linearization/pencil.py), z = [S, W, x, dq, du, du', multipliers]:

    table, Eq.                      ours
    23a  M, P, Y_u, Y_q             last rows: du', multipliers, du, dq
    23b  T, -I, [T q']_q            none: the variations dq = T dq_table obey dr' = dv, dtheta' = dw - w x dtheta
    23c  C''_u', C''_u, C''_q       eighth rows: du', du, dq
    23d  C'_u, C'_q                 sixth rows: du, dq
    23e  C_q                        fourth rows: dq
    23f  -s_q, I                    fifth rows: dq, S (times -1)
    23g  I, -I                      first rows: S' = s'_q dq + s'_u du, which the seventh rows make W
    23h  -s'_u, -s'_q, I            seventh rows: du, dq, W (times -1)
    23i  -s''_u', -s''_u, -s''_q, I second rows: du', du, dq (W' on the left side, times -1)
    23j, k  W, S = given            none: S and W are the unknowns of E z' = A z
    10a  user equations             third rows: x, dq, du; their force stands in the last rows
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

import eigenbody as eb

GRAVITY = np.array([0.3, -0.2, -9.81])
MASS = (2.0, 3.0)
INERTIA = (np.diag([0.3, 0.5, 0.6]), np.diag([0.7, 0.4, 0.5]))
CENTRE = np.array([[0.3, 0.1, -0.5], [0.9, 0.3, -1.2]])
ANGLES = np.array([[0.4, 0.9, -0.7], [-1.1, 0.6, 0.3]])  # 3-1-3
HINGE, ELBOW, EYE, FOOT = np.array([[0, 0, 0], [0.6, 0.2, -0.9], [1.4, 0.5, -1.3], [2, -1, 0]], dtype=float)
NAIL, NOSE, CHIN = np.array([[-1, 0.5, -2], [0.7, -0.2, -0.8], [1.2, 0.8, -1.6]], dtype=float)
K, C, L0, FEED = 40.0, 1.5, 2.0, 3.0
STEP = 1e-40


def model() -> eb.Model:
    body = lambda i: {  # noqa: E731
        "mass": MASS[i], "inertia": np.diagonal(INERTIA[i]).tolist(), "at": CENTRE[i].tolist(),
        "rotation": {"sequence": "zxz", "angles": ANGLES[i].tolist()},
    }  # fmt: skip
    at = lambda *points: [p.tolist() for p in points]  # noqa: E731
    ball, displacement = {"type": "spherical"}, {"type": "displacement"}
    return eb.Model(
        gravity=GRAVITY.tolist(),
        bodies={"one": body(0), "two": body(1)},
        joints={
            "hinge": {**ball, "between": ["ground", "one"], "at": HINGE.tolist(), "velocity": [1.0, -0.6, 0.8]},
            "elbow": {**ball, "between": ["one", "two"], "at": ELBOW.tolist(), "velocity": [0.7, 1.2, None]},
            "rod": {"type": "distance", "between": ["ground", "two"], "at": at(FOOT, EYE)},
        },
        measures={
            "len": {"type": "distance", "between": ["ground", "two"], "at": at(NAIL, CHIN)},
            "x1": {**displacement, "between": ["ground", "one"], "at": at(NAIL, NOSE), "axis": [1, 0, 0]},
            "y1": {**displacement, "between": ["ground", "one"], "at": at(NAIL, NOSE), "axis": [0, 1, 0]},
            "x2": {**displacement, "between": ["ground", "two"], "at": at(NAIL, CHIN), "axis": [1, 0, 0]},
            "rel": {"type": "distance", "between": ["one", "two"], "at": at(NOSE, CHIN)},
        },
        states={"x": {"initial": 0.4, "rate": "=-2*x + 0.7*V"}},
        variables={"V": "=len*len' + 0.1*x1'"},
        forces={
            "spring": {"type": "spring", "along": "len", "k": K, "c": C, "free": L0},
            "feed": {"type": "expression", "along": "len", "value": f"=-{FEED}*x"},
        },
        coordinates=["len", "x1", "y1", "x2", "rel"],
    )  # fmt: skip


# The mechanism anew ---------------------------------------------------------------------------------------------------
def rz(a):
    c, s, o, i = np.cos(a), np.sin(a), 0 * a, 0 * a + 1
    return np.array([[c, -s, o], [s, c, o], [o, o, i]])


def rx(a):
    c, s, o, i = np.cos(a), np.sin(a), 0 * a, 0 * a + 1
    return np.array([[i, o, o], [o, c, -s], [o, s, c]])


def rotation(e):
    """3-1-3: R = Rz(psi) Rx(theta) Rz(phi)."""
    return rz(e[0]) @ rx(e[1]) @ rz(e[2])


def rates_to_spin(e):
    """B with w (body axes) = B e'."""
    _, theta, phi = e
    o = 0 * phi
    return np.array([
        [np.sin(theta) * np.sin(phi), np.cos(phi), o],
        [np.sin(theta) * np.cos(phi), -np.sin(phi), o],
        [np.cos(theta), o, o + 1],
    ])  # fmt: skip


def T(q):
    """u = T(q) q'."""
    out = np.eye(12, dtype=q.dtype)
    for i in (0, 1):
        out[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = rates_to_spin(q[6 * i + 3 : 6 * i + 6])
    return out


ARMS = {  # points in body axes, from the drawing
    (i, name): rotation(ANGLES[i]).T @ (p - CENTRE[i])
    for i, name, p in (
        (0, "hinge", HINGE), (0, "elbow", ELBOW), (1, "elbow", ELBOW), (1, "eye", EYE), (0, "nose", NOSE),
        (1, "chin", CHIN),
    )
}  # fmt: skip


def vector(i, arm, is_point, q, u, a):
    """A point of body i (or a direction fixed in it) with its first and second time derivative."""
    R, w, w1 = rotation(q[6 * i + 3 : 6 * i + 6]), u[6 * i + 3 : 6 * i + 6], a[6 * i + 3 : 6 * i + 6]
    out = [R @ arm, R @ np.cross(w, arm), R @ (np.cross(w1, arm) + np.cross(w, np.cross(w, arm)))]
    if is_point:
        out = [x + y[6 * i : 6 * i + 3] for x, y in zip(out, (q, u, a), strict=True)]
    return out


def fixed(p):
    return [p, np.zeros(3), np.zeros(3)]


def product(x, y):
    return [x[0] @ y[0], x[1] @ y[0] + x[0] @ y[1], x[2] @ y[0] + 2 * x[1] @ y[1] + x[0] @ y[2]]


def distance(d):
    s = np.sqrt(d[0] @ d[0])
    rate = d[0] @ d[1] / s
    return [s, rate, (d[1] @ d[1] + d[0] @ d[2]) / s - rate**2 / s]


def minus(x, y):
    return [a - b for a, b in zip(x, y, strict=True)]


def constraints(q, u, a):
    """C, C', C'', each (7,): the two balls in the axes of the first body, then the rod."""
    point = lambda i, name: vector(i, ARMS[i, name], True, q, u, a)  # noqa: E731
    ball1, ball2 = minus(point(0, "hinge"), fixed(HINGE)), minus(point(1, "elbow"), point(0, "elbow"))
    rows = [product(fixed(e), ball1) for e in np.eye(3)]
    axes = rotation(ANGLES[0]).T  # ground axes of the drawing, fixed in body one
    rows += [product(vector(0, axes[:, k], False, q, u, a), ball2) for k in range(3)]
    rod = distance(minus(point(1, "eye"), fixed(FOOT)))
    rod[0] = rod[0] - np.linalg.norm(EYE - FOOT)
    rows.append(rod)
    return [np.array(level) for level in zip(*rows, strict=True)]


def states(q, u, a):
    """The user states len, x1, y1, x2, rel with both derivatives, each (5,)."""
    nose, chin = (vector(i, ARMS[i, name], True, q, u, a) for i, name in ((0, "nose"), (1, "chin")))
    rows = [
        distance(minus(chin, fixed(NAIL))),
        *(product(fixed(e), minus(nose, fixed(NAIL))) for e in np.eye(3)[:2]),
        product(fixed(np.eye(3)[0]), minus(chin, fixed(NAIL))),
        distance(minus(chin, nose)),
    ]
    return [np.array(level) for level in zip(*rows, strict=True)]


def rows_by_velocity(function, q):
    """Jacobian of the rates by u: rates at unit velocities."""
    zero = np.zeros(12)
    return np.stack([function(q, unit, zero)[1] for unit in np.eye(12)], axis=1)


def mass():
    return np.block([
        [m if i == j else np.zeros((3, 3)) for j in range(4)]
        for i, m in enumerate((MASS[0] * np.eye(3), INERTIA[0], MASS[1] * np.eye(3), INERTIA[1]))
    ])  # fmt: skip


def forces(q, u, x):
    """Q(u, q, x), gyroscopic moments included."""
    out = np.zeros(12, dtype=np.result_type(q, u, x, float))
    for i in (0, 1):
        w = u[6 * i + 3 : 6 * i + 6]
        out[6 * i : 6 * i + 3] = MASS[i] * GRAVITY
        out[6 * i + 3 : 6 * i + 6] = -np.cross(w, INERTIA[i] @ w)
    length, rate, _ = (level[0] for level in states(q, u, np.zeros(12)))
    return out - (K * (length - L0) + C * rate + FEED * x) * rows_by_velocity(states, q)[0]


def residual(q, u, a, multipliers, x):
    """Eq. 23a with P = (C_q T^-1)^T."""
    return mass() @ a + rows_by_velocity(constraints, q).T @ multipliers - forces(q, u, x)


def user_rate(q, u, x):
    value, rate, _ = states(q, u, np.zeros(12))
    return np.array([-2 * x + 0.7 * (value[0] * rate[0] + 0.1 * rate[1])])


def derivative(function, at):
    """d function/d at by complex steps."""
    columns = [np.imag(function(at + 1j * STEP * unit)) / STEP for unit in np.eye(len(at))]
    return np.stack(columns, axis=1)


# Both matrices --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Case:
    """The operating point, our matrix and where the blocks stand in it."""

    linear: eb.LinearModel

    @cached_property
    def here(self):
        s, motion = self.linear.point.state, self.linear.point.motion
        q = np.concatenate([np.concatenate((s.r[i], ANGLES[i])) for i in (0, 1)])
        u = np.concatenate([np.concatenate((s.v[i], s.w[i])) for i in (0, 1)])
        return q, u, motion.acceleration, motion.multipliers, float(s.x[0])

    def ours(self, row: str, column: str) -> np.ndarray:
        rows = self._slices(
            (("S'", 5), ("W'", 5), ("x'", 1), ("C", 7), ("S", 5), ("C'", 7), ("W", 5), ("C''", 7), ("F", 12))
        )
        columns = self._slices((("S", 5), ("W", 5), ("x", 1), ("q", 12), ("u", 12), ("u'", 12), ("lambda", 7)))
        return self.linear.descriptor.A.toarray()[rows[row], columns[column]]

    @staticmethod
    def _slices(sizes: tuple[tuple[str, int], ...]) -> dict[str, slice]:
        ends = np.cumsum([size for _, size in sizes])
        return {name: slice(end - size, end) for (name, size), end in zip(sizes, ends, strict=True)}

    @cached_property
    def table(self) -> dict[str, np.ndarray]:
        """The blocks of Table 1 in q = (r, 3-1-3 angles), by complex steps of what stands above."""
        q, u, a, multipliers, x = self.here
        at = {
            "q": lambda f: derivative(lambda z: f(z, u, a), q),
            "u": lambda f: derivative(lambda z: f(q, z, a), u),
            "u'": lambda f: derivative(lambda z: f(q, u, z), a),
        }
        found = {}
        for name, function in (("C", constraints), ("s", states)):
            for level, primes in enumerate(("", "'", "''")):
                for by in ("q", "u", "u'")[: level + 1]:
                    found[f"{name}{primes}_{by}"] = at[by](lambda *z, f=function, k=level: f(*z)[k])
        for by in ("q", "u", "u'"):
            found[f"Y_{by}"] = at[by](lambda *z: residual(*z, multipliers, x))
        found["P"] = rows_by_velocity(constraints, q).T
        found["T"] = T(q)
        rate = np.linalg.solve(T(q), u)
        found["[Tq']_q"] = derivative(lambda z: T(z) @ rate, q)
        found["g_q"] = derivative(lambda z: user_rate(z, u, x), q)
        found["g_u"] = derivative(lambda z: user_rate(q, z, x), u)
        return found


@pytest.fixture(scope="module")
def case() -> Case:
    linear = eb.linearize(model())
    assert linear.dof == 5
    assert linear.dropped == ()
    return Case(linear)


def close(ours: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-11 * max(1.0, np.abs(expected).max()))


def test_the_mechanism_anew_agrees_at_the_operating_point(case: Case) -> None:
    """The state is consistent at all three levels and the forces balance: the functions above are the same machine."""
    q, u, a, multipliers, x = case.here
    for level in constraints(q, u, a):
        assert np.abs(level).max() < 1e-11
    assert np.abs(residual(q, u, a, multipliers, x)).max() < 1e-10
    assert min(np.abs(u).max(), np.abs(a).max(), np.abs(multipliers).max()) > 0.5  # moving, accelerating, loaded


def test_angular_velocity_of_3_1_3_angles(case: Case) -> None:
    """R^T dR = [B de], the T of Eq. 14, by complex steps of the rotation matrix."""
    e = ANGLES[1]
    for k, unit in enumerate(np.eye(3)):
        spin = rotation(e).T @ (rotation(e + 1j * STEP * unit).imag / STEP)
        close(np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), rates_to_spin(e)[:, k])


# (row, column) of ours, block of the table; those by q turn into 3-1-3 angles by dq_ours = T dq_table
BLOCKS = [
    ("F", "u'", "Y_u'"), ("F", "u", "Y_u"), ("F", "q", "Y_q"),  # 23a: M, Y_u, Y_q
    ("C''", "u'", "C''_u'"), ("C''", "u", "C''_u"), ("C''", "q", "C''_q"),  # 23c
    ("C'", "u", "C'_u"), ("C'", "q", "C'_q"),  # 23d
    ("C", "q", "C_q"),  # 23e
    ("S", "q", "s_q"),  # 23f
    ("S'", "u", "s'_u"), ("S'", "q", "s'_q"),  # 23g with 23h put in
    ("W", "u", "s'_u"), ("W", "q", "s'_q"),  # 23h
    ("W'", "u'", "s''_u'"), ("W'", "u", "s''_u"), ("W'", "q", "s''_q"),  # 23i
    ("x'", "u", "g_u"), ("x'", "q", "g_q"),  # 10a, with the user variable of 10b inside
]  # fmt: skip


@pytest.mark.parametrize(("row", "column", "block"), BLOCKS, ids=lambda part: part)
def test_block(case: Case, row: str, column: str, block: str) -> None:
    ours = case.ours(row, column)
    if column == "q":  # u = T(q) q' with angles 3-1-3
        close(ours @ case.table["T"], case.table[block])
        close(ours, case.table[block] @ np.linalg.inv(case.table["T"]))  # our own variations
    else:
        close(ours, case.table[block])


def test_blocks_without_derivatives(case: Case) -> None:
    close(case.ours("F", "lambda"), case.table["P"])  # 23a: P = (C_q T^-1)^T, not C_q^T
    close(case.table["P"], (case.table["C_q"] @ np.linalg.inv(case.table["T"])).T)
    assert np.abs(case.table["P"] - case.table["C_q"].T).max() > 0.1
    close(case.ours("F", "u'"), mass())
    close(case.ours("S", "S"), -np.eye(5))  # 23f
    close(case.ours("W", "W"), -np.eye(5))  # 23h
    close(case.ours("x'", "x"), np.array([[-2.0]]))
    close(case.ours("F", "x"), FEED * rows_by_velocity(states, case.here[0])[[0]].T)
    empty = {
        "C": "S W x u u' lambda", "S": "W x u u' lambda", "C'": "S W x u' lambda", "W": "S x u' lambda",
        "C''": "S W x lambda", "F": "S W", "S'": "S W x u' lambda", "W'": "S W x lambda",
    }  # fmt: skip
    for row, columns in empty.items():
        for column in columns.split():
            assert not np.any(case.ours(row, column)), (row, column)
    close(
        case.linear.descriptor.E.toarray(),
        np.diag(np.r_[np.ones(11), np.zeros(len(case.linear.descriptor.unknowns) - 11)]),
    )


def test_our_own_velocities_take_the_place_of_eq_23b(case: Case) -> None:
    """Eq. 23b in our variations: d/dt (T dq) = dT/dt dq + du - [T q']_q dq must be du - w x (.) on rotations."""
    q, u, *_ = case.here
    Tq, rate = case.table["T"], np.linalg.solve(case.table["T"], u)
    drift = np.imag(T(q + 1j * STEP * rate)) / STEP  # dT/dt
    found = (drift - case.table["[Tq']_q"]) @ np.linalg.inv(Tq)
    expected = np.zeros((12, 12))
    for i in (0, 1):
        block = slice(6 * i + 3, 6 * i + 6)
        expected[block, block] = -np.stack([np.cross(u[block], e) for e in np.eye(3)], axis=1)
    close(found, expected)


def solved(t: dict[str, np.ndarray], q_to: np.ndarray, drift: np.ndarray) -> dict[str, np.ndarray]:
    """A X = B of Table 1; columns u', q', W', S', lambda, u, q, W, S; `q_to` is T, `drift` the block [T q']_q."""
    sizes = {"u'": 12, "q'": 12, "W'": 5, "S'": 5, "l": 7, "u": 12, "q": 12, "W": 5, "S": 5}
    ends = np.cumsum(list(sizes.values()))
    at = {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}
    order, I5 = int(ends[-1]), np.eye(5)
    equations = [
        {"u'": t["Y_u'"], "l": t["P"], "u": t["Y_u"], "q": t["Y_q"]},
        {"q'": q_to, "u": -np.eye(12), "q": drift},
        {"u'": t["C''_u'"], "u": t["C''_u"], "q": t["C''_q"]},
        {"u": t["C'_u"], "q": t["C'_q"]},
        {"q": t["C_q"]},
        {"q": -t["s_q"], "S": I5},
        {"S'": I5, "W": -I5},
        {"u": -t["s'_u"], "q": -t["s'_q"], "W": I5},
        {"u'": -t["s''_u'"], "W'": I5, "u": -t["s''_u"], "q": -t["s''_q"]},
        {"W": I5},
        {"S": I5},
    ]
    A = np.zeros((order, order))
    top = 0
    for blocks in equations:
        rows = len(next(iter(blocks.values())))
        for name, block in blocks.items():
            A[top : top + rows, at[name]] = block
        top += rows
    assert top == order
    X = np.linalg.solve(A, np.vstack((np.zeros((order - 10, 10)), np.eye(10))))  # nine zero rows, then I and I
    return {f"{name}_{by}": X[at[name], k] for name in sizes for by, k in (("W", slice(0, 5)), ("S", slice(5, 10)))}


@pytest.mark.parametrize("kind", ["3-1-3 angles", "own velocities"])
def test_the_table_solved_is_our_linear_model(case: Case, kind: str) -> None:
    """Eq. 25b, then M by Eqs. 28 and 30, C and K by Eqs. 29 (with the M of Eq. 30)."""
    table, linear, u = case.table, case.linear, case.here[1]
    q_to, drift = table["T"], table["[Tq']_q"]
    if kind == "own velocities":
        back = np.linalg.inv(table["T"])
        table = {
            name: block @ back if name.endswith("_q") and name != "[Tq']_q" else block for name, block in table.items()
        }
        q_to, drift = np.eye(12), np.zeros((12, 12))
        for i in (0, 1):
            block = slice(6 * i + 3, 6 * i + 6)
            drift[block, block] = np.stack([np.cross(u[block], e) for e in np.eye(3)], axis=1)
    X = solved(table, q_to, drift)
    close(X["S'_S"], np.zeros((5, 5)))
    close(X["S'_W"], np.eye(5))
    close(X["W'_S"] / 10, linear.A[5:10, :5] / 10)
    close(X["W'_W"], linear.A[5:10, 5:10])
    in_velocities = q_to @ X["q_S"]  # Eq. 28 with the velocities that M belongs to: T Psi_S
    close(in_velocities.T @ mass() @ in_velocities, linear.M)  # Eq. 28
    close(X["u_W"].T @ mass() @ X["u_W"], linear.M)  # Eq. 30
    close(-linear.M @ X["W'_S"], linear.K)  # Eq. 29b
    close(-linear.M @ X["W'_W"], linear.C)  # Eq. 29a
    close(X["u_S"], linear.shape_u[:, :5])
    close(in_velocities, linear.shape_q[:, :5])
    if kind == "3-1-3 angles":  # Eq. 28 as printed, with M of u and Psi of the angles, is another matrix
        assert np.abs(X["q_S"].T @ mass() @ X["q_S"] - linear.M).max() > 0.1


def test_multipliers_follow_the_table(case: Case) -> None:
    """Sensitivities of the constraint forces from our matrix: eliminate the auxiliary unknowns."""
    X = solved(case.table, case.table["T"], case.table["[Tq']_q"])
    full = case.linear.descriptor.A.toarray()
    auxiliary = np.linalg.solve(full[11:, 11:], -full[11:, :11])  # dq, du, du', multipliers by S, W, x
    close(auxiliary[-7:, :5], X["l_S"])
    close(auxiliary[-7:, 5:10], X["l_W"])
