"""Closed forms for small mechanisms: a verification set independent of the engine.

Every case is a model file (docs/model-file.md) with the entries that ``modes --json`` must list: one per conjugate pair
(positive imaginary part), each real eigenvalue, one 0 per recognized zero state. Expected values are formulas of the
same numbers that stand in the document; the source of each formula stands beside it. Nothing here imports eigenbody.

Conventions used throughout: a rotation by +t about y takes (0, 0, -l) to (-l sin t, 0, -l cos t); joint coordinates
are those of the second body relative to the first; 3-D rotations vary about the axes of the first body,
dphi' = domega + omega x dphi.
"""

# ruff: noqa: E741  l is a length here, as in every textbook
from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

G = 9.81
DOWN = [0, 0, -G]
X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
O = [0, 0, 0]  # the origin
UNKNOWN = -1  # the contract does not say what `dof` means where velocities are fewer than positions


@dataclass(frozen=True)
class Case:
    """One model with its expected modes. ``None`` means: not checked."""

    name: str
    document: dict[str, Any]
    eigenvalues: tuple[complex, ...]
    source: str
    dof: int | None
    states: int
    redundant: int | None = 0
    stability: str | None = None
    matrices: dict[str, Any] | None = None
    tolerance: float = 1e-10


CASES: list[Case] = []

# One case, few lines: the formula stands beside its document.
# fmt: off


# ---------------------------------------------------------------------------------------------- expected-value helpers
def fold(roots: Iterable[complex]) -> tuple[complex, ...]:
    """One entry per conjugate pair (positive imaginary part) and per real root; rounding on the axes removed."""
    found = np.asarray(list(roots), dtype=complex)
    tiny = 1e-13 * max(abs(found).max(), 1e-300)
    clean = [complex(0 if abs(z.real) < tiny else z.real, 0 if abs(z.imag) < tiny else z.imag) for z in found]
    return tuple(z for z in clean if z.imag >= 0)


def osc(w2: float) -> tuple[complex, ...]:
    """Roots of s^2 + w2 = 0."""
    if w2 > 0:
        return (1j * math.sqrt(w2),)
    return (math.sqrt(-w2), -math.sqrt(-w2)) if w2 < 0 else (0, 0)


def quadratic(m: float, c: float, k: float) -> tuple[complex, ...]:
    """Roots of m s^2 + c s + k = 0, without cancellation when both are real."""
    disc = c * c - 4 * m * k
    if disc < 0:
        return (complex(-c, math.sqrt(-disc)) / (2 * m),)
    far = (-c - math.copysign(math.sqrt(disc), c)) / (2 * m)
    return (far, k / (m * far))


def biquadratic(a: float, b: float, c: float) -> tuple[complex, ...]:
    """Roots of a s^4 + b s^2 + c = 0."""
    disc = b * b - 4 * a * c
    if disc >= 0:
        big = (-b - math.copysign(math.sqrt(disc), b)) / (2 * a)
        return osc(-big) + osc(-c / (a * big))
    return fold(sign * root for s in np.roots([a, b, c]) for root in (np.sqrt(s),) for sign in (1, -1))


def undamped(mass: Any, stiffness: Any) -> tuple[complex, ...]:
    """Modes of M q'' + K q = 0 with real omega^2 (2 x 2 in closed form)."""
    m, k = np.asarray(mass, float), np.asarray(stiffness, float)
    if m.shape == (2, 2):
        b = m[0, 0] * k[1, 1] + m[1, 1] * k[0, 0] - m[0, 1] * k[1, 0] - m[1, 0] * k[0, 1]
        return biquadratic(np.linalg.det(m), b, k[0, 0] * k[1, 1] - k[0, 1] * k[1, 0])
    return tuple(z for w2 in np.linalg.eigvals(np.linalg.solve(m, k)) for z in osc(float(w2.real)))


def whirl(transverse: float, momentum: float, k: float, c: float = 0.0) -> tuple[complex, ...]:
    """Roots of It s^2 + (c - i Ip Omega) s + k = 0 for phi_x + i phi_y, and their conjugates."""
    p = c - 1j * momentum
    root = np.sqrt(p * p - 4 * transverse * k)
    both = [(-p + root) / (2 * transverse), (-p - root) / (2 * transverse)]
    return tuple(complex(z.real if abs(z.real) > 1e-14 * abs(z) else 0, abs(z.imag)) for z in both)


def zeros(n: int) -> tuple[complex, ...]:
    return (0j,) * n


def add(
    name: str,
    eigenvalues: Iterable[complex],
    stability: str,
    source: str,
    *,
    bodies: dict[str, Any],
    joints: dict[str, Any] | None = None,
    dof: int | None = None,
    redundant: int | None = 0,
    matrices: dict[str, Any] | None = None,
    tolerance: float = 1e-10,
    **sections: Any,
) -> None:
    """Append a case; the number of states follows from the entries, dof is half of it unless said otherwise."""
    values = tuple(complex(z) for z in eigenvalues)
    states = sum(2 if z.imag else 1 for z in values)
    document = {"eigenbody": 1, "name": name, "bodies": bodies}
    if joints:
        document["joints"] = joints
    document.update(sections)
    freedom = None if dof == UNKNOWN else states // 2 if dof is None else dof
    CASES.append(Case(name, document, values, source, freedom, states, redundant, stability, matrices, tolerance))


def revolute(first: str, second: str, at: list[float], axis: list[float], **more: Any) -> dict[str, Any]:
    return {"type": "revolute", "between": [first, second], "at": at, "axis": axis, **more}


def prismatic(first: str, second: str, at: list[float], axis: list[float], **more: Any) -> dict[str, Any]:
    return {"type": "prismatic", "between": [first, second], "at": at, "axis": axis, **more}


def joint(kind: str, first: str, second: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "between": [first, second], **more}


def along(measure: str, k: Any, c: Any = 0, **more: Any) -> dict[str, Any]:
    return {"type": "spring", "along": measure, "k": k, "c": c, **more}


def point_spring(first: str, second: str, at: list[list[float]], k: float, free_length: float) -> dict[str, Any]:
    return {"type": "spring", "between": [first, second], "at": at, "k": k, "c": 0, "free_length": free_length}


def massless(at: list[float]) -> dict[str, Any]:
    return {"mass": 0, "at": at}


# -------------------------------------------------------------------------------------------- pendulums under gravity
def _pendulums() -> None:
    m, inertia, l = 2.0, 0.5, 0.7
    w2 = m * G * l / (inertia + m * l**2)  # 9.27972973, Negrut & Ortiz, recomputed
    bob = {"mass": m, "inertia": [inertia] * 3, "at": [0, 0, -l]}
    hinge = revolute("ground", "bob", O, Y)
    add("compound pendulum, hanging", osc(w2), "marginal", "textbook: w2 = m g l/(I + m l^2); without the multiplier "
        "term d(G^T lambda)/dq the answer is 0", bodies={"bob": bob}, joints={"hinge": hinge}, gravity=DOWN,
        coordinates=["hinge"],
        matrices={"M": [[inertia + m * l**2]], "C": [[0]], "K": [[m * G * l]]})
    add("compound pendulum, inverted", osc(-w2), "unstable", "textbook: real pair",
        bodies={"bob": {**bob, "at": [0, 0, l]}}, joints={"hinge": hinge}, gravity=DOWN)
    add("point mass on a revolute", osc(G / l), "marginal", "textbook: g/l; a point mass has no inertia",
        bodies={"bob": {"mass": m, "at": [0, 0, -l]}}, joints={"hinge": hinge}, gravity=DOWN)
    add("pendulum with its joint listed from the body to ground", osc(w2), "marginal", "textbook; order is free",
        bodies={"bob": bob}, joints={"hinge": revolute("bob", "ground", O, Y)}, gravity=DOWN)
    # The axis of a revolute inclined by 40 deg from the horizontal: effective gravity g cos 40 (Mach's pendulum).
    tilt = math.radians(40)
    add("Mach pendulum, axis inclined by 40 deg", osc(G * math.cos(tilt) / l), "marginal",
        "textbook: g cos(beta)/l, beta the inclination of the axis from the horizontal",
        bodies={"bob": {"mass": m, "at": [-l * math.sin(tilt), 0, -l * math.cos(tilt)]}},
        joints={"hinge": revolute("ground", "bob", O, [math.cos(tilt), 0, -math.sin(tilt)])}, gravity=DOWN)
    ix, iy = 0.3, 0.6
    add("spherical pendulum on a universal", osc(m * G * l / (ix + m * l**2)) + osc(m * G * l / (iy + m * l**2)),
        "marginal", "textbook, one compound pendulum about each axis",
        bodies={"bob": {"mass": m, "inertia": [ix, iy, 0.4], "at": [0, 0, -l]}},
        joints={"hook": joint("universal", "ground", "bob", at=O, axis=X, axis2=Y)}, gravity=DOWN)
    add("spherical pendulum on a universal, equal frequencies", osc(G / l) * 2, "marginal",
        "textbook: semisimple double pair, not drifting", bodies={"bob": {"mass": m, "at": [0, 0, -l]}},
        joints={"hook": joint("universal", "ground", "bob", at=O, axis=X, axis2=Y)}, gravity=DOWN)
    add("compound pendulum on a ball joint", osc(m * G * l / (ix + m * l**2)) + osc(m * G * l / (iy + m * l**2))
        + zeros(2), "drifting", "textbook; the rotation about the vertical is free",
        bodies={"bob": {"mass": m, "inertia": [ix, iy, 0.4], "at": [0, 0, -l]}},
        joints={"ball": joint("spherical", "ground", "bob", at=O)}, gravity=DOWN)

    # Double pendulum in relative angles; links are compound bodies.
    m1, i1, a1, l1, m2, i2, a2 = 1.5, 0.2, 0.4, 0.9, 0.8, 0.1, 0.35
    mass = [[i1 + m1 * a1**2 + i2 + m2 * (l1 + a2) ** 2, i2 + m2 * a2 * (l1 + a2)],
            [i2 + m2 * a2 * (l1 + a2), i2 + m2 * a2**2]]
    stiff = [[(m1 * a1 + m2 * (l1 + a2)) * G, m2 * a2 * G], [m2 * a2 * G, m2 * a2 * G]]
    add("double pendulum, full matrices", undamped(mass, stiff), "marginal", "Lagrange, relative angles",
        bodies={"upper": {"mass": m1, "inertia": [i1] * 3, "at": [0, 0, -a1]},
                "lower": {"mass": m2, "inertia": [i2] * 3, "at": [0, 0, -l1 - a2]}},
        joints={"a": revolute("ground", "upper", O, Y), "b": revolute("upper", "lower", [0, 0, -l1], Y)},
        gravity=DOWN, coordinates=["a", "b"], matrices={"M": mass, "C": [[0, 0], [0, 0]], "K": stiff})
    k, c = 6.0, 1.1
    add("pendulum with a torsion spring and damper", quadratic(inertia + m * l**2, c, k + m * G * l), "stable",
        "textbook", bodies={"bob": bob}, joints={"hinge": hinge}, gravity=DOWN,
        forces={"spring": along("hinge", k, c)})
    k = 0.5 * m * G * l
    add("inverted pendulum, torsion spring too soft", osc((k - m * G * l) / (inertia + m * l**2)), "unstable",
        "textbook: k < m g l buckles", bodies={"bob": {**bob, "at": [0, 0, l]}}, joints={"hinge": hinge}, gravity=DOWN,
        forces={"spring": along("hinge", k)})
    angle = math.radians(30)
    add("pendulum at rest at 30 deg, in its angle", osc(w2 * math.cos(angle)), "marginal",
        "Negrut & Ortiz, recomputed: -8.03648169; not an equilibrium, theta'' = -w2 sin(theta)", bodies={"bob": bob},
        joints={"hinge": {**hinge, "position": "30 deg"}}, gravity=DOWN)
    # x = -l sin(theta): x'' = -w2 x cos(theta) + ..., so dx''/dx = -w2 (cos - sin^2/cos) = -w2 cos(2 theta)/cos(theta)
    add("pendulum at rest at 30 deg, in the horizontal displacement",
        osc(w2 * math.cos(2 * angle) / math.cos(angle)), "marginal",
        "Negrut & Ortiz, recomputed: -5.35765446; the coordinate matters",
        bodies={"bob": bob}, joints={"hinge": {**hinge, "position": "30 deg"}}, gravity=DOWN,
        markers={"pivot": {"body": "ground", "at": O}, "centre": {"body": "bob", "at": [0, 0, -l]}},
        measures={"sway": {"type": "displacement", "between": ["pivot", "centre"], "axis": X}}, coordinates=["sway"])
    # Swinging through the bottom: theta'' = -w2 sin(theta) has no velocity term, so the eigenvalue is that at rest.
    add("pendulum swinging through the bottom", osc(w2), "marginal", "textbook; the angular velocity drops out",
        bodies={"bob": bob}, joints={"hinge": {**hinge, "velocity": 1.7}}, gravity=DOWN)
    torque = m * G * l * math.sin(angle)
    add("pendulum held at 30 deg by a constant torque", osc(w2 * math.cos(angle)), "marginal",
        "textbook; in equilibrium, tau = m g l sin(theta)", bodies={"bob": bob},
        joints={"hinge": {**hinge, "position": angle}}, gravity=DOWN,
        forces={"hold": {"type": "torque", "body": "bob", "value": [0, torque, 0]}})


# ------------------------------------------------------------------------------- strings, sliders, loops under gravity
def _loops() -> None:
    l, m = 0.8, 1.3
    string = joint("distance", "ground", "bob", at=[O, [0, 0, -l]])
    add("string pendulum: floating point mass on a distance joint", osc(G / l) * 2, "marginal",
        "textbook g/l twice; a point mass has three freedoms", bodies={"bob": {"mass": m, "at": [0, 0, -l]}},
        joints={"string": string}, gravity=DOWN)
    add("string pendulum: rigid body hung at its centre", osc(G / l) * 2 + zeros(6), "drifting",
        "textbook g/l twice, three free rotations", bodies={"bob": {"mass": m, "inertia": [0.1, 0.2, 0.25],
                                                                     "at": [0, 0, -l]}},
        joints={"string": string}, gravity=DOWN)
    # Hung at height h above the centre: string angle a (T = m g), body angle b, per plane.
    h, ix, iy = 0.3, 0.11, 0.2
    eig = []
    for i in (ix, iy):
        eig += undamped([[m * l * l, m * l * h], [m * l * h, i + m * h * h]], [[m * G * l, 0], [0, m * G * h]])
    add("string pendulum: rigid body hung above its centre", eig + list(zeros(2)), "drifting",
        "double pendulum with a massless first link, one per plane; yaw is free",
        bodies={"bob": {"mass": m, "inertia": [ix, iy, 0.25], "at": [0, 0, -l - h]}}, joints={"string": string},
        gravity=DOWN)
    # Bifilar pendulum: parallel strings at x = +-b through the level of the centre.
    b, iz = 0.35, 0.4
    add("bifilar pendulum", osc(G / l) * 2 + osc(m * G * b**2 / (l * iz)) + zeros(2), "drifting",
        "textbook: yaw w2 = m g b^2/(l Iz); the roll about the line of the strings is free",
        bodies={"bar": {"mass": m, "inertia": [0.1, 0.4, iz], "at": [0, 0, -l]}},
        joints={f"s{i}": joint("distance", "ground", "bar", at=[[x, 0, 0], [x, 0, -l]]) for i, x in
                enumerate((-b, b))}, gravity=DOWN)

    sliders = {"x": prismatic("ground", "cart", [0, 0, -1], X), "z": prismatic("cart", "bob", [0, 0, -1], Z)}
    add("point mass on two sliders and a distance", osc(G / 1.0), "marginal",
        "Trom Sec. 4.3, corrected: 9.81 (Trom Eq 4.13 gives 0); the cart is massless",
        bodies={"cart": massless([0, 0, -1]), "bob": {"mass": m, "at": [0, 0, -1]}},
        joints={**sliders, "rod": joint("distance", "ground", "bob", at=[O, [0, 0, -1]])}, gravity=DOWN)
    add("point mass above a rod on two sliders", osc(-G / 1.0), "unstable", "the same, inverted",
        bodies={"cart": massless([0, 0, 1]), "bob": {"mass": m, "at": [0, 0, 1]}},
        joints={"x": prismatic("ground", "cart", [0, 0, 1], X), "z": prismatic("cart", "bob", [0, 0, 1], Z),
                "rod": joint("distance", "ground", "bob", at=[O, [0, 0, 1]])}, gravity=DOWN)

    # Trom Sec. 4.4, all m = 10, I = 5, links of 1 m: crank 2 hangs, coupler lies along x, crank 4 hangs.
    def four_bar(top: float, centre4: float) -> dict[str, Any]:
        return {"bodies": {"crank2": {"mass": 10, "inertia": [5] * 3, "at": [0, 0, -0.5]},
                           "coupler": {"mass": 10, "inertia": [5] * 3, "at": [0.5, 0, -1]},
                           "crank4": {"mass": 10, "inertia": [5] * 3, "at": [1, 0, centre4]}},
                "joints": {"a": revolute("ground", "crank2", O, Y),
                           "b": joint("universal", "crank2", "coupler", at=[0, 0, -1], axis=Y, axis2=Z),
                           "d": revolute("ground", "crank4", [1, 0, top], Y),
                           "c": joint("spherical", "coupler", "crank4", at=[1, 0, -1])}, "gravity": DOWN}

    # Along (1, -1, 0, 1): mass 25 - 15 + 7.5 + 7.5 = 25, stiffness 147.15 + 49.05 = 196.2; with crank 4 of 2 m along
    # (1, -1, 0, 1/2): mass 17.5 + 15/4 = 21.25, stiffness 147.15 (the curvature of the loop takes off 98.1/4).
    add("spatial four-bar of Trom 4.4", osc(196.2 / 25), "marginal", "Trom, recomputed: 7.848", **four_bar(0, -0.5))
    add("spatial four-bar, crank 4 of 2 m, pivot raised", osc(147.15 / 21.25), "marginal",
        "Trom Sec. 4.3, corrected: 6.9247058823529 (Trom Eq 4.13 gives 8.0788)", **four_bar(1, 0))

    # Parallelogram: two uniform cranks of length a, a coupler that only translates.
    a, d, mc, ic, mk = 0.5, 0.8, 1.2, 0.025, 2.0
    w2 = (2 * mc * G * a / 2 + mk * G * a) / (2 * (ic + mc * a * a / 4) + mk * a * a)
    bodies = {"left": {"mass": mc, "inertia": [ic, ic, 0.001], "at": [0, 0, -a / 2]},
              "right": {"mass": mc, "inertia": [ic, ic, 0.001], "at": [d, 0, -a / 2]},
              "coupler": {"mass": mk, "inertia": [0.01, 0.2, 0.2], "at": [d / 2, 0, -a]}}
    tree = {"a": revolute("ground", "left", O, Y), "b": revolute("ground", "right", [d, 0, 0], Y),
            "c": revolute("left", "coupler", [0, 0, -a], Y)}
    add("parallelogram of four revolutes", osc(w2), "marginal", "textbook; three rows of a planar loop are redundant",
        bodies=bodies, joints={**tree, "d": revolute("right", "coupler", [d, 0, -a], Y)}, gravity=DOWN, redundant=3)
    add("parallelogram closed by an inline joint", osc(w2), "marginal", "the same mechanism without redundancy",
        bodies=bodies, joints={**tree, "d": joint("inline", "right", "coupler", at=[d, 0, -a], axis=Y)}, gravity=DOWN)

    # Hanging slider-crank at its dead centre: rod angle = -(a/b) theta; the slider height is of second order in theta.
    a, b, m1, i1, m2, i2, m3 = 0.3, 0.7, 1.1, 0.02, 0.9, 0.05, 2.5
    mass = i1 + m1 * a * a / 4 + m2 * a * a / 4 + i2 * (a / b) ** 2
    stiff = G * (m1 * a / 2 + m2 * (a + a * a / (2 * b)) + m3 * a * (1 + a / b))
    add("hanging slider-crank at its dead centre", osc(stiff / mass), "marginal",
        "potential to second order; the slider's own coordinate is useless here",
        bodies={"slider": {"mass": m3, "inertia": [0.1] * 3, "at": [0, 0, -a - b]},
                "crank": {"mass": m1, "inertia": [i1] * 3, "at": [0, 0, -a / 2]},
                "rod": {"mass": m2, "inertia": [i2] * 3, "at": [0, 0, -a - b / 2]}},
        joints={"s": prismatic("ground", "slider", [0, 0, -a - b], Z), "p": revolute("ground", "crank", O, Y),
                "q": revolute("crank", "rod", [0, 0, -a], Y), "r": revolute("rod", "slider", [0, 0, -a - b], Y)},
        gravity=DOWN, redundant=3)


# ------------------------------------------------------------------------------------ springs, preload, bushings
def _springs() -> None:
    m, k, l, l0 = 2.0, 300.0, 0.5, 0.4
    one = {"bob": {"mass": m, "inertia": [0.1] * 3, "at": O}}
    slide = {"slide": prismatic("ground", "bob", O, X)}
    add("mass across a tight spring", osc(k * (l - l0) / (l * m)), "marginal",
        "geometric stiffness f/l; the material stiffness does not act", bodies=one, joints=slide,
        forces={"s": point_spring("ground", "bob", [[0, 0, l], O], k, l0)})
    add("mass across a compressed spring", osc(k * (l - 0.7) / (l * m)), "unstable", "geometric stiffness f/l < 0",
        bodies=one, joints=slide, forces={"s": point_spring("ground", "bob", [[0, 0, l], O], k, 0.7)})
    two = {"carrier": massless(O), "bead": {"mass": m, "at": O}}
    cross = {"x": prismatic("ground", "carrier", O, X), "z": prismatic("carrier", "bead", O, Z)}

    def pair(free: float, body: str = "bead") -> dict[str, Any]:
        return {f"s{i}": point_spring("ground", body, [[x, 0, 0], O], k, free) for i, x in enumerate((-l, l))}

    def bead_modes(free: float) -> tuple[complex, ...]:
        return osc(2 * k / m) + osc(2 * k * (l - free) / (l * m))

    add("bead between two tight springs", bead_modes(l0), "marginal", "taut string: w2 = 2 T/(m l) across, 2 k/m along",
        bodies=two, joints=cross, forces=pair(l0))
    add("bead between two compressed springs", bead_modes(0.6), "unstable", "equilibrium by symmetry, buckles sideways",
        bodies=two, joints=cross, forces=pair(0.6))
    add("bead between two springs at their free length", osc(2 * k / m) + zeros(2), "drifting",
        "no tension: across it is free to first order", bodies=two, joints=cross, forces=pair(l))
    add("floating point mass between two tight springs", osc(2 * k / m) + osc(2 * k * (l - l0) / (l * m)) * 2,
        "marginal", "taut string in space; a floating point mass has three freedoms",
        bodies={"bead": {"mass": m, "at": O}}, forces=pair(l0, "bead"))
    # A rod held at its two ends by tight springs along its own axis: rotation stiffness T a (1 + a/l) per end.
    a, i = 0.2, 0.06
    t = k * (l - l0)
    add("bar between two tight springs along its axis",
        osc(2 * k / m) + osc(2 * t / (m * l)) * 2 + osc(2 * t * a * (1 + a / l) / i) * 2 + zeros(2), "drifting",
        "potential T (end displacement)^2/(2 l) + T a (1 - cos): pitch and yaw 2 T a (1 + a/l)/I; roll is free",
        bodies={"bar": {"mass": m, "inertia": [0.01, i, i], "at": O}},
        forces={f"s{n}": point_spring("ground", "bar", [[s * (a + l), 0, 0], [s * a, 0, 0]], k, l0)
                for n, s in enumerate((-1, 1))})

    c = 30.0
    add("oscillator, underdamped", quadratic(m, c, k), "stable", "textbook", bodies=one, joints=slide,
        forces={"s": along("slide", k, c)})
    add("oscillator, overdamped", quadratic(m, 120.0, k), "stable", "textbook, two real eigenvalues", bodies=one,
        joints=slide, forces={"s": along("slide", k, 120.0)})
    add("oscillator with negative damping", quadratic(m, -c, k), "unstable", "textbook", bodies=one, joints=slide,
        forces={"s": along("slide", k, -c)})
    add("mass with a damper only", (0, -c / m), "marginal", "s (m s + c) = 0: the zero is simple", bodies=one,
        joints=slide, forces={"s": along("slide", 0, c)})
    add("mass without anything", zeros(2), "drifting", "s^2 = 0, defective", bodies=one, joints=slide)
    m2 = 3.0
    add("two masses and a damper in series, one held by a spring", tuple(fold(np.roots(
        [m * m2, c * (m + m2), k * m2, c * k, 0]))), "marginal",
        "det([[m s2 + c s + k, -c s], [-c s, m2 s2 + c s]]) = 0",
        bodies={**one, "other": {"mass": m2, "inertia": [0.1] * 3, "at": [1, 0, 0]}},
        joints={**slide, "gap": prismatic("bob", "other", [1, 0, 0], X)},
        forces={"s": along("slide", k), "d": along("gap", 0, c)})
    add("free pair of masses on a spring", osc(k * (1 / m + 1 / m2)) + zeros(2), "drifting", "reduced mass",
        bodies={**one, "other": {"mass": m2, "inertia": [0.1] * 3, "at": [1, 0, 0]}},
        joints={**slide, "gap": prismatic("bob", "other", [1, 0, 0], X)}, forces={"s": along("gap", k)})

    # Torsional chain, fixed-free, with units: w_j = 2 sqrt(k/I) sin((2j-1) pi/(2(2n+1))), damping c = 1e-3 s * k.
    n, inertia, kt = 3, 1.0, 1e4 * 180 / math.pi
    eig: list[complex] = []
    for j in range(1, n + 1):
        w = 2 * math.sqrt(kt / inertia) * math.sin((2 * j - 1) * math.pi / (2 * (2 * n + 1)))
        eig += quadratic(1, 1e-3 * w * w, w * w)
    names = ["ground", "d1", "d2", "d3"]
    add("torsional chain with constants per degree", eig, "stable",
        "fixed-free chain, Jiang, recomputed C3RF1: |s|/2pi = 53.61450709, 150.2245106, 217.0807074 Hz",
        bodies={d: {"mass": 4, "inertia": [1, 1, 1], "at": [0, 0, i]} for i, d in enumerate(names[1:])},
        joints={f"j{i}": revolute(names[i], names[i + 1], [0, 0, i], Z) for i in range(n)},
        forces={f"k{i}": along(f"j{i}", "1e4 N*m/deg", "10 N*m*s/deg") for i in range(n)})

    stiff = [1000.0, 1500.0, 2200.0, 40.0, 70.0, 110.0]
    inertias = [0.5, 0.6, 0.7]
    six = [stiff[0] / m, stiff[1] / m, stiff[2] / m] + [stiff[3 + i] / inertias[i] for i in range(3)]
    block = {"block": {"mass": m, "inertia": inertias, "at": O}}
    mount = {"mount": {"type": "bushing", "between": ["ground", "block"], "at": O, "axis": Z, "axis2": X, "k": stiff}}

    def kept(*which: int) -> tuple[complex, ...]:
        return tuple(z for i in which for z in osc(six[i]))

    add("floating block on a bushing", kept(0, 1, 2, 3, 4, 5), "marginal", "six uncoupled oscillators", bodies=block,
        forces=mount)
    held = {  # constraint: frequencies (x y z rx ry rz) that remain
        "free": ({"at": O}, (0, 1, 2, 3, 4, 5)),
        "inplane": ({"at": O, "axis": Z}, (0, 1, 3, 4, 5)),
        "inline": ({"at": O, "axis": X}, (0, 3, 4, 5)),
        "point": ({"at": O}, (3, 4, 5)),
        "spherical": ({"at": O}, (3, 4, 5)),
        "parallel": ({"at": O, "axis": Z}, (0, 1, 2, 5)),
        "perpendicular": ({"at": O, "axis": X, "axis2": Y}, (0, 1, 2, 3, 4)),
        "orientation": ({"at": O}, (0, 1, 2)),
        "planar": ({"at": O, "axis": Z}, (0, 1, 5)),
        "cylindrical": ({"at": O, "axis": Y}, (1, 4)),
        "universal": ({"at": O, "axis": X, "axis2": Z}, (3, 5)),
        "prismatic": ({"at": O, "axis": Y}, (1,)),
        "revolute": ({"at": O, "axis": X}, (3,)),
    }
    for kind, (keys, which) in held.items():
        add(f"block on a bushing, {kind} joint to ground", kept(*which), "marginal",
            "the joint's rows remove exactly these oscillators", bodies=block,
            joints={"j": joint(kind, "ground", "block", **keys)}, forces=mount)
    # The bushing frame: z = axis = global x, x = axis2 = global y, hence y = global z.
    six_turned = [stiff[2] / m, stiff[0] / m, stiff[1] / m, stiff[5] / inertias[0], stiff[3] / inertias[1],
                  stiff[4] / inertias[2]]
    add("floating block on a bushing with turned axes", tuple(z for w2 in six_turned for z in osc(w2)), "marginal",
        "k follows the bushing frame: z = axis, x = axis2", bodies=block,
        forces={"mount": {**mount["mount"], "axis": X, "axis2": Y}})
    mb, ib = 5.0, [0.9, 1.1, 1.4]
    add("two floating blocks on a bushing",
        [z for s in stiff[:3] for z in osc(s * (1 / m + 1 / mb))]
        + [z for s, p, q in zip(stiff[3:], inertias, ib, strict=True) for z in osc(s * (1 / p + 1 / q))]
        + list(zeros(12)), "drifting", "reduced masses; twelve rigid states",
        bodies={**block, "other": {"mass": mb, "inertia": ib, "at": O}},
        forces={"mount": {**mount["mount"], "between": ["block", "other"]}})
    # Bushing at height 0, centre of mass at height h: x_b = x - h ry, y_b = y + h rx.
    h = 0.25
    eig = list(osc(stiff[2] / m) + osc(stiff[5] / inertias[2]))
    for lateral, rocking, i, arm in ((stiff[0], stiff[4], inertias[1], -h), (stiff[1], stiff[3], inertias[0], h)):
        eig += undamped(np.diag([m, i]), [[lateral, lateral * arm], [lateral * arm, rocking + lateral * arm**2]])
    add("floating block on a bushing below its centre", eig, "marginal", "parallel shift of the stiffness",
        bodies={"block": {**block["block"], "at": [0, 0, h]}}, forces=mount)
    # Cantilever along x: tip stiffness 12EI/L^3, 6EI/L^2, 4EI/L (Euler-Bernoulli).
    ei, ea, gj, length = 80.0, 4000.0, 55.0, 0.6
    kk, kc, kr = 12 * ei / length**3, 6 * ei / length**2, 4 * ei / length
    six6 = np.zeros((6, 6))
    six6[0, 0], six6[3, 3] = ea / length, gj / length
    six6[1, 1] = six6[2, 2] = kk
    six6[4, 4] = six6[5, 5] = kr
    six6[1, 5] = six6[5, 1] = -kc
    six6[2, 4] = six6[4, 2] = kc
    eig = list(osc(ea / length / m) + osc(gj / length / inertias[0]))
    eig += undamped(np.diag([m, inertias[2]]), [[kk, -kc], [-kc, kr]])
    eig += undamped(np.diag([m, inertias[1]]), [[kk, kc], [kc, kr]])
    add("block at the tip of a cantilever, 6 x 6 bushing", eig, "marginal", "Euler-Bernoulli tip stiffness",
        bodies={"block": {**block["block"], "at": [length, 0, 0]}},
        forces={"beam": {"type": "bushing", "between": ["ground", "block"], "at": [length, 0, 0], "axis": Z, "axis2": X,
                         "k": six6.tolist()}})
    add("block on a bushing with dampers", quadratic(m, 8, 1000) + quadratic(m, 90, 1500) + quadratic(m, 150, 2200)
        + quadratic(0.5, 1, 40) + quadratic(0.6, 2, 70) + quadratic(0.7, 20, 110), "stable", "six oscillators",
        bodies=block, forces={"mount": {**mount["mount"], "c": [8, 90, 150, 1, 2, 20]}})


# ----------------------------------------------------------------------------------------------- joints and couplings
def _joints() -> None:
    m, i = 2.0, [0.5, 0.6, 0.7]
    body = {"b": {"mass": m, "inertia": i, "at": O}}
    add("cylindrical joint with two springs", osc(500 / m) + osc(30 / i[2]), "marginal", "two oscillators", bodies=body,
        joints={"c": joint("cylindrical", "ground", "b", at=O, axis=Z)},
        forces={"s": along("c.displacement", 500), "t": along("c.angle", 30)})
    add("universal joint with torsion springs", osc(20 / i[0]) + osc(50 / i[1]), "marginal", "two oscillators",
        bodies=body, joints={"u": joint("universal", "ground", "b", at=O, axis=X, axis2=Y)},
        forces={"s": along("u.angle1", 20), "t": along("u.angle2", 50)}, coordinates=["u.angle1", "u.angle2"],
        matrices={"M": np.diag(i[:2]).tolist(), "C": [[0, 0], [0, 0]], "K": [[20, 0], [0, 50]]})
    e = 0.3  # centre of mass ahead of the joint point along x
    mass = [[m, 0, 0], [0, m, m * e], [0, m * e, i[2] + m * e * e]]
    stiff = np.diag([400.0, 500.0, 60.0]).tolist()
    add("planar joint, centre of mass off the joint point", undamped(mass, stiff), "marginal", "Lagrange",
        bodies={"b": {**body["b"], "at": [e, 0, 0]}},
        joints={"p": joint("planar", "ground", "b", at=O, axis=Z, axis2=X)},
        forces={"x": along("p.x", 400), "y": along("p.y", 500), "t": along("p.angle", 60)},
        coordinates=["p.x", "p.y", "p.angle"],
        matrices={"M": mass, "C": np.zeros((3, 3)).tolist(), "K": stiff})
    l, k = 0.4, 120.0
    add("body hung from a bead on a bar (inline)",
        undamped([[m, m * l], [m * l, i[1] + m * l * l]], [[k, 0], [0, m * G * l]])
        + osc(m * G * l / (i[0] + m * l * l)) + zeros(2), "drifting",
        "cart with pendulum along the bar, pendulum across it, free yaw",
        bodies={"b": {**body["b"], "at": [0, 0, -l]}},
        joints={"bar": joint("inline", "ground", "b", at=O, axis=X)}, gravity=DOWN,
        forces={"s": along("bar.displacement", k)})
    # Trom 2-DOF slider-pendulum, Trom, recomputed.
    for c in (0, 20):
        poly = np.roots(np.polyadd(np.polymul([30, c, 20], [35, 0, 196.2]), [-400, 0, 0, 0, 0]))
        add(f"slider-pendulum of Trom, c = {c}", fold(poly) if c else undamped([[30, 20], [20, 35]],
            [[20, 0], [0, 196.2]]), "stable" if c else "marginal",
            "Trom, recomputed: 0.797302985861869, 3.08165793705976; damped -0.312177+0.747815i, -0.226284+3.023550i",
            bodies={"slider": {"mass": 10, "inertia": [1] * 3, "at": O},
                    "pendulum": {"mass": 20, "inertia": [15] * 3, "at": [0, 0, -1]}},
            joints={"s": prismatic("ground", "slider", O, X), "h": revolute("slider", "pendulum", O, [0, -1, 0])},
            gravity=DOWN, forces={"k": along("s", 20, c)}, coordinates=["s", "h"],
            matrices={"M": [[30, 20], [20, 35]], "C": [[c, 0], [0, 0]], "K": [[20, 0], [0, 196.2]]})
    # Two bodies welded: one compound pendulum.
    ma, ia, la, mb, ib, lb = 1.0, 0.05, 0.3, 2.0, 0.2, 0.9
    add("two bodies welded into one pendulum",
        osc((ma * la + mb * lb) * G / (ia + ma * la**2 + ib + mb * lb**2)), "marginal", "compound inertia",
        bodies={"a": {"mass": ma, "inertia": [ia] * 3, "at": [0, 0, -la]},
                "b": {"mass": mb, "inertia": [ib] * 3, "at": [0, 0, -lb]}},
        joints={"h": revolute("ground", "a", O, Y), "w": joint("fixed", "a", "b", at=[0, 0, -0.5])}, gravity=DOWN)
    # Inertia about an inclined axis: tensor entries as given (xy is the entry itself).
    t = [0.5, 0.8, 0.9, 0.12, -0.05, 0.07]
    kt, n = 10.0, np.array([1.0, 2.0, -2.0]) / 3
    tensor = np.array([[t[0], t[3], t[4]], [t[3], t[1], t[5]], [t[4], t[5], t[2]]])
    tilted = {"h": revolute("ground", "b", O, [1, 2, -2])}
    twist = {"s": along("h", kt)}
    add("products of inertia about an inclined axis", osc(kt / float(n @ tensor @ n)), "marginal",
        "n.I.n with the tensor entries xx yy zz xy xz yz", bodies={"b": {"mass": m, "inertia": t, "at": O}},
        joints=tilted, forces=twist)
    a1, a2, a3 = 0.4, 0.9, -0.3

    def turn(axis: int, angle: float) -> np.ndarray:
        c, s = math.cos(angle), math.sin(angle)
        j, k_ = (axis + 1) % 3, (axis + 2) % 3
        r = np.eye(3)
        r[j, j] = r[k_, k_] = c
        r[j, k_], r[k_, j] = -s, s
        return r

    rot = turn(2, a1) @ turn(0, a2) @ turn(2, a3)
    principal = [0.5, 0.8, 0.9]
    add("inertia turned by intrinsic z-x-z angles", osc(kt / float(n @ rot @ np.diag(principal) @ rot.T @ n)),
        "marginal", "R = Rz Rx Rz; inertia in body axes", joints=tilted, forces=twist,
        bodies={"b": {"mass": m, "inertia": principal, "at": O,
                      "rotation": {"sequence": "zxz", "angles": [a1, a2, a3]}}})
    rot = turn(0, a2)
    for label, rotation in (("axis and angle", {"axis": X, "angle": a2}),
                            ("a quaternion", {"quaternion": [math.cos(a2 / 2), math.sin(a2 / 2), 0, 0]})):
        add(f"inertia turned by {label}", osc(kt / float(n @ rot @ np.diag(principal) @ rot.T @ n)), "marginal",
            "n.(R I R^T).n", joints=tilted, forces=twist,
            bodies={"b": {"mass": m, "inertia": principal, "at": O, "rotation": rotation}})

    # Couplings: first + ratio * second = 0.
    wheel = {"a": {"mass": 1, "inertia": [0.2] * 3, "at": O}, "b": {"mass": 1, "inertia": [0.5] * 3, "at": X}}
    shafts = {"p": revolute("ground", "a", O, Z), "q": revolute("ground", "b", X, Z)}
    r = 2.5
    add("gear pair on torsion springs", osc((30 * r**2 + 70) / (0.2 * r**2 + 0.5)), "marginal", "p = -ratio q",
        bodies=wheel, joints=shafts, couplings={"g": {"type": "gear", "joints": ["p", "q"], "ratio": r}},
        forces={"s": along("p", 30), "t": along("q", 70)})
    # In series the sign shows: the absolute angle of the second is p + q = p (1 - 1/ratio).
    add("gear between two joints in series", osc(30 / (0.2 + 0.5 * (1 - 1 / r) ** 2)), "marginal",
        "planetary-like: Ia p'^2 + Ib (p' + q')^2 with q = -p/ratio",
        bodies={"a": wheel["a"], "b": {**wheel["b"], "at": O}},
        joints={"p": revolute("ground", "a", O, Z), "q": revolute("a", "b", O, Z)},
        couplings={"g": {"type": "gear", "joints": ["p", "q"], "ratio": r}}, forces={"s": along("p", 30)})
    # Cart with an eccentric pinion: centre of mass e below the hinge moves by x - e theta, theta = -r x.
    mc, mw, iw, e, r = 3.0, 2.0, 0.05, 0.2, 1.7
    add("rack with an eccentric pinion on the cart", osc(mw * G * e * r**2 / (mc + mw * (1 + e * r) ** 2 + iw * r**2)),
        "marginal", "theta + r x = 0; the sign of the ratio changes the mass",
        bodies={"cart": {"mass": mc, "inertia": [0.1] * 3, "at": O},
                "pinion": {"mass": mw, "inertia": [iw] * 3, "at": [0, 0, -e]}},
        joints={"x": prismatic("ground", "cart", O, X), "h": revolute("cart", "pinion", O, Y)}, gravity=DOWN,
        couplings={"rack": {"type": "rack", "joints": ["h", "x"], "ratio": r}})
    # Screw joint on a slide: displacement of the nut = x + pitch * angle.
    pitch, m1 = 0.15, 1.5
    mass, stiff = [[m1 + m, m * pitch], [m * pitch, i[2] + m * pitch**2]], [[900.0, 0], [0, 25.0]]
    nut = {"base": {"mass": m1, "inertia": [0.1] * 3, "at": O}, "nut": {"mass": m, "inertia": i, "at": O}}
    springs = {"s": along("x", 900), "t": along("turn", 25)}
    add("screw joint on a slide", undamped(mass, stiff), "marginal", "displacement = pitch * angle", bodies=nut,
        joints={"x": prismatic("ground", "base", O, Z),
                "turn": joint("screw", "base", "nut", at=O, axis=Z, pitch=pitch)},
        forces=springs, coordinates=["x", "turn"], matrices={"M": mass, "C": [[0, 0], [0, 0]], "K": stiff})
    add("screw coupling of a cylindrical joint", undamped(mass, stiff), "marginal",
        "displacement - pitch * angle = 0: the same machine", bodies=nut,
        joints={"x": prismatic("ground", "base", O, Z), "c": joint("cylindrical", "base", "nut", at=O, axis=Z)},
        couplings={"lead": {"type": "screw", "joints": ["c.displacement", "c.angle"], "ratio": -pitch}},
        forces={"s": springs["s"], "t": along("c.angle", 25)}, coordinates=["x", "c.angle"],
        matrices={"M": mass, "C": [[0, 0], [0, 0]], "K": stiff})
    add("screw joint with an axial spring", osc(1e4 * pitch**2 / (i[2] + m * pitch**2)), "marginal",
        "K = k pitch^2, M = I + m pitch^2", bodies=body,
        joints={"turn": joint("screw", "ground", "b", at=O, axis=Z, pitch=pitch)},
        forces={"s": point_spring("ground", "b", [[0, 0, 1], O], 1e4, 1.0)})
    # Differential: p + 2 q - 0.5 s = 0, eliminate s = 2 p + 4 q.
    j1, j2, j3, k1, k2, k3 = 1.0, 2.0, 0.3, 10.0, 50.0, 4.0
    v = np.array([2.0, 4.0])
    mass = np.diag([j1, j2]) + j3 * np.outer(v, v)
    stiff = np.diag([k1, k2]) + k3 * np.outer(v, v)
    add("linear coupling of three joints", undamped(mass, stiff), "marginal", "s = 2 p + 4 q eliminated",
        bodies={n_: {"mass": j, "inertia": [0.1] * 3, "at": [0, y, 0]} for n_, j, y in
                (("a", j1, 0), ("b", j2, 1), ("c", j3, 2))},
        joints={"p": prismatic("ground", "a", O, X), "q": prismatic("ground", "b", Y, X),
                "s": prismatic("ground", "c", [0, 2, 0], X)},
        couplings={"d": {"type": "linear", "terms": {"p": 1, "q": 2, "s": -0.5}, "constant": 0}},
        forces={"kp": along("p", k1), "kq": along("q", k2), "ks": along("s", k3)}, coordinates=["p", "q"],
        matrices={"M": mass.tolist(), "C": [[0, 0], [0, 0]], "K": stiff.tolist()})


# ---------------------------------------------------------------------------------------------------- spinning bodies
def _spinning() -> None:
    add("free body at rest", zeros(12), "drifting", "six chains of two zeros",
        bodies={"b": {"mass": 2, "inertia": [0.5, 0.6, 0.7], "at": [1, 2, 3]}})
    add("free body falling", zeros(12), "drifting", "uniform gravity has no gradient", gravity=DOWN,
        bodies={"b": {"mass": 2, "inertia": [0.5, 0.6, 0.7], "at": [1, 2, 3]}})
    # Ground axes: with eta = dphi', eta' = (E + [Omega]x) eta, E the matrix of Euler's equations; about axis 3
    # s^2 = -Omega^2 (I1 + I3 - I2)(I2 + I3 - I1)/(I1 I2), never positive (triangle inequality), dphi itself is free.
    omega = 4.0
    i1, i2, i3 = 0.5, 0.8, 1.0

    def spin_free(a: float, b: float, c: float) -> tuple[complex, ...]:
        return osc(omega**2 * (a + c - b) * (b + c - a) / (a * b)) + zeros(10)

    for label, order in (("largest", (i1, i2, i3)), ("smallest", (i2, i3, i1)), ("middle", (i3, i1, i2))):
        add(f"free body spinning about the axis of {label} inertia, ground axes", spin_free(*order), "drifting",
            "derived above; frozen in ground axes, so the middle axis does not show its instability",
            bodies={"b": {"mass": 2, "inertia": list(order), "at": O}},
            joints={"loose": joint("free", "ground", "b", at=O, velocity=[0, 0, 0, 0, 0, omega])})
    add("free symmetric top", osc((omega * 1.0 / 0.6) ** 2) + zeros(10), "drifting", "wobble Omega Ip/It in space",
        bodies={"b": {"mass": 2, "inertia": [0.6, 0.6, 1.0], "at": O}},
        joints={"loose": joint("free", "ground", "b", at=O, velocity=[0.1, 0, 0, 0, 0, omega])})
    # The first body is the spinning one: variations about its own axes, constant coefficients (Euler's equations).
    for label, (a, b, c) in (("largest", (i1, i2, i3)), ("middle", (i3, i1, i2))):
        euler = -(omega**2) * (b - c) * (c - a) / (a * b)
        add(f"body spinning about the axis of {label} inertia, body axes", osc(euler) + osc(omega**2) + zeros(2),
            "unstable" if euler < 0 else "drifting",
            "Euler: s^2 = Omega^2 (I2 - I3)(I3 - I1)/(I1 I2), and +-i Omega of the rotating axes",
            bodies={"b": {"mass": 2, "inertia": [a, b, c], "at": O}},
            joints={"ball": joint("spherical", "b", "ground", at=O, velocity=[0, 0, -omega])})

    # The rotor of the README's comparison.
    ip, it, k, omega = 1.0, 0.6, 500.0, 50.0
    rotor = {"rotor": {"mass": 4, "inertia": [it, it, ip], "at": O}}
    fixed_frame = whirl(it, ip * omega, k)  # backward 9.0230, forward 92.3564
    tilt = {"bearing": {"type": "bearing", "between": ["ground", "rotor"], "at": O, "axis": Z, "axis2": X,
                        "k": [0, 0, 0, k, k, 0]}}
    for kind in ("spherical", "point"):
        add(f"rotor on a bearing, {kind} joint", fixed_frame + zeros(2), "drifting",
            "It s^2 - i Ip Omega s + k = 0: 9.0230, 92.3564", bodies=rotor, forces=tilt,
            joints={"ball": joint(kind, "ground", "rotor", at=O, velocity=[0, 0, omega])})
    damped = {"bearing": {**tilt["bearing"], "c": [0, 0, 0, 3, 3, 0]}}
    add("rotor on a damped bearing", whirl(it, ip * omega, k, 3.0) + zeros(2), "drifting",
        "It s^2 + (c - i Ip Omega) s + k = 0; the spin itself is undamped", bodies=rotor, forces=damped,
        joints={"ball": joint("spherical", "ground", "rotor", at=O, velocity=[0, 0, omega])})
    radial = {"bearing": {**tilt["bearing"], "k": [3000, 3000, 7000, k, k, 0]}}
    add("floating rotor on a bearing", fixed_frame + osc(3000 / 4) * 2 + osc(7000 / 4) + zeros(2), "drifting",
        "whirl as before, three translations", bodies=rotor, forces=radial,
        joints={"loose": joint("free", "ground", "rotor", at=O, velocity=[0, 0, 0, 0, 0, omega])})
    add("rotor on a bearing, seen from the rotor", (1j * abs(fixed_frame[1].imag - omega),
        1j * (fixed_frame[0].imag + omega), *zeros(2)), "drifting",
        "rotor frame: 42.356 / 59.023; the joint's first body is the rotor", bodies=rotor, forces=tilt,
        joints={"ball": joint("spherical", "rotor", "ground", at=O, velocity=[0, 0, -omega])})
    add("rotor in a massless frame on a universal", fixed_frame + zeros(2), "drifting",
        "the same rotor on carrier and revolute", bodies={"frame": massless(O), **rotor},
        joints={"hook": joint("universal", "ground", "frame", at=O, axis=X, axis2=Y),
                "spin": revolute("frame", "rotor", O, Z, velocity="50 rad/s")},
        forces={"s": along("hook.angle1", k), "t": along("hook.angle2", k)})
    icx, icz, kz = 0.05, 0.08, 350.0
    add("rotor in a floating frame on a bushing", whirl(it + icx, ip * omega, k) + osc(kz / icz) + osc(2000 / 5) * 2
        + osc(6000 / 5) + zeros(2), "drifting", "frame inertia adds to It; its torsion is separate from the spin",
        bodies={"frame": {"mass": 1, "inertia": [icx, icx, icz], "at": O}, **rotor},
        joints={"spin": revolute("frame", "rotor", O, Z, velocity=omega)},
        forces={"mount": {"type": "bushing", "between": ["ground", "frame"], "at": O, "axis": Z, "axis2": X,
                          "k": [2000, 2000, 6000, k, k, kz]}})
    speed = 600 * 2 * math.pi / 60
    kx, ky = 400.0, 900.0
    add("rotor on an unequal bearing", biquadratic(it**2, it * (kx + ky) + (ip * speed) ** 2, kx * ky) + zeros(2),
        "drifting", "It^2 s^4 + (It (kx + ky) + (Ip Omega)^2) s^2 + kx ky = 0, 600 rpm", bodies=rotor,
        forces={"bearing": {**tilt["bearing"], "k": [0, 0, 0, kx, ky, 0]}},
        joints={"ball": joint("spherical", "ground", "rotor", at=O, velocity=[0, 0, "600 rpm"])})
    # Unequal rotor on equal bearings, in rotor axes: K1 = k + (I3 - I2) W^2, K2 = k + (I3 - I1) W^2,
    # I1 I2 s^4 + (I1 K2 + I2 K1 + (I1 + I2 - I3)^2 W^2) s^2 + K1 K2 = 0.
    j1, j2, j3, kk = 1.0, 1.4, 0.5, 70.0
    for w in (8.0, 10.0):
        s1, s2 = kk + (j3 - j2) * w * w, kk + (j3 - j1) * w * w
        add(f"unequal rotor on an equal bearing at {w:g} rad/s, seen from the rotor",
            biquadratic(j1 * j2, j1 * s2 + j2 * s1 + ((j1 + j2 - j3) * w) ** 2, s1 * s2) + zeros(2),
            "unstable" if s1 * s2 < 0 else "drifting", "Euler's equations in rotor axes; unstable between the "
            "critical speeds 8.82 and 11.83", bodies={"rotor": {"mass": 4, "inertia": [j1, j2, j3], "at": O}},
            joints={"ball": joint("spherical", "rotor", "ground", at=O, velocity=[0, 0, -w])},
            forces={"bearing": {**tilt["bearing"], "k": [0, 0, 0, kk, kk, 0]}})
    # Overhung disc on a cantilever shaft along z, (k11 - m n^2)(k22 - It n^2 + Ip W n) = k12^2 for whirl n.
    ei, length, m = 50.0, 0.5, 4.0
    k11, k12, k22 = 12 * ei / length**3, 6 * ei / length**2, 4 * ei / length
    six = np.zeros((6, 6))
    six[0, 0] = six[1, 1] = k11
    six[3, 3] = six[4, 4] = k22
    six[0, 4] = six[4, 0] = -k12  # slope of x is +ry
    six[1, 3] = six[3, 1] = k12  # slope of y is -rx
    six[2, 2] = 1e5
    poly = np.polysub(np.polymul([-m, 0, k11], [-it, ip * omega, k22]), [k12**2])
    add("overhung disc on a shaft", tuple(1j * abs(n.real) for n in np.roots(poly)) + osc(1e5 / m) + zeros(2),
        "drifting", "Euler-Bernoulli tip stiffness with gyroscopic moment", bodies=rotor,
        joints={"loose": joint("free", "ground", "rotor", at=O, velocity=[0, 0, 0, 0, 0, omega])},
        forces={"shaft": {**tilt["bearing"], "k": six.tolist()}})

    # Heavy symmetric top, A about the pivot: A n^2 - C W n + m g l = 0.
    m, l, c, a0 = 1.2, 0.25, 0.03, 0.02
    a = a0 + m * l * l
    critical = 2 * math.sqrt(a * m * G * l) / c
    for factor in (1.3, 0.8):
        w = factor * critical
        add(f"sleeping top at {factor} of the critical spin", whirl(a, c * w, -m * G * l) + zeros(2),
            "drifting" if factor > 1 else "unstable",
            "textbook: stable for (C W)^2 > 4 A m g l; ground axes",
            bodies={"top": {"mass": m, "inertia": [a0, a0, c], "at": [0, 0, l]}},
            joints={"tip": joint("spherical", "ground", "top", at=O, velocity=[0, 0, w])}, gravity=DOWN)
    add("hanging gyroscope", whirl(a, c * 60.0, m * G * l) + zeros(2), "drifting", "A n^2 - C W n - m g l = 0",
        bodies={"top": {"mass": m, "inertia": [a0, a0, c], "at": [0, 0, -l]}},
        joints={"tip": joint("spherical", "ground", "top", at=O, velocity=[0, 0, 60])}, gravity=DOWN)
    # Steady precession at tilt q: A W^2 cos q - P W + m g l = 0, P = C (spin + W cos q);
    # s^2 = -W^2 sin^2 q - (P/A - 2 W cos q)^2 (angular momenta about the vertical and the axis held).
    q, w = math.radians(35), 2.2
    p = (a * w * w * math.cos(q) + m * G * l) / w
    e = [math.sin(q), 0, math.cos(q)]
    add("heavy top in steady precession", osc((w * math.sin(q)) ** 2 + (p / a - 2 * w * math.cos(q)) ** 2) + zeros(4),
        "drifting", "Lagrange with both momenta conserved; gimbal of a universal and a revolute, massless frame",
        bodies={"frame": massless(O), "top": {"mass": m, "inertia": [a0, a0, c], "at": [l * x for x in e],
                                              "rotation": {"axis": Y, "angle": q}}},
        joints={"gimbal": joint("universal", "ground", "frame", at=O, axis=Z, axis2=Y, velocity=[w, 0]),
                "spin": revolute("frame", "top", O, e, velocity=p / c - w * math.cos(q))}, gravity=DOWN)


# -------------------------------------------------------------------------------- steady rotation, prescribed motion
def _moving() -> None:
    l, m = 0.5, 1.4

    def cone(angle: float) -> tuple[float, tuple[complex, ...]]:
        rate = math.sqrt(G / (l * math.cos(angle)))
        return rate, osc(rate**2 * (1 + 3 * math.cos(angle) ** 2)) + zeros(2)

    for degrees in (30, 60):
        q = math.radians(degrees)
        rate, eig = cone(q)
        add(f"conical pendulum at {degrees} deg", eig, "drifting",
            "Trom, recomputed: W sqrt(1 + 3 cos^2) and a double zero; the frozen pencil is wrong",
            bodies={"bob": {"mass": m, "at": [l * math.sin(q), 0, -l * math.cos(q)]}},
            joints={"hook": joint("universal", "ground", "bob", at=O, axis=Z, axis2=Y, velocity=[rate, 0])},
            gravity=DOWN)
    rate, eig = cone(math.radians(30))
    add("conical pendulum drawn horizontal, set by position", eig, "drifting",
        "as above; the arm along x is turned by +60 deg about y", bodies={"bob": {"mass": m, "at": [l, 0, 0]}},
        joints={"hook": joint("universal", "ground", "bob", at=O, axis=Z, axis2=Y, position=[0, "60 deg"],
                              velocity=[rate, 0])}, gravity=DOWN)
    q = math.radians(30)
    at = [l * math.sin(q), 0, -l * math.cos(q)]
    add("conical pendulum as two sliders and a distance", eig, "drifting",
        "Trom Sec. 4.3, corrected last row (Trom Eq 4.13 gives 7.1396 for l = 0.5)",
        bodies={"frame": massless(O), "cart": massless(at), "bob": {"mass": m, "at": at}},
        joints={"turn": revolute("ground", "frame", O, Z, velocity=rate), "x": prismatic("frame", "cart", at, X),
                "z": prismatic("cart", "bob", at, Z), "rod": joint("distance", "ground", "bob", at=[O, at])},
        gravity=DOWN)
    # Compound conical pendulum: D = A sin^2 + C cos^2, A s^2 = W^2 (D''/2 - D'^2/D) - m g l cos q.
    q, a0, c = math.radians(50), 0.1, 0.05
    a = a0 + m * l * l
    w2 = m * G * l / ((a - c) * math.cos(q))
    d = a * math.sin(q) ** 2 + c * math.cos(q) ** 2
    d1, d2 = (a - c) * math.sin(2 * q), 2 * (a - c) * math.cos(2 * q)
    add("compound conical pendulum", osc((m * G * l * math.cos(q) - w2 * (d2 / 2 - d1 * d1 / d)) / a) + zeros(2),
        "drifting", "Lagrange with the momentum about the vertical conserved",
        bodies={"bob": {"mass": m, "inertia": [a0, a0, c], "at": [l * math.sin(q), 0, -l * math.cos(q)],
                        "rotation": {"axis": Y, "angle": -q}}},
        joints={"hook": joint("universal", "ground", "bob", at=O, axis=Z, axis2=Y, velocity=[math.sqrt(w2), 0])},
        gravity=DOWN)

    # Pendulum on a driven turntable (bead on a hoop): q'' = W^2 sin q cos q - (g/l) sin q.
    wc = math.sqrt(G / l)

    def hoop(w: float, at: list[float], **motion: Any) -> dict[str, Any]:
        drive = motion or {"motion": f"={w!r}*t"}
        return {"bodies": {"table": massless(O), "bob": {"mass": m, "at": at}},
                "joints": {"turn": revolute("ground", "table", O, Z, **drive), "h": revolute("table", "bob", O, Y)},
                "gravity": DOWN}

    for factor in (0.6, 1.5):
        w = factor * wc
        add(f"bead on a hoop at the bottom, {factor} of the critical speed", osc(G / l - w * w),
            "marginal" if factor < 1 else "unstable", "textbook: s^2 = W^2 - g/l", **hoop(w, [0, 0, -l]))
    w = 1.5 * wc
    q = math.acos(G / (l * w * w))
    tilted = [-l * math.sin(q), 0, -l * math.cos(q)]
    add("bead on a hoop at its raised equilibrium", osc((w * math.sin(q)) ** 2), "marginal",
        "textbook: s^2 = -W^2 sin^2 q with cos q = g/(l W^2)", **hoop(w, tilted))
    add("bead on a hoop, raised by its joint position", osc((w * math.sin(q)) ** 2), "marginal", "the same state",
        bodies={"table": massless(O), "bob": {"mass": m, "at": [0, 0, -l]}},
        joints={"turn": revolute("ground", "table", O, Z, motion=f"={w!r}*t"),
                "h": revolute("table", "bob", O, Y, position=q)}, gravity=DOWN)
    model = hoop(w, tilted, velocity=0)
    del model["joints"]["turn"]["velocity"]
    add("bead on a hoop turned by a driver", osc((w * math.sin(q)) ** 2), "marginal", "a driver is a joint motion",
        drivers={"d": {"measure": "turn", "motion": f"={w!r}*t"}}, **model)
    j = 0.2
    model = hoop(w, tilted, velocity=w)
    model["bodies"]["table"] = {"mass": 1, "inertia": [j] * 3, "at": O}
    add("bead on a freely turning hoop", osc((w * math.sin(q)) ** 2 * (1 + 4 * m * l * l * math.cos(q) ** 2
        / (j + m * l * l * math.sin(q) ** 2))) + zeros(2), "drifting",
        "momentum about the vertical conserved; J = 0 is the conical pendulum", **model)
    # Compound pendulum on the axis: (Iy + m l^2) q'' = W^2 sin q cos q (Ix - Iz + m l^2) - m g l sin q.
    ix, iy, iz, w = 0.2, 0.3, 0.1, 3.0
    add("compound pendulum on a turntable", osc((m * G * l - w * w * (ix - iz + m * l * l)) / (iy + m * l * l)),
        "marginal", "Lagrange", bodies={"table": massless(O), "bob": {"mass": m, "inertia": [ix, iy, iz],
                                                                     "at": [0, 0, -l]}},
        joints={"turn": revolute("ground", "table", O, Z, motion="=3*t"), "h": revolute("table", "bob", O, Y)},
        gravity=DOWN)
    # Flyball: hinge at radius r, arm out by q: W^2 (r + l sin q) = g tan q.
    r, q = 0.2, math.radians(40)
    w2 = G * math.tan(q) / (r + l * math.sin(q))
    add("flyball on a driven spindle", osc(G / l * math.cos(q) - w2 * (math.cos(2 * q) - r / l * math.sin(q))),
        "marginal", "q'' = W^2 (r/l + sin q) cos q - (g/l) sin q",
        bodies={"table": massless(O), "bob": {"mass": m, "at": [r + l * math.sin(q), 0, -l * math.cos(q)]}},
        joints={"turn": revolute("ground", "table", O, Z, motion=f"={math.sqrt(w2)!r}*t"),
                "h": revolute("table", "bob", [r, 0, 0], Y)}, gravity=DOWN)
    # Blade hinged at radius e, thin rod of length b: flap W^2 (1 + e S/I), lag W^2 e S/I, S = m b/2, I = m b^2/3.
    e, b, w = 0.3, 2.0, 12.0
    blade = {"hub": massless(O), "blade": {"mass": m, "inertia": [0, m * b * b / 12, m * b * b / 12],
                                           "at": [e + b / 2, 0, 0]}}
    hub = {"turn": revolute("ground", "hub", O, Z, motion="=12*t")}
    ratio = e * (m * b / 2) / (m * b * b / 3)
    add("blade flapping under centrifugal load", osc(w * w * (1 + ratio)), "marginal", "helicopter textbook",
        bodies=blade, joints={**hub, "flap": revolute("hub", "blade", [e, 0, 0], Y)})
    add("blade lagging under centrifugal load", osc(w * w * ratio), "marginal", "helicopter textbook",
        bodies=blade, joints={**hub, "lag": revolute("hub", "blade", [e, 0, 0], Z)})

    # Mass on two springs in a rotating frame, angle = W t + al t^2/2 at t = 0:
    # (s^2 + kx/m - W^2)(s^2 + ky/m - W^2) + (2 W s + al)^2 = 0.
    kx, ky = 300.0, 500.0
    for label, w, al, stability in (("below both critical speeds", 5.0, 0.0, "marginal"),
                                    ("between the critical speeds", 16.5, 0.0, "unstable"),
                                    ("above both critical speeds", 40.0, 0.0, "marginal"),
                                    ("starting from rest", 0.0, 60.0, None),
                                    ("while speeding up", 5.0, 20.0, None)):
        a, b = kx / m - w * w, ky / m - w * w
        if al == 0:
            eig = biquadratic(1, a + b + 4 * w * w, a * b)
        else:
            eig = fold(np.roots([1, 0, a + b + 4 * w * w, 4 * w * al, a * b + al * al]))
        if stability is None:
            stability = "unstable" if max(z.real for z in eig) > 1e-9 else "marginal"
        add(f"mass on springs in a turning frame, {label}", eig, stability,
            "Coriolis, centrifugal and Euler terms: (s2 + kx/m - W2)(s2 + ky/m - W2) + (2 W s + al)^2 = 0",
            bodies={"table": massless(O), "cart": massless(O), "bob": {"mass": m, "at": O}},
            joints={"turn": revolute("ground", "table", O, Z, motion=f"={w!r}*t + {al / 2!r}*t**2"),
                    "x": prismatic("table", "cart", O, X), "y": prismatic("cart", "bob", O, Y)},
            forces={"kx": along("x", kx), "ky": along("y", ky)}, coordinates=["x", "y"],
            matrices={"M": [[m, 0], [0, m]], "C": [[0, -2 * m * w], [2 * m * w, 0]],
                      "K": [[m * a, -m * al], [m * al, m * b]]})

    # Moving base: linearization along the motion, in equilibrium or not.
    acc = 4.0
    bob = {"base": massless(O), "bob": {"mass": m, "at": [0, 0, -l]}}
    add("pendulum on a base accelerating upwards", osc((G + acc) / l), "marginal", "effective gravity g + a",
        bodies=bob, joints={"lift": prismatic("ground", "base", O, Z, motion="=0.5*4*t**2"),
                            "h": revolute("base", "bob", O, Y)}, gravity=DOWN)
    sideways = prismatic("ground", "base", O, X, motion="=0.5*4*t**2")
    add("pendulum hanging on a base accelerating sideways", osc(G / l), "marginal",
        "q'' = -(g sin q - a cos q)/l; at q = 0 the slope is -g/l though it is not in equilibrium",
        bodies=bob, joints={"run": sideways, "h": revolute("base", "bob", O, Y)}, gravity=DOWN)
    add("pendulum trailing on a base accelerating sideways", osc(math.hypot(G, acc) / l), "marginal",
        "in relative equilibrium at tan q = a/g: effective gravity sqrt(g^2 + a^2)", bodies=bob,
        joints={"run": sideways, "h": revolute("base", "bob", O, Y, position=math.atan2(acc, G))}, gravity=DOWN)
    # String paid out at speed v: q'' + 2 (v/l) q' + (g/l) q = 0 in the angle, x'' + (g/l) x = 0 in x = l q.
    v = 0.6
    add("pendulum on a lengthening arm, in the angle", quadratic(1, 2 * v / l, G / l), "stable", "textbook",
        bodies={"arm": massless(O), "bob": {"mass": m, "at": [0, 0, -l]}},
        joints={"h": revolute("ground", "arm", O, Y),
                "out": prismatic("arm", "bob", [0, 0, -l], [0, 0, -1], motion="=0.6*t")}, gravity=DOWN)
    add("pendulum on a lengthening string, in the displacement", osc(G / l), "marginal",
        "the same motion in x: the frozen exponents depend on the coordinate",
        bodies={"cart": massless([0, 0, -l]), "bob": {"mass": m, "at": [0, 0, -l]}},
        joints={"x": prismatic("ground", "cart", [0, 0, -l], X), "z": prismatic("cart", "bob", [0, 0, -l], Z)},
        markers={"top": {"body": "ground", "at": O}, "end": {"body": "bob", "at": [0, 0, -l]}},
        measures={"length": {"type": "distance", "between": ["top", "end"]}},
        drivers={"winch": {"measure": "length", "motion": f"={l!r} + 0.6*t"}}, gravity=DOWN, coordinates=["x"])
    add("pendulum on a string reeled out with acceleration", osc((G - 2.0) / l), "marginal",
        "x'' = -(g - l'') x/l; the driver's acceleration loads the string",
        bodies={"cart": massless([0, 0, -l]), "bob": {"mass": m, "at": [0, 0, -l]}},
        joints={"x": prismatic("ground", "cart", [0, 0, -l], X), "z": prismatic("cart", "bob", [0, 0, -l], Z)},
        markers={"top": {"body": "ground", "at": O}, "end": {"body": "bob", "at": [0, 0, -l]}},
        measures={"length": {"type": "distance", "between": ["top", "end"]}},
        drivers={"winch": {"measure": "length", "motion": f"={l!r} + 0.6*t + 0.5*2*t**2"}}, gravity=DOWN,
        coordinates=["x"])


# -------------------------------------------------------------------------------------- applied loads, characteristics
def _loads() -> None:
    # Ziegler's column: masses 2m and m at the ends of two links, torsion springs k; m = l = 1.
    k = 100.0
    column = {"one": {"mass": 2, "at": [0, 0, 1]}, "two": {"mass": 1, "at": [0, 0, 2]}}
    hinges = {"a": revolute("ground", "one", O, Y), "b": revolute("one", "two", [0, 0, 1], Y)}
    mass = [[6.0, 2.0], [2.0, 1.0]]  # relative angles: 2 + 4, 2, 1

    def pushed(p: float, axes: str) -> dict[str, Any]:
        return {"ka": along("a", k), "kb": along("b", k),
                "push": {"type": "force", "body": "two", "at": [0, 0, 2], "value": [0, 0, -p], "axes": axes}}

    for factor in (0.9, 1.1):
        p = factor * (3.5 - math.sqrt(2)) * k
        # Virtual work of the follower: about hinge a its arm is sin(b), about hinge b none: K = [[k, p], [0, k]].
        add(f"Ziegler column at {factor} of the flutter load", biquadratic(2, 7 * k - 2 * p, k * k),
            "marginal" if factor < 1 else "unstable", "Ziegler 1952: 2 s^4 + (7k - 2P) s^2 + k^2 = 0, flutter at "
            "(7/2 - sqrt 2) k/l", bodies=column, joints=hinges, forces=pushed(p, "body"), coordinates=["a", "b"],
            matrices={"M": mass, "C": [[0, 0], [0, 0]], "K": [[k, p], [0, k]]})
    for factor in (0.9, 1.1):
        p = factor * k * (3 - math.sqrt(5)) / 2
        stiff = [[k - 2 * p, -p], [-p, k - p]]
        add(f"two-link column at {factor} of the dead buckling load", undamped(mass, stiff),
            "marginal" if factor < 1 else "unstable", "K = [[k - 2P, -P], [-P, k - P]], P = (3 - sqrt 5)/2 k/l",
            bodies=column, joints=hinges, forces=pushed(p, "ground"), coordinates=["a", "b"],
            matrices={"M": mass, "C": [[0, 0], [0, 0]], "K": stiff})
    # A torque about z carried by a universal joint (x fixed in ground, y in the body): Q1 = T.x, Q2 = T.(body y).
    ix, iy, k1, k2, torque = 0.5, 0.8, 60.0, 90.0, 25.0
    for axes, stiff in (("body", [[k1, -torque], [0, k2]]), ("ground", [[k1, 0], [-torque, k2]])):
        add(f"twisted universal joint, torque in {axes} axes", osc(k1 / ix) + osc(k2 / iy), "marginal",
            "Q1 = T (b3.x) = T q2 for a follower, Q2 = T (z.b2) = T q1 for a fixed torque; never symmetrized",
            bodies={"b": {"mass": 1, "inertia": [ix, iy, 0.6], "at": O}},
            joints={"u": joint("universal", "ground", "b", at=O, axis=X, axis2=Y)},
            forces={"s": along("u.angle1", k1), "t": along("u.angle2", k2),
                    "twist": {"type": "torque", "body": "b", "value": [0, 0, torque], "axes": axes}},
            coordinates=["u.angle1", "u.angle2"],
            matrices={"M": [[ix, 0], [0, iy]], "C": [[0, 0], [0, 0]], "K": stiff})
    # A torque about z spins a body up from rest (alpha = T/Ip): the body torque follows the tilt and cancels against
    # d(J alpha), a torque fixed in ground leaves It phi'' + phi x T + k phi = 0, s^2 = -(k +- i T)/It.
    it, ip, k, torque = 0.6, 1.0, 500.0, 40.0
    spun = {"bodies": {"rotor": {"mass": 4, "inertia": [it, it, ip], "at": O}},
            "joints": {"ball": joint("spherical", "ground", "rotor", at=O)}}
    tilt = {"type": "bearing", "between": ["ground", "rotor"], "at": O, "axis": Z, "axis2": X, "k": [0, 0, 0, k, k, 0]}
    root = np.sqrt(complex(-k, torque) / it)
    add("rotor spun up by a torque in ground axes", (root, -root.conjugate(), *zeros(2)), "unstable",
        "It^2 (s^2 + k/It)^2 + T^2 = 0: angular acceleration at zero speed",
        forces={"bearing": tilt, "drive": {"type": "torque", "body": "rotor", "value": [0, 0, torque]}}, **spun)
    add("rotor spun up by a torque in body axes", osc(k / it) * 2 + zeros(2), "drifting", "the terms cancel",
        forces={"bearing": tilt, "drive": {"type": "torque", "body": "rotor", "value": [0, 0, torque], "axes": "body"}},
        **spun)

    # Characteristics as expressions.
    m, k, k3, x0 = 2.0, 40.0, 900.0, 0.3
    body = {"b": {"mass": m, "inertia": [0.1] * 3, "at": O}}
    hold = k * x0 + k3 * x0**3
    w2 = (k + 3 * k3 * x0**2) / m
    add("hardening spring held at a deflection", osc(w2), "marginal", "Duffing: (k + 3 k3 x0^2)/m", bodies=body,
        parameters={"k": k, "k3": k3, "hold": hold},
        joints={"slide": prismatic("ground", "b", O, X, position=x0)},
        forces={"f": {"type": "expression", "along": "slide", "value": "=hold - k*slide - k3*slide**3"}})
    add("hardening spring pressed by a dead force", osc(w2), "marginal", "the same; the load as a force on the body",
        bodies=body, parameters={"k": k, "k3": k3}, joints={"slide": prismatic("ground", "b", O, X, position=x0)},
        forces={"f": {"type": "expression", "along": "slide", "value": "=-k*slide - k3*slide**3"},
                "push": {"type": "force", "body": "b", "at": O, "value": [hold, 0, 0]}})
    for x0, slope in ((0.05, k), (0.2, k + 300.0)):
        add(f"two-slope spring at {x0:g} m", osc(slope / m), "marginal", "slope of the branch the point lies on",
            bodies=body, joints={"slide": prismatic("ground", "b", O, X, position=x0)},
            forces={"f": {"type": "expression", "along": "slide", "value": "=-40*slide - 300*max(slide - 0.1, 0)"}})
    root = np.sqrt(complex(-k, 7) / m)
    add("oscillator with a circulatory coupling by expressions", (root, -root.conjugate()), "unstable",
        "m s^2 + k = +-i b: cross-coupled stiffness",
        bodies={"cart": massless(O), **body},
        joints={"x": prismatic("ground", "cart", O, X), "y": prismatic("cart", "b", O, Y)},
        forces={"kx": along("x", k), "ky": along("y", k),
                "fx": {"type": "expression", "along": "x", "value": "=-7*y"},
                "fy": {"type": "expression", "along": "y", "value": "=7*x"}}, coordinates=["x", "y"],
        matrices={"M": [[m, 0], [0, m]], "C": [[0, 0], [0, 0]], "K": [[k, 7], [-7, k]]})


# ------------------------------------------------------------------------------------------------------- non-holonomic
def _nonholonomic() -> None:
    # Chaplygin sleigh, centre of mass a ahead of the blade: W' = -m a V W/(I + m a^2), y' = V q, x' = u.
    m, i, a = 2.0, 0.3, 0.25
    for label, v in (("forwards", 1.5), ("backwards", -1.5)):
        add(f"Chaplygin sleigh running {label}", (-m * a * v / (i + m * a * a), *zeros(4)),
            "drifting" if v > 0 else "unstable", "textbook; three positions, two velocities",
            bodies={"sleigh": {"mass": m, "inertia": [i] * 3, "at": [a, 0, 0]}},
            joints={"plane": joint("planar", "ground", "sleigh", at=O, axis=Z, axis2=X, velocity=[v, 0, 0]),
                    "blade": joint("knife_edge", "ground", "sleigh", at=O, axis=Y)}, dof=UNKNOWN)
    # Caster on a lateral spring (Schwab & Meijaard): kingpin forward at V, wheel (knife edge) L behind it, centre of
    # mass a AHEAD OF THE WHEEL, b = L - a behind the kingpin, r the radius of gyration:
    # s^3 + (1 + mu)(V/L) s^2 + wn^2 s + (V/L) wn^2 = 0, mu = (a b - r^2)/(a^2 + r^2), wn^2 = k L^2/(m (a^2 + r^2)).
    k, length = 800.0, 0.4
    for label, a, r in (("stable", 0.28, 0.1), ("unstable", 0.1, 0.25)):
        b, v = length - a, 3.0
        mu, wn2 = (a * b - r * r) / (a * a + r * r), k * length**2 / (m * (a * a + r * r))
        add(f"caster on a lateral spring, {label}",
            fold(np.roots([1, (1 + mu) * v / length, wn2, v / length * wn2])), "stable" if mu > 0 else "unstable",
            "Schwab & Meijaard; stable for a b > r^2 (Hurwitz: (1 + mu) > 1)",
            bodies={"carriage": massless(O), "slide": massless(O),
                    "caster": {"mass": m, "inertia": [m * r * r] * 3, "at": [-b, 0, 0]}},
            joints={"forward": prismatic("ground", "carriage", O, X, motion="=3*t"),
                    "lateral": prismatic("carriage", "slide", O, Y), "pin": revolute("slide", "caster", O, Z),
                    "wheel": joint("knife_edge", "ground", "caster", at=[-length, 0, 0], axis=Y)},
            forces={"spring": along("lateral", k)}, dof=UNKNOWN)


for _group in (_pendulums, _loops, _springs, _joints, _spinning, _moving, _loads, _nonholonomic):
    _group()
