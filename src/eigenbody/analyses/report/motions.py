"""Motions for the page: complex mode shapes and simulated poses as packed 32-bit floats, and what each mode is."""

from __future__ import annotations

import base64
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.drawing import Scene, scales, xyzw
from eigenbody.model.description import owner_of
from eigenbody.model.source import shown
from eigenbody.present.tables import significant

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Explanation, Modes
    from eigenbody.simulation.result import Simulation

FEW = 7  # shares of an energy
STILLNESS = 1e-6  # of the largest coordinate: below, a phase says nothing
MAX_POSES = 120_000  # bodies times frames of a simulated motion
STILL = {
    "rigid": "A motion that nothing restores. The page swings it to and fro to show its shape.",
    "real": "It does not oscillate. The page swings it to and fro to show its shape.",
}


def packed(values: np.ndarray) -> str:
    """Base64 of little-endian 32-bit floats."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


def packed_shapes(modes: Modes, count: int, scene: Scene) -> str:
    """(modes, bodies, 6, real and imaginary part)."""
    shapes = modes.motion[:count, scene.rows]
    return packed(np.stack((shapes.real, shapes.imag), axis=-1))


def packed_bends(modes: Modes, count: int, scene: Scene) -> str:
    """(modes, vertices, 6, real and imaginary part) of lines that bend."""
    shapes = scene.bent.shapes(modes, count)
    return packed(np.stack((shapes.real, shapes.imag), axis=-1))


def mode_documents(modes: Modes, found: Explanation | None, count: int, scene: Scene) -> list[dict[str, Any]]:
    """What the page says of every mode."""
    factor = scales(modes, count, scene)
    out = []
    for i in range(count):
        hz = float(modes.damped_frequency_hz[i])
        out.append(
            {
                "index": i + 1,
                "hz": hz,
                "label": found.labels[i] if found is not None else "",
                "facts": _facts(modes, found, i),
                "remark": STILL.get(modes.kinds[i], ""),
                "scale": float(f"{factor[i]:.9g}"),
                "energies": _energies(found, i) if found is not None else [],
                "strain": _strain(found, i) if found is not None else {},
                "whirl": found.whirls[i] if found is not None else "",
            }
        )
    return out


def _facts(modes: Modes, found: Explanation | None, i: int) -> list[tuple[str, str]]:
    value = complex(modes.eigenvalues[i])
    facts = []
    if modes.kinds[i] == "oscillatory":
        facts.append(("frequency", f"{significant(value.imag / (2 * math.pi), 5)} Hz"))
        facts.append(("period", f"{significant(2 * math.pi / value.imag, 4)} s"))
    if modes.kinds[i] != "rigid":
        facts.append(("damping ratio", significant(float(modes.damping_ratio[i]), 4)))
        size = abs(value)
        if abs(value.real) > 1e-9 * size:
            word = "doubles in" if value.real > 0 else "halves in"
            facts.append((word, f"{significant(math.log(2) / abs(value.real), 4)} s"))
    if found is not None and found.whirls[i]:
        facts.append(("whirl", found.whirls[i]))
    return [*facts, ("stability", modes.stabilities[i]), ("kind", modes.kinds[i])]


def _energies(found: Explanation, i: int) -> list[tuple[str, list[tuple[Any, ...]]]]:
    by_body = found.kinetic[i].sum(axis=-1) + found.deformation[i]
    owners = tuple(dict.fromkeys(owner_of(body) for body in found.bodies))
    by_owner = np.bincount([owners.index(owner_of(body)) for body in found.bodies], by_body)
    return [
        ("Kinetic energy by body", _largest(owners, by_owner)),
        ("Strain energy by element", _largest(found.strain_sources, found.strain[i])),
        ("Dissipation by element", _largest(found.dissipation_sources, found.dissipation[i])),
        ("Participation by coordinate", _largest(found.coordinates, found.participation[i], _phases(found.modes, i))),
    ]


def _phases(modes: Modes, i: int) -> np.ndarray | None:
    """Phases (coordinates,) in degrees from the coordinate that moves most, nan where nothing moves; None of a motion
    that does not oscillate, and on the sparse path, which finds no coordinates."""
    if modes.kinds[i] != "oscillatory" or modes.states_shape is None:
        return None
    shape = modes.coordinate_shapes[i]
    size = np.abs(shape)
    top = int(np.argmax(np.round(size / size.max(initial=1e-300), 9))) if len(shape) else 0
    is_still = size <= STILLNESS * size.max(initial=0.0)
    angle = np.degrees(np.angle(shape / np.where(is_still[top], 1.0, shape[top])))
    return np.where(is_still, np.nan, np.where(angle <= -179.5, angle + 360.0, angle))


def _strain(found: Explanation, i: int) -> dict[str, float]:
    """Shares of the strain energy by what is drawn: springs by their names, flexible bodies with `.elastic` after."""
    shares = np.nan_to_num(np.real(found.strain[i]), posinf=0.0, neginf=0.0)
    return {name: float(f"{share:.3g}") for name, share in zip(found.strain_sources, shares, strict=True)
            if abs(share) >= 5e-4}  # fmt: skip


def _largest(names: tuple[str, ...], shares: np.ndarray, phases: np.ndarray | None = None) -> list[tuple[Any, ...]]:
    """Name and share of the largest, and the phase where there is one."""
    shares = np.nan_to_num(np.real(shares), posinf=0.0, neginf=0.0)
    order = np.argsort(-np.round(np.abs(shares), 9), kind="stable")[:FEW]
    own = [(k, shown(names[k], 40), float(f"{shares[k]:.4g}")) for k in order if abs(shares[k]) >= 5e-4]
    if phases is None:
        return [row[1:] for row in own]
    return [(*row[1:], round(float(phases[row[0]])) if np.isfinite(phases[row[0]]) else None) for row in own]


def motion_document(simulation: Simulation, scene: Scene) -> dict[str, Any]:
    """Poses (times, bodies, 7) of a simulated motion: place and quaternion, and likewise vertices
    (times, vertices, 7) of what bends, turned since the operating point; thinned where there are very many."""
    r, R = np.real(simulation.states.r)[:, scene.rows], np.real(simulation.states.R)[:, scene.rows]
    step = max(1, -(-r.shape[0] * max(r.shape[1] + len(scene.bent), 1) // MAX_POSES))
    poses = np.concatenate((r[::step], xyzw(R[::step])), axis=-1)
    times = [float(f"{t:.7g}") for t in simulation.t[::step]]
    if not len(scene.bent):
        return {"times": times, "poses": packed(poses)}
    places, turns = scene.bent.path(simulation, step)
    return {"times": times, "poses": packed(poses), "vertices": packed(np.concatenate((places, xyzw(turns)), axis=-1))}
