"""Explained modes: what they print, their document, arrays and picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.modes.look import COLUMNS, mode_entries
from eigenbody.base.batched import as_rows
from eigenbody.model.description import owner_of
from eigenbody.model.source import shown
from eigenbody.present.axes import DIRECTIONS, MOTIONS, Over, over
from eigenbody.present.documents import number, require_finite_modes
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, counted, significant
from eigenbody.present.words import certified, model_name, noted, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.explain import Explanation

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
DEFORMATION = "deformation"
FEW = 3  # shares in a cell of the table
SMALL = 0.02  # shares below are not worth a place in the table


# ---- tables


def sheet(found: Explanation) -> Sheet:
    """Every mode with its label and its leading shares of energy."""
    modes = found.modes
    line = f"{counted(modes.dof, 'degree')} of freedom; {verdict(modes)}"
    below = [*noted([*modes.notes, *found.notes]), certified(modes.certificate)]
    return Sheet(f"Modes of {model_name(modes.linear.point)}, explained", [line], [energy_grid(found)], below)


def energy_grid(found: Explanation) -> Grid:
    """Every mode with its label and its leading shares of energy."""
    modes = found.modes
    count = min(len(found), MAX_ROWS)
    rows = tuple(
        (
            str(i + 1),
            significant(modes.damped_frequency_hz[i]),
            significant(modes.damping_ratio[i], 4),
            shown(found.labels[i], 120),
            _kinetic(found, i),
            _largest(found.strain_sources, found.strain[i]),
            _largest(found.dissipation_sources, found.dissipation[i]),
        )
        for i in range(count)
    )
    columns = ("#", "damped\nHz", "damping\nratio", "what it is", "kinetic energy", "strain energy", "dissipation")
    return Grid("", columns, rows, (True,) * 3 + (False,) * 4, len(found) - count)


def _kinetic(found: Explanation, i: int) -> str:
    """Sections of a flexible body together."""
    owners = list(dict.fromkeys(owner_of(body) for body in found.bodies))
    own = np.array([owners.index(owner_of(body)) for body in found.bodies], dtype=int)
    shares = np.zeros((len(owners), len(COMPONENTS) + 1))
    np.add.at(shares, own, np.column_stack((found.kinetic[i], found.deformation[i])))
    flat, parts = shares.ravel(), (*COMPONENTS, DEFORMATION)
    most = np.argsort(-np.abs(flat), kind="stable")[: 2 * FEW]
    names = [f"{shown(owners[k // len(parts)], 24)} {parts[k % len(parts)]}" for k in most]
    return _largest(names, flat[most])


def _largest(names: Sequence[str], shares: np.ndarray) -> str:
    """`mount 97 %, spring 3 %`, largest first; what is left out shows as ... ."""
    order = np.argsort(-np.round(np.abs(shares), 9), kind="stable")
    worth = [int(k) for k in order if abs(shares[k]) >= SMALL] or [int(k) for k in order if shares[k]]
    parts = [f"{shown(names[k], 32)} {_percent(shares[k])}" for k in worth[:FEW]]
    return ", ".join(parts) + (", ..." if len(worth) > FEW else "") or "—"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if abs(share) < 10 else f"{share:.3g} times"


# ---- documents


def document(found: Explanation) -> dict[str, Any]:
    """`modes --explain --json`: the document of `modes --json` with an explanation in every mode."""
    whole = found.modes.document()
    whole["modes"] = [entry | _explained(found, i) for i, entry in enumerate(whole["modes"])]
    whole["notes"] = [*whole["notes"], *found.notes]
    return whole


def _explained(found: Explanation, i: int) -> dict[str, Any]:
    return {
        "label": found.labels[i],
        "whirl": found.whirls[i] or None,
        "kinetic_energy": _kinetic_energy(found, i),
        "strain_energy": _shares(found.strain_sources, found.strain, i),
        "dissipation": _shares(found.dissipation_sources, found.dissipation, i),
        "participation": {
            name: number(share) for name, share in zip(found.coordinates, found.participation[i].tolist(), strict=True)
        },
        "screw_axes": _screw_axes(found, i),
        "mean_kinetic_energy": number(found.mean_kinetic[i]),
        "mean_strain_energy": number(found.mean_strain[i]),
        "mean_dissipated_power": number(found.mean_power[i]),
    }


def _kinetic_energy(found: Explanation, i: int) -> dict[str, dict[str, float | None]]:
    """Shares by body and direction; flexible bodies have one of their deformation besides."""
    flexible = {body.name for body in found.modes.linear.point.system.description.flexible}
    out = {}
    for k, body in enumerate(found.bodies):
        out[body] = dict(zip(COMPONENTS, map(number, found.kinetic[i, k].tolist()), strict=True))
        if body in flexible:
            out[body][DEFORMATION] = number(float(found.deformation[i, k]))
    return out


def _shares(names: Sequence[str], shares: np.ndarray, i: int) -> dict[str, float | None]:
    """Share by name; empty where there is none. Sources in brackets, which are no elements, only where they count."""
    if not shares.shape[1] or not np.any(shares[i]):
        return {}
    counts = np.any(shares, axis=0)
    pairs = zip(names, counts, shares[i].tolist(), strict=True)
    return {name: number(share) for name, used, share in pairs if used or not name.startswith("(")}


def _screw_axes(found: Explanation, i: int) -> dict[str, Any]:
    """Per body: a point of the axis, its direction, pitch (null: pure translation along it); null for a still body."""
    axes = found.screws
    out: dict[str, Any] = {}
    for k, body in enumerate(found.bodies):
        if not np.isfinite(axes.direction[i, k]).all():
            out[body] = None
            continue
        turns = bool(np.isfinite(axes.pitch[i, k]))
        out[body] = {
            "motion": "screw" if turns else "translation",
            "point": [number(value) for value in axes.point[i, k].tolist()] if turns else None,
            "direction": [number(value) for value in axes.direction[i, k].tolist()],
            "pitch": number(axes.pitch[i, k]) if turns else None,
            "wanders": bool(axes.wanders[i, k]),
        }
    return out


# ---- files


def arrays(found: Explanation) -> dict[str, Any]:
    """Those of the modes, and all shares."""
    return {
        **found.modes.arrays(),
        "label": tuple(found.labels),
        "whirl": tuple(found.whirls),
        "kinetic_energy": found.kinetic,  # (modes, bodies, 6)
        "deformation_energy": found.deformation,  # (modes, bodies) of the kinetic energy too
        "strain_energy": found.strain,  # (modes, strain_sources)
        "strain_sources": tuple(found.strain_sources),
        "dissipation": found.dissipation,
        "dissipation_sources": tuple(found.dissipation_sources),
        "participation": found.participation,  # (modes, coordinates)
        "participating": tuple(found.coordinates),
        "screw_point": found.screws.point,  # (modes, bodies, 3), nan for translations and still bodies
        "screw_direction": found.screws.direction,
        "screw_pitch": found.screws.pitch,  # m/rad, inf for translations
        "screw_wanders": found.screws.wanders,
    }


def axes(found: Explanation) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        **found.modes.look.axes(found.modes),
        "label": over(mode=""),
        "whirl": over(mode=""),
        "kinetic_energy": over("1", mode="", body="bodies", motion=MOTIONS),
        "deformation_energy": over("1", mode="", body="bodies"),
        "strain_energy": over("1", mode="", strain_source="strain_sources"),
        "dissipation": over("1", mode="", dissipation_source="dissipation_sources"),
        "participation": over("1", mode="", coordinate="participating"),
        "screw_point": over("m", mode="", body="bodies", direction=DIRECTIONS),
        "screw_direction": over("1", mode="", body="bodies", direction=DIRECTIONS),
        "screw_pitch": over("m/rad", mode="", body="bodies"),
        "screw_wanders": over(mode="", body="bodies"),
    }


def records(found: Explanation) -> Iterator[list[Any]]:
    """A line for each mode."""
    require_finite_modes(found.modes)
    flexible = [body.name for body in found.modes.linear.point.system.description.flexible]
    bent = found.deformation[:, [found.bodies.index(name) for name in flexible]]
    kinetic = np.hstack((as_rows(found.kinetic), bent))
    names = [f"kinetic {body} {part}" for body in found.bodies for part in COMPONENTS]
    names += [f"kinetic {body} {DEFORMATION}" for body in flexible]
    names += [f"strain {name}" for name in found.strain_sources]
    names += [f"dissipation {name}" for name in found.dissipation_sources]
    names += [f"participation {name}" for name in found.coordinates]
    values = np.hstack((kinetic, found.strain, found.dissipation, found.participation))
    yield [*COLUMNS, "label", *names]
    for i, entry in enumerate(mode_entries(found.modes)):
        yield [*(entry[c] for c in COLUMNS), found.labels[i], *map(number, values[i].tolist())]


# ---- picture


def plot(found: Explanation, chosen: Sequence[int] | None = None) -> Figure:
    """Bars with magnitude and phase and the energy shares of one mode (counted from 0), or a row for each of several,
    by default the lowest."""
    from eigenbody.analyses.modes.look.bars import plot_explanation, plot_mode

    if chosen is not None and len(chosen) == 1:
        return plot_mode(found, chosen[0])
    return plot_explanation(found, chosen)
