"""Multipliers and exponents: what they print, their document, arrays and picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number
from eigenbody.present.style import FAINT, INK, LINE
from eigenbody.present.tables import COLOURS, MAX_ROWS, Grid, Sheet, Styled, counted, listed, significant
from eigenbody.present.words import model_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.floquet.find import Floquet
    from eigenbody.analyses.floquet.slopes import ExponentSlopes

VERDICTS = {
    "stable": "stable: deviations die out",
    "marginal": "marginal: deviations neither grow nor die out",
    "drifting": "drifting: a free rotation or translation",
    "unstable": "unstable: deviations grow, e times in {} s",
    "immobile": "immobile: nothing can move",
}
SHOWN = 0.005  # share of a harmonic below which it is not listed
COLUMNS = (
    "index", "multiplier_real", "multiplier_imag", "real", "imag", "frequency_hz", "damping_ratio", "stability",
)  # fmt: skip


def sheet(found: Floquet) -> Sheet:
    """The table of exponents."""
    kind = "cycle" if found.is_cycle else "motion"
    size = counted(len(found.states), "state")
    growth = significant(1 / found.growth, 3) if found.growth > 0 else ""
    word = f"{kind} of period {significant(found.period)} s, {size}; {VERDICTS[found.stability].format(growth)}"
    c = found.certificate
    drift = ", ".join(significant(value, 2) for value in c.drift)
    certificate = (
        f"Certificate: closes to {significant(c.orbit, 2)}, determinant {significant(c.determinant, 2)}, last"
        f" refinement {significant(c.convergence, 2)} ({c.times} times), constraint drift {drift}, tangent error"
        f" {significant(c.tangent_error, 2)}"
    )
    below = [*(f"Note: {note}" for note in found.notes), certificate]
    line = Styled(word[0].upper() + word[1:], COLOURS.get(found.stability, ""))
    grids = [_grid(found), *([] if found.slopes is None else [_slopes_grid(found, found.slopes)])]
    return Sheet(f"Floquet exponents of {model_name(found.point)}", [line], grids, below)


def _slopes_grid(found: Floquet, slopes: ExponentSlopes) -> Grid:
    """A line for each number and exponent."""
    rows = tuple(
        (
            name if not k else "",
            str(k + 1),
            significant(slopes.exponents[p, i].real),
            significant(slopes.exponents[p, i].imag / (2 * np.pi)),
            significant(slopes.period[p]) if not k else "",
        )
        for p, name in enumerate(slopes.names)
        for k, i in enumerate(found.index[:MAX_ROWS])
    )
    columns = ("by", "#", "d real\n1/s", "d frequency\nHz", "d period\ns")
    return Grid("Sensitivity, per unit of each number", columns, rows, (False,) + (True,) * 4)


def _grid(found: Floquet) -> Grid:
    rows = tuple(
        (
            str(k + 1),
            significant(abs(found.multipliers[i])),
            significant(found.frequency_hz[k]),
            significant(found.damping_ratio[k], 5),
            significant(found.exponents[i].real),
            significant(found.exponents[i].imag),
            found.stabilities[k],
            _harmonics(found, k),
        )
        for k, i in enumerate(found.index[:MAX_ROWS])
    )
    columns = (
        "#", "|multiplier|", "frequency\nHz", "damping\nratio", "real\n1/s", "imag\nrad/s", "stability", "harmonics",
    )  # fmt: skip
    return Grid("", columns, rows, (True,) * 6 + (False,) * 2, max(len(found.index) - MAX_ROWS, 0))


def _strong(found: Floquet, k: int) -> list[tuple[int, float]]:
    """Orders and shares of the harmonics that matter, strongest first."""
    middle = found.harmonics.shape[1] // 2
    orders = np.argsort(-found.harmonics[k], kind="stable")
    return [(int(i - middle), float(found.harmonics[k, i])) for i in orders if found.harmonics[k, i] >= SHOWN]


def _harmonics(found: Floquet, k: int) -> str:
    """Share of the frequency told, and of those a multiple of the period's away."""
    return listed([f"{order:+d}: {share:.0%}" if order else f"{share:.0%}" for order, share in _strong(found, k)[:4]])


def document(found: Floquet) -> dict[str, Any]:
    """`floquet --json`."""
    c = found.certificate
    return {
        "model": found.model.name,
        "period": number(found.period),
        "cycle": found.is_cycle,
        "states": list(found.states),
        "stability": found.stability,
        "multipliers": [_pair(value) for value in found.multipliers],
        "exponents": [_pair(value) for value in found.exponents],
        "modes": [_entry(found, k, int(i)) for k, i in enumerate(found.index)],
        "certificate": {
            "orbit": number(c.orbit),
            "drift": [number(value) for value in c.drift],
            "tangent_error": number(c.tangent_error),
            "determinant": number(c.determinant),
            "convergence": number(c.convergence),
            "times": c.times,
        },
        **({} if found.slopes is None else {"sensitivity": _slopes(found.slopes)}),
        "notes": list(found.notes),
        "warnings": list(found.point.warnings),
    }


def _slopes(slopes: ExponentSlopes) -> list[dict[str, Any]]:
    """A map for each number."""
    return [
        {
            "name": name,
            "value": number(slopes.values[p]),
            "period": number(slopes.period[p]),
            "multipliers": [_pair(value) for value in slopes.multipliers[p]],
            "exponents": [_pair(value) for value in slopes.exponents[p]],
        }
        for p, name in enumerate(slopes.names)
    ]


def _pair(value: complex) -> list[float | None] | None:
    return [number(value.real), number(value.imag)] if np.isfinite(value) else None


def _entry(found: Floquet, k: int, i: int) -> dict[str, Any]:
    base = 1.0 / found.period
    value = found.exponents[i]
    return {
        "index": k + 1,
        "multiplier": _pair(found.multipliers[i]),
        "real": number(value.real),
        "imag": number(value.imag),
        "frequency_hz": number(found.frequency_hz[k]),
        "damped_frequency_hz": number(value.imag / (2 * np.pi)),
        "damping_ratio": number(found.damping_ratio[k]),
        "stability": found.stabilities[k],
        "error": number(found.bounds[i]),
        "harmonics": [
            {"order": order, "frequency_hz": number(value.imag / (2 * np.pi) + order * base), "share": share}
            for order, share in _strong(found, k)
        ],
    }


def records(found: Floquet) -> list[tuple[Any, ...]]:
    """A line for each entry."""
    lines = [
        (
            k + 1, found.multipliers[i].real, found.multipliers[i].imag, found.exponents[i].real,
            found.exponents[i].imag, found.frequency_hz[k], found.damping_ratio[k], found.stabilities[k],
        )
        for k, i in enumerate(found.index)
    ]  # fmt: skip
    return [COLUMNS, *lines]


def arrays(found: Floquet) -> dict[str, Any]:
    """Multipliers, exponents, shapes at the start of the period, harmonics."""
    slopes = {}
    if found.slopes is not None:
        slopes = {
            "numbers": found.slopes.names, "exponent_slopes": found.slopes.exponents,
            "multiplier_slopes": found.slopes.multipliers, "period_slopes": found.slopes.period,
        }  # fmt: skip
    return {
        "period": np.array(found.period),
        "multipliers": found.multipliers,
        "exponents": found.exponents,
        "error": found.bounds,
        "entries": found.index,
        "shapes": found.shapes,
        "harmonics": found.harmonics,
        "stability": tuple(found.stabilities),
        "states": found.states,
        "model": np.array(found.model.name),
        "verdict": np.array(found.stability),
        **slopes,
    }


def axes(found: Floquet) -> dict[str, Over]:
    """What the arrays lie over."""
    slopes = {
        "exponent_slopes": over(number="numbers", multiplier=""),
        "multiplier_slopes": over(number="numbers", multiplier=""),
        "period_slopes": over(number="numbers"),
    }
    return {
        **({} if found.slopes is None else slopes),
        "multipliers": over("1", multiplier=""),
        "exponents": over("1/s", multiplier=""),
        "error": over("1", multiplier=""),
        "entries": over(entry=""),
        "stability": over(entry=""),
        "shapes": over(entry="", state="states"),
        "harmonics": over("1", entry="", harmonic=""),
    }


def plot(found: Floquet) -> Figure:
    """Multipliers about the unit circle, and the harmonics of each exponent by frequency."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    turn = np.linspace(0, 2 * np.pi, 361)
    left.plot(np.cos(turn), np.sin(turn), color=FAINT, linewidth=1)
    left.axhline(0, color=FAINT, linewidth=0.5)
    left.axvline(0, color=FAINT, linewidth=0.5)
    outside = np.isin(np.arange(len(found.multipliers)), _unstable(found))
    for chosen, colour, label in ((~outside, LINE, "on or inside the circle"), (outside, "#c0392b", "outside: grows")):
        if chosen.any():
            here = found.multipliers[chosen]
            left.plot(here.real, here.imag, "o", color=colour, label=label, markersize=6, alpha=0.8)
    left.set_aspect("equal")
    left.set_xlabel("real part of the multiplier")
    left.set_ylabel("imaginary part")
    if len(found.multipliers):
        left.legend(fontsize="small", loc="upper right")
    _draw_harmonics(found, right)
    figure.suptitle(f"Floquet multipliers of {model_name(found.point)}, period {significant(found.period)} s")
    return figure


def _unstable(found: Floquet) -> list[int]:
    own = [int(i) for i, word in zip(found.index, found.stabilities, strict=True) if word == "unstable"]
    conjugates = [j for j, value in enumerate(found.multipliers) for i in own if value == np.conj(found.multipliers[i])]
    return [*own, *conjugates]


def _draw_harmonics(found: Floquet, panel: Any) -> None:
    """A line for each entry: its harmonics as dots, as large as their share, over the frequency."""
    for k, i in enumerate(found.index[:30]):
        for order, share in _strong(found, k):
            hz = abs(found.exponents[i].imag / (2 * np.pi) + order / found.period)
            panel.plot(hz, k + 1, "o", color=LINE if order == 0 else FAINT, markersize=2 + 10 * np.sqrt(share))
    panel.set_yticks(range(1, min(len(found.index), 30) + 1))
    panel.invert_yaxis()
    panel.set_xlabel("frequency, Hz")
    panel.set_ylabel("exponent")
    panel.grid(alpha=0.3)
    panel.set_title("harmonics (area: share of the motion)", fontsize="medium", color=INK)
