"""Mechanics that share what does not depend on accelerations with those without any equal mechanics of their own."""

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import system_of
from eigenbody.numerics.matrices.assembly import dense
from mechanisms import random_mechanism


def parts_of(mechanics, multipliers, slips):
    """All that is asked of mechanics with accelerations."""
    system, h = mechanics.system, mechanics.holonomic
    square, rows = (system.nq, system.nq), (system.constraints.count, system.nq)
    found = {
        "value": h.value, "rate": h.rate, "acceleration": h.acceleration, "driving": mechanics.driving,
        "residual": mechanics.residual(multipliers, slips), "damping": dense(mechanics.damping(), square),
        "stiffness": dense(mechanics.stiffness(multipliers, slips), square),
        "tension": mechanics.applied.tension, "second rates": mechanics.applied.now_with_accelerations.a,
    }  # fmt: skip
    for what in ("gradient", "rate_q", "acceleration_q", "acceleration_u"):
        found[what] = dense(h.rows(what), rows)
        found[f"{what} of channels"] = getattr(mechanics.applied.jet, what)
    return found


@pytest.mark.parametrize("speed", [0.0, 1.0], ids=["at rest", "moving"])
@pytest.mark.parametrize("seed", range(12))
def test_shared_geometry(seed, speed):
    rng = np.random.default_rng(seed)
    system = system_of(eb.load(random_mechanism(rng)))
    state = system.reference_state().moved(system, 0.05 * rng.normal(size=system.nq))
    state = state.with_velocity(system, speed * rng.normal(size=system.nq))
    still, a, b = Mechanics(system, state), *rng.normal(size=(2, system.nq))
    loads = rng.normal(size=system.constraints.count), rng.normal(size=system.slips.count)
    for shared in (still.accelerated(a), still.accelerated(b).accelerated(a)):
        found, expected = parts_of(shared, *loads), parts_of(Mechanics(system, state, a), *loads)
        for name, own in expected.items():
            np.testing.assert_allclose(found[name], own, rtol=0, atol=1e-13 * (1 + np.abs(own).max(initial=0.0)))
    many = Mechanics(system, state, np.stack((a, b)), still=still).holonomic
    shape = (system.constraints.count, system.nq)
    second = np.broadcast_to(many.acceleration, (2, shape[0]))  # no batch axis where nothing is held
    rows = np.broadcast_to(dense(many.rows("acceleration_q"), shape), (2, *shape))
    for k, one in enumerate((a, b)):
        own = Mechanics(system, state, one).holonomic
        np.testing.assert_allclose(second[k], own.acceleration, rtol=0, atol=1e-12)
        np.testing.assert_allclose(rows[k], dense(own.rows("acceleration_q"), shape), rtol=0, atol=1e-11)
