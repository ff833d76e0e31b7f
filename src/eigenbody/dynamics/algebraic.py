"""Algebraic variables z at a state: what they read, and the loop z = R(z) where forces depend on what they read.

Forces act along few channels by what they read of z. With the accelerations and multipliers that there are without
those forces, and their response U to a unit tension along those channels,

    z = y0 + Y f(z),     Y = R_u' U_u' + R_lambda U_lambda          second rates and reactions
    z = tension of the element at z                                 forces of elements

which Newton's method solves with the exact slope I - dR/dz. Where that is singular, or nothing solves the loop, forces
and what they depend on contradict each other (a joint that jams: Painleve's paradox).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.dynamics.joint_load import JointLoad
from eigenbody.elements.measures.features import Carriers
from eigenbody.numerics.matrices.assembly import dense_vector
from eigenbody.system.arguments import AnySignal, Quantities
from eigenbody.system.system import Algebraic, System

if TYPE_CHECKING:
    from eigenbody.dynamics.forces import AppliedForces

ITERATIONS = 40
HALVINGS = 12
CONVERGED = 1e-8  # last step, relative to the variables: the next would be of the size of its square
QUICK = 1e-2  # part of R(z) - z that a slope may leave to be used again
MET = 4e-15  # what may be left of R(z) - z, relative to the variables
SINGULAR = 1e-10  # smallest singular value of I - dR/dz, relative to the largest
AS_MUCH = "the forces change it by as much as they depend on it."
OTHER = 1e-6  # relative difference at which a second solution is another one


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """Accelerations (..., nq, k) and multipliers of all holonomic and slip rows (..., rows, k) for k forces."""

    acceleration: np.ndarray
    held: np.ndarray
    slips: np.ndarray


class AlgebraicVariables:
    """What the algebraic variables of a system read at a state, from measures that are evaluated already."""

    def __init__(self, system: System, at: Carriers, held: Any, slips: Any, applied: AppliedForces) -> None:
        self._system, self._applied = system, applied
        self._loads = [
            None if v.reaction is None else JointLoad(system, at, held, slips, v.reaction) for v in system.algebraic
        ]

    def values(self, held: np.ndarray, slips: np.ndarray, more: np.ndarray | None = None) -> np.ndarray:
        """(..., n) second rates and reactions for multipliers of all rows; `more` are accelerations (..., nq) beyond
        those of the measures. Forces of elements are zero here: they may depend on the others."""
        out: list[np.ndarray] = []
        for variable, load in zip(self._system.algebraic, self._loads, strict=True):
            if variable.load is not None:
                out.append(np.zeros(()))
            elif load is not None:
                out.append(load.value(held, slips))
            else:
                second = self._applied.jet.acceleration[..., variable.channel]
                out.append(second if more is None else second + self._along(variable.channel, more[..., None])[..., 0])
        return np.stack(np.broadcast_arrays(*out), axis=-1)

    def readings(self, held: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """(..., n) all of them, forces of elements at the present z."""
        out = self.values(held, slips)
        for k, variable in enumerate(self._system.algebraic):
            if variable.load is not None:
                out = _with(out, k, self._applied.load(variable.load))
        return out

    def through(self, response: Response) -> np.ndarray:
        """(..., n, k) how second rates and reactions answer to k forces; zero for forces of elements."""
        out, none = [], np.zeros(response.acceleration.shape[-1])
        for variable, load in zip(self._system.algebraic, self._loads, strict=True):
            if variable.load is not None:
                out.append(none)
            elif load is not None:
                both = np.concatenate((response.held, response.slips), axis=-2)[..., load.rows, :]
                out.append(np.sum(load.by_multipliers[..., None] * both, axis=-2))
            else:
                out.append(self._along(variable.channel, response.acceleration))
        return np.stack(np.broadcast_arrays(*out), axis=-2)

    def _along(self, channel: int, motion: np.ndarray) -> np.ndarray:
        """(..., k) change of a channel's measure by motions (..., nq, k)."""
        columns = self._system.forces.measures.columns[channel]
        padded = np.concatenate((motion, np.zeros((*motion.shape[:-2], 1, motion.shape[-1]))), axis=-2)
        return np.sum(self._applied.jet.gradient[..., channel, :, None] * padded[..., columns, :], axis=-2)

    # The loop ---------------------------------------------------------------------------------------------------------
    @property
    def channels(self) -> np.ndarray:
        """Channels along which forces act by what they read of z."""
        return self._system.read_channels

    @property
    def _readers(self) -> tuple[AnySignal, ...]:
        return self._system.readers

    def pushes(self) -> np.ndarray:
        """(..., nq, k) generalized forces of unit tensions along these channels."""
        measures, nq = self._system.forces.measures, self._system.nq
        rows = [
            -dense_vector(measures.columns[c], self._applied.jet.gradient[..., c, :], nq)
            for c in self.channels.tolist()
        ]
        return np.stack(rows, axis=-1) if rows else np.zeros((nq, 0))

    def tensions(self, now: Quantities) -> np.ndarray:
        """(..., k) of the signals that read z, along these channels."""
        parts = [self.channels == s.target for s in self._readers]
        terms = [np.asarray(s.value(now))[..., None] * part for s, part in zip(self._readers, parts, strict=True)]
        return sum(terms, start=np.zeros(len(self.channels)))

    def tension_slopes(self, now: Quantities) -> np.ndarray:
        """(..., k, n) their derivatives by z."""
        out: np.ndarray = np.zeros((len(self.channels), len(self._system.algebraic)))
        for signal in self._readers:
            out = out + _slopes(signal, now, out.shape[-1])[..., None, :] * (self.channels == signal.target)[:, None]
        return out

    def load_slopes(self, now: Quantities) -> np.ndarray:
        """(..., n, n) derivatives by z of the variables that are forces of elements."""
        n = len(self._system.algebraic)
        rows = []
        for variable in self._system.algebraic:
            row: np.ndarray = np.zeros(n)
            for signal in self._readers if variable.load is not None else ():
                if (signal.owner, signal.target) == (variable.load.owner, variable.load.channel):  # type: ignore[union-attr]
                    row = row + _slopes(signal, now, n)
            rows.append(row)
        return np.stack(np.broadcast_arrays(*rows), axis=-2)

    def solved(self, y0: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
        """z (..., n) of the loop: `y0` are the readings without the forces that depend on them, Y (..., n, k) the
        answers to tensions (None: y0 are the readings with them)."""
        loop = _Loop(
            self, self._applied, y0, np.zeros((len(self._system.algebraic), len(self.channels))) if Y is None else Y
        )
        known = self._applied.now.z
        if np.any(known):
            try:
                return loop.solved(known)
            except InputError:  # too far away
                pass
        return loop.solved(loop.guess())

    def refuse_doubtful(self, z: np.ndarray, y0: np.ndarray, Y: np.ndarray) -> None:
        """Refuse a loop whose slope at its solution z (n,) is singular, or that has another solution: nothing in the
        model says which of them holds."""
        if not self._readers:
            return
        loop = _Loop(self, self._applied, y0, Y)
        self._refuse_singular(loop.slope(z))
        size = 10 * max(float(np.abs(z).max(initial=0.0)), 1.0)
        for start in (y0, 0 * z, -z, *(sign * size * np.ones_like(z) for sign in (1.0, -1.0))):
            try:
                other = loop.solved(start)
            except InputError:
                continue
            reach = max(*(float(np.abs(part).max(initial=0.0)) for part in (z, other)), OTHER * size)
            if np.any(np.abs(other - z) > OTHER * reach):
                k = int(np.argmax(np.abs(other - z)))
                what = f"{z[k]:.6g} and {other[k]:.6g} both satisfy the equations"
                raise trouble(self._system, k, f"it is not determined ({what}).")

    def _refuse_singular(self, slope: np.ndarray) -> None:
        """Refuse a slope I - dR/dz (n, n) that is singular; balanced, since its variables have units of their own."""
        from scipy.linalg import matrix_balance

        balanced = matrix_balance(slope, permute=False)[0]
        _, values, right = np.linalg.svd(balanced)
        if values[-1] <= SINGULAR * values[0]:
            raise trouble(self._system, int(np.argmax(np.abs(right[-1]))), AS_MUCH)


class _Loop:
    """z = R(z) with its slope."""

    def __init__(self, variables: AlgebraicVariables, applied: AppliedForces, y0: np.ndarray, Y: np.ndarray) -> None:
        self._v, self._applied, self._y0, self._Y = variables, applied, y0, Y
        self._variables = applied.system.algebraic

    def guess(self) -> np.ndarray:
        """The readings without the forces that depend on them, and the forces of elements with these as far as they
        have a value."""
        z = self._y0
        for _ in range(2):  # a force of an element may read another one
            for k, variable in enumerate(self._variables):
                if variable.load is not None:
                    try:
                        z = _with(z, k, self._applied.load(variable.load, replace(self._applied.now, z=z)))
                    except InputError:  # one that has no value at zero
                        continue
        return z

    def _missing(self, z: np.ndarray) -> np.ndarray:
        """R(z) - z."""
        now = replace(self._applied.now, z=z)
        out = self._y0 + np.sum(self._Y * self._v.tensions(now)[..., None, :], axis=-1) - z
        for k, variable in enumerate(self._variables):
            if variable.load is not None:
                out = _with(out, k, self._applied.load(variable.load, now) - z[..., k])
        return out

    def slope(self, z: np.ndarray) -> np.ndarray:
        """I - dR/dz."""
        now = replace(self._applied.now, z=z)
        return np.eye(z.shape[-1]) - self._Y @ self._v.tension_slopes(now) - self._v.load_slopes(now)

    def solved(self, z: np.ndarray) -> np.ndarray:
        """Newton's method. A slope serves as long as it brings R(z) near to z quickly; steps of complex numbers have
        their own, and are followed by one more, which carries their imaginary parts."""
        now = self._applied.now
        vectors = (part.shape[:-1] for part in (self._y0, now.s, now.x, z))
        lead = np.broadcast_shapes(self._Y.shape[:-2], *vectors)
        dtype = np.result_type(self._y0, self._Y, now.s, now.x, z, float)
        z = np.broadcast_to(z, (*lead, self._y0.shape[-1])).astype(dtype)
        missing, more, slope = self._missing(z), int(np.iscomplexobj(z)), None
        for _ in range(ITERATIONS):
            slope = self.slope(z) if slope is None else slope
            step, before = self._step(slope, missing), _largest(missing)
            z, missing, part = self._shortened(z, missing, step)
            size = np.maximum(_largest(z), _largest(self._y0))
            near = np.all(_largest(step) <= CONVERGED * size) and part == 1.0
            if near or np.all(_largest(missing) <= MET * size):
                if not more:
                    return z
                more -= 1
            if np.iscomplexobj(z) or np.any(_largest(missing) > QUICK * before):
                slope = None
        k = int(np.argmax(np.abs(np.real(missing)).reshape(-1, z.shape[-1]).max(axis=0)))
        raise trouble(self._applied.system, k, "no value of it satisfies the equations.")

    def _step(self, slope: np.ndarray, missing: np.ndarray) -> np.ndarray:
        try:
            return np.linalg.solve(slope, missing[..., None])[..., 0]
        except np.linalg.LinAlgError:
            k = int(np.argmin(np.abs(slope).max(axis=-1).reshape(-1, slope.shape[-1]).min(axis=0)))
            raise trouble(self._applied.system, k, AS_MUCH) from None

    def _shortened(self, z: np.ndarray, missing: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """A step of Newton's method, halved as long as it brings R(z) no nearer to z; and which part of it was made."""
        size, part = 1e-300 + np.abs(np.real(missing)).max(initial=0.0), 1.0
        for _ in range(HALVINGS):
            ahead = z + part * step
            left = self._missing(ahead)
            after = np.abs(np.real(left)).max(initial=0.0)
            if after <= (1 - 1e-4 * part) * size or after <= MET * np.abs(ahead).max(initial=0.0):
                break
            part /= 2
        else:
            ahead, part = z + step, 1.0
            left = self._missing(ahead)
        return ahead, left, part


def _largest(values: np.ndarray) -> np.ndarray:
    return np.abs(values).max(axis=-1, initial=0.0)


def _with(values: np.ndarray, k: int, column: np.ndarray) -> np.ndarray:
    """values (..., n) with another column k."""
    lead = np.broadcast_shapes(values.shape[:-1], np.shape(column))
    out = np.broadcast_to(values, (*lead, values.shape[-1])).astype(np.result_type(values, column))
    out[..., k] = column
    return out


def _slopes(signal: AnySignal, now: Quantities, n: int) -> np.ndarray:
    """(..., n) derivative of a signal by z."""
    out: np.ndarray = np.zeros(n)
    for argument, slope in signal.partials(now):
        if argument.kind == "z":
            out = out + np.asarray(slope)[..., None] * (np.arange(n) == argument.index)
    return out


def trouble(system: System, k: int, what: str) -> InputError:
    """What to say of an algebraic variable whose loop cannot be solved."""
    variable = system.algebraic[k]
    what = f"{variable.name} and forces depend on each other here, and {what}"
    remedy = (
        "Lower the friction coefficient or the gain, or let the force read it through a lag (a block of type filter)."
    )
    return InputError(Fault(_who(system, variable, k), what, remedy))


def _who(system: System, variable: Algebraic, k: int) -> str:
    """The elements whose forces read a variable."""
    owners = [s.owner for s in system.readers if any(a.kind == "z" and a.index == k for a in s.arguments)]
    names = dict.fromkeys(f"forces.{system.forces.owners[owner]}" for owner in owners)
    return ", ".join(names) or variable.where
