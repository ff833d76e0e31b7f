"""Studies of the model at the numbers of now: a Campbell diagram over a knob, shapes compared with other ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from eigenbody.analyses.modes import Modes, mac, modes
from eigenbody.analyses.sweep import campbell
from eigenbody.base.errors import Fault, InputError
from eigenbody.model.model import InertModel
from eigenbody.pages.studio.bench import model_of
from eigenbody.pages.studio.knobs import Knob, knobs_of, si_values
from eigenbody.pages.studio.parts import finite
from eigenbody.pages.studio.protocol import finite_numbers

Request = dict[str, Any]
Messages = Iterator[tuple[str, dict[str, Any]]]
SPEEDS = 200  # most points of a Campbell diagram
ORDERS = 12  # most excitation lines
SHAPES = 24  # modes of each side that are compared


def model_and_knobs(request: Request) -> tuple[InertModel, tuple[Knob, ...]]:
    """The model of a request at the numbers of its knobs."""
    model = model_of(request["text"], request["label"], request["folder"])
    knobs = knobs_of(model)
    return model.with_values(si_values(knobs, finite_numbers(request["values"]))), knobs


def over_speed(request: Request) -> Messages:
    """Frequencies over a knob that changes a speed, with whirl, excitation lines and critical speeds."""
    model, knobs = model_and_knobs(request)
    knob = next((one for one in knobs if one.name == request["knob"]), None)
    low, high = sorted(finite_numbers({"from": request["low"], "to": request["high"]}).values())
    orders = list(finite_numbers({str(i): order for i, order in enumerate(request["orders"])}).values())
    if knob is None or low == high:
        raise InputError(Fault("campbell", "a knob and two ends of its range are needed.", "Choose another one."))
    if len(orders) > ORDERS:
        raise InputError(Fault("orders", f"{len(orders)} lines cannot be read.", f"Give {ORDERS} at most."))
    yield "busy", {"what": "campbell", "stage": "going through the speeds", "share": None}
    written = np.linspace(low, high, max(2, min(int(request["points"]), SPEEDS)))
    found = campbell(model, knob.name, [knob.si(float(value)) for value in written], per_rev=orders or None, workers=1)
    curve = lambda values: [finite(float(value), 9) for value in values]  # noqa: E731
    branches = [
        {"label": label, "whirl": found.whirl[k], "hz": curve(found.frequency_hz[:, k]),
         "damping": curve(found.damping_ratio[:, k])}
        for k, label in enumerate(found.labels)
    ]  # fmt: skip
    critical = [
        {"at": knob.written(one.values[knob.name]), "hz": one.frequency / (2 * np.pi), "order": one.order,
         "branch": one.branch}
        for one in found.critical_speeds
    ]  # fmt: skip
    yield "campbell", {
        "knob": knob.name, "unit": knob.unit, "x": [knob.written(float(value)) for value in found.values],
        "branches": branches, "spin_hz": curve(found.spin / (2 * np.pi)), "orders": list(found.per_rev),
        "critical": critical, "joint": found.joint,
    }  # fmt: skip


def compare(request: Request) -> Messages:
    """The shapes of now and those of another model or other numbers: MAC by mass, and the pairs."""
    yield "busy", {"what": "compare", "stage": "comparing shapes", "share": None}
    own, other = (modes(model_and_knobs(one)[0]) for one in (request, {**request, **request["other"]}))
    found = mac(own, other)
    yield "mac", {
        "name": request["other"]["name"],
        "values": [[finite(float(v), 6) for v in row[:SHAPES]] for row in found.values[:SHAPES]],
        "first": _named(own), "second": _named(other), "weighting": found.weighting,
        "pairs": [
            [pair.first, pair.second, finite(pair.value, 6)]
            for pair in found.pairs() if pair.first < SHAPES and pair.second < SHAPES
        ],
    }  # fmt: skip


def _named(found: Modes) -> list[dict[str, Any]]:
    labels = found.explain().labels
    return [
        {"label": labels[i], "hz": finite(float(found.damped_frequency_hz[i])),
         "damping": finite(float(found.damping_ratio[i]))}
        for i in range(min(len(found), SHAPES))
    ]  # fmt: skip
