"""Actuators: motors, servos and others whose force is affine in control, position and speed.

MuJoCo: force = (g0 + g1 l + g2 l') u + b0 + b1 l + b2 l' along the length l = gear * (joint, tendon), with u the
control or an activation a that follows it: a' = u (integrator), a' = (u - a) / T (filter).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.exchange.mjcf.compiled import BALL, HINGE, SLIDE
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.exchange.mjcf.passive import damper
from eigenbody.exchange.numbers import summed
from eigenbody.model.expression_text import quoted
from eigenbody.model.names import GROUND

NOTHING = np.zeros(2)


def add_actuators(draft: Draft) -> None:
    """An input for each control, and the force that it makes; what is not known is named in a note."""
    m = draft.robot.m
    if not m.nu:
        return
    if draft.robot.is_disabled("ACTUATION"):
        draft.note("The file switches its actuators off: they are left out.")
        return
    gone = []
    for i in range(len(m.actuator_trntype)):
        given = draft.robot.name_of("ACTUATOR", i) or f"actuator{i}"
        reason = _unknown(draft, i)
        if not reason and _is_thruster(draft, i):
            _push(draft, i)
            continue
        measure = None if reason else _measure(draft, i, given)
        if measure is None:
            gone.append(f"{given} ({reason or 'its transmission'})")
            continue
        _act(draft, i, *measure)
    if gone:
        draft.note(f"Actuators that are left out: {', '.join(gone)}.")


def _unknown(draft: Draft, i: int) -> str:
    """What is not known of an actuator."""
    m, types = draft.robot.m, draft.robot.mujoco
    if draft.robot.is_idle(i):
        return "its group is switched off"
    gain, bias, dynamics = int(m.actuator_gaintype[i]), int(m.actuator_biastype[i]), int(m.actuator_dyntype[i])
    if gain not in (int(types.mjtGain.mjGAIN_FIXED), int(types.mjtGain.mjGAIN_AFFINE)):
        return "its gain"
    if bias not in (int(types.mjtBias.mjBIAS_NONE), int(types.mjtBias.mjBIAS_AFFINE)):
        return "its bias"
    return "its dynamics" if dynamics not in _dynamics(draft) else ""


def _dynamics(draft: Draft) -> dict[int, str]:
    """Rates of activations that are known; T is the time constant."""
    kinds = draft.robot.mujoco.mjtDyn
    slow = "({u} - {a})/{T!r}"
    known = {"NONE": "", "INTEGRATOR": "{u}", "FILTER": slow, "FILTEREXACT": slow}
    return {int(getattr(kinds, f"mjDYN_{name}")): rate for name, rate in known.items()}


def _measure(draft: Draft, i: int, given: str) -> tuple[str, float] | None:
    """The measure along which an actuator acts and its gear; None where there is none of its kind."""
    m, kinds = draft.robot.m, draft.robot.mujoco.mjtTrn
    transmission, target = int(m.actuator_trntype[i]), int(m.actuator_trnid[i][0])
    gear = np.array(m.actuator_gear[i])
    if transmission == int(kinds.mjTRN_TENDON):
        return (draft.tendons[target], float(gear[0])) if target in draft.tendons else None
    if transmission not in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
        return None
    if int(m.jnt_type[target]) in (SLIDE, HINGE):
        return draft.joints[target], float(gear[0])
    return _torque_on_ball(draft, i, target, gear[:3], given, transmission == int(kinds.mjTRN_JOINTINPARENT))


def _is_thruster(draft: Draft, i: int) -> bool:
    """Whether an actuator pushes at a site with a force that its control alone decides."""
    m, types = draft.robot.m, draft.robot.mujoco
    if int(m.actuator_trntype[i]) != int(types.mjtTrn.mjTRN_SITE) or int(m.actuator_trnid[i][1]) >= 0:
        return False
    gain, bias = _coefficients(draft, i)
    return draft.bodies[int(m.site_bodyid[m.actuator_trnid[i][0]])] != GROUND and not (gain[2] or bias[2])


def _push(draft: Draft, i: int) -> None:
    """Force and torque at a site, in its axes: the length of the actuator is zero there."""
    m, d = draft.robot.m, draft.robot.d
    site = int(m.actuator_trnid[i][0])
    body, b = draft.bodies[int(m.site_bodyid[site])], draft.material(int(m.site_bodyid[site]))
    axes = np.array(d.ximat[b]).reshape(3, 3).T @ np.array(d.site_xmat[site]).reshape(3, 3)
    gear = np.array(m.actuator_gear[i], dtype=float)
    gain, bias = _coefficients(draft, i)
    name, control = _control(draft, i)
    draft.sections["inputs"][name] = {}
    at = draft.point(d.site_xpos[site])
    for kind, components, more in (("force", axes @ gear[:3], {"at": at}), ("torque", axes @ gear[3:], {})):
        if components.any():
            value = [f"={summed([(g * gain[0], f'*{control}'), (g * bias[0], '')])}" for g in components]
            entry = {"type": kind, "body": body, **more, "value": value, "axes": "body"}
            draft.add("forces", f"{name}_{kind}", entry, ("inputs", name))


def _torque_on_ball(
    draft: Draft, i: int, joint: int, gear: np.ndarray, given: str, in_parent: bool
) -> tuple[str, float] | None:
    """The angular velocity about an axis of the child (of the parent): it has a rate, but no position to be held at."""
    m, size = draft.robot.m, float(np.linalg.norm(gear))
    has_bias = int(m.actuator_biastype[i]) != int(draft.robot.mujoco.mjtBias.mjBIAS_NONE)
    if int(m.jnt_type[joint]) != BALL or has_bias or not size:
        return None
    between = draft.sections["joints"][draft.joints[joint]]["between"]
    axis = draft.robot.pose(int(m.jnt_bodyid[joint]))[1] @ gear / size
    entry = {
        "type": "angular_velocity",
        "between": between,
        "axis": axis.tolist(),
        "in": between[0 if in_parent else 1],
    }
    return draft.add("measures", f"{given}_speed", entry), size


def _act(draft: Draft, i: int, measure: str, gear: float) -> None:
    """The input and the force, in the simplest words."""
    gain, bias = _coefficients(draft, i)
    name, control = _control(draft, i)
    is_motor = not (gain[1:].any() or bias.any()) and control == quoted(name) and gain[0] * gear == 1.0
    draft.sections["inputs"][name] = {"along": measure} if is_motor else {}
    if not is_motor:
        value = f"={_force(gear, gain, bias, control)}"
        draft.add("forces", f"{name}_force", {"type": "actuator", "along": measure, "value": value}, ("inputs", name))
    _rotor(draft, i, measure, gear)


def _coefficients(draft: Draft, i: int) -> tuple[np.ndarray, np.ndarray]:
    """g0, g1, g2 and b0, b1, b2 as far as they count."""
    m, types = draft.robot.m, draft.robot.mujoco
    gain = np.array(m.actuator_gainprm[i][:3], dtype=float)
    bias = np.array(m.actuator_biasprm[i][:3], dtype=float)
    if int(m.actuator_gaintype[i]) == int(types.mjtGain.mjGAIN_FIXED):
        gain[1:] = 0.0
    if int(m.actuator_biastype[i]) == int(types.mjtBias.mjBIAS_NONE):
        bias[:] = 0.0
    return gain, bias


def _control(draft: Draft, i: int) -> tuple[str, str]:
    """The name of the input, and what multiplies the gain in expressions: the input itself or an activation."""
    m = draft.robot.m
    name = draft.name("ACTUATOR", i, "inputs", "control", f"actuator{i}")
    draft.controls[i] = name
    rate = _dynamics(draft)[int(m.actuator_dyntype[i])]
    if not rate:
        return name, quoted(name)
    state = draft.free_name("states", f"{name}_activation")
    T, activation = float(m.actuator_dynprm[i][0]), quoted(state)
    draft.sections["states"][state] = {"rate": "=" + rate.format(u=quoted(name), a=activation, T=T)}
    return name, activation


def _force(gear: float, gain: np.ndarray, bias: np.ndarray, control: str) -> str:
    """gear * force as an expression of the measure s, its rate v and the control."""
    lengths = np.array([1.0, gear, gear])
    g, b = (gear * lengths * values for values in (gain, bias))
    by_control = [(g[0], f"*{control}"), (g[1], f"*s*{control}"), (g[2], f"*v*{control}")]
    return summed([*by_control, (b[0], ""), (b[1], "*s"), (b[2], "*v")])


def _rotor(draft: Draft, i: int, measure: str, gear: float) -> None:
    """Damping and inertia of the motor itself, in versions of MuJoCo that know them."""
    m, robot = draft.robot.m, draft.robot
    joint = draft.sections["joints"].get(measure)
    if robot.has("actuator_damping") and m.actuator_damping[i]:
        more = robot.array("actuator_dampingpoly")[i] if robot.has("actuator_dampingpoly") else NOTHING
        if more.any():
            draft.note(f"The damping of actuator {robot.name_of('ACTUATOR', i)} is taken as constant.")
        damper(draft, measure, gear**2 * float(m.actuator_damping[i]), NOTHING)
    if robot.has("actuator_armature") and (armature := gear**2 * float(m.actuator_armature[i])):
        if joint is None:
            draft.note(f"The inertia of actuator {robot.name_of('ACTUATOR', i)} on a tendon is left out.")
        else:
            _add_armature(joint, armature)


def _add_armature(joint: dict[str, Any], more: float) -> None:
    joint["armature"] = joint.get("armature", 0.0) + more
