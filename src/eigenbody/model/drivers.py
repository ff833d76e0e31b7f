"""Drivers of all coordinates of a joint or measure at once, `motion` a list: one driver for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenbody.model.faults import Faults
from eigenbody.model.names import MeasureDimensions


def one_by_one(raw: Mapping[str, Any], measures: MeasureDimensions, faults: Faults) -> dict[str, Any]:
    """The section `drivers` as written, with a driver `name label` for every coordinate of those that drive several."""
    out: dict[str, Any] = {}
    for name, item in raw.items():
        measure, motion = (item.get("measure"), item.get("motion")) if isinstance(item, dict) else (None, None)
        several = measures.coordinates_of(measure) if isinstance(measure, str) else []
        if not (isinstance(motion, list) and several):
            out[name] = item
        elif len(motion) != len(several):
            what = f"a list of {len(several)} is expected ({', '.join(several)}), not {len(motion)}."
            faults.add(("drivers", name, "motion"), what)
        else:
            each = zip(several, motion, strict=True)
            out |= {f"{name} {one.rpartition('.')[2]}": {**item, "measure": one, "motion": m} for one, m in each}
    return out
