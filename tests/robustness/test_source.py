"""Reading files: YAML 1.2, JSON and maps; everything that is not a model is refused with its place."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.source import read, read_text


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_text(text, "m.yaml")
    assert caught.value.faults
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True), ("False", False), ("on", "on"), ("off", "off"), ("yes", "yes"), ("no", "no"), ("n", "n"),
        ("1e4", 1e4), ("1.0e4", 1e4), ("1.e-2", 0.01), (".5", 0.5), ("-.5", -0.5), ("+3", 3), ("017", 17), ("0o17", 15),
        ("0x1F", 31), ("12:30", "12:30"), ("2026-11-15", "2026-11-15"), ("1_000", "1_000"), ("~", None), ("", None),
        ("null", None), ("'1'", "1"), ('"1e4"', "1e4"), ("=2*k", "=2*k"), ("1.5 mm", "1.5 mm"), ("!!str 1", "1"),
        ("!!float 1", 1), ("0b11", "0b11"), ("-", "-"), ("<<", "<<"),
    ],
)  # fmt: skip
def test_yaml_1_2_scalars(written: str, value: object) -> None:
    if written == "-":
        written = '"-"'
    result = read_text(f"a: {written}\n").data["a"]
    assert result == value
    assert type(result) is type(value)


def test_words_are_names() -> None:
    assert read_text("{}: 1".format("on") + "\nyes: {no: 2}\n").data == {"on": 1, "yes": {"no": 2}}


def test_json_equals_yaml_equals_map() -> None:
    data = {"eigenbody": 1, "bodies": {"a": {"mass": 1.5, "at": [0, 0, -1e-3], "shape": None}}, "flag": True}
    assert read_text(json.dumps(data)).data == data
    assert read_text("\ufeff \n" + json.dumps(data, indent=1)).data == data
    assert (
        read_text("eigenbody: 1\nbodies:\n  a: {mass: 1.5, at: [0, 0, -1e-3], shape: null}\nflag: true\n").data == data
    )
    assert read(data).data == data
    assert read(data).data is not data


def test_map_takes_arrays_and_tuples_and_keeps_complex() -> None:
    data = read({"a": np.array([1.0, 2.0]), "b": (np.float64(3.0), np.int64(4)), "c": 1 + 2j}).data
    assert data == {"a": [1.0, 2.0], "b": [3.0, 4], "c": 1 + 2j}
    assert type(data["b"][0]) is float
    assert type(data["b"][1]) is int


def test_place_of_items(tmp_path: Path) -> None:
    file = tmp_path / "rotor.yaml"
    file.write_text("eigenbody: 1\njoints:\n  a: {type: x}\n  b:\n    type: y\n    axis: [0,\n      0, 1]\n")
    source = read(file)
    assert source.where(("joints", "b", "axis")) == "joints.b.axis (rotor.yaml, line 6)"
    assert source.where(("joints", "b", "axis", 1)) == "joints.b.axis[1] (rotor.yaml, line 7)"
    assert source.where(("joints", "a")) == "joints.a (rotor.yaml, line 3)"
    assert source.where(("joints", "b", "missing")) == "joints.b.missing (rotor.yaml, line 4)"
    assert source.where(("nothing",)) == "nothing (rotor.yaml)"
    assert source.where(()) == "rotor.yaml"
    assert source.name == "rotor"
    assert read({"a": 1}).where(("joints", "b", "k", 3)) == "joints.b.k[3]"


def test_place_of_items_in_json() -> None:
    source = read_text('{\n "joints": {\n\t"b": {"axis":\n [0, 0, 1]}}}', "m.json")
    assert source.where(("joints", "b", "axis")) == "joints.b.axis (m.json, line 3)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", ['"a"', "second time", "line 3"]),
        ('{"a": 1, "b": {"c": 1,\n "c": 2}}', ['"c"', "second time", "line 2"]),
        ("bodies:\n  1: {}\n  true: {}\n", ["line 2", "'1'", "line 3", "'true'", "quotes"]),
        ("? [a, b]\n: 1\n", ["key", "line 1"]),
        ("a: [1, 2\nb: 3\n", ["syntax", "line 2"]),
        ("a:\n\t- 1\n", ["syntax", "line 2"]),
        ('{"a": 1,}', ["JSON", "line 1, column"]),
        ("{a: 1}", ["JSON"]),
        ("", ["empty"]),
        ("# only a comment\n", ["empty"]),
        ("---\n", ["empty"]),
        ("- 1\n- 2\n", ["a list"]),
        ("hello\n", ["hello"]),
        ("a: 1\n---\nb: 2\n", ["one YAML document", "line 2"]),
        ("a: !!python/object/apply:os.system [ls]\n", ["tag", "line 1"]),
        ("a: !thing 3\n", ["tag"]),
        ("a: !!int x\n", ["int"]),
        ("a: &x [*x]\n", ["itself", "line 1"]),
        ("a: *x\n", ["no anchor"]),
        ("a: \x00\n", ["not a text file"]),
        ("a: {<<: 3}\n", ["merge"]),
        ("[" * 10000 + "]" * 10000, ["nested deeper"]),
        ("a: " + "[" * 200 + "]" * 200, ["nested deeper"]),
        ("- " * 5000, ["nested deeper"]),
        ('{"a":' * 200 + "1" + "}" * 200, ["nested deeper"]),
        ('{"a":' * 100000 + "1" + "}" * 100000, ["nested deeper"]),
    ],
)
def test_refused_with_place(text: str, words: list[str]) -> None:
    message = refusal(text)
    assert "m.yaml" in message or "..." in message
    for word in words:
        assert word in message


def test_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert "too much" in refusal("\n".join(lines))


def test_honest_anchors_and_merges_work() -> None:
    source = read_text("k: &k [1, 2]\nb: *k\nc: &c {m: 1, n: 2}\nd: {<<: *c, n: 3}\n")
    assert source.data["b"] == [1, 2]
    assert source.data["d"] == {"m": 1, "n": 3}


@pytest.mark.parametrize(
    ("content", "word"), [(b"\xff\x00\xfa\x80abc", "not"), (b"name: caf\xe9\n", "UTF-8"), (bytes(range(256)), "not")]
)
def test_binary_is_refused(tmp_path: Path, content: bytes, word: str) -> None:
    file = tmp_path / "junk.yaml"
    file.write_bytes(content)
    with pytest.raises(InputError, match=word) as caught:
        read(file)
    assert "junk.yaml" in str(caught.value)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: {b: 1}\n")))
    source = read("-")
    assert source.data == {"a": {"b": 1}}
    assert source.where(("a", "b")) == "a.b (standard input, line 1)"


def test_utf_16_is_read(tmp_path: Path) -> None:
    file = tmp_path / "wide.yaml"
    file.write_bytes("name: café\n".encode("utf-16"))
    assert read(file).data == {"name": "café"}


def test_missing_file_and_folder(tmp_path: Path) -> None:
    (tmp_path / "rotor.yaml").write_text("a: 1")
    with pytest.raises(InputError, match=r"no such file.*rotor\.yaml"):
        read(tmp_path / "roter.yaml")
    with pytest.raises(InputError, match="folder"):
        read(str(tmp_path))
    with pytest.raises(InputError, match="path is expected"):
        read("eigenbody: 1\nbodies: {}")
    with pytest.raises(InputError, match="path or a map"):
        read(3)  # type: ignore[arg-type]


def test_self_referencing_map_is_refused() -> None:
    data: dict[str, object] = {}
    data["a"] = data
    with pytest.raises(InputError, match="nested deeper"):
        read(data)
    with pytest.raises(InputError, match="not a string"):
        read({"a": {1: 2}})


@given(st.text(alphabet="ab1:-[]{}&*!<>|'\"#%@, \n\t?~=.", max_size=40))
@settings(max_examples=600, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    faults: tuple[Fault, ...] = ()
    try:
        source = read_text(text)
    except InputError as problem:
        faults = problem.faults
    if not faults:
        assert isinstance(source.data, dict)
        assert source.where(tuple(source.data)[:1])


@given(st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    data: object = {}
    faults: tuple[Fault, ...] = ()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        try:
            data = read("-").data
        except InputError as problem:
            faults = problem.faults
    assert isinstance(data, dict)
    assert all("standard input" in fault.where for fault in faults)


@pytest.mark.parametrize("name", ["[" * 100, "]" * 100, "}{" * 50, "\ud800"])
def test_brackets_inside_strings_of_json_nest_nothing(name: str) -> None:
    data = {"name": name, "a": [[[1]]]}
    assert read_text(json.dumps(data), "m.json").data == data
