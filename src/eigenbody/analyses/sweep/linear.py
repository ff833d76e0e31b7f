"""Linear equations of many variants of a model: those found together stay one stack of matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.linearization.linearize import LinearStack, dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.compiled import compiled_model
from eigenbody.operating.family import (
    Failed,
    Group,
    batch_point,
    can_batch,
    checked_values,
    groups,
    one_of,
    separate_points,
)
from eigenbody.operating.find import operating_point
from eigenbody.system.state import State


@dataclass(frozen=True, eq=False)
class Stack:
    """Variants of a group that were linearized together."""

    group: Group
    batch: OperatingPoint
    linear: LinearStack

    def state(self, member: int) -> State:
        """The state of one of them."""
        return one_of(self.batch.state, member)

    def points(self, members: Sequence[int]) -> dict[int, OperatingPoint]:
        """The operating points of some of them, by their places in the group."""
        return separate_points(self.group, self.batch, members)

    def models(
        self, members: Sequence[int], known: Mapping[int, OperatingPoint] | None = None
    ) -> dict[int, LinearModel]:
        """The linear models of some of them, by their places in the group; some operating points may be known."""
        known = known or {}
        found = self.points([k for k in members if k not in known])
        return self.linear.models({k: known[k] if k in known else found[k] for k in members})

    def model(self, member: int) -> LinearModel:
        """The linear model of one of them."""
        return self.models([member])[member]


@dataclass(frozen=True, eq=False)
class Member:
    """One variant of a stack, by its place in the group."""

    stack: Stack
    place: int


Linearized = LinearModel | Member | Failed


@on_one_thread
def linearized(model: InertModel, values: Mapping[str, Sequence[float] | np.ndarray]) -> list[Linearized]:
    """The linear equations of every variant, found together as far as they allow; or why one has none."""
    arrays = checked_values(model, values)
    if all(len(array) == 1 for array in arrays.values()):
        alone = compiled_model(model, tuple(arrays)).model_at([float(array[0]) for array in arrays.values()])
        if alone is not None:
            return [_linear_of(alone, 0)]
    found: dict[int, Linearized] = {}
    for group in groups(model, arrays):
        if isinstance(group, Failed):
            found[group.index] = group
            continue
        apart = np.ones(len(group), dtype=bool)
        if len(group) > 1 and can_batch(group.model, group.system):
            try:
                batch, apart = batch_point(group)
                stack = Stack(
                    group, batch, LinearStack(batch, separate_points(group, batch, [0], [batch.model])[0], len(group))
                )
                found.update({int(group.index[k]): Member(stack, int(k)) for k in np.flatnonzero(~apart)})
            except EigenbodyError:
                apart[:] = True  # a variant in the group fails: one by one each says for itself what is wrong
        for k in np.flatnonzero(apart):
            found[int(group.index[k])] = linear_alone(group, int(k))
    return [found[i] for i in range(len(found))]


def linear_models(found: Iterable[Linearized]) -> list[LinearModel | Failed]:
    """Each by itself."""
    out, members = list(found), dict[Stack, dict[int, int]]()
    for i, one in enumerate(out):
        if isinstance(one, Member):
            members.setdefault(one.stack, {})[one.place] = i
    for stack, places in members.items():
        for k, linear in stack.models(list(places)).items():
            out[places[k]] = linear
    return [one for one in out if not isinstance(one, Member)]


def linear_alone(group: Group, k: int) -> LinearModel | Failed:
    """The linear model of one variant of a group, found by itself."""
    return _linear_of(group.model_of(k), int(group.index[k]))


def _linear_of(model: InertModel, index: int) -> LinearModel | Failed:
    try:
        return dense_model(operating_point(model))
    except EigenbodyError as error:
        return Failed(index, str(error))
