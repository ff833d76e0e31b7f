"""All measures of a geometry in a few tables, for the compiled loops `swept` and `swept_back` (spatial.components)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from eigenbody.elements.measures.compose import Composed
from eigenbody.elements.measures.templates import ARCTANGENT
from eigenbody.system.flattened import Geometry, OfProducts, Part, Plain, Positions
from eigenbody.system.pairs import RotationPairs


class Tables:
    """Measures of all sets, one set after the other (`sets`): which are scalar products, angles, components of rotation
    vectors, and `others`, which are asked one by one."""

    def __init__(self, geometry: Geometry) -> None:
        self.starts = np.cumsum([0, *(s.count for s in geometry.sets)])
        self.sets = [slice(*ends) for ends in pairwise(self.starts.tolist())]
        plain, angles, parts = ([np.zeros((n, 0), dtype=np.int64)] for n in (2, 3, 2))
        pairs: list[tuple[np.ndarray, ...]] = [(*np.zeros((2, 0), dtype=np.int64), *np.zeros((2, 0, 3, 3)))]
        count = 0  # of pairs so far
        self.others: list[tuple[Part, Positions]] = []
        for first, made in zip(self.starts, geometry.made, strict=False):
            for part, positions in made:
                where = first + (
                    np.arange(positions.start, positions.stop) if isinstance(positions, slice) else positions
                )
                if isinstance(part, Plain):
                    plain.append(np.stack((where, _numbers(part.which))))
                elif isinstance(part, OfProducts) and _is_angle(part):
                    angles.append(np.stack((where, *(_numbers(which) for which in part.which))))
                elif isinstance(part, RotationPairs) and part.table is not None:
                    *own, row = part.table
                    pairs.append(tuple(own))
                    parts.append(np.stack((where, 3 * count + row)))
                    count += len(own[0])
                else:
                    self.others.append((part, where))
        self.plain, self.angles, self.parts = (np.concatenate(each, axis=1) for each in (plain, angles, parts))
        self.pairs = tuple(np.ascontiguousarray(np.concatenate(each)) for each in zip(*pairs, strict=True))


def _numbers(which: slice) -> np.ndarray:
    return np.arange(which.start, which.stop)


def _is_angle(part: OfProducts) -> bool:
    return isinstance(part.kernel, Composed) and part.kernel.outer is ARCTANGENT
