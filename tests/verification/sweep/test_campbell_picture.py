"""Labels of a Campbell diagram: none covers another, each stands at what it names and has the colour of its whirl."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation

import eigenbody as eb
from bladed_rotors import lagging_rotor
from eigenbody.analyses.sweep.look.plots import CRITICAL, TINT


def crowded() -> eb.Model:
    """Ten branches from 0 to 8 Hz that meet five orders at low speed, with flutter."""
    model = lagging_rotor(3, 15.0)
    spin = {**model.document["joints"]["spin"], "motion": "=speed*t"}
    return model.set(parameters={"speed": 15.0}, joints={**model.document["joints"], "spin": spin})


@pytest.fixture(scope="module")
def diagram():
    return eb.campbell(crowded(), "speed", np.linspace(2, 22, 9), per_rev=[1, 2, 3, 4, 6], refine=2)


def test_no_label_covers_another(diagram):
    figure = diagram.plot()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = [text for text in figure.axes[0].texts if isinstance(text, Annotation) and text.get_text()]
    assert len(texts) > 15
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts]
    covered = [
        (a.get_text(), b.get_text())
        for (a, one), (b, other) in combinations(zip(texts, boxes, strict=True), 2)
        if one.overlaps(other) and _label_box(a, canvas).overlaps(_label_box(b, canvas))
    ]
    assert covered == []


def _label_box(text: Annotation, canvas: FigureCanvasAgg):
    """Of the words alone, without the line that leads to them."""
    from matplotlib.text import Text

    return Text.get_window_extent(text, canvas.get_renderer())


def test_names_have_the_colour_of_their_whirl(diagram):
    names = {text.get_text(): text.get_color() for text in diagram.plot().axes[0].texts}
    for k, (label, whirl) in enumerate(zip(diagram.labels, diagram.whirl, strict=True)):
        own = [colour for text, colour in names.items() if text.startswith(f"{k + 1}  {label[:20]}")]
        assert own in ([TINT[whirl]], []), (label, whirl, own)
    assert {TINT["forward"], TINT["backward"], TINT["none"]} <= set(names.values())


@pytest.fixture(scope="module")
def drawn(diagram):
    """The picture and its words by what they are: orders and values of critical speeds."""
    figure = diagram.plot()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    words = [text for text in figure.axes[0].texts if isinstance(text, Annotation)]
    orders = [text for text in words if text.get_text().endswith("×")]
    values = [text for text in words if text.get_color() == CRITICAL]
    return figure, canvas, orders, values


def test_orders_stand_on_their_own_lines_clear_of_branches_and_marks(diagram, drawn):
    figure, canvas, orders, _ = drawn
    axes = figure.axes[0]
    assert [text.get_text() for text in orders] == ["1×", "2×", "3×", "4×", "6×"]
    hz = np.where(diagram.eigenvalues.imag == 0, np.nan, diagram.frequency_hz)
    fine = np.linspace(diagram.values[0], diagram.values[-1], 2000)
    branches = [np.column_stack((fine, np.interp(fine, diagram.values, column))) for column in hz.T]
    rings = np.array([(c.values["speed"], c.frequency / (2 * np.pi)) for c in diagram.critical_speeds])
    for text, order in zip(orders, diagram.per_rev, strict=True):
        x, y = text.xy
        assert y == pytest.approx(order * x / (2 * np.pi), rel=1e-9)  # frequency = order * spin
        box = _label_box(text, canvas)
        for points in (*branches, rings):
            assert not any(box.contains(*at) for at in axes.transData.transform(points[np.isfinite(points[:, 1])]))
        for other in diagram.per_rev:
            line = axes.transData.transform(np.column_stack((fine, other * fine / (2 * np.pi))))
            assert other == order or not any(box.contains(*at) for at in line)


def test_every_critical_speed_has_its_value_in_the_picture_or_below(diagram, drawn):
    figure, _, _, values = drawn
    below = figure.get_supxlabel().replace("\n", " ")
    for c in diagram.critical_speeds:
        value = f"{c.values['speed']:.6g}"
        written = [text for text in values if text.get_text() == value and text.xy[0] == c.values["speed"]]
        assert written or f"{value} (branch {c.branch + 1})" in below, value
    assert len(values) > 0.7 * len(diagram.critical_speeds)


def test_no_leading_line_runs_through_a_label(drawn):
    _, canvas, orders, values = drawn
    boxes = {text: _label_box(text, canvas) for text in (*orders, *values)}
    for text in values:
        if text.arrow_patch is None:
            continue
        (x0, y0), *_, (x1, y1) = text.arrow_patch.get_path().transformed(text.arrow_patch.get_transform()).vertices
        line = np.linspace((x0, y0), (x1, y1), 200)
        crossed = [o.get_text() for o, box in boxes.items() if o is not text and any(box.contains(*at) for at in line)]
        assert crossed == [], text.get_text()
