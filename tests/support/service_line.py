"""A service that runs, and someone who talks to it."""

from __future__ import annotations

import http.client
import io
import json
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from eigenbody.cli.main import main
from eigenbody.pages.service import Budget, prepared

PATIENCE = 120
EXAMPLES = Path(__file__).parents[2] / "examples"


class Reply:
    """Status, headers and document."""

    def __init__(self, found: http.client.HTTPResponse) -> None:
        self.status, self.headers, self.text = found.status, found.headers, found.read().decode()

    @property
    def document(self) -> Any:
        return json.loads(self.text)


class Line:
    """A service and a client of it."""

    def __init__(self, folder: Path | None = None, host: str = "127.0.0.1", **budget: Any) -> None:
        self.service = prepared(host=host, folder=folder, budget=Budget(**{"workers": 1, **budget})).start()
        self.port = int(self.service.address.rpartition(":")[2])
        self.host = f"127.0.0.1:{self.port}"

    def __enter__(self) -> Line:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.service.stop()

    def open(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, timeout=PATIENCE)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        connection = self.open()
        try:
            named = {"Host": self.host, **{name.replace("_", "-"): text for name, text in headers.items()}}
            connection.request(method, path, body, named)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, **headers)

    def post(self, command: str, body: Any, **headers: str) -> Reply:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", f"/v1/{command}", data, **{"Content-Type": "application/json", **headers})

    def run(self, command: str, model: Any, **options: Any) -> Reply:
        return self.post(command, {"model": model, "options": options})


def printed(
    command: str, text: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Exit code, output and messages of `eigenbody COMMAND - ... --json` with the text as standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))
    code = main([command, "-", *words, "--json"])
    out, err = capsys.readouterr()
    return code, out, err
