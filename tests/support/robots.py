"""Inverse dynamics of a URDF read independently: Newton-Euler over the links of the XML, in ground axes.

Everything is a function of real or complex coordinates, so that M, C and K follow by complex steps.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

MOVING = ("revolute", "continuous", "prismatic")


def _floats(element: ET.Element | None, key: str, default: str) -> np.ndarray:
    return np.array([float(v) for v in (default if element is None else element.get(key, default)).split()])


def _rpy(angles: np.ndarray) -> np.ndarray:
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _about(axis: np.ndarray, angle: complex) -> np.ndarray:
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


class Reference:
    """The robot of a file; coordinates in the order of `names`."""

    def __init__(self, path: Path) -> None:
        root = ET.parse(path).getroot()
        self.links = {link.get("name"): link for link in root.findall("link")}
        self.joints = {joint.find("child").get("link"): joint for joint in root.findall("joint")}
        self.root = next(name for name in self.links if name not in self.joints)
        self.order = [self.root]
        for name in self.order:
            self.order += [c for c, j in self.joints.items() if j.find("parent").get("link") == name]
        self.names = [self.joints[n].get("name") for n in self.order[1:] if self.joints[n].get("type") in MOVING]
        self.damping = np.array([float(_floats(j.find("dynamics"), "damping", "0")[0]) for j in self._moving()])

    def _moving(self) -> list[ET.Element]:
        by_name = {joint.get("name"): joint for joint in self.joints.values()}
        return [by_name[name] for name in self.names]

    def inverse(self, q, rate, acceleration, gravity=(0, 0, -9.81), base=None) -> np.ndarray:
        """Forces along the coordinates; `base`: linear and angular acceleration of the root (6,), then 6 more forces
        and moments about its origin stand before."""
        a0, alpha0 = (np.zeros(3), np.zeros(3)) if base is None else (np.array(base[:3]), np.array(base[3:]))
        state = {self.root: (np.zeros(3), np.eye(3), np.zeros(3), a0 - np.array(gravity), alpha0)}
        axes, wrench = {}, {}
        for name in self.order:
            if name != self.root:
                state[name] = self._moved(name, state, axes, q, rate, acceleration)
            wrench[name] = self._load(name, *state[name])
        forces = np.zeros(len(self.names), dtype=complex)
        for name in reversed(self.order[1:]):
            joint = self.joints[name]
            parent, (f, m) = joint.find("parent").get("link"), wrench[name]  # moment about the ground's origin
            if name in axes:
                index, axis, is_turn, at = axes[name]
                forces[index] = axis @ ((m - _cross(at, f)) if is_turn else f)
            wrench[parent] = wrench[parent][0] + f, wrench[parent][1] + m
        return forces if base is None else np.concatenate((*wrench[self.root], forces))

    def _moved(self, name, state, axes, q, rate, acceleration):
        joint = self.joints[name]
        r, R, w, a, alpha = state[joint.find("parent").get("link")]
        origin = joint.find("origin")
        arm = R @ _floats(origin, "xyz", "0 0 0")
        R = R @ _rpy(_floats(origin, "rpy", "0 0 0"))
        at = r + arm
        a = a + _cross(alpha, arm) + _cross(w, _cross(w, arm))
        if joint.get("type") not in MOVING:
            return at, R, w, a, alpha
        i = self.names.index(joint.get("name"))
        own = _floats(joint.find("axis"), "xyz", "1 0 0")
        own = own / np.linalg.norm(own)
        axis = R @ own
        if joint.get("type") == "prismatic":
            axes[name] = i, axis, False, at
            slide = axis * q[i]
            a = a + _cross(alpha, slide) + _cross(w, _cross(w, slide)) + 2 * _cross(w, axis * rate[i])
            return at + slide, R, w, a + axis * acceleration[i], alpha
        axes[name] = i, axis, True, at
        alpha = alpha + axis * acceleration[i] + _cross(w, axis * rate[i])
        return at, R @ _about(own, q[i]), w + axis * rate[i], a, alpha

    def _load(self, name, r, R, w, a, alpha):
        inertial = self.links[name].find("inertial")
        if inertial is None:
            return np.zeros(3, dtype=complex), np.zeros(3, dtype=complex)
        origin, inertia = inertial.find("origin"), inertial.find("inertia")
        mass = float(inertial.find("mass").get("value"))
        xx, yy, zz, xy, xz, yz = (float(inertia.get(k, "0")) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        axes = R @ _rpy(_floats(origin, "rpy", "0 0 0"))
        J = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
        arm = R @ _floats(origin, "xyz", "0 0 0")
        f = mass * (a + _cross(alpha, arm) + _cross(w, _cross(w, arm)))
        return f, J @ alpha + _cross(w, J @ w) + _cross(r + arm, f)

    def mass(self, q) -> np.ndarray:
        n, none = len(self.names), np.zeros(len(self.names))
        return np.array([self.inverse(q, none, e, (0, 0, 0)) for e in np.eye(n)]).real.T

    def free_mass(self, q) -> np.ndarray:
        """(6 + n, 6 + n) with the acceleration of the root's origin and its angular one before those of joints."""
        n, none = len(self.names), np.zeros(len(self.names))
        unit = np.eye(6 + n)
        return np.array([self.inverse(q, none, e[6:], (0, 0, 0), e[:6]) for e in unit]).real.T

    def linear(self, q, rate) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K about the motion that gravity and damping make of q, q'."""
        n, h = len(self.names), 1e-30
        M = self.mass(q)
        bias = self.inverse(q, rate, np.zeros(n)).real + self.damping * rate
        acceleration = np.linalg.solve(M, -bias)

        def columns(of):
            return np.array([of(1j * h * e).imag / h for e in np.eye(n)]).T

        C = columns(lambda d: self.inverse(q, rate + d, acceleration)) + np.diag(self.damping)
        K = columns(lambda d: self.inverse(q + d, rate, acceleration))
        return M, C, K
