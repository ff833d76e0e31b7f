"""Tyre on a plane: load by its vertical deflection, forces by slip, linear or by the Magic Formula.

x ahead, y to the left, z along the normal; the contact is the lowest point of the wheel, at any lean (docs/tyres.md).
kappa = -Vsx/|Vx|, tan alpha = -Vsy/|Vx|, sin gamma = n.a: positive slip gives a positive force, a wheel that leans to
the right (gamma > 0) is pushed to the right.

    Fz = max(0, load - k (h - h0) - c h')           Mz = -trail Fy
    Fx = Ck kappa         or  G(alpha) D Fz sin(C atan(B kappa - E (B kappa - atan(B kappa))))
    Fy = Ca alpha - Cg gamma  or  the same of alpha      Mx = -Co gamma

With a relaxation length the slip is a state: sigma kappa' = -Vsx - |Vx| kappa, and likewise tan alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.base.batched import over_variants
from eigenbody.elements.checks import Wrong, positive
from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.law import law
from eigenbody.elements.forces.wheel import WHEEL, Wheels, say_still, speed_text, wheel_complete
from eigenbody.elements.measures.contact import DRIFTING, FORWARD, ROLLING, SLIDING, TURNING
from eigenbody.elements.measures.rolling import Height
from eigenbody.model.description import Entry
from eigenbody.model.expressions import Expression
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

CURVES = ("lateral", "longitudinal", "aligning")  # each B, C, D, E
REMEDY = 'Give the vehicle a speed, or the tyre a "low_speed" or relaxation lengths.'


def build_tyre(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Channels of the contact and the laws along them."""
    builder.own([entry.name for entry in entries])
    wheels = Wheels.of(entries, builder.places, ("radius", "tube"))
    height = builder.private(Height().kernel(wheels.pairs))
    camber = builder.private(wheels.speed(FORWARD).products["b"])
    speeds = {
        local: builder.private(wheels.speed(speed))
        for local, speed in (("vx", FORWARD), ("sx", SLIDING), ("sy", DRIFTING), ("wx", ROLLING), ("wz", TURNING))
    }
    for i, (entry, h0) in enumerate(zip(entries, _touching(entries, wheels), strict=True)):
        channels = {"h": int(height[i]), "b": int(camber[i])} | {local: int(c[i]) for local, c in speeds.items()}
        _add_laws(Tyre(entry, h0), channels, builder)


def _touching(entries: Sequence[Entry], wheels: Wheels) -> np.ndarray:
    """Height of the centre line where a wheel just touches: as drawn, unless the plane has a point of its own."""
    drawn = -wheels.size["radius"] * over_variants(np.sqrt)(1 - wheels.cosine**2)
    at = [entry.get("at") for entry in entries]
    own_point = np.array([p is not None and bool(np.any(p[0] != p[1])) for p in at])
    return np.where(own_point, wheels.size["tube"], drawn)


class Tyre:
    """Formulas of one tyre, as texts with its numbers by name."""

    def __init__(self, entry: Entry, h0: complex) -> None:
        self.entry = entry
        self.numbers: dict[str, Any] = {
            "k": entry.get("k", 0.0), "c": entry.get("c", 0.0), "load": entry.get("load", 0.0), "h0": h0,
            "low": entry.get("low_speed", 0.0), "Ca": entry.get("cornering_stiffness", 0.0),
            "Ck": entry.get("longitudinal_stiffness", 0.0), "Cg": entry.get("camber_stiffness", 0.0),
            "Co": entry.get("overturning_stiffness", 0.0), "trail": entry.get("trail", 0.0),
            "fade": entry.get("load_sensitivity", 0.0), "sy": entry.get("relaxation", 0.0),
            "sx": entry.get("longitudinal_relaxation", 0.0),
        }  # fmt: skip
        for curve in CURVES:
            if entry.get(curve) is not None:
                self.numbers |= {f"{curve}_{x}": value for x, value in zip("BCDE", entry[curve], strict=True)}
        if entry.get("combined") is not None:
            self.numbers |= dict(zip(("Gbx", "Gcx", "Gby", "Gcy"), entry["combined"], strict=True))

    def has(self, key: str) -> bool:
        return self.entry.get(key) is not None

    def formula(self, text: str) -> Expression:
        return law(text, **self.numbers)

    @property
    def pressure(self) -> str:
        """Vertical force before it is cut off at zero."""
        return "(load - k * (own.h - h0) - c * own.dh)"

    @property
    def Fz(self) -> str:
        return f"max(0, {self.pressure})" if self.has("k") else "load"

    @property
    def touches(self) -> str:
        return f"step({self.pressure})" if self.has("k") else "1"

    @property
    def kappa(self) -> str:
        return "own.kappa" if self.has("longitudinal_relaxation") else f"(-own.sx / {speed_text(self.entry)})"

    @property
    def alpha(self) -> str:
        tangent = "own.alpha" if self.has("relaxation") else f"(-own.sy / {speed_text(self.entry)})"
        return f"atan({tangent})"

    def _curve(self, curve: str, slip: str, outer: str) -> str:
        """outer(C atan(B x - E (B x - atan(B x)))) of the Magic Formula."""
        B, C, E = (f"{curve}_{x}" for x in "BCE")
        return f"{outer}({C} * atan({B} * {slip} - {E} * ({B} * {slip} - atan({B} * {slip}))))"

    def _magic(self, curve: str, slip: str) -> str:
        fade = f"(1 - fade * ({self.Fz} / load - 1))" if self.has("load_sensitivity") else "1"
        return f"{curve}_D * {fade} * {self.Fz} * {self._curve(curve, slip, 'sin')}"

    @property
    def Fx(self) -> str:
        weight = f"cos(Gcx * atan(Gbx * {self.alpha}))" if self.has("combined") else "1"
        linear = f"{self.touches} * Ck * {self.kappa}"
        return f"{weight} * {self._magic('longitudinal', self.kappa) if self.has('longitudinal') else linear}"

    @property
    def Fy(self) -> str:
        """By side slip alone."""
        weight = f"cos(Gcy * atan(Gby * {self.kappa}))" if self.has("combined") else "1"
        linear = f"{self.touches} * Ca * {self.alpha}"
        return f"{weight} * {self._magic('lateral', self.alpha) if self.has('lateral') else linear}"

    @property
    def Mz(self) -> str:
        trail = f"aligning_D * {self._curve('aligning', self.alpha, 'cos')}" if self.has("aligning") else "trail"
        return f"-{trail} * {self.Fy}"


def _add_laws(tyre: Tyre, channels: dict[str, int], builder: ForceBuilder) -> None:
    name = tyre.entry.name
    say_still(builder, tyre.entry, REMEDY)
    for local in ("h", "b"):
        builder.call(local, "s", channels[local], name)
    builder.call("dh", "v", channels["h"], name)
    for local in ("vx", "sx", "sy"):
        builder.call(local, "v", channels[local], name)

    def push(channel: str, text: str) -> None:
        builder.characteristic(channels[channel], -1.0, tyre.formula(text), name)

    push("sy", tyre.Fy)
    if tyre.has("k"):
        push("h", tyre.Fz)
    if tyre.has("longitudinal_stiffness") or tyre.has("longitudinal"):
        push("sx", tyre.Fx)
    if tyre.has("camber_stiffness"):
        push("sy", f"-Cg * {tyre.touches} * asin(own.b)")
    if tyre.has("trail") or tyre.has("aligning"):
        push("wz", tyre.Mz)
    if tyre.has("overturning_stiffness"):
        push("wx", f"-Co * {tyre.touches} * asin(own.b)")
    _add_states(tyre, channels, builder)


def _add_states(tyre: Tyre, channels: dict[str, int], builder: ForceBuilder) -> None:
    speed, name = speed_text(tyre.entry), tyre.entry.name
    for key, local, slip, length in (
        ("longitudinal_relaxation", "kappa", "sx", "sx"),
        ("relaxation", "alpha", "sy", "sy"),
    ):
        if tyre.has(key):
            rate = tyre.formula(f"(-own.{slip} - {speed} * own.{local}) / {length}")
            builder.state(local, 0.0, rate, channels[slip], name, unit="1")


def tyre_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """Coefficients that fit together."""
    yield from wheel_complete(values, is_marker)
    yield from positive(values, ("k", "load", "relaxation", "longitudinal_relaxation", "low_speed"))
    for key in (*CURVES, "combined"):
        value = values.get(key)
        if value is not None and np.shape(value) != (4,):
            wanted = "[Bx, Cx, By, Cy]" if key == "combined" else "[B, C, D, E]"
            yield key, "four coefficients are expected.", f'Give them as "{key}: {wanted}".'
    for plain, curve in (("longitudinal_stiffness", "longitudinal"), ("trail", "aligning")):
        if values.get(plain) is not None and values.get(curve) is not None:
            yield curve, f"given beside {plain}, which says the same.", "Leave one of the two out."
    yield from _load_known(values)


def _load_known(values: Mapping[str, Any]) -> Iterator[Wrong]:
    by_load = [key for key in ("lateral", "longitudinal") if values.get(key) is not None]
    if by_load and values.get("k") is None and values.get("load") is None:
        yield by_load[0], "the Magic Formula needs the vertical load.", 'Give "load" in N, or "k" and let it deflect.'
    if values.get("load_sensitivity") is not None and values.get("load") is None:
        yield "load_sensitivity", "is relative to the nominal load, which is missing.", 'Give "load" in N.'
    if values.get("c") is not None and values.get("k") is None:
        yield "c", "a vertical damping needs a vertical stiffness.", 'Give "k" too.'
    if values.get("combined") is not None and all(
        values.get(key) is None for key in ("longitudinal", "longitudinal_stiffness")
    ):
        yield "combined", "combined slip needs a longitudinal law.", 'Give "longitudinal" or leave it out.'


TYRE = ForceType(
    TypeSpec(
        "tyre",
        (
            *WHEEL,
            Field("tube", Kind.NUMBER, "m", default=0.0, doc="radius of a round cross-section, default a thin disc"),
            Field("k", Kind.NUMBER, "N/m", doc="vertical stiffness; without it the wheel is held in height by joints"),
            Field("c", Kind.NUMBER, "N*s/m", doc="vertical damping"),
            Field("load", Kind.NUMBER, "N", doc="vertical force where the wheel just touches; the load without k"),
            Field("cornering_stiffness", Kind.NUMBER, "N/rad", doc="lateral force per side slip angle"),
            Field("lateral", Kind.NUMBERS, "1", doc="B, C, D, E of the lateral force; D is the friction coefficient"),
            Field("longitudinal_stiffness", Kind.NUMBER, "N", doc="longitudinal force per slip"),
            Field("longitudinal", Kind.NUMBERS, "1", doc="B, C, D, E of the longitudinal force"),
            Field("combined", Kind.NUMBERS, "1", doc="Bx, Cx, By, Cy of the weights of combined slip"),
            Field("load_sensitivity", Kind.NUMBER, "1", doc="loss of D per relative excess of Fz over load"),
            Field("camber_stiffness", Kind.NUMBER, "N/rad", doc="lateral force per camber"),
            Field("trail", Kind.NUMBER, "m", doc="pneumatic trail"),
            Field("aligning", Kind.NUMBERS, "1", doc="B, C, D, E of the trail; D in m"),
            Field("overturning_stiffness", Kind.NUMBER, "N*m/rad", doc="uprighting moment per camber"),
            Field("relaxation", Kind.NUMBER, "m", doc="relaxation length of the side slip; state name.alpha"),
            Field("longitudinal_relaxation", Kind.NUMBER, "m", doc="that of the slip; state name.kappa"),
        ),
        one_of=(("cornering_stiffness", "lateral"),),
        check=tyre_complete,
        doc=__doc__ or "",
    ),
    build_tyre,
)
