"""Signals: expressions with their names turned into indices, and their exact partial derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.description import Entry, Function
from eigenbody.model.description import Signal as DescribedSignal
from eigenbody.model.expressions import Expression, ExpressionError, ExpressionSet, OutsideTable
from eigenbody.system.arguments import AnySignal, Argument, Quantities
from eigenbody.system.external import External

if TYPE_CHECKING:
    from eigenbody.system.algebraic import AlgebraicNames


@dataclass(frozen=True, slots=True)
class Signal:
    """A scalar function of arguments, multiplied by `factor` and meant for `target`."""

    target: int
    factor: float
    owner: int
    expression: Expression
    arguments: tuple[Argument, ...]
    slopes: ExpressionSet  # by each argument
    where: str = ""  # place in the model file, for messages
    trouble: tuple[str, str] | None = None  # what to say, and what to do, where it has no value

    def value(self, now: Quantities) -> np.ndarray:
        return self.factor * self._evaluate(self.expression, self._environment(now))

    def _evaluate(self, expression: Expression | ExpressionSet, env: Mapping[str, Any]) -> Any:
        """A value that does not exist (log of a negative number, division by zero) is the model's fault."""
        try:
            return expression.evaluate(env)
        except OutsideTable as error:
            what, remedy = self.trouble or (f"{error}.", "Stay within the table, or give it more points.")
            raise InputError(Fault(self.where, what.format(problem=error), remedy)) from error
        except ExpressionError as error:
            shown = f"{self.expression} or its slope has no value at the operating point ({error})."
            own = None if self.trouble is None or "{problem}" in self.trouble[0] else self.trouble  # that is for tables
            raise InputError(Fault(self.where, *(own or (shown, "Change the expression or the position.")))) from error

    def partials(self, now: Quantities) -> list[tuple[Argument, np.ndarray]]:
        """Derivative by each argument."""
        env = self._environment(now)
        pairs = zip(self.arguments, self._evaluate(self.slopes, env), strict=True)
        return [(a, self.factor * slope) for a, slope in pairs]

    def _environment(self, now: Quantities) -> dict[str, np.ndarray | float | complex]:
        return {a.name: now.of(a) for a in self.arguments}


def own_names(channel: int, free: float = 0.0, is_along: bool = True) -> dict[str, Argument]:
    """Names inside an element that acts along a channel: own.s, its deflection, and own.v, the rate, which expressions
    of the user call s and v where they are along it."""
    names = ("own.s", "own.v", "s", "v") if is_along else ("own.s", "own.v")
    return {name: Argument(name, kind, channel, free if kind == "s" else 0.0) for name in names for kind in name[-1]}


def as_expression(signal: DescribedSignal) -> Expression:
    """A number or expression as an expression."""
    if isinstance(signal, Function):
        raise InputError(Fault("motion", "a motion cannot be a Python function.", "Give it as an expression of t."))
    return signal if isinstance(signal, Expression) else Expression.number(signal)


class SignalCompiler:
    """Knows what every name means; variables are replaced by what they stand for."""

    def __init__(
        self,
        variables: Iterable[Entry],
        states: Sequence[str],
        inputs: Sequence[str],
        channel_of: Callable[[str], int],
        is_speed: Callable[[str], bool],
        algebraic: AlgebraicNames | None = None,
    ) -> None:
        """`states` are all states in order, those that elements bring along included; `algebraic` numbers the second
        rates and loads that are read, where that is possible."""
        self._is_speed = is_speed
        self._algebraic = algebraic
        self._states = {name: i for i, name in enumerate(states)}
        self._inputs = {name: i for i, name in enumerate(inputs)}
        self._channel_of = channel_of
        self._variables: dict[str, Expression | float] = {}
        for entry in variables:
            self._variables[entry.name] = entry["value"]

    def compile(
        self,
        signal: DescribedSignal,
        target: int,
        factor: float = 1.0,
        owner: int = -1,
        own: Mapping[str, Argument] | None = None,
        where: str = "",
        trouble: tuple[str, str] | None = None,
        after_motion: bool = False,
    ) -> AnySignal:
        """`own` are names with a meaning inside one element: its deflection `s`, the rate `v`, its own states. What is
        read `after_motion` (outputs) knows second rates without solving for them."""
        if isinstance(signal, Function):
            arguments = tuple(self._argument(name, own, where, after_motion) for name in signal.of)
            return External(target, factor, owner, signal, arguments, where)
        expression, own = self._inline(as_expression(signal), own or {})
        arguments = tuple(self._argument(name, own, where, after_motion) for name in sorted(expression.names))
        slopes = ExpressionSet(tuple(expression.derivative(a.name) for a in arguments))
        return Signal(target, factor, owner, expression, arguments, slopes, where, trouble)

    def _inline(self, expression: Expression, own: Mapping[str, Argument]) -> tuple[Expression, Mapping[str, Argument]]:
        """The expression with variables replaced by what they stand for, and the names that are its own. These have
        other names then: what a variable is made of has the meaning it has in the model."""
        if not expression.names & self._variables.keys() - own.keys():
            return expression, own
        private = {name: f"own {name}" for name in expression.names & own.keys()}
        expression = expression.substitute({name: Expression.symbol(given) for name, given in private.items()})
        while used := expression.names & self._variables.keys():
            expression = expression.substitute({name: self._variables[name] for name in used})
        return expression, {given: replace(own[name], name=given) for name, given in private.items()}

    def _argument(self, name: str, own: Mapping[str, Argument] | None, where: str, after_motion: bool) -> Argument:
        if name == "t":
            return Argument(name, "t", 0)
        if own and name in own:
            return own[name]
        if name in self._states:
            return Argument(name, "x", self._states[name])
        if name in self._inputs:
            return Argument(name, "u", self._inputs[name])
        plain = name.rstrip("'")
        try:
            kind = "sva"[len(name) - len(plain) + self._is_speed(plain)]
            channel = self._channel_of(plain)
            if kind == "a" and not after_motion and self._algebraic is not None:
                return Argument(name, "z", self._algebraic.second_rate(name, channel, where))
            return Argument(name, kind, channel)
        except KeyError:
            number = None if self._algebraic is None else self._algebraic.load(name, where)
            if number is not None:
                return Argument(name, "z", number)
            known = [*self._states, *self._inputs, *self._variables]
            raise InputError(Fault(where, f'there is no "{name}".', suggest(name, known))) from None
