"""Whether the modes kept of beams suffice for the load they carry: the same mechanism with more of them, compared.

A load bends a beam in other shapes than those it has without load, and in more of them the larger it is. Where a beam
spins fast or is pulled or pushed hard enough for that, the modes of the mechanism are found once more with more shapes.
A beam that is pulled far harder than it is stiff bends beside its ends only, which no number of modes gives: it is
parted there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np

from eigenbody.analyses.modes.result import Modes
from eigenbody.analyses.modes.richer import (
    LAYERS,
    growing,
    parted_near_its_ends,
    relative_changes,
    spectrum_with,
    swinging,
    with_more_modes,
)
from eigenbody.base.errors import EigenbodyError
from eigenbody.base.progress import report
from eigenbody.elements.flexible.beam import MODES, SECTION_MODES
from eigenbody.linearization.linearize import linear_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.stiffening import StrainedBeam, strained_beams
from eigenbody.model.model import InertModel

NOTED = 1e-3  # part of a frequency by which more shapes may change it without a word
WANTED = 5e-4  # and which the number of modes that is proposed leaves
ORDER = 3  # power of the number of modes with which the error falls at least (measured: 3.1 to 4.5)
MOST = 24  # modes of a section that are proposed: there the error falls with the first power, more sections do better
PULLED = 1 / 30  # of the length: where a beam bends within less than that beside its ends, the order is one
HARDLY = 0.03  # part of the largest share in a mode: its square, the part of the energy, is 1e-3
ABOVE = 1.01  # beyond the last frequency that should be right: that of the other plane, gyroscopic terms


def remarks_on_few_shapes(model: InertModel, found: Modes) -> tuple[str, ...]:
    """A sentence where the frequencies found with the beams' modes are others with more, or cannot be judged."""
    entries = model.document.get("flexible", {})
    kept = {}
    for name, beam in strained_beams(found.linear.point).items():
        count = entries[name].get("modes", MODES if beam.parts == 1 else SECTION_MODES)
        if isinstance(count, int) and count:
            kept[name] = (count, beam)
    if not kept:
        return ()
    report("finding modes with more shapes of flexible bodies")
    takes_part = _takes_part(found, [beam for _, beam in kept.values()])
    is_judged = (swinging(found.eigenvalues) | growing(found.eigenvalues)) & ~found.is_rigid
    for (count, beam), takes in zip(kept.values(), takes_part, strict=True):
        is_judged &= ~takes | (np.abs(found.eigenvalues) <= _right_below(found.linear, count, beam))
    judged = found.eigenvalues[is_judged]
    if not len(judged):
        return (
            f"Whether {_listed(kept)} suffice for the load could not be judged: no frequency here is among those that"
            " they should give rightly.",
        )
    richer = {name: _richer(entries[name], *of) for name, of in kept.items()}
    try:
        others = spectrum_with(model, richer).eigenvalues
    except EigenbodyError as error:
        return (f"Whether {_listed(kept)} suffice for the load could not be told: {error}",)
    changes = relative_changes(judged, others)
    worst = int(np.argmax(changes))
    if changes[worst] <= NOTED:
        return ()
    own = [float(changes[takes[is_judged]].max(initial=0.0)) for takes in takes_part]
    advice = [
        _advice(name, *of, change) for (name, of), change in zip(kept.items(), own, strict=True) if change > NOTED
    ]
    size = abs(judged[worst])
    what = f"a growth of {size:.4g} 1/s" if growing(judged)[worst] else f"a frequency of {size / (2 * np.pi):.4g} Hz"
    return (
        f"With more shapes than {_listed(kept)} {what} is another by {changes[worst]:.1e} of it: the load bends in more"
        f" of them. Give {' and '.join(advice)}.",
    )


def _takes_part(found: Modes, beams: Sequence[StrainedBeam]) -> np.ndarray:
    """(beams, modes) whether a beam bends in a mode, beside the one that bends most."""
    shares = np.ones((len(beams), len(found.eigenvalues)))
    for share, beam in zip(shares, beams, strict=True):
        columns = [k for k, name in enumerate(found.linear.coordinates) if name in beam.coordinates]
        if columns and found.states_shape is not None:
            share[:] = np.linalg.norm(found.states_shape[:, columns], axis=1)
    return np.asarray(shares >= HARDLY * shares.max(axis=0))


def _right_below(linear: LinearModel, count: int, beam: StrainedBeam) -> float:
    """rad/s: half of the modes of a beam under its load should be right, what else there is held; of one in sections
    half of as many as the sections have by default, for more of them are rather for these to be right."""
    if linear.blades is not None:
        linear = linear_model(linear.point, solver="dense")
    own = [name for name in linear.coordinates if name in beam.coordinates and name in linear.velocities]
    rows, columns = [linear.velocities.index(name) for name in own], [linear.coordinates.index(name) for name in own]
    if not own:
        return 0.0
    M, K = linear.M[np.ix_(rows, rows)], linear.K[np.ix_(rows, columns)]
    speeds = np.sqrt(np.sort(np.abs(np.linalg.eigvals(np.linalg.solve(M, K)))))
    half = count // 2 if beam.parts == 1 else int(min(count, SECTION_MODES) / 2 * beam.length / beam.longest)
    return ABOVE * float(speeds[min(max(half, 1), len(speeds)) - 1])


def _richer(entry: Mapping[str, Any], count: int, beam: StrainedBeam) -> dict[str, Any]:
    more = with_more_modes(entry, count, beam.parts)
    parted = parted_near_its_ends(more, beam) if beam.layer < PULLED * beam.length else None
    return parted or more


def _advice(name: str, count: int, beam: StrainedBeam, change: float) -> str:
    if beam.parts > 1:
        return f"flexible.{name}.modes: {max(min(ceil(count * change / WANTED), MOST), count + 1)}"
    if beam.layer >= PULLED * beam.length:
        return f"flexible.{name}.modes: {ceil(count * (change / WANTED) ** (1 / ORDER))}"
    apart = " and ".join(f"{many * beam.layer:.3g}" for many in LAYERS)
    return (
        f"flexible.{name}.points stations {apart} m from each end and part it there by cuts (it bends within"
        f" {beam.layer:.2g} m of what holds it, which more modes hardly show)"
    )


def _listed(kept: Mapping[str, tuple[int, StrainedBeam]]) -> str:
    each = (f"the {count} modes of {'each section of ' * (beam.parts > 1)}{name}"
            for name, (count, beam) in kept.items())  # fmt: skip
    return " and ".join(each)
