"""From the description to the compiled system, in named steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.forces import FORCES, ForceBuilder
from eigenbody.elements.forces.base import Coupling
from eigenbody.elements.forces.load import load_directions
from eigenbody.elements.joints import JOINTS, JointType, Tie
from eigenbody.elements.measures.slip import Slip
from eigenbody.elements.measures.templates import Kernel, Pairs
from eigenbody.elements.measures.types import MEASURES
from eigenbody.elements.places import Places
from eigenbody.errors import Fault, InputError
from eigenbody.model.description import Description, Entry, Table
from eigenbody.model.description import Signal as DescribedSignal
from eigenbody.model.expressions import Expression, parse
from eigenbody.system.measureset import MeasureSet, Placed, counts_turns, merge
from eigenbody.system.signals import SignalCompiler
from eigenbody.system.state import carriers
from eigenbody.system.system import Constraints, Forces, Given, Motion, Output, Row, System
from eigenbody.system.topology import Tree, span

FREE = JOINTS["free"]


def compile_system(description: Description) -> System:
    """Compile a description. Raises InputError for what only geometry can tell (zero-length springs, ...)."""
    places = Places(description)
    joints = _Joints(description, places)
    tree = _tree(description, places, joints)
    named = _NamedMeasures(description, places, joints, tree)
    builder = _forces(description, places)
    compiler = _signal_compiler(description, named, builder)
    rows = _ConstraintRows(description, joints, named)
    force_parts = _force_parts(description, places, builder, compiler)
    outputs = _outputs(description, named, compiler)
    dof = _layout(description, places, joints, rows, builder, named)
    named_set = named.merged(dof)
    return _put_together(
        description, places, joints, tree, named, named_set, builder, compiler, rows, force_parts, outputs, dof
    )


@dataclass
class _Joints:
    """Joints grouped by type, with their frames; row ranges in file order."""

    description: Description
    places: Places
    types: list[JointType] = field(init=False)
    groups: dict[str, tuple[np.ndarray, Pairs]] = field(init=False)
    row_start: np.ndarray = field(init=False)
    first: np.ndarray = field(init=False)
    second: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        entries = self.description.joints
        self.types = [JOINTS[entry.type] for entry in entries]
        self.first = self.places.carriers([entry["between"][0] for entry in entries])
        self.second = self.places.carriers([entry["between"][1] for entry in entries])
        self.row_start = np.concatenate(([0], np.cumsum([len(t.held) for t in self.types], dtype=int)))
        by_type: dict[str, list[int]] = {}
        for i, entry in enumerate(entries):
            by_type.setdefault(entry.type, []).append(i)
        self.groups = {}
        for name, index in by_type.items():
            chosen = [entries[i] for i in index]
            _check_axes(chosen, JOINTS[name])
            self.groups[name] = (np.array(index), self.places.pairs(chosen, JOINTS[name].needs_point))


def _check_axes(entries: Sequence[Entry], joint: JointType) -> None:
    if not joint.right_angle:
        return
    faults = []
    for entry in entries:
        axis, axis2 = entry.get("axis"), entry["axis2"]
        axis = np.array([0.0, 0.0, 1.0]) if axis is None else axis
        cosine = np.real(axis @ axis2) / np.sqrt(np.real(axis @ axis) * np.real(axis2 @ axis2))
        if abs(cosine) > 1e-9:
            degrees = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
            what = f"axis2 must be perpendicular to axis, but the angle between them is {degrees:.6g} deg."
            faults.append(Fault(entry.where, what, "Correct one of the two."))
    if faults:
        raise InputError(faults)


def _tree(description: Description, places: Places, joints: _Joints) -> Tree:
    bodies = len(description.bodies)
    still = [places.ground, *range(bodies, places.ground)]
    branch = np.array([t.branch for t in joints.types], dtype=bool)
    return span(bodies, still, joints.first, joints.second, branch)


@dataclass
class _NamedMeasures:
    """Joint coordinates, measures of the file, and body coordinates where a body floats or is asked for by name."""

    description: Description
    places: Places
    joints: _Joints
    tree: Tree
    names: list[str] = field(default_factory=list)
    dimensions: list[str] = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)
    joint_start: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        types = self.joints.types
        entries = self.description.joints
        self.joint_start = np.concatenate(([0], np.cumsum([len(t.free) for t in types], dtype=int)))
        for entry, joint in zip(entries, types, strict=True):
            for template in joint.free:
                alone = len(joint.free) == 1
                full = f"{entry.name}.{template.label}"
                self.index[full] = len(self.names)
                if alone:
                    self.index[entry.name] = len(self.names)
                self.names.append(entry.name if alone else full)
                self.dimensions.append(template.dimension)
        for name, (index, pairs) in self.joints.groups.items():
            for k, template in enumerate(JOINTS[name].free):
                self.placed.append((template.kernel(pairs), self.joint_start[index] + k))
        for entry in self.description.measures:
            measure = MEASURES[entry.type]
            self._add(entry.name, str(measure.spec.dimension), measure.kernel(entry, self.places))
        for body in self.tree.roots:
            self.body(self.places.names[body])

    def _add(self, name: str, dimension: str, kernel: Kernel) -> None:
        self.index[name] = len(self.names)
        self.placed.append((kernel, np.array([len(self.names)])))
        self.names.append(name)
        self.dimensions.append(dimension)

    def body(self, name: str) -> list[int]:
        """The six coordinates of a body relative to its drawn place."""
        if f"{name}.x" not in self.index or f"{name}.rz" not in self.index:
            body, ground = self.places.index[name], self.places.ground
            at = self.places.r[[body]]
            eye = np.eye(3)[None]
            pairs = Pairs(
                np.array([ground]), np.array([body]), at, np.zeros((1, 3)),
                eye, self.places.local_axes(np.array([body]), eye),
            )  # fmt: skip
            for template in FREE.free:
                if f"{name}.{template.label}" not in self.index:
                    self._add(f"{name}.{template.label}", template.dimension, template.kernel(pairs))
        return [self.index[f"{name}.{template.label}"] for template in FREE.free]

    def of(self, name: str) -> int:
        """Index of a measure by name; body coordinates come into being when asked for."""
        if name not in self.index:
            self.body(name.rpartition(".")[0])
        return self.index[name]

    @property
    def counter(self) -> np.ndarray:
        """Turn counter of every named measure."""
        out = np.full(len(self.names), -1)
        counted = np.concatenate([p for k, p in self.placed if counts_turns(k)] or [np.zeros(0, dtype=int)])
        out[np.sort(counted)] = np.arange(len(counted))
        return out

    def merged(self, dof: np.ndarray) -> MeasureSet:
        return merge(self.placed, len(self.names), dof, self.counter)


def _forces(description: Description, places: Places) -> ForceBuilder:
    builder = ForceBuilder(places)
    by_type: dict[str, list[Entry]] = {}
    for entry in description.forces:
        by_type.setdefault(entry.type, []).append(entry)
    for name, entries in by_type.items():
        FORCES[name].build(entries, builder)
    return builder


def _signal_compiler(description: Description, named: _NamedMeasures, builder: ForceBuilder) -> SignalCompiler:
    def channel_of(name: str) -> int:
        named.of(name)
        return int(builder.along([name])[0])

    states = [entry.name for entry in description.states]
    inputs = [entry.name for entry in description.inputs]
    return SignalCompiler(description.variables, states, inputs, channel_of)


@dataclass
class _ForceParts:
    constant: list[tuple[int, float, int]]
    signals: list
    state_rates: list
    inputs: list[tuple[int, int, float]]


def _force_parts(
    description: Description, places: Places, builder: ForceBuilder, compiler: SignalCompiler
) -> _ForceParts:
    """Compile every signal; this may open further channels, so it comes before the channels are counted."""
    parts = _ForceParts([], [], [], [])
    for item in builder.signals:
        if isinstance(item.signal, Expression | Table):
            signal = compiler.compile(item.signal, item.channel, item.factor, item.owner, (item.channel, item.free))
            parts.signals.append(signal)
        else:
            parts.constant.append((item.channel, item.factor * item.signal, item.owner))
    for i, entry in enumerate(description.states):
        parts.state_rates.append(compiler.compile(entry["rate"], i))
    for i, entry in enumerate(description.inputs):
        parts.inputs.extend((channel, i, weight) for channel, weight in _input_channels(entry, places, builder))
    return parts


def _input_channels(entry: Entry, places: Places, builder: ForceBuilder) -> list[tuple[int, float]]:
    if entry.get("along") is not None:
        return [(int(builder.along([entry["along"]])[0]), 1.0)]
    if entry.get("body") is None:
        return []  # a setpoint: only expressions read it
    direction = entry.get("direction")
    if direction is None:
        raise InputError(Fault(entry.where, "a force at a body needs a direction.", 'Add "direction: [x, y, z]".'))
    channels = builder.private(load_directions(places, entry, bool(entry.get("torque", False))))
    unit = direction / np.sqrt(direction @ direction)
    return [(int(c), float(w)) for c, w in zip(channels, unit, strict=True) if w != 0]


class _ConstraintRows:
    """All holonomic rows: joints in file order, then couplings, joint motions, drivers."""

    def __init__(self, description: Description, joints: _Joints, named: _NamedMeasures) -> None:
        self.placed: list[Placed] = []  # private measures
        self.named: list[tuple[int, int]] = []  # (measure position, named index)
        self.terms: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.rows: list[Row] = [
            Row(entry.name, item.label, "joint")
            for entry, joint in zip(description.joints, joints.types, strict=True)
            for item in joint.held
        ]
        self.count = 0
        self.constants: dict[int, float] = {}
        self.motions: list[tuple[int, DescribedSignal]] = []
        self.keep_drawn: list[np.ndarray] = []
        self.joint_motion_rows: list[int] = []
        for name, (index, pairs) in joints.groups.items():
            for k, item in enumerate(JOINTS[name].held):
                rows = joints.row_start[index] + k
                if isinstance(item, Tie):
                    self._tie(item, [description.joints[i] for i in index], pairs, rows, named)
                else:
                    measures = self._private(item.kernel(pairs))
                    self.terms.append((rows, measures, np.ones(len(rows))))
                    if JOINTS[name].keeps_drawn:
                        self.keep_drawn.append(rows)
        for entry in description.couplings:
            self._combination(Row(entry.name, entry.type, "coupling"), COUPLINGS[entry.type].terms(entry), named)
            self.constants[len(self.rows) - 1] = entry.get("constant", 0.0)
        for i, entry in enumerate(description.joints):
            for k, signal in enumerate(entry.get("motion", ())):
                if signal is not None:
                    label = joints.types[i].free[k].label
                    self._prescribe(Row(entry.name, f"motion {label}", "driver"), int(named.joint_start[i]) + k, signal)
        for entry in description.drivers:
            self._prescribe(Row(entry.name, "motion", "driver"), named.of(entry["measure"]), entry["motion"])

    def _private(self, kernel: Kernel) -> np.ndarray:
        positions = np.arange(self.count, self.count + len(kernel.carriers))
        self.count += len(positions)
        self.placed.append((kernel, positions))
        return positions

    def _from_named(self, index: int) -> int:
        self.named.append((self.count, index))
        self.count += 1
        return self.count - 1

    def _tie(self, tie: Tie, entries: list[Entry], pairs: Pairs, rows: np.ndarray, named: _NamedMeasures) -> None:
        for template, factor, key in tie.terms:
            scale = np.array([factor * (1.0 if key is None else entry[key]) for entry in entries])
            if template.label:  # a coordinate of the joint, which counts turns
                measures = np.array([self._from_named(named.index[f"{e.name}.{template.label}"]) for e in entries])
            else:
                measures = self._private(template.kernel(pairs))
            self.terms.append((rows, measures, scale))

    def _combination(self, row: Row, terms: dict[str, float], named: _NamedMeasures) -> None:
        number = np.array([len(self.rows)])
        self.rows.append(row)
        for name, factor in terms.items():
            measure = np.array([self._from_named(named.of(name))])
            self.terms.append((number, measure, np.array([factor])))

    def _prescribe(self, row: Row, measure: int, signal: DescribedSignal) -> None:
        number = np.array([len(self.rows)])
        self.rows.append(row)
        self.terms.append((number, np.array([self._from_named(measure)]), np.ones(1)))
        self.motions.append((int(number[0]), signal))


def _outputs(description: Description, named: _NamedMeasures, compiler: SignalCompiler) -> tuple[Output, ...]:
    out = []
    for i, entry in enumerate(description.outputs):
        if entry.get("measure") is not None:
            order = entry.get("order", 0)
            if order not in (0, 1, 2):
                raise InputError(Fault(entry.where, f"order {order} does not exist.", "Use 0, 1 or 2."))
            out.append(Output(entry.name, named.of(entry["measure"]), order, None))
        else:
            out.append(Output(entry.name, -1, 0, compiler.compile(entry["expression"], i)))
    for name in description.coordinates:
        named.of(name)
    return tuple(out)


def _layout(
    description: Description,
    places: Places,
    joints: _Joints,
    rows: _ConstraintRows,
    builder: ForceBuilder,
    named: _NamedMeasures,
) -> np.ndarray:
    """Coordinates of every carrier: six per body, three for a point mass whose rotation nothing feels."""
    bodies = len(description.bodies)
    dof = np.full((len(places.names), 6), -1)
    present = np.ones((bodies, 6), dtype=bool)
    candidates = description.bodies.is_point
    if candidates.any():
        used = [p for p, _ in rows.placed] + [p for p, _ in builder.kernels]
        asked = {i for _, i in rows.named} | {named.index[n] for n in builder.named}
        asked |= {named.index[n] for n in description.coordinates}
        asked |= {named.index[entry.name] for entry in description.measures}
        used += [k.take(np.flatnonzero(chosen)) for k, p in named.placed if (chosen := np.isin(p, list(asked))).any()]
        used += _slip_kernels(joints)[0]
        turning = _turning(used, len(places.names)) & ~_point_only(joints, len(places.names), rows, builder, used)
        present[candidates & ~turning[:bodies], 3:] = False
    dof[:bodies][present] = np.arange(present.sum())
    return dof


def _turning(kernels: Iterable[Kernel], count: int) -> np.ndarray:
    """Which carriers' rotation any of the kernels feels."""
    out = np.zeros(count, dtype=bool)
    for kernel in kernels:
        out[kernel.carriers[kernel.turns()]] = True
    return out


def _point_only(
    joints: _Joints, count: int, rows: _ConstraintRows, builder: ForceBuilder, used: list[Kernel]
) -> np.ndarray:
    """Carriers that are felt to turn only as the first of ball joints at their own origin, which is no turning."""
    out = np.zeros(count, dtype=bool)
    balls = [joints.groups[name] for name in ("spherical", "point") if name in joints.groups]
    if not balls:
        return out
    ball_rows = np.concatenate([joints.row_start[index] for index, _ in balls])
    ball_rows = (ball_rows[:, None] + np.arange(3)).ravel()
    of_balls = {int(m) for r, m, _ in rows.terms for m in m[np.isin(r, ball_rows)]}
    others: list[Kernel] = []
    for kernel, positions in rows.placed:
        rest = np.flatnonzero(~np.isin(positions, list(of_balls)))
        if len(rest):
            others.append(kernel.take(rest))
    private = {id(kernel) for kernel, _ in rows.placed}
    others += [kernel for kernel in used if id(kernel) not in private]
    feels = _turning(others, count)
    for _, pairs in balls:
        for carrier, origin in ((pairs.first, pairs.origin1), (pairs.second, pairs.origin2)):
            away = np.abs(origin).max(axis=-1) > 1e-12
            feels[carrier[away]] = True
            out[carrier] = True
    return out & ~feels


def _slip_kernels(joints: _Joints) -> tuple[list[Kernel], list[np.ndarray]]:
    kernels: list[Kernel] = []
    owners: list[np.ndarray] = []
    for name, (index, pairs) in joints.groups.items():
        for axis in JOINTS[name].slips:
            kernels.append(Slip.along(pairs.carriers, pairs.origin2, pairs.axis(axis + "2")))
            owners.append(index)
    return kernels, owners


def _put_together(
    description: Description,
    places: Places,
    joints: _Joints,
    tree: Tree,
    named: _NamedMeasures,
    named_set: MeasureSet,
    builder: ForceBuilder,
    compiler: SignalCompiler,
    rows: _ConstraintRows,
    parts: _ForceParts,
    outputs: tuple[Output, ...],
    dof: np.ndarray,
) -> System:
    kernels, owners = _slip_kernels(joints)
    starts = np.concatenate(([0], np.cumsum([len(o) for o in owners], dtype=int)))
    slips = merge([(k, np.arange(a, b)) for k, a, b in zip(kernels, starts, starts[1:], strict=False)],
                  int(starts[-1]), dof)  # fmt: skip
    slip_rows = tuple(Row(description.joints[i].name, "no slip", "joint") for o in owners for i in o)
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
        tree_rows=_tree_rows(tree, joints),
        tree_coordinates=_tree_coordinates(tree, joints, named, places, dof),
        positions=_given(description, joints, named, "position"),
        velocities=_given(description, joints, named, "velocity"),
        states=tuple(entry.name for entry in description.states),
        inputs=tuple(entry.name for entry in description.inputs),
        outputs=outputs,
        coordinates=np.array([named.of(name) for name in description.coordinates], dtype=int),
        warnings=tuple(builder.warnings),
        aliases=dict(named.index),
    )
    return _with_drawn_values(system, rows)


def _constraints(rows: _ConstraintRows, compiler: SignalCompiler, named: MeasureSet, dof: np.ndarray) -> Constraints:
    placed, counter = _with_named(rows.placed, rows.named, rows.count, named)
    motions = []
    for row, signal in rows.motions:
        f = signal if isinstance(signal, Expression) else parse(repr(float(np.real(signal))))  # type: ignore[arg-type]
        chain = [f, f.derivative("t"), f.derivative("t").derivative("t")]
        motions.append(Motion(row, *(compiler.compile(e, row) for e in chain)))
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
    builder: ForceBuilder, parts: _ForceParts, named: _NamedMeasures, named_set: MeasureSet, dof: np.ndarray
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


def _tree_rows(tree: Tree, joints: _Joints) -> np.ndarray:
    index = tree.joint[tree.joint >= 0]
    starts, ends = joints.row_start[index], joints.row_start[index + 1]
    return np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)] or [np.zeros(0, dtype=int)])


def _tree_coordinates(
    tree: Tree, joints: _Joints, named: _NamedMeasures, places: Places, dof: np.ndarray
) -> np.ndarray:
    """Named measures in walking order; the rotations of a point mass without rotation are left out."""
    out: list[int] = []
    for body, joint in zip(tree.order, tree.joint, strict=True):
        if joint < 0:
            wanted = named.body(places.names[body])
        else:
            wanted = list(range(named.joint_start[joint], named.joint_start[joint + 1]))
        if dof[body, 3] < 0:
            turning = {named.index[n] for n in (named.names[i] for i in wanted) if n.rsplit(".")[-1] in ("rx", "ry", "rz")}
            wanted = [i for i in wanted if i not in turning]
        out.extend(wanted)
    return np.array(out, dtype=int)


def _given(description: Description, joints: _Joints, named: _NamedMeasures, key: str) -> Given:
    measure, value, where = [], [], []
    for i, entry in enumerate(description.joints):
        for k, number in enumerate(entry.get(key, ())):
            if number is not None:
                measure.append(int(named.joint_start[i]) + k)
                value.append(number)
                where.append(f"{entry.where}: {key}")
    return Given(np.array(measure, dtype=int), np.array(value, dtype=complex if np.iscomplexobj(value) else float),
                 tuple(where))  # fmt: skip


def _with_drawn_values(system: System, rows: _ConstraintRows) -> System:
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
