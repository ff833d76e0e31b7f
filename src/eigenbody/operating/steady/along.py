"""Steady motions along a path of variants of a model: each between its neighbours.

Both ends are searched for as if they were alone. Every point between two that are known starts from the interpolation
of both and is solved by Newton's method; all points halfway between known ones go together. What would make the answer
depend on the way is not taken: where Newton's method does not converge or ends far from where it was expected, the
point is searched for as if it were alone. A member of a family (the nearest to the start is asked for) is always found
alone, and so is a point with parameters to be found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from eigenbody.base.errors import EigenbodyError, in_one_line
from eigenbody.base.progress import report
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.family import Failed, Group, groups
from eigenbody.operating.steady.attempts import search
from eigenbody.operating.steady.between import NEAR, Neighbours, distance, led_from, solved_between
from eigenbody.operating.steady.found import SteadyPoint, judged, judged_alone
from eigenbody.operating.steady.motion import stable_one, with_stability

SHORT = 8  # points between two that are known that are tried at once
UNEVEN = 3.0  # times as fast along the path as beside it: a pair that is looked at
SAME = 1e-6  # rad, lengths of the mechanism, or their rates at its pace: two steady motions that are one


@dataclass(frozen=True, eq=False)
class Path:
    """Variants of a model at places along a path: values (n,) by name, places (n,)."""

    model: InertModel
    places: np.ndarray
    values: Mapping[str, np.ndarray]

    def at(self, i: int) -> tuple[float, dict[str, float]]:
        """Place and values."""
        return float(self.places[i]), {name: float(v[i]) for name, v in self.values.items()}

    def groups(self, index: Sequence[int]) -> Iterator[Group | Failed]:
        """Variants compiled together; numbers are positions in `index`."""
        return groups(self.model, {name: v[list(index)] for name, v in self.values.items()})


def asks_for_steady(model: InertModel) -> bool:
    """Whether the operating point of the model is a steady motion."""
    return (model.description.operating_point or {}).get("type") == "steady"


@on_one_thread
def steady_along(
    model: InertModel,
    places: np.ndarray,
    values: Mapping[str, np.ndarray],
    known: Sequence[SteadyPoint] = (),
) -> list[SteadyPoint | Failed]:
    """The steady motion at every place, between those that are `known`; or why there is none."""
    walk = _Walk(Path(model, np.asarray(places, dtype=float), values), sorted(known, key=lambda p: p.place))
    while walk.is_open:
        report(f"steady motions ({len(places)} points)", walk.share)
        walk.go_on()
    walk.leave_unstable()
    walk.name_jumps()
    return [walk.found[i] for i in range(len(walk.path.places))]


class _Walk:
    """What is found so far, by number."""

    def __init__(self, path: Path, known: list[SteadyPoint]) -> None:
        self.path, self.known = path, known
        self.found: dict[int, SteadyPoint | Failed] = {}
        self.order = [int(i) for i in np.argsort(path.places, kind="stable")]
        self.doubted: set[int] = set()  # points between neighbours that were not where they were expected

    @property
    def is_open(self) -> bool:
        return len(self.found) < len(self.order)

    @property
    def share(self) -> float:
        return len(self.found) / len(self.order)

    def entries(self) -> list[tuple[float, int | None, SteadyPoint | Failed | None]]:
        """Place, number (None for a known one) and what is found there, in the order of places."""
        own = [(float(self.path.places[i]), i, self.found.get(i)) for i in self.order]
        return sorted([*own, *((p.place, None, p) for p in self.known)], key=lambda entry: entry[0])

    def go_on(self) -> None:
        """One wave: the middle of every gap or all of a short one, and the ends that are open. Of those that are not
        found between their neighbours the middle one is searched for by itself: the others may have it as neighbour."""
        wave = list(self._waiting())
        between = [(i, around) for _, i, around in wave if around is not None and around.can_lead]
        self.found.update({i: found for i, found in self._between(between).items() if found is not None})
        self.doubted.update(i for i, _ in between if i not in self.found)
        gaps = {gap: [i for g, i, _ in wave if g == gap and i not in self.found] for gap, _, _ in wave}
        for left in gaps.values():
            if left:
                self.found[left[len(left) // 2]] = self.alone(left[len(left) // 2])

    def _waiting(self) -> Iterator[tuple[int, int, Neighbours | None]]:
        """Number of the gap, number of the point, what is known beside it."""
        gap: list[int] = []
        left: SteadyPoint | Failed | None = None
        for _, i, there in [*self.entries(), (np.inf, None, None)]:
            if there is None and i is not None:
                gap.append(i)
                continue
            if gap:
                yield from ((gap[0], i, around) for i, around in self._of_gap(gap, left, there))
            gap, left = [], there

    def _of_gap(
        self, gap: list[int], left: SteadyPoint | Failed | None, right: SteadyPoint | Failed | None
    ) -> Iterator[tuple[int, Neighbours | None]]:
        if left is None or right is None:
            ends = [i for i, beyond in ((gap[0], left), (gap[-1], right)) if beyond is None]
            yield from ((i, None) for i in dict.fromkeys(ends))
            return
        middle = gap[len(gap) // 2]
        if isinstance(left, Failed) or isinstance(right, Failed):
            yield middle, None
            return
        for i in gap if len(gap) <= SHORT else [middle]:
            share = (float(self.path.places[i]) - left.place) / (right.place - left.place or 1.0)
            yield i, Neighbours(left, right, share)

    def _between(self, wave: Sequence[tuple[int, Neighbours]]) -> dict[int, SteadyPoint | None]:
        """Those that are found where they were expected."""
        found: dict[int, SteadyPoint | None] = {}
        index = [i for i, _ in wave]
        for group in self.path.groups(index) if index else ():
            if isinstance(group, Failed):
                continue
            numbers = [index[k] for k in group.index]
            around = [wave[k][1] for k in group.index]
            for i, solution in zip(numbers, solved_between(group, around), strict=True):
                found[i] = None if solution is None else judged(self.path.at(i), *solution)
        return found

    def alone(self, i: int) -> SteadyPoint | Failed:
        """Searched for from where the model says."""
        try:
            place, values = self.path.at(i)
            model = self.path.model.with_values(values)
            asked = model.description.operating_point or {}
            solution = search(model, asked.get("prescribed") or {}, asked.get("adjust") or ())
            return judged_alone((place, values), solution)
        except (EigenbodyError, np.linalg.LinAlgError) as error:
            return Failed(i, in_one_line(error))

    # Unstable ones ----------------------------------------------------------------------------------------------------
    def leave_unstable(self) -> None:
        """Leave unstable steady motions for stable ones beside them. Neighbours with the same number of real growing
        exponents leave in vain together: another steady motion branches off only where one of these becomes zero."""
        run: list[tuple[int | None, SteadyPoint]] = []
        before: SteadyPoint | None = None
        for _, i, there in [*self.entries(), (np.inf, None, None)]:
            same = isinstance(there, SteadyPoint) and there.stability == "unstable"
            if run and (not same or not isinstance(there, SteadyPoint) or there.growing != run[-1][1].growing):
                self._leave(run, is_last_first=before is None and isinstance(there, SteadyPoint))
                before, run = run[-1][1], []
            if isinstance(there, SteadyPoint) and same:
                run.append((i, there))
            elif isinstance(there, SteadyPoint):
                before = there

    def _leave(self, run: list[tuple[int | None, SteadyPoint]], is_last_first: bool) -> None:
        new = [(i, p) for i, p in run if i is not None and not p.is_left]
        if not new or any(p.is_left for _, p in run):
            self._mark(new)
            return
        i, first = new[-1] if is_last_first else new[0]
        beside_it = self._stable(first)
        if beside_it is None:
            self._mark(new)
            return
        self.found[i] = beside_it
        self.doubted.update(k for k, _ in new)
        for k, other in new:
            if k != i:
                self.found[k] = self._stable(other) or replace(other, is_left=True)

    def _mark(self, new: Sequence[tuple[int, SteadyPoint]]) -> None:
        self.found.update({i: replace(p, is_left=True) for i, p in new})

    def _stable(self, found: SteadyPoint) -> SteadyPoint | None:
        motion = with_stability(found.solution, found.point, found.stability)
        stable, solution = stable_one(motion, found.solution)
        if stable is motion:
            return None
        return replace(judged_alone((found.place, found.values), solution), is_left=True, notes=stable.notes)

    # Branches ---------------------------------------------------------------------------------------------------------
    def name_jumps(self) -> None:
        """Say where neighbours are not on one branch. Looked at are pairs of which one was not where it was expected,
        between which a real exponent passes zero, or which are farther apart than those beside them let expect."""
        entries = [(i, p) for _, i, p in self.entries() if isinstance(p, SteadyPoint)]
        pairs = list(pairwise(entries))
        pace = [_pace(left, right) for (_, left), (_, right) in pairs]
        for n, ((i, left), (k, right)) in enumerate(pairs):
            if k is None and i is None:
                continue
            beside = pace[max(n - 1, 0) : n] + pace[n + 1 : n + 2]
            is_odd = pace[n] > UNEVEN * min(beside, default=0.0) and pace[n] > 0
            asked = {i, k} & self.doubted or left.growing != right.growing or is_odd
            if asked and not _on_one_branch(left, right):
                note = f"Between {_listed(left)} and {_listed(right)} (SI) the steady motion changes to another branch."
                number, at = (k, right) if k is not None else (i, left)
                assert number is not None
                self.found[number] = replace(at, notes=(*at.notes, note))


def _pace(left: SteadyPoint, right: SteadyPoint) -> float:
    """Distance of two steady motions per way along the path; 0 where they are near in any case."""
    away = distance(left.trial, right.trial, right.solution.pace, right.trial.chosen)
    return 0.0 if away <= NEAR else away / max(abs(right.place - left.place), 1e-300)


def _on_one_branch(left: SteadyPoint, right: SteadyPoint) -> bool:
    """Whether Newton's method goes from one to the other."""
    led = led_from(left, right)
    return led is not None and distance(led, right.trial, right.solution.pace) <= SAME


def _listed(there: SteadyPoint) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in there.values.items())
