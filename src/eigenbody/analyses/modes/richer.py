"""The same mechanism with more shapes of some of its beams, and what that changes in its eigenvalues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenbody.analyses.modes.checks import UNCERTAIN
from eigenbody.base.copies import Later
from eigenbody.elements.flexible.profile import PROFILE
from eigenbody.linearization.linearize import linear_model
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.stiffening import StrainedBeam
from eigenbody.model.model import InertModel
from eigenbody.model.vocabulary import Kind
from eigenbody.numerics.eigen.spectrum import Spectrum
from eigenbody.operating.constancy import has_constant_coefficients
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.constant_form import in_blade_patterns
from eigenbody.operating.turning.observer import from_constant_frame

MORE, MORE_EACH = 8, 2  # modes beside twice as many: of one body, of each of several
MANY, HALF_MORE = 24, 20  # modes of one body from which on these are added to half as many more, which shows enough
LAYERS = (2, 6)  # lengths over which a pulled beam bends beside its ends: there it is parted (measured: 1.5e-4 is left)
SWINGS = 1e-3  # least part of an eigenvalue that is imaginary where it swings


def with_more_modes(entry: Mapping[str, Any], kept: int, parts: int = 1) -> dict[str, Any]:
    """The entry of a beam with more than twice its modes, or half as many more of very many."""
    if parts == 1 and kept > MANY:
        return {**entry, "modes": kept + kept // 2 + HALF_MORE}
    return {**entry, "modes": 2 * kept + (MORE if parts == 1 else MORE_EACH)}


def parted_near_its_ends(entry: Mapping[str, Any], beam: StrainedBeam) -> dict[str, Any] | None:
    """The entry of a uniform beam of one body, parted near both ends; None where that would rename what is used."""
    names = list(entry.get("names", ()))
    varying = [field.name for field in PROFILE if field.kind is Kind.PROFILE]
    lists = any(isinstance(entry.get(key), list) for key in (*varying, "elements", "tension", "interface"))
    if lists or entry.get("mass_offset") or entry.get("elastic_offset") or beam.parts > 1:
        return None
    points = entry["points"]
    if not set(beam.used) <= {"start", "end", *names} or not _are_numbers(points):
        return None
    drawn, apart = np.array(points, dtype=float), np.array(LAYERS)[:, None] * beam.layer
    first, last = drawn[1] - drawn[0], drawn[-2] - drawn[-1]
    if 2 * apart.max() > min(np.linalg.norm(first), np.linalg.norm(last)):
        return None
    foot = drawn[0] + apart * first / np.linalg.norm(first)
    head = drawn[-1] + apart[::-1] * last / np.linalg.norm(last)
    names = names or [f"station{k + 1}" for k in range(len(drawn))]
    cuts = [[f"near_{end}{k + 1}" for k in range(len(LAYERS))] for end in ("start", "end")]
    names = [names[0], *cuts[0], *names[1:-1], *cuts[1], names[-1]]
    stations = np.concatenate((drawn[:1], foot, drawn[1:-1], head, drawn[-1:])).tolist()
    return {**entry, "points": stations, "names": names, "cuts": [*cuts[0], *cuts[1]]}


def _are_numbers(points: Any) -> bool:
    return all(isinstance(value, int | float) for point in points for value in point)


def spectrum_with(model: InertModel, beams: Mapping[str, Any]) -> Spectrum:
    """Eigenvalues of the same mechanism with other entries of `flexible` for some beams, seen as `modes` does."""
    other = model.set(flexible={**model.document["flexible"], **beams})
    linear = in_blade_patterns(linear_model(operating_point(other), solver="dense"))
    return spectrum_of(from_constant_frame(linear, Later(lambda: has_constant_coefficients(linear))))


def certain(eigenvalues: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Which of them rounding cannot change by what a comparison would notice: no zeros that were not recognized."""
    return np.asarray(bounds <= UNCERTAIN * np.abs(eigenvalues))


def swinging(eigenvalues: np.ndarray) -> np.ndarray:
    """Which of them swing, one of every pair."""
    return np.asarray(eigenvalues.imag > SWINGS * np.abs(eigenvalues))


def growing(eigenvalues: np.ndarray) -> np.ndarray:
    """Which of them grow without swinging."""
    return np.asarray((eigenvalues.real > 0) & ~(np.abs(eigenvalues.imag) > SWINGS * np.abs(eigenvalues)))


def relative_changes(judged: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Part by which each eigenvalue judged is another among the others, one matched to one: those that swing, and those
    that grow. Magnitudes are compared: the damping of sections is their own."""
    changes = np.zeros(len(judged))
    for kind, missing in ((swinging, 0.0), (growing, 1.0)):
        changes[kind(judged)] = _matched(np.abs(judged[kind(judged)]), np.abs(others[kind(others)]), missing)
    return changes


def _matched(own: np.ndarray, other: np.ndarray, missing: float) -> np.ndarray:
    """Changes of sizes; `missing` for all where there are fewer others."""
    from scipy.optimize import linear_sum_assignment

    if not len(own) or len(other) < len(own):
        return np.full(len(own), missing)
    rows, columns = linear_sum_assignment(np.abs(np.log(other / own[:, None])))
    changes = np.zeros(len(own))
    changes[rows] = np.abs(other[columns] / own[rows] - 1)
    return changes
