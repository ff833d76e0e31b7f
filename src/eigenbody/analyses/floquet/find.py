"""Floquet's theory: a small deviation z from a periodic motion obeys z' = A(t) z with A(t + T) = A(t), and after each
period it is Phi z. The eigenvalues of Phi are the multipliers mu, log(mu) / T the exponents.

An exponent is determined up to multiples of 2 pi i / T: z(t) = exp(lambda t) p(t) with p periodic, and a harmonic of p
can change over to the exponential. The frequency told here is that of the harmonic in which the coordinates move most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.floquet.multipliers import Multipliers, judged_multipliers
from eigenbody.analyses.floquet.notes import notes_of
from eigenbody.analyses.floquet.slopes import ExponentSlopes, exponent_slopes
from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.along import at_states, chunks
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import OperatingPoint, drift_of
from eigenbody.linearization.subject import Subject, subject
from eigenbody.mobility.coordinates import unit_of
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.find import operating_point
from eigenbody.operating.periodic import PeriodicMotion, find_periodic, initial_point, tolerance_for
from eigenbody.operating.periodic.cycles import IS_REST
from eigenbody.operating.periodic.places import layout_of, switches_of
from eigenbody.operating.periodic.shooting import RESTING, Lap, lap_from
from eigenbody.operating.periodic.uniform import keeps_turning
from eigenbody.system.state import some_states

TURN = 2 * np.pi
EPS = float(np.finfo(float).eps)
CONVERGED = 1e-11  # change of Phi from one refinement to the next, balanced, at which it is found
MOST_SEGMENTS = 4096
TRIED, SLOWER = 4, 0.1  # refinements after which jumps must let each leave this part of the change of the one before
REST = 1e-6  # size of a motion of given period, in natural units, that is rest
SURELY = 2.0  # times the defect along a motion that its bound is
HARMONICS = 24  # on either side of the strongest one that are looked at


@dataclass(frozen=True)
class FloquetCertificate:
    """How well it holds.

    orbit        how far the motion does not close after a period, relative to its size
    drift        largest violation of the constraints on the way, at position, velocity and acceleration level
    tangent_error  of the linear equations at the start of the period
    determinant  log |det Phi| against the integral of the trace of A, relative to the integral of its size
    convergence  change of Phi when the mesh of times is refined, relative to Phi
    times        at which the equations were linearized
    """

    orbit: float
    drift: tuple[float, float, float]
    tangent_error: float
    determinant: float
    convergence: float
    times: int


@dataclass(frozen=True, eq=False)
class Floquet(Drawn, look="analyses.floquet.look"):
    """Stability of a periodic motion: one entry for each conjugate pair of multipliers and each real one.

    multipliers  (n,) complex, of all states, largest first; those recognized as 1 are exactly 1
    exponents    (n,) complex, 1/s, in the same order: log(multiplier) / period, with the frequency of the strongest
                 harmonic
    bounds       (n,) error bound of each multiplier
    index        (entries,) of the entries in these
    harmonics    (entries, 2 HARMONICS + 1) share of each harmonic in the motion of the coordinates, squares that sum
                 to one; the middle one is that of the frequency told
    stabilities  of each entry: stable, marginal, drifting, unstable, or orbit for the motion itself
    """

    point: OperatingPoint
    period: float
    is_cycle: bool
    multipliers: np.ndarray
    exponents: np.ndarray
    bounds: np.ndarray
    index: np.ndarray
    shapes: np.ndarray  # (entries, states) complex, at the start of the period
    harmonics: np.ndarray
    stabilities: tuple[str, ...]
    stability: str
    certificate: FloquetCertificate
    notes: tuple[str, ...]
    slopes: ExponentSlopes | None = None  # sensitivities that were asked for

    @property
    def model(self) -> InertModel:
        """The model."""
        return self.point.model

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the linear state [S, W, x]."""
        system, chosen = self.point.system, self.point.chosen
        positions, velocities = ([system.names[i] for i in own] for own in (chosen.positions, chosen.velocities))
        return (*positions, *(f"{name}'" for name in velocities), *system.states)

    @property
    def eigenvalues(self) -> np.ndarray:
        """(entries,) exponents of the entries."""
        return self.exponents[self.index]

    @property
    def frequency_hz(self) -> np.ndarray:
        """|exponent| / 2 pi of the entries."""
        return np.abs(self.eigenvalues) / TURN

    @property
    def damping_ratio(self) -> np.ndarray:
        """-real / |exponent| of the entries; nan where the exponent is zero."""
        size = np.abs(self.eigenvalues)
        return np.where(size > 0, 0.0 - self.eigenvalues.real / np.where(size > 0, size, 1.0), np.nan)

    @property
    def growth(self) -> float:
        """Largest real part of an exponent, 1/s, but for the motion itself; nan where none of the others is told."""
        entries = zip(self.eigenvalues, self.stabilities, strict=True)
        own = [v.real for v, word in entries if word != "orbit"]
        return float(max((v for v in own if np.isfinite(v)), default=np.nan if own else 0.0))


@on_one_thread
def floquet(
    model: Subject,
    period: float | str | None = None,
    guess: float | str | None = None,
    settle: float | str | None = None,
    sensitivity: str | Sequence[str] = (),
) -> Floquet:
    """Multipliers and exponents of the periodic motion of a model, and whether it is stable.

    The motion is the one that the model asks for (`operating_point: {periodic: ...}`), or the one of the given `period`
    that is found from the initial state: a number (s), "20 ms", "=2*pi/speed", or "free" for a limit cycle; `guess` and
    `settle` as in the model file. A mechanism that turns steadily needs no period: it is one turn. `sensitivity` names
    parameters, or numbers of the model by path, by which the exponents are differentiated.
    """
    found = subject(model)
    given = {"period": period, "guess": guess, "settle": settle}
    names = (sensitivity,) if isinstance(sensitivity, str) else tuple(sensitivity)
    if isinstance(found, OperatingPoint):
        return floquet_of_model(found.model, given, found, names)
    return floquet_of_model(found, given, None, names)


def floquet_of_model(
    model: InertModel,
    given: Mapping[str, float | str | None],
    start: OperatingPoint | None = None,
    sensitivity: Sequence[str] = (),
) -> Floquet:
    """Of the periodic motion that is given, that the model asks for, or of one turn; sought from `start`, or from the
    operating point of the model."""
    for name in sensitivity:
        model.value_of(name)  # refuses what is no number of the model
    asking, options, start = _asked(model, given, start)
    motion = find_periodic(asking, **options, start=start)

    def period_at(variant: InertModel) -> float:
        return float(_asked(variant, given, None)[1]["period"])

    return _floquet_of(motion, model, sensitivity, None if motion.is_free else period_at)


def _asked(
    model: InertModel, given: Mapping[str, float | str | None], start: OperatingPoint | None
) -> tuple[InertModel, dict[str, Any], OperatingPoint | None]:
    """The model that asks for the periodic motion, what it asks for, and where the search begins."""
    asked = model.description.operating_point or {}
    if start is None and asked.get("type", "reference") not in ("periodic", "reference"):
        start = operating_point(model)
    asking = _asking_for(model, {name: value for name, value in given.items() if value is not None})
    asked = asking.description.operating_point or {}
    if asked.get("type") != "periodic":
        asking = model.set(operating_point={"periodic": {"period": turn_period(model, start)}})
        asked = asking.description.operating_point or {}
    return asking, {key: asked[key] for key in ("period", "guess", "settle") if asked.get(key) is not None}, start


def _asking_for(model: InertModel, given: Mapping[str, float | str]) -> InertModel:
    """The model that asks for the periodic motion; itself where nothing is given."""
    if not given:
        return model
    asked = model.document.get("operating_point")
    before = asked["periodic"] if isinstance(asked, dict) and isinstance(asked.get("periodic"), dict) else {}
    return model.set(operating_point={"periodic": {**before, **given}})


def turn_period(model: InertModel, start: OperatingPoint | None = None) -> float:
    """One turn of what turns at the start: of joints and frames that turn at one speed or at multiples of it."""
    point = start or initial_point(model)
    spins = np.linalg.norm(np.real(point.mechanics.at.w), axis=-1)
    largest = float(spins.max(initial=0.0))
    rates = np.unique(np.round(spins[spins > 1e-9 * largest] / (largest or 1.0), 12)) * largest
    remedy = 'Give it: --period "0.1 s", or operating_point: {periodic: {period: "=2*pi/speed"}}.'
    if not len(rates):
        raise InputError(Fault("period", "nothing turns at the start, so the period is not known.", remedy))
    slowest = float(rates.min())
    if np.any(np.abs(rates / slowest - np.round(rates / slowest)) > 1e-9):
        raise InputError(Fault("period", "parts turn at several speeds, so the period is not known.", remedy))
    if not keeps_turning(point, TURN / slowest):
        what = "what turns at the start does not keep its speed, so the period is not that of a turn."
        raise InputError(Fault("period", what, remedy))
    return TURN / slowest


def _floquet_of(
    motion: PeriodicMotion, model: InertModel, sensitivity: Sequence[str],
    period_at: Callable[[InertModel], float] | None,
) -> Floquet:  # fmt: skip
    """Multipliers of a periodic motion, on meshes that are refined until they agree."""
    lap, change, jumps = _converged(motion, with_states=bool(sensitivity))
    whole = lap.transitions.whole
    noise = change + lap.transitions.rounding(64 * EPS) + _defect_along(motion, lap) + _off_the_motion(motion, lap)
    if lap.series is not None:  # both meshes have its rounding, of which their difference tells nothing
        noise = noise + lap.transitions.moved_by(lap.series.rounding)
    found = judged_multipliers(whole, noise)
    certificate = _certificate(lap, change)
    exponents, index, shapes, harmonics = _exponents(found, lap)
    words, verdict = _verdicts(motion, found, lap)
    unresolved, switches = int(np.sum(np.isnan(exponents))), _switches(lap, motion.segments)
    return Floquet(
        point=lap.point,
        period=lap.period,
        is_cycle=motion.is_free,
        multipliers=found.values,
        exponents=exponents,
        bounds=found.bounds,
        index=index,
        shapes=shapes,
        harmonics=harmonics,
        stabilities=words,
        stability=verdict,
        certificate=certificate,
        notes=(
            *motion.remarks,
            *notes_of(certificate.convergence, certificate.determinant, unresolved, jumps, switches),
        ),
        slopes=exponent_slopes(model, lap, found, exponents, sensitivity, period_at) if sensitivity else None,
    )


def _converged(motion: PeriodicMotion, with_states: bool) -> tuple[Lap, np.ndarray, tuple[float, ...]]:
    """The lap on the finest mesh, the change (n, n) of Phi from the one with half its segments, and the times of jumps
    that keep it from converging. Each begins where the one before would improve its start, so that the change contains
    the error of the motion too. `with_states` asks for the motion at the times of that mesh, not for the linear
    equations alone."""
    lap, unit, halvings, before = motion.lap, motion.lap.unit, 0, np.inf
    jumps: tuple[float, ...] = ()
    while True:
        halvings += 1
        point, period = (lap.point, lap.period) if lap.is_uniform else lap.improved_start(motion.is_free)
        fine = None if with_states else lap.refined()
        if fine is None:
            mesh = layout_of(lap, motion.segments)
            jumps = mesh.breaks
            for _ in range(halvings):
                mesh = mesh.halved()
            report(f"linearizing at {len(mesh.times)} times")
            fine = lap_from(point, period, mesh, tolerance_for(lap, motion.is_free))
        change = np.abs(fine.transitions.whole - lap.transitions.whole)
        size = _size(change, unit) / max(_size(fine.transitions.whole, unit), 1e-300)
        if size <= CONVERGED:
            return fine, change, ()
        is_slow = bool(jumps) and halvings >= TRIED and size > SLOWER * before
        if is_slow or 2 * fine.mesh.segments > MOST_SEGMENTS:
            return fine, change, tuple(lap.mesh.start + lap.period * part for part in jumps)
        lap, before = fine, size


def _size(matrix: np.ndarray, unit: np.ndarray) -> float:
    """Largest entry in natural units."""
    return float(np.abs(matrix * unit / unit[:, None]).max(initial=0.0))


def _defect_along(motion: PeriodicMotion, lap: Lap) -> np.ndarray:
    """What Phi (n, n) may be off by: it maps the direction f of the motion onto itself where nothing depends on time.
    With the part that it misses it by, of every entry, and at least by the smallest matrix that mends it, r f^T / f^T f
    with r = f - Phi f: then 1 is an eigenvalue."""
    whole = lap.transitions.whole
    if not (motion.is_autonomous and _moves(motion, lap)):  # at rest the direction is that of rounding
        return np.zeros_like(whole)
    direction = lap.rates() / lap.unit
    size = np.linalg.norm(direction)
    left = whole * lap.unit / lap.unit[:, None] @ direction - direction
    mended = np.outer(lap.unit * np.abs(left), np.abs(direction) / lap.unit) / size**2
    return np.asarray(np.linalg.norm(left) / size * np.abs(whole) + SURELY * mended)


def _off_the_motion(motion: PeriodicMotion, lap: Lap) -> np.ndarray:
    """What Phi (n, n) may be off by where a simulated motion is small beside the tolerance of the simulation: by this
    part of it the linear equations may be others of those that they become on the way."""
    if lap.is_uniform or not RESTING < lap.size < 1:
        return np.zeros_like(lap.transitions.whole)
    share = tolerance_for(lap, motion.is_free) / lap.size
    return lap.transitions.moved_by(share * np.ptp(lap.matrices, axis=0))


def _switches(lap: Lap, segments: int) -> tuple[float, ...]:
    """Times (s) at which forces jump where the motion is."""
    parts = switches_of(lap, layout_of(lap, segments).breaks) if lap.mesh.ends else ()
    return tuple(lap.mesh.start + lap.period * part for part in parts)


def _certificate(lap: Lap, change: np.ndarray) -> FloquetCertificate:
    traces = np.trace(lap.matrices, axis1=1, axis2=2)
    rest = float(traces @ lap.mesh.weights) - float(np.linalg.slogdet(lap.transitions.segments)[1].sum())
    parts = [some_states(lap.states, part) for part in chunks(lap.point, len(lap.states.r))]
    drifts = [drift_of(at_states(lap.point, some).mechanics) for some in parts] if lap.uniform is None else [
        drift_of(lap.uniform.mechanics)
    ]  # fmt: skip
    return FloquetCertificate(
        orbit=lap.own_residual,
        drift=tuple(max(float(np.max(drift[level])) for drift in drifts) for level in range(3)),  # type: ignore[arg-type]
        tangent_error=dense_model(lap.point).certificate.tangent_error,
        determinant=abs(rest) / max(1.0, float(np.abs(traces) @ lap.mesh.weights)),
        convergence=_size(change, lap.unit) / max(_size(lap.transitions.whole, lap.unit), 1e-300),
        times=len(lap.mesh.times),
    )


def _exponents(found: Multipliers, lap: Lap) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Exponents (n,) of the multipliers in their order, index (entries,) of the entries in these, shapes (entries, n)
    and the shares of their harmonics (entries, harmonics). The entry of a pair is that of its multipliers whose
    exponent has no negative frequency."""
    period, base = lap.period, TURN / lap.period
    resolved = np.abs(found.values) > found.bounds
    principal = np.where(resolved, np.log(np.where(resolved, found.values, 1.0)) / period, np.nan)
    size = len(lap.point.chosen.positions)
    unit = unit_of(lap.point.system, lap.point.chosen.positions)
    orders = np.arange(-HARMONICS, HARMONICS + 1)
    fastest = np.abs(np.linalg.eigvals(lap.matrices[:: max(1, len(lap.mesh.times) // 16)])).max(initial=0.0)
    reach = HARMONICS + int(min(fastest / base, len(lap.mesh.times) / 4))
    wide = np.arange(-reach, reach + 1)
    times = lap.mesh.times - lap.mesh.start
    index, shapes = found.index.copy(), found.vectors[:, found.index].T.copy()
    shares = np.zeros((len(found.index), len(orders)))
    exponents = principal.copy()
    moving = lap.transitions.at_times(found.vectors[:, found.index])[:, :size] / unit[:, None]
    for k, i in enumerate(found.index):
        if not resolved[i]:
            continue
        periodic = moving[:, :, k] * np.exp(-principal[i] * times)[:, None]
        content = _content(periodic, times, lap, wide)
        strongest = int(wide[np.argmax(content)]) if content.any() else 0
        if found.values[i].imag == 0 and found.values[i].real > 0 and content[reach] >= 0.999 * content.max():
            strongest = 0
        told = principal[i] + 1j * strongest * base
        shares[k] = _content(periodic, times, lap, orders + strongest)
        total = shares[k].sum()
        shares[k] = shares[k] / total if total else shares[k]
        if told.imag < 0:
            told, index[k], shapes[k], shares[k] = told.conj(), found.partner[i], shapes[k].conj(), shares[k][::-1]
        exponents[found.partner[index[k]]], exponents[index[k]] = told.conj(), told
    return exponents, index, shapes, shares


def _content(periodic: np.ndarray, times: np.ndarray, lap: Lap, orders: np.ndarray) -> np.ndarray:
    """Squares of the Fourier coefficients (orders,) of a periodic motion (times, coordinates), summed."""
    parts = []
    for some in np.array_split(orders, max(1, len(orders) // 64)):  # bounds the memory
        waves = np.exp(-1j * TURN / lap.period * np.outer(some, times)) * lap.mesh.weights
        parts.append(np.sum(np.abs(waves @ periodic) ** 2, axis=1))
    return np.concatenate(parts)


def _moves(motion: PeriodicMotion, lap: Lap) -> bool:
    return lap.size > (RESTING if motion.is_free else REST) and lap.own_residual < IS_REST


def _verdicts(motion: PeriodicMotion, found: Multipliers, lap: Lap) -> tuple[tuple[str, ...], str]:
    """Of each entry, and of the whole. The motion of an autonomous system along itself is no instability: of the
    multipliers 1 that whose vector lies in its direction."""
    words = [found.word(i) for i in found.index]
    ones = [k for k, i in enumerate(found.index) if found.is_one[i]]
    if motion.is_autonomous and ones and not found.is_defective_one and _moves(motion, lap):
        direction = lap.rates() / lap.unit
        vectors = found.vectors[:, found.index[ones]] / lap.unit[:, None]
        along = np.abs(direction @ vectors) / np.linalg.norm(vectors, axis=0)
        words[ones[int(np.argmax(along))]] = "orbit"
    ranks = ("unstable", "drifting", "marginal", "stable")
    whole = next((word for word in ranks if word in words), "stable" if words else "immobile")
    return tuple(words), whole
