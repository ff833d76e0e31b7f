"""Models built step by step: what is wrong with an entry by itself is refused when it is added."""

import re

import pytest

import eigenbody as eb

START = eb.Model(gravity=[0, 0, -9.81])


@pytest.mark.parametrize(
    ("add", "said"),
    [
        (lambda m: m.body("b", mass="3 m", at=[0, 0, 0]), r"bodies.b.mass: .*kg"),
        (lambda m: m.body("b", mas=3, at=[0, 0, 0]), r'unknown key "mas". Did you mean "mass"'),
        (lambda m: m.body("b", mass=3), 'the required key "at" is missing'),
        (lambda m: m.body("b", mass=3, at=[0, 0]), r"bodies.b.at"),
        (
            lambda m: m.joint("j", "revolut", between=["a", "b"]),
            r'unknown type of joint "revolut". Did you mean "revolute"',
        ),
        (lambda m: m.joint("j", "revolute", at=[0, 0, 0]), 'the required key "between" is missing'),
        (lambda m: m.joint("j", "revolute", between=["a", "b"], axis=[0, 0, 0]), r"joints.j.axis"),
        (lambda m: m.joint("j", "screw", between=["a", "b"], pitch="3 kg"), r"joints.j.pitch"),
        (lambda m: m.force("s", "spring", between=["a", "b"], along="x", k=1), "exactly one of"),
        (lambda m: m.flexible("f", "beam", points=[[0, 0, 0], [1, 0, 0]], E="3 m"), r"flexible.f.E"),
        (lambda m: m.flexible("f", "beam", E=2e11), 'the required key "points" is missing'),
        (lambda m: m.marker("m", at=[0, 0, 0]), 'the required key "body" is missing'),
        (lambda m: m.frame("t", about=[0, 0, 1], rate="3 Hz"), r"frames.t.rate: .*rev/s"),
        (lambda m: m.measure("x", "distance", between=["a", "b"], axs=[1, 0, 0]), 'unknown key "axs"'),
        (lambda m: m.output("y", measur="x"), 'unknown key "measur"'),
        (lambda m: m.block("c", "pid", input="=x", kp=[1]), r"blocks.c.kp"),
    ],
)
def test_faults_come_at_once(add, said: str):
    with pytest.raises(eb.InputError) as caught:
        add(START)
    assert re.search(said, str(caught.value)), str(caught.value)


def test_names_and_parameters_may_come_later():
    """A joint between bodies, a spring along a measure and numbers by parameters that are not there yet."""
    model = (
        START.joint("hinge", "revolute", between=["ground", "bob"], at=[0, 0, 0], axis=[0, 1, 0])
        .force("spring", "spring", along="hinge", k="=k", c="0.1 N*m*s/rad")
        .measure("height", "displacement", between=["ground", "bob"], axis=[0, 0, 1], in_="ground")
        .body("bob", mass="=m", at=[0, 0, "=-l"])
        .parameter("k", 3).parameter("m", 2).parameter("l", 1)
        .output("height", measure="height", order=1)
    )  # fmt: skip
    assert model.document["measures"]["height"]["in"] == "ground"
    (value,) = eb.modes(model).eigenvalues
    assert abs(value) ** 2 == pytest.approx((2 * 9.81 + 3) / 2)


def test_a_beam_step_by_step():
    """First bending frequency of a cantilever: 3.516 sqrt(EI / (rho A L^4)), Euler and Bernoulli, of a slender one."""
    model = eb.Model().flexible(
        "bar",
        "beam",
        points=[[0, 0, 0], [1, 0, 0]],
        E="200 GPa",
        nu=0.3,
        density=7800,
        diameter="5 mm",
        interface=["start"],
    )
    model = model.joint("clamp", "fixed", between=["ground", "bar.start"], at=[0, 0, 0])
    wanted = 1.8751040687**2 * (2e11 * 0.005**2 / (16 * 7800)) ** 0.5
    assert min(abs(eb.modes(model).eigenvalues)) == pytest.approx(wanted, rel=1e-4)


def test_a_notebook_shows_what_it_consists_of():
    html = START.body("<b>", mass=1, at=[0, 0, 0])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<th>bodies</th><td>1</td>" in html
