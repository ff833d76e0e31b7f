"""Tendons: fixed ones are sums of joint coordinates, spatial ones sums of distances where they run straight."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.exchange.mjcf.compiled import SLIDE
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.exchange.mjcf.passive import damper, spring


def add_tendons(draft: Draft) -> None:
    """Measures, and what acts along them; tendons that wrap around something are left out with a note."""
    m = draft.robot.m
    gone, heavy, yielding = [], [], []
    for i in range(m.ntendon):
        given = draft.robot.name_of("TENDON", i) or f"tendon{i}"
        entry = _measure(draft, i, given)
        if entry is None:
            gone.append(given)
            continue
        name = draft.name("TENDON", i, "measures", "tendon", f"tendon{i}")
        draft.sections["measures"][name] = entry
        draft.tendons[i] = name
        _act(draft, i, name)
        heavy += [given] if draft.robot.has("tendon_armature") and m.tendon_armature[i] else []
        yielding += [given] if draft.robot.has("tendon_springyield") and m.tendon_springyield[i] else []
    for names, what in (
        (gone, "Spatial tendons that wrap around geoms are left out, with what acts along them"),
        (heavy, "Inertia of tendons is left out"),
        (yielding, "Springs of tendons do not yield"),
    ):
        if names:
            draft.note(f"{what}: {', '.join(names)}.")


def _measure(draft: Draft, i: int, given: str) -> dict[str, Any] | None:
    m, wrap = draft.robot.m, draft.robot.mujoco.mjtWrap
    at = range(int(m.tendon_adr[i]), int(m.tendon_adr[i]) + int(m.tendon_num[i]))
    kinds = {int(m.wrap_type[k]) for k in at}
    if kinds == {int(wrap.mjWRAP_JOINT)}:
        return _fixed(draft, at)
    return _straight(draft, at, given) if kinds <= {int(wrap.mjWRAP_SITE), int(wrap.mjWRAP_PULLEY)} else None


def _fixed(draft: Draft, at: range) -> dict[str, Any]:
    m = draft.robot.m
    terms: dict[str, float] = {}
    for k in at:
        name = draft.joints[int(m.wrap_objid[k])]
        terms[name] = terms.get(name, 0.0) + float(m.wrap_prm[k])
    entry: dict[str, Any] = {"type": "sum", "terms": terms}
    slides = {int(m.jnt_type[int(m.wrap_objid[k])]) == SLIDE for k in at}
    return entry if len(slides) == 1 else entry | {"unit": "m"}


def _straight(draft: Draft, at: range, given: str) -> dict[str, Any] | None:
    """From site to site; behind a pulley the rest counts by its divisor."""
    m, d, wrap = draft.robot.m, draft.robot.d, draft.robot.mujoco.mjtWrap
    terms: dict[str, float] = {}
    constant, divisor, before = 0.0, 1.0, -1
    for k in at:
        if int(m.wrap_type[k]) == int(wrap.mjWRAP_PULLEY):
            divisor, before = float(m.wrap_prm[k]), -1
            continue
        site = int(m.wrap_objid[k])
        if before >= 0:
            ends = [draft.sites[before], draft.sites[site]]
            first, second = (draft.sections["markers"][end]["body"] for end in ends)
            if first == second:
                constant += float(np.linalg.norm(d.site_xpos[site] - d.site_xpos[before])) / divisor
            else:
                part = draft.add("measures", f"{given}_part{len(terms) + 1}", {"type": "distance", "between": ends})
                terms[part] = 1.0 / divisor
        before = site
    if not terms:
        return None
    return {"type": "sum", "terms": terms} | ({"constant": constant} if constant else {})


def _act(draft: Draft, i: int, name: str) -> None:
    m, robot = draft.robot.m, draft.robot
    k = 0.0 if robot.is_disabled("SPRING", "PASSIVE") else float(m.tendon_stiffness[i])
    c = 0.0 if robot.is_disabled("DAMPER", "PASSIVE") else float(m.tendon_damping[i])
    low, high = (float(value) for value in np.ravel(m.tendon_lengthspring[i]))
    more = {
        key: robot.array(f"tendon_{key}poly")[i] if robot.has(f"tendon_{key}poly") and first else np.zeros(2)
        for key, first in (("stiffness", k), ("damping", c))
    }
    if low == high:
        spring(draft, name, k, low, more["stiffness"])
    elif k:
        entry = {"type": "backlash", "along": name, "k": k, "gap": high - low, "centre": (low + high) / 2}
        draft.add("forces", f"{name}_spring", entry, ("measures", name))
        if more["stiffness"].any():
            draft.note(f"The spring of tendon {name} has a constant stiffness.")
    damper(draft, name, c, more["damping"])
