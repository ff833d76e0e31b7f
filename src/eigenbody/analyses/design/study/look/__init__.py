"""Studies: what they print, their document, lines and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.design.optimize.look import plain_unit
from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, plain
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, counted, listed, significant
from eigenbody.present.words import noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.design.study.result import StudiedQuantity, Study

MOST_REASONS = 5
WORDS = {
    "latin": "Latin hypercube", "factorial": "full factorial", "sobol": "Sobol sequence", "monte-carlo": "Monte Carlo",
    "saltelli": "Saltelli's scheme for Sobol indices",
}  # fmt: skip


# Tables ---------------------------------------------------------------------------------------------------------------
def sheet(r: Study) -> Sheet:
    """The scatter of every quantity, what it comes from, how likely instability is."""
    count, asked = r.done, r.about["points"]
    done = counted(count, "point") if count == asked else f"{count} of {counted(asked, 'point')} computed so far"
    seed = "" if r.method == "factorial" else f", seed {r.about['options']['seed']}"
    lines = [f"{WORDS[r.method][:1].upper()}{WORDS[r.method][1:]}, {done}{seed}"]
    lines += [f"{shown(spread.name, 40)}: {spread.words}" for spread in r.spreads[:MAX_ROWS]]
    pairs = [f"{a} with {b} {value:g}" for a, b, value in r.about["options"]["correlation"]]
    lines += [f"Correlated: {listed(pairs)}"] if pairs else []
    below = [*likelihood(r), *_doubts(r), *_failed(r), *noted(r.notes)]
    return Sheet(f"Study of {shown(r.model, 100)}", lines, [_scatter(r), _causes(r)], below)


def _scatter(r: Study) -> Grid:
    columns = (
        "quantity",
        "unit",
        "nominal",
        "mean",
        "standard\ndeviation",
        "least",
        "2.5 %",
        "median",
        "97.5 %",
        "greatest",
    )
    rows = []
    for q in r.quantities[:MAX_ROWS]:
        f = q.found
        numbers = (q.nominal, f.mean, f.deviation, f.least, *f.percentiles, f.greatest)
        rows.append((shown(q.name, 40), plain_unit(q.unit), *(significant(v, 5) for v in numbers)))
    right = (False, False, *(True for _ in columns[2:]))
    return Grid("", columns, tuple(rows), right, len(r.quantities) - len(rows))


def _causes(r: Study) -> Grid:
    """Where the scatter comes from: a line for each quantity and number."""
    is_indexed = any(q.indices is not None for q in r.quantities)
    columns = ["quantity", "varied", "standardized\ncoefficient", "standard\nerror"]
    columns += ["first-order\nindex", "95 % from", "to", "total\nindex", "95 % from", "to"] if is_indexed else []
    rows = [
        (shown(q.name, 40), shown(spread.name, 40), *_cause(q, k, is_indexed))
        for q in r.quantities
        for k, spread in enumerate(r.spreads)
    ]
    kept = tuple(rows[:MAX_ROWS])
    title = "Where the scatter comes from" + _fits(r)
    return Grid(title, tuple(columns), kept, (False, False, *(True for _ in columns[2:])), len(rows) - len(kept))


def _cause(q: StudiedQuantity, k: int, is_indexed: bool) -> list[str]:
    cells = ["—", "—"]
    if q.regression is not None:
        cells = [f"{q.regression.coefficients[k]:.3f}", f"{q.regression.errors[k]:.3f}"]
    if is_indexed:
        i = q.indices
        cells += ["—"] * 6 if i is None else [
            f"{v[k]:.3f}" for v in (i.first, i.first_low, i.first_high, i.total, i.total_low, i.total_high)
        ]  # fmt: skip
    return cells


def _fits(r: Study) -> str:
    fits = [f"{q.name} {q.regression.r_squared:.3f}" for q in r.quantities if q.regression is not None]
    return f" (R² of the linear fit: {listed(fits, 6)})" if fits else ""


def likelihood(r: Study) -> list[str]:
    """How likely a design is unstable, in words."""
    found = r.instability
    if found is None:
        return []
    share = f"{found.unstable} of {counted(found.known, 'point')} unstable"
    if np.isnan(found.low):
        return [f"{share} ({100 * found.share:.3g} %); the levels are no distribution, so this is no probability."]
    ends = f"95 % confidence {100 * found.low:.3g} to {100 * found.high:.3g} %"
    both = f", the {found.failed} that could not be computed counted both ways" if found.failed else ""
    return [f"Probability of instability {100 * found.share:.3g} % ({share}; {ends}{both})."]


def _doubts(r: Study) -> list[str]:
    if not r.doubtful:
        return []
    return [f"At {counted(r.doubtful, 'point')} it could not be told for sure which mode is which (column `doubtful`)."]


def _failed(r: Study) -> list[str]:
    if not r.failures:
        return []
    reasons = sorted(r.failures.items(), key=lambda item: -item[1])[:MOST_REASONS]
    head = f"{sum(r.failures.values())} points are not known, or not wholly (column `failure`):"
    return [head, *(f"{n} times: {shown(text, 200)}" for text, n in reasons)]


# Documents and files --------------------------------------------------------------------------------------------------
def document(r: Study) -> dict[str, Any]:
    """`study --json`."""
    found = r.instability
    return {
        "model": r.model, "method": r.method, "seed": r.about["options"]["seed"],
        "points": r.about["points"], "done": r.done,
        "varied": [
            {"name": s.name, "nominal": number(s.nominal), "distribution": s.law, "numbers": plain(list(s.numbers))}
            for s in r.spreads
        ],
        "correlation": plain(r.about["options"]["correlation"]),
        "quantities": [_quantity(r, q) for q in r.quantities],
        "instability": None if found is None else {
            "share": number(found.share), "low": number(found.low), "high": number(found.high),
            "unstable": found.unstable, "known": found.known, "failed": found.failed,
        },
        "doubtful": r.doubtful,
        "failures": [{"reason": reason, "count": count} for reason, count in r.failures.items()],
        "notes": list(r.notes),
    }  # fmt: skip


def _quantity(r: Study, q: StudiedQuantity) -> dict[str, Any]:
    f, names = q.found, [spread.name for spread in r.spreads]
    by = lambda values: {name: number(float(v)) for name, v in zip(names, values, strict=True)}  # noqa: E731
    fit, i = q.regression, q.indices
    return {
        "name": q.name, "what": q.label, "unit": plain_unit(q.unit), "nominal": number(q.nominal), "known": f.known,
        "mean": number(f.mean), "deviation": number(f.deviation), "least": number(f.least),
        "greatest": number(f.greatest),
        "percentiles": {level: number(v) for level, v in zip(("2.5", "50", "97.5"), f.percentiles, strict=True)},
        "regression": None if fit is None else {
            "coefficients": by(fit.coefficients), "errors": by(fit.errors), "r_squared": number(fit.r_squared),
        },
        "sobol": None if i is None else {
            "base_points": i.base_points, **{own: by(v) for own, v in zip(i._fields[:-1], i[:-1], strict=True)},
        },
    }  # fmt: skip


def records(r: Study) -> Iterator[list[Any]]:
    """A line for each point."""
    names = r.lines.columns
    yield list(names)
    yield from map(list, zip(*(r.column(name).tolist() for name in names), strict=True))


def arrays(r: Study) -> dict[str, Any]:
    """A column for each name."""
    return {name: r.column(name) for name in r.lines.columns}


def axes(r: Study) -> dict[str, Over]:
    """Every column lies over the points."""
    units = {column["name"]: column["unit"] for column in (*r.about["varied"], *r.about["found"])}
    return {name: over(units.get(name, ""), line="point") for name in r.lines.columns if name != "point"}


def plot(r: Study, kind: str = "scatter") -> Figure:
    """One of the pictures."""
    from eigenbody.analyses.design.study.look import pictures

    return {"scatter": pictures.scatter, "parallel": pictures.parallel, "instability": pictures.instability}[kind](r)
