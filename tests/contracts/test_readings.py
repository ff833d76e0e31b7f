"""Everything that expressions may read of loads and accelerations, of every registry: the linear model is the
derivative of the nonlinear equations of motion (by differences, Richardson's table), dense and sparse, and the
certificate says so.

`reaction.JOINT.COMPONENT` of every joint type, `force.ELEMENT` of every force type, `m''` of every measure and joint
coordinate; forces, states and outputs read them. The gains are small: loops that jam have tests of their own
(tests/verification/elements/test_algebraic.py).
"""

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.verify.difference import linearize as by_differences
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.types import MEASURES
from eigenbody.model.names import WRENCH
from eigenbody.system.algebraic import MOMENTS
from element_samples import document, entries
from flexible_mechanisms import with_beams
from mechanism_forces import coordinates
from mechanisms import KINDS, random_mechanism

KEYS = {"pitch": 0.1, "radius": 0.3, "tube": 0.05}
GAINS = (0.03, -0.02, 0.025, 0.015, -0.01, 0.02)


def agrees(model: eb.Model) -> None:
    """The linear model against differences, dense against sparse, the certificate; every reading is used."""
    point = eb.operating_point(model)
    assert point.system.algebraic
    linear = eb.linearize(point)
    A = linear.A
    size = max(1.0, float(np.abs(A).max()))
    assert np.abs(A - by_differences(point).matrices["A"]).max() < 1e-8 * size
    sparse = eb.linearize(point, solver="sparse").sparse
    assert np.abs(sparse.rates_of(np.eye(len(A))) - A).max() < 1e-9 * size
    assert linear.certificate.tangent_error < 1e-11
    assert point.residual < 1e-9
    read = eb.reactions(point)
    for variable, value in zip(point.system.algebraic, point.state.z, strict=True):
        if variable.reaction is not None:  # what was solved for is what the reactions are
            joint = read[point.system.description.joints[variable.reaction.joint].name]
            found = np.concatenate((joint.force, joint.moment))
            scale = max(1.0, np.abs(found).max())
            assert abs(value - found[variable.reaction.component]) < 1e-9 * scale


def reading(names: list[str]) -> str:
    return " + ".join(f"{gain}*{name}" for gain, name in zip(GAINS, names, strict=False))


# Joints -------------------------------------------------------------------------------------------------------------


def jointed(kind: str) -> dict:
    """A wheel-like body on a joint of this type to ground, another one hung on it and on a bushing, both in motion."""
    joint = {"type": kind, "between": ["ground", "b"], "at": [0, 0, 0.3], "axis": [0, 1, 0], "axis2": [1, 0, 0]}
    if kind == "distance":
        joint["at"] = [[0.1, -0.2, 1.1], [0, 0, 0.3]]
    joint |= {key.name: KEYS[key.name] for key in JOINTS[kind].keys if key.name in KEYS}
    return {
        "eigenbody": 1,
        "gravity": [0.3, -0.5, -9.81],
        "bodies": {
            "b": {"mass": 2.1, "inertia": [0.3, 0.4, 0.3], "at": [0, 0, 0.3]},
            "c": {"mass": 1.3, "inertia": [0.2, 0.25, 0.3, 0.01, 0.02, -0.015], "at": [0.4, 0.3, -0.1]},
        },
        "joints": {
            "j": joint,
            "ball": {"type": "spherical", "between": ["b", "c"], "at": [0.1, 0.1, 0.2], "velocity": [0.4, -0.3, 0.6]},
        },
        "measures": {"gauge": {"type": "distance", "between": ["ground", "c"]}},
        "forces": {
            "mount": {"type": "bushing", "between": ["ground", "c"], "at": [0.4, 0.3, -0.1], "c": [3] * 6,
                      "k": [90, 80, 70, 9, 8, 7]},
            "hold": {"type": "spring", "between": ["ground", "b"], "at": [[0.5, 0.4, 0.9], [0.1, 0, 0.3]], "k": 60,
                     "c": 2, "free_length": 0.5},
        },
        "states": {},
    }  # fmt: skip


@pytest.mark.parametrize("kind", JOINTS)
def test_reactions_of_every_joint_type(kind):
    model = jointed(kind)
    parts = [f"reaction.j.{component}" for component in WRENCH]
    model["forces"]["push"] = {"type": "expression", "along": "gauge", "value": f"={reading(parts)}"}
    model["states"]["lag"] = {"initial": 0.2, "rate": f"=-lag + {reading(parts[::-1])} + 0.1*reaction.ball.fy"}
    model["forces"]["late"] = {"type": "expression", "along": "gauge", "value": "=0.5*lag - 0.02*abs(reaction.ball.fz)"}
    agrees(eb.load(model))


# Elements -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORCES)
def test_forces_of_every_element_type(kind):
    rng = np.random.default_rng(4)
    entry = entries(FORCES[kind].spec, rng)[0]
    plain = eb.operating_point(eb.load(document({"f": entry}))).system.forces
    owner = plain.owners.index("f")
    channels = {*plain.linear.i[plain.linear.owner == owner].tolist()}
    channels |= {s.target for s in plain.signals if s.owner == owner}
    channels |= {int(c) for o, c, _ in np.real(plain.constant_owner) if int(o) == owner}
    components = [""]
    if len(channels) > 1:
        components = [f".{c}" for c in (WRENCH[3:] if kind in MOMENTS else WRENCH[: len(channels)])]
    parts = [f"force.f{component}" for component in components]
    model = document({"f": entry, "echo": {"type": "expression", "along": "gauge", "value": f"={reading(parts)}"}})
    model["forces"]["again"] = {"type": "expression", "along": "a.x", "value": "=0.3*force.echo + 0.1*follow"}
    model["states"]["follow"] = {"initial": 0.1, "rate": f"=-follow + {reading(parts)}"}
    agrees(eb.load(model))


SPEEDS = ("velocity", "angular_velocity", "angular_momentum")


# Measures -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MEASURES)
def test_second_rates_of_every_measure(kind):
    rng = np.random.default_rng(6)
    entry = entries(MEASURES[kind].spec, rng)[0]
    model = document({"k": {"type": "spring", "along": "gauge", "k": 40, "c": 1, "free": 0.7}})
    model["joints"] = {"ball": {"type": "spherical", "between": ["ground", "a"], "at": [0.3, 0.1, 0.2]}}
    model["joints"]["hinge"] = {"type": "revolute", "between": ["a", "b"], "at": [0.5, 0.2, 0], "axis": [1, 2, 0.5]}
    model["joints"]["hinge"]["velocity"] = 0.7
    if kind in ("angles", "quaternion"):
        entry |= {"of": "ball", **({"sequence": "xyz"} if kind == "angles" else {})}  # others are singular at the start
    if kind == "sum":
        entry = {"type": kind, "terms": {"gauge": 1.2, "hinge": -0.5, "ball.rx": 0.3}, "unit": "m"}
    if kind == "angular_momentum":
        entry |= {"of": ["a", "b"]}
    entry.pop("initial", None)
    model["measures"]["m"] = entry
    names = [f"m.{c.label}" for c in MEASURES[kind].spec.coordinates] or ["m"]
    primes = "'" if kind in SPEEDS else "''"  # of a speed the first rate is an acceleration
    second = [*(name + primes for name in names), "hinge''", "ball.rx''"]
    model["forces"]["inert"] = {"type": "expression", "along": "hinge", "value": f"={reading(second)}"}
    model["states"]["lag"] = {"initial": 0.1, "rate": f"=-lag + {reading(second[::-1])}"}
    model["forces"]["late"] = {"type": "expression", "along": "gauge", "value": "=0.3*lag"}
    agrees(eb.load(model))


# Random mechanisms --------------------------------------------------------------------------------------------------


def coupled(rng: np.random.Generator, model: dict) -> dict:
    """A random mechanism with forces and a state that read reactions, second rates and forces of elements."""
    forces, joints, free = model.setdefault("forces", {}), list(model["joints"]), coordinates(model)
    scalar = [n for n, f in forces.items() if f["type"] in ("spring", "expression", "friction", "damper", "maxwell")]
    reads = [f"{0.03 * rng.normal():.4f}*reaction.{rng.choice(joints)}.{rng.choice(WRENCH)}" for _ in range(2)]
    reads += [f"{0.02 * rng.normal():.4f}*{rng.choice(free)}''" for _ in range(2)]
    reads += [f"{0.03 * rng.normal():.4f}*force.{name}" for name in scalar[:1]]
    rng.shuffle(reads)
    law = f"={reads[0]} + 0.02*sin({reads[-1]})"
    forces["z1"] = {"type": "expression", "along": str(rng.choice(free)), "value": law}
    forces["z2"] = {"type": "expression", "along": str(rng.choice(free)), "value": "=0.05*zs + 0.01*force.z1"}
    model.setdefault("states", {})["zs"] = {"initial": 0.1, "rate": f"=-2*zs + {' + '.join(reads)}"}
    return model


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_random_mechanisms(kind, seed):
    rng = np.random.default_rng([seed, KINDS.index(kind), 21])
    model = random_mechanism(rng, kind)
    if seed == 2 and kind in ("tree", "knife"):
        model = with_beams(rng, model, most=1)
    if not coordinates(model):
        pytest.skip("it has no coordinate to act along")
    has_redundant = bool(eb.operating_point(eb.load(model)).redundant)
    model = eb.load(coupled(rng, model))
    try:
        eb.operating_point(model)
    except eb.InputError as error:
        named = all(fault.where.startswith(("forces.z", "states.zs")) for fault in error.faults)
        if not (has_redundant and named and "left open by redundant constraints" in str(error)):
            raise
        return
    agrees(model)
