"""Masses on a line with springs and dampers of very different size; eigenvalues from exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from flint import acb_mat, arb_mat, ctx, fmpq, fmpq_mat

import eigenbody as eb
from campaign.comparison import Outcome, compare_eigenvalues, compare_verdict
from campaign.spectrum import Spectrum

SPREADS = (0, 6, 12, 14, 15, 16, 18, 20, 24)
BITS = 2400
ON_AXIS = 1e-200  # relative: exact matrices, eigenvalues to 700 digits


def case(seed: int, index: int) -> tuple[str, dict[str, Any], int]:
    """Kind, document and the decades between the weakest and the stiffest spring of one numbered case."""
    rng = random.Random(f"network {seed}/{index}")
    spread = rng.choice(SPREADS)
    return f"spread 1e{spread}", network(rng, spread), spread


def network(rng: random.Random, spread: int) -> dict[str, Any]:
    """Two to eight sliders in a chain with a few chords, held by ground or free."""
    count, heavy = rng.randint(2, 8), rng.choice([0, 0, 3, 6])
    relative = rng.random() < 0.3
    damped = rng.choice([0, 0, 0.3, 1])
    document: dict[str, Any] = {"eigenbody": 1, "bodies": {}, "joints": {}, "forces": {}}
    for i in range(count):
        document["bodies"][f"m{i}"] = {"mass": _spread(rng, heavy), "at": [i + 1, 0, 0]}
        first = f"m{i - 1}" if relative and i else "ground"
        document["joints"][f"s{i}"] = {
            "type": "prismatic",
            "between": [first, f"m{i}"],
            "at": [i + 1, 0, 0],
            "axis": [1, 0, 0],
        }
    pairs = [(i - 1, i) for i in range(1, count) if rng.random() < 0.9]
    pairs += [(-1, i) for i in range(count) if rng.random() < 0.25]
    pairs += [tuple(sorted(rng.sample(range(count), 2))) for _ in range(rng.randint(0, 2))]
    for number, (i, j) in enumerate(pairs):
        first = "ground" if i < 0 else f"m{i}"
        entry = {
            "type": "spring",
            "between": [first, f"m{j}"],
            "at": [[i + 1, 0, 0], [j + 1, 0, 0]],
            "free_length": j - i,
        }
        document["forces"][f"f{number}"] = {**entry, "k": _spread(rng, spread)}
        if rng.random() < damped:
            document["forces"][f"f{number}"]["c"] = _spread(rng, rng.choice([0, spread // 2]))
    return document


def _spread(rng: random.Random, decades: int) -> float:
    return float(f"{rng.randint(1, 9)}e{rng.randint(-(decades // 2), decades - decades // 2)}")


def truth_of(document: dict[str, Any]) -> Spectrum:
    """Spectrum of M x'' + C x' + K x = 0 with exact zeros."""
    ctx.prec = BITS
    names = list(document["bodies"])
    n = len(names)
    K, C = ([[Fraction(0)] * n for _ in range(n)] for _ in range(2))
    for entry in document["forces"].values():
        ends = [names.index(b) for b in entry["between"] if b != "ground"]
        for matrix, key in ((K, "k"), (C, "c")):
            value = Fraction(entry.get(key, 0))
            for a in ends:
                for b in ends:
                    matrix[a][b] += value if a == b else -value
    mass = [Fraction(document["bodies"][name]["mass"]) for name in names]
    lower = [[-K[i][j] / mass[i] for j in range(n)] + [-C[i][j] / mass[i] for j in range(n)] for i in range(n)]
    upper = [[Fraction(int(j == n + i)) for j in range(2 * n)] for i in range(n)]
    A = fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in upper + lower])
    coefficients = A.charpoly().coeffs()
    zeros = next(i for i, x in enumerate(coefficients) if x != 0)
    values = sorted(acb_mat(arb_mat(A)).eig(algorithm="approx"), key=lambda v: v.abs_upper())[zeros:]
    listed = [0j] * zeros + [complex(float(v.real.mid()), float(v.imag.mid())) for v in values]
    on_axis = any(abs(v.real.mid()) < ON_AXIS * abs(v).mid() for v in values)
    if zeros > 2 * n - A.rank():
        return Spectrum(
            listed, zeros, "drifting"
        )  # energy cannot grow: nothing is to the right, pairs have all vectors
    return Spectrum(listed, zeros, "marginal" if zeros or on_axis else "stable")


def compare(document: dict[str, Any], _: int | None = None) -> Outcome:
    """The tool against exact fractions; a note turns wrong values into remarks, but excuses no false instability."""
    outcome, truth = Outcome(), truth_of(document)
    outcome.truth = truth.verdict
    try:
        result = eb.modes(eb.load(document))
    except eb.EigenbodyError as error:
        outcome.faults["refused"] = str(error)[:300]
        return outcome
    except Exception as error:
        outcome.faults["internal error"] = f"{type(error).__name__}: {error}"
        return outcome
    compare_eigenvalues(outcome, result, truth)
    compare_verdict(outcome, result.stability, truth)
    if "false unstable" not in outcome.faults and is_noted(result):
        outcome.remarks = {f"noted {name}": text for name, text in outcome.faults.items()}
        outcome.faults = {}
    return outcome


def is_noted(result: Any) -> bool:
    """Whether the result itself says that its digits are not all to be trusted."""
    notes = [*result.notes, *getattr(result, "warnings", ())]
    return bool(notes)
