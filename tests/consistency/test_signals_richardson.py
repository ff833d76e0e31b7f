"""A, B, C, D with controllers, laws and reactions against Richardson-extrapolated differences of the nonlinear model.

The nonlinear model is `forward_dynamics.py`: perturbed states on the constraint manifold, accelerations by least
squares, outputs read as values (reactions by `operation.reactions`, with no tangent anywhere).
"""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.loads.outputs import output_value
from forward_dynamics import ForwardDynamics

EXAMPLES = Path(__file__).parents[2] / "examples"
ARRAYS = ("r", "R", "v", "w", "x", "turns", "u_in")


class Nonlinear(ForwardDynamics):
    """Forward dynamics with every kind of output."""

    def _outputs(self, state, acceleration):
        out = []
        for i, a in enumerate(acceleration):
            one = replace(state, **{name: getattr(state, name)[i] for name in ARRAYS})
            mechanics = Mechanics(self.system, one, a)
            out.append([output_value(mechanics, output) for output in self.system.outputs])
        return np.array(out).reshape(len(acceleration), -1)


def extrapolated(model: Nonlinear, scale: np.ndarray, levels: int = 3) -> np.ndarray:
    """[A | B; C | D] by central differences at steps halved again and again, extrapolated to step zero."""
    sizes = (len(model.coordinates), len(model.velocities), model.state.x.shape[-1], model.state.u_in.shape[-1])
    cuts = np.cumsum(sizes)[:-1]
    table = []
    for k in range(levels):
        step = 2e-3 * scale / 2**k
        shifts = np.concatenate((np.diag(step), -np.diag(step)))
        ahead, behind = np.split(model.rates(*np.split(shifts, cuts, axis=-1)), 2)
        table.append((ahead - behind).T / (2 * step))
    for m in range(1, levels):
        table = [b + (b - a) / (4**m - 1) for a, b in pairwise(table)]
    return table[0]


def largest_error(linear: eb.LinearModel) -> float:
    """Of any entry, relative to the largest of its row, states and inputs measured in their own size."""
    system, state = linear.point.system, linear.point.state
    scale = np.ones(len(linear.states) + len(linear.inputs))
    own = np.maximum(np.abs(np.concatenate((state.x, state.u_in))), 1.0)
    scale[len(scale) - len(own) :] = own
    reference = extrapolated(Nonlinear(system, state, linear.coordinates, linear.velocities), scale)
    space = linear.state_space
    found = np.block([[space.A, space.B], [space.C, space.D]])
    size = np.abs(reference * scale).max(axis=1)
    size = np.maximum(size, 1e-3 * size.max())
    return float((np.abs((found - reference) * scale).max(axis=1) / size).max())


@pytest.mark.parametrize("speed", [0.0, 1.3])
def test_hydraulic_actuator_with_two_states_in_a_closed_loop(speed: float) -> None:
    model = eb.load(EXAMPLES / "actuated_linkage.yaml")
    if speed:  # somewhere in the middle of a motion
        values = {"A": 0.2, "A'": speed, "valve": 0.02, "pressure": 4e5}
        model = model.set(operating_point=values)
    linear = eb.linearize(model)
    assert linear.states[-2:] == ("valve", "pressure")
    assert len(linear.point.chosen.rows) == 17
    assert largest_error(linear) < 1e-7


def mechanism(**sections: object) -> dict:
    """A spatial loop in motion: crank, universal joint, rod guided in a plane; one of everything that has states."""
    return {
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {
            "crank": {"mass": 1, "inertia": [0.1, 0.12, 0.09], "at": [0.5, 0, 0.2]},
            "rod": {"mass": 2, "inertia": [0.2, 0.3, 0.25], "at": [1.2, 0.1, 0.3]},
        },
        "joints": {
            "a": {"type": "revolute", "between": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 1, 0.2],
                  "velocity": 0.6},
            "b": {"type": "spherical", "between": ["crank", "rod"], "at": [1, 0, 0], "velocity": [0.3, -0.4, None]},
            "c": {"type": "inplane", "between": ["ground", "rod"], "at": [1.5, 0.2, 0.4], "axis": [0.4, 0.3, 1]},
        },
        **sections,
    }  # fmt: skip


COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


def test_reactions_of_every_joint_and_component() -> None:
    outputs = {
        f"{joint}_{component}_{axes}": {"reaction": joint, "component": component, "axes": axes}
        for joint in "abc" for component in COMPONENTS for axes in ("joint", "ground")
    }  # fmt: skip
    forces = {"spring": {"type": "spring", "between": ["ground", "rod"], "at": [[2, 0, 1], [1.6, 0, 0.3]], "k": 50,
                         "c": 2,
                         "free_length": 0.5}}  # fmt: skip
    inputs = {"push": {"along": "a", "value": 0.7}, "blow": {"body": "rod", "direction": [0.2, 1, 0.3]}}
    linear = eb.linearize(eb.load(mechanism(forces=forces, inputs=inputs, outputs=outputs)))
    assert largest_error(linear) < 1e-7
    assert np.abs(linear.state_space.D).max() > 0.01
    carried = np.abs(linear.state_space.C).max(axis=1) > 1e-6
    held = {name for name, is_carried in zip(linear.outputs, carried, strict=True) if is_carried and "_joint" in name}
    assert held == {f"a_{c}_joint" for c in COMPONENTS[:5]} | {f"b_{c}_joint" for c in COMPONENTS[:3]} | {"c_fz_joint"}


def test_reactions_of_a_knife_edge() -> None:
    bodies = {"sleigh": {"mass": 2, "inertia": [0.2, 0.2, 0.3], "at": [0.25, 0, 0]}}
    joints = {
        "floor": {"type": "planar", "between": ["ground", "sleigh"], "at": [0, 0, 0], "velocity": [1.5, None, 0.4]},
        "blade": {"type": "knife_edge", "between": ["ground", "sleigh"], "at": [0, 0, 0], "axis": [0, 1, 0]},
    }
    outputs = {f"{c}_{axes}": {"reaction": "blade", "component": c, "axes": axes} for c in ("fx", "fy") for axes in
               ("joint", "ground")}  # fmt: skip
    doc = {"eigenbody": 1, "bodies": bodies, "joints": joints, "outputs": outputs}
    linear = eb.linearize(eb.load(doc))
    assert largest_error(linear) < 1e-7
    newton = 2 * linear.point.motion.acceleration[1]  # of the sleigh, in ground axes
    assert linear.point.outputs()["fy_ground"] == pytest.approx(newton, rel=1e-12)
    assert abs(newton) > 0.1


def test_laws_blocks_functions_and_second_rates_together() -> None:
    doc = mechanism(
        forces={
            "rub": {"type": "friction", "along": "a", "coulomb": 2, "static": 3, "stribeck": 0.9, "transition": 0.3},
            "stop": {"type": "one_sided", "along": "b.rx", "gap": -0.2, "k": 40, "c": 1, "smooth": 0.1},
            "play": {"type": "backlash", "along": "b.ry", "gap": 0.1, "k": 30, "smooth": 0.08},
            "series": {"type": "maxwell", "between": ["ground", "rod"], "at": [[2, 0, 1], [1.6, 0, 0.3]], "k": 60,
                       "c": 5,
                       "free_length": 0.7, "initial": 0.05},
            "motor": {"type": "dc_motor", "along": "a", "R": 0.7, "L": 0.2, "K": 0.9, "voltage": "=ctrl",
                      "initial": 0.4},
            "curve": {"type": "motor", "along": "b.rz", "curve": {"table": [[-5, 2], [0.371, 1], [5, -3]]}},
            "python": {"type": "actuator", "along": "a",
                       "value": eb.Function(lambda a, x: np.sin(a) * x, of=("a", "lag.x1"))},
        },
        blocks={
            "lag": {"type": "transfer", "input": "=a + wish", "numerator": [1, 2], "denominator": [0.5, 1, 3]},
            "ctrl": {"type": "pid", "input": "=wish - a", "kp": 3, "ki": 2, "kd": 0.5, "filter": 0.2},
        },
        states={"z": {"residual": "=z' + 0.2*z'**3 + z - a'", "initial": 0.3}},
        inputs={"wish": {"value": 0.2}},
        outputs={
            "second": {"expression": "=a''*z + sin(b.rx'')"}, "amps": {"state": "motor.i"}, "pull": {"force": "series"},
            "rubbing": {"force": "rub"}, "hinge": {"reaction": "a", "component": "my"},
        },
    )  # fmt: skip
    linear = eb.linearize(eb.load(doc))
    states = ("z", "lag.x1", "lag.x2", "ctrl.integral", "ctrl.filtered", "series.x", "motor.i")
    assert linear.states[-7:] == states
    assert linear.certificate.derivatives == {"forces.python": "complex step"}
    assert largest_error(linear) < 1e-7
    assert linear.certificate.tangent_error < 1e-10
