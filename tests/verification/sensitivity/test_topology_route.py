"""Explicit sensitivities of the topology route against the exact ones of the engine, which know nothing of each other.

Source of the formulas: Jiang, Chen & Luo 2011, section 4, errata in docs/theory/topology.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import family

import eigenbody as eb


def oblique() -> dict[str, Any]:
    """Two bars on oblique hinges in series, torsion springs along the hinges, a bushing at the tip; no load."""
    return {
        "eigenbody": 1,
        "name": "oblique bars",
        "bodies": {
            "one": {"mass": 2, "inertia": [0.1, 0.2, 0.25], "at": [0.3, 0.1, 0]},
            "two": {"mass": 1, "inertia": [0.05, 0.02, 0.06], "at": [0.8, 0.2, 0.1]},
        },
        "joints": {
            "a": {"type": "revolute", "between": ["ground", "one"], "at": [0, 0, 0], "axis": [0.1, 0.2, 1]},
            "b": {"type": "universal", "between": ["one", "two"], "at": [0.6, 0.15, 0.02], "axis": [0, 0, 1],
                  "axis2": [1, 0, 0]},
        },
        "forces": {
            "at_a": {"type": "spring", "along": "a", "k": 40, "c": 0.3},
            "at_b": {"type": "spring", "along": "b.angle1", "k": 25, "c": 0.1},
            "tip": {"type": "bushing", "between": ["ground", "two"], "at": [1, 0.2, 0.1], "axis": [0, 1, 1],
                    "k": [300, 200, 100, 3, 2, 1], "c": [1, 1, 1, 0.01, 0.01, 0.01]},
        },
    }  # fmt: skip


def assert_same(route: np.ndarray, engine: np.ndarray, tolerance: float = 1e-9) -> None:
    size = np.abs(engine).max(axis=-1, keepdims=True)
    assert np.all(np.abs(route - engine) <= tolerance * np.maximum(size, 1e-4 * np.abs(engine).max()))


@pytest.mark.parametrize("name", ["C3RF1", "TL3RF1", "L3RF1"])
def test_joint_places_masses_and_springs_of_the_families(name: str) -> None:
    model = eb.load(family(name))
    found = eb.sensitivity(model, ["joints", "bodies", "forces"], route="topology")
    assert found.is_exact
    paths = [path for path in found.names if ".turn" not in path and ".inertia" not in path]
    exact = eb.sensitivity(model, paths)
    assert_same(found.eigenvalues[[found.names.index(path) for path in paths]], exact.eigenvalues)


def test_places_and_axes_of_oblique_joints_with_springs_along_them() -> None:
    model = eb.load(oblique())
    found = eb.sensitivity(model, route="topology")
    assert found.names == tuple(f"joints.{j}.{what}[{k}]" for j in "ab" for what in ("at", "turn") for k in range(3))
    places = [f"joints.{j}.at[{k}]" for j in "ab" for k in range(3)]
    exact = eb.sensitivity(model, places)
    assert_same(found.eigenvalues[[found.names.index(path) for path in places]], exact.eigenvalues)
    axis = np.array([0.1, 0.2, 1.0])  # of the hinge a: a turn by theta changes it by theta x axis
    by_axis = eb.sensitivity(model, [f"joints.a.axis[{k}]" for k in range(3)]).eigenvalues
    turned = np.array([np.cross(unit, axis) @ by_axis for unit in np.eye(3)])
    assert_same(found.eigenvalues[3:6], turned)


def test_place_and_direction_of_a_bushing() -> None:
    model = eb.load(oblique())
    found = eb.sensitivity(model, "forces.tip", route="topology")
    paths = [f"forces.tip.{key}[{k}]" for key, count in (("k", 6), ("c", 6), ("at", 3)) for k in range(count)]
    exact = eb.sensitivity(model, paths)
    assert_same(found.eigenvalues[[found.names.index(path) for path in paths]], exact.eigenvalues)


def test_a_turn_that_locks_a_loop_has_no_derivative_and_says_so() -> None:
    found = eb.sensitivity(eb.load(family("L3RF1")), ["joints.j1"], route="topology")
    out_of_plane = [found.names.index(f"joints.j1.turn[{k}]") for k in (0, 1)]
    assert np.isnan(found.eigenvalues[out_of_plane]).all()
    assert not np.isnan(np.delete(found.eigenvalues, out_of_plane, axis=0)).any()
    assert "would lock a loop" in found.notes[0]


def test_neglected_stiffness_is_said() -> None:
    """A pull away from the hinge stiffens the bar: the formulas go without geometric stiffness."""
    document = oblique() | {"gravity": [0, 0, 0]}
    document["forces"]["pull"] = {"type": "force", "body": "one", "at": [0.3, 0.1, 0], "value": [30, 10, 0]}
    found = eb.sensitivity(eb.load(document), "bodies.one.mass", route="topology")
    assert not found.is_exact


def test_wrong_names_are_refused() -> None:
    with pytest.raises(eb.InputError, match=r'no derivative by "joints.c"'):
        eb.sensitivity(eb.load(oblique()), "joints.c", route="topology")
    with pytest.raises(eb.InputError, match="are not known"):
        eb.sensitivity(eb.load(oblique()), route="kane")
