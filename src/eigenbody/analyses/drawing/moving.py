"""Modes as a scene that moves: the drawing of the mechanism, and one period of each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.drawing.scene import Scene, scene_of, xyzw
from eigenbody.analyses.drawing.solids import loft, unit_solid
from eigenbody.exchange.moving import Motion, Moving, Node, Triangles, Tube
from eigenbody.spatial.rotations import exp, frame, from_quaternion

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes

SHOWN = 0.16  # largest displacement that amplitude 1 shows, in sizes of the mechanism
TILT = 0.45  # largest rotation that amplitude 1 shows, in radians
FRAMES = 24  # of a period
MOST = 40  # modes
PALETTE = ("#4c78a8", "#e49444", "#59a14f", "#b07aa1", "#d1605e", "#5fa2a0", "#c9a227", "#8c6d5a")
COLORS = {"joint": "#47536a", "force": "#6c7a90", "ground": "#9aa5b5"}
REST = np.array([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1])


def scales(modes: Modes, count: int, scene: Scene) -> np.ndarray:
    """Factor (count,) that makes amplitude 1 of every mode well visible: nothing leaves the picture or turns over."""
    shapes = modes.motion[:count, scene.rows]
    moved = np.linalg.norm(shapes[..., :3], axis=-1)
    turned = np.linalg.norm(shapes[..., 3:], axis=-1)
    largest = np.maximum(moved, turned * scene.radii).max(axis=1, initial=0.0)
    bent = scene.bent.shapes(modes, count)
    thick = np.repeat([line.radius for line in scene.bent.lines], [len(line.nodes) for line in scene.bent.lines])
    twisted = np.linalg.norm(bent[..., 3:], axis=-1)
    moved = np.maximum(np.linalg.norm(bent[..., :3], axis=-1), twisted * thick)
    largest = np.maximum(largest, moved.max(axis=1, initial=0.0))
    factor = np.where(largest > 0, SHOWN * scene.size / np.where(largest > 0, largest, 1.0), 0.0)
    turn = np.maximum(turned.max(axis=1, initial=0.0), twisted.max(axis=1, initial=0.0)) * factor
    return factor * np.where(turn > TILT, TILT / np.where(turn > 0, turn, 1.0), 1.0)


def moving_modes(modes: Modes) -> Moving:
    """The mechanism at its operating point, and the lowest modes as motions about it, well visible."""
    scene = scene_of(modes.linear.point)
    count = min(len(modes), MOST)
    meshes: list[Triangles] = []
    known: dict[Any, int] = {}

    def mesh(key: Any, made: Triangles) -> int:
        if key not in known:
            known[key] = len(meshes)
            meshes.append(made)
        return known[key]

    nodes = [Node(body["name"], -1, -1, "", _pose(body["r"], body["q"])) for body in scene.bodies]
    index = {body["name"]: k for k, body in enumerate(scene.bodies)}
    for part in scene.parts:
        if part["layer"] != "marker":
            own = part["kind"] if part["kind"] != "mesh" else ("mesh", part["mesh"])
            made = _surface(scene, part["mesh"]) if part["kind"] == "mesh" else unit_solid(part["kind"])
            nodes.append(Node(part["title"], part["on"], mesh(own, made), _color(part, index),
                              _pose(part["p"], part["q"], part["s"])))  # fmt: skip
    first_link = len(nodes)
    r, R = _poses_at_rest(scene)
    links = _link_poses(scene, r[None], R[None])[0]
    for link, pose in zip(scene.links, links, strict=True):
        kind = "coil" if link["kind"] == "coil" else "rod"
        nodes.append(Node(link["title"], -1, mesh(kind, unit_solid(kind)), COLORS["force"], pose))
    tubes, vertex_of, arms = _tubes(scene, index)
    factor, bends = scales(modes, count, scene), scene.bent.shapes(modes, count)
    moved = np.concatenate((np.arange(len(scene.bodies)), np.arange(first_link, len(nodes))))
    phases = np.linspace(0, 2 * np.pi, FRAMES + 1)
    motions = []
    for k in range(count):
        shape = factor[k] * modes.motion[k, scene.rows]
        swing = np.real(shape * np.exp(1j * phases)[:, None, None])
        there, turned = r + swing[..., :3], exp(swing[..., 3:]) @ R
        bodies = np.concatenate((there, xyzw(turned), np.ones_like(there)), axis=-1)
        poses = np.concatenate((bodies, _link_poses(scene, there, turned)), axis=1)
        hz = float(modes.damped_frequency_hz[k])
        word = modes.kinds[k] if modes.kinds[k] != "oscillatory" else f"{hz:.6g} Hz"
        own = tuple(factor[k] * (bends[k, at, :3] + np.cross(bends[k, at, 3:], arm))
                    for at, arm in zip(vertex_of, arms, strict=True))  # fmt: skip
        motions.append(Motion(f"mode {k + 1}: {word}", hz, phases, moved, poses, own))
    return Moving(modes.linear.point.model.name, scene.up, tuple(meshes), tuple(nodes), tubes, tuple(motions))


def _pose(p: Any, q: Any = (0, 0, 0, 1), s: Any = (1, 1, 1)) -> np.ndarray:
    turned = np.asarray(q, dtype=float)
    return np.concatenate((np.asarray(p, dtype=float), turned / np.linalg.norm(turned), np.asarray(s, dtype=float)))


def _color(part: dict[str, Any], index: dict[str, int]) -> str:
    if part.get("color"):
        return _hexadecimal(part["color"])
    if part["layer"] == "body":
        return PALETTE[index.get(part["name"], 0) % len(PALETTE)]
    return COLORS.get(part["layer"], COLORS["joint"])


def _hexadecimal(color: str) -> str:
    from matplotlib.colors import to_hex

    try:
        return to_hex(color)
    except ValueError:
        return PALETTE[0]


def _surface(scene: Scene, number: int) -> Triangles:
    """A mesh in a box of edges 1."""
    surface = scene.surfaces[number]
    return Triangles(surface.vertices / surface.size, surface.faces)


def _poses_at_rest(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """(bodies, 3) and (bodies, 3, 3)."""
    r = np.array([body["r"] for body in scene.bodies]).reshape(-1, 3)
    q = np.array([body["q"] for body in scene.bodies]).reshape(-1, 4)
    return r, np.real(from_quaternion(q[:, [3, 0, 1, 2]])).reshape(-1, 3, 3)


def _link_poses(scene: Scene, r: np.ndarray, R: np.ndarray) -> np.ndarray:
    """(frames, links, 10) of what stretches between two points, at poses of the bodies (frames, bodies, ...)."""
    out = np.tile(REST, (len(r), len(scene.links), 1))
    for k, link in enumerate(scene.links):
        a, b = (_points(r, R, link[on], np.array(link[at])) for on, at in (("a", "p"), ("b", "q")))
        along = b - a
        length = np.maximum(np.linalg.norm(along, axis=-1), 1e-12 * scene.size)
        z = np.where((np.linalg.norm(along, axis=-1) > 0)[:, None], along, [0.0, 0.0, 1.0])
        out[:, k, :3] = a
        out[:, k, 3:7] = np.array([xyzw(np.real(frame(direction))) for direction in z])
        out[:, k, 7:9], out[:, k, 9] = link["radius"], length
    return out


def _points(r: np.ndarray, R: np.ndarray, on: int, at: np.ndarray) -> np.ndarray:
    """(frames, 3) where a point of a body is; -1: it stands still."""
    return np.broadcast_to(at, (len(r), 3)) if on < 0 else r[:, on] + R[:, on] @ at


def _tubes(scene: Scene, index: dict[str, int]) -> tuple[tuple[Tube, ...], list[np.ndarray], list[np.ndarray]]:
    """Flexible bodies; vertices of their lines that the vertices of the tubes belong to, and their arms from there."""
    tubes, vertex_of, arms, first = [], [], [], 0
    for line in scene.bent.document():
        points = np.array(line["points"]).reshape(-1, 3)
        color = PALETTE[index.get(line["name"], 0) % len(PALETTE)]
        if line["isLine"] and len(points) > 1:
            mesh, at, arm = loft(points, np.array(line["sections"]).reshape(-1, 2, 2, 3), line["isRound"])
        else:
            ball = unit_solid("sphere")
            n = len(ball.vertices)
            vertices = (points[:, None] + line["radius"] * ball.vertices).reshape(-1, 3)
            faces = (n * np.arange(len(points))[:, None, None] + ball.faces).reshape(-1, 3)
            mesh, at = Triangles(vertices, faces), np.repeat(np.arange(len(points)), n)
            arm = np.zeros((len(at), 3))
        tubes.append(Tube(line["title"], color, mesh))
        vertex_of.append(first + at)
        arms.append(arm)
        first += len(points)
    return tuple(tubes), vertex_of, arms
