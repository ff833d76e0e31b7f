"""What every command does before its one library call: load the model, place faults in its file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report
from eigenbody.cli import reading, waiting

if TYPE_CHECKING:
    import numpy as np

    from eigenbody.cli.delivery import Delivery
    from eigenbody.model.model import InertModel

MEANT = {"s": "a time", "m/s": "a speed"}
CHANGED = dict.fromkeys(("damping", "proportional", "modal", "structural", "with_damping"), "--damping")
CHANGED["route"] = "--route"
SETTINGS = 'For example: --set k=1200, --set "k=2 kN/m", --set k==2*c.'
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def load(path: str, settings: Sequence[str] | None) -> InertModel:
    """The model with the parameters of `--set`; all faults at once."""
    values = parse_settings(settings or ())
    from eigenbody.elements.vocabulary import VOCABULARY
    from eigenbody.exchange import read_model
    from eigenbody.model.model import InertModel

    if path == "-" and sys.stdin is None:
        raise InputError(Fault("standard input", "is closed.", "Give the path of a model file."))
    with waiting.shown():
        report("reading the model")
        source = read_model(path, **reading.said())
        return _posed(InertModel.from_source(source, VOCABULARY, values))


def _posed(model: InertModel) -> InertModel:
    """The model in the pose of `--pose` and `--at`, held by the joints of `--held`, closed to `--tolerance`."""
    said = reading.pose_said()
    values = parse_settings(said.get("at") or (), "--at", 'For example: --at elbow=0.3, --at "elbow=20 deg".')
    if said.get("pose") is not None:
        model = model.posed(said["pose"])
    if values:
        model = model.posed(values)
    if (held := said.get("held")) is not None:
        model = model.set(operating_point={"held": held if held == "all" else names_in(held, "--held")})
    if (tolerance := said.get("tolerance")) is not None:
        model = model.set(tolerance=float(tolerance) if NUMBER.fullmatch(tolerance) else tolerance)
    return model


@contextmanager
def client_of(scheduler: str | None) -> Iterator[Any]:
    """A client of the cluster of `--scheduler`; None without."""
    if scheduler is None:
        yield None
        return
    from eigenbody.many.cluster import client_at

    client = client_at(scheduler)
    try:
        yield client
    finally:
        client.close(timeout=1)


@contextmanager
def going_on_from(store: str | None) -> Iterator[None]:
    """How to go on, said where many points are interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        from eigenbody.cli.main import say

        if store is None:
            say("nothing is kept. With --store FOLDER the next run can be stopped and goes on where it was.")
        else:
            say(f"what was done is kept in {store}: the same command goes on from there.")
        raise


@contextmanager
def kept_in(store: str | None) -> Iterator[None]:
    """The same where nothing is lost without a store either: the points so far are delivered."""
    if store is None:
        yield
    else:
        with going_on_from(store):
            yield


@contextmanager
def partly_delivered(goal: Delivery) -> Iterator[None]:
    """What a sweep had when it was interrupted is delivered all the same."""
    from eigenbody.analyses.sweep import SweepInterrupted

    try:
        yield
    except SweepInterrupted as stopped:
        goal.deliver(stopped.partial)
        raise


def parse_settings(settings: Sequence[str], option: str = "--set", example: str = SETTINGS) -> dict[str, object]:
    """`["k=1200", "speed=1 Hz", "c==2*k"]` as values: numbers, quantities, expressions."""
    values: dict[str, object] = {}
    faults = []
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not name or not equals or not value:
            what = "a setting is written name=value."
            faults.append(Fault(f"{option} {setting}", what, example))
        values[name] = float(value) if NUMBER.fullmatch(value) else value
    if faults:
        raise InputError(faults)
    return values


def quantity(text: str, unit: str, option: str, example: str) -> float:
    """The value of an option in SI units, plain or with its unit."""
    from eigenbody.model.units import UnitError, parse_quantity

    try:
        return float(parse_quantity(text, unit))
    except UnitError as error:
        what = f'"{text}" is not {MEANT[unit]}: {error}.'
        raise InputError(Fault(option, what, f"Write {example}.")) from error


def end_of(text: str | None, what: str) -> float:
    """`--until` in seconds."""
    if text is None:
        raise InputError(Fault("--until", f"the end of the {what} is missing.", 'For example: --until 2 or "200 ms".'))
    return quantity(text, "s", "--until", '2 or "200 ms"')


def pair(option: str, text: str, form: str, example: str) -> tuple[str, str]:
    """`NAME=VALUE` in its parts."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not name or not equals or not value:
        raise InputError(Fault(f"{option} {text}", f"this is written {form}.", f"For example: {option} {example}."))
    return name, value


def laws(given: Sequence[str], example: str) -> dict[str, str]:
    """Motions `MEASURE=LAW` by measure; one that is prescribed twice is refused."""
    found: dict[str, str] = {}
    for text in given:
        name, law = pair("--motion", text, "MEASURE=LAW", example)
        if name in found:
            raise InputError(Fault(f"--motion {text}", f"{name} is prescribed twice.", "Remove one of the two."))
        found[name] = law
    return found


def names_in(text: str | None, option: str) -> list[str] | None:
    """`a,b,c` as names; None where the option was left out."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InputError(Fault(option, "an empty name.", "Write measures as a,b,c."))
    return names


def numbers_in(text: str | None, option: str) -> list[int] | None:
    """`3,5` or `2-6` as numbers; None where the option was left out."""
    if text is None:
        return None
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = (end.strip() for end in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()) or (dash and int(last) - int(first) > 10_000):
            raise InputError(Fault(f"{option} {text}", "numbers counted from 1 are expected.", "Write 3,5 or 2-6."))
        found += range(int(first), int(last if dash else first) + 1)
    return found


def swept_values(
    mechanism: InertModel, name: str, start: str | None, stop: str | None, points: int, values: str | None
) -> np.ndarray | Sequence[str]:
    """The values as given, or the range."""
    if values is not None:
        if start is not None or stop is not None:
            raise InputError(Fault("--values", "values are given in two ways.", "Leave out --from and --to."))
        return [value.strip() for value in values.split(",")]
    if stop is None:
        raise InputError(Fault("--to", "the end of the range is missing.", 'For example: --from 0 --to "1 Hz".'))
    from eigenbody.analyses.sweep import value_range

    return value_range(mechanism, name, "0" if start is None else start, stop, points)


@contextmanager
def places_of(model: InertModel, **options: str) -> Iterator[None]:
    """Faults found while computing name dotted places (`joints.b`): add the line of the model file.

    `options` maps places that come from the command line instead to the option's name.
    """
    try:
        with waiting.shown():
            yield
    except InputError as error:
        from eigenbody.model.faults import placed

        source = model.source
        raise InputError(
            replace(fault, where=options.get(fault.where) or placed(source, fault.where)) for fault in error.faults
        ) from error
