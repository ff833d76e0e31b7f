"""What is known of the modes behind a frequency response: all of them, or of a large model the lowest."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np

from eigenbody.analyses.frequency.grid import ADDED
from eigenbody.analyses.frequency.modal import eigenvalue_groups
from eigenbody.analyses.frequency.poles import Pole, SharpPole, fastest_growth, growth_text, named
from eigenbody.analyses.frequency.residues import PoleAtPorts, Poles, at_pole
from eigenbody.analyses.frequency.system import DenseEquations, Excited
from eigenbody.base.arrays import as_dense
from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.noise import EPS
from eigenbody.numerics.signals.sparse_residues import sparse_principal_part

FEW_POINTS = 60  # beside the resonances of a large model, where each costs a factorization
LARGE_MODES = 20  # of a large model, to choose a range and find resonances
FEW = 64  # frequencies of a large model up to which each is looked at
NEAR = 1e-9  # relative step beside a frequency of a large model, to see whether the response grows without limit
BESIDE = 1e-6  # relative distance from a pole within which rounding of its residue can show where it is not felt
INFINITE = complex(np.inf, 0.0)
SHARP = 1e-5  # damping ratio below which a resonance is looked for at its eigenvalue


class KnownModes(Protocol):
    """Eigenvalues (undamped ones with real part zero), and what they mean for a response."""

    @property
    def most(self) -> int: ...  # points beside the resonances
    @property
    def eigenvalues(self) -> np.ndarray: ...
    @property
    def no_path(self) -> np.ndarray | None: ...  # entries (ny, raw) of T that nothing connects
    @property
    def note(self) -> str | None: ...  # where a mode grows
    def sharp_poles(self, low: float, high: float) -> tuple[SharpPole, ...]: ...
    def mask(self, poles: tuple[SharpPole, ...], omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]: ...
    def unknown_above(self, high: float) -> tuple[str, ...]: ...


def known_modes(system: Excited) -> KnownModes:
    """All modes where the linear model is dense, else the lowest."""
    return LowestModes(system) if system.dense is None else AllModes(system, system.dense)


class AllModes:
    """All eigenvalues of dense equations."""

    most = ADDED

    def __init__(self, system: Excited, equations: DenseEquations) -> None:
        self._system, self._equations = system, equations

    @property
    def eigenvalues(self) -> np.ndarray:
        """All of them."""
        spectrum = self._equations.spectrum
        return np.where(spectrum.on_axis, 1j * spectrum.eigenvalues.imag, spectrum.eigenvalues)

    @cached_property
    def no_path(self) -> np.ndarray | None:
        """Entries (ny, raw) of T that no path connects, whatever rounding says."""
        without = ~connected(self._equations)
        return without if without.any() else None

    @property
    def note(self) -> str | None:
        """A warning where the model is unstable."""
        growth = fastest_growth(self._equations)
        return None if growth is None else growth.text()

    def unknown_above(self, high: float) -> tuple[str, ...]:
        """Nothing is."""
        return ()

    def sharp_poles(self, low: float, high: float) -> tuple[SharpPole, ...]:
        """Those on the imaginary axis, or so close to it that a grid would miss them, from `low` to `high` rad/s."""
        if not (self._system.inputs and self._system.outputs):
            return ()
        spectrum = self._equations.spectrum
        values = spectrum.eigenvalues
        sharp = spectrum.on_axis | (np.abs(values.real) < SHARP * np.abs(values))
        return tuple(self._seen(pole) for pole in self._poles.among(sharp, low, high))

    def mask(self, poles: tuple[SharpPole, ...], omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]:
        """Write infinity into H (nf, ny, nu) where a frequency lies on a pole; beside a pole that an entry does not
        feel, where rounding would speak, the entry without the pole. The poles that were met."""
        met = []
        for pole in poles:
            apart = np.abs(omega)[:, None] - pole.frequencies
            beside = np.flatnonzero(np.abs(apart).min(axis=1) <= pole.reach)
            if not len(beside):
                continue
            step = (1j * (np.abs(omega[beside]) - pole.omega) + pole.decay)[:, None, None]
            value = pole.rest + step * pole.slope
            value = np.where((omega[beside] < 0)[:, None, None], value.conj(), value)
            H[beside] = np.where(pole.felt, H[beside], value)
            hit = beside[np.abs(apart[beside]).min(axis=1) <= 4 * pole.error]
            if pole.decay == 0 and len(hit) and pole.felt.any():
                H[hit] = np.where(pole.felt, INFINITE, H[hit])
                met.append(named(self._system, pole.omega, pole.felt))
        return tuple(met)

    @cached_property
    def _poles(self) -> Poles:
        return Poles(self._equations)

    def _seen(self, pole: PoleAtPorts) -> SharpPole:
        undamped = bool(self._equations.spectrum.on_axis[pole.members].all())
        part = replace(pole.part, value=1j * pole.part.value.imag) if undamped else pole.part
        frequencies = np.abs(pole.values.imag)
        reach = max(4 * pole.error, BESIDE * min(abs(part.value), 10 * pole.gap))
        return SharpPole(
            float(frequencies.mean()), 0.0 if undamped else -float(part.value.real), frequencies, pole.error, reach,
            *at_pole(self._system, part),
        )  # fmt: skip


class LowestModes:
    """The lowest eigenvalues of a large model."""

    most, no_path = FEW_POINTS, None

    def __init__(self, system: Excited) -> None:
        from eigenbody.analyses.modes import sparse_modes

        self._system, self._known = system, dict[int, SharpPole]()
        self._values, self._on_axis, self._unknown = np.zeros(0, complex), np.zeros(0, bool), None
        try:
            found = sparse_modes(system.linear, min(LARGE_MODES, max(system.linear.dof, 1)), None)
            self._values, self._on_axis = found.eigenvalues, np.isin(found.growths, ("marginal", "drifting"))
        except ComputationError as error:
            self._unknown = f"Stability and resonances are not known, the modes were not found: {error}"

    @property
    def eigenvalues(self) -> np.ndarray:
        """The lowest."""
        return np.where(self._on_axis, 1j * self._values.imag, self._values)

    @property
    def note(self) -> str | None:
        """A warning where one of them grows, or where none was found."""
        growing = self._values[(self._values.real > 0) & ~self._on_axis]
        return growth_text(complex(growing[np.argmax(growing.real)])) if len(growing) else self._unknown

    def unknown_above(self, high: float) -> tuple[str, ...]:
        """A note where a range that ends at `high` rad/s goes beyond them."""
        last = float(np.abs(self._values).max(initial=0.0))
        if not len(self._values) or len(self._values) >= self._system.linear.dof or high <= last:
            return ()
        return (
            f"The lowest {len(self._values)} modes are known, to {last / (2 * np.pi):.6g} Hz: above, peaks are located"
            " by the frequencies asked for alone, and sharp ones may be missed or come out too low.",
        )

    @cached_property
    def _groups(self) -> list[np.ndarray]:
        values = self._values
        sharp = (values.imag > 0) & (self._on_axis | (np.abs(values.real) < SHARP * np.abs(values)))
        return [group for group in eigenvalue_groups(values) if sharp[group].all()]

    def sharp_poles(self, low: float, high: float) -> tuple[SharpPole, ...]:
        """Those of them on the imaginary axis or close to it, from `low` to `high` rad/s."""
        found = []
        for group in self._groups:
            if low <= self._values[group[0]].imag <= high:
                if group[0] not in self._known:
                    self._known[group[0]] = self._seen(group)
                found.append(self._known[group[0]])
        return tuple(found)

    def mask(self, poles: tuple[SharpPole, ...], omega: np.ndarray, H: np.ndarray) -> tuple[Pole, ...]:
        """Write infinity into H (nf, ny, nu) on the eigenvalues that are known, in what feels them; elsewhere where the
        response grows without limit as the frequency comes near. The poles that were met."""
        finite = np.isfinite(H).all(axis=(1, 2))
        size = np.abs(H).max(axis=(1, 2), initial=0.0)
        typical = float(np.median(size[finite])) if finite.any() else 0.0
        suspect = ~finite | (omega == 0) | (size > 1e7 * typical) | (len(omega) <= FEW)
        least = np.abs(omega[omega != 0]).min(initial=np.inf)
        met: list[Pole] = []
        for i, w in enumerate(np.abs(omega)):
            known = [pole for pole in poles if np.abs(pole.frequencies - w).min() <= pole.reach]
            if not suspect[i] and not known:
                continue
            step = NEAR * w if w else 1e-3 * (least if np.isfinite(least) else 1.0)
            if known:
                on = [p.felt for p in known if not p.decay and np.abs(p.frequencies - w).min() <= 4 * p.error]
                bad = np.any([np.zeros(H[i].shape, bool), *on], axis=0)
                hidden = ~np.any([p.felt for p in known], axis=0)
                H[i] = np.where(hidden, self._between(omega[i], BESIDE * w), H[i])
            else:
                near, far = self._beside(omega[i], step * np.array([1.0, 10.0]))
                bad = np.abs(near) > 5 * np.abs(far)
                bad &= (w == 0) | ~np.isfinite(H[i]) | (np.abs(H[i]) > 1e3 * np.abs(near))
                H[i] = H[i] if finite[i] and w else self._between(omega[i], step)
            H[i] = np.where(bad, INFINITE, H[i])
            if bad.any():
                met.append(named(self._system, float(w), bad))
        return tuple(met)

    def _beside(self, omega: float, steps: np.ndarray) -> np.ndarray:
        """H (k, ny, nu) at steps (k,) from a frequency."""
        s = 1j * (omega + steps)
        return self._system.through(self._system.transfer(s), s)

    def _between(self, omega: float, step: float) -> np.ndarray:
        """H (ny, nu) at a frequency from both sides of it, by Richardson extrapolation."""
        a, b, c, d = self._beside(omega, step * np.array([-2.0, -1.0, 1.0, 2.0]))
        return (4 * (b + c) - (a + d)) / 6

    def _seen(self, group: np.ndarray) -> SharpPole:
        E, A, B, C, D = self._system.sparse.descriptor
        part, refined, error = sparse_principal_part(E, A, as_dense(B), C, D, self._values[group])
        omega = float(part.value.imag)
        decay = 0.0 if self._on_axis[group].all() else -float(self._values[group].real.mean())
        return SharpPole(
            omega, decay, refined.imag, max(error, 8 * EPS * omega), BESIDE * omega,
            *at_pole(self._system, replace(part, value=1j * omega - decay)),
        )  # fmt: skip


def connected(equations: DenseEquations) -> np.ndarray:
    """Between which inputs and outputs (ny, nu) a chain of entries beyond rounding leads."""
    from scipy.sparse import csr_array

    A, B, C, D = equations.A, equations.B, equations.C, equations.D
    links = csr_array((np.abs(A) > equations.noise).astype(np.int32))
    reached = _beyond_rounding(B)
    while True:
        more = reached | (links @ reached.astype(np.int32) > 0)
        if np.array_equal(more, reached):
            break
        reached = more
    seen = _beyond_rounding(C.T).T.astype(np.int32) @ reached.astype(np.int32) > 0
    return seen | (D != 0)


def _beyond_rounding(columns: np.ndarray) -> np.ndarray:
    size = np.abs(columns)
    return size > 1e-15 * size.max(axis=0, initial=0.0)
