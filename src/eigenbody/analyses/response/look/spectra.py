"""Spectra of histories: their peaks and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.present.axes import Over, over
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import Grid, Sheet, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.response.spectra import Spectrum


def sheet(spectrum: Spectrum) -> Sheet:
    """The peaks."""
    rows = tuple((significant(p.frequency_hz, 7), significant(p.amplitude)) for p in spectrum.peaks(30))
    grid = Grid(f"Peaks of {spectrum.name}", ("frequency\nHz", "amplitude"), rows, (True, True))
    return Sheet("", (), [grid])


def arrays(spectrum: Spectrum) -> dict[str, Any]:
    """Amplitudes over frequency."""
    name = np.array(spectrum.name)
    return {"frequency_hz": spectrum.frequency_hz, "amplitude": spectrum.amplitude, "signal": name}


def axes(spectrum: Spectrum) -> dict[str, Over]:
    """What the arrays lie over."""
    return {"frequency_hz": over("Hz", frequency_hz=""), "amplitude": over(frequency_hz="")}


def plot(spectrum: Spectrum) -> Figure:
    """Amplitude over frequency, with the highest peaks named."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    axes.semilogy(spectrum.frequency_hz, np.maximum(spectrum.amplitude, 1e-300), color=LINE, lw=1.0)
    top = spectrum.amplitude.max(initial=1e-300)
    axes.set_ylim(1e-8 * top, 3 * top)
    for peak in spectrum.peaks(8):
        axes.annotate(f"{peak.frequency_hz:.4g}", (peak.frequency_hz, peak.amplitude), fontsize=8, ha="center",
                      xytext=(0, 4), textcoords="offset points", color=INK)  # fmt: skip
    axes.set_xlabel("frequency, Hz")
    axes.set_ylabel(f"amplitude of {plain_text(spectrum.name)}")
    axes.grid(True, color="#e4e4e4", lw=0.7)
    return figure
