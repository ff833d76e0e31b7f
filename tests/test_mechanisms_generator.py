"""The generators of random mechanisms and the transformations of documents: data checks only, no engine."""

import copy
import json
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mobility as oracle
from mechanism_forces import FORCES, driven_value
from mechanism_numbers import BRANCH_TYPES, in_unit, leaves, negated, si, vector
from mechanism_skeletons import COUPLINGS
from mechanisms import KINDS, coverage, random_mechanism
from transforms import (
    SWAPPABLE,
    equilibrium_mechanism,
    in_other_units,
    moved,
    reordered,
    rerooted,
    rotated,
    swapped,
)


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def documents() -> list[dict]:
    return [random_mechanism(rng_of(seed)) for seed in range(300)]


@pytest.fixture(scope="module")
def resting() -> list[dict]:
    return [equilibrium_mechanism(rng_of(seed)) for seed in range(60)]


# Generator -----------------------------------------------------------------------------------------------------------


def test_documents_are_plain_json(documents, resting):
    for document in documents + resting:
        assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_document(kind):
    assert random_mechanism(rng_of(5), kind) == random_mechanism(rng_of(5), kind)
    assert random_mechanism(rng_of(5), kind) != random_mechanism(rng_of(6), kind)
    assert random_mechanism(rng_of(5), kind)["name"].split()[0] == kind


def test_everything_is_covered_within_300_draws(documents):
    count = coverage(documents)
    closures = (
        "spherical point universal cylindrical distance inplane inline parallel perpendicular orientation revolute"
    )
    wanted = [
        *(f"kind:{kind}" for kind in KINDS),
        *(f"joint:{kind}" for kind in (*BRANCH_TYPES, *closures.split(), "knife_edge", "rolling")),
        *(f"closure:{kind}" for kind in closures.split()),
        *(f"force:{kind}" for kind in FORCES),
        *(f"force:{kind} {shape}" for kind in ("bushing", "bearing") for shape in ("6", "6x6")),
        *(f"coupling:{kind}" for kind in COUPLINGS),
        *(f"measure:{kind}" for kind in ("displacement", "distance", "angle")),
        *(f"axes:{axes}" for axes in ("ground", "body", "default")),
        *(f"rotation:{kind}" for kind in ("axis", "sequence", "quaternion", "none")),
        *(f"inertia:{shape}" for shape in ("3", "6", "3x3", "none")),
        *("floating", "loop", "redundant", "driver", "motion", "marker", "marker in body axes", "gravity", "rate"),
        *("position", "velocity", "parameter", "unit", "default axis"),
        *(f"{kind} by expression" for kind in ("force", "torque", "expression")),
    ]
    assert [key for key in wanted if count[key] < 2] == []


def test_names_are_letters_digits_underscores_and_unique(documents):
    for document in documents:
        sections = ("bodies", "joints", "forces", "measures", "markers", "couplings", "drivers", "parameters")
        names = [name for section in sections for name in document.get(section, {})]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names)


def test_references_exist(documents, resting):
    for document in documents + resting:
        bodies = {"ground", *document["bodies"]}
        measures = {m for joint in document["joints"] for m in oracle.coordinate_names(document, joint)}
        measures |= set(document.get("measures", {}))
        for entry in [*document["joints"].values(), *document["forces"].values()]:
            assert set(entry.get("between", ())) <= bodies
            assert len(set(entry.get("between", "ab"))) == 2
            assert entry.get("along", next(iter(measures))) in measures
        for measure in document.get("measures", {}).values():
            assert set(measure["between"]) <= bodies | set(document.get("markers", {}))
        known = {"sin", "cos", "tanh", "exp", "sqrt", "atan", "t", *measures, *document.get("parameters", {})}
        for text in re.findall(r'"=(.*?)"', json.dumps(document)):
            assert set(re.findall(r"(?<![\w.])[A-Za-z_][\w.]*", text)) <= known


def test_bodies_are_physically_possible(documents):
    for document in documents:
        for body in document["bodies"].values():
            assert si(body["mass"], document.get("parameters")) > 0.4
            if "inertia" in body:
                moments = np.linalg.eigvalsh(_tensor(body["inertia"]))
                assert moments[0] > 1e-3
                assert moments[0] + moments[1] > moments[2]


def _tensor(entries: list) -> np.ndarray:
    if isinstance(entries[0], list):
        return np.array([vector(row) for row in entries])
    xx, yy, zz, xy, xz, yz = [*vector(entries), 0, 0, 0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_universal_axes_are_perpendicular(documents):
    for document in documents:
        for joint in document["joints"].values():
            if joint["type"] in ("universal", "perpendicular"):
                assert abs(np.dot(joint["axis"], joint["axis2"])) < 1e-14


def test_mobility_and_conditioning(documents):
    """Loops keep two freedoms, all others one; no rank decision is close."""
    for document in documents:
        found = oracle.mobility(document)
        kind = document["name"].split()[0]
        assert found.freedoms >= (2 if kind == "loop" else 1)
        assert found.conditioning > 0.01
        assert (found.redundant > 0) >= (kind == "redundant")


@pytest.mark.parametrize("kind", ["loop", "redundant", "driven"])
def test_no_singular_configurations(kind):
    for seed in range(25):
        assert oracle.is_regular(random_mechanism(rng_of(seed), kind), rng_of(seed))


def test_drawing_satisfies_every_constraint(documents):
    for document in documents:
        plain = copy.deepcopy(document)
        for joint in plain["joints"].values():
            joint.pop("position", None)
        r, Q = oracle.assembled(plain)
        assert np.array_equal(r, oracle.drawing(plain)[0])  # not a single Newton step was needed
        assert np.array_equal(Q, oracle.drawing(plain)[1])


def test_given_velocities_are_independent_in_closed_mechanisms(documents):
    for document in documents:
        kind = document["name"].split()[0]
        given = [name for name, joint in document["joints"].items() if "velocity" in joint]
        if kind in ("loop", "redundant", "driven"):
            assert len(given) <= 2
            assert oracle.independence(document, given, oracle.assembled(document)) > 0.05


def test_full_velocities_of_sleighs_agree_with_the_knife_edge():
    checked = 0
    for seed in range(40):
        document = random_mechanism(rng_of(seed), "knife")
        rail, edge = list(document["joints"].values())[:2]
        in_plane = abs(oracle.frame(rail)[:, 2] @ edge.get("axis", [0, 0, 1])) < 1e-12
        if in_plane and "velocity" in rail and edge["type"] == "knife_edge":
            parameters = document.get("parameters")
            speed = vector(rail["velocity"], parameters)
            arm = np.array(vector(edge["at"], parameters)) - vector(rail["at"], parameters)
            axes = oracle.frame(rail)
            velocity = axes @ [speed[0], speed[1], 0] + np.cross(speed[2] * axes[:, 2], arm)
            assert abs(velocity @ edge["axis"]) < 1e-14
            checked += 1
    assert checked > 5


def test_motions_start_as_drawn_with_rate_and_acceleration():
    for seed in range(40):
        document = random_mechanism(rng_of(seed), "driven")
        entries = [joint for joint in document["joints"].values() if "motion" in joint]
        entries += document.get("drivers", {}).values()
        assert entries
        for entry in entries:
            h = 1e-3
            before, now, after = (driven_value(document, entry, t) for t in (-h, 0, h))
            assert abs(after - before) / (2 * h) > 0.01
            assert abs(after - 2 * now + before) / h**2 > 0.01


def test_equilibrium_mechanisms_rest_undeflected(resting):
    for document in resting:
        assert "gravity" not in document
        assert oracle.mobility(document).freedoms >= 2
        assert not any({"position", "velocity", "motion"} & set(joint) for joint in document["joints"].values())
        for force in document["forces"].values():
            if force["type"] == "spring" and "between" in force:
                assert force["free_length"] == pytest.approx(np.linalg.norm(np.subtract(*force["at"])), rel=1e-15)
            if "free" in force:
                assert document["measures"][force["along"]]["type"] == "distance"
            assert force["type"] in ("spring", "bushing", "bearing", "expression")


def test_equilibrium_mechanisms_cover_trees_loops_couplings_and_all_springs(resting):
    count = coverage(resting)
    kinds = ("bushing", "bearing", "spring", "spring along", "expression")
    wanted = ["loop", "floating", "redundant", *(f"force:{kind}" for kind in kinds)]
    assert [key for key in wanted if not count[key]] == []
    assert any("couplings" in document for document in resting)


# Numbers -------------------------------------------------------------------------------------------------------------


def test_numbers_with_units_and_parameters():
    assert si("150 mm") == pytest.approx(0.15, rel=1e-15)
    assert si("=2*k + sin(0)", {"k": "2 kN/m"}) == 4000
    assert in_unit(0.153, "length", "mm") == "153 mm"
    assert negated("12 deg") == "-12 deg"
    assert negated("-12 deg") == "12 deg"
    assert si(negated("=1 - k"), {"k": 3}) == 2


# Transformations -----------------------------------------------------------------------------------------------------


def all_transforms(document: dict, rng: np.random.Generator) -> list[dict]:
    names = [name for name, joint in document["joints"].items() if _can_be_swapped(document, name)]
    return [
        moved(document, [1, 2, 3]),
        rotated(document, Rotation.random(random_state=rng).as_matrix()),
        reordered(document, rng),
        in_other_units(document, rng),
        swapped(document, names),
        rerooted(document, rng, free_joint=True),
    ]


def _can_be_swapped(document: dict, name: str) -> bool:
    try:
        swapped(document, [name])
    except ValueError:
        return False
    return True


def test_transforms_leave_their_argument_alone_and_keep_mobility(documents):
    for seed, document in enumerate(documents[:100]):
        before = copy.deepcopy(document)
        found = oracle.mobility(document)
        for new in all_transforms(document, rng_of(seed)):
            assert document == before
            assert json.loads(json.dumps(new)) == new
            again = oracle.mobility(new)
            assert (again.rows, again.rank, again.freedoms) == (found.rows, found.rank, found.freedoms)


def test_moving_there_and_back(documents):
    for document in documents[:50]:
        there = moved(document, [1.0, -2.0, 0.5])
        assert _points(there) - _points(document) == pytest.approx(
            np.broadcast_to([1.0, -2.0, 0.5], _points(document).shape), abs=1e-14
        )
        assert _points(moved(there, [-1.0, 2.0, -0.5])) == pytest.approx(_points(document), abs=1e-14)


def _points(document: dict) -> np.ndarray:
    """Every global point of bodies, joints and forces (SI)."""
    entries = [entry for section in ("bodies", "joints", "forces") for entry in document[section].values()]
    points = []
    for at in (entry["at"] for entry in entries if "at" in entry):
        points += at if isinstance(at[0], list) else [at]
    return np.array([vector(point, document.get("parameters")) for point in points])


def test_rotation_turns_frames_bodies_and_ground_loads(documents):
    R = Rotation.from_rotvec([0.4, -0.9, 0.3]).as_matrix()
    for document in documents[:80]:
        new, parameters = rotated(document, R), document.get("parameters")
        assert _points(new) == pytest.approx(_points(document) @ R.T, abs=1e-14)
        for name, body in document["bodies"].items():
            turned = oracle.rotation_matrix(new["bodies"][name]["rotation"])
            assert turned == pytest.approx(R @ oracle.rotation_matrix(body.get("rotation"), parameters), abs=1e-14)
        for section in ("joints", "forces"):
            for name, entry in document[section].items():
                if entry["type"] in ("bushing", "bearing", *BRANCH_TYPES) and "between" in entry:
                    assert oracle.frame(new[section][name]) == pytest.approx(R @ oracle.frame(entry), abs=1e-13)
                if entry["type"] in ("force", "torque"):
                    body_axes = entry.get("axes") == "body"
                    assert (new["forces"][name]["value"] == entry["value"]) == body_axes
        if "gravity" in document:
            assert new["gravity"] == pytest.approx(R @ vector(document["gravity"], parameters), abs=1e-14)


def test_rotating_an_expression_load():
    document = random_mechanism(rng_of(0), "tree")
    document["forces"] = {"f1": {"type": "force", "body": "b1", "at": [0, 0, 0], "value": ["=2*t", 3, "1 kN"]}}
    R = Rotation.from_rotvec([0.2, 0.5, -0.7]).as_matrix()
    values = [si(value, t=4.0) for value in rotated(document, R)["forces"]["f1"]["value"]]
    assert values == pytest.approx(R @ [8.0, 3, 1000], rel=1e-14)


def test_reordering_keeps_the_content_and_the_floating_bases(documents):
    for seed, document in enumerate(documents[:100]):
        new = reordered(document, rng_of(seed))
        assert new == document
        assert set(oracle.floating_bases(new)) == set(oracle.floating_bases(document))
    assert any(list(reordered(d, rng_of(1))["joints"]) != list(d["joints"]) for d in documents)


def test_other_units_have_equal_values(documents):
    for seed, document in enumerate(documents[:80]):
        new, parameters = in_other_units(document, rng_of(seed)), document.get("parameters")
        pairs = list(zip(leaves(document), leaves(new), strict=True))
        for (old_in, old_key, quantity), (new_in, new_key, same) in pairs:
            assert quantity == same
            if isinstance(old_in[old_key], str) and "=" in old_in[old_key]:
                assert new_in[new_key] == old_in[old_key]
                continue
            assert isinstance(new_in[new_key], str)
            assert si(new_in[new_key]) == pytest.approx(si(old_in[old_key], parameters), rel=5e-16, abs=0)


def test_rerooting_changes_the_tree(resting):
    changed = 0
    for seed, document in enumerate(resting):
        assert "rerooting" in oracle.spanning_tree(rerooted(document, rng_of(seed), free_joint=True))
        try:
            new = rerooted(document, rng_of(seed))
        except ValueError:
            continue
        changed += 1
        assert new == document
        assert (set(oracle.spanning_tree(new)), set(oracle.floating_bases(new))) != (
            set(oracle.spanning_tree(document)),
            set(oracle.floating_bases(document)),
        )
    assert changed > 10


def test_swapping_twice_changes_nothing_but_notation(documents):
    for document in documents[:100]:
        names = [name for name in document["joints"] if _can_be_swapped(document, name)]
        twice = swapped(swapped(document, names), names)
        for name, joint in document["joints"].items():
            for key in set(joint) - {"position", "velocity", "motion"}:
                assert twice["joints"][name][key] == joint[key]
        assert twice.get("couplings") == document.get("couplings")


def test_swapping_changes_signs_of_everything_along_the_coordinates():
    document = {
        "bodies": {"a": {"mass": 1, "at": [0, 0, 0]}, "b": {"mass": 1, "at": [1, 0, 0]}},
        "joints": {
            "hinge": {"type": "revolute", "between": ["ground", "a"], "position": "12 deg", "velocity": 2},
            "hook": {
                "type": "universal",
                "between": ["a", "b"],
                "axis": [0, 0, 1],
                "axis2": [1, 0, 0],
                "position": [0.1, 0.2],
                "velocity": [3, "=w"],
            },
        },
        "couplings": {
            "g": {"type": "gear", "joints": ["hinge", "hook.angle1"], "ratio": 2},
            "l": {"type": "linear", "terms": {"hinge": 1, "hook.angle2": 3}},
        },
        "drivers": {"d": {"measure": "hook.angle2", "motion": "=sin(t)"}},
        "forces": {
            "s": {"type": "spring", "along": "hinge", "k": 5, "free": 0.3},
            "e": {"type": "expression", "along": "hook.angle1", "value": "=2*hinge' - hook.angle1**2*hook.angle2"},
        },
    }
    one = swapped(document, ["hinge"])
    assert one["joints"]["hinge"] == {
        "type": "revolute",
        "between": ["a", "ground"],
        "position": "-12 deg",
        "velocity": -2,
    }
    assert one["couplings"]["g"] == {"type": "gear", "joints": ["hinge", "hook.angle1"], "ratio": -2}
    assert one["couplings"]["l"]["terms"] == {"hinge": -1, "hook.angle2": 3}
    assert one["forces"]["s"] == {"type": "spring", "along": "hinge", "k": 5, "free": -0.3}
    assert one["forces"]["e"]["value"] == "=2*(-hinge') - hook.angle1**2*hook.angle2"
    both = swapped(one, ["hook"])
    assert both["joints"]["hook"]["axis"] == [1, 0, 0]
    assert both["joints"]["hook"]["position"] == [-0.2, -0.1]
    assert both["joints"]["hook"]["velocity"] == ["=-(w)", -3]
    assert both["couplings"]["g"] == {"type": "gear", "joints": ["hinge", "hook.angle2"], "ratio": 2}
    assert both["couplings"]["l"]["terms"] == {"hinge": -1, "hook.angle1": -3}
    assert both["drivers"]["d"] == {"measure": "hook.angle1", "motion": "=-(sin(t))"}
    assert both["forces"]["e"] == {
        "type": "expression",
        "along": "hook.angle2",
        "value": "=-(2*(-hinge') - (-hook.angle2)**2*(-hook.angle1))",
    }


@pytest.mark.parametrize("kind", ["planar", "free", "inline", "inplane", "knife_edge"])
def test_swapping_other_types_is_refused(kind):
    assert kind not in SWAPPABLE
    document = {"bodies": {}, "joints": {"j": {"type": kind, "between": ["ground", "b1"], "at": [0, 0, 0]}}}
    with pytest.raises(ValueError, match="joint j"):
        swapped(document, ["j"])


def test_swapping_keeps_the_displaced_configuration(documents):
    """Constraints, couplings and given positions of the swapped document hold in the state of the original."""
    checked = 0
    for document in documents:
        state = oracle.assembled(document)
        for name, joint in document["joints"].items():
            if _can_be_swapped(document, name):
                assert oracle.residual(swapped(document, [name]), state) < 1e-11
                checked += "position" in joint
    assert checked > 30


@pytest.mark.parametrize("turn", [[0, 0, 0], [0.3, -0.4, 0.8]])
def test_moving_and_rotating_keep_the_displaced_configuration(documents, turn):
    R, shift = Rotation.from_rotvec(turn).as_matrix(), np.array([0.3, 1.0, -2.0])
    for document in documents[:100]:
        r, Q = oracle.assembled(document)
        new = moved(rotated(document, R), shift)
        assert oracle.residual(new, (np.vstack([[0, 0, 0], r[1:] @ R.T + shift]), R @ Q @ R.T)) < 1e-11
