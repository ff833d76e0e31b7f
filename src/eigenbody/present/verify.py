"""A model checked against itself: text, HTML, terminal, JSON, files and the picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.documents import as_json, number
from eigenbody.present.export import Writer, csv_text, text_file
from eigenbody.present.tables import MAX_ROWS, Grid, counted, matrix_text, model_name, significant, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from eigenbody.analyses.verify import RouteModel, RouteResult, Verification

ENDINGS = ("json", "csv")
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
        others = [_complex(result.match.eigenvalues[i]) for result in gave if result.match is not None]
        rows.append((_complex(found.eigenvalues[i], 10), significant(found.tolerances[i], 2), *others))
    columns = ("engine\n1/s", "tolerance", *(result.route.name for result in gave))
    return Grid("", columns, tuple(rows), (True,) * len(columns), len(kept) - len(rows[:MAX_ROWS]))


def _grids(found: Verification) -> tuple[Grid, ...]:
    return (_routes_grid(found), _values_grid(found)) if len(found.eigenvalues) else (_routes_grid(found),)


def _complex(value: complex, digits: int = 7) -> str:
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
        f" {counted(len(found.undecided), 'eigenvalue')}, {_complex(found.eigenvalues[worst])} among them, may lie on"
        f" either side of the imaginary axis within the tolerance ({significant(found.tolerances[worst], 2)})."
    ]


# ---- tables


def verification_text(found: Verification) -> str:
    """The tables as plain text."""
    head = [f"Verification of {model_name(found.point)}", sentence(found), ""]
    grids = [line for grid in _grids(found) for line in (grid.text(), "")]
    return "\n".join([*head, *grids, *wrapped(_below(found))])


def verification_html(found: Verification) -> str:
    """The tables as HTML; every name is escaped."""
    head = f"<p><b>Verification of {escape(model_name(found.point))}</b><br>{escape(sentence(found))}</p>"
    below = "<br>".join(escape(line) for line in _below(found))
    return f"{head}{''.join(grid.html() for grid in _grids(found))}<p>{below}</p>"


def verification_rich(found: Verification) -> RenderableType:
    """The tables for the terminal."""
    from rich.console import Group
    from rich.text import Text

    title = Text(f"Verification of {model_name(found.point)}", style="bold")
    below = [Text(line, style="dim") for line in _below(found)]
    verdict = Text(sentence(found), style=STYLES[found.verdict])
    grids = [part for grid in _grids(found) for part in (grid.rich(), Text())]
    return Group(title, verdict, Text(), *grids, *below)


# ---- documents and files


def verification_document(found: Verification) -> dict[str, Any]:
    """`verify --json`."""
    engine = [
        {**_pair(value), "tolerance": number(allowed)}
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
        "eigenvalues": None if match is None else [_pair(value) for value in match.eigenvalues],
    }


def _pair(value: complex) -> dict[str, float | None]:
    return {"real": number(value.real), "imag": number(value.imag)}


def verification_writer(found: Verification, ending: str) -> Writer:
    """Writes the document (json) or the eigenvalues side by side (csv)."""
    if ending == "json":
        return text_file(as_json(verification_document(found)) + "\n")
    gave = [result for result in found.results if result.match is not None]
    head = ["engine real", "engine imag", "tolerance"]
    head += [f"{result.route.name} {part}" for result in gave for part in ("real", "imag")]
    lines: list[list[Any]] = [head]
    for i, value in enumerate(found.eigenvalues):
        cells: list[Any] = [value.real, value.imag, found.tolerances[i]]
        for result in gave:
            assert result.match is not None
            other = result.match.eigenvalues[i]
            cells += ["", ""] if not np.isfinite(other) else [other.real, other.imag]
        lines.append(cells)
    return text_file(csv_text(lines))


# ---- picture


def plot_verification(found: Verification) -> Figure:
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


# ---- one route alone


def route_endings(name: str) -> tuple[str, ...]:
    """Endings of files that a route can be written to."""
    return ("json", "tex", "py") if name == "symbolic" else ("json",)


def route_writer(found: RouteModel, ending: str) -> Writer:
    """Writes the document (json), or the equations themselves (tex, py)."""
    return text_file(as_json(route_document(found)) + "\n" if ending == "json" else found.exported(ending))


def route_document(found: RouteModel) -> dict[str, Any]:
    """`linearize --method NAME --json`."""
    route, linear = found.route, found.linear
    return {
        "model": found.point.model.name,
        "method": route.name,
        "title": route.title,
        "source": route.source,
        "is_exact": linear.is_exact,
        "notes": list(linear.notes),
        "matrices": {name: _entries(matrix) for name, matrix in linear.matrices.items()},
        "eigenvalues": _entries(_sorted(linear.eigenvalues)),
    }


def route_text(found: RouteModel) -> str:
    """Matrices and eigenvalues of one route as plain text."""
    route, linear = found.route, found.linear
    parts = [f"{model_name(found.point)} by {route.name}: {route.title}", f"Source: {route.source}", ""]
    for name, matrix in linear.matrices.items():
        if np.iscomplexobj(matrix):
            parts += [f"{name}, 1/s", *_listed(matrix), ""]
            continue
        whole = np.atleast_2d(np.asarray(matrix, float))
        labels = [[str(i + 1) for i in range(size)] for size in whole.shape]
        grid = matrix_text(name, whole, labels[0], labels[1])
        parts += [grid if isinstance(grid, str) else grid.text(), ""]
    notes = wrapped(f"Note: {note}" for note in linear.notes)
    return "\n".join([*parts, "Eigenvalues, 1/s", *_listed(linear.eigenvalues), "", *notes])


def _entries(array: np.ndarray) -> list[Any]:
    """Rows of a matrix or a vector; complex entries with both parts."""
    if np.iscomplexobj(array):
        return [_entries(row) if np.ndim(row) else _pair(complex(row)) for row in array]
    rows: list[Any] = np.asarray(array, float).tolist()
    return rows


def _listed(values: np.ndarray) -> list[str]:
    return [f"  {_complex(value, 12)}" for value in _sorted(values)]


def _sorted(eigenvalues: np.ndarray) -> np.ndarray:
    values = np.asarray(eigenvalues, complex).ravel()
    return values[np.lexsort((values.imag, values.real, np.round(np.abs(values), 9)))]
