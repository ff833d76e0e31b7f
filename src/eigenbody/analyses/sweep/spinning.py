"""The joint that spins in a Campbell diagram: which of them, how fast, about which axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.sweep.tracking import PointModes
from eigenbody.analyses.sweep.walk import Outcome, Walk
from eigenbody.base.errors import Fault, InputError
from eigenbody.linearization.point import system_of
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown as printable

TURNS = 1e-9  # relative: an angular velocity that is none


@dataclass(frozen=True)
class Spinning:
    """A joint that spins, by the carriers of its two ends."""

    name: str
    ends: tuple[int, int]

    def rate(self, point: PointModes) -> float:
        """rad/s, positive."""
        return float(self.rates([point])[0])

    def rates(self, points: Sequence[PointModes]) -> np.ndarray:
        """The same (points,) at many: that of the end that turns faster, seen from the ground, with which unbalance
        turns; 0 where both ends turn alike."""
        spins = np.array([point.spins[list(self.ends)] for point in points])
        faster = np.linalg.norm(spins, axis=-1).max(axis=-1)
        apart = np.linalg.norm(self.relative(points), axis=-1)
        return np.asarray(np.where(apart > TURNS * faster, faster, 0.0))

    def relative(self, points: Sequence[PointModes]) -> np.ndarray:
        """(points, 3) angular velocity of the second end beside the first."""
        first, second = self.ends
        return np.array([point.spins[second] - point.spins[first] for point in points])

    def axis(self, point: PointModes) -> np.ndarray:
        """Angular velocity of the end that turns faster: its direction is that of forward whirl."""
        both = point.spins[list(self.ends)]
        return both[1] if np.linalg.norm(both[1]) >= np.linalg.norm(both[0]) else both[0]


def spinning_joint(model: InertModel, walk: Walk, name: str | None) -> Spinning | None:
    """The joint asked for, or the only one that spins; several that turn alike count as one."""
    good = good_points(walk.outcomes)
    candidates = spinning_joints(model, good)
    if name is not None:
        return next((joint for joint in candidates if joint.name == name), None)
    return candidates[0] if candidates and turn_alike(candidates, good) else None


def turn_alike(joints: Sequence[Spinning], good: Sequence[PointModes]) -> bool:
    """Whether joints turn at the same rate at all points."""
    rates = np.array([joint.relative(good) for joint in joints])
    return np.allclose(rates, rates[0], rtol=1e-9, atol=1e-9 * np.abs(rates).max(initial=0.0))


def good_points(outcomes: Sequence[Outcome]) -> list[PointModes]:
    """Those that did not fail."""
    return [outcome for outcome in outcomes if isinstance(outcome, PointModes)]


def refuse_several(model: InertModel, outcomes: Sequence[Outcome]) -> None:
    """Joints that turn at different rates at one point leave open which of them excites."""
    good = good_points(outcomes)
    candidates = spinning_joints(model, good)
    if candidates and not turn_alike(candidates, good):
        raise InputError(no_spin(candidates, None))


def spinning_joints(model: InertModel, good: Sequence[PointModes]) -> list[Spinning]:
    """Joints that spin at some point."""
    if not good:
        return []
    places = system_of(model).places
    fastest = max(float(np.abs(point.spins).max(initial=0.0)) for point in good)
    joints = [
        Spinning(entry.name, (places.carrier(entry["between"][0]), places.carrier(entry["between"][1])))
        for entry in model.description.joints
    ]
    least = TURNS * max(fastest, 1e-300)
    return [joint for joint in joints if joint.rates(good).max() > least]


def joint_named(model: InertModel, frame: str | None) -> str | None:
    """The frame where it is a joint."""
    return frame if frame in {entry.name for entry in model.description.joints} else None


def no_spin(candidates: Sequence[Spinning], joint: str | None) -> Fault:
    """Why no joint is taken for the one that spins."""
    spinning = [candidate.name for candidate in candidates]
    if joint is not None:
        remedy = f"These do: {', '.join(spinning)}." if spinning else "Give it a velocity."
        return Fault("joint", f'the joint "{printable(joint)}" does not spin at any point.', remedy)
    if spinning:
        return Fault("joint", f"several joints spin: {', '.join(spinning)}.", "Name the one that excites.")
    return Fault("per_rev", "no joint spins, so there are no excitation lines.", "Give a joint a velocity.")
