"""The model that the package `mujoco` makes of an MJCF file, in the pose whose joint coordinates are zero."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import Findings
from eigenbody.exchange.mjcf.files import Texts
from eigenbody.model.source import shown

INSTALL = 'Install it: pip install "eigenbody[mujoco]".'
FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
KINDS = ("free", "ball", "slide", "hinge")
TUPLE_COLUMNS = {BALL: 4, FREE: 7}


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """The compiled model `m`, and its kinematics `d` with scalar joints at zero and others as in the file."""

    mujoco: Any
    m: Any
    d: Any
    name: str

    def name_of(self, kind: str, number: int) -> str:
        """The name of an object; "" where it has none."""
        return self.mujoco.mj_id2name(self.m, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), int(number)) or ""

    def array(self, name: str) -> np.ndarray:
        """An array of the compiled model; zero where this version of MuJoCo does not have it."""
        return np.asarray(getattr(self.m, name, np.zeros((1, 4))))

    def has(self, name: str) -> bool:
        return hasattr(self.m, name)

    def is_disabled(self, *flags: str) -> bool:
        """Whether the file switches something off; flags that this version does not know are not set."""
        known = (getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{flag}", 0) for flag in flags)
        return any(int(self.m.opt.disableflags) & int(flag) for flag in known)

    def is_idle(self, actuator: int) -> bool:
        """Whether the file switches the group of an actuator off."""
        group = int(self.m.actuator_group[actuator])
        return 0 <= group <= 30 and bool(int(getattr(self.m.opt, "disableactuator", 0)) >> group & 1)

    def is_static(self, body: int) -> bool:
        """Whether a body is part of the ground: no joint is between."""
        return int(self.m.body_weldid[body]) == 0

    def pose(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """Origin and axes of a body in the drawing."""
        return np.array(self.d.xpos[body]), np.array(self.d.xmat[body]).reshape(3, 3)


def compiled(path: Path, texts: Texts, found: Findings) -> Compiled:
    """The file compiled; faults are MuJoCo's own."""
    try:
        import mujoco
    except ImportError as problem:
        what = "MJCF files are read with the package mujoco, which is not installed."
        raise InputError(Fault(found.label, what, INSTALL)) from problem
    try:
        m = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as problem:
        raise InputError(_fault(str(problem), texts, found)) from problem
    d = mujoco.MjData(m)
    d.qpos[:] = m.qpos0
    scalar = np.isin(m.jnt_type, (SLIDE, HINGE))
    d.qpos[m.jnt_qposadr[scalar]] = 0.0
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    return Compiled(mujoco, m, d, texts.roots[0][2].attributes.get("model", ""))


def _fault(message: str, texts: Texts, found: Findings) -> Fault:
    """MuJoCo's message with the line that it names, or that of the element that it names."""
    text = " ".join(message.split())
    line = next((int(match) for match in re.findall(r"line (\d+)", text) if int(match)), 0)
    for kind, name in texts.lines if not line else ():
        if f"name '{name}'" in text or f"'{name}'" in text:
            line = texts.line(kind, name)
            break
    where = f"{found.label}, line {line}" if line else found.label
    return Fault(where, f"MuJoCo does not take it: {shown(text, 300)}")
