"""Sentences about models that several looks have in common: verdicts, redundant rows, certificates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from eigenbody.model.names import GROUND
from eigenbody.model.source import shown
from eigenbody.present.tables import SAID, Styled, counted, significant

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes, ModesCertificate
    from eigenbody.linearization.certificate import Certificate
    from eigenbody.linearization.model import LinearModel
    from eigenbody.linearization.point import OperatingPoint


def verdict(modes: Modes) -> str:
    """The stability of the whole in words."""
    entries = list(zip(modes.stabilities, modes.kinds, modes.eigenvalues, strict=True))
    some = " (of the modes found)" if modes.solver == "sparse" else ""
    if modes.stability == "marginal":
        neutral = all(kind == "rigid" for stability, kind, _ in entries if stability == "marginal")
        words = ": a position that nothing restores" if neutral and entries else ": undamped oscillation"
    elif modes.stability == "drifting":
        drifting = [kind for stability, kind, _ in entries if stability == "drifting"]
        free = "rigid" in drifting or not drifting
        words = (
            ": a free rotation or translation" if free else ": an undamped resonance that grows in proportion to time"
        )
    elif modes.stability == "unstable":
        rates = [value.real for stability, _, value in entries if stability == "unstable"]
        words = _growth(rates, _lists_all(modes)) if rates else ": modes beyond those listed grow"
    elif modes.stability == "frozen":
        point = modes.linear.point
        at = "a point that is no equilibrium" if point.is_at_rest else "an instant of a motion along which they change"
        return f"frozen: equations linearized at {at}; nothing is said about stability"
    elif modes.stability == "immobile":
        return "immobile: nothing can move"
    else:
        words = ""
    if modes.steady_frame is not None:
        observer = modes.steady_frame[0]
        words += ", seen from the " + ("ground" if observer == GROUND else f"frame that turns with {shown(observer)}")
    return f"{modes.stability}{words}{some}"


def _lists_all(modes: Modes) -> bool:
    """Whether no mode is left out, or it is said anyway that modes are."""
    listed = sum(1 if value.imag == 0 else 2 for value in modes.eigenvalues.tolist())
    return modes.solver == "sparse" or listed >= modes.states


def _growth(rates: list[float], is_all: bool) -> str:
    doubling = significant(math.log(2) / float(max(rates)), 3)
    known = "" if is_all else " among those listed"
    return f": {counted(len(rates), 'growing mode')}{known}, the fastest doubles every {doubling} s"


def redundancy(rows: Sequence[dict[str, str]]) -> str:
    """The redundant rows by joint."""
    if not rows:
        return "Redundant constraints: none"
    by_joint: dict[str, list[str]] = {}
    for row in rows:
        by_joint.setdefault(row["joint"], []).append(row["row"])
    parts = [f"{shown(joint)} ({', '.join(labels)})" for joint, labels in list(by_joint.items())[:8]]
    more = f", ... and {len(by_joint) - 8} more joints" if len(by_joint) > 8 else ""
    return f"Redundant constraints: {len(rows)}: {', '.join(parts)}{more}"


def certified_modes(check: ModesCertificate) -> str:
    """The certificate of modes, to follow that of the linear equations."""
    found, plain = check.zeros
    zeros = f", {counted(found, 'zero')}" + ("" if plain in (None, found) else f" ({plain} by plain eigenvalues)")
    trace = "" if check.trace is None else f", trace defect {significant(check.trace, 2)}"
    return f"Modes: backward error {significant(check.residual, 2)}{trace}{zeros}"


def certified(certificate: Certificate) -> str:
    """The certificate in one line."""
    drift = ", ".join(significant(d, 2) for d in certificate.drift)
    return (
        f"Certificate: residual {significant(certificate.residual, 2)}, constraint drift {drift}"
        f" (position, velocity, acceleration), tangent error {significant(certificate.tangent_error, 2)}"
    )


def model_name(point: OperatingPoint) -> str:
    """Name of the model, safe to print."""
    return shown(point.model.name, 100)


def warned(point: OperatingPoint) -> list[str]:
    """Warnings about the model; commands say them on standard error too."""
    return [Styled(f"Warning: {warning}", SAID) for warning in point.warnings]


def noted(notes: Iterable[str]) -> list[str]:
    """Notes as remarks."""
    return [f"Note: {note}" for note in notes]


def remarks_below(linear: LinearModel, notes: Iterable[str] | None = None) -> list[str]:
    """What stands under a table: notes, warnings, redundant rows, certificate."""
    means = [f"Slopes of the function in {where}: {how}" for where, how in linear.certificate.derivatives.items()]
    remarks = [*noted(linear.notes if notes is None else notes), *warned(linear.point)]
    return [*remarks, redundancy(linear.certificate.redundant), certified(linear.certificate), *means]
