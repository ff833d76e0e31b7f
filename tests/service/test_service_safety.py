"""What the service refuses, and what it survives: strangers, files elsewhere, work without end, processes that die,
clients that go away, more requests than it can take, its own end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra studio is not installed")
import eigenbody as eb
from eigenbody.pages.service import TOKEN, connections
from public_analyses import PENDULUM
from service_line import PATIENCE, Line, Reply

BEAM = {
    "type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 2e11, "density": 7850, "diameter": 0.02, "modes": 100_000,
    "elements": 40_000,
}  # fmt: skip
LONG = {"until": "100000", "points": 3, "method": "rk4", "step": "1e-4", "max_steps": 1e12, "compiled": False}
HINGE = {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}
FILTER = {"type": "transfer", "input": "=j", "numerator": [1], "denominator": [1.0] * 3000}
BOB = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, -1]}
FILTERED = {"eigenbody": 1, "bodies": {"a": BOB}, "joints": {"j": HINGE}, "blocks": {"f": FILTER}}


@pytest.fixture(scope="module")
def line() -> Iterator[Line]:
    with Line(seconds=3.0, queue=1, size=0.2, memory=700.0) as found:
        yield found


def wait(line: Line, **wanted: Any) -> dict[str, Any]:
    """Until the service is in some state."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = line.get("/health").document
        if all(found[name] == value for name, value in wanted.items()):
            return found
        time.sleep(0.02)
    raise AssertionError((found, wanted))


def later(line: Line, command: str, **options: Any) -> tuple[threading.Thread, list[Reply]]:
    """A request under way."""
    replies: list[Reply] = []
    thread = threading.Thread(target=lambda: replies.append(line.run(command, PENDULUM, **options)))
    thread.start()
    return thread, replies


# ---- who may come in


def test_other_addresses_pages_and_kinds_are_refused(line: Line) -> None:
    assert line.get("/health", Host="evil.example").status == 403
    assert line.post("modes", {"model": PENDULUM}, Origin="https://evil.example").status == 403
    assert line.post("modes", {"model": PENDULUM}, **{"Content-Type": "text/plain"}).status == 415
    assert line.post("modes", {"model": PENDULUM}, **{"Content-Encoding": "gzip"}).status == 415
    assert line.get("/v1/modes").status == 405
    for path in ("/", "/v1/../../etc/passwd", "/v1/%2e%2e%2fetc", "/v1/modes/x", "/etc/passwd"):
        found = line.get(path)
        assert found.status in (404, 405)
        assert found.document["message"].isprintable()
    found = line.post("%1b%5b31mmodes", {})
    assert (found.status, found.document["message"][:14]) == (404, "\\x1b[31mmodes:")


def test_others_need_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with Line(host="0.0.0.0") as line:
        assert line.get("/health").status == 200
        token = line.service.token
        assert token is not None
        assert len(token) > 20
        for header in ({}, {"Authorization": "Bearer x"}, {"Authorization": token}, {"Authorization": "Bearer é"}):
            found = line.get("/v1/commands", **header)
            assert (found.status, found.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert line.get("/openapi.json", Authorization=f"Bearer {token}").document["security"] == [{"token": []}]


def test_a_token_that_was_set_is_asked_for_here_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "se cret")
    service = eb.serve(workers=1)
    try:
        assert service.token == "se cret"
        assert "cret" not in repr(service)
    finally:
        service.stop()


# ---- files

MESH = {"eigenbody": 1, "bodies": {"a": {"mass": 1, "at": [0, 0, 0], "inertia": {"mesh": "NAME"}}}}


def files_named(name: str) -> list[dict[str, Any]]:
    """Every place in which a model names a file that is read; shapes are read by what draws, which is not served."""
    body = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}
    matrices = {"type": "matrices", "mass": name, "stiffness": name, "nodes": name, "modes": 2, "at": [0, 0, 0]}
    bearing = {"type": "bearing", "between": ["ground", "a"], "at": [0, 0, 0], "table": name}
    return [
        json.loads(json.dumps(MESH).replace("NAME", name)),
        {"eigenbody": 1, "flexible": {"a": matrices}},
        {"eigenbody": 1, "bodies": {"a": body}, "forces": {"f": bearing}},
    ]


def test_files_elsewhere_are_not_read(tmp_path: Path) -> None:
    """Neither in models nor in options: nothing of what is in them is said, not even whether they are there."""
    home = tmp_path / "home"
    home.mkdir()
    secret = tmp_path / "secret.csv"
    secret.write_text("swordfish,1\nswordfish,2\n")
    (home / "link.csv").symlink_to(secret)
    (home / "study.yaml").write_text("model: ../secret.csv\nvary: {k: 5%}\n")
    (home / "pendulum.json").write_text(json.dumps(PENDULUM))
    with Line(folder=home) as line:
        for name in (str(secret), "../secret.csv", "link.csv", f"file://{secret}", "../missing.csv"):
            for model in files_named(name):
                found = line.run("check", model)
                assert found.status == 400, found.text
                said = ("is not in the folder of the model", "is no mesh: its ending", "home/file:/")
                assert any(words in found.text for words in said), found.text
                assert "swordfish" not in found.text
            for body in ({"file": name}, {"model": PENDULUM, "options": {"sampled": name, "until": 1}}):
                found = line.post("response", body)
                assert found.status == 400
                assert "swordfish" not in found.text
        found = line.post("study", {"file": "study.yaml"})  # what a study names is read by no rule of models
        assert found.status in (400, 500), found.text
        assert "swordfish" not in found.text
        assert line.post("modes", {"file": "pendulum.json"}).status == 200
    with Line() as line:
        for model in files_named("model.csv"):
            assert line.run("check", model).status == 400
        mesh = '<visual><geometry><mesh filename="NAME"/></geometry></visual>'
        robot = f'<robot name="r"><link name="a">{mesh}</link></robot>'
        for name in (str(secret), "../secret.stl"):
            found = line.post("check", {"model": robot.replace("NAME", name), "format": "urdf"})
            assert "swordfish" not in found.text


def test_what_the_processes_may_not(tmp_path: Path) -> None:
    """Without any rule of ours: files, programs and connections are refused while a request is answered."""
    code = f"""
import os, socket, subprocess, sys, tempfile
from pathlib import Path
from eigenbody.cli.confining import Confinement
home, place, out = (Path({str(tmp_path)!r}) / name for name in ("home", "place", "out"))
for folder in (home, place, out): folder.mkdir()
(out / "secret").write_text("x"); (home / "mine").write_text("x")
guard = Confinement([home], [place])
tries = {{
    "read": lambda: open(out / "secret"), "list": lambda: os.listdir(out), "write": lambda: open(home / "a", "w"),
    "append": lambda: open(home / "mine", "a"), "passwd": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "program": lambda: subprocess.run(["true"]), "system": lambda: os.system("true"), "fork": os.fork,
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)), "remove": lambda: os.remove(home / "mine"),
    "up": lambda: open(home / ".." / "out" / "secret"), "move": lambda: os.rename(home / "mine", place / "b"),
}}
with guard.in_force():
    for name, act in tries.items():
        try: act()
        except PermissionError: continue
        print("allowed:", name)
    open(home / "mine").read(); (place / "own").write_text("x"); os.remove(place / "own"); import wave
print("done", open(out / "secret").read())
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (found.stdout, found.stderr) == ("done x\n", "")


# ---- budgets


def test_too_large_is_said_before_it_is_read(line: Line) -> None:
    found = line.post("modes", b" " * 300_000)
    assert (found.status, found.document["error"]) == (413, "size")
    with socket.create_connection(("127.0.0.1", line.port), PATIENCE) as plain:  # nothing of it was sent yet
        plain.sendall(
            f"POST /v1/modes HTTP/1.1\r\nHost: {line.host}\r\nContent-Type: application/json\r\n"
            "Content-Length: 999999999999999\r\n\r\n".encode()
        )
        assert b" 413 " in plain.recv(1000)
    with socket.create_connection(("127.0.0.1", line.port), PATIENCE) as plain:  # nothing was said about the size
        plain.sendall(
            f"POST /v1/modes HTTP/1.1\r\nHost: {line.host}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n".encode()
        )
        plain.sendall((b"10000\r\n" + b" " * 0x10000 + b"\r\n") * 4)
        assert b" 413 " in plain.recv(1000)


def test_time_and_memory_that_are_over_cost_one_request(line: Line) -> None:
    before = line.run("modes", PENDULUM).text
    late = line.run("simulate", PENDULUM, **LONG)
    assert (late.status, late.document["error"]) == (504, "time")
    assert late.document["message"].startswith("stopped after 3 s, the time that a request may take.")
    wide = line.run("modes", {"eigenbody": 1, "flexible": {"b": BEAM}})
    assert wide.status in (400, 504, 507), wide.text
    filtered = line.run("modes", FILTERED)
    assert filtered.status in (400, 422, 504, 507), filtered.text
    assert line.run("modes", PENDULUM).text == before


def test_memory_is_limited() -> None:
    """And the limit is of the data of the process: libraries have theirs before."""
    with Line(memory=100.0, seconds=100.0) as poor:
        before = poor.run("modes", PENDULUM)
        assert before.status == 200
        found = poor.run("modes", FILTERED)
        assert (found.status, found.document["error"]) == (507, "memory"), found.text
        assert "100 MB are allowed" in found.document["message"]
        assert poor.run("modes", PENDULUM).text == before.text
        assert poor.get("/health").document["replaced"] == 1


def test_answers_are_limited() -> None:
    with Line(answer=0.001) as line:
        found = line.run("simulate", PENDULUM, until=1)
        assert (found.status, found.document["error"]) == (507, "size")


# ---- processes


def children(pid: int) -> list[int]:
    import psutil

    return [child.pid for child in psutil.Process(pid).children()]


def is_running(pid: int) -> bool:
    import psutil

    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_process_that_dies_costs_one_request(line: Line) -> None:
    wait(line, idle=1)
    replaced = line.get("/health").document["replaced"]
    thread, replies = later(line, "simulate", **LONG)
    wait(line, idle=0)
    (worker,) = children(os.getpid())
    os.kill(worker, signal.SIGKILL)
    thread.join(PATIENCE)
    assert replies[0].status == 500
    assert replies[0].document["message"].startswith("the computing process ended (signal 9); another takes its place.")
    wait(line, replaced=replaced + 1, idle=1)
    assert line.run("modes", PENDULUM).status == 200


def test_when_many_wait_others_are_told_to_come_back(line: Line) -> None:
    wait(line, idle=1)
    first, _ = later(line, "simulate", **LONG)
    wait(line, idle=0)
    second, replies = later(line, "modes")
    wait(line, waiting=1)
    third = line.run("modes", PENDULUM)
    assert (third.status, third.headers["Retry-After"], third.document["error"]) == (503, "1", "busy")
    first.join(PATIENCE)
    second.join(PATIENCE)
    assert replies[0].status == 200


def test_work_that_nobody_waits_for_is_ended(line: Line) -> None:
    with Line(seconds=600.0) as patient:
        wait(patient, idle=1)
        connection = patient.open()
        body = json.dumps({"model": PENDULUM, "options": LONG})
        connection.request("POST", "/v1/simulate", body, {"Content-Type": "application/json", "Host": patient.host})
        wait(patient, idle=0)
        queued = patient.open()
        queued.request("POST", "/v1/modes", body, {"Content-Type": "application/json", "Host": patient.host})
        wait(patient, waiting=1)
        queued.close()
        wait(patient, waiting=0)
        connection.close()
        wait(patient, replaced=1, idle=1)  # long before its time
        assert patient.run("modes", PENDULUM).status == 200


def test_processes_are_replaced_after_some_requests() -> None:
    with Line(requests=2) as line:
        first = [line.run("check", PENDULUM).text for _ in range(5)]
        assert len(set(first)) == 1
        assert line.get("/health").document["replaced"] == 2
    with Line(growth=0.001) as line:
        line.run("modes", PENDULUM)
        wait(line, replaced=1, idle=1)


def test_silent_connections_are_given_up(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD", 0.3)
    slow = [socket.create_connection(("127.0.0.1", line.port), PATIENCE) for _ in range(3)]
    slow[1].sendall(b"GET /health HTTP/1.1\r\nHost: ")
    slow[2].sendall(f"GET /health HTTP/1.1\r\nHost: {line.host}\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"}"):
        answer += slow[2].recv(4000)
    slow[2].sendall(b"GET /hea")
    assert all(is_closed(plain) for plain in slow)


def is_closed(plain: socket.socket) -> bool:
    """By the other side, now or soon."""
    with plain:
        try:
            return plain.recv(4000) == b""
        except ConnectionResetError:
            return True


def test_the_oldest_silent_connection_goes_where_there_are_too_many(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 3)
    slow = [socket.create_connection(("127.0.0.1", line.port), PATIENCE) for _ in range(3)]
    slow[1].sendall(b"GET /health HTTP/1.1\r\nHost: ")
    assert line.get("/health").status == 200
    assert is_closed(slow[0])
    slow[2].sendall(f"GET /health HTTP/1.1\r\nHost: {line.host}\r\n\r\n".encode())
    assert b"200 OK" in slow[2].recv(4000)
    for plain in slow:
        plain.close()


# ---- its end


def test_terminated_it_answers_what_is_under_way(tmp_path: Path) -> None:
    """Running requests are answered, waiting ones are told, and no process and no file is left."""
    words = [sys.executable, "-m", "eigenbody", "serve", "--port", "0", "--workers", "1", "--seconds", "4"]
    home = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=home) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        line = object.__new__(Line)
        line.port = int(address.rpartition(":")[2])
        line.host = f"127.0.0.1:{line.port}"
        wait(line, idle=1)
        (worker,) = children(server.pid)
        running, first = later(line, "simulate", **LONG)
        wait(line, idle=0)
        waiting, second = later(line, "modes")
        wait(line, waiting=1)
        server.send_signal(signal.SIGTERM)
        running.join(PATIENCE)
        waiting.join(PATIENCE)
        assert server.wait(PATIENCE) in (0, 143)
    assert (first[0].status, first[0].document["error"]) == (504, "time")
    assert (second[0].status, second[0].document["error"]) == (503, "stopping")
    assert not is_running(worker)
    assert list(tmp_path.iterdir()) == []


def test_bad_settings_are_refused(tmp_path: Path) -> None:
    for wrong in ({"seconds": 0}, {"memory": 1}, {"size": -1}, {"queue": -1}, {"sekonds": 3}):
        with pytest.raises(eb.InputError):
            eb.serve(**wrong)
    with pytest.raises(eb.InputError, match="there is no such folder"):
        eb.serve(folder=tmp_path / "none")
    with pytest.raises(eb.ComputationError, match="cannot listen"):
        eb.serve(host="203.0.113.1")
