"""Mass, centre of mass and inertia of a body that fills a mesh: `inertia: {mesh: f.stl, density: 2700, scale: 0.001}`.

With the scales s of the axes and V, c, P (volume, centroid, integral of x x^T about it) of what the file encloses

    m = density V |sx sy sz|      centre = s c      J = density |sx sy sz| (tr(Q) 1 - Q),  Q_ij = s_i s_j P_ij
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.batched import agreed, verdict
from eigenbody.model.faults import Faults, Path
from eigenbody.model.meshes import MeshError, NoReaderError, read_mesh
from eigenbody.model.values import Number, Values
from eigenbody.spatial.polyhedra import OpenSurfaceError, Solid

KEYS = ("mesh", "density", "scale", "at")
EXAMPLE = "Write for example {mesh: part.stl, density: 2700, scale: 0.001}."
REMEDY = "Repair the mesh where it was made, or give mass and inertia as numbers."


@dataclass(frozen=True, slots=True, eq=False)
class MeshInertia:
    """mass, centre (3) from the origin of the file in its axes, tensor entries xx yy zz xy xz yz about the centre."""

    mass: Number
    centre: list[Number]
    tensor: list[Number]
    origin: list[Number] | None  # where the origin of the file is, global axes; None: not given
    shape: dict[str, Any]  # what the body looks like

    def position(self, rotation: np.ndarray) -> list[Number]:
        """The centre of mass in global axes, where the axes of the file are those of the body, (3, 3)."""
        c, origin = self.centre, self.origin or [0.0] * 3
        return [origin[i] + sum(c[j] * rotation[i, j] for j in range(3)) for i in range(3)]


def read_mesh_inertia(given: Mapping[str, Any], mass: Any, values: Values, path: Path) -> MeshInertia | None:
    """The inertia that a map tells of; `mass` is that of the body, which may stand in place of a density."""
    faults = values.faults
    for key in sorted(given.keys() - set(KEYS), key=str):
        faults.unknown((*path, key), "key", key, KEYS)
    if (given.get("density") is None) == (mass is None):
        what = "mass and density are given together." if mass is not None else "the density is missing."
        faults.add(path, what, "Give the density, or the mass of the body.")
    solid = _solid(given.get("mesh"), faults, (*path, "mesh"))
    scale = mesh_scale(given.get("scale"), values, (*path, "scale"))
    origin = None if given.get("at") is None else values.numbers(given["at"], "m", (*path, "at"))
    density = given.get("density")
    amount = values.number(density, "kg/m^3", (*path, "density")) if density is not None else None
    if amount is not None and not verdict(_is_positive, amount):
        faults.add((*path, "density"), "the density is not positive.", "Give a number above zero.")
        return None
    weight = values.number(mass, "kg", (*path[:-1], "mass")) if mass is not None else None
    if solid is None or scale is None or (amount is None) == (weight is None):
        return None
    x, y, z = scale
    times = x * y * z
    times = times if verdict(_is_positive, times) else times * -1.0
    volume = times * solid.volume
    if amount is None:
        assert weight is not None
        amount = weight / volume
    Q = [[scale[i] * scale[j] * (amount * times) * float(solid.second[i, j]) for j in range(3)] for i in range(3)]
    tensor = [Q[1][1] + Q[2][2], Q[0][0] + Q[2][2], Q[0][0] + Q[1][1], Q[0][1] * -1.0, Q[0][2] * -1.0, Q[1][2] * -1.0]
    centre = [scale[i] * float(solid.centroid[i]) for i in range(3)]
    shape = {"type": "mesh", "file": given["mesh"], "scale": scale, "at": [part * -1.0 for part in centre]}
    return MeshInertia(amount * volume if weight is None else weight, centre, tensor, origin, shape)


def mesh_scale(given: Any, values: Values, path: Path) -> list[Number] | None:
    """Metres for a unit of the file: one number, or one for each axis (a negative one mirrors); 1 by default."""
    if given is None:
        return [1.0, 1.0, 1.0]
    if isinstance(given, list):
        scale = values.numbers(given, "1", path)
    else:
        number = values.number(given, "1", path)
        scale = None if number is None else [number] * 3
    if scale is None:
        return None
    is_mirror = isinstance(given, list)
    if any(verdict(_is_zero, part) or not (is_mirror or verdict(_is_positive, part)) for part in scale):
        values.faults.add(path, "a mesh cannot be scaled by this.", "Give for example 0.001 for millimetres.")
        return None
    return scale


def _solid(name: Any, faults: Faults, path: Path) -> Solid | None:
    if not isinstance(name, str):
        faults.add(path, "the name of a file is expected here.", EXAMPLE)
        return None
    file = faults.named_file(name, path)
    if file is None:
        return None
    try:
        return read_mesh(file).solid
    except NoReaderError as problem:
        faults.add(path, f"mass properties need this mesh, and {problem}.")
    except MeshError as problem:
        faults.add(path, f"{problem}.")
    except OpenSurfaceError as problem:
        faults.add(path, f"this mesh has no mass properties: {problem}.", REMEDY)
    return None


def _is_positive(number: Any) -> bool:
    return agreed(np.asarray(np.real(number) > 0))


def _is_zero(number: Any) -> bool:
    return agreed(np.asarray(np.real(number) == 0))
