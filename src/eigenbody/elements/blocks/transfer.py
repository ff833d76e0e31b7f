"""Transfer functions, filters and delays: y = numerator(s) / denominator(s) u, in controllable form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import factorial
from typing import Any

import numpy as np

from eigenbody.elements.blocks.base import BlockType, Expansion, linear_system
from eigenbody.elements.checks import Wrong, positive, real
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

INPUT = Field("input", Kind.EXPRESSION, required=True, doc="what goes in: an expression")


def transfer_function(entry: Entry, numerator: Sequence[Any], denominator: Sequence[Any]) -> Expansion:
    """States and output of a proper transfer function; coefficients from the highest power down."""
    a = np.asarray(denominator) / denominator[0]
    n = len(a) - 1
    b = np.concatenate((np.zeros(n + 1 - len(numerator)), np.asarray(numerator) / denominator[0]))
    A = np.zeros((n, n), dtype=a.dtype)
    if n:
        A[: n - 1, 1:] = np.eye(n - 1)
        A[-1] = -a[:0:-1]
    B = np.zeros((n, 1))
    B[-1:] = 1.0
    C = (b[1:] - b[0] * a[1:])[::-1][None]
    return linear_system(entry, A, B, C, np.array([[b[0]]]), [entry["input"]], [""])


def expand_transfer(entry: Entry) -> Expansion:
    """A transfer function as given."""
    return transfer_function(entry, entry["numerator"], entry["denominator"])


def expand_filter(entry: Entry) -> Expansion:
    """First or second order, low or high pass."""
    w, zeta = entry["corner"], entry["damping"]
    order = int(entry["order"])
    denominator = [1.0, w] if order == 1 else [1.0, 2 * zeta * w, w * w]
    low = [denominator[-1]]
    return transfer_function(entry, low if entry["kind"] == "lowpass" else [1.0, *[0.0] * order], denominator)


def expand_delay(entry: Entry) -> Expansion:
    """Padé approximation of exp(-s T)."""
    n, T = int(entry["order"]), entry["time"]
    c = [
        factorial(2 * n - k) * factorial(n) / (factorial(2 * n) * factorial(k) * factorial(n - k)) for k in range(n + 1)
    ]
    up = [c[k] * T**k for k in range(n, -1, -1)]
    return transfer_function(entry, [x * (-1) ** k for x, k in zip(up, range(n, -1, -1), strict=True)], up)


def proper(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """Not more powers above than below."""
    above, below = values.get("numerator"), values.get("denominator")
    if not isinstance(below, np.ndarray):
        return
    if len(below) == 0 or below[0] == 0:
        yield "denominator", "its first number, that of the highest power, is zero.", "Leave it out."
    elif isinstance(above, np.ndarray) and len(above) > len(below):
        yield "numerator", "has a higher power than the denominator: it would differentiate.", "Add a fast filter."


def known_order(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """Orders that exist, positive numbers."""
    order, most = real(values.get("order")), 8 if "time" in values else 2
    if order is not None and not 1 <= order <= most:
        yield "order", f"order {order:g} does not exist.", f"Use 1 to {most}."
    yield from positive(values, ("corner", "time"))


TRANSFER = BlockType(
    TypeSpec(
        "transfer",
        (
            INPUT,
            Field("numerator", Kind.NUMBERS, required=True, doc="coefficients, highest power first"),
            Field("denominator", Kind.NUMBERS, required=True, doc="coefficients, highest power first"),
        ),
        check=proper,
        doc=__doc__ or "",
    ),
    expand_transfer,
)
FILTER = BlockType(
    TypeSpec(
        "filter",
        (
            INPUT,
            Field("kind", Kind.CHOICE, choices=("lowpass", "highpass"), default="lowpass", doc="what passes"),
            Field("corner", Kind.NUMBER, "rad/s", required=True, doc="corner frequency"),
            Field("order", Kind.INTEGER, default=1, doc="1 or 2"),
            Field("damping", Kind.NUMBER, "1", default=0.5**0.5, doc="damping ratio of the second order"),
        ),
        check=known_order,
        doc="Low or high pass of first or second order.",
    ),
    expand_filter,
)
DELAY = BlockType(
    TypeSpec(
        "delay",
        (
            INPUT,
            Field("time", Kind.NUMBER, "s", required=True, doc="delay"),
            Field("order", Kind.INTEGER, default=2, doc="order of the Padé approximation, 1 to 8"),
        ),
        check=known_order,
        doc="Dead time by a Padé approximation.",
    ),
    expand_delay,
)
