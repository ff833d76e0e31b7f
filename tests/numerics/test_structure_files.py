"""Structures from files of every kind, and the faults that files have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import csc_array, save_npz

from eigenbody.base.errors import InputError
from eigenbody.spatial.rotations import skew
from eigenbody.structures.checks import check_first_frequency, check_structure
from eigenbody.structures.punch import read_punch
from eigenbody.structures.read import read_structure
from eigenbody.structures.reduction import reduce
from eigenbody.structures.structure import Structure

NAMES = ("11", "12", "13", "24")


@pytest.fixture
def frame() -> Structure:
    """Four nodes in space joined by members of some stiffness, a mass and an inertia at each."""
    nodes = np.random.default_rng(0).normal(size=(4, 3))
    M = np.diag(np.tile([2.0, 2.0, 2.0, 0.3, 0.4, 0.5], 4))
    K = members(nodes, ((0, 1), (1, 2), (2, 3), (0, 3)))
    return Structure(NAMES, nodes, np.arange(24).reshape(4, 6), M, K)


def members(nodes: np.ndarray, pairs: tuple[tuple[int, int], ...]) -> np.ndarray:
    """K of members between pairs of nodes with six freedoms."""
    rng = np.random.default_rng(1)
    K = np.zeros((6 * len(nodes), 6 * len(nodes)))
    for i, j in pairs:
        root = rng.normal(size=(6, 6))
        B = np.zeros((6, len(K)))
        B[:, 6 * i : 6 * i + 6], B[:, 6 * j : 6 * j + 6] = -np.eye(6), np.eye(6)
        B[:3, 6 * i + 3 : 6 * i + 6] = skew(nodes[j] - nodes[i])
        K += B.T @ root @ root.T @ B
    return (K + K.T) / 2


def nodes_csv(path: Path, structure: Structure) -> Path:
    rows = [
        f"{name},{x!r},{y!r},{z!r}" for name, (x, y, z) in zip(structure.names, structure.nodes.tolist(), strict=True)
    ]
    path.write_text("\n".join(["name,x,y,z", *rows]))
    return path


def same(found: Structure, given: Structure, rtol: float = 1e-14) -> None:
    assert found.names == given.names
    np.testing.assert_array_equal(found.freedoms, given.freedoms)
    np.testing.assert_allclose(found.nodes, given.nodes, rtol=rtol)
    for name in "MK":
        matrix = getattr(found, name)
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        np.testing.assert_allclose(dense, getattr(given, name), rtol=rtol, atol=rtol)


# ---------------------------------------------------------------- kinds of files


@pytest.mark.parametrize("extra", ["freedoms", "dof", "neither"])
def test_an_archive(extra: str, frame: Structure, tmp_path: Path) -> None:
    given: dict[str, Any] = {"freedoms": {"freedoms": frame.freedoms}, "dof": {"dof": 6}, "neither": {}}[extra]
    np.savez(tmp_path / "arm.npz", M=frame.M, K=frame.K, nodes=frame.nodes, names=np.array(NAMES), **given)
    same(read_structure({"file": "arm.npz"}, tmp_path), frame)


@pytest.mark.parametrize("kind", ["npz", "mtx"])
def test_one_file_for_each_matrix(kind: str, frame: Structure, tmp_path: Path) -> None:
    files = {}
    for name in "MK":
        files[name] = tmp_path / f"{name}.{kind}"
        matrix = csc_array(getattr(frame, name))
        if kind == "npz":
            save_npz(files[name], matrix)
        else:
            mmwrite(files[name], matrix, symmetry="symmetric", precision=17)
    nodes = nodes_csv(tmp_path / "nodes.csv", frame)
    same(read_structure({"mass": files["M"], "stiffness": files["K"], "nodes": nodes}), frame)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("sparse", ["dense", "bigmat", "nonbigmat"])
def test_output4(binary: bool, sparse: str, frame: Structure, tmp_path: Path) -> None:
    op4 = pytest.importorskip("pyyeti.nastran.op4")
    file = tmp_path / "arm.op4"
    op4.write(str(file), ["kgg", "mgg"], [frame.K, frame.M], binary=binary, sparse=sparse, digits=17)
    same(read_structure({"file": file, "nodes": nodes_csv(tmp_path / "nodes.csv", frame)}), frame, rtol=1e-13)


def large_field(name: str, matrix: np.ndarray, numbers: list[int]) -> str:
    """DMIG of the lower half as Nastran punches it."""
    lines = [f"DMIG    {name:<8}{0:8d}{6:8d}{2:8d}{0:8d}"]
    for column in range(len(matrix)):
        lines.append(f"DMIG*   {name:<16}{numbers[column // 6]:16d}{column % 6 + 1:16d}")
        for row in range(column, len(matrix)):
            if matrix[row, column]:
                value = f"{matrix[row, column]:.9E}".replace("E", "D")
                lines.append(f"*       {numbers[row // 6]:16d}{row % 6 + 1:16d}{value:>16}")
    return "\n".join(lines) + "\n"


def punched(structure: Structure) -> str:
    numbers = [int(name) for name in structure.names]
    grids = "".join(
        f"GRID*   {number:16d}{'':16}{x:16.9E}{y:16.9E}\n*       {z:16.9E}\n"
        for number, (x, y, z) in zip(numbers, structure.nodes.tolist(), strict=True)
    )
    return grids + large_field("KAAX", structure.K, numbers) + large_field("MAAX", structure.M, numbers)


def test_a_punch_file(frame: Structure, tmp_path: Path) -> None:
    (tmp_path / "arm.pch").write_text(punched(frame))
    same(read_structure({"file": "arm.pch"}, tmp_path), frame, rtol=2e-8)


def test_matrices_of_any_name_in_two_punch_files(frame: Structure, tmp_path: Path) -> None:
    text = punched(frame).replace("KAAX", "ONE ").replace("MAAX", "TWO ")
    half = text.index("DMIG    TWO")
    (tmp_path / "k.pch").write_text(text[:half])
    (tmp_path / "m.pch").write_text(text[half:])
    files = {"mass": "m.pch", "stiffness": "k.pch", "matrices": ("two", "one")}
    same(read_structure(files, tmp_path), frame, rtol=2e-8)
    with pytest.raises(InputError, match=r'"m\.pch" holds no DMIG M\. It holds'):
        read_structure({**files, "matrices": None}, tmp_path)


def test_a_punch_file_by_another_hand(frame: Structure, tmp_path: Path) -> None:
    pyyeti = pytest.importorskip("pyyeti.nastran")
    pandas = pytest.importorskip("pandas")
    index = pandas.MultiIndex.from_product([[int(name) for name in NAMES], range(1, 7)], names=["id", "dof"])
    frames = {name: pandas.DataFrame(getattr(frame, name), index=index, columns=index) for name in "MK"}
    pyyeti.wtdmig(str(tmp_path / "arm.pch"), frames)
    found = read_structure({"file": "arm.pch", "nodes": nodes_csv(tmp_path / "nodes.csv", frame)}, tmp_path)
    same(found, frame, rtol=1e-8)


SMALL = """$ a comment
GRID    1               0.      1.5     -2.+1
grid,2,,1.,2.,3.
DMIG    K       0       6       1       0
DMIG    K       1       1               1       1       4.
+       1       2       -1.5-1          2       1       7.D2
+       99      0       3.
DMIG,K,2,1,,2,1,5.
ENDDATA
"""


def test_fields_of_all_widths() -> None:
    punch = read_punch(SMALL, "small.pch", "here")
    assert punch.grids == {1: (0.0, 1.5, -20.0), 2: (1.0, 2.0, 3.0)}
    entries = {((1, 1), (1, 1)): 4.0, ((1, 2), (1, 1)): -0.15, ((2, 1), (1, 1)): 700.0, ((99, 0), (1, 1)): 3.0}
    assert punch.matrices == {"K": {**entries, ((2, 1), (2, 1)): 5.0}}
    assert punch.forms == {"K": 6}


def test_freedoms_of_each_node(frame: Structure, tmp_path: Path) -> None:
    """A node without rotations, hung on by springs, and a list without names."""
    arm = frame.nodes[3] - frame.nodes[2]
    B = np.zeros((3, 21))
    B[:, 12:15], B[:, 15:18], B[:, 18:] = -np.eye(3), skew(arm), np.eye(3)
    K = B.T @ B
    K[:18, :18] += members(frame.nodes[:3], ((0, 1), (1, 2)))
    save_npz(tmp_path / "M.npz", csc_array(frame.M[:21, :21]))
    save_npz(tmp_path / "K.npz", csc_array(K))
    rows = [f"{x!r},{y!r},{z!r},{'123' if i == 3 else '123456'}" for i, (x, y, z) in enumerate(frame.nodes.tolist())]
    (tmp_path / "nodes.csv").write_text("\n".join(["x,y,z,freedoms", *rows]))
    found = read_structure({"mass": "M.npz", "stiffness": "K.npz", "nodes": "nodes.csv"}, tmp_path)
    assert found.names == ("1", "2", "3", "4")
    assert found.freedoms[3].tolist() == [18, 19, 20, -1, -1, -1]
    assert reduce(found, [0], modes=3).modes == 3


# ---------------------------------------------------------------- faults of files


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "arms.npz").touch()
    with pytest.raises(InputError, match=r'there is no file ".*arm\.npz"\. Did you mean "arms\.npz"'):
        read_structure({"file": "arm.npz"}, tmp_path, "flexible.arm")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"K": np.eye(6), "nodes": np.zeros((1, 3))}, "holds no M. It holds K, nodes"),
        ({"M": np.eye(6), "K": np.eye(6)}, "holds no places of nodes"),
        ({"M": np.eye(6), "K": np.eye(6), "nodes": np.zeros(3)}, r"shape \(3,\)"),
        ({"M": np.eye(6), "K": np.eye(5), "nodes": np.zeros((1, 3))}, r"M has the shape \(6, 6\) but K has \(5, 5\)"),
        ({"M": np.ones((6, 5)), "K": np.eye(5), "nodes": np.zeros((1, 3))}, "not square"),
        ({"M": np.eye(7), "K": np.eye(7), "nodes": np.zeros((1, 3))}, "do not make 7 rows"),
        ({"M": np.eye(6), "K": np.eye(6), "nodes": np.zeros((1, 3)), "dof": 5}, "dof in .* is 5"),
        ({"M": np.eye(6), "K": np.eye(6), "nodes": np.zeros((1, 3)), "dof": 3}, "3 freedoms but the matrices 6 rows"),
        ({"M": np.array(["x"]), "K": np.eye(6), "nodes": np.zeros((1, 3))}, "not of real numbers"),
    ],
)
def test_archives_that_lack_something(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "arm.npz", **arrays)
    with pytest.raises(InputError, match=r"flexible\.arm: .*" + message):
        read_structure({"file": "arm.npz"}, tmp_path, "flexible.arm")


@pytest.mark.parametrize("name", ["arm.npz", "arm.mtx", "arm.op4", "arm.xyz"])
def test_files_that_hold_something_else(name: str, tmp_path: Path) -> None:
    if name == "arm.op4":
        pytest.importorskip("pyyeti")
    (tmp_path / name).write_text("this is a letter to a friend\n" * 9)
    with pytest.raises(InputError, match=f'"{name}" (cannot be read as|is not of a kind|holds no)'):
        read_structure({"file": name}, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DMIG    K       0       6       2       0\n", "holds no DMIG M. It holds K"),
        (SMALL + "DMIG,M,0,6,2,0\n", "entries of node"),
        ("DMIG,M,0,6,3,0\n", r"line 1: this DMIG entry cannot be read: it is complex"),
        ("GRID,1,7,1.,2.,3.\n", "not in basic coordinates"),
        ("\nDMIG,M,1,1,,1,1,four\n", "line 2: this DMIG entry cannot be read"),
    ],
)
def test_punch_files_that_lack_something(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "arm.pch").write_text(text.replace("grid,2,,1.,2.,3.\n", ""))
    with pytest.raises(InputError, match=message):
        read_structure({"file": "arm.pch"}, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,0,0,0\n", "does not begin with the names of its columns"),
        ("name,x,y,z\na,0,0,zero\n", "node 1 cannot be read"),
        ("name,x,y,z\na,0,0\n", "node 1 cannot be read"),
        ("name,x,y,z\na,0,0,0\n", "do not make 24 rows"),
    ],
)
def test_lists_of_nodes_that_lack_something(text: str, message: str, frame: Structure, tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(text)
    np.savez(tmp_path / "arm.npz", M=frame.M, K=frame.K)
    with pytest.raises(InputError, match=message):
        read_structure({"file": "arm.npz", "nodes": "nodes.csv"}, tmp_path)


def test_the_reader_of_output4_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arm.op4").touch()
    for name in [name for name in sys.modules if name.split(".")[0] == "pyyeti"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyyeti", None)
    with pytest.raises(InputError, match=r"not installed\. Install it with: pip install 'eigenbody\[nastran\]'"):
        read_structure({"file": "arm.op4"}, tmp_path)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["nodes"], "given by nothing"),
        (["mass"], "given by mass. Give either `file`, or both"),
        (["file", "mass"], "given by file and mass"),
    ],
)
def test_which_files_are_needed(keys: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "a.mtx").touch()
    with pytest.raises(InputError, match=message):
        read_structure(dict.fromkeys(keys, "a.mtx"), tmp_path)


# ---------------------------------------------------------------- matrices that cannot be right


def changed(structure: Structure, **entries: Callable[[np.ndarray], Any]) -> Structure:
    """A copy in which some arrays are changed in place."""
    copies: dict[str, Any] = {name: np.array(getattr(structure, name)) for name in entries}
    for name, change in entries.items():
        change(copies[name])
    return replace(structure, **copies)


def put(index: Any, value: Any) -> Callable[[np.ndarray], None]:
    return lambda array: array.__setitem__(index, value)


def faults(structure: Structure) -> str:
    with pytest.raises(InputError) as caught:
        check_structure(structure, "flexible.arm")
    assert all(fault.where == "flexible.arm" for fault in caught.value.faults)
    return str(caught.value)


def test_a_good_structure_has_no_faults(frame: Structure) -> None:
    check_structure(frame)
    check_structure(replace(frame, M=csc_array(frame.M), K=csc_array(frame.K)))


def test_sizes(frame: Structure) -> None:
    assert "M is 24 x 24 but K is 23 x 23" in faults(replace(frame, K=frame.K[1:, 1:]))
    assert "M is 23 x 24, not square" in faults(replace(frame, M=frame.M[1:]))
    assert "the number 24 but M has 24 rows" in faults(changed(frame, freedoms=put((2, 1), 24)))
    assert "row 3 of M is given to two freedoms" in faults(changed(frame, freedoms=put((2, 1), 3)))
    assert 'two nodes have the name "a"' in faults(replace(frame, names=("a", "a", "b", "c")))
    assert 'node "12" is at' in faults(changed(frame, nodes=put((1, 1), np.inf)))


def test_entries(frame: Structure) -> None:
    assert "M has nan at [1, 1] (uy of node 11; uy of node 11)" in faults(changed(frame, M=put((1, 1), np.nan)))
    text = faults(changed(frame, K=put((3, 8), frame.K[3, 8] * 1.001)))
    assert "K is not symmetric" in text
    assert "[3, 8] (rx of node 11; uz of node 12)" in text
    assert "K is not symmetric" in faults(replace(frame, K=csc_array(np.triu(frame.K))))
    check_structure(changed(frame, K=put((3, 8), frame.K[3, 8] * (1 + 1e-11))))


def test_definiteness(frame: Structure) -> None:
    assert "M is not positive semi-definite" in faults(changed(frame, M=put((4, 4), -0.4)))
    assert "K is not positive semi-definite" in faults(replace(frame, K=-frame.K))


def test_negative_energy_in_a_large_structure() -> None:
    """A long chain of nodes; one spring of the wrong sign among a thousand."""
    n = 900
    k = np.ones(n - 1)
    nodes = np.arange(n)[:, None] * np.array([1.0, 0.0, 0.0])
    freedoms = np.full((n, 6), -1)
    freedoms[:, 0] = np.arange(n)

    def chain(k: np.ndarray) -> Structure:
        K = np.diag(np.r_[k, 0] + np.r_[0, k]) - np.diag(k, 1) - np.diag(k, -1)
        return Structure(tuple(map(str, range(n))), nodes, freedoms, csc_array(np.eye(n)), csc_array(K))

    check_structure(chain(k))
    k[400] = -0.9
    assert "K is not positive semi-definite" in faults(chain(k))


def test_masses(frame: Structure) -> None:
    assert "its total mass is 0" in faults(replace(frame, M=0 * frame.M))
    text = faults(changed(frame, M=put((7, 7), 3.0)))
    assert "not the same in all directions: 8 along x, 9 along y, 8 along z" in text


@pytest.mark.parametrize(("row", "motions"), [(0, ["moving along x"]), (5, ["turning about z"])])
def test_a_support_left_in(row: int, motions: list[str], frame: Structure) -> None:
    text = faults(changed(frame, K=put((row, row), frame.K[row, row] + 0.01)))
    for motion in motions:
        assert (
            f"{motion} as a rigid body strains it: a force remains at {('ux', '', '', '', '', 'rz')[row]} of node 11"
            in text
        )
    assert "check that no support is left in" in text


def test_nodes_in_other_units_than_the_matrices(frame: Structure) -> None:
    assert "turning about x as a rigid body strains it" in faults(replace(frame, nodes=frame.nodes * 1000))


def test_mass_that_belongs_to_no_node(frame: Structure) -> None:
    text = faults(changed(frame, freedoms=put((3, 5), -1)))
    assert "row 23 of M belongs to no node" in text


def test_a_frequency_that_cannot_be_right(frame: Structure) -> None:
    check_first_frequency(6e9, "here")
    with pytest.raises(InputError, match=r"first elastic frequency would be .* Hz\. Check the units"):
        reduce(replace(frame, K=frame.K * 1e24), [0], modes=2)
