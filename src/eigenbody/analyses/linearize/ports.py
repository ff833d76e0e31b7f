"""Where a linear model is excited and read: the model's own inputs and outputs, or any measure by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eigenbody.analyses.linearize.asked import Damping, equations_asked
from eigenbody.analyses.linearize.linear import linearize
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint, system_of
from eigenbody.linearization.subject import Subject, subject
from eigenbody.model.model import InertModel
from eigenbody.model.names import measure_dimensions
from eigenbody.operating.asked import in_model
from eigenbody.operating.find import operating_point


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
        return _of_linear(equations_asked(found, damping, route), wanted_in, wanted_out)
    at = found if isinstance(found, OperatingPoint) else None
    model = found if at is None else at.model
    description = model.description
    if wanted_in is None:
        wanted_in = [entry.name for entry in description.inputs]
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
    linear = equations_asked(linear, damping, route)
    found = _of_linear(linear, names_in, names_out)
    return Ports(found.linear, found.inputs, found.outputs, tuple(wanted_in), tuple(wanted_out))


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
    return model.input(added, along=measure), added


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
    return model.output(added, measure=measure, order=order), added


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
