"""Do `modes` and `linearize` give the same numbers as an earlier revision? For whoever makes them faster.

    python benchmarks/same.py v1.0                         all examples and six mechanisms of the families
    python benchmarks/same.py 38a6312 --only rotor_stator,C100RF1

Both sides write the JSON documents of every model, each in a process of its own. An eigenvalue may move by its stated
error bound or by 1e-9 of itself, an entry of a matrix by 1e-9 of the largest of that matrix; texts, counts, verdicts
and names must be equal. What measures rounding (residual, drift, trace, bounds) is not compared. Exit code 1 where
something differs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from pathlib import Path

from processes import run
from since import exported

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
FAMILIES = ("C10RF1", "C100RF1", "TL3SF1", "TL7SF1", "L3RF1", "L100RF1")
AGREE = 1e-9  # relative
ROUNDING = {"residual", "drift", "tangent_error", "trace"}


def documents(names):
    """The documents of every model, as text; a model that is refused gives its message."""
    import eigenbody as eb

    sys.path.insert(0, str(EXAMPLES))
    from families import family

    out = {}
    for name in names:
        path = EXAMPLES / f"{name}.yaml"
        for analysis in (eb.modes, eb.linearize):
            try:
                found = analysis(eb.load(path if path.exists() else family(name))).as_dict()
            except eb.EigenbodyError as error:
                found = {"refused": str(error)}
            out[f"{name}: {analysis.__name__}"] = found
    return out


def differences(old, new, where=""):
    """Places where two documents differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        if old.keys() != new.keys():
            return [f"{where}: keys {sorted(old.keys() ^ new.keys())}"]
        if {"real", "imag", "error"} <= old.keys():
            return _of_modes(old, new, where)
        return [d for key in old if key not in ROUNDING for d in differences(old[key], new[key], f"{where}.{key}")]
    if isinstance(old, list) and isinstance(new, list):
        a, b = list(_numbers(old)), list(_numbers(new))
        if a and len(a) == len(b) and None not in (*a, *b):
            size = max(map(abs, (*a, *b)))
            apart = max(abs(x - y) for x, y in zip(a, b, strict=True))
            return [f"{where}: {apart:.1e} of {size:.1e}"] if apart > AGREE * size else []
        if len(old) != len(new):
            return [f"{where}: {len(old)} entries, now {len(new)}"]
        pairs = enumerate(zip(old, new, strict=True))
        return [d for i, (x, y) in pairs for d in differences(x, y, f"{where}[{i}]")]
    if isinstance(old, float) and isinstance(new, float):
        return [] if math.isclose(old, new, rel_tol=AGREE) else [f"{where}: {old!r}, now {new!r}"]
    return [] if old == new else [f"{where}: {old!r}, now {new!r}"]


def _of_modes(old, new, where):
    """One mode: its eigenvalue within its bound, everything else that is no number equal."""
    a, b = (complex(mode["real"], mode["imag"]) for mode in (old, new))
    allowed = max(AGREE * max(abs(a), abs(b)), old["error"] or 0.0, new["error"] or 0.0)
    moved = [f"{where}: eigenvalue {a}, now {b}"] if abs(a - b) > allowed else []
    words = {key: value for key, value in old.items() if isinstance(value, str | bool | int)}
    return moved + [d for key, value in words.items() for d in differences(value, new[key], f"{where}.{key}")]


def _numbers(values):
    """All numbers of nested lists in order; None for what is none."""
    for value in values:
        if isinstance(value, list):
            yield from _numbers(value)
        else:
            yield float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", help="a tag, branch or commit of this repository")
    parser.add_argument("--only", help="names of examples and families, by commas")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for each side")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    every = (*sorted(path.stem for path in EXAMPLES.glob("*.yaml")), *FAMILIES)
    names = options.only.split(",") if options.only else every
    if options.write:
        options.write.write_text(json.dumps(documents(names)))
        return 0
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for side, source in (("old", exported(options.revision, folder)[0]), ("new", HERE.parent / "src")):
            os.environ["PYTHONPATH"] = str(source)
            out = Path(folder) / f"{side}.json"
            done = run(
                [sys.executable, __file__, options.revision, "--only", ",".join(names), "--write", str(out)],
                options.timeout,
            )
            if done.failure:
                raise SystemExit(f"{source}: {done.failure}")
            found.append(json.loads(out.read_text()))
    old, new = found
    apart = {name: differences(old[name], new[name]) for name in old}
    for name, places in apart.items():
        for place in places:
            print(f"{name}{place}")
    print(f"{len(apart)} documents, {sum(map(bool, apart.values()))} differ")
    return int(any(apart.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
