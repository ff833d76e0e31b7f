"""The process of a worker: reads what to do, then parcels of points, until the one who asked is gone.

It is started as `python -c` and not by `multiprocessing`, which would read the user's script again. Messages are
lengths (8 bytes) and pickles, from standard input and to standard output.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO

HEAD = struct.Struct(">Q")
READY, UNREADY = "ready", "unready"


def write(stream: BinaryIO, data: bytes) -> None:
    """One message."""
    stream.write(HEAD.pack(len(data)))
    stream.write(data)
    stream.flush()


def read(stream: BinaryIO) -> bytes | None:
    """One message; None where the other side is gone."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (size,) = HEAD.unpack(head)
    data = stream.read(size)
    return data if len(data) == size else None


def main() -> None:
    """Serve until standard input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not stand among the messages
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, inbox), daemon=True).start()
    try:
        work = pickle.loads(inbox.get())
    except Exception as error:  # whatever the reading of someone's objects may raise
        write(out, pickle.dumps((UNREADY, f"{type(error).__name__}: {error}")))
        os._exit(1)
    from eigenbody.many.parcels import answers
    from eigenbody.numerics.runtime import on_one_thread

    write(out, pickle.dumps((READY, None)))
    while True:
        found = on_one_thread(answers)(work, pickle.loads(inbox.get()))
        write(out, _packed(found))


def _packed(found: tuple[list[tuple[Any, str | None]], float]) -> bytes:
    try:
        return pickle.dumps(found)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        reason = f"internal error (its result cannot travel: {error})."
        return pickle.dumps(([(None, reason)] * len(found[0]), found[1]))


def _listen(stream: BinaryIO, inbox: SimpleQueue[bytes]) -> None:
    """Take messages while others are worked on. The end of the stream is the end of the one who asked: nobody wants
    the result any more."""
    while (data := read(stream)) is not None:
        inbox.put(data)
    os._exit(0)
