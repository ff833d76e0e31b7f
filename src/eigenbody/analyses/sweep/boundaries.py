"""Where a sweep turns unstable or stable: closed in to rounding on the branch that crosses the imaginary axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.sweep.roots import Values, borders, roots
from eigenbody.analyses.sweep.tracking import Spectrum
from eigenbody.analyses.sweep.walk import Walk

MIRRORED = 1e-5  # relative: an eigenvalue that is the mirror image of another
STILL = 1e-6  # frequency, relative to the branch's largest eigenvalue, that counts as none


@dataclass(frozen=True)
class Crossing:
    """A branch (index into the sweep's) begins or ceases to grow at the place t of the path."""

    branch: int
    t: float
    kind: str  # "flutter" with a frequency, "divergence" without
    begins: bool  # growth begins here, going along the path
    frequency: float  # rad/s


@dataclass(frozen=True)
class _Change:
    """A branch does not grow at one end of a bracket and grows at the other; `smooth` where its real part says so."""

    branch: int
    ends: tuple[float, float]
    real: tuple[float, float]
    begins: bool
    smooth: bool


def stability_crossings(walk: Walk, shown: np.ndarray, lower: np.ndarray) -> tuple[Crossing, ...]:
    """Every change between growing and not growing of the branches shown, in the order of the path."""
    changes = _changes(walk, shown, lower)
    if not changes:
        return ()
    smooth = [change for change in changes if change.smooth]
    hard = [change for change in changes if not change.smooth]
    t = np.concatenate((_of_real_part(walk, shown, smooth), _of_growth(walk, shown, hard)))
    ordered = [*smooth, *hard]
    kept = np.flatnonzero(~np.isnan(t))
    branch = np.array([change.branch for change in ordered])
    found = walk.branch_at(t[kept], shown[branch[kept]]).values
    crossings = []
    for k, value in zip(kept, found, strict=True):
        largest = np.nanmax(np.abs(walk.track.values[:, shown[branch[k]]]))
        still = not abs(value.imag) > STILL * largest
        kind, frequency = ("divergence", 0.0) if still else ("flutter", float(abs(value.imag)))
        crossings.append(Crossing(int(branch[k]), float(t[k]), kind, ordered[k].begins, frequency))
    return tuple(sorted(crossings, key=lambda c: (c.t, c.branch)))


def _changes(walk: Walk, shown: np.ndarray, lower: np.ndarray) -> list[_Change]:
    """Steps over which a branch changes; the lower half of a pair says the same as the upper one."""
    steps, places = walk.steps(), walk.t[walk.good]
    growth, values = walk.track.growth[:, shown], walk.track.values[:, shown]
    there = ~np.isnan(values.real)
    changes = ((growth[steps] > 0) != (growth[steps + 1] > 0)) & there[steps] & there[steps + 1]
    changes &= ~(lower & (values[steps].imag < 0) & (values[steps + 1].imag < 0))
    return [
        _Change(
            branch=int(k),
            ends=(places[i], places[i + 1]),
            real=(values[i, k].real, values[i + 1, k].real),
            begins=bool(growth[i + 1, k] > 0),
            smooth=bool(growth[i, k] * growth[i + 1, k] < 0),
        )
        for i, k in ((steps[a], k) for a, k in zip(*np.nonzero(changes), strict=True))
    ]


def _real_part(walk: Walk, column: np.ndarray) -> Values:
    return lambda t, which: walk.branch_at(t, column[which]).values.real


def _of_real_part(walk: Walk, shown: np.ndarray, changes: list[_Change]) -> np.ndarray:
    ends = np.array([change.ends for change in changes]).reshape(-1, 2).T
    real = np.array([change.real for change in changes]).reshape(-1, 2).T
    column = shown[np.array([change.branch for change in changes], dtype=int)]
    return roots(_real_part(walk, column), *ends, *real)


def _of_growth(walk: Walk, shown: np.ndarray, changes: list[_Change]) -> np.ndarray:
    """Where real parts leave zero: an undamped motion has none to find the root of."""
    inside = np.array([change.ends[1 if change.begins else 0] for change in changes])
    outside = np.array([change.ends[0 if change.begins else 1] for change in changes])
    column = shown[np.array([change.branch for change in changes], dtype=int)]

    def growing(t: np.ndarray, which: np.ndarray) -> np.ndarray:
        seen = walk.branch_at(t, column[which])
        return np.array([_grows(s, value) for s, value in zip(seen.spectra, seen.values, strict=True)], dtype=bool)

    return borders(growing, inside, outside)[0]


def _grows(there: Spectrum | None, value: complex) -> bool:
    """Whether a mode grows, or its mirror image at the imaginary axis: two undamped modes that collide part to both
    sides, and which of the two goes on as which is a matter of choice."""
    if there is None or np.isnan(value.real):
        return False
    mirror = np.abs(there.eigenvalues + np.conj(value)) <= MIRRORED * abs(value)
    return bool((there.growth[mirror | (there.eigenvalues == value)] > 0).any())
