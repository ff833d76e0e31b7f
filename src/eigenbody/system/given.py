"""Values at the start that the description gives."""

from __future__ import annotations

import numpy as np

from eigenbody.model.description import Description
from eigenbody.model.values import freeze
from eigenbody.system.arguments import Quantities
from eigenbody.system.named import NamedMeasures
from eigenbody.system.signals import SignalCompiler, as_expression
from eigenbody.system.system import Given

_NONE = np.zeros(0)
AT_START = Quantities(_NONE, _NONE, _NONE, _NONE, 0.0)  # where only the time is known


def given_values(description: Description, named: NamedMeasures, key: str, compiler: SignalCompiler) -> Given:
    """Positions or velocities (`key`) of joints, angles, speeds, and drivers that hold during assembly only."""
    measure, value, where = [], [], []
    start = named.joint_start.tolist()
    own = [(entry, range(*start[i : i + 2])) for i, entry in enumerate(description.joints) if entry.get(key)]
    angles = [(item.entry, item.angles.tolist()) for item in named.sequences if item.entry.get(key)]
    for entry, index in (*own, *angles):
        for i, number in zip(index, entry[key], strict=True):
            if number is not None:
                measure.append(i)
                value.append(number)
                where.append(f"{entry.where}: {key}")
    for entry in description.measures if key == "velocity" else ():
        if entry.get("initial") is not None:
            measure.append(named.index[entry.name])
            value.append(entry["initial"])
            where.append(f"{entry.where}: initial")
    for entry in description.drivers:
        if entry.get("assembly"):
            motion = as_expression(entry["motion"])
            signal = compiler.compile(motion if key == "position" else motion.derivative("t"), 0, where=entry.where)
            measure.append(named.of(entry["measure"]))
            value.append(signal.value(AT_START))
            where.append(f"{entry.where}: motion")
    if key == "position":
        for name, number in description.pose.items():
            index = named.of(name)
            if index in measure:
                value[measure.index(index)], where[measure.index(index)] = number, f"pose: {name}"
            else:
                measure.append(index)
                value.append(number)
                where.append(f"pose: {name}")
    return Given(np.array(measure, dtype=int), freeze(value), tuple(where))
