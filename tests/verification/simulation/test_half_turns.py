"""Springs along components of a rotation vector: where their energy jumps at half a turn the motion ends, elsewhere it
goes on and the energy balances."""

import pytest

import eigenbody as eb


def ball(force: dict[str, object], terms: dict[str, float]) -> eb.Model:
    """A ball of 1 kg m^2 that spins at 2 rad/s about z."""
    joints: dict[str, object] = {
        "ball": {"type": "spherical", "between": ["ground", "b"], "at": [0, 0, 0], "velocity": [0, 0, 2]},
        "wheel": {"type": "revolute", "between": ["ground", "w"], "at": [0, 0, 0], "velocity": 0.5},
    }
    bodies = {name: {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]} for name in "bw"}
    sections = {
        "bodies": bodies,
        "joints": joints,
        "measures": {"both": {"type": "sum", "terms": terms}},
        "forces": {"wire": {"type": "spring", **force}},
    }
    return eb.load({"eigenbody": 1, **sections})


@pytest.mark.parametrize("method", ["dop853", "radau", "generalized-alpha"])
@pytest.mark.parametrize(
    ("force", "terms"),
    [
        ({"along": "ball.rz", "k": 0.3, "free": 1}, {"ball.rz": 1}),
        ({"along": "both", "k": 0.3, "free": 1}, {"ball.rz": 1, "ball.rx": 0.5}),
        ({"along": "both", "k": 0.3}, {"ball.rz": 1, "wheel": 0.5}),
    ],
)
def test_energies_that_jump_end_the_motion(force: dict[str, object], terms: dict[str, float], method: str) -> None:
    with pytest.raises(eb.ComputationError, match=r"forces.wire: before t = 1\.\d* s the rotation passes half a turn"):
        eb.simulate(ball(force, terms), 8, method=method)


@pytest.mark.parametrize(
    ("force", "terms"),
    [
        ({"along": "ball.rz", "k": 0.3}, {"ball.rz": 1}),
        ({"along": "both", "k": 0.3}, {"ball.rz": 1, "ball.rx": 0.5}),
        ({"along": "both", "k": 3, "free": 1}, {"ball.rz": 1, "ball.rx": 0.5}),
    ],
)
def test_energies_that_do_not_jump_balance(force: dict[str, object], terms: dict[str, float]) -> None:
    """Even ones through half a turn (2 J reach 3.65 rad); one with a free angle that stays below it."""
    run = eb.simulate(ball(force, terms), 8)
    assert run.balance.relative < 1e-6
    reach = abs(run.signal("ball.rz")).max()
    assert (reach > 3.0) == (force["k"] < 1)
