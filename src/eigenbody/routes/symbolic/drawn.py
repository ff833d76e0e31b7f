"""The drawing as expressions: where bodies, joints and forces are, by the parameters of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.drawing import GROUND, body_of
from eigenbody.routes.symbolic.exact import exact_array
from eigenbody.routes.symbolic.pool import CLOSE, Path, Pool
from eigenbody.routes.symbolic.skeleton import Side, sides
from eigenbody.spatial.rotations import frame

TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # order of six entries of an inertia


@dataclass(frozen=True, eq=False)
class DrawnSide:
    """Where a joint or force takes hold of a body in the drawing: point (3,) and axes (3, 3) as columns, expressions;
    `frame` has the axes as numbers."""

    body: int
    point: np.ndarray
    axes: np.ndarray
    frame: np.ndarray


@dataclass(frozen=True, eq=False)
class Drawing:
    """What the model file says of places, directions and inertia."""

    description: Description
    pool: Pool

    @property
    def size(self) -> float:
        """Length beside which rounding is nothing."""
        return max(1e-3, float(np.abs(self.description.bodies.position).max(initial=0.0)))

    def vector(self, path: Path, values: np.ndarray) -> np.ndarray:
        """(3,) a vector of the file."""
        return np.array([self.pool.drawn((*path, k), float(v)) for k, v in enumerate(values)], object)

    def position(self, body: int) -> np.ndarray:
        """(3,) centre of mass."""
        if body == GROUND:
            return np.zeros(3, int).astype(object)
        bodies = self.description.bodies
        return self.vector(("bodies", bodies.names[body], "at"), bodies.position[body])

    def inertia(self, body: int) -> np.ndarray:
        """(3, 3) about the centre of mass, in the axes in which the file gives it."""
        bodies = self.description.bodies
        values, path = bodies.inertia[body], ("bodies", bodies.names[body], "inertia")
        out = np.empty((3, 3), object)
        for k, (i, j) in enumerate(TENSOR):
            place = next((p for p in ((*path, k), (*path, i, j)) if p in self.pool.formulas), path)
            out[i, j] = out[j, i] = self.pool.drawn(place, float(values[i, j]))
        return out

    def marker(self, name: str) -> np.ndarray:
        """(3,) where a marker is drawn; in the file it is given in global axes or from its body's centre."""
        marker = self.description.markers[name]
        body = body_of(self.description, name)
        path = ("markers", name, "at")
        given = np.array([self.pool.formula((*path, k)) for k in range(3)], object)
        if all(entry is None for entry in given):
            return exact_array(marker.position, self.size)
        origin = self.position(body)
        turned = np.eye(3) if body == GROUND else self.description.bodies.rotation[body]
        start = np.zeros(3) if body == GROUND else self.description.bodies.position[body]
        local = turned.T @ (marker.position - start)
        from_body, globally = (
            np.array([exact_array(at[k : k + 1])[0] if e is None else e for k, e in enumerate(given)], object)
            for at in (local, marker.position)
        )
        for found in (globally, origin + exact_array(turned) @ from_body):
            if np.allclose([self.pool.value_of(e) for e in found], marker.position, rtol=CLOSE, atol=CLOSE * self.size):
                return found
        return exact_array(marker.position, self.size)

    def sides(self, section: str, entry: Entry) -> tuple[DrawnSide, DrawnSide]:
        """Both sides of a joint, force or measure."""
        pair = sides(self.description, entry)
        axes = [self._axes(section, entry, side) for side in pair]
        first, second = (
            DrawnSide(side.body, self._point(section, entry, k, side), axes[k], side.frame)
            for k, side in enumerate(pair)
        )
        return first, second

    def _point(self, section: str, entry: Entry, k: int, side: Side) -> np.ndarray:
        if entry.get("at") is not None:
            path = (section, entry.name, "at")
            pair = (*path, k)
            return self.vector(
                pair if any(p[:4] == pair and len(p) == 5 for p in self.pool.formulas) else path, side.point
            )
        name = entry["between"][k]
        return self.marker(name) if name in self.description.markers else self.position(side.body)

    def _axes(self, section: str, entry: Entry, side: Side) -> np.ndarray:
        """Axes by the parameters where the file writes `axis` or `axis2` by them, else numbers."""
        path = (section, entry.name)
        given = [key for key in ("axis", "axis2") if any(p[:3] == (*path, key) for p in self.pool.formulas)]
        if not given:
            return exact_array(side.frame, 1.0)
        z = self.vector((*path, "axis"), np.asarray(entry.get("axis", (0.0, 0.0, 1.0)), float))
        plain = frame(np.asarray(entry.get("axis", (0.0, 0.0, 1.0)), float))[:, 0]
        x = (
            exact_array(np.eye(3)[int(np.argmax(np.abs(plain)))])
            if entry.get("axis2") is None
            else self.vector((*path, "axis2"), np.asarray(entry["axis2"], float))
        )
        z = _unit(z)
        x = _unit(x - z * (z @ x))
        y = np.array([z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]], object)
        found = np.stack([x, y, z], axis=1)
        values = np.vectorize(self.pool.value_of, otypes=[float])(found)
        return found if np.allclose(values, side.frame, atol=CLOSE) else exact_array(side.frame, 1.0)


def _unit(vector: np.ndarray) -> np.ndarray:
    import sympy

    length = sympy.sqrt(sympy.simplify(vector @ vector))
    return np.array([sympy.simplify(entry / length) for entry in vector], object)


def drawn_six(pool: Pool, path: Path, name: str, values: np.ndarray) -> np.ndarray:
    """(6, 6) stiffness or damping: six values or all, as the file gives them."""
    out = np.empty((6, 6), object)
    for i, j in np.ndindex(6, 6):
        place = (*path, i) if i == j and (*path, i) in pool.formulas else (*path, i, j)
        out[i, j] = pool.drawn(place, float(values[i, j]))
    return pool.matrix(name, out)


def item_of(pool: Pool, section: str, entry: Entry, key: str, letter: str, default: float = 0.0) -> Any:
    """A number of an entry."""
    return pool.item((section, entry.name, key), f"{letter}_{entry.name}", entry.get(key, default))
