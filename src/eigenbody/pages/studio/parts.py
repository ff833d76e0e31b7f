"""What the page shows of a model at some numbers, as plain data: poles, modes, energies, slopes, curves, loads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.drawing import Scene, xyzw
from eigenbody.analyses.frequency import frf
from eigenbody.analyses.report import frf_charts, mode_documents, packed, response_charts, step_time
from eigenbody.analyses.response import StepInput, response
from eigenbody.analyses.sensitivity import sensitivity
from eigenbody.base.errors import EigenbodyError, in_one_line
from eigenbody.operating.reactions import reactions
from eigenbody.present.words import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eigenbody.analyses.compiled import Evaluation
    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.point import OperatingPoint

Part = dict[str, Any]
ROWS = 60  # of the table of modes
POLES = 2000
INPUTS = 3  # whose step responses are drawn
POINTS = 401  # of a step response
ARROWS = 200  # reactions that are drawn


def finite(value: float, digits: int = 17) -> float | None:
    """The number, or None where it is none: JSON has no NaN."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def state(modes: Modes, scene: Scene, selected: int) -> Part:
    """Verdict, poles, table of modes, and the shape of the selected one."""
    count = min(len(modes), POLES)
    rows = range(min(count, ROWS))
    point = modes.linear.point
    r, R = np.real(point.state.r)[scene.rows], np.real(point.state.R)[scene.rows]
    return {
        "verdict": verdict(modes),
        "stability": modes.stability,
        "poles": [[float(value.real), float(value.imag)] for value in modes.eigenvalues[:count]],
        "modes": [
            {
                "hz": finite(float(modes.damped_frequency_hz[i])),
                "natural_hz": finite(float(modes.frequency_hz[i])),
                "damping": finite(float(modes.damping_ratio[i])),
                "kind": modes.kinds[i],
                "stability": modes.stabilities[i],
            }
            for i in rows
        ],
        "more": len(modes) - len(rows),
        "selected": selected,
        "shape": None if not len(modes) else shape(modes, scene, selected),
        "rest": np.round(np.concatenate((r, xyzw(R)), axis=1), 9).tolist(),
    }


def shape(modes: Modes, scene: Scene, selected: int) -> Part:
    """The motion of all bodies and bent lines in one mode, as the player of the report takes it."""
    motion = modes.motion[selected : selected + 1, scene.rows]
    one = mode_documents(modes, None, selected + 1, scene)[selected]
    bends = scene.bent.shapes(modes, selected + 1)[selected:]
    both = lambda values: packed(np.stack((values.real, values.imag), axis=-1))  # noqa: E731
    return {
        "hz": one["hz"],
        "scale": one["scale"],
        "size": scene.size,
        "remark": one["remark"],
        "motion": both(motion),
        "bends": both(bends),
    }


def same_mode(before: np.ndarray, modes: Modes) -> int:
    """The mode whose shape is most like one of a moment ago (MAC over all bodies); `before` is its motion."""
    motion = modes.motion[:ROWS]
    if before.shape != motion.shape[1:] or not len(motion):
        return 0
    flat, own = motion.reshape(len(motion), -1), before.ravel()
    size = np.linalg.norm(flat, axis=1) * np.linalg.norm(own)
    alike = np.maximum(np.abs(flat.conj() @ own), np.abs(flat @ own)) / np.where(size > 0, size, 1.0)
    return int(np.argmax(np.round(alike, 6)))


def detail(modes: Modes, scene: Scene, selected: int) -> Part:
    """What every mode is called, and the energies of the selected one."""
    if not len(modes):
        return {"labels": [], "mode": None}
    found = modes.explain()
    document = mode_documents(modes, found, selected + 1, scene)[selected]
    return {"labels": list(found.labels[:ROWS]), "mode": document}


def slopes(evaluation: Evaluation, names: Sequence[str], selected: int) -> Part:
    """Where every pole goes with every knob, d lambda / dp in 1/s per SI unit; None where it has no derivative. `best`
    lists the knobs that move the selected mode most for the same per cent first."""
    modes = evaluation.modes
    if not names or not len(modes):
        return {"slopes": {}, "best": list(names), "effects": {}}
    try:
        found = sensitivity(evaluation.model, list(names), n=min(len(modes), ROWS), at=evaluation.point)
    except EigenbodyError as error:
        return {"slopes": {}, "best": list(names), "effects": {}, "why": in_one_line(error)}
    out: dict[str, list[list[float] | None]] = {}
    for name, row in zip(found.names, found.eigenvalues, strict=True):
        out[name] = [[float(v.real), float(v.imag)] if np.isfinite(v) else None for v in row]
    k = min(selected, found.eigenvalues.shape[1] - 1)
    effect = np.abs(found.eigenvalues[:, k] * found.values)
    effect = np.where(np.isfinite(effect), effect, 0.0)
    order = np.argsort(-effect, kind="stable")
    size = abs(complex(found.modes.eigenvalues[k])) or 1.0
    effects = {
        name: [
            finite(float(found.relative_frequency[i, k]), 6),
            finite(float(found.damping_ratio[i, k] * found.values[i]), 6),
            finite(float(effect[i] / size), 6),
        ]
        for i, name in enumerate(found.names)
    }
    return {"slopes": out, "best": [found.names[i] for i in order], "effects": effects}


def curves(modes: Modes) -> Part:
    """Charts of frequency and step responses, where the model has inputs and outputs."""
    linear = modes.linear
    if not linear.inputs or not linear.outputs:
        why = "The model has no inputs and outputs: add them, and responses are drawn here."
        return {"frf": [], "step": [], "why": why}
    out: Part = {"frf": [], "step": [], "why": ""}
    try:
        out["frf"] = [chart for _, chart in frf_charts(frf(linear))]
    except EigenbodyError as error:
        out["why"] = in_one_line(error)
    if linear.is_sparse:
        return out
    until = step_time(modes)
    for name in linear.inputs[:INPUTS]:
        try:
            found = response(linear, StepInput(name), times=(until, POINTS))
        except EigenbodyError as error:
            out["why"] = in_one_line(error)
            continue
        out["step"] += [{**chart, "title": f"Unit step of {name}"} for _, chart in response_charts(found)]
    return out


def loads(point: OperatingPoint) -> Part:
    """The operating point, and force and moment in every joint, with arrows for the drawing (ground axes)."""
    kind = "at rest, in equilibrium" if point.is_equilibrium else "at rest, accelerating" if point.is_at_rest else ""
    kind = kind or ("in steady motion" if point.is_steady else "in motion")
    try:
        found = reactions(point)
        ground = reactions(point, axes="ground")
    except EigenbodyError as error:
        return {"point": kind, "reactions": [], "why": in_one_line(error)}
    rows = [
        {
            "joint": one.joint,
            "force": [finite(float(v), 9) for v in one.force],
            "moment": [finite(float(v), 9) for v in one.moment],
            "open": list(one.indeterminate),
            "at": [finite(float(v), 9) for v in other.point],
            "arrow": [finite(float(v), 9) for v in other.force],
        }
        for one, other in zip(list(found)[:ARROWS], ground, strict=False)
    ]
    coordinates = {name: finite(float(value), 9) for name, value in list(point.coordinates().items())[:ARROWS]}
    return {"point": kind, "coordinates": coordinates, "reactions": rows, "why": ""}
