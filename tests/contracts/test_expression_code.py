"""Expressions as code: the values and refusals of the kernels, node by node, for all kinds of numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from eigenbody.model.curves import curve, lines
from eigenbody.model.expression_code import Code, ExpressionSet, NoCode
from eigenbody.model.expression_kernels import KERNELS
from eigenbody.model.expressions import Expression, ExpressionError, parse
from eigenbody.system.signals import SignalCompiler

TEXTS = (
    "sin(x) + cos(2*y) - tan(x*y)", "asin(x/3) * acos(y/3) / atan(x + 2)", "atan2(x, -y) - atan2(-x, y - 1)",
    "sqrt(x + 2) + exp(-x) + log(y + 3) + tanh(x)", "abs(x - 1) + min(x, y, 0.1) - max(y, -x)",
    "step(x) + step(y, -1, 0, 1, 2)", "x**2 + y**3 + (x + 2)**0.5 + 2**x - (-3)**3", "-x - -y + x - 1 - y/7/3",
    "noise(x, 3, 2.5) * y", "1e-3*x*x*x - x*x*x",
)  # fmt: skip
REAL = {"x": 0.37, "y": -0.81}
KINDS = {
    "numbers": REAL,
    "of numpy": {name: np.float64(value) for name, value in REAL.items()},
    "complex": {"x": 0.37 + 1e-30j, "y": -0.81 + 0j},
    "arrays": {"x": np.linspace(-0.9, 0.9, 7), "y": 0.4},
    "complex arrays": {"x": np.linspace(-0.9, 0.9, 7)[:, None] + 1e-30j, "y": np.array([-0.3, 0.7])},
    "an array without axes": {"x": np.array(0.37), "y": -0.81},
}


def by_kernels(expression: Expression, env: dict[str, object]) -> object:
    """Node by node: an expression of few nodes is never code."""
    values: dict[int, object] = {}
    for node in expression.nodes:
        if node.args:
            letters = [f"p{k}" for k in range(len(node.args))]
            small = Expression(node.op, tuple(map(Expression.symbol, letters)))
            given = dict(zip(letters, (values[id(arg)] for arg in node.args), strict=True))
            values[id(node)] = small.evaluate(given)
        else:
            values[id(node)] = env[node.name] if node.op == "name" else node.value
    return values[id(expression)]


def read(text: str) -> Expression:
    """The expression; curves and lines, which tables are read as, have no text of their own."""
    if text == "lines":
        return lines(np.array([-1.0, -0.3, 0.2, 1.0]), np.array([0.4, 1.0, -0.7, 0.1]), parse("sin(x) * cos(y) + 0*x"))
    if text != "curve":
        return parse(text)
    return curve(np.array([-1.0, -0.3, 0.2, 1.0]), np.array([0.4, 1.0, -0.7, 0.1]), parse("sin(x) * cos(y) + 0*x"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [*TEXTS, "curve", "lines"])
def test_code_gives_what_the_kernels_give(text: str, kind: str) -> None:
    expression = read(text)
    both = (expression, expression.derivative("x"), expression.derivative("y"))
    found = Code(both)(KINDS[kind])
    for own, value in zip(both, found, strict=True):
        expected = by_kernels(own, KINDS[kind])
        assert type(value) is type(expected) or isinstance(expected, np.generic | np.ndarray)
        assert np.shape(value) == np.shape(expected)
        assert np.allclose(np.real(value), np.real(expected), rtol=4e-15, atol=1e-15)
        assert np.allclose(np.imag(value) * 1e30, np.imag(expected) * 1e30, rtol=1e-13, atol=1e-13)


def test_every_kernel_is_in_one_of_the_texts() -> None:
    used = {node.op for text in (*TEXTS, "curve", "lines") for e in _with_derivatives(read(text)) for node in e.nodes}
    assert used >= set(KERNELS) - {"_smooth"}  # which `step` calls itself


def _with_derivatives(expression: Expression) -> list[Expression]:
    """The expression and its first three derivatives by each name."""
    found = [expression]
    for name in ("x", "y"):
        for _ in range(3):
            found.append((expression if len(found) % 3 == 1 else found[-1]).derivative(name))
    return found


@pytest.mark.parametrize(
    "text", ["1/x", "log(x - 1)", "sqrt(x - 1)", "(x - 1)**0.5", "asin(x + 2)", "exp(1000*(x + 1))", "acos(y)", "x**-1"]
)
@pytest.mark.parametrize("env", [{"x": 0.0, "y": -2.0}, {"x": np.zeros(2), "y": np.full(2, -2.0)}], ids=["one", "two"])
def test_what_has_no_value_is_refused_in_the_words_of_the_kernels(text: str, env: dict[str, object]) -> None:
    padded = parse(text + " + 1" * 20)  # large enough to be code
    assert len(padded.nodes) > 16
    with pytest.raises(NoCode):
        Code((padded,))(env)
    with pytest.raises(ExpressionError) as found:
        padded.evaluate(env)
    with pytest.raises(ExpressionError) as small:
        parse(text).evaluate(env)
    assert str(found.value).partition(":")[2] == str(small.value).partition(":")[2]


def test_a_name_without_a_value_is_told() -> None:
    with pytest.raises(ExpressionError, match='the name "x" has no value'):
        parse("x" + " + x*x" * 20).evaluate({})


def test_equal_parts_are_written_once() -> None:
    """The slopes of a sum of thirty sines have the thirty arguments of the sum, each once."""
    text = "+".join(f"{k}*sin({k}*s + v)" for k in range(1, 31))
    expression = parse(text)
    one, all_three = (set(_lines((expression, *more))) for more in ((), _slopes(expression)))
    assert len(all_three) < 3.2 * len(one)
    assert sum("f_cos" in line for line in all_three) == 30


def _slopes(expression: Expression) -> tuple[Expression, ...]:
    return expression.derivative("s"), expression.derivative("v")


def _lines(expressions: tuple[Expression, ...]) -> list[str]:
    from eigenbody.model.expression_code import _written

    return _written(expressions)[0]


def test_signals_have_values_and_exact_slopes() -> None:
    """A torque of many sines: its slopes by code against complex steps through its value."""
    text = " + ".join(f"{0.1 * k}*sin({k}*s + 0.3*t)" for k in range(1, 31))
    set_of = ExpressionSet((parse(text), *(parse(text).derivative(name) for name in ("s", "t"))))
    here = {"s": 0.4, "t": 1.1}
    value, by_s, by_t = set_of.evaluate(here)
    step = 1e-30j
    assert value == pytest.approx(sum(0.1 * k * np.sin(k * 0.4 + 0.33) for k in range(1, 31)), rel=1e-14)
    assert by_s == pytest.approx(set_of.evaluate({**here, "s": 0.4 + step})[0].imag / 1e-30, rel=1e-13)
    assert by_t == pytest.approx(set_of.evaluate({**here, "t": 1.1 + step})[0].imag / 1e-30, rel=1e-13)
    assert pickle.loads(pickle.dumps(set_of)).evaluate(here) == (value, by_s, by_t)


def test_signals_are_compiled_with_their_slopes() -> None:
    compiler = SignalCompiler((), (), (), lambda name: 0, lambda name: False)
    signal = compiler.compile(parse("2*t + " + "t*" * 20 + "t"), 0)
    assert isinstance(signal.slopes, ExpressionSet)
