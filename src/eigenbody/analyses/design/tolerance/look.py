"""Tolerance bands: what they print, their document, arrays and picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.design.optimize.look import plain_unit
from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, counted, listed, plain_text, significant
from eigenbody.present.words import noted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eigenbody.analyses.design.tolerance.find import Band, Tolerance

LEVELS = (2.5, 50.0, 97.5)
MOST_BANDS = 30
BAND = "#a9c4ea"


# Tables ---------------------------------------------------------------------------------------------------------------
def sheet(r: Tolerance) -> Sheet:
    """Every band beside its nominal value."""
    title, *lines = _head(r)
    first = r.method == "first-order"
    words = ["Lowest and highest: every number at the worse end of its tolerance."] if first else []
    return Sheet(title, lines, [_grid(r)], [*words, *noted(r.notes)])


def _head(r: Tolerance) -> list[str]:
    ranges = [f"{name} {significant(v)} ± {significant(w, 4)}" for name, (v, w) in r.tolerances.items()]
    if r.method == "first-order":
        how = "First order, from exact derivatives"
    else:
        how = f"Monte Carlo, {counted(r.count, 'sample')}, seed {r.seed}"
    reach = "uniform" if r.distribution == "uniform" else "normal, the tolerance is two standard deviations"
    return [f"Tolerance bands of {shown(r.model.name, 100)}", f"{how}; {reach}", f"Varied: {listed(ranges)}"]


def _grid(r: Tolerance) -> Grid:
    first = r.method == "first-order"
    columns = ["quantity", "unit", "nominal", "standard\ndeviation", "deviation\n%"]
    columns += ["lowest", "highest", "most from"] if first else ["0.5 %", "2.5 %", "median", "97.5 %", "99.5 %"]
    rows = []
    for band in r.bands[:MAX_ROWS]:
        share = 100 * band.deviation / abs(band.nominal) if band.nominal else np.nan
        row = [
            shown(band.label, 60),
            plain_unit(band.unit),
            significant(band.nominal, 7),
            significant(band.deviation, 3),
        ]
        row += [significant(share, 3), significant(band.lower, 7)]
        row += [] if first else [significant(v, 7) for v in percentiles(band)]
        row += [significant(band.upper, 7)]
        row += [_most(band)] if first else []
        rows.append(tuple(row))
    right = (False, False, *(True for _ in columns[2:]))
    return Grid("", tuple(columns), tuple(rows), (*right[:-1], not first), len(r.bands) - len(rows))


def _most(band: Band) -> str:
    if not band.shares:
        return ""
    name, share = max(band.shares.items(), key=lambda item: item[1])
    return f"{shown(name, 30)} {100 * share:.0f} %" if share > 0 else "—"


def percentiles(band: Band) -> list[float]:
    """The 2.5, 50 and 97.5 percentiles of the samples."""
    if band.samples is None:
        return []
    return [float(v) for v in np.percentile(band.samples[~np.isnan(band.samples)], LEVELS)]


# Documents and files --------------------------------------------------------------------------------------------------
def document(r: Tolerance) -> dict[str, Any]:
    """`tolerance --json`."""
    return {
        "model": r.model.name,
        "method": r.method,
        "distribution": r.distribution,
        "samples": r.count,
        "failed": r.failed,
        "seed": r.seed if r.method == "monte-carlo" else None,
        "varied": [{"name": n, "value": number(v), "tolerance": number(w)} for n, (v, w) in r.tolerances.items()],
        "bands": [
            {
                "what": band.label,
                "unit": plain_unit(band.unit),
                "nominal": number(band.nominal),
                "lower": number(band.lower),
                "upper": number(band.upper),
                "deviation": number(band.deviation),
                "percentiles": None
                if band.samples is None
                else dict(zip(map(str, LEVELS), percentiles(band), strict=True)),
                "shares": {name: number(share) for name, share in band.shares.items()},
            }
            for band in r.bands
        ],
        "notes": list(r.notes),
    }


def records(r: Tolerance) -> Iterator[Sequence[Any]]:
    """A line for each band."""
    yield "what", "unit", "nominal", "lower", "upper", "deviation"
    yield from ((b.label, plain_unit(b.unit), b.nominal, b.lower, b.upper, b.deviation) for b in r.bands)


def arrays(r: Tolerance) -> dict[str, Any]:
    """The bands, with all samples where there are."""
    own: dict[str, Any] = {
        "what": tuple(b.label for b in r.bands),
        "nominal": np.array([b.nominal for b in r.bands]),
        "lower": np.array([b.lower for b in r.bands]),
        "upper": np.array([b.upper for b in r.bands]),
        "deviation": np.array([b.deviation for b in r.bands]),
        "model": np.array(r.model.name),
    }
    if r.method == "monte-carlo":
        own["samples"] = np.stack([b.samples for b in r.bands if b.samples is not None], axis=1)
    return own


def axes(r: Tolerance) -> dict[str, Over]:
    """What the arrays lie over."""
    own = {name: over(what="") for name in ("nominal", "lower", "upper", "deviation")}
    return own | ({"samples": over(sample="", what="")} if r.method == "monte-carlo" else {})


# Pictures -------------------------------------------------------------------------------------------------------------
def plot(r: Tolerance) -> Figure:
    """Every band relative to its nominal value, in per cent; frequencies, damping ratios and peaks in panels."""
    from matplotlib.figure import Figure

    groups: dict[str, list[Band]] = {}
    for band in r.bands:
        kind = "damping ratio" if band.label.startswith("damping") else "frequency" if band.unit == "Hz" else "peak"
        groups.setdefault(kind, []).append(band)
    groups = {kind: bands[:MOST_BANDS] for kind, bands in groups.items()}
    counts = [len(bands) for bands in groups.values()]
    figure = Figure(figsize=(9, 1.9 + 0.34 * sum(counts) + 0.7 * len(counts)), layout="constrained", facecolor="white")
    figure.suptitle("\n".join(plain_text(shown(line, 110)) for line in _head(r)), fontsize=10.5, color=INK)
    panels = np.atleast_1d(figure.subplots(len(groups), 1, height_ratios=[c + 1 for c in counts]))
    for panel, (kind, bands) in zip(panels, groups.items(), strict=True):
        _panel(panel, kind, bands)
    panels[-1].set_xlabel("deviation from the nominal value, %")
    words = "worst case" if r.method == "first-order" else "99 % of the samples"
    panels[0].plot([], [], color=BAND, lw=8, label=words)
    panels[0].plot([], [], color=LINE, lw=4, label="± one standard deviation")
    panels[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize=9)
    return figure


def _panel(axes: Axes, kind: str, bands: list[Band]) -> None:
    for k, band in enumerate(bands):
        unit = abs(band.nominal) / 100 or 1.0
        low, high, spread = ((v / unit) for v in (band.lower - band.nominal, band.upper - band.nominal, band.deviation))
        axes.plot([low, high], [k, k], color=BAND, lw=8, solid_capstyle="butt")
        axes.plot([-spread, spread], [k, k], color=LINE, lw=4, solid_capstyle="butt")
        axes.plot([0], [k], "|", color=INK, ms=9)
    named = lambda b: b.label.removeprefix(f"{kind} of ") if kind != "peak" else b.label  # noqa: E731
    labels = [f"{named(b)}: {significant(b.nominal, 4)} {plain_unit(b.unit)}".rstrip() for b in bands]
    axes.set_yticks(range(len(bands)), [plain_text(shown(text, 60)) for text in labels], fontsize=9)
    axes.set_ylim(len(bands) - 0.4, -0.6)
    axes.set_ylabel(kind)
    axes.grid(True, axis="x", color="#dddddd", lw=0.7)
