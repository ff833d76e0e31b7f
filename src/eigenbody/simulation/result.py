"""The result of a simulation: states at the output times, and any signal of them by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.base.result import Drawn
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.turns import values_of
from eigenbody.model.model import InertModel
from eigenbody.simulation.histories import Reader
from eigenbody.system.state import State, one_state
from eigenbody.system.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.simulation.balance import Balance
    from eigenbody.simulation.inverse import InverseDynamics


@dataclass(frozen=True)
class Simulation(Drawn, look="simulation.look"):
    """A motion. `states` is one State whose arrays have a leading axis over the output times.

    `balance` holds energy against what was fed in. `finished` is False when the motion ends before the time asked for;
    `message` then says why.
    """

    model: InertModel
    system: System = field(repr=False)
    chosen: Selection = field(repr=False)
    states: State = field(repr=False)
    method: str
    outputs: tuple[str, ...]
    statistics: Mapping[str, float]
    balance: Balance
    remarks: tuple[str, ...] = ()
    finished: bool = True
    message: str = ""

    @property
    def t(self) -> np.ndarray:
        """Output times (n,)."""
        return np.asarray(self.states.t)

    def __len__(self) -> int:
        return len(self.t)

    def state_at(self, i: int) -> State:
        """The state at the output time of index i."""
        return one_state(self.states, i)

    @property
    def state(self) -> State:
        """The last state."""
        return self.state_at(len(self) - 1)

    @property
    def final(self) -> dict[str, float]:
        """All named measures and first-order states at the end."""
        values = np.real(values_of(self.system, self.state, np.arange(self.system.named.count)))
        return dict(zip((*self.system.names, *self.system.states), (*values, *self.state.x), strict=True))

    @cached_property
    def point(self) -> OperatingPoint:
        """The operating point at the end."""
        return at_state(self.model, self.system, self.state)

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.system, self.chosen, self.states)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of signals; every measure also has a rate (name') and an acceleration (name'')."""
        return self._reader.names

    def signal(self, name: str) -> np.ndarray:
        """History (n,) of a measure, its rate (name') or acceleration (name''), a first-order state, an output of the
        model, an energy ("energy", "energy.kinetic", ...) or the drift of the constraints."""
        return self._reader.signal(name)

    def body_dimension(self, name: str) -> str:
        """ "m" or "rad" of a coordinate of a body that the model does not name (`tub.x`); "" of any other signal."""
        return self._reader.body_dimension(name)

    def signals(self, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """Several signals by name; by default those chosen as outputs."""
        return {name: self.signal(name) for name in (self.outputs if names is None else names)}

    @property
    def drift(self) -> tuple[float, float]:
        """Largest violation of the constraints at position and at velocity level."""
        return float(self.signal("drift.position").max()), float(self.signal("drift.velocity").max())

    def as_dict(self) -> dict[str, np.ndarray]:
        """t and the outputs."""
        return {"t": self.t, **self.signals()}

    def plot(self, names: Sequence[str] | None = None) -> Figure:
        """Signals over time."""
        return self.look.plot(self, names)


class SimulationError(ComputationError):
    """The motion did not reach its end; `partial` is the motion, or the forces of `inverse`, up to there."""

    def __init__(self, text: str, partial: Simulation | InverseDynamics) -> None:
        super().__init__(text)
        self.partial = partial

    def __reduce__(self) -> tuple[type, tuple[str, Simulation | InverseDynamics]]:
        return type(self), (str(self), self.partial)


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C; `partial` is the motion, or the forces of `inverse`, up to there."""

    def __init__(self, partial: Simulation | InverseDynamics) -> None:
        super().__init__("interrupted")
        self.partial = partial

    def __reduce__(self) -> tuple[type, tuple[Simulation | InverseDynamics]]:
        return type(self), (self.partial,)
