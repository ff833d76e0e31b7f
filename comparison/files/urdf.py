"""URDF files read by eigenbody and compared with Pinocchio: M, C and K, as drawn and at random poses with rates.

    python comparison/files/urdf.py FOLDER [FOLDER ...] [--out FILE] [--match TEXT]

Every .urdf below the folders is tried, on a fixed base (with rates) and on a free one (at rest). Mimic joints are tied
in both. `sh comparison/files/run.sh` fetches the package first.
"""

import argparse
import contextlib
import io
import time
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

import numpy as np
import pinocchio

import eigenbody as eb

WITHIN = 1e-9
LARGEST = 150
ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
BASE = [f"base.{c}" for c in ("x", "y", "z", "rx", "ry", "rz")]


class Skipped(Exception):
    """Why a file is not compared."""


def skew(a):
    """The matrix of a cross product."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def with_possible_inertias(path: Path) -> str:
    """The file with the nearest inertia that a body has where it has an impossible one: Pinocchio takes all as they
    stand, and what is to be compared are the equations."""
    tree = xml.parse(path)
    for inertia in tree.getroot().findall("link/inertial/inertia"):
        xx, xy, xz, yy, yz, zz = (float(inertia.get(key, 0)) for key in ENTRIES)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        second, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
        if second[0] < -1e-12 * np.abs(second).max():
            second = np.maximum(second, 0)
            J = second.sum() * np.eye(3) - (axes * second) @ axes.T
            for key, value in zip(ENTRIES, J[np.triu_indices(3)].tolist(), strict=True):
                inertia.set(key, repr(value))
    return xml.tostring(tree.getroot(), encoding="unicode")


class Reference:
    """Pinocchio's model with the dampers and mimics of the file: M, C, K of independent coordinates."""

    def __init__(self, path: Path, free: bool) -> None:
        root = pinocchio.JointModelFreeFlyer() if free else None
        text = with_possible_inertias(path)
        with contextlib.redirect_stderr(io.StringIO()):
            self.model = pinocchio.buildModelFromXML(text, root) if free else pinocchio.buildModelFromXML(text)
        self.model.gravity.linear = np.array([0, 0, -9.81])
        self.data, self.free = self.model.createData(), free
        self.joints = list(self.model.names)[2 if free else 1 :]
        file = {joint.get("name"): joint for joint in xml.parse(path).getroot().findall("joint")}
        if any(self.model.joints[self.model.getJointId(name)].nv != 1 for name in self.joints):
            raise Skipped("a joint with several coordinates beside the base")
        self.damping = np.zeros(self.model.nv)
        leaders = {}
        for name in self.joints:
            column = self.model.joints[self.model.getJointId(name)].idx_v
            dynamics, mimic = file[name].find("dynamics"), file[name].find("mimic")
            self.damping[column] = 0.0 if dynamics is None else float(dynamics.get("damping", 0.0))
            if mimic is not None and mimic.get("joint") in self.joints:
                leaders[name] = mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
        self.names = [name for name in self.joints if name not in leaders]
        first = 6 if free else 0
        self.G, self.constant = np.zeros((self.model.nv, first + len(self.names))), np.zeros(self.model.nv)
        self.G[:first, :first] = np.eye(first)
        for name in self.joints:
            column = self.model.joints[self.model.getJointId(name)].idx_v
            leader, factor, offset = leaders.get(name, (name, 1.0, 0.0))
            if leader in leaders:
                raise Skipped("a mimic of a mimic")
            self.G[column, first + self.names.index(leader)] = factor
            self.constant[column] = offset

    def configuration(self, s):
        """Pinocchio's q of independent joint values; the base in the drawing."""
        v = self.G @ np.concatenate((np.zeros(6), s)) + self.constant if self.free else self.G @ s + self.constant
        q = pinocchio.neutral(self.model)
        for name in self.joints:
            joint = self.model.joints[self.model.getJointId(name)]
            value = v[joint.idx_v]
            q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        return q

    def matrices(self, s, rate):
        """M, C, K, and the largest entry of each before the weight cancels."""
        q, v = self.configuration(s), self.G @ (np.concatenate((np.zeros(6), rate)) if self.free else rate)
        M = np.array(pinocchio.crba(self.model, self.data, q))
        M = np.triu(M) + np.triu(M, 1).T
        h = pinocchio.nonLinearEffects(self.model, self.data, q, v) + self.damping * v
        reduced = self.G.T @ M @ self.G
        a = self.G @ np.linalg.solve(reduced, -self.G.T @ h)
        pinocchio.computeRNEADerivatives(self.model, self.data, q, v, a)
        K, C = np.array(self.data.dtau_dq), np.array(self.data.dtau_dv) + np.diag(self.damping)
        M, C, K = (self.G.T @ X @ self.G for X in (M, C, K))
        scales = [np.abs(X).max(initial=0.0) for X in (M, C, K)]  # in free fall the weight cancels out of K
        if self.free:  # accelerations and rotations of the base in axes of the ground
            turn = np.zeros_like(K)
            turn[:3, 3:6], turn[3:6, 3:6] = skew(a[:3]), skew(a[3:6])
            K = K + M @ turn
        return (M, C, K), scales


def compared(path: Path, base: str, seed: int | None) -> tuple[float, float, float]:
    """Largest differences of M, C and K relative to the largest of each; as drawn, or at a random pose with rates."""
    reference = Reference(path, base == "free")
    if not reference.names and base == "fixed":
        raise Skipped("nothing moves")
    if len(reference.names) > LARGEST:
        raise Skipped(f"more than {LARGEST} coordinates")
    rng = np.random.default_rng(seed)
    count = len(reference.names)
    s = np.zeros(count) if seed is None else rng.uniform(-1, 1, count)
    rate = np.zeros(count) if seed is None or base == "free" else rng.uniform(-2, 2, count)
    model = eb.load(path, base=base)
    document = model.document
    own = [name.replace(".", "_") for name in reference.names]  # as the reader writes them
    if not set(own) <= document["joints"].keys():
        raise Skipped("renamed joints")
    for name, value, speed in zip(own, s.tolist(), rate.tolist(), strict=True):
        document["joints"][name] |= {"position": value, "velocity": speed}
    coordinates = (BASE if base == "free" else []) + own
    linear = eb.linearize(eb.load(document), coordinates=coordinates, solver="dense")
    if set(linear.coordinates) != set(coordinates):
        raise Skipped("other coordinates")
    order = [linear.coordinates.index(name) for name in coordinates]
    worst = []
    matrices, scales = reference.matrices(s, rate)
    for found, wanted, scale in zip((linear.M, linear.C, linear.K), matrices, scales, strict=True):
        largest = max(scale, 1e-5 * scales[0])  # where it is zero, beside the masses
        worst.append(float(np.abs(found[np.ix_(order, order)] - wanted).max(initial=0.0) / largest))
    return tuple(worst)


def main() -> None:
    """All files, a line each, and how many of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--match", default="")
    given = parser.parse_args()
    lines, counts, begin = [], Counter(), time.process_time()
    for folder in given.folders:
        for path in sorted(folder.rglob("*.urdf")):
            if given.match not in str(path):
                continue
            for base in ("fixed", "free"):
                verdict = judged(path, base)
                counts[base, verdict.split(":")[0]] += 1
                lines.append(f"{path.relative_to(folder)}  {base}  {verdict}")
                print(lines[-1], flush=True)
    for (base, verdict), number in sorted(counts.items()):
        lines.append(f"{base}: {number} {verdict}")
        print(lines[-1])
    print(f"{time.process_time() - begin:.0f} s of processor time")
    if given.out:
        given.out.write_text("\n".join(lines) + "\n")


def judged(path: Path, base: str) -> str:
    """What became of a file, in words."""
    try:
        notes = eb.load(path, base=base).notes
        repaired = any(note.startswith("Inertia of") for note in notes)
        found, singular = [compared(path, base, seed) for seed in (1, 2)], ""
        try:
            found.append(compared(path, base, None))
        except eb.EigenbodyError as error:
            singular = f"; refused as drawn: {str(error).splitlines()[0][:120]}"
    except Skipped as why:
        return f"not compared: {why}"
    except eb.EigenbodyError as error:
        return f"refused: {str(error).splitlines()[0][:160]}"
    except (ValueError, KeyError, RuntimeError) as error:
        return f"not compared: Pinocchio does not read it ({str(error).splitlines()[0][:80]})"
    worst = np.max(found, axis=0)
    verdict = ("agrees" if worst.max() < WITHIN else "differs") + (", repaired in both" if repaired else "")
    return f"{verdict}: M {worst[0]:.0e} C {worst[1]:.0e} K {worst[2]:.0e}{singular}"


if __name__ == "__main__":
    main()
