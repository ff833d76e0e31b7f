"""Meshes as a page can carry them: few enough triangles, whole numbers of 16 bits, compressed."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.model.faults import Faults
from eigenbody.model.meshes import MeshError, NoReaderError, read_mesh
from eigenbody.spatial.polyhedra import like_rows, merged, spread

BUDGET = 200_000  # triangles of a page
STEPS = 65535  # of a coordinate across the box of a mesh
FINEST = 0.5  # of the edge at which two triangles for every square of the surface are as many as may be
COARSER = 1.2
THIN = 1e-4  # of the largest edge of a box: the least that another has


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles of one colour in metres: vertices (n, 3) about the middle of their box, faces (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """Edges of the box around it, (3,); none is zero, so that a sheet can be scaled to it."""
        edges = np.ptp(self.vertices, axis=0) if len(self.vertices) else np.zeros(3)
        return np.maximum(edges, THIN * edges.max())

    @property
    def area(self) -> float:
        """Of all triangles."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A surface, where its middle is in the axes of the file (scaled), and the colour that the file gives it."""

    surface: Surface
    middle: np.ndarray
    color: str


@dataclass(eq=False)
class MeshFiles:
    """The files that shapes name, each read once for each scale. A file that cannot be drawn is noted: it says nothing
    about numbers."""

    faults: Faults
    notes: list[str] = field(default_factory=list)
    missed: int = 0  # shapes that could not be had
    _read: dict[tuple[Path, tuple[float, ...]], tuple[Placed, ...]] = field(default_factory=dict)

    def surfaces(self, name: str, scale: np.ndarray, path: tuple[Any, ...]) -> tuple[Placed, ...]:
        """The surfaces of a file, one for each colour; none where it cannot be had."""
        allowed = Faults(self.faults.source)
        file = allowed.named_file(name, path)
        if file is None:
            self._miss(f"Not drawn: {allowed.found[0]}")
            return ()
        key = file, tuple(scale.tolist())
        if key not in self._read:
            try:
                self._read[key] = tuple(_placed(read_mesh(file).parts, scale))
            except NoReaderError as problem:
                self._miss(f"Meshes of this kind are not drawn: {problem}.")
                return ()
            except MeshError as problem:
                self._miss(f"Not drawn: {self.faults.source.where(path)}: {problem}.")
                return ()
        return self._read[key]

    def _miss(self, text: str) -> None:
        self.missed += 1
        if text not in self.notes:
            self.notes.append(text)


def _placed(parts: Sequence[Any], scale: np.ndarray) -> Iterator[Placed]:
    for part in parts:
        vertices = part.vertices[np.unique(part.faces)] * scale
        middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        faces = part.faces if np.prod(scale) > 0 else part.faces[:, ::-1]
        yield Placed(Surface(part.vertices * scale - middle, faces), middle, part.color)


def reduced(surfaces: Sequence[Surface], budget: int = BUDGET) -> tuple[list[Surface], float]:
    """The surfaces with no more triangles than the budget, all as fine as each other, and how far corners moved (m).

    Corners in the same cell of a cubic grid become one, triangles that collapse go; cells grow until it is enough.
    """
    kept = own = [Surface(*merged(s.vertices, s.faces, s.vertices + 0.0)) for s in surfaces]
    largest = max((float(s.size.max()) for s in own), default=0.0)
    cell, moved = FINEST * (2 * sum(s.area for s in own) / budget) ** 0.5, 0.0
    while sum(len(s.faces) for s in kept) > budget and cell < largest:
        coarser = [_coarser(s, cell) for s in own]
        kept, moved = [s for s, _ in coarser], max(way for _, way in coarser)
        cell *= COARSER
    return kept, moved


def _coarser(surface: Surface, cell: float) -> tuple[Surface, float]:
    """The surface with the corners of a cell made one, at their mean, and how far that moved them."""
    _, number = like_rows(np.floor(surface.vertices / cell))
    counts = np.bincount(number)
    mean = np.stack([np.bincount(number, surface.vertices[:, k]) / counts for k in range(3)], axis=1)
    moved = float(np.linalg.norm(mean[number] - surface.vertices, axis=1).max(initial=0.0))
    faces = spread(number[surface.faces])
    first, _ = like_rows(np.sort(faces, axis=1))  # sheets folded together are drawn once
    return Surface(mean, faces[first]), moved


def packed(surfaces: Sequence[Surface], boxes: Sequence[np.ndarray]) -> dict[str, Any]:
    """For the page: how many corners and triangles each has and its box (3,), and all of them as base64 of gzip.

    Of each surface come first the corners, (3, n) in steps of the box from -1/2 to 1/2, then the triangles (3, m), both
    as differences between neighbours, 16 and 32 bits, little-endian.
    """
    content, listed = [], []
    for surface, box in zip(surfaces, boxes, strict=True):
        used, faces = np.unique(surface.faces, return_inverse=True)
        faces = faces.reshape(-1, 3)
        faces = faces[np.argsort(faces.min(axis=1), kind="stable")]
        steps = np.clip(np.rint((surface.vertices[used] / box + 0.5) * STEPS), 0, STEPS).astype(np.int64)
        content += [_differences(steps, "<u2"), _differences(faces, "<u4")]
        listed.append({"corners": len(used), "triangles": len(faces), "box": [float(f"{e:.6g}") for e in box]})
    if not listed:
        return {"surfaces": [], "content": ""}
    squeezed = gzip.compress(b"".join(content), 9, mtime=0)
    return {"surfaces": listed, "content": base64.b64encode(squeezed).decode("ascii")}


def _differences(rows: np.ndarray, kind: str) -> bytes:
    """Columns of (n, 3) one after the other, each number less the one before it, modulo the size of the kind."""
    columns = np.ascontiguousarray(rows.T.astype(np.int64))
    columns[:, 1:] -= columns[:, :-1].copy()
    return columns.astype(np.dtype(kind)).tobytes()
