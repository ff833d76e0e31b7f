"""Whether the modes kept of beams suffice for the load they carry: the same mechanism with more of them, compared.

A load bends a beam in other shapes than those it has without load, and in more of them the larger it is. Where a beam
spins fast or is pulled hard enough for that, the modes of the mechanism are found once more with more shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.base.progress import report
from eigenbody.elements.flexible.beam import MODES
from eigenbody.linearization.linearize import linear_model
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.stiffening import strained_beams
from eigenbody.model.model import InertModel
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.blades import in_blade_patterns

NOTED = 1e-3  # part of an eigenvalue by which more shapes may change it without a word
WANTED = 5e-4  # and which the number of modes that is proposed leaves
ORDER = 3  # power of the number of modes with which the error falls at least (measured: 3.1 to 4.5)
MORE = 8  # modes beside twice as many


def remarks_on_few_shapes(model: InertModel, point: OperatingPoint, eigenvalues: np.ndarray) -> tuple[str, ...]:
    """A sentence where the eigenvalues found with the beams' modes are others with more of them."""
    entries = model.document.get("flexible", {})
    strained = [body for body in strained_beams(point) if isinstance(entries[body.name].get("modes", MODES), int)]
    strained = [body for body in strained if entries[body.name].get("modes", MODES)]
    if not strained:
        return ()
    report("finding modes with more shapes of flexible bodies")
    kept = {body.name: entries[body.name].get("modes", MODES) for body in strained}
    more = {name: {**entries[name], "modes": 2 * count + MORE} for name, count in kept.items()}
    try:
        others = eigenvalues_with(model, more)
    except EigenbodyError as error:
        return (f"Whether {_listed(kept)} suffice for the load could not be told: {error}",)
    halves = [min(kept[body.name] // 2, body.reduced.modes - 1) for body in strained]
    limit = min(float(np.real(body.reduced.frequencies)[half]) for body, half in zip(strained, halves, strict=True))
    judged = eigenvalues[(np.abs(eigenvalues) > 0) & (np.abs(eigenvalues) <= limit)]
    if not len(judged):
        return ()
    changes = np.abs(others - judged[:, None]).min(axis=1) / np.abs(judged)
    worst = int(np.argmax(changes))
    if changes[worst] <= NOTED:
        return ()
    frequency, factor = abs(judged[worst]) / (2 * np.pi), (changes[worst] / WANTED) ** (1 / ORDER)
    advice = ", ".join(f"flexible.{name}.modes: {ceil(count * factor)}" for name, count in kept.items())
    return (
        f"With more shapes than {_listed(kept)} a frequency of {frequency:.4g} Hz is another by {changes[worst]:.1e} of"
        f" it: the load bends in more of them. Give {advice}.",
    )


def eigenvalues_with(model: InertModel, beams: Mapping[str, Any]) -> np.ndarray:
    """Eigenvalues of the same mechanism with other entries of `flexible` for some of its beams."""
    other = model.set(flexible={**model.document["flexible"], **beams})
    return np.linalg.eigvals(in_blade_patterns(linear_model(operating_point(other), solver="dense")).A)


def _listed(kept: dict[str, int]) -> str:
    return " and ".join(f"the {count} modes of {name}" for name, count in kept.items())
