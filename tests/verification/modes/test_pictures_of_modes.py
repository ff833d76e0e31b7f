"""What is drawn and said of modes: eigenvectors over the coordinates, honest lengths, whirl only where a body spins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.linalg import eigh

import eigenbody as eb
from eigenbody.analyses.modes.scene import scene

EXAMPLES = Path(__file__).parents[3] / "examples"


def example(name: str) -> eb.Model:
    return eb.load(EXAMPLES / f"{name}.yaml")


@pytest.fixture(scope="module")
def truck() -> eb.Modes:
    return eb.modes(example("tractor_semitrailer"))


# ---- labels


def test_a_truck_in_a_turn_is_no_rotor(truck: eb.Modes) -> None:
    """All its bodies turn at 0.11 rad/s, about the centre of the curve 204 m away."""
    found = truck.explain()
    assert not any(found.whirls)
    assert not any(word in label for label in found.labels for word in ("whirl", "rocking", "torsion", "lateral"))
    bounce = next(i for i, label in enumerate(found.labels) if label == "tractor and trailer vertical bounce in phase")
    assert found.kinetic[bounce, :, 2].sum() > 0.7  # heave


def test_a_rotor_spins_in_its_joint_wherever_it_is_carried() -> None:
    """Casing at 20 m/s: the instantaneous axis of the rotor lies 6.7 m beside it, yet it turns in its bearing."""
    model = eb.load(
        {
            "eigenbody": 1, "name": "rotor in a car",
            "bodies": {"car": {"mass": 100, "inertia": [20, 30, 40], "at": [0, 0, 0]},
                       "rotor": {"mass": 1, "inertia": [0.001, 0.001, 0.002], "at": [0, 0, 0.1]}},
            "joints": {"way": {"type": "free", "between": ["ground", "car"], "velocity": [20, 0, 0, 0, 0, 0]},
                       "spin": {"type": "revolute", "between": ["car", "rotor"], "at": [0, 0, 0.1], "axis": [0, 0, 1],
                                "velocity": 3}},
        }
    )  # fmt: skip
    point = eb.operating_point(model)
    found = scene(point, np.zeros((1, 2, 6)), np.zeros(1, bool), np.zeros((1, 2, 6)))
    assert found.spin == pytest.approx(np.array([[0, 0, 0], [0, 0, 3]]))
    assert found.on_axis.tolist() == [False, True]


def test_a_pendulum_turns_about_its_pivot_and_a_floating_machine_moves_as_its_energy_says() -> None:
    assert eb.explain(example("hanging_pendulum")).labels == ("bar rotation about y",)
    found = eb.explain(example("which_screw"))
    share = found.kinetic[0].sum(axis=0)
    assert share[1] > 0.7  # y
    assert found.labels[0] == "frame and motor translation y"


# ---- lengths


def test_rotations_are_compared_by_the_radius_of_gyration_of_the_bodies(truck: eb.Modes) -> None:
    """sqrt(sum of traces of inertia / 3 sum of masses), from the numbers of the file; the curve does not count."""
    moments = [3.5e3 + 2e4 + 2e4, 3.2e4 + 2.6e5 + 2.6e5, 280 + 40 + 280, *[450 + 70 + 450] * 2, *[380 + 60 + 380] * 2]
    masses = [6000, 25000, 600, 1050, 1050, 750, 750]
    expected = np.sqrt(sum(moments) / (3 * sum(masses)))
    assert truck.linear.point.system.gyration == pytest.approx(expected, rel=1e-12)
    assert "rotation times 2.38 m" in _texts(truck.plot())


def test_where_the_drawing_stands_does_not_matter() -> None:
    def chain(shift: float) -> eb.Model:
        return eb.load(
            {
                "eigenbody": 1, "name": "chain",
                "bodies": {f"b{k}": {"mass": 1, "at": [shift + k, 0, 0]} for k in range(3)},
                "joints": {f"j{k}": {"type": "prismatic", "between": [f"b{k - 1}" if k else "ground", f"b{k}"],
                                     "at": [shift + k, 0, 0], "axis": [1, 0, 0]} for k in range(3)},
            }
        )  # fmt: skip

    near, far = (eb.operating_point(chain(shift)).system.gyration for shift in (0.0, 1e4))
    assert near == pytest.approx(np.sqrt(2 / 3))  # point masses: their spread
    assert far == pytest.approx(near, rel=1e-9)


# ---- bars over the coordinates


def test_coordinate_shapes_are_the_eigenvectors() -> None:
    """Slider-pendulum of Trom 1990: vectors of M and K, the angle times the radius of gyration, largest one."""
    modes = eb.modes(example("slider_pendulum"))
    length = modes.linear.point.system.gyration
    vectors = eigh(np.diag([20.0, 196.2]), np.array([[30.0, 20.0], [20.0, 35.0]]))[1].T * [1.0, length]
    expected = vectors / vectors[np.arange(2), np.abs(vectors).argmax(axis=1)][:, None]
    assert modes.coordinate_shapes == pytest.approx(expected, rel=1e-9)


def test_bars_show_magnitude_and_phase_of_the_chosen_modes(truck: eb.Modes) -> None:
    figure = truck.plot(kind="bars", modes=[5, 3])
    rows = [axes for axes in figure.axes if axes.get_title(loc="left")]
    assert [axes.get_title(loc="left").split(":")[0] for axes in rows] == ["mode 5", "mode 3"]
    heights = [[bar.get_height() for bar in axes.patches] for axes in rows]
    assert np.array(heights) == pytest.approx(np.abs(truck.coordinate_shapes[[4, 2]]))
    marks = next(axes for axes in figure.axes if axes.bbox.bounds == rows[0].bbox.bounds and axes is not rows[0])
    place, phase = marks.lines[0].get_data()
    shown = truck.coordinate_shapes[4][np.asarray(place, int)]
    assert np.exp(1j * np.radians(phase)) == pytest.approx(shown / np.abs(shown))


def test_a_motion_at_constant_speed_shows_its_velocities() -> None:
    shapes = eb.modes(example("geared_shafts")).coordinate_shapes
    assert np.abs(shapes).max(axis=1) == pytest.approx(1.0)


def test_names_of_energy_shares_lie_inside_their_bars(truck: eb.Modes) -> None:
    figure = truck.explain().plot(modes=range(2, 10))
    figure.canvas.draw()
    for axes in figure.axes:
        words = [text for text in axes.texts if text.get_position()[1] in (0, 1, 2) and text.get_color() == "white"]
        boxes = [word.get_window_extent() for word in words]
        rows = [word.get_position()[1] for word in words]
        for i, box in enumerate(boxes):
            for j in range(i):
                assert rows[i] != rows[j] or not box.overlaps(boxes[j])


def test_a_campbell_diagram_draws_the_chosen_branches() -> None:
    found = eb.campbell(example("overhung_rotor"), "speed", [0.0, 100.0, 200.0], refine=0)
    texts = [text.get_text() for axes in found.plot(modes=[3, 5]).axes for text in axes.texts]
    assert [name for name in found.labels if any(name in text for text in texts)] == [found.labels[2], found.labels[4]]
    with pytest.raises(eb.InputError, match="there is no branch 9"):
        found.plot(modes=[9])


def test_wrong_choices_are_refused(truck: eb.Modes) -> None:
    with pytest.raises(eb.InputError, match="there is no mode 21, 0"):
        truck.plot(modes=[21, 3, 0])
    with pytest.raises(eb.InputError, match='no picture "bar"'):
        truck.plot(kind="bar")
    with pytest.raises(eb.InputError, match="no mode is given"):
        truck.plot(modes=[])
    with pytest.raises(eb.InputError, match="one mode and a list"):
        truck.explain().plot(mode=1, modes=[2])
    with pytest.raises(eb.InputError, match="solver dense"):
        eb.modes(example("four_bar"), n=1, solver="sparse").plot(kind="bars")


def _texts(figure: Figure) -> str:
    parts: Any = figure.subfigs
    return " ".join(part.get_suptitle() for part in parts if part.get_suptitle())
