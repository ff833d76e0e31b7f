"""Which eigenvalues the inputs drive and the outputs see: one decision for frequency responses and random vibration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from eigenbody.analyses.frequency.modal import ModalForm
from eigenbody.analyses.frequency.system import DenseEquations, Excited, Weight
from eigenbody.numerics.matrices.noise import EPS
from eigenbody.numerics.signals.residues import PrincipalPart, principal_part, realization, subspace_of

ROUNDING = 8 * EPS
TOGETHER = 1e-10  # relative distance of eigenvalues whose vectors rounding mixes: they are judged as one
DEEPEST = 4  # powers of 1/(s - mu) looked at in a cluster that is not one eigenvalue
CIRCLE = np.exp(2j * np.pi * np.arange(16) / 16)


@dataclass(frozen=True, eq=False)
class PoleAtPorts:
    """Eigenvalues that are one or nearly so: their places (m,) in the spectrum, values and error, the distance of the
    next one, and what they do."""

    members: np.ndarray
    values: np.ndarray
    error: float
    gap: float
    part: PrincipalPart


class Poles:
    """Poles of equations at their inputs and outputs."""

    def __init__(self, equations: DenseEquations) -> None:
        e = equations
        self._spectrum = e.spectrum
        self._given = realization(e.A, e.B, e.C, e.D, e.noise)
        self._equations = equations
        self._known: dict[tuple[int, ...], PoleAtPorts] = {}

    @cached_property
    def form(self) -> ModalForm:
        """All modes."""
        return ModalForm(self._equations)

    def among(self, chosen: np.ndarray, low: float = 0.0, high: float = np.inf) -> tuple[PoleAtPorts, ...]:
        """Poles of the chosen (n,) bool eigenvalues with frequencies from `low` to `high` rad/s: zero first, then one
        of each conjugate pair by rising size."""
        spectrum = self._spectrum
        rest = np.flatnonzero(chosen & ~spectrum.is_rigid & (spectrum.eigenvalues.imag >= 0))
        found = [self._zero] if low <= 0 and (chosen & spectrum.is_rigid).any() else []
        while len(rest):
            value, error = spectrum.eigenvalues[rest[0]], float(self.errors[rest[0]])
            near = np.abs(spectrum.eigenvalues[rest] - value) <= max(4 * error, TOGETHER * abs(value))
            if low <= value.imag <= high:
                found.append(self._pole(tuple(rest[near].tolist()), error))
            rest = rest[~near]
        return tuple(found)

    @cached_property
    def errors(self) -> np.ndarray:
        """(n,) error of each eigenvalue by the noise of the equations; zeros are exact."""
        spectrum, size = self._spectrum, np.abs(self._spectrum.eigenvalues)
        error = np.zeros(len(size))
        error[~spectrum.is_rigid] = self.form.error if self.form.is_usable else np.inf
        return np.where(spectrum.is_rigid, 0.0, np.clip(error, ROUNDING * size, 1e-9 * size))

    @cached_property
    def _zero(self) -> PoleAtPorts:
        spectrum = self._spectrum
        lowest = float(np.abs(spectrum.eigenvalues[~spectrum.is_rigid]).min(initial=np.inf))
        error = 1e-12 * lowest if np.isfinite(lowest) else 0.0
        members = np.flatnonzero(spectrum.is_rigid)
        return PoleAtPorts(
            members,
            np.zeros(1),
            error,
            lowest,
            self._part(members, 0.0, max(spectrum.zero_chains, default=len(members))),
        )

    def _pole(self, places: tuple[int, ...], error: float) -> PoleAtPorts:
        if places not in self._known:
            self._known[places] = self._judged(np.array(places), error)
        return self._known[places]

    def _judged(self, members: np.ndarray, error: float) -> PoleAtPorts:
        values = self._spectrum.eigenvalues[members]
        is_one = np.ptp(values.real) + np.ptp(values.imag) <= 4 * error and not self._spectrum.defective[members].any()
        part = self._part(members, complex(values.mean()), 1 if is_one else min(len(members), DEEPEST))
        gap = float(np.abs(np.delete(self._spectrum.eigenvalues, members) - part.value).min(initial=np.inf))
        return PoleAtPorts(members, values, error, gap, part)

    def _part(self, members: np.ndarray, value: complex, depth: int) -> PrincipalPart:
        if not self.form.is_usable:
            return principal_part(self._given, subspace_of(self._given, value, self._spectrum.right[:, members], depth))
        chosen = np.zeros(len(self._spectrum.eigenvalues), bool)
        chosen[members] = True
        return principal_part(self._given, self.form.subspace(chosen, value, depth))


class AtPole(NamedTuple):
    """H (ny, nu) about a pole: which entries have it, the rounding of its residue, H without it and its slope by s."""

    felt: np.ndarray
    noise: np.ndarray
    rest: np.ndarray
    slope: np.ndarray


def at_pole(system: Excited, part: PrincipalPart) -> AtPole:
    """The pole between the inputs and outputs of a system."""
    if system.weight is None:
        return AtPole(part.felt, part.bounds[0], part.rest, part.slope)
    count = len(part.terms)
    weights = _taylor(system.weight, part.value, count + 2)
    rest, slope = part.rest @ weights[0], part.slope @ weights[0] + part.rest @ weights[1]
    felt, noise = np.zeros(rest.shape, bool), part.bounds[0] @ np.abs(weights[0])
    for j in range(count):
        pairs = [(part.terms[k], part.bounds[k], weights[k - j]) for k in range(j, count)]
        total = sum((term @ w for term, _, w in pairs), np.zeros(rest.shape))
        felt |= np.abs(total) > sum(bound @ np.abs(w) + ROUNDING * np.abs(term) @ np.abs(w) for term, bound, w in pairs)
        rest, slope = rest + part.terms[j] @ weights[j + 1], slope + part.terms[j] @ weights[j + 2]
    return AtPole(felt, noise, rest, slope)


def _taylor(weight: Weight, value: complex, count: int) -> list[np.ndarray]:
    """Coefficients (raw, nu) of the weight in powers of s - value: it is made of a few powers of s."""
    radius = 0.1 * abs(value) or 1.0
    around = weight(value + radius * CIRCLE)
    least = ROUNDING * np.abs(around).max(initial=0.0)
    found = [np.tensordot(CIRCLE**-k, around, 1) / len(CIRCLE) for k in range(count)]
    return [np.where(np.abs(part) > least, part, 0.0) / radius**k for k, part in enumerate(found)]
