"""Linearization at any consistent state: the augmented system (docs/theory/linearization.md), solved.

Along the constraint manifold
    dq  = P dS                                         constraints at position level
    du  = Pv dW + D dS                                 at velocity level
    du' = Pv dW' + A_S dS + A_W dW                     at acceleration level
so that projecting the residual's tangent on Pv leaves M W' + C W + K S = B in + X x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from eigenbody.base.copies import Later
from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.certificate import Certificate, certify
from eigenbody.linearization.forms import DenseForm, EntryNoise, Form, KnownStateSpace, StateSpace, sparse_form
from eigenbody.linearization.massless import NO_MOTIONS, condensed, with_mass
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.linearization.rounding import Rounding
from eigenbody.linearization.rows import output_rows, rate_rows
from eigenbody.linearization.shapes import Shapes, through
from eigenbody.linearization.stiffening import remarks_on_many
from eigenbody.linearization.still import system_as_at
from eigenbody.linearization.tangents import Tangents
from eigenbody.linearization.turning import turning_flexible
from eigenbody.linearization.variations import Variations
from eigenbody.mobility.angles import refuse_singular_components
from eigenbody.mobility.independence import remarks_on_loops
from eigenbody.mobility.motion import massless_motions
from eigenbody.mobility.partition import select
from eigenbody.numerics.matrices.linear import beside, stack
from eigenbody.system.state import spread

NOTICED = 1e-9  # part of the largest acceleration

DENSE_FREEDOMS = 2000  # above this the linear model stays sparse unless dense is asked for


def linear_model(
    point: OperatingPoint, coordinates: Sequence[str] | Mapping[str, float] | None = None, solver: str | None = None
) -> LinearModel:
    """The linear model at an operating point, sparse above 2000 degrees of freedom or as `solver` says."""
    if solver not in (None, "dense", "sparse"):
        raise InputError(Fault("solver", f'"{solver}" is not known.', 'Use "dense" or "sparse".'))
    if coordinates is not None:
        point = in_coordinates(point, coordinates)
    is_sparse = len(point.chosen.velocities) > DENSE_FREEDOMS if solver is None else solver == "sparse"
    return sparse_model(point) if is_sparse else dense_model(point)


def sparse_model(point: OperatingPoint) -> LinearModel:
    """The linear model kept sparse."""
    report("linearizing")
    if len(massless_motions(point.frame)):
        raise InputError(Fault("solver", "motions without mass are eliminated in dense matrices alone.", "Use dense."))
    form = sparse_form(point)
    C, K = form.tangents
    return _linear(point, form, certify(point, lambda dq, du: K @ dq + C @ du))


def dense_model(point: OperatingPoint) -> LinearModel:
    """The linear model with dense matrices."""
    report("linearizing")
    motions = massless_motions(point.frame)
    e = VariationalEquations(point, motions)
    certificate = certify(point, e.tangents.force)
    if len(motions):
        left = condensed(e, motions)
        linear = _linear(point, left.form, certificate, left.names)
        return replace(linear, notes=(*linear.notes, left.note))
    needed = point.system.states or point.system.outputs  # what cannot be found is refused now; A alone can wait
    source = KnownStateSpace(e.state_space) if needed else e
    return _linear(point, DenseForm(**e.arrays(), noise=Later(e.noise), source=source), certificate)


class LinearStack:
    """Linear equations of many variants: `batch` is their operating point with batch axes, `first` that of the first
    alone. Matrices have a leading axis over the variants.

    The tangents and the independence of loop rows are checked in the first variant only; the others share its figures.
    """

    def __init__(self, batch: OperatingPoint, first: OperatingPoint, count: int) -> None:
        report("linearizing")
        self.batch, self.first, self.count = batch, first, count
        self.equations = VariationalEquations(batch)
        self.arrays = {name: np.broadcast_to(a, (count, *a.shape[-2:])) for name, a in self.equations.arrays().items()}
        self.noise = Later(partial(_noise_of_all, self.equations, count))
        needed = batch.system.states or batch.system.outputs  # what cannot be found is refused now; A alone can wait
        self._space = self.equations.state_space if needed else None

    @property
    def states(self) -> int:
        """Number of linear states of each."""
        return int(sum(self.arrays[name].shape[-1] for name in ("P", "Pv"))) + len(self.batch.system.states)

    def models(self, points: Mapping[int, OperatingPoint]) -> dict[int, LinearModel]:
        """The linear models of some of the variants, whose operating points these are."""
        certificate, loads = self._certificate, remarks_on_many(self.batch, points)
        loops = remarks_on_loops(self.first)
        certificates = {
            k: replace(
                certificate,
                residual=point.residual,
                drift=point.drift,
                check=Later(lambda: certificate.tangent_error),
                notes=(*loops, *loads[k]),
            )
            for k, point in points.items()
        }
        space = self._space or self.equations.state_space
        return _separated(self.equations, space, self.noise, points, certificates)

    @cached_property
    def _certificate(self) -> Certificate:
        return certify(self.first, Tangents(self.first, self.first.frame).force)


def _noise_of_all(equations: VariationalEquations, count: int) -> EntryNoise:
    return EntryNoise(*(np.broadcast_to(part, (count, *part.shape[-2:])) for part in equations.noise()))


def separate_models(e: VariationalEquations, points: Mapping[int, OperatingPoint]) -> dict[int, LinearModel]:
    """Linear models of some of many variants whose equations are known together: the points of these by number. Each
    has a certificate of its own, as by itself."""
    certificates = {k: certify(point, partial(_force, point)) for k, point in points.items()}
    return _separated(e, e.state_space, Later(e.noise), points, certificates)


def _force(point: OperatingPoint, dq: np.ndarray, du: np.ndarray) -> np.ndarray:
    return Tangents(point, point.frame).force(dq, du)


def _separated(
    e: VariationalEquations,
    space: StateSpace,
    noise: Callable[[], EntryNoise],
    points: Mapping[int, OperatingPoint],
    certificates: Mapping[int, Certificate],
) -> dict[int, LinearModel]:
    arrays: dict[str, Any] = e.arrays()
    return {
        k: _linear(
            point,
            DenseForm(
                **{name: _one_of(a, k) for name, a in arrays.items()},  # type: ignore[arg-type]
                noise=Later(partial(_noise_of_one, noise, k)),
                source=KnownStateSpace(StateSpace(*(_one_of(a, k) for a in space))),
            ),
            certificates[k],
        )
        for k, point in points.items()
    }


def _one_of(matrices: np.ndarray, k: int) -> np.ndarray:
    return np.asarray(matrices[k] if matrices.ndim > 2 else matrices)


def _noise_of_one(noise: Callable[[], EntryNoise], k: int) -> EntryNoise:
    return EntryNoise(*(_one_of(part, k) for part in noise()))


def _linear(
    point: OperatingPoint, form: Form, certificate: Certificate, names: tuple[tuple[str, ...], ...] | None = None
) -> LinearModel:
    """`names` of positions and velocities where these are not all of those chosen."""
    system, chosen = point.system, point.chosen
    S, dropped = (tuple([system.names[i] for i in c.tolist()]) for c in (chosen.positions, chosen.dropped))
    same = chosen.velocities is chosen.positions
    W = S if same else tuple(system.names[i] for i in chosen.velocities.tolist())
    S, W = names or (S, W)
    return LinearModel(
        point=point,
        coordinates=S,
        velocities=W,
        dropped=dropped,
        states=(*S, *(name + "'" for name in W), *system.states),
        inputs=system.inputs,
        outputs=tuple(output.name for output in system.outputs),
        form=form,
        certificate=certificate,
        notes=(*_notes(point), *certificate.notes),
    )


def in_coordinates(point: OperatingPoint, coordinates: Sequence[str] | Mapping[str, float]) -> OperatingPoint:
    """The same operating point with other wishes for the coordinates."""
    if not isinstance(coordinates, Mapping) and all(name in point.system.aliases for name in coordinates):
        wishes = [point.system.aliases[name] for name in coordinates]
        faults = [
            Fault("coordinates", f'"{name}" is a speed and the rate of nothing.', "Name a measure that has a position.")
            for name, i in zip(coordinates, wishes, strict=True)
            if i in point.system.speeds
        ]
        if faults:
            raise InputError(faults)
        refuse_singular_components(point.system, point.state, wishes)
        chosen = select(point.mechanics, wishes)
        same = set(chosen.positions.tolist()) == set(point.chosen.positions.tolist())
        return replace(point.choosing(chosen), is_steady=point.is_steady and same)
    wanted = dict(coordinates) if isinstance(coordinates, Mapping) else list(coordinates)
    model = point.model.set(coordinates=wanted)  # names that only the model can judge
    return at_state(model, system_as_at(point, model), point.state)


class VariationalEquations:
    """M W' + C W + K S = X x + B in with S' = Y S + Z W at an operating point; batch axes may lead.

    `massless` (coordinates, k) are motions without mass, in which M is singular; without any it is (0, 0).
    """

    def __init__(self, point: OperatingPoint, massless: np.ndarray = NO_MOTIONS) -> None:
        self.point, self.frame = point, point.frame
        self.tangents = Tangents(point, self.frame)
        t = self.tangents.onto_free()
        self.M = t.of(t.mass, self.frame.Pv)
        self.rounding = Rounding(point, self.frame, self.tangents, with_mass(self.M, massless))
        if point.motion.acceleration.any() and self.rounding.is_still():
            self.frame = self.frame.accelerated(Mechanics(point.system, point.state))
        self.variations = motion = Variations(self.frame, self.rounding.accelerations_of_loads(self.frame))
        self.C, self.K = t.of(t.damping, self.frame.Pv), t.of(t.stiffness, self.frame.P)
        if motion.is_moving:
            self.C = t.of(t.mass, motion.A_W) + self.C
            self.K = t.of(t.mass, motion.A_S) + t.of(t.damping, motion.D) + self.K
        elif motion.is_accelerated:
            self.K = t.of(t.mass, motion.A_S) + self.K
        self.Y, self.Z = self._kinematics()
        if point.system.algebraic:
            self.C, self.K = self.C - self.shapes.fed_back(of_speeds=True), self.K - self.shapes.fed_back()

    def _kinematics(self) -> tuple[np.ndarray, np.ndarray]:
        """S' = Y S + Z W; without non-holonomic rows Y = 0 and Z = I by construction."""
        frame = self.frame
        if not frame.has_slips:
            n = frame.positions.count
            return np.zeros((n, n)), np.eye(n)
        rows, turning = frame.position_rows("gradient"), frame.position_rows("rate_q")
        return turning @ frame.P + rows @ self.variations.D, rows @ frame.Pv

    def __reduce__(self) -> tuple[type, tuple[StateSpace]]:
        return KnownStateSpace, (self.state_space,)  # a copy of a linear model needs no more of them

    @cached_property
    def shapes(self) -> Shapes:
        """Motion of all bodies by linear state and by input."""
        return Shapes(self.point, self.frame, self.variations, self.tangents, self.M, self.C, self.K)

    @cached_property
    def state_space(self) -> StateSpace:
        """A, B, C, D over [S, W, x] and the inputs."""
        shapes, frame = self.shapes, self.frame
        n = shapes.nS + shapes.nW + shapes.nx
        parts = [beside([self.Y, self.Z, np.zeros((shapes.nS, shapes.nx + shapes.nu))]), shapes.rates]
        if shapes.nx:
            parts.append(through(rate_rows(self.point, frame, frame.is_sparse), shapes))
        full = stack(parts)
        outputs = np.zeros((0, n + shapes.nu))
        if self.point.system.outputs:
            outputs = through(output_rows(self.point, frame, frame.is_sparse), shapes)
        return StateSpace(full[..., :n], full[..., n:], outputs[..., :n], outputs[..., n:])

    def arrays(self) -> dict[str, Any]:
        """The matrices of the linear model by the names of its fields."""
        return {
            "M": self.M, "C": self.C, "K": self.K, "Y": self.Y, "Z": self.Z,
            "P": self.frame.P, "Pv": self.frame.Pv, "drag": self.variations.D,
        }  # fmt: skip

    def noise(self) -> EntryNoise:
        """What rounding may have left in them."""
        noise_K, noise_C = self.rounding.of_forces(self.variations, self.K)
        if self.point.system.algebraic:
            noise_K = noise_K + self.shapes.noise()
            noise_C = noise_C + self.shapes.noise(of_speeds=True)
        return EntryNoise(noise_K, noise_C, *self.rounding.of_kinematics(self.variations))


def _turning_reduced(point: OperatingPoint) -> list[str]:
    """Flexible bodies of unknown mass distribution that turn or begin to."""
    bodies = {
        b.name: point.system.places.index[b.name] for b in point.system.description.flexible if b.reduced.is_reduced
    }
    if not bodies:
        return []
    gain = np.abs(spread(point.system, np.real(point.motion.acceleration)))
    gained = (gain[:, 3:] > NOTICED * gain.max(initial=0.0)).any(axis=-1) & (not point.is_equilibrium)
    return [name for name, i in bodies.items() if np.any(point.state.w[i]) or gained[i]]


def _notes(point: OperatingPoint) -> tuple[str, ...]:
    notes = []
    if point.is_steady:
        pass  # constant linear equations: nothing to warn of
    elif not point.is_at_rest:
        notes.append(
            "The mechanism moves: the eigenvalues can depend on the frame in which the coordinates are measured (fixed"
            " or rotating)."
        )
    elif not point.is_equilibrium:
        notes.append(
            "The operating point is not an equilibrium: the mechanism accelerates from it, and the eigenvalues depend"
            " on the choice of coordinates."
        )
    if any(frame["rate"] for frame in point.system.description.frames):
        notes.append("There are turning frames: eigenvalues in coordinates measured in them are shifted by their rate.")
    if turning := turning_flexible(point):
        notes.append(
            f"The modal coordinates of {', '.join(turning)} turn with the body: motion across its axis is measured in"
            " axes that turn."
        )
    if turning := _turning_reduced(point):
        notes.append(
            f"{', '.join(turning)}: the matrices were reduced before they were read, and do not say where the mass is."
            " What rotation does to inertia as the body bends is left out; give the matrices of all nodes."
        )
    contacts = point.contacts
    if contacts:
        notes.append("Contact: " + ", ".join(f"{name} {state}" for name, state in contacts.items()) + ".")
    touching = [name for name, state in contacts.items() if state == "touching"]
    if touching:
        notes.append(
            f"{', '.join(touching)}: exactly at the corner, where the stiffness jumps; the linear equations hold on one"
            " side only. Move the operating point off the corner, or give the element a smooth one."
        )
    if len(point.chosen.dropped):
        names = ", ".join(point.system.names[i] for i in point.chosen.dropped)
        notes.append(f"These coordinates depend on the others and were dropped: {names}.")
    return tuple(notes)
