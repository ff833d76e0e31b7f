"""Sparse forms of the linear equations, for systems whose dense matrices would not fit.

At rest without acceleration the frozen pencil (l^2 M + l C + K) x + G^T y = 0, G x = 0 over all body coordinates says
everything. In motion it does not (it would freeze the wrong frame): there the augmented equations are kept
whole, with dq, du, du' and the multipliers as auxiliary unknowns and the coordinates S, W and states x in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.rows import algebraic_rows, output_rows, rate_rows
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.assembly import Part, Product, Triplets, are_plain, sparse
from eigenbody.numerics.matrices.noise import ENTRY_NOISE
from eigenbody.numerics.matrices.sparse_noise import SparseNoise
from eigenbody.numerics.matrices.springs import Springs
from eigenbody.system.system import System

AXES = ("x", "y", "z", "rx", "ry", "rz")
SOFTEST = 1e-12  # springs softer than this part of the stiffest are not kept by their deflections


@dataclass(frozen=True)
class StaticPencil:
    """M, C, K over all body coordinates (nq x nq, sparse) and independent constraint rows G."""

    M: Any
    C: Any
    K: Any
    G: Any
    springs: Callable[[], Springs | None] = lambda: None  # the same K and C by deflections, where they are needed


@dataclass(frozen=True)
class Descriptor:
    """E z' = A z + B u, y = C z + D u with z = [S, W, x, dq, du, du', multipliers], all sparse, and algebraic variables
    behind these where expressions read such.

    The first `differential` unknowns are S, W, x.
    """

    E: Any
    A: Any
    B: Any
    C: Any
    D: Any
    differential: int
    dq: slice  # where dq stands in z
    point: OperatingPoint = field(repr=False)

    @cached_property
    def unknowns(self) -> tuple[str, ...]:
        """Names of z: states; `body:x` ... `body:rz` of every body, with one and two primes; constraint rows."""
        system, chosen = self.point.system, self.point.chosen
        S, W = (tuple(system.names[i] for i in index) for index in (chosen.positions, chosen.velocities))
        bodies = [self._name(c // 6, c % 6) for c in system.body_columns.tolist()]
        held = [f"force in {system.constraints.rows[r]}" for r in chosen.rows]
        held += [f"force in {system.slip_rows[r]}" for r in chosen.slip_rows]
        motion = [name + primes for primes in ("", "'", "''") for name in bodies]
        read = [variable.name for variable in system.algebraic]
        return (*S, *(name + "'" for name in W), *system.states, *motion, *held, *read)

    def _name(self, body: int, axis: int) -> str:
        """`body:x`, or the modal coordinate of a flexible body."""
        modal = self._modal.get(3 * body + axis) if axis < 3 else None
        return modal or f"{self.point.system.places.names[body]}:{AXES[axis]}"

    @cached_property
    def _modal(self) -> dict[int, str]:
        """Modal coordinates by their place among the positions of all bodies."""
        index, flexible = self.point.system.places.index, self.point.system.description.flexible
        return {
            3 * index[body.carriers[k // 3]] + k % 3: name
            for body in flexible
            for k, name in enumerate(body.coordinates)
        }


def rows_of(system: System, frame: MotionFrame, what: str) -> Any:
    """Independent constraint rows, sparse."""
    m, chosen = frame.mechanics, frame.chosen
    from scipy.sparse import vstack

    G = sparse(m.holonomic.rows(what), (system.constraints.count, system.nq)).tocsr()[chosen.rows]
    N = sparse(m.non_holonomic.rows(what), (system.slips.count, system.nq)).tocsr()[chosen.slip_rows]
    return vstack([G, N], format="csc")


def is_static(point: OperatingPoint) -> bool:
    """At rest, without accelerations, non-holonomic rows, moving frames, first-order states or algebraic variables."""
    system = point.system
    plain = not system.slips.count and not system.states and not system.description.frames and not system.algebraic
    still = plain and point.is_equilibrium
    return still and not any(np.any(getattr(point.state, name)) for name in ("v", "w"))


def static_pencil(point: OperatingPoint, C: Any, K: Any) -> StaticPencil:
    """The frozen pencil with the tangents C and K; right only where `is_static`."""
    system, mechanics = point.system, point.mechanics
    square = (system.nq, system.nq)
    G = sparse(mechanics.holonomic.rows(), (system.constraints.count, system.nq)).tocsr()[point.chosen.rows].tocsc()
    return StaticPencil(sparse(mechanics.mass(), square), C, K, G)


def springs_of(point: OperatingPoint) -> Springs | None:
    """The elements at an operating point by their deflections; None where there are none."""
    mechanics, n = point.mechanics, point.system.nq
    stiffness = mechanics.stiffness(point.motion.multipliers, point.motion.slip_multipliers)
    damping = mechanics.damping()
    first = next((p for p in stiffness if isinstance(p, Product) and p.left is p.right), None)
    if first is None or not are_plain([*stiffness, *damping]):
        return None
    rows = first.left
    (k, K_rest), (c, C_rest) = (_by_deflection(parts, rows, first.count) for parts in (stiffness, damping))
    used = np.abs(k) > SOFTEST * np.abs(k).max(initial=0.0)
    B = sparse([rows], (len(k), n)).tocsr()
    used &= np.diff(B.indptr) > 0
    if not used.any():
        return None
    others = np.flatnonzero(~used)
    for values, rest in ((k, K_rest), (c, C_rest)):
        rest.append(Product(len(k), others, others, values[others], rows, rows))
    index = np.flatnonzero(used)
    return Springs(B[index].tocsc(), k[index], c[index], sparse(K_rest, (n, n)), sparse(C_rest, (n, n)))


def _by_deflection(parts: Sequence[Part], rows: Triplets, count: int) -> tuple[np.ndarray, list[Part]]:
    """What acts along a row by its own value, (count,), and the other parts."""
    own, rest = np.zeros(count), list[Part]()
    for p in parts:
        if not (isinstance(p, Product) and p.left is rows and p.right is rows):
            rest.append(p)
            continue
        alone = p.i == p.j
        own += np.bincount(p.i[alone], p.factor[alone], minlength=count)
        if not alone.all():
            rest.append(Product(count, p.i[~alone], p.j[~alone], p.factor[~alone], rows, rows))
    return own, rest


def tangents(point: OperatingPoint) -> tuple[Any, Any]:
    """C = dF/du and K = dF/dq over all body coordinates, sparse."""
    mechanics, square = point.mechanics, (point.system.nq, point.system.nq)
    K = mechanics.stiffness(point.motion.multipliers, point.motion.slip_multipliers)
    return sparse(mechanics.damping(), square), sparse(K, square)


def descriptor(point: OperatingPoint, C: Any, K: Any) -> Descriptor:
    """The augmented equations at any consistent state, with the tangents C and K."""
    from scipy.sparse import block_array, eye_array, hstack, vstack

    system, mechanics, frame = point.system, point.mechanics, point.frame
    nq, nx = system.nq, len(system.states)
    nS, nW = frame.positions.count, frame.speeds.count
    square = (nq, nq)

    def coordinate(what: str, of: str) -> Any:
        measures = frame.positions if of == "S" else frame.speeds
        jet = measures.jet(mechanics.at, mechanics.state.turns)
        rows = [Triplets.of_rows(np.arange(measures.count), measures.columns, getattr(jet, what))]
        return sparse(rows, (measures.count, nq))

    G = sparse(mechanics.holonomic.rows(), (system.constraints.count, nq)).tocsr()[point.chosen.rows].tocsc()
    H, Hr, Ha, Hu = (rows_of(system, frame, w) for w in ("gradient", "rate_q", "acceleration_q", "acceleration_u"))
    M = sparse(mechanics.mass(), square)
    X = sparse(mechanics.applied.state_matrix(), (nq, nx))
    inputs = sparse(mechanics.applied.input_matrix(), (nq, len(system.inputs)))
    rates, outputs = rate_rows(point, frame, True), output_rows(point, frame, True)
    read = algebraic_rows(mechanics, point.motion, frame.chosen, True)
    Q_z, nz = sparse(mechanics.applied.algebraic_matrix(), (nq, len(system.algebraic))), len(system.algebraic)
    one = eye_array
    A = block_array(
        [
            [_none(nS, nS), None, None, coordinate("rate_q", "S"), coordinate("gradient", "S"), None, None, None],
            [None, _none(nW, nW), None, coordinate("acceleration_q", "W"), coordinate("acceleration_u", "W"),
             coordinate("gradient", "W"), None, None],
            [None, None, rates.x, rates.q, rates.u, None, None, rates.z],
            [None, None, None, G, None, None, None, None],
            [-one(nS), None, None, coordinate("gradient", "S"), None, None, None, None],
            [None, None, None, Hr, H, None, None, None],
            [None, -one(nW), None, coordinate("rate_q", "W"), coordinate("gradient", "W"), None, None, None],
            [None, None, read.x, read.q, read.u, read.a, read.multipliers, read.z - one(nz)],
            [None, None, None, Ha, Hu, H, None, None],
            [None, None, -X, K, C, M, H.T, -Q_z],
        ],
        format="csc",
    )  # fmt: skip
    n = nS + nW + nx
    E = sparse([Triplets(np.arange(n), np.arange(n), np.ones(n))], A.shape)
    nu, held = len(system.inputs), H.shape[0]
    still = _none(A.shape[0] - n - nz - held - nq, nu)
    B = vstack([_none(nS + nW, nu), rates.inputs, still, read.inputs, _none(held, nu), -inputs], format="csc")
    first = _none(len(system.outputs), nS + nW)
    parts = (outputs.x, outputs.q, outputs.u, outputs.a, outputs.multipliers, outputs.z)
    C_out = hstack([first, *parts], format="csc")
    return Descriptor(E, A, B, C_out, outputs.inputs, n, slice(n, n + nq), point)


def descriptor_noise(d: Descriptor, forces: SparseNoise, accelerated: Sequence[MotionFrame]) -> Any:
    """Error of the entries of A, none negative: relative to their size, that of the forces, and of what depends on
    accelerations, in mechanisms `accelerated` by as much as these are uncertain (the last one not)."""
    from scipy.sparse import coo_array

    system, chosen = d.point.system, d.point.chosen
    nq, held = system.nq, len(chosen.rows) + len(chosen.slip_rows)
    total, last = d.A.shape[0], d.A.shape[0] - nq
    out = ENTRY_NOISE * abs(d.A)

    def placed(part: Any, row: int, column: int) -> Any:
        part = part.tocoo()
        return coo_array((part.data, (part.row + row, part.col + column)), shape=(total, total)).tocsc()

    out = out + placed(forces.K, last, d.dq.start) + placed(forces.C, last, d.dq.stop)
    for row, rows in ((last - held, _held), (len(chosen.positions), _speeds)):
        samples = [rows(frame, "acceleration_q") for frame in accelerated]
        for sample in samples[:-1]:
            out = out + placed(abs(sample - samples[-1]), row, d.dq.start)
    return out


def _held(frame: MotionFrame, what: str) -> Any:
    return rows_of(frame.system, frame, what)


def _speeds(frame: MotionFrame, what: str) -> Any:
    jet = frame.speed_jet
    rows = [Triplets.of_rows(np.arange(frame.speeds.count), frame.speeds.columns, getattr(jet, what))]
    return sparse(rows, (frame.speeds.count, frame.system.nq))


def _none(rows: int, columns: int) -> Any:
    from scipy.sparse import csc_array

    return csc_array((rows, columns))
