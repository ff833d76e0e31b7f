"""What is known of an elastic body: its finite elements, and after reduction its modes and inertia invariants.

Positions and axes are those of the drawing. All arrays may be complex: derivatives by parameters run through them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class InertiaPoints:
    """Mass of a structure as points: `mass` (g,) and `inertia` (g, 3, 3) at `position` (g, 3).

    The freedoms d move a point by `move` (g, 3, c) d[columns] and turn it by `turn` (g, 3, c) d[columns], `columns`
    (g, c) being those that it depends on; None stands for all.
    """

    mass: np.ndarray
    inertia: np.ndarray
    position: np.ndarray
    move: np.ndarray
    turn: np.ndarray
    columns: np.ndarray | None = None
    bow: np.ndarray | None = None  # (g, 6, m, m) displacement and rotation of second order, sum_kl eta_k eta_l

    def moved(self, Phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and rotation (g, 3, m) by the shapes Phi (N, m)."""
        if self.columns is None:
            return self.move @ Phi, self.turn @ Phi
        own = Phi[self.columns]
        return self.move @ own, self.turn @ own


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The line of a beam of e elements with g sections each, whose strains its freedoms give (structures/beam.py)."""

    length: np.ndarray  # (e,)
    tangent: np.ndarray  # (e, 3)
    columns: np.ndarray  # (e, c) freedoms of each element
    strain: np.ndarray  # (e, g, 6, c) strain and curvature of the line
    turn: np.ndarray  # (e, g, 3, c) rotation of the sections
    mass_arm: np.ndarray  # (e, g, 3) from the line to the mass centre
    elastic_arm: np.ndarray  # (e, g, 3) and to the elastic centre
    radius2: np.ndarray  # (e, g) square of the radius of gyration of the area


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """Finite elements of a body that nothing holds.

    `freedoms` (n, 6) tells which column of M and K (N, N; dense or sparse) belongs to the displacements ux, uy, uz and
    rotations rx, ry, rz of each node, -1 where there is none. `points` describe the same mass as M in space; without
    them it is taken from M. `line` gives the displacements of second order; without it there are none, and a load does
    not stiffen the body. `pull` (N,) are forces along the freedoms by which a load in the drawing draws it together.
    Columns that belong to no node are amplitudes of modes where the matrices `is_reduced`, else without mass.
    """

    names: tuple[str, ...]  # of the nodes
    nodes: np.ndarray  # (n, 3)
    freedoms: np.ndarray  # (n, 6)
    M: Any
    K: Any
    points: InertiaPoints | None = None
    line: Line | None = None
    pull: np.ndarray | None = None
    is_reduced: bool = False  # by Craig and Bampton: where its mass is is not known


def turned(structure: Structure, R: np.ndarray) -> Structure:
    """The structure turned by R (3, 3), nodes and matrices: freedoms are along the axes of the drawing again. Each node
    has all three displacements or none, and so with rotations."""
    from scipy.sparse import coo_array

    rows, columns, values = [], [], []
    N = structure.M.shape[0]
    for part in (structure.freedoms[:, :3], structure.freedoms[:, 3:]):
        whole = part[(part >= 0).all(axis=1)]
        for i in range(3):
            for j in range(3):
                rows.append(whole[:, i])
                columns.append(whole[:, j])
                values.append(np.full(len(whole), R[i, j]))
    alone = np.setdiff1d(np.arange(N), structure.freedoms)
    rows.append(alone)
    columns.append(alone)
    values.append(np.ones(len(alone)))
    T = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(N, N)).tocsr()
    M, K = (T @ (T @ matrix).T for matrix in (structure.M, structure.K))
    return replace(structure, nodes=structure.nodes @ R.T, M=M, K=K, points=None, line=None, pull=None)


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """An elastic body in m modes that are mass-orthogonal to its rigid motions (docs/theory/flexible.md).

    Inertia is about the centre of mass: J = J0 + sum_k eta_k J1_k + sum_kl eta_k eta_l J2_kl, and
    b_lk = int phi_l x phi_k dm.
    `move` and `turn` (n, 3, m) are displacement and rotation of the nodes by the modal coordinates, `bow` (n, 6, m, m)
    both to second order, sum_kl eta_k eta_l, None where they are not known. The elastic forces are
    stiffness (eta - rest); `rest` is zero unless the body is under load as drawn.
    """

    names: tuple[str, ...]  # of the nodes
    nodes: np.ndarray  # (n, 3)
    mass: Any  # scalar
    centre: np.ndarray  # (3,)
    J0: np.ndarray  # (3, 3)
    J1: np.ndarray  # (m, 3, 3), symmetric in the axes
    J2: np.ndarray  # (m, m, 3, 3), symmetric in the modes and in the axes
    b: np.ndarray  # (m, m, 3), antisymmetric in the modes
    modal_mass: np.ndarray  # (m, m), unity at the real part
    stiffness: np.ndarray  # (m, m)
    frequencies: np.ndarray  # (m,) rad/s, of the free body, ascending
    move: np.ndarray
    turn: np.ndarray
    rest: np.ndarray  # (m,)
    bow: np.ndarray | None = None
    points: InertiaPoints | None = None  # its mass, from the centre, moved by the modes; None where only M is known
    is_reduced: bool = False  # read reduced: J1, J2 and b are not known and zero here

    @property
    def modes(self) -> int:
        return len(self.frequencies)

    def displacement(self, eta: np.ndarray) -> np.ndarray:
        """Displacement (t, n, 3) of the nodes in the frame at modal coordinates eta (t, m), real."""
        linear = np.einsum("nim,tm->tni", np.real(self.move), eta)
        if self.bow is None:
            return linear
        return linear + np.einsum("nikt,tk->tni", np.real(self.bow[:, :3]) @ eta.T, eta)
