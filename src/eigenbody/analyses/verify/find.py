"""Check a model against itself: the same eigenvalues by other formulations, independent of the main engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from eigenbody.analyses.verify.agreement import Match, matched, tolerances
from eigenbody.analyses.verify.routes import all_routes, route_named
from eigenbody.base.errors import EigenbodyError, Fault, InputError
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn, Result
from eigenbody.linearization.linearize import DENSE_FREEDOMS, dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.place import place_of
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.subject import Subject
from eigenbody.mobility.motion import massless_motions
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.find import operating_point
from eigenbody.routes.base import Linear, Route, Unsupported

TOLERANCE = 1e-8  # relative difference of eigenvalues that agree, where they are well conditioned
USUAL = 0.2  # part of the bound of the engine's rounding by which two routes usually differ; zeros get the whole bound


@dataclass(frozen=True)
class RouteResult:
    """What came of one route: why it does not apply, or its linear equations and how near its eigenvalues are."""

    route: Route
    reason: str  # why it does not apply, or did not succeed; "" if it did
    seconds: float | None = None
    linear: Linear | None = None
    match: Match | None = None
    applies: bool = True

    @property
    def is_exact(self) -> bool | None:
        """Whether the route neglects nothing; None where it gave nothing."""
        return None if self.linear is None else self.linear.is_exact

    @property
    def agrees(self) -> bool | None:
        """Whether all eigenvalues are within their tolerances; None where the route does not apply."""
        if not self.applies:
            return None
        return self.match is not None and self.match.agrees

    @property
    def spoils(self) -> bool:
        """Whether it should agree and does not."""
        return self.agrees is False and self.is_exact is not False


@dataclass(frozen=True, eq=False)
class Verification(Drawn, look="analyses.verify.look"):
    """Eigenvalues by the main engine and by every route that applies to the model.

    eigenvalues  (n,) complex, all states, sorted by magnitude; recognized zeros are exactly 0
    tolerances   (n,) difference up to which another eigenvalue is the same: 1e-8 of its magnitude, or what rounding
                 of the matrices can make of it, whichever is greater
    on_axis      (n,) bool: on the imaginary axis, as the engine judges it
    stability    what the engine makes of the eigenvalues: "stable", "marginal", "drifting" or "unstable"
    """

    point: OperatingPoint
    eigenvalues: np.ndarray
    tolerances: np.ndarray
    seconds: float  # of the main engine
    results: tuple[RouteResult, ...]
    on_axis: np.ndarray
    stability: str
    tolerance: float = TOLERANCE

    @property
    def undecided(self) -> np.ndarray:
        """Numbers of eigenvalues on which `stability` rests although they may be on either side of the imaginary axis
        within their tolerances: no route can confirm it there."""
        real = self.eigenvalues.real
        if np.any(~self.on_axis & (real > self.tolerances)):
            return np.zeros(0, dtype=int)  # unstable, whatever the others are
        return np.flatnonzero(~self.on_axis & (np.abs(real) <= self.tolerances))

    @property
    def verdict(self) -> str:
        """ "agree", "disagree", or "unchecked" where no route applies that neglects nothing."""
        if any(result.spoils for result in self.results):
            return "disagree"
        return "agree" if any(r.agrees and r.is_exact for r in self.results) else "unchecked"

    def __getitem__(self, name: str) -> RouteResult:
        known = {result.route.name: result for result in self.results}
        if name not in known:
            raise KeyError(name)
        return known[name]


@dataclass(frozen=True)
class RouteModel(Result, look="analyses.verify.look.route"):
    """The linear equations of one route, by the names of its authors."""

    point: OperatingPoint
    route: Route
    linear: Linear

    @property
    def eigenvalues(self) -> np.ndarray:
        """All of them, as the route gives them."""
        return self.linear.eigenvalues


@on_one_thread
def verify(model: Subject, routes: Sequence[str | Route] | None = None) -> Verification:
    """Linearize by every route that applies to the model (or by those named) and compare all eigenvalues."""
    chosen = _chosen(routes)
    point = operating_point(model)
    start = perf_counter()
    linear = _dense(point)
    spectrum = spectrum_of(linear)
    seconds = perf_counter() - start
    values = spectrum.eigenvalues
    plain = _tolerances(linear, values)

    def allowed(found: Linear) -> np.ndarray:
        if found.error is None or found.error.shape != linear.A.shape:
            return plain
        return _tolerances(linear, values, found.error)

    results = tuple(_tried(route, point, values, allowed) for route in chosen)
    return Verification(point, values, plain, seconds, results, spectrum.on_axis, spectrum.stability)


def _tolerances(linear: LinearModel, values: np.ndarray, error: np.ndarray | float = 0.0) -> np.ndarray:
    """(n,) differences allowed beside a route whose state matrix has errors of its own. One entry alone may move a
    zero: nothing evens out there, and no size of its own tells what is small."""
    allowed = tolerances(linear.A, USUAL * linear.noise_A + error, values, TOLERANCE)
    if (zeros := values == 0).any():
        allowed[zeros] = tolerances(linear.A, linear.noise_A + error, values[zeros], TOLERANCE)
    return allowed


@on_one_thread
def by_route(model: Subject, name: str, **choices: Any) -> RouteModel:
    """The linear equations of one route; InputError where it does not apply to the model.

    Choices of the route "relative": `reduction` ("coordinates", "qr", "svd", "lu", "none") and `cut`, the joints at
    which loops are opened; of "difference": `step`, a single fixed one; of "symbolic": `form` ("newton-euler",
    "lagrange-1", "lagrange-2"; the expressions themselves are those of `eb.symbolic`).
    """
    route = route_named(name)
    for choice in choices:
        if choice not in route.choices:
            known = f"It may be told: {', '.join(route.choices)}." if route.choices else "It has nothing to choose."
            raise InputError(Fault(choice, f'the route "{name}" does not know it.', known))
    point = operating_point(model)
    try:
        return RouteModel(point, route, _by(route, point, **choices))
    except Unsupported as reason:
        what = f'the route "{name}" does not apply to this model: {str(reason).rstrip(".")}.'
        remedy = "Leave the choice out, or see `eigenbody verify` for those that do."
        raise InputError(Fault("route", what, remedy)) from reason


def _chosen(routes: Sequence[str | Route] | None) -> tuple[Route, ...]:
    if routes is None:
        return all_routes()
    return tuple(route if isinstance(route, Route) else route_named(route) for route in routes)


def _by(route: Route, point: OperatingPoint, **choices: Any) -> Linear:
    """The linear equations of a route; Unsupported where it does not apply."""
    if not len(point.chosen.velocities) and not len(point.state.x):
        raise Unsupported("nothing can move, so there are no eigenvalues")
    if len(massless_motions(point.frame)):
        raise Unsupported("a motion without mass is eliminated, and the other routes need its mass")
    told = (point.system.description, place_of(point)) if route.is_independent else (point,)
    if reason := route.applies(*told):
        raise Unsupported(reason)
    report(f"linearizing by {route.name}")
    return route.linearize(*told, **choices)


def _dense(point: OperatingPoint) -> LinearModel:
    if len(point.chosen.velocities) > DENSE_FREEDOMS:
        what = f"{len(point.chosen.velocities)} degrees of freedom are too many to compare all eigenvalues."
        raise InputError(Fault("model", what, f"Verify a smaller model of its kind: up to {DENSE_FREEDOMS}."))
    return dense_model(point)


def _tried(
    route: Route, point: OperatingPoint, values: np.ndarray, allowed: Callable[[Linear], np.ndarray]
) -> RouteResult:
    start = perf_counter()
    try:
        linear = _by(route, point)
    except Unsupported as reason:
        return RouteResult(route, str(reason), applies=False)
    except (EigenbodyError, np.linalg.LinAlgError) as error:
        return RouteResult(route, f"it did not succeed: {error}", perf_counter() - start)
    seconds = perf_counter() - start
    found = np.asarray(linear.eigenvalues, complex)
    return RouteResult(route, "", seconds, linear, matched(values, found, allowed(linear)))
