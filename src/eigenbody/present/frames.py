"""Modes in two frames side by side: text, HTML, terminal, JSON and files."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.documents import as_json, mode_entries, modes_document, number
from eigenbody.present.export import Writer, array_file, csv_cell, csv_text, modes_arrays, text_file
from eigenbody.present.tables import MAX_ROWS, Grid, certified, significant, wrapped

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.analyses.frames import FrameModes


def _head(found: FrameModes) -> list[str]:
    about = ", ".join(significant(value) for value in found.frame.about)
    hz = found.frame.rate / (2 * np.pi)
    return [
        f"Modes of {shown(found.fixed.linear.point.model.name, 100)} in the fixed and in the rotating frame",
        f'Rotating frame "{shown(found.frame.name)}": {significant(found.frame.rate)} rad/s = {significant(hz)} Hz'
        f" about [{about}]",
    ]


def _grid(found: FrameModes) -> Grid:
    fixed, rotating = found.fixed, found.rotating
    rows = tuple(
        (
            str(pair.fixed + 1),
            significant(fixed.damped_frequency_hz[pair.fixed], 9),
            significant(fixed.eigenvalues[pair.fixed].real),
            significant(fixed.damping_ratio[pair.fixed], 5),
            pair.whirl or "—",
            str(pair.rotating + 1),
            significant(rotating.damped_frequency_hz[pair.rotating], 9),
            significant(rotating.eigenvalues[pair.rotating].real),
            significant(rotating.damping_ratio[pair.rotating], 5),
            fixed.kinds[pair.fixed],
            fixed.stabilities[pair.fixed],
        )
        for pair in found.pairs[:MAX_ROWS]
    )
    one = ("damped\nHz", "real\n1/s", "damping\nratio")
    columns = ("fixed\n#", *one, "whirl", "rotating\n#", *one, "kind", "stability")
    right = (True,) * 4 + (False,) + (True,) * 4 + (False,) * 2
    return Grid("", columns, rows, right, len(found.pairs) - len(rows))


def _below(found: FrameModes) -> list[str]:
    return [*(f"Note: {note}" for note in found.notes), certified(found.rotating.certificate)]


def frames_text(found: FrameModes) -> str:
    """The table as plain text."""
    return "\n".join([*_head(found), "", _grid(found).text(), "", *wrapped(_below(found))])


def frames_html(found: FrameModes) -> str:
    """The table as HTML; every name is escaped."""
    title, line = _head(found)
    below = "<br>".join(escape(text) for text in _below(found))
    return f"<p><b>{escape(title)}</b><br>{escape(line)}</p>{_grid(found).html()}<p>{below}</p>"


def frames_rich(found: FrameModes) -> RenderableType:
    """The table for the terminal."""
    from rich.console import Group
    from rich.text import Text

    title, line = _head(found)
    below = [Text(text, style="dim") for text in _below(found)]
    return Group(Text(title, style="bold"), Text(line), Text(), _grid(found).rich(), Text(), *below)


def frames_document(found: FrameModes) -> dict[str, Any]:
    """`modes --frame --json`: the modes of the fixed frame, and `frames`."""
    frames = {
        "frame": found.frame.name,
        "about": [number(value) for value in found.frame.about],
        "at": [number(value) for value in found.frame.at],
        "rate": number(found.frame.rate),
        "fixed_is_constant": found.fixed_is_constant,
        "rotating_is_constant": found.rotating_is_constant,
        "coordinates": list(found.rotating.linear.coordinates),
        "rotating": mode_entries(found.rotating),
        "pairs": [
            {"fixed": p.fixed + 1, "rotating": p.rotating + 1, "whirl": p.whirl or None, "likeness": number(p.likeness)}
            for p in found.pairs
        ],
        "notes": list(found.notes),
    }
    return {**modes_document(found.fixed), "frames": frames}


def frames_writer(found: FrameModes, ending: str) -> Writer:
    """Writes the modes of both frames: json the document, csv the pairs, npz and mat the arrays of both frames."""
    if ending == "json":
        return text_file(as_json(frames_document(found)) + "\n")
    if ending == "csv":
        return text_file(_frames_csv(found))
    both = (("fixed", found.fixed), ("rotating", found.rotating))
    arrays = {f"{prefix}_{name}": array for prefix, modes in both for name, array in modes_arrays(modes).items()}
    pairs = np.array([(pair.fixed, pair.rotating) for pair in found.pairs], dtype=int).reshape(-1, 2)
    return array_file({**arrays, "pairs": pairs, "rate": np.array(found.frame.rate)}, ending)


def _frames_csv(found: FrameModes) -> str:
    keys = ("index", "real", "imag", "frequency_hz", "damped_frequency_hz", "damping_ratio", "kind", "stability")
    fixed, rotating = mode_entries(found.fixed), mode_entries(found.rotating)
    lines = [[*(f"fixed_{key}" for key in keys), "whirl", *(f"rotating_{key}" for key in keys)]]
    for pair in found.pairs:
        one, other = fixed[pair.fixed], rotating[pair.rotating]
        lines.append([*(csv_cell(one[key]) for key in keys), pair.whirl, *(csv_cell(other[key]) for key in keys)])
    return csv_text(lines)
