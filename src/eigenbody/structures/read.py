"""Structures from files: numpy and scipy archives, Matrix Market, Nastran OUTPUT4 and punch files."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.structures.checks import check_structure
from eigenbody.structures.punch import Place, Punch, assembled, read_punch
from eigenbody.structures.structure import Structure

MASS = ("M", "MASS", "MAA", "MAAX", "MGG", "MXX", "M2GG", "M2PP")
STIFFNESS = ("K", "STIFFNESS", "KAA", "KAAX", "KGG", "KXX", "K2GG", "K2PP")
KEYS = ("file", "mass", "stiffness", "nodes")
BULK = (".pch", ".punch", ".bdf", ".dat")
INSTALL = "Install it with: pip install 'eigenbody[nastran]'."


@dataclass(frozen=True, slots=True, eq=False)
class _Nodes:
    names: tuple[str, ...]
    places: np.ndarray  # (n, 3)
    has: np.ndarray | None = None  # (n, 6) bool
    freedoms: np.ndarray | None = None  # (n, 6)


def read_structure(files: Mapping[str, Any], folder: Path = Path(), where: str = "flexible") -> Structure:
    """The structure in files, checked. The matrices are those of all nodes, before any reduction.

    `file` holds both matrices: .npz (M, K, nodes; optional `freedoms` (n, 6) or `dof`, and `names`), .op4, or DMIG in
    a punch file (.pch). Else `mass` and `stiffness` are one file each: .mtx, .npz of scipy.sparse, .op4 or .pch.
    `nodes` is a .csv with the columns x, y, z, optionally `name` and `freedoms` (such as 123 or 123456), or bulk data
    with GRID. `matrices` names M and K inside the files where these are not the usual names. Paths are relative to
    the folder. With `reduced` the matrices are Craig and Bampton's: rows without a node are amplitudes of modes.
    """
    paths = {key: _existing(folder / str(files[key]), where) for key in KEYS if files.get(key) is not None}
    _check_keys(paths, where)
    first, second = paths.get("file") or paths["mass"], paths.get("file") or paths["stiffness"]
    wanted = tuple((name,) for name in files["matrices"]) if files.get("matrices") else (MASS, STIFFNESS)
    read = _from_punch if first.suffix.lower() in BULK else _from_matrices
    structure = read((first, second), paths.get("nodes"), wanted, where)
    structure = replace(structure, is_reduced=bool(files.get("reduced", False)))
    check_structure(structure, where)
    return structure


def _check_keys(paths: Mapping[str, Path], where: str) -> None:
    given = [key for key in ("file", "mass", "stiffness") if key in paths]
    if given not in (["file"], ["mass", "stiffness"]):
        what = f"its matrices are given by {' and '.join(given) or 'nothing'}."
        raise InputError(Fault(where, what, "Give either `file`, or both `mass` and `stiffness`."))
    if given == ["mass", "stiffness"]:
        kinds = [paths[key].suffix.lower() in BULK for key in given]
        if kinds[0] != kinds[1]:
            raise InputError(Fault(where, "one of its matrices is in a punch file and the other is not."))


def _from_matrices(
    paths: tuple[Path, Path], nodes: Path | None, wanted: tuple[tuple[str, ...], ...], where: str
) -> Structure:
    """Rows of the matrices in the order of the nodes."""
    held = _contents(paths[0], where)
    M = _chosen(held, wanted[0], paths[0], where)
    K = _chosen(held if paths[1] == paths[0] else _contents(paths[1], where), wanted[1], paths[1], where)
    _check_square(M, K, where)
    listed = _archived_nodes(held, paths[0], where) if nodes is None else _listed_nodes(nodes, where)
    return _built(listed, M, K, where)


def _built(listed: _Nodes, M: Any, K: Any, where: str) -> Structure:
    if listed.freedoms is not None:
        return Structure(listed.names, listed.places, listed.freedoms, M, K)
    has = listed.has if listed.has is not None else _guessed(len(listed.names), M.shape[0], where)
    if has.sum() != M.shape[0]:
        what = f"the nodes have {has.sum()} freedoms but the matrices {M.shape[0]} rows."
        raise InputError(Fault(where, what, "Give the freedoms of each node."))
    freedoms = np.full(has.shape, -1)
    freedoms[has] = np.arange(M.shape[0])
    return Structure(listed.names, listed.places, freedoms, M, K)


def _guessed(nodes: int, rows: int, where: str) -> np.ndarray:
    """Three or six freedoms at each node, whichever fits."""
    if nodes and rows in (3 * nodes, 6 * nodes):
        return np.broadcast_to(np.arange(6) < rows // nodes, (nodes, 6))
    what = f"{nodes} nodes with 3 or 6 freedoms each do not make {rows} rows of the matrices."
    raise InputError(Fault(where, what, "Give the freedoms of each node, or check the list of nodes."))


def _check_square(M: Any, K: Any, where: str) -> None:
    for name, matrix in (("M", M), ("K", K)):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InputError(Fault(where, f"{name} has the shape {matrix.shape}, not square."))
    if M.shape != K.shape:
        raise InputError(Fault(where, f"M has the shape {M.shape} but K has {K.shape}."))


# ---------------------------------------------------------------- files


def _existing(path: str | Path, where: str) -> Path:
    path = Path(path)
    if os.path.isfile(path):  # also false where a path is too long or not allowed
        return path
    siblings = [p.name for p in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() and path.suffix else []
    raise InputError(Fault(where, f'there is no file "{path}".', suggest(path.name, siblings) if siblings else ""))


def _contents(path: Path, where: str) -> Mapping[str, Any]:
    """Arrays of a file by name; a file of one matrix has the name ""."""
    readers = {".npz": _npz, ".mtx": _mtx, ".op4": _op4}
    kind = path.suffix.lower()
    if kind not in readers:
        what = f'"{path.name}" is not of a kind that can be read.'
        raise InputError(Fault(where, what, f"Kinds: {', '.join([*readers, '.pch'])}."))
    try:
        return readers[kind](path)
    except ImportError as error:
        what = f'"{path.name}" is read by pyyeti, which is not installed.'
        raise InputError(Fault(where, what, INSTALL)) from error
    except (ValueError, OSError, KeyError, EOFError, IndexError, RuntimeError, TypeError) as error:
        detail = f"{type(error).__name__}: {error}"
        raise InputError(Fault(where, f'"{path.name}" cannot be read as {kind} ({detail}).')) from error


def _npz(path: Path) -> Mapping[str, Any]:
    from scipy.sparse import csc_array, load_npz

    with np.load(path, allow_pickle=False) as archive:
        if "format" in archive.files:
            return {"": csc_array(load_npz(path))}
        return {name: archive[name] for name in archive.files}


def _mtx(path: Path) -> Mapping[str, Any]:
    from scipy.io import mmread
    from scipy.sparse import csc_array

    return {"": csc_array(mmread(path))}


def _op4(path: Path) -> Mapping[str, Any]:
    from pyyeti.nastran import op4
    from scipy.sparse import csc_array

    return {name: csc_array(matrix) for name, matrix in op4.read(str(path), sparse=True).items()}


def _chosen(held: Mapping[str, Any], names: Iterable[str], path: Path, where: str) -> Any:
    """The matrix of the first of `names` that is there, or the only one."""
    by_name = {name.upper(): matrix for name, matrix in held.items()}
    names = [name.upper() for name in names]
    for name in names:
        if name in by_name:
            return _real(by_name[name], name, path, where)
    if len(held) == 1 and "" in held:
        return _real(held[""], "the matrix", path, where)
    what = f'"{path.name}" holds no {names[0]}.'
    raise InputError(Fault(where, what, f"It holds {', '.join(map(str, held)) or 'nothing'}."))


def _real(matrix: Any, name: str, path: Path, where: str) -> Any:
    numbers = matrix.dtype.kind in "fiu" or (matrix.dtype.kind == "c" and not np.any(matrix.imag != 0))
    if not numbers:
        raise InputError(Fault(where, f'{name} in "{path.name}" is not of real numbers ({matrix.dtype}).'))
    return matrix.real.astype(float)


# ---------------------------------------------------------------- nodes


def _archived_nodes(held: Mapping[str, Any], path: Path, where: str) -> _Nodes:
    if "nodes" not in held:
        raise InputError(Fault(where, f'"{path.name}" holds no places of nodes.', "Give them in a file of nodes."))
    places = np.asarray(held["nodes"])
    if places.ndim != 2 or places.shape[1] != 3 or places.dtype.kind not in "fiu":
        raise InputError(
            Fault(where, f'nodes in "{path.name}" have the shape {places.shape}; x, y, z of each are needed.')
        )
    names = [str(name) for name in held["names"]] if "names" in held else [str(i + 1) for i in range(len(places))]
    freedoms = np.asarray(held["freedoms"]).astype(int) if "freedoms" in held else None
    has = None
    if "dof" in held and freedoms is None:
        dof = int(held["dof"])
        if dof not in (3, 6):
            raise InputError(Fault(where, f'dof in "{path.name}" is {dof}.', "Nodes have 3 or 6."))
        has = np.broadcast_to(np.arange(6) < dof, (len(places), 6))
    return _Nodes(tuple(names), places.astype(float), has, freedoms)


def _listed_nodes(path: Path, where: str) -> _Nodes:
    if path.suffix.lower() == ".npz":
        return _archived_nodes(_contents(path, where), path, where)
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    if path.suffix.lower() in BULK:
        grids = read_punch(text, path.name, where).grids
        return _Nodes(tuple(map(str, grids)), np.array(list(grids.values())).reshape(-1, 3))
    return _csv_nodes(text, path, where)


def _csv_nodes(text: str, path: Path, where: str) -> _Nodes:
    rows = [row for row in csv.reader(text.splitlines()) if row and not row[0].lstrip().startswith("#")]
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    if not {"x", "y", "z"} <= set(header):
        raise InputError(
            Fault(where, f'"{path.name}" does not begin with the names of its columns.', "Begin: name,x,y,z")
        )
    column = {name: header.index(name) for name in header}
    names, places, has = [], [], []
    for number, row in enumerate(rows[1:], 1):
        try:
            places.append([float(row[column[axis]]) for axis in "xyz"])
            names.append(row[column["name"]].strip() if "name" in column else str(number))
            digits = row[column["freedoms"]].strip() if "freedoms" in column else ""
            has.append([str(k) in digits for k in range(1, 7)])
        except (ValueError, IndexError) as error:
            raise InputError(Fault(where, f'"{path.name}", node {number} cannot be read: {error}.')) from error
    freedoms = np.array(has, dtype=bool).reshape(-1, 6) if "freedoms" in column else None
    return _Nodes(tuple(names), np.array(places, dtype=float).reshape(-1, 3), freedoms)


# ---------------------------------------------------------------- punch


def _from_punch(
    paths: tuple[Path, Path], nodes: Path | None, wanted: tuple[tuple[str, ...], ...], where: str
) -> Structure:
    """Rows by number of node and component, scalar points last; nodes by GRID in the same files or by their list."""
    punch = Punch()
    for path in dict.fromkeys(paths):
        read_punch(path.read_text(encoding="utf-8", errors="replace"), path.name, where, punch)
    chosen = [_dmig(punch.matrices, names, path, where) for names, path in zip(wanted, paths, strict=True)]
    used = {place for name in chosen for pair in punch.matrices[name] for place in pair}
    grids = punch.grids
    if nodes is not None:
        listed = _listed_nodes(nodes, where)
        grids = {_node_number(name, where): tuple(at) for name, at in zip(listed.names, listed.places, strict=True)}
    missing = sorted({node for node, component in used if component and node not in grids})
    if missing:
        what = f'"{paths[0].name}" has entries of node {missing[0]}, whose place is not known.'
        raise InputError(Fault(where, what, "Give its GRID, or a file of nodes with its number as name."))
    order = sorted(used, key=lambda place: (place[1] == 0, place))
    places: dict[Place, int] = {place: row for row, place in enumerate(order)}
    present = sorted({node for node, component in used if component})
    freedoms = np.array([[places.get((node, c), -1) for c in range(1, 7)] for node in present]).reshape(-1, 6)
    M, K = (assembled(punch, name, places) for name in chosen)
    at = np.array([grids[node] for node in present], dtype=float).reshape(-1, 3)
    return Structure(tuple(map(str, present)), at, freedoms, M, K)


def _dmig(held: Mapping[str, Any], names: Iterable[str], path: Path, where: str) -> str:
    names = [name.upper() for name in names]
    found = [name for name in names if name in held]
    if not found:
        what = f'"{path.name}" holds no DMIG {names[0]}.'
        raise InputError(Fault(where, what, f"It holds {', '.join(held) or 'none'}."))
    return found[0]


def _node_number(name: str, where: str) -> int:
    try:
        return int(name)
    except ValueError as error:
        what = f'node "{name}" has no number as name, by which the punch file could mean it.'
        raise InputError(Fault(where, what)) from error
