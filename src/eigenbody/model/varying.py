"""Values that may vary: numbers, expressions of time, measures and states, and tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.model.curves import SMOOTH, curve, lines
from eigenbody.model.description import Function, Signal
from eigenbody.model.expressions import Expression
from eigenbody.model.faults import Path
from eigenbody.model.names import TIME, Names
from eigenbody.model.source import shown
from eigenbody.model.values import Values, freeze

TABLE_KEYS = ("table", "of", "interpolation")
LINEAR = "linear"
OWN_MEASURE = frozenset(("s", "v"))  # a force's own measure and its rate
OWN_NAMES = {"s": "the deflection of this force", "v": "the rate of this force", "x": "a coordinate of the surface"}
OWN_NAMES |= {"y": OWN_NAMES["x"], "z": OWN_NAMES["x"]}


@dataclass(frozen=True, slots=True)
class Scope:
    """Which names beyond the parameters an expression may use."""

    only_time: bool = False
    own: frozenset[str] = frozenset()
    only_own: bool = False
    loads: bool = True  # second rates, joint reactions and forces of elements too
    argument: str = ""  # of tables that do not say what they are of; "": the own measure, else the time
    only_smooth: bool = False  # tables without corners
    along: str = ""  # the measure that "s" is, where it is no deflection from something


class Signals:
    """Reads signals; parameters are replaced by their values."""

    def __init__(self, values: Values, names: Names) -> None:
        self.values, self.names, self.faults = values, names, values.faults
        self._read: dict[tuple[str, Scope], Signal] = {}

    def signal(self, value: Any, dimension: str | None, path: Path, scope: Scope) -> Signal | None:
        """A number, an expression or a table."""
        if isinstance(value, Function) or callable(value):
            return self.function(value if isinstance(value, Function) else Function(value), path, scope)
        if isinstance(value, dict):
            return self.table(value, dimension, path, scope)
        if isinstance(value, str) and value.lstrip().startswith("="):
            return self.expression(value.strip()[1:], path, scope)
        return self.values.number(value, dimension, path)  # type: ignore[return-value]

    def expression(self, text: str, path: Path, scope: Scope) -> Signal | None:
        """A number when only parameters occur, else the expression of what varies."""
        if (text, scope) in self._read and self.values.formulas is None:
            return self._read[text, scope]
        parsed = self.values.expression(text, path)
        if parsed is None or not self._names_fit(parsed.names, path, scope):
            return None
        parameters = self.values.parameters
        reduced = parsed.substitute(
            {name: value for name in parsed.names if (value := parameters.get(name)) is not None}
        )
        signal = reduced if reduced.names else self.values.evaluate(reduced, path)
        if signal is not None:
            self._read[text, scope] = signal  # type: ignore[assignment]
        return signal  # type: ignore[return-value]

    def formula(self, value: Any, dimension: str | None, path: Path, scope: Scope) -> Expression | None:
        """A number or an expression, as an expression."""
        if isinstance(value, dict) or callable(value):
            self.faults.add(path, "a number or an expression is expected.", 'Write for example "=2*x".')
            return None
        signal = self.signal(value, dimension, path, scope)
        return signal if signal is None or isinstance(signal, Expression) else Expression.number(signal)  # type: ignore[arg-type]

    def function(self, value: Function, path: Path, scope: Scope) -> Function | None:
        """A Python function of names that an expression could use."""
        parameters = sorted(set(value.of) & self.values.parameters.keys())
        if parameters:
            what = f"a function cannot take the parameter {parameters[0]} as an argument."
            self.faults.add(path, what, "Let the function know its constants itself.")
        elif scope.only_time:
            self.faults.add(path, "a Python function cannot stand here.", "Give an expression of t.")
        elif self._names_fit(value.of, path, scope):
            return value
        return None

    def _names_fit(self, names: Iterable[str], path: Path, scope: Scope) -> bool:
        fine = True
        for name in sorted(names):
            if name in scope.own and name != scope.along and (other := self._meaning_elsewhere(name)):
                fine = False
                what = f'"{name}" means {OWN_NAMES.get(name, "something of its own")} here, and is {other} as well.'
                self.faults.add(path, what, f"Give {other.removeprefix('a ').removeprefix('an ')} another name.")
            elif name in self.values.parameters:
                fine = fine and self.values.parameters[name] is not None
            elif not self._allowed(name, scope):
                fine = False
                self._refuse(name, path, scope)
        return fine

    def _meaning_elsewhere(self, name: str) -> str:
        """What a name that has a meaning of its own in some entries means in the model, or "". Parameters are put in
        everywhere."""
        if name in self.values.parameters:
            return ""
        kind = "a joint" if name in self.names.joints else self.names.what_is(name)
        return f'{kind} "{name}"' if self.names.is_dynamic(name) else ""

    def _allowed(self, name: str, scope: Scope) -> bool:
        if scope.only_time:
            return name == TIME
        return name in scope.own or (not scope.only_own and self.names.is_dynamic(name, scope.loads))

    def _refuse(self, name: str, path: Path, scope: Scope) -> None:
        what = self.names.what_is(name)
        if name.rstrip("'") != name and not what:
            what = self.names.what_is(name.rstrip("'"))
            what = f"a rate of {what}, which has none here" if what else ""
        coordinates = self.names.measures.coordinates_of(name.rstrip("'"))
        load, remedy = self.names.wrong_load(name)
        if load and not what:
            self.faults.add(path, load, remedy)
        elif len(coordinates) > 1:
            listed = ", ".join(coordinates)
            owner = self.names.measures.owner(shown(name))
            self.faults.add(path, f"{owner} has several coordinates.", f"Name one: {listed}.")
        elif what:
            everything = "parameters, t, measures, their rates, states, variables, inputs"
            everything += ", second rates, reactions, forces" if scope.loads else ""
            few = "t" if scope.only_time else ", ".join(sorted(scope.own)) if scope.only_own else ""
            allowed = f"parameters and {few}" if few else everything
            self.faults.add(path, f'"{shown(name)}" is {what} and cannot be used here.', f"Allowed: {allowed}.")
        else:
            self.faults.unknown(path, "name", name, [*self.names.symbols(), *scope.own])

    # ---- tables

    def table(self, value: dict[str, Any], dimension: str | None, path: Path, scope: Scope) -> Signal | None:
        """`{table: [[x, y], ...], of: expression, interpolation: ...}` with increasing x, as an expression of what it
        is of; a number where that is one."""
        for key in sorted(value.keys() - set(TABLE_KEYS)):
            self.faults.unknown((*path, key), "key", key, TABLE_KEYS)
        how = value.get("interpolation", SMOOTH[0] if scope.only_smooth else LINEAR)
        if how not in (choices := SMOOTH if scope.only_smooth else (LINEAR, *SMOOTH)):
            self.faults.unknown((*path, "interpolation"), "choice", how, choices)
            return None
        if how == LINEAR and scope.only_time:
            what = "a motion cannot be a table of straight lines: it has no acceleration at their corners."
            self.faults.add(path, what, f"Give interpolation: {SMOOTH[0]}, or an expression of t.")
            return None
        points = value.get("table")
        if not isinstance(points, list) or len(points) < 2:
            self.faults.add(path, "a table needs at least two points.", "Write {table: [[x, y], [x, y]], of: ...}.")
            return None
        where = (*path, "table")
        pairs = [self.values.numbers(point, (None, dimension), (*where, i), 2) for i, point in enumerate(points)]
        argument, fine = self._argument(value.get("of"), (*path, "of"), scope)
        good = [pair for pair in pairs if pair is not None]
        if not fine or len(good) != len(pairs):
            return None
        x, y = freeze([pair[0] for pair in good]), freeze([pair[1] for pair in good])
        if np.any(np.diff(np.real(x)) <= 0):
            at = int(np.argmax(np.diff(np.real(x)) <= 0)) + 1
            self.faults.add((*where, at), "the first numbers of the points must increase from point to point.")
            return None
        if argument is None:
            argument = Expression.symbol(scope.argument or min(scope.own & OWN_MEASURE, default=TIME))
        signal = lines(x, y, argument) if how == LINEAR else curve(x, y, argument, how)
        return signal if signal.names else self.values.evaluate(signal, path)  # type: ignore[return-value]

    def _argument(self, value: Any, path: Path, scope: Scope) -> tuple[Expression | None, bool]:
        """Argument of a table and whether it could be read; an `=` before it may be left out."""
        if value is None:
            return None, True
        if not isinstance(value, str):
            self.faults.add(path, "the argument of a table is an expression.", 'Write for example of: "=t".')
            return None, False
        signal = self.expression(value.strip().removeprefix("="), path, scope)
        if signal is None:
            return None, False
        return (signal if isinstance(signal, Expression) else Expression.number(signal)), True  # type: ignore[arg-type]
