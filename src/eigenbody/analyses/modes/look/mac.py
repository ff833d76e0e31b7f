"""MAC between mode sets: what it prints, its document and picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eigenbody.model.source import shown
from eigenbody.present.documents import require_finite
from eigenbody.present.tables import Grid, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.alike import Mac

MAX_SIDE = 12  # rows and columns of a printed matrix
MAX_NUMBERS = 14  # side up to which the squares of the picture carry numbers
WORDS = {"mass": "weighted by mass and inertia", "plain": "plain", "given": "with the given weight"}


def sheet(found: Mac) -> Sheet:
    """Matrix while it is small, and the best pairs."""
    title = f"MAC of {len(found.first)} and {len(found.second)} modes, {WORDS[found.weighting]}"
    return Sheet(title, (), [*_matrix(found), _pairs(found)])


def _pairs(found: Mac) -> Grid:
    rows = tuple((found.first[p.first], found.second[p.second], f"{p.value:.4f}") for p in found.pairs()[:200])
    return Grid("Best pairs", ("first", "second", "MAC"), rows, (False, False, True))


def _matrix(found: Mac) -> list[Grid]:
    if max(found.values.shape, default=0) > MAX_SIDE:
        return []
    rows = tuple((name, *(f"{v:.3f}" for v in line)) for name, line in zip(found.first, found.values, strict=True))
    return [Grid("", ("", *found.second), rows, (False, *(True for _ in found.second)))]


def document(found: Mac) -> dict[str, Any]:
    """Plain data; modes are counted from 1."""
    require_finite(mac=found.values)
    return {
        "weighting": found.weighting,
        "first": list(found.first),
        "second": list(found.second),
        "values": found.values.tolist(),
        "pairs": [{"first": p.first + 1, "second": p.second + 1, "mac": p.value} for p in found.pairs()],
    }


def plot(found: Mac) -> Figure:
    """Coloured squares from 0 to 1, with numbers while there is room."""
    from matplotlib.figure import Figure

    n, k = found.values.shape
    figure = Figure(figsize=(3.2 + 0.55 * min(k, 30), 2.2 + 0.5 * min(n, 30)), layout="constrained", facecolor="white")
    axes = figure.subplots()
    image = axes.imshow(found.values, vmin=0, vmax=1, cmap="Blues", aspect="auto")
    step_x, step_y = max(1, k // 30), max(1, n // 30)
    axes.set_xticks(range(0, k, step_x), labels=[shown(s, 20) for s in found.second[::step_x]], rotation=45, ha="right")
    axes.set_yticks(range(0, n, step_y), labels=[shown(s, 20) for s in found.first[::step_y]])
    axes.set_xlabel("modes of the second set")
    axes.set_ylabel("modes of the first set")
    axes.set_title(f"MAC, {WORDS[found.weighting]}", fontsize=11, loc="left")
    if max(n, k) <= MAX_NUMBERS:
        for i in range(n):
            for j in range(k):
                dark = found.values[i, j] > 0.55
                axes.text(j, i, f"{found.values[i, j]:.2f}", ha="center", va="center", fontsize=8,
                          color="white" if dark else "#444444")  # fmt: skip
    figure.colorbar(image, ax=axes, label="MAC")
    return figure
