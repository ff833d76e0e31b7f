"""One line that says what a mode is: who moves, how, and which way it whirls.

Everything is read off the motion. Bodies with at least a tenth of the kinetic energy are named. Bodies that move as one
are taken as one rigid body, which rotates when most of its energy is rotation about its centre of mass, or when joints
hold it to ground or the joint that carries it hardly moves, and the axis passes within its own reach (where joints and
forces act on it), and else translates. Only a body that spins whirls: one that turns about an axis within its reach, or
in a joint, not one that is carried round a curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes.elastic_labels import ElasticPart
from eigenbody.analyses.modes.scene import CLEAR, NAMED, WITHIN, Scene
from eigenbody.analyses.modes.screws import screws
from eigenbody.spatial.rotations import cross

TOGETHER = 1e-3  # relative kinetic energy of the motion by which bodies may part and still move as one
ROUND = 0.1  # circularity from which a motion whirls
STILL = 0.5  # of the motion of the centre: a joint that moves less is what the body turns about
MOST = 3  # bodies named, and motions told apart
AXES = "xyz"


@dataclass(frozen=True, slots=True)
class Story:
    """What one mode is."""

    label: str
    whirl: str  # "forward", "backward" or ""


# ---- one mode


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Bodies that move as one: their motion in words, and the complex vector that moves."""

    bodies: tuple[int, ...]
    words: str
    vector: np.ndarray
    whirl: str


def story(
    scene: Scene, twist: np.ndarray, kinetic: np.ndarray, eigenvalue: complex, is_rigid: bool, drifts: bool,
    elastic: Sequence[ElasticPart] = (),
) -> Story:  # fmt: skip
    """The label of one mode from its motion twist (bodies, 6), kinetic shares (bodies, 6) and bodies that deform."""
    bent = [part for part in elastic if part.share >= NAMED and part.words and not is_rigid]
    stiff = [part for part in elastic if part.share >= NAMED and (is_rigid or not part.words)]
    shares = kinetic.sum(axis=-1)
    if not np.any(shares) and not bent:
        return Story("free motion (at constant speed)" if is_rigid else "no body moves", "")
    order = np.argsort(-np.round(shares, 9), kind="stable")
    named = [int(b) for b in order if shares[b] >= NAMED]
    apart = {b for part in (*bent, *(part for part in stiff if len(part.bodies) > 1)) for b in part.bodies}
    named = [b for b in named if b not in apart]
    if not named and not bent and not stiff:
        return _crowd(shares, kinetic, eigenvalue, is_rigid)
    top = np.abs(twist * np.repeat((1.0, scene.length), 3)).max()
    twist = twist / (top if top > 0 else 1.0)
    oscillates = eigenvalue.imag > 0 and not is_rigid
    groups = [_bent_group(scene, part, oscillates) for part in bent]
    groups += [_group(scene, twist, kinetic, part.bodies, oscillates) for part in stiff if len(part.bodies) > 1]
    groups += [_group(scene, twist, kinetic, bodies, oscillates) for bodies in _together(scene, twist, named)]
    text = _told(scene, groups, is_rigid)
    is_overtaken = eigenvalue.imag < scene.observer_rate  # what goes backward for the observer goes forward, slower
    senses = ["forward" if is_overtaken else group.whirl for group in groups if group.whirl]
    whirls = list(dict.fromkeys(senses))  # both where bodies spin against each other
    ending = _ending(eigenvalue, is_rigid, drifts)
    text += f", {' and '.join(whirls)} whirl" if whirls else ""
    return Story(text + ending, whirls[0] if len(whirls) == 1 else "")


def _ending(eigenvalue: complex, is_rigid: bool, drifts: bool) -> str:
    if is_rigid:
        return " (at constant speed)" if drifts else ""
    if eigenvalue.imag > 0:
        return ", growing" if eigenvalue.real > 1e-12 * abs(eigenvalue) else ""
    return ", diverging" if eigenvalue.real > 0 else ", without oscillation"


def _crowd(shares: np.ndarray, kinetic: np.ndarray, eigenvalue: complex, is_rigid: bool) -> Story:
    """Many bodies, none with much of the energy."""
    most = np.sort(shares)[::-1]
    count = int(np.searchsorted(np.cumsum(most), CLEAR * most.sum())) + 1
    parts = kinetic.sum(axis=0)
    largest = int(np.argmax(parts))
    word = f"translation {AXES[largest]}" if largest < 3 else f"rotation about {AXES[largest - 3]}"
    mostly = "" if parts[largest] >= CLEAR else "mostly "
    text = f"{count} of {len(shares)} bodies {mostly}{word}"
    return Story(("free motion: " if is_rigid else "") + text + _ending(eigenvalue, is_rigid, False), "")


def _together(scene: Scene, twist: np.ndarray, named: Sequence[int]) -> list[tuple[int, ...]]:
    """Named bodies in groups that move as one rigid body, the most energetic first."""
    groups: list[list[int]] = []
    for b in named:
        for group in groups:
            apart = twist[b] - _carried(twist[group[0]], scene.position[b] - scene.position[group[0]])
            if _energy(scene, b, apart) <= TOGETHER * _energy(scene, b, twist[b]):
                group.append(b)
                break
        else:
            groups.append([b])
    return [tuple(group) for group in groups]


def _carried(twist: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """The same rigid motion at a point `arm` away."""
    return np.concatenate((twist[:3] + cross(twist[3:], arm), twist[3:]))


def _energy(scene: Scene, b: int, twist: np.ndarray) -> float:
    turn = twist[3:]
    return float(scene.mass[b] * np.vdot(twist[:3], twist[:3]).real + np.vdot(turn, scene.inertia[b] @ turn).real)


def _group(scene: Scene, twist: np.ndarray, kinetic: np.ndarray, bodies: tuple[int, ...], oscillates: bool) -> _Group:
    """Name the motion of bodies that move as one."""
    index = list(bodies)
    mass = scene.mass[index]
    centre = mass @ scene.position[index] / mass.sum() if mass.sum() > 0 else scene.position[index[0]]
    at = _carried(twist[index[0]], centre - scene.position[index[0]])
    spin = _spin_of(scene, index) if oscillates else None
    if not _rotates(scene, kinetic, index, centre, at):
        whirl = _whirl(at[:3], spin)
        return _Group(bodies, _translation(scene, at[:3], bool(whirl), index), at[:3], whirl)
    whirl = _whirl(at[3:], spin)
    line = screws(centre[None], at[None, None], scene.length).point[0, 0]
    return _Group(bodies, _rotation(scene, at[3:], bool(whirl), index, line), at[3:], whirl)


def _bent_group(scene: Scene, part: ElasticPart, oscillates: bool) -> _Group:
    """A body that deforms."""
    spin = _spin_of(scene, list(part.bodies)) if oscillates else None
    return _Group(part.bodies, part.words, part.vector, _whirl(part.vector, spin))


def _spin_of(scene: Scene, index: list[int]) -> np.ndarray | None:
    """Unit spin of the first body of a group that spins; None where another spins against it."""
    spins = [scene.spin[b] for b in index if scene.on_axis[b] and scene.spin[b].any()]
    if not spins or any(spin @ spins[0] < 0 for spin in spins):
        return None
    return spins[0] / np.sqrt(spins[0] @ spins[0])


def _rotates(scene: Scene, kinetic: np.ndarray, index: list[int], centre: np.ndarray, at: np.ndarray) -> bool:
    moving = scene.mass[index].sum() * np.vdot(at[:3], at[:3]).real
    whole = sum(_energy(scene, b, _carried(at, scene.position[b] - centre)) for b in index)
    if whole <= 0:
        return bool(kinetic[index][:, 3:].sum() > kinetic[index][:, :3].sum())
    if whole - moving >= 0.5 * whole:
        return True
    if not scene.is_held[index].any() and not _turns_in_joint(scene, index, centre, at):
        return False
    away = _fixed_point(at)
    reach = max(scene.reach[b] + float(np.linalg.norm(scene.position[b] - centre)) for b in index)
    return away is not None and bool(np.sqrt(away @ away) <= WITHIN * reach)


def _turns_in_joint(scene: Scene, index: list[int], centre: np.ndarray, at: np.ndarray) -> bool:
    """Whether a joint that carries one of the bodies moves much less than their centre."""
    places = scene.hinge[index][np.isfinite(scene.hinge[index]).all(axis=-1)]
    there = at[:3] + cross(np.broadcast_to(at[3:], places.shape), places - centre)
    moved = (np.abs(there) ** 2).sum(axis=-1)
    return bool(np.any(moved <= STILL**2 * np.vdot(at[:3], at[:3]).real))


def _fixed_point(at: np.ndarray) -> np.ndarray | None:
    """Where a motion (6,) of the centre is a rotation about an axis that stays: the point of it nearest to the centre,
    which all but a tenth of the translation goes round in the same phase. None where there is none."""
    turn = at[3:]
    rows = np.array([cross(turn, unit) for unit in np.eye(3)]).T  # displacement of the centre = -turn x away
    both, moved = np.concatenate((rows.real, rows.imag)), np.concatenate((at[:3].real, at[:3].imag))
    away = np.linalg.lstsq(both, -moved, rcond=1 - CLEAR)[0]
    left = moved + both @ away
    return away if left @ left <= (1 - CLEAR) * (moved @ moved) else None


def _whirl(vector: np.ndarray, spin: np.ndarray | None) -> str:
    """Which way the part of a complex vector across the spin turns: Re(c exp(i b t)) turns about Im c x Re c."""
    if spin is None:
        return ""
    across = vector - spin * (spin @ vector)
    size = np.vdot(across, across).real
    if size < 0.5 * np.vdot(vector, vector).real or not size:
        return ""
    turn = 2 * float(spin @ cross(across.imag, across.real)) / size
    return "forward" if turn > ROUND else "backward" if turn < -ROUND else ""


def _line(vector: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Direction of a complex vector if it moves along a line, and the normal of its plane."""
    strength, axes = np.linalg.eigh(np.outer(vector, vector.conj()).real)
    straight = strength[-1] >= CLEAR * strength.sum()
    return (axes[:, -1] if straight else None), axes[:, 0]


def _axis_name(direction: np.ndarray) -> str:
    k = int(np.argmax(np.abs(direction)))
    return AXES[k] if direction[k] ** 2 >= CLEAR else ""


def _pointing(direction: np.ndarray) -> str:
    sign = np.sign(direction[np.argmax(np.abs(direction))]) or 1.0
    return "(" + ", ".join(f"{value + 0.0:.2g}" for value in np.round(sign * direction, 2)) + ")"


def _parallel(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return a is not None and b is not None and (a @ b) ** 2 >= CLEAR


def _across(a: np.ndarray, b: np.ndarray | None) -> bool:
    return b is not None and (a @ b) ** 2 <= 1 - CLEAR


def _plane_axes(vector: np.ndarray) -> str:
    """`x and y`: the directions with at least a tenth of a motion that is not along a line."""
    share = np.abs(vector) ** 2 / (np.abs(vector) ** 2).sum()
    return _listed([name for name, part in zip(AXES, share, strict=True) if part >= 1 - CLEAR])


def _translation(scene: Scene, vector: np.ndarray, whirls: bool, index: list[int]) -> str:
    line, normal = _line(vector)
    if line is not None and not whirls:
        if _parallel(line, scene.vertical):
            return "vertical bounce"
        name = _axis_name(line)
        return f"translation {name}" if name else f"translation along {_pointing(line)}"
    lateral = _parallel(normal, scene.axis) and scene.on_axis[index].any()
    return "lateral translation" if lateral else f"translation {_plane_axes(vector)}"


def _rotation(scene: Scene, vector: np.ndarray, whirls: bool, index: list[int], point: np.ndarray) -> str:
    line, normal = _line(vector)
    central = bool(scene.on_axis[index].any())
    if line is not None and not whirls:
        about = _axis_name(line) or _pointing(line)
        if _parallel(line, scene.axis) and (central or _on_line(scene, point)):
            return f"torsion about {about}"
        return f"rocking about {about}" if central and _across(line, scene.axis) else f"rotation about {about}"
    if central and _parallel(normal, scene.axis):
        return "rocking"
    return f"rotation about {_plane_axes(vector)}"


def _on_line(scene: Scene, point: np.ndarray) -> bool:
    """Whether a point lies on the axis of the machine."""
    if scene.axis is None or not np.isfinite(point).all():
        return False
    away = cross(point - scene.centre, scene.axis)
    return bool(np.sqrt(away @ away) <= (WITHIN - 1) * scene.length)


def _told(scene: Scene, groups: list[_Group], is_rigid: bool) -> str:
    """`a and b translation x, c rotation about y`; of free motion `free rotation about z of rotor`."""
    by_words: dict[str, list[_Group]] = {}
    for group in groups:
        by_words.setdefault(group.words, []).append(group)
    parts = []
    for words, members in list(by_words.items())[:MOST]:
        who, phase = _who(scene, members)
        if is_rigid:
            who = _listed(_names(scene, [b for group in members for b in group.bodies]))
            for special, plain in (("torsion", "rotation"), ("rocking", "rotation"), ("bounce", "translation")):
                words = words.replace(special, plain)
            parts.append(f"free {words} of {who}")
        else:
            parts.append(f"{who} {words}{phase}")
    return ", ".join(parts) + (", ..." if len(by_words) > MOST else "")


def _who(scene: Scene, members: list[_Group]) -> tuple[str, str]:
    """Those that move alike, and whether in phase: `a and b`, " in phase" or `a against b and c`, ""."""
    names = [_names(scene, member.bodies) for member in members]
    everyone = _listed(list(dict.fromkeys(name for own in names for name in own)))
    if len(members) == 1 or len({name for own in names for name in own}) == 1:
        return everyone, ""
    first = members[0].vector
    alignment = [_alignment(first, member.vector) for member in members]
    if min(alignment) > 0.5:
        return everyone, " in phase"
    if min(abs(value) for value in alignment) < 0.5:
        return everyone, " out of phase"
    with_it, against = (
        [n for own, value in zip(names, alignment, strict=True) if value * sign > 0 for n in own] for sign in (1, -1)
    )
    return f"{_listed(with_it)} against {_listed(against)}", ""


def _names(scene: Scene, bodies: Sequence[int]) -> list[str]:
    """Of bodies, sections of one flexible body once."""
    return list(dict.fromkeys(scene.names[b] for b in bodies))


def _alignment(a: np.ndarray, b: np.ndarray) -> float:
    """1 in phase along the same direction, -1 opposite."""
    size = np.sqrt(np.vdot(a, a).real * np.vdot(b, b).real)
    return float(np.vdot(a, b).real / size) if size else 0.0


def _listed(names: list[str]) -> str:
    if len(names) > MOST:
        return f"{', '.join(names[:MOST])} and {len(names) - MOST} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
