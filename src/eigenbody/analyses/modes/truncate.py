"""Modal truncation: a small state-space model of the lowest modes, in real modal form.

With real T = [T_kept, T_dropped] that makes T^-1 A T block diagonal, x = T_kept z:
    z' = A_k z + B_k u,  y = C_k z + (D + D_residual) u
D_residual = -C_d A_d^-1 B_d is what the dropped modes contribute at rest (residual flexibility): with it the model is
exact at zero frequency, and its error grows with the square of the frequency over that of the first dropped mode
(to first order where the dropped modes are damped).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.analyses.linearize import constant_linear_of
from eigenbody.analyses.modes.participation import balanced, left_and_right
from eigenbody.analyses.modes.small import SmallModel, frequency_response
from eigenbody.analyses.modes.spectrum import frequencies_hz
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.result import Drawn
from eigenbody.linearization.forms import StateSpace
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.runtime import on_one_thread

PARALLEL = 1e-12  # reciprocal condition below which modes cannot be told apart


@dataclass(frozen=True, eq=False)
class TruncatedModel(SmallModel, Drawn, look="analyses.modes.look.truncated"):
    """z' = A z + B u, y = C z + D u of the kept modes; x = T z restores the linear state.

    `eigenvalues` (m,) are those of the kept entries, one for each pair; `first_dropped_hz` is the lowest |eigenvalue| /
    2 pi left out, inf where all are kept.
    """

    linear: LinearModel
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    T: np.ndarray  # (states, kept states)
    eigenvalues: np.ndarray
    states: tuple[str, ...]
    first_dropped_hz: float
    static_correction: bool

    def full_response(self, hz: Any) -> np.ndarray | None:
        """The same of the model that was truncated, where that is dense."""
        return None if self.linear.is_sparse else frequency_response(self.linear.state_space, hz)


@on_one_thread
def truncate(
    model: Subject,
    n: int | None = None,
    below_hz: float | None = None,
    static_correction: bool = False,
) -> TruncatedModel:
    """Keep the `n` lowest modes (pairs count once), or those with |eigenvalue| / 2 pi up to `below_hz`.

    Zeros (rigid modes) are always kept, and counted in `n`. `static_correction` adds what the dropped modes do at rest.
    """
    _refuse_unclear(n, below_hz)
    linear = constant_linear_of(model)
    if linear.is_sparse:
        return truncate_sparse(linear, n, static_correction)
    spectrum = spectrum_of(linear)
    entries = conjugate_representatives(spectrum)
    kept = entries[_kept(spectrum, entries, n, below_hz)]
    dropped = np.setdiff1d(entries, kept)
    basis_kept, basis_dropped = (_real_basis(spectrum, index) for index in (kept, dropped))
    size = np.abs(np.hstack((basis_kept, basis_dropped))).max(axis=1, initial=0.0)
    size = np.where(size > 0, size, 1.0)[:, None]
    whole = np.hstack((basis_kept, basis_dropped)) / size
    if whole.size and 1 / np.linalg.cond(balanced(whole)) < PARALLEL:
        raise ComputationError(
            "Two modes are parallel (a defective eigenvalue) and cannot be told apart. Change a parameter a little."
        )
    inverse = np.linalg.inv(whole) / size.T
    m = basis_kept.shape[1]
    space = _reduced(linear, spectrum, kept, basis_kept, inverse[:m])
    if static_correction and len(dropped):
        space = space._replace(D=space.D + _residual(linear, basis_dropped, inverse[m:]))
    out = frequencies_hz(spectrum.eigenvalues[dropped])
    names, first = _names(spectrum, entries, kept), float(out.min(initial=np.inf))
    return TruncatedModel(linear, *space, basis_kept, spectrum.eigenvalues[kept], names, first, static_correction)


def truncate_sparse(linear: LinearModel, n: int | None, static_correction: bool) -> TruncatedModel:
    """The same for a model kept sparse, from left and right vectors of its descriptor form."""
    if n is None:
        raise InputError(Fault("below_hz", "a model kept sparse is truncated by number.", "Give n instead."))
    from eigenbody.analyses.modes.find import sparse_modes

    found = sparse_modes(linear, n + 1, None)
    if found.is_rigid.any():
        raise ComputationError("A model kept sparse with rigid modes cannot be truncated. Linearize with solver dense.")
    kept = min(n, len(found))
    some = replace(
        found, eigenvalues=found.eigenvalues[:kept], motion=found.motion[:kept], is_rigid=found.is_rigid[:kept]
    )
    left, right = (np.zeros((linear.descriptor.A.shape[0], kept), complex) for _ in range(2))
    for group, y, z in left_and_right(some, linear.sparse):
        left[:, group], right[:, group] = y, z
    return _from_vectors(linear, some.eigenvalues, left, right, found.frequency_hz[kept:], static_correction)


def _from_vectors(
    linear: LinearModel, values: np.ndarray, left: np.ndarray, right: np.ndarray, beyond: np.ndarray, static: bool
) -> TruncatedModel:
    d = linear.descriptor
    pairs = values.imag > 0
    weight = np.where(pairs, 2.0, 1.0)
    keep = np.column_stack((np.ones(len(values), bool), pairs)).ravel()
    both = lambda a, b: np.stack((a, b), axis=-1).reshape(*a.shape[:-1], -1)[..., keep]  # noqa: E731
    by_input = (d.B.T @ left).T  # (modes, inputs)
    B = both(by_input.real.T, -by_input.imag.T).T
    T, C = (both(weight * a.real, weight * a.imag) for a in (right[: d.differential], d.C @ right))
    place = np.cumsum(1 + pairs) - 1 - pairs
    A = np.zeros((len(B), len(B)))
    A[place, place] = values.real
    k = place[pairs]
    A[k, k + 1], A[k + 1, k], A[k + 1, k + 1] = values.imag[pairs], -values.imag[pairs], values.real[pairs]
    D = d.D.toarray()
    if static:
        from scipy.sparse.linalg import splu

        D = D - d.C @ splu(d.A.tocsc()).solve(d.B.toarray()) + C @ np.linalg.solve(A, B)
    names = tuple(name for i, p in enumerate(pairs) for name in _of_mode(i + 1, bool(p)))
    return TruncatedModel(linear, A, B, C, D, T, values, names, float(beyond.min(initial=np.inf)), static)


def _of_mode(number: int, is_pair: bool) -> tuple[str, ...]:
    return (f"mode {number} re", f"mode {number} im") if is_pair else (f"mode {number}",)


def _refuse_unclear(n: int | None, below_hz: float | None) -> None:
    if (n is None) == (below_hz is None):
        raise InputError(Fault("truncate", "one of n and below_hz is expected.", "For example truncate(linear, n=10)."))
    if n is not None and n < 1:
        raise InputError(Fault("n", f"{n} modes cannot be kept.", "Keep at least one."))
    if below_hz is not None and not below_hz > 0:
        raise InputError(Fault("below_hz", "a positive frequency in Hz is expected."))


def _kept(spectrum: Spectrum, entries: np.ndarray, n: int | None, below_hz: float | None) -> np.ndarray:
    """(entries,) bool."""
    rigid = spectrum.is_rigid[entries]
    if n is not None:
        return rigid | (np.arange(len(entries)) < n)
    assert below_hz is not None
    kept = rigid | (np.abs(spectrum.eigenvalues[entries]) <= 2 * np.pi * below_hz)
    if not kept.any():
        lowest = frequencies_hz(spectrum.eigenvalues[entries]).min(initial=np.inf)
        raise InputError(Fault("below_hz", f"no mode is below {below_hz:g} Hz; the lowest is at {lowest:.6g} Hz."))
    return kept


def _real_basis(spectrum: Spectrum, index: np.ndarray) -> np.ndarray:
    """Columns (states, m): vectors of real eigenvalues, real and imaginary part of pairs."""
    columns = []
    for i in index:
        vector = spectrum.right[:, i] / np.linalg.norm(spectrum.right[:, i])
        if spectrum.eigenvalues[i].imag > 0:
            columns += [vector.real, vector.imag]
        else:
            columns.append(vector.real)
    return np.column_stack(columns) if columns else np.zeros((len(spectrum.right), 0))


def _reduced(
    linear: LinearModel, spectrum: Spectrum, kept: np.ndarray, T: np.ndarray, inverse: np.ndarray
) -> StateSpace:
    """Blocks [[a, b], [-b, a]] of pairs and a of real eigenvalues; of zeros what A says (their Jordan chains)."""
    A, B, C, D = linear.state_space
    small = np.zeros((T.shape[1], T.shape[1]))
    rigid, k = [], 0
    for i in kept:
        value = spectrum.eigenvalues[i]
        if value.imag > 0:
            small[k : k + 2, k : k + 2] = [[value.real, value.imag], [-value.imag, value.real]]
            k += 2
            continue
        small[k, k] = value.real
        rigid += [k] if spectrum.is_rigid[i] else []
        k += 1
    small[np.ix_(rigid, rigid)] = inverse[rigid] @ A @ T[:, rigid]
    return StateSpace(small, inverse @ B, C @ T, D)


def _residual(linear: LinearModel, T: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """-C_d A_d^-1 B_d of the dropped modes."""
    A, B, C, _ = linear.state_space
    return -(C @ T) @ np.linalg.solve(inverse @ A @ T, inverse @ B)


def _names(spectrum: Spectrum, entries: np.ndarray, kept: np.ndarray) -> tuple[str, ...]:
    number = {int(i): k + 1 for k, i in enumerate(entries)}
    return tuple(name for i in kept for name in _of_mode(number[int(i)], spectrum.eigenvalues[i].imag > 0))
