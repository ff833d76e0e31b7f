"""What page and server say to each other: one table for each direction. Messages are JSON objects with a `kind`.

What comes from the page is checked against the table before anything is done with it: a kind that is not listed, a
field too many, too few, or of another type is refused in words.
"""

from __future__ import annotations

import json
import math
from typing import Any

from eigenbody.base.errors import Fault, InputError

LARGEST = 8 * 2**20  # characters of one message
MOST = 2000  # names in one map

FROM_PAGE: dict[str, dict[str, type]] = {
    "hello": {},  # send everything that there is to know
    "edit": {"text": str, "base": int},  # the text of the model now, changed from version `base`
    "save": {},  # write the text to the file, faulty or not
    "undo": {},
    "redo": {},
    "turn": {"values": dict, "selected": int, "seq": int},  # numbers of knobs, in the units that the file writes
    "keep": {"values": dict},  # write numbers of knobs into the text
    "drag": {"values": dict, "step": int},  # the same while something is dragged: one step of undo
    "stop": {},  # end what is being computed
    "find": {"goals": list, "vary": dict, "selected": int},  # vary: {knob: [from, to]}
    "map": {"x": list, "y": list, "values": dict, "points": int},  # x, y: [knob, from, to]
    "simulate": {"until": float, "values": dict},
    "report": {"values": dict},
    "campbell": {"knob": str, "low": float, "high": float, "points": int, "orders": list, "values": dict},
    "compare": {"values": dict, "other": dict},  # other: path of a file, or a text; its values, its name
    "movie": {
        "frames": list,
        "is_last": bool,
        "format": str,
        "seconds": float,
    },  # PNG, in portions
    "folder": {},
    "open": {"path": str},
    "new": {"of": str, "path": str},
}

FROM_SERVER = {
    "document": "text, version, path, is_saved, can_undo, can_redo, note",
    "faults": "version, faults [{line, column, where, what, remedy}]",
    "model": "version, name, summary, knobs, their trial values, names (by section), points that can be moved, notes",
    "values": "values of the knobs, by another page",
    "state": "seq, version, values, verdict, stability, poles, table of modes, selected mode and its shape, rest poses",
    "detail": "seq, labels of the modes, facts and energies of the selected one",
    "slopes": "seq, slopes of every pole by every knob, knobs that move the selected mode most first, their effects",
    "curves": "seq, charts of frequency and step responses",
    "loads": "seq, operating point, reactions, their arrows",
    "scene": "seq, what is drawn",
    "failed": "what (of which kind of work), message",
    "busy": "what, stage, share; what is empty when nothing long is computed",
    "proposal": "values, before and after, message",
    "map": "x, y, row by row",
    "motion": "times, poses and charts of a simulated motion",
    "report": "address of the page that was made, or itself where there is no server",
    "campbell": "x, branches [{label, whirl, hz, damping}], spin_hz, orders, critical speeds",
    "mac": "values, modes of both, pairs [[first, second, MAC]]",
    "file": "name, type, content (base64): something to take away",
    "folder": "files [path], starters [{kind, title}]",
}


def read_message(text: str) -> tuple[str, dict[str, Any]]:
    """Kind and fields of a message from a page; InputError with what is wrong about it."""
    try:
        found = json.loads(text) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        found = None
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(kind, str) or kind not in FROM_PAGE:
        raise InputError(Fault("message", "the page said something that is not understood.", "Load the page again."))
    fields = {name: value for name, value in found.items() if name != "kind"}
    wanted = FROM_PAGE[kind]
    if fields.keys() != wanted.keys() or not all(_is(fields[name], of) for name, of in wanted.items()):
        raise InputError(Fault(f"message {kind}", f"its fields must be {', '.join(wanted) or 'none'}."))
    return kind, fields


def _is(value: Any, of: type) -> bool:
    if of is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if of is dict:
        return isinstance(value, dict) and len(value) <= MOST
    return isinstance(value, of) and (of is bool or not isinstance(value, bool))


def finite_numbers(values: dict[str, Any]) -> dict[str, float]:
    """Numbers by name; InputError where something is no finite number."""
    wrong = [name for name, value in values.items() if not _is(value, float)]
    if wrong:
        raise InputError(Fault(wrong[0], "a finite number is expected."))
    return {name: float(value) for name, value in values.items()}


def as_text(kind: str, fields: dict[str, Any]) -> str:
    """A message to a page."""
    assert kind in FROM_SERVER, kind
    return json.dumps({"kind": kind, **fields}, allow_nan=False, separators=(",", ":"))
