"""A model checked against itself: what is printed, its document and the picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.documents import number
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, Styled, counted, significant
from eigenbody.present.words import model_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.verify.find import RouteResult, Verification

STYLES = {"agree": "green", "disagree": "bold red", "unchecked": "yellow"}
MARKERS = ("x", "+", "1", "2", "3", "4")


# ---- words


def sentence(found: Verification) -> str:
    """The verdict in words."""
    states = counted(len(found.eigenvalues), "eigenvalue")
    exact = [result for result in found.results if result.agrees and result.is_exact]
    if found.verdict == "unchecked":
        return "unchecked: no route applies that neglects nothing; the reasons stand below"
    if found.verdict == "agree":
        if not any(result.route.is_independent for result in exact):
            return (
                f"agree: differences of the engine's own equations give the same {states}; no independent route applies"
            )
        others = counted(len(exact), "route")
        return f"agree: {others} and the engine give the same {states}"
    wrong = ", ".join(result.route.name for result in found.results if result.spoils)
    return f"disagree: {wrong} and the engine do not give the same {states}"


def outcome(result: RouteResult) -> str:
    """What came of a route, in one word or two."""
    if not result.applies:
        return "does not apply"
    if result.linear is None:
        return "failed"
    if not result.is_exact:
        return "agrees, though it neglects a term" if result.agrees else "neglects a term"
    return "agrees" if result.agrees else "DISAGREES"


def _remark(result: RouteResult) -> str:
    if result.reason:
        return shown(result.reason, 300)
    assert result.match is not None
    if result.match.surplus:
        there = len(result.match.known)
        return f"{counted(there + result.match.surplus, 'eigenvalue')} instead of {there}"
    return shown(result.route.title, 300)


def _routes_grid(found: Verification) -> Grid:
    rows = [("engine", "—", "—", significant(found.seconds, 2), "analytic tangents of the constrained equations")]
    for result in found.results:
        match = result.match
        difference = "—" if match is None else significant(match.largest, 2)
        seconds = "—" if result.seconds is None else significant(result.seconds, 2)
        rows.append((result.route.name, outcome(result), difference, seconds, _remark(result)))
    columns = ("route", "verdict", "largest\ndifference", "time\ns", "formulation, or why not")
    return Grid("", columns, tuple(rows), (False, False, True, True, False))


def _values_grid(found: Verification) -> Grid:
    gave = [result for result in found.results if result.match is not None]
    kept = [i for i, value in enumerate(found.eigenvalues) if value.imag >= 0]
    rows = []
    for i in kept[:MAX_ROWS]:
        others = [complex_text(result.match.eigenvalues[i]) for result in gave if result.match is not None]
        rows.append((complex_text(found.eigenvalues[i], 10), significant(found.tolerances[i], 2), *others))
    columns = ("engine\n1/s", "tolerance", *(result.route.name for result in gave))
    return Grid("", columns, tuple(rows), (True,) * len(columns), len(kept) - len(rows[:MAX_ROWS]))


def _grids(found: Verification) -> tuple[Grid, ...]:
    return (_routes_grid(found), _values_grid(found)) if len(found.eigenvalues) else (_routes_grid(found),)


def complex_text(value: complex, digits: int = 7) -> str:
    """`-0.24 + 2.13i`; parts that are rounding beside the other are left out."""
    if not np.isfinite(value):
        return "—"
    size = abs(value)
    real = value.real if abs(value.real) > 1e-12 * size else 0.0
    imag = value.imag if abs(value.imag) > 1e-12 * size else 0.0
    if not imag:
        return significant(real, digits)
    sign = "-" if imag < 0 else "+"
    return f"{significant(real, digits) + ' ' if real else ''}{sign} {significant(abs(imag), digits)}i"


def _below(found: Verification) -> list[str]:
    lines = [f"Note: {r.route.name}: {note}" for r in found.results if r.linear is not None for note in r.linear.notes]
    lines += [f"Note: {text}" for text in _undecided(found)]
    if not len(found.eigenvalues):
        return lines
    lines.append(
        f"Differences are relative to the eigenvalue (of zeros: to the largest). Eigenvalues agree within"
        f" {found.tolerance:g} of their magnitude, or within the tolerance beside them, which rounding leaves to"
        " ill-conditioned ones. Of each conjugate pair one is shown."
    )
    return lines


def _undecided(found: Verification) -> list[str]:
    """What the routes cannot confirm of the stability."""
    if not len(found.undecided):
        return []
    worst = max(found.undecided, key=lambda i: found.eigenvalues[i].real)
    return [
        f"stability is not decided here: the engine calls the model {found.stability}, but"
        f" {counted(len(found.undecided), 'eigenvalue')}, {complex_text(found.eigenvalues[worst])} among them, may lie"
        f" on either side of the imaginary axis within the tolerance ({significant(found.tolerances[worst], 2)})."
    ]


# ---- what is printed


def sheet(found: Verification) -> Sheet:
    """The verdict, the routes and the eigenvalues side by side."""
    verdict = Styled(sentence(found), STYLES[found.verdict])
    return Sheet(f"Verification of {model_name(found.point)}", [verdict], _grids(found), _below(found))


# ---- documents and files


def document(found: Verification) -> dict[str, Any]:
    """`verify --json`."""
    engine = [
        {**pair(value), "tolerance": number(allowed)}
        for value, allowed in zip(found.eigenvalues, found.tolerances, strict=True)
    ]
    return {
        "model": found.point.model.name,
        "verdict": found.verdict,
        "tolerance": found.tolerance,
        "stability": found.stability,
        "stability_decided": not len(found.undecided),
        "engine": {"seconds": number(found.seconds), "eigenvalues": engine},
        "routes": [_route(result) for result in found.results],
    }


def _route(result: RouteResult) -> dict[str, Any]:
    match, linear = result.match, result.linear
    return {
        "name": result.route.name,
        "title": result.route.title,
        "source": result.route.source,
        "is_independent": result.route.is_independent,
        "applies": result.applies,
        "reason": result.reason or None,
        "seconds": None if result.seconds is None else number(result.seconds),
        "largest_difference": None if match is None else number(match.largest),
        "agrees": result.agrees,
        "is_exact": result.is_exact,
        "notes": [] if linear is None else list(linear.notes),
        "eigenvalues": None if match is None else [pair(value) for value in match.eigenvalues],
    }


def pair(value: complex) -> dict[str, float | None]:
    """A complex number by its parts."""
    return {"real": number(value.real), "imag": number(value.imag)}


def records(found: Verification) -> Iterator[list[Any]]:
    """The eigenvalues side by side."""
    gave = [(result.route.name, result.match) for result in found.results if result.match is not None]
    heads = (f"{name} {part}" for name, _ in gave for part in ("real", "imag"))
    yield ["engine real", "engine imag", "tolerance", *heads]
    for i, value in enumerate(found.eigenvalues):
        others = (match.eigenvalues[i] for _, match in gave)
        parts = (part for v in others for part in ((v.real, v.imag) if np.isfinite(v) else (None, None)))
        yield [value.real, value.imag, found.tolerances[i], *parts]


# ---- picture


def plot(found: Verification) -> Figure:
    """Eigenvalues of all routes in the complex plane, and their differences beside their tolerances."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.6), layout="constrained")
    plane, apart = figure.subplots(1, 2)
    gave = [result for result in found.results if result.match is not None]
    index = np.arange(1, len(found.eigenvalues) + 1)
    plane.plot(found.eigenvalues.real, found.eigenvalues.imag, "o", ms=11, mfc="none", color="0.4", label="engine")
    apart.plot(index, found.tolerances, "_", ms=14, mew=2, color="0.4", label="tolerance")
    smallest = float(found.tolerances.min(initial=1.0)) * 1e-9
    for k, result in enumerate(gave):
        assert result.match is not None
        style = {"marker": MARKERS[k % len(MARKERS)], "ls": "", "ms": 9, "mew": 1.6, "color": f"C{k}"}
        values = result.match.eigenvalues
        plane.plot(values.real, values.imag, label=result.route.name, **style)
        shift = 0.5 * ((k + 0.5) / len(gave) - 0.5)
        apart.plot(index + shift, np.maximum(result.match.differences, smallest), label=result.route.name, **style)
    plane.set(xlabel="real part, 1/s", ylabel="imaginary part, rad/s", title="Eigenvalues")
    apart.set(xlabel="eigenvalue", ylabel="difference from the engine, 1/s", yscale="log", title="Differences")
    apart.xaxis.get_major_locator().set_params(integer=True)
    for axes in (plane, apart):
        axes.grid(alpha=0.3)
    handles = [*plane.get_lines()[:1], *apart.get_lines()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    figure.suptitle(f"{model_name(found.point)}: {sentence(found)}")
    return figure
