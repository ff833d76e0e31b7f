"""Draw the newest results (or the given file) as docs/images/scaling.png.

python benchmarks/chart.py [RESULTS.json] [PICTURE.png]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent
TITLES = {"C": "chain", "TL": "binary tree", "L": "closed-loop ladder"}
JOINTS = {"R": "revolute joints", "S": "spherical joints"}
PEERS = {  # colour-blind safe (Okabe and Ito), a marker each
    "exudyn/tree": ("#D55E00", "s"),
    "exudyn/joints": ("#E69F00", "D"),
    "mujoco/assembled": ("#009E73", "^"),
    "mujoco/transition": ("#56B4E9", "v"),
    "drake/linearize": ("#CC79A7", "P"),
    "pinocchio/derivatives": ("#8C6D31", "X"),
}


def curves(rows):
    """Name, style and points of every curve of one family."""
    yield "eigenbody, whole command", {"color": "#0072B2", "ls": "--", "lw": 1.2}, points(rows, lambda r: r["command"])
    yield "eigenbody, API", {"color": "#0072B2", "lw": 2.4, "marker": "o"}, points(rows, lambda r: api(r))
    yield "bare SciPy, undamped", {"color": "#777777", "lw": 1.2}, points(rows, lambda r: r["limit"]["undamped"])
    yield "bare SciPy, damped", {"color": "#777777", "lw": 1.2, "ls": ":"}, points(rows, lambda r: r["limit"]["damped"])
    for key, (color, marker) in PEERS.items():
        found = points(rows, lambda r, key=key: r["peers"][key]["seconds"] if r["peers"][key]["right"] else None)
        yield key.replace("/", ", "), {"color": color, "lw": 1.2, "marker": marker, "ms": 5}, found


def api(row):
    return row["api"]["seconds"]["total"]


def points(rows, value):
    """(bodies, seconds) of the rows that have the value."""
    found = []
    for row in sorted(rows, key=lambda row: row["bodies"]):
        try:
            seconds = value(row)
        except KeyError:
            continue
        if seconds:
            found.append((row["bodies"], seconds))
    return found


def draw(results):
    """One panel for each family."""
    rows = results["rows"]
    figure, panels = plt.subplots(2, 3, figsize=(12, 7.6), sharex=True, sharey=True, layout="constrained")
    handles = {}
    for line, (letter, joints) in zip(panels, JOINTS.items(), strict=True):
        for panel, (kind, title) in zip(line, TITLES.items(), strict=True):
            for name, style, found in curves([row for row in rows if row["family"] == kind + letter]):
                if found:
                    (handles[name],) = panel.plot(*zip(*found, strict=True), label=name, **style)
            panel.set(xscale="log", yscale="log", title=f"{title}, {joints}")
            panel.grid(True, which="major", color="#dddddd", lw=0.6)
            panel.spines[["top", "right"]].set_visible(False)
    for panel in panels[-1]:
        panel.set_xlabel("bodies")
    for panel in panels[:, 0]:
        panel.set_ylabel("seconds")
    figure.suptitle(f"20 lowest modes, {results['date']}, {results['machine']}, shared: compare, do not quote", size=11)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return figure


def main(arguments):
    source = Path(arguments[0]) if arguments else max((HERE / "results").glob("*.json"))
    target = Path(arguments[1]) if len(arguments) > 1 else HERE.parent / "docs" / "images" / "scaling.png"
    draw(json.loads(source.read_text())).savefig(target, dpi=130)
    print(f"wrote {target.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
