"""A mechanism away from its drawing: processor time of the posed and of the held model beside the drawn one.

    python benchmarks/posing.py                       trees of 10 to 200 bodies and loops, some minutes
    python benchmarks/posing.py --sizes 10,25
    python benchmarks/posing.py --robots FOLDER       load and modes of every URDF below a folder

Least processor time of several calls, one thread: `eb.load` and `eb.modes` together, model from a document in memory;
point: `eb.operating_point` of the loaded model alone (compiled once more for every call). Writes
benchmarks/results/posing/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from functools import partial
from pathlib import Path

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import numpy as np
from evaluator import least

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))
MIXED = ("revolute", "spherical", "universal", "free", "prismatic", "cylindrical", "screw", "planar")
LARGE = 60  # bodies from which calls are repeated less often


def tree(kinds, bodies):
    """A random tree, drawn and in a random pose."""
    from posed_trees import coordinates, random_tree

    document, rng = random_tree(1, bodies, kinds), np.random.default_rng(2)
    return document, {name: float(0.6 * rng.normal()) for name in coordinates(document)}


def tower(loops, turn):
    """Four-bars on one another's couplers, drawn and with every crank turned."""
    document = {"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {}, "joints": {}}
    on, left, right = "ground", np.zeros(3), np.array([1.0, 0, 0])
    for i in range(loops):
        up, down = left + np.array([0.15, 0, 0.6]), right + np.array([-0.1, 0, 0.8])
        centres = {"crank": (left + up) / 2, "rocker": (right + down) / 2, "coupler": (up + down) / 2}
        for name, at in centres.items():
            document["bodies"][f"{name}{i}"] = {"mass": 1, "inertia": [0.02, 0.03, 0.02], "at": at.tolist()}
        ends = {"a": (on, "crank", left), "d": (on, "rocker", right), "b": ("crank", "coupler", up)}
        ends["c"] = ("rocker", "coupler", down)
        for name, (first, second, at) in ends.items():
            between = [first if first == on else f"{first}{i}", f"{second}{i}"]
            joint = {"type": "revolute", "between": between, "at": at.tolist(), "axis": [0, 1, 0]}
            document["joints"][f"{name}{i}"] = joint
        on, left, right = f"coupler{i}", up, down
    return document, {f"a{i}": turn for i in range(loops)}


def measured(name, document, pose):
    """One row: seconds of drawn, posed and held, and how well the pose holds."""
    import eigenbody as eb

    bodies = len(document["bodies"])
    repeat = 3 if bodies > LARGE else 7
    documents = {"drawn": document, "posed": {**document, "pose": pose}}
    documents["held"] = {**documents["posed"], "operating_point": {"held": "all"}}
    row = {"mechanism": name, "bodies": bodies}
    for kind, own in documents.items():
        row[kind] = least(lambda own=own: eb.modes(eb.load(own)), repeat)
        row[f"{kind} point"] = least(lambda own=own: eb.operating_point(eb.load(own)), repeat)
    point = eb.operating_point(eb.load(documents["posed"]))
    row["drift"] = max(point.drift[:2])
    return row


def _modes(path):
    import eigenbody as eb

    eb.modes(eb.load(path))


def robots(folder):
    """Load and modes of the URDF files below a folder, warm."""
    import eigenbody as eb

    for path in sorted(Path(folder).rglob("*.urdf")):
        try:
            model = eb.load(str(path))
            eb.modes(model)
        except eb.EigenbodyError as error:
            print(f"{path.name:40s} {str(error).splitlines()[0][:90]}")
            continue
        load = least(partial(eb.load, str(path)), 5)
        both = least(partial(_modes, str(path)), 5)
        yield {"robot": path.name, "bodies": len(model.description.bodies), "load": load, "load and modes": both}


def cases(sizes, loops):
    """Trees, then towers."""
    for name, kinds in (("revolute", ("revolute",)), ("mixed", MIXED)):
        yield from ((f"{name} tree", *tree(kinds, n)) for n in sizes)
    for n in loops:
        yield from ((f"tower, cranks at {turn}", *tower(n, turn)) for turn in (0.1, 0.3))


def line(row):
    """A row of the table."""
    if "robot" in row:
        load, both = 1e3 * row["load"], 1e3 * row["load and modes"]
        return f"{row['robot']:40s} {row['bodies']:4d} bodies  load {load:7.1f} ms, with modes {both:7.1f} ms"
    posed, held = (row[kind] / row["drawn"] for kind in ("posed", "held"))
    points = " ".join(f"{row[f'{kind} point'] / row['drawn point']:5.2f}" for kind in ("posed", "held"))
    start = f"{row['mechanism']:28s} {row['bodies']:6d} {1e3 * row['drawn']:9.2f}"
    return f"{start} {posed:12.2f} {held:11.2f}   {points} {row['drift']:10.1e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10,25,100,200", help="bodies of the trees")
    parser.add_argument("--loops", default="1,3,8,33", help="loops of the towers")
    parser.add_argument("--robots", metavar="FOLDER")
    given = parser.parse_args()
    sizes, loops = ([int(n) for n in text.split(",")] for text in (given.sizes, given.loops))
    if not given.robots:
        print(f"{'mechanism':28s} bodies  drawn ms  posed/drawn  held/drawn  points alone    drift")
    rows = []
    for row in robots(given.robots) if given.robots else (measured(*case) for case in cases(sizes, loops)):
        rows.append(row)
        print(line(row), flush=True)
    out = HERE / "results" / "posing" / f"{datetime.date.today()}{'-robots' if given.robots else ''}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
