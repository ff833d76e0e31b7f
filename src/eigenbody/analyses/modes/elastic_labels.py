"""How a flexible body deforms in a mode, in words: it bends, stretches or twists; or it moves as if it were rigid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.model.description import FlexibleBody, owner_of

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes

BENT = 0.02  # part of the motion of the nodes that no rigid motion explains, from which a body deforms
STRAINED = 0.05  # share of the strain energy from which it deforms if that part is at least
SLIGHTLY = 1e-3
TWISTING = 0.3  # part of the kinetic energy in displacements of nodes below which they turn rather than move
CLEAR = 0.9  # share of one direction that names it
THIN = 0.1  # relative extent across a body below which rotation about its length moves nothing
AXES = "xyz"


@dataclass(frozen=True, slots=True, eq=False)
class ElasticPart:
    """A flexible body in one mode: its sections among the bodies, its share of the kinetic energy, how it deforms (""
    if it does not), and the complex displacement or rotation (3,) where that is largest."""

    bodies: tuple[int, ...]
    share: float
    words: str
    vector: np.ndarray


class ElasticParts:
    """All flexible bodies of a mechanism in its modes: `kinetic` (n, bodies) are shares of the kinetic energy,
    `inertia` (n, bodies) x^H M x of the displacements, `strain` shares (n,) of the strain energy by flexible body."""

    def __init__(
        self, modes: Modes, kinetic: np.ndarray, inertia: np.ndarray, strain: Mapping[str, np.ndarray]
    ) -> None:
        flexible = {body.name for body in modes.linear.point.system.description.flexible}
        names = [owner_of(name) for name in modes.bodies]
        own = {owner for owner, name in zip(names, modes.bodies, strict=True) if name in flexible or name != owner}
        self._members = {
            owner: tuple(i for i, name in enumerate(names) if name == owner) for owner in dict.fromkeys(names)
            if owner in own
        }  # fmt: skip
        self._shares, self._inertia, self._strain = kinetic, inertia, strain
        if self._members:
            self._points(modes, [i for i, name in enumerate(modes.bodies) if name != names[i] and name not in flexible])

    def _points(self, modes: Modes, segments: list[int]) -> None:
        """Points that stand for the bodies: nodes, and centres of rigid segments; their masses, positions, motion."""
        point, nodes = modes.linear.point, modes.deformations
        material = np.flatnonzero(point.system.description.bodies.is_material)[segments]
        self._owner = np.array([owner_of(name) for name in (*nodes.bodies, *(modes.bodies[i] for i in segments))])
        of_segments = np.real(point.system.mass)[material]
        self._mass = np.concatenate((_node_mass(point.system.description.flexible), of_segments))
        self._position = np.concatenate((nodes.position, np.real(point.state.r)[material]))
        shapes = modes.shapes[:, segments]
        self._move = np.concatenate((nodes.move, shapes[..., :3]), axis=1)
        self._turn = np.concatenate((nodes.turn, shapes[..., 3:]), axis=1)

    def of(self, mode: int) -> list[ElasticPart]:
        """Every flexible body in a mode."""
        return [self._part(mode, name, bodies) for name, bodies in self._members.items()]

    def _part(self, mode: int, name: str, bodies: tuple[int, ...]) -> ElasticPart:
        share = float(self._shares[mode, list(bodies)].sum())
        own = np.flatnonzero(self._owner == name)
        X, mass, U, turn = self._position[own], self._mass[own], self._move[mode, own], self._turn[mode, own]
        whole = float(self._inertia[mode, list(bodies)].sum())
        moved = float(mass @ (np.abs(U) ** 2).sum(axis=-1))
        if moved < TWISTING * whole:
            spread = turn - (mass @ turn) / mass.sum()
            return ElasticPart(bodies, share, _twist(X, spread), turn[_largest(turn)])
        rest = _beyond_rigid(X, U, mass)
        bent = float(mass @ (np.abs(rest) ** 2).sum(axis=-1))
        least = SLIGHTLY if name in self._strain and abs(self._strain[name][mode]) >= STRAINED else BENT
        words = _bend(X, rest, mass) if bent > least * moved else ""
        return ElasticPart(bodies, share, words, U[_largest(U)])


def _node_mass(flexible: Sequence[FlexibleBody]) -> np.ndarray:
    """(N,) mass of every section shared out among its nodes: half for those at its ends."""
    parts = [np.zeros(0)]
    for body in flexible:
        own = np.ones(len(body.reduced.names))
        if len(own) > 1:
            own[[0, -1]] = 0.5
        parts.append(own * np.real(body.reduced.mass) / own.sum())
    return np.concatenate(parts)


def _largest(vectors: np.ndarray) -> int:
    return int(np.argmax(np.round((np.abs(vectors) ** 2).sum(axis=-1), 12)))


def _beyond_rigid(X: np.ndarray, U: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """What is left of displacements U (N, 3) of points X without the rigid motion nearest to them, by mass."""
    arm = X - mass @ X / mass.sum()
    arm = arm / (np.abs(arm).max() or 1.0)
    rigid = np.zeros((len(X), 3, 6))
    rigid[:, :, :3] = np.eye(3)
    for k in range(3):
        rigid[:, :, 3 + k] = np.cross(np.eye(3)[k], arm)
    weight = np.sqrt(mass)[:, None, None]
    basis = (weight * rigid).reshape(-1, 6)
    fitted = np.linalg.lstsq(basis, (weight[..., 0] * U).reshape(-1), rcond=THIN)[0]
    return U - rigid @ fitted


def _line(X: np.ndarray) -> np.ndarray | None:
    """Direction along which slender bodies extend, None for others."""
    spread = X - X.mean(axis=0)
    strength, axes = np.linalg.eigh(spread.T @ spread)
    return axes[:, -1] if strength[-1] > 10 * strength[1] else None


def _bend(X: np.ndarray, rest: np.ndarray, mass: np.ndarray) -> str:
    strength, axes = np.linalg.eigh(np.einsum("n,ni,nj->ij", mass, rest, rest.conj()).real)
    if strength[-1] < CLEAR * strength.sum():
        shares = np.einsum("n,ni->i", mass, np.abs(rest) ** 2)
        names = [name for name, part in zip(AXES, shares / shares.sum(), strict=True) if part >= 1 - CLEAR]
        return f"bending {' and '.join(names)}"
    direction, line = axes[:, -1], _line(X)
    word = "stretching" if line is not None and (line @ direction) ** 2 >= CLEAR else "bending"
    return f"{word} {_named(direction)}"


def _twist(X: np.ndarray, turn: np.ndarray) -> str:
    line = _line(X)
    return f"twisting about {_named(line).removeprefix('along ')}" if line is not None and np.any(turn) else "twisting"


def _named(direction: np.ndarray) -> str:
    k = int(np.argmax(np.abs(direction)))
    if direction[k] ** 2 >= CLEAR:
        return AXES[k]
    sign = np.sign(direction[k])
    return "along (" + ", ".join(f"{value + 0.0:.2g}" for value in np.round(sign * direction, 2)) + ")"
