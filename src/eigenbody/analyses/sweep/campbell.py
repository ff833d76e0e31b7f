"""Campbell diagram: frequencies over speed, sense of whirl, excitation lines and critical speeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from eigenbody.analyses.modes import modes_in_frames, tracked_rows
from eigenbody.analyses.sweep.critical import critical_places, expected_places
from eigenbody.analyses.sweep.describe import WHIRLS, branch_patterns, whirl_sense, whirl_word
from eigenbody.analyses.sweep.follow import HALVINGS, Sweep, branches_of, collected, finished, values_at, walked
from eigenbody.analyses.sweep.observed import constant_observer, modes_in_frame, who_sees
from eigenbody.analyses.sweep.points import modes_along
from eigenbody.analyses.sweep.shared import shared_points
from eigenbody.analyses.sweep.spinning import (
    TURNS,
    Spinning,
    good_points,
    joint_named,
    no_spin,
    refuse_several,
    spinning_joint,
    spinning_joints,
)
from eigenbody.analyses.sweep.tracking import PointModes
from eigenbody.analyses.sweep.values import Values, few_of, path_of
from eigenbody.analyses.sweep.walk import Stretch, Walk
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.point import system_of
from eigenbody.linearization.subject import Subject
from eigenbody.linearization.turning import turning_coordinates, turning_flexible
from eigenbody.many.run import Crew
from eigenbody.model.model import InertModel
from eigenbody.model.names import GROUND
from eigenbody.model.source import shown as printable
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for
from eigenbody.operating.find import operating_point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PASSED = 1e-12  # relative: a place at which an eigenvalue passes through zero
ASK_THERE = (
    "They are constant for one who turns with {0}: leave out the orders, or ask for --frame {0} with orders counted"
    " there (0 for unbalance, 1 for weight)."
)


@dataclass(frozen=True)
class CriticalSpeed:
    """A branch meets an excitation line: |imaginary part| = order * spin."""

    branch: int
    order: float
    values: dict[str, float]  # of the parameters
    spin: float  # rad/s
    frequency: float  # rad/s, |imaginary part|


@dataclass(frozen=True, eq=False)
class Campbell(Sweep):
    """A sweep over a speed.

    turning          coordinates measured in axes that turn, without `frame`: frequencies are those seen from there
    spin             (points,) rad/s, positive: rate of the spinning joint at the operating point; nan at failed points
    whirl            of each branch: "forward" with the spin, "backward", "none" (not circular) or "mixed"
    whirl_frequency  (points, branches) imaginary part with the sign of the whirl: positive with the spin; nan where the
                     motion does not whirl
    """

    is_over_speed: ClassVar[bool] = True
    joint: str  # that spins, "" where none or none in particular does
    frame: str  # in which the modes are measured, "" for the coordinates of the model
    turning: tuple[str, ...]
    per_rev: tuple[float, ...]
    spin: np.ndarray
    whirl: tuple[str, ...]
    whirl_frequency: np.ndarray
    critical_speeds: tuple[CriticalSpeed, ...]

    def plot(self, signed: bool = False, modes: Sequence[int] | None = None) -> Figure:
        """Frequencies over the parameter with excitation lines and critical speeds, and damping ratios below.

        `signed` draws backward whirl with negative frequencies; `modes` are the numbers of the branches to draw,
        counted from 1.
        """
        return self.look.diagram(self, signed, self.numbered(modes))

    def locus(self, modes: Sequence[int] | None = None) -> Figure:
        """Root locus: eigenvalues in the complex plane, coloured by the parameter."""
        return self.look.plot(self, self.numbered(modes))

    def numbered(self, modes: Sequence[int] | None) -> list[int] | None:
        """Places of branches that are numbered from 1; a number that none has is refused."""
        if modes is None:
            return None
        wrong = [str(number) for number in modes if not 1 <= number <= len(self.labels)]
        if wrong or not len(modes):
            what = f"there is no branch {', '.join(wrong)}." if wrong else "no branch is given."
            raise InputError(Fault("modes", what, f"Branches are counted from 1 to {len(self.labels)}."))
        return list(dict.fromkeys(number - 1 for number in modes))


@on_one_thread
def campbell(
    model: Subject,
    parameter: str | Mapping[str, Values],
    values: Values | None = None,
    per_rev: Sequence[float] | None = None,
    frame: str | None = None,
    joint: str | None = None,
    n: int | None = None,
    refine: int = HALVINGS,
    workers: int | None = None,
    client: Any = None,
    store: str | Path | None = None,
) -> Campbell:
    """Frequencies over a parameter that changes a speed, with the critical speeds.

    The spin is read from the operating point of every point: it is the rate of `joint`, by default of the one joint
    that spins, whatever the parameter's unit. `per_rev` lists the orders of excitation: lines of frequency
    order * spin, by default once per revolution, none for an empty list. With `frame` (a moving frame of the model or a
    joint) modes are measured in the frame that turns with it; there unbalance stands still and the default order is 0.
    "ground" asks for coordinates measured from there where the model's own turn and their equations are not constant.
    Where the model's own coordinates are measured from bodies that turn, 0 and 1 are the default.
    For the rest see `sweep`.
    """
    model = model_asking_for(model)
    path = path_of(model, parameter, values)
    per_rev = None if per_rev is None else _asked_orders(per_rev)
    orders = partial(_orders, model, per_rev, frame)
    _refuse_unknown(model, frame, joint)
    if frame is not None and n is not None:
        raise InputError(Fault("n", "in a rotating frame all modes are followed.", "Leave it out."))
    few = few_of(model, n)

    evaluate = partial(modes_along, model, n=few) if frame is None else partial(modes_in_frame, model, frame=frame)
    asked = bool(per_rev)
    if asked and joint is None and joint_named(model, frame) is None:
        refuse_several(model, evaluate(Stretch(np.zeros(1), path.at(np.zeros(1)))))  # before the others are computed
    named = joint or joint_named(model, frame)

    def criticals(walk: Walk) -> Sequence[float]:
        spinning = spinning_joint(model, walk, named)
        return () if spinning is None else expected_places(walk, *branches_of(walk), orders(walk), spinning.rate)

    points = shared_points(model, path, evaluate, Crew(workers, client), store, {"n": few, "frame": frame})
    walk = walked(model, path, evaluate, refine, criticals, points)
    spinning = spinning_joint(model, walk, named)
    if spinning is None and (joint is not None or asked):
        raise InputError(no_spin(spinning_joints(model, good_points(walk.outcomes)), joint))
    found = finished(lambda: _campbell(model, walk, spinning, orders(walk), frame), walk)
    observer = constant_observer(found) if frame is None else None
    if observer is None:
        return found
    if per_rev is not None and observer != GROUND:
        return replace(found, notes=(*found.notes, ASK_THERE.format(observer)))
    own = campbell(model, parameter, values, per_rev, observer, joint, None, refine, workers, client, store)
    return replace(own, notes=(who_sees(observer), *own.notes))


# Excitation -----------------------------------------------------------------------------------------------------------
def _asked_orders(per_rev: Sequence[float]) -> tuple[float, ...]:
    orders = tuple(dict.fromkeys(float(order) for order in per_rev))
    if not all(np.isfinite(order) and order >= 0 for order in orders):
        raise InputError(Fault("per_rev", "orders of excitation are numbers, zero or positive."))
    return orders


def _orders(model: InertModel, per_rev: Sequence[float] | None, frame: str | None, walk: Walk) -> tuple[float, ...]:
    """Those asked for; else once a revolution, and what stands still where coordinates turn."""
    if per_rev is not None:
        return tuple(per_rev)
    if frame is not None:
        return (1.0,) if frame == GROUND else (0.0,)
    return (0.0, 1.0) if _turning(model, walk) else (1.0,)


def _turning(model: InertModel, walk: Walk) -> tuple[str, ...]:
    """Coordinates measured in axes that turn, at the last point where one may."""
    system, good = system_of(model), [i for i in walk.good if np.any(walk.outcomes[i].spins)]
    if not good or walk.outcomes[good[-1]].patterns is not None:
        return ()
    turning = walk.outcomes[good[-1]].spins.any(axis=-1)
    measured_from = [turning[group.pairs.first].any() for group in system.joints if group.type.free]
    shapes = (body.name for body in system.description.flexible if body.symmetry is None)
    if not any(measured_from) and not any(turning[system.places.index[name]] for name in shapes):
        return ()
    point = operating_point(model.with_values(values_at(walk, float(walk.t[good[-1]]))))
    return (*turning_coordinates(point), *(f"shapes of {body}" for body in turning_flexible(point)))


def _refuse_unknown(model: InertModel, frame: str | None, joint: str | None) -> None:
    joints = [entry.name for entry in model.description.joints]
    frames = [*(entry.name for entry in model.description.frames), *joints, GROUND]
    for name, known, place in ((frame, frames, "frame"), (joint, joints, "joint")):
        if name is not None and name not in known:
            raise InputError(Fault(place, f'there is no {place} "{printable(name)}".', suggest(name, known)))


# Result ---------------------------------------------------------------------------------------------------------------
def _campbell(
    model: InertModel, walk: Walk, spinning: Spinning | None, orders: tuple[float, ...], frame: str | None
) -> Campbell:
    shown, lower = branches_of(walk)
    axes = None if spinning is None else _axes(walk, spinning)
    base = collected(walk, model, with_boundaries=True, axes=axes, in_frame=frame is not None)
    speed = np.full(len(walk.t), np.nan)
    signed = np.full(base.eigenvalues.shape, np.nan)
    whirl = ("none",) * len(shown)
    criticals: tuple[CriticalSpeed, ...] = ()
    patterns = branch_patterns(good_points(walk.outcomes), walk.track, shown)
    if spinning is not None and axes is not None:
        speed[walk.good] = _rates(walk, spinning)
        sense = whirl_sense(walk.track.fronts, shown, len(tracked_rows(system_of(model)).names), axes)
        sense = np.where(np.isnan(patterns.sense), sense, patterns.sense)
        imaginary = base.eigenvalues.imag[walk.good]
        turning = np.where(np.abs(np.nan_to_num(sense)) > WHIRLS, np.sign(sense), np.nan)
        signed[walk.good] = turning * imaginary
        fixed = turning * imaginary + (speed[walk.good][:, None] if frame not in (None, GROUND) else 0.0)
        spins = speed[walk.good] > 0
        whirl = tuple(own or whirl_word(fixed[spins, k], sense[spins, k]) for k, own in enumerate(patterns.whirl))
        if not walk.interrupted:
            found = critical_places(walk, shown, lower, orders, spinning.rate)
            criticals = tuple(
                CriticalSpeed(c.branch, c.order, values_at(walk, c.t), c.spin, c.order * c.spin) for c in found
            )
            if 0 in orders:  # what stands still is in resonance where an eigenvalue is zero
                criticals += tuple(_standing(walk, spinning, shown))
    own = {f.name: getattr(base, f.name) for f in fields(Sweep)}
    own["labels"] = tuple(
        pattern or label + (f", {sense} whirl" if sense in ("forward", "backward") else "")
        for pattern, label, sense in zip(patterns.words, base.labels, whirl, strict=True)
    )
    own["notes"] = (*base.notes, *_frame_notes(model, walk, frame), *_spin_notes(model, walk, spinning))
    return Campbell(
        **own,
        joint="" if spinning is None else spinning.name,
        frame="" if frame in (None, GROUND) else str(frame),
        turning=() if frame is not None or walk.interrupted else _turning(model, walk),
        per_rev=orders if spinning is not None else (),
        spin=speed,
        whirl=whirl,
        whirl_frequency=signed,
        critical_speeds=criticals,
    )


def _standing(walk: Walk, spinning: Spinning, shown: np.ndarray) -> Iterator[CriticalSpeed]:
    """Where a real eigenvalue passes through zero: between places at which the product of all has other signs."""
    from scipy.optimize import brentq

    def passing(t: float) -> float:
        outcome = walk.branch_at(np.array([t]), shown[None, :]).outcomes[0]
        return _least(outcome) if isinstance(outcome, PointModes) else np.nan

    is_free = walk.track.is_rigid[:, shown].all(axis=0)
    known = sorted((t, _least(outcome)) for t, outcome in walk.seen.items() if isinstance(outcome, PointModes))
    for (a, left), (b, right) in pairwise(known):
        if not left * right < 0:
            continue
        place = brentq(passing, a, b, xtol=PASSED * max(abs(a), abs(b)), rtol=PASSED)
        there = walk.branch_at(np.array([place]), shown[None, :])
        if isinstance(there.outcomes[0], PointModes):
            size = np.where(is_free, np.nan, np.abs(there.values[0]))
            rate = spinning.rate(there.outcomes[0])
            yield CriticalSpeed(int(np.nanargmin(size)), 0.0, values_at(walk, place), rate, 0.0)


def _least(point: PointModes) -> float:
    """The least eigenvalue by magnitude, with the sign of the product of all but zeros."""
    values = point.eigenvalues[~point.is_rigid]
    growing = np.count_nonzero((values.imag == 0) & (values.real > 0))
    return float((-1) ** growing * np.abs(values).min(initial=np.inf))


def _rates(walk: Walk, spinning: Spinning) -> np.ndarray:
    return spinning.rates(good_points([walk.outcomes[i] for i in walk.good]))


def _axes(walk: Walk, spinning: Spinning) -> np.ndarray:
    """(good points, 3) unit vectors along the spin; where there is none that of the nearest point."""
    vectors = np.array([spinning.axis(point) for point in good_points([walk.outcomes[i] for i in walk.good])])
    size = np.linalg.norm(vectors, axis=1)
    turning = np.flatnonzero(size > TURNS * size.max())
    nearest = turning[np.argmin(np.abs(np.arange(len(size))[:, None] - turning), axis=1)]
    return vectors[nearest] / size[nearest][:, None]


def _frame_notes(model: InertModel, walk: Walk, frame: str | None) -> tuple[str, ...]:
    """What the frame does to the eigenvalues, and whether the equations are constant in it (at the last point)."""
    turning = [i for i in walk.good if np.abs(walk.outcomes[i].spins).max(initial=0.0) > 0]
    if frame in (None, GROUND) or not turning or walk.interrupted:
        return ()
    variant = model.with_values(values_at(walk, float(walk.t[turning[-1]])))
    about = "Measured in the rotating frame: circular motion sideways to the axis is shifted by the spin."
    return (about, *modes_in_frames(variant, frame).notes[1:])


def _spin_notes(model: InertModel, walk: Walk, spinning: Spinning | None) -> tuple[str, ...]:
    if spinning is not None:
        return ()
    several = ", ".join(joint.name for joint in spinning_joints(model, good_points(walk.outcomes)))
    if several:
        return (f"Several joints spin ({several}): name one for excitation lines and critical speeds.",)
    return ("No joint spins: there are no excitation lines and no critical speeds.",)
