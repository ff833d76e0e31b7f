"""Steady motions along a path of variants of a model: each between its neighbours.

Both ends are searched for as if they were alone. Every point between two that are known starts from the interpolation
of both and those beyond them, and is solved by Newton's method; points spread over all gaps go together. What would
make the answer depend on the way is not taken: where Newton's method does not converge or ends far from where it was
expected, the point is searched for as if it were alone. A member of a family (the nearest to the start is asked for) is
always found alone.
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
from eigenbody.operating.steady.between import Neighbours, solved_between
from eigenbody.operating.steady.branches import are_on_one_branch, is_bent
from eigenbody.operating.steady.found import Linearized, Parting, SteadyPoint, judged, judged_alone
from eigenbody.operating.steady.motion import stable_one, with_stability

SHORT = 8  # points between two that are known that are tried at once, at most


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
        self.sure: set[int] = set()  # points that are on one branch with known ones on either side

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
        """One wave: points spread over every gap or all of a short one, and the ends that are open. Of those that are
        not found between their neighbours the middle one is searched for by itself: the others may have it as
        neighbour."""
        wave = list(self._waiting())
        between = [(i, around) for _, i, around in wave if around is not None and around.can_lead]
        self.found.update(self._between(between))
        self.doubted.update(i for i, _ in between if i not in self.found)
        self.sure.update(i for i, around in between if i in self.found and self._is_sure(self.found[i], around))
        gaps = {gap: [i for g, i, _ in wave if g == gap and i not in self.found] for gap, _, _ in wave}
        for left in gaps.values():
            if left:
                self.found[left[len(left) // 2]] = self.alone(left[len(left) // 2])

    def _waiting(self) -> Iterator[tuple[int, int, Neighbours | None]]:
        """Number of the gap, number of the point, what is known beside it."""
        gap: list[int] = []
        done: list[SteadyPoint | Failed] = []  # left of the gap
        entries = self.entries()
        for n, (_, i, there) in enumerate([*entries, (np.inf, None, None)]):
            if there is None and i is not None:
                gap.append(i)
                continue
            if gap:
                ahead = [found for _, _, found in entries[n:] if found is not None]
                yield from ((gap[0], i, around) for i, around in self._of_gap(gap, done[-2:], ahead[:2]))
            gap = []
            done += [there] if there is not None else []

    def _of_gap(
        self, gap: list[int], before: list[SteadyPoint | Failed], ahead: list[SteadyPoint | Failed]
    ) -> Iterator[tuple[int, Neighbours | None]]:
        """Points of a gap to be found now, from up to two that are known on either side."""
        if not before or not ahead:
            ends = [i for i, beyond in ((gap[0], before), (gap[-1], ahead)) if not beyond]
            yield from ((i, None) for i in dict.fromkeys(ends))
            return
        left, right = before[-1], ahead[0]
        if isinstance(left, Failed) or isinstance(right, Failed):
            yield gap[len(gap) // 2], None
            return
        beyond = tuple(one for one in (*before[:-1], *ahead[1:]) if isinstance(one, SteadyPoint))
        for i in gap if len(gap) <= SHORT else spread_over(gap, SHORT):
            yield i, Neighbours(left, right, float(self.path.places[i]), beyond)

    def _between(self, wave: Sequence[tuple[int, Neighbours]]) -> dict[int, SteadyPoint]:
        """Those that are found where they were expected."""
        solved: dict[int, Linearized] = {}
        index = [i for i, _ in wave]
        for group in self.path.groups(index) if index else ():
            if isinstance(group, Failed):
                continue
            around = [wave[k][1] for k in group.index]
            for k, solution in zip(group.index, solved_between(group, around), strict=True):
                solved |= {} if solution is None else {index[k]: solution}
        found = judged([self.path.at(i) for i in solved], list(solved.values()))
        return {i: there for i, there in zip(solved, found, strict=True) if isinstance(there, SteadyPoint)}

    def _is_sure(self, found: SteadyPoint | Failed, around: Neighbours) -> bool:
        """Whether a point is where it was surely expected between known ones, which were found to be on one branch."""
        left, right, known = around.left, around.right, {p.place for p in self.known}
        is_one = all((p.low, p.high) != (left.place, right.place) for p in (*left.partings, *right.partings))
        return isinstance(found, SteadyPoint) and found.is_expected and {left.place, right.place} <= known and is_one

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
        between which a real exponent passes zero, or beside which the way bends; two that are alone in any case."""
        entries = [(i, p) for _, i, p in self.entries() if isinstance(p, SteadyPoint)]
        points = [p for _, p in entries]
        pairs = list(pairwise(entries))
        looked_at = [n for n, pair in enumerate(pairs) if {i for i, _ in pair} - self.sure - {None}]
        near = {m for n in looked_at for m in (n, n + 1) if 0 < m < len(points) - 1}
        bent = {m for m in near if is_bent(*points[m - 1 : m + 2])}
        for n in looked_at:
            (i, left), (k, right) = pairs[n]
            asked = {i, k} & self.doubted or left.growing != right.growing or {n, n + 1} & bent or len(pairs) == 1
            if asked and not are_on_one_branch(self.path.model, left, right):
                self._part(i, left, k, right)

    def _part(self, i: int | None, left: SteadyPoint, k: int | None, right: SteadyPoint) -> None:
        """Note that two neighbours are on different branches, at the one that is new."""
        note = f"Between {_listed(left)} and {_listed(right)} (SI) the steady motion changes to another branch."
        number = k if k is not None else i
        assert number is not None
        at = self.found[number]
        assert isinstance(at, SteadyPoint)
        parting = Parting(left.place, right.place, note)
        self.found[number] = replace(at, notes=(*at.notes, note), partings=(*at.partings, parting))


def spread_over(numbers: Sequence[int], count: int) -> list[int]:
    """So many of the numbers, evenly."""
    places = np.linspace(0, len(numbers) - 1, count + 2)[1:-1]
    return [numbers[int(k)] for k in np.round(places)]


def _listed(there: SteadyPoint) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in there.values.items())
