"""The sections of a beam: what stations along a line give for any place between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.spatial.rotations import apply, cross, dot, skew, unit
from eigenbody.structures.beam_form import Rectangle, Round, dimensions

_POSITIVE = ("E", "G", "A", "Iy", "Iz", "J", "diameter", "width", "height")
_NOT_NEGATIVE = ("density", "m", "jx", "jy", "jz", "inner_diameter")
_SHEAR = ("ky", "kz")
_WIDE = {"y_axis": 3, "mass_offset": 2, "elastic_offset": 2, "shear_offset": 2}


@dataclass(frozen=True)
class BeamStations:
    """A beam along the straight segments between `points` (s, 3), in the axes of the drawing.

    The section's x is the tangent, y the direction `y_axis` made perpendicular to it and turned by `twist` (rad, right-
    handed about x), z = x cross y. Every property is a number, an array of length s (linear between the stations) or of
    length s - 1 (constant in each segment); directions and offsets have their 3 or 2 numbers in a last axis.

    `Iy` and `Iz` are second moments about the section's y and z through the elastic centre: Iy resists bending in
    the x-z plane. `ky` and `kz` are shear coefficients for forces along y and z (Timoshenko); None or infinite
    means rigid in shear (Euler-Bernoulli). A `form` gives those of A, Iy, Iz, J, ky, kz that are None, at every
    place from its dimensions there: a cone has no linear second moments. `m` is the mass per length (default
    density A), `jx`, `jy`, `jz` the rotary inertia per length about the mass centre (defaults jy = density Iy, jz =
    density Iz, jx = jy + jz; without density m / A takes its place; give 0 for none). Offsets (y, z) count from the
    drawn line in section axes: of the mass centre, of the elastic (tension) centre, and of the shear centre
    (default: the elastic centre).
    """

    points: Any
    E: Any
    G: Any
    A: Any = None
    Iy: Any = None
    Iz: Any = None
    J: Any = None
    form: Round | Rectangle | None = None
    y_axis: Any = None  # default: the drawing axis least aligned with the line from the first to the last station
    density: Any = None
    m: Any = None
    jx: Any = None
    jy: Any = None
    jz: Any = None
    ky: Any = None
    kz: Any = None
    twist: Any = 0.0
    mass_offset: Any = (0.0, 0.0)
    elastic_offset: Any = (0.0, 0.0)
    shear_offset: Any = None


@dataclass(frozen=True, eq=False)
class Sections:
    """Sections at places (...) of a beam; vectors and matrices in the axes of the drawing."""

    position: np.ndarray  # (..., 3) on the drawn line
    axes: np.ndarray  # (..., 3, 3), columns are the section's x, y, z
    compliance: np.ndarray  # (..., 6, 6): strain and curvature on the drawn line by force and moment there
    mass: np.ndarray  # (...) per length
    inertia: np.ndarray  # (..., 3, 3) per length, about the mass centre
    mass_arm: np.ndarray  # (..., 3) from the drawn line to the mass centre
    elastic_arm: np.ndarray  # (..., 3) from the drawn line to the elastic centre
    radius2: np.ndarray  # (...) square of the radius of gyration of the area, (Iy + Iz) / A


def sections_at(stations: BeamStations, segment: np.ndarray, fraction: np.ndarray) -> Sections:
    """Sections in segments (p,) at fractions (p, g) of their length."""
    points = np.asarray(stations.points)
    start, step = points[segment], points[segment + 1] - points[segment]
    axes = _axes(stations, segment, fraction, unit(step))

    def between(name: str, value: Any) -> np.ndarray:
        return _between(value, len(points), segment, fraction, _WIDE.get(name))

    form = stations.form
    formed = {} if form is None else form.section(**{k: between(k, v) for k, v in dimensions(form).items()})

    def at(name: str) -> Any:
        given = getattr(stations, name)
        return formed.get(name) if given is None else between(name, given)

    def arm(name: str) -> np.ndarray:
        return apply(axes[..., 1:], at(name))

    A, Iy, Iz = at("A"), at("Iy"), at("Iz")
    mass, inertia = _inertia(stations, at, A, Iy, Iz)
    return Sections(
        position=start[:, None] + fraction[..., None] * step[:, None],
        axes=axes,
        compliance=_compliance(stations, at, axes, (A, Iy, Iz)),
        mass=mass,
        inertia=(axes * inertia[..., None, :]) @ axes.swapaxes(-1, -2),
        mass_arm=arm("mass_offset"),
        elastic_arm=arm("elastic_offset"),
        radius2=(Iy + Iz) / A,
    )


@dataclass(frozen=True, eq=False)
class Outline:
    """What the sections of a beam's elements (e) look like: half their sizes along y and z, as vectors in the axes of
    the drawing, at the start and at the end of every element."""

    half: np.ndarray  # (e, 2, 2, 3): element, end, y or z, vector
    is_round: bool  # an ellipse, else a rectangle


def outline_of(stations: BeamStations, at_stations: np.ndarray) -> Outline:
    """Of elements whose nodes (s,) at the stations are known. Sections without a form are drawn as the ellipse or the
    rectangle of their radii of gyration, round ones where both are alike."""
    counts = np.diff(at_stations)
    segment = np.repeat(np.arange(len(counts)), counts)
    inner = np.arange(len(segment)) - at_stations[segment]
    fraction = (inner[:, None] + np.array([0.0, 1.0])) / counts[segment][:, None]
    points = np.asarray(stations.points)
    axes = np.real(_axes(stations, segment, fraction, unit(points[segment + 1] - points[segment])))

    def at(value: Any) -> np.ndarray:
        return np.real(_between(value, len(points), segment, fraction, None))

    form, is_round = stations.form, True
    if isinstance(form, Round):
        y = z = 0.5 * at(form.diameter)
    elif isinstance(form, Rectangle):
        y, z, is_round = 0.5 * at(form.width), 0.5 * at(form.height), False
    else:
        A, Iy, Iz = at(stations.A), at(stations.Iy), at(stations.Iz)
        is_round = bool(np.all(np.abs(Iy - Iz) <= 1e-6 * (Iy + Iz)))
        y, z = np.sqrt((4.0 if is_round else 3.0) * Iz / A), np.sqrt((4.0 if is_round else 3.0) * Iy / A)
    half = np.stack((y[..., None] * axes[..., 1], z[..., None] * axes[..., 2]), axis=-2)
    return Outline(half, is_round)


def _between(value: Any, stations: int, segment: np.ndarray, fraction: np.ndarray, width: int | None) -> np.ndarray:
    """A property at the places: constant, linear between stations or constant in segments."""
    value = np.asarray(value)
    if value.ndim == (width is not None):
        return np.broadcast_to(value, (*fraction.shape, *value.shape))
    first = value[segment][:, None]
    if len(value) != stations:
        return np.broadcast_to(first, (*fraction.shape, *value.shape[1:]))
    f = fraction if width is None else fraction[..., None]
    return first + f * (value[segment + 1][:, None] - first)


def _axes(stations: BeamStations, segment: np.ndarray, fraction: np.ndarray, tangent: np.ndarray) -> np.ndarray:
    points = np.asarray(stations.points)
    x = np.broadcast_to(tangent[:, None], (*fraction.shape, 3))
    y = _between(_y_axis(stations), len(points), segment, fraction, 3)
    y = unit(y - dot(x, y)[..., None] * x)
    z = cross(x, y)
    twist = _between(stations.twist, len(points), segment, fraction, None)
    c, s = np.cos(twist)[..., None], np.sin(twist)[..., None]
    return np.stack((x, c * y + s * z, c * z - s * y), axis=-1)


def _y_axis(stations: BeamStations) -> np.ndarray:
    if stations.y_axis is not None:
        return np.asarray(stations.y_axis)
    points = np.real(stations.points)
    return np.eye(3)[np.argmin(np.abs(points[-1] - points[0]))]


def _inertia(stations: BeamStations, at: Any, A: Any, Iy: Any, Iz: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mass per length (...) and rotary inertia per length (..., 3) about the section's axes."""
    mass = at("m") if stations.m is not None else at("density") * A
    density = at("density") if stations.density is not None else mass / A
    jy = at("jy") if stations.jy is not None else density * Iy
    jz = at("jz") if stations.jz is not None else density * Iz
    jx = at("jx") if stations.jx is not None else jy + jz
    return mass, np.stack(np.broadcast_arrays(jx, jy, jz), axis=-1)


def _compliance(stations: BeamStations, at: Any, axes: np.ndarray, area: tuple[Any, Any, Any]) -> np.ndarray:
    A, Iy, Iz = area
    E, G = at("E"), at("G")
    shear = [0.0 * A if k is None else _inverse(k) / (G * A) for k in map(at, _SHEAR)]
    own = (1 / (E * A), *shear, 1 / (G * at("J")), 1 / (E * Iy), 1 / (E * Iz))
    elastic = at("elastic_offset")
    twist_centre = elastic if stations.shear_offset is None else at("shear_offset")
    to_centres = _forces_at_centres(elastic, twist_centre)
    turned = np.zeros_like(axes, shape=(*axes.shape[:-2], 6, 6))
    turned[..., :3, :3] = turned[..., 3:, 3:] = axes.swapaxes(-1, -2)
    B = to_centres @ turned
    return B.swapaxes(-1, -2) @ (np.stack(np.broadcast_arrays(*own), axis=-1)[..., None] * B)


def _forces_at_centres(elastic: np.ndarray, shear: np.ndarray) -> np.ndarray:
    """(..., 6, 6): bending moments about the elastic and torque about the shear centre, from those on the line."""
    out = np.broadcast_to(np.eye(6), (*elastic.shape[:-1], 6, 6)).astype(np.result_type(elastic, shear, float))
    out[..., 3, 1], out[..., 3, 2] = shear[..., 1], -shear[..., 0]
    out[..., 4, 0], out[..., 5, 0] = -elastic[..., 1], elastic[..., 0]
    return out


def _inverse(k: np.ndarray) -> np.ndarray:
    """1 / k, zero where k is infinite (a complex infinity divides to nan)."""
    rigid = np.isinf(np.real(k))
    return np.where(rigid, 0.0, 1 / np.where(rigid, 1.0, k))


def parallel_axes(mass: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Inertia (..., 3, 3) of point masses at `arm` about the origin."""
    S = skew(arm)
    return mass[..., None, None] * (S @ S.swapaxes(-1, -2))


def check_stations(stations: BeamStations, where: str = "beam") -> None:
    """Raise every fault of a beam description."""
    points = np.asarray(stations.points)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
        raise InputError(Fault(where, "a beam needs at least two stations with three coordinates each."))
    faults = [Fault(f"{where}.{name}", what, remedy) for name, what, remedy in _shape_faults(stations, len(points))]
    faults = faults or [Fault(f"{where}.{n}", w, r) for n, w, r in (*_value_faults(stations), *_line_faults(stations))]
    if faults:
        raise InputError(faults)


Found = Iterator[tuple[str, str, str]]


def _profiles(stations: BeamStations) -> dict[str, Any]:
    """What is given along the beam, by name; the dimensions of a form among them."""
    own = {field.name: getattr(stations, field.name) for field in fields(stations) if field.name != "form"}
    return {name: value for name, value in own.items() if value is not None} | (
        {} if stations.form is None else dimensions(stations.form)
    )


def _shape_faults(stations: BeamStations, s: int) -> Found:
    for name, value in _profiles(stations).items():
        if name == "points":
            continue
        shape, last = np.shape(value), (_WIDE[name],) if name in _WIDE else ()
        if shape not in (last, (s, *last), (s - 1, *last)):
            each = f" of {last[0]} numbers" if last else ""
            remedy = f"Give one value{each}, one for each of the {s} stations, or one for each of the {s - 1} segments."
            yield name, f"the values have the shape {'x'.join(map(str, shape)) or 'of one number'}.", remedy


def _value_faults(stations: BeamStations) -> Found:
    if stations.m is None and stations.density is None:
        yield "m", "the beam has no mass.", "Give the mass per length m or the density."
    for name, value in _profiles(stations).items():
        real = np.real(np.asarray(value))
        if name in _SHEAR:
            real = real[np.isfinite(real)] if np.ndim(real) == 0 or len(real) != len(stations.points) else real
        if not np.isfinite(real).all():
            yield name, "a value is not finite.", "Give finite numbers."
        elif name in _POSITIVE + _SHEAR and (real <= 0).any():
            yield name, f"{real.min():g} is not positive.", "Give a positive number."
        elif name in _NOT_NEGATIVE and (real < 0).any():
            yield name, f"{real.min():g} is negative.", "Give a positive number or zero."
    if isinstance(stations.form, Round):
        yield from _bore_faults(stations.form, len(stations.points))


def _bore_faults(form: Round, s: int) -> Found:
    """Bores that leave no wall at an end of a segment between s stations (dimensions are linear in between)."""
    ends = np.tile([0.0, 1.0], (s - 1, 1))
    outer, inner = (_between(np.real(d), s, np.arange(s - 1), ends, None) for d in dimensions(form).values())
    if (inner >= outer).any() and (outer > 0).all():
        k = np.unravel_index((inner - outer).argmax(), inner.shape)
        what = f"the bore of {inner[k]:g} m is as wide as the shaft there, {outer[k]:g} m."
        yield "inner_diameter", what, "Give a smaller one."


def _line_faults(stations: BeamStations) -> Found:
    points = np.real(stations.points)
    step = np.diff(points, axis=0)
    length = np.sqrt((step**2).sum(axis=1))
    short = np.flatnonzero(length <= 1e-12 * length.sum())
    if len(short) or not np.isfinite(points).all():
        for i in short:
            yield "points", f"stations {i + 1} and {i + 2} are at the same place.", "Take one of them out."
        return
    y = _between(
        np.real(_y_axis(stations)), len(points), np.arange(len(step)), np.tile([0.0, 0.5, 1.0], (len(step), 1)), 3
    )
    y = y / np.maximum(np.abs(y).max(axis=-1, keepdims=True), np.finfo(float).tiny)
    normal = cross(step[:, None] / length[:, None, None], y)
    along = (normal**2).sum(axis=-1) <= 1e-12 * (y**2).sum(axis=-1)
    for i in np.flatnonzero(along.any(axis=1)):
        remedy = "Give a direction across the beam, or one for each station."
        yield "y_axis", f"it points along the beam between stations {i + 1} and {i + 2}.", remedy
