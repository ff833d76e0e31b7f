"""A node that a flexible body does not have is refused at the place that mentions it."""

import pytest

import eigenbody as eb

BEAM = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "names": ["l", "r"], "E": 210e9, "density": 7850,
        "diameter": 0.03, "modes": 2}  # fmt: skip
SPRING = {"type": "bushing", "at": [0, 0, 0], "k": [1e6, 1e6, 1e6, 0, 0, 0]}
MENTIONS = {
    "forces.b.between": {"forces": {"b": {**SPRING, "between": ["ground", "shaft.left"]}}},
    "joints.j.between": {"joints": {"j": {"type": "fixed", "between": ["ground", "shaft.left"], "at": [0, 0, 0]}}},
    "bodies.disc.on": {"bodies": {"disc": {"on": "shaft.left", "mass": 1, "inertia": [1, 1, 1]}}},
    "coordinates": {"coordinates": ["shaft.left.x"]},
}


@pytest.mark.parametrize("place", MENTIONS)
@pytest.mark.parametrize("kind", [{}, {"segments": 3}], ids=["elastic", "rigid pieces"])
def test_the_entry_that_mentions_it_is_named(place, kind):
    with pytest.raises(eb.InputError) as caught:
        eb.modes(eb.Model(flexible={"shaft": {**BEAM, **kind}}, **MENTIONS[place]))
    (fault,) = caught.value.faults
    assert fault.where == place
    assert 'shaft has no node "left"' in fault.what
    assert "Known: " in fault.remedy


def test_a_node_of_its_own_keys_is_told_of_at_the_body():
    with pytest.raises(eb.InputError, match=r'^flexible.shaft: shaft has no node "mid"'):
        eb.modes(eb.Model(flexible={"shaft": {**BEAM, "cuts": ["mid"]}}))
