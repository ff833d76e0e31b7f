"""Where a linear model is excited and read: the model's own inputs and outputs, or any measure by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eigenbody.analyses.linearize.asked import Damping, equations_asked
from eigenbody.analyses.linearize.linear import linearize
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint, system_of
from eigenbody.linearization.subject import Subject, subject
from eigenbody.model.model import InertModel
from eigenbody.model.names import measure_dimensions
from eigenbody.operating.asked import in_model
from eigenbody.operating.constancy import has_constant_ports
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.constant_form import PORTS_TURN, in_constant_form, is_of_an_instant

TURNING = '"{0}" turns with {1}: to what is seen in the fixed frame it answers at several frequencies, a turn apart.'
PUSHING = '"{0}" turns with {1}: what it does at one frequency is seen in the fixed frame at several, a turn apart.'
PUSHED = "Push on what does not turn, or on all blades alike; a force on one blade is a matter of simulate."
SEEN = (
    "Watch what does not turn, or a pattern of all blades by an expression: their mean (collective), 2/N times their"
    " sum weighted by cos or sin of the azimuth of each (docs/multiblade.md); one blade in time by simulate."
)


@dataclass(frozen=True)
class Ports:
    """A linear model with the columns of B, D and the rows of C, D that were asked for, and what they are called."""

    linear: LinearModel
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]

    @property
    def input_units(self) -> tuple[str, ...]:
        units = self.linear.units.inputs
        return tuple(units[i] for i in self.inputs)

    @property
    def output_units(self) -> tuple[str, ...]:
        units = self.linear.units.outputs
        return tuple(units[i] for i in self.outputs)


def ports(
    model: Subject,
    inputs: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
    solver: str | None = None,
    damping: Damping | None = None,
    route: str | None = None,
) -> Ports:
    """Linearize a model so that the named inputs and outputs are there.

    inputs   names of the model's inputs, or of measures (a force or moment along the measure); None: all of the model
    outputs  names of the model's outputs, or of measures, with ' and '' for rate and acceleration; None: all of the
             model, or its coordinates where it has none
    damping  to be added (`damping_given`); route: by whose equations
    """
    wanted_in, wanted_out = _listed(inputs), _listed(outputs)
    found = subject(model, LinearModel)
    if isinstance(found, LinearModel):
        linear = in_constant_form(equations_asked(found, damping, route))
        return _in_fixed_frame(_of_linear(linear, wanted_in, wanted_out), are_named=True)
    at = found if isinstance(found, OperatingPoint) else None
    model = found if at is None else at.model
    description = model.description
    if wanted_in is None:
        wanted_in = [entry.name for entry in description.inputs]
    are_named = wanted_out is not None or bool(description.outputs)
    if wanted_out is None:
        wanted_out = [entry.name for entry in description.outputs] or _coordinates(found)
    names_in, names_out = [], []
    for name in wanted_in:
        model, own = with_input(model, name)
        names_in.append(own)
    for name in wanted_out:
        model, own = with_output(model, name)
        names_out.append(own)
    linear = linearize(model if at is None else in_model(at, model), solver="dense" if route else solver)
    linear = in_constant_form(equations_asked(linear, damping, route))
    found = _of_linear(linear, names_in, names_out)
    found = replace(found, input_names=tuple(wanted_in), output_names=tuple(wanted_out))
    return _in_fixed_frame(found, are_named)


def _in_fixed_frame(found: Ports, are_named: bool) -> Ports:
    """Refuse inputs and outputs on single blades, which are not constant in multi-blade coordinates; outputs that were
    not named are left out."""
    blades = found.linear.blades
    if blades is None:
        return _cautioned(found)
    turning_in = [n for i, n in zip(found.inputs, found.input_names, strict=True) if not blades.fixed_inputs[i]]
    fixed = [blades.fixed_outputs[o] for o in found.outputs]
    turning_out = [n for n, is_fixed in zip(found.output_names, fixed, strict=True) if not is_fixed]
    if not are_named and turning_out and any(fixed):
        kept = [k for k, is_fixed in enumerate(fixed) if is_fixed]
        note = f"{', '.join(turning_out)}: left out, they turn with {blades.joint} (docs/multiblade.md)."
        linear = replace(found.linear, notes=(*found.linear.notes, note))
        outputs, names = tuple(found.outputs[k] for k in kept), tuple(found.output_names[k] for k in kept)
        found, turning_out = replace(found, linear=linear, outputs=outputs, output_names=names), []
    faults = [Fault("inputs", PUSHING.format(name, blades.joint), PUSHED) for name in turning_in]
    faults += [Fault("outputs", TURNING.format(name, blades.joint), SEEN) for name in turning_out]
    if faults:
        raise InputError(faults)
    return found


def _cautioned(found: Ports) -> Ports:
    """With a note where the ports turn and the coordinates do not, or the other way about."""
    linear = found.linear
    if is_of_an_instant(linear) or has_constant_ports(linear, found.inputs, found.outputs):
        return found
    return replace(found, linear=replace(linear, notes=(*linear.notes, PORTS_TURN)))


def need_inputs(found: Ports) -> None:
    """Refuse where nothing excites the model."""
    if not found.inputs:
        what = "the model has no inputs, so nothing excites it."
        raise InputError(Fault("inputs", what, "Name a measure to push along (--input slide), or add an input."))


def _coordinates(found: InertModel | OperatingPoint) -> list[str]:
    point = operating_point(found)
    return [point.system.names[i] for i in point.chosen.positions]


def _listed(names: str | Sequence[str] | None) -> list[str] | None:
    if names is None:
        return None
    return list(dict.fromkeys([names] if isinstance(names, str) else names))


def _of_linear(linear: LinearModel, inputs: list[str] | None, outputs: list[str] | None) -> Ports:
    chosen_in = list(linear.inputs) if inputs is None else inputs
    chosen_out = list(linear.outputs) if outputs is None else outputs
    at_in = tuple(_place(name, linear.inputs, "inputs") for name in chosen_in)
    at_out = tuple(_place(name, linear.outputs, "outputs") for name in chosen_out)
    return Ports(linear, at_in, at_out, tuple(chosen_in), tuple(chosen_out))


def _place(name: str, known: Sequence[str], section: str) -> int:
    if name not in known:
        remedy = f"{suggest(name, known)} Given the model instead of its linear model, measures can be named too."
        raise InputError(Fault(section, f'the linear model has no "{name}" in its {section}.', remedy))
    return list(known).index(name)


def with_input(model: InertModel, name: str) -> tuple[InertModel, str]:
    """The model with an input of that name, and what it is called there."""
    own = [entry.name for entry in model.description.inputs]
    if name in own:
        return model, name
    measure = _measure(model, name, "inputs", own)
    added = _free_name(f"along {measure}", own)
    return model.with_entry("inputs", added, {"along": measure}), added


def with_output(model: InertModel, name: str) -> tuple[InertModel, str]:
    """The model with an output of that name, and what it is called there."""
    own = [entry.name for entry in model.description.outputs]
    if name in own:
        return model, name
    bare = name.rstrip("'")
    order = len(name) - len(bare)
    if order > 2:
        raise InputError(
            Fault("outputs", f'"{name}" is a derivative of order {order}.', "Orders 0, 1 and 2 are known.")
        )
    measure = _measure(model, bare, "outputs", own)
    added = _free_name(f"{measure} order {order}", own)
    return model.with_entry("outputs", added, {"measure": measure, "order": order}), added


def _free_name(name: str, taken: Iterable[str]) -> str:
    name = name.replace(".", " ")
    while name in taken:
        name += " again"
    return name


def _measure(model: InertModel, name: str, section: str, own: Sequence[str]) -> str:
    system = system_of(model)
    known = set(system.names) | set(system.aliases)
    if name not in known and name not in measure_dimensions(model.description, model.vocabulary):
        what = f'there is no "{name}" among the {section} and measures of the model.'
        raise InputError(Fault(section, what, suggest(name, known | set(own))))
    return name
