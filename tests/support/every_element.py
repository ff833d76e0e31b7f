"""Random mechanisms that together contain every registered element, each an addition to one of `random_mechanism`.

    document = every_element(17, folder)        # folder: where a file of finite-element matrices may be written

The number decides which element is certainly there (`ELEMENTS` in turn) and seeds the rest.
"""

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from eigenbody.elements.blocks import BLOCKS
from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.flexible import FLEXIBLE
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.types import MEASURES
from eigenbody.structures.beam import BeamStations, beam_structure
from element_samples import entries
from flexible_mechanisms import SOFT, with_beams
from mechanism_forces import coordinates, point_of
from mechanism_parts import beside, decimal, direction, numbers, perpendicular
from mechanisms import KINDS, random_mechanism

BLOCK_SAMPLES = {
    "transfer": {"keys": {"input": "=gauge + 0.3*lag", "numerator": [0.4, 1.5], "denominator": [2.0, 3.0, 5.0]}},
    "state_space": {
        "keys": {"inputs": ["=gauge", "=gauge' + knob"], "A": [[-1, 0.3], [0.2, -2]], "B": [[1, 0.5], [0.2, 0.7]],
                 "C": [[1, 0.4], [0.3, 0.1]], "D": [[0.2, 0.1], [0, 0]], "outputs": ["u", "w"], "initial": [0.2, -0.1]},
        "output": ".u",
    },
    "pid": {"keys": {"input": "=gauge - 0.4", "kp": 3.0, "ki": 0.7, "kd": 0.2, "filter": 0.1}},
    "filter": {"keys": {"input": "=gauge'", "corner": 4.0, "order": 2, "kind": "highpass"}},
    "delay": {"keys": {"input": "=0.5*gauge + lag", "time": 0.2, "order": 3}},
}  # fmt: skip

# Sizes that suit mechanisms of a metre, where those of `element_samples` do not
SIZES = {
    "exponent": (1.1, 2.0), "smooth": (0.02, 0.3), "radius": (0.2, 0.5), "tube": (0.02, 0.1), "conicity": (0.02, 0.2),
    "E": (1e5, 1e6), "G": (1e5, 1e6), "area": (1e-3, 4e-3), "Iy": (1e-6, 4e-6), "Iz": (1e-6, 4e-6), "J": (1e-6, 4e-6),
    "ky": (0.7, 0.9), "kz": (0.7, 0.9), "length": (0.8, 1.2), "damping": (0.001, 0.01), "gap": (0.1, 0.4),
}  # fmt: skip
SPEEDS = ("velocity", "angular_velocity", "angular_momentum")
DIFFERENCE_ALONE = tuple(f"measure {name}" for name in (*SPEEDS, "quaternion"))  # no independent route knows them
OTHERS = ("moving frame", "implicit state", "Python function", "one-sided driver")
ELEMENTS = (
    *(f"force {name}" for name in FORCES), *(f"block {name}" for name in BLOCKS),
    *(f"measure {name}" for name in MEASURES), *(f"coupling {name}" for name in COUPLINGS),
    *(f"flexible {name}" for name in FLEXIBLE), *OTHERS,
)  # fmt: skip
EXTRAS = tuple(
    name for name in ELEMENTS if name.startswith(("force", "block", "measure")) and name not in DIFFERENCE_ALONE
)


def every_element(number: int, folder: Path, again: int = 0) -> dict:
    """The mechanism of a number; `again` draws another one where it contradicts itself."""
    rng = np.random.default_rng([number, again])
    wanted = ELEMENTS[number % len(ELEMENTS)]
    kind = KINDS[(number + number // len(ELEMENTS)) % len(KINDS)]
    if wanted.startswith(("coupling", "one-sided", "flexible")):
        kind = "tree"  # the others have few freedoms to spare
    document = random_mechanism(rng, kind)
    _add_gauge(rng, document)
    _add(rng, document, wanted, folder)
    for extra in rng.choice(EXTRAS, 2, replace=False):
        _add(rng, document, str(extra), folder)
    document["name"] += f" with {wanted}"
    if wanted == "flexible beam":
        spliced = with_beams(rng, document, most=1)
        return spliced if spliced["flexible"] else _with_cantilever(rng, document)
    return document


SECTIONS = {
    "forces": "force", "blocks": "block", "measures": "measure", "joints": "joint", "couplings": "coupling",
    "flexible": "flexible",
}  # fmt: skip


def contents(documents: list[dict]) -> Counter:
    """How many of the documents contain each registered element."""
    count: Counter = Counter()
    for document in documents:
        kinds = {
            f"{name} {entry['type']}"
            for section, name in SECTIONS.items()
            for entry in document.get(section, {}).values()
        }
        values = [force.get("value") for force in document.get("forces", {}).values()]
        kinds |= {"moving frame"} if "frames" in document else set()
        kinds |= {"Python function"} if any(callable(value) for value in values) else set()
        kinds |= {"implicit state"} if any("residual" in s for s in document.get("states", {}).values()) else set()
        kinds |= {"one-sided driver"} if any("side" in d for d in document.get("drivers", {}).values()) else set()
        count.update(kinds)
    return count


def all_elements() -> set[str]:
    """The names of everything that `contents` counts."""
    return {*ELEMENTS, *(f"joint {name}" for name in JOINTS)}


# Additions -----------------------------------------------------------------------------------------------------------


def _add_gauge(rng: np.random.Generator, document: dict) -> None:
    """A distance, a state that follows it and an input, of which signals may speak."""
    a, b = _two(rng, document)
    at = [numbers(beside(rng, point_of(document, body), 0.3, 0.6)) for body in (a, b)]
    at[1] = numbers(np.array(at[1]) + 0.7 * direction(rng))
    document.setdefault("measures", {})["gauge"] = {"type": "distance", "between": [a, b], "at": at}
    document.setdefault("states", {})["lag"] = {"initial": 0.4, "rate": "=gauge' - lag"}
    document.setdefault("inputs", {})["knob"] = {"value": 0.6}


def _two(rng: np.random.Generator, document: dict) -> tuple[str, str]:
    """A body, and another one or ground."""
    names = list(document["bodies"])
    first = str(rng.choice(names))
    return str(rng.choice([name for name in ("ground", *names) if name != first])), first


def _add(rng: np.random.Generator, document: dict, what: str, folder: Path) -> None:
    section, _, name = what.partition(" ")
    if section in ("force", "block", "measure", "coupling"):
        {"force": _force, "block": _block, "measure": _measure, "coupling": _coupling}[section](rng, document, name)
    elif what == "flexible matrices":
        _rod(rng, document, folder)
    elif what in OTHERS:
        SPECIAL[what](rng, document)


def _push(document: dict, name: str, value: object, along: str = "gauge") -> None:
    document.setdefault("forces", {})[name] = {"type": "expression", "along": along, "value": value}


def _force(rng: np.random.Generator, document: dict, name: str) -> None:
    first, second = _two(rng, document)
    samples = entries(FORCES[name].spec, rng)
    entry = dict(samples[rng.integers(len(samples))])
    for key, value in entry.items():
        if key in SIZES and isinstance(value, float):
            entry[key] = decimal(rng, *SIZES[key], 8)
    if "between" in entry:
        entry["between"] = [first, second]
        if "at" in entry and name not in ("tyre", "wheel_rail"):
            entry["at"] = [numbers(beside(rng, point_of(document, body), 0.3, 0.6)) for body in (first, second)]
            entry["at"][1] = numbers(np.array(entry["at"][1]) + 0.7 * direction(rng))
    if "body" in entry:
        entry["body"] = second
    forces = document.setdefault("forces", {})
    forces[f"{name}{len(forces)}"] = entry


def _block(rng: np.random.Generator, document: dict, name: str) -> None:
    sample = BLOCK_SAMPLES[name]
    blocks = document.setdefault("blocks", {})
    block = f"{name}{len(blocks)}"
    blocks[block] = {"type": name, **sample["keys"]}
    _push(document, f"by_{block}", f"=2*{block}{sample.get('output', '')}")


def _measure(rng: np.random.Generator, document: dict, name: str) -> None:
    """A measure of the type, and a spring along it (along the first of several); a speed is read by a force."""
    first, second = _two(rng, document)
    measures = document["measures"]
    own = f"{name}{len(measures)}"
    if name in SPEEDS:
        whose = {"of": [second]} if name == "angular_momentum" else {"between": [first, second]}
        measures[own] = {"type": name, **whose, "axis": numbers(direction(rng)), "in": second}
        _push(document, f"by_{own}", f"=-0.5*{own} + 0.1*sin({own})*gauge")
        return
    measures[own] = {"type": name, "between": [first, second], "axis": numbers(direction(rng))}
    if name == "sum":
        measures[own] = {"type": name, "terms": {"gauge": decimal(rng, 0.4, 1.5), f"{second}.x": -0.7}, "constant": 0.2}
    if name == "distance":
        measures[own] = {"type": name, "between": [first, second], "at": document["measures"]["gauge"]["at"]}
    if name == "angles":
        measures[own]["sequence"] = str(rng.choice(["xyz", "zyx", "yzx"]))
    if name == "cosine":
        measures[own]["axis2"] = numbers(direction(rng))
    if name == "displacement" and rng.random() < 0.5:
        measures[own]["in"] = str(rng.choice(list(document["bodies"])))
    if name == "quaternion":
        del measures[own]["axis"]
    along = own + {"angles": ".1", "quaternion": ".x"}.get(name, "")
    spring = {"type": "spring", "along": along, "k": decimal(rng, 5, 50), "c": decimal(rng, 0.1, 1)}
    document.setdefault("forces", {})[f"along_{own}"] = spring


def _coupling(rng: np.random.Generator, document: dict, name: str) -> None:
    """Two joint coordinates coupled; what was given of the second joint is taken back."""
    known = coordinates(document)
    if len(known) < 2:
        _add_pair(document)
        known = coordinates(document)
    a, b = (str(x) for x in rng.choice(known, 2, replace=False))
    for coordinate in (a, b):
        for key in ("position", "velocity"):
            document["joints"][coordinate.partition(".")[0]].pop(key, None)
    ratio = decimal(rng, 0.4, 1.5)
    entry: dict = {"type": name, "joints": [a, b], "ratio": ratio}
    if name == "linear":
        entry = {"type": name, "terms": {a: 1.0, b: ratio}}
    if name == "polynomial":
        entry = {"type": name, "joints": [a, b], "coefficients": [0.0, ratio, 0.3, -0.2]}
    if name == "velocity":
        entry = {"type": name, "speed": f"={a}' - ({ratio} + 0.2*sin({b}))*{b}'"}
    document.setdefault("couplings", {})[f"c_{name}"] = entry


def _add_pair(document: dict) -> None:
    """Two bodies more on hinges."""
    for k in range(2):
        at = [1.5 + k, 0.3, 0.2]
        document["bodies"][f"wheel{k}"] = {"mass": 1.0 + k, "inertia": [0.1, 0.2, 0.25], "at": at}
        document["joints"][f"hinge{k}"] = {"type": "revolute", "between": ["ground", f"wheel{k}"],
                                           "at": [1.4 + k, 0.3, 0.2], "axis": [0.2, 1, 0.3 * k]}  # fmt: skip


def _with_cantilever(rng: np.random.Generator, document: dict) -> dict:
    """A beam clamped to a body at its start."""
    body = str(rng.choice(list(document["bodies"])))
    start = beside(rng, point_of(document, body), 0.1, 0.3)
    points = [numbers(start), numbers(start + 0.5 * direction(rng))]
    beam = {"type": "beam", "points": points, "y_axis": numbers(direction(rng)), **SOFT, "elements": 4, "modes": 2}
    clamp = {"type": "fixed", "between": [body, "beam1.start"], "at": points[0]}
    return {**document, "flexible": {"beam1": beam}, "joints": {**document["joints"], "clamp": clamp}}


def _rod(rng: np.random.Generator, document: dict, folder: Path) -> None:
    """A rod from a file of matrices, clamped to a body at its root."""
    stations = BeamStations(
        points=np.array([[0, 0, 0], [0.5, 0, 0]]), E=4e6, G=1.5e6, A=1e-3, Iy=2e-7, Iz=3e-7, J=4e-7, density=300.0
    )
    mesh = beam_structure(stations, 3, ["root", "tip"], inside=False)
    file = folder / "rod.npz"
    if not file.exists():
        np.savez(file, M=mesh.M, K=mesh.K, nodes=mesh.nodes, names=np.array(mesh.names))
    body = str(rng.choice(list(document["bodies"])))
    at = numbers(beside(rng, point_of(document, body), 0.1, 0.3))
    rod = {"type": "matrices", "file": str(file), "modes": 2, "damping": 0.01, "at": at}
    document["flexible"] = {"rod": rod}
    document["joints"]["clamp"] = {"type": "fixed", "between": [body, "rod.root"], "at": at}


def _frame(rng: np.random.Generator, document: dict) -> None:
    """A turning frame; a bushing ties a body to it."""
    about, at = numbers(direction(rng)), numbers(0.4 * direction(rng))
    document["frames"] = {"table": {"about": about, "at": at, "rate": decimal(rng, -2, 2)}}
    body = str(rng.choice(list(document["bodies"])))
    mount = {"type": "bushing", "between": ["table", body], "at": numbers(point_of(document, body)), "k": [30.0] * 6,
             "c": [1.0] * 6}  # fmt: skip
    document.setdefault("forces", {})["mount"] = mount
    document["measures"]["seen"] = {"type": "displacement", "between": ["ground", body], "in": "table",
                                    "axis": numbers(direction(rng))}  # fmt: skip
    _push(document, "drawn", "=-4*seen - 0.5*seen'", "seen")


def _implicit(rng: np.random.Generator, document: dict) -> None:
    document["states"]["creep"] = {"initial": 0.2, "residual": "=2*creep' + 0.3*creep'**3 + creep - gauge"}
    _push(document, "by_creep", "=3*creep*gauge")


def _function(rng: np.random.Generator, document: dict) -> None:
    a, b = decimal(rng, 1, 5), decimal(rng, 0.1, 1)
    _push(document, "by_function", lambda s, v: -a * math.sin(s) - b * math.atan(v))


def _stop(rng: np.random.Generator, document: dict) -> None:
    """A hinge that rests on a stop, against which a spring presses it."""
    document["bodies"]["flap"] = {"mass": 1.0, "inertia": [0.1, 0.2, 0.25], "at": [1.5, 0.3, 0.2]}
    document["joints"]["flap_hinge"] = {"type": "revolute", "between": ["ground", "flap"], "at": [1.4, 0.3, 0.2],
                                        "axis": [0, 1, 0]}  # fmt: skip
    press = 500.0 if rng.random() < 0.5 else -500.0  # closed or open
    document.setdefault("forces", {})["press"] = {
        "type": "spring",
        "along": "flap_hinge",
        "k": 900,
        "free": -press / 900,
    }
    document.setdefault("drivers", {})["stop"] = {"measure": "flap_hinge", "motion": 0, "side": "above"}
    _hang_vane(rng, document)


def _hang_vane(rng: np.random.Generator, document: dict) -> None:
    """A vane on a ball joint, one of whose axes stays perpendicular to one of the flap: skeletons seldom draw that."""
    axis, at = direction(rng), [1.6, -0.4, 0.1]
    document["bodies"]["vane"] = {"mass": 0.7, "inertia": [0.1, 0.15, 0.2], "at": [1.6, -0.4, -0.2]}
    document["joints"]["vane_ball"] = {"type": "spherical", "between": ["ground", "vane"], "at": at}
    document["joints"]["square"] = {"type": "perpendicular", "between": ["flap", "vane"], "axis": numbers(axis),
                                    "axis2": numbers(perpendicular(rng, axis))}  # fmt: skip


SPECIAL: dict[str, Callable[[np.random.Generator, dict], None]] = {
    "moving frame": _frame, "implicit state": _implicit, "Python function": _function, "one-sided driver": _stop,
}  # fmt: skip
