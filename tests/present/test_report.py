"""The report as text: what it holds, what it escapes, how bodies are drawn."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.drawing.scene import scene_of
from eigenbody.analyses.drawing.shapes import equivalent_solid
from eigenbody.analyses.report.charts import without_markup
from eigenbody.analyses.report.motions import mode_documents, packed, scales
from eigenbody.analyses.report.page import safe_json
from eigenbody.cli.main import main
from eigenbody.model.description import is_internal
from eigenbody.present.tables import significant

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(path for path in EXAMPLES.glob("*.yaml") if "\neigenbody:" in f"\n{path.read_text()}")
FILES += [EXAMPLES / "six_axis_arm.urdf", EXAMPLES / "spatial_four_bar.adm"]
FILES += [EXAMPLES / "gripper.xml"] if find_spec("mujoco") else []
NOT_HELD = np.zeros((0, 3))
PENDULUM = {
    "eigenbody": 1,
    "gravity": [0, 0, -9.81],
    "bodies": {"a": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.5, 0, 0]}},
    "joints": {"p": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
}


def example(name: str) -> Any:
    return eb.load(EXAMPLES / f"{name}.yaml")


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data"[^>]*>(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


class Reader(HTMLParser):
    """Collects tags with their attributes, and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


# ---- what it holds


@pytest.fixture(scope="module")
def rotor_html() -> str:
    return eb.report(example("rotor_stator"), campbell=("speed", 0, "1 Hz", 5), simulate=1)


def test_modes_of_the_page_are_those_of_the_model(rotor_html: str) -> None:
    data, modes = data_of(rotor_html), eb.modes(example("rotor_stator"))
    assert [mode["hz"] for mode in data["modes"]] == pytest.approx(modes.damped_frequency_hz)
    assert [mode["label"] for mode in data["modes"]] == list(modes.explain().labels)
    raw = np.frombuffer(base64.b64decode(data["shapes"]), dtype="<f4").reshape(*modes.shapes.shape, 2)
    assert raw[..., 0] + 1j * raw[..., 1] == pytest.approx(modes.shapes, abs=1e-7)


def test_sections_follow_the_model(rotor_html: str) -> None:
    assert re.findall(r"<h2>(.*?)</h2>", rotor_html) == [
        "Stability", "Modes", "Modes over speed", "Simulation", "Model", "Certificate",
    ]  # fmt: skip
    titles = re.findall(r"<h2>(.*?)</h2>", eb.report(example("quarter_car")))
    assert titles[2:4] == ["Frequency response", "Response to a unit step of road_speed"]
    assert "Response" not in "".join(re.findall(r"<h2>(.*?)</h2>", eb.report(example("quarter_car"), response=0)))


def test_nothing_is_fetched(rotor_html: str) -> None:
    for tag, attributes in Reader(rotor_html).tags:
        for name in ("src", "href", "srcset", "action", "data"):
            target = attributes.get(name) or ""
            assert not target or target.startswith(("#", "data:")), (tag, target)
    assert "default-src 'none'" in rotor_html


def test_numbers_of_the_page_are_finite(rotor_html: str) -> None:
    assert not re.search(r"\b(NaN|Infinity)\b", json.dumps(data_of(rotor_html)))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_example_can_be_drawn(path: Path) -> None:
    point = eb.operating_point(eb.load(path))
    scene = scene_of(point)
    assert [body["name"] for body in scene.bodies] == [point.system.places.names[i] for i in scene.rows]
    assert {body["name"] for body in scene.bodies} >= set(point.system.description.bodies.material_names)
    drawn, where = np.array([body["r"] for body in scene.bodies]), np.real(point.state.r)[scene.rows]
    assert drawn == pytest.approx(where, rel=1e-6, abs=1e-9)
    json.dumps(scene.document(), allow_nan=False)
    for part in scene.parts:
        assert min(part["s"]) > 0
        assert part["on"] < len(scene.bodies)
    signs = {part["name"] for part in scene.parts} | {link["name"] for link in scene.links}
    joints = [joint for joint in point.system.description.joints if not is_internal(joint)]
    assert signs >= {joint.name for joint in joints if joint.type not in ("free", "rolling")}


def test_springs_end_where_the_model_says() -> None:
    model = example("four_bar_with_spring")
    scene = scene_of(eb.operating_point(model))
    (spring,) = [link for link in scene.links if link["kind"] == "coil"]
    entry, bodies = model.description.forces[0], model.description.bodies
    assert spring["a"] == -1  # ground
    assert spring["p"] == pytest.approx(entry["at"][0])
    drawn = bodies.position[spring["b"]] + bodies.rotation[spring["b"]] @ spring["q"]
    assert drawn == pytest.approx(entry["at"][1], rel=1e-5)


def test_forces_along_sums_are_drawn_at_their_parts() -> None:
    """A tendon over two joints is a ring at each of them; angles of a sequence have no place of their own."""
    links = {name: {"mass": 1, "inertia": [1, 1, 1], "at": [x, 0, 0]} for name, x in (("a", 0.5), ("b", 1.5))}
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    model = {
        "eigenbody": 1,
        "bodies": links,
        "joints": {
            "p": {**hinge, "between": ["ground", "a"], "at": [0, 0, 0]},
            "q": {"type": "spherical", "between": ["a", "b"], "at": [1, 0, 0]},
        },
        "measures": {
            "turned": {"type": "angles", "of": "q", "sequence": "xyz"},
            "tendon": {"type": "sum", "terms": {"p": 1, "q.rx": 2}},
            "both": {"type": "sum", "terms": {"tendon": 1, "turned.1": 1}},
        },
        "forces": {
            "wire": {"type": "spring", "along": "both", "k": 1},
            "screw": {"type": "spring", "along": "turned.2", "k": 1},
        },
    }
    drawn = scene_of(eb.operating_point(eb.load(model)))
    assert [part["name"] for part in drawn.parts].count("wire") == 2


def test_amplitude_one_stays_in_the_picture() -> None:
    for name in ("rotor_stator", "whipple_bicycle", "space_manipulator"):
        modes = eb.modes(example(name))
        scene = scene_of(modes.linear.point)
        factor = scales(modes, len(modes), scene)
        moved = np.linalg.norm(modes.shapes[..., :3], axis=-1).max(axis=1) * factor
        assert np.all(moved <= 0.1601 * scene.size)


# ---- shapes


def test_equivalent_solids_have_the_inertia() -> None:
    """Box, rod, disc and ball by their closed forms."""
    box = equivalent_solid(2.0, 2 / 12 * np.diag([0.25 + 0.16, 1 + 0.16, 1 + 0.25]), NOT_HELD, 0.0)
    assert box is not None
    assert sorted(box.scale) == pytest.approx([0.4, 0.5, 1.0])
    cylinder = equivalent_solid(3.0, 3 / 12 * np.diag([3 * 0.04 + 4, 3 * 0.04 + 4, 6 * 0.04]), NOT_HELD, 0.0)
    assert cylinder is not None
    assert cylinder.kind == "cylinder"
    assert cylinder.scale == pytest.approx([0.2, 0.2, 2.0])
    ball = equivalent_solid(5.0, 0.4 * 5 * 0.09 * np.eye(3), NOT_HELD, 0.0)
    assert ball is not None
    assert (ball.kind, ball.scale[0]) == ("sphere", pytest.approx(0.3))
    assert equivalent_solid(1.0, np.zeros((3, 3)), NOT_HELD, 0.0) is None


def test_a_ball_that_would_hide_the_mechanism_is_a_small_cube() -> None:
    """Equal moments of inertia of 1500 kg m2 at 1000 kg are a ball of 1.9 m; held 1.4 m away it is a cube of 0.3 m."""
    held = np.array([[1.2, 0, 0], [-1.4, 0, 0]])
    solid = equivalent_solid(1000.0, 1500.0 * np.eye(3), held, 3.0)
    assert solid is not None
    assert (solid.kind, solid.scale.tolist()) == ("box", pytest.approx([0.308] * 3))
    bob = equivalent_solid(1.0, 0.4 * 0.01 * np.eye(3), np.array([[0, 0, 1.0]]), 3.0)
    assert bob is not None
    assert (bob.kind, bob.scale[0]) == ("sphere", pytest.approx(0.1))  # true to its size


def test_what_hides_a_smaller_body_is_drawn_clear() -> None:
    """Discs on one shaft, all drawn about the same point: the widest ones are clear, the least is not."""
    parts = [part for part in scene_of(eb.operating_point(example("torsional_line"))).parts if part["layer"] == "body"]
    wide = {part["name"]: max(part["s"]) for part in parts if not part.get("mark")}
    clear = {part["name"] for part in parts if part.get("clear")}
    assert max(wide, key=wide.__getitem__) in clear
    assert min(wide, key=wide.__getitem__) not in clear


def with_shape(shape: Any) -> Any:
    body = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0], "shape": shape}
    document = {"eigenbody": 1, "name": "one", "parameters": {"L": 2}, "bodies": {"b": body}}
    return eb.load(document)


def test_given_shapes_are_drawn_as_given() -> None:
    shape = [
        {"type": "box", "size": ["=L", "50 cm", 0.1], "at": [0, 0, 1], "color": "red"},
        {"type": "bar", "from": [0, 0, 0], "to": [3, 0, 0], "radius": 0.1},
        {"type": "cylinder", "radius": 0.2, "length": 1, "axis": [1, 0, 0]},
    ]
    parts = scene_of(eb.operating_point(with_shape(shape))).parts
    assert [part["kind"] for part in parts] == ["box", "cylinder", "cylinder"]
    assert parts[0]["s"] == [2, 0.5, 0.1]
    assert parts[0]["color"] == "#ff0000"
    assert parts[1]["p"] == [1.5, 0, 0]
    assert parts[1]["s"] == [0.1, 0.1, 3]
    assert scene_of(eb.operating_point(with_shape("none"))).parts == []


@pytest.mark.parametrize(
    ("shape", "word"),
    [
        ({"type": "bax", "size": [1, 1, 1]}, 'Did you mean "box"'),
        ({"size": [1, 1, 1]}, "no type"),
        ("cube", "a map"),
        ({"type": "box", "size": [1, 1]}, "3 numbers"),
        ({"type": "sphere", "radius": -1}, "not positive"),
        ({"type": "sphere", "radius": 1, "colour": "red"}, "colour"),
        ({"type": "sphere", "radius": 1, "color": "<script>"}, "no colour"),
        ({"type": "bar", "from": [0, 0, 0], "to": [0, 0, 0], "radius": 1}, "coincide"),
        ({"type": "sphere", "radius": "=R"}, "R"),
    ],
)
def test_wrong_shapes_are_named(shape: Any, word: str) -> None:
    with pytest.raises(eb.InputError, match=re.escape("bodies.b.shape")) as caught:
        scene_of(eb.operating_point(with_shape(shape)))
    assert word in str(caught.value)
    assert eb.modes(with_shape(shape)).dof == 6  # for drawing only


# ---- text stays text


def test_json_cannot_leave_its_script() -> None:
    text = safe_json({"name": "</script><!-- & <script>"})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"name": "</script><!-- & <script>"}


def test_charts_do_not_read_markup_in_names() -> None:
    assert without_markup("<b>bold</b> & more") == "&lt;b&gt;bold&lt;/b&gt; &amp; more"


def test_hostile_names_are_escaped_everywhere() -> None:
    name = "<script>alert(1)</script>"
    model = (
        eb.Model(name=f"</title>{name}")
        .body(name, mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
        .joint(f"j {name}", "prismatic", between=["ground", name], at=[0, 0, 0], axis=[1, 0, 0])
        .force(f"f {name}", "spring", along=f"j {name}", k=3)
        .input(f"i {name}", along=f"j {name}")
        .output(f"o {name}", measure=f"j {name}")
    )
    html = eb.report(model, simulate=1, results=[eb.modes(model), eb.linearize(model)])
    assert "<script>alert" not in html
    assert "</title><script" not in html
    own = [attributes for tag, attributes in Reader(html).tags if tag == "script"]
    assert len(own) == 4  # data, two libraries, the program
    assert all(attributes.get("nonce") for attributes in own)
    assert name not in model.view()._repr_html_()


# ---- calls


def test_report_writes_and_returns_the_same(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    assert eb.report(example("hanging_pendulum"), path) == path.read_text()
    with pytest.raises(eb.InputError, match=r"\.html"):
        eb.report(example("hanging_pendulum"), tmp_path / "out.pdf")


def test_wrong_wishes_are_refused() -> None:
    model = example("hanging_pendulum")
    with pytest.raises(eb.InputError) as caught:
        eb.report(model, n=0, simulate=-1.0, response=float("nan"))
    assert [fault.where for fault in caught.value.faults] == ["n", "response", "simulate"]
    with pytest.raises(eb.InputError, match="speed"):
        eb.report(example("rotor_stator"), campbell=("sped", 0, 1))


def test_a_part_that_fails_leaves_the_page_and_says_so(tmp_path: Path) -> None:
    """A pendulum released from the horizontal for 8 s takes more than 60 steps; all else of the page is there."""
    file = tmp_path / "page.html"
    with pytest.raises(eb.ComputationError, match=r"Simulation failed: .*60 are allowed") as caught:
        eb.report(PENDULUM, file, simulate=8, max_steps=60)
    html = file.read_text(encoding="utf-8")
    assert html == caught.value.partial  # type: ignore[attr-defined]
    assert "60 are allowed" in html
    assert 'id="certificate"' in html
    whole = eb.report(PENDULUM, simulate=8, max_steps=100_000)
    assert "are allowed" not in whole


def test_a_part_that_fails_ends_the_command_with_three_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, file = tmp_path / "pendulum.json", tmp_path / "page.html"
    model.write_text(json.dumps(PENDULUM), encoding="utf-8")
    code = main(["report", str(model), "--simulate", "8", "--max-steps", "60", "-o", str(file)])
    assert code == 3
    assert "Simulation failed" in capsys.readouterr().err
    assert "60 are allowed" in file.read_text(encoding="utf-8")


def test_further_results_bring_table_and_picture() -> None:
    model = example("rotor_stator")
    html = eb.report(model, results=[eb.mac(eb.modes(model))])
    assert "<h2>Mac</h2>" in html
    assert "data:image/svg+xml;base64," in html


def test_sensitivities_and_optimization_on_request() -> None:
    problem = EXAMPLES / "problems/vibration_absorber.yaml"
    html = eb.report(example("vibration_absorber"), sensitivity=["k", "c"], optimize=problem, response=0)
    assert "<h2>Sensitivities</h2>" in html
    assert "<h2>Before and after optimization</h2>" in html
    assert html.count("data:image/svg+xml;base64,") == 2


def test_interactive_figures() -> None:
    found = eb.figure(eb.frf(example("quarter_car")))
    assert found.data[0].line.color == "#3568b8"
    assert len(eb.figure(eb.modes(example("rotor_stator"))).data) == 2
    with pytest.raises(eb.InputError, match="no interactive chart"):
        eb.figure(eb.linearize(example("quarter_car")))


def test_a_mechanism_that_cannot_move_and_one_without_bodies_beyond_one() -> None:
    fixed = eb.Model(name="stuck").body("b", mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
    fixed = fixed.joint("weld", "fixed", between=["ground", "b"], at=[0, 0, 0])
    html = eb.report(fixed)
    assert "The mechanism has no modes" in html


def test_large_numbers_do_not_break_the_page() -> None:
    model = eb.Model(name="far").body("b", mass=1e12, inertia=[1e20] * 3, at=[1e9, 0, 0])
    found = data_of(eb.report(model.joint("s", "prismatic", between=["ground", "b"], at=[1e9, 0, 0], axis=[1, 0, 0])))
    assert found


def test_packing_is_little_endian_single_precision() -> None:
    assert base64.b64decode(packed(np.array([1.0]))) == b"\x00\x00\x80\x3f"


# ---- notebooks


def results_of_a_model(model: Any) -> list[Any]:
    point = eb.operating_point(model)
    simulation = eb.simulate(model, until=0.2, points=5)
    return [
        point, eb.linearize(model), eb.modes(model), eb.modes(model).explain(), simulation, eb.frf(model),
        eb.response(model, eb.StepInput(model.description.inputs[0].name), times=1.0), eb.along(simulation),
        eb.variants(model, {next(iter(model.parameters)): [1.0, 2.0]}), eb.equilibrium(model), eb.reactions(point),
    ]  # fmt: skip


def test_results_render_as_tables_with_escaped_names() -> None:
    name = "<script>alert(1)</script>"
    model = (
        eb.Model(name=f"model {name}", parameters={name: 3})
        .body(name, mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
        .joint(f"j {name}", "prismatic", between=["ground", name], at=[0, 0, 0], axis=[1, 0, 0], velocity=1)
        .force(f"f {name}", "spring", along=f"j {name}", k=3, c=1)
        .input(f"i {name}", along=f"j {name}")
        .output(f"o {name}", measure=f"j {name}")
    )
    for result in results_of_a_model(model):
        html = result._repr_html_()
        assert "<table>" in html, type(result)
        assert "<script" not in html, type(result)


def test_a_moment_of_inertia_below_zero_by_rounding_is_drawn() -> None:
    solid = equivalent_solid(2.0, np.diag([-1e-9, 1.0, 1.0]), np.zeros((0, 3)), 1.0)
    assert solid is not None
    assert np.isfinite(solid.scale).all()


def test_rounding_is_shown_as_zero_and_small_numbers_are_not() -> None:
    """The body hangs at x = 5e-49 and y = 1e-9; in a mechanism of 1 m the first is nothing, the second is something.
    Inertia of a body of 1e-20 kg m2 is what it is."""
    body = {"mass": 1, "inertia": [1e-20, 2e-20, 3e-20], "at": [5.88e-49, 1e-9, -1]}
    hinge = {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]}
    model = eb.load({"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {"a": body}, "joints": {"p": hinge}})
    html = eb.report(model)
    text = Reader(html[: html.index('<script type="application/json"')]).text  # what follows keeps all digits
    assert "0, 1e-09, -1" in text
    assert "1e-20, 2e-20, 3e-20" in text
    assert "e-49" not in text
    assert (significant(1e-20), significant(1e-20, scale=1.0), significant(2e-14, scale=1.0)) == ("1e-20", "0", "2e-14")


def test_every_input_has_its_step_response_or_is_named() -> None:
    """A chain of carts with 14 inputs and 10 outputs: twelve steps are drawn, two inputs are named, and each chart says
    that it draws eight curves of ten."""
    n, carts = 14, {}
    bodies = {f"c{k}": {"mass": 1, "inertia": [1, 1, 1], "at": [k, 0, 0]} for k in range(n)}
    for k in range(n):
        between = ["ground" if k == 0 else f"c{k - 1}", f"c{k}"]
        carts[f"rail{k}"] = {"type": "prismatic", "between": between, "at": [k, 0, 0], "axis": [1, 0, 0]}
    model = eb.load({
        "eigenbody": 1, "bodies": bodies, "joints": carts,
        "forces": {f"s{k}": {"type": "spring", "along": f"rail{k}", "k": 100.0, "c": 1.0} for k in range(n)},
        "inputs": {f"push{k}": {"along": f"rail{k}"} for k in range(n)},
        "outputs": {f"y{k}": {"measure": f"rail{k}"} for k in range(10)},
    })  # fmt: skip
    html = eb.report(model, response=1.0)
    assert len(re.findall(r'data-chart="step-\d+-0"', html)) == 12
    text = Reader(html).text
    assert "Response to a unit step of 2 other inputs" in text
    assert "push12, push13" in text
    assert text.count("The first 8 of 10 curves are drawn.") == 12
    assert "The first 8 of 140 curves are drawn." in text


def test_phases_of_a_whirl_are_those_of_its_motion() -> None:
    """x = cos(t) and y = cos(t + 90 degrees) = -sin(t) go round from y to -x..., against a spin about z: backward."""
    model = example("rotor_stator")
    modes = eb.modes(model)
    documents = mode_documents(modes, modes.explain(), len(modes), scene_of(eb.operating_point(model)))
    for number, quarter in ((3, 90), (4, -90)):  # backward, forward
        shares = dict(documents[number - 1]["energies"])["Participation by coordinate"]
        phase = {row[0]: row[2] for row in shares}
        assert (phase["stator.y"] - phase["stator.x"]) % 360 == quarter % 360
    assert documents[0]["energies"][-1][1][0][2:] == ()  # a free rotation has no phase
    assert documents[7]["strain"] == {"mount": 1.0}
