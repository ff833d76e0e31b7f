"""What Adams functions read of the mechanism: measures of the model, made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eigenbody.exchange.adams.frames import Frames
from eigenbody.exchange.adams.functions import Untranslatable
from eigenbody.exchange.adams.units import Units
from eigenbody.exchange.base import usable_name
from eigenbody.exchange.numbers import direction

AXES = "XYZ"


class Readings:
    """Measures by what they measure; `marker_name(id)` gives the marker of the model (0: of the ground)."""

    def __init__(
        self,
        frames: Frames,
        units: Units,
        marker_name: Callable[[int], str],
        named: Mapping[tuple[str, int], str],
        measures: dict[str, Any],
    ) -> None:
        self.frames, self.units, self.marker_name, self.named, self.measures = (
            frames,
            units,
            marker_name,
            named,
            measures,
        )
        self.angles: dict[tuple[int, int], str] = {}  # coordinates of joints that turn I about z of J
        self._known: dict[tuple[Any, ...], str] = {}

    def __call__(self, name: str, ids: Sequence[int]) -> str:
        """Text that reads the function in the units of the dataset."""
        if name == "TIME":
            return _scaled("t", 1 / self.units.time)
        if name in ("VARVAL", "DIF"):
            known = self.named.get((name, ids[0] if ids else 0))
            if known is None:
                raise Untranslatable(f"{name}({ids[0] if ids else ''})")
            return known
        if not ids or any(id and id not in self.frames.markers for id in ids):
            raise Untranslatable(f"{name}({', '.join(map(str, ids))}), whose markers are not there")
        i, j, k, seen = [*ids, 0, 0, 0][:4]
        if name == "DM":
            return _scaled(self.measure("distance", i, j), 1 / self.units.length)
        if name == "VR":
            return _scaled(f"{self.measure('distance', i, j)}'", self.units.time / self.units.length)
        axis = AXES.index(name[1])
        if name[0] == "D":
            return _scaled(self.along(i, j, k, axis), 1 / self.units.length)
        if name[0] == "A":
            return self.angle(i, j, axis)
        if name[0] == "W" and axis == 2 and k in (i, j) and (i, j) in self.angles:
            return _scaled(f"{self.angles[i, j]}'", self.units.time)
        if name[0] == "W":
            return _scaled(self.turning(i, j, k, axis), self.units.time)
        return _scaled(self.velocity(i, j, k, seen, axis), self.units.time / self.units.length)

    # ---- measures
    def along(self, i: int, j: int, k: int, axis: int) -> str:
        """Displacement of i from j along an axis of k."""
        return self.measure("displacement", i, j, axis=self.axis(k, axis), **{"in": self.marker_name(k)})

    def angle(self, i: int, j: int, axis: int) -> str:
        """Rotation of i about an axis of j; about z it is that of their own x axes."""
        if axis == 2:
            return self.angles.get((i, j)) or self.measure("angle", i, j)
        raise Untranslatable(f"A{AXES[axis]}")

    def turning(self, i: int, j: int | str, k: int, axis: int) -> str:
        """Angular velocity of i relative to j along an axis of k."""
        inside = {"axis": self.axis(k, axis), "in": self.marker_name(k)}
        return self.measure("angular_velocity", i, j, **inside)

    def velocity(self, i: int, j: int, k: int, seen: int, axis: int) -> str:
        """Velocity of i relative to j, as an observer with the marker `seen` sees it, along an axis of k."""
        markers = self.frames.markers
        if seen and j and markers[seen].part == markers[j].part:
            return self.through(i, j, k, axis)
        if not self.frames.still(seen):
            raise Untranslatable(f"V{AXES[axis]} seen from a part that moves")
        first = self.through(i, 0, k, axis)
        return first if self.frames.still(j) else f"({first} - {self.through(j, 0, k, axis)})"

    def through(self, i: int, j: int | str, k: int, axis: int) -> str:
        """Velocity of the point i relative to the body of j (or of that name), along an axis of k. A force along it
        acts at i, and at the same point on the body of j."""
        return self.measure("velocity", i, j, axis=self.axis(k, axis), **{"in": self.marker_name(k)})

    def axis(self, k: int, axis: int) -> list[float]:
        """An axis of a marker in the drawing."""
        return direction(self.frames.markers[k].place.R[:, axis]) if k else [float(n == axis) for n in range(3)]

    def measure(self, kind: str, i: int, j: int | str, **more: Any) -> str:
        """The name of a measure of i relative to j."""
        ends = [j if isinstance(j, str) else self.marker_name(j), self.marker_name(i)]
        key = (kind, *ends, *map(str, more.items()))
        if key not in self._known:
            name = usable_name(f"{kind}_{ends[1]}_{ends[0]}", self.measures)
            self.measures[name] = {"type": kind, "between": ends, **more}
            self._known[key] = name
        return self._known[key]


def _scaled(text: str, factor: float) -> str:
    return text if factor == 1 else f"({factor!r}*{text})"
