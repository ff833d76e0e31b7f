"""Every element on one page with a picture, a formula, an example and its keys: docs/elements.md and its pictures.

Types and keys come from the registry, formulas and examples from scripts/elements.yaml, pictures from the examples.
After a change: ./run python scripts/elements.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from element_pictures import SHOWN, Picture, about, along, block, curve, floor, scene_picture, wheels

import eigenbody as eb
from eigenbody.analyses.drawing import scene_of
from eigenbody.analyses.drawing.elements import ends
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.vocabulary import Field, TypeSpec

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "elements.md"
PICTURES = ROOT / "docs" / "images" / "elements"
BASES = {"joints": "body", "couplings": "geared", "measures": "geared"}


@cache
def told() -> dict[str, Any]:
    """Formulas and examples by section and type."""
    return yaml.safe_load((ROOT / "scripts" / "elements.yaml").read_text(encoding="utf-8"))


SECTIONS: dict[str, tuple[str, str]] = {name: tuple(words) for name, words in told()["sections"].items()}


def elements() -> Iterator[tuple[str, TypeSpec]]:
    """All types of all sections, in the order of the page."""
    for section in SECTIONS:
        for spec in VOCABULARY.types(section).values():
            yield section, spec


def document(section: str, name: str) -> dict[str, Any]:
    """The example of an element as a whole model."""
    entry = told()[section][name]
    model = yaml.safe_load(told()["bases"][entry.get("base", BASES.get(section, "mechanism"))])
    own = yaml.safe_load(entry["example"])
    return model | {section: model.get(section, {}) | own, "operating_point": "reference"}


def example(section: str, name: str) -> Any:
    """The example of an element, read; files are those of the examples."""
    data = document(section, name)
    for entry in data.get("flexible", {}).values():
        if "file" in entry:
            entry["file"] = str(ROOT / "examples" / entry["file"])
    return eb.load(data)


# ---- pictures


def picture(section: str, name: str) -> str:
    """The SVG of an element."""
    title = f"{name or section.removesuffix('s')}"
    if (section, name) in SIGNS:
        return SIGNS[section, name]()
    model = example(section, name)
    point = eb.operating_point(model)
    scene = scene_of(point)
    chosen, entry = next(iter(yaml.safe_load(told()[section][name]["example"]).items()))
    drawn, size = scene_picture(scene, chosen if section == "forces" else ""), 0.42 * scene.size
    if section == "joints":
        _free_motions(drawn, point, name, size)
    elif name in TURNING:
        about(drawn, np.array([0.0, 0, 0.5]), np.array([0.0, 1, 0]), 0.7 * size)
    elif name in ("bushing", "bearing"):
        at = np.array(entry["at"], dtype=float)
        drawn.line(np.array([at, at]), SHOWN, 16, is_over=True)
    elif name in ("tyre", "wheel_rail"):
        floor(drawn, 2.5 * size)
    elif section in ("measures", "inputs", "outputs", "drivers"):
        _measured(drawn, name, entry, size)
    return drawn.svg(title)


def _free_motions(drawn: Picture, point: Any, name: str, size: float) -> None:
    joint = point.system.description.joints[-1]
    _, second, _, q, near, far = next(ends(point.system.places, [joint]))
    places = point.system.places
    at = np.real(places.r[second]) + np.real(places.R[second]) @ q
    axis = {"x": near[:, 0], "y": near[:, 1], "z": near[:, 2]}
    for free in JOINTS[name].free:
        if free.dimension == "m":
            along(drawn, at, axis.get(free.label, axis["z"]), size)
        else:
            ways = {"rx": axis["x"], "ry": axis["y"], "angle2": far[:, 0]}
            about(drawn, at, ways.get(free.label, axis["z"]), 0.55 * size)
    if name in ("inplane", "parallel", "perpendicular", "orientation", "rolling", "knife_edge", "distance"):
        _open_motions(drawn, name, at, axis, size)


def _open_motions(drawn: Picture, name: str, at: np.ndarray, axis: Mapping[str, np.ndarray], size: float) -> None:
    """Of joints without coordinates of their own."""
    moves = {"inplane": "xy", "parallel": "xyz", "perpendicular": "xyz", "orientation": "xyz", "knife_edge": "xy"}
    turns = {"inplane": "xyz", "parallel": "z", "perpendicular": "zx", "rolling": "xyz", "knife_edge": "xyz"}
    for key in moves.get(name, ""):
        along(drawn, at, axis[key], size)
    for key in turns.get(name, ""):
        about(drawn, at, axis[key], 0.55 * size)
    if name == "rolling":
        floor(drawn, 2.5 * size)
    if name == "distance":
        about(drawn, np.array([0, 0, 0.8]), np.array([0.0, 1, 0]), 0.5 * size)


def _measured(drawn: Picture, name: str, entry: Mapping[str, Any], size: float) -> None:
    """The arrow of a measure, an input or an output of the mechanism that all examples share."""
    if entry.get("at") is not None:
        drawn.arrow(np.array(entry["at"], dtype=float), 0.12)
    elif name in ("velocity", "") or "along" in entry or "measure" in entry:
        along(drawn, np.array([0.42, 0, 0]), np.array([1.0, 0, 0]), 0.8 * size, both=False)
    else:
        axis = np.array(entry.get("axis", [0, 1, 0]), dtype=float)
        about(drawn, np.array([0.3, 0, 0.5]), axis if name != "cosine" else np.array([0.0, 1, 0]), 0.6 * size)


LINE = np.linspace(0, 1, 120)
TURNING = ("rotational_damper", "dc_motor", "torque")
SIGNS = {
    ("couplings", "gear"): lambda: wheels([(85, 85, 50), (166, 85, 25)]),
    ("couplings", "worm"): lambda: wheels([(130, 62, 44)], thread=True),
    ("couplings", "rack"): lambda: wheels([(130, 75, 44)], rack=True),
    ("couplings", "screw"): lambda: block("x = p φ", "φ", "x"),
    ("couplings", "linear"): lambda: block("Σ a q = c", "", ""),
    ("couplings", "polynomial"): lambda: curve(np.polyval([-1.6, 2.2, 0.2], LINE), "q₂", "q₁"),
    ("couplings", "velocity"): lambda: block("Σ a(q) q′ = 0", "", ""),
    ("measures", "sum"): lambda: block("Σ a s + c", "s₁, s₂", "s"),
    ("states", ""): lambda: block("x′ = f(x, q, t)", "q", "x"),
    ("variables", ""): lambda: block("y = f(q, x, t)", "q, x", "y"),
    ("blocks", "transfer"): lambda: block("b(s) / a(s)"),
    ("blocks", "state_space"): lambda: block("A, B, C, D"),
    ("blocks", "pid"): lambda: block("P I D", "e", "y"),
    ("blocks", "filter"): lambda: curve(1 / np.hypot(1 - (3 * LINE) ** 2, 4.2 * LINE), "ω", "|y/u|"),
    ("blocks", "delay"): lambda: block("e⁻ˢᵀ"),
    ("forces", "friction"): lambda: curve(
        np.tanh(30 * LINE) * (0.7 + 0.3 * np.exp(-((3 * LINE) ** 2))) + 0.15 * LINE, "v", "f"
    ),
    ("forces", "one_sided"): lambda: curve(np.maximum(0, LINE - 0.4), "s", "f"),
    ("forces", "backlash"): lambda: curve(
        np.maximum(0, LINE - 0.7) - np.maximum(0, 0.3 - LINE) + 0.3, "s", "f"
    ),
    ("forces", "motor"): lambda: curve(1 - LINE, "v", "f"),
}  # fmt: skip


# ---- the page


def page() -> str:
    """The text of docs/elements.md."""
    links = (f"[{title}](#{title.lower().replace(' ', '-')})" for title, _ in SECTIONS.values())
    parts = [told()["head"] + "\n" + " · ".join(links) + "\n"]
    for section, (title, intro) in SECTIONS.items():
        types = list(VOCABULARY.types(section).values())
        common = _common(types)
        parts.append(f"\n## {title}\n\n{intro}\n")
        if common:
            parts.append(f"\nKeys of all of them:\n\n{_keys(common)}\n")
        parts += [_entry(section, spec, common) for spec in types]
    return "".join(parts)


def _common(types: list[TypeSpec]) -> list[Field]:
    """Keys that all types of a section have."""
    rest = [{field.name for field in spec.fields} for spec in types]
    return [field for field in types[0].fields if len(types) > 4 and all(field.name in names for names in rest)]


def _entry(section: str, spec: TypeSpec, common: list[Field]) -> str:
    entry, known = told()[section][spec.name], {field.name for field in common}
    own = [field for field in spec.fields if field.name not in known]
    first = spec.doc.split("\n\n")[0].replace("\n", " ").strip().rstrip(".")
    name = f"### {spec.name}\n\n" if spec.name else ""
    label = spec.name or section.removesuffix("s")
    lines = "\n".join(f"  {line}" for line in entry["example"].splitlines())
    words = first[:1].upper() + first[1:]
    keys = f"\n{_keys(own)}\n" if own else ""
    if spec.one_of:
        keys += "\n" + " ".join(f"Exactly one of {_listed(group)} must be given." for group in spec.one_of) + "\n"
    return (
        f"\n{name}![{label}](images/elements/{file_of(section, spec.name)})\n\n{words}.\n\n$${entry['formula']}$$\n\n"
        f"```yaml\n{section}:\n{lines}\n```\n{keys}"
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _keys(fields: list[Field]) -> str:
    rows = [
        f"| `{field.name}`{' (required)' if field.required else ''} | {_unit(field)} | {_meaning(field)} |"
        for field in fields
    ]
    return "\n".join(["| key | value | meaning |", "|---|---|---|", *rows])


def _unit(field: Field) -> str:
    kind = "any" if field.kind.value == "any" else field.kind.value.replace("_", " ")
    unit = field.dimension if isinstance(field.dimension, str) else ""
    if isinstance(field.dimension, Mapping):
        unit = " or ".join(dict.fromkeys(field.dimension.values()))
    choices = f": {' '.join(f'`{choice}`' for choice in field.choices)}" if field.choices else ""
    return f"{kind}{choices}{', ' + unit if unit not in ('', '1', 'coordinate') else ''}".replace("|", "\\|")


def _meaning(field: Field) -> str:
    default = (
        f" (default {field.default})" if field.default not in (None, "", ()) and "default" not in field.doc else ""
    )
    return f"{field.doc}{default}".replace("|", "\\|").strip()


def file_of(section: str, name: str) -> str:
    """The name of the picture."""
    return f"{section}-{name}.svg" if name else f"{section}.svg"


def main() -> None:
    """Write the page and its pictures."""
    PICTURES.mkdir(exist_ok=True)
    for section, spec in elements():
        (PICTURES / file_of(section, spec.name)).write_text(picture(section, spec.name), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
