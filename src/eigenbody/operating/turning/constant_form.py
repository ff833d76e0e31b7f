"""Linear equations in the coordinates in which they are constant, or the word that they are those of an instant."""

from __future__ import annotations

from dataclasses import replace

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.multiblade import MultiBlade, in_multiblade
from eigenbody.operating.constancy import has_constant_coefficients
from eigenbody.operating.turning.blades import Blades, blades_among, has_blades, possible_rotors
from eigenbody.operating.turning.observer import from_ground

INSTANT = (
    "The equations change along the motion: what is given is that of an instant, not of the motion. Where the motion"
    " repeats itself use Floquet's theory (eigenbody floquet), or simulate it."
)
FROM_GROUND = (
    "The equations are constant for an observer at rest, not in the coordinates of the model, of which some turn:"
    " coordinates are measured from ground."
)
PORTS_TURN = (
    "What pushes here, or what is read, turns along the motion beside the coordinates: at one frequency it answers at"
    " several, and what is given is that of an instant. Push, read and take coordinates all from ground (coordinates:"
    " [disc.x, disc.y]) or all from what turns, or simulate it."
)


def in_constant_form(linear: LinearModel) -> LinearModel:
    """The linear model whose coefficients are constant: in its own coordinates, or in multi-blade coordinates or those
    measured from ground where these are needed and help. Where nothing makes them constant, as it is, with a note that
    says so."""
    if linear.by_route is not None or linear.blades is not None or linear.seen_from is not None:
        return linear
    found = Blades(None)
    if not linear.is_sparse and not linear.point.is_steady:
        found = blades_among(linear, possible_rotors(linear.point))
    if found.chart is not None:
        return _in_patterns(linear, found.chart, found.notes)
    if has_constant_coefficients(linear):
        return linear
    seen = from_ground(linear)
    if seen.seen_from is not None:
        return replace(seen, notes=(*seen.notes, FROM_GROUND))
    reason = (f"Multi-blade coordinates do not help. {found.reason}.",) if found.reason else ()
    return replace(linear, notes=(*linear.notes, INSTANT, *reason))


def is_of_an_instant(linear: LinearModel) -> bool:
    """Whether nothing made the coefficients of the linear model constant, or those at its ports."""
    return INSTANT in linear.notes or PORTS_TURN in linear.notes


def refuse_stationary_of_an_instant(linear: LinearModel) -> None:
    """Equations that change along the motion have no stationary response, nor is their growth that of the motion."""
    if is_of_an_instant(linear):
        raise ComputationError(
            "The equations change along the motion, and those of an instant have no stationary response. Simulate the"
            " motion, or ask for the linear equations along it (eigenbody along)."
        )


def in_blade_patterns(linear: LinearModel) -> LinearModel:
    """The linear model in multi-blade coordinates where these make its equations constant and its own do not; else
    as it is."""
    if linear.is_sparse or linear.by_route is not None or linear.point.is_steady:
        return linear
    found = blades_among(linear, possible_rotors(linear.point))
    return linear if found.chart is None else _in_patterns(linear, found.chart, found.notes)


def refuse_instant(linear: LinearModel) -> LinearModel:
    """The linear model, unless it is that of a rotor whose equations change along the motion."""
    if linear.blades is not None or not has_blades(linear.point) or has_constant_coefficients(linear):
        return linear
    reason = blades_among(linear, possible_rotors(linear.point)).reason
    raise ComputationError(f"{reason}. {INSTANT}" if reason else INSTANT)


def _in_patterns(linear: LinearModel, chart: MultiBlade, notes: tuple[str, ...]) -> LinearModel:
    if not linear.damping_is_natural:
        what = f"{chart.count} equal blades on {chart.joint} are seen from the fixed frame, and this damping is not."
        remedy = "Give proportional damping or one modal ratio, or dampers of the blades as elements."
        raise InputError(Fault("damping", what, remedy))
    from eigenbody.operating.steady.report import stability_note  # others need none of it

    settled = stability_note("unknown")  # what a search of a steady motion says of coordinates that do not serve
    point = replace(linear.point, warnings=tuple(text for text in linear.point.warnings if text not in settled))
    return in_multiblade(replace(linear, point=point, notes=(*linear.notes, *notes)), chart)
