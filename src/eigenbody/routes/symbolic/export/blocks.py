"""What the programs have in common: names that a language allows, and arrays computed with common parts once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.routes.base import Place
from eigenbody.routes.symbolic.equations import SymbolicEquations
from eigenbody.routes.symbolic.linear import Reference, reference, tangent


@dataclass(frozen=True, eq=False)
class Program:
    """Equations with all that a program is made of."""

    eqs: SymbolicEquations
    names: tuple[str, ...]  # coordinates of the linear equations
    where: Reference
    t: float
    model: str
    form: str
    notes: tuple[str, ...]

    @property
    def parameters(self) -> list[Any]:
        """Symbols with values of their own."""
        return [symbol for symbol in self.eqs.values if symbol not in self.eqs.kin.pool.definitions]

    @property
    def derived(self) -> list[tuple[Any, Any]]:
        """Parameters that are expressions of others, in an order in which they can be computed."""
        return ordered(self.eqs.kin.pool.definitions)

    def motion(self) -> list[np.ndarray]:
        """M (f, f), h = g - d (f,), G (m, f), gamma (m,): M a + h = G^T lambda, G a + gamma = 0."""
        eqs = self.eqs
        return [eqs.M, eqs.g - eqs.d, eqs.jacobian, eqs.gamma]

    def tangents(self) -> list[np.ndarray]:
        """M, P, Q (f, f), rows of the constraints and of the coordinates with their first and second rates."""
        slopes = tangent(self.eqs, self.names)
        return [slopes.M, slopes.P, slopes.Q, slopes.rows, slopes.rows1, slopes.rows2]


def program(eqs: SymbolicEquations, place: Place, names: Sequence[str], notes: Sequence[str] = ()) -> Program:
    """What the texts in programming languages are written from."""
    name = eqs.kin.description.name or "a mechanism"
    return Program(eqs, tuple(names), reference(eqs, place), place.t, name, eqs.form, tuple(notes))


def ordered(definitions: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Definitions with those they use before them."""
    done: dict[Any, Any] = {}
    while len(done) < len(definitions):
        for symbol, value in definitions.items():
            if symbol not in done and not (value.free_symbols & set(definitions)) - set(done):
                done[symbol] = value
    return list(done.items())


def renamed(eqs: SymbolicEquations, reserved: Iterable[str], is_ascii: bool = False) -> dict[Any, Any]:
    """Symbols of the equations with names that a language allows, all different."""
    import sympy

    taken, out = set(reserved), {}
    symbols = [*eqs.values, *eqs.q, *eqs.u, *eqs.a, *eqs.multipliers, eqs.kin.coordinates.t]
    for symbol in dict.fromkeys(symbols):
        name = symbol.name
        if is_ascii:
            name = "".join(letter if letter.isascii() else "_" for letter in name)
        while name in taken:
            name += "_"
        taken.add(name)
        out[symbol] = sympy.Symbol(name)
    return out


@dataclass(frozen=True, eq=False)
class Block:
    """Arrays as assignments: parts that occur more than once, then the entries that are not zero."""

    common: list[tuple[Any, Any]]
    entries: list[list[tuple[int, Any]]]  # of each array, by their place in it
    shapes: list[tuple[int, ...]]

    @property
    def symbols(self) -> set[Any]:
        """All symbols that are used."""
        values = [value for _, value in self.common] + [e for array in self.entries for _, e in array]
        return {symbol for value in values for symbol in value.free_symbols}


def block(arrays: Sequence[np.ndarray], names: Mapping[Any, Any]) -> Block:
    """Arrays of expressions with common parts found and names replaced."""
    import sympy

    flat = [[sympy.sympify(e).xreplace(dict(names)) for e in array.ravel()] for array in arrays]
    filled = [(i, k, e) for i, array in enumerate(flat) for k, e in enumerate(array) if e != 0]
    taken = set(names.values())
    fresh = (s for s in sympy.numbered_symbols("w_") if s not in taken)
    common, results = sympy.cse([e for _, _, e in filled], symbols=fresh)
    entries: list[list[tuple[int, Any]]] = [[] for _ in arrays]
    for (i, k, _), value in zip(filled, results, strict=True):
        entries[i].append((k, value))
    return Block(_used(common, results), entries, [tuple(int(n) for n in array.shape) for array in arrays])


def _used(common: list[tuple[Any, Any]], results: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The parts that something is made of: the search leaves some behind that nothing is."""
    needed = {symbol for value in results for symbol in value.free_symbols}
    kept = []
    for symbol, value in reversed(common):
        if symbol in needed:
            needed |= value.free_symbols
            kept.append((symbol, value))
    return kept[::-1]
