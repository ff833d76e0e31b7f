"""Small pictures of elements as SVG: the drawing of an example as the report has it, with its free motions as arrows;
signs for what has no place in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from eigenbody.analyses.drawing import Scene
from eigenbody.analyses.drawing.solids import loft
from eigenbody.spatial.rotations import frame, from_quaternion

WIDE, HIGH, MARGIN = 260, 170, 16
INK, BODY, STEEL, GROUND, ACCENT, SHOWN = "#3a4660", "#8fb0d8", "#6c7a90", "#b3bdcb", "#d9601f", "#3f9d58"
TURN, RISE = 0.6, 0.38  # from where it is seen: about the vertical, and above
RIGHT = np.array([math.cos(TURN), math.sin(TURN), 0.0])
AHEAD = np.array([-math.sin(TURN) * math.cos(RISE), math.cos(TURN) * math.cos(RISE), -math.sin(RISE)])
UP = np.cross(RIGHT, AHEAD)
LIGHT = np.array([-0.3, -0.75, 0.6])
ROUND = 2 * np.pi * np.arange(24) / 24


@dataclass
class Picture:
    """Polygons and lines in space, seen from one side."""

    shapes: list[tuple[float, np.ndarray, dict[str, str]]] = field(default_factory=list)  # depth, points (n, 3), style
    over: list[tuple[float, np.ndarray, dict[str, str]]] = field(default_factory=list)  # drawn last

    def face(self, points: np.ndarray, color: str, is_edged: bool = True) -> None:
        """A flat polygon (n, 3), where its front is seen; lit by its direction."""
        normal = np.cross(points[1] - points[0], points[2] - points[0])
        size = np.linalg.norm(normal)
        if size > 0 and normal @ AHEAD < 0:
            light = 0.62 + 0.38 * max(0.0, float(normal @ LIGHT / size))
            edge = shaded(color, 0.6) if is_edged else shaded(color, light)
            style = {"fill": shaded(color, light), "stroke": edge, "stroke-width": "0.6", "stroke-linejoin": "round"}
            self.shapes.append((float(points.mean(axis=0) @ AHEAD), points, style))

    def solid(self, rings: Sequence[np.ndarray], color: str) -> None:
        """Between rings of equally many corners (k, n, 3), closed at both ends."""
        for a, b in pairwise(rings):
            for i in range(len(a)):
                j = (i + 1) % len(a)
                self.face(np.array([a[i], a[j], b[j], b[i]]), color, len(a) <= 4)
        self.face(rings[0][::-1], color)
        self.face(rings[-1], color)

    def line(self, points: np.ndarray, color: str, width: float, is_over: bool = False, **style: str) -> None:
        """A line through points (n, 3); over everything else if wanted."""
        own = {"fill": "none", "stroke": color, "stroke-width": f"{width:g}", "stroke-linecap": "round"} | style
        (self.over if is_over else self.shapes).append((float(points.mean(axis=0) @ AHEAD), points, own))

    def arrow(self, points: np.ndarray, size: float, both: bool = True) -> None:
        """A motion along points (n, 3): heads at its end, or at both."""
        self.line(points, ACCENT, 2.2, is_over=True)
        ends = [(points[-1], points[-1] - points[-2])] + ([(points[0], points[0] - points[1])] if both else [])
        for tip, along in ends:
            flat = np.array([along @ RIGHT, along @ UP])
            if np.linalg.norm(flat) < 1e-9:
                continue
            flat /= np.linalg.norm(flat)
            side = np.array([-flat[1], flat[0]])
            wings = [tip - size * ((flat + s * 0.5 * side) @ np.array([RIGHT, UP])) for s in (1, -1)]
            self.over.append((0.0, np.array([wings[0], tip, wings[1]]), {"fill": ACCENT, "stroke": ACCENT}))

    def svg(self, title: str) -> str:
        """The picture, as large as the frame allows."""
        every = sorted(self.shapes, key=lambda item: -item[0]) + self.over
        points = np.concatenate([item[1] for item in every])
        flat = np.column_stack((points @ RIGHT, -(points @ UP)))
        low, high = flat.min(axis=0), flat.max(axis=0)
        scale = float(((np.array([WIDE, HIGH]) - 2 * MARGIN) / np.maximum(high - low, 1e-9)).min())
        shift = np.array([WIDE, HIGH]) / 2 - scale * (low + high) / 2
        parts = []
        for _, own, style in every:
            where = scale * np.column_stack((own @ RIGHT, -(own @ UP))) + shift
            tag = "polyline" if style["fill"] == "none" else "polygon"
            text = " ".join(f"{x:.1f},{y:.1f}" for x, y in where)
            parts.append(f'<{tag} points="{text}" {attributes(style)}/>')
        return framed(parts, title)


def attributes(style: dict[str, str]) -> str:
    """As SVG has them."""
    return " ".join(f'{key}="{value}"' for key, value in style.items())


def framed(parts: Sequence[str], title: str) -> str:
    """A whole picture."""
    body, size = "\n".join(parts), f'viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{WIDE}" height="{HIGH}" rx="8" fill="#f6f8fb"/>\n{body}\n</svg>\n'
    )


def shaded(color: str, light: float) -> str:
    """The colour (#rrggbb) times a factor."""
    return "#" + "".join(f"{min(255, round(light * int(color[k : k + 2], 16))):02x}" for k in (1, 3, 5))


# ---- the drawing of a mechanism


def scene_picture(scene: Scene, chosen: str = "") -> Picture:
    """What the report draws, without markers; a force element that is chosen in a colour of its own."""
    picture = Picture()
    r = np.array([body["r"] for body in scene.bodies]).reshape(-1, 3)
    q = np.array([body["q"] for body in scene.bodies]).reshape(-1, 4)
    R = np.real(from_quaternion(q[:, [3, 0, 1, 2]])).reshape(-1, 3, 3)
    world = lambda on, p: np.asarray(p) if on < 0 else r[on] + np.asarray(p) @ R[on].T  # noqa: E731
    colors = {"body": BODY, "joint": INK, "force": STEEL, "ground": GROUND}
    for part in scene.parts:
        if part["layer"] in colors and not part.get("mark"):
            x, y, z, w = part["q"]
            turn = np.real(from_quaternion(np.array([w, x, y, z])))
            local = lambda p, part=part, turn=turn: world(part["on"], part["p"] + (p * part["s"]) @ turn.T)  # noqa: E731
            color = part.get("color") or colors[part["layer"]]
            _part(picture, part["kind"], local, SHOWN if part["name"] == chosen and part["layer"] == "force" else color)
    for link in scene.links:
        color = SHOWN if link["name"] == chosen else STEEL
        _link(picture, link, (world(link["a"], link["p"]), world(link["b"], link["q"])), R, color)
    for line in scene.bent.document():
        points = np.array(line["points"])
        if line["isLine"]:
            mesh, _, _ = loft(points, np.array(line["sections"]).reshape(-1, 2, 2, 3), line["isRound"])
            for triangle in mesh.faces:
                picture.face(mesh.vertices[triangle], BODY, is_edged=False)
        else:
            for point in points:
                picture.line(np.array([point, point]), STEEL, 2.5)
    return picture


def _part(picture: Picture, kind: str, local: Any, color: str) -> None:
    circle = np.column_stack((np.cos(ROUND), np.sin(ROUND), 0 * ROUND))
    z = np.array([0.0, 0, 1])
    if kind == "box":
        square = 0.5 * np.array([[1.0, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
        picture.solid([local(square - 0.5 * z), local(square + 0.5 * z)], color)
    elif kind == "cylinder":
        picture.solid([local(circle - 0.5 * z), local(circle + 0.5 * z)], color)
    elif kind == "cone":
        picture.solid([local(circle - 0.5 * z), local(0.01 * circle + 0.5 * z)], color)
    elif kind == "sphere":
        tall = np.linspace(-0.999, 0.999, 9)
        picture.solid([local(math.sqrt(1 - t * t) * circle + t * z) for t in tall], color)
    elif kind == "ring":
        ring = local(np.concatenate((circle, circle[:1])))
        picture.line(ring, shaded(color, 0.8), 5)


def _link(
    picture: Picture, link: dict[str, Any], ends: tuple[np.ndarray, np.ndarray], R: np.ndarray, color: str
) -> None:
    a, b = ends
    long = float(np.linalg.norm(b - a))
    if not long:
        return
    axes = frame(b - a)
    if link["kind"] == "coil":
        t = np.linspace(0, 1, 161)
        size = 1.3 * link["radius"] * np.minimum(1, np.minimum(t, 1 - t) / 0.06)
        around = np.column_stack((size * np.cos(50 * t), size * np.sin(50 * t), long * t))
        path = a + around @ axes.T
        for k in range(0, 160, 4):
            picture.line(path[k : k + 5], color, 2)
    elif link["kind"] == "damper":
        for start, end, thick in ((0, 0.55, 1.0), (0.5, 1, 0.45)):
            ring = thick * link["radius"] * np.column_stack((np.cos(ROUND), np.sin(ROUND), 0 * ROUND)) @ axes.T
            picture.solid([a + start * (b - a) + ring, a + end * (b - a) + ring], color)
    elif link["kind"] == "beam":
        half = np.array(link["section"]).reshape(2, 3)
        half = half if link["a"] < 0 else half @ R[link["a"]].T
        mesh, _, _ = loft(np.array([a, b]), np.array([[half, half]]), False)
        for triangle in mesh.faces:
            picture.face(mesh.vertices[triangle], color, is_edged=False)
    else:
        picture.line(np.array([a, b]), color, 4)


def along(picture: Picture, at: np.ndarray, axis: np.ndarray, size: float, both: bool = True) -> None:
    """A displacement along an axis through a point."""
    picture.arrow(at + np.outer((-size if both else 0.0, size), axis), 0.28 * size, both)


def about(picture: Picture, at: np.ndarray, axis: np.ndarray, size: float) -> None:
    """A rotation about an axis through a point."""
    axes, turn = frame(axis), np.linspace(-0.2, 4.2, 30)
    arc = at + size * np.column_stack((np.cos(turn), np.sin(turn), 0 * turn)) @ axes.T
    picture.arrow(arc, 0.4 * size, both=False)


def floor(picture: Picture, size: float) -> None:
    """The plane z = 0."""
    corners = size * np.array([[-1.0, -0.7, 0], [1, -0.7, 0], [1, 0.7, 0], [-1, 0.7, 0]])
    picture.shapes.append((1e9, corners, {"fill": "#e2e7ee", "stroke": GROUND, "stroke-width": "1"}))


# ---- signs


def block(words: str, into: str = "u", out: str = "y") -> str:
    """A box with what it does, between its signals."""
    text = f'font-family="sans-serif" text-anchor="middle" fill="{INK}"'
    box = f'<rect x="65" y="50" width="130" height="70" rx="6" fill="#fff" stroke="{INK}" stroke-width="1.8"/>'
    size = 20 if len(words) < 12 else 15
    parts = [box, f'<text x="130" y="{85 + size / 3:.0f}" font-size="{size}" {text}>{escape(words)}</text>']
    for start, end, name in ((10, 65, into), (195, 250, out)):
        if name:
            middle = (start + end) / 2 - 3
            parts.append(f'<path d="M{start} 85H{end - 9}" stroke="{ACCENT}" stroke-width="2.2"/>')
            parts.append(f'<path d="M{end} 85l-11 -6v12z" fill="{ACCENT}"/>')
            parts.append(f'<text x="{middle:.0f}" y="74" font-size="15" {text}>{escape(name)}</text>')
    return framed(parts, words)


def wheels(radii: Sequence[tuple[float, float, float]], rack: bool = False, thread: bool = False) -> str:
    """Toothed wheels (x, y, radius), a rack below them, or a thread."""
    parts = []
    for x, y, radius in radii:
        teeth = 2 * math.pi * radius / round(2 * math.pi * radius / 10) / 2
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{BODY}" stroke="{INK}" stroke-width="1.5"/>'
                     f'<circle cx="{x}" cy="{y}" r="{radius + 2.5}" fill="none" stroke="{INK}" stroke-width="5"'
                     f' stroke-dasharray="{teeth:.3f}"/><circle cx="{x}" cy="{y}" r="5" fill="{INK}"/>')  # fmt: skip
        size = 0.6 * radius
        arc = f"M{x - size:.1f} {y}a{size:.1f} {size:.1f} 0 0 1 {2 * size:.1f} 0"
        parts.append(f'<path d="{arc}" fill="none" stroke="{ACCENT}" stroke-width="2.2"/>')
        parts.append(f'<path d="M{x + size:.1f} {y + 4}l-6 -10h12z" fill="{ACCENT}"/>')
    if rack:
        parts.append(f'<rect x="20" y="127" width="220" height="14" fill="{STEEL}"/>'
                     f'<path d="M20 125H240" stroke="{INK}" stroke-width="5" stroke-dasharray="5"/>'
                     f'<path d="M160 155H225" stroke="{ACCENT}" stroke-width="2.2"/>'
                     f'<path d="M237 155l-12 -6v12z" fill="{ACCENT}"/>')  # fmt: skip
    if thread:
        turns = "".join(f'<path d="M{30 + 14 * k} 110l14 40" stroke="{INK}" stroke-width="2.5"/>' for k in range(14))
        parts.append(f'<rect x="26" y="112" width="208" height="36" rx="4" fill="{STEEL}"/>{turns}')
    return framed(parts, "toothed wheels" if not thread else "a wheel on a thread")


def curve(values: np.ndarray, x: str, y: str) -> str:
    """A curve with named axes."""
    t = np.linspace(0, 1, len(values))
    top = float(np.abs(values).max())
    points = " ".join(f"{45 + 185 * a:.1f},{135 - 105 * b / top:.1f}" for a, b in zip(t, values, strict=True))
    text = f'font-family="sans-serif" font-size="15" fill="{INK}"'
    return framed([
        f'<path d="M40 140H240M40 140V20" stroke="{INK}" stroke-width="1.5" fill="none"/>',
        f'<polyline points="{points}" fill="none" stroke="{ACCENT}" stroke-width="2.6"/>',
        f'<text x="236" y="159" text-anchor="end" {text}>{escape(x)}</text>',
        f'<text x="12" y="32" {text}>{escape(y)}</text>',
    ], f"{y} over {x}")  # fmt: skip
