"""Arrays over named axes: the xarray Dataset of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import Fault, InputError

if TYPE_CHECKING:
    from xarray import Dataset

    from eigenbody.base.result import Result

Places = str | tuple[str, ...]
DIRECTIONS = ("x", "y", "z")
MOTIONS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True, slots=True)
class Over:
    """The axes that an array lies over, in order, each with its places: the name of the array that has them, the
    names themselves, or "" for the array that is called like the axis, else numbers from 1 on."""

    unit: str
    axes: Mapping[str, Places]
    label: str = ""  # what the numbers are, where the name does not say

    def prefixed(self, prefix: str, *own: str) -> Over:
        """The same of arrays whose names begin with the prefix; so do the names of the axes `own`."""
        renamed = {prefix + axis if axis in own else axis: places for axis, places in self.axes.items()}
        return replace(self, axes={a: prefix + p if p and isinstance(p, str) else p for a, p in renamed.items()})


def over(unit: str = "", /, **axes: Places) -> Over:
    """`over("m", t="", body="bodies")` is (times, bodies) in metres."""
    return Over(unit, axes)


def as_dataset(result: Result) -> Dataset:
    """All arrays that lie over named axes, with places and units; text is a coordinate, what is single an attribute."""
    if not hasattr(result.look, "axes"):
        what = f"{type(result).__name__} has no arrays over named axes."
        raise InputError(Fault("to_xarray", what, "Use .arrays() or .as_dict()."))
    lying = result.look.axes(result)
    from eigenbody.present.export import need

    need("xarray", "to_xarray")
    from xarray import Dataset

    arrays = result.arrays()
    data: dict[str, Any] = {}
    places: dict[str, Any] = {}
    for name, own in lying.items():
        array = np.asarray(arrays[name])
        for (axis, given), count in zip(own.axes.items(), array.shape, strict=True):
            places.setdefault(axis, (axis, _places(arrays, axis, given, count)))
        words = {"units": own.unit, "long_name": own.label}
        is_place = array.dtype.kind == "U" or name in own.axes
        (places if is_place else data)[name] = tuple(own.axes), array, {k: text for k, text in words.items() if text}
    single = {name: array.item() for name, array in arrays.items() if np.ndim(array) == 0}
    return Dataset(data, places, single)


def _places(arrays: Mapping[str, Any], axis: str, given: Places, count: int) -> Any:
    """Places along an axis of so many."""
    if isinstance(given, tuple):
        return np.array(given, dtype="U")
    if given or axis in arrays:
        return arrays[given or axis]
    return np.arange(1, count + 1)


def in_real_parts(dataset: Dataset) -> Dataset:
    """The same with name_real and name_imag for what is complex."""
    out = dataset
    for name, array in dataset.variables.items():
        if array.dtype.kind == "c":
            parts = {f"{name}_real": array.real, f"{name}_imag": array.imag}
            out = out.drop_vars(str(name)).assign(
                {key: (array.dims, part.data, array.attrs) for key, part in parts.items()}
            )
    return out
