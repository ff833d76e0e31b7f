"""Model documents damaged at random: keys, values, types, names, numbers, text."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from campaign import mechanism_cases, networks

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
LONG = {"flyball_governor", "active_suspension", "washing_machine", "actuated_linkage", "tractor_semitrailer",
        "conical_pendulum", "heavy_top", "helicopter_blade", "all_terrain_vehicle"}  # fmt: skip
"""Examples whose commands take a second: drawn a tenth as often."""
NUMBERS: list[Any] = [
    0, -0.0, 1, -1, 2, 1e-9, -1e-9, 1e9, 1e15, 1e-15, 1e100, 1e-100, 1e154, 1e308, -1e308, 1.8e308, 5e-324,
    2**31, 2**53 + 1, 2**64, -(2**64), 10**400, float("nan"), float("inf"), True, None,
]  # fmt: skip
STRINGS = [
    "", " ", "nan", "NaN", ".nan", "inf", "-.inf", "1e400", "1 furlong", "5 kg", "3 m", "1 Hz", "30 deg", "1e3 N/m",
    "1,5", "0x10", "1_000", "=", "=1/0", "=0/0", "=sqrt(-1)", "=log(0)", "=t", "=nothing", "=2*(", "=1e308*1e308",
    "=exp(1000)", "=pi" * 3, "=" + "(" * 200 + "1" + ")" * 200, "ground", "Ground", "x" * 5000,
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\nb", "a\tb", "\x00", "\x7f", "\x9b31m", "\u202etxt", "é", "日本", "😀",
    "../../etc/passwd", "[1, 2]", "{}", "a.b", "a'", "'", '"', "\\", "%s", "{0}", "[bold]b[/bold]", "[/]", "on",
    "null", "~",
]  # fmt: skip
JUNK = [
    "", "{", "]", ":", "\t", "\x00", "\x1b[2J", "&a *a", "- ", "!!python/object:os.system", "\ufeff", "\ud800", '"',
    "\n",
]  # fmt: skip
JOINT_TYPES = [
    "fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "screw", "free", "point",
    "inline", "inplane", "parallel", "perpendicular", "orientation", "distance", "rolling", "knife_edge",
]  # fmt: skip
FORCE_TYPES = ["spring", "bushing", "bearing", "force", "torque", "friction", "tyre", "expression", "one_sided"]
Path_ = tuple[Any, ...]


@cache
def examples() -> dict[str, dict[str, Any]]:
    """The examples as documents."""
    return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in EXAMPLES}


def base(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A sound document: an example, the smaller ones more often, or a random mechanism."""
    if rng.random() < 0.3:
        make = rng.choice([mechanism_cases.case, networks.case])
        kind, document, _ = make(0, rng.randint(0, 10**6))
        return kind, document
    weights = [(0.1 if path.stem in LONG else 1.0) / (500 + path.stat().st_size) for path in EXAMPLES]
    name = rng.choices([path.stem for path in EXAMPLES], weights)[0]
    return name, copy.deepcopy(examples()[name])


def mutant(rng: random.Random) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Name of the sound document, that document, and one with one to three faults."""
    name, sound = base(rng)
    damaged = copy.deepcopy(sound)
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
        mutation = rng.choices(list(MUTATIONS), list(MUTATIONS.values()))[0]
        mutation(damaged, rng)
        if not isinstance(damaged, dict) or not damaged:
            break
    return name, sound, damaged


def places(value: Any, here: Path_ = ()) -> list[Path_]:
    """Paths of all entries of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for key, entry in items:
        found += [(*here, key), *places(entry, (*here, key))]
    return found


def get(document: Any, path: Path_) -> Any:
    for key in path:
        document = document[key]
    return document


def put(document: Any, path: Path_, value: Any) -> None:
    get(document, path[:-1])[path[-1]] = value


def _some(document: Any, rng: random.Random, fits: Callable[[Any], bool] = lambda value: True) -> Path_ | None:
    fitting = [path for path in places(document) if fits(get(document, path))]
    return rng.choice(fitting) if fitting else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def delete(document: Any, rng: random.Random) -> None:
    if path := _some(document, rng):
        del get(document, path[:-1])[path[-1]]


def duplicate(document: Any, rng: random.Random) -> None:
    """The same entry once more: under another name, or a vector with one more component."""
    if path := _some(document, rng):
        owner, value = get(document, path[:-1]), copy.deepcopy(get(document, path))
        if isinstance(owner, list):
            owner.append(value)
        else:
            owner[f"{path[-1]}_2"] = value


def rename(document: Any, rng: random.Random) -> None:
    path = _some(document, rng)
    if path and isinstance(owner := get(document, path[:-1]), dict):
        others = [p[-1] for p in places(document) if isinstance(p[-1], str)]
        new = rng.choice([rng.choice(STRINGS), rng.choice(others), str(path[-1])[:-1], str(path[-1]).upper()])
        owner[new] = owner.pop(path[-1])


def swap(document: Any, rng: random.Random) -> None:
    a, b = _some(document, rng), _some(document, rng)
    if a and b and a[: len(b)] != b and b[: len(a)] != a:
        first, second = get(document, a), get(document, b)
        put(document, a, second)
        put(document, b, first)


def swap_names(document: Any, rng: random.Random) -> None:
    """A reference that leads to another body, joint, measure or parameter, or to nothing."""
    names = [path[-1] for path in places(document) if isinstance(path[-1], str)]
    path = _some(document, rng, lambda value: isinstance(value, str))
    if path and names:
        put(document, path, rng.choice([rng.choice(names), "nobody", "ground", f"{rng.choice(names)}.x"]))


def extreme_number(document: Any, rng: random.Random) -> None:
    if path := _some(document, rng, _is_number):
        put(document, path, rng.choice(NUMBERS))


def scaled_number(document: Any, rng: random.Random) -> None:
    if path := _some(document, rng, _is_number):
        factor = rng.choice([0, -1, 0.5, 2, 1e-3, 1e3, 1e-8, 1e8, 1 + 1e-9, 1e-16, 1e16])
        put(document, path, get(document, path) * factor)


def string_for_anything(document: Any, rng: random.Random) -> None:
    if path := _some(document, rng):
        put(document, path, rng.choice(STRINGS))


def wrong_type(document: Any, rng: random.Random) -> None:
    if path := _some(document, rng):
        value = get(document, path)
        others: list[Any] = [[value], {"x": value}, [], {}, None, True, 3, [[1, 2], [3]], [value, value], str(value)]
        put(document, path, copy.deepcopy(rng.choice(others)))


def other_type(document: Any, rng: random.Random) -> None:
    """Another type of joint or force, with the entries of the old one."""
    path = _some(document, rng, lambda value: isinstance(value, dict) and "type" in value)
    if path:
        put(document, (*path, "type"), rng.choice(JOINT_TYPES if path[0] == "joints" else FORCE_TYPES))


def wrong_unit(document: Any, rng: random.Random) -> None:
    if path := _some(document, rng, _is_number):
        unit = rng.choice(["m", "kg", "s", "N/m", "rad/s", "deg", "Hz", "mm", "N*m/rad", "furlong", "%", "degC", ""])
        put(document, path, f"{get(document, path)} {unit}")


def deep_nesting(document: Any, rng: random.Random) -> None:
    if path := _some(document, rng):
        value: Any = get(document, path)
        for _ in range(rng.choice([3, 50, 150])):
            value = [value] if rng.random() < 0.5 else {"x": value}
        put(document, path, value)


def another_entry(document: Any, rng: random.Random) -> None:
    """A key of the format where it may or may not belong."""
    _, other = base(rng)
    source, target = _some(other, rng), _some(document, rng, lambda value: isinstance(value, dict))
    if source and target:
        get(document, target)[source[-1]] = copy.deepcopy(get(other, source))


def another_section(document: Any, rng: random.Random) -> None:
    _, other = base(rng)
    if isinstance(document, dict) and other:
        key = rng.choice(list(other))
        document[key] = copy.deepcopy(other[key])


def operating_point(document: Any, rng: random.Random) -> None:
    if isinstance(document, dict):
        document["operating_point"] = copy.deepcopy(
            rng.choice(
                [
                    "equilibrium",
                    "steady",
                    "reference",
                    {"simulate": {"until": 0.01}},
                    {"equilibrium": {"which": "nearest"}},
                ]
            )
        )


MUTATIONS: dict[Callable[[Any, random.Random], None], int] = {
    delete: 3, duplicate: 2, rename: 1, swap: 1, swap_names: 2, extreme_number: 6, scaled_number: 14, other_type: 5,
    string_for_anything: 2, wrong_type: 1, wrong_unit: 1, deep_nesting: 1, another_entry: 1, another_section: 1,
    operating_point: 5,
}  # fmt: skip


def written(document: Any, rng: random.Random) -> tuple[str, str]:
    """File ending and text of a document: JSON or YAML, sometimes with damaged text."""
    if rng.random() < 0.7:
        ending, text = "json", json.dumps(document, default=str)
    else:
        ending, text = "yaml", yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10**6)
    if rng.random() < 0.08:
        at, size = rng.randrange(len(text)), rng.choice([0, 1, 3, 20])
        junk = rng.choice(JUNK)
        text = text[:at] + junk + text[at + size :]
    return ending, text
