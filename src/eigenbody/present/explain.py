"""Explained modes: text, HTML, terminal, JSON and files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.batched import as_rows
from eigenbody.model.description import owner_of
from eigenbody.model.source import shown
from eigenbody.present.documents import as_json, mode_entries, modes_document, number, require_finite_modes
from eigenbody.present.export import Writer, array_file, csv_cell, csv_text, modes_arrays, names_array, text_file
from eigenbody.present.tables import MAX_ROWS, Grid, certified, model_name, significant, verdict, wrapped

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.analyses.explain import Explanation

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
DEFORMATION = "deformation"
FEW = 3  # shares in a cell of the table
SMALL = 0.02  # shares below are not worth a place in the table


# ---- tables


def _head(found: Explanation) -> list[str]:
    modes = found.modes
    return [
        f"Modes of {model_name(modes.linear.point)}, explained",
        f"{modes.dof} degree{'' if modes.dof == 1 else 's'} of freedom; {verdict(modes)}",
    ]


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


def _below(found: Explanation) -> list[str]:
    notes = [*found.modes.notes, *found.notes]
    return [*(f"Note: {note}" for note in notes), certified(found.modes.certificate)]


def explanation_text(found: Explanation) -> str:
    """The table as plain text."""
    return "\n".join([*_head(found), "", energy_grid(found).text(), "", *wrapped(_below(found))])


def explanation_html(found: Explanation) -> str:
    """The table as HTML; every name is escaped."""
    title, line = _head(found)
    below = "<br>".join(escape(text) for text in _below(found))
    return f"<p><b>{escape(title)}</b><br>{escape(line)}</p>{energy_grid(found).html()}<p>{below}</p>"


def explanation_rich(found: Explanation) -> RenderableType:
    """The table for the terminal."""
    from rich.console import Group
    from rich.text import Text

    title, line = _head(found)
    below = [Text(text, style="dim") for text in _below(found)]
    return Group(Text(title, style="bold"), Text(line), Text(), energy_grid(found).rich(), Text(), *below)


# ---- documents


def explanation_document(found: Explanation) -> dict[str, Any]:
    """`modes --explain --json`: the document of `modes --json` with an explanation in every mode."""
    document = modes_document(found.modes)
    document["modes"] = [entry | _explained(found, i) for i, entry in enumerate(document["modes"])]
    document["notes"] = [*document["notes"], *found.notes]
    return document


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


def explanation_writer(found: Explanation, ending: str) -> Writer:
    """Writes explained modes: npz and mat hold the arrays, csv the table with labels, json the document."""
    require_finite_modes(found.modes)
    if ending == "json":
        return text_file(as_json(explanation_document(found)) + "\n")
    if ending == "csv":
        return text_file(_explanation_csv(found))
    return array_file(modes_arrays(found.modes) | _explanation_arrays(found), ending)


def _explanation_arrays(found: Explanation) -> dict[str, np.ndarray]:
    return {
        "label": names_array(found.labels),
        "whirl": names_array(found.whirls),
        "kinetic_energy": found.kinetic,  # (modes, bodies, 6)
        "deformation_energy": found.deformation,  # (modes, bodies) of the kinetic energy too
        "strain_energy": found.strain,  # (modes, strain_sources)
        "strain_sources": names_array(found.strain_sources),
        "dissipation": found.dissipation,
        "dissipation_sources": names_array(found.dissipation_sources),
        "participation": found.participation,  # (modes, coordinates)
        "participating": names_array(found.coordinates),
        "screw_point": found.screws.point,  # (modes, bodies, 3), nan for translations and still bodies
        "screw_direction": found.screws.direction,
        "screw_pitch": found.screws.pitch,  # m/rad, inf for translations
        "screw_wanders": found.screws.wanders,
    }


def _explanation_csv(found: Explanation) -> str:
    columns = ("index", "real", "imag", "frequency_hz", "damped_frequency_hz", "damping_ratio", "kind", "stability")
    flexible = [body.name for body in found.modes.linear.point.system.description.flexible]
    bent = found.deformation[:, [found.bodies.index(name) for name in flexible]]
    kinetic = np.hstack((as_rows(found.kinetic), bent))
    names = [f"kinetic {body} {part}" for body in found.bodies for part in COMPONENTS]
    names += [f"kinetic {body} {DEFORMATION}" for body in flexible]
    names += [f"strain {name}" for name in found.strain_sources]
    names += [f"dissipation {name}" for name in found.dissipation_sources]
    names += [f"participation {name}" for name in found.coordinates]
    values = np.hstack((kinetic, found.strain, found.dissipation, found.participation))
    lines = [
        [
            *(csv_cell(entry[c]) for c in columns),
            found.labels[i],
            *(csv_cell(number(value)) for value in values[i].tolist()),
        ]
        for i, entry in enumerate(mode_entries(found.modes))
    ]
    return csv_text([(*columns, "label", *names), *lines])
