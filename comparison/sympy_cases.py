"""SymPy: Kane's equations, linearized symbolically about an operating point that the user knows.

    python comparison/sympy_cases.py        (sympy 1.13 or newer)

What the user writes by hand: frames, points, velocities, speeds, which coordinates are independent, the equations of
the loops, and the equilibrium. Every line of that is in the functions below.
"""

import time

import sympy as sm
import sympy.physics.mechanics as me
from cases import (
    ACROSS,
    ALONG,
    GRAVITY,
    LENGTH,
    MASS,
    PARALLEL,
    PARALLELOGRAM,
    PENDULUM,
    POLAR,
    ROD,
    ROTOR,
    ROTOR_MASS,
    SPEED,
    SPLAYED,
    TILT,
    TRANSVERSE,
    four_bar,
    say,
    show,
    title,
)
from numpy import linalg, sort
from sympy.physics.mechanics.models import n_link_pendulum_on_cart


def pendulum():
    """omega^2 of the bar; the equilibrium q = 0 is given."""
    q, u = me.dynamicsymbols("q u")
    ground, bar = me.ReferenceFrame("N"), me.ReferenceFrame("A")
    bar.orient_axis(ground, q, ground.y)
    bar.set_ang_vel(ground, u * ground.y)
    hinge = me.Point("O")
    hinge.set_vel(ground, 0)
    centre = hinge.locatenew("C", -LENGTH / 2 * bar.z)
    centre.v2pt_theory(hinge, ground, bar)
    body = me.RigidBody("bar", centre, bar, MASS, (me.inertia(bar, ACROSS, ACROSS, ALONG), centre))
    kane = me.KanesMethod(ground, [q], [u], kd_eqs=[q.diff() - u])
    kane.kanes_equations([body], [(centre, -MASS * GRAVITY * ground.z)])
    A, _ = kane.linearize(A_and_B=True, op_point={q: 0, u: 0})[:2]
    return -A[1, 0]


def loop(points, solver):
    """omega^2 of the four-bar: three absolute angles, the loop written by hand twice (positions and speeds)."""
    a, b, c, d = points
    q = me.dynamicsymbols("q1:4")
    u = me.dynamicsymbols("u1:4")
    ground = me.ReferenceFrame("N")
    start, bodies, loads, tips = {}, [], [], []
    for i, (first, last) in enumerate(((a, c), (c, d), (b, d))):
        rod = me.ReferenceFrame(f"R{i}")
        rod.orient_axis(ground, q[i], ground.y)
        rod.set_ang_vel(ground, u[i] * ground.y)
        if i == 1:
            start[i] = tips[0]  # the coupler hangs on the left crank
        else:
            start[i] = me.Point(f"P{i}")
            start[i].set_vel(ground, 0)
        along = (last[0] - first[0]) * rod.x + (last[2] - first[2]) * rod.z
        tip, centre = start[i].locatenew(f"T{i}", along), start[i].locatenew(f"C{i}", along / 2)
        tip.v2pt_theory(start[i], ground, rod)
        centre.v2pt_theory(start[i], ground, rod)
        tips.append(tip)
        inertia = me.inertia(rod, 0, ROD, 0)  # the motion is planar: the moment about y alone matters
        bodies.append(me.RigidBody(f"rod{i}", centre, rod, MASS, (inertia, centre)))
        loads.append((centre, -MASS * GRAVITY * ground.z))
    pivots = (b[0] - a[0]) * ground.x + (b[2] - a[2]) * ground.z
    gap = tips[1].pos_from(start[0]) - tips[2].pos_from(start[2]) - pivots
    closure = [gap.dot(ground.x), gap.dot(ground.z)]
    speeds = {qi.diff(): ui for qi, ui in zip(q, u, strict=True)}
    rates = [each.diff(me.dynamicsymbols._t).subs(speeds) for each in closure]
    kane = me.KanesMethod(
        ground, q_ind=[q[0]], u_ind=[u[0]], kd_eqs=[rate - speed for rate, speed in speeds.items()],
        q_dependent=q[1:], configuration_constraints=closure, u_dependent=u[1:], velocity_constraints=rates,
        constraint_solver=solver,
    )  # fmt: skip
    kane.kanes_equations(bodies, loads)
    at_rest = dict.fromkeys([*q, *u, *(x.diff() for x in (*q, *u))], 0)
    A, _ = kane.linearize(A_and_B=True, op_point=at_rest, linear_solver=solver)[:2]
    return -A[1, 0]


def rotor():
    """Whirl frequencies: angles about ground x, then y, then the spin; the steady motion is given."""
    q, u = me.dynamicsymbols("q1:4"), me.dynamicsymbols("u1:4")
    ground, tilt, wheel = me.ReferenceFrame("N"), me.ReferenceFrame("T"), me.ReferenceFrame("W")
    tilt.orient_body_fixed(ground, (q[0], q[1], 0), "XYZ")
    wheel.orient_axis(tilt, q[2], tilt.z)
    centre = me.Point("O")
    centre.set_vel(ground, 0)
    inertia = me.inertia(wheel, TRANSVERSE, TRANSVERSE, POLAR)
    body = me.RigidBody("rotor", centre, wheel, ROTOR_MASS, (inertia, centre))
    kane = me.KanesMethod(ground, q, u, kd_eqs=[qi.diff() - ui for qi, ui in zip(q, u, strict=True)])
    kane.kanes_equations([body], [(tilt, -TILT * (q[0] * tilt.x + q[1] * tilt.y))])
    steady = dict.fromkeys([*q, *u[:2], *(x.diff() for x in u)], 0) | {u[2]: SPEED}
    A, _ = kane.linearize(A_and_B=True, op_point=steady)[:2]
    values = linalg.eigvals(sm.matrix2numpy(A.subs(q[2], 0), dtype=float))
    return sort(values.imag[values.imag > 1e-3])


def effort():
    """Seconds to derive and linearize a cart with n pendulums, SymPy's own model, by number of links."""
    for n in (1, 2, 3, 4):
        start = time.perf_counter()
        kane = n_link_pendulum_on_cart(n, cart_force=False)
        point = dict.fromkeys([*kane.q, *kane.u], 0)
        kane.linearize(A_and_B=True, op_point=point)
        say("chain", f"cart with {n} pendulums", f"{time.perf_counter() - start:.1f} s")


def main():
    """All cases."""
    title("SymPy", sm.__version__)
    show("pendulum", "KanesMethod, equilibrium given", pendulum(), PENDULUM)
    for case, points, exact in (("parallelogram", PARALLEL, PARALLELOGRAM), ("four-bar", SPLAYED, four_bar())):
        for solver in ("LU", "CRAMER"):
            show(case, f"KanesMethod, all given, solver {solver}", loop(points, solver), exact)
    show("rotor", "KanesMethod, steady motion given", rotor(), ROTOR)
    effort()


if __name__ == "__main__":
    main()
