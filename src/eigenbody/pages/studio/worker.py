"""The process that computes: takes requests, answers in parts, ends with the one who asks.

It is started by `engine.py` as `python -c`. Nothing of a model file is executed; memory is bounded where the system
can do that.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from eigenbody.base.errors import ComputationError, EigenbodyError, InputError, in_one_line
from eigenbody.many.worker import READY, read, write
from eigenbody.pages.studio.limits import GivenUp

MEMORY = 8 * 2**30  # bytes of address space
READERS = ("open", "prepare")  # read a text: `open` tells what it describes and its state, `prepare` nothing
TURNS = ("turn", "follow")  # other numbers: `turn` gives the state, `follow` the rest
BEHIND = 5  # how much the process of the rest stands back (nice) for what the hand waits for
Request = dict[str, Any]


def main() -> None:
    """Serve until standard input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not stand among the messages
    _bound_memory()
    inbox: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_listen, args=(inbox,), daemon=True).start()
    say = lambda *message: write(out, pickle.dumps(message))  # noqa: E731
    from eigenbody.pages.studio import bench  # noqa: F401  the reading of all modules is no part of anyone's time

    sys.unraisablehook = _unraised
    say(0, READY, {})
    Server(inbox, say).serve()


def _listen(inbox: SimpleQueue[Request]) -> None:
    while (data := read(sys.stdin.buffer)) is not None:
        inbox.put(pickle.loads(data))
    os._exit(0)  # nobody wants the result any more


def _unraised(error: Any) -> None:
    """What is given up may be inside a finalizer, where nothing can be raised: the next tick gives it up."""
    if not issubclass(error.exc_type, GivenUp):
        sys.__unraisablehook__(error)


def _bound_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


class Server:
    """Answers requests one after another; of several turns that wait, the newest."""

    def __init__(self, inbox: SimpleQueue[Request], say: Callable[..., None]) -> None:
        self.inbox, self.say = inbox, say
        self.bench: Any = None

    def serve(self) -> None:
        """Until the process ends."""
        while True:
            waiting = [self.inbox.get()]
            while not self.inbox.empty():
                waiting.append(self.inbox.get())
            for request in self._skipping(waiting):
                self._answer(request)

    def _skipping(self, waiting: list[Request]) -> list[Request]:
        """What is worth doing: the last text that came, and of turns the last."""
        kinds = [request["do"] for request in waiting]
        first = max((k for k, kind in enumerate(kinds) if kind in READERS), default=0)
        wanted = [k for k, kind in enumerate(kinds) if k >= first and (kind not in TURNS or kind not in kinds[k + 1 :])]
        for k, request in enumerate(waiting):
            if k not in wanted:
                self.say(request["ticket"], "done", {})
        return [waiting[k] for k in wanted]

    def _answer(self, request: Request) -> None:
        ticket = request["ticket"]
        self.say(ticket, "begun", {})
        try:
            for kind, fields in self._messages(request):
                self.say(ticket, kind, fields)
        except InputError as error:
            from eigenbody.pages.studio.bench import fault_documents

            self.say(ticket, "refused", {"faults": fault_documents(error.faults)})
        except (EigenbodyError, ComputationError) as error:
            self.say(ticket, "failed", {"message": in_one_line(error)})
        except MemoryError:
            self.say(ticket, "failed", {"message": "There is not enough memory for this model."})
        except Exception as error:  # a fault of ours costs a message, not the process
            text = f"internal error ({type(error).__name__}: {in_one_line(error)[:300]}). This is a bug, please report."
            self.say(ticket, "failed", {"message": text})
        self.say(ticket, "done", {})

    def _messages(self, request: Request) -> Iterator[tuple[str, dict[str, Any]]]:
        do = request["do"]
        if do not in READERS + TURNS:
            from eigenbody.pages.studio import jobs

            yield from jobs.JOBS[do](request)
            return
        from eigenbody.pages.studio.bench import Bench

        if do in READERS:
            self.bench = None
            self.bench = Bench.opened(request["version"], request["text"], request["label"], request["folder"])
        if do == "prepare":
            _stand_back()
            return
        if do == "open":
            own = {knob.name: knob.value for knob in self.bench.knobs}
            same = {name for name, value in request["known"].items() if own.get(name) == value}
            values = {name: value for name, value in request["values"].items() if name in same}
            selected = self.bench.selected
            yield "model", {**self.bench.description(), "values": values}
        else:
            values, selected = request["values"], request["selected"]
        if self.bench is None or self.bench.version != request["version"]:
            return  # the text has changed meanwhile and does not describe a model
        self.bench.turned(values, selected)
        head = {"seq": request["seq"], "version": request["version"]}
        if do != "follow":
            yield "state", {**head, **self.bench.state(), "values": values}
            return
        for kind, fields in self.bench.rest(lambda: not self.inbox.empty()):
            yield kind, {**head, **fields}


def _stand_back() -> None:
    with suppress(AttributeError, OSError):  # not on every system
        os.nice(max(0, BEHIND - os.nice(0)))
