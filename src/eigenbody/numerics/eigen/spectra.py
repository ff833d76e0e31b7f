"""All eigenvalues of many linear systems of one order: in stacks of those whose zeros are alike, put in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import overload

import numpy as np

from eigenbody.base.copies import Later
from eigenbody.numerics.eigen.spectrum import Columns, Spectrum
from eigenbody.numerics.eigen.stability import verdicts
from eigenbody.numerics.matrices.stacks import columns_of


@dataclass(frozen=True, eq=False)
class SpectrumStack:
    """What `Spectrum` has, of systems (g,) with the same chains of zeros: arrays with a leading axis, a verdict and
    `vectors` each: all of them (g, n, n), or what finds them."""

    eigenvalues: np.ndarray
    is_rigid: np.ndarray
    zero_chains: tuple[int, ...]
    on_axis: np.ndarray
    defective: np.ndarray
    undecided: np.ndarray
    stability: Sequence[str]
    near_zero: np.ndarray
    vectors: np.ndarray | Sequence[Columns]
    errors: Callable[[], np.ndarray]

    @property
    def right(self) -> np.ndarray:
        """(g, n, n) all vectors, as columns."""
        if isinstance(self.vectors, np.ndarray):
            return self.vectors
        return np.stack([find(np.arange(self.eigenvalues.shape[1])) for find in self.vectors])

    def one(self, k: int) -> Spectrum:
        """That of one system."""
        vectors = self.vectors[k]
        return Spectrum(
            self.eigenvalues[k], self.is_rigid[k], self.zero_chains, self.on_axis[k], self.defective[k],
            self.undecided[k], self.stability[k], int(self.near_zero[k]),
            partial(_taken, vectors) if isinstance(vectors, np.ndarray) else vectors,
            Later(partial(self._errors_of, k)),
        )  # fmt: skip

    def _errors_of(self, k: int) -> np.ndarray:
        return np.array(self.errors()[k])


Numbered = tuple[np.ndarray, SpectrumStack]
"""Numbers (m,) of systems, and the spectra of these."""


class Spectra(Sequence[Spectrum]):
    """The spectra of systems (g,) by their numbers; each is made when it is first asked for."""

    def __init__(self, parts: Iterable[Numbered]) -> None:
        self._parts = list(parts)
        self._places = {
            k: (stack, row) for members, stack in self._parts for row, k in enumerate(members.tolist())
        }  # fmt: skip
        self._made: dict[int, Spectrum] = {}

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, k: int) -> Spectrum: ...
    @overload
    def __getitem__(self, k: slice) -> list[Spectrum]: ...
    def __getitem__(self, k: int | slice) -> Spectrum | list[Spectrum]:
        if isinstance(k, slice):
            return [self[i] for i in range(len(self))[k]]
        number = range(len(self))[k]
        if number not in self._made:
            stack, row = self._places[number]
            self._made[number] = stack.one(row)
        return self._made[number]

    @property
    def eigenvalues(self) -> np.ndarray:
        """(g, n) of all systems."""
        return self._gathered([stack.eigenvalues for _, stack in self._parts])

    @property
    def right(self) -> np.ndarray:
        """(g, n, n) of all systems."""
        return self._gathered([stack.right for _, stack in self._parts])

    def _gathered(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        out = np.empty((len(self), *arrays[0].shape[1:]), arrays[0].dtype)
        for (members, _), array in zip(self._parts, arrays, strict=True):
            out[members] = array
        return out


def ordered_spectra(
    weyr: tuple[int, ...],
    nonzero: np.ndarray,
    right: np.ndarray | Sequence[Columns],
    on_axis: np.ndarray,
    defective: np.ndarray,
    errors: Callable[[], np.ndarray],
    near_zero: np.ndarray,
    undecided: np.ndarray,
) -> SpectrumStack:
    """Of systems (g,) with alike zeros: these (first columns of `right` and of `errors`, (g, n, n) and (g, n)) and the
    rest, adjacent pairs `nonzero` (g, m) with their flags, put in order with exact conjugates."""
    chains = _chains(weyr)
    zeros = np.zeros((len(nonzero), sum(chains)), bool)
    flags = ((~zeros, on_axis), (zeros | (bool(chains) and chains[0] > 1), defective), (zeros, undecided))
    eigenvalues = np.concatenate([zeros, nonzero], axis=1)
    order = np.lexsort((eigenvalues.real, np.abs(eigenvalues.imag), np.abs(eigenvalues)), axis=-1)
    eigenvalues = np.take_along_axis(eigenvalues, order, axis=1)
    on_axis, defective, undecided = (np.take_along_axis(np.concatenate(flag, axis=1), order, axis=1) for flag in flags)
    k, upper = np.nonzero(eigenvalues.imag > 0)
    for array in (eigenvalues, on_axis, defective):
        array[k, upper + 1] = array[k, upper].conj()
    eigenvalues += 0.0  # no negative zeros
    is_rigid, is_second = eigenvalues == 0, np.zeros(order.shape, bool)
    is_second[k, upper + 1] = True
    for array in (eigenvalues, is_rigid, on_axis, defective, undecided):
        array.setflags(write=False)
    first = np.take_along_axis(order, np.arange(order.shape[1]) - is_second, axis=1)
    return SpectrumStack(
        eigenvalues, is_rigid, chains, on_axis, defective, undecided, verdicts(eigenvalues, on_axis, defective),
        near_zero, _in_order(right, first, is_second), Later(lambda: np.take_along_axis(errors(), order, axis=1)),
    )  # fmt: skip


def _chains(weyr: tuple[int, ...]) -> tuple[int, ...]:
    """Jordan block sizes, largest first, from the number of blocks that reach each length."""
    return tuple(sum(count > block for count in weyr) for block in range(weyr[0])) if weyr else ()


def _in_order(
    right: np.ndarray | Sequence[Columns], first: np.ndarray, is_second: np.ndarray
) -> np.ndarray | list[Columns]:
    """Vectors in order; the second of a pair is the conjugate of the first, whose column in `right` (g, n, n) is
    `first` (g, n)."""
    if not isinstance(right, np.ndarray):
        return [partial(_found, *each) for each in zip(right, first, is_second, strict=True)]
    ordered = columns_of(right, first)
    return np.conjugate(ordered, out=ordered, where=is_second[:, None, :])


def _taken(right: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return right[:, chosen]


def _found(right: Columns, first: np.ndarray, is_second: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    found = right(first[chosen])
    return np.conjugate(found, out=found, where=is_second[chosen])
