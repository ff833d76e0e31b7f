"""A superelement as the bulk data of Nastran: GRID, SPOINT and the matrices as DMIG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eigenbody.base.errors import printable

SCALARS = 1_000_001  # number of the first scalar point
WIDTH = 16  # characters of a large field


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """Matrices over the freedoms (k, 6) of nodes (-1: none) and what follows them, which belongs to no node."""

    name: str
    nodes: tuple[str, ...]
    places: np.ndarray
    freedoms: np.ndarray
    matrices: dict[str, np.ndarray]


def write_punch(component: Component, path: Path) -> bytes:
    """The file. Twelve digits are what its fields hold."""
    return ("\n".join(_lines(component)) + "\n").encode("ascii", errors="replace")


def _lines(component: Component) -> Iterator[str]:
    size = len(next(iter(component.matrices.values())))
    own = {c: (node + 1, i + 1) for node, row in enumerate(component.freedoms.tolist()) for i, c in enumerate(row)}
    places = [own.get(c, (SCALARS + c, 0)) for c in range(size)]
    yield f"$ {_words(component.name)}: superelement, SI units, deviations from its operating point"
    for k, (name, place) in enumerate(zip(component.nodes, component.places.tolist(), strict=True)):
        yield f"$ node {k + 1}: {_words(name)}"
        yield _large("GRID*", str(k + 1), "", _number(place[0]), _number(place[1]))
        yield _large("*", _number(place[2]))
    for number, part in places:
        if not part:
            yield f"SPOINT  {number:<8}"
    for name, matrix in component.matrices.items():
        yield from _matrix(name, matrix, places)


def _matrix(name: str, matrix: np.ndarray, places: list[tuple[int, int]]) -> Iterator[str]:
    is_symmetric = np.allclose(matrix, matrix.T, rtol=1e-12, atol=1e-14 * np.abs(matrix).max(initial=0.0))
    yield f"DMIG    {name:<8}{0:<8}{6 if is_symmetric else 1:<8}{2:<8}{0:<8}"
    for column, (node, part) in enumerate(places):
        rows = [r for r in np.flatnonzero(matrix[:, column]).tolist() if r >= column or not is_symmetric]
        if rows:
            yield _large("DMIG*", name, str(node), str(part))
        for row in rows:
            yield _large("*", str(places[row][0]), str(places[row][1]), _number(matrix[row, column]))


def _words(text: str) -> str:
    """A name in a comment: on one line, short enough for a card."""
    return " ".join(printable(text).split())[:40]


def _large(head: str, *fields: str) -> str:
    return f"{head:<8}" + "".join(f"{field:<{WIDTH}}" for field in fields).rstrip()


def _number(value: float) -> str:
    """As many digits as fit, the exponent without a letter: -1.23456789012-5."""
    for digits in range(WIDTH - 4, 0, -1):
        mantissa, _, exponent = f"{value:.{digits}e}".partition("e")
        text = f"{mantissa}{int(exponent):+d}"
        if len(text) <= WIDTH:
            break
    return text
