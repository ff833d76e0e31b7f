"""Expressions: values against Python's math, derivatives against the complex step, round trips, carets."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenbody.model.expressions import FUNCTIONS, Expression, ExpressionError, parse

STEP = 1e-30


def caret_column(message: str) -> int:
    """Position of the caret under the text that the message shows."""
    *_, text, caret = message.splitlines()
    assert text.startswith("    ")
    return caret.index("^") - 4


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("2**3**2", 512.0),
        ("(2**3)**2", 64.0),
        ("8/4/2", 1.0),
        ("8 - 4 - 2", 2.0),
        ("--3", 3.0),
        ("+3 - -3", 6.0),
        (".5 + 1.e1 + 1e-1", 10.6),
        ("(-2)**3", -8.0),
        ("2*pi", 2 * math.pi),
        ("atan2(-1, -1)", math.atan2(-1, -1)),
        ("min(3, 1, 2) + max(3)", 4.0),
        ("abs(-3)", 3.0),
        ("step(-1e-9)", 0.0),
        ("step(0)", 1.0),
        ("step(0.25, 0, 1, 1, 3)", 1 + 2 * 0.25**2 * (3 - 2 * 0.25)),
        ("step(-1, 0, 1, 1, 3)", 1.0),
        ("step(2, 0, 1, 1, 3)", 3.0),
        ("tanh(0.3) + exp(0.1) + log(2) + sqrt(2)", math.tanh(0.3) + math.exp(0.1) + math.log(2) + math.sqrt(2)),
        ("asin(0.3) - acos(0.3) + atan(0.3)", math.asin(0.3) - math.acos(0.3) + math.atan(0.3)),
        ("sin(1) + cos(1) * tan(1)", math.sin(1) + math.cos(1) * math.tan(1)),
    ],
)
def test_value_as_in_python(text: str, value: float) -> None:
    result = parse(text).evaluate({})
    assert type(result) is float
    assert result == pytest.approx(value, rel=1e-15)


def test_names_with_dots_and_primes() -> None:
    expression = parse("a*slide.z + spin' - x'' + rate(slide.z) + rate(rate(y)) + pi")
    assert expression.names == {"a", "slide.z", "spin'", "x''", "slide.z'", "y''"}
    assert parse("rate(spin)") == parse("spin'")
    assert parse("rate(spin)").evaluate({"spin'": 2.5}) == 2.5


# every function with two names, at points inside its domain
CASES = {
    "sin": "sin(x*y)",
    "cos": "cos(x*y)",
    "tan": "tan(0.3*x*y)",
    "asin": "asin(x*y/4)",
    "acos": "acos(x*y/4)",
    "atan": "atan(x*y)",
    "atan2": "atan2(x - 2*y, -x*y)",
    "sqrt": "sqrt(x + y)",
    "exp": "exp(x*y)",
    "log": "log(x*y)",
    "abs": "abs(x - y)*x",
    "min": "min(x*y, x + y, 2*x**2)",
    "max": "max(x*y, x + y, 2*x**2)",
    "step": "step(x*y, y/9, x, y + 1, x*y)",
    "tanh": "tanh(x - y)",
    "noise": "noise(x*y, 3, 2*y + x)",
    "+": "x + y - 3*x",
    "/": "x/(y + x**2)/y",
    "**": "x**y + x**3 + 2**y + (x - 5)**3 + (x - 5)**-2",
}


def test_every_function_has_a_case() -> None:
    assert set(FUNCTIONS) <= set(CASES)


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("name", ["x", "y"])
def test_first_and_second_derivative_agree_with_complex_step(text: str, name: str) -> None:
    rng = np.random.default_rng(7)
    expression = parse(text)
    first = expression.derivative(name)
    for _ in range(20):
        point = {"x": rng.uniform(0.3, 1.7), "y": rng.uniform(0.3, 1.7)}
        stepped = point | {name: point[name] + STEP * 1j}
        for function, derivative in ((expression, first), (first, first.derivative(name))):
            by_step = np.imag(function.evaluate(stepped)) / STEP
            assert derivative.evaluate(point) == pytest.approx(by_step, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_arrays_give_the_same_as_scalars(text: str) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.uniform(0.3, 1.7, (4, 1)), rng.uniform(0.3, 1.7, 5)
    values = parse(text).evaluate({"x": x, "y": y})
    assert values.shape == (4, 5)
    for i in range(4):
        for j in range(5):
            assert values[i, j] == pytest.approx(
                parse(text).evaluate({"x": float(x[i, 0]), "y": float(y[j])}), rel=1e-14
            )


def test_branches_of_the_derivative() -> None:
    assert parse("abs(x)").derivative("x").evaluate({"x": -2.0}) == -1.0
    assert parse("min(x, 1)").derivative("x").evaluate({"x": 2.0}) == 0.0
    assert parse("max(x, 1)").derivative("x").evaluate({"x": 2.0}) == 1.0
    assert parse("step(x)").derivative("x").evaluate({"x": 2.0}) == 0.0
    assert parse("step(x, 0, 0, 1, 1)").derivative("x").evaluate({"x": 2.0}) == 0.0


def test_derivative_is_simplified() -> None:
    assert str(parse("3*x + y").derivative("x")) == "3"
    assert str(parse("x**2").derivative("x")) == "2*x"
    assert parse("k*x").derivative("z") == Expression.number(0.0)


def test_substitute() -> None:
    expression = parse("k*x + sqrt(k)").substitute({"k": 4.0})
    assert expression == parse("4*x + 2")
    assert expression.substitute({"x": parse("y + 1")}).evaluate({"y": 2.0}) == 14.0
    assert parse("spin' + spin").substitute({"spin": 1.0}).names == {"spin'"}
    assert parse("k*x").substitute({"k": 1 + 2j}).evaluate({"x": 2.0}) == 2 + 4j


def test_equal_hashable_picklable_frozen() -> None:
    a, b = parse("x + 2*y"), parse("x+2 * y")
    assert a == b
    assert hash(a) == hash(b)
    assert a != parse("2*y + x")
    assert pickle.loads(pickle.dumps(a)) == a
    with pytest.raises(AttributeError):
        a.op = "*"  # type: ignore[misc]


def trees() -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.floats(min_value=0, max_value=1e6, allow_nan=False).map(Expression.number),
        st.sampled_from(["x", "slide.z", "spin'", "a_1"]).map(Expression.symbol),
    )

    def grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        unary = st.builds(lambda op, a: Expression(op, (a,)), st.sampled_from(["sin", "exp", "abs", "step"]), inner)
        binary = st.builds(
            lambda op, a, b: Expression(op, (a, b)), st.sampled_from(["*", "/", "**", "atan2"]), inner, inner
        )
        sums = st.lists(inner, min_size=2, max_size=4).map(lambda terms: Expression("+", tuple(terms)))
        negative = inner.filter(lambda node: node.op != "number").map(lambda a: Expression("neg", (a,)))
        return st.one_of(unary, binary, sums, negative)

    return st.recursive(leaves, grow, max_leaves=12)


@given(trees())
@settings(max_examples=300, deadline=None)
def test_printed_text_parses_back_to_the_same_tree(expression: Expression) -> None:
    assert parse(str(expression)) == expression


@given(st.text(alphabet="xy12.e+-*/()', ^=sinmax\t", max_size=30))
@settings(max_examples=500, deadline=None)
def test_any_text_parses_or_is_refused_with_a_caret(text: str) -> None:
    refusal = ""
    try:
        expression = parse(text)
    except ExpressionError as problem:
        refusal = str(problem)
    if refusal:
        assert 0 <= caret_column(refusal) <= len(text)
    else:
        assert parse(str(expression)) == expression


@pytest.mark.parametrize(
    ("text", "column", "word"),
    [
        ("2*(3 + ", 7, "ends too early"),
        ("2*(3 + 4", 8, 'expected ")"'),
        ("2k", 1, "operator is missing"),
        ("a b", 2, "operator is missing"),
        ("x ^ 2", 2, '"**"'),
        ("1 + )", 4, ")"),
        ("a + sine(x)", 4, 'Did you mean "sin"?'),
        ("sin + 1", 0, "parentheses"),
        ("atan2(1)", 0, "takes 2 arguments"),
        ("2*step(1, 2)", 2, "1 or 5"),
        ("x'''", 1, "primes"),
        ("rate(x + y)", 0, "rate"),
        ("_sign(x)", 0, "no function"),
        ("", 0, "empty"),
        ("1e999", 0, "too large"),
        ("a = b", 2, '"="'),
        ("__import__('os')", 0, "no function"),
        ("2*'left-hip", 2, "quote"),
    ],
)
def test_caret_stands_under_the_fault(text: str, column: int, word: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    message = str(caught.value)
    assert caret_column(message) == column
    assert word in message
    assert text.strip() in message


@pytest.mark.parametrize("text", ["(" * 5000 + "1" + ")" * 5000, "-" * 5000 + "1", "2**" * 3000 + "1", "sin(" * 3000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="nested deeper"):
        parse(text)


def test_long_sums_and_products_work() -> None:
    text = "+".join(["x"] * 3000)
    assert parse(text).evaluate({"x": 1.0}) == 3000.0
    product = parse("*".join(["x"] * 3000))
    assert product.evaluate({"x": 1.0}) == 1.0
    assert product.derivative("x").evaluate({"x": 1.0}) == 3000.0
    assert parse("*".join(["x"] * 3000)) == product


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2**9**9**9", "overflow"),
        ("1/0", "division by zero"),
        ("1/(x - x)", "division by zero"),
        ("0**-1", "division by zero"),
        ("1e308*10", "overflow"),
        ("exp(1000)", "overflow"),
        ("sqrt(-1)", "square root"),
        ("log(0)", "positive"),
        ("asin(2)", "between"),
        ("(-8)**(1/3)", "fractional"),
        ("step(1, 2, 0, 2, 1)", "division by zero"),
        ("nobody", "nobody"),
    ],
)
@pytest.mark.parametrize("x", [2.0, 2.0 + 1e-20j])
def test_never_nan_or_infinite(text: str, reason: str, x: complex) -> None:
    with pytest.raises(ExpressionError, match=reason):
        parse(text).evaluate({"x": x})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("2*'left-hip'", {"left-hip"}),
        ("'left-hip'' + 'left-hip'''", {"left-hip'", "left-hip''"}),
        ("'a b'.rx'", {"a b.rx'"}),
        ("reaction.'left-hip'.fx", {"reaction.left-hip.fx"}),
        ("rate('left-hip')", {"left-hip'"}),
        ("'sin' + sin('x')", {"sin", "x"}),
        ("a' - b'", {"a'", "b'"}),
    ],
)
def test_names_in_quotes(text: str, names: set[str]) -> None:
    found = parse(text)
    assert found.names == names
    assert parse(str(found)) == found
