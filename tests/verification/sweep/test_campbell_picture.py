"""Labels of a Campbell diagram: none covers another, and each has the colour of its whirl."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation

import eigenbody as eb
from bladed_rotors import lagging_rotor
from eigenbody.analyses.sweep.look.plots import TINT


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
