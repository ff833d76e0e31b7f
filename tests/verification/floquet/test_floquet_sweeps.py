"""Boundaries that cannot be closed in on, and growth that is not known."""

import numpy as np

import eigenbody as eb


def slider(force: str, position: float = 0.0, **parameters: float | str) -> eb.Model:
    """1 kg on a rail under a force."""
    rail = {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    return eb.Model(
        parameters=parameters,
        bodies={"block": {"mass": 1, "at": [0, 0, 0]}},
        joints={"s": {**rail, "position": position}},
        forces={"pull": {"type": "expression", "along": "s", "value": force}},
    )


def test_a_boundary_beside_values_that_fail_is_told_as_far_as_it_is_known():
    """The root has no value for 0.8 < p < 1.2. The boundary of s'' + (1.05 - p) s' + (2 - 0.4 cos 2t) s = 0 is at p =
    1.05 without the small force: where it fails."""
    model = slider("=-(2 - 0.4*cos(2*t))*s - (1.05 - p)*s' + 0.001*sqrt((p-1)**2-0.04)*s", p=0)
    found = eb.floquet_sweep(model, "p", [0, 2], period="=pi")
    (edge,) = found.boundaries
    assert edge.stopped
    assert 0 < edge.below <= 0.8
    assert 1.2 <= edge.above < 2
    text = str(found)
    assert f"between {edge.below:.6g} and {edge.above:.6g} was not closed in on" in found.notes[0]
    assert f"{edge.below:.6g} to {edge.above:.6g}" in text


def test_growth_that_rounding_hides_is_not_told_as_zero(tmp_path):
    """van der Pol's cycle with 2.5: the other multiplier is exp of the integral of 2.5 (1 - s^2), about 1e-11 after a
    period, below its bound beside what grows on the way."""
    model = slider("=-s + c*(1 - s**2)*s'", 1.0, c=2.5)
    found = eb.floquet_sweep(model, "c", [2.5, 2.6], period="free", guess=8, settle=15, store=tmp_path, workers=1)
    hidden = np.isnan(found.exponents[:, 1].real)
    assert hidden.any()
    np.testing.assert_array_equal(np.isnan(found.growth), hidden)
    assert found.document()["growth"][int(np.argmax(hidden))] is None
    assert "the largest real part is not told" in found.notes[0]


def test_the_picture_has_the_parameter_in_the_unit_of_the_model():
    """Like a Campbell diagram: 60 and 120 rpm for 2 pi and 4 pi rad/s."""
    model = slider("=-(1 + 0.1*cos(w*t))*s - 0.1*s'", w="60 rpm")
    figure = eb.floquet_sweep(model, "w", [2 * np.pi, 4 * np.pi], period="=2*pi/w").plot()
    assert figure.axes[1].get_xlabel() == "w, rpm"
    places = np.concatenate([line.get_xdata() for line in figure.axes[1].lines if line.get_marker() == "."])
    np.testing.assert_allclose(np.unique(places.round(9)), [60, 120], rtol=1e-12)
