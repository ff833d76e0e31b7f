"""Modes in two frames side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.modes.look import COLUMNS, mode_entries
from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, significant
from eigenbody.present.words import certified, model_name, noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.frames import FrameModes, FramePair


def sheet(found: FrameModes) -> Sheet:
    """The modes of both frames in pairs."""
    about = ", ".join(significant(value) for value in found.frame.about)
    hz = found.frame.rate / (2 * np.pi)
    title = f"Modes of {model_name(found.fixed.linear.point)} in the fixed and in the rotating frame"
    line = (
        f'Rotating frame "{shown(found.frame.name)}": {significant(found.frame.rate)} rad/s = {significant(hz)} Hz'
        f" about [{about}]"
    )
    return Sheet(title, [line], [_grid(found)], [*noted(found.notes), certified(found.rotating.certificate)])


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
            _stability(found, pair),
        )
        for pair in found.pairs[:MAX_ROWS]
    )
    one = ("damped\nHz", "real\n1/s", "damping\nratio")
    columns = ("fixed\n#", *one, "whirl", "rotating\n#", *one, "kind", "stability")
    right = (True,) * 4 + (False,) + (True,) * 4 + (False,) * 2
    return Grid("", columns, rows, right, len(found.pairs) - len(rows))


def _stability(found: FrameModes, pair: FramePair) -> str:
    """Of a mode, in the frame in which its eigenvalue is an exponent of the motion."""
    is_told = found.rotating_is_constant and not found.fixed_is_constant
    return found.rotating.stabilities[pair.rotating] if is_told else found.fixed.stabilities[pair.fixed]


def document(found: FrameModes) -> dict[str, Any]:
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
    return {**found.fixed.document(), "frames": frames}


def arrays(found: FrameModes) -> dict[str, Any]:
    """The arrays of both frames, and which modes make pairs."""
    both = (("fixed", found.fixed), ("rotating", found.rotating))
    own = {f"{prefix}_{name}": array for prefix, modes in both for name, array in modes.arrays().items()}
    pairs = np.array([(pair.fixed, pair.rotating) for pair in found.pairs], dtype=int).reshape(-1, 2)
    return {**own, "pairs": pairs, "rate": np.array(found.frame.rate)}


def axes(found: FrameModes) -> dict[str, Over]:
    """What the arrays lie over."""
    both = (("fixed_", found.fixed), ("rotating_", found.rotating))
    own = {prefix + name: one.prefixed(prefix, "mode", "state")
           for prefix, modes in both for name, one in modes.look.axes(modes).items()}  # fmt: skip
    return own | {"pairs": over(pair="", frame=("fixed", "rotating"))}


def records(found: FrameModes) -> Iterator[list[Any]]:
    """A line for each pair."""
    fixed, rotating = mode_entries(found.fixed), mode_entries(found.rotating)
    yield [*(f"fixed_{key}" for key in COLUMNS), "whirl", *(f"rotating_{key}" for key in COLUMNS)]
    for pair in found.pairs:
        one, other = fixed[pair.fixed], rotating[pair.rotating]
        yield [*(one[key] for key in COLUMNS), pair.whirl, *(other[key] for key in COLUMNS)]


def plot(found: FrameModes, kind: str = "plane", chosen: Sequence[int] | None = None) -> Figure:
    """The modes of the rotating frame."""
    return found.rotating.look.plot(found.rotating, kind, chosen)
