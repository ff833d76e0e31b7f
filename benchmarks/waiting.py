"""What people wait for: each row beside the best peer or the limit, in one run, with what it should come to.

    python benchmarks/waiting.py                          all quick rows, without peers: some minutes
    python benchmarks/waiting.py --only "10 bodies,start" rows whose name contains one of these
    python benchmarks/waiting.py --slow --gallery         long rows too, and `modes` of every example
    sh benchmarks/peers/install.sh exudyn; sh benchmarks/peers/install.sh mujoco      then peers are measured too

Processor time on one thread, least of several: other work on the machine lengthens it least. Each row is measured in a
process of its own, its peers right after it. A peer counts only where its frequencies agree with ours. Prints one table
and writes benchmarks/results/waiting/<date>.json; a second run of the same day adds its rows, or replaces them.

A new row is a function below with `@row(name, aim)`: it returns {"ours": ...} in the unit of its name, with
`"limit"` (what it is compared with) and `"peers": {peer: value}` where there are any; `best(call)` times a call.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from large import AGREE, ENVIRONMENTS, difference
from processes import run

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
COUNT = 20  # modes asked for beside peers
IMPORTS = "import numpy, scipy.linalg, scipy.sparse.linalg"


@dataclass(frozen=True)
class Row:
    """A row of the table: what is measured and how, and what it should come to."""

    name: str
    aim: str
    measure: object
    is_slow: bool = False


ROWS: dict[str, Row] = {}


def row(name, aim, is_slow=False):
    """Register a function as the row of this name."""

    def register(function):
        ROWS[name] = Row(name, aim, function, is_slow)
        return function

    return register


def best(call, repeat=30):
    """Least processor time of a call, ms."""
    call()
    least = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        call()
        least = min(least, time.process_time() - start)
    return 1e3 * least


# Start-up -------------------------------------------------------------------------------------------------------------
@row("start-up: modes four_bar.yaml, whole command, ms", "1.5 times the imports")
def start_up():
    command = [sys.executable, "-m", "eigenbody", "modes", str(EXAMPLES / "four_bar.yaml")]
    ours, bare = (min(_cpu(each) for _ in range(7)) for each in (command, [sys.executable, "-c", IMPORTS]))
    return {"ours": ours, "limit": bare, "ratio": ours / bare, "imports": _imports(command)}


def _cpu(command):
    """Processor time of a command, ms."""
    done = run(command, 120)
    if done.failure:
        raise SystemExit(f"{command}: {done.failure}")
    return 1e3 * done.cpu


def _imports(command):
    """Modules that a command imports and the time spent in them, ms, ours and others."""
    told = subprocess.run(
        [command[0], "-X", "importtime", *command[1:]], capture_output=True, text=True, check=True, timeout=120
    ).stderr
    found = {"eigenbody": [0, 0.0], "numpy, scipy": [0, 0.0], "others": [0, 0.0]}
    for line in told.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if len(parts) == 3 and parts[0].strip().isdigit():
            top = parts[2].strip().partition(".")[0]
            kind = top if top == "eigenbody" else "numpy, scipy" if top in ("numpy", "scipy") else "others"
            found[kind][0] += 1
            found[kind][1] += int(parts[0]) / 1e3
    return {kind: {"modules": count, "ms": round(spent, 1)} for kind, (count, spent) in found.items()}


# Modes of a loaded model ----------------------------------------------------------------------------------------------
def modes_of(name, peers, repeat):
    """Modes of members of the families, each on a model of its own because a model is compiled but once."""
    import eigenbody as eb
    from eigenbody.starters.family import family

    document = family(name)
    models = iter([eb.load(document) for _ in range(2 * (repeat + 1))])
    found = eb.modes(next(models), n=COUNT)
    ours = best(lambda: eb.modes(next(models), n=COUNT), repeat)
    every = best(lambda: eb.modes(eb.linearize(next(models))), min(repeat, 5)) if len(found) < found.dof else ours
    kinds = zip(found.frequency_hz.tolist(), found.kinds, strict=True)
    frequencies = [f for f, kind in kinds if kind == "oscillatory"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.json"
        path.write_text(json.dumps(document))
        beside = {f"{tool} {method}": peer(tool, method, path, frequencies) for tool, method in peers}
    return {"ours": ours, "all modes": every, "peers": {name: value for name, value in beside.items() if value}}


def peer(tool, method, path, frequencies):
    """Processor time of another tool on the same file, ms; None where it is not installed or finds something else."""
    python = ENVIRONMENTS / tool / "bin" / "python"
    if not python.exists():
        return None
    done = run([python, HERE / "peers" / f"{tool}_peer.py", path, method], 120)
    if done.failure:
        return None
    found = json.loads(done.output.splitlines()[-1])
    return 1e3 * found["cpu"] if difference(found["frequencies"], frequencies) <= AGREE else None


BOTH = (("exudyn", "tree"), ("mujoco", "assembled"))


@row("10 bodies, revolute chain, eb.modes, ms", "1.5 ms")
def ten_revolute():
    return modes_of("C10RF1", BOTH, 60)


@row("10 bodies, spherical chain, eb.modes, ms", "1.5 ms")
def ten_spherical():
    return modes_of("C10SF1", BOTH, 60)


@row("100 bodies, revolute chain, 20 modes, ms", "ahead of Exudyn's tree")
def hundred_chain():
    return modes_of("C100RF1", BOTH, 25)


@row("99 bodies, revolute ladder, 20 modes, ms", "ahead of MuJoCo's matrices")
def hundred_ladder():
    return modes_of("L33RF1", BOTH[1:], 25)


@row("255 bodies, revolute tree, 20 modes, ms", "ahead of Exudyn's tree")
def tree():
    return modes_of("TL8RF1", BOTH[:1], 10)


# The same model with other numbers ------------------------------------------------------------------------------------
@row("10 bodies with other numbers, linear model, ms", "0.4 ms")
def other_numbers():
    return _evaluated("linear")


@row("10 bodies with other numbers, eigenvalues, ms", "0.4 ms")
def other_eigenvalues():
    return _evaluated("eigenvalues")


def _evaluated(what):
    import numpy as np
    from variants import parametrized

    import eigenbody as eb

    model, values = parametrized("C10RF1"), {"k": 1.1e4, "mass": 4.1}
    f, plain = eb.compiled(model, list(values)), eb.linearize(model.with_values(values))
    if np.abs(f(values).linear.A - plain.A).max() > 1e-9 * np.abs(plain.A).max():
        raise SystemExit("the compiled model and the plain route differ")
    return {"ours": best(lambda: getattr(f(values), what), 300)}


@row("10 bodies posed by one joint position, over the drawn model", "2")
def posed():
    import eigenbody as eb
    from eigenbody.starters.family import family

    drawn, moved = family("C10RF1"), family("C10RF1")
    next(iter(moved["joints"].values()))["position"] = 0.3
    times = []
    for document in (drawn, moved):
        models = iter([eb.load(document) for _ in range(21)])
        times.append(best(lambda models=models: eb.modes(next(models)), 20))
    return {"ours": times[1] / times[0]}


@row("equations along a motion, four-bar linkage, a point, ms", "0.5 ms")
def along_four_bar():
    import eigenbody as eb

    return _along(eb.load(EXAMPLES / "four_bar.yaml"))


@row("equations along a motion, 5 freedoms, a point, ms", "2 ms")
def along_chain():
    import eigenbody as eb
    from eigenbody.starters.family import family

    return _along(eb.load(family("C5RF1")))


def _along(model):
    import eigenbody as eb

    swing = eb.simulate(model.set(gravity=[0, 2, -9.81]), 0.4, points=41)
    return {"ours": best(lambda: eb.along(swing), 5) / 41}


@row("Campbell diagram of a steady motorcycle, a point asked for, ms", "50 ms", is_slow=True)
def steady_motorcycle():
    sys.path.insert(0, str(HERE.parent / "tests" / "verification" / "operating"))
    import numpy as np
    from test_steady_along import motorcycle

    import eigenbody as eb
    from eigenbody.operating.steady.along import steady_along

    speeds = np.linspace(10.0, 50.0, 41)
    places = np.arange(41.0)
    diagram = best(lambda: eb.campbell(eb.load(motorcycle()), "v", speeds), 2) / 41
    motions = best(lambda: steady_along(eb.load(motorcycle()), places, {"v": speeds}), 2) / 41
    return {"ours": diagram, "steady motions alone": motions}


# Simulation -----------------------------------------------------------------------------------------------------------
def _alpha(model, steps, compiled):
    """Generalized-alpha with a step of 1 ms, a step in ms."""
    import eigenbody as eb

    point = eb.operating_point(model)
    given = {"method": "generalized-alpha", "step": 1e-3, "rho": 0.9, "points": 2, "compiled": compiled}
    return best(lambda: eb.simulate(point, until=1e-3 * steps, **given), 10) / steps


@row("simulation: rotor of 2 bodies, generalized-alpha, compiled, a step, ms", "0.2 ms")
def rotor_compiled():
    import eigenbody as eb

    return {"ours": _alpha(eb.load(EXAMPLES / "rotor_stator.yaml"), 1000, True)}


@row("simulation: rotor of 2 bodies, generalized-alpha, NumPy, a step, ms", "1 ms")
def rotor_numpy():
    import eigenbody as eb

    return {"ours": _alpha(eb.load(EXAMPLES / "rotor_stator.yaml"), 1000, False)}


def _chain(letter, methods):
    """A chain of ten bodies beside Exudyn (benchmarks/simulation.py), 200 steps, ms."""
    from simulation import ours, peer

    from eigenbody.starters.family import family

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.json"
        path.write_text(json.dumps(family(f"C10{letter}F1")))
        seconds, value, _ = ours(path, letter, 200, 1e-3, True)
        answers = {method: peer(path, method, 200, 1e-3) for method in methods}
    agree = {name: 1e3 * t for name, (t, other) in answers.items() if t and abs(other - value) < 1e-4 * abs(value)}
    return {"ours": 1e3 * seconds, "peers": {f"exudyn/{name}": taken for name, taken in agree.items()}}


@row("simulation: 10 revolute bodies, 200 steps of generalized-alpha, ms", "1 times Exudyn")
def chain_revolute():
    return _chain("R", ("joints", "tree"))


@row("simulation: 10 spherical bodies, 200 steps of generalized-alpha, ms", "1 times Exudyn")
def chain_spherical():
    return _chain("S", ("sag",))


@row("simulation: slider-crank with an elastic rod, 0.2 s, s", "seconds, same accuracy", is_slow=True)
def elastic_crank():
    import eigenbody as eb

    model = eb.load(EXAMPLES / "flexible_slider_crank.yaml", locked=0, speed=30)
    start = time.process_time()
    eb.simulate(model, until=0.2)
    return {"ours": time.process_time() - start}


@row("simulation: 300 bodies on stiff dampers, Radau, a step, ms", "sparse: grows with the number of bodies")
def large_stiff():
    import eigenbody as eb
    from eigenbody.starters.family import family

    document = family("C300SF1")
    for force in document["forces"].values():
        force["c"] = [1e3] * 3 + [1e5] * 3
    point = eb.operating_point(eb.load(document | {"gravity": [9.81, 3, 0]}))
    run = eb.simulate(point, until=0.02, method="radau", points=2)
    return {"ours": best(lambda: eb.simulate(point, until=0.02, method="radau", points=2), 2) / run.statistics["steps"]}


# Long ones ------------------------------------------------------------------------------------------------------------
@row("equilibrium rolling_disc.yaml, ms", "1 s, or refused at once with the reason", is_slow=True)
def rolling_disc():
    path = str(EXAMPLES / "rolling_disc.yaml")
    return {"ours": 1e3 * run([sys.executable, "-m", "eigenbody", "equilibrium", path], 300).cpu}


def gallery():
    """Processor time of `modes` of every example, ms; None for what has no modes."""
    found = {}
    for path in sorted(EXAMPLES.glob("*.yaml")):
        done = run([sys.executable, "-m", "eigenbody", "modes", path], 300)
        found[path.stem] = None if done.failure else 1e3 * done.cpu
    return found


# The run --------------------------------------------------------------------------------------------------------------
def table(rows):
    """The rows as text that can stand in a README."""
    lines = ["| what | ours | best peer or limit | aim |", "|---|---|---|---|"]
    for name, found in rows.items():
        beside = dict(found.get("peers", {}))
        if "limit" in found:
            beside["limit"] = found["limit"]
        least = min(beside, key=beside.get, default=None)
        other = "" if least is None else f"{beside[least]:.3g} ({least})"
        lines.append(f"| {name} | {found['ours']:.3g} | {other} | {ROWS[name].aim if name in ROWS else ''} |")
    return "\n".join(lines)


def chosen(options):
    """The rows that are asked for."""
    wanted = [part.strip() for part in options.only.split(",")] if options.only else [""]
    named = [each for each in ROWS.values() if any(part in each.name for part in wanted)]
    return [each for each in named if options.slow or options.only or not each.is_slow]


def measured(name):
    """One row in a process of its own."""
    done = run([sys.executable, __file__, "--row", name], 900)
    if done.failure:
        print(f"{name}: {done.failure}", file=sys.stderr)
        return None
    return json.loads(done.output.splitlines()[-1])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="parts of names of rows, by commas")
    parser.add_argument("--slow", action="store_true", help="long rows too")
    parser.add_argument("--gallery", action="store_true", help="the command `modes` on every example, too")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody compiles the source at every start
    if options.row:
        print(json.dumps(ROWS[options.row].measure()))
        return 0
    today = datetime.date.today().isoformat()
    out = HERE / "results" / "waiting" / f"{today}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(out.read_text()) if out.exists() else {}
    rows = known.get("rows", {})
    for each in chosen(options):
        print(f"{each.name} ...", file=sys.stderr, flush=True)
        found = measured(each.name)
        if found is not None:
            rows[each.name] = {**found, "aim": each.aim}
    results = {**known, "date": today, "machine": f"{platform.machine()}, {os.cpu_count()} cores", "rows": rows}
    if options.gallery:
        results["gallery"] = gallery()
    out.write_text(json.dumps(results, indent=1) + "\n")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
