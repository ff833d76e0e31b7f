"""Data flows one way and through the front door: one test for each rule, which lists every place that breaks it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from typing import TypeGuard

import architecture
import pytest
from architecture import LAYERS, PACKAGE, PAGE, ROOT, SLICES, Module, imports, modules

DEPENDENCIES = {
    "numpy", "scipy", "threadpoolctl", "yaml", "pint", "typer", "rich", "matplotlib", "plotly", "pyarrow", "pandas",
    "xarray", "control", "sympy", "pyyeti", "numba", "mujoco", "pymetis", "trimesh", "distributed",
    "pyuff", "starlette", "uvicorn",
}  # fmt: skip
ONLY_IN = {
    "pyarrow": ("present", "many"), "pandas": ("present",), "xarray": ("present",), "control": ("linearization",),
    "rich": ("present", "cli"), "matplotlib": ("present", "analyses/drawing"), "typer": ("cli",),
    "plotly": ("analyses/report",), "sympy": ("routes",), "pyyeti": ("structures",), "numba": ("simulation",),
    "pymetis": ("numerics",), "distributed": ("many",), "pyuff": ("exchange",), "starlette": ("pages",),
    "uvicorn": ("pages",),
}  # fmt: skip
INDEPENDENT = ("base", "spatial", "numerics", "model", "routes")
"""What the other routes may share with the main engine: the description of a model and general algebra."""
DRAWN = "base/result.py"
"""Results print and draw themselves: it imports `present` where they do, and there alone."""
SHOWING = ("base", "spatial", "model", "exchange", "present")
"""What `present` may import: it is handed results and computes nothing; `exchange` has the formats of files."""
DRAWING = "eigenbody.analyses.drawing"  # what a mechanism looks like in space: pictures of modes show it
LONGEST = 400


Found = Iterator[tuple[int, str]]  # lines, and what is wrong there


# Imports --------------------------------------------------------------------------------------------------------------
def every_module_is_in_a_known_layer(module: Module) -> Found:
    if module.layer not in LAYERS:
        yield 1, f"{module.layer} is in no layer; add it to docs/architecture.md where it belongs"


def imports_go_one_way(module: Module) -> Found:
    own = LAYERS.index(module.layer)
    for item in module.imports:
        drawing_itself = item.lazy and item.layer == "present" and module.name == DRAWN
        if item.is_own and not item.typing_only and LAYERS.index(item.layer) > own and not drawing_itself:
            yield item.line, f"{module.layer} imports {item.name}"


def slices_are_entered_by_their_doors(module: Module) -> Found:
    """An analysis imports another from its folder, never from a module in it, and only one that stands before it."""
    for item in module.imports:
        if item.slice in (None, module.slice) or item.layer in ("present", "cli"):
            continue
        if not PACKAGE.joinpath(*item.path[1:]).is_dir():
            yield item.line, f"{item.name}: import it from the folder"
        is_late = module.slice in SLICES[: SLICES.index(item.slice)]
        if is_late and module.layer == "analyses" and not item.typing_only:
            yield item.line, f"{module.slice} imports {item.slice}, which comes after it"


def present_computes_nothing(module: Module) -> Found:
    """It imports no analysis and no numerics; what it shows is an attribute of the result it is handed. A look may name
    what is in its folder."""
    if module.layer == "present":
        for item in module.imports:
            near = item.name.startswith((module.folder, DRAWING))
            if item.is_own and not item.typing_only and item.layer not in SHOWING and not near:
                yield item.line, f"present imports {item.name}"


def foreign_imports_are_declared_dependencies(module: Module) -> Found:
    """Hence nothing from tests, examples or benchmarks either."""
    for item in module.imports:
        root = item.name.split(".")[0]
        if not (item.is_own or root in sys.stdlib_module_names or root in DEPENDENCIES):
            yield item.line, root
        if (
            root in ONLY_IN
            and not item.typing_only
            and not {module.layer, module.name.rpartition("/")[0]} & {*ONLY_IN[root]}
        ):
            yield item.line, f"{root} is for {' and '.join(ONLY_IN[root])} alone"


def other_routes_are_independent_of_the_engine(module: Module) -> Found:
    """A route that shared dynamics, elements or the linearization would repeat their mistakes."""
    if module.layer == "routes":
        for item in module.imports:
            if item.is_own and item.layer not in INDEPENDENT:
                yield item.line, item.name


def modules_are_short(module: Module) -> Found:
    lines = len(module.text.splitlines())
    if lines >= LONGEST:
        yield lines, f"{lines} lines: make it a folder"


# Private names --------------------------------------------------------------------------------------------------------
def private_names_stay_at_home(module: Module) -> Found:
    """A name that another module needs is public."""
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eigenbody"):
            for alias in node.names:
                if is_private(alias.name):
                    yield node.lineno, f"{node.module}: {alias.name}"


def private_attributes_stay_at_home(module: Module) -> Found:
    """`thing._name` is for the module whose class has it; named tuples and notebooks have names of their own."""
    own = set(defined_names(module))
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            yield node.lineno, ast.unparse(node)


def is_private(name: str) -> bool:
    of_others = name in ("_replace", "_asdict", "_fields", "_make", "_exit") or name.startswith("_repr_")
    return name.startswith("_") and not name.startswith("__") and not of_others


def defined_names(module: Module) -> Iterator[str]:
    """Functions, classes, fields, and attributes that `self` is given."""
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and dotted(node.value) == "self":
            yield node.attr


# Side doors -----------------------------------------------------------------------------------------------------------
def frozen_objects_are_not_written_to(module: Module) -> Found:
    """`__dict__` is not touched; `object.__setattr__` completes `self` in `__post_init__` or an object just made."""
    if "__dict__" not in module.text and "__setattr__" not in module.text:
        return
    for function in (*functions(module), module.tree):
        completed = {"self"} if getattr(function, "name", "") == "__post_init__" else set()
        for node in own_nodes(function):
            if isinstance(node, ast.Assign) and is_call(node.value, "object.__new__"):
                completed |= {dotted(target) for target in node.targets}
            is_dict = isinstance(node, ast.Attribute) and node.attr == "__dict__"
            if is_dict or (is_call(node, "object.__setattr__") and dotted(node.args[0]) not in completed):
                yield node.lineno, ast.unparse(node)  # type: ignore[attr-defined]


def is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and dotted(node.func) == name


def dotted(node: ast.AST) -> str:
    """`a.b.c` as text; empty where something else than names stands in it."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def nothing_is_kept_by_id(module: Module) -> Found:
    """An `id` is given again when its object has gone: it numbers objects in a table of the function's own alone."""
    if "id(" not in module.text:
        return
    public = {name for node in module.tree.body if isinstance(node, ast.Assign) for name in map(dotted, node.targets)}
    public |= {dotted(node.target) for node in module.tree.body if isinstance(node, ast.AnnAssign)}
    tables = [pair for node in module.nodes for pair in keys_of(node)]
    local = [key for key, table in tables if isinstance(table, ast.Name) and table.id not in public]
    for function in functions(module):
        for node in own_nodes(function):
            if is_call(node, "id") and function.name != "__repr__" and node not in local:
                yield node.lineno, ast.unparse(node)


def keys_of(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What is looked up, and where: `table[key]`, `key in table`, `table.add(key)`, `{key for ...}`."""
    if isinstance(node, ast.Subscript):
        yield node.slice, node.value
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        yield node.left, node.comparators[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
        yield node.args[0], node.func.value
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.SetComp):
        yield node.value.elt, node.targets[0]


def nothing_is_evaluated_for_its_side_effect(module: Module) -> Found:
    """`thing.attribute` as a statement, or `_ = thing.attribute`, computes something that is then found elsewhere."""
    for node in module.nodes:
        bare = isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute | ast.Name | ast.Subscript)
        if bare or (isinstance(node, ast.Assign) and [dotted(t) for t in node.targets] == ["_"]):
            yield node.lineno, ast.unparse(node)  # type: ignore[attr-defined]


def modules_have_no_memory(module: Module) -> Found:
    """`global` makes a result depend on what the process did before."""
    for node in module.nodes:
        if isinstance(node, ast.Global):
            yield node.lineno, ast.unparse(node)


def functions(module: Module) -> Iterator[ast.FunctionDef]:
    return (node for node in module.nodes if isinstance(node, ast.FunctionDef))


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Everything in a function but what is in functions inside it."""
    pending = [*reversed(list(ast.iter_child_nodes(function)))]
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.FunctionDef):
            yield node
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def what_holds_arrays_is_not_compared(module: Module) -> Found:
    """Arrays have no truth value: a dataclass that holds some is itself alone (`eq=False`), or says how it compares."""
    for node in module.nodes:
        if not isinstance(node, ast.ClassDef):
            continue
        made = [d for d in node.decorator_list if ast.unparse(d).split("(")[0] == "dataclass"]
        fields = [ast.unparse(part.annotation) for part in node.body if isinstance(part, ast.AnnAssign)]
        compares = any(isinstance(part, ast.FunctionDef) and part.name == "__eq__" for part in node.body)
        holds = any("ndarray" in field and "Callable" not in field for field in fields)
        if made and holds and not compares and "eq=False" not in ast.unparse(made[0]):
            yield node.lineno, node.name


RULES: dict[Callable[[Module], Found], list[tuple[str, str]]] = {
    every_module_is_in_a_known_layer: [("helpers/x.py", "")],
    imports_go_one_way: [
        ("model/model.py", "def view(self):\n    from eigenbody.analyses.report import view"),
        ("numerics/x.py", "from eigenbody.system.state import State"),
        ("analyses/new/__init__.py", "def f():\n    from eigenbody.present.tables import Sheet"),
        ("analyses/new/__init__.py", "from eigenbody.analyses.new.look import sheet"),
        ("analyses/new/__init__.py", "def f():\n    from eigenbody import load"),
        ("present/tables.py", "def f():\n    from eigenbody.cli.session import load"),
    ],
    slices_are_entered_by_their_doors: [
        ("analyses/random/x.py", "from eigenbody.analyses.modes.find import Modes"),
        ("analyses/modes/x.py", "def f():\n    from eigenbody.analyses.sweep import sweep"),
        ("api.py", "from eigenbody.analyses.modes.find import Modes"),
    ],
    present_computes_nothing: [
        ("present/tables.py", "from eigenbody.numerics.eigen.dense import spectrum"),
        ("present/x.py", "def f(r):\n    from eigenbody.analyses.frequency import frf"),
        ("present/x.py", "from eigenbody.linearization.model import LinearModel"),
        ("simulation/look.py", "from eigenbody.dynamics.mechanics import Mechanics"),
        ("analyses/new/look/plots.py", "from eigenbody.analyses.frequency import frf"),
    ],
    what_holds_arrays_is_not_compared: [
        ("numerics/x.py", "@dataclass(frozen=True)\nclass A:\n    x: np.ndarray"),
        ("numerics/x.py", "@dataclass\nclass A:\n    x: tuple[np.ndarray, ...]"),
    ],
    foreign_imports_are_declared_dependencies: [
        ("numerics/x.py", "import requests"), ("numerics/x.py", "import mechanisms"), ("cli/x.py", "import matplotlib"),
        ("analyses/new/x.py", "import typer"),
    ],
    other_routes_are_independent_of_the_engine: [
        ("routes/x.py", "from eigenbody.elements.registry import joints"), ("routes/x.py", "import eigenbody"),
    ],
    modules_are_short: [("numerics/x.py", "x = 1\n" * LONGEST)],
    private_names_stay_at_home: [("present/x.py", "from eigenbody.present.tables import _head")],
    private_attributes_stay_at_home: [
        ("present/x.py", "def f(r):\n    return r._weighting('a')"),
        ("present/x.py", "def f(r):\n    r._known = 1"),
    ],
    frozen_objects_are_not_written_to: [
        ("operating/x.py", "def f(system):\n    system.__dict__['length'] = 1.0"),
        ("operating/x.py", "def f(model, d):\n    model.__dict__.setdefault('description', d)"),
        ("operating/x.py", "def f(other, own):\n    other.__dict__.update(own)"),
        ("operating/x.py", "def f(point):\n    object.__setattr__(point, 'length', 1.0)"),
        ("operating/x.py", "class A:\n    def f(self):\n        object.__setattr__(self, '_kept', 1.0)"),
    ],
    nothing_is_kept_by_id: [
        ("numerics/x.py", "def f(self, rows):\n    key = (id(rows), True)\n    return self._known[key]"),
        ("numerics/x.py", "def f(self, rows):\n    return self._known[id(rows)]"),
        ("numerics/x.py", "KNOWN = {}\ndef f(rows):\n    return KNOWN[id(rows)]"),
        ("numerics/x.py", "def key(self):\n    return id(self)"),
    ],
    nothing_is_evaluated_for_its_side_effect: [
        ("linearization/x.py", "def f(e):\n    e.state_space"), ("linearization/x.py", "def f(e):\n    _ = e.A"),
    ],
    modules_have_no_memory: [("simulation/x.py", "spent = 0\ndef f(s):\n    global spent\n    spent += s")],
}  # fmt: skip
"""Every rule, with modules that break it."""

ALLOWED = [
    ("base/result.py", "def f():\n    from eigenbody.present.tables import Sheet"),
    ("present/tables.py", "if TYPE_CHECKING:\n    from eigenbody.analyses.modes import Modes"),
    (
        "analyses/report/build.py",
        "from eigenbody.analyses.modes import modes\nfrom eigenbody.present.tables import Sheet",
    ),
    ("analyses/new/look.py", "from eigenbody.analyses.new import New"),
    ("model/x.py", "class A:\n    def __post_init__(self):\n        object.__setattr__(self, 'of', 1)"),
    ("base/batched.py", "def f(kind):\n    copy = object.__new__(kind)\n    object.__setattr__(copy, 'of', 1)"),
    (
        "model/x.py",
        "def f(n):\n    done = {}\n    done[id(n)] = n\n    return id(n) in done",
    ),
    (
        "model/x.py",
        "class A:\n    def f(self, b):\n        self._a = b._a",
    ),
    ("model/x.py", "def f(row):\n    return row._replace(a=1)"),
]


def test_the_map_is_that_of_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == architecture.page(), "run scripts/architecture.py"
    folders = {module.name.split("/")[0].removesuffix(".py") for module in modules()} - {"__init__", "__main__"}
    assert folders == {layer.split("/")[0] for layer in LAYERS}
    assert {module.slice for module in modules() if module.name.count("/") > 1} - {None} == set(SLICES)


def test_places_named_by_the_map_and_in_contributing_exist() -> None:
    """`operating/find.py`, `look/`: paths of the source or of the repository."""
    for page in (PAGE, ROOT / "CONTRIBUTING.md"):
        for name in re.findall(r"`([\w./]+/[\w./]*)`", page.read_text(encoding="utf-8")):
            assert any((base / name).exists() for base in (PACKAGE, ROOT)) or any(PACKAGE.rglob(name)), (page, name)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_is_kept(rule: Callable[[Module], Found]) -> None:
    broken = [f"{module.name}:{line}: {what}" for module in modules() for line, what in rule(module)]
    assert not broken, "\n" + "\n".join(broken)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_bites(rule: Callable[[Module], Found]) -> None:
    for name, text in RULES[rule]:
        assert list(rule(Module(name, text))), f"{name}: {text}"


def test_rules_allow_what_is_needed() -> None:
    for name, text in ALLOWED:
        assert not [(rule.__name__, *found) for rule in RULES for found in rule(Module(name, text))], text


def test_the_reader_of_imports_sees_what_it_must_see() -> None:
    text = """
from typing import TYPE_CHECKING
import numpy as np
from eigenbody import load
if TYPE_CHECKING:
    from eigenbody.cli import main
def f():
    from eigenbody.present.tables import Sheet
"""
    assert [(i.name, i.layer, i.lazy, i.typing_only) for i in imports(text) if i.is_own] == [
        ("eigenbody.load", "api", False, False),
        ("eigenbody.cli", "cli", False, True),
        ("eigenbody.present.tables", "present", True, False),
    ]
