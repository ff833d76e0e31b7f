"""Slopes at steady points of flexible bodies whose shapes change with a number: modal coordinates then mean something
else, displacements do not. Against central differences of the modes of other models."""

import numpy as np
import pytest

import eigenbody as eb


def turning_blade(modes: int, **nodes: object) -> eb.Model:
    """A beam on a driven hub; from 11 modes on, or with a node at its end, its shapes stretch and so bear the load."""
    width, height = 0.08, "=h"
    blade = {
        "type": "beam", "points": [[0.15, 0, 0], ["=0.15+len", 0, 0]], "E": 7e10, "nu": 0.33, "density": "=rho",
        "width": width, "height": height, "y_axis": [0, 1, 0], "modes": modes,
    }  # fmt: skip
    return eb.Model(
        parameters={"rho": 2700.0, "len": 0.6, "h": 0.012, "speed": 157.0},
        bodies={"hub": {"mass": 20, "inertia": [0.4, 0.4, 0.6], "at": [0, 0, 0]}},
        flexible={"blade": blade},
        joints={
            "axle": {"type": "revolute", "between": ["ground", "hub"], "at": [0, 0, 0], "motion": "=speed*t"},
            "root": {"type": "fixed", "between": ["hub", "blade.start"], "at": [0.15, 0, 0]},
        },
        operating_point="steady",
        **nodes,
    )


def by_differences(model: eb.Model, name: str) -> np.ndarray:
    step = 1e-4 * model.parameters[name]
    above, below = (eb.modes(model.with_parameters(**{name: model.parameters[name] + side * step})) for side in (1, -1))
    return (above.frequency_hz - below.frequency_hz)[:3] / (2 * step)


@pytest.mark.parametrize("name", ["rho", "len", "h", "speed"])
def test_shapes_that_stretch(name: str) -> None:
    model = turning_blade(14)
    found, wanted = eb.sensitivity(model, name).frequency_hz[0, :3], by_differences(model, name)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("name", ["rho", "len", "h"])
def test_a_node_at_the_end(name: str) -> None:
    tip = {"type": "displacement", "between": ["ground", "blade.end"], "axis": [0, 0, 1]}
    model = turning_blade(8, measures={"tip": tip}, outputs={"tip": {"measure": "tip"}})
    found, wanted = eb.sensitivity(model, name).frequency_hz[0, :3], by_differences(model, name)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())
