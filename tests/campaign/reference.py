"""The exact linear state matrix of a mechanism: d'Alembert's principle by differences in long arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, arb_mat

from campaign.assembly import ROTATION_AT, Assembly, Joint, Place, Places, assemble
from campaign.geometry import ONE, STEP, ZERO, Pose, axial, column, cross, exact, use_long_arithmetic

ABSENT = arb(10) ** -40  # a pivot below is a dependent row: differences are exact to 84 digits


class ContradictionError(ValueError):
    """The model's own numbers contradict each other: the tool must refuse it."""


@dataclass
class State:
    """Where the mechanism is and how it moves."""

    places: Places
    rates: list[arb]  # of the tree coordinates; of rotations the relative angular velocity in the first frame


@dataclass
class Linearization:
    """x' = A x of x = [coordinates, their rates], and what the point is."""

    assembly: Assembly
    coordinates: list[str]
    A: arb_mat
    state: State
    accelerations: list[arb]

    @property
    def at_rest(self) -> bool:
        return all(abs(rate) < ABSENT for rate in self.state.rates)

    @property
    def balanced(self) -> bool:
        """Whether no coordinate accelerates."""
        return all(abs(a) < ABSENT for a in self.accelerations)


class Motion:
    """Geometry of one configuration: poses, how each coordinate moves bodies and elements, and the free directions."""

    def __init__(self, assembly: Assembly, places: Places, independent: list[int] | None) -> None:
        self.assembly, self.places = assembly, places
        self.poses = assembly.poses(places)
        self.e = self._elements(self.poses, places)
        self.g = assembly.constraints(self.poses, places)
        columns = [
            self._column(number, i) for number, joint in enumerate(assembly.tree) for i in range(len(joint.labels))
        ]
        self.bodies = _from_columns([c[0] for c in columns])  # (6 bodies, n): v and w in global axes
        self.Je = _from_columns([c[1] for c in columns])
        self.G = _from_columns([c[2] for c in columns])
        self.n = len(columns)
        self.independent = _free_coordinates(self.G, self.n) if independent is None else independent
        self.M = self._mass()
        self._split()

    def _elements(self, poses: list[Pose], places: Places) -> list[arb]:
        return [s for element in self.assembly.elements for s in element.measure(poses, places)]

    def _column(self, number: int, i: int) -> tuple[list[arb], list[arb], list[arb]]:
        joint = self.assembly.tree[number]
        steps = [STEP if i == j else ZERO for j in range(len(joint.labels))]
        places = list(self.places)
        places[number] = joint.moved(places[number], steps)
        poses = self.assembly.poses(places, self.poses, number)
        twist: list[arb] = []
        for before, after in zip(self.poses[1:], poses[1:], strict=True):
            if after is before:
                twist += [ZERO] * 6
                continue
            twist += ((after.r - before.r) / STEP).entries()
            twist += axial((after.R - before.R) * before.R.transpose() / STEP)
        slopes = _slopes(self.e, self._elements(poses, places))
        return twist, slopes, _slopes(self.g, self.assembly.constraints(poses, places))

    def _mass(self) -> arb_mat:
        total = arb_mat(self.n, self.n)
        self.moments = []
        for body, (m, inertia) in enumerate(zip(self.assembly.mass[1:], self.assembly.inertia[1:], strict=True)):
            v, w = _rows(self.bodies, 6 * body, 3), _rows(self.bodies, 6 * body + 3, 3)
            R = self.poses[body + 1].R
            self.moments.append(R * inertia * R.transpose())
            total += v.transpose() * v * m + w.transpose() * self.moments[-1] * w
        return total

    def _split(self) -> None:
        """All tree rates are P times the independent ones; `solver` gives the dependent ones for given rows."""
        free = self.independent
        dependent = [i for i in range(self.n) if i not in free]
        rows = _independent_rows(self.G, dependent)
        if len(rows) != len(dependent):
            raise ValueError("these coordinates do not determine the mechanism")
        self.P = arb_mat(self.n, len(free))
        for j, i in enumerate(free):
            self.P[i, j] = ONE
        self.rows, self.dependent = rows, dependent
        if rows:
            self.GD = arb_mat([[self.G[r, i] for i in dependent] for r in rows])
            known = arb_mat([[-self.G[r, i] for i in free] for r in rows]) if free else None
            if known is not None:
                part = self.GD.solve(known)
                for a, i in enumerate(dependent):
                    for j in range(len(free)):
                        self.P[i, j] = part[a, j]

    def particular(self, right: list[arb]) -> arb_mat:
        """Tree values with zero independent ones that satisfy G x = right."""
        x = arb_mat(self.n, 1)
        if self.rows:
            part = self.GD.solve(column([right[r] for r in self.rows]))
            for a, i in enumerate(self.dependent):
                x[i, 0] = part[a, 0]
        return x

    def accelerations(self, rates: arb_mat) -> arb_mat:
        """Accelerations of the tree coordinates at these rates (n, 1)."""
        assembly = self.assembly
        bias_bodies, bias_rows = self._bias(rates)
        force = -self.Je.transpose() * self._element_forces(self.Je * rates) if self.e else arb_mat(self.n, 1)
        velocity = self.bodies * rates
        for body in range(len(assembly.names) - 1):
            v, w = _rows(self.bodies, 6 * body, 3), _rows(self.bodies, 6 * body + 3, 3)
            m, moment = assembly.mass[body + 1], self.moments[body]
            spin = _rows(velocity, 6 * body + 3, 3)
            linear, angular = (
                column(bias_bodies[6 * body : 6 * body + 3]),
                column(bias_bodies[6 * body + 3 : 6 * body + 6]),
            )
            force += v.transpose() * ((assembly.gravity - linear) * m)
            force -= w.transpose() * (moment * angular + cross(spin, moment * spin))
        fixed = self.particular([-x for x in bias_rows])
        if not self.independent:
            return fixed
        Pt = self.P.transpose()
        return self.P * (Pt * self.M * self.P).solve(Pt * (force - self.M * fixed)) + fixed

    def _element_forces(self, rates: arb_mat) -> arb_mat:
        """Tension of every element measure, positive where it pulls the measure shorter."""
        tension, at = [], 0
        for element in self.assembly.elements:
            size = element.k.nrows()
            s, rate = column(self.e[at : at + size]), _rows(rates, at, size)
            tension += (element.k * (s - element.free) + element.c * rate - element.push).entries()
            at += size
        return column(tension)

    def _bias(self, rates: arb_mat) -> tuple[list[arb], list[arb]]:
        """Accelerations of bodies and rows while all tree rates stay: second differences along that motion."""
        if all(x == 0 for x in rates.entries()):
            return [ZERO] * self.bodies.nrows(), [ZERO] * len(self.g)
        samples, rows = [self.poses], [self.g]
        for count in (1, 2):
            places = moved(self.assembly, self.places, [x * STEP * count for x in rates.entries()])
            samples.append(self.assembly.poses(places))
            rows.append(self.assembly.constraints(samples[-1], places))
        result: list[arb] = []
        for p0, p1, p2 in zip(*(s[1:] for s in samples), strict=True):
            result += ((p2.r - p1.r * 2 + p0.r) / STEP**2).entries()
            result += axial((p2.R - p1.R * 2 + p0.R) * p0.R.transpose() / STEP**2)
        return result, [(c - 2 * b + a) / STEP**2 for a, b, c in zip(*rows, strict=True)]


def moved(assembly: Assembly, places: Places, steps: list[arb]) -> Places:
    """Places after a step of all tree coordinates."""
    return [
        joint.moved(place, steps[joint.start : joint.start + len(joint.labels)])
        for joint, place in zip(assembly.tree, places, strict=True)
    ]


def linearize(document: dict[str, Any], coordinates: list[str] | None = None) -> Linearization:
    """The exact linearization about the initial state, in the coordinates asked for."""
    use_long_arithmetic()
    assembly = assemble(document)
    state = initial_state(assembly)
    names = assembly.coordinates
    independent = None if coordinates is None else [names.index(name) for name in coordinates]
    return linearize_at(assembly, state, independent)


def linearize_at(assembly: Assembly, state: State, independent: list[int] | None) -> Linearization:
    """The exact linearization about a consistent state: phi'' = d(alpha) + w x phi' + alpha x phi for ball joints."""
    here = Motion(assembly, state.places, independent)
    free, P = here.independent, here.P
    w = column(state.rates) if state.rates else arb_mat(0, 1)
    alpha = here.accelerations(w)
    turning, speeding = _ball_turns(assembly, w), _ball_turns(assembly, alpha)
    count = len(free)
    A = arb_mat(2 * count, 2 * count)
    for j in range(count):
        A[j, count + j] = ONE
        phi = _rows(P.transpose(), j, 1).transpose()
        turned = turning * phi
        there = Motion(assembly, moved(assembly, state.places, [x * STEP for x in phi.entries()]), free)
        rates = there.P * column([w[i, 0] - STEP * turned[i, 0] for i in free])
        d_rates, d_alpha = (rates - w) / STEP, (there.accelerations(rates) - alpha) / STEP
        by_place = d_alpha + turning * (d_rates + turned) + speeding * phi
        rates = w + phi * STEP
        by_rate = (here.accelerations(rates) - alpha) / STEP + turning * phi
        for a, i in enumerate(free):
            A[count + a, j], A[count + a, count + j] = by_place[i, 0], by_rate[i, 0]
    names = assembly.coordinates
    return Linearization(assembly, [names[i] for i in free], A, state, alpha.entries())


def _ball_turns(assembly: Assembly, rates: arb_mat) -> arb_mat:
    """The matrix of w x on the three small rotations of each ball or free joint."""
    n = rates.nrows()
    matrix = arb_mat(n, n)
    for joint in assembly.tree:
        if joint.type in ROTATION_AT:
            at = joint.start + ROTATION_AT[joint.type]
            x, y, z = (rates[at + i, 0] for i in range(3))
            for i, row in enumerate([[ZERO, -z, y], [z, ZERO, -x], [-y, x, ZERO]]):
                for j, value in enumerate(row):
                    matrix[at + i, at + j] = value
    return matrix


# Initial state


def initial_state(assembly: Assembly) -> State:
    """Given positions and velocities hold, then all constraints, then tree coordinates in their order are zero."""
    places = _initial_places(assembly)
    if not any(value != 0 for joint in [*assembly.tree, *assembly.loops] for value in _given(joint, "velocity")):
        return State(places, [ZERO] * len(assembly.coordinates))
    motion = Motion(assembly, places, None)
    rows = _rows_of(motion.G)
    right = [ZERO] * len(rows)
    for joint in [*assembly.tree, *assembly.loops]:
        for i, value in enumerate(_given(joint, "velocity")):
            rows.append(_coordinate_row(motion, joint, i))
            right.append(value)
    rows += [_coordinate_row(motion, joint, i) for joint in assembly.tree for i in range(len(joint.labels))]
    return State(places, _settle(rows, right, motion.n))


def _given(joint: Joint, key: str) -> list[arb]:
    value = joint.entry.get(key)
    if value is None:
        return []
    return [exact(v) for v in (value if isinstance(value, list) else [value])]


def _coordinate_row(motion: Motion, joint: Joint, i: int) -> list[arb]:
    """How the rate of the value of one coordinate of a joint follows from the tree rates."""
    if joint.start >= 0 and joint.type not in ROTATION_AT:
        return [ONE if j == joint.start + i else ZERO for j in range(motion.n)]
    assembly = motion.assembly
    before = joint.measured(assembly.between(joint, motion.poses), None)[i]
    row = []
    for j in range(motion.n):
        places = moved(assembly, motion.places, [STEP if j == k else ZERO for k in range(motion.n)])
        row.append((joint.measured(assembly.between(joint, assembly.poses(places)), None)[i] - before) / STEP)
    return row


def _settle(rows: list[list[arb]], right: list[arb], n: int) -> list[arb]:
    """The solution of the first independent rows; those without a right side are zero."""
    if n == 0:
        return []
    given = len(right)
    right = [*right, *([ZERO] * (len(rows) - given))]
    kept = _first_independent(rows, n)
    found = arb_mat([rows[r] for r in kept]).solve(column([right[r] for r in kept]))
    for row, value in zip(rows, right[:given], strict=False):
        if abs(sum((a * b for a, b in zip(row, found.entries(), strict=True)), -value)) > ABSENT:
            raise ContradictionError("given velocities contradict the constraints")
    return found.entries()


def _initial_places(assembly: Assembly) -> Places:
    places = [joint.drawn() for joint in assembly.tree]
    given = [(j, values) for j in [*assembly.tree, *assembly.loops] if (values := _given(j, "position"))]
    if not given:
        return places
    if not assembly.loops and not assembly.gears:
        values = {joint.name: v for joint, v in given}
        return [
            j.moved(p, values[j.name]) if j.name in values else p for j, p in zip(assembly.tree, places, strict=True)
        ]
    return _closed(assembly, places, given)


def _closed(assembly: Assembly, places: Places, given: list[tuple[Joint, list[arb]]]) -> Places:
    """Newton's method from the drawing in small steps of the given positions."""
    n = len(assembly.coordinates)
    drawn = Motion(assembly, places, None)
    first = [*_rows_of(drawn.G), *(_coordinate_row(drawn, j, i) for j, v in given for i in range(len(v)))]
    kept = _first_independent([*first, *([ONE if j == i else ZERO for j in range(n)] for i in range(n))], n)
    parts = 16

    def residual(places: Places, share: arb) -> list[arb]:
        poses = assembly.poses(places)
        values = assembly.constraints(poses, places)
        for joint, wanted in given:
            place = places[assembly.tree.index(joint)] if joint.start >= 0 else None
            got = joint.measured(assembly.between(joint, poses), place)
            values += [a - b * share for a, b in zip(got, wanted, strict=True)]
        for joint, place in zip(assembly.tree, places, strict=True):
            values += joint.measured(assembly.between(joint, poses), place)
        return [values[r] for r in kept]

    for part in range(1, parts + 1):
        for _ in range(40):
            r = residual(places, exact(part) / parts)
            if all(abs(x) < STEP**3 for x in r):
                break
            slopes = []
            for i in range(n):
                stepped = moved(assembly, places, [STEP if i == k else ZERO for k in range(n)])
                slopes.append(_slopes(r, residual(stepped, exact(part) / parts)))
            step = _from_columns(slopes).solve(column([-x for x in r]))
            places = [_midpoints(p) for p in moved(assembly, places, step.entries())]
            if part < parts and all(abs(x) < exact("0.001") for x in step.entries()):
                break
    return places


def _midpoints(place: Place) -> Place:
    """Newton's method mends its own errors: balls need not grow."""
    return Place(tuple(v.mid() for v in place.values), arb_mat(3, 3, [x.mid() for x in place.R.entries()]))


# Matrices


def _slopes(before: list[arb], after: list[arb]) -> list[arb]:
    return [(b - a) / STEP for a, b in zip(before, after, strict=True)]


def _from_columns(columns: list[list[arb]]) -> arb_mat:
    if not columns or not columns[0]:
        return arb_mat(0, len(columns))
    return arb_mat([list(row) for row in zip(*columns, strict=True)])


def _rows_of(matrix: arb_mat) -> list[list[arb]]:
    return [[matrix[i, j] for j in range(matrix.ncols())] for i in range(matrix.nrows())]


def _rows(matrix: arb_mat, start: int, count: int) -> arb_mat:
    return arb_mat([[matrix[i, j] for j in range(matrix.ncols())] for i in range(start, start + count)])


def _first_independent(rows: list[list[arb]], limit: int) -> list[int]:
    """Indices of the rows, in order, that do not depend on those before them."""
    basis: list[tuple[int, list[arb]]] = []
    kept = []
    for index, row in enumerate(rows):
        row = list(row)
        for pivot, other in basis:
            if row[pivot] != 0:
                factor = row[pivot] / other[pivot]
                row = [a - factor * b for a, b in zip(row, other, strict=True)]
        if not row:
            continue
        sizes = [abs(float(x.mid())) for x in row]
        pivot = sizes.index(max(sizes))
        if sizes[pivot] > float(ABSENT):
            basis.append((pivot, row))
            kept.append(index)
        if len(kept) == limit:
            break
    return kept


def _independent_rows(G: arb_mat, dependent: list[int]) -> list[int]:
    rows = [[G[r, i] for i in dependent] for r in range(G.nrows())]
    return _first_independent(rows, len(dependent)) if dependent else []


def _free_coordinates(G: arb_mat, n: int) -> list[int]:
    """The last coordinates in their order that the constraints leave free."""
    columns = [[G[r, i] for r in range(G.nrows())] for i in reversed(range(n))]
    held = {n - 1 - i for i in _first_independent(columns, G.nrows())} if G.nrows() else set()
    return [i for i in range(n) if i not in held]
