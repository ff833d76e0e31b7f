"""Random excitation: stationary Gaussian sources by their one-sided spectral density, and where they enter a model."""

from __future__ import annotations

import csv
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest

QUANTITIES = ("displacement", "velocity", "acceleration")
UNITS = {"m": "displacement", "m/s": "velocity", "m/s^2": "acceleration", "m/s**2": "acceleration"}
UNITS |= {"rad": "displacement", "rad/s": "velocity", "rad/s^2": "acceleration"}


class Shaping(NamedTuple):
    """White noise of one-sided density `level` through numerator / denominator (in s, highest power first)."""

    level: float
    numerator: np.ndarray
    denominator: np.ndarray


class Source(ABC):
    """A stationary random signal. `of` is the quantity that `density` is of; None: whatever the input is."""

    of: str | None

    @abstractmethod
    def density(self, frequency_hz: np.ndarray) -> np.ndarray:
        """One-sided density per Hz, (n,)."""

    @abstractmethod
    def __str__(self) -> str:
        """What it is, in a line."""

    @property
    def shaping(self) -> Shaping | None:
        """The filter that makes it of white noise; None where there is no rational one."""
        return None

    @property
    def range_hz(self) -> tuple[float, float]:
        """Outside of it the density is zero."""
        return 0.0, math.inf

    @property
    def corners_hz(self) -> tuple[float, ...]:
        """Where the density bends."""
        return ()

    def history(
        self, duration: float, interval: float, seed: int, of: str | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Times (n,) and a sample (n,) of the signal that repeats itself after `duration` s, the same for a seed.

        `of` asks for its integral or rate ("displacement", "velocity", "acceleration"). Frequencies from 1/duration to
        half the sampling rate are in it; the mean is zero.
        """
        n = round(duration / interval) if interval > 0 else 0
        if n < 8:
            raise InputError(Fault("history", f"{duration:g} s hold {n} intervals of {interval:g} s.", "Ask for more."))
        f = np.fft.rfftfreq(n, interval)[1:]
        random = np.random.default_rng(seed)
        waves = random.normal(size=len(f)) + 1j * random.normal(size=len(f))  # of unit mean square, each part
        amplitude = np.sqrt(self.density(f) / (n * interval)) * (2j * np.pi * f) ** order_between(self.of, of)
        if n % 2 == 0:
            amplitude[-1] *= 0.0  # a wave of half the sampling rate has no phase
        return interval * np.arange(n), np.fft.irfft(np.concatenate(([0.0], 0.5 * n * waves * amplitude)), n)


def order_between(given: str | None, wanted: str | None) -> int:
    """Number of time derivatives from the quantity `given` to the one `wanted`; negative: integrals."""
    if wanted is None:
        return 0
    check_quantity(wanted)
    if given is None:
        return 0
    return QUANTITIES.index(wanted) - QUANTITIES.index(given)


def check_quantity(name: str) -> None:
    """Refuse what is no displacement, velocity or acceleration."""
    if name not in QUANTITIES:
        raise InputError(Fault("of", f'"{name}" is not known.', suggest(name, QUANTITIES)))


def positive(where: str, value: float, zero: bool = False) -> float:
    """A finite positive number, or InputError."""
    number = float(value)
    if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
        what = f"{value} is not a {'non-negative' if zero else 'positive'} number."
        raise InputError(Fault(where, what))
    if number and not 1e-200 < number < 1e200:
        raise InputError(Fault(where, f"{value} is beyond what can be computed with."))
    return number


@dataclass(frozen=True)
class White(Source):
    """White noise: the same density at all frequencies, in the unit of the input squared per Hz, one-sided."""

    level: float
    of: str | None = None

    def __post_init__(self) -> None:
        positive("white", self.level)
        if self.of is not None:
            check_quantity(self.of)

    def density(self, frequency_hz: np.ndarray) -> np.ndarray:
        return np.full(np.shape(frequency_hz), float(self.level))

    @property
    def shaping(self) -> Shaping:
        return Shaping(float(self.level), np.ones(1), np.ones(1))

    def __str__(self) -> str:
        return f"white noise{f' of the {self.of}' if self.of else ''}, {self.level:g} per Hz"


@dataclass(frozen=True)
class Shaped(Source):
    """White noise of density `level` through the filter numerator / denominator: in s (rad/s), highest power first."""

    level: float
    numerator: tuple[float, ...]
    denominator: tuple[float, ...]
    of: str | None = None

    def __post_init__(self) -> None:
        positive("shaped", self.level)
        for name in ("numerator", "denominator"):
            values = tuple(float(v) for v in np.atleast_1d(getattr(self, name)))
            if not np.isfinite(values).all() or not any(values):
                raise InputError(Fault(name, "finite coefficients, not all zero, are expected."))
            object.__setattr__(self, name, tuple(np.trim_zeros(values, "f")))
        roots = np.roots(self.denominator)
        if (roots.real >= 0).any():
            what = f"the filter has a pole at {roots[np.argmax(roots.real)]:.4g} 1/s and is not stable."
            raise InputError(Fault("denominator", what, "All its roots must have negative real parts."))

    def density(self, frequency_hz: np.ndarray) -> np.ndarray:
        s = 2j * np.pi * np.asarray(frequency_hz)
        return self.level * np.abs(np.polyval(self.numerator, s) / np.polyval(self.denominator, s)) ** 2

    @property
    def shaping(self) -> Shaping:
        return Shaping(self.level, np.array(self.numerator), np.array(self.denominator))

    @property
    def corners_hz(self) -> tuple[float, ...]:
        return tuple(float(abs(r)) / (2 * np.pi) for r in np.roots(self.denominator) if r)

    def __str__(self) -> str:
        return f"white noise, {self.level:g} per Hz, through a filter of order {len(self.denominator) - 1}"


@dataclass(frozen=True, eq=False)
class Tabulated(Source):
    """Density at given frequencies, straight lines between them in double logarithmic scale, nothing outside."""

    frequency_hz: tuple[float, ...]
    values: tuple[float, ...]
    of: str | None = None
    name: str = "table"
    _logarithms: tuple[np.ndarray, np.ndarray] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        f, g = np.asarray(self.frequency_hz, dtype=float), np.asarray(self.values, dtype=float)
        where = self.name
        if f.ndim != 1 or f.shape != g.shape or len(f) < 2:
            raise InputError(Fault(where, "at least two frequencies, each with its density, are expected."))
        if not (np.isfinite(f).all() and np.isfinite(g).all() and (f > 0).all() and (g > 0).all()):
            what = "every frequency and every density must be finite and positive, for logarithms are interpolated."
            raise InputError(Fault(where, what, "Begin the table above 0 Hz and leave out lines of density zero."))
        if (np.diff(f) <= 0).any():
            at = float(f[1:][np.diff(f) <= 0][0])
            raise InputError(Fault(where, f"the frequencies do not increase at {at:g} Hz.", "Sort the lines."))
        object.__setattr__(self, "frequency_hz", tuple(f.tolist()))
        object.__setattr__(self, "values", tuple(g.tolist()))
        object.__setattr__(self, "_logarithms", (np.log(f), np.log(g)))

    @classmethod
    def from_csv(cls, path: str | Path, of: str | None = None) -> Tabulated:
        """Two columns: Hz and density. A first line of words is a heading; # begins a remark."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise InputError(Fault(str(path), f"the table cannot be read: {reason}.")) from error
        lines = [(i, line.split("#")[0].strip()) for i, line in enumerate(text.splitlines(), 1)]
        rows = [row for row in (_pair(str(path), i, line) for i, line in lines if line) if row is not None]
        if not rows:
            raise InputError(Fault(str(path), "there are no numbers in it.", "Write lines of Hz, density."))
        return cls(tuple(f for f, _ in rows), tuple(g for _, g in rows), of, str(path))

    def density(self, frequency_hz: np.ndarray) -> np.ndarray:
        f = np.asarray(frequency_hz, dtype=float)
        inside = (f >= self.frequency_hz[0] * (1 - 1e-12)) & (f <= self.frequency_hz[-1] * (1 + 1e-12))
        return np.where(inside, np.exp(np.interp(np.log(np.where(inside, f, 1.0)), *self._logarithms)), 0.0)

    @property
    def range_hz(self) -> tuple[float, float]:
        return self.frequency_hz[0], self.frequency_hz[-1]

    @property
    def corners_hz(self) -> tuple[float, ...]:
        return self.frequency_hz

    def __str__(self) -> str:
        low, high = self.range_hz
        return f"{self.name}: {len(self.values)} lines, {low:g} to {high:g} Hz"


def _pair(path: str, number: int, line: str) -> tuple[float, float] | None:
    """Hz and density of a line; None for a heading."""
    separator = ";" if ";" in line else "," if "," in line else None
    cells = next(csv.reader([line], delimiter=separator)) if separator else line.split()
    try:
        values = [float(cell) for cell in cells if cell.strip()]
    except ValueError:
        if number == 1 or not any(c.isdigit() for c in cells[0]):
            return None
        raise InputError(Fault(f"{path}, line {number}", f'"{line[:40]}" is not two numbers.')) from None
    if len(values) != 2:
        what = f"there are {len(values)} numbers in this line."
        raise InputError(Fault(f"{path}, line {number}", what, "Write Hz and density."))
    return values[0], values[1]


Coherence = float | Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Drive:
    """One source that enters a model at one or several inputs.

    of         what each input is (displacement, velocity, acceleration), for all or by input; by default told by the
               unit of the input where the source has such a quantity
    delays     seconds by which the signal comes later, by input: a second axle
    coherence  |S12|^2 / (S11 S22) of any two of the inputs, a number or a function of the frequency: 1 the same signal
               everywhere, 0 independent copies; the cross-spectral density is its root times the density
    """

    source: Source
    inputs: tuple[str, ...]
    of: str | Mapping[str, str] | None = None
    delays: Mapping[str, float] = field(default_factory=dict)
    coherence: Coherence = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", (self.inputs,) if isinstance(self.inputs, str) else tuple(self.inputs))
        for section, names in (("delays", self.delays), ("of", self.of if isinstance(self.of, Mapping) else {})):
            for name in names:
                if name not in self.inputs:
                    what = f'"{name}" is not among the inputs that this source drives.'
                    raise InputError(Fault(section, what, suggest(name, self.inputs)))
        for name, delay in self.delays.items():
            positive(f"delay of {name}", delay, zero=True)
        if not callable(self.coherence) and not 0 <= self.coherence <= 1:
            raise InputError(Fault("coherence", f"{self.coherence:g} is not between 0 and 1."))

    def coherence_at(self, frequency_hz: np.ndarray) -> np.ndarray:
        """Coherence |S12|^2 / (S11 S22), (n,) between 0 and 1."""
        if not callable(self.coherence):
            return np.full(len(frequency_hz), float(self.coherence))
        found = np.broadcast_to(np.asarray(self.coherence(frequency_hz), dtype=float), frequency_hz.shape)
        if not ((found >= 0) & (found <= 1)).all():
            raise InputError(Fault("coherence", "the function gives values that are not between 0 and 1."))
        return found

    def order(self, name: str, unit: str) -> int:
        """Time derivatives between the source and an input of the model."""
        wanted = self.of.get(name) if isinstance(self.of, Mapping) else self.of
        if wanted is not None and self.source.of is None:
            what = f"the density of this source ({self.source}) is that of the input itself, whatever that is."
            remedy = f'Leave it out, or say in the source what it is of: White(..., of="{wanted}").'
            raise InputError(Fault("of", what, remedy))
        if wanted is None and self.source.of is not None:
            wanted = UNITS.get(unit.replace(" ", ""))
            if wanted is None:
                what = f"is this input the displacement, the velocity or the acceleration of the {self.source}?"
                now = f' (now "{unit}")' if unit else ""
                remedy = f'Say so (of="velocity", --of velocity), or give the input its unit: m, m/s or m/s^2{now}.'
                raise InputError(Fault(f"inputs.{name}", what, remedy))
        return order_between(self.source.of, wanted)


Excitation = Source | Drive | Mapping[str, Source] | Sequence[Drive]


def drives_of(excitation: Excitation, inputs: Sequence[str] | None, of: str | Mapping[str, str] | None,
              delays: Mapping[str, float] | None, coherence: Coherence) -> tuple[Drive, ...] | Source:  # fmt: skip
    """The excitation as independent drives; a bare source stays one where the inputs are still to be found."""
    if isinstance(excitation, Source):
        if inputs is None:
            return excitation
        return (Drive(excitation, tuple(inputs), of, delays or {}, coherence),)
    if of is not None or delays or coherence != 1.0:
        what = "these are said in each Drive where the excitation is more than one source."
        raise InputError(Fault("of, delays, coherence", what))
    if isinstance(excitation, Mapping):
        return tuple(Drive(source, (name,)) for name, source in excitation.items())
    drives = (excitation,) if isinstance(excitation, Drive) else tuple(excitation)
    for drive in drives:
        if not isinstance(drive, Drive):
            what = f"a {type(drive).__name__} is no excitation."
            remedy = "Give a source (Road, White, Tabulated, Shaped), a map of inputs and sources, or Drives."
            raise InputError(Fault("excitation", what, remedy))
    return drives
