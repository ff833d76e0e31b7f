"""Flexible rotors beside ROSS and beside finite elements by hand: do they agree, and how long does a diagram take?

    sh benchmarks/peers/install.sh ross
    python benchmarks/rotors.py                    agreement, then times; writes results/rotors/<date>.json
    python benchmarks/rotors.py --only times       Campbell diagrams of 50 speeds, 6, 30 and 99 elements
    python benchmarks/rotors.py --page             tables and chart of the page of the gallery from the newest results

The rotors are those of examples/flexible_rotor.py. The finite elements by hand are tests/support/rotor_elements.py
(Friswell et al.), written independently of both. Seconds are of the processor, the best of several, warm; BLAS runs on
one thread for both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "rotors"
PAGE = HERE.parent / "docs" / "gallery" / "flexible_rotor.md"
sys.path[:0] = [str(HERE.parent / "examples"), str(HERE.parent / "tests" / "support")]

from flexible_rotor import ROTORS, Rotor, model, whirl  # noqa: E402
from processes import run  # noqa: E402

import eigenbody as eb  # noqa: E402
from rotor_elements import Shaft, both_planes, eigenvalues  # noqa: E402

COUNT = 4  # whirl modes compared
REFERENCE = 60  # elements of the reference and of ROSS
MODES = 20  # of our shaft, its stations held
SIZES = (6, 30, 99)  # shaft elements; the discs sit at thirds, hence 99 for a hundred
SHOWN = 6  # frequencies of a diagram: ROSS's default
POINTS, FASTEST = 50, 4000 * np.pi / 30


def by_hand(rotor: Rotor) -> tuple[np.ndarray, ...]:
    """M, C, G, K, N by the finite elements of the tests."""
    shaft = Shaft(rotor.length, rotor.diameter, REFERENCE, rotor.E, rotor.nu, rotor.density)
    discs = {round(z / rotor.length * REFERENCE): tuple(rest) for z, *rest in rotor.discs}
    bearing = (np.array(rotor.k), rotor.c * np.eye(2))
    return both_planes(shaft, {0: bearing, REFERENCE: bearing}, discs)


def critical_by_hand(parts: tuple[np.ndarray, ...], low: float, high: float) -> list[tuple[float, float, float]]:
    """Critical speeds between two speeds, each with a bracket."""
    from scipy.optimize import brentq

    grid, found = np.linspace(low, high, 61), []
    values = np.array([eigenvalues(parts, w)[:COUNT].imag - w for w in grid])
    for k in range(COUNT):
        for i in np.flatnonzero(values[:-1, k] * values[1:, k] < 0):
            root = brentq(lambda w, k=k: eigenvalues(parts, w)[k].imag - w, grid[i], grid[i + 1], rtol=1e-12)
            found.append((float(root), float(grid[i]), float(grid[i + 1])))
    return sorted(found)


def nearest(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The member of `found` nearest to each of `wanted`; each is taken once."""
    from scipy.optimize import linear_sum_assignment

    return found[linear_sum_assignment(np.abs(wanted[:, None] - found))[1]]


def agreement(python: str) -> dict[str, Any]:
    """Eigenvalues and critical speeds of all rotors, three ways."""
    parts = {rotor.name: by_hand(rotor) for rotor in ROTORS}
    criticals = {r.name: critical_by_hand(parts[r.name], *r.critical) for r in ROTORS if r.critical}
    asked = [asdict(rotor) | {"criticals": criticals.get(rotor.name, [])} for rotor in ROTORS]
    answer = ask(python, {"rotors": asked, "elements": REFERENCE}, "whirl")
    rows = []
    for rotor in ROTORS:
        theirs, ours = answer["found"][rotor.name], whirl(rotor, COUNT, MODES)
        for i, speed in enumerate(rotor.speeds):
            hand = eigenvalues(parts[rotor.name], speed)[:COUNT]
            ross = nearest(np.array([complex(*v) for v in theirs["eigenvalues"][i]]), hand)
            rows.append({
                "rotor": rotor.name, "speed": speed,
                **{name: [[v.real, v.imag] for v in values]
                   for name, values in (("eigenbody", nearest(ours[i], hand)), ("ross", ross), ("by hand", hand))},
            })  # fmt: skip
    speeds = []
    for rotor in ROTORS:
        if rotor.critical is None:
            continue
        found = eb.campbell(model(rotor, MODES), "speed", np.linspace(*rotor.critical, 9))
        places = np.array([place.spin for place in found.critical_speeds])
        hand = np.array([root for root, *_ in criticals[rotor.name]])
        ross = answer["found"][rotor.name]["critical"]
        speeds.append({"rotor": rotor.name, "by hand": hand.tolist(), "ross": ross,
                       "eigenbody": nearest(places, hand).tolist()})  # fmt: skip
    return {"ross": answer["version"], "eigenbody": eb.__version__, "rows": rows, "critical": speeds}


def ask(python: str, document: dict[str, Any], *arguments: str) -> dict[str, Any]:
    """What ROSS answers, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rotors.json"
        file.write_text(json.dumps(document))
        done = run([python, str(HERE / "peers" / "ross_peer.py"), str(file), *arguments], 3600)
    if done.failure:
        raise SystemExit(f"ROSS: {done.failure}")
    return dict(json.loads(done.output.strip().splitlines()[-1]))


def times(python: str, runs: int) -> dict[str, Any]:
    """Seconds of the processor of one Campbell diagram here and in ROSS, by number of elements."""
    rotor = replace(ROTORS[2], speeds=tuple(np.linspace(0.0, FASTEST, POINTS).tolist()))
    document = {"rotors": [asdict(rotor)], "sizes": SIZES, "runs": runs, "patience": 60}
    rows, begin = [], time.process_time()
    theirs = ask(python, document, "times", str(SHOWN))
    for elements in SIZES:
        seconds = {}
        for name, call in (("eigenbody", diagram), ("diagram alone", diagram_alone)):
            for _ in range(runs):
                start = time.process_time()
                machine = model(rotor, 4, elements // 3)  # between two stations
                found = call(machine, rotor)
                seconds[name] = min(seconds.get(name, float("inf")), time.process_time() - start)
        ross = theirs["found"][str(elements)]
        mine = found.frequency_hz[-1][np.isfinite(found.frequency_hz[-1])] * 2 * np.pi
        off = np.abs(nearest(mine, np.array(ross["last"])) / np.array(ross["last"]) - 1).max()
        rows.append({"elements": elements, **seconds, "ross": ross["seconds"], "ross critical": ross["critical"],
                     "ratio": ross["seconds"] / seconds["eigenbody"],
                     "ratio alone": ross["seconds"] / seconds["diagram alone"],
                     "states": 2 * eb.linearize(machine).dof, "ross states": ross["unknowns"],
                     "difference": float(off)})  # fmt: skip
    return {"ross": theirs["version"], "eigenbody": eb.__version__, "points": POINTS, "frequencies": SHOWN,
            "rows": rows, "seconds": time.process_time() - begin}  # fmt: skip


def diagram(machine: eb.Model, rotor: Rotor) -> eb.Campbell:
    """From the model to all branches, whirl, critical speeds and boundaries of stability."""
    return eb.campbell(machine, "speed", rotor.speeds, n=SHOWN + 3)


def diagram_alone(machine: eb.Model, rotor: Rotor) -> eb.Campbell:
    """What ROSS's diagram has: frequencies, damping and whirl at the speeds asked for, nothing between them."""
    return eb.campbell(machine, "speed", rotor.speeds, n=SHOWN + 3, per_rev=(), refine=0)


def differences(row: dict[str, Any], name: str) -> tuple[float, float]:
    """Largest relative difference of a frequency, and difference of a damping ratio, from the elements by hand."""
    found, hand = (np.array(row[key]) @ [1, 1j] for key in (name, "by hand"))
    ratio = (-found.real / np.abs(found)) - (-hand.real / np.abs(hand))
    return float(np.abs(found.imag / hand.imag - 1).max()), float(np.abs(ratio).max())


def table(found: dict[str, Any]) -> str:
    """Agreement as a table of the page."""
    lines = ["| rotor | speeds, rad/s | eigenbody: frequency | damping ratio | ROSS: frequency | damping ratio |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for rotor in dict.fromkeys(row["rotor"] for row in found["rows"]):
        rows = [row for row in found["rows"] if row["rotor"] == rotor]
        worst = [max(differences(row, name)[i] for row in rows) for name in ("eigenbody", "ross") for i in (0, 1)]
        speeds = f"{rows[0]['speed']:g} to {rows[-1]['speed']:.4g}"
        lines.append(f"| {rotor} | {speeds} | " + " | ".join(f"{x:.1e}" for x in worst) + " |")
    return "\n".join(lines)


def critical_table(found: dict[str, Any]) -> str:
    """Critical speeds as a table of the page."""
    lines = ["| rotor | eigenbody, rad/s | ROSS | by hand |", "|---|---|---|---|"]
    for row in found["critical"]:
        for mine, ross, hand in zip(row["eigenbody"], row["ross"], row["by hand"], strict=True):
            lines.append(f"| {row['rotor']} | {mine:.4f} | {ross:.4f} | {hand:.4f} |")
    return "\n".join(lines)


def time_table(found: dict[str, Any]) -> str:
    """Times as a table of the page."""
    head = ("elements", "states here / in ROSS", "diagram here, s", "in ROSS", "ratio", "with critical speeds here, s",
            "in ROSS", "ratio", "differ by")  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in found["rows"]:
        known = isinstance(row["ross critical"], float)
        whole = row["ross"] + row["ross critical"] if known else row["ross"]
        words = f"{whole:.3g}" if known else "not found"
        cells = (row["elements"], f"{row['states']} / {row['ross states']}", f"{row['diagram alone']:.3g}",
                 f"{row['ross']:.3g}", f"{row['ratio alone']:.2g}", f"{row['eigenbody']:.3g}", words,
                 f"{whole / row['eigenbody']:.2g}" if known else "", f"{row['difference']:.1e}")  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def chart(found: dict[str, Any], path: Path) -> None:
    """Seconds over the number of elements."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    elements = [row["elements"] for row in found["rows"]]
    ours = "eigenbody, with critical speeds and boundaries of stability"
    shown = (("ross", "tab:orange", f"ROSS {found['ross']}", 7), ("eigenbody", "tab:blue", ours, 7),
             ("diagram alone", "tab:cyan", "eigenbody, the same as ROSS", -15))  # fmt: skip
    for name, color, label, above in shown:
        seconds = [row[name] for row in found["rows"]]
        axes.loglog(elements, seconds, "o-", color=color, label=label)
        for x, y in zip(elements, seconds, strict=True):
            axes.annotate(f"{y:.2g} s", (x, y), (0, above), textcoords="offset points", ha="center", color=color)
    axes.set(xlabel="shaft elements", ylabel="seconds of the processor", xlim=(4, 150))
    axes.set_ylim(0.5 * min(row["eigenbody"] for row in found["rows"]), 2.5 * max(row["ross"] for row in found["rows"]))
    axes.set_xticks(elements, [str(n) for n in elements])
    axes.minorticks_off()
    axes.set_title(f"Campbell diagram of {found['points']} speeds, {found['frequencies']} frequencies", fontsize=11)
    axes.grid(alpha=0.25)
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=110, metadata={"Software": None})


def with_tables(page: str, results: dict[str, Any]) -> str:
    """The page with the tables of these results in place of its own, which begin with the same columns."""
    for made in (table(results["agreement"]), critical_table(results["agreement"]), time_table(results["times"])):
        head = re.escape(made.splitlines()[0])
        page = re.sub(rf"^{head}\n(?:\|.*\n)*", lambda _, made=made: made + "\n", page, flags=re.MULTILINE)
    return page


def newest() -> dict[str, Any]:
    """The newest results."""
    files = sorted(RESULTS.glob("*.json"))
    return dict(json.loads(files[-1].read_text())) if files else {}


def main() -> None:
    """Compare, measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("agreement", "times"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(with_tables(PAGE.read_text(), newest()))
        chart(newest()["times"], HERE.parent / "docs" / "images" / "rotors-ross.png")
        return
    home = Path(os.environ.get("EIGENBODY_PEERS", HERE / "peers" / "environments")) / "ross" / "bin" / "python"
    if not home.exists():
        raise SystemExit("ROSS is not installed; sh benchmarks/peers/install.sh ross")
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{datetime.now(UTC).date()}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    if options.only != "times":
        known["agreement"] = found = agreement(str(home))
        print(f"ROSS {found['ross']}; largest differences from finite elements by hand")
        print(table(found), critical_table(found), sep="\n\n")
    if options.only != "agreement":
        known["times"] = found = times(str(home), options.runs)
        print(time_table(found))
    path.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
