"""The all-terrain vehicle written out independently of the package: small motions about a drawing that bears no load.

27 rigid bodies and every freedom of the frame's finite elements, joints as rows of a matrix, springs as energies; what
the rows leave free is taken by their null space.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh, null_space

Z = np.array([0.0, 0.0, 1.0])


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def across(axis: np.ndarray) -> np.ndarray:
    """Two directions (2, 3) normal to an axis and to each other."""
    return null_space(axis[None]).T


class Frame:
    """The matrices of the file and what they weigh."""

    def __init__(self, file: Path) -> None:
        with np.load(file) as held:
            self.M, self.K, self.nodes = held["M"], held["K"], held["nodes"]
            self.names = [str(name) for name in held["names"]]
        about = self.rigid(np.zeros(3))
        weights = about.T @ self.M @ about
        self.mass = weights[0, 0]
        self.centre = np.array([weights[1, 5], weights[2, 3], weights[0, 4]]) / self.mass
        own = self.rigid(self.centre)
        self.inertia = (own.T @ self.M @ own)[3:, 3:]

    def rigid(self, centre: np.ndarray) -> np.ndarray:
        """(freedoms, 6): all nodes moved along and turned about the axes through a point."""
        each = [np.block([[np.eye(3), -skew(node - centre)], [np.zeros((3, 3)), np.eye(3)]]) for node in self.nodes]
        return np.vstack(each)

    @property
    def free_hz(self) -> np.ndarray:
        """Frequencies that are not those of rigid motion, of the full matrices."""
        return np.sqrt(eigh(self.K, self.M, eigvals_only=True)[6:]) / (2 * np.pi)


class Vehicle:
    """M, K and rows H of the vehicle in the freedoms of the frame and six of each body."""

    def __init__(self, document: Mapping[str, Any], values: Mapping[str, float], frame: Frame) -> None:
        self.frame, self.values = frame, values
        self.bodies = list(document["bodies"])
        self.size = len(frame.M) + 6 * len(self.bodies)
        self.centres = {name: np.array(body["at"]) for name, body in document["bodies"].items()}
        self.M, self.K = np.zeros((2, self.size, self.size))
        own = slice(0, len(frame.M))
        self.M[own, own], self.K[own, own] = frame.M, frame.K
        for name, body in document["bodies"].items():
            at = self._first(name) + np.arange(6)
            self.M[at, at] = [body["mass"]] * 3 + body["inertia"]
        self.joints = document["joints"]
        self.H = np.vstack([self._rows(joint) for joint in self.joints.values()])
        for force in document["forces"].values():
            strain, k = self._spring(force)
            self.K += strain.T @ (k[:, None] * strain)

    @property
    def hz(self) -> np.ndarray:
        """Frequencies of all that the joints leave free."""
        N = null_space(self.H)
        return np.sqrt(eigh(N.T @ self.K @ N, N.T @ self.M @ N, eigvals_only=True)) / (2 * np.pi)

    def _first(self, body: str) -> int:
        return len(self.frame.M) + 6 * self.bodies.index(body)

    def _motion(self, name: str, at: np.ndarray) -> np.ndarray:
        """(6, size): displacement of a point of a part, and its rotation."""
        out = np.zeros((6, self.size))
        if name.startswith("frame."):
            node = self.frame.names.index(name.removeprefix("frame."))
            assert np.abs(self.frame.nodes[node] - at).max() < 1e-12
            out[:, 6 * node : 6 * node + 6] = np.eye(6)
        elif name != "ground":
            first = self._first(name)
            out[:, first : first + 6] = np.eye(6)
            out[:3, first + 3 : first + 6] = -skew(at - self.centres[name])
        return out

    def _relative(self, item: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and rotation (3, size) of the second part against the first."""
        at = np.array(item["at"], dtype=float)
        first, second = (self._motion(name, at) for name in item["between"])
        return (second - first)[:3], (second - first)[3:]

    def _rows(self, joint: Mapping[str, Any]) -> np.ndarray:
        move, turn = self._relative(joint)
        axis = np.array(joint.get("axis", Z), dtype=float)
        axis = axis / np.linalg.norm(axis)
        rows = {
            "fixed": lambda: (move, turn),
            "spherical": lambda: (move,),
            "revolute": lambda: (move, across(axis) @ turn),
            "universal": lambda: (move, np.cross(axis, joint["axis2"])[None] @ turn),
            "prismatic": lambda: (across(axis) @ move, turn),
            "cylindrical": lambda: (across(axis) @ move, across(axis) @ turn),
            "inline": lambda: (across(axis) @ move,),
        }[joint["type"]]()
        if "motion" in joint:  # the last freedom of its joint is prescribed
            rows = (*rows, axis[None] @ (turn if joint["type"] == "cylindrical" else move))
        return np.vstack(rows)

    def _spring(self, force: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Deflections (n, size) and their stiffness (n,)."""
        if force["type"] == "spring":
            joint = self.joints[force["along"]]
            move, turn = self._relative(joint)
            axis = np.array(joint["axis"], dtype=float)
            along = axis[None] / np.linalg.norm(axis) @ (turn if joint["type"] == "revolute" else move)
            return along, np.array([self._number(force["k"])])
        move, turn = self._relative(force)
        k = np.array([self._number(value) for value in force["k"]])
        if "axis" in force:  # resists turning about it alone
            axis = np.array(force["axis"], dtype=float)
            assert not k[:5].any()
            return axis[None] / np.linalg.norm(axis) @ turn, k[5:]
        return np.vstack([move, turn]), k

    def _number(self, value: Any) -> float:
        """A number, or a parameter with a whole factor: =2*kb."""
        if not isinstance(value, str):
            return float(value)
        factor, star, name = value.removeprefix("=").rpartition("*")
        return float(factor) * self.values[name] if star else self.values[name]
