"""Applied forces: tensions along channels from linear laws and signals, and their exact slopes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from eigenbody.dynamics.constraints import bent, pull_back, somewhere_not_zero
from eigenbody.elements.measures.features import Carriers
from eigenbody.numerics.matrices.assembly import Part, Product, Triplets, dense_vector
from eigenbody.system.arguments import AnySignal, Argument, Quantities
from eigenbody.system.measureset import SetJet
from eigenbody.system.state import State
from eigenbody.system.system import Load, System


class AppliedForces:
    """Tensions f (..., channels) at one state; Q = -sum f ds/dq."""

    is_blind = False  # whether signals that read algebraic variables are left out

    def __init__(self, system: System, at: Carriers, state: State, jet: SetJet | None = None) -> None:
        self.system = system
        self._f = system.forces
        self.jet: SetJet = self._f.measures.jet(at, state.turns) if jet is None else jet
        self.now = Quantities(self.jet.value, self.jet.rate, state.x, state.u_in, state.t, z=state.z)

    @cached_property
    def now_with_accelerations(self) -> Quantities:
        """The same with second rates of the measures, which outputs may read."""
        return replace(self.now, a=self.jet.acceleration)

    @property
    def _signals(self) -> tuple[AnySignal, ...]:
        if not self.is_blind:
            return self._f.signals
        return tuple(s for s in self._f.signals if all(a.kind != "z" for a in s.arguments))

    @cached_property
    def tension(self) -> np.ndarray:
        f, law = self._f, self._f.linear
        n = f.measures.count
        s, v = self.now.s, self.now.v
        tension = law.k * (s.take(law.j, axis=-1) - law.s0) + law.c * v.take(law.j, axis=-1)
        out = dense_vector(law.i, tension, n) + f.constant
        signals = self._signals
        if signals:
            values = np.stack(np.broadcast_arrays(*(signal.value(self.now) for signal in signals)), axis=-1)
            out = out + dense_vector(np.array([signal.target for signal in signals]), values, n)
        if len(f.input_channel):
            out = out - dense_vector(f.input_channel, f.input_weight * self.now.u[..., f.input_index], n)
        return out

    @cached_property
    def slopes(self) -> list[tuple[int, Argument, np.ndarray]]:
        """(channel, argument, df/dargument) of every signal."""
        return [(signal.target, a, d) for signal in self._f.signals for a, d in signal.partials(self.now)]

    def generalized(self) -> np.ndarray:
        """Q (..., nq) of the elements, without gravity."""
        return -pull_back(self._f.measures, self.jet.gradient, self.tension, self.system.nq)

    def stiffness(self) -> list[Part]:
        """-dQ/dq: g^T f_s g + g^T f_v ds'/dq + f H."""
        law = self._f.linear
        parts: list[Part] = [*bent(self._f.measures, self.jet, self.tension)]
        parts += self._outer(law.i, law.j, law.k, self._gradients) + self._signal_part("s", self._gradients)
        if self.jet.at.moves:
            parts += self._outer(law.i, law.j, law.c, self._turning) + self._signal_part("v", self._turning)
        return parts

    def damping(self) -> list[Part]:
        """-dQ/du: g^T f_v g."""
        law = self._f.linear
        return self._outer(law.i, law.j, law.c, self._gradients) + self._signal_part("v", self._gradients)

    def input_matrix(self) -> list[Triplets]:
        """dQ/d(input), nq x inputs."""
        f = self._f
        columns = f.measures.columns
        parts = []
        if len(f.input_channel):
            direct = f.input_weight[:, None] * self.jet.gradient[..., f.input_channel, :]
            cols = np.broadcast_to(f.input_index[:, None], direct.shape[-2:])
            rows = columns[f.input_channel]
            parts.append(Triplets(rows.ravel(), cols.ravel(), direct.reshape(*direct.shape[:-2], -1)))
        return parts + self._by_argument("u")

    def state_matrix(self) -> list[Triplets]:
        """dQ/dx, nq x states."""
        return self._by_argument("x")

    def algebraic_matrix(self) -> list[Triplets]:
        """dQ/dz, nq x algebraic variables."""
        return self._by_argument("z")

    def _by_argument(self, kind: str) -> list[Triplets]:
        parts = []
        for channel, argument, slope in self.slopes:
            if argument.kind == kind:
                g = -np.asarray(slope)[..., None] * self.jet.gradient[..., channel, :]
                rows = self._f.measures.columns[channel]
                parts.append(Triplets(rows, np.full(len(rows), argument.index), g))
        return parts

    def _signal_part(self, kind: str, right: Triplets) -> list[Part]:
        chosen = [(i, a.index, d) for i, a, d in self.slopes if a.kind == kind]
        if not chosen:
            return []
        i, j = (np.array([c[k] for c in chosen]) for k in (0, 1))
        return self._outer(i, j, np.stack(np.broadcast_arrays(*(c[2] for c in chosen)), axis=-1), right)

    @cached_property
    def _gradients(self) -> Triplets:
        """ds/dq of all channels as rows; one object, so that products with it can share their work."""
        return self._channels(self.jet.gradient)

    @cached_property
    def _turning(self) -> Triplets:
        """ds'/dq."""
        return self._channels(self.jet.rate_q)

    def _channels(self, values: np.ndarray) -> Triplets:
        measures = self._f.measures
        return Triplets.of_rows(np.arange(measures.count, dtype=np.int32), measures.columns, values)

    def _outer(self, i: np.ndarray, j: np.ndarray, factor: np.ndarray, right: Triplets) -> list[Part]:
        """sum factor g_i^T right_j; entries that are zero throughout are left out."""
        keep = somewhere_not_zero(factor)
        if not len(keep):
            return []
        return [Product(self._f.measures.count, i[keep], j[keep], factor[..., keep], self._gradients, right)]

    def load(self, load: Load, now: Quantities | None = None) -> np.ndarray:
        """Tension (...) of a force element along one of its channels, here or where things are as `now` says."""
        now = self.now if now is None else now
        law, own = self._f.linear, (self._f.linear.owner == load.owner) & (self._f.linear.i == load.channel)
        j = law.j[own]
        out = np.sum(law.k[..., own] * (now.s[..., j] - law.s0[..., own]) + law.c[..., own] * now.v[..., j], axis=-1)
        for signal in self._f.signals:
            if signal.owner == load.owner and signal.target == load.channel:
                out = out + signal.value(now)
        shares = self._f.constant_owner  # (..., n, 3): only the values vary
        acts = np.all(np.real(shares[..., :2]) == (load.owner, load.channel), axis=-1)
        return out + np.sum(np.where(acts, shares[..., 2], 0.0), axis=-1)

    # First-order states ---------------------------------------------------------------------------------------
    def state_rate(self) -> np.ndarray:
        """x' = g (..., states)."""
        if not self._f.state_rates:
            return np.zeros((*self.now.s.shape[:-1], 0))
        return np.stack(np.broadcast_arrays(*(signal.value(self.now) for signal in self._f.state_rates)), axis=-1)


class BlindForces(AppliedForces):
    """Forces without those that read algebraic variables, of which nothing is known yet."""

    is_blind = True
