"""Quantities as they are written in a problem: `frequency: {mode: 1}`, `frf_peak: {from: 1, to: 50}`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.objectives import (
    SPARE_PEAKS,
    Linear,
    Mass,
    Modal,
    Outside,
    Quantity,
    ResponsePeak,
    ResponseValue,
    Rms,
)
from eigenbody.analyses.design.problem import BOUNDS, Bound, Reader, Term, Variable, Where
from eigenbody.analyses.linearize import with_input, with_output
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.description import owner_of
from eigenbody.model.source import shown

MODAL = ("frequency", "damping_ratio", "real_part")
BANDS = ("frequencies_within", "frequencies_outside")
PORTED = ("frf_peak", "frf", "rms")
KINDS = (*MODAL, *PORTED, "mass", "parameter", "linear")
WORDS = {"frequency": "frequency", "damping_ratio": "damping ratio", "real_part": "real part"}
MOST_PEAKS = 12


class Wording:
    """Reads objective and constraints; needs the design at the start, for modes are named as they are there."""

    def __init__(self, reader: Reader, variables: tuple[Variable, ...], exact: bool) -> None:
        self.reader, self.faults = reader, reader.faults
        self.variables, self.exact = variables, exact
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self._find_ports(reader.source.data)

    # ---- the space of designs

    @cached_property
    def space(self) -> DesignSpace:
        """Designs of the model, excited and read where the quantities want it."""
        names = [v.name for v in self.variables]
        return DesignSpace.of(self.reader.model, names, list(self.inputs), list(self.outputs), self.exact)

    @cached_property
    def first(self) -> Design | None:
        """The design at the start; None where faults keep it from being computed."""
        if self.faults.found or not self.variables:
            return None
        return self.space.at(np.array([v.start for v in self.variables]))

    def _find_ports(self, item: Any) -> None:
        """Names of inputs and outputs anywhere in the problem."""
        for key, value in item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ():
            if key in PORTED and isinstance(value, dict):
                self._port(value.get("input"), self.inputs, "inputs")
                self._port(value.get("output"), self.outputs, "outputs")
            else:
                self._find_ports(value)

    def _port(self, name: Any, into: dict[str, None], section: str) -> None:
        own = [entry.name for entry in getattr(self.reader.model.description, section)]
        name = own[0] if name is None and len(own) == 1 else name
        if isinstance(name, str) and self._port_fault(name, section) is None:
            into[name] = None

    def _port_fault(self, name: str, section: str) -> Fault | None:
        try:
            (with_input if section == "inputs" else with_output)(self.reader.model, name)
        except InputError as error:
            return error.faults[0]
        return None

    # ---- objective and constraints

    def objective(self) -> tuple[tuple[Term, ...], bool]:
        """Terms, and whether they are to become large."""
        given = self.reader.source.data.get("objective")
        if given is None:
            return (), False
        given = self.reader.keys(("objective",), given, ("minimize", "maximize"))
        if len(given) != 1:
            self.faults.add(("objective",), "one of minimize and maximize is expected.")
            return (), False
        way, what = next(iter(given.items()))
        entries = what if isinstance(what, list) else [what]
        paths: list[Where] = [
            ("objective", way, *((k,) if isinstance(what, list) else ())) for k in range(len(entries))
        ]
        terms = [self._term(path, entry) for path, entry in zip(paths, entries, strict=True)]
        return tuple(term for term in terms if term is not None), way == "maximize"

    def _term(self, path: Where, entry: Any) -> Term | None:
        entry = self.reader.keys(path, entry, (*KINDS, "weight"), "quantity")
        weight = self.reader.number((*path, "weight"), entry.get("weight", 1.0))
        if weight <= 0:
            self.faults.add((*path, "weight"), f"the weight {weight:g} is not positive.", "Turn minimize and maximize.")
        quantity = self.quantity(path, {k: v for k, v in entry.items() if k != "weight"})
        return None if quantity is None else Term(quantity, weight)

    def constraints(self) -> tuple[Bound, ...]:
        """All constraints."""
        given = self.reader.source.data.get("constraints") or []
        if not isinstance(given, list):
            self.faults.add(("constraints",), "a list is expected.", "Begin each constraint with a dash.")
            return ()
        bounds = [self._constraint(("constraints", i), entry) for i, entry in enumerate(given)]
        return tuple(bound for bound in bounds if bound is not None)

    def _constraint(self, path: Where, entry: Any) -> Bound | None:
        entry = self.reader.keys(path, entry, (*KINDS, *BANDS, *BOUNDS), "quantity")
        kinds = {key: value for key, value in entry.items() if key not in BOUNDS}
        if len(kinds) == 1 and next(iter(kinds)) in BANDS:
            return self._band(path, *next(iter(kinds.items())))
        quantity = self.quantity(path, kinds)
        limits = {key: self._limit((*path, key), entry[key], quantity) for key in BOUNDS if key in entry}
        if not limits:
            self.faults.add(path, "no bound is given.", "Give min, max or equals.")
        if "equals" in limits and len(limits) > 1:
            self.faults.add(path, "equals and other bounds are given.", "Give one or the other.")
        low, high = limits.get("min", -math.inf), limits.get("max", math.inf)
        if low > high:
            self.faults.add(path, f"min {low:g} is above max {high:g}.")
        where = self.reader.source.where(path)
        return None if quantity is None else Bound(quantity, low, high, limits.get("equals"), where)

    def _limit(self, path: Where, value: Any, quantity: Quantity | None) -> float:
        unit = quantity.unit if quantity is not None and quantity.unit in ("Hz", "kg", "1/s") else None
        return self.reader.number(path, value, unit)

    def _band(self, path: Where, kind: str, given: Any) -> Bound | None:
        if not isinstance(given, list) or len(given) != 2:
            self.faults.add((*path, kind), "two frequencies are expected.", f"For example {kind}: [5, 8].")
            return None
        low, high = (self.reader.number((*path, kind, k), value, "Hz") for k, value in enumerate(given))
        if not low < high:
            self.faults.add((*path, kind), f"from {low:g} to {high:g} Hz is no band.")
        if self.first is None:
            return None
        count, where = self._most_modes(self.first), self.reader.source.where(path)
        if kind == "frequencies_within":
            return Bound(Modal("frequency", "frequency of every mode", count=count), low, high, None, where)
        below = int((self.first.frequency_hz < 0.5 * (low + high)).sum())
        label = f"distance of every mode from {low:g} to {high:g} Hz"
        return Bound(Outside(low, high, below, count, label), 0.0, math.inf, None, where)

    # ---- quantities

    def quantity(self, path: Where, entry: dict[str, Any]) -> Quantity | None:
        if len(entry) != 1:
            known = ", ".join(KINDS)
            self.faults.add(path, f"one quantity is expected, there are {len(entry)}.", f"Known: {known}.")
            return None
        kind, given = next(iter(entry.items()))
        make: dict[str, Callable[[Where, Any], Quantity | None]] = {
            "frf_peak": self._peak, "frf": self._response, "rms": self._rms, "mass": self._mass,
            "parameter": self._parameter, "linear": self._linear,
        }  # fmt: skip
        if kind in MODAL:
            return self._modal((*path, kind), kind, given)
        return make[kind]((*path, kind), given)

    def _modal(self, path: Where, kind: str, given: Any) -> Quantity | None:
        given = {"mode": given} if not isinstance(given, dict) else given
        given = self.reader.keys(path, given, ("mode", "near", "order"))
        if len(given) != 1:
            remedy = "Write {mode: 1}, {mode: [1, 2]}, {mode: all}, {near: 12 Hz} or {order: 1}."
            self.faults.add(path, "one way to name the mode is expected.", remedy)
            return None
        way, value = next(iter(given.items()))
        if way == "near":
            return self._near(path, kind, self.reader.number((*path, way), value, "Hz"))
        if value == "all" and way == "mode":
            count = 0 if self.first is None else self._most_modes(self.first)
            return Modal(kind, f"{WORDS[kind]} of every mode", count=count)
        numbers = [self._mode((*path, way), i) for i in (value if isinstance(value, list) else [value])]
        if None in numbers or not numbers:
            return None
        if way == "order":
            return Modal(kind, f"{WORDS[kind]} of whichever mode is number {value}", order=numbers[0])
        listed = ", ".join(map(str, value)) if isinstance(value, list) else value
        return Modal(kind, f"{WORDS[kind]} of mode {listed}", tuple(n for n in numbers if n is not None))

    def _most_modes(self, design: Design) -> int:
        """As many entries as there can be, should every pair become two real eigenvalues."""
        return len(design.A) - design.rigid if (design.eigenvalues.real != 0).any() else len(design.eigenvalues)

    def _mode(self, path: Where, value: Any) -> int | None:
        """Place among the modes that are not rigid; numbers are those of the modes table."""
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.faults.add(
                path, f"the number of a mode is expected, not {shown(value)}.", "Count from 1, as `modes` does."
            )
            return None
        if self.first is None:
            return None
        rigid, total = self.first.rigid, len(self.first.eigenvalues)
        if value <= rigid:
            remedy = f"Name a mode from {rigid + 1} on." if total else "Nothing restores this mechanism: add springs."
            self.faults.add(path, f"mode {value} is a rigid motion of frequency zero.", remedy)
            return None
        if value > rigid + total:
            self.faults.add(path, f"there is no mode {value}.", f"The model has {rigid + total} at the start.")
            return None
        return value - rigid - 1

    def _near(self, path: Where, kind: str, hz: float) -> Quantity | None:
        if self.first is None:
            return None
        if not len(self.first.eigenvalues):
            self.faults.add(path, "the model has no modes but rigid motion.")
            return None
        at = int(np.argmin(np.abs(self.first.frequency_hz - hz)))
        label = f"{WORDS[kind]} of mode {at + 1 + self.first.rigid} ({self.first.frequency_hz[at]:.4g} Hz at the start)"
        return Modal(kind, label, (at,))

    def _ported(self, path: Where, given: Any, keys: tuple[str, ...]) -> dict[str, Any] | None:
        """The map with input and output filled in; None after a fault."""
        before = len(self.faults.found)
        given = self.reader.keys(path, given, ("input", "output", *keys))
        for key, section in (("input", "inputs"), ("output", "outputs")):
            own = [entry.name for entry in getattr(self.reader.model.description, section)]
            if key not in given and len(own) == 1:
                given[key] = own[0]
            elif key not in given:
                what = f"the {key} is missing."
                self.faults.add(path, what, f"Name one of the {section}, or a measure. {suggest('', own)}")
            elif not isinstance(given[key], str):
                self.faults.add((*path, key), f"a name is expected, not {shown(given[key])}.")
            elif (fault := self._port_fault(given[key], section)) is not None:
                self.faults.add((*path, key), fault.what, fault.remedy)
        for key in keys:
            if key not in given and key != "density":
                self.faults.add(path, f'"{key}" is missing.', "Frequencies are in Hz.")
        return given if len(self.faults.found) == before else None

    def _unit(self, given: dict[str, Any]) -> str:
        if self.first is None:
            return ""
        units = self.space.units
        return f"({units[given['output']]})/({units[given['input']]})"

    def _peak(self, path: Where, given: Any) -> Quantity | None:
        ported = self._ported(path, given, ("from", "to"))
        if ported is None:
            return None
        low, high = (self.reader.number((*path, key), ported[key], "Hz") for key in ("from", "to"))
        if not 0 < low < high:
            self.faults.add(path, f"from {low:g} to {high:g} Hz is no band.", "from must be above zero and below to.")
        count = 1 if self.first is None else min(MOST_PEAKS, len(self.first.eigenvalues) + SPARE_PEAKS)
        label = f"peak of {ported['output']}/{ported['input']} from {low:g} to {high:g} Hz"
        return ResponsePeak(ported["input"], ported["output"], low, high, count, label, self._unit(ported))

    def _response(self, path: Where, given: Any) -> Quantity | None:
        ported = self._ported(path, given, ("at",))
        if ported is None:
            return None
        hz = self.reader.number((*path, "at"), ported["at"], "Hz")
        label = f"|{ported['output']}/{ported['input']}| at {hz:g} Hz"
        return ResponseValue(ported["input"], ported["output"], hz, label, self._unit(ported))

    def _rms(self, path: Where, given: Any) -> Quantity | None:
        ported = self._ported(path, given, ("density",))
        if ported is None:
            return None
        level = self.reader.number((*path, "density"), ported.get("density", 1.0))
        if level <= 0:
            self.faults.add((*path, "density"), "a positive density is expected.")
        unit = "" if self.first is None else self.space.units[ported["output"]]
        label = f"RMS of {ported['output']}, white noise {level:g} at {ported['input']}"
        return Rms(ported["input"], ported["output"], level, label, unit)

    def _mass(self, path: Where, given: Any) -> Quantity | None:
        known = list(dict.fromkeys(map(owner_of, self.reader.model.description.bodies.material_names)))
        if given == "all" or given == {}:
            return Mass((), "total mass")
        names = given if isinstance(given, list) else [given]
        for name in names:
            if name not in known:
                self.faults.unknown(path, "body", name, known)
        return Mass(tuple(map(str, names)), f"mass of {', '.join(map(str, names))}")

    def _parameter(self, path: Where, given: Any) -> Quantity | None:
        return self._linear(path, {given: 1.0}) if isinstance(given, str) else self._linear(path, given)

    def _linear(self, path: Where, given: Any) -> Quantity | None:
        names = list(self.reader.source.data.get("variables") or ())
        given = self.reader.keys(path, given, tuple(names), "variable")
        if not given:
            return None
        factors = {name: self.reader.number((*path, name), factor) for name, factor in given.items()}
        order = [v.name for v in self.variables]
        label = " + ".join(name if f == 1 else f"{f:g} {name}" for name, f in factors.items()).replace("+ -", "- ")
        return Linear(tuple((order.index(n), f) for n, f in factors.items() if n in order), label)
