"""Motions without mass that springs, dampers or beams hold: against closed forms, 50 digits, and the limit of mass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import eigenbody as eb
from eigenbody.base.errors import ComputationError, InputError
from eigenbody.linearization.linearize import dense_model

X = [1, 0, 0]
Links = list[tuple[int, int, float, float]]


def chain(masses: list[float], links: Links, **sections: Any) -> dict[str, Any]:
    """Bodies on a line; a link (i, j, k, c) is a spring with a damper between two of them, -1 being ground."""
    bodies, joints, forces = {}, {}, {}
    for i, mass in enumerate(masses):
        at = [i + 1, 0, 0]
        bodies[f"b{i}"] = {"mass": mass, "inertia": [float(mass > 0)] * 3, "at": at}
        joints[f"x{i}"] = {"type": "prismatic", "between": ["ground", f"b{i}"], "at": at, "axis": X}
    for n, (i, j, k, c) in enumerate(links):
        between = ["ground" if i < 0 else f"b{i}", f"b{j}"]
        points = [[i + 1, 0, 0], [j + 1, 0, 0]]
        forces[f"s{n}"] = {
            "type": "spring",
            "between": between,
            "at": points,
            "k": k,
            "c": c,
            "free_length": abs(j - i),
        }
    return {"eigenbody": 1, "bodies": bodies, "joints": joints, "forces": forces, **sections}


def matrices(masses: list[float], links: Links) -> tuple[Any, Any, Any]:
    """M, C, K in 50 digits, written down link by link."""
    n = len(masses)
    M, C, K = mp.zeros(n), mp.zeros(n), mp.zeros(n)
    for i, mass in enumerate(masses):
        M[i, i] = mpf(mass)
    for i, j, k, c in links:
        for matrix, value in ((K, mpf(k)), (C, mpf(c))):
            matrix[j, j] += value
            if i >= 0:
                matrix[i, i] += value
                matrix[i, j] -= value
                matrix[j, i] -= value
    return M, C, K


def exponents_50(masses: list[float], links: Links) -> np.ndarray:
    """Roots of det(M s^2 + C s + K), its coefficients by interpolation on a circle, in 50 digits."""
    with mp.workdps(50):
        M, C, K = matrices(masses, links)
        count = 2 * len(masses) + 1
        radius = mpf(10)
        nodes = [radius * mp.expjpi(mpf(2 * k) / count) for k in range(count)]
        values = [mp.det(M * s**2 + C * s + K) for s in nodes]
        coefficients = [
            sum(v * mp.expjpi(mpf(-2 * k * power) / count) for k, v in enumerate(values)) / count / radius**power
            for power in range(count)
        ]
        largest = max(abs(c) * radius**p for p, c in enumerate(coefficients))
        while abs(coefficients[-1]) * radius ** (len(coefficients) - 1) < mpf(10) ** -35 * largest:
            coefficients.pop()
        roots = mp.polyroots([c.real for c in reversed(coefficients)], maxsteps=500, extraprec=400)
        return np.array([complex(root) for root in roots])


def assert_same(found: np.ndarray, expected: np.ndarray, rel: float) -> None:
    assert len(found) == len(expected)
    left = list(found)
    for value in expected:
        near = min(left, key=lambda other: abs(other - value))
        left.remove(near)
        assert abs(near - value) <= rel * max(abs(value), 1e-3 * float(np.abs(expected).max()))


def test_springs_in_series() -> None:
    """k = k1 k2/(k1 + k2)."""
    model = eb.load(chain([0, 2.0], [(-1, 0, 300, 0), (0, 1, 600, 0)]))
    found = eb.modes(model)
    assert found.eigenvalues == pytest.approx([1j * math.sqrt(200 / 2)], rel=1e-14)
    assert found.stability == "marginal"
    assert found.linear.coordinates == ("x1",)
    assert any("Motion without mass (x0)" in note for note in found.linear.notes)
    moved = found.motion[0][:, 0] / found.motion[0][1, 0]  # the junction moves by k2/(k1 + k2)
    assert np.real(moved) == pytest.approx([2 / 3, 1], rel=1e-13)


def test_spring_and_damper_in_series_are_a_state_of_first_order() -> None:
    """Zener: m s^2 + k0 + k1 c s/(k1 + c s) = 0."""
    m, k0, k1, c = 2.0, 50.0, 80.0, 7.0
    links = [(-1, 1, k0, 0.0), (0, 1, k1, 0.0), (-1, 0, 0.0, c)]
    inputs = {"f": {"along": "x1"}}
    model = eb.load(chain([0, m], links, inputs=inputs, outputs={"x": {"measure": "x1"}, "z": {"measure": "x0"}}))
    linear = eb.linearize(model)
    assert linear.states == ("x1", "x0", "x1'")
    expected = np.roots([m * c, m * k1, k0 * c + k1 * c, k0 * k1])
    assert_same(np.linalg.eigvals(linear.A), expected, 1e-13)
    for w in (0.3, 4.0, 30.0):
        s = 1j * w
        x = 1 / (m * s**2 + k0 + k1 * c * s / (k1 + c * s))
        A, B, C, D = linear.state_space
        H = C @ np.linalg.solve(s * np.eye(3) - A, B) + D
        assert H[:, 0] == pytest.approx([x, x * k1 / (k1 + c * s)], rel=1e-12)
        shown = eb.frf(model, inputs=["f"], outputs=["x"], frequencies_hz=[w / (2 * np.pi)], refine=False)
        assert complex(np.ravel(shown.values)[0]) == pytest.approx(x, rel=1e-11)


def test_a_force_on_the_junction_moves_it_at_once() -> None:
    """Static compliance of the junction: H = 1/(k1 + k2) + (k2/(k1 + k2))^2/(k - m w^2)."""
    k1, k2, m, w = 300.0, 600.0, 2.0, 7.0
    model = eb.load(
        chain([0, m], [(-1, 0, k1, 0), (0, 1, k2, 0)], inputs={"f": {"along": "x0"}}, outputs={"z": {"measure": "x0"}})
    )
    A, B, C, D = eb.linearize(model).state_space
    H = C @ np.linalg.solve(1j * w * np.eye(2) - A, B) + D
    share, k = k2 / (k1 + k2), k1 * k2 / (k1 + k2)
    assert complex(H[0, 0]) == pytest.approx(1 / (k1 + k2) + share**2 / (k - m * w**2), rel=1e-13)
    speed = eb.load(
        chain(
            [0, m],
            [(-1, 0, k1, 0), (0, 1, k2, 0)],
            inputs={"f": {"along": "x0"}},
            outputs={"z": {"expression": "=x0'"}},
        )
    )
    with pytest.raises(ComputationError, match="massless motion is read where an input jumps"):
        eb.linearize(speed)


def random_chain(seed: int) -> tuple[list[float], Links]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    masses = [float(rng.uniform(0.5, 3)) if rng.random() < 0.5 else 0.0 for _ in range(n)]
    masses[-1] = 1.5
    links: Links = [(-1, 0, float(rng.uniform(50, 400)), 0.0)]
    for j in range(1, n):
        links.append((j - 1, j, float(rng.uniform(50, 400)), float(rng.choice([0.0, rng.uniform(1, 20)]))))
    links.append((-1, n - 1, float(rng.uniform(5, 40)), float(rng.uniform(0.1, 2))))
    if n > 3:
        links.append((0, n - 1, float(rng.uniform(5, 40)), float(rng.choice([0.0, 3.0]))))
    return masses, links


@pytest.mark.parametrize("seed", range(12))
def test_random_chains_have_the_exponents_of_50_digits(seed: int) -> None:
    masses, links = random_chain(seed)
    linear = eb.linearize(eb.load(chain(masses, links)))
    assert_same(np.linalg.eigvals(linear.A), exponents_50(masses, links), 1e-10)
    assert linear.dof == sum(mass > 0 for mass in masses)


def random_net(seed: int) -> tuple[list[float], Links, dict[str, Any]]:
    """Masses and none, springs and dampers of four decades between any two; for half of the seeds each coordinate is
    relative to any body before it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    masses = [float(rng.uniform(0.5, 3)) if rng.random() < 0.55 else 0.0 for _ in range(n)]

    def link(i: int, j: int) -> tuple[int, int, float, float]:
        kind = rng.random()
        k = float(10 ** rng.uniform(-1, 3)) if kind < 0.8 else 0.0
        return i, j, k, float(10 ** rng.uniform(-1, 3)) / 10 if kind > 0.5 else 0.0

    links = [link(int(rng.integers(-1, j)) if j else -1, j) for j in range(n)]
    for _ in range(int(rng.integers(0, n))):
        i, j = sorted(int(x) for x in rng.choice(np.arange(-1, n), 2, replace=False))
        links.append(link(i, j))
    document = chain(masses, links)
    if rng.random() < 0.5:
        for i in range(1, n):
            before = int(rng.integers(-1, i))
            joint = document["joints"][f"x{i}"]
            joint["between"] = ["ground" if before < 0 else f"b{before}", f"b{i}"]
    return masses, links, document


DAMPED_TOGETHER = (0, 3, 7, 8, 15, 18)  # coordinates that are left would have rates made of damped motions


@pytest.mark.parametrize("seed", [*range(20), 39, 61, 88, 91, 98])
def test_random_nets_in_any_coordinates(seed: int) -> None:
    """Where the balance of forces makes some of the coordinates with mass follow from others, others are left: the last
    five seeds were singular matrices. What a damper resists is refused where it moves several coordinates."""
    masses, links, document = random_net(seed)
    if seed in DAMPED_TOGETHER:
        with pytest.raises(ComputationError, match="that is damped also turns or moves other parts"):
            eb.linearize(eb.load(document))
        return
    linear = eb.linearize(eb.load(document))
    assert_same(np.linalg.eigvals(linear.A), exponents_50(masses, links), 1e-8)


def test_they_are_the_limit_of_a_vanishing_mass() -> None:
    """The difference is in proportion to the mass put in place of none."""
    links: Links = [(-1, 0, 300, 2.0), (0, 1, 600, 0.5), (1, 2, 100, 0)]
    limit = np.linalg.eigvals(eb.linearize(eb.load(chain([0, 2.0, 0.7], links))).A)
    limit = limit[limit.imag > 0]
    off = []
    for mass in (1e-4, 1e-5):
        found = np.linalg.eigvals(eb.linearize(eb.load(chain([mass, 2.0, 0.7], links))).A)
        off.append([np.abs(found - value).min() for value in limit])
    ratio = np.array(off[0]) / np.array(off[1])
    assert ratio == pytest.approx(10 * np.ones(len(limit)), rel=1e-2)


def test_equilibrium_under_load_holds_the_junction_too() -> None:
    model = eb.load(
        chain([0, 2.0], [(-1, 0, 300, 0), (0, 1, 600, 0)], gravity=[9.81, 0, 0], operating_point="equilibrium")
    )
    found = eb.modes(model)
    place = found.linear.point.coordinates()
    assert [place["x0"], place["x1"]] == pytest.approx([2 * 9.81 / 300, 2 * 9.81 / 200], rel=1e-12)
    assert found.eigenvalues == pytest.approx([10j], rel=1e-10)
    away = model.set(operating_point="reference")
    with pytest.raises(
        InputError, match="A motion that springs hold needs none where the mechanism is at rest in equilibrium"
    ):
        eb.modes(away)


def test_a_hub_whose_twist_only_a_torsion_spring_holds() -> None:
    """Rotation and translation together: a massless arm l that turns on a spring kt, with a spring k to a mass beyond;
    in series kt/l^2 and k."""
    kt, length, k, m = 20.0, 0.5, 100.0, 1.3
    model = eb.load(
        {
            "eigenbody": 1,
            "bodies": {
                "arm": {"mass": 0, "inertia": [0, 0, 0], "at": [0, 0, 0]},
                "block": {"mass": m, "inertia": [1, 1, 1], "at": [length, 1, 0]},
            },
            "joints": {
                "pin": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "axis": [0, 0, 1]},
                "rail": {"type": "prismatic", "between": ["ground", "block"], "at": [length, 1, 0], "axis": [0, 1, 0]},
            },
            "forces": {
                "twist": {"type": "spring", "along": "pin", "k": kt},
                "pull": {"type": "spring", "between": ["arm", "block"], "at": [[length, 0, 0], [length, 1, 0]], "k": k,
                         "free_length": 1},
            },
        }
    )  # fmt: skip
    series = 1 / (length**2 / kt + 1 / k)
    assert eb.modes(model).eigenvalues == pytest.approx([1j * math.sqrt(series / m)], rel=1e-13)


def test_a_massless_part_that_nothing_holds_is_refused_by_name() -> None:
    model = eb.load(chain([0, 0, 2.0], [(0, 1, 300, 0), (-1, 2, 50, 0)]))
    with pytest.raises(InputError, match=r"bodies\.b0.*can move \(x.*without moving any mass"):
        eb.modes(model)


@pytest.mark.parametrize(("stiffness", "damping"), [(-3.0, 0.0), (-3.0, 2.0), (2.0, -2.0)])
def test_a_massless_part_that_leaves_its_place_is_refused(stiffness: float, damping: float) -> None:
    """With a mass of 1e-6 the same has a root that grows by a thousand times each second or faster: eliminated, it
    would be hidden."""
    slider = {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0]}

    def model(mass: float) -> eb.Model:
        return eb.Model(
            bodies={"a": {"mass": 1, "at": [0, 0, 0]}, "b": {"mass": mass, "at": [1, 0, 0]}},
            joints={"ja": slider, "jb": slider | {"between": ["ground", "b"], "at": [1, 0, 0]}},
            measures={"ab": {"type": "displacement", "between": ["a", "b"], "axis": [0, 0, 1]}},
            forces={
                "sa": {"type": "spring", "along": "ja", "k": 30, "c": 1},
                "sb": {"type": "spring", "along": "ab", "k": 1},
                "sc": {"type": "spring", "along": "jb", "k": stiffness, "c": damping},
            },
        )

    assert eb.modes(model(1e-6)).stability == "unstable"
    if damping > 0:  # the damper makes a slow root of it, which stays
        assert eb.modes(model(0.0)).stability == "unstable"
        return
    with pytest.raises(ComputationError, match=r"\(jb\).*leave its place at once"):
        eb.modes(model(0.0))


def test_motion_in_time_is_refused_with_the_remedy() -> None:
    model = eb.load(chain([0, 2.0], [(-1, 0, 300, 0), (0, 1, 600, 0)]))
    with pytest.raises(InputError, match="however little, for motion in time"):
        eb.simulate(model, until=0.1)
    with pytest.raises(InputError, match="however little, for sensitivities"):
        eb.sensitivity(model, ["forces.s0.k"])


def test_other_routes_do_not_apply() -> None:
    model = eb.load(chain([0, 2.0], [(-1, 0, 300, 0), (0, 1, 600, 0)]))
    assert eb.verify(model).verdict == "unchecked"
    with pytest.raises(InputError, match="motions without mass are eliminated in dense matrices alone"):
        eb.modes(model, n=1, solver="sparse")


def test_a_massless_node_of_a_beam_under_a_spring() -> None:
    """A massless cantilever (E I, L) is a spring 3 E I/L^3 in series with a spring to the mass beyond its tip."""
    stiffness, k, m = 12.0, 80.0, 0.4
    model = eb.load(
        {
            "eigenbody": 1,
            "bodies": {
                "tip": {"mass": 0, "inertia": [0, 0, 0], "at": [1, 0, 0]},
                "block": {"mass": m, "inertia": [1, 1, 1], "at": [1, 1, 0]},
            },
            "joints": {
                "plane": {"type": "planar", "between": ["ground", "tip"], "at": [1, 0, 0], "axis": [0, 0, 1]},
                "rail": {"type": "prismatic", "between": ["ground", "block"], "at": [1, 1, 0], "axis": [0, 1, 0]},
            },
            "forces": {
                "beam": {"type": "beam", "between": ["ground", "tip"], "at": [[0, 0, 0], [1, 0, 0]], "E": stiffness,
                         "G": 1.0, "area": 1e4, "Iy": 1.0, "Iz": 1.0, "J": 1.0},
                "pull": {"type": "spring", "between": ["tip", "block"], "at": [[1, 0, 0], [1, 1, 0]], "k": k,
                         "free_length": 1},
            },
        }
    )  # fmt: skip
    series = 1 / (1 / (3 * stiffness) + 1 / k)
    assert eb.modes(model).eigenvalues == pytest.approx([1j * math.sqrt(series / m)], rel=1e-12)


def test_a_mechanism_with_mass_everywhere_is_not_touched() -> None:
    point = eb.modes(eb.load(chain([1e-9, 2.0], [(-1, 0, 300, 0), (0, 1, 600, 0)]))).linear.point
    assert len(dense_model(point).coordinates) == 2
