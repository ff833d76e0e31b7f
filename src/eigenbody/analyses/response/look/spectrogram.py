"""Spectrograms: the strongest line over time, all amplitudes, maps and waterfalls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import Grid, Sheet, counted, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.response.spectra import Spectrogram

MAX_TIMES = 25  # lines of the table
MAX_SPECTRA = 40  # one behind the other
RANGE = 100.0  # decibels of the map


def sheet(found: Spectrogram) -> Sheet:
    """The strongest lines of the pieces."""
    index = np.unique(np.linspace(0, len(found) - 1, min(len(found), MAX_TIMES)).round().astype(int))
    rows = []
    for i in index:
        lines = sorted(found.spectrum(int(i)).peaks(2), key=lambda p: -p.amplitude)
        cells = [text for p in lines for text in (significant(p.frequency_hz, 5), significant(p.amplitude, 5))]
        rows.append((significant(float(found.t[i])), *(cells + ["—"] * 4)[:4]))
    titles = ("t\ns", "strongest\nHz", "amplitude", "second\nHz", "amplitude")
    line = f"{counted(len(found), 'piece')} of {significant(found.length)} s, window {found.window}"
    return Sheet(f"Spectrogram of {found.name}", [line], [Grid("", titles, tuple(rows), (True,) * 5)])


def document(found: Spectrogram) -> dict[str, Any]:
    """Amplitudes [time][frequency] in full."""
    require_finite(amplitude=found.amplitude)
    return {
        "signal": found.name,
        "length": number(found.length),
        "window": found.window,
        "t": found.t.tolist(),
        "frequency_hz": found.frequency_hz.tolist(),
        "amplitude": found.amplitude.tolist(),
    }


def arrays(found: Spectrogram) -> dict[str, Any]:
    """Times, frequencies and amplitudes (times, frequencies)."""
    own = {"t": found.t, "frequency_hz": found.frequency_hz, "amplitude": found.amplitude}
    return {**own, "signal": np.array(found.name), "length": np.array(found.length)}


def axes(found: Spectrogram) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "t": over("s", t=""), "frequency_hz": over("Hz", frequency_hz=""), "amplitude": over(t="", frequency_hz=""),
    }  # fmt: skip


def records(found: Spectrogram) -> Iterator[list[Any]]:
    """A line for each time, a column for each frequency in Hz."""
    yield ["t", *(f"{hz:.9g}" for hz in found.frequency_hz)]
    for t, row in zip(found.t.tolist(), found.amplitude.tolist(), strict=True):
        yield [t, *row]


def plot(found: Spectrogram, kind: str = "map") -> Figure:
    """Amplitude in decibels over time and frequency, or spectra one behind the other."""
    return _map(found) if kind == "map" else _waterfall(found)


def _map(found: Spectrogram) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    level = 20 * np.log10(np.maximum(found.amplitude, 1e-12 * found.amplitude.max(initial=1e-300)))
    mesh = axes.pcolormesh(
        found.t, found.frequency_hz, level.T, shading="nearest", cmap="viridis", vmin=level.max() - RANGE,
        vmax=level.max(), rasterized=True,
    )  # fmt: skip
    figure.colorbar(mesh, ax=axes, label="amplitude, dB")
    axes.set_xlabel("time, s")
    axes.set_ylabel("frequency, Hz")
    axes.set_title(plain_text(found.name), fontsize=11, loc="left")
    return figure


def _waterfall(found: Spectrogram) -> Figure:
    """Spectra over frequency, raised by their time; the frequencies that hold all but a thousandth of the amplitude."""
    from matplotlib.figure import Figure

    index = np.unique(np.linspace(0, len(found) - 1, min(len(found), MAX_SPECTRA)).round().astype(int))
    top = float(found.amplitude.max(initial=0.0)) or 1.0
    seen = np.flatnonzero((found.amplitude > 1e-3 * top).any(axis=0))
    last = min(len(found.frequency_hz), int(1.2 * (seen.max(initial=0) + 1)) + 2)
    hz, apart = found.frequency_hz[:last], float(np.ptp(found.t)) / max(len(index) - 1, 1) or 1.0
    figure = Figure(figsize=(9, 6.5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    for layer, i in enumerate(index[::-1]):  # the latest is behind
        curve = found.t[i] + 4 * apart * found.amplitude[i, :last] / top
        axes.fill_between(hz, found.t[i], curve, color="white", zorder=2 * layer)
        axes.plot(hz, curve, color=LINE, lw=1.0, zorder=2 * layer + 1)
    axes.set_xlim(hz[0], hz[-1])
    axes.set_xlabel("frequency, Hz")
    axes.set_ylabel("time, s")
    highest = f"{significant(top, 4)} {found.unit}".rstrip()
    axes.set_title(plain_text(f"{found.name}; highest line {highest}"), fontsize=11, loc="left", color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
