"""Expression trees: evaluation, exact derivatives, substitution and printing, all without recursion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.batched import Variants, tape_of
from eigenbody.model.expression_code import Code, NoCode, code_of
from eigenbody.model.expression_kernels import (
    KERNELS,
    ExpressionError,
    OutsideTable,
    as_operand,
    as_result,
    operand_named,
    reason_of,
)
from eigenbody.model.expression_text import Text, text_of

Number = float | complex | Variants


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """One node: a number, a name, an operator (`+ neg * / **`) or a function of its arguments."""

    op: str
    args: tuple[Expression, ...] = ()
    value: Number = 0.0
    name: str = ""
    _hash: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        key = (self.op, self.value, self.name, tuple(arg._hash for arg in self.args))
        object.__setattr__(self, "_hash", hash(key))

    @staticmethod
    def number(value: Number) -> Expression:
        """A constant."""
        if isinstance(value, np.ndarray):
            value = Variants(value)
        return Expression("number", value=value if isinstance(value, complex | Variants) else float(value))

    @staticmethod
    def symbol(name: str) -> Expression:
        """A name to be given a value later."""
        return Expression("name", name=name)

    @property
    def names(self) -> frozenset[str]:
        """Every name that occurs, rates with their primes (`spin'`)."""
        return frozenset(node.name for node in self.nodes if node.op == "name")

    @cached_property
    def nodes(self) -> tuple[Expression, ...]:
        """All distinct nodes, arguments before the nodes that use them."""
        return _postorder(self)

    @cached_property
    def _program(self) -> tuple[tuple[Callable[..., Any] | None, tuple[int, ...], Any], ...]:
        """For each of `nodes` its kernel and the places of its arguments; without a kernel its value, or its name."""
        place: dict[int, int] = {}
        program: list[tuple[Callable[..., Any] | None, tuple[int, ...], Any]] = []
        for k, node in enumerate(self.nodes):
            place[id(node)] = k
            if node.args:
                program.append((KERNELS[node.op], tuple(place[id(arg)] for arg in node.args), None))
            else:
                program.append((None, (), node.name if node.op == "name" else as_operand(node.value)))
        return tuple(program)

    def evaluate(self, env: Mapping[str, Any]) -> Any:
        """Value with the names taken from `env`: floats, complex numbers or arrays that broadcast."""
        if self._tape is not None:
            return self._on_tape(env)
        if self._code is not None:
            with suppress(NoCode):  # node by node it shows what is wrong, or that the numbers are of another kind
                return self._code(env)[0]
        values: list[Any] = []
        try:
            with np.errstate(divide="raise", over="raise", invalid="raise", under="ignore"):
                for kernel, args, leaf in self._program:
                    if kernel is not None:
                        values.append(kernel(*[values[k] for k in args]))
                    else:
                        values.append(operand_named(leaf, env) if isinstance(leaf, str) else leaf)
                return as_result(values[-1])
        except (ArithmeticError, ValueError) as problem:
            raise ExpressionError(f'"{_short(self)}" has no finite value: {reason_of(problem)}') from problem
        except OutsideTable:
            raise
        except ExpressionError as problem:
            raise ExpressionError(f'"{_short(self)}" has no value: {problem}') from problem

    @cached_property
    def _code(self) -> Code | None:
        return code_of((self,))

    @cached_property
    def _tape(self) -> Any:
        """What records the constants, if anything does."""
        return tape_of([node.value for node in self.nodes if node.op == "number"])

    def _on_tape(self, env: Mapping[str, Any]) -> Any:
        constants = [node.value for node in self.nodes if tape_of([node.value]) is not None]

        def value(*given: Any) -> Any:
            now = iter(given)  # in the order of the nodes, as they are asked for
            return self.with_numbers(lambda constant: next(now)).evaluate(env)

        return self._tape.call(value, constants)

    def of(self, names: Sequence[str]) -> Callable[..., Any]:
        """The expression as a function of the values of its names, in this order."""
        return lambda *values: self.evaluate(dict(zip(names, values, strict=True)))

    def derivative(self, name: str) -> Expression:
        """Exact partial derivative with respect to one name."""
        from eigenbody.model.expression_slopes import chain_rule  # it builds expressions

        slopes: dict[int, Expression] = {}
        for node in self.nodes:
            if node.args:
                slopes[id(node)] = chain_rule(node, [slopes[id(arg)] for arg in node.args])
            else:
                slopes[id(node)] = ONE if node.op == "name" and node.name == name else ZERO
        return slopes[id(self)]

    def substitute(self, replacements: Mapping[str, Expression | Number]) -> Expression:
        """The same expression with some names replaced; constant parts are folded."""
        if self.names.isdisjoint(replacements):
            return self
        done: dict[int, Expression] = {}
        for node in self.nodes:
            if node.op == "name" and node.name in replacements:
                given = replacements[node.name]
                done[id(node)] = given if isinstance(given, Expression) else Expression.number(given)
            elif node.args:
                done[id(node)] = build(node.op, *(done[id(arg)] for arg in node.args))
            else:
                done[id(node)] = node
        return done[id(self)]

    def with_numbers(self, change: Callable[[Any], Any]) -> Expression:
        """The same expression with its constants changed; constant parts are folded."""
        if not any(isinstance(node.value, Variants) for node in self.nodes):
            return self
        done: dict[int, Expression] = {}
        for node in self.nodes:
            if node.op == "number":
                done[id(node)] = Expression.number(change(node.value)) if isinstance(node.value, Variants) else node
            else:
                done[id(node)] = build(node.op, *(done[id(arg)] for arg in node.args)) if node.args else node
        return done[id(self)]

    def __str__(self) -> str:
        texts: dict[int, Text] = {}
        for node in self.nodes:
            texts[id(node)] = text_of(node, [texts[id(arg)] for arg in node.args])
        return texts[id(self)][0]

    def __repr__(self) -> str:
        return f"Expression({_short(self)!r})"

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        number: dict[int, int] = {}  # flat, for trees are deep; without hashes, which differ from process to process
        for k, node in enumerate(self.nodes):
            number[id(node)] = k
        return _restored, ([(n.op, [number[id(arg)] for arg in n.args], n.value, n.name) for n in self.nodes],)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Expression) and self._hash == other._hash and _signature(self) == _signature(other)


def _restored(nodes: list[tuple[str, list[int], Number, str]]) -> Expression:
    done: list[Expression] = []
    for op, args, value, name in nodes:
        done.append(Expression(op, tuple(done[k] for k in args), value, name))
    return done[-1]


def _postorder(root: Expression) -> tuple[Expression, ...]:
    """Distinct nodes in evaluation order; equal nodes that are separate objects both occur."""
    order: list[Expression] = []
    seen: set[int] = set()
    stack: list[tuple[Expression, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if id(node) in seen:
            continue
        if ready or not node.args:
            seen.add(id(node))
            order.append(node)
            continue
        stack.append((node, True))
        stack.extend((arg, False) for arg in reversed(node.args))
    return tuple(order)


def _signature(root: Expression) -> tuple[Any, ...]:
    """The tree as one flat tuple in which equal nodes are the same number."""
    numbers: dict[int, int] = {}
    known: dict[Any, int] = {}
    for node in root.nodes:
        key = (node.op, repr(node.value), node.name, tuple(numbers[id(arg)] for arg in node.args))
        numbers[id(node)] = known.setdefault(key, len(known))
    return tuple(known)


def _short(expression: Expression) -> str:
    text = str(expression)
    return text if len(text) <= 80 else text[:77] + "..."


# ---- building with light simplification

ZERO = Expression.number(0.0)
ONE = Expression.number(1.0)


def is_number(node: Expression, value: float) -> bool:
    """Whether a node is this number."""
    return node.op == "number" and node.value == value


def _sum(terms: tuple[Expression, ...]) -> Expression:
    kept = tuple(term for term in terms if not is_number(term, 0))
    if len(kept) <= 1:
        return kept[0] if kept else ZERO
    return Expression("+", kept)


def _product(a: Expression, b: Expression) -> Expression:
    if is_number(a, 0) or is_number(b, 0):
        return ZERO
    if is_number(a, 1):
        return b
    if is_number(b, 1):
        return a
    return Expression("*", (a, b))


def _quotient(a: Expression, b: Expression) -> Expression:
    if is_number(b, 1):
        return a
    return ZERO if is_number(a, 0) and not is_number(b, 0) else Expression("/", (a, b))


def _power(a: Expression, b: Expression) -> Expression:
    if is_number(b, 1):
        return a
    return ONE if is_number(b, 0) else Expression("**", (a, b))


def build(op: str, *args: Expression) -> Expression:
    """The node `op(args)`, folded when all arguments are numbers and simplified by the rules of 0 and 1."""
    if all(arg.op == "number" for arg in args):
        folded = Expression(op, args)
        try:
            return Expression.number(folded.evaluate({}))
        except ExpressionError:
            return folded  # evaluation will say what is wrong, at the place of use
    if op == "+":
        return _sum(args)
    if op == "neg" and args[0].op == "neg":
        return args[0].args[0]
    rules: dict[str, Callable[..., Expression]] = {"*": _product, "/": _quotient, "**": _power}
    return rules[op](*args) if op in rules else Expression(op, args)
