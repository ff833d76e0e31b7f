"""A thousand parameter variants of a model in one batched call, against `np.linalg.eig` and one-by-one calls: chains of
ten bodies, then vehicles and rotors, whose eigenvalues have zeros among them that are judged in every variant.

    python benchmarks/variants.py                 1000 variants of each: about a minute
    python benchmarks/variants.py --count 200

Writes benchmarks/results/variants/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ONE_BY_ONE = 20  # variants timed alone; the rest is scaled up
WITH_ZEROS = {
    "quarter_car": {"ks": (15e3, 20e3), "mu": (45.0, 55.0)},
    "half_car": {"ks": (15e3, 20e3), "mu": (45.0, 55.0)},
    "rotor_stator": {"speed": (0.5, 20.0)},
    "rotor_on_bearing": {"spin": (10.0, 50.0)},
    "whipple_bicycle": {"v": (2.0, 8.0)},
}  # examples, what varies, from and to


def parametrized(name):
    """A chain of ten bodies on bushings: one stiffness, one mass and one length for all of them."""
    sys.path.insert(0, str(HERE.parent / "examples"))
    from families import family

    import eigenbody as eb

    document = family(name)
    document["parameters"] = {"k": 1e4, "mass": 4.0, "shift": 0.0}
    for body in document["bodies"].values():
        body["mass"] = "=mass"
    for force in document["forces"].values():
        force["k"] = ["=k", "=k", "=k", *force["k"][3:]]
    first = next(iter(document["joints"].values()))
    first["at"][2] = f"={first['at'][2]} + shift"
    return eb.load(document)


def timed(call, repeat=3):
    """Least seconds of the processor of several calls, and the last result."""
    best, result = float("inf"), None
    for _ in range(repeat):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result


def measure(name, count, geometry):
    """One row of the table."""
    import numpy as np

    import eigenbody as eb

    model = parametrized(name)
    values = {"k": np.linspace(9e3, 15e3, count), "mass": np.linspace(3.0, 5.0, count)}
    if geometry:
        values["shift"] = np.linspace(0.0, 0.01, count)
    eb.variants(model, {key: array[:4] for key, array in values.items()})  # imports
    batch, found = timed(lambda: eb.variants(model, values))
    eig, _ = timed(lambda: np.linalg.eig(found.A))
    chosen = np.linspace(0, count - 1, ONE_BY_ONE).astype(int)
    start = time.process_time()
    alone = [eb.modes(found.variant(int(i))) for i in chosen]
    one_by_one = (time.process_time() - start) * count / ONE_BY_ONE
    for i, modes in zip(chosen, alone, strict=True):  # agreement comes before times
        own = found.eigenvalues[i]
        expected = modes.eigenvalues[modes.eigenvalues.imag > 0]
        off = np.abs(own[:, None] - expected).min(axis=0) / np.abs(expected)
        if off.max() > 1e-8:
            raise SystemExit(f"{name}: variant {i} differs by {off.max():.2g}")
    return {
        "model": name, "variants": count, "states": found.A.shape[1], "geometry": geometry, "batch_s": batch,
        "eig_s": eig, "over_eig": batch / eig, "one_by_one_s": one_by_one, "factor": one_by_one / batch,
    }  # fmt: skip


def measure_with_zeros(name, count):
    """The same of an example whose eigenvalues have zeros among them; `unjudged_s` is the batch without judgement."""
    import numpy as np

    import eigenbody as eb

    module = importlib.import_module("eigenbody.analyses.sweep.variants")
    model = eb.load(HERE.parent / "examples" / f"{name}.yaml")
    values = {key: np.linspace(*ends, count) for key, ends in WITH_ZEROS[name].items()}
    eb.variants(model, {key: array[:4] for key, array in values.items()})  # imports
    batch, found = timed(lambda: eb.variants(model, values))
    nearest, module.NEAR_ZERO = module.NEAR_ZERO, 0.0  # none is suspected of being zero
    unjudged, _ = timed(lambda: eb.variants(model, values))
    module.NEAR_ZERO = nearest
    chosen = np.linspace(0, count - 1, ONE_BY_ONE).astype(int)
    start = time.process_time()
    alone = [eb.modes(found.variant(int(i))) for i in chosen]
    one_by_one = (time.process_time() - start) * count / ONE_BY_ONE
    for i, modes in zip(chosen, alone, strict=True):
        own, expected = found.eigenvalues[i], modes.eigenvalues[~modes.is_rigid]
        off = np.abs(own[:, None] - expected).min(axis=0) / np.abs(expected)
        if off.max(initial=0.0) > 1e-8 or np.sum(own == 0) != modes.is_rigid.sum():
            raise SystemExit(f"{name}: variant {i} differs")
    return {
        "model": name, "variants": count, "states": found.A.shape[1], "zeros": int(np.sum(found.eigenvalues[0] == 0)),
        "varies": list(values), "batch_s": batch, "unjudged_s": unjudged, "over_unjudged": batch / unjudged,
        "alone": len(found.alone), "one_by_one_s": one_by_one, "factor": one_by_one / batch,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    count = parser.parse_args().count
    rows = [measure(name, count, geometry) for name in ("C10SF1", "C10RF1") for geometry in (False, True)]
    print("model    states  what varies              batch s   eig s  over eig  one by one s  factor")
    for row in rows:
        varies = "stiffness, mass, position" if row["geometry"] else "stiffness, mass"
        print(f"{row['model']:8} {row['states']:6}  {varies:25} {row['batch_s']:6.3f}  {row['eig_s']:6.3f}  "
              f"{row['over_eig']:8.2f}  {row['one_by_one_s']:12.2f}  {row['factor']:6.1f}")  # fmt: skip
    judged = [measure_with_zeros(name, count) for name in WITH_ZEROS]
    print("model             states  zeros  batch s  without judgement  ratio  left the batch  one by one s  factor")
    for row in judged:
        print(f"{row['model']:17} {row['states']:6}  {row['zeros']:5}  {row['batch_s']:7.3f}  "
              f"{row['unjudged_s']:17.3f}  {row['over_unjudged']:5.2f}  {row['alone']:14}  "
              f"{row['one_by_one_s']:12.2f}  {row['factor']:6.1f}")  # fmt: skip
    rows += judged
    folder = HERE / "results" / "variants"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today().isoformat()}.json"
    path.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"wrote {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
