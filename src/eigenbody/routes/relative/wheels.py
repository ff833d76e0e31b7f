"""Tyres and wheels on rails: slip of the contact, and the forces that it makes (docs/tyres.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.base import Unsupported
from eigenbody.routes.relative.contact import Cone, Disc, Height, Sliding, Turning
from eigenbody.routes.relative.measures import Channel, Cosine, Pose
from eigenbody.routes.relative.sides import Drawing, Side
from eigenbody.routes.relative.signals import Reader, Reading, combined
from eigenbody.spatial.rotations import cross, unit

Curve = Callable[[complex], complex]


def plane_axes(entry: Entry, drawing: Drawing, first: Side, second: Side) -> np.ndarray:
    """e1, the heading of the wheel as drawn, e2 and the normal as columns in the axes of the first body."""
    n = unit(np.asarray(entry["normal"], dtype=float))
    ahead = unit(cross(drawing.R[second.carrier] @ second.axes[:, 2], n))
    return drawing.R[first.carrier].T @ np.column_stack((ahead, cross(n, ahead), n))


def disc(entry: Entry, drawing: Drawing) -> Disc:
    """The wheel of a tyre or of a rolling joint on its plane."""
    if entry.get("surface") is not None:
        raise Unsupported(f'the surface of the joint "{entry.name}"')
    first, second = drawing.sides(entry)
    axes = plane_axes(entry, drawing, first, second)
    return Disc(first, second, axes, float(entry["radius"]), float(entry.get("tube", 0.0)))


@dataclass(frozen=True, eq=False)
class ContactSpeeds:
    """Gauges of one contact: longitudinal and lateral sliding speeds, and the speed to which slip is relative."""

    reader: Reader
    entry: Entry
    channels: dict[str, Channel]
    numbers: dict[str, int] = field(default_factory=dict)

    def rate(self, name: str) -> Reading:
        """A speed of the contact."""
        if name not in self.numbers:
            self.numbers[name] = self.reader.speed(self.channels[name])
        return Reading.of("rate", self.numbers[name])

    @property
    def speed(self) -> Reading:
        """|V|, or sqrt(V^2 + low_speed^2)."""
        low = float(self.entry.get("low_speed", 0.0))
        if low:
            return combined(lambda v: np.sqrt(v * v + low * low), self.rate("forward"))
        return combined(lambda v: -v if np.real(v) < 0 else v, self.rate("forward"))

    def ratio(self, sliding: str, relaxation: str, state: str) -> Reading:
        """-sliding/|V|, or with a relaxation length sigma the state u that follows it: sigma u' = -sliding - |V| u."""
        length = self.entry.get(relaxation)
        if length is None:
            return combined(lambda slip, v: -slip / v, self.rate(sliding), self.speed)
        name = f"{self.entry.name}.{state}"
        u = self.reader.state(name)
        rate = combined(lambda slip, v, u: (-slip - v * u) / length, self.rate(sliding), self.speed, u)
        self.reader.rates[name] = rate
        return u


def magic(entry: Entry, key: str, outer: Callable[[complex], complex]) -> Curve:
    """outer(C atan(B x - E (B x - atan(B x)))) with the coefficients of a key, times D."""
    B, C, D, E = (float(value) for value in entry[key])

    def curve(x: complex) -> complex:
        return D * outer(C * np.arctan(B * x - E * (B * x - np.arctan(B * x))))

    return curve


def tyre(entry: Entry, drawing: Drawing, reader: Reader) -> Iterator[tuple[Channel, Reading]]:
    """The forces of a tyre and the channels that they act along."""
    site = disc(entry, drawing)
    slips = ContactSpeeds(reader, entry, {
        "forward": Sliding(site, "ahead", "centre"), "ahead": Sliding(site, "ahead"), "left": Sliding(site, "left"),
    })  # fmt: skip
    Fz, touches = _vertical(entry, site, drawing, reader)
    kappa = None
    if any(entry.get(key) is not None for key in ("longitudinal_stiffness", "longitudinal", "combined")):
        kappa = slips.ratio("ahead", "longitudinal_relaxation", "kappa")
    elif entry.get("longitudinal_relaxation") is not None:
        slips.ratio("ahead", "longitudinal_relaxation", "kappa")  # a state that nothing feels is a state all the same
    alpha = combined(np.arctan, slips.ratio("left", "relaxation", "alpha"))
    a, b = _weights(entry)
    Fy = combined(lambda slip, load, on: _force(entry, "lateral", "cornering_stiffness", slip, load, on), alpha, Fz,
                  touches)  # fmt: skip
    if kappa is not None:
        Fy = combined(lambda force, slip: force * b(slip), Fy, kappa)
    pushes: list[tuple[Channel, Reading]] = [(slips.channels["left"], Fy)]
    if entry.get("k") is not None:
        pushes.append((Height(site), Fz))
    if kappa is not None and any(entry.get(key) is not None for key in ("longitudinal_stiffness", "longitudinal")):
        Fx = combined(
            lambda slip, load, on, side: a(side)
            * _force(entry, "longitudinal", "longitudinal_stiffness", slip, load, on),
            kappa, Fz, touches, alpha,
        )  # fmt: skip
        pushes.append((slips.channels["ahead"], Fx))
    pushes += _moments(entry, site, drawing, reader, Fy, alpha, touches, slips.channels["left"])
    for channel, force in pushes:
        yield channel, combined(lambda value: -value, force)


def _vertical(entry: Entry, site: Disc, drawing: Drawing, reader: Reader) -> tuple[Reading, Reading]:
    """Vertical force, and 1 where the wheel touches."""
    load = float(entry.get("load", 0.0))
    if entry.get("k") is None:
        return Reading.constant(load), Reading.constant(1.0)
    k, c = float(entry["k"]), float(entry.get("c", 0.0))
    at = entry.get("at")
    own_point = at is not None and bool(np.any(np.asarray(at[0]) != np.asarray(at[1])))
    touching = site.tube if own_point else np.real(site.height(Pose(drawing.r, drawing.R)))
    number = reader.own_gauge(Height(site))
    pressure = combined(lambda h, dh: load - k * (h - touching) - c * dh, Reading.of("s", number),
                        Reading.of("rate", number))  # fmt: skip
    return (
        combined(lambda p: p if np.real(p) > 0 else 0.0 * p, pressure),
        combined(lambda p: 1.0 if np.real(p) >= 0 else 0.0, pressure),
    )


def _force(entry: Entry, curve: str, stiffness: str, slip: complex, load: complex, touches: float) -> complex:
    """Linear in the slip, or D Fz sin(...), where D fades with the load."""
    if entry.get(curve) is None:
        return touches * float(entry[stiffness]) * slip
    fade = entry.get("load_sensitivity")
    faded = 1.0 if fade is None else 1 - fade * (load / entry["load"] - 1)
    return faded * load * magic(entry, curve, np.sin)(slip)


def _weights(entry: Entry) -> tuple[Curve, Curve]:
    """Of combined slip: of the longitudinal force by alpha, of the lateral force by kappa."""
    if entry.get("combined") is None:
        return (lambda slip: 1.0), (lambda slip: 1.0)
    Bx, Cx, By, Cy = (float(value) for value in entry["combined"])
    return (lambda slip: np.cos(Cx * np.arctan(Bx * slip))), (lambda slip: np.cos(Cy * np.arctan(By * slip)))


def _moments(
    entry: Entry, site: Disc, drawing: Drawing, reader: Reader, Fy: Reading, alpha: Reading, touches: Reading,
    left: Channel,
) -> Iterator[tuple[Channel, Reading]]:  # fmt: skip
    """Camber thrust, aligning and overturning moment."""
    first, second = site.first, site.second
    lean = Cosine(first.carrier, second.carrier, site.plane[:, 2], second.axes[:, 2])
    if any(entry.get(key) is not None for key in ("camber_stiffness", "overturning_stiffness")):
        camber = combined(lambda b, on: on * np.arcsin(b), Reading.of("s", reader.own_gauge(lean)), touches)
        for key, channel in (("camber_stiffness", left), ("overturning_stiffness", Turning(site, "ahead"))):
            if entry.get(key) is not None:
                yield channel, combined(lambda value, size=-float(entry[key]): size * value, camber)
    if entry.get("aligning") is not None:
        trail = magic(entry, "aligning", np.cos)
        yield Turning(site, "normal"), combined(lambda force, slip: -trail(slip) * force, Fy, alpha)
    elif entry.get("trail") is not None:
        yield Turning(site, "normal"), combined(lambda force: -float(entry["trail"]) * force, Fy)


def wheel_rail(entry: Entry, drawing: Drawing, reader: Reader) -> Iterator[tuple[Channel, Reading]]:
    """Creep forces along and across the rail, and the spin moment; they resist, so they are tensions."""
    first, second = drawing.sides(entry)
    site = Cone(first, second, plane_axes(entry, drawing, first, second), float(entry["radius"]),
                float(entry.get("conicity", 0.0)))  # fmt: skip
    speeds: dict[str, Channel] = {
        "forward": Sliding(site, "x", "centre"), "x": Sliding(site, "x"), "y": Sliding(site, "y"),
        "spin": Turning(site, "normal"),
    }  # fmt: skip
    slips = ContactSpeeds(reader, entry, speeds)
    f33, f11 = float(entry["longitudinal"]), float(entry["lateral"])
    f12, f22 = float(entry.get("lateral_spin", 0.0)), float(entry.get("spin", 0.0))
    yield speeds["x"], combined(lambda slip, v: f33 * slip / v, slips.rate("x"), slips.speed)
    both = (slips.rate("y"), slips.rate("spin"), slips.speed)
    yield speeds["y"], combined(lambda slip, spin, v: (f11 * slip + f12 * spin) / v, *both)
    yield speeds["spin"], combined(lambda slip, spin, v: (f22 * spin - f12 * slip) / v, *both)
