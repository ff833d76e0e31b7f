"""The pace of a run: how many steps it is heading for, and what makes them short where that is more than allowed.

Steps are counted, rejected ones included; no clock decides, so that a run ends alike on every machine.
"""

from __future__ import annotations

import time

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.mobility.angles import chart_limits
from eigenbody.model.description import owner_of
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.stepping import Stepper, wildest
from eigenbody.simulation.tangents import jacobian
from eigenbody.spatial.rotations import dot
from eigenbody.system.state import State

ALLOWED = 5000  # steps of a run: half a minute or so for a few bodies;
PER_OUTPUT = 60  # more where more output times are asked for: a vibration that makes several turns between two of them;
CHEAP = 3  # times as many of a method of second order, whose steps cost a third;
ENDLESS = 1e9  # where the step is given, its maker knows how many there are: none but these are too many
MARK = 50  # the pace is looked at whenever so many steps have been made, and told from two such spans or more
SURE = 400  # steps whose pace is believed; of fewer, a pace that is (SURE / steps)^2 times too slow
PATIENT = 0.25  # share of the allowed steps after which a quick beginning excuses a slow pace no more; less, by the
# root of it, where the pace is many times too slow
FOLLOWED = 0.03  # rad of a motion in a step from which on it may be what makes the steps short
SAME = 1e-6  # relative difference below which a motion as fast as a rotation is that rotation, seen with rounding
SPANS = ((60.0, "seconds"), (3600.0, "minutes"), (86400.0, "hours"), (3e7, "days"), (np.inf, "years"))


class LongRunError(ComputationError):
    """More steps remain than are allowed."""

    def __init__(self, text: str, remain: float) -> None:
        super().__init__(text)
        self.remain = remain

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        return type(self), (str(self), self.remain)


def allowed_steps(outputs: int, is_fixed: bool, is_cheap: bool) -> float:
    """Steps that a run may be heading for where nothing else is said."""
    return ENDLESS if is_fixed else float(max(ALLOWED, PER_OUTPUT * outputs) * (CHEAP if is_cheap else 1))


class Pace:
    """Steps of one method from its start on; `made` is how many others made before it since the time `begin`."""

    def __init__(self, stepper: Stepper, begin: float, until: float, most: float, made: int) -> None:
        self._stepper, self._begin, self._until, self._most, self._made = stepper, begin, until, most, made
        self._marks = [(0, float(np.real(stepper.state.t)))]
        self._clock = time.perf_counter()

    @property
    def steps(self) -> int:
        """Steps so far, rejected ones included."""
        return self._stepper.counts.steps + self._stepper.counts.rejected

    def refuse_long_run(self) -> None:
        """LongRunError where the pace, that of the later half of the steps and that of all of them, is too slow, or
        where all steps that are allowed have been made."""
        if self.steps < self._marks[-1][0] + MARK:
            return
        t = float(np.real(self._stepper.state.t))
        self._marks.append((self.steps, t))
        if len(self._marks) < 3:
            return
        made = self._made + self.steps
        remain = self._remaining(self._until - t)
        by_mean = made * (self._until - t) / (t - self._begin)
        most = self._most * max(1.0, (SURE / self.steps) ** 2) - made
        patience = max(SURE, PATIENT * self._most / np.sqrt(max(1.0, remain / self._most)))
        is_slow = remain > most and (by_mean > most or made > patience)
        if is_slow or made >= self._most:
            raise LongRunError(self._refusal(t, remain), remain)

    def _remaining(self, left: float) -> float:
        """Steps that the time left takes if they go on growing as they did from the first half of them to the second;
        steps that shrink are taken to stay as they are."""
        ratio = max(1.0, self._step(-1) / self._step(0))  # half of the steps lie between the middles of the halves
        growth, plain = 2 * np.log(ratio) / self.steps, left / (self._step(-1) * np.sqrt(ratio))
        return float(np.log1p(growth * plain) / growth) if growth > 0 else float(plain)

    def _step(self, half: int) -> float:
        """Mean step (s) of the first half of the steps, or of the second (-1)."""
        middle, end = self._marks[len(self._marks) // 2], self._marks[half]
        return (end[1] - middle[1]) / (end[0] - middle[0])

    def _refusal(self, t: float, remain: float) -> str:
        step = self._step(-1)
        each = (time.perf_counter() - self._clock) / self.steps
        span = next(word for limit, word in SPANS if remain * each < limit)
        return (
            f"until = {self._until:g} s is too long a time for this motion: the steps of {self._stepper.name} are of"
            f" {step:.2g} s, t = {t:.6g} s was reached and about {remain:.1e} steps would remain, which take {span};"
            f" {self._most:g} are allowed. {cause_of_pace(self._stepper.forward, self._stepper.state, step)} Use an"
            " earlier end, a larger tolerance, damping or a rigid joint there, or generalized-alpha with a fixed step"
            " that need not follow what is fast; max_steps (--max-steps) allows for more. Where the motion leads may"
            " be found by an equilibrium, a steady motion or its modes."
        )


# What makes the steps short -------------------------------------------------------------------------------------------
def cause_of_pace(forward: Forward, state: State, step: float) -> str:
    """Angles near a singular pose, the fastest rotation or vibration where a step follows it, else where accelerations
    and forces are largest."""
    if limits := chart_limits(forward.system, state):
        return limits
    speed = np.sqrt(dot(state.w, state.w))
    rate, text = 0.0, ""
    if len(speed):
        body = int(np.argmax(speed))
        rate = float(speed[body])
        text = f'The body "{_body(forward, body)}" turns at {rate:.3g} rad/s.'
    if not forward.is_sparse:
        try:
            with np.errstate(all="ignore"):
                fastest, mode = fastest_motion(forward, state)
        except (EigenbodyError, np.linalg.LinAlgError):
            fastest, mode = 0.0, ""
        if fastest > rate * (1 + SAME):
            rate, text = fastest, mode
    return text if rate * step > FOLLOWED else wildest(forward, state)


def fastest_motion(forward: Forward, state: State) -> tuple[float, str]:
    """The largest eigenvalue of the linear equations at a state (1/s), and which body and element it belongs to."""
    system, n = forward.system, forward.nq
    values, vectors = np.linalg.eig(jacobian(forward, state, forward.evaluate(state)))
    if not len(values):
        return 0.0, ""
    k = int(np.argmax(np.abs(values)))
    rate, shape = float(np.abs(values[k])), vectors[:n, k]
    moved = np.abs(forward.spread(np.where(system.is_angular, system.length, 1.0) * shape)).max(axis=1, initial=0.0)
    if not n or not moved.any():
        return rate, f"The fastest motion there is that of a first-order state, at {rate:.3g} 1/s."
    owner = _stiffest(forward, state, shape, values[k])
    held = f', held by "{owner}"' if owner else ""
    where = f'largest at the body "{_body(forward, int(np.argmax(moved)))}"{held}'
    return rate, f"The fastest motion there is at {rate / (2 * np.pi):.3g} Hz, {where}."


def _stiffest(forward: Forward, state: State, shape: np.ndarray, value: complex) -> str:
    """The element whose stiffness and damping make more than half of the forces of a motion; "" where none does."""
    f = forward.system.forces
    columns = np.minimum(f.measures.columns, forward.nq)  # of ground: none
    along = (forward.jets(state)[2].gradient * np.append(shape, 0.0)[columns]).sum(axis=-1)
    work = (f.linear.k + value * f.linear.c) * along[f.linear.i].conj() * along[f.linear.j]
    by_owner = np.abs(np.bincount(f.linear.owner, work.real, len(f.owners))
                      + 1j * np.bincount(f.linear.owner, work.imag, len(f.owners)))  # fmt: skip
    inertia = abs(value**2 * (shape.conj() @ forward.mass(state) @ shape))
    owner = int(np.argmax(by_owner)) if len(by_owner) else -1
    return f.owners[owner] if owner >= 0 and by_owner[owner] > 0.5 * inertia else ""


def _body(forward: Forward, body: int) -> str:
    return owner_of(forward.system.places.names[body])
