"""From the description to the compiled system, in named steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.elements.forces import FORCES, ForceBuilder
from eigenbody.elements.forces.base import Coupling
from eigenbody.elements.forces.load import load_directions
from eigenbody.elements.places import Places
from eigenbody.errors import Fault, InputError
from eigenbody.model.description import Description, Entry, Table
from eigenbody.model.expressions import Expression
from eigenbody.system.joints import JointTable, slip_kernels
from eigenbody.system.layout import layout
from eigenbody.system.measureset import MeasureSet, Placed, merge
from eigenbody.system.named import NamedMeasures
from eigenbody.system.rows import ConstraintRows
from eigenbody.system.signals import Signal, SignalCompiler, as_expression
from eigenbody.system.state import carriers
from eigenbody.system.system import Constraints, Forces, Given, Motion, Output, Row, System
from eigenbody.system.topology import Tree, span

ROTATIONS = ("rx", "ry", "rz")


def compile_system(description: Description) -> System:
    """Compile a description. Raises InputError for what only geometry can tell (zero-length springs, ...)."""
    places = Places(description)
    joints = JointTable(description, places)
    tree = _tree(description, places, joints)
    named = NamedMeasures(description, places, joints, tree)
    builder = _forces(description, places)
    compiler = _signal_compiler(description, named, builder)
    rows = ConstraintRows(description, joints, named)
    parts = _force_parts(description, places, builder, compiler)
    outputs = _outputs(description, named, compiler)
    dof = layout(description, places, joints, rows, builder, named)
    named_set = named.merged(dof)  # complete only now: signals and outputs may have asked for body coordinates
    slips, slip_rows = _slips(description, joints, dof)
    tree_rows, tree_row_body = _tree_rows(tree, joints)
    walk, walk_body = _tree_coordinates(tree, named, places, dof)
    system = System(
        description=description,
        places=places,
        dof=dof,
        mass=description.bodies.mass,
        inertia=description.bodies.inertia,
        gravity=description.gravity,
        constraints=_constraints(rows, compiler, named_set, dof),
        slips=slips,
        slip_rows=slip_rows,
        forces=_assembled_forces(builder, parts, named, named_set, dof),
        named=named_set,
        names=tuple(named.names),
        dimensions=tuple(named.dimensions),
        tree=tree,
        tree_rows=tree_rows,
        tree_row_body=tree_row_body,
        tree_coordinates=walk,
        tree_coordinate_body=walk_body,
        positions=_given(description, named, "position"),
        velocities=_given(description, named, "velocity"),
        states=tuple(entry.name for entry in description.states),
        inputs=tuple(entry.name for entry in description.inputs),
        outputs=outputs,
        coordinates=np.array([named.of(name) for name in description.coordinates], dtype=int),
        warnings=(*builder.warnings, *_bushings_across_spin(description, joints)),
        aliases=dict(named.index),
    )
    return _with_drawn_values(system, rows)


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
    return builder


def _signal_compiler(description: Description, named: NamedMeasures, builder: ForceBuilder) -> SignalCompiler:
    def channel_of(name: str) -> int:
        named.of(name)
        return int(builder.along([name])[0])

    states = [entry.name for entry in description.states]
    inputs = [entry.name for entry in description.inputs]
    return SignalCompiler(description.variables, states, inputs, channel_of)


@dataclass
class _ForceParts:
    constant: list[tuple[int, float, int]]  # channel, tension, owner
    signals: list[Signal]
    state_rates: list[Signal]
    inputs: list[tuple[int, int, float]]  # channel, input, weight


def _force_parts(
    description: Description, places: Places, builder: ForceBuilder, compiler: SignalCompiler
) -> _ForceParts:
    """Compile every signal; this may open further channels, so it comes before the channels are counted."""
    parts = _ForceParts([], [], [], [])
    for item in builder.signals:
        if isinstance(item.signal, Expression | Table):
            own, where = (item.channel, item.free), f"forces.{builder.owners[item.owner]}"
            signal = compiler.compile(item.signal, item.channel, item.factor, item.owner, own, where)
            parts.signals.append(signal)
        else:
            parts.constant.append((item.channel, item.factor * item.signal, item.owner))
    for i, entry in enumerate(description.states):
        parts.state_rates.append(compiler.compile(entry["rate"], i, where=entry.where))
    for i, entry in enumerate(description.inputs):
        parts.inputs.extend((channel, i, weight) for channel, weight in _input_channels(entry, places, builder))
    return parts


def _input_channels(entry: Entry, places: Places, builder: ForceBuilder) -> list[tuple[int, float]]:
    if entry.get("along") is not None:
        return [(int(builder.along([entry["along"]])[0]), 1.0)]
    if entry.get("body") is None:
        return []  # a setpoint: only expressions read it
    direction = entry["direction"]
    channels = builder.private(load_directions(places, entry, bool(entry.get("torque", False))))
    unit = direction / np.sqrt(direction @ direction)
    return [(int(c), float(w)) for c, w in zip(channels, unit, strict=True) if w != 0]


def _outputs(description: Description, named: NamedMeasures, compiler: SignalCompiler) -> tuple[Output, ...]:
    out = []
    for i, entry in enumerate(description.outputs):
        if entry.get("measure") is not None:
            out.append(Output(entry.name, named.of(entry["measure"]), entry.get("order", 0), None))
        else:
            out.append(Output(entry.name, -1, 0, compiler.compile(entry["expression"], i, where=entry.where)))
    for name in description.coordinates:
        named.of(name)
    return tuple(out)


def _bushings_across_spin(description: Description, joints: JointTable) -> Iterator[str]:
    """A bushing between two bodies that a joint lets spin would wind up: a bearing is meant."""
    spinning = {}
    for entry, joint, a, b in zip(description.joints, joints.types, joints.first, joints.second, strict=True):
        turns = [k for k, template in enumerate(joint.free) if template.dimension == "rad"]
        driven = entry.get("motion") is not None
        velocity = entry.get("velocity", ())
        if turns and (driven or any(k < len(velocity) and velocity[k] for k in turns)):
            spinning[frozenset((int(a), int(b)))] = entry.name
    for entry in description.forces if spinning else ():
        if entry.type == "bushing":
            pair = frozenset(int(c) for c in joints.places.carriers(entry["between"]))
            if pair in spinning and entry["k"][3:, 3:].any():
                yield (
                    f"{entry.where}: the bushing acts across the joint {spinning[pair]}, which turns; it would wind up."
                    " Use type: bearing, which lets the second body spin."
                )


def _slips(description: Description, joints: JointTable, dof: np.ndarray) -> tuple[MeasureSet, tuple[Row, ...]]:
    kernels, owners = slip_kernels(joints)
    starts = np.concatenate(([0], np.cumsum([len(o) for o in owners], dtype=int)))
    placed = [(k, np.arange(a, b)) for k, a, b in zip(kernels, starts, starts[1:], strict=False)]
    rows = tuple(Row(description.joints[i].name, "no slip", "joint") for o in owners for i in o)
    return merge(placed, int(starts[-1]), dof), rows


def _constraints(rows: ConstraintRows, compiler: SignalCompiler, named: MeasureSet, dof: np.ndarray) -> Constraints:
    placed, counter = _with_named(rows.placed, rows.named, rows.count, named)
    motions = []
    for row, signal in rows.motions:
        f = as_expression(signal)
        chain = [f, f.derivative("t"), f.derivative("t").derivative("t")]
        where = rows.rows[row].where
        motions.append(Motion(row, *(compiler.compile(e, row, where=where) for e in chain)))
    constant = np.zeros(len(rows.rows))
    for row, value in rows.constants.items():
        constant = constant.astype(np.result_type(constant, value))
        constant[row] = value
    empty = np.zeros(0, dtype=int)
    r, m, c = (np.concatenate([term[k] for term in rows.terms] or [empty]) for k in range(3))
    return Constraints(
        merge(placed, rows.count, dof, counter), r.astype(int), m.astype(int), c, constant, tuple(motions),
        tuple(rows.rows),
    )  # fmt: skip


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
    constant = np.zeros(builder.count)
    for channel, value, _ in parts.constant:
        constant = constant.astype(np.result_type(constant, value))
        constant[channel] += value
    inputs = np.array(parts.inputs).reshape(-1, 3)
    return Forces(
        measures=merge(placed, builder.count, dof, counter),
        linear=Coupling.concatenate(builder.linear),
        signals=tuple(parts.signals),
        constant=constant,
        constant_owner=np.array([(o, c, v) for c, v, o in parts.constant]).reshape(-1, 3),
        input_channel=inputs[:, 0].astype(int),
        input_index=inputs[:, 1].astype(int),
        input_weight=inputs[:, 2].astype(float),
        owners=tuple(builder.owners),
        state_rates=tuple(parts.state_rates),
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
    """Named measures in walking order, and the body each moves; a point mass without rotation has none of those."""
    out: list[int] = []
    bodies: list[int] = []
    for body, joint in zip(tree.order.tolist(), tree.joint.tolist(), strict=True):
        if joint < 0:
            wanted = named.body(places.names[body])
        else:
            wanted = list(range(named.joint_start[joint], named.joint_start[joint + 1]))
        if dof[body, 3] < 0:
            wanted = [i for i in wanted if named.names[i].rpartition(".")[2] not in ROTATIONS]
        out.extend(wanted)
        bodies.extend([body] * len(wanted))
    return np.array(out, dtype=int), np.array(bodies, dtype=int)


def _given(description: Description, named: NamedMeasures, key: str) -> Given:
    measure, value, where = [], [], []
    for i, entry in enumerate(description.joints):
        for k, number in enumerate(entry.get(key, ())):
            if number is not None:
                measure.append(int(named.joint_start[i]) + k)
                value.append(number)
                where.append(f"{entry.where}: {key}")
    return Given(np.array(measure, dtype=int), np.array(value, dtype=complex if np.iscomplexobj(value) else float),
                 tuple(where))  # fmt: skip


def _with_drawn_values(system: System, rows: ConstraintRows) -> System:
    """Rows that keep their drawn value: a rod is as long as it is drawn."""
    if not rows.keep_drawn:
        return system
    state = system.reference_state()
    c = system.constraints
    jet = c.measures.jet(carriers(system, state), state.turns)
    keep = np.concatenate(rows.keep_drawn)
    constant = np.array(c.constant, dtype=np.result_type(c.constant, jet.value))
    measure_of_row = dict(zip(c.row.tolist(), c.measure.tolist(), strict=True))
    constant[keep] = [jet.value[measure_of_row[r]] for r in keep.tolist()]
    short = [system.constraints.rows[r].owner for r in keep if np.real(constant[r]) < 1e-12]
    if short:
        raise InputError(
            [Fault(f"joints.{name}", "its two points coincide.", "Use a spherical joint.") for name in short]
        )
    return replace(system, constraints=replace(c, constant=constant))
