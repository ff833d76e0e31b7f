"""Numbers of the studio: written into the text as their author would, equal to those of the library."""

from __future__ import annotations

import json
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.pages.studio import bench as bench_module
from eigenbody.pages.studio import parts
from eigenbody.pages.studio.bench import Bench, fault_documents, model_of
from eigenbody.pages.studio.edits import with_numbers
from eigenbody.pages.studio.jobs import JOBS, least_damping, problem_of
from eigenbody.pages.studio.knobs import knobs_of, si_values
from eigenbody.pages.studio.parts import same_mode
from eigenbody.pages.studio.protocol import FROM_PAGE, read_message
from eigenbody.pages.studio.worker import Server

EXAMPLES = Path(__file__).parents[2] / "examples"
CAR = EXAMPLES / "quarter_car.yaml"
TEXT = """\
# a comment
parameters: {k: "2 kN/m", m: 3}   # both
bodies:
  b: {mass: '4 g', at: [0, 1e-1, "5 mm"]}
"""


def test_numbers_change_and_nothing_else() -> None:
    changed = with_numbers(TEXT, {"k": 2.5, "m": 0.1, "bodies.b.mass": 7, "bodies.b.at[1]": 0.25, "bodies.b.at[2]": 6})
    assert changed == (
        '# a comment\nparameters: {k: "2.5 kN/m", m: 0.1}   # both\n'
        "bodies:\n  b: {mass: '7 g', at: [0, 0.25, \"6 mm\"]}\n"
    )


def test_numbers_of_json() -> None:
    text = json.dumps({"eigenbody": 1, "parameters": {"k": "2 N/m"}, "bodies": {"b": {"mass": 1}}}, indent=2)
    assert json.loads(with_numbers(text, {"k": 3, "bodies.b.mass": 2e-9})) == {
        "eigenbody": 1, "parameters": {"k": "3 N/m"}, "bodies": {"b": {"mass": 2e-9}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        ("parameters: {a: 1, b: '=2*a'}", "b", "expression"),
        ("parameters: {a: &x 1, b: *x}", "b", "anchor"),
        ("parameters: {a: 1}", "c", "names no number"),
    ],
)
def test_numbers_that_cannot_be_changed_alone_are_refused(text: str, name: str, word: str) -> None:
    with pytest.raises(eb.InputError, match=word):
        with_numbers(text, {name: 2})


def test_a_turned_knob_gives_the_numbers_of_the_library() -> None:
    """Bench against eb.modes of the model with the same text of the number, bit by bit in the conversion of units."""
    text = CAR.read_text()
    bench = Bench.opened(1, text, CAR.name, str(CAR.parent))
    bench.turned({"ks": 27.3, "cs": 900.0}, -1)
    expected = eb.modes(eb.load(CAR, ks="27.3 kN/m", cs="900 N*s/m"))
    assert si_values(bench.knobs, {"ks": 27.3}) == {"ks": expected.linear.point.model.parameters["ks"]}
    state = bench.state()
    poles = np.array([complex(*pole) for pole in state["poles"]])
    assert poles == pytest.approx(expected.eigenvalues, rel=1e-12)
    assert [mode["damping"] for mode in state["modes"]][1:] == pytest.approx(expected.damping_ratio[1:], rel=1e-10)


def test_slopes_are_those_of_the_poles() -> None:
    """Against central differences of the poles of the same bench."""
    bench = Bench.opened(1, CAR.read_text(), CAR.name, str(CAR.parent))
    slopes = dict(bench.rest(lambda: False))["slopes"]
    knob = next(k for k in bench.knobs if k.name == "ks")
    poles = []
    for step in (-1e-4, 1e-4):
        bench.turned({"ks": knob.value * (1 + step)}, 1)
        poles.append(bench.modes.eigenvalues[1])
    difference = (poles[1] - poles[0]) / (2e-4 * knob.si(knob.value))
    assert complex(*slopes["slopes"]["ks"][1]) == pytest.approx(difference, rel=1e-5)
    assert slopes["best"][0] in ("ms", "ks")


def test_the_chosen_mode_is_followed_where_frequencies_cross() -> None:
    """Two uncoupled oscillators: when the first becomes stiffer than the second, the choice stays on it."""
    document = """\
eigenbody: 1
parameters: {k: 1}
bodies: {a: {mass: 1, at: [0, 0, 0]}, b: {mass: 1, at: [1, 0, 0]}}
joints:
  a: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
  b: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}
forces: {a: {type: spring, along: a, k: =k}, b: {type: spring, along: b, k: 4}}
"""
    bench = Bench.opened(1, document, "m.yaml", ".")
    assert bench.modes.eigenvalues[0].imag == pytest.approx(1.0)
    bench.state()
    before = bench.motion
    bench.turned({"k": 9.0}, -1)
    assert bench.selected == 1
    assert bench.modes.eigenvalues[1].imag == pytest.approx(3.0)
    assert before is not None
    assert same_mode(before, bench.modes) == 1


def test_slow_parts_wait_while_the_hand_moves() -> None:
    bench = Bench.opened(1, CAR.read_text(), CAR.name, str(CAR.parent))
    assert {kind for kind, _ in bench.rest(lambda: False)} == {"detail", "slopes", "curves", "loads", "scene"}
    bench.pace = dict.fromkeys(bench.pace, 1.0)
    assert [kind for kind, _ in bench.rest(lambda: True)] == []
    bench.shown["curves"] -= 30.0  # was not seen for long: it has its turn all the same
    assert [kind for kind, _ in bench.rest(lambda: True)] == ["curves"]
    assert {kind for kind, _ in bench.rest(lambda: False)} >= {"detail", "slopes", "curves", "loads"}  # it rests


def test_a_part_that_takes_too_long_is_given_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slopes of a periodic operating point may take minutes: everything else must not wait for them."""

    def endless(*_: object) -> dict[str, object]:
        while True:
            try:
                sum(range(1000))
            except Exception:  # what computes may catch errors; the limit must get past that
                continue

    monkeypatch.setattr(bench_module, "LONGEST", 0.2)
    monkeypatch.setattr(parts, "slopes", endless)
    bench = Bench.opened(1, CAR.read_text(), CAR.name, str(CAR.parent))
    found = dict(bench.rest(lambda: False))
    assert "longer than 0.2 s" in found["slopes"]["why"]
    assert found["curves"]["frf"]
    assert "slopes" not in dict(bench.rest(lambda: False))  # once is enough


def test_of_the_turns_that_wait_the_newest_is_answered() -> None:
    """The two processes: the first gives the state of a turn and nothing else, the second everything else."""
    said: list[tuple[int, str, dict[str, object]]] = []
    server = Server(SimpleQueue(), lambda *message: said.append(message))
    text = {"version": 3, "text": CAR.read_text(), "label": CAR.name, "folder": str(CAR.parent), "values": {}}
    numbers = {"version": 3, "selected": -1}
    waiting = [
        {"do": "open", "ticket": 1, "seq": 0, "known": {}, **text},
        *({"do": "turn", "ticket": i, "seq": i, "values": {"ks": 18.0 + i}, **numbers} for i in (2, 3, 4)),
    ]
    for request in server._skipping(waiting):
        server._answer(request)
    assert [(ticket, kind) for ticket, kind, _ in said if kind not in ("done", "begun")] == [
        (1, "model"), (1, "state"), (4, "state"),
    ]  # fmt: skip
    assert {ticket for ticket, kind, _ in said if kind == "done"} == {1, 2, 3, 4}
    said.clear()
    server._answer({"do": "follow", "ticket": 5, "seq": 4, "values": {"ks": 22.0}, **numbers})
    kinds = [kind for _, kind, _ in said]
    assert {"detail", "slopes", "curves", "loads"} <= set(kinds)
    assert "state" not in kinds


def test_faults_have_their_line() -> None:
    wrong = CAR.read_text().replace(
        "type: prismatic, between: [ground, wheel]", "type: prismatick, between: [ground, wheel]"
    )
    with pytest.raises(eb.InputError) as caught:
        model_of(wrong, "car.yaml", ".")
    [fault] = fault_documents(caught.value.faults)
    assert wrong.splitlines()[fault["line"] - 1].lstrip().startswith("hub:")
    with pytest.raises(eb.InputError) as caught:
        model_of("a: [1\nb: 2\n", "car.yaml", ".")
    assert fault_documents(caught.value.faults)[0]["line"] == 2


def test_ranges_come_from_the_section_optimization_or_the_magnitude() -> None:
    base = {
        "eigenbody": 1, "parameters": {"k": "2 kN/m", "a": "30 deg", "z": 0},
        "bodies": {"b": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"j": {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "forces": {"f": {"type": "spring", "along": "j", "k": "=k"}},
    }  # fmt: skip
    k, a, z = knobs_of(eb.load(base))
    assert (k.low, k.high, k.scale, k.unit) == (0.4, 10.0, "log", "kN/m")
    assert (a.low, a.high, a.scale) == (0.0, 60.0, "linear")
    assert (z.low, z.high) == (-1.0, 1.0)
    ranged = base | {"optimization": {"variables": {"k": {"from": 1000, "to": "3 kN/m"}}}}
    k = knobs_of(eb.load(ranged))[0]
    assert (k.low, k.high) == pytest.approx((1.0, 3.0))


def test_a_found_number_puts_the_mode_where_it_was_asked_for() -> None:
    """The absorber of the examples, by the route of the page; then the model with the number written into its text."""
    path = EXAMPLES / "vibration_absorber.yaml"
    request = {
        "text": path.read_text(), "label": path.name, "folder": str(path.parent), "values": {}, "selected": 0,
        "goals": [{"of": "frequency", "value": 0.14}], "vary": {"k": [0.1, 20.0]},
    }  # fmt: skip
    proposal = dict(JOBS["find"](request))["proposal"]
    assert proposal["success"]
    changed = with_numbers(path.read_text(), {c["name"]: c["after"] for c in proposal["changes"]})
    modes = eb.modes(model_of(changed, path.name, str(path.parent)))
    assert modes.frequency_hz[0] == pytest.approx(0.14, rel=1e-8)


def test_wrong_goals_are_refused() -> None:
    knobs = knobs_of(eb.load(CAR))
    for goals, vary, word in (
        ([], {"ks": [1, 2]}, "nothing is asked for"),
        ([{"of": "luck", "value": 1}], {"ks": [1, 2]}, "cannot be asked for"),
        ([{"of": "frequency", "value": float("nan")}], {"ks": [1, 2]}, "finite"),
        ([{"of": "outside", "value": 1}], {"ks": [1, 2]}, "needs"),
        ([{"of": "frequency", "value": 1}], {}, "no knob"),
        ([{"of": "frequency", "value": 1}], {"nothing": [1, 2]}, "no knob"),
    ):
        with pytest.raises(eb.InputError, match=word):
            problem_of(goals, vary, knobs, 1)


def test_the_map_has_the_damping_of_single_evaluations() -> None:
    request = {
        "text": CAR.read_text(), "label": CAR.name, "folder": str(CAR.parent), "values": {"ms": 400.0},
        "x": ["ks", 10, 40], "y": ["cs", 0, 2000], "points": 4,
    }  # fmt: skip
    rows = [fields for kind, fields in JOBS["map"](request) if kind == "map"]
    head, third = rows[0], next(row for row in rows if row["row"] == 2)
    for x, value in zip(head["x"], third["values"], strict=True):
        modes = eb.modes(eb.load(CAR, ms=400.0, ks=f"{x!r} kN/m", cs=head["y"][2]))
        assert value == pytest.approx(np.nanmin(modes.damping_ratio), rel=1e-8)


def test_least_damping_of_zeros_rounding_and_failures() -> None:
    assert least_damping(np.array([0, 0j])) == 0.0
    assert least_damping(np.array([1e-14 + 1j, -1 + 1j])) == 0.0
    assert least_damping(np.array([0.1 + 1j, -1 + 1j])) == pytest.approx(-0.1 / abs(0.1 + 1j))
    assert least_damping(np.array([complex(np.nan, 0), 1j])) is None


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"kind": "exec", "text": "1"}', '{"kind": "edit", "text": 1, "base": 1}',
        '{"kind": "undo", "x": 1}',
        '{"kind": "turn", "values": [], "selected": 0, "seq": 1}', "[" * 100_000, '{"kind": ["a"]}',
        '{"kind": "simulate", "until": true, "values": {}}',
    ],
)  # fmt: skip
def test_messages_that_are_not_in_the_table_are_refused(text: str) -> None:
    with pytest.raises(eb.InputError):
        read_message(text)


def test_every_message_of_the_table_has_someone_who_takes_it() -> None:
    from eigenbody.pages.studio.desk import Desk

    assert {name.removeprefix("on_") for name in dir(Desk) if name.startswith("on_")} == set(FROM_PAGE)
