"""Scenes that move as binary glTF 2.0 (.glb): a node for each body, an animation for each motion.

Rigid bodies and springs move by translation, rotation and scale of their nodes; what bends by two morph targets for
each motion, the real and the imaginary part of its shape, with weights cos and -sin. Lengths are in metres; the first
node turns the vertical of the mechanism to the y axis, which is up in glTF.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.base.version import __version__
from eigenbody.exchange.moving import Motion, Moving, Triangles

PERIOD = 2.0  # seconds that one period is shown in; the name of an animation has the frequency
FLOAT, WHOLE = 5126, 5125  # component types: 32-bit float, unsigned 32-bit
VERTICES, INDICES = 34962, 34963  # what a view is bound to
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


def write_glb(scene: Moving, path: Path) -> bytes:
    """The bytes of the file."""
    file = _File()
    document = file.document(scene)
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    body = b"".join(file.parts)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(body), 0x004E4942) + body
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


class _File:
    """Collects numbers in the binary part, and what the text says about them."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def document(self, scene: Moving) -> dict[str, Any]:
        colors = list(dict.fromkeys([*(node.color for node in scene.nodes if node.mesh >= 0),
                                     *(tube.color for tube in scene.tubes)]))  # fmt: skip
        meshes, mesh_of = self._meshes(scene, colors)
        nodes: list[dict[str, Any]] = [{"name": scene.name, "rotation": _upright(scene.up), "children": []}]
        for node in scene.nodes:
            own: dict[str, Any] = {"name": node.name, **_pose(node.pose)}
            if node.mesh >= 0:
                own["mesh"] = mesh_of[node.mesh, node.color]
            nodes.append(own)
            nodes[node.parent + 1].setdefault("children", []).append(len(nodes) - 1)
        for k, tube in enumerate(scene.tubes):
            nodes[0]["children"].append(len(nodes))
            nodes.append({"name": tube.name, "mesh": len(mesh_of) + k})
        animations = [self._animation(scene, k) for k in range(len(scene.motions))]
        found = {
            "asset": {"version": "2.0", "generator": f"eigenbody {__version__}"},
            "scene": 0,
            "scenes": [{"name": scene.name, "nodes": [0]}],
            "nodes": nodes,
            "meshes": meshes,
            "materials": [_material(color) for color in colors],
            "animations": [a for a in animations if a["channels"]],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": self.size}],
        }
        return {key: value for key, value in found.items() if value != []}

    def _meshes(self, scene: Moving, colors: list[str]) -> tuple[list[dict[str, Any]], dict[tuple[int, str], int]]:
        """One mesh for each geometry in each colour, then one for each tube, with its morph targets."""
        geometry = [self._geometry(mesh) for mesh in scene.meshes]
        used = list(dict.fromkeys((node.mesh, node.color) for node in scene.nodes if node.mesh >= 0))
        found: list[dict[str, Any]] = [
            {"primitives": [{**geometry[k], "material": colors.index(color)}]} for k, color in used
        ]
        for k, tube in enumerate(scene.tubes):
            targets = [{"POSITION": self._floats(part, VERTICES, True)}
                       for m in scene.motions for part in (m.bends[k].real, m.bends[k].imag)]  # fmt: skip
            own = {**self._geometry(tube.mesh), "material": colors.index(tube.color)}
            more = {"weights": [0.0] * len(targets)} if targets else {}
            found.append({"primitives": [own | ({"targets": targets} if targets else {})], **more})
        return found, {key: i for i, key in enumerate(used)}

    def _geometry(self, mesh: Triangles) -> dict[str, Any]:
        indices = self._put(mesh.faces.astype("<u4").ravel(), WHOLE, INDICES, False)
        return {"attributes": {"POSITION": self._floats(mesh.vertices, VERTICES, True)}, "indices": indices}

    def _animation(self, scene: Moving, k: int) -> dict[str, Any]:
        """Channels of what moves at all."""
        motion = scene.motions[k]
        times = self._floats(PERIOD * motion.phases / (2 * np.pi), None, True)
        channels: list[dict[str, Any]] = []
        samplers: list[dict[str, Any]] = []

        def channel(node: int, path: str, values: np.ndarray) -> None:
            samplers.append({"input": times, "output": self._floats(values, None, False), "interpolation": "LINEAR"})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

        for i, node in enumerate(motion.moved):
            for name, part in (("translation", slice(0, 3)), ("rotation", slice(3, 7)), ("scale", slice(7, 10))):
                values = motion.poses[:, i, part]
                if not np.allclose(values, scene.nodes[node].pose[part], rtol=0, atol=1e-12):
                    channel(int(node) + 1, name, _steady(values) if name == "rotation" else values)
        for i in range(len(scene.tubes)):
            channel(len(scene.nodes) + 1 + i, "weights", _weights(motion, k, len(scene.motions)))
        return {"name": motion.name, "channels": channels, "samplers": samplers}

    # ---- numbers

    def _floats(self, values: np.ndarray, target: int | None, has_range: bool) -> int:
        return self._put(np.ascontiguousarray(values, dtype="<f4"), FLOAT, target, has_range)

    def _put(self, values: np.ndarray, kind: int, target: int | None, has_range: bool) -> int:
        """Number of the accessor of an array."""
        data = values.tobytes()
        self.parts.append(data)
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": len(data)} | (
            {"target": target} if target is not None else {}))  # fmt: skip
        self.size += len(data)
        own = {"bufferView": len(self.views) - 1, "componentType": kind, "count": len(values),
               "type": KINDS[values.shape[1] if values.ndim == 2 else 1]}  # fmt: skip
        if has_range:
            rows = values.reshape(len(values), -1)
            own |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.accessors.append(own)
        return len(self.accessors) - 1


def _weights(motion: Motion, k: int, count: int) -> np.ndarray:
    """(frames times targets,): cos and -sin for the two targets of this motion, zero for the others."""
    out = np.zeros((len(motion.phases), 2 * count))
    out[:, 2 * k], out[:, 2 * k + 1] = np.cos(motion.phases), -np.sin(motion.phases)
    return out.ravel()


def _steady(quaternions: np.ndarray) -> np.ndarray:
    """Signs that go on from frame to frame: of the two that mean the same rotation the nearer."""
    out = quaternions.copy()
    for k in range(1, len(out)):
        if out[k] @ out[k - 1] < 0:
            out[k] = -out[k]
    return out


def _pose(pose: np.ndarray) -> dict[str, list[float]]:
    values = [float(v) for v in pose]
    return {"translation": values[:3], "rotation": values[3:7], "scale": values[7:]}


def _upright(up: np.ndarray) -> list[float]:
    """Quaternion that turns `up` to the y axis, the short way; about x where it points down."""
    x, y, z = (float(v) for v in up)
    if y < -1 + 1e-9:
        return [1.0, 0.0, 0.0, 0.0]
    turned = np.array([-z, 0.0, x, 1 + y])
    return [float(v) for v in turned / np.linalg.norm(turned)]


def _material(color: str) -> dict[str, Any]:
    """Of a colour "#rrggbb", in linear light as glTF wants it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    look = {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.6}
    return {"name": color, "pbrMetallicRoughness": look, "doubleSided": True}
