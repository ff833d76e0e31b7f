"""The mechanism of a family file as plain lists, for tools that build their own; and the clock around the job.

A peer script calls `main({"method": function})`; the function takes a Mechanism and gives the lowest frequencies in Hz
with a note, or raises Refused when the tool cannot do it.
"""

import json
import sys
import time
from math import pi

COUNT = 20


class Refused(Exception):
    """The tool cannot do this; the message says why."""


class Joint:
    """A joint between body numbers (ground -1) with its rotational stiffness and damping in N m/rad, N m s/rad."""

    def __init__(self, kind, parent, child, at, closes):
        self.kind, self.parent, self.child, self.at, self.closes = kind, parent, child, at, closes
        self.k, self.c, self.bushing_k, self.bushing_c = 0.0, 0.0, 0.0, 0.0

    @property
    def axes(self):
        """Axes of rotation left free."""
        return "z" if self.kind == "revolute" else "xyz"


class Mechanism:
    """Bodies (mass, inertia, centre; numbers in the order of the file, parents first) and joints."""

    def __init__(self, path):
        with open(path) as stream:
            document = json.load(stream)
        number = {"ground": -1, **{name: i for i, name in enumerate(document["bodies"])}}
        self.mass = [body["mass"] for body in document["bodies"].values()]
        self.inertia = [body["inertia"] for body in document["bodies"].values()]
        self.centre = [[float(x) for x in body["at"]] for body in document["bodies"].values()]
        self.joints, of_ends, reached = [], {}, {-1}
        for entry in document["joints"].values():
            parent, child = (number[name] for name in entry["between"])
            if entry["type"] not in ("revolute", "spherical"):
                raise Refused(f"no {entry['type']} joint in this script")
            joint = Joint(entry["type"], parent, child, [float(x) for x in entry["at"]], child in reached)
            reached.add(child)
            self.joints.append(joint)
            of_ends[parent, child] = joint
        for entry in document["forces"].values():
            joint = of_ends[tuple(number[name] for name in entry["between"])]
            joint.bushing_k += entry["k"][0]
            joint.bushing_c += entry["c"][0]
            joint.k += float(entry["k"][3].split()[0]) * 180 / pi  # "10000.0 N*m/deg"
            joint.c += float(entry["c"][3].split()[0]) * 180 / pi
        self.tree = [joint for joint in self.joints if not joint.closes]  # in the order of their child bodies
        self.closing = [joint for joint in self.joints if joint.closes]

    def depth_first(self):
        """Bodies in the order in which a walk down the branches meets them."""
        children, stack = {}, []
        for body, joint in enumerate(self.tree):
            children.setdefault(joint.parent, []).append(body)
        stack += reversed(children.get(-1, []))
        while stack:
            body = stack.pop()
            yield body
            stack += reversed(children.get(body, []))

    def origin(self, body):
        """Where a body hangs in the tree: the point of its joint, or the origin for ground."""
        return [0.0, 0.0, 0.0] if body < 0 else self.tree[body].at


def minus(a, b):
    """Difference of two points."""
    return [x - y for x, y in zip(a, b, strict=True)]


def lowest(M, K, count=COUNT):
    """The lowest frequencies in Hz of symmetric dense matrices, by LAPACK.

    As the largest 1/omega^2 where K is positive definite: that way round the lowest are the accurate ones.
    """
    import numpy as np
    from scipy.linalg import LinAlgError, eigh

    n, K = len(M), (K + K.T) / 2
    count = min(count, n)
    try:
        squared = 1 / eigh(M, K, eigvals_only=True, subset_by_index=(n - count, n - 1))[::-1]
    except LinAlgError:
        squared = eigh(K, M, eigvals_only=True, subset_by_index=(0, count - 1))
    return (np.sign(squared) * np.sqrt(np.abs(squared)) / (2 * pi)).tolist()


def main(methods):
    """`script.py FILE METHOD`: one JSON line {frequencies, seconds, cpu, note}; best of ten, or of as many as fit 3 s.
    `cpu` are seconds of the processor, which other work on the machine lengthens least."""
    path, method = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else next(iter(methods))
    frequencies, seconds, cpu, note = [], None, None, ""
    try:
        mechanism = Mechanism(path)
        begin = time.perf_counter()
        for _ in range(10):
            start, busy = time.perf_counter(), time.process_time()
            frequencies, note = methods[method](mechanism)
            taken, busy = time.perf_counter() - start, time.process_time() - busy
            seconds = taken if seconds is None else min(seconds, taken)
            cpu = busy if cpu is None else min(cpu, busy)
            if time.perf_counter() - begin > 3:
                break
    except Refused as reason:
        note = str(reason)
    print(json.dumps({"frequencies": frequencies, "seconds": seconds, "cpu": cpu, "note": note}))
