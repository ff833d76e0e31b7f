"""Requests as command lines: every fault at once, no word that could be taken for another; and their description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra studio is not installed")
from jsonschema import Draft202012Validator
from typer.main import get_command

from eigenbody.base.errors import InputError
from eigenbody.cli.app import application
from eigenbody.cli.catalog import catalog
from eigenbody.cli.requests import read_request
from eigenbody.pages.service.openapi import description

CATALOG = catalog(get_command(application()))
COMMANDS = {command["command"]: command for command in CATALOG["commands"]}
NOT_TAKEN = {
    "out", "plot", "json", "quiet", "allow_files", "limit_seconds", "limit_memory", "workers", "scheduler", "store",
    "spectra",
}  # fmt: skip
FILES = {"sampled", "table", "problem", "more"}


def faults(command: str, body: Any, folder: Path | None = None) -> list[str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(InputError) as error:
        read_request(data, COMMANDS[command], folder)
    return [str(fault) for fault in error.value.faults]


def words(command: str, folder: Path | None = None, **options: Any) -> tuple[str, ...]:
    asked = read_request(json.dumps({"model": "x", "options": options}).encode(), COMMANDS[command], folder)
    return (*asked.options, *asked.files)


def test_what_names_files_and_machines_is_not_taken() -> None:
    """A new option that names a file has to be put on one side or the other."""
    assert {name for command in COMMANDS.values() for name in command["left_out"]} == NOT_TAKEN
    taken = [option for command in COMMANDS.values() for option in command["options"]]
    assert {option["name"] for option in taken if option["type"] == "file"} == FILES
    suspicious = ("file", "folder", "path", "csv", "address")
    for option in taken:
        if option["type"] != "file":
            assert not any(word in option["written"].lower() for word in suspicious), option


def test_values_stay_values() -> None:
    assert words("modes", set=["--out=x", "-o", "k=1"]) == ("--set=--out=x", "--set=-o", "--set=k=1")
    assert words("frf", log=False, refine=True, base_order=1) == ("--linear", "--refine", "--base-order=1")
    assert words("simulate", until=2, tolerance=1e-7) == ("--until=2", "--tolerance=1e-07")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 2.5}, 'options.n: a whole number is expected, not 2.5. That many modes, lowest first.'),
        ({"n": "3"}, 'options.n: a whole number is expected, not "3". That many modes, lowest first.'),
        ({"n": True}, "options.n: a whole number is expected, not true. That many modes, lowest first."),
        ({"explain": 1}, "options.explain: true or false is expected, not 1."),
        ({"set": {"k": 1}}, 'options.set: a text, or a list of them, is expected, not {"k": 1}.'),
        ({"frame": ["a"]}, 'options.frame: a text is expected, not ["a"].'),
        ({"near": 10**400}, "options.near: this number is too large."),
        ({"plot": "a.png"}, "options.plot: a service does not take this option: it writes a file. Leave it out."),
        ({"expplain": True}, 'options.expplain: modes has no such option. Did you mean "explain"?'),
        ({"\x1b]0;x\x07": 1}, "options.\\x1b]0;x\\x07: modes has no such option. Known: at, bars, base,"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(options: dict[str, Any], said: str) -> None:
    (found,) = faults("modes", {"model": "x", "options": options})
    assert found.startswith(said)


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe\x00", b"[" * 100_000, b"null", b'{"model": NaN}', b'{"model": 1e999999999999}', b'{"a": 1',
     b"[]", b'{"model": ' + b"9" * 10_000 + b"}", b'{"model": null}', b'{"options": 3, "model": "x"}',
     b'{"model": ["x"]}', b'{"model": "x", "format": 3}', b'{"model": {}, "format": "urdf"}', b'{"mod\\ud800el": 1}'],
)  # fmt: skip
def test_garbage_is_refused_in_words(body: bytes) -> None:
    for said in faults("modes", body):
        assert said.isprintable()
        assert len(said) < 500


def test_all_faults_at_once() -> None:
    found = faults("modes", {"modell": "x", "options": {"n": "a", "m": 1}})
    assert [text.split(":")[0] for text in found] == ["modell", "model", "options.n", "options.m"]


def test_files_are_those_of_the_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "a.yaml").write_text("x")
    (tmp_path / "secret").write_text("x")
    (home / "link").symlink_to(tmp_path / "secret")
    asked = read_request(b'{"file": "a.yaml", "options": {"problem": "a.yaml"}}', COMMANDS["optimize"], home)
    assert (asked.model, asked.files) == (str(home / "a.yaml"), (str(home / "a.yaml"),))
    for name in ("../secret", "/etc/passwd", "link", "a.yaml\0", "", "x/../../secret", 3):
        assert faults("modes", {"file": name}, home), name
        assert faults("response", {"model": "x", "options": {"sampled": name}}, home), name
    assert "reads no files" in faults("modes", {"file": "a.yaml"})[0]


# ---- description


def test_the_description_is_one() -> None:
    """OpenAPI 3.1: every schema is one of JSON Schema 2020-12, every reference leads somewhere, names are unique."""
    document = description(CATALOG, True)
    assert json.loads(json.dumps(document)) == document
    assert set(document) == {"openapi", "info", "paths", "components", "security"}
    names = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert len(names) == len(set(names)) == len(COMMANDS) + 3
    for reference in _references(document):
        found = document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["responses"]["200"]["description"], path
            assert ("requestBody" in operation) == (method == "post")
            if method == "post":
                Draft202012Validator.check_schema(_schema(document, path))


def test_the_validator_of_the_standard_agrees() -> None:
    validator = pytest.importorskip("openapi_spec_validator", reason="openapi-spec-validator is not installed")
    for has_token in (True, False):
        assert not list(validator.OpenAPIV31SpecValidator(description(CATALOG, has_token)).iter_errors())


def test_the_description_and_the_reader_of_requests_agree() -> None:
    validator = Draft202012Validator(_schema(description(CATALOG, False), "/v1/modes"))
    good = [{"model": "x"}, {"model": {}, "options": {"n": 3, "set": ["k=1"], "explain": True}}, {"file": "a"}]
    bad = [{}, {"model": 3}, {"model": "x", "options": {"n": "3"}}, {"model": "x", "options": {"out": "x"}},
           {"model": "x", "options": {"n": 0}}, {"model": "x", "o": 1}]  # fmt: skip
    assert all(validator.is_valid(body) for body in good)
    assert not any(validator.is_valid(body) for body in bad)


def _schema(document: dict[str, Any], path: str) -> dict[str, Any]:
    return document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]


def _references(item: Any) -> list[str]:
    if isinstance(item, dict):
        own = [item["$ref"]] if "$ref" in item else []
        return own + [found for value in item.values() for found in _references(value)]
    return [found for value in item for found in _references(value)] if isinstance(item, list) else []
