"""Control blocks as linear systems x' = A x + B u, y = C x + D u."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, factorial

import numpy as np

from eigenbody.model.description import Entry, Signal
from eigenbody.routes.base import Unsupported


@dataclass(frozen=True, eq=False)
class LinearBlock:
    """Names of the states, labels of the outputs ("" is the block itself), inputs, and the four matrices."""

    states: tuple[str, ...]
    outputs: tuple[str, ...]
    inputs: tuple[Signal, ...]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


def read_block(entry: Entry) -> LinearBlock:
    """The block of an entry; Unsupported where its type is not known."""
    if entry.type == "state_space":
        return _state_space(entry)
    if entry.type == "pid":
        return _pid(entry)
    if entry.type == "transfer":
        return _transfer(entry, entry["numerator"], entry["denominator"])
    if entry.type == "filter":
        return _filter(entry)
    if entry.type == "delay":
        return _delay(entry)
    raise Unsupported(f'the block "{entry.name}" of type "{entry.type}"')


def _numbered(entry: Entry, count: int) -> tuple[str, ...]:
    return tuple(f"{entry.name}.x{k + 1}" for k in range(count))


def _state_space(entry: Entry) -> LinearBlock:
    A, B, C = (np.asarray(entry[key], dtype=float) for key in "ABC")
    D = np.zeros((len(C), B.shape[1])) if entry.get("D") is None else np.asarray(entry["D"], dtype=float)
    labels = entry.get("outputs") or (("",) if len(C) == 1 else tuple(f"y{k + 1}" for k in range(len(C))))
    return LinearBlock(_numbered(entry, len(A)), tuple(labels), tuple(entry["inputs"]), A, B, C, D)


def _transfer(entry: Entry, numerator: Sequence[float], denominator: Sequence[float]) -> LinearBlock:
    """y = b(s)/a(s) u. With a(s) z = u the states are z and its derivatives, and y = b(s) z, in which the highest
    derivative is taken from a(s) z = u."""
    a, b = np.asarray(denominator, dtype=float)[::-1], np.asarray(numerator, dtype=float)[::-1]  # lowest power first
    n = len(a) - 1
    b = np.pad(b, (0, n + 1 - len(b)))
    A, B = np.diag(np.ones(max(n - 1, 0)), 1)[:n, :n], np.zeros((n, 1))
    if n:
        A[-1], B[-1] = -a[:n] / a[n], 1.0
    # the states are those of the monic denominator: z there is a_n times z here
    C, D = (b[:n] - b[n] * a[:n] / a[n])[None] / a[n], np.array([[b[n] / a[n]]])
    return LinearBlock(_numbered(entry, n), ("",), (entry["input"],), A, B, C, D)


def _filter(entry: Entry) -> LinearBlock:
    """s^n or w^n over the Butterworth-like denominator of order n."""
    w, order = float(entry["corner"]), int(entry["order"])
    below = [1.0, w] if order == 1 else [1.0, 2 * float(entry["damping"]) * w, w**2]
    above = [w**order] if entry["kind"] == "lowpass" else [1.0, *[0.0] * order]
    return _transfer(entry, above, below)


def _delay(entry: Entry) -> LinearBlock:
    """Pade's approximation of exp(-s T): p(-s T)/p(s T) with p(z) = sum_k (2n - k)!/(2n)! n!/(n - k)! z^k/k!."""
    n, T = int(entry["order"]), float(entry["time"])
    p = [comb(n, k) * factorial(2 * n - k) / factorial(2 * n) * T**k for k in range(n + 1)]
    return _transfer(entry, [(-1) ** k * p[k] for k in range(n, -1, -1)], p[::-1])


def _pid(entry: Entry) -> LinearBlock:
    """y = kp e + ki x1 + kd x2' with x1' = e and filter x2' = e - x2; a part without gain has no state."""
    kp, ki, kd = (float(entry[key]) for key in ("kp", "ki", "kd"))
    names, A, B, C, D = [], [], [], [], kp
    if ki:
        names, A, B, C = ["integral"], [0.0], [1.0], [ki]
    if kd:
        rate = 1 / float(entry["filter"])
        names, A, B, C, D = [*names, "filtered"], [*A, -rate], [*B, rate], [*C, -kd * rate], D + kd * rate
    states = tuple(f"{entry.name}.{name}" for name in names)
    n = len(names)
    return LinearBlock(
        states, ("",), (entry["input"],), np.diag(A) if n else np.zeros((0, 0)), np.reshape(B, (n, 1)),
        np.reshape(C, (1, n)), np.array([[D]]),
    )  # fmt: skip
