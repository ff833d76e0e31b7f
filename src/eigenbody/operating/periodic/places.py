"""Where forces and rates of states change along a motion, and segments of the period that see all of it.

Values and slopes of the signals are looked at in some thousand places of the period, which no mesh has. The quantities
that signals read are taken there from the Gauss points of a lap, by the polynomial of each segment. Where signals jump
(`step`, tables of lines) or bend (`max`) a segment ends; where they change faster than the Gauss points of a segment
tell it is split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from eigenbody.base.errors import EigenbodyError, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.along import chunks
from eigenbody.numerics.signals.transition import STAGES, Mesh, gauss_rule
from eigenbody.operating.periodic.shooting import SAME, Lap, other_period
from eigenbody.system.arguments import AnySignal, Argument, Quantities
from eigenbody.system.external import External
from eigenbody.system.state import some_states

PLACES = 8191  # of the period that are looked at
FEWER = 1021  # of them where a Python function is called for each
GOLDEN = 0.5 * (5**0.5 - 1)
WITHIN = 12  # places of every segment beside these
AT_A_TIME = 4096
COMPARED = 127  # places of the period at which signals are compared with those a period later
SEEN = 1e-6  # what the Gauss points may miss of a signal, relative to the largest value that it takes
JUMP = 1e-5  # change of a signal within an instant that is one
STEADY = 14  # halvings in which what is steady has changed little
BENT = 11  # halvings in which a bend shows
BEND = 0.36  # part that each leaves of a bend, at least; of what is smooth it leaves a quarter
SLIGHT = 1e-10  # what a bend leaves at least
NEAR = 4.0 / PLACES  # of a jump nothing else is called a bend
NEGLIGIBLE = 1e-9  # part of a signal that its slope does not count with
SPLITS = 14  # most halvings of a segment
MOST = 1024  # segments from which on none is split
BESIDE = 1e-7  # part of the period by which one looks on either side of a jump
APART = 1e-11  # least length of a segment, as a part of the period
TURN = 2 * np.pi

At = Callable[[np.ndarray], np.ndarray]  # values (places, columns) at parts of the period


def layout_of(lap: Lap, segments: int) -> Mesh:
    """Segments of a period that see what changes along the motion of a lap: `segments` equal ones where these do, else
    more; its breaks are where something jumps."""
    plain = Mesh(lap.mesh.start, lap.period, segments)
    if lap.series is not None:  # of what was seen to be smooth
        return plain
    traces = _Traces(lap)
    if not traces.signals:
        return plain
    try:
        return _layout(traces, plain)
    except EigenbodyError:  # a signal has no value beside the motion: the mesh is all that is known
        return plain


def _layout(traces: _Traces, plain: Mesh) -> Mesh:
    fine = np.unique(np.concatenate((np.mod(GOLDEN * np.arange(1, traces.places + 1), 1.0), plain.parts)))
    values = traces.at(fine)
    scale = _scale(values, traces.units)
    if not np.isfinite(scale).any():
        return plain

    def at(parts: np.ndarray) -> np.ndarray:
        return traces.at(parts) / scale

    values = values / scale
    jumps, bends = _apart(_jumps(at, fine, values)), _apart(_bends(at, fine, values))
    bends = bends[np.abs(bends[:, None] - jumps).min(axis=1, initial=1.0) > NEAR]
    firm = np.sort(np.concatenate((jumps, bends)))
    parts, splits = _split(at, fine, values, _with_firm(plain.parts, firm))
    if not len(firm) and len(parts) == len(plain.parts):
        return plain
    if not len(firm) and 2 * (len(parts) - 1) > plain.segments * 2**splits:
        return replace(plain, segments=plain.segments * 2**splits)
    return replace(plain, segments=len(parts) - 1, ends=tuple(parts[1:].tolist()), breaks=tuple(jumps.tolist()))


def _scale(values: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Largest value of each column; infinite where it does not matter beside others of its signal or is constant.
    `units` (2, columns): the number of the signal, and the unit of what the column is a slope by."""
    size = np.abs(values).max(axis=0)
    whole = np.zeros(int(units[0].max()) + 1)
    np.maximum.at(whole, units[0].astype(int), size * units[1])
    matters = size * units[1] > NEGLIGIBLE * whole[units[0].astype(int)]
    matters &= np.ptp(values, axis=0) > NEGLIGIBLE * size
    return np.where(matters, size, np.inf)


def switches_of(lap: Lap, jumps: Sequence[float]) -> tuple[float, ...]:
    """Those of the jumps (parts of the period) at which a force or the rate of a state itself jumps, not only its
    slope, and does not where time alone goes on: the motion decides when. Linear equations along the motion lack what a
    deviation changes in such an instant."""
    traces = _Traces(lap)
    if not jumps or not traces.signals:
        return ()
    places = np.array(jumps)
    is_value = np.isin(np.arange(traces.units.shape[1]), np.unique(traces.units[0], return_index=True)[1])
    try:
        change = traces.at(places + BESIDE) - traces.at(places - BESIDE)
        alone = traces.at(places, BESIDE) - traces.at(places, -BESIDE)
    except EigenbodyError:
        return ()
    size = np.abs(traces.at(lap.mesh.parts)).max(axis=0)
    by_motion = (np.abs(change) > JUMP * size) & (np.abs(alone) < 0.5 * np.abs(change)) & is_value
    return tuple(places[by_motion.any(axis=1)].tolist())


def refuse_signals_of_other_period(lap: Lap) -> None:
    """What forces, states and prescribed motions read of time must be the same a period later, whatever it pushes."""
    traces = _Traces(lap)
    if not any(a.kind == "t" for signal in traces.signals for a in signal.arguments):
        return
    parts = np.mod(GOLDEN * np.arange(1, COMPARED + 1), 1.0)
    now, later = traces.at(parts), traces.at(parts, 1.0)
    if np.any(np.abs(now - later) > SAME * np.maximum(np.abs(now), np.abs(later)).max(axis=0)):
        raise InputError(other_period(lap.period))


# Jumps and bends ------------------------------------------------------------------------------------------------------
def _jumps(at: At, fine: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Places where something jumps: intervals whose ends differ are halved down to neighbouring numbers."""
    a, b, A, B = fine[:-1], fine[1:], values[:-1], values[1:]
    for step in range(64):
        alive = _largest(B - A) > JUMP
        a, b, A, B = a[alive], b[alive], A[alive], B[alive]
        middle = 0.5 * (a + b)
        if not len(a) or (step > STEADY and not ((a < middle) & (middle < b)).any()):
            break
        M = at(middle)
        is_first = _largest(M - A) > _largest(B - M)
        b, B = np.where(is_first, middle, b), np.where(is_first[:, None], M, B)
        a, A = np.where(is_first, a, middle), np.where(is_first[:, None], A, M)
    return np.unique(b)


def _bends(at: At, fine: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Places where a slope jumps: second differences become half as large with the interval, those of what is smooth a
    quarter as large."""
    a, h = fine[:-1], 0.5 * np.diff(fine)
    A, M, B = values[:-1], at(a + h), values[1:]
    first = _largest(A - 2 * M + B)
    for step in range(BENT):
        alive = _largest(A - 2 * M + B) > np.maximum(BEND**step * first, SLIGHT)
        a, h, A, M, B, first = a[alive], h[alive], A[alive], M[alive], B[alive], first[alive]
        if not len(a):
            break
        h = 0.5 * h
        P, Q = at(a + h), at(a + 3 * h)
        ways = np.stack((_largest(A - 2 * P + M), _largest(P - 2 * M + Q), _largest(M - 2 * Q + B)))
        best = ways.argmax(axis=0)
        a = a + best * h
        A, M, B = (np.choose(best[:, None], three) for three in ((A, P, M), (P, M, Q), (M, Q, B)))
    return np.unique(a + h)


def _largest(change: np.ndarray) -> np.ndarray:
    return np.abs(change).max(axis=-1, initial=0.0)


def _apart(places: np.ndarray) -> np.ndarray:
    """Places inside the period, those that are nearly the same once."""
    places = np.sort(places[(places > APART) & (places < 1 - APART)])
    return places[np.diff(places, prepend=-1.0) > APART]


# Segments -------------------------------------------------------------------------------------------------------------
def _with_firm(parts: np.ndarray, firm: np.ndarray) -> np.ndarray:
    """Ends of segments, places that must be some, and of the others those that are not near to them."""
    if not len(firm):
        return parts
    near = np.abs(parts[1:-1, None] - firm).min(axis=1) < 0.1 / len(parts)
    return np.unique(np.concatenate((parts[:1], parts[1:-1][~near], firm, parts[-1:])))


def _split(at: At, fine: np.ndarray, values: np.ndarray, parts: np.ndarray) -> tuple[np.ndarray, int]:
    """Ends of segments whose Gauss points tell what is in them, and how often the shortest was halved."""
    within = np.sort(np.mod(GOLDEN * np.arange(1, WITHIN + 1), 1.0))
    open_, splits = np.ones(len(parts) - 1, dtype=bool), 0
    while splits < SPLITS and len(parts) <= MOST:
        a, h = parts[:-1], np.diff(parts)
        missed = np.zeros(len(a))
        k = np.flatnonzero(open_)
        known = np.full((len(a), STAGES, values.shape[1]), np.nan)
        known[k] = at((a[k, None] + h[k, None] * gauss_rule()[0]).ravel()).reshape(len(k), STAGES, -1)
        inside = at((a[k, None] + h[k, None] * within).ravel()).reshape(len(k), WITHIN, -1)
        missed[k] = np.abs(inside - _lagrange(within) @ known[k]).max(axis=(1, 2))
        own = np.clip(np.searchsorted(parts, fine, side="right") - 1, 0, len(a) - 1)
        share = (fine - a[own]) / h[own]
        some = open_[own] & (share > 0) & (share < 1)
        told = np.einsum("pj,pjm->pm", _lagrange(share[some]), known[own[some]])
        np.maximum.at(missed, own[some], _largest(values[some] - told))
        open_ = (missed > SEEN) & (h > 2 * APART)
        if not open_.any():
            break
        splits += 1
        parts = np.sort(np.concatenate((parts, (a + 0.5 * h)[open_])))
        open_ = np.repeat(open_, np.where(open_, 2, 1))
    return parts, splits


def _lagrange(share: np.ndarray) -> np.ndarray:
    """Weights (places, STAGES) of the values at the Gauss points in those at other parts of a segment."""
    from numpy.polynomial import legendre

    whole = legendre.legvander(2 * gauss_rule()[0] - 1, STAGES - 1)
    return legendre.legvander(2 * share - 1, STAGES - 1) @ np.linalg.inv(whole)


# Signals --------------------------------------------------------------------------------------------------------------
class _Traces:
    """Values of the signals along a motion, and their slopes by what they read."""

    def __init__(self, lap: Lap) -> None:
        self.lap, system = lap, lap.point.system
        forces = system.forces
        own: list[AnySignal] = [*forces.signals, *forces.state_rates]
        own += [signal for motion in system.constraints.motions for signal in (motion.rate, motion.acceleration)]
        self.signals = [signal for signal in own if signal.arguments]
        slow = any(isinstance(s, External) and not s.function.vectorized for s in self.signals)
        self.places = FEWER if slow else PLACES

    @cached_property
    def units(self) -> np.ndarray:
        """(2, columns): the number of the signal of each column, and the unit of what it is a slope by."""
        lap, system = self.lap, self.lap.point.system
        rate = TURN / lap.period
        x = np.maximum(np.abs(lap.states.x).max(axis=0, initial=0.0), 1e-300)
        out = []
        for k, signal in enumerate(self.signals):
            out.append((k, 1.0))
            for a in self._read(signal):
                size = system.length if a.kind in "sv" else 1.0
                out.append((k, x[a.index] if a.kind == "x" else size * (rate if a.kind == "v" else 1.0)))
        return np.array(out).T

    @staticmethod
    def _read(signal: AnySignal) -> list[Argument]:
        if isinstance(signal, External) and not signal.function.vectorized:
            return []
        return [a for a in signal.arguments if a.kind in "svxz"]

    def at(self, parts: np.ndarray, later: float = 0.0) -> np.ndarray:
        """(parts, columns) at parts of the period; where time alone is `later` by a part of it, if that is given."""
        some = np.array_split(parts, max(1, -(-len(parts) // AT_A_TIME)))
        return np.concatenate([self._at(one, later) for one in some])

    def _at(self, parts: np.ndarray, later: float) -> np.ndarray:
        now, columns = self._quantities(parts), []
        now = replace(now, t=now.t + later * self.lap.period)
        for signal in self.signals:
            columns.append(signal.value(now))
            if read := self._read(signal):
                slopes = dict(signal.partials(now))
                columns += [slopes.get(argument, np.zeros(1)) for argument in read]
        return np.stack([np.broadcast_to(np.real(one), parts.shape) for one in columns], axis=-1)

    def _quantities(self, parts: np.ndarray) -> Quantities:
        mesh = self.lap.mesh
        own = np.clip(np.searchsorted(mesh.parts, parts, side="right") - 1, 0, mesh.segments - 1)
        weights = _lagrange((parts - mesh.parts[own]) * mesh.length / mesh.steps[own])
        found = {}
        for kind, (index, values) in self._known.items():
            whole = np.zeros((len(parts), index.max(initial=-1) + 1))
            whole[:, index] = np.einsum("pj,pjm->pm", weights, values[own])
            found[kind] = whole
        inputs = np.broadcast_to(np.real(self.lap.point.state.u_in), (len(parts), len(self.lap.point.state.u_in)))
        times = mesh.start + mesh.length * parts
        return Quantities(found["s"], found["v"], found["x"], inputs, times, z=found["z"])  # type: ignore[arg-type]

    @cached_property
    def _known(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Indices (m,) of what is read of each kind, and its values (segments, STAGES, m) at the Gauss points."""
        lap, system = self.lap, self.lap.point.system
        read = {a for signal in self.signals for a in signal.arguments}
        index = {kind: np.array(sorted({a.index for a in read if a.kind == kind}), dtype=int) for kind in "svxz"}
        parts: dict[str, list[np.ndarray]] = {kind: [] for kind in index}
        for part in chunks(lap.point, len(lap.states.r)):
            states = some_states(lap.states, part)
            jet = Mechanics(system, states).applied.jet
            for kind, values in (("s", jet.value), ("v", jet.rate), ("x", states.x), ("z", states.z)):
                parts[kind].append(np.real(values[..., index[kind]]))
        shape = (lap.mesh.segments, STAGES)
        return {kind: (index[kind], np.concatenate(parts[kind]).reshape(*shape, -1)) for kind in index}
