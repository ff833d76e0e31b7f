"""Degrees of freedom and redundant rows of a model document, independent of the engine.

The rows of section 5.1's joint table written out once more as plain functions of two body displacements; the Jacobian
is their complex step. Slow, small and obvious: an oracle for the number of freedoms and for what moves with what.

A state is (r, Q): positions (n + 1, 3) of the centres of mass, rotations (n + 1, 3, 3) from the drawing; ground first.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from mechanism_numbers import BRANCH_TYPES, COORDINATES, si, vector

RANK_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Mobility:
    """What the constraint rows (velocity level, drivers included) leave free at a state."""

    rows: int
    rank: int
    freedoms: int
    conditioning: float  # smallest nonzero singular value over the largest; 1 without rows
    motions: np.ndarray  # (6 n, freedoms) orthonormal body velocities: dr global, rotation in global axes, body by body

    @property
    def redundant(self) -> int:
        return self.rows - self.rank


def mobility(document: dict, state: tuple | None = None) -> Mobility:
    """Freedoms at the drawing, or at a state from `assembled`."""
    jacobian = _jacobian(document, state or drawing(document), _all_rows(document))
    columns = jacobian.shape[1]
    if not len(jacobian):
        return Mobility(0, 0, columns, 1.0, np.eye(columns))
    _, s, vt = np.linalg.svd(jacobian)
    rank = int(np.sum(s > RANK_TOLERANCE * s[0]))
    return Mobility(len(jacobian), rank, columns - rank, s[rank - 1] / s[0], vt[rank:].T)


def independence(document: dict, joints: list[str], state: tuple | None = None) -> float:
    """How freely the coordinates of these joints can be given together: 0 not at all (smallest singular value)."""
    measures = [name for joint in joints for name in coordinate_names(document, joint)]
    state = state or drawing(document)
    rates = _jacobian(document, state, [_measure(document, name) for name in measures])
    motions = mobility(document, state).motions
    if len(rates) > motions.shape[1]:
        return 0.0
    return float(np.linalg.svd(rates @ motions, compute_uv=False)[-1]) if len(rates) else 1.0


def is_determined(document: dict) -> bool:
    """Whether the initial state does not depend on the order of bodies and joints in the file.

    True when everything rests as drawn, for open trees, and when the given values leave no freedom. The first-listed
    body of a floating part is meant to stay the first.
    """
    joints = document.get("joints", {})
    given = {key: [name for name, joint in joints.items() if key in joint] for key in ("position", "velocity")}
    driven = bool(document.get("drivers")) or any("motion" in joint for joint in joints.values())
    if not (given["position"] or given["velocity"] or driven):
        return True
    closed = len(spanning_tree(document)) < len(joints) or document.get("couplings") or document.get("drivers")
    if not closed:
        return True
    state = assembled(document)
    freedoms = mobility(document, state).freedoms
    return all(_fixes_everything(document, names, state, freedoms) for names in given.values() if names or driven)


def _fixes_everything(document: dict, joints: list[str], state: tuple, freedoms: int) -> bool:
    measures = [name for joint in joints for name in coordinate_names(document, joint)]
    rates = _jacobian(document, state, [_measure(document, name) for name in measures])
    return bool(np.linalg.matrix_rank(rates @ mobility(document, state).motions, RANK_TOLERANCE) == freedoms)


def drawing(document: dict) -> tuple[np.ndarray, np.ndarray]:
    """The state in which every body is as drawn."""
    parameters = document.get("parameters")
    r = np.array([[0.0, 0, 0]] + [vector(body["at"], parameters) for body in document["bodies"].values()])
    return r, np.broadcast_to(np.eye(3), (len(r), 3, 3)).copy()


def assembled(document: dict, state: tuple | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A state in which all constraints, drivers at t = 0 and given joint positions hold (nearest, by Newton's method).

    ValueError if there is none.
    """
    state = state or drawing(document)
    displaced = any("position" in joint for joint in document.get("joints", {}).values())
    for fraction in (0.2, 0.4, 0.6, 0.8, 1.0) if displaced else (1.0,):
        state = _solved(document, state, _position_rows(document, fraction))
    return state


def _solved(document: dict, state: tuple, rows: list) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(30):
        values = _values(document, state, rows)
        if np.max(np.abs(values), initial=0.0) < 1e-12:
            return state
        step = np.linalg.lstsq(_jacobian(document, state, rows), -values, rcond=1e-9)[0]
        state = moved_by(state, step)
    raise ValueError("the mechanism cannot be assembled")


def residual(document: dict, state: tuple) -> float:
    """Largest violation of constraints, drivers at t = 0 and given positions at a state."""
    return float(np.max(np.abs(_values(document, state, _position_rows(document))), initial=0.0))


def _position_rows(document: dict, fraction: float = 1.0) -> list:
    """Holonomic rows and the given positions, or a fraction of these to get there step by step."""
    rows = _all_rows(document, holonomic_only=True)
    for name, joint in document.get("joints", {}).items():
        if "position" in joint:
            values = joint["position"] if isinstance(joint["position"], list) else [joint["position"]]
            for measure, value in zip(coordinate_names(document, name), values, strict=True):
                rows.append(_offset(_measure(document, measure), fraction * si(value, document.get("parameters"))))
    return rows


def moved_by(state: tuple, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state after a small body motion (6 n,), ground at rest."""
    r, Q = state
    step = np.vstack([np.zeros(6), step.reshape(-1, 6)])
    return r + step[:, :3], Rotation.from_rotvec(step[:, 3:]).as_matrix() @ Q


def is_regular(document: dict, rng: np.random.Generator, step: float = 0.02) -> bool:
    """Whether neighbours on the constraint manifold have the rank of the initial configuration."""
    state = assembled(document)
    here = mobility(document, state)
    undriven = {**document, "drivers": {}}
    undriven["joints"] = {
        name: {key: value for key, value in joint.items() if key not in ("position", "motion")}
        for name, joint in document.get("joints", {}).items()
    }
    directions = mobility(undriven, state).motions
    for _ in range(3):
        direction = directions @ rng.normal(size=directions.shape[1])
        near = assembled(undriven, moved_by(state, step * direction / max(np.linalg.norm(direction), 1e-9)))
        if mobility(document, near).rank != here.rank:
            return False
    return True


# Topology ------------------------------------------------------------------------------------------------------------


def spanning_tree(document: dict) -> list[str]:
    """Joints that are branches: breadth-first from ground, then from the first-listed body of each part; file order."""
    tree, reached = [], {"ground"}
    branches = {n: j for n, j in document.get("joints", {}).items() if j["type"] in BRANCH_TYPES}
    for root in ["ground", *document["bodies"]]:
        if root != "ground" and root in reached:
            continue
        reached.add(root)
        queue = [root]
        for body in queue:
            for name, joint in branches.items():
                if body in joint["between"]:
                    a, b = joint["between"]
                    other = b if a == body else a
                    if other not in reached:
                        reached.add(other)
                        tree.append(name)
                        queue.append(other)
    return tree


def floating_bases(document: dict) -> list[str]:
    """First-listed bodies of the parts that no branch connects to ground."""
    tree = spanning_tree(document)
    part = {body: body for body in ["ground", *document["bodies"]]}
    for name in tree:
        a, b = document["joints"][name]["between"]
        merged, gone = sorted((part[a], part[b]), key=["ground", *document["bodies"]].index)
        part = {body: merged if of == gone else of for body, of in part.items()}
    return [body for body in document["bodies"] if part[body] == body]


def coordinate_names(document: dict, joint: str) -> list[str]:
    """A joint's coordinates as measures: `spin`, or `slide.x` where it has several."""
    coordinates = COORDINATES[document["joints"][joint]["type"]]
    return [joint] if len(coordinates) == 1 else [f"{joint}.{name}" for name, _ in coordinates]


def frame(entry: dict, parameters: dict | None = None) -> np.ndarray:
    """Axes (columns x, y, z) of a joint or bushing as drawn: z = axis, x = axis2 or the least aligned global axis."""
    z = np.array(vector(entry.get("axis", [0, 0, 1]), parameters))
    z = z / np.linalg.norm(z)
    x = np.array(vector(entry["axis2"], parameters)) if "axis2" in entry else np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (z @ x)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


# Rows: lists of (factor, (body indices, points, axes, function of d and both axes)); (number, None) is a constant --


def _all_rows(document: dict, holonomic_only: bool = False) -> list:
    joints = document.get("joints", {})
    rows = []
    for name, joint in joints.items():
        if joint["type"] == "rolling":
            rows.append(_wheel_rows(document, joint, holonomic_only))
        elif not (holonomic_only and joint["type"] == "knife_edge"):
            rows.append(_joint_rows(document, joint))
        if "motion" in joint:
            rows.append(_offset(_measure(document, name), si(joint["motion"], document.get("parameters"), t=0.0)))
    for coupling in document.get("couplings", {}).values():
        terms = coupling.get("terms") or dict(zip(coupling.get("joints", ()), (1, coupling.get("ratio")), strict=True))
        rows.append([(si(f, document.get("parameters")), *_measure(document, m)[0][1:]) for m, f in terms.items()])
    for driver in document.get("drivers", {}).values():
        value = si(driver["motion"], document.get("parameters"), t=0.0)
        rows.append(_offset(_measure(document, driver["measure"]), value))
    return rows


def _offset(row: list, value: float) -> list:
    return [*row, (-value, None)]


def _sides(document: dict, between: list[str]) -> tuple[int, int]:
    order = ["ground", *document["bodies"]]
    return order.index(between[0]), order.index(between[1])


def _drawn(document: dict, entry: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points on the first and the second body and the common frame, as drawn."""
    parameters = document.get("parameters")
    at = entry.get("at", [0, 0, 0])
    points = at if isinstance(at[0], list) else [at, at]
    return *(np.array(vector(point, parameters)) for point in points), frame(entry, parameters)


def _joint_rows(document: dict, joint: dict) -> list:
    pa, pb, axes = _drawn(document, joint)
    kind, pitch = joint["type"], si(joint.get("pitch", 0.0), document.get("parameters"))
    length2 = float((pb - pa) @ (pb - pa))
    return [(1.0, (_sides(document, joint["between"]), pa, pb, axes, axes, _held(kind, pitch, length2)))]


def _wheel_rows(document: dict, joint: dict, holonomic_only: bool) -> list:
    """Contact of the lowest point of a wheel, and what the plane sees of the material point there."""
    parameters = document.get("parameters")
    pa, pb, axes = _drawn(document, joint)
    radius, tube = (si(joint.get(key, 0.0), parameters) for key in ("radius", "tube"))
    normal = frame({"axis": joint.get("normal", [0, 0, 1])}, parameters).T @ axes  # its axes and normal, seen in `axes`

    def rows(d, A, B):
        x, y, n = (sum(c * a for c, a in zip(row, A, strict=True)) for row in normal)
        lean = _dot(n, B[2])
        lack = np.sqrt(1 - lean**2)
        contact = _dot(n, d) - radius * (lack - np.sqrt(1 - (normal[2, 2]) ** 2))
        if holonomic_only:
            return [contact]
        reach = (-radius * (n - lean[..., None] * B[2]) / lack[..., None] - tube * n).real
        material = sum(_dot(reach, b.real)[..., None] * b for b in B)
        return [contact, _dot(x, d + material), _dot(y, d + material)]

    return [(1.0, (_sides(document, joint["between"]), pa, pb, axes, axes, rows))]


def _measure(document: dict, name: str) -> list:
    parameters = document.get("parameters")
    named = document.get("measures", {}).get(name)
    if named is None:
        joint, _, coordinate = name.partition(".")
        entry = document["joints"][joint]
        coordinate = coordinate or COORDINATES[entry["type"]][0][0]
        pa, pb, axes = _drawn(document, entry)
        function = _coordinate(coordinate.removesuffix("1"))
        return [(1.0, (_sides(document, entry["between"]), pa, pb, axes, axes, function))]
    bodies, points = zip(*(end_point(document, end) for end in named["between"]), strict=True)
    axes = frame({key: named[key] for key in ("axis",) if key in named}, parameters)
    function = _coordinate("z" if named["type"] == "displacement" else named["type"])
    return [(1.0, (_sides(document, bodies), *points, axes, axes, function))]


def end_point(document: dict, end: str) -> tuple[str, np.ndarray]:
    """Body and drawn point of one end of a measure: a marker, or a body's centre of mass."""
    parameters = document.get("parameters")
    marker = document.get("markers", {}).get(end)
    if marker is None:
        return end, np.array([0.0, 0, 0] if end == "ground" else vector(document["bodies"][end]["at"], parameters))
    point = np.array(vector(marker["at"], parameters))
    if marker.get("frame") == "body":
        body = document["bodies"][marker["body"]]
        point = np.array(vector(body["at"], parameters)) + rotation_matrix(body.get("rotation"), parameters) @ point
    return marker["body"], point


def rotation_matrix(rotation: dict | None, parameters: dict | None = None) -> np.ndarray:
    """Rotation matrix of a `rotation` entry; identity for None."""
    if rotation is None:
        return np.eye(3)
    if "quaternion" in rotation:
        w, x, y, z = vector(rotation["quaternion"], parameters)
        return Rotation.from_quat([x, y, z, w]).as_matrix()
    if "axis" in rotation:
        axis = np.array(vector(rotation["axis"], parameters))
        return Rotation.from_rotvec(si(rotation["angle"], parameters) * axis / np.linalg.norm(axis)).as_matrix()
    return Rotation.from_euler(rotation["sequence"].upper(), vector(rotation["angles"], parameters)).as_matrix()


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.sum(a * b, axis=-1)


def _held(kind: str, pitch: float, length2: float):
    """Rows of a joint type as a function of d (first point to second) and the axes of both sides, (..., 3) each."""

    def rows(d, A, B):
        xa, ya, za = A
        xb, yb, zb = B
        point = [d[..., 0], d[..., 1], d[..., 2]]
        line = [_dot(xa, d), _dot(ya, d)]
        tilt = [_dot(xa, zb), _dot(ya, zb)]
        table = {
            "fixed": lambda: [*point, *tilt, _dot(xa, yb)],
            "revolute": lambda: [*point, *tilt],
            "prismatic": lambda: [*line, *tilt, _dot(xa, yb)],
            "cylindrical": lambda: [*line, *tilt],
            "screw": lambda: [*line, *tilt, _dot(za, d) - pitch * _coordinate("angle")(d, A, B)[0]],
            "universal": lambda: [*point, _dot(za, xb)],
            "spherical": lambda: point,
            "point": lambda: point,
            "planar": lambda: [_dot(za, d), *tilt],
            "free": list,
            "inline": lambda: line,
            "inplane": lambda: [_dot(za, d)],
            "parallel": lambda: tilt,
            "perpendicular": lambda: [_dot(za, xb)],
            "orientation": lambda: [*tilt, _dot(xa, yb)],
            "distance": lambda: [_dot(d, d) - length2],
            "knife_edge": lambda: [_dot(zb.real, d)],  # velocity level only: the direction does not vary
        }
        return table[kind]()

    return rows


def _coordinate(name: str):
    """A joint coordinate or named measure as a function of d and the axes of both sides."""

    def value(d, A, B):
        xa, ya, za = A
        xb, yb, zb = B
        table = {
            "angle": lambda: _atan2(_dot(ya, xb), _dot(xa, xb)),
            # universal: z fixed in the first body, x in the second, so R = Rz(angle1) Rx(angle2); angle1 is `angle`
            "angle2": lambda: _atan2(_dot(za, yb), _dot(za, zb)),
            "displacement": lambda: _dot(za, d),
            "x": lambda: _dot(xa, d),
            "y": lambda: _dot(ya, d),
            "z": lambda: _dot(za, d),
            "rx": lambda: _vector_by_sine(A, B) * (_dot(za, yb) - _dot(ya, zb)) / 2,
            "ry": lambda: _vector_by_sine(A, B) * (_dot(xa, zb) - _dot(za, xb)) / 2,
            "rz": lambda: _vector_by_sine(A, B) * (_dot(ya, xb) - _dot(xa, yb)) / 2,
            "distance": lambda: np.sqrt(_dot(d, d)),
        }
        return [table[name]()]

    return value


def _vector_by_sine(A: list, B: list) -> np.ndarray:
    """angle / sin(angle) of the rotation between two frames: makes the rotation vector of the skew part."""
    cosine = (sum(_dot(a, b) for a, b in zip(A, B, strict=True)) - 1) / 2 + 0j
    lack = 1 - cosine
    small = np.abs(lack) < 1e-4
    cosine = np.where(small, 0.5, cosine)
    series = 1 + lack / 3 + 2 * lack**2 / 15 + 2 * lack**3 / 35
    return np.where(small, series, np.arccos(cosine) / np.sqrt(1 - cosine**2))


def _atan2(s: np.ndarray, c: np.ndarray) -> np.ndarray:
    """arctan2 that carries the first-order imaginary part."""
    s, c = s + 0j, c + 0j
    slope = (c.real * s.imag - s.real * c.imag) / (c.real**2 + s.real**2)
    return np.arctan2(s.real, c.real) + 1j * slope


def _evaluate(state: tuple, drawn: np.ndarray, row: tuple, steps: np.ndarray) -> np.ndarray:
    """Row values (rows, batch) for motions `steps` (batch, 12) of the two bodies added to first order."""
    (a, b), pa, pb, axes_a, axes_b, function = row
    r, Q = state

    def pose(body, point, axes, motion):
        spun = Q[body] + _cross_matrix(motion[:, 3:]) @ Q[body]
        return r[body] + motion[:, :3] + spun @ (point - drawn[body]), [spun @ axes[:, i] for i in range(3)]

    first, A = pose(a, pa, axes_a, steps[:, :6])
    second, B = pose(b, pb, axes_b, steps[:, 6:])
    return np.array(function(second - first, A, B)).reshape(-1, len(steps))


def _cross_matrix(w: np.ndarray) -> np.ndarray:
    zero = np.zeros_like(w[:, 0])
    x, y, z = w.T
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


def _values(document: dict, state: tuple, rows: list) -> np.ndarray:
    drawn = drawing(document)[0]
    still = np.zeros((1, 12))
    out = []
    for parts in rows:
        total = sum(
            factor if row is None else factor * _evaluate(state, drawn, row, still)[:, 0].real for factor, row in parts
        )
        out.append(np.atleast_1d(total))
    return np.concatenate(out) if out else np.zeros(0)


def _jacobian(document: dict, state: tuple, rows: list) -> np.ndarray:
    """Derivative of the rows by the body motions, (rows, 6 n), by complex step."""
    drawn = drawing(document)[0]
    columns = 6 * len(drawn)
    h = 1e-30
    steps = 1j * h * np.eye(12)
    blocks = []
    for parts in rows:
        block = 0.0
        for factor, row in parts:
            if row is None:
                continue
            part = factor * _evaluate(state, drawn, row, steps).imag / h
            full = np.zeros((len(part), columns))
            for side, body in enumerate(row[0]):
                full[:, 6 * body : 6 * body + 6] += part[:, 6 * side : 6 * side + 6]
            block = block + full
        blocks.append(block)
    return np.vstack([np.zeros((0, columns)), *blocks])[:, 6:]
