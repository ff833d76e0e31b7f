"""Mutated model files through every command: numbered mutants, a worker that is replaced when it dies, shrinking."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from campaign.command_lines import command_line
from campaign.in_process import Run, faults, run, signature, tidy
from campaign.mutations import ROOT, get, mutant, places, written

STUCK_SECONDS = 120.0  # CPU time of one mutant: the worker hangs in compiled code, where no signal is heard
MEMORY = 4 * 1024**3


def prepare(folder: Path) -> Path:
    """A folder for model files in which the data files of the examples are found."""
    if not (folder / "data").exists():
        (folder / "data").symlink_to(ROOT / "examples" / "data")
    return folder


def one(seed: int, index: int, folder: Path, seconds: float = 60.0) -> dict[str, Any]:
    """The record of one numbered mutant."""
    rng = random.Random(f"mutant {seed}/{index}")
    name, sound, damaged = mutant(rng)
    ending, text = written(damaged, rng)
    arguments = command_line(sound, rng, folder)
    return attempt(name, index, ending, text, arguments, folder, seconds)


def attempt(
    name: str, index: int, ending: str, text: str, arguments: list[str], folder: Path, seconds: float
) -> dict[str, Any]:
    """The record of one model file and one command."""
    path = folder / f"model.{ending}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    line = [arguments[0], str(path), *arguments[1:]]
    begin = time.process_time()
    result: Run = run(line, seconds)
    found = faults(line, result, text)
    return {
        "name": name, "index": index, "code": result.code, "command": arguments, "faults": found, "ending": ending,
        "text": text, "signature": signature(found) if found else "", "cpu": time.process_time() - begin,
    }  # fmt: skip


# A worker that may die


def _work(seed: int, start: int, stop: int, folder: str, pipe: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(folder)
    for index in range(start, stop):
        pipe.send(("begin", index))
        try:
            pipe.send(("end", one(seed, index, Path(folder))))
        except Exception as error:
            pipe.send(("end", _lost(seed, index, "campaign", repr(error))))
    pipe.send(("done", stop))


def _records(seed: int, start: int, stop: int, folder: Path) -> Iterator[dict[str, Any]]:
    """Records of a range of mutants from one worker; ends early, with the record of what ended it, where it dies."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(seed, start, stop, str(folder), theirs))
    worker.start()
    theirs.close()
    current, used = start, 0.0
    try:
        while True:
            if not ours.poll(5.0):
                if _cpu_seconds(worker.pid) - used > STUCK_SECONDS:
                    yield _lost(seed, current, "hang", "in compiled code")
                    return
                continue
            what, value = ours.recv()
            if what == "begin":
                current, used = value, _cpu_seconds(worker.pid)
            elif what == "end":
                yield value
            else:
                return
    except EOFError:
        worker.join(10)
        yield _lost(seed, current, "crash", f"exit code {worker.exitcode}")
    finally:
        worker.kill()
        worker.join(10)
        ours.close()


def _cpu_seconds(pid: int | None) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def campaign(seed: int, start: int, count: int, out: Path | None, batch: int = 300) -> dict[str, Any]:
    """Run numbered mutants in one worker that is replaced after each batch and whenever it dies."""
    codes: Counter[str] = Counter()
    commands: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    cpu = longest = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder, index = prepare(Path(name)), start
        while index < start + count:
            for record in _records(seed, index, min(index + batch, start + count), folder):
                index = record["index"] + 1
                codes[str(record["code"])] += 1
                commands[record["command"][0] if record["command"] else "?"] += 1
                cpu, longest = cpu + record["cpu"], max(longest, record["cpu"])
                if not record["faults"]:
                    continue
                seen[record["signature"]] += 1
                if out is not None and seen[record["signature"]] <= 3:
                    with out.open("a", encoding="utf-8") as stream:
                        stream.write(tidy(json.dumps(record), folder) + "\n")
    return {
        "part": "mutants", "seed": seed, "start": start, "count": count, "cpu_seconds": round(cpu, 1),
        "longest": round(longest, 1), "codes": dict(codes), "commands": dict(commands), "failures": dict(seen),
    }  # fmt: skip


def _lost(seed: int, index: int, kind: str, text: str) -> dict[str, Any]:
    rng = random.Random(f"mutant {seed}/{index}")
    name, sound, damaged = mutant(rng)
    ending, written_text = written(damaged, rng)
    with tempfile.TemporaryDirectory() as folder:
        command = command_line(sound, rng, Path(folder))
    return {"name": name, "index": index, "code": None, "command": command, "faults": {kind: text}, "ending": ending,
            "text": written_text, "signature": f"{kind} {text} {command[0]}", "cpu": 0.0}  # fmt: skip


# Shrinking


def shrink(record: dict[str, Any], folder: Path, tries: int = 400) -> dict[str, Any]:
    """The record with entries removed and options dropped while the same failure persists."""
    wanted = set(record["faults"])
    if wanted & {"hang", "crash", "campaign"}:
        return record  # each try would take a minute
    where = {
        text.split()[0] + text.split()[1] if name.startswith("exit") else "" for name, text in record["faults"].items()
    }

    def fails(candidate: Any, arguments: list[str]) -> dict[str, Any] | None:
        new = attempt(record["name"], record["index"], "json", json.dumps(candidate), arguments, folder, 60.0)
        got = {t.split()[0] + t.split()[1] if n.startswith("exit") else "" for n, t in new["faults"].items()}
        return new if set(new["faults"]) == wanted and got == where else None

    try:
        document = json.loads(record["text"])
    except ValueError:
        import yaml

        try:
            document = yaml.safe_load(record["text"])
        except yaml.YAMLError:
            return record
    best = fails(document, record["command"])
    if best is None:
        return record
    changed = True
    while changed and tries > 0:
        changed = False
        for path in sorted(places(document), key=len):
            candidate = copy.deepcopy(document)
            try:
                del get(candidate, path[:-1])[path[-1]]
            except (KeyError, IndexError, TypeError):
                continue
            tries -= 1
            if tries < 0:
                break
            if smaller := fails(candidate, best["command"]):
                document, best, changed = candidate, smaller, True
                break
    for option in ("--json", "--quiet"):
        fewer = [a for a in best["command"] if a != option]
        if fewer != best["command"] and (smaller := fails(document, fewer)):
            best = smaller
    return best
