"""Modes: eigenvalues, damping, stability and shapes of a linear model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.linearize import linearize
from eigenbody.linearization.model import LinearModel
from eigenbody.model.model import Model
from eigenbody.numerics.eigen import Spectrum, conjugate_representatives, spectrum_first_order, spectrum_second_order
from eigenbody.operation.point import OperatingPoint
from eigenbody.spatial.rotations import apply
from eigenbody.system.state import spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Modes:
    """Modes of a linear model: one entry for each conjugate pair, each real eigenvalue and each zero state.

    eigenvalues  (n,) complex, sorted by magnitude, positive imaginary part of each pair; recognized zeros are exactly 0
    shapes       (n, bodies, 6) complex motion of every body: displacement of the centre of mass (m, global axes) and
                 small rotation (rad, global axes), scaled so that the largest component of [displacement, length *
                 rotation] is one and real
    states_shape (n, states) complex, the same motion in the linear state [S, W, x]
    """

    linear: LinearModel
    spectrum: Spectrum
    eigenvalues: np.ndarray
    states_shape: np.ndarray
    shapes: np.ndarray
    kinds: tuple[str, ...]  # "oscillatory", "real" or "rigid"
    stabilities: tuple[str, ...]  # of each entry
    damping_ratio: np.ndarray  # nan for rigid entries

    @property
    def frequency_hz(self) -> np.ndarray:
        """|eigenvalue| / 2 pi."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damped_frequency_hz(self) -> np.ndarray:
        """Imaginary part / 2 pi."""
        return self.eigenvalues.imag / (2 * np.pi)

    @property
    def stability(self) -> str:
        """Of the whole: stable, marginal, drifting or unstable."""
        return self.spectrum.stability

    @property
    def dof(self) -> int:
        return self.linear.dof

    @property
    def states(self) -> int:
        return len(self.linear.states)

    @property
    def certificate(self) -> Certificate:
        return self.linear.certificate

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.linear.point.system.description.bodies.names

    @property
    def undamped_frequency_hz(self) -> np.ndarray:
        """Frequencies of M and the conservative part of K alone, lowest first; negative where unstable."""
        from scipy.linalg import eigh

        squared = eigh(self.linear.conservative, self.linear.M, eigvals_only=True)
        return np.sign(squared) * np.sqrt(np.abs(squared)) / (2 * np.pi)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def table(self) -> str:
        """Readable table."""
        from eigenbody.present.tables import modes_text

        return modes_text(self)

    def as_dict(self) -> dict[str, Any]:
        """The document of `modes --json`."""
        from eigenbody.present.documents import modes_document

        return modes_document(self)

    def plot(self) -> Figure:
        """Eigenvalues in the complex plane and the motion of every body in the lowest modes."""
        from eigenbody.present.plots import plot_modes

        return plot_modes(self)

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        from eigenbody.present.tables import modes_html

        return modes_html(self)


def modes(model: Model | LinearModel | OperatingPoint, n: int | None = None, near: float | None = None) -> Modes:
    """Modes of a model, operating point or linear model: all, the `n` lowest, or the `n` nearest to a frequency.

    `near` is in Hz and compares |eigenvalue| / 2 pi.
    """
    linear = model if isinstance(model, LinearModel) else linearize(model)
    spectrum = spectrum_of(linear)
    chosen = conjugate_representatives(spectrum)
    values = spectrum.eigenvalues[chosen]
    if near is not None:
        distance = np.abs(np.abs(values) / (2 * np.pi) - near)
        chosen = chosen[np.sort(np.argsort(distance, kind="stable")[: n or len(values)])]
    elif n is not None:
        chosen = chosen[:n]
    values = spectrum.eigenvalues[chosen]
    vectors = spectrum.right[:, chosen].T
    shapes, vectors = _shapes(linear, vectors)
    rigid = spectrum.is_rigid[chosen]
    magnitude = np.where(rigid, 1.0, np.abs(values))
    return Modes(
        linear=linear,
        spectrum=spectrum,
        eigenvalues=values,
        states_shape=vectors,
        shapes=shapes,
        kinds=tuple(
            "rigid" if r else "oscillatory" if v.imag > 0 else "real" for r, v in zip(rigid, values, strict=True)
        ),
        stabilities=tuple(_stability(spectrum, i) for i in chosen),
        damping_ratio=np.where(rigid, np.nan, -values.real / magnitude),
    )


def spectrum_of(linear: LinearModel) -> Spectrum:
    """All eigenvalues, by the second-order form where it says everything."""
    if linear.is_second_order:
        return spectrum_second_order(linear.M, linear.C, linear.K, linear.noise_K)
    return spectrum_first_order(linear.A)


def _stability(spectrum: Spectrum, i: int) -> str:
    if spectrum.is_rigid[i] or spectrum.on_axis[i]:
        return "drifting" if spectrum.defective[i] else "marginal"
    return "stable" if spectrum.eigenvalues[i].real < 0 else "unstable"


def _shapes(linear: LinearModel, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Motion of every body, scaled; the state vectors are scaled alike."""
    point = linear.point
    system = point.system
    motion = spread(system, vectors @ linear.shape_q.T)  # (n, bodies, 6)
    turned = apply(np.real(point.state.R), motion[..., 3:])
    weighted = np.concatenate((motion[..., :3], system.length * turned), axis=-1).reshape(len(vectors), -1)
    if weighted.shape[1] == 0:
        return np.zeros((len(vectors), 0, 6), dtype=complex), vectors
    largest = np.take_along_axis(weighted, np.argmax(np.abs(weighted), axis=1)[:, None], axis=1)[:, 0]
    alone = np.take_along_axis(vectors, np.argmax(np.abs(vectors), axis=1)[:, None], axis=1)[:, 0]
    scale = np.where(np.abs(largest) > 0, largest, alone)
    scale = np.where(scale == 0, 1.0, scale)
    shapes = np.concatenate((motion[..., :3], turned), axis=-1) / scale[:, None, None]
    return shapes, vectors / scale[:, None]
