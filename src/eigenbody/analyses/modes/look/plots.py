"""Pictures of results. Figures are made without pyplot: no global state, no window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure, SubFigure

from eigenbody.model.source import shown
from eigenbody.present.documents import require_finite_modes
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import counted, plain_text, significant
from eigenbody.present.words import verdict

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes

MAX_MODES = 6  # drawn as bars
MAX_BODIES = 12  # with bars of their own
MAX_COMPONENTS = 4  # bodies whose six components are drawn apart
TIE = 1e-6  # magnitudes that differ by less are equal
COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
TINT = {"stable": "#1a7f37", "marginal": "#b26a00", "drifting": "#6e59a5", "unstable": "#c62828"}
MARKER = {"oscillatory": "o", "real": "s", "rigid": "D"}
# in phase blue, opposite orange, a quarter ahead green, a quarter behind purple
PHASE = LinearSegmentedColormap.from_list("phase", ["#e07b00", "#8e44ad", "#1f5fbf", "#2a9d5c", "#e07b00"])


def lowest(modes: Modes, count: int = MAX_MODES) -> list[int]:
    """The lowest modes that are not rigid, or the rigid ones where there is nothing else."""
    return [i for i, kind in enumerate(modes.kinds) if kind != "rigid"][:count] or list(range(len(modes)))[:count]


def plot_modes(modes: Modes, chosen: Sequence[int] | None = None) -> Figure:
    """Eigenvalues in the complex plane, and the motion of the bodies in the chosen modes (counted from 0), or in the
    lowest that are not rigid."""
    require_finite_modes(modes)
    figure = Figure(figsize=(13, max(6.6, 0.6 + len(chosen or ()))), layout="constrained", facecolor="white")
    parts: Any = figure.subfigures(1, 2, width_ratios=(1, 1.35), wspace=0.03)
    name = plain_text(shown(modes.linear.point.model.name, 90))
    figure.suptitle(
        f"{name}\n{counted(modes.dof, 'degree')} of freedom, {plain_text(verdict(modes))}", fontsize=12, color=INK
    )
    _plane(parts[0], modes)
    _motion(parts[1], modes, chosen)
    return figure


# ---- left: the complex plane


def _plane(part: SubFigure, modes: Modes) -> None:
    axes = part.subplots()
    values = modes.eigenvalues
    _scales(axes, values)
    low, high = axes.get_xlim()
    axes.axvspan(low, 0, color="#e8f5e9", zorder=0, lw=0)
    axes.axvspan(0, high, color="#fdecea", zorder=0, lw=0)
    axes.axvline(0, color=FAINT, lw=0.9, zorder=1)
    looks = list(zip(modes.kinds, modes.stabilities, strict=True))
    for kind, stability in dict.fromkeys(looks):
        chosen = [i for i, look in enumerate(looks) if look == (kind, stability)]
        axes.plot(
            values.real[chosen], values.imag[chosen], MARKER[kind], color=TINT[stability], markeredgecolor="white",
            markersize=9, ls="none", label=f"{kind}, {stability}", zorder=3, clip_on=False,
        )  # fmt: skip
    axes.set_xlabel("real part, 1/s   (left: decays, right: grows)")
    axes.set_ylabel("imaginary part, rad/s")
    axes.set_title("Eigenvalues (conjugates not drawn)", fontsize=11, loc="left")
    axes.grid(True, color="white", lw=0.8, zorder=0.5)
    axes.tick_params(labelsize=9)
    if len(values):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=9, frameon=False)
    _numbers(part, axes, values)


def _scales(axes: Axes, values: np.ndarray) -> None:
    """Linear axes, or logarithmic ones on both sides of zero where the values spread over more than two decades."""
    for axis, part in (("x", values.real), ("y", values.imag)):
        size = np.abs(part[part != 0])
        top = float(size.max()) if len(size) else 1.0
        bottom = float(size.min()) if len(size) else 1.0
        spread = top / bottom > 100
        if spread:
            threshold = 10.0 ** np.floor(np.log10(max(bottom, top * 1e-6)))
            getattr(axes, f"set_{axis}scale")("symlog", linthresh=threshold, linscale=0.9)
        room = top * (2.5 if spread else 1.15)
        little = threshold if spread else 0.12 * room
        if axis == "y":
            axes.set_ylim(-0.35 * little if len(size) else -0.12, room)
        else:
            growing = part.max(initial=0.0) > 0
            axes.set_xlim(-room if part.min(initial=0.0) < 0 or not len(size) else -little, room if growing else little)


def _numbers(part: SubFigure, axes: Axes, values: np.ndarray) -> None:
    """The numbers of the modes beside the points, one label for points that lie on each other."""
    if not len(values):
        return
    drawn = axes.transData.transform(np.column_stack((values.real, values.imag)))
    groups: list[list[int]] = []
    for i in range(len(values)):
        near = [g for g in groups if np.abs(drawn[g[-1]] - drawn[i]).max() < 16]
        if near:
            near[0].append(i)
        else:
            groups.append([i])
    for group in groups[:60]:
        i = group[len(group) // 2]
        axes.annotate(
            _ranges([k + 1 for k in group]), (values.real[i], values.imag[i]), xytext=(8, 5),
            textcoords="offset points", fontsize=9, color=INK, zorder=4, annotation_clip=False,
        )  # fmt: skip


def _ranges(numbers: list[int]) -> str:
    """`1–3, 7` for 1, 2, 3, 7."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    text = [str(p[0]) if len(p) == 1 else f"{p[0]}–{p[-1]}" if len(p) > 2 else f"{p[0]}, {p[1]}" for p in parts]
    return ", ".join(text[:4]) + (", ..." if len(text) > 4 else "")


# ---- right: who moves


@dataclass(frozen=True, slots=True, eq=False)
class _Bars:
    """Complex amplitude (modes, bars), the place of each bar, its label, and the names under groups of bars."""

    amplitude: np.ndarray
    place: np.ndarray
    labels: tuple[str, ...]
    groups: tuple[tuple[float, str], ...]
    remark: str


def _motion(part: SubFigure, modes: Modes, given: Sequence[int] | None) -> None:
    chosen = [i for i in lowest(modes) if modes.kinds[i] != "rigid"] if given is None else list(given)
    if not chosen or not len(modes.bodies):
        axes = part.subplots()
        axes.axis("off")
        text = "No mode but rigid ones" if len(modes) else "No degree of freedom: nothing moves"
        axes.text(0.5, 0.5, text, ha="center", va="center", color=FAINT, fontsize=12)
        return
    if modes.linear.point.system.description.flexible:
        _deformed(part, modes, chosen)
        return
    bars = _bars(modes, chosen)
    rows = part.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0]
    for axes, i, amplitude in zip(rows, chosen, bars.amplitude, strict=True):
        _mode_bars(axes, bars, amplitude, mode_title(modes, i))
    _name_bars(rows[-1], bars)
    part.suptitle(f"Motion of the bodies, largest = 1\n{bars.remark}", fontsize=10, color=INK, x=0.06, ha="left")
    colours = part.colorbar(ScalarMappable(Normalize(-180, 180), PHASE), ax=list(rows), fraction=0.03, pad=0.02)
    colours.set_ticks([-180, -90, 0, 90, 180], labels=["-180°", "-90°", "0°", "90°", "180°"])
    colours.ax.tick_params(labelsize=9)
    colours.set_label("phase", fontsize=9)


def _deformed(part: SubFigure, modes: Modes, chosen: list[int]) -> None:
    """Mechanisms with flexible bodies are drawn as they move."""
    from eigenbody.analyses.modes.look.deformed import draw_mode, skeleton_of

    skeleton = skeleton_of(modes)
    columns = 2 if len(chosen) > 1 else 1
    rows: Any = part.subplots(-(-len(chosen) // columns), columns, squeeze=False)
    for axes in rows.flat[len(chosen) :]:
        axes.axis("off")
    for axes, i in zip(rows.flat, chosen, strict=False):
        draw_mode(axes, skeleton, i)
        axes.set_title(mode_title(modes, i), fontsize=9, loc="left", pad=3, color=INK)
    title = "Motion of the mechanism (grey: at rest, light: a quarter of a cycle later)"
    part.suptitle(title, fontsize=10, color=INK, x=0.06, ha="left")


def mode_title(modes: Modes, i: int) -> str:
    """`mode 3: 0.126 Hz, damping 0.0401 %, stable`."""
    value = modes.eigenvalues[i]
    if modes.kinds[i] == "rigid":
        motion = "0 Hz"
    elif modes.kinds[i] == "real":
        motion = f"{significant(value.real, 4)} 1/s"
    else:
        damping = significant(100 * modes.damping_ratio[i], 3)
        motion = f"{significant(modes.damped_frequency_hz[i], 4)} Hz, damping {damping} %"
    return f"mode {i + 1}: {motion}, {modes.stabilities[i]}"


def _mode_bars(axes: Axes, bars: _Bars, amplitude: np.ndarray, title: str) -> None:
    size = np.abs(amplitude)
    phase = np.degrees(np.angle(np.where(size > 1e-6, amplitude, 1.0)))
    axes.bar(bars.place, size, width=0.78, color=PHASE(Normalize(-180, 180)(phase)))
    axes.set_ylim(0, 1.08)
    axes.set_yticks([0, 1])
    axes.tick_params(labelsize=8, bottom=False, labelbottom=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=9, loc="left", pad=3, color=INK)
    for x, _ in bars.groups[1:]:
        axes.axvline(x - 0.5 * (bars.groups[1][0] - bars.groups[0][0]), color="#dddddd", lw=0.8, zorder=0)


def _name_bars(axes: Axes, bars: _Bars) -> None:
    axes.tick_params(labelbottom=True)
    axes.set_xticks(bars.place, labels=bars.labels, fontsize=8)
    many = len(bars.groups) > MAX_COMPONENTS
    for x, name in bars.groups:
        axes.annotate(
            plain_text(name), (x, 0), xytext=(0, -18), xycoords=("data", "axes fraction"), textcoords="offset points",
            ha="right" if many else "center", va="top", rotation=35 if many else 0, rotation_mode="anchor",
            fontsize=9, color=INK, annotation_clip=False,
        )  # fmt: skip


def _bars(modes: Modes, chosen: list[int]) -> _Bars:
    """Six components of each body while bodies are few, else translation and rotation of those that move most."""
    weight = np.repeat((1.0, modes.linear.point.system.gyration), 3)  # rotations as displacements of equal energy
    shapes = modes.shapes[chosen] * weight  # (modes, bodies, 6)
    scaled = f"rotations times {significant(weight[-1], 3)} m"
    if len(modes.bodies) <= MAX_COMPONENTS:
        return _laid_out(shapes, list(modes.bodies), COMPONENTS, scaled)
    whole = np.stack((_whole(shapes[..., :3]), _whole(shapes[..., 3:])), axis=-1)  # (modes, bodies, 2)
    names, remark = list(modes.bodies), f"t translation, r {scaled.replace('rotations', 'rotation')}"
    if len(names) > MAX_BODIES:
        most = np.sort(np.argsort(-np.abs(whole).max(axis=(0, 2)), kind="stable")[:MAX_BODIES])
        remark += f"; the {MAX_BODIES} of {len(names)} bodies that move most"
        whole, names = whole[:, most], [names[i] for i in most]
    return _laid_out(whole, names, ("t", "r"), remark)


def _whole(vectors: np.ndarray) -> np.ndarray:
    """Magnitude of complex vectors (..., 3) with the phase of their largest component."""
    size = np.abs(vectors)
    first = np.argmax(size >= (1 - TIE) * size.max(axis=-1, keepdims=True), axis=-1)  # the same one for all bodies
    largest = np.take_along_axis(vectors, first[..., None], axis=-1)[..., 0]
    return np.linalg.norm(vectors, axis=-1) * np.exp(1j * np.angle(largest))


def _laid_out(amplitude: np.ndarray, names: list[str], labels: tuple[str, ...], remark: str) -> _Bars:
    """Bars side by side, a gap between bodies; each mode scaled by its largest bar, whose phase is zero."""
    count, step = len(labels), len(labels) + 0.6
    flat = amplitude.reshape(len(amplitude), -1)
    size = np.abs(flat)
    first = np.argmax(size >= (1 - TIE) * size.max(axis=1, keepdims=True), axis=1)
    largest = np.take_along_axis(flat, first[:, None], axis=1)
    place = np.concatenate([b * step + np.arange(count) for b in range(len(names))])
    groups = tuple((b * step + (count - 1) / 2, shown(name, 18)) for b, name in enumerate(names))
    return _Bars(flat / np.where(largest == 0, 1.0, largest), place, labels * len(names), groups, remark)
