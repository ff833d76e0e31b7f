"""MJCF files read by eigenbody and compared with MuJoCo itself: M, C and K as drawn and at random poses with rates.

    python comparison/files/mjcf.py FOLDER [FOLDER ...] [--out FILE] [--match TEXT]

Every .xml below the folders is tried. `sh comparison/files/run.sh` fetches the packages first.
"""

import argparse
import contextlib
import io
import time
from collections import Counter
from pathlib import Path

import mujoco
import numpy as np
from mujoco_reference import BALL, FREE, Reference
from scipy.spatial.transform import Rotation

import eigenbody as eb
from eigenbody.exchange.base import Options
from eigenbody.exchange.mjcf import drafted
from eigenbody.mobility.treespace import value_set

WITHIN = 1e-9
LARGEST = 150
SIX = ("x", "y", "z", "rx", "ry", "rz")
OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "CLAMPCTRL", "EQUALITY")


class Skipped(Exception):
    """Why a file is not compared."""


def bare(draft):
    """The compiled model without what the notes of the reader say is left out."""
    m = draft.robot.m
    for flag in OFF:
        m.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    m.opt.density = m.opt.viscosity = 0
    for i in set(range(m.ntendon)) - draft.tendons.keys():
        m.tendon_stiffness[i] = m.tendon_damping[i] = 0
    if getattr(m, "tendon_armature", np.zeros(0)).any():
        m.tendon_armature[:] = 0
    for i in set(range(len(m.actuator_trntype))) - draft.controls.keys():
        m.actuator_gainprm[i], m.actuator_biasprm[i] = 0, 0
        m.actuator_gaintype[i] = m.actuator_biastype[i] = 0
        for name in ("actuator_damping", "actuator_armature"):
            if hasattr(m, name):
                getattr(m, name)[i] = 0
    for name in ("actuator_forcelimited", "jnt_actfrclimited", "tendon_actfrclimited"):
        if hasattr(m, name):
            getattr(m, name)[:] = 0
    return m


def kept_rows(draft, reference):
    """Active constraints between bodies that the reader took for two."""
    m, out = draft.robot.m, []
    for i in reference:
        if int(m.eq_type[i]) in (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)):
            ids = [int(m.eq_obj1id[i]), int(m.eq_obj2id[i])]
            if int(m.eq_objtype[i]) == int(mujoco.mjtObj.mjOBJ_SITE):
                ids = [int(m.site_bodyid[k]) for k in ids]
            if draft.bodies[ids[0]] == draft.bodies[ids[1]]:
                continue
        out.append(i)
    return out


def state_of(point, draft):
    """qpos and qvel of MuJoCo at a point of eigenbody, from positions of joints and poses of bodies."""
    m, system, state = draft.robot.m, point.system, point.state
    bodies = {name: i for i, name in enumerate(system.description.bodies.names)}
    jet = value_set(system, np.arange(len(system.names))).jet(point.mechanics.at, state.turns)
    value, rate = (dict(zip(system.names, part, strict=True)) for part in (jet.value, jet.rate))
    qpos, qvel = np.array(m.qpos0), np.zeros(m.nv)

    def pose(b):
        if draft.robot.is_static(b):
            return draft.robot.pose(b)[1], np.zeros(3), None, None
        while not m.body_mass[b] and not m.body_jntnum[b]:
            raise Skipped("a ball joint on a body without mass")
        i = bodies[draft.bodies[b]]
        R = state.R[i] @ Rotation.from_quat(m.body_iquat[b], scalar_first=True).as_matrix().T
        w = state.R[i] @ state.w[i]
        origin = state.r[i] - R @ m.body_ipos[b]
        return R, w, origin, state.v[i] + np.cross(w, origin - state.r[i])

    for j, name in draft.joints.items():
        q, dof, b = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j]), int(m.jnt_bodyid[j])
        if m.jnt_type[j] == FREE:
            R, w, r, v = pose(b)
            qpos[q : q + 3], qvel[dof : dof + 3] = r, v
            qpos[q + 3 : q + 7] = Rotation.from_matrix(R).as_quat(scalar_first=True)
            qvel[dof + 3 : dof + 6] = R.T @ w
        elif m.jnt_type[j] == BALL:
            if m.body_jntnum[b] > 1:
                raise Skipped("a ball joint beside another one")
            R, w, _, _ = pose(b)
            R0, w0, _, _ = pose(int(m.body_parentid[b]))
            turned = Rotation.from_quat(m.body_quat[b], scalar_first=True).as_matrix().T @ R0.T @ R
            qpos[q : q + 4] = Rotation.from_matrix(turned).as_quat(scalar_first=True)
            qvel[dof : dof + 3] = R.T @ (w - w0)
        else:
            qpos[q], qvel[dof] = value[name], rate[name]
    return qpos, qvel


def dofs_of(coordinates, draft):
    """Velocity coordinates of MuJoCo by those of eigenbody."""
    m, table = draft.robot.m, {}
    for j, name in draft.joints.items():
        labels = {FREE: SIX, BALL: SIX[3:]}.get(int(m.jnt_type[j]), ())
        names = [f"{name}.{label}" for label in labels] or [name]
        table |= {full: int(m.jnt_dofadr[j]) + k for k, full in enumerate(names)}
    unknown = [name for name in coordinates if name not in table]
    if unknown:
        raise Skipped(f"coordinates of another kind ({unknown[0]})")
    return np.array([table[name] for name in coordinates], dtype=int)


def posed(document, coordinates, draft, rng, size):
    """The document at a random pose with rates, given in independent coordinates."""
    m, joints = draft.robot.m, {name: dict(entry) for name, entry in document["joints"].items()}
    for j, name in draft.joints.items():
        labels = {FREE: SIX, BALL: SIX[3:]}.get(int(m.jnt_type[j]), ())
        names = [f"{name}.{label}" for label in labels] or [name]
        start = float(joints[name].pop("position", 0.0))
        given = [full in coordinates for full in names]
        position = [start + float(rng.uniform(-size, size)) if use else None for use in given]
        velocity = [float(rng.uniform(-size, size)) if use else None for use in given]
        if any(given):
            joints[name] |= {"position": position, "velocity": velocity} if labels else {
                "position": position[0], "velocity": velocity[0]}  # fmt: skip
    return {**document, "joints": joints}


def without_loops(document, draft):
    """The model without its equality constraints."""
    own = {*draft.joints.values()}
    joints = {k: e for k, e in document["joints"].items() if k in own or k.endswith("_weld")}
    bare = {k: v for k, v in document.items() if k not in ("coordinates", "couplings")}
    return eb.load({**bare, "joints": joints})


def difference(model, draft, m, coordinates=None):
    """Largest differences of M, C, K, relative to the largest entry of each (at least that of M times 1/s, 1/s^2: C and
    K may be zero), and the coordinates."""
    point = eb.operating_point(model)
    linear = eb.linearize(model, at=point, coordinates=coordinates)
    dofs = dofs_of(linear.coordinates, draft)
    qpos, qvel = state_of(point, draft)
    reference = Reference(m, qpos, qvel)

    def off(*theirs):
        scales = [max(np.abs(part).max(), np.abs(linear.M).max()) for part in theirs]
        ours = linear.M, linear.C, linear.K
        return [float(np.abs(a - b).max() / s) for a, b, s in zip(ours, theirs, scales, strict=True)]

    return off(*reference.linear(dofs, lambda *theirs: max(off(*theirs)) < WITHIN)), tuple(linear.coordinates)


def compared(path):
    """The line of one file: verdict, coordinates, differences as drawn and posed, time of reading and linearizing."""
    draft = drafted(path, Options(allow_files=True))
    m = bare(draft)
    if not draft.joints:
        raise Skipped("nothing moves")
    m.eq_active0[:] = [i in kept_rows(draft, [i for i in range(m.neq) if m.eq_active0[i]]) for i in range(m.neq)]
    start = time.process_time()
    model, singular = eb.load(path, allow_files=True), ""
    try:
        eb.linearize(model)
    except eb.EigenbodyError as problem:
        if "singular configuration" not in str(problem):
            raise
        model, singular = without_loops(model.document, draft), ", drawn in a singular pose: without its loops"
        m.eq_active0[:] = 0
    spent = time.process_time() - start
    if len(draft.robot.m.qpos0) > LARGEST:
        raise Skipped(f"more than {LARGEST} coordinates")
    drawn, coordinates = difference(model, draft, m)
    loops = bool(m.neq and m.eq_active0.any())
    rng = np.random.default_rng(len(coordinates))
    document = posed(model.document, coordinates, draft, rng, 0.05 if loops else 0.5)
    # in the same coordinates: beside a singular drawing others are independent by a thousandth alone
    moving, _ = difference(eb.load(document), draft, m, coordinates if loops else None)
    return len(coordinates), loops, drawn, moving, spent, singular


def main():
    """Compare every file below the folders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--match", default="")
    options = parser.parse_args()
    lines, counts = (
        [f"eigenbody against MuJoCo {mujoco.__version__}; differences of M, C, K relative to the largest entry", ""],
        Counter(),
    )
    files = sorted(path for folder in options.folders for path in folder.rglob("*.xml") if options.match in str(path))
    base = options.folders[0].parent
    for path in files:
        name = path.relative_to(base) if path.is_relative_to(base) else path
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                mujoco.MjModel.from_xml_path(str(path))
        except ValueError as problem:
            counts["not a model by itself for MuJoCo"] += 1
            lines.append(f"{name}: MuJoCo: {' '.join(str(problem).replace(f'{base}/', '').split())[:90]}")
            continue
        try:
            n, loops, drawn, moving, spent, more = compared(path)
        except Skipped as reason:
            verdict, text = str(reason), str(reason)
        except eb.EigenbodyError as problem:
            verdict, text = f"refused: {type(problem).__name__}", " ".join(str(problem).split())[:160]
        else:
            worst = max(*drawn, *moving)
            verdict = ("agrees" if worst <= WITHIN else "differs") + (", with loops" if loops else "") + more
            text = f"{n} dof{', loops' if loops else ''}; drawn " + " ".join(f"{x:.0e}" for x in drawn)
            text += "; posed " + " ".join(f"{x:.0e}" for x in moving) + f"; {spent:.2f} s; {verdict}"
        counts[verdict] += 1
        lines.append(f"{name}: {text}")
        print(lines[-1], flush=True)
    lines += ["", *(f"{count:4d}  {what}" for what, count in counts.most_common())]
    print("\n".join(lines[-len(counts) - 1 :]))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
