"""Scenes that move as time series for ParaView: a collection (.pvd) of unstructured grids (.vtu) in a folder beside it.

Time counts motions and phases: 2.25 is the second motion after a quarter of its period.
"""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.moving import Motion, Moving

TRIANGLE = 5
TYPES = {"f8": "Float64", "i4": "Int32", "u1": "UInt8", "i8": "Int64"}
FILE = '<VTKFile type="{}" version="1.0" byte_order="LittleEndian" header_type="UInt32">'


def write_pvd(scene: Moving, path: Path) -> bytes:
    """The bytes of the collection, after the grids have been written to the folder `<name>_vtu` beside it."""
    folder = path.with_name(f"{path.stem}_vtu")
    lines = []
    try:
        folder.mkdir(exist_ok=True)
        for k, motion in enumerate(scene.motions, 1):
            for frame, phase in enumerate(motion.phases[:-1]):  # the last is the first
                name = f"mode_{k:03d}_{frame:02d}.vtu"
                (folder / name).write_bytes(grid(scene, motion, frame))
                time = k + float(phase) / (2 * np.pi)
                file = quoteattr(f"{folder.name}/{name}")
                lines.append(f'    <DataSet timestep="{time:.10g}" group="" part="0" file={file}/>')
    except OSError as problem:
        raise InputError(Fault(str(folder), f"the files cannot be written: {problem.strerror}.")) from problem
    body = [FILE.format("Collection"), "  <Collection>", *lines, "  </Collection>", "</VTKFile>", ""]
    return "\n".join(['<?xml version="1.0"?>', *body]).encode()


def grid(scene: Moving, motion: Motion, frame: int) -> bytes:
    """One frame: triangles, how far each vertex is from rest, what each triangle belongs to."""
    points, (faces, owners) = scene.vertices(motion, frame), scene.faces
    moved = points - scene.vertices()
    names = [*(node.name for node in scene.nodes), *(tube.name for tube in scene.tubes)]
    ends = 3 * np.arange(1, len(faces) + 1)
    rows = [
        '<?xml version="1.0"?>',
        FILE.format("UnstructuredGrid"),
        "  <UnstructuredGrid>",
        "    <FieldData>",
        _array("frequency_hz", np.array([motion.hz]), tuples=1),
        _array("phase", np.array([motion.phases[frame]]), tuples=1),
        "    </FieldData>",
        f'    <Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(faces)}">',
        '      <PointData Vectors="displacement">',
        _array("displacement", moved),
        "      </PointData>",
        "      <CellData>",
        _array("body", owners.astype("i4")),
        "      </CellData>",
        "      <Points>",
        _array("Points", points),
        "      </Points>",
        "      <Cells>",
        _array("connectivity", faces.ravel().astype("i8")),
        _array("offsets", ends.astype("i8")),
        _array("types", np.full(len(faces), TRIANGLE, "u1")),
        "      </Cells>",
        "    </Piece>",
        "  </UnstructuredGrid>",
        "</VTKFile>",
        f"<!-- body: {', '.join(f'{k} {name}' for k, name in enumerate(names)).replace('--', '- -')} -->",
        "",
    ]
    return "\n".join(rows).encode()


def _array(name: str, values: np.ndarray, tuples: int | None = None) -> str:
    data = np.ascontiguousarray(values)
    data = data.astype(data.dtype.newbyteorder("<"))
    wide = f' NumberOfComponents="{data.shape[1]}"' if data.ndim == 2 else ""
    wide += f' NumberOfTuples="{tuples}"' if tuples else ""
    raw = data.tobytes()
    text = base64.b64encode(struct.pack("<I", len(raw)) + raw).decode("ascii")
    kind = TYPES[data.dtype.str[1:]]
    return f'        <DataArray type="{kind}" Name="{name}"{wide} format="binary">{text}</DataArray>'
