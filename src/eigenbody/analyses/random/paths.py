"""How random sources pass through a linear model: one-sided densities of its outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.frequency import Excited, ModalForm, connected
from eigenbody.analyses.random.drives import QUANTITIES, Drive, Source

MANY_STATES = 100  # from this on a sum over modes is tried
SAMPLES = 40
SAME, WHOLE = 1e-7, 1e-10  # error allowed to a sum over modes: of a density, and of the greatest power per octave
CHUNK = 4_000_000  # complex numbers of frequency response held at once


@dataclass(frozen=True)
class Path:
    """A drive with its inputs found.

    columns  of the raw inputs of the equations; orders and delays: time derivatives and seconds of each
    shown    places of the named inputs, and the time derivatives of each
    """

    drive: Drive
    columns: tuple[int, ...]
    orders: tuple[int, ...]
    delays: tuple[float, ...]
    shown: tuple[int, ...]
    shown_orders: tuple[int, ...]

    @property
    def source(self) -> Source:
        return self.drive.source

    @property
    def groups(self) -> dict[float, list[int]]:
        """Positions in `columns` by delay: what comes at the same time."""
        found: dict[float, list[int]] = {}
        for k, delay in enumerate(self.delays):
            found.setdefault(delay, []).append(k)
        return found

    def factors(self, frequency_hz: np.ndarray) -> np.ndarray:
        """Complex amplitude (n, columns) at each raw input for one of the source."""
        s = 2j * np.pi * frequency_hz[:, None]
        return s ** np.array(self.orders) * np.exp(-s * np.array(self.delays))


def paths_of(system: Excited, drives: Sequence[Drive]) -> tuple[Path, ...]:
    """The drives with their inputs found among those of the system."""
    units = dict(zip(system.inputs, system.input_units, strict=True))
    places = {name: i for i, name in enumerate(system.inputs)}
    found = []
    for drive in drives:
        columns = tuple(places[name] for name in drive.inputs)
        orders = tuple(drive.order(name, units[name]) for name in drive.inputs)
        delays = tuple(float(drive.delays.get(name, 0.0)) for name in drive.inputs)
        found.append(Path(drive, columns, orders, delays, columns, orders))
    return tuple(found)


def base_path(system: Excited, source: Source, of: str) -> Path:
    """The path of a moving base, whose raw inputs are its displacement, velocity and acceleration."""
    given = QUANTITIES.index(of)
    return Path(Drive(source, system.inputs), (0, 1, 2), tuple(k - given for k in range(3)), (0.0,) * 3, (0,), (0,))


def input_densities(system: Excited, paths: Sequence[Path], frequency_hz: np.ndarray) -> np.ndarray:
    """Densities (n, inputs) of the named inputs themselves."""
    out = np.zeros((len(frequency_hz), len(system.inputs)))
    w = 2 * np.pi * frequency_hz[:, None]
    for path in paths:
        out[:, path.shown] += path.source.density(frequency_hz)[:, None] * w ** (2.0 * np.array(path.shown_orders))
    return out


class OutputDensities:
    """Densities (n, outputs) at frequencies (n,); the model is prepared once."""

    def __init__(self, system: Excited, paths: Sequence[Path]) -> None:
        self.paths = paths
        self.outputs = len(system.outputs)
        self.transfer: Callable[[np.ndarray], np.ndarray] = system.transfer
        self.dense = system.dense
        self.no_path = None if self.dense is None else ~connected(self.dense)  # (outputs, columns)
        self.modal: tuple[float, float, ModalForm] | None = None
        columns = 1 + max(column for path in paths for column in path.columns)
        self.chunk = max(1, CHUNK // (columns * self.outputs))

    def __call__(self, frequency_hz: np.ndarray, mixed: bool = True) -> np.ndarray:
        """`mixed` False leaves out how signals with different delays interfere.

        The interference oscillates over the frequency; far above the modes its integral is nothing.
        """
        out = np.empty((len(frequency_hz), self.outputs))
        for start in range(0, len(frequency_hz), self.chunk):
            f = frequency_hz[start : start + self.chunk]
            H = self._response(f)
            if self.no_path is not None:
                H[:, self.no_path] = 0.0
            out[start : start + self.chunk] = sum(_through(path, H, f, mixed) for path in self.paths)
        return out

    def _response(self, f: np.ndarray) -> np.ndarray:
        if self.dense is not None and not len(self.dense.A):  # nothing moves: forces are passed on
            return np.repeat(self.dense.D[None].astype(complex), len(f), axis=0)
        if self.modal is None:
            return self.transfer(2j * np.pi * f)
        low, high, form = self.modal
        near = (f >= low) & (f <= high)
        H = form(2j * np.pi * f)
        if not near.all():
            H[~near] = self.transfer(2j * np.pi * f[~near])
        return H

    def hasten(self, low: float, high: float) -> None:
        """Take a sum over modes from `low` to `high` Hz where there are many and samples agree with direct solution."""
        if self.dense is None or len(self.dense.A) < MANY_STATES or not low < high:
            return
        form = ModalForm(self.dense)
        samples = np.geomspace(low, high, SAMPLES)
        direct = self(samples)
        if form.is_usable:
            self.modal = low, high, form
            wrong, power = np.abs(self(samples) - direct), samples[:, None] * direct
            if (wrong > SAME * direct).any() or (samples[:, None] * wrong > WHOLE * power.max(axis=0)).any():
                self.modal = None


def _through(path: Path, H: np.ndarray, f: np.ndarray, mixed: bool) -> np.ndarray:
    """Density (n, outputs) by one drive."""
    each = H[:, :, path.columns] * path.factors(f)[:, None, :]  # (n, outputs, columns)
    density, common = path.source.density(f)[:, None], np.sqrt(path.drive.coherence_at(f))[:, None]
    if mixed:
        together = np.abs(each.sum(axis=2)) ** 2
    else:
        together = sum(np.abs(each[:, :, group].sum(axis=2)) ** 2 for group in path.groups.values())
    if len(path.columns) == 1:
        return density * together
    apart = (np.abs(each) ** 2).sum(axis=2)
    return density * (common * together + (1 - common) * apart)
