"""The points of a sweep: evaluated in batches, refined where modes cannot be told apart, and modes between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np

from eigenbody.analyses.sweep.told import told_once
from eigenbody.analyses.sweep.tracking import (
    Failure,
    PointModes,
    Scales,
    Spectrum,
    Track,
    follow,
    scales_of,
    spectrum,
    step,
)
from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report

BATCH = 64  # points evaluated together
ADDED = 4  # times the points asked for: at most that many are added
BRIEF = 12  # messages of failed points in an error

Outcome = PointModes | Failure


@dataclass(frozen=True, eq=False)
class Stretch:
    """Places (k,) along a path with their parameter values, and what is known at others."""

    t: np.ndarray
    values: dict[str, np.ndarray]
    known: Sequence[PointModes] = ()


Evaluate = Callable[[Stretch], list[Outcome]]


class Stopped(KeyboardInterrupt):
    """Ctrl-C amid an evaluation; `done` are the outcomes before it."""

    def __init__(self, done: Sequence[Outcome]) -> None:
        super().__init__("interrupted")
        self.done = list(done)


@dataclass(frozen=True, eq=False)
class Seen:
    """Branches at places between the points: eigenvalues (nan where there is none), indices of the modes (-1), and all
    that was found there."""

    values: np.ndarray
    mode: np.ndarray
    outcomes: list[Outcome]
    spectra: list[Spectrum | None]


@dataclass(frozen=True, eq=False)
class Path:
    """Parameter values (points,) by name; t counts points, between two of them all parameters change in proportion."""

    values: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    def at(self, t: np.ndarray) -> dict[str, np.ndarray]:
        """Values at places t along the path."""
        low = np.clip(np.floor(t).astype(int), 0, max(len(self) - 2, 0))
        high = np.minimum(low + 1, len(self) - 1)
        share = t - low
        return {name: v[low] + share * (v[high] - v[low]) for name, v in self.values.items()}


@dataclass(eq=False)
class Walk:
    """Outcomes at places t along a path, and branches over those that succeeded. Grows while modes are in doubt."""

    path: Path
    evaluate: Evaluate
    weights: tuple[np.ndarray, np.ndarray]  # mass and inertia of the bodies
    t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    outcomes: list[Outcome] = field(default_factory=list)
    spectra: list[Spectrum] = field(default_factory=list)  # of the good points
    good: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))  # indices of the good points
    interrupted: bool = False
    sought: str = "at points"  # where signs of real parts were looked at: there or "between points" too
    unsettled: np.ndarray = field(default_factory=lambda: np.zeros(0))  # where one may change between two points unseen
    seen: dict[float, Outcome] = field(default_factory=dict)  # at every place that was evaluated

    _spectra: dict[PointModes, Spectrum] = field(default_factory=dict)
    scales: Scales = field(init=False)
    track: Track = field(init=False)

    def begin(self, points: Iterable[Outcome] | None = None) -> None:
        """Evaluate the points of the path, or take what others find there."""
        t = np.arange(len(self.path), dtype=float)
        self.outcomes = self._outcomes(t, "sweeping") if points is None else self._taken(t, points)
        self.t = t[: len(self.outcomes)]
        self._refuse_failure()
        modes = [outcome for outcome in self.outcomes if isinstance(outcome, PointModes)]
        self.scales = scales_of(modes, *self.weights)
        self._follow()

    def refine(self, halvings: int) -> None:
        """Halve steps over which modes are in doubt, again and again but at most so many times."""
        while not self.interrupted:
            room = max(0, (1 + ADDED) * len(self.path) - len(self.t))
            middle = self._in_doubt(0.5**halvings)[:room]
            if not len(middle):
                return
            self.add(middle)

    def add(self, t: np.ndarray) -> None:
        """Evaluate more places and follow the branches anew."""
        found = self._outcomes(t, "telling modes apart")
        places = np.concatenate((self.t, t[: len(found)]))
        order = np.argsort(places, kind="stable")
        self.t = places[order]
        self.outcomes = [(self.outcomes + found)[i] for i in order]
        self._follow()

    def look_at(self, t: np.ndarray) -> None:
        """Evaluate places that will be asked for, together."""
        self._outcomes(t, "closing in")
        if self.interrupted:
            raise KeyboardInterrupt

    def steps(self) -> np.ndarray:
        """(k,) good points (positions among the good ones) whose next point is good too."""
        return np.flatnonzero(np.diff(self.good) == 1)

    def doubts(self) -> np.ndarray:
        """(k,) of these steps those over which some mode remains in doubt."""
        steps = self.steps()
        return steps[self.track.doubtful[steps].any(axis=1)]

    def branch_at(self, t: np.ndarray, branch: np.ndarray) -> Seen:
        """One or more branches (k, ...) at each place t (k,), found from the nearest point."""
        outcomes = self._outcomes(t, "closing in")
        if self.interrupted:
            raise KeyboardInterrupt
        nothing = complex(np.nan, np.nan)
        seen = Seen(np.full(branch.shape, nothing), np.full(branch.shape, -1), outcomes, [None] * len(t))
        places = self.t[self.good]
        for i, outcome in enumerate(outcomes):
            if isinstance(outcome, PointModes):
                seen.spectra[i] = there = self._spectrum(outcome)
                index = step(self.track.fronts[int(np.argmin(np.abs(places - t[i])))], there).index
                known = np.where(branch[i] < len(index), index[np.minimum(branch[i], len(index) - 1)], -1)
                seen.mode[i] = known
                seen.values[i] = np.where(known >= 0, there.eigenvalues[known], nothing)
        return seen

    def _taken(self, t: np.ndarray, points: Iterable[Outcome]) -> list[Outcome]:
        """What others find at these places; Ctrl-C ends it early."""
        try:
            for place, outcome in zip(t.tolist(), points, strict=True):
                self.seen[place] = outcome
        except KeyboardInterrupt as stopped:
            self.interrupted = True
            done = stopped.done if isinstance(stopped, Stopped) else []
            self.seen.update(zip(t[len(self.seen) :].tolist(), done, strict=False))
            if not any(isinstance(o, PointModes) for o in self.seen.values()):
                raise
        return list(self.seen.values())

    def _outcomes(self, t: np.ndarray, stage: str) -> list[Outcome]:
        """In batches, each place once; Ctrl-C ends it early, and gives those up to the first that is missing."""
        new = np.array(list(dict.fromkeys(x for x in t.tolist() if x not in self.seen)))
        part = new[:0]
        try:
            for start in range(0, len(new), BATCH):
                part = new[start : start + BATCH]
                report(f"{stage} ({len(t)} points)", start / len(new))
                known = [o for o in self.seen.values() if isinstance(o, PointModes)]
                found = self.evaluate(Stretch(part, self.path.at(part), known))
                self.seen.update(zip(part.tolist(), found, strict=True))
        except KeyboardInterrupt as stopped:
            self.interrupted = True
            done = stopped.done if isinstance(stopped, Stopped) else []
            self.seen.update(zip(part.tolist(), done, strict=False))
            if not any(isinstance(o, PointModes) for o in self.seen.values()):
                raise
        return [self.seen[x] for x in takewhile(self.seen.__contains__, t.tolist())]

    def _refuse_failure(self) -> None:
        """Only if no point succeeds there is nothing to show."""
        messages = [outcome.message for outcome in self.outcomes if isinstance(outcome, Failure)]
        if len(messages) == len(self.outcomes):
            different = told_once(messages)[:BRIEF]
            raise ComputationError(f"None of the {len(messages)} points of the sweep succeeded. " + " ".join(different))

    def _follow(self) -> None:
        modes = [(i, o) for i, o in enumerate(self.outcomes) if isinstance(o, PointModes)]
        self.good = np.array([i for i, _ in modes])
        self.spectra = [self._spectrum(outcome) for _, outcome in modes]
        self.track = follow(self.spectra)

    def _spectrum(self, outcome: PointModes) -> Spectrum:
        if outcome not in self._spectra:
            self._spectra[outcome] = spectrum(outcome, self.scales)
        return self._spectra[outcome]

    def _in_doubt(self, shortest: float) -> np.ndarray:
        """Middles of the steps to halve."""
        left = self.good[self.doubts()]
        wide = left[self.t[left + 1] - self.t[left] > 1.5 * shortest]
        return (self.t[wide] + self.t[wide + 1]) / 2
