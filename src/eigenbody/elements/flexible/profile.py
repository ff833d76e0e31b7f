"""Sections of a beam in the model file: their keys, common forms of section, and what they mean for the mesh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from eigenbody.elements.checks import Wrong
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind
from eigenbody.structures.beam_form import Rectangle, Round
from eigenbody.structures.beam_section import BeamStations

GIVEN = {"E": "E", "area": "A", "Iy": "Iy", "Iz": "Iz", "J": "J", "density": "density", "mass_per_length": "m",
         "jx": "jx", "jy": "jy", "jz": "jz", "ky": "ky", "kz": "kz", "twist": "twist"}  # fmt: skip
FORMS = ("diameter", "width", "area")

PROFILE = (
    Field("y_axis", Kind.DIRECTION, doc="direction of the section's y axis, default the drawing axis most across it"),
    Field("E", Kind.PROFILE, "Pa", required=True, doc="Young's modulus"),
    Field("G", Kind.PROFILE, "Pa", doc="shear modulus, default from nu"),
    Field("nu", Kind.NUMBER, "1", default=0.3, doc="Poisson's ratio"),
    Field("density", Kind.PROFILE, "kg/m^3", doc="density"),
    Field("diameter", Kind.PROFILE, "m", doc="a round section: its outer diameter"),
    Field("inner_diameter", Kind.PROFILE, "m", doc="and that of its bore"),
    Field("width", Kind.PROFILE, "m", doc="a rectangular section: its size along y"),
    Field("height", Kind.PROFILE, "m", doc="and along z"),
    Field("area", Kind.PROFILE, "m^2", doc="any section: its area"),
    Field("Iy", Kind.PROFILE, "m^4", doc="second moment about y: bending in the x-z plane"),
    Field("Iz", Kind.PROFILE, "m^4", doc="second moment about z: bending in the x-y plane"),
    Field("J", Kind.PROFILE, "m^4", doc="torsion constant"),
    Field("shear", Kind.FLAG, default=True, doc="false: rigid in shear (Euler-Bernoulli)"),
    Field("ky", Kind.PROFILE, "1", doc="shear coefficient for forces along y (Timoshenko)"),
    Field("kz", Kind.PROFILE, "1", doc="and along z"),
    Field("mass_per_length", Kind.PROFILE, "kg/m", doc="mass per length, default density times area"),
    Field("jx", Kind.PROFILE, "kg*m", doc="rotary inertia per length about x, default density (Iy + Iz)"),
    Field("jy", Kind.PROFILE, "kg*m", doc="about y, default density Iy"),
    Field("jz", Kind.PROFILE, "kg*m", doc="about z, default density Iz"),
    Field("twist", Kind.PROFILE, "rad", doc="angle of the section about the line"),
    Field("mass_offset", Kind.MATRIX, doc="mass centre from the line, [y, z] in section axes, or one for each station"),
    Field("elastic_offset", Kind.MATRIX, doc="elastic centre from the line, likewise"),
)


def wrong_profile(values: Mapping[str, Any]) -> Iterator[Wrong]:
    """One form of section, complete, and something that has mass."""
    given = [key for key in FORMS if values.get(key) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        yield "", f"exactly one of diameter, width, area must be given, but here is {found}.", ""
    if given == ["width"] and values.get("height") is None:
        yield "", 'the required key "height" is missing.', "A rectangle has a width (along y) and a height (along z)."
    for key, form in (("inner_diameter", "diameter"), ("height", "width")):
        if values.get(key) is not None and len(given) == 1 and given != [form]:
            yield (
                key,
                f"it belongs to a section by {form}.",
                f"Leave it out, or give the {form} in place of {given[0]}.",
            )
    if given == ["area"]:
        for key in ("Iy", "Iz", "J"):
            if values.get(key) is None:
                yield "", f'the required key "{key}" is missing.', "A section given by its area needs Iy, Iz and J."
    nu = values.get("nu")
    if isinstance(nu, int | float) and not -1 < nu <= 0.5:
        yield "nu", f"Poisson's ratio {nu:g} is not possible.", "It lies between -1 and 0.5."
    for key in ("density", "mass_per_length"):
        mass = values.get(key)
        if isinstance(mass, np.ndarray) and mass.dtype != object and not np.any(np.real(mass) > 0):
            yield key, "the beam has no mass.", "Give a positive number."
    if values.get("density") is None and values.get("mass_per_length") is None:
        yield "", "the beam has no mass.", "Give density or mass_per_length."


def stations_of(entry: Entry) -> BeamStations:
    """The stations of a beam of the model file."""
    known = {to: _single(entry[key]) for key, to in GIVEN.items() if entry.get(key) is not None}
    E, nu = known["E"], entry.get("nu", 0.3)
    G = _single(entry["G"]) if entry.get("G") is not None else E / (2 * (1 + nu))
    if not entry.get("shear", True):
        known |= {"ky": np.inf, "kz": np.inf}
    offsets = {key: entry[key][0] if len(entry[key]) == 1 else entry[key]
               for key in ("mass_offset", "elastic_offset") if entry.get(key) is not None}  # fmt: skip
    form = _form(entry, nu)
    return BeamStations(points=entry["points"], y_axis=entry.get("y_axis"), G=G, form=form, **known, **offsets)


def _single(values: np.ndarray) -> Any:
    """One number where one was given."""
    return values[0] if len(values) == 1 else values


def _form(entry: Entry, nu: Any) -> Round | Rectangle | None:
    """The form of the section where dimensions are given; they, not its moments, are linear between stations."""
    if entry.get("diameter") is not None:
        bore = _single(entry["inner_diameter"]) if entry.get("inner_diameter") is not None else 0.0
        return Round(_single(entry["diameter"]), bore, nu)
    if entry.get("width") is not None:
        return Rectangle(_single(entry["width"]), _single(entry["height"]))
    return None
