"""From the description to the compiled system, in named steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.batched import Variants, agreed, fixed_parts, stacked, variant
from eigenbody.base.errors import Fault, InputError
from eigenbody.base.pattern import Pattern
from eigenbody.base.recorded import Tape
from eigenbody.elements.blocks import with_blocks
from eigenbody.elements.forces import FORCES, ForceBuilder
from eigenbody.elements.forces.base import Coupling
from eigenbody.elements.forces.load import load_directions
from eigenbody.elements.measures.velocity_row import VelocityRow
from eigenbody.elements.places import Places
from eigenbody.model.description import Description, Entry
from eigenbody.model.operating import HELD, measures_asked_for
from eigenbody.model.values import freeze
from eigenbody.spatial.rotations import unit
from eigenbody.system.algebraic import AlgebraicNames, LoadNames
from eigenbody.system.arguments import AnySignal, Argument
from eigenbody.system.armature import armature_of
from eigenbody.system.flexible import flexible_batches, resist_bending
from eigenbody.system.given import given_values
from eigenbody.system.implicit import ImplicitRate, ImplicitStates
from eigenbody.system.joints import JointTable, bushings_across_spin, slip_kernels
from eigenbody.system.layout import layout
from eigenbody.system.measureset import MeasureSet, Placed, merge
from eigenbody.system.named import NamedMeasures
from eigenbody.system.outputs import OutputReader, input_units, state_names, state_units
from eigenbody.system.rows import ConstraintRows
from eigenbody.system.signals import SignalCompiler, as_expression, own_names
from eigenbody.system.state import carriers
from eigenbody.system.system import Constraints, Forces, PrescribedMotion, Row, System, Turned, varying_apart
from eigenbody.system.topology import Tree, span
from eigenbody.system.velocities import velocity_rows

ROTATIONS = ("rx", "ry", "rz")


def compile_system(description: Description) -> System:
    """Compile a description. Raises InputError for what only geometry can tell (zero-length springs, ...)."""
    return _with_drawn_values(*_compiled(description))


@dataclass(frozen=True)
class CompiledVariants:
    """The systems of all variants of a description, some of whose numbers are `Variants`."""

    _template: System
    _rows: ConstraintRows

    @staticmethod
    def of(description: Description) -> CompiledVariants:
        return CompiledVariants(*_compiled(description))

    def all(self) -> System:
        """One system whose arrays have a leading batch axis where the variants differ."""
        return _with_drawn_values(stacked(varying_apart(self._template)), self._rows)

    def one(self, index: int) -> System:
        """The system of one variant."""
        return _with_drawn_values(variant(self._template, index, self._fixed), self._rows)

    @cached_property
    def _fixed(self) -> dict[int, Any]:
        """What all variants share."""
        return fixed_parts(self._template)


class RecordedSystem:
    """The system of a description whose numbers are recorded: made again for other inputs of their tape."""

    def __init__(self, tape: Tape, description: Description) -> None:
        compiled = _compiled(description) if tape.is_whole else None
        self.is_whole = tape.is_whole  # else something was computed beside the tape, and nothing is kept
        self._pattern = Pattern(tape, compiled if self.is_whole else None)

    def with_inputs(self, inputs: Sequence[float]) -> System:
        """The system for other inputs; AnotherBranch where the description would have been compiled otherwise."""
        return _with_drawn_values(*self._pattern.with_inputs(inputs))


def _compiled(description: Description) -> tuple[System, ConstraintRows]:
    description = with_blocks(description)
    places = Places(description)
    joints = JointTable(description, places)
    tree = _tree(description, places, joints)
    named = NamedMeasures(description, places, joints, tree)
    builder = _forces(description, places)
    rows = ConstraintRows(description, joints, named)
    loads = LoadNames(description, joints, rows, builder)
    algebraic = AlgebraicNames(loads)
    compiler = _signal_compiler(description, named, builder, algebraic)
    parts = _force_parts(description, places, builder, compiler)
    states = state_names(description, builder)
    outputs = OutputReader(description, named, compiler, builder, states, loads).read()
    asked_for = (*description.pose, *measures_asked_for(description.operating_point))
    for name in (*builder.named, *description.coordinates, *asked_for):
        named.of(name)
    velocities = velocity_rows(description, named)
    dof = layout(description, places, joints, rows, builder, named)
    named_set = named.merged(dof)  # complete only now: forces, signals and outputs may have asked for body coordinates
    slips, slip_rows = _slips(description, joints, velocities, dof)
    tree_rows, tree_row_body = _tree_rows(tree, joints)
    walk, walk_body = _tree_coordinates(tree, named, places, dof)
    speeds = given_values(description, named, "velocity", compiler)
    asked = {*(named.index[n] for n in builder.named), *(o.measure for o in outputs), *speeds.measure.tolist()}
    system = System(
        description=description,
        places=places,
        dof=dof,
        mass=description.bodies.mass,
        inertia=description.bodies.inertia,
        flexible=flexible_batches(description, places),
        armature=armature_of(description, joints, named.joint_start, named_set, dof),
        gravity=description.gravity,
        constraints=_constraints(rows, compiler, named_set, dof),
        slips=slips,
        slip_rows=slip_rows,
        forces=_assembled_forces(builder, parts, named, named_set, dof),
        named=named_set,
        variations=named.as_coordinates(named_set, dof),
        names=tuple(named.names),
        dimensions=tuple(named.dimensions),
        sequences=named.used_sequences({i for _, i in rows.named}, asked),
        speeds=frozenset(named.speeds),
        joints=tuple(group for group in joints.groups if group.type.branch),
        tree=tree,
        tree_rows=tree_rows,
        tree_row_body=tree_row_body,
        tree_coordinates=walk,
        tree_coordinate_body=walk_body,
        positions=given_values(description, named, "position", compiler),
        velocities=speeds,
        states=states,
        state_units=state_units(description, builder, named),
        initial_states=freeze([*(e["initial"] for e in description.states), *(s.initial for s in builder.states)]),
        inputs=tuple(entry.name for entry in description.inputs),
        input_units=input_units(description, named),
        outputs=outputs,
        algebraic=algebraic.found(),
        coordinates=np.array([named.of(name) for name in description.coordinates], dtype=int),
        warnings=(*filter(None, (description.closed,)), *builder.warnings, *bushings_across_spin(description, joints)),
        aliases=dict(named.index),
    )
    return system, rows


def _tree(description: Description, places: Places, joints: JointTable) -> Tree:
    bodies = len(description.bodies)
    still = [places.ground, *range(bodies, places.ground)]
    branch = np.array([t.branch for t in joints.types], dtype=bool)
    return span(bodies, still, joints.first, joints.second, branch)


def _forces(description: Description, places: Places) -> ForceBuilder:
    builder = ForceBuilder(places)
    by_type: dict[str, list[Entry]] = {}
    for entry in description.forces:
        by_type.setdefault(entry.type, []).append(entry)
    for name, entries in by_type.items():
        FORCES[name].build(entries, builder)
    resist_bending(description, builder)
    return builder


def _signal_compiler(
    description: Description, named: NamedMeasures, builder: ForceBuilder, algebraic: AlgebraicNames
) -> SignalCompiler:
    def channel_of(name: str) -> int:
        named.of(name)
        return int(builder.along([name])[0])

    inputs = [entry.name for entry in description.inputs if entry.type != HELD]  # these come last, named as measures
    states = state_names(description, builder)
    return SignalCompiler(description.variables, states, inputs, channel_of, named.is_speed, algebraic)


@dataclass
class _ForceParts:
    constant: list[tuple[int, Any, int]]  # channel, tension, owner
    signals: list[AnySignal]
    state_rates: list[AnySignal]
    inputs: list[tuple[int, int, Any]]  # channel, input, weight


def _force_parts(
    description: Description, places: Places, builder: ForceBuilder, compiler: SignalCompiler
) -> _ForceParts:
    """Compile every signal; this may open further channels, so it comes before the channels are counted."""
    parts = _ForceParts([], [], [], [])
    inner = _inner_names(description, builder)
    for item in builder.signals:
        if isinstance(item.signal, int | float | complex | Variants):
            parts.constant.append((item.channel, item.factor * item.signal, item.owner))
            continue
        own = own_names(item.channel, item.free, item.is_along) | inner.get(item.owner, {})
        where = f"forces.{builder.owners[item.owner]}"
        trouble = builder.troubles.get(item.owner)
        parts.signals.append(compiler.compile(item.signal, item.channel, item.factor, item.owner, own, where, trouble))
    parts.state_rates = [*_described_rates(description, compiler), *_inner_rates(description, builder, compiler, inner)]
    for i, entry in enumerate(description.inputs):
        parts.inputs.extend((channel, i, weight) for channel, weight in _input_channels(entry, places, builder))
    return parts


def _inner_names(description: Description, builder: ForceBuilder) -> dict[int, dict[str, Argument]]:
    """What each element calls its channels and the states that it brings along: `own.name`."""
    names: dict[int, dict[str, Argument]] = {}
    for item in builder.locals:
        names.setdefault(item.owner, {})[f"own.{item.local}"] = Argument(f"own.{item.local}", item.kind, item.channel)
    for k, state in enumerate(builder.states, start=len(description.states)):
        names.setdefault(state.owner, {})[f"own.{state.local}"] = Argument(f"own.{state.local}", "x", k)
    return names


def _inner_rates(
    description: Description, builder: ForceBuilder, compiler: SignalCompiler, inner: dict[int, dict[str, Argument]]
) -> Iterator[AnySignal]:
    for k, state in enumerate(builder.states, start=len(description.states)):
        own = own_names(state.channel, state.free) | inner[state.owner]
        where, trouble = f"forces.{builder.owners[state.owner]}", builder.troubles.get(state.owner)
        yield compiler.compile(state.rate, k, own=own, where=where, trouble=trouble)


def _described_rates(description: Description, compiler: SignalCompiler) -> Iterator[AnySignal]:
    """Rates of the model's own states; implicit ones share one set of equations."""
    implicit = [i for i, entry in enumerate(description.states) if entry.get("residual") is not None]
    rates = {f"{description.states[i].name}'": Argument(f"{description.states[i].name}'", "w", k)
             for k, i in enumerate(implicit)}  # fmt: skip
    equations = [description.states[i] for i in implicit]
    for entry in equations:
        _refuse_foreign_rates(entry, description, rates)
    residuals = [compiler.compile(e["residual"], k, own=rates, where=e.where) for k, e in enumerate(equations)]
    group = ImplicitStates(tuple(residuals), tuple(entry.where for entry in equations))
    for i, entry in enumerate(description.states):
        if i in implicit:
            yield ImplicitRate(i, group, implicit.index(i))
        else:
            yield compiler.compile(entry["rate"], i, where=entry.where)


def _refuse_foreign_rates(entry: Entry, description: Description, rates: dict[str, Argument]) -> None:
    names: frozenset[str] = getattr(entry["residual"], "names", frozenset())
    for state in description.states:
        name = f"{state.name}'"
        if name in names and name not in rates:
            remedy = "Write its rate expression instead."
            raise InputError(Fault(entry.where, f"{name} is the rate of a state that has its own `rate`.", remedy))


def _input_channels(entry: Entry, places: Places, builder: ForceBuilder) -> list[tuple[int, Any]]:
    if entry.get("along") is not None:
        return [(int(builder.along([entry["along"]])[0]), 1.0)]
    if entry.get("body") is None:
        return []  # a setpoint: only expressions read it
    direction = entry["direction"]
    channels = builder.private(load_directions(places, entry, bool(entry.get("torque", False))))
    return [(int(c), w) for c, w in zip(channels, unit(direction), strict=True) if w != 0]


def _slips(
    description: Description, joints: JointTable, velocities: dict[str, VelocityRow], dof: np.ndarray
) -> tuple[MeasureSet, tuple[Row, ...]]:
    """Non-holonomic rows: of joints, then of couplings."""
    kernels, owners = slip_kernels(joints)
    starts = np.concatenate(([0], np.cumsum([len(index) for index, _ in owners], dtype=int)))
    placed: list[Placed] = [(k, np.arange(a, b)) for k, a, b in zip(kernels, starts, starts[1:], strict=False)]
    rows = [Row(description.joints[i].name, label, "joint") for index, label in owners for i in index]
    for name, kernel in velocities.items():
        placed.append((kernel, np.array([len(rows)])))
        rows.append(Row(name, "speed", "coupling"))
    return merge(placed, len(rows), dof), tuple(rows)


def _constraints(rows: ConstraintRows, compiler: SignalCompiler, named: MeasureSet, dof: np.ndarray) -> Constraints:
    placed, counter = _with_named(rows.placed, rows.named, rows.count, named)
    motions = []
    for row, signal in rows.motions:
        f = as_expression(signal)
        chain = [f, f.derivative("t"), f.derivative("t").derivative("t")]
        where = rows.rows[row].where
        motions.append(PrescribedMotion(row, *(compiler.compile(e, row, where=where) for e in chain)))
    constant = _summed(rows.constants.items(), len(rows.rows))
    empty = np.zeros(0, dtype=int)
    r, m, c = (np.concatenate([term[k] for term in rows.terms] or [empty]) for k in range(3))
    return Constraints(
        merge(placed, rows.count, dof, counter), r.astype(int), m.astype(int), c, constant, tuple(motions),
        rows.rows, tuple(Turned(tuple(w.motions), w.sequence, w.where) for w in rows.turned.values()),
    )  # fmt: skip


def _summed(shares: Iterable[tuple[int, Any]], count: int) -> np.ndarray:
    """(count,) sums of the shares (position, value)."""
    out = [0.0] * count
    for position, value in shares:
        out[position] = out[position] + value
    return np.array(out)


def _with_named(
    placed: list[Placed], wanted: list[tuple[int, int]], count: int, named: MeasureSet
) -> tuple[list[Placed], np.ndarray]:
    """Private kernels plus copies of named measures at the wanted positions, and the turn counters of the whole."""
    counter = np.full(count, -1)
    out = list(placed)
    if wanted:
        position, index = np.array(wanted).T
        counter[position] = named.turn_counter[index]
        unique, inverse = np.unique(index, return_inverse=True)
        for kernel, at in named.subset(unique):
            for_kernel = [(k, p) for k, u in enumerate(at) for p in position[inverse == u]]
            take, to = np.array(for_kernel).T
            out.append((kernel.take(take), to))
    return out, counter


def _assembled_forces(
    builder: ForceBuilder, parts: _ForceParts, named: NamedMeasures, named_set: MeasureSet, dof: np.ndarray
) -> Forces:
    wanted = [(channel, named.index[name]) for name, channel in builder.named.items()]
    placed, counter = _with_named(builder.kernels, wanted, builder.count, named_set)
    constant = _summed([(channel, value) for channel, value, _ in parts.constant], builder.count)
    inputs = np.array(parts.inputs).reshape(-1, 3)
    return Forces(
        measures=merge(placed, builder.count, dof, counter),
        linear=Coupling.concatenate(builder.linear),
        signals=tuple(parts.signals),
        constant=constant,
        constant_owner=np.array([(o, c, v) for c, v, o in parts.constant]).reshape(-1, 3),
        input_channel=inputs[:, 0].astype(int),
        input_index=inputs[:, 1].astype(int),
        input_weight=inputs[:, 2],
        owners=tuple(builder.owners),
        state_rates=tuple(parts.state_rates),
        stops=tuple(builder.stops),
    )


def _tree_rows(tree: Tree, joints: JointTable) -> tuple[np.ndarray, np.ndarray]:
    """Constraint rows of the tree joints in walking order, and the body each belongs to."""
    hung = tree.joint >= 0
    index, body = tree.joint[hung], tree.order[hung]
    start, count = joints.row_start[index], joints.row_start[index + 1] - joints.row_start[index]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(start, count) + within, np.repeat(body, count)


def _tree_coordinates(
    tree: Tree, named: NamedMeasures, places: Places, dof: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Named measures in walking order, and the body each moves; a point mass without rotation has none of those.

    Modal coordinates come first: at the start flexible bodies are as drawn, and what else is free fits itself to them.
    """
    out: list[int] = []
    bodies: list[int] = []
    modal = places.description.bodies.modal
    last = np.ones(len(tree.order), dtype=bool) if modal is None else modal[tree.order] == 0
    walk, start, is_point = np.argsort(last, kind="stable"), named.joint_start.tolist(), (dof[:, 3] < 0).tolist()
    for body, joint in zip(tree.order[walk].tolist(), tree.joint[walk].tolist(), strict=True):
        wanted = named.of_root(places.names[body]) if joint < 0 else list(range(start[joint], start[joint + 1]))
        if is_point[body]:
            wanted = [i for i in wanted if named.names[i].rpartition(".")[2] not in ROTATIONS]
        out.extend(wanted)
        bodies.extend([body] * len(wanted))
    return np.array(out, dtype=int), np.array(bodies, dtype=int)


def _with_drawn_values(system: System, rows: ConstraintRows) -> System:
    """Rows that keep their drawn value: a rod is as long as it is drawn."""
    if not rows.keep_drawn:
        return system
    state = system.reference_state()
    c = system.constraints
    jet = c.measures.jet(carriers(system, state), state.turns)
    keep = np.concatenate(rows.keep_drawn)
    lead = jet.value.shape[:-1]
    constant = np.array(np.broadcast_to(c.constant, (*lead, c.count)), dtype=np.result_type(c.constant, jet.value))
    measure_of_row = dict(zip(c.row.tolist(), c.measure.tolist(), strict=True))
    constant[..., keep] = jet.value[..., [measure_of_row[r] for r in keep.tolist()]]
    rods = [r for r in keep if system.constraints.rows[r].label == "distance"]
    short = [system.constraints.rows[r].owner for r in rods if agreed(np.real(constant[..., r]) < 1e-12)]
    if short:
        raise InputError(
            [Fault(f"joints.{name}", "its two points coincide.", "Use a spherical joint.") for name in short]
        )
    return replace(system, constraints=replace(c, constant=constant))
