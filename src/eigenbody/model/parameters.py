"""Design parameters: numbers, quantities and expressions of each other in any order, with overrides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from eigenbody.model.expressions import Expression
from eigenbody.model.faults import Faults, Path
from eigenbody.model.source import shown
from eigenbody.model.units import UnitError, quantity_dimensionality
from eigenbody.model.values import Number, Values

Resolved = dict[str, Number | None]  # None: given but faulty


def resolve_parameters(
    given: Mapping[str, Any],
    overrides: Mapping[str, Any],
    faults: Faults,
    explain: Callable[[str], str],
    formulas: dict[Path, Expression] | None = None,
) -> Values:
    """Values that know all parameters; a faulty one is None and reported."""
    texts = dict(given)
    for name, value in overrides.items():
        if name in given:
            _check_override(name, given[name], value, faults)
            texts[name] = value
        else:
            what = f'there is no parameter "{shown(name)}" to set.'
            faults.add(("parameters",), what, faults.nearest(str(name), given))
    parameters: Resolved = dict.fromkeys(texts)
    values = Values(faults, parameters, formulas)
    values.explain = explain
    expressions = _read_constants(texts, parameters, values)
    _evaluate_in_order(expressions, parameters, values)
    return values


def _path(name: str) -> Path:
    return ("parameters", name)


def _is_quantity(value: Any) -> bool:
    return isinstance(value, str) and not value.strip().startswith("=")


def _check_override(name: str, given: Any, value: Any, faults: Faults) -> None:
    """A quantity may only be replaced by a plain number or a quantity of the same dimension."""
    if not (_is_quantity(given) and _is_quantity(value)):
        return
    try:
        before, after = quantity_dimensionality(given), quantity_dimensionality(value)
    except UnitError:
        return  # reported where the value itself is read
    if before is not None and after is not None and before != after:
        faults.add(_path(name), f'"{shown(value)}" is not of the same dimension as "{shown(given)}" in the model.')


def _read_constants(texts: Mapping[str, Any], parameters: Resolved, values: Values) -> dict[str, Expression]:
    """Fill in all parameters that are not expressions; return the expressions."""
    expressions = {}
    for name, value in texts.items():
        if isinstance(value, str) and value.strip().startswith("="):
            parsed = values.expression(value.strip()[1:], _path(name))
            if parsed is not None:
                expressions[name] = parsed
        else:
            parameters[name] = values.number(value, None, _path(name))
    return expressions


def _evaluate_in_order(expressions: dict[str, Expression], parameters: Resolved, values: Values) -> None:
    order, cycles = sort_by_use({name: expression.names for name, expression in expressions.items()})
    for cycle in cycles:
        loop = " -> ".join([*cycle, cycle[0]])
        values.faults.add(_path(cycle[0]), f"parameters depend on themselves: {shown(loop, 200)}.")
    for name in order:
        expression = expressions[name]
        if values.known_names(expression.names, _path(name)):
            found = values.evaluate(expression, _path(name))
            parameters[name] = None if found is None else values.usable(found, _path(name))


def sort_by_use(uses: Mapping[str, Iterable[str]]) -> tuple[list[str], list[list[str]]]:
    """Names with those they use before them, and the cycles (whose names are left out of the order)."""
    state: dict[str, int] = {}  # 1: on the way, 2: done
    order: list[str] = []
    cycles: list[list[str]] = []
    in_cycle: set[str] = set()
    for root in uses:
        trail = [root]
        while trail:
            name = trail[-1]
            if state.get(name) == 2:
                trail.pop()
                continue
            state[name] = 1
            open_uses = [other for other in sorted(uses[name]) if other in uses and state.get(other) != 2]
            looping = [other for other in open_uses if state.get(other) == 1]
            if looping:
                cycle = trail[trail.index(looping[0]) :]
                cycles.append(cycle)
                in_cycle.update(cycle)
            waiting = [other for other in open_uses if state.get(other) is None]
            if waiting and not looping:
                trail.append(waiting[0])
                continue
            state[name] = 2
            trail.pop()
            order.append(name)
    return [name for name in order if name not in in_cycle], cycles
