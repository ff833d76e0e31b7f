"""Random markers, measures and forces for a document that has bodies and joints.

In expressions a measure is written by its name (`j1`, `j2.displacement`, `m1`), its rate with a prime (`j1'`,
`j2.angle'`).
"""

import numpy as np

from mechanism_numbers import si
from mechanism_parts import beside, decimal, direction, numbers, perpendicular, random_rotation
from mobility import coordinate_names, drawing, end_point

FORCES = ("spring", "spring along", "bushing", "bearing", "force", "torque", "expression")


def point_of(document: dict, body: str) -> np.ndarray:
    """Drawn centre of mass; the origin for ground."""
    if body == "ground":
        return np.zeros(3)
    return drawing(document)[0][1 + list(document["bodies"]).index(body)]


def drawn_distance(document: dict, a: str, b: str) -> float:
    """Distance between two markers or bodies as drawn."""
    return float(np.linalg.norm(end_point(document, b)[1] - end_point(document, a)[1]))


def fresh(section: dict, prefix: str) -> str:
    return f"{prefix}{len(section) + 1}"


# Markers and measures ------------------------------------------------------------------------------------------------


def add_marker(rng: np.random.Generator, document: dict, body: str) -> str:
    """A marker with a random rotation, in global axes or `frame: body`."""
    markers = document.setdefault("markers", {})
    name = fresh(markers, "p")
    local = body != "ground" and rng.random() < 0.3
    at = beside(rng, np.zeros(3) if local else point_of(document, body), 0.1, 0.4)
    markers[name] = {"body": body, "at": numbers(at), "rotation": random_rotation(rng)}
    if local:
        markers[name]["frame"] = "body"
    return name


def add_measure(rng: np.random.Generator, document: dict, kind: str | None = None) -> str:
    """A named measure between two different bodies or markers on them."""
    kind = kind or str(rng.choice(["displacement", "distance", "angle"]))
    a, b = two_bodies(rng, document)
    measures = document.setdefault("measures", {})
    known = dict(document.get("markers", {}))
    for _ in range(50):
        document["markers"] = dict(known)
        # an angle needs turned axes on both sides to be smooth under every reading of the contract: markers
        ends = [
            add_marker(rng, document, body) if kind == "angle" or body == "ground" or rng.random() < 0.5 else body
            for body in (a, b)
        ]
        if drawn_distance(document, *ends) > 0.15:
            break
    if not document["markers"]:
        del document["markers"]
    measure = {"type": kind, "between": ends}
    if kind != "distance":
        measure["axis"] = numbers(direction(rng))
    name = fresh(measures, "m")
    measures[name] = measure
    return name


def two_bodies(rng: np.random.Generator, document: dict) -> tuple[str, str]:
    """Two different bodies, ground among them."""
    a, b = rng.choice(["ground", *document["bodies"]], 2, replace=False)
    return str(a), str(b)


def neighbours(rng: np.random.Generator, document: dict) -> tuple[str, str]:
    """Two bodies whose relative rotation is moderate: joined to each other, or any two if nothing is displaced."""
    joints = list(document.get("joints", {}).values())
    displaced = any("position" in joint for joint in joints)
    if not joints or (not displaced and rng.random() < 0.6):
        return two_bodies(rng, document)
    a, b = joints[rng.integers(len(joints))]["between"]
    return a, b


def coordinates(document: dict, rotation_vectors: bool = False) -> list[str]:
    """All joint coordinates as measures, without `rx`, `ry`, `rz` unless asked for."""
    names = [name for joint in document.get("joints", {}) for name in coordinate_names(document, joint)]
    return [name for name in names if rotation_vectors or name.split(".")[-1] not in ("rx", "ry", "rz")]


def any_measure(rng: np.random.Generator, document: dict) -> str:
    """A joint coordinate or a named measure, new or known."""
    known = coordinates(document, rotation_vectors=rng.random() < 0.15)
    if known and rng.random() < 0.7:
        return str(rng.choice(known))
    named = list(document.get("measures", {}))
    return str(rng.choice(named)) if named and rng.random() < 0.5 else add_measure(rng, document)


# Laws ----------------------------------------------------------------------------------------------------------------


def stiffness_matrix(rng: np.random.Generator, scale: np.ndarray) -> np.ndarray:
    """A full symmetric positive-definite matrix with diagonal about `scale` (n,)."""
    factor = np.eye(len(scale)) + 0.25 * rng.uniform(-1, 1, (len(scale), len(scale)))
    root = np.sqrt(scale)
    matrix = root[:, None] * (factor @ factor.T) * root
    return (matrix + matrix.T) / 2


def add_force(rng: np.random.Generator, document: dict, kind: str | None = None) -> str:
    """A random force element of one of `FORCES`."""
    kind = kind or str(rng.choice(FORCES))
    make = {
        "spring": point_spring,
        "spring along": spring_along,
        "bushing": lambda rng, document: bushing(rng, document, "bushing", *neighbours(rng, document)),
        "bearing": lambda rng, document: bushing(rng, document, "bearing", *neighbours(rng, document)),
        "force": load,
        "torque": lambda rng, document: load(rng, document, "torque"),
        "expression": expression_force,
    }[kind]
    force = make(rng, document)
    forces = document.setdefault("forces", {})
    name = fresh(forces, "f")
    forces[name] = force
    return name


def point_spring(rng: np.random.Generator, document: dict, free: bool = False, ends: tuple | None = None) -> dict:
    """A spring between points on two bodies; `free` makes its free length the drawn length."""
    a, b = ends or two_bodies(rng, document)
    for _ in range(50):
        at = np.array([beside(rng, point_of(document, body), 0.1, 0.5) for body in (a, b)])
        length = float(np.linalg.norm(at[1] - at[0]))
        if 0.2 < length < 2.0:
            break
    spring = {"type": "spring", "between": [a, b], "at": numbers(at), "k": decimal(rng, 50, 2000, 1)}
    spring["free_length"] = length if free else round(length * float(rng.uniform(0.6, 1.3)), 4)
    if rng.random() < 0.6:
        spring["c"] = decimal(rng, 0.5, 10)
    return spring


def spring_along(rng: np.random.Generator, document: dict, measure: str | None = None) -> dict:
    """A spring along a measure."""
    measure = measure or any_measure(rng, document)
    spring = {"type": "spring", "along": measure, "k": decimal(rng, 20, 500, 2)}
    if rng.random() < 0.6:
        spring["c"] = decimal(rng, 0.1, 4)
    if rng.random() < 0.5:
        spring["free"] = decimal(rng, -0.4, 0.4)
    return spring


def bushing(rng: np.random.Generator, document: dict, kind: str, a: str, b: str, soft: bool = False) -> dict:
    """A bushing or a bearing (nothing about its axis: sixth row and column zero) with six values or full matrices."""
    at = beside(rng, point_of(document, a if b == "ground" else b), 0.1, 0.5)
    scale = np.concatenate([rng.uniform(200, 3000, 3), rng.uniform(30, 300, 3)]) * (0.3 if soft else 1.0)
    if kind == "bearing":
        scale[5] = 0.0
    force = {"type": kind, "between": [a, b], "at": numbers(at)}
    if rng.random() < 0.75:
        force["axis"] = numbers(direction(rng))
        if rng.random() < 0.4:
            force["axis2"] = numbers(direction(rng))
    full = rng.random() < 0.4
    force["k"] = numbers(stiffness_matrix(rng, scale)) if full else numbers(np.round(scale, 2))
    if rng.random() < 0.7:
        damping = 0.004 * scale
        force["c"] = numbers(stiffness_matrix(rng, damping)) if full else numbers(np.round(damping, 4))
    return force


def load(rng: np.random.Generator, document: dict, kind: str = "force") -> dict:
    """A force or torque on a body: constant or with expressions of time and measures, in ground or body axes."""
    body = str(rng.choice(list(document["bodies"])))
    force = {"type": kind, "body": body}
    if kind == "force":
        force["at"] = numbers(beside(rng, point_of(document, body), 0.1, 0.5))
    size = 10.0 if kind == "force" else 3.0
    force["value"] = [
        expression(rng, document, size / 2) if rng.random() < 0.3 else decimal(rng, -size, size) for _ in range(3)
    ]
    if rng.random() < 0.7:
        force["axes"] = str(rng.choice(["ground", "body"]))
    return force


def expression_force(rng: np.random.Generator, document: dict) -> dict:
    """A force along a measure given by a nonlinear expression of measures, rates and time."""
    along = any_measure(rng, document)
    return {"type": "expression", "along": along, "value": expression(rng, document, 6.0, about=along)}


def expression(rng: np.random.Generator, document: dict, size: float, about: str | None = None) -> str:
    """A smooth expression of time, measures and rates of the order of `size`."""
    m = about or any_measure(rng, document)
    n = any_measure(rng, document)
    a, b, c, d = (decimal(rng, 0.2 * size, size) for _ in range(4))
    w = decimal(rng, 0.5, 3)
    return str(
        rng.choice(
            [
                f"={a}*sin({w}*t) - {b}*{m}**3 + {c}*{m}*{n}",
                f"=-{a}*{m} - {b}*{m}' + {c}*cos({n})",
                f"={a}*tanh({m}') - {b}*{m} + {c}*t*{n}'",
                f"={a}*exp(-{w}*t)*{n} - {b}*{m}'*{m}**2 + {d}",
                f"={a}*sqrt(1 + {m}**2) - {b}*atan({n}') + {c}*sin({m} + {w}*t)",
                f"={a}*sin({w}*t + 0.4) + {d}",
                f"=({a} - {b}*{m})/(2 + cos({n})) - {c}*{n}'*{m}'",
            ]
        )
    )


# Drivers -------------------------------------------------------------------------------------------------------------


def motion(rng: np.random.Generator, start: float = 0.0) -> str:
    """A smooth function of t equal to `start` at t = 0, its rate and acceleration not zero there."""
    a, b, w = decimal(rng, 0.1, 0.6), decimal(rng, 0.1, 0.6), decimal(rng, 0.5, 3)
    sign = "-" if rng.random() < 0.5 else ""
    term = str(
        rng.choice(
            [
                f"{sign}{a}*sin({w}*t) + {b}*t**2",
                f"{sign}{a}*t - {b}*t**2",
                f"{sign}{a}*(exp({w}*t) - 1)",
                f"{sign}{a}*(1 - cos({w}*t)) + {b}*t",
                f"{sign}{a}*tanh({w}*t) + {b}*t**2",
            ]
        )
    )
    return f"={start!r} + ({term})" if start else f"={term}"


def add_driver(rng: np.random.Generator, document: dict) -> None:
    """A joint's `motion`, or a driver on a joint coordinate, a distance or a displacement that is zero as drawn."""
    used = {driver["measure"] for driver in document.get("drivers", {}).values()}
    used |= {name for name, joint in document["joints"].items() if "motion" in joint}
    free = [name for name in coordinates(document) if name not in used]
    choice = rng.random()
    single = [name for name in free if "." not in name]
    if choice < 0.4 and single:
        document["joints"][str(rng.choice(single))]["motion"] = motion(rng)
        return
    start = 0.0
    if choice < 0.75 and free:
        measure = str(rng.choice(free))
    elif choice < 0.9:
        measure = add_measure(rng, document, "distance")
        start = drawn_distance(document, *document["measures"][measure]["between"])
    else:
        measure = add_measure(rng, document, "displacement")
        a, b = (end_point(document, end)[1] for end in document["measures"][measure]["between"])
        document["measures"][measure]["axis"] = numbers(perpendicular(rng, b - a))
    drivers = document.setdefault("drivers", {})
    drivers[fresh(drivers, "d")] = {"measure": measure, "motion": motion(rng, start)}


def driven_value(document: dict, entry: dict, t: float) -> float:
    """Value of a driver's or joint's `motion` at time t."""
    return si(entry["motion"], document.get("parameters"), t=t)
