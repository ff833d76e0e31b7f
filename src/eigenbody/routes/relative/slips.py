"""Non-holonomic rows, which Trom's formulation does not have: rolling, knife edges and couplings of speeds.

A row holds a speed sigma(q, nu) = N(q) nu + f(q) at zero. Deviations from the motion satisfy at all times

    N dq' + V dq = 0,   V = d(sigma)/dq - N Y,

and hence N dq'' + (dN/dt + V) dq' + dV/dt dq = 0. Both time derivatives are complex steps along the motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.model.expressions import Expression
from eigenbody.routes.relative.contact import Edge, Sliding
from eigenbody.routes.relative.forces import dense, gradient_rates, gradients
from eigenbody.routes.relative.kinematics import Kinematics
from eigenbody.routes.relative.measures import Channel, Pose, Terms, Twists, rate_along
from eigenbody.routes.relative.sides import Drawing
from eigenbody.routes.relative.signals import Gauge, Reader
from eigenbody.routes.relative.wheels import disc


@dataclass(frozen=True, eq=False)
class SpeedCoupling:
    """A formula of measures and their rates, linear in the rates: sum_i f_vi(s) s_i' + f(s, 0)."""

    formula: Expression
    gauges: dict[str, Gauge]
    _by_rate: dict[str, Expression] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_rate", {name: self.formula.derivative(f"{name}'") for name in self.gauges})

    def _values(self, pose: Pose) -> dict[str, complex]:
        still = {f"{name}'": 0.0 for name in self.gauges}
        return still | {name: gauge.value(pose) for name, gauge in self.gauges.items()}

    def gradient(self, pose: Pose) -> Terms:
        """Gradients of the measures, weighted."""
        now = self._values(pose)
        return [
            (carrier, self._by_rate[name].evaluate(now) * six)
            for name, gauge in self.gauges.items()
            for carrier, six in gauge.measure.gradient(pose)
        ]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """The weights change with the measures."""
        now = self._values(pose)
        rates = {name: rate_along(gauge.measure, pose, motion) for name, gauge in self.gauges.items()}
        terms: Terms = []
        for name, gauge in self.gauges.items():
            weight = self._by_rate[name]
            change = sum(weight.derivative(other).evaluate(now) * rates[other] for other in self.gauges)
            terms += [(carrier, np.asarray(change)[..., None] * six) for carrier, six in gauge.measure.gradient(pose)]
            slope = weight.evaluate(now)
            terms += [(carrier, slope * six) for carrier, six in gauge.measure.gradient_rate(pose, motion)]
        return terms

    def rest_gradient(self, pose: Pose) -> np.ndarray:
        """Gradient (carriers, 6) of f(s, 0)."""
        now = self._values(pose)
        return sum(
            self.formula.derivative(name).evaluate(now) * dense(gauge.measure.gradient(pose), len(pose.r))
            for name, gauge in self.gauges.items()
        )


@dataclass(frozen=True, eq=False)
class SlipRows:
    """Speeds held at zero."""

    channels: tuple[Channel, ...]

    def __len__(self) -> int:
        return len(self.channels)

    def taken(self, which: np.ndarray) -> SlipRows:
        """Some of the rows."""
        return SlipRows(tuple(self.channels[k] for k in which))

    def cartesian(self, pose: Pose) -> np.ndarray:
        """Rows (rows, carriers, 6) in body motions."""
        return gradients(self.channels, pose)

    def cartesian_rate(self, pose: Pose, motion: Twists) -> np.ndarray:
        """Their derivative along motions."""
        return gradient_rates(self.channels, pose, motion)

    def slopes(self, at: Kinematics) -> np.ndarray:
        """d(sigma)/dq (rows, n) at constant nu."""
        velocity = np.concatenate((at.v, at.w), axis=-1)
        J_by = self.cartesian_rate(at.pose, at.directions)
        out = np.einsum("rbci,ci->rb", J_by, velocity)
        out = out + np.einsum("rci,bci->rb", self.cartesian(at.pose), at.B_partial @ at.nu)
        for k, channel in enumerate(self.channels):
            if isinstance(channel, SpeedCoupling):
                out[k] += np.einsum("ci,cib->b", channel.rest_gradient(at.pose), at.B)
        return out


def read_slips(drawing: Drawing, reader: Reader) -> SlipRows:
    """Rows of rolling joints and knife edges, and of the couplings of speeds."""
    description = drawing.description
    channels: list[Channel] = []
    for entry in description.joints:
        if entry.type == "knife_edge":
            channels.append(Sliding(Edge(*drawing.sides(entry)), "across"))
        elif entry.type == "rolling":
            site = disc(entry, drawing)
            channels += [Sliding(site, "x"), Sliding(site, "y")]
    channels += [_coupling(entry, reader) for entry in description.couplings if entry.type == "velocity"]
    return SlipRows(tuple(channels))


def _coupling(entry: Entry, reader: Reader) -> SpeedCoupling:
    formula: Expression = entry["speed"]
    names = sorted({name.rstrip("'") for name in formula.names})
    return SpeedCoupling(formula, {name: reader.gauges[reader.gauge(name)] for name in names})
