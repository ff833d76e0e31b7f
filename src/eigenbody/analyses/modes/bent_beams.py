"""Whether beams are bent too far for one body each: the same mechanism with its beams in more sections, compared.

A flexible body is right to second order in its deformation. What is left out grows with the square of the rotation that
the operating point gives to its sections, times a factor that no formula knows in advance: about one where a beam is
as stiff in both planes, beyond twenty where it is a strip. Beams that are bent at all are therefore parted, and the
frequencies found once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

import numpy as np

from eigenbody.analyses.modes.few_shapes import NOTED, WANTED
from eigenbody.analyses.modes.richer import certain, relative_changes, spectrum_with, swinging, with_more_modes
from eigenbody.base.errors import EigenbodyError
from eigenbody.base.progress import report
from eigenbody.elements.flexible.beam import MODES
from eigenbody.linearization.bending import turned_beams
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.model import InertModel

TURN = 0.001  # rad between the sections of a body and its frame, from which on it may matter (strips of 60 to 1)
SECTIONS = 4  # in place of one body
REACHED = 1.2  # the error should fall with the square of the sections, by 16; what is measured is 12


def remarks_on_bent_beams(model: InertModel, point: OperatingPoint) -> tuple[str, ...]:
    """A sentence where frequencies are others with the bent beams of one body in sections.

    Both are found with more modes than the beams have, so that what differs is the bending.
    """
    entries = model.document.get("flexible", {})
    bent = {name: beam for name, beam in turned_beams(point, TURN).items() if beam.parts == 1}
    bent = {name: beam for name, beam in bent.items() if isinstance(entries[name].get("modes", MODES), int)}
    if not bent:
        return ()
    report("finding modes with bent beams in sections")
    richer = {name: with_more_modes(entries[name], entries[name].get("modes", MODES)) for name in bent}
    turns = " and ".join(f"{name} by up to {beam.turn:.2g} rad" for name, beam in bent.items())
    try:
        one = spectrum_with(model, richer)
        parted = spectrum_with(model, {name: in_sections(entry) for name, entry in richer.items()})
    except EigenbodyError as error:
        return (f"The load bends {turns}. Whether that is too far for one body could not be told: {error}",)
    values, right_below = one.eigenvalues, min(beam.right_below for beam in bent.values())
    judged = values[swinging(values) & certain(values, one.bounds) & (np.abs(values) <= right_below)]
    changes = relative_changes(judged, parted.eigenvalues)
    change = float(changes.max(initial=0.0))
    if change <= NOTED:
        return ()
    frequency = abs(judged[int(np.argmax(changes))]) / (2 * np.pi)
    sections = ceil(REACHED * (change / WANTED) ** 0.5)
    advice = ", ".join(f"flexible.{name}.sections: {sections}" for name in bent)
    return (
        f"The load bends {turns}, too far for one body each: in {SECTIONS} sections a frequency of {frequency:.4g} Hz"
        f" is another by {change:.1e} of it. Give {advice}.",
    )


def in_sections(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a beam in sections, which need fewer modes each, with elements enough for them."""
    changed = {**entry, "sections": SECTIONS, "modes": max(entry["modes"] // 3, 4)}
    least = ceil(2 * SECTIONS / (len(entry["points"]) - 1))
    if isinstance(entry.get("elements"), int) and entry["elements"] < least:
        changed["elements"] = least
    return changed
