"""The resolved description of a mechanism: names, SI numbers and parsed expressions; inert and immutable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.expressions import Expression

if TYPE_CHECKING:
    from eigenbody.structures.beam_section import Outline
    from eigenbody.structures.structure import Reduced


@dataclass(frozen=True)
class Function:
    """A Python function as a force, a state's rate, a variable or an output: call(*values of the names in `of`).

    `of` names what a model expression could name (measures, rates `m'`, states, inputs, parameters are constants of the
    function itself), in a force also `s` and `v`, its own deflection and rate; left out, they are the names of the
    function's arguments. `derivative(*values)` returns the slopes by each of them; left out, they are found by a
    complex step where the function bears complex numbers, else by differences extrapolated to step zero. `vectorized`
    says that arrays may be given in place of numbers.
    """

    call: Callable[..., Any]
    of: tuple[str, ...] = ()
    derivative: Callable[..., Any] | None = None
    vectorized: bool = False

    def __post_init__(self) -> None:
        names = tuple(self.of) or tuple(signature(self.call).parameters)
        object.__setattr__(self, "of", names)


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A convex surface of a body, in axes of its own: `form` is "sphere", "ellipsoid" (`size` (3,): half axes) or
    "implicit": `formula` of x, y, z (m), below zero inside and zero on the surface."""

    form: str
    size: np.ndarray
    formula: Expression | None = None
    where: str = ""  # place in the model file, for messages


Signal = float | Expression | Function  # what a value that may vary in time can be


@dataclass(frozen=True, slots=True)
class Entry:
    """One named item of a section with its resolved values. `where` is the place for messages."""

    name: str
    type: str
    values: Mapping[str, Any]
    where: str = ""

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def get(self, key: str, default: Any = None) -> Any:
        value = self.values.get(key)
        return default if value is None else value


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """A frame fixed on a body; position (3,) and rotation (3, 3) are global, in the reference configuration."""

    name: str
    body: str
    position: np.ndarray
    rotation: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class BodyTable:
    """All bodies as arrays: `position` of the centre of mass and `rotation` (body to global) in the reference
    configuration; `inertia` about the centre of mass in body axes."""

    names: tuple[str, ...]
    mass: np.ndarray  # (n,)
    inertia: np.ndarray  # (n, 3, 3)
    position: np.ndarray  # (n, 3)
    rotation: np.ndarray  # (n, 3, 3)
    is_point: np.ndarray  # (n,) bool: given without inertia
    shapes: tuple[Any, ...]
    modal: np.ndarray | None = None  # (n,) how many modal coordinates it stands for; None: none does
    is_node: np.ndarray | None = None  # (n,) bool: a node of a flexible body; None: none is

    def __len__(self) -> int:
        return len(self.names)

    @property
    def is_material(self) -> np.ndarray:
        """(n,) bool: a body of its own, neither a node of one nor a set of modal coordinates."""
        if self.modal is None or self.is_node is None:
            return np.ones(len(self.names), dtype=bool)
        return (self.modal == 0) & ~self.is_node

    @property
    def material_names(self) -> tuple[str, ...]:
        """Names of the bodies of their own."""
        return tuple(name for name, own in zip(self.names, self.is_material, strict=True) if own)

    @property
    def known_names(self) -> tuple[str, ...]:
        """Names by which a user may call bodies and nodes; modal coordinates are no bodies."""
        if self.modal is None:
            return self.names
        return tuple(name for name, modes in zip(self.names, self.modal, strict=True) if not modes)


def owner_of(name: str) -> str:
    """The entry of the model that something belongs to: `blade` of `blade.s3`, a body is its own."""
    return name.partition(".")[0]


def is_internal(entry: Entry) -> bool:
    """Whether a joint or force was brought along by a flexible body; no name that a user gives has a dot."""
    return "." in entry.name


def is_inner(node: str) -> bool:
    """Whether a node is one at which sections of a flexible body are joined: `blade.s2.start`, and not `blade.tip`."""
    return node.count(".") > 1


@dataclass(frozen=True, slots=True, eq=False)
class FlexibleBody:
    """A flexible body: its floating frame is the body `name`; `carriers` are bodies whose positions are its modal
    coordinates, three each. `nodes` are the bodies that stand for those of its nodes that are used."""

    name: str
    where: str
    reduced: Reduced
    damping: np.ndarray  # (m, m)
    carriers: tuple[str, ...]
    nodes: Mapping[str, int]  # body: number of the node
    lines: tuple[tuple[int, ...], ...] = ()  # nodes joined by lines, for drawing
    outlines: tuple[Outline, ...] = ()  # of the sections between the nodes of each line
    symmetry: tuple[np.ndarray, np.ndarray] | None = None  # axis (3,) and generator (m, m), structures/symmetry.py

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the modal coordinates."""
        return tuple(f"{self.name}.q{k + 1}" for k in range(self.reduced.modes))


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """The whole mechanism: every section with its names and values."""

    name: str
    parameters: Mapping[str, float]
    gravity: np.ndarray  # (3,)
    bodies: BodyTable
    flexible: tuple[FlexibleBody, ...] = ()
    markers: Mapping[str, Marker] = field(default_factory=dict)
    frames: tuple[Entry, ...] = ()
    joints: tuple[Entry, ...] = ()
    couplings: tuple[Entry, ...] = ()
    drivers: tuple[Entry, ...] = ()
    measures: tuple[Entry, ...] = ()
    forces: tuple[Entry, ...] = ()
    states: tuple[Entry, ...] = ()
    variables: tuple[Entry, ...] = ()
    blocks: tuple[Entry, ...] = ()
    inputs: tuple[Entry, ...] = ()
    outputs: tuple[Entry, ...] = ()
    rotors: tuple[Entry, ...] = ()
    coordinates: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()  # of the coordinates, where they are given as a map
    poses: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # values of measures by name
    pose: Mapping[str, Any] = field(default_factory=dict)  # those that the drawing is put into
    operating_point: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float | None = None  # m: gap of joints that counts as rounding of the drawing
    closed: str = ""  # what was closed of it

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """Every entry with the section it stands in."""
        sections = "joints couplings drivers measures forces states variables blocks inputs outputs"
        for section in sections.split():
            for entry in getattr(self, section):
                yield section, entry
