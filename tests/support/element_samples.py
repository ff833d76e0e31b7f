"""Sample entries of any registered type, made from the keys that it declares: a new type is sampled as it comes.

Between the bodies `a` and `b` of `TWO_BODIES` (or `ground` and `a`), which are free, turned and apart.
"""

import numpy as np

from eigenbody.model.vocabulary import Field, Kind, TypeSpec
from mechanism_parts import numbers

TWO_BODIES = {
    "a": {"mass": 2.1, "inertia": [0.3, 0.4, 0.5, 0.02, -0.03, 0.01], "at": [0.1, -0.2, 0.3],
          "rotation": {"axis": [1, 2, -1], "angle": 0.7}},
    "b": {"mass": 1.3, "inertia": [0.2, 0.25, 0.3, 0.01, 0.02, -0.015], "at": [0.9, 0.4, -0.2],
          "rotation": {"sequence": "zxz", "angles": [0.3, -0.5, 0.9]}},
}  # fmt: skip
MEASURE = {"type": "distance", "between": ["a", "b"]}
SIGNALS = (
    "=1.3*gauge**2 - 0.4*gauge' + 0.7*lag*knob + 0.2*t",  # gauge: the measure; lag: a state; knob: an input
    {"table": [[-50, -4], [0.217, 1], [50, 9]], "of": "=gauge + 0.3*gauge' + lag + knob"},
    2.5,
)

# Keys that say the same in another way as those that go with the chosen one
SAID_BY = {"lateral": ("longitudinal_stiffness", "trail"), "cornering_stiffness": ("longitudinal", "aligning")}


def document(forces: dict, gravity: tuple = (0.3, -0.5, -9.81)) -> dict:
    """Two free bodies in motion with these forces, a measure, a first-order state and an input."""
    return {
        "eigenbody": 1,
        "gravity": list(gravity),
        "bodies": TWO_BODIES,
        "measures": {"gauge": MEASURE},
        "states": {"lag": {"initial": 0.4, "rate": "=gauge' - lag"}},
        "inputs": {"knob": {"value": 0.6}},
        "forces": forces,
    }


def symmetric(rng: np.random.Generator, size: float) -> list:
    root = rng.normal(size=(6, 6))
    return numbers(size * (np.eye(6) + 0.1 * root @ root.T))


def entries(spec: TypeSpec, rng: np.random.Generator, varying: bool = True) -> list[dict]:
    """Entries that together give every key, in each way of saying where it acts and what it is.

    varying=False leaves out signals that are not required: the linear part alone.
    """
    ways = [[key] for key in spec.one_of[0]] if spec.one_of else [[]]
    exclusive = {key for group in spec.one_of for key in group}
    made = []
    for chosen in ways:
        for variant in range(len(SIGNALS)):
            entry = {"type": spec.name}
            for field in spec.fields:
                if field.name in exclusive and field.name not in chosen:
                    continue
                if field.kind in (Kind.SIGNAL, Kind.SIGNALS) and not (varying or field.required):
                    continue
                value = _sample(field, rng, variant)
                if field.kind is Kind.SIX and varying and variant == 2:
                    value[0][1] = "=3 + 0.5*sin(gauge')"  # type: ignore[index]
                if value is not None:
                    entry[field.name] = value
            if "along" in entry:
                for key in ("at", "free_length"):
                    entry.pop(key, None)
            elif "between" in entry:
                entry.pop("free", None)
            for key in SAID_BY.get(next(iter(chosen), ""), ()):
                entry.pop(key, None)
            made.append(entry)
    return made


def _sample(field: Field, rng: np.random.Generator, variant: int):
    """A value of the kind that the key asks for; None leaves the key out."""
    number = lambda low, high: round(float(rng.uniform(low, high)), 4)  # noqa: E731
    match field.kind:
        case Kind.BETWEEN:
            return [["a", "b"], ["b", "a"], ["ground", "b"]][variant]
        case Kind.BODY:
            return "ab"[variant % 2]
        case Kind.MEASURE:
            return "gauge"
        case Kind.POINT:
            return [number(-0.5, 0.5) for _ in range(3)]
        case Kind.POINTS:
            return [[number(-1, -0.3) for _ in range(3)], [number(0.3, 1) for _ in range(3)]]
        case Kind.DIRECTION:
            return [number(0.2, 1), number(-1, -0.2), number(-1, 1)]
        case Kind.NUMBER:
            if field.name == "load":
                return number(300, 400)  # a tyre that touches
            if field.name == "nu":
                return number(0.1, 0.4)
            return number(0.1, 0.4) if "free" in field.name else number(2, 20)
        case Kind.NUMBERS if field.name == "speed":
            return None  # goes with lists of coefficients, in place of k and c
        case Kind.NUMBERS:
            return [number(0.3, 0.9) for _ in range(4)]
        case Kind.SIX:
            return symmetric(rng, number(5, 20)) if variant else [number(5, 20) for _ in range(6)]
        case Kind.SIGNAL:
            return SIGNALS[variant]
        case Kind.EXPRESSION:
            return SIGNALS[0] if variant == 0 else SIGNALS[2]
        case Kind.SIGNALS:
            return [SIGNALS[(variant + k) % len(SIGNALS)] for k in range(3)]
        case Kind.CHOICE:
            return field.choices[variant % len(field.choices)]
        case Kind.FLAG:
            return bool(variant % 2)
        case _:
            return None
