"""What the server of the studio refuses: strangers, other origins, files outside the folder, work without end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eigenbody as eb

pytest.importorskip("starlette", reason="the extra studio is not installed")
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from eigenbody.pages.studio import TOKEN, prepared
from eigenbody.pages.studio.desk import Desk
from eigenbody.pages.studio.document import Document

CAR = Path(__file__).parents[2] / "examples" / "quarter_car.yaml"
PATIENCE = 60


class Line:
    """A server that runs, and a page that talks to it."""

    def __init__(self, path: Path | eb.Model | None, **options: Any) -> None:
        self.studio = prepared(path, **options).start()
        self.host = self.studio.address.split("/")[2]
        self.token = self.studio.address.split("token=")[1]

    def get(self, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        connection.request(method, path, headers={"Host": self.host, **headers})
        return connection.getresponse()

    def socket(self, token: str | None = None, origin: str | None = None) -> Any:
        given = self.token if token is None else token
        own = f"http://{self.host}" if origin is None else origin
        return connect(
            f"ws://{self.host}/socket?token={given}", origin=own or None, max_size=None, open_timeout=PATIENCE
        )


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    (tmp_path / "home").mkdir()
    path = tmp_path / "home" / "car.yaml"
    path.write_text(CAR.read_text())
    (tmp_path / "secret.yaml").write_text(CAR.read_text())
    found = Line(path, budget={"open": 1000.0})  # also on a loaded machine
    yield found
    found.studio.stop()


def say(page: Any, kind: str, **fields: Any) -> None:
    page.send(json.dumps({"kind": kind, **fields}))


def until(page: Any, *kinds: str) -> dict[str, Any]:
    """The next message of some kind."""
    while True:
        message = json.loads(page.recv(timeout=PATIENCE))
        if message["kind"] in kinds:
            return message


def test_nothing_is_given_without_the_token(line: Line) -> None:
    for path in (
        "/",
        "/report",
        "/assets/main.js",
        "/assets/schema.json",
        "/?token=",
        "/?token=wrong",
        "/assets/main.js?token=x",
    ):
        assert line.get(path).status == 403, path
    for cookie in ("", "wrong"):
        assert line.get("/", Cookie=f"eigenbody-studio-{line.host.split(':')[1]}={cookie}").status == 403
    with pytest.raises(InvalidStatus):
        line.socket(token="wrong").__enter__()


def test_the_token_goes_into_a_cookie_that_other_sites_cannot_send(line: Line) -> None:
    answer = line.get(f"/?token={line.token}")
    assert answer.status == 200
    cookie = answer.getheader("Set-Cookie") or ""
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    page = line.get("/", Cookie=cookie.split(";")[0])
    assert page.status == 200
    policy = page.getheader("Content-Security-Policy") or ""
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1:1", "https://{host}"])
def test_a_socket_from_another_origin_is_refused(line: Line, origin: str) -> None:
    """Even with the token: a page elsewhere must not act on behalf of its reader."""
    with pytest.raises(InvalidStatus) as caught:
        line.socket(origin=origin.format(host=line.host)).__enter__()
    assert caught.value.response.status_code == 403


def test_names_that_were_bound_to_this_machine_are_refused(line: Line) -> None:
    """DNS rebinding: a foreign name that resolves to 127.0.0.1 is told by its Host."""
    assert line.get(f"/?token={line.token}", Host=f"evil.example:{line.host.split(':')[1]}").status == 403


def test_only_reading_is_done_by_http(line: Line) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert line.get(f"/?token={line.token}", method).status == 405


@pytest.mark.parametrize(
    "name", ["../secret.yaml", "%2e%2e/server.py", "server.py", "..%2f..%2fserver.py", "studio.html"]
)
def test_assets_are_a_list_and_not_a_folder(line: Line, name: str) -> None:
    assert line.get(f"/assets/{name}?token={line.token}").status in (403, 404)


def test_files_outside_the_folder_are_neither_read_nor_written(line: Line, tmp_path: Path) -> None:
    with line.socket() as page:
        say(page, "hello")
        listed = until(page, "folder")["files"]
        assert listed == ["car.yaml"]
        for path in ("../secret.yaml", str(tmp_path / "secret.yaml"), "/etc/passwd"):
            say(page, "open", path=path)
            assert "no model file in the folder" in until(page, "failed")["message"]
            other = {"path": path, "text": "", "values": {}, "name": "other"}
            say(page, "compare", values={}, other=other)
            assert "no model file in the folder" in until(page, "failed")["message"]
        for path in ("../new.yaml", str(tmp_path / "new.yaml"), "x.py"):
            say(page, "new", of="blank", path=path)
            assert "no model file in the folder" in until(page, "failed")["message"]
    assert not (tmp_path / "new.yaml").exists()


def test_a_model_cannot_name_files_outside_the_folder(line: Line, tmp_path: Path) -> None:
    (tmp_path / "outside.stl").write_bytes(b"solid x\nendsolid x\n")
    text = CAR.read_text().replace('mass: "=mu", at', 'mass: "=mu", inertia: {mesh: ../outside.stl}, at')
    with line.socket() as page:
        say(page, "hello")
        say(page, "edit", text=text, base=until(page, "document")["version"])
        while not (faults := until(page, "faults")["faults"]):
            pass
        assert "not in the folder of the model" in faults[0]["what"]


def test_movies_have_a_largest_size(tmp_path: Path) -> None:
    """Pictures that a page sends are kept until the last has come: not without end."""
    desk = Desk(tmp_path, Document(None, ["eigenbody: 1"]))
    portion = ["x" * 8_000_000]
    for _ in range(12):
        desk.on_movie(1, portion, False, "gif", 0.05)
    with pytest.raises(eb.InputError, match="100 MB"):
        desk.on_movie(1, portion, False, "gif", 0.05)
    assert desk.frames == {}
    with pytest.raises(eb.InputError, match="400 pictures"):
        desk.on_movie(1, [""] * 401, False, "gif", 0.05)
    desk.on_movie(1, portion, False, "gif", 0.05)
    desk.leave(1)
    assert desk.frames == {}


HOURS = """\
eigenbody: 1
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 1, at: [0, 0, 0]}}
joints: {pin: {type: revolute, between: [ground, bob], at: [0.5, 0, 1], axis: [0, 1, 0]}}
operating_point: {simulate: {until: 1e9, max_steps: 1000000000}}
"""  # swings without end


def test_a_model_that_would_run_for_hours_is_stopped(line: Line) -> None:
    """Its budget of time ends it with a message; the next text is computed by a process of its own."""
    with line.socket() as page:
        say(page, "hello")
        version = until(page, "document")["version"]
        until(page, "state")
        line.studio._desk.turning.budget["open"] = 3.0
        say(page, "edit", text=HOURS, base=version)
        assert "stopped after 3 s" in until(page, "failed")["message"]
        line.studio._desk.turning.budget["open"] = 1000.0
        say(page, "undo")
        assert until(page, "state")["poles"][1][1] == pytest.approx(5.63214, rel=1e-5)  # as the file says


def test_stop_ends_it_at_once(line: Line) -> None:
    with line.socket() as page:
        say(page, "hello")
        version = until(page, "document")["version"]
        until(page, "state")
        say(page, "edit", text=HOURS, base=version)
        until(page, "document")
        time.sleep(0.5)
        say(page, "stop")
        assert until(page, "failed")["message"] == "stopped"


def test_a_crash_of_the_computing_process_costs_a_message(line: Line) -> None:
    with line.socket() as page:
        say(page, "hello")
        version = until(page, "document")["version"]
        until(page, "state")
        until(page, "scene")
        say(page, "edit", text=HOURS, base=version)
        until(page, "document")
        os.kill(line.studio._desk.turning._child.pid, signal.SIGKILL)
        assert "ended (signal 9)" in until(page, "failed")["message"]
        say(page, "undo")
        assert until(page, "state")["poles"]


def test_a_text_that_takes_hours_is_left_when_another_one_comes(line: Line) -> None:
    """Soon after it: the process that works on the first is ended long before its budget is."""
    for engine in (line.studio._desk.turning, line.studio._desk.following):
        engine.budget |= {"open": 1000.0, "prepare": 1000.0}
    with line.socket() as page:
        say(page, "hello")
        version = until(page, "document")["version"]
        until(page, "scene")
        say(page, "edit", text=HOURS, base=version)
        version = until(page, "document")["version"]
        time.sleep(0.3)
        say(page, "edit", text=CAR.read_text() + "# repaired\n", base=version)
        assert until(page, "state")["poles"][1][1] == pytest.approx(5.63214, rel=1e-5)
        assert until(page, "curves")["frf"]


def test_nonsense_is_answered_in_words(line: Line) -> None:
    with line.socket() as page:
        for text in ("", "{", '{"kind": "exec"}', '{"kind": "turn", "values": {"ks": "x"}, "selected": 0, "seq": 1}'):
            page.send(text)
            assert until(page, "failed")["message"]
        say(page, "turn", values={"nothing": 1.0}, selected=0, seq=1)
        assert "no knob" in until(page, "failed")["message"]


def test_it_listens_on_this_machine_alone(line: Line) -> None:
    bound = line.studio._server[1]
    assert bound.family == socket.AF_INET
    assert bound.getsockname()[0] == "127.0.0.1"


def test_tokens_differ_and_the_environment_may_give_one(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = {prepared(None).address.split("token=")[1] for _ in range(3)}
    assert len(tokens) == 3
    assert min(map(len, tokens)) >= 32
    monkeypatch.setenv(TOKEN, "known")
    assert prepared(None).address.endswith("token=known")


def test_other_formats_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(eb.InputError, match="eigenbody convert six_axis_arm"):
        prepared(CAR.with_name("six_axis_arm.urdf"))
    with pytest.raises(eb.InputError, match="no such file"):
        prepared(tmp_path / "none.yaml")
    with pytest.raises(eb.InputError, match="no such folder"):
        prepared(None, folder=tmp_path / "none")


def test_a_server_for_all_addresses_still_wants_token_and_origin(tmp_path: Path) -> None:
    """Asked for: whoever knows the token may come in under any name of the machine, nobody else."""
    found = Line(None, host="0.0.0.0", folder=tmp_path)
    try:
        found.host = f"127.0.0.1:{found.studio._server[1].getsockname()[1]}"
        assert found.get(f"/?token={found.token}", Host="machine.example:80").status == 200
        assert found.get("/", Host="machine.example:80").status == 403
        with pytest.raises(InvalidStatus):
            found.socket(origin="http://evil.example").__enter__()
        with found.socket() as page:
            say(page, "hello")
            assert until(page, "folder")["files"] == []
    finally:
        found.studio.stop()


def test_a_model_of_a_program_has_no_file_and_comes_back_changed() -> None:
    """`eb.studio(model)`: numbers that are kept in the page are in `studio.model`."""
    found = Line(eb.new("blank"))
    try:
        with found.socket() as page:
            say(page, "hello")
            knob = until(page, "model")["knobs"][0]
            say(page, "save")
            assert "no file" in until(page, "failed")["message"]
            say(page, "keep", values={knob["name"]: 2 * knob["value"]})
            until(page, "model")
        before, after = (model.value_of(knob["name"]) for model in (eb.new("blank"), found.studio.model))
        assert after == pytest.approx(2 * before)
    finally:
        found.studio.stop()
