"""Sections of a beam in the model file: their keys, common forms of section, and what they mean for the mesh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from eigenbody.elements.checks import Wrong
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind
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
    section = {**_form(entry, nu), **known}
    if not entry.get("shear", True):
        section |= {"ky": None, "kz": None}
    offsets = {key: entry[key][0] if len(entry[key]) == 1 else entry[key]
               for key in ("mass_offset", "elastic_offset") if entry.get(key) is not None}  # fmt: skip
    return BeamStations(points=entry["points"], y_axis=entry.get("y_axis"), G=G, **section, **offsets)


def _single(values: np.ndarray) -> Any:
    """One number where one was given."""
    return values[0] if len(values) == 1 else values


def _form(entry: Entry, nu: Any) -> dict[str, Any]:
    """Area, second moments, torsion constant and shear coefficients of a round or rectangular section."""
    if entry.get("diameter") is not None:
        d, bore = (_single(entry.get(key, np.zeros(1))) for key in ("diameter", "inner_diameter"))
        second = np.pi / 64 * (d**4 - bore**4)
        m2 = (bore / d) ** 2
        k = 6 * (1 + nu) * (1 + m2) ** 2 / ((7 + 6 * nu) * (1 + m2) ** 2 + (20 + 12 * nu) * m2)  # Cowper 1966
        return {"A": np.pi / 4 * (d**2 - bore**2), "Iy": second, "Iz": second, "J": 2 * second, "ky": k, "kz": k}
    if entry.get("width") is not None:
        y, z = _single(entry["width"]), _single(entry["height"])
        return {"A": y * z, "Iy": y * z**3 / 12, "Iz": z * y**3 / 12, "J": _torsion(y, z), "ky": 5 / 6, "kz": 5 / 6}
    return {}


def _torsion(y: Any, z: Any) -> Any:
    """Torsion constant of a rectangle by the series of Saint-Venant."""
    is_wide = np.real(y) >= np.real(z)
    a, b = np.where(is_wide, y, z), np.where(is_wide, z, y)  # b the shorter side
    odd = np.arange(1, 40, 2)
    series = sum(np.tanh(n * np.pi * a / (2 * b)) / n**5 for n in odd)
    out = a * b**3 * (1 / 3 - 64 * b / (np.pi**5 * a) * series)
    return out if out.ndim else out[()]
