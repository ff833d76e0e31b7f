"""The modes of a linear model as a result: eigenvalues, damping, shapes, and the verdict on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.modes.blade_labels import BladePattern, blade_patterns
from eigenbody.analyses.modes.checks import (
    FROM_GROUND,
    IN_FRAME,
    IN_PATTERNS,
    SEEN_FROM,
    ModesCertificate,
    on_an_instant,
)  # fmt: skip
from eigenbody.analyses.modes.shapes import coordinate_shapes
from eigenbody.analyses.modes.spectrum import damping_ratios, frequencies_hz
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.linearize import DENSE_FREEDOMS, dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.multiblade import in_multiblade
from eigenbody.linearization.nodes import NodeMotion, node_motion
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.model.names import GROUND
from eigenbody.operating.turning.blades import Blades, blades_of, has_blades
from eigenbody.operating.turning.observer import constant_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.explain import Explanation

KINDS = ("plane", "bars")  # of pictures


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
    constancy: Callable[[], bool] = field(kw_only=True)  # finds `is_constant`

    @cached_property
    def bounds(self) -> np.ndarray:
        """(n,) error bound of each eigenvalue, 1/s."""
        return self.errors()

    @property
    def is_constant(self) -> bool:
        """Whether the linear equations stay the same along the motion, so that eigenvalues tell its stability."""
        return self.constancy()

    @cached_property
    def steady_frame(self) -> tuple[str, str] | None:
        """Where the equations change along the motion for an observer at rest: a frame that turns with a joint in which
        they do not, by the joint's name, and their verdict there. Modes of a model are those seen from there."""
        if self.linear.seen_from is not None:
            return self.linear.seen_from, self.growth
        found = None if self.is_constant else constant_frame(self.linear.point)
        return None if found is None else (found[0], spectrum_of(dense_model(found[1])).stability)

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
        if self.linear.seen_from is not None:
            is_at_rest = self.linear.seen_from == GROUND
            return (FROM_GROUND if is_at_rest else SEEN_FROM.format(self.linear.seen_from),)
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
