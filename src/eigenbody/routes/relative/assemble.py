"""The linearized equations: M_l, C_l, K_l of the open chain (Trom 1990, Eqs. 3.8, 5.1, 5.15, corrected) and their
reduction to independent coordinates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.model.description import Description, owner_of
from eigenbody.routes.base import Place, Unsupported
from eigenbody.routes.joints import COUPLINGS, JOINTS, NON_HOLONOMIC, armatures
from eigenbody.routes.relative.forces import Cartesian, Derivatives, Readings, applied, state_rates, weights
from eigenbody.routes.relative.kinematics import Kinematics, velocity_transformation
from eigenbody.routes.relative.laws import Laws, Pull
from eigenbody.routes.relative.loops import (
    Rows,
    idle_turns,
    independent_rows,
    jacobian,
    jacobian_rate,
    multiplier_stiffness,
    read_rows,
)
from eigenbody.routes.relative.measures import Pose
from eigenbody.routes.relative.named import Names
from eigenbody.routes.relative.sides import Drawing
from eigenbody.routes.relative.signals import Reader
from eigenbody.routes.relative.slips import SlipRows, read_slips
from eigenbody.routes.relative.topology import Tree, read_tree
from eigenbody.spatial.rotations import about_axis, apply, cross, skew, unit

MOST = 240  # coordinates: dB/dq and d(dB/dt)/dq are arrays of 6 times their cube


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The mechanism as this formulation sees it, at the operating point."""

    description: Description
    drawing: Drawing
    names: Names
    tree: Tree
    pose: Pose
    nu: np.ndarray  # generalized velocities (n,)
    reader: Reader  # gauges, rates of the first-order states
    pulls: list[Pull]
    x: np.ndarray  # first-order states
    rows: Rows
    slips: SlipRows
    scale: np.ndarray  # (n,) 1 for rotations, the size of the mechanism for translations
    wishes: tuple[str, ...]  # coordinates to linearize in, in order of preference
    speed_wishes: tuple[str, ...]  # and those whose rates are the independent velocities


def read(description: Description, place: Place, cut: Collection[str] = ()) -> Mechanism:
    """Everything from the description and the state; Unsupported says what the formulation does not know."""
    _refuse(description)
    known = [entry.name for entry in description.joints]
    if unknown := next((name for name in cut if name not in known), None):
        raise InputError(Fault("cut", f'there is no joint "{unknown}".', suggest(unknown, known)))
    drawing = Drawing(description)
    names, tree = Names(drawing), read_tree(drawing, cut)
    if tree.count > MOST:
        raise Unsupported(f"more than {MOST} relative coordinates")
    pose, spin = _frames(description, place)
    reader = Reader(description, names, place, pose)
    pulls = Laws(drawing, reader).all()
    rows, slips = read_rows(drawing, names, tree, place, pose), read_slips(drawing, reader)
    if not tree.count:
        raise Unsupported("a mechanism whose joints have no coordinates")
    B = velocity_transformation(tree, pose)
    bodies = np.concatenate((place.v, apply(place.R, place.w)), axis=-1)
    velocity = np.vstack((bodies, np.hstack((np.zeros_like(spin), spin))))
    flat = B[:-1].reshape(6 * (len(B) - 1), tree.count)
    nu = np.linalg.lstsq(flat, velocity.ravel(), rcond=1e-12)[0]
    off = np.abs(flat @ nu - velocity.ravel()).max(initial=0.0)
    if off > 1e-7 * max(1.0, np.abs(velocity).max(initial=0.0)):
        raise ComputationError(f"the velocities of the bodies do not fit the joints: {off:.3g} remains.")
    reach = max(float(np.ptp(place.r, axis=0).max(initial=0.0)), float(np.abs(flat).max(initial=0.0)))
    turning = np.abs(np.concatenate([b.rotation for b in tree.branches])).sum(axis=1) > 0
    scale = np.where(turning, 1.0, reach or 1.0)
    wishes = place.independent or tuple(description.coordinates)
    reader.ordered_rates()
    return Mechanism(
        description, drawing, names, tree, pose, nu, reader, pulls, np.array(place.x), rows, slips, scale, wishes,
        place.velocities or wishes,
    )  # fmt: skip


def _frames(description: Description, place: Place) -> tuple[Pose, np.ndarray]:
    """Poses of all carriers, and the angular velocities (frames, 3) of the moving frames."""
    axes = [unit(np.asarray(entry["about"])) for entry in description.frames]
    rates = [float(entry["rate"]) for entry in description.frames]
    turned = [about_axis(axis, rate * place.t) for axis, rate in zip(axes, rates, strict=True)]
    r = np.vstack((place.r, *(entry["at"] for entry in description.frames), np.zeros(3)))
    spin = np.array([rate * axis for axis, rate in zip(axes, rates, strict=True)]).reshape(-1, 3)
    return Pose(r, np.concatenate((place.R, *(R[None] for R in turned), np.eye(3)[None]))), spin


def _refuse(description: Description) -> None:
    """What is not known at all; a force, a measure or a block says so where it is read."""
    for flexible in description.flexible:
        name = owner_of(flexible.name)
        raise Unsupported(f'the flexible body "{name}", whose deflections are no joint coordinates')
    for joint in description.joints:
        if joint.type not in JOINTS and joint.type not in NON_HOLONOMIC:
            raise Unsupported(f'the joint "{joint.name}" of type "{joint.type}"')
    if armed := armatures(description):
        raise Unsupported(f'the armature of "{next(iter(armed))}"')
    for coupling in description.couplings:
        if coupling.type not in (*COUPLINGS, "velocity", "polynomial"):
            raise Unsupported(f'the coupling "{coupling.name}" of type "{coupling.type}"')
    for driver in description.drivers:
        if driver.get("side") is not None and driver.get("closed") is None:
            raise Unsupported(f'the one-sided driver "{driver.name}", of which is not told whether it is closed')


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Equations of motion at the operating point: g(q, nu, nu') = 0 with its partial derivatives."""

    at: Kinematics
    M: np.ndarray  # generalized mass matrix B^T M B
    velocity_slope: np.ndarray  # dg/dnu
    position_slope: np.ndarray  # dg/dq without the multipliers
    nu_rate: np.ndarray
    rows: Rows  # the independent ones
    slips: SlipRows  # likewise
    Phi_q: np.ndarray
    N: np.ndarray
    multipliers: np.ndarray
    K_lambda: np.ndarray  # d(Phi_q^T lambda + N^T mu)/dq
    state_slope: np.ndarray  # dg/dx (n, states)
    states: Derivatives  # x'
    redundant: int


def inertias(description: Description, pose: Pose) -> np.ndarray:
    """J = A J' A^T of all carriers (carriers, 3, 3); Eq. 5.13 has the transposes reversed."""
    local = np.concatenate((description.bodies.inertia, np.zeros((len(description.frames) + 1, 3, 3))))
    return pose.R @ local @ np.swapaxes(pose.R, -1, -2)


def masses(description: Description) -> np.ndarray:
    """Masses of all carriers: moving frames and ground have none."""
    return np.append(description.bodies.mass, np.zeros(len(description.frames) + 1))


def inertia_times(mass: np.ndarray, J: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """M [v; w] for motions (..., carriers, 6)."""
    return np.concatenate((mass[:, None] * motion[..., :3], apply(J, motion[..., 3:])), axis=-1)


def dynamics(mechanism: Mechanism) -> Dynamics:
    """Accelerations and multipliers (Eq. 2.52), then the partial derivatives."""
    description = mechanism.description
    at = Kinematics(mechanism.tree, mechanism.pose, mechanism.nu)
    mass, J = masses(description), inertias(description, at.pose)
    inertia_columns = inertia_times(mass, J, np.moveaxis(at.B, -1, 0))  # (b, carriers, 6)
    M = np.einsum("cia,bci->ab", at.B, inertia_columns)
    reader = mechanism.reader
    readings = Readings.at(reader.gauges, mechanism.x, at)
    force = applied(mechanism.pulls, readings, at)
    weight = weights(mass, description.gravity)
    gyroscopic = np.zeros_like(weight)
    gyroscopic[:, 3:] = cross(at.w, apply(J, at.w))
    bias = at.B_rate @ at.nu
    known = inertia_times(mass, J, bias) + gyroscopic - force.value - weight
    felt = [M, *(np.einsum("cia,bci->ab", at.B, by) for by in (force.by_position, force.by_velocity))]
    felt += [jacobian(mechanism.rows, at), jacobian(mechanism.slips, at)]
    points = np.flatnonzero(description.bodies.is_point)
    scaled = [X / np.abs(X).max() for X in felt if np.any(X)]
    given = mechanism.rows.joined(idle_turns(mechanism.tree, points, np.vstack(scaled)))
    all_rows = jacobian(given, at)
    which = independent_rows(given, at, mechanism.scale)
    rows, Phi_q = given.taken(which), all_rows[which]
    slips = mechanism.slips.taken(independent_rows(mechanism.slips, at, mechanism.scale, Phi_q))
    N = jacobian(slips, at)
    rest = np.concatenate((rows.second_rate - jacobian_rate(rows, at) @ at.nu, -slips.slopes(at) @ at.nu))
    held = np.vstack((Phi_q, N))
    nu_rate, multipliers = _solve(M, held, -np.einsum("cia,ci->a", at.B, known), rest)
    acceleration = at.B @ nu_rate + bias
    load = inertia_times(mass, J, acceleration) + gyroscopic - force.value - weight
    K = _position_slope(at, mass, J, force, load, acceleration, nu_rate)
    C = _velocity_slope(at, mass, J, force)
    K_lambda = multiplier_stiffness(rows, at, multipliers[: len(rows)])
    K_lambda += multiplier_stiffness(slips, at, multipliers[len(rows) :])
    by_state = -np.einsum("cia,bci->ab", at.B, force.by_state)
    states = state_rates(reader.ordered_rates(), list(reader.residuals.values()), readings)
    redundant = len(all_rows) - len(which) + len(mechanism.slips) - len(slips)
    return Dynamics(at, M, C, K, nu_rate, rows, slips, Phi_q, N, multipliers, K_lambda, by_state, states, redundant)


def _solve(M: np.ndarray, Phi_q: np.ndarray, force: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eq. 2.52; freedoms without mass that nothing feels (a point mass turning) get no acceleration."""
    n, m = len(M), len(Phi_q)
    matrix = np.block([[M, Phi_q.T], [Phi_q, np.zeros((m, m))]])
    size = np.sqrt(np.maximum(np.diag(M), 1e-300))
    size[np.diag(M) <= 1e-14 * np.diag(M).max(initial=0.0)] = 1.0
    unit = np.concatenate((1 / size, np.ones(m)))
    rows = np.linalg.norm(Phi_q / size, axis=1)
    unit[n:] = 1 / np.where(rows > 0, rows, 1.0)
    solution = unit * np.linalg.lstsq(unit[:, None] * matrix * unit, unit * np.concatenate((force, rest)), 1e-14)[0]
    return solution[:n], solution[n:]


def _position_slope(
    at: Kinematics, mass: np.ndarray, J: np.ndarray, force: Cartesian, load: np.ndarray, acceleration: np.ndarray,
    nu_rate: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """dg/dq (Eq. 5.1): B_q^T load + B^T (M_q a + M (B_q nu' + Bdot_q nu) + h_q - f_q).

    Eq. 5.1 as printed doubles B_q^T M B nu' where B^T M B_q nu' belongs.
    """
    by = inertia_times(mass, J, at.B_partial @ nu_rate + at.B_rate_partial @ at.nu)
    turn, w_by = skew(at.directions.w), (at.B_partial @ at.nu)[..., 3:]
    J_by = turn @ J - J @ turn  # A_q J' A^T + A J' A_q^T; Eq. 5.5 doubles the first term
    Jw = apply(J, at.w)
    by[..., 3:] += apply(J_by, acceleration[:, 3:])
    by[..., 3:] += cross(w_by, Jw) + cross(at.w, apply(J_by, at.w) + apply(J, w_by))  # Eq. 5.14, corrected
    by -= force.by_position
    return np.einsum("bcia,ci->ab", at.B_partial, load) + np.einsum("cia,bci->ab", at.B, by)


def _velocity_slope(at: Kinematics, mass: np.ndarray, J: np.ndarray, force: Cartesian) -> np.ndarray:
    """dg/dnu (Eq. 5.15): B^T (M Bdot_nu nu + M Bdot + h_nu - f_nu); d(Bdot)/dnu_b = dB/dq_b."""
    by = inertia_times(mass, J, at.B_partial @ at.nu + np.moveaxis(at.B_rate, -1, 0))
    w_by = at.directions.w
    by[..., 3:] += cross(w_by, apply(J, at.w)) + cross(at.w, apply(J, w_by))  # Eq. 5.25
    return np.einsum("cia,bci->ab", at.B, by - force.by_velocity)


def turning(tree: Tree, nu: np.ndarray) -> np.ndarray:
    """Y (n, n) of the velocities nu: dnu = dq' - Y dq."""
    Y = np.zeros((tree.count, tree.count), dtype=nu.dtype)
    for branch in tree.branches:
        if branch.triple is not None:
            Y[branch.triple, branch.triple] = skew(nu[branch.triple])
    return Y


def open_chain(mechanism: Mechanism, dynamics: Dynamics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M_l, C_l, K_l: deviations dq, dq', dq'' with dnu = dq' - Y dq.

    Y = [omega x] for the three rotations of a ball joint, whose deviations are small rotations about axes of its first
    body, and zero elsewhere.
    """
    Y, Y_rate = turning(mechanism.tree, mechanism.nu), turning(mechanism.tree, dynamics.nu_rate)
    M, C = dynamics.M, dynamics.velocity_slope - dynamics.M @ Y
    return M, C, dynamics.position_slope - dynamics.velocity_slope @ Y - M @ Y_rate
