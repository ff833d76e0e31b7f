"""What the tool says about a mechanism against the reference: matrices, eigenvalues, number of zeros, verdict."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

import eigenbody as eb
from campaign.geometry import exact
from campaign.reference import ContradictionError, Linearization, linearize, linearize_at, moved
from campaign.reference import State as MotionState
from campaign.spectrum import Spectrum, spectrum

RELATIVE = 1e-10
DECIDABLE = 1e-14  # decay slower than this, relative to the largest eigenvalue, is not seen in doubles
VERDICTS = ("stable", "marginal", "drifting", "unstable")


@dataclass
class Outcome:
    """Faults by name with what was seen; empty where tool and reference agree."""

    faults: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    truth: str = ""


def all_eigenvalues(result: Any) -> np.ndarray:
    """Both members of every pair."""
    values = np.asarray(result.eigenvalues, dtype=complex)
    return np.concatenate([values, values[values.imag > 0].conj()])


def stated_bounds(result: Any) -> np.ndarray:
    """The error bound that the result states for each of `all_eigenvalues`; zero where it states none."""
    values = np.asarray(result.eigenvalues, dtype=complex)
    bounds = getattr(result, "bounds", None)
    bounds = np.zeros(len(values)) if bounds is None else np.asarray(bounds, dtype=float)
    return np.concatenate([bounds, bounds[values.imag > 0]])


def pair_up(found: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices that pair the eigenvalues of two lists of equal length with the least relative differences."""
    apart = np.abs(found[:, None] - true[None, :])
    size = np.maximum(np.abs(found)[:, None], np.abs(true)[None, :])
    return linear_sum_assignment(np.minimum(apart / np.where(size > 0, size, 1.0), 1.0) ** 0.25)


def compare_eigenvalues(outcome: Outcome, result: Any, truth: Spectrum, spread: np.ndarray | None = None) -> None:
    """Faults where an eigenvalue, or the number of zeros, is not the true one."""
    found, true = all_eigenvalues(result), np.array(truth.eigenvalues)
    if len(found) != len(true):
        outcome.faults["states"] = f"{len(found)} eigenvalues, true {len(true)}"
        return
    if np.count_nonzero(found == 0) != truth.zeros:
        outcome.faults["zeros"] = f"{np.count_nonzero(found == 0)} zeros, true {truth.zeros}"
    i, j = pair_up(found, true)
    error = np.abs(found[i] - true[j])
    allowed = np.maximum(RELATIVE * np.abs(true[j]), stated_bounds(result)[i])
    if spread is not None:
        allowed = np.maximum(allowed, spread[j])
    if (bad := np.flatnonzero(error > allowed)).size:
        worst = bad[np.argmax(error[bad] / np.maximum(np.abs(true[j][bad]), 1e-300))]
        outcome.faults["eigenvalue"] = f"{complex(found[i][worst])}, true {complex(true[j][worst])}"


def compare_verdict(outcome: Outcome, said: str, truth: Spectrum) -> None:
    """A fault where the verdict is wrong; no more than a remark where doubles cannot tell left from on the axis."""
    if said == truth.verdict:
        return
    text = f"{said}, true {truth.verdict}"
    if said == "unstable":
        outcome.faults["false unstable"] = text
    elif truth.verdict == "unstable":
        outcome.faults["missed instability"] = text
    elif {said, truth.verdict} == {"marginal", "stable"} and truth.decay < DECIDABLE:
        outcome.remarks["undecidable"] = f"{text}: the slowest decay is {truth.decay:.1e} of the largest eigenvalue"
    else:
        outcome.faults["verdict"] = text


def is_constant(linear: Linearization) -> bool:
    """Whether the linear equations stay the same while the mechanism moves on."""
    if linear.at_rest:
        return True
    names = linear.assembly.coordinates
    free = [names.index(name) for name in linear.coordinates]
    for time in ("0.3", "0.7"):
        places = moved(linear.assembly, linear.state.places, [rate * exact(time) for rate in linear.state.rates])
        later = linearize_at(linear.assembly, MotionState(places, linear.state.rates), free)
        if not later.balanced or any(abs(x) > exact("1e-40") for x in (later.A - linear.A).entries()):
            return False
    return True


def compare(document: dict[str, Any], rank: int | None = None) -> Outcome | None:
    """The tool against the reference on one mechanism; None where the drawing is singular and no case at all."""
    try:
        own = linearize(document)
    except ContradictionError:
        return None
    if rank is not None and loop_rank(own) != rank:
        return None
    outcome = Outcome()
    try:
        linear = eb.linearize(eb.load(document))
        result = eb.modes(linear)
    except eb.EigenbodyError as error:
        outcome.faults["refused"] = str(error)[:300]
        return outcome
    except Exception as error:
        outcome.faults["internal error"] = f"{type(error).__name__}: {error}"
        return outcome
    if len(own.coordinates) != len(linear.coordinates):
        outcome.faults["dof"] = f"{len(linear.coordinates)}, true {len(own.coordinates)}"
        return outcome
    if own.coordinates != list(linear.coordinates):
        own = linearize(document, list(linear.coordinates))
    truth = spectrum(own.A)
    compare_matrix(outcome, linear.A, own)
    compare_eigenvalues(outcome, result, truth)
    outcome.truth = steadiness(own) or truth.verdict
    if outcome.truth == truth.verdict:
        compare_verdict(outcome, result.stability, truth)
    elif outcome.truth == "not steady" and result.stability in VERDICTS:
        outcome.remarks["claim"] = f"{result.stability} at a point that is no steady state"
    if outcome.faults:
        judge_again(outcome, document, result, own, truth)
    return excused(outcome, result)


def excused(outcome: Outcome, result: Any) -> Outcome:
    """Zeros and verdicts that the result itself calls undecided, with bounds that contain the truth, are remarks; an
    instability that is not there, or an eigenvalue outside of its bound, is excused by nothing."""
    open_ones = [name for name in ("zeros", "verdict", "missed instability") if name in outcome.faults]
    if result.remarks and set(outcome.faults) == set(open_ones):
        outcome.remarks |= {f"noted: {name}": outcome.faults.pop(name) for name in open_ones}
    return outcome


def steadiness(own: Linearization) -> str:
    """Why the eigenvalues say nothing about stability; empty where they do."""
    if not own.balanced:
        return "not steady"
    return "" if is_constant(own) else "not constant"


def loop_rank(own: Linearization) -> int:
    """Number of independent conditions that closing the loop makes."""
    freedom = sum(len(joint.labels) for joint in [*own.assembly.tree, *own.assembly.loops])
    return freedom - len(own.coordinates)


def compare_matrix(outcome: Outcome, found: np.ndarray, own: Linearization) -> None:
    true = np.array([[float(x.mid()) for x in row] for row in own.A.tolist()]).reshape(found.shape)
    error = np.abs(found - true)
    if error.size and (error > 1e-9 * max(1.0, np.abs(true).max())).any():
        outcome.faults["matrix"] = f"A differs by {error.max():.3g} of {np.abs(true).max():.3g}"


def judge_again(outcome: Outcome, document: dict[str, Any], result: Any, own: Linearization, truth: Spectrum) -> None:
    """A remark where changes of the data in the 16th digit move the truth as far as the tool is off."""
    nearby = [spectrum(linearize(perturbed(document, seed), list(own.coordinates)).A) for seed in range(3)]
    true = np.array(truth.eigenvalues)
    spread = np.zeros(len(true))
    for other in nearby:
        i, j = pair_up(np.array(other.eigenvalues), true)
        spread[j] = np.maximum(spread[j], 20 * np.abs(np.array(other.eigenvalues)[i] - true[j]))
    again = Outcome()
    compare_eigenvalues(again, result, truth, spread)
    same = {other.verdict for other in nearby} == {truth.verdict}
    if "eigenvalue" not in again.faults and "eigenvalue" in outcome.faults:
        outcome.remarks["eigenvalue"] = "as far off as the data are uncertain"
    if not same:
        outcome.remarks["verdict"] = "turns with the 16th digit of the data"


def perturbed(document: dict[str, Any], seed: int) -> dict[str, Any]:
    """The same mechanism with masses, inertias, laws and gravity changed by a part in 2**52 or less."""
    rng, changed = random.Random(seed), copy.deepcopy(document)

    def shake(value: Any) -> Any:
        if isinstance(value, list):
            return [shake(v) for v in value]
        return str(Fraction(value) * (1 + Fraction(rng.randint(-8, 8), 2**55)))

    for entry in changed["bodies"].values():
        for key in ("mass", "inertia"):
            if key in entry:
                entry[key] = shake(entry[key])
    for entry in changed.get("forces", {}).values():
        for key in ("k", "c", "value"):
            if key in entry:
                entry[key] = shake(entry[key])
    if "gravity" in changed:
        changed["gravity"] = shake(changed["gravity"])
    return changed
