"""What is said beside the multipliers of a periodic motion."""

from __future__ import annotations

from collections.abc import Sequence

CHANGED = 1e-8  # part of itself by which a transition that has converged may change
MISSED = 1e-6  # of the integral of the trace by the determinant
SHOWN = 4  # jumps that are named


def notes_of(
    convergence: float, determinant: float, unresolved: int, jumps: Sequence[float], switches: Sequence[float]
) -> tuple[str, ...]:
    """By the figures of the certificate, how many multipliers are hidden, the times (s) of jumps that keep the
    transition from converging, and of those at which forces jump where the motion is."""
    notes = []
    if switches:
        notes.append(
            f"Forces or rates of states jump at t = {_places(switches)} s where coordinates, rates or states pass a"
            " value. Unless these are prescribed, a deviation changes when they jump, which the linear equations do"
            " not contain: the multipliers are not those of this motion. Give the jump a width (tanh, a smooth step)."
        )
    if unresolved == 1:
        notes.append(
            "1 multiplier is so small that rounding hides it: this deviation is gone after a period, and its exponent"
            " is not told."
        )
    if unresolved > 1:
        notes.append(
            f"{unresolved} multipliers are so small that rounding hides them: these deviations are gone after a period,"
            " and their exponents are not told."
        )
    if convergence > CHANGED:
        changed = f"The transition over the period changed by {convergence:.1g} of itself in the last refinement: "
        notes.append(changed + _cause(jumps) + " Multipliers have that error.")
    if determinant > MISSED:
        notes.append(
            "The determinant of the transition misses the integral of the trace: motions that die out, or grow, by many"
            " powers of ten within a period are not resolved, and their multipliers are not those told."
        )
    return tuple(notes)


def _cause(jumps: Sequence[float]) -> str:
    if not jumps:
        return "motions much faster than the period are not resolved."
    return f"forces or rates of states jump (step, sign, tables) at t = {_places(jumps)} s."


def _places(times: Sequence[float]) -> str:
    return ", ".join(f"{t:.6g}" for t in times[:SHOWN]) + (", ..." if len(times) > SHOWN else "")
