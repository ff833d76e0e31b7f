"""A service under load: an honest client and a hostile one at once.

    python benchmarks/serve.py                       1500 requests of each
    python benchmarks/serve.py --requests 200 --seconds 4
    python benchmarks/serve.py --requests 100000 --minutes 10      as many as there is time for

The honest client asks many commands of many models one after another, and compares every answer with the document that
the command line printed before, byte for byte; told that the service is busy, it comes back. The hostile one sends
garbage, huge bodies, deep nesting, aliases that multiply, models that ask for very much, paths to files, escapes,
options of wrong types, connections that say nothing or go away. Meanwhile memory and file descriptors of the server and
its processes are counted every second. Prints what came of it and writes benchmarks/results/serve/<date>.json.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import http.client
import io
import json
import os
import platform
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from eigenbody.cli.main import main as command_line

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
PATIENCE = 120
MODELS = ("rotor_stator", "quarter_car", "four_bar", "geared_shafts", "hanging_pendulum", "slider_pendulum",
          "vibration_absorber", "parallelogram", "isolated_table", "half_car", "conical_pendulum", "torsional_line",
          "rotor_on_bearing", "overhung_rotor", "four_bar_with_spring", "caster")  # fmt: skip
ASKED: tuple[tuple[str, dict[str, Any], list[str]], ...] = (
    ("modes", {}, []), ("check", {}, []), ("linearize", {}, []), ("modes", {"n": 2}, ["--n", "2"]),
    ("sensitivity", {"n": 1}, ["--n", "1"]), ("equilibrium", {}, []),
    ("simulate", {"until": 0.05, "points": 5}, ["--until", "0.05", "--points", "5"]),
    ("fundamental", {"at": ["0.1"]}, ["--at", "0.1"]), ("reduce", {"n": 2}, ["--n", "2"]),
)  # fmt: skip
BODY = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, -1]}
HINGE = {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0], "position": 1}
PENDULUM: dict[str, Any] = {"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {"a": BODY}, "joints": {"j": HINGE}}
BEAM = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 2e11, "density": 7850, "diameter": 0.02,
        "modes": 100_000, "elements": 40_000}  # fmt: skip
FILTER = {"type": "transfer", "input": "=j", "numerator": [1], "denominator": [1.0] * 3000}
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + k)}: &{chr(98 + k)} [{','.join(['*' + chr(97 + k)] * 9)}]\n" for k in range(9)
)
GREEDY: dict[str, Any] = {
    "a motion of a third of a year": {"model": {**PENDULUM, "operating_point": {"simulate": {"until": 1e7}}}},
    "a filter of 3000 coefficients": {"model": {**PENDULUM, "blocks": {"f": FILTER}}},
    "a beam of 100,000 modes": {"model": {"eigenbody": 1, "flexible": {"b": BEAM}}},
}


# ---- the service


@contextlib.contextmanager
def running(workers: int, seconds: float) -> Iterator[tuple[int, str]]:
    """A service in a process of its own: its process and its address."""
    words = ["--port", "0", "--workers", str(workers), "--seconds", str(seconds), "--memory", "512", "--size", "1"]
    command = [sys.executable, "-m", "eigenbody", "serve", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        host = server.stdout.readline().split()[-1].removeprefix("http://")
        try:
            yield server.pid, host
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)


def exchange(host: str, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(host, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json", **headers})
        found = connection.getresponse()
        return found.status, found.read()
    finally:
        connection.close()


# ---- the honest client


def printed(command: str, text: str, words: list[str]) -> tuple[int, str]:
    """What the command line gives."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            return command_line([command, "-", *words, "--json"]), out.getvalue()
    finally:
        sys.stdin = before


def expected(count: int) -> list[tuple[str, bytes, int, str]]:
    """Requests with what must come back: command, body, status, document."""
    found = []
    pairs = [(model, asked) for asked in ASKED for model in MODELS]
    for model, (command, options, words) in pairs[: max(count, 1)]:
        text = (EXAMPLES / f"{model}.yaml").read_text(encoding="utf-8")
        code, document = printed(command, text, words)
        status = {0: 200, 2: 400, 3: 422, 4: 200}[code]
        found.append((command, json.dumps({"model": text, "options": options}).encode(), status, document))
    return found


class Honest:
    """Asks, compares, comes back when it is told to."""

    def __init__(self, host: str, known: list[tuple[str, bytes, int, str]], seed: int) -> None:
        self.host, self.known, self.chance = host, known, random.Random(seed)
        self.statuses: Counter[int] = Counter()
        self.seconds: list[float] = []
        self.wrong: list[str] = []
        self.told_busy = self.late = 0

    def ask(self) -> None:
        command, body, status, document = self.chance.choice(self.known)
        begin = time.monotonic()
        while True:
            found, content = exchange(self.host, "POST", f"/v1/{command}", body)
            if found != 503:
                break
            self.told_busy += 1
            time.sleep(0.2)
        self.seconds.append(time.monotonic() - begin)
        self.statuses[found] += 1
        if found == 504:
            self.late += 1
        elif found != status or (status == 200 and content.decode() != document):
            self.wrong.append(f"{command}: {found} instead of {status}: {content[:200].decode()}")


# ---- the hostile client


class Hostile:
    """Sends what nobody should."""

    def __init__(self, host: str, seed: int, greedy: float) -> None:
        self.host, self.chance, self.greedy = host, random.Random(seed), greedy
        self.statuses: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.unclear: list[str] = []
        self.open: list[socket.socket] = []
        self.tricks: dict[str, Callable[[], Any]] = {
            "garbage": self.garbage, "huge": self.huge, "deep": self.deep, "bomb": self.bomb, "silent": self.silent,
            "slow": self.slow, "gone": self.gone, "files": self.files, "escapes": self.escapes, "types": self.types,
            "paths": self.paths, "no http": self.no_http, "lies": self.lies,
        }  # fmt: skip

    def ask(self) -> None:
        if self.chance.random() < self.greedy:
            kind = self.chance.choice(list(GREEDY))
            self.kinds[kind] += 1
            self.post("modes", json.dumps(GREEDY[kind]).encode(), (400, 422, 504, 507, 503))
            return
        kind = self.chance.choice(list(self.tricks))
        self.kinds[kind] += 1
        with contextlib.suppress(OSError, http.client.HTTPException):  # it may close at any time
            self.tricks[kind]()

    def post(self, command: str, body: bytes, wanted: tuple[int, ...], **headers: str) -> None:
        status, content = exchange(self.host, "POST", f"/v1/{command}", body, **headers)
        self.statuses[status] += 1
        text = content.decode("utf-8", "replace")
        clear = status in wanted and text.isprintable() and "message" in json.loads(text) and "root:" not in text
        if not clear:
            self.unclear.append(f"{command} {body[:80]!r}: {status} {text[:200]}")

    def plain(self) -> socket.socket:
        host, _, port = self.host.rpartition(":")
        return socket.create_connection((host, int(port)), 10)

    def garbage(self) -> None:
        self.post("modes", self.chance.randbytes(self.chance.randrange(5000)), (400, 503))

    def huge(self) -> None:
        self.post("modes", b" " * 3_000_000, (413,))

    def deep(self) -> None:
        depth = self.chance.choice([500, 50_000])
        self.post("modes", b'{"model": ' + b"[" * depth + b"]" * depth + b"}", (400, 503))
        self.post("check", json.dumps({"model": "{a: " * depth}).encode(), (400, 503))

    def bomb(self) -> None:
        self.post("check", json.dumps({"model": BOMB}).encode(), (400, 503))

    def silent(self) -> None:
        self.open.append(self.plain())
        if len(self.open) > 100:
            self.open.pop(self.chance.randrange(100)).close()

    def slow(self) -> None:
        plain = self.plain()
        plain.sendall(f"POST /v1/modes HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n".encode())
        if self.chance.random() < 0.5:
            plain.sendall(b"Content-Length: 100000\r\n\r\n{")
        self.open.append(plain)

    def gone(self) -> None:
        body = json.dumps({"model": PENDULUM, "options": {"until": 5}}).encode()
        with self.plain() as plain:
            head = f"POST /v1/simulate HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
            part = body[: self.chance.choice([10, len(body)])]
            plain.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + part)

    def files(self) -> None:
        name = self.chance.choice(["/etc/passwd", "../../../../etc/passwd", "file:///etc/passwd", "/proc/self/environ"])
        body = {**BODY, "inertia": {"mesh": f"{name}\0.stl" if self.chance.random() < 0.3 else f"{name}.stl"}}
        matrices = {"type": "matrices", "at": [0, 0, 0], "mass": name, "stiffness": name, "nodes": name, "modes": 2}
        for request in ({"file": name}, {"model": {"eigenbody": 1, "bodies": {"a": body}}},
                        {"model": {"eigenbody": 1, "flexible": {"a": matrices}}},
                        {"model": PENDULUM, "options": {"out": name}}):  # fmt: skip
            self.post("check", json.dumps(request).encode(), (400, 503))

    def escapes(self) -> None:
        name = self.chance.choice(["\x1b]0;pwned\x07", "\x1b[2J", "\u202egnp", "a\nb\r\n"])
        self.post(
            "modes", json.dumps({"model": {"eigenbody": 1, "bodies": {name: {"mas": name}}}}).encode(), (400, 503)
        )
        self.post(
            "modes", json.dumps({"model": PENDULUM, "options": {name: 1, "set": [f"{name}=1"]}}).encode(), (400, 503)
        )

    def types(self) -> None:
        value = self.chance.choice([{}, [], [[1]], "x", 1e308, -1, True, "--out=/tmp/x", None])
        options = {"n": value if value not in (True, None) else "n", "near": "x", "nn": value}
        self.post("modes", json.dumps({"model": PENDULUM, "options": options}).encode(), (400, 503))

    def paths(self) -> None:
        for path in ("/v1/../../etc/passwd", "/v1/%2e%2e/%2e%2e/etc/passwd", "/", "/v1/modes%00", "/v1/studio"):
            status, _ = exchange(self.host, self.chance.choice(["GET", "PUT", "DELETE"]), path)
            self.statuses[status] += 1

    def no_http(self) -> None:
        with self.plain() as plain:
            plain.sendall(self.chance.choice([b"\x16\x03\x01\x02\x00", b"GET", b"A" * 70_000, b"\r\n" * 100]))

    def lies(self) -> None:
        self.post("modes", b"{}", (403,), Host="evil.example")
        self.post("modes", b"{}", (403,), Origin="https://evil.example")
        self.post("modes", b"{}", (415,), **{"Content-Encoding": "gzip"})

    def close(self) -> None:
        for plain in self.open:
            plain.close()


# ---- what is measured


class Watch:
    """Memory and descriptors of the server and its processes, once a second."""

    def __init__(self, pid: int) -> None:
        self.server, self.begin = psutil.Process(pid), time.monotonic()
        self.rows: list[tuple[float, float, float, int, int]] = []

    def look(self) -> None:
        children, total = self.server.children(), 0
        for child in children:
            with contextlib.suppress(psutil.Error):
                total += child.memory_info().rss
        own = self.server.memory_info().rss
        row = (time.monotonic() - self.begin, own / 1e6, total / 1e6, len(children), self.server.num_fds())
        self.rows.append(tuple(round(number, 1) for number in row))  # type: ignore[arg-type]

    def run(self, is_over: threading.Event) -> None:
        while not is_over.wait(1.0):
            with contextlib.suppress(psutil.Error):
                self.look()


def load(
    count: int, workers: int = 2, seconds: float = 10.0, documents: int = 1000, greedy: float = 0.005,
    minutes: float = 1e9, seed: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """Both clients with so many requests each while there is time, a part of the hostile ones greedy; everything that
    came of it."""
    known = expected(documents)
    with running(workers, seconds) as (pid, host):
        exchange(host, "GET", "/health")
        honest, hostile = Honest(host, known, seed), Hostile(host, seed, greedy)
        watch, is_over = Watch(pid), threading.Event()
        end = time.monotonic() + 60 * minutes
        threads = [threading.Thread(target=_repeat, args=(one.ask, count, end)) for one in (honest, hostile)]
        watching = threading.Thread(target=watch.run, args=(is_over,))
        begin = time.monotonic()
        for thread in (*threads, watching):
            thread.start()
        for thread in threads:
            thread.join()
        elapsed = time.monotonic() - begin
        is_over.set()
        watching.join()
        hostile.close()
        health = json.loads(exchange(host, "GET", "/health")[1])
        processes = [child.pid for child in psutil.Process(pid).children()]
    times = sorted(honest.seconds)
    return {
        "date": datetime.date.today().isoformat(), "python": platform.python_version(), "processors": os.cpu_count(),
        "workers": workers, "seconds": seconds, "elapsed": round(elapsed, 1), "documents": len(known),
        "honest": {
            "requests": len(times), "statuses": dict(sorted(honest.statuses.items())), "wrong": honest.wrong,
            "told_busy": honest.told_busy, "late": honest.late,
            "latency": {f"{q}": round(_quantile(times, q), 3) for q in (0.5, 0.9, 0.99, 1.0)},
        },
        "hostile": {
            "requests": sum(hostile.kinds.values()), "kinds": dict(sorted(hostile.kinds.items())),
            "statuses": dict(sorted(hostile.statuses.items())), "unclear": hostile.unclear,
        },
        "replaced": health["replaced"], "answered": health["answered"],
        "left": sum(psutil.pid_exists(one) and psutil.Process(one).status() != "zombie" for one in processes),
        "curve": watch.rows,
    }  # fmt: skip


def _repeat(act: Callable[[], None], count: int, end: float) -> None:
    for _ in range(count):
        if time.monotonic() > end:
            return
        act()


def _quantile(times: list[float], share: float) -> float:
    return times[min(len(times) - 1, int(share * len(times)))]


def summary(found: dict[str, Any]) -> str:
    """What is printed, and stands in docs/service.md."""
    honest, hostile, curve = found["honest"], found["hostile"], found["curve"]
    quarter = max(1, len(curve) // 4)
    early, late = curve[quarter : 2 * quarter] or curve, curve[-quarter:]
    refused = {status: count for status, count in hostile["statuses"].items() if int(status) >= 400}
    listed = ", ".join(f"{count} x {status}" for status, count in refused.items())

    def both(column: int, unit: str = "") -> str:
        return ", ".join(f"{statistics.median(row[column] for row in part):.0f}{unit}" for part in (early, late))

    rows = [
        ("honest requests; answers that differ from the command line", f"{honest['requests']}; {len(honest['wrong'])}"),
        ("hostile requests and connections; answers not clear", f"{hostile['requests']}; {len(hostile['unclear'])}"),
        ("refused of them, by status", f"{sum(refused.values())}: {listed}"),
        ("honest latency: median, 90 %, 99 %, longest", ", ".join(f"{t:g} s" for t in honest["latency"].values())),
        ("told to come back; ended by the time of a request", f"{honest['told_busy']}; {honest['late']}"),
        ("processes replaced; left when it had ended", f"{found['replaced']}; {found['left']}"),
        ("memory of the server, second and last quarter of the time", both(1, " MB")),
        ("memory of its processes, likewise", both(2, " MB")),
        ("file descriptors of the server, likewise", both(4)),
        ("seconds", found["elapsed"]),
    ]
    return "\n".join(f"| {name} | {value} |" for name, value in (("", ""), ("---", "---"), *rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--minutes", type=float, default=1e9)
    given = parser.parse_args()
    found = load(given.requests, given.workers, given.seconds, minutes=given.minutes)
    print(re.sub(r"^\| --- \| --- \|$", "|---|---|", summary(found), flags=re.MULTILINE))
    for text in (*found["honest"]["wrong"][:5], *found["hostile"]["unclear"][:5]):
        print("!", text)
    folder = HERE / "results" / "serve"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{found['date']}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
