"""The spinning shaft on two bearings: zeros by its free motions, the rest against plain eigenvalues of A."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from flint import acb_mat

import eigenbody as eb
from campaign.comparison import Outcome, all_eigenvalues, pair_up, stated_bounds
from campaign.spectrum import from_doubles

SPEEDS = (0, 0.01, 1, 10, 100, 500)
CASES = list(itertools.product(SPEEDS, (0, 1e6), (0, 1e3), range(1, 7), (False, True)))
RELATIVE = 1e-8  # the tool works with M, C and K, not with this A


def shaft(speed: float, k: float, c: float, modes: int, disc: bool) -> dict[str, Any]:
    """A steel shaft of 1 m on bearings with the given stiffness and damping along the axis."""
    bearing = {"type": "bearing", "k": [1e7, 1e7, k, 0, 0, 0], "c": [1e3, 1e3, c, 0, 0, 0]}
    document: dict[str, Any] = {
        "eigenbody": 1,
        "flexible": {
            "shaft": {
                "type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "E": 2.1e11, "nu": 0.3, "density": 7850,
                "diameter": 0.04, "modes": modes,
            }
        },
        "joints": {"spin": {"type": "free", "between": ["ground", "shaft.start"], "velocity": [0, 0, 0, 0, 0, speed]}},
        "forces": {
            "left": {**bearing, "between": ["ground", "shaft.start"], "at": [0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.end"], "at": [0, 0, 1]},
        },
    }  # fmt: skip
    if disc:
        document["bodies"] = {"disc": {"mass": 5, "inertia": [0.02, 0.02, 0.04], "at": [0, 0, 1]}}
        document["joints"]["seat"] = {"type": "fixed", "between": ["shaft.end", "disc"], "at": [0, 0, 1]}
    return document


def case(_: int, index: int) -> tuple[str, dict[str, Any], int]:
    """Kind, document and true number of zeros: angle and speed of the spin; along the axis two, one or none."""
    speed, k, c, modes, disc = CASES[index % len(CASES)]
    return f"{speed} rad/s", shaft(speed, k, c, modes, disc), 2 + (0 if k else 1 if c else 2)


def compare(document: dict[str, Any], zeros: int | None) -> Outcome:
    """Number of zeros, and every other eigenvalue against those of A in long arithmetic."""
    outcome = Outcome()
    linear = eb.linearize(eb.load(document))
    result = eb.modes(linear)
    found = all_eigenvalues(result)
    said = int(np.count_nonzero(found == 0))
    if said != zeros:
        outcome.faults["zeros"] = f"{said} zeros, true {zeros}"
    plain = acb_mat(from_doubles(linear.A)).eig(algorithm="approx")
    values = np.array([complex(float(v.real.mid()), float(v.imag.mid())) for v in plain])
    values = values[np.argsort(np.abs(values))]
    values[:zeros] = 0
    i, j = pair_up(found, values)
    error, allowed = np.abs(found[i] - values[j]), np.maximum(RELATIVE * np.abs(values[j]), stated_bounds(result)[i])
    if (bad := np.flatnonzero(error > allowed)).size:
        worst = bad[np.argmax(error[bad] - allowed[bad])]
        outcome.faults["eigenvalue"] = f"{complex(found[i][worst])}, plain {complex(values[j][worst])}"
    grows = values.real.max() > RELATIVE * np.abs(values).max()
    outcome.truth = "plain values grow" if grows else "nothing grows"
    if result.stability == "unstable" and not grows:
        outcome.faults["false unstable"] = f"no plain eigenvalue is to the right of {values.real.max():.1e}"
    return outcome
