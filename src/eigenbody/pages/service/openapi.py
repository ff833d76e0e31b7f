"""The description of a service for programs: OpenAPI 3.1, made from the catalog of commands."""

from __future__ import annotations

from typing import Any

from eigenbody.base.version import __version__

VERSION = "3.1.0"
FAULT = {
    "type": "object",
    "required": ["error", "message"],
    "properties": {
        "error": {
            "type": "string",
            "description": "What kind of fault: input, computation, time, memory, size, busy, stopping, crash, "
            "internal, token, address, type, path, method.",
        },
        "message": {"type": "string", "description": "What the command line would say."},
        "faults": {
            "type": "array",
            "description": "Of wrong input: every fault.",
            "items": {
                "type": "object",
                "required": ["where", "what", "remedy", "message"],
                "properties": {name: {"type": "string"} for name in ("where", "what", "remedy", "message")},
            },
        },
        "more": {"type": "integer", "description": "Faults that are not listed."},
        "partial": {"type": "object", "description": "What had been found when the computation did not succeed."},
    },
}
FAILURES = {
    "400": "The input is wrong.",
    "401": "The token is missing or wrong.",
    "403": "Another address, or a page of another site.",
    "404": "There is no such command.",
    "408": "The request did not come in time.",
    "413": "The request is too large.",
    "415": "The request is not plain JSON.",
    "422": "The computation did not succeed.",
    "500": "A fault of eigenbody, or the computing process ended.",
    "503": "Too many requests wait, or the service is being stopped: see Retry-After.",
    "504": "The time of a request is over.",
    "507": "The memory of a request, or the size of an answer, is not enough.",
}
MODEL = {
    "description": "The model: text (YAML, JSON, or of `format`), or its sections as an object.",
    "oneOf": [{"type": "string"}, {"type": "object"}],
}


def description(catalog: dict[str, Any], has_token: bool) -> dict[str, Any]:
    """The document of /openapi.json."""
    paths: dict[str, Any] = {
        "/health": _read("health", "Whether the service works, and how much there is to do."),
        "/v1/commands": _read("commands", "Commands and their options; which commands are left out and why."),
        "/openapi.json": _read("openapi", "This description."),
    }
    for command in catalog["commands"]:
        paths[f"/v1/{command['command']}"] = {"post": _posted(command)}
    found: dict[str, Any] = {
        "openapi": VERSION,
        "info": {
            "title": "eigenbody",
            "version": __version__,
            "summary": "Exact linearization of mechanisms: the commands as a service.",
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "paths": paths,
        "components": {
            "schemas": {"Fault": FAULT},
            "responses": {f"Failure{status}": _failure(text) for status, text in FAILURES.items()},
        },
    }
    if has_token:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
    return found


def _read(name: str, text: str) -> dict[str, Any]:
    answers = {"200": _document(text), **{s: _reference(s) for s in ("401", "403")}}
    return {"get": {"operationId": name, "summary": text, "responses": answers}}


def _posted(command: dict[str, Any]) -> dict[str, Any]:
    name = command["command"]
    return {
        "operationId": f"run_{name}",
        "summary": command["summary"],
        "description": command["description"],
        "requestBody": {"required": True, "content": {"application/json": {"schema": _request(command)}}},
        "responses": {
            "200": {**_document(f"The document of `eigenbody {name} --json`."), "headers": _headers()},
            **{status: _reference(status) for status in FAILURES},
        },
    }


def _request(command: dict[str, Any]) -> dict[str, Any]:
    options = {option["name"]: _schema(option) for option in command["options"]}
    found: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "model": MODEL,
            "format": {"type": "string", "description": "Of a text of another format: urdf, xml, mjcf, sdf or adm."},
            "file": {"type": "string", "description": "Instead of `model`: a file in the folder of the service."},
            "options": {"type": "object", "additionalProperties": False, "properties": options},
        },
    }
    if command["model"] == "required":
        found["anyOf"] = [{"required": ["model"]}, {"required": ["file"]}]
    return found


def _schema(option: dict[str, Any]) -> dict[str, Any]:
    """Of the value of an option."""
    kinds: dict[str, Any] = {"file": "string", "string": ["string", "number"]}
    kind = kinds.get(option["type"], option["type"])
    bounds: dict[str, Any] = {bound: option[bound] for bound in ("minimum", "maximum") if bound in option}
    item: dict[str, Any] = {"type": kind, **bounds}
    found = item
    if option["multiple"]:
        found = {"oneOf": [item, {"type": "array", "items": item}]}
    written = f" Written {option['written']}." if option["written"] else ""
    found = {**found, "description": f"{option['help']}{written}".strip()}
    if option["default"] is not None:
        found["default"] = option["default"]
    return found


def _headers() -> dict[str, Any]:
    text = "0, or what else the command would end with (4: verify could check nothing)."
    return {"Eigenbody-Exit-Code": {"description": text, "schema": {"type": "integer"}}}


def _document(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": {"type": "object"}}}}


def _failure(text: str) -> dict[str, Any]:
    return {
        "description": text,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Fault"}}},
    }


def _reference(status: str) -> dict[str, Any]:
    return {"$ref": f"#/components/responses/Failure{status}"}
