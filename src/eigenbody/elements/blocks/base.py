"""What a control block is: a type of the `blocks` section that stands for first-order states and named outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.model.expression_tree import Expression, build
from eigenbody.model.vocabulary import TypeSpec


@dataclass(frozen=True, slots=True)
class BlockState:
    """A state of a block: `label` (the full name is block.label), initial value, rate."""

    label: str
    initial: float
    rate: Expression


@dataclass(frozen=True, slots=True)
class Expansion:
    """States of a block and its outputs; the output without a label is named like the block."""

    states: tuple[BlockState, ...]
    outputs: Mapping[str, Expression]


@dataclass(frozen=True, slots=True)
class BlockType:
    """A type of the `blocks` section: its keys and what an entry stands for."""

    spec: TypeSpec
    expand: Callable[[Entry], Expansion]


def name(entry: Entry, label: str) -> Expression:
    """A state of the block in an expression."""
    return Expression.symbol(f"{entry.name}.{label}")


def combination(coefficients: Sequence[Any], terms: Sequence[Expression]) -> Expression:
    """sum coefficient_k term_k, without the zero ones."""
    kept = [build("*", Expression.number(c), term) for c, term in zip(coefficients, terms, strict=True) if c != 0]
    return build("+", *kept) if kept else Expression.number(0.0)


def linear_system(
    entry: Entry,
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    D: np.ndarray,
    inputs: Sequence[Expression],
    labels: Sequence[str],
    initial: Sequence[float] | None = None,
) -> Expansion:
    """x' = A x + B u, y = C x + D u, states x1, x2, ..."""
    n = len(A)
    x = [name(entry, f"x{k + 1}") for k in range(n)]
    start = [0.0] * n if initial is None else initial
    rates = [combination([*A[k], *B[k]], [*x, *inputs]) for k in range(n)]
    states = tuple(BlockState(f"x{k + 1}", start[k], rates[k]) for k in range(n))
    outputs = {label: combination([*C[k], *D[k]], [*x, *inputs]) for k, label in enumerate(labels)}
    return Expansion(states, outputs)
