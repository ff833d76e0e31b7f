"""Derivatives of the linear equations of a rotor in multi-blade coordinates.

The patterns of the blades turn at the rate of the rotor, which may depend on a number too: S = exp(phi F) Z with phi' =
rate(p). A number that all blades share leaves the equations constant, and so their derivatives; one that makes blades
unequal does not, and is refused: the equations are periodic beside this point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.along import at_states
from eigenbody.linearization.forms import StateSpace
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.multiblade import Chart, MultiBlade
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.coordinates import unit_of
from eigenbody.operating.shift import Steps
from eigenbody.operating.turning.frame import TurningFrame, turning_frame, turning_with
from eigenbody.operating.turning.observer import turned_state, turning_bodies

PHASES = (0.53, 2.3)  # rad: where derivatives must be the same
SAME = 1e-6  # difference of derivatives, relative to their row, that counts as none
ROUNDED = 1e-9  # the same beside the largest
STAYS = 1e-5  # second rate of a coordinate, per change of a number by all of itself, that counts as none


@dataclass(frozen=True, eq=False)
class StepsInPatterns:
    """Derivatives of a rotor with equal blades: `point` and `blades` where the steps are taken."""

    point: OperatingPoint
    blades: MultiBlade

    def matrices(self, steps: Steps, moved: OperatingPoint) -> dict[str, np.ndarray]:
        """M, C, K, A, B, C, D in multi-blade coordinates at a point with steps (n numbers lead), complex."""
        e, turning = VariationalEquations(moved), self._turning(moved.mechanics)
        chart = Chart(self.blades.generator, self.blades.states, turning.rate)
        self._refuse_leaving(steps, moved)
        here = chart.space(e.state_space)
        for phase in PHASES:
            self._refuse_unequal(steps, here, chart.space(self._space_at(moved, turning, phase), phase))
        G = chart.G
        K = e.K + e.C @ G + e.M @ G @ G
        return {
            "dM": e.M, "dC": e.C + 2 * e.M @ G, "dK": K, "dA": here.A, "dB": here.B, "dC_out": here.C, "dD": here.D
        }  # fmt: skip

    def _turning(self, mechanics: Mechanics) -> TurningFrame:
        entry = next(e for e in self.point.model.description.joints if e.name == self.blades.joint)
        carriers = [self.point.system.places.carrier(end) for end in entry["between"]]
        body = carriers[1] if carriers[1] < self.point.system.bodies else carriers[0]
        return turning_with(mechanics, body, self.blades.joint)

    def _space_at(self, moved: OperatingPoint, turning: TurningFrame, phase: float) -> StateSpace:
        along = turning_bodies(self.point, turning_frame(self.point, self.blades.joint))
        assert along is not None  # the blades were found for such a motion
        later = at_states(moved, turned_state(moved.system, moved.state, turning, along, phase))
        return VariationalEquations(later).state_space

    def _refuse_unequal(self, steps: Steps, here: StateSpace, there: StateSpace) -> None:
        n = len(steps.names)
        now, later = (steps.slope(np.broadcast_to(A, (n, *A.shape[-2:]))) for A in (here.A, there.A))
        size = np.maximum(np.abs(now), np.abs(later))
        allowed = SAME * size.max(axis=-1, keepdims=True) + ROUNDED * size.max(axis=(-2, -1), keepdims=True)
        wrong = (np.abs(now - later) > allowed).any(axis=(-2, -1))
        what = "changed alone, it makes the {} blades on {} unequal, or their equations periodic."
        remedy = "Let all blades share a parameter; for one blade find the slopes by Floquet's theory (floquet)."
        _refuse(steps, wrong, what.format(self.blades.count, self.blades.joint), remedy)

    def _refuse_leaving(self, steps: Steps, moved: OperatingPoint) -> None:
        """Refuse numbers with which the blades would not stay where they are."""
        n, unit = len(steps.names), unit_of(self.point.system, self.point.chosen.velocities)
        growth = np.asarray(moved.frame.speed_jet.acceleration) / unit
        growth = steps.slope(np.broadcast_to(growth, (n, growth.shape[-1])))
        size = np.abs(growth).max(axis=-1, initial=0.0) * np.where(steps.values == 0, 1.0, np.abs(steps.values))
        what = "changed, it leaves no steady motion here: the blades would accelerate."
        _refuse(steps, size > STAYS * self.blades.rate**2, what, "Ask for operating_point: steady.")


def _refuse(steps: Steps, wrong: np.ndarray, what: str, remedy: str) -> None:
    faults = [Fault(steps.names[k], what, remedy) for k in np.flatnonzero(wrong)]
    if faults:
        raise InputError(faults)
