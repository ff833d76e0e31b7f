"""Linear time-varying equations along a motion: M(t) x'' + C(t) x' + K(t) x = h(t), in the same coordinates all along.

x is the deviation of the coordinates from the reference motion. h is the force, along the coordinates, by which the
mechanism's own forces miss those that the reference needs: zero along a solution of the equations of motion, minus the
force of the drive along a motion that is prescribed. With H = [G; N; s_q] and u' of the reference

    H^T [lambda; mu; h] = Q - (M u' + h_gyroscopic)

so that K takes h times the curvature of the coordinates, as it takes the multipliers times that of the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.analyses.along.follow import Follower
from eigenbody.analyses.along.result import AlongError, TimeVarying
from eigenbody.base.errors import Fault, InputError
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject, subject
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.simulation.result import Simulation
from eigenbody.simulation.run import simulate

__all__ = ["AlongError", "TimeVarying", "along"]

TOLERANCE = 1e-11  # of the simulation that gives the reference motion of a model


@on_one_thread
def along(
    reference: Subject,
    times: Sequence[float] | np.ndarray | None = None,
    coordinates: Sequence[str] | Mapping[str, float] | None = None,
    motion: Mapping[str, Any] | None = None,
) -> TimeVarying:
    """The linear time-varying equations along a motion, at the given times.

    `reference` is a simulation (`times` chooses among its output times, default all of them), or a model or operating
    point from which the motion is simulated. `motion` prescribes the reference motion of measures ("=expression of t"),
    which need not be one that the mechanism makes by itself: the deviations stay free, and h is what is missing. The
    coordinates are those given, or those of the first instant, all the way; where they fail an AlongError says so.
    """
    reference = subject(reference, Simulation)
    simulation = _reference(reference, times, motion)
    model = simulation.model if motion is None or isinstance(reference, Simulation) else _model_of(reference)
    followed = Follower(model, simulation, coordinates, motion is not None)
    return followed.result(_chosen_times(simulation, times))


def _model_of(reference: InertModel | OperatingPoint) -> InertModel:
    return reference.model if isinstance(reference, OperatingPoint) else reference


# Reference motion -----------------------------------------------------------------------------------------------------
def _reference(
    reference: Simulation | InertModel | OperatingPoint,
    times: Sequence[float] | np.ndarray | None,
    motion: Mapping[str, Any] | None,
) -> Simulation:
    if isinstance(reference, Simulation):
        if motion is not None:
            raise InputError(Fault("motion", "a simulation is a motion already.", "Give the model instead."))
        return reference
    if times is None or np.size(times) < 2:
        raise InputError(Fault("times", "two times or more are needed.", "For example np.linspace(0, 2, 201)."))
    wanted = np.asarray(times, dtype=float)
    start: InertModel | OperatingPoint = reference
    if motion is not None:
        start = _driven(_model_of(reference), motion)
    return simulate(start, until=float(wanted[-1]), times=wanted, tolerance=TOLERANCE)


def _driven(model: InertModel, motion: Mapping[str, Any]) -> InertModel:
    """The model with drivers that prescribe the motion; initial values of a joint so driven give way to it."""
    document = model.document
    drivers, joints = dict(document.get("drivers") or {}), dict(document.get("joints") or {})
    for measure, law in motion.items():
        drivers[f"reference {measure}".replace(".", " ")] = {"measure": measure, "motion": law}
        if measure in joints:
            joints[measure] = {key: v for key, v in joints[measure].items() if key not in ("position", "velocity")}
    pose = {name: value for name, value in model.description.pose.items() if name not in motion}
    return model.set(drivers=drivers, joints=joints, **({"pose": pose} if pose != model.description.pose else {}))


def _chosen_times(simulation: Simulation, times: Sequence[float] | np.ndarray | None) -> np.ndarray:
    """Indices of the output times."""
    if times is None:
        return np.arange(len(simulation))
    wanted = np.atleast_1d(np.asarray(times, dtype=float))
    index = np.clip(np.searchsorted(simulation.t, wanted), 1, max(len(simulation) - 1, 1))
    index = np.where(wanted - simulation.t[index - 1] < simulation.t[index] - wanted, index - 1, index)
    off = np.abs(simulation.t[index] - wanted)
    if np.any(off > 1e-9 * max(1.0, float(np.abs(simulation.t).max()))):
        worst = float(wanted[np.argmax(off)])
        remedy = "Simulate with these times, or give the model instead of the simulation."
        raise InputError(Fault("times", f"{worst:g} s is no output time of the simulation.", remedy))
    return index
