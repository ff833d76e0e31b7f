"""Frequency response: how any output answers a harmonic force, base motion or unbalance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.analyses.frequency.base_excitation import base_excited
from eigenbody.analyses.frequency.evaluate import Evaluator, Response
from eigenbody.analyses.frequency.grid import Wanted, frequencies, wanted
from eigenbody.analyses.frequency.modal import ModalForm, SparseModalForm
from eigenbody.analyses.frequency.poles import doubtful_heights
from eigenbody.analyses.frequency.result import FrequencyResponse, Peak, found_peaks
from eigenbody.analyses.frequency.system import Excited, Transfer, excited
from eigenbody.analyses.frequency.unbalance import Synchronous, unbalance_excited
from eigenbody.analyses.linearize import Damping, Ports, need_inputs, ports
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for

METHODS = ("direct", "modal")
SPARSE_MODES = 20

__all__ = ["FrequencyResponse", "Peak", "frequency_response", "frf"]


def frequency_response(found: Ports, omega: np.ndarray) -> np.ndarray:
    """H (nf, ny, nu) complex between the ports at omega (nf,) real, rad/s; infinite entries on undamped poles."""
    return Evaluator(excited(found)).respond(np.asarray(omega, float))[0]


@on_one_thread
def frf(
    model: Subject,
    inputs: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
    frequencies_hz: tuple[float, float, int] | Sequence[float] | np.ndarray | None = None,
    method: str = "direct",
    modes: int | None = None,
    residual: bool = False,
    refine: bool = True,
    spacing: str = "log",
    base: str | None = None,
    base_order: int = 0,
    unbalance: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    speed_parameter: str | None = None,
    solver: str | None = None,
    damping: Damping | None = None,
    route: str | None = None,
) -> FrequencyResponse:
    """Frequency response from inputs to outputs at the operating point.

    inputs, outputs  names of the model's inputs and outputs, or of measures (`slide`, `slide'`, `slide''`)
    frequencies_hz   (start, stop, points) for a range, a list or array for these frequencies exactly; by default from
                     a decade below the lowest oscillation to a decade above the highest
    method           "direct" solves at every frequency, "modal" sums over modes: many times faster for thousands of
                     frequencies of hundreds of states, and less exact where modes are nearly dependent
    modes            with "modal": only the lowest so many; `residual` adds a constant for the others
    refine           add points near resonances to a range, and locate the peaks by minimization
    base             name of a driver, or of a joint with motion: its motion is the input, as displacement (base_order
                     0), velocity (1) or acceleration (2)
    unbalance        {"body", "moment" in kg m, optional "axis", "phase" in rad}: a rotating force moment * omega^2 at
                     the body or node; or a list of such, which act together
    speed_parameter  parameter of the model that sets the spin; it follows the frequency, and the model is linearized
                     anew at every speed
    damping          to be added as by `with_damping`: "proportional:0.1,1e-4", "modal:0.02", "structural:0.03" (the
                     stiffness K (1 + 0.03 i)) or a map
    route            "topology": by the equations of the constraint-topology transformation
    """
    _checked(method, modes, base_order, spacing)
    _refuse_changes(damping, route, base, unbalance)
    asked = wanted(frequencies_hz, spacing)
    if speed_parameter is not None:
        return _synchronous(model, inputs, outputs, asked, refine, base, unbalance, speed_parameter)
    system = _excited(model, inputs, outputs, base, base_order, unbalance, solver, damping, route)
    _refuse_resting_base(asked, base, base_order)
    evaluator = Evaluator(system)
    grid = frequencies(asked, evaluator.resonances, refine)
    if system.dense is not None and system.dense.hysteretic is not None:
        if method == "modal":
            what = "structural damping has no real modes to sum over."
            raise InputError(Fault("method", what, "Ask for method direct, or for modal damping."))
        evaluator.transfer = system.dense.hysteretic_transfer
    notes = _use_modes(evaluator, modes, residual, grid) if method == "modal" else ()
    unknown = evaluator.known.unknown_above(2 * np.pi * grid.max())
    return _result(evaluator, grid, refine, method, (*unknown, *notes))


def _checked(method: str, modes: int | None, base_order: int, spacing: str) -> None:
    faults = []
    if method not in METHODS:
        faults.append(Fault("method", f'"{method}" is not known.', suggest(method, METHODS)))
    if modes is not None and modes < 1:
        faults.append(Fault("modes", f"{modes} modes cannot be kept.", "Keep at least one."))
    if modes is not None and method != "modal":
        faults.append(Fault("modes", "only a sum over modes can leave some out.", "Ask for method modal too."))
    if base_order not in (0, 1, 2):
        what = f"{base_order} is not an order of the base motion."
        faults.append(Fault("base_order", what, "0 displacement, 1 velocity, 2 acceleration."))
    if spacing not in ("log", "linear"):
        faults.append(Fault("spacing", f'"{spacing}" is not known.', 'Use "log" or "linear".'))
    if faults:
        raise InputError(faults)


def _refuse_changes(damping: Damping | None, route: str | None, base: str | None, unbalance: Any) -> None:
    if base is None and unbalance is None:
        return
    for name, value in (("damping", damping), ("route", route)):
        if value is not None:
            what = "a base motion or an unbalance is answered by the equations of the model alone."
            raise InputError(Fault(name, what, "Leave it out, or excite by a force."))


def _excited(
    model: Subject, inputs: Any, outputs: Any, base: str | None, base_order: int,
    unbalance: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, solver: str | None, damping: Damping | None,
    route: str | None,
) -> Excited:  # fmt: skip
    if base is None and unbalance is None:
        found = ports(model, inputs, outputs, solver, damping, route)
        need_inputs(found)
        need_outputs(found.output_names)
        return excited(found)
    where = "base" if base is not None else "unbalance"
    if base is not None and unbalance is not None:
        raise InputError(Fault("base", "a base motion and an unbalance are two excitations.", "Ask for one of them."))
    if inputs:
        what = "the named inputs would be a second excitation beside it."
        raise InputError(Fault(where, what, "Leave out the inputs."))
    model = model_asking_for(model)
    if base is not None:
        return base_excited(model, base, base_order, outputs, solver)
    assert unbalance is not None
    return unbalance_excited(model, unbalance, outputs, solver)


def need_outputs(names: Sequence[str]) -> None:
    """Refuse where nothing is watched."""
    if not names:
        what = "the model has no outputs and no coordinates, so nothing is seen."
        raise InputError(Fault("outputs", what, "Name a measure (--output slide), or add an output."))


def _refuse_resting_base(asked: Wanted, base: str | None, order: int) -> None:
    at_zero = (asked.values is not None and np.any(asked.values == 0)) or asked.start == 0
    if base is not None and order and at_zero:
        what = f"at 0 Hz a base with constant {'velocity' if order == 1 else 'acceleration'} runs away."
        raise InputError(Fault("frequencies_hz", what, "Start above 0 Hz, or give the base motion as displacement."))


def _use_modes(evaluator: Evaluator, modes: int | None, residual: bool, grid: np.ndarray) -> tuple[str, ...]:
    system, equations = evaluator.system, evaluator.system.dense
    summed: Transfer
    if equations is not None:
        form = ModalForm(equations)
        form.refuse_defective()
        total = form.entries()
        keep = None if modes is None or modes >= total else form.lowest(modes)
        inner = form if equations.rates is None else ModalForm(equations.in_rates())
        summed = equations.from_rates(inner if keep is None else lambda s: inner(s, keep))
        kept = total if keep is None else modes
        notes = () if keep is None else (f"Sum over the {kept} lowest of {total} modes.",)
    else:
        summed = large = SparseModalForm(system.linear, system.sparse, modes or SPARSE_MODES)
        notes = (f"Sum over the {len(large.modes)} lowest modes of {len(system.linear.states)} states.",)
    if residual and notes:
        start = np.array([2j * np.pi * grid[0]])
        rest = system.transfer(start)[0] - summed(start)[0]
        notes = (notes[0][:-1] + f", with a constant for the others (exact at {grid[0]:.6g} Hz).",)
        evaluator.transfer = lambda s: summed(s) + rest
    else:
        evaluator.transfer = summed
    return notes


def _synchronous(
    model: Any, inputs: Any, outputs: Any, asked: Wanted, refine: bool, base: str | None,
    unbalance: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, parameter: str,
) -> FrequencyResponse:  # fmt: skip
    """Excitation frequency = spin speed, linearized anew at every speed."""
    if unbalance is None or base is not None or inputs:
        what = "the speed follows the frequency only for the unbalance of a model."
        raise InputError(Fault("speed_parameter", what, "Give unbalance, without inputs or base."))
    evaluator = Synchronous(model_asking_for(model), unbalance, outputs, parameter)
    grid = frequencies(asked, evaluator.resonances, False)
    return _result(evaluator, grid, refine, "direct, linearized at every speed")


def _result(
    evaluator: Response, grid: np.ndarray, refine: bool, method: str, notes: tuple[str, ...] = ()
) -> FrequencyResponse:
    values, poles = evaluator.respond(2 * np.pi * grid)
    sharp = evaluator.sharp_poles(2 * np.pi * grid.min(), 2 * np.pi * grid.max())
    system = evaluator.system
    return FrequencyResponse(
        linear=system.linear,
        inputs=system.inputs,
        outputs=system.outputs,
        input_units=system.input_units,
        output_units=system.output_units,
        frequency_hz=grid,
        values=values,
        peaks=found_peaks(evaluator, grid, values) if refine else (),
        poles=poles,
        method=method,
        notes=tuple(dict.fromkeys((*system.linear.notes, *evaluator.notes, *notes, *doubtful_heights(sharp)))),
    )
