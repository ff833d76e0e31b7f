"""Modes: eigenvalues, damping, stability and shapes of a linear model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.linearize import Damping, equations_asked, linearize
from eigenbody.analyses.modes.blade_labels import BladePattern, blade_patterns, pure_patterns
from eigenbody.analyses.modes.checks import (
    CONTRADICTED,
    IN_FRAME,
    IN_PATTERNS,
    MISCOUNTED,
    MISSED,
    ModesCertificate,
    certify_modes,
    on_an_instant,
    open_questions,
    open_questions_of_few,
)  # fmt: skip
from eigenbody.analyses.modes.shapes import body_motion, coordinate_shapes, shapes_of
from eigenbody.analyses.modes.spectrum import damping_ratios, frequencies_hz, growth_of
from eigenbody.base.copies import Later
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.linearize import DENSE_FREEDOMS, linear_model, sparse_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.multiblade import in_multiblade
from eigenbody.linearization.nodes import NodeMotion, node_motion
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.subject import Subject, subject
from eigenbody.model.model import InertModel
from eigenbody.numerics.eigen.dense import spectrum_first_order
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.runtime import on_one_thread, without_collection
from eigenbody.operating.constancy import has_constant_coefficients
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.blades import Blades, blades_of, has_blades, in_blade_patterns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.explain import Explanation

KINDS = ("plane", "bars")  # of pictures
FEW_OF_MANY = 200  # degrees of freedom above which a few modes are found by the sparse path
FEW_OF_BRANCHES = 300  # the same where branches move different bodies, which makes the dense path cheap


@dataclass(frozen=True, eq=False)
class Modes(Drawn, look="analyses.modes.look"):
    """Modes of a linear model: one entry for each conjugate pair, each real eigenvalue and each zero state.

    eigenvalues  (n,) complex, sorted by magnitude, positive imaginary part of each pair; recognized zeros are exactly 0
    motion       (n, rows, 6) complex motion of every row of the table of bodies, among them the nodes and modal
                 coordinates of flexible bodies: displacement of the centre of mass (m, global axes) and small rotation
                 (rad, global axes), scaled so that the largest component of [displacement, length * rotation] is one
                 and real
    states_shape (n, states) complex, the same motion in the linear state [S, W, x]
    """

    linear: LinearModel
    eigenvalues: np.ndarray
    motion: np.ndarray
    states_shape: np.ndarray | None  # None on the sparse path
    is_rigid: np.ndarray  # recognized zeros
    growths: tuple[str, ...]  # of each entry in these linear equations: stable, marginal, drifting or unstable
    growth: str  # of the whole (of what was found, on the sparse path)
    errors: Callable[[], np.ndarray]  # finds `bounds`
    check: ModesCertificate
    remarks: tuple[str, ...]  # on these modes; `notes` has those on the linear equations too
    contradictions: tuple[str, ...]  # what the certificate contradicts; the plain eigenvalues are shown then
    residuals: np.ndarray | None = None  # of each entry, on the sparse path
    complete: bool | None = True  # whether no lower mode was missed; None where the sparse path could not tell

    @cached_property
    def bounds(self) -> np.ndarray:
        """(n,) error bound of each eigenvalue, 1/s."""
        return self.errors()

    @cached_property
    def is_constant(self) -> bool:
        """Whether the linear equations stay the same along the motion, so that eigenvalues tell its stability."""
        return has_constant_coefficients(self.linear)

    @cached_property
    def steady_frame(self) -> tuple[str, str] | None:
        """Where the equations change along the motion in these coordinates: a frame that turns with a joint in which
        they do not, by the joint's name, and their verdict there."""
        from eigenbody.operating.turning.observer import verdict_in_turning_frame

        return None if self.is_constant else verdict_in_turning_frame(self.linear.point)

    @cached_property
    def blades(self) -> Blades:
        """Where the equations change along the motion in these coordinates and in turning frames: equal blades in
        whose multi-blade coordinates they do not, or what keeps the blades from being equal."""
        is_open = not self.linear.is_sparse and not self.is_constant and self.steady_frame is None
        return blades_of(self.linear) if is_open and has_blades(self.linear.point) else Blades(None)

    @property
    def stability(self) -> str:
        """ "stable", "marginal", "drifting" or "unstable" where the equations are constant (in these coordinates, in
        multi-blade coordinates or in a turning frame), else "frozen"; "immobile" where nothing can move."""
        if not self.linear.states:
            return "immobile"
        if self.is_constant:
            return self.growth
        if self.steady_frame is not None:
            return self.steady_frame[1]
        return self._in_patterns or "frozen"

    @cached_property
    def _in_patterns(self) -> str:
        """The verdict in multi-blade coordinates; "" without any."""
        chart = self.blades.chart
        return "" if chart is None else spectrum_of(in_multiblade(self.linear, chart)).stability

    @cached_property
    def patterns(self) -> tuple[BladePattern, ...] | None:
        """What the blades do in each mode, in multi-blade coordinates; None without them."""
        return blade_patterns(self)

    @property
    def stabilities(self) -> tuple[str, ...]:
        """The same of each entry; "frozen" where the eigenvalues are those of an instant."""
        return self.growths if self.is_constant else ("frozen",) * len(self.growths)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be known of the linear equations and of these modes."""
        return (*self.linear.notes, *self.on_constancy, *self.remarks)

    @property
    def on_constancy(self) -> tuple[str, ...]:
        """Where the equations change along the motion: where else they are constant, or what keeps them from it."""
        if self.is_constant:
            return ()
        if self.steady_frame is not None:
            return (IN_FRAME.format(*self.steady_frame),)
        if self.blades.chart is not None:
            return (IN_PATTERNS.format(self.blades.chart.count, self.blades.chart.joint, self._in_patterns),)
        is_tried = self.solver == "dense" or self.dof <= DENSE_FREEDOMS
        return on_an_instant(self.linear.point, is_tried, self.blades.reason)

    @property
    def kinds(self) -> tuple[str, ...]:
        """ "oscillatory", "real" or "rigid"."""
        pairs = zip(self.is_rigid, self.eigenvalues, strict=True)
        return tuple("rigid" if rigid else "oscillatory" if value.imag > 0 else "real" for rigid, value in pairs)

    @property
    def damping_ratio(self) -> np.ndarray:
        """-real / |eigenvalue|; nan for rigid entries."""
        return damping_ratios(self.eigenvalues)

    @property
    def solver(self) -> str:
        """ "dense" or "sparse"."""
        return "sparse" if self.linear.is_sparse else "dense"

    @property
    def frequency_hz(self) -> np.ndarray:
        """|eigenvalue| / 2 pi."""
        return frequencies_hz(self.eigenvalues)

    @property
    def damped_frequency_hz(self) -> np.ndarray:
        """Imaginary part / 2 pi."""
        return self.eigenvalues.imag / (2 * np.pi)

    @property
    def dof(self) -> int:
        """Degrees of freedom."""
        return self.linear.dof

    @property
    def states(self) -> int:
        """Number of linear states."""
        return len(self.linear.states)

    @property
    def certificate(self) -> Certificate:
        """How well the equations hold."""
        return self.linear.certificate

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of `shapes`."""
        return self.linear.point.system.description.bodies.material_names

    @property
    def shapes(self) -> np.ndarray:
        """(n, bodies, 6) complex motion of every body: `motion` without nodes and modal coordinates. A flexible body
        moves with its centre of mass and mean rotation; `deformations` has its nodes."""
        is_material = self.linear.point.system.description.bodies.is_material
        return self.motion if is_material.all() else self.motion[:, is_material]

    @property
    def coordinate_shapes(self) -> np.ndarray:
        """(n, coordinates + first-order states) complex: the generalized coordinates in each mode, those in rad times
        the mean radius of gyration of the bodies, scaled so that the largest is one and real. Of a zero that is a
        motion at constant speed its velocities."""
        if self.states_shape is None:
            what = "the sparse path finds the motion of the bodies, not of the coordinates."
            raise InputError(Fault("bars", what, "Ask for the solver dense."))
        return coordinate_shapes(self.linear, self.states_shape, self.is_rigid)

    @property
    def numbers(self) -> dict[str, Any]:
        """All numbers that are shown of them, by name; the damping ratio of a rigid mode is undefined."""
        return {**self.linear.second_order_numbers, "eigenvalues": self.eigenvalues, "mode_shapes": self.motion}

    @cached_property
    def deformations(self) -> NodeMotion:
        """Displacement and rotation of every node of the flexible bodies."""
        return node_motion(self.linear.point, self.motion)

    @property
    def undamped_frequency_hz(self) -> np.ndarray:
        """Frequencies of M and the conservative part of K alone, lowest first; negative where unstable."""
        from scipy.linalg import eigh

        squared = eigh(self.linear.conservative, self.linear.M, eigvals_only=True)
        return np.sign(squared) * np.sqrt(np.abs(squared)) / (2 * np.pi)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def explain(self) -> Explanation:
        """Energy shares, participation, screw axes and a label for every mode."""
        from eigenbody.analyses.modes.explain import explain

        return explain(self)

    def plot(self, kind: str = "plane", modes: Sequence[int] | None = None) -> Figure:
        """Eigenvalues in the complex plane beside the motion of the bodies ("plane"), or eigenvectors over the
        generalized coordinates as bars of magnitude with marks of phase ("bars"), of the modes with these numbers,
        counted from 1; by default the lowest that are not rigid."""
        if kind not in KINDS:
            raise InputError(Fault("kind", f'there is no picture "{kind}" of modes.', suggest(kind, KINDS)))
        return self.look.plot(self, kind, self.numbered(modes))

    def numbered(self, modes: Sequence[int] | None) -> tuple[int, ...] | None:
        """Places of modes that are numbered from 1, each once; a number that no mode has is refused."""
        if modes is None:
            return None
        wrong = [str(number) for number in modes if not 1 <= number <= len(self)]
        if wrong or not len(modes):
            what = f"there is no mode {', '.join(wrong)}." if wrong else "no mode is given."
            raise InputError(Fault("modes", what, f"Modes are counted from 1 to {len(self)}."))
        return tuple(dict.fromkeys(number - 1 for number in modes))


@on_one_thread
@without_collection
def modes(
    model: Subject,
    n: int | None = None,
    near: float | None = None,
    solver: str | None = None,
    *,
    damping: Damping | None = None,
    route: str | None = None,
) -> Modes:
    """Modes of a model or of what a result was found at: all, the `n` lowest, or the `n` nearest to a frequency.

    `near` is in Hz and compares |eigenvalue| / 2 pi. All modes are found up to 2000 degrees of freedom; above, or when
    few of many are asked for, the sparse path finds `n` (default 20). `solver` "dense" or "sparse" forces a path.
    `damping` is added as by `with_damping`: "proportional:0.1,1e-4", "modal:0.02", "structural:0.03" or a map. With
    `route` "topology" the equations are those of the constraint-topology transformation.
    """
    if n is not None and n < 1:
        raise InputError(Fault("n", f"{n} modes cannot be found.", "Ask for at least one."))
    model = subject(model, LinearModel)
    if damping is not None or route is not None:
        is_linear = isinstance(model, LinearModel)
        linear = model if is_linear else linearize(model, solver="dense" if route else solver)
        linear = equations_asked(linear, damping, route)
        model = linear if is_linear else in_blade_patterns(linear)
    if isinstance(model, InertModel | OperatingPoint):
        point = operating_point(model)
        if solver is None and n is not None and _are_few(point, n) and not has_blades(point):
            found = _few_of_many(point, n, near)
            if found is not None:
                return found
        linear = in_blade_patterns(linear_model(point, solver=solver))
    else:
        linear = model
    if linear.is_sparse:
        return sparse_modes(linear, n or 20, near)
    report("finding modes")
    found = modes_from(linear, spectrum_of(linear), n, near)
    if not isinstance(model, InertModel) or not linear.point.system.flexible:
        return found
    from eigenbody.analyses.modes.bent_beams import remarks_on_bent_beams  # others need none of it
    from eigenbody.analyses.modes.few_shapes import remarks_on_few_shapes

    remarks = remarks_on_few_shapes(model, linear.point, found.eigenvalues) + remarks_on_bent_beams(model, linear.point)
    return replace(found, remarks=(*found.remarks, *remarks))


def _are_few(point: OperatingPoint, n: int) -> bool:
    """Whether the sparse path finds so few modes faster than the dense one finds all."""
    dof = len(point.chosen.velocities)
    is_few = 4 * n < dof and FEW_OF_MANY < dof <= DENSE_FREEDOMS
    return is_few and (dof > FEW_OF_BRANCHES or point.frame.branches is None)


def _few_of_many(point: OperatingPoint, n: int, near: float | None) -> Modes | None:
    """A few modes by the sparse path, or None where it meets rigid motion or does not converge: there the dense path,
    which is affordable, knows better."""
    linear = sparse_model(point)
    try:
        found = sparse_modes(linear, n, near)
    except ComputationError:
        return None
    return None if found.is_rigid.any() else found


def modes_from(linear: LinearModel, spectrum: Spectrum, n: int | None, near: float | None) -> Modes:
    """Modes of a dense linear model from its eigenvalues, certified."""
    entries, vectors, check = _entries(linear, spectrum, n, near)
    contradictions: tuple[str, ...] = ()
    if not check.holds:
        contradictions = (CONTRADICTED.format(f"backward error {check.residual:.1e}, zeros {check.zeros}"),)
        spectrum = spectrum_first_order(linear.A, linear.noise_A, recognize=False)
        entries, vectors, _ = _entries(linear, spectrum, n, near)
    motion, scale = shapes_of(linear.point, body_motion(linear.P, vectors[:, : linear.P.shape[1]]), vectors)
    on_axis = spectrum.is_rigid | spectrum.on_axis
    flags = zip(spectrum.eigenvalues[entries], on_axis[entries], spectrum.defective[entries], strict=True)
    return Modes(
        linear=linear,
        eigenvalues=spectrum.eigenvalues[entries],
        motion=motion,
        states_shape=vectors / scale[:, None],
        is_rigid=spectrum.is_rigid[entries],
        growths=tuple(growth_of(*flag) for flag in flags),
        growth=spectrum.stability,
        errors=Later(lambda: spectrum.bounds[entries]),
        check=check,
        remarks=(*contradictions, *open_questions(linear, spectrum, entries)),
        contradictions=contradictions,
    )


def _entries(
    linear: LinearModel, spectrum: Spectrum, n: int | None, near: float | None
) -> tuple[np.ndarray, np.ndarray, ModesCertificate]:
    """The entries that were asked for, their vectors (entries, states) and whether they hold."""
    chosen = conjugate_representatives(spectrum)
    if near is not None:
        distance = np.abs(frequencies_hz(spectrum.eigenvalues[chosen]) - near)
        chosen = chosen[np.sort(np.argsort(distance, kind="stable")[: n or len(chosen)])]
    elif n is not None:
        chosen = chosen[:n]
    vectors = pure_patterns(linear, spectrum.eigenvalues[chosen], spectrum.is_rigid[chosen], spectrum.columns(chosen).T)
    return chosen, vectors, certify_modes(linear, spectrum, chosen, vectors)


def sparse_modes(linear: LinearModel, n: int, near: float | None) -> Modes:
    """A few modes by the sparse path."""
    from eigenbody.analyses.modes.few import few_modes  # small models need none of it

    report("finding modes")
    found = few_modes(linear.sparse, n, None if near is None else 2 * np.pi * near)
    motion, _ = shapes_of(linear.point, found.vectors.T, found.vectors.T)
    flags = zip(found.eigenvalues, found.is_zero | found.on_axis, found.defective, strict=True)
    parts = tuple(growth_of(value, on_axis, defective) for value, on_axis, defective in flags)
    known = max(parts, key=("stable", "marginal", "drifting", "unstable").index, default="stable")
    partial = f"{len(parts)} modes of {len(linear.states)} states were asked for; the stability is that of these modes."
    check = ModesCertificate(float(found.residuals.max(initial=0.0)), None, (found.zeros, found.near_zero))
    remarks = [] if found.stability else [partial]
    remarks += [MISSED] if found.complete is False else []
    contradictions = () if check.counts_agree else (MISCOUNTED.format(*check.zeros),)
    return Modes(
        linear=linear,
        eigenvalues=found.eigenvalues,
        motion=motion,
        states_shape=None,
        is_rigid=found.is_zero,
        growths=parts,
        growth=found.stability or known,
        errors=Later(lambda: found.bounds),
        check=check,
        residuals=found.residuals,
        complete=found.complete,
        contradictions=contradictions,
        remarks=(*contradictions, *remarks, *open_questions_of_few(linear.point, found)),
    )
