"""Branches of a sweep in words: which body moves how, and the sense of its whirl about the spin axis."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes import TrackedRows
from eigenbody.analyses.sweep.tracking import Front, PointModes, Track, body_scales
from eigenbody.spatial.rotations import frame

WHIRLS = 0.2  # excess of one sense over the other, as share of the whole motion, that makes a whirl
BENT = ("bending", "bending along the axis")
BENT_PART = 0.02  # energy of displacements beyond a common translation, from which a flexible body bends
TWISTS = 0.01  # displacements over rotations of nodes below which a flexible body twists
LASTS = 0.15  # share of the points of a branch that must say what it is
ALONE = 0.6  # share of the kinetic energy that lets one body (or direction) stand for the mode


def whirl_sense(fronts: Sequence[Front], branches: np.ndarray, bodies: int, axes: np.ndarray) -> np.ndarray:
    """(points, branches) from -1 to 1: excess of counterclockwise over clockwise motion about `axes` (points, 3).

    Of the shape as it stands, whose motion is Re(shape exp(i w t)) with w > 0; kinetic energies are compared. nan where
    a branch is not there.
    """
    sense = np.full((len(fronts), len(branches)), np.nan)
    for i, (front, R) in enumerate(zip(fronts, frame(axes), strict=True)):
        known = branches < len(front.values)
        motion = _body_part(front.vectors[branches[known]], bodies) @ R  # along e1, e2 and the axis
        one, two = motion[..., 0], motion[..., 1]
        excess = (np.abs(one + 1j * two) ** 2 - np.abs(one - 1j * two) ** 2).sum(axis=(1, 2)) / 4
        whole = (np.abs(motion) ** 2).sum(axis=(1, 2, 3))
        sense[i, known] = 2 * excess / np.where(whole > 0, whole, 1.0)
    return sense


@dataclass(frozen=True, eq=False)
class BranchPatterns:
    """What blades do in each branch: words (branches,) and whirl (branches,), "" where they do not lead, and the sense
    of whirl (points, branches) from -1 to 1, nan where it is not theirs."""

    words: tuple[str, ...]
    whirl: tuple[str, ...]
    sense: np.ndarray


def branch_patterns(points: Sequence[PointModes], track: Track, branches: np.ndarray) -> BranchPatterns:
    """Of branches over the points of a walk, by what most points say."""
    sense = np.full((len(points), len(branches)), np.nan)
    words: list[str] = []
    whirls: list[str] = []
    for k, branch in enumerate(branches):
        said: list[str] = []
        for i, point in enumerate(points):
            mode = int(track.index[i, branch])
            if point.patterns is None or mode < 0 or point.is_rigid[mode % len(point.patterns)]:
                continue
            above = np.flatnonzero(point.eigenvalues.imag > 0)
            is_conjugate = mode >= len(point.patterns)
            own = point.patterns[int(above[mode - len(point.patterns)]) if is_conjugate else mode]
            said.append(own.label)
            if own.label:
                sense[i, k] = -own.sense if is_conjugate else own.sense
        words.append(_first_and_last(said))
        whirls.append(_lasting_whirl(sense[:, k]) if words[-1] else "")
    return BranchPatterns(tuple(words), tuple(whirls), sense)


def _first_and_last(said: Sequence[str]) -> str:
    """What a branch is at most of the points that begin it, and at most of those that end it where that is another: in
    a veering two branches exchange what they are."""
    lasting = [word for word in said if said.count(word) >= LASTS * len(said)]
    if not lasting:
        return max(dict.fromkeys(said), key=said.count) if said else ""
    first, last = lasting[0], lasting[-1]
    return first if first == last or not (first and last) else f"{first}, then {last}"


def _lasting_whirl(sense: np.ndarray) -> str:
    """The whirl of most points of a branch; "mixed" where none has most of them."""
    known = sense[np.isfinite(sense)]
    counts = {"forward": (known > WHIRLS).sum(), "backward": (known < -WHIRLS).sum()}
    counts["none"] = len(known) - sum(counts.values())
    most = max(counts, key=lambda word: int(counts[word]))
    return most if counts[most] >= ALONE * len(known) else "mixed"


def whirl_word(speed: np.ndarray, sense: np.ndarray) -> str:
    """Of a branch by its signed whirl speeds (points,) in the fixed frame, positive with the spin, and its sense."""
    counted = np.isfinite(speed) & (np.abs(np.nan_to_num(sense)) > WHIRLS) & (speed != 0)
    if not counted.any():
        return "none"
    forward = speed[counted] > 0
    return "forward" if forward.all() else "backward" if not forward.any() else "mixed"


def motion_words(
    fronts: Sequence[Front], branches: np.ndarray, rows: TrackedRows, axes: np.ndarray | None
) -> tuple[str, ...]:
    """What moves in each branch, by its kinetic energy over the sweep: `rotor translation`, `disc rocking`; rows of one
    name are one body, and those that are flexible bend where others are displaced, unless all of them move alike."""
    names = rows.names
    scales = body_scales(rows.mass, rows.inertia)[:, 0]
    own = {name: [i for i, row in enumerate(names) if row == name] for name in rows.flexible}
    alike = {name: np.zeros((2, len(branches))) for name in rows.flexible}  # energy of displacements: common, all
    turn = [np.eye(3)] * len(fronts) if axes is None else frame(axes)
    share = np.zeros((len(branches), len(names), 2, 3))
    extra = np.zeros(len(branches))
    for front, R in zip(fronts, turn, strict=True):
        known = np.flatnonzero(branches < len(front.values))
        known = known[~front.is_rigid[branches[known]]]
        vectors = front.vectors[branches[known]]
        motion = _body_part(vectors, len(names))
        share[known] += np.abs(motion @ R) ** 2
        for name, parts in alike.items():
            parts[:, known] += _common_and_whole(motion[:, own[name], 0], scales[own[name]])
        extra[known] += (np.abs(vectors[:, 6 * len(names) :]) ** 2).sum(axis=1)
    words = []
    for k, (s, x) in enumerate(zip(share, extra, strict=True)):
        moving = s.sum()
        moves = moving > 0 and moving >= x
        bent = {name for name, (common, whole) in alike.items() if whole[k] - common[k] >= BENT_PART * whole[k]}
        told = _words(s / moving, rows, axes is not None, bent) if moves else "states" if x else "rigid"
        words.append(told)
    return tuple(words)


def _common_and_whole(moved: np.ndarray, scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(k,) energy of the translation that displacements (k, rows, 3), scaled by (rows,), have in common, and all."""
    common = (np.abs(np.einsum("n,kni->ki", scales, moved)) ** 2).sum(axis=1) / (scales @ scales)
    return common, (np.abs(moved) ** 2).sum(axis=(1, 2))


def _body_part(vectors: np.ndarray, bodies: int) -> np.ndarray:
    """(k, bodies, 2, 3): translation and rotation."""
    return vectors[:, : 6 * bodies].reshape(len(vectors), bodies, 2, 3)


def _without_turning(share: np.ndarray, names: Sequence[str], flexible: Container[str]) -> np.ndarray:
    """Shares without the rotations of nodes of flexible bodies: these have no inertia worth it, unless they twist."""
    share = share.copy()
    for name in {name for name in names if name in flexible}:
        own = [i for i, other in enumerate(names) if other == name]
        if share[own, 0].sum() > TWISTS * share[own, 1].sum():
            share[own, 1] = 0.0
    return share / share.sum()


def _words(share: np.ndarray, rows: TrackedRows, about_axis: bool, bent: Container[str]) -> str:
    """Of shares (rows, 2, 3) that sum to one; `bent` are the flexible bodies whose nodes do not move alike."""
    names: Sequence[str] = rows.names
    share = _without_turning(share, names, rows.flexible)
    number = {name: k for k, name in enumerate(dict.fromkeys(names))}
    by_body = np.bincount([number[name] for name in names], share.sum(axis=(1, 2)))
    names = list(number)
    order = np.argsort(-by_body, kind="stable")
    alone = by_body[order[0]] >= ALONE or len(names) == 1
    who = " and ".join(names[i] for i in order[: 1 if alone else 2])
    bends = names[order[0]] in bent
    moved, axial = BENT if bends else ("translation", "axial")
    motion = share.sum(axis=0)  # (2, 3)
    if about_axis:
        parts = {
            moved: motion[0, :2].sum(), axial: motion[0, 2], "bending" if bends else "rocking": motion[1, :2].sum(),
            "torsion": motion[1, 2],
        }  # fmt: skip
        return f"{who} {max(parts, key=lambda name: float(parts[name]))}"
    kind = int(np.argmax(motion.sum(axis=1)))
    one = motion[kind] / motion[kind].sum()
    axis = f" {'xyz'[int(np.argmax(one))]}" if one.max() >= ALONE else ""
    return f"{who} {(moved, 'twisting' if bends else 'rotation')[kind]}{axis}"
