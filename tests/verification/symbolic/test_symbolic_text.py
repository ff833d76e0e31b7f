"""Equations of motion as Python, C, Modelica and LaTeX text: executed, compiled, parsed, compared with the engine."""

from __future__ import annotations

import ctypes
import keyword
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.symbolic import LANGUAGES, SymbolicModel
from eigenbody.routes.symbolic import TITLES
from eigenbody.routes.symbolic.linear import reference
from eigenbody.system.state import spread
from small_mechanisms import DOUBLE_PENDULUM, DRIVEN, FOUR_BAR, SLIDER_PENDULUM, moved

EXAMPLES = Path(__file__).parents[3] / "examples"
COMPILER = shutil.which("cc")
CASES = [
    (SLIDER_PENDULUM, ("rail", "hinge"), "newton-euler"),
    (SLIDER_PENDULUM, ("rail", "hinge"), "lagrange-1"),
    (DOUBLE_PENDULUM, ("phi1", "phi2"), "lagrange-2"),
    (DRIVEN, ("slide",), "lagrange-2"),
    (FOUR_BAR, ("a",), "newton-euler"),
    (FOUR_BAR, ("a",), "lagrange-1"),
]
each_case = pytest.mark.parametrize(
    ("document", "drives", "form"), CASES, ids=[f"{d['name']} {f}" for d, _, f in CASES]
)


def python_module(model: SymbolicModel) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "equations"}
    exec(compile(model.python(), "equations.py", "exec"), space)
    return space


class CModule:
    """The C text as a shared library."""

    def __init__(self, model: SymbolicModel, folder: Path) -> None:
        source, library = folder / "equations.c", folder / "equations.so"
        source.write_text(model.c())
        strict = ["-std=c99", "-Wall", "-Wextra", "-Wno-unused-function", "-pedantic", "-Werror"]
        subprocess.run([str(COMPILER), *strict, "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        self.library = ctypes.CDLL(str(library))
        self.prefix = re.search(r"int (\w+)_accelerations", source.read_text())[1]  # type: ignore[index]
        self.order = re.search(r"\* {3}p = (.*)", source.read_text())[1].split(", ")  # type: ignore[index]
        self.derived = {symbol.name for symbol in model.eqs.kin.pool.definitions}

    def parameters(self, values: dict[str, float]) -> np.ndarray:
        p = np.array([*(0.0 if name in self.derived else values[name] for name in self.order), 0.0])
        self.call("derive", p)
        return p

    def call(self, name: str, *arguments: Any) -> int:
        given = [
            ctypes.c_double(a) if isinstance(a, float) else a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            for a in arguments
        ]
        return int(getattr(self.library, f"{self.prefix}_{name}")(*given))


def engine_accelerations(point: eb.OperatingPoint, model: SymbolicModel) -> np.ndarray:
    """q'' by the engine: of joint coordinates through outputs, of bodies in the plane their own."""
    if model.form != "lagrange-1":
        outputs = {f"out{k}": {"measure": name, "order": 2} for k, name in enumerate(model.coordinates)}
        found = eb.operating_point(eb.load({**point.model.document, "outputs": outputs})).outputs()
        return np.array([found[name] for name in outputs])
    each = spread(point.system, point.motion.acceleration)
    names = point.system.description.bodies.names
    normal = model.eqs.kin.plane.normal  # type: ignore[union-attr]
    return np.array([
        each[names.index(body)]["xyz".index(part) if part in "xyz" else 3 + normal]
        for body, part in (name.rsplit(".", 1) for name in model.coordinates)
    ])  # fmt: skip


@each_case
def test_programs_give_the_engine_s_accelerations_and_matrices(
    document: dict, drives: tuple[str, ...], form: str, tmp_path: Path
) -> None:
    """The text is written once, for the drawing at rest; parameters, positions and velocities are others."""
    other = eb.load(moved(document, np.random.default_rng(1), drives))
    point, known = eb.operating_point(other), eb.linearize(other)
    written, here = eb.symbolic(eb.load(document), form), eb.symbolic(point, form)
    at = reference(here.eqs, here._place)
    given = {name: other.parameters[name] for name in written.parameters}
    free = {
        name: value for name, value in given.items() if name not in {s.name for s in written.eqs.kin.pool.definitions}
    }
    expected = engine_accelerations(point, written)
    size = np.abs(known.K).max()

    module = python_module(written)
    a, _ = module["accelerations"](at.q, at.u, 0.0, **free)
    assert a == pytest.approx(expected, abs=1e-10 * max(1.0, np.abs(expected).max()))
    parts = module["linear"](at.q, at.u, 0.0, **free)
    assert parts["M"] == pytest.approx(known.M, rel=1e-10, abs=1e-12)
    assert parts["D"] + parts["G"] == pytest.approx(known.C, abs=1e-10 * size)
    assert parts["C"] + parts["N"] == pytest.approx(known.K, abs=1e-10 * size)

    if COMPILER is None:
        pytest.skip("there is no C compiler here")
    compiled = CModule(written, tmp_path)
    p, n = compiled.parameters(given), len(known.M)
    a, multipliers = np.zeros(len(at.q)), np.zeros(len(written.multipliers) + 1)
    assert compiled.call("accelerations", at.q, at.u, 0.0, p, a, multipliers) == 0
    assert a == pytest.approx(expected, abs=1e-10 * max(1.0, np.abs(expected).max()))
    M, P, Q = (np.zeros((n, n)) for _ in range(3))
    assert compiled.call("linear", at.q, at.u, 0.0, p, M, P, Q) == 0
    assert pytest.approx(known.M, rel=1e-10, abs=1e-12) == M
    assert pytest.approx(known.C, abs=1e-10 * size) == P
    assert pytest.approx(Q, abs=1e-10 * size) == known.K


# ---- Modelica


class Modelica:
    """A model without libraries, taken apart: parameters with their formulas, variables, equations."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.strip().splitlines() if not line.strip().startswith("//")]
        first, last = re.fullmatch(r'model (\w+) ".*"', lines[0]), re.fullmatch(r"end (\w+);", lines[-1])
        assert first
        assert last
        assert first[1] == last[1]
        middle = lines.index("equation")
        self.parameters: dict[str, str] = {}
        self.variables: list[str] = []
        for line in lines[1:middle]:
            found = re.fullmatch(
                r'(parameter )?Real (\w+)(\(start = [^,]+, fixed = \w+\))?( = (.+?))?( "[^"]*")?;', line
            )
            assert found, line
            if found[1]:
                self.parameters[found[2]] = found[5]
            else:
                self.variables.append(found[2])
        self.equations = [re.fullmatch(r"(.+) = (.+);", line).groups() for line in lines[middle + 1 : -1]]  # type: ignore[union-attr]

    def names(self) -> set[str]:
        text = " ".join(side for pair in self.equations for side in pair)
        return set(re.findall(r"[A-Za-z_]\w*", text)) - {"der", "sin", "cos", "sqrt", "time"}

    def residuals(self, values: dict[str, float]) -> list[float]:
        """Left less right side of every equation; `der(x)` is the value of that name."""

        def of(side: str) -> float:
            code = re.sub(r"der\((\w+)\)", r"der_\1", side).replace("^", "**")
            return float(eval(code, {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, **values}))

        return [of(left) - of(right) for left, right in self.equations]


@each_case
def test_modelica_has_the_equations_of_the_python_text(document: dict, drives: tuple[str, ...], form: str) -> None:
    written = eb.symbolic(eb.load(document), form)
    text, module = Modelica(written.modelica()), python_module(written)
    f, held = len(written.q), module["INDEPENDENT"]
    assert len(text.equations) == len(text.variables) == 2 * f + len(held)
    assert text.names() <= set(text.parameters) | set(text.variables)
    rng = np.random.default_rng(3)
    q, u, a, multipliers = (rng.uniform(-1, 1, n) for n in (f, f, f, len(module["CONSTRAINTS"])))
    p = module["values"]()
    values = {name: float(p[name]) for name in written.parameters} | {"time": 0.7}
    for k in range(f):
        values |= {
            f"der_{written.q[k]}": u[k],
            str(written.q[k]): q[k],
            str(written.u[k]): u[k],
            f"der_{written.u[k]}": a[k],
        }
    values |= {str(s): multipliers[k] for k, s in enumerate(written.multipliers)}
    for name, formula in text.parameters.items():
        assert eval(formula.replace("^", "**"), {}, values) == pytest.approx(values[name], rel=1e-15)
    M, h, G, _ = module["motion"](q, u, 0.7, p)
    expected = M @ a + h - G[held].T @ multipliers[held]
    found = text.residuals(values)
    assert found[:f] == pytest.approx(np.zeros(f), abs=0)
    assert found[f : 2 * f] == pytest.approx(expected, abs=1e-12 * max(1.0, np.abs(expected).max()))
    point = written.eqs
    slopes = dict(zip(point.q, q, strict=True)) | {point.kin.coordinates.t: 0.7} | dict(point.values)
    rows = [float(point.constraints[k].subs(slopes)) for k in held]
    assert found[2 * f :] == pytest.approx(rows, abs=1e-12)


# ---- names that languages forbid, LaTeX


AWKWARD = {
    "eigenbody": 1,
    "name": 'Weird "*/ name',
    "parameters": {"lambda": 2, "q": 3, "double": 4, "M": 1.5, "der": 0.4, "größe": 0.7},
    "gravity": [0, 0, -9.81],
    "bodies": {"body-1": {"mass": "=lambda", "inertia": ["=M", "=M", "=M"], "at": [0, 0, "=-größe"]}},
    "joints": {"pin 1": {"type": "revolute", "between": ["ground", "body-1"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    "forces": {"for": {"type": "spring", "along": "pin 1", "k": "=q*double", "c": "=der"}},
}


def test_names_that_a_language_forbids(tmp_path: Path) -> None:
    model = eb.symbolic(eb.load(AWKWARD))
    known = eb.linearize(eb.load(AWKWARD))
    parts = python_module(model)["linear"]()
    assert parts["M"] == pytest.approx(known.M, rel=1e-12)
    assert parts["C"] == pytest.approx(known.K, rel=1e-12)
    changed = python_module(model)["linear"](**{"q": 6.0, "lambda": 5.0})
    assert changed["C"][0, 0] == pytest.approx(6 * 4 + 5 * 9.81 * 0.7, rel=1e-12)
    text = Modelica(model.modelica())
    assert not {"der", "double_"} & set(text.parameters)
    assert text.names() <= set(text.parameters) | set(text.variables)
    assert not set(text.parameters) & set(keyword.kwlist) - {"lambda"}
    if COMPILER is None:
        pytest.skip("there is no C compiler here")
    compiled = CModule(model, tmp_path)
    M, P, Q = (np.zeros((1, 1)) for _ in range(3))
    defaults = np.array([*(ctypes.c_double * 6).in_dll(compiled.library, f"{compiled.prefix}_defaults")])
    assert compiled.call("linear", np.zeros(1), np.zeros(1), 0.0, defaults, M, P, Q) == 0
    assert Q[0, 0] == pytest.approx(known.K[0, 0], rel=1e-12)


def formulas(text: str) -> list[str]:
    return re.findall(r"\\\[ (.*?) \\\]", text, re.DOTALL) + re.findall(r"\$(.*?)\$", text)


@pytest.mark.parametrize("form", list(TITLES))
@pytest.mark.parametrize("document", [SLIDER_PENDULUM, DRIVEN, AWKWARD], ids=lambda d: d["name"])
def test_latex_is_a_document_of_complete_formulas(document: dict, form: str, mathml: Callable[[str], str]) -> None:
    text = eb.symbolic(eb.load(document), form).latex()
    assert text.startswith(r"\documentclass")
    assert re.findall(r"\\begin\{(\w+\*?)\}", text).count("bmatrix") == text.count(r"\end{bmatrix}")
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert not re.search(r"\d\.\d*0{4}|\d\.\d{9}", text)  # no 0.500000, no digits of a computation
    for formula in formulas(text):
        assert formula.count(r"\left") - formula.count(r"\leftarrow") == formula.count(r"\right")
        mathml(formula)


@pytest.fixture
def mathml() -> Callable[[str], str]:
    """The converter of the site, which refuses what it does not know."""
    converter = pytest.importorskip("latex2mathml.converter")

    def convert(formula: str) -> str:
        made: str = converter.convert(formula)
        assert "\\" not in made, formula
        return made

    return convert


def test_latex_of_the_slider_pendulum_reads_as_on_a_blackboard() -> None:
    text = eb.symbolic(eb.load(SLIDER_PENDULUM), "lagrange-2").latex()
    assert r"\frac{l m_{3} \cos {q_{\mathrm{hinge}}}}{2}" in text
    assert r"\dot{q}_{\mathrm{hinge}}^{2}" in text
    assert r"- 2 c \dot{q}_{\mathrm{rail}} - k q_{\mathrm{rail}}" in text
    numbers = eb.symbolic(eb.load(EXAMPLES / "slider_pendulum.yaml")).latex()
    assert r"196.2 \sin {q_{\mathrm{hinge}}}" in numbers


def test_every_language_has_a_text() -> None:
    model = eb.symbolic(eb.load(SLIDER_PENDULUM))
    assert [model.text(language)[:5] for language in LANGUAGES] == ["\\docu", '"""Eq', "/* Eq", "model"]
