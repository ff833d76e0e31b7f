"""Quadratic forms of modal coordinates: displacements of second order of the nodes of flexible bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.spatial.rotations import apply, dot


def modal_forms(form: np.ndarray, in_pairs: bool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Forms (r, m, m) of m modal coordinates x, three on each of K carriers (the last may have fewer): which carriers
    (n, k) stand in a form, and F (n r, 3 k, 3 k) of x.Fx / 2. Either all K in one, or each alone and two at a time."""
    r, m = form.shape[:2]
    K = -(-m // 3)
    whole = np.zeros((r, 3 * K, 3 * K), dtype=form.dtype)
    whole[:, :m, :m] = form
    if not in_pairs:
        yield np.arange(K)[None], whole
        return
    blocks = whole.reshape(r, K, 3, K, 3).transpose(1, 3, 0, 2, 4)
    own, (a, b) = np.arange(K), np.tril_indices(K, -1)
    yield own[:, None], blocks[own, own].reshape(-1, 3, 3)
    if len(a):
        block = blocks[a, b].reshape(-1, 3, 3)
        pair = np.zeros((len(block), 6, 6), dtype=form.dtype)
        pair[:, :3, 3:], pair[:, 3:, :3] = block, block.mT
        yield np.stack((a, b), axis=-1), pair


@dataclass(frozen=True, slots=True, eq=False)
class ModalForm:
    """Kernel of n measures x.Fx / 2 of the positions x of the carriers (n, K); form F (..., n, 3 K, 3 K), symmetric."""

    carriers: np.ndarray
    form: np.ndarray

    @property
    def key(self) -> tuple[object, ...]:
        return (ModalForm, self.carriers.shape[-1])

    def jet(self, at: Carriers) -> ModalFormJet:
        return ModalFormJet(self, at)

    def take(self, index: np.ndarray) -> ModalForm:
        return ModalForm(self.carriers[index], self.form[..., index, :, :])

    def turns(self) -> np.ndarray:
        """(n, K) bool: carriers of modal coordinates do not turn."""
        return np.zeros(self.carriers.shape, dtype=bool)

    @staticmethod
    def concatenate(parts: list[ModalForm]) -> ModalForm:
        return ModalForm(np.concatenate([p.carriers for p in parts]), np.concatenate([p.form for p in parts], axis=-3))


class ModalFormJet:
    """Values and rows by the product rule."""

    def __init__(self, kernel: ModalForm, at: Carriers) -> None:
        self._F, self._carriers, self._at = kernel.form, kernel.carriers, at

    def _flat(self, values: np.ndarray) -> np.ndarray:
        taken = values[..., self._carriers, :]
        return taken.reshape(*taken.shape[:-2], -1)

    @cached_property
    def _x(self) -> np.ndarray:
        return self._flat(self._at.r)

    @cached_property
    def _v(self) -> np.ndarray:
        return self._flat(self._at.v)

    @cached_property
    def _a(self) -> np.ndarray:
        return self._flat(self._at.a)

    @cached_property
    def _slope(self) -> np.ndarray:
        return apply(self._F, self._x)

    @property
    def value(self) -> np.ndarray:
        return 0.5 * dot(self._x, self._slope)

    @property
    def rate(self) -> np.ndarray:
        return dot(self._v, self._slope)

    @property
    def acceleration(self) -> np.ndarray:
        return dot(self._a, self._slope) + dot(self._v, apply(self._F, self._v))

    @staticmethod
    def _rows(modal: np.ndarray) -> np.ndarray:
        """Columns (dr, dtheta) of every carrier, (..., n, 6 K)."""
        out = np.zeros((*modal.shape[:-1], modal.shape[-1] // 3, 6), dtype=modal.dtype)
        out[..., :3] = modal.reshape(*modal.shape[:-1], -1, 3)
        return out.reshape(*modal.shape[:-1], -1)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._rows(self._slope)

    @cached_property
    def rate_q(self) -> np.ndarray:
        return self._bent(self._v)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        return self._bent(self._a)

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        return 2 * self._bent(self._v)

    def _bent(self, x: np.ndarray) -> np.ndarray:
        """Rows of F x; without batch axes where nothing moves."""
        return self._rows(apply(self._F, x) if x.any() else np.zeros(self._F.shape[:-1]))

    @cached_property
    def curvature(self) -> np.ndarray:
        return self._rows(self._rows(self._F).swapaxes(-1, -2)).swapaxes(-1, -2)
