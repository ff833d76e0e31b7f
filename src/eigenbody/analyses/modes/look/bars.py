"""Pictures of explained modes: motion with magnitude and phase, and where the energy is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from eigenbody.analyses.modes.look.explain import DEFORMATION
from eigenbody.analyses.modes.look.plots import PHASE, lowest
from eigenbody.model.source import shown
from eigenbody.present.documents import require_finite_modes
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import plain_text, significant

if TYPE_CHECKING:
    from eigenbody.analyses.modes.explain import Explanation

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
MAX_MODES = 8  # in the overview
MAX_BODIES = 6  # with six bars each
MAX_SHARES = 8  # bars of energy
# none of the colours of phase
TRANSLATION, ROTATION, BENDING, STRAIN, LOSS = "#3f5573", "#8fa3bd", "#5d7f5d", "#b0893a", "#9c5a5a"
CLIP = 1.5  # share beyond which a bar of the overview is cut
NARROW, WIDE = 210.0, 330.0  # points: width of the axes of energy shares beside bars, and beside a drawing
LETTER, LEAST = 4.6, 8  # points a letter takes; letters that a name is cut to at most
Piece = tuple[int, float, float, str]
VISIBLE = 1e-6  # amplitude below which a phase means nothing


def plot_mode(found: Explanation, i: int) -> Figure:
    """One mode: magnitude and phase of every body above, energy shares below."""
    require_finite_modes(found.modes)
    bodies = _most_moved(found, [i])
    figure = Figure(figsize=(12, 8), layout="constrained", facecolor="white")
    name = plain_text(shown(found.modes.linear.point.model.name, 80))
    figure.suptitle(f"{name}\n{_title(found, i)}", fontsize=12, color=INK)
    grid = figure.add_gridspec(3, 3, height_ratios=(1.25, 0.8, 1.25))
    size, phase = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, :])
    _magnitude(size, found, i, bodies)
    _phases(phase, found, i, bodies)
    for column, (title, names, shares, colours) in enumerate(_energies(found, i)):
        _shares(figure.add_subplot(grid[2, column]), title, names, shares, colours)
    return figure


def plot_explanation(found: Explanation, given: Sequence[int] | None = None) -> Figure:
    """The chosen modes (counted from 0) in one picture, or the lowest that are not rigid."""
    require_finite_modes(found.modes)
    chosen = lowest(found.modes, MAX_MODES) if given is None else list(given)
    bends = bool(found.modes.linear.point.system.description.flexible)
    high = (2.2 if bends else 1.45) * max(1, len(chosen))
    figure = Figure(figsize=(13, 2.0 + high), layout="constrained", facecolor="white")
    name = plain_text(shown(found.modes.linear.point.model.name, 80))
    length = significant(found.modes.linear.point.system.gyration, 3)
    few = "" if len(found.bodies) <= MAX_BODIES else f"; the {MAX_BODIES} of {len(found.bodies)} bodies that move most"
    said = f"motion of the bodies, largest = 1, rotations times {length} m{few}; where the energy is"
    said = "motion of the mechanism, grey at rest; where the energy is" if bends else said
    figure.suptitle(f"{name}: what the modes are\n{said}", fontsize=11, color=INK)
    if not chosen or not found.bodies:
        axes = figure.subplots()
        axes.axis("off")
        axes.text(0.5, 0.5, "No degree of freedom: nothing moves", ha="center", va="center", color=FAINT, fontsize=12)
        return figure
    bodies = _most_moved(found, chosen)
    rows: Any = figure.subplots(len(chosen), 2, width_ratios=(1.1 if bends else 2.2, 1), squeeze=False)
    if bends:
        from eigenbody.analyses.modes.look.deformed import draw_mode, skeleton_of

        skeleton = skeleton_of(found.modes)
        for (left, _), i in zip(rows, chosen, strict=True):
            draw_mode(left, skeleton, i)
            left.set_title(_title(found, i), fontsize=9.5, loc="left", pad=3, color=INK)
        _shares_beside(rows[:, 1], found, chosen, WIDE)
        return figure
    for (left, _), i in zip(rows, chosen, strict=True):
        _coloured(left, found, i, bodies)
        left.set_title(_title(found, i), fontsize=9.5, loc="left", pad=3, color=INK)
    _names_below(rows[-1][0], found, bodies)
    _shares_beside(rows[:, 1], found, chosen, NARROW)
    colours = figure.colorbar(
        ScalarMappable(Normalize(-180, 180), PHASE), ax=list(rows[:, 0]), fraction=0.02, pad=0.01, aspect=30
    )
    colours.set_ticks([-180, -90, 0, 90, 180], labels=["-180°", "-90°", "0°", "90°", "180°"])
    colours.set_label("phase", fontsize=9)
    colours.ax.tick_params(labelsize=8)
    return figure


def _shares_beside(column: Any, found: Explanation, chosen: Sequence[int], width: float) -> None:
    """Energy shares of every mode on the same scale; a piece of a bar has its name where that has room (`width` is
    that of the axes in points)."""
    pieces = [(axes, _stacked(axes, found, i)) for axes, i in zip(column, chosen, strict=True)]
    column[0].set_title("energy shares, %", fontsize=9.5, loc="left", pad=3, color=INK)
    limits = np.array([axes.get_xlim() for axes in column])
    for axes in column:
        axes.set_xlim(min(0.0, limits[:, 0].min()), max(102.0, limits[:, 1].max()))
    column[-1].tick_params(labelbottom=True)
    for axes, own in pieces:
        low, high = axes.get_xlim()
        for y, middle, value, name in own:
            room = int(abs(value) / (high - low) * width / LETTER)
            if room >= min(len(name), LEAST):
                text = plain_text(shown(name, room))
                axes.text(middle, y, text, ha="center", va="center", fontsize=7.5, color="white", clip_on=True)


def _title(found: Explanation, i: int) -> str:
    modes, value = found.modes, found.modes.eigenvalues[i]
    if modes.kinds[i] == "oscillatory":
        damping = significant(100 * modes.damping_ratio[i], 3)
        motion = f"{significant(modes.damped_frequency_hz[i], 4)} Hz, damping {damping} %"
    else:
        motion = "0 Hz" if modes.kinds[i] == "rigid" else f"{significant(value.real, 4)} 1/s"
    return plain_text(f"mode {i + 1}: {shown(found.labels[i], 110)} ({motion})")


# ---- motion


def _motion(found: Explanation, i: int, bodies: list[int]) -> np.ndarray:
    """(bodies * 6,) complex, largest = 1 and real; rotations as displacements of equal energy."""
    weighted = found.twist[i] * np.repeat((1.0, found.modes.linear.point.system.gyration), 3)
    top = weighted.ravel()[np.argmax(np.round(np.abs(weighted) / (np.abs(weighted).max() or 1.0), 9))]
    return weighted[bodies].ravel() / (top if top else 1.0)


def _most_moved(found: Explanation, chosen: list[int]) -> list[int]:
    """Bodies to draw: all while they are few, else those with most kinetic energy in the chosen modes."""
    if len(found.bodies) <= MAX_BODIES:
        return list(range(len(found.bodies)))
    share = (found.kinetic[chosen].sum(axis=-1) + found.deformation[chosen]).max(axis=0)
    return sorted(np.argsort(-share, kind="stable")[:MAX_BODIES].tolist())


def _places(bodies: list[int]) -> np.ndarray:
    return np.concatenate([6.8 * b + np.arange(6) for b in range(len(bodies))]) if bodies else np.zeros(0)


def _magnitude(axes: Axes, found: Explanation, i: int, bodies: list[int]) -> None:
    size = np.abs(_motion(found, i, bodies))
    place = _places(bodies)
    colours = [TRANSLATION if k % 6 < 3 else ROTATION for k in range(len(place))]
    axes.bar(place, size, width=0.8, color=colours)
    axes.set_ylim(0, 1.08)
    axes.set_ylabel("magnitude, largest = 1")
    length = significant(found.modes.linear.point.system.gyration, 3)
    few = (
        "" if len(bodies) == len(found.bodies) else f"; the {len(bodies)} of {len(found.bodies)} bodies that move most"
    )
    axes.set_title(f"Motion of the bodies: displacement, and rotation times {length} m{few}", fontsize=10, loc="left")
    kinds = [Patch(color=TRANSLATION, label="displacement"), Patch(color=ROTATION, label="rotation")]
    axes.legend(handles=kinds, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=9, frameon=False)
    _tidy(axes, bodies)
    axes.tick_params(labelbottom=False)


def _phases(axes: Axes, found: Explanation, i: int, bodies: list[int]) -> None:
    motion, place = _motion(found, i, bodies), _places(bodies)
    seen = np.abs(motion) > VISIBLE
    phase = np.degrees(np.angle(np.where(seen, motion, 1.0)))
    phase = np.where(phase <= -179, phase + 360, phase)  # opposite is drawn one way
    axes.axhline(0, color=FAINT, lw=0.6)
    axes.vlines(place[seen], 0, phase[seen], color=INK, lw=1.2)
    axes.scatter(place[seen], phase[seen], c=PHASE(Normalize(-180, 180)(phase[seen])), s=42, zorder=3, clip_on=False)
    axes.set_ylim(-195, 195)
    axes.set_yticks([-180, -90, 0, 90, 180])
    axes.set_ylabel("phase, °")
    _tidy(axes, bodies)
    _names_below(axes, found, bodies)


def _tidy(axes: Axes, bodies: list[int]) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlim(-0.9, max(6.8 * len(bodies) - 0.9, 1))
    axes.set_xticks([])
    axes.tick_params(labelsize=9)
    for b in range(1, len(bodies)):
        axes.axvline(6.8 * b - 0.9, color="#dddddd", lw=0.8, zorder=0)


def _names_below(axes: Axes, found: Explanation, bodies: list[int]) -> None:
    axes.set_xticks(_places(bodies), labels=COMPONENTS * len(bodies), fontsize=8)
    axes.tick_params(axis="x", labelbottom=True, length=0)
    for b, body in enumerate(bodies):
        axes.annotate(
            plain_text(shown(found.bodies[body], 18)), (6.8 * b + 2.5, 0), xytext=(0, -18), ha="center", va="top",
            xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=10, color=INK,
            annotation_clip=False,
        )  # fmt: skip


def _coloured(axes: Axes, found: Explanation, i: int, bodies: list[int]) -> None:
    motion = _motion(found, i, bodies)
    size = np.abs(motion)
    phase = np.degrees(np.angle(np.where(size > VISIBLE, motion, 1.0)))
    axes.bar(_places(bodies), size, width=0.8, color=PHASE(Normalize(-180, 180)(phase)))
    axes.set_ylim(0, 1.08)
    axes.set_yticks([0, 1])
    _tidy(axes, bodies)


# ---- energy


def _energies(found: Explanation, i: int) -> list[tuple[str, list[str], np.ndarray, list[str]]]:
    """Title, names, shares and colours of kinetic energy, strain energy and dissipation."""
    flat = np.concatenate((found.kinetic[i].ravel(), found.deformation[i]))
    names = [f"{shown(body, 16)} {part}" for body in found.bodies for part in COMPONENTS]
    names += [f"{shown(body, 16)} {DEFORMATION}" for body in found.bodies]
    tints = [TRANSLATION if k % 6 < 3 else ROTATION for k in range(found.kinetic[i].size)]
    tints += [BENDING] * len(found.bodies)
    return [
        ("Kinetic energy, %", names, flat, tints),
        ("Strain energy, %", list(found.strain_sources), found.strain[i], [STRAIN] * found.strain.shape[1]),
        ("Dissipation, %", list(found.dissipation_sources), found.dissipation[i], [LOSS] * found.dissipation.shape[1]),
    ]


def _shares(axes: Axes, title: str, names: list[str], shares: np.ndarray, colours: list[str]) -> None:
    order = [int(k) for k in np.argsort(-np.abs(shares), kind="stable")[:MAX_SHARES] if abs(shares[k]) >= 5e-4]
    axes.set_title(title, fontsize=10, loc="left")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.tick_params(labelsize=9, length=0)
    if not order:
        axes.axis("off")
        axes.text(0.02, 0.9, "none", transform=axes.transAxes, va="top", fontsize=10, color=FAINT)
        return
    values = 100 * shares[order]
    place = max(len(order), 3) - 1 - np.arange(len(order))
    axes.barh(place, values, height=0.7, color=[colours[k] for k in order])
    axes.set_yticks(place, labels=[plain_text(shown(names[k], 26)) for k in order])
    axes.set_xticks([])
    low, high = min(0.0, values.min()), max(0.0, values.max())
    room = (high - low) or 1.0
    axes.set_xlim(low - (0.25 * room if low < 0 else 0.0), high + 0.25 * room)
    axes.set_ylim(-0.6, max(len(order), 3) - 0.4)
    axes.axvline(0, color=FAINT, lw=0.8)
    for y, value in zip(place, values, strict=True):
        ha, shift = ("left", 4) if value >= 0 else ("right", -4)
        axes.annotate(f"{value:.3g}", (value, y), xytext=(shift, 0), textcoords="offset points", ha=ha, va="center",
                      fontsize=9, color=INK)  # fmt: skip


def _stacked(axes: Axes, found: Explanation, i: int) -> list[Piece]:
    """Three bars, kinetic, strain and lost, cut into their largest shares."""
    pieces: list[Piece] = []
    for y, (_, names, shares, colours) in enumerate(_overview(found, i)):
        order = [int(k) for k in np.argsort(-np.abs(shares), kind="stable")[:4] if abs(shares[k]) >= 0.005]
        ends = [0.0, 0.0]  # of the bars to the right and to the left of zero
        for k in order:
            value = 100 * float(np.clip(shares[k], -CLIP, CLIP))
            pieces.append(_piece(axes, 2 - y, ends, value, names[k], colours[k]))
        rest = 100 * float(shares.sum()) - sum(ends)
        if order and 0.5 <= rest <= 100 and np.abs(shares).max() <= CLIP:
            more = f"{np.count_nonzero(shares) - len(order)} more"
            pieces.append(_piece(axes, 2 - y, ends, rest, more, "#bbbbbb"))
        if not order:
            axes.text(2, 2 - y, "none", va="center", fontsize=8, color=FAINT)
    axes.set_ylim(-0.55, 2.55)
    axes.set_yticks([2, 1, 0], labels=["kinetic", "strain", "lost"], fontsize=8)
    axes.axvline(0, color=FAINT, lw=0.8)
    axes.tick_params(axis="x", labelsize=8, labelbottom=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return pieces


def _overview(found: Explanation, i: int) -> list[tuple[str, list[str], np.ndarray, list[str]]]:
    """The energies of a mode; of many bodies the kinetic energy by direction."""
    kinetic, *others = _energies(found, i)
    if len(found.bodies) > MAX_BODIES:
        tints = [TRANSLATION] * 3 + [ROTATION] * 3 + [BENDING]
        shares = np.append(found.kinetic[i].sum(axis=0), found.deformation[i].sum())
        kinetic = (kinetic[0], [f"all {part}" for part in (*COMPONENTS, DEFORMATION)], shares, tints)
    return [kinetic, *others]


def _piece(axes: Axes, y: int, ends: list[float], value: float, name: str, colour: str) -> Piece:
    """One piece of a bar: its row, middle, length and name."""
    side = 0 if value >= 0 else 1
    axes.barh(y, value, left=ends[side], height=0.72, color=colour, edgecolor="white", lw=1.0)
    middle = ends[side] + value / 2
    ends[side] += value
    return y, middle, value, name
