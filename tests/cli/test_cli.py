"""The command line against its contract (docs/cli.md): documents, files, exit codes, messages."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from eigenbody.cli import main

FOUR_BAR = """
eigenbody: 1
name: four-bar
gravity: [0, 0, -9.81]
bodies:
  crank:   {mass: 10, inertia: [5, 5, 5], at: [0, 0, -0.5]}
  coupler: {mass: 10, inertia: [5, 5, 5], at: [0.5, 0, -1]}
  rocker:  {mass: 10, inertia: [5, 5, 5], at: [1, 0, -0.5]}
joints:
  a: {type: revolute, between: [ground, crank],   at: [0, 0, 0],  axis: [0, 1, 0]}
  b: {type: revolute, between: [crank, coupler],  at: [0, 0, -1], axis: [0, 1, 0]}
  c: {type: revolute, between: [coupler, rocker], at: [1, 0, -1], axis: [0, 1, 0]}
  d: {type: revolute, between: [ground, rocker],  at: [1, 0, 0],  axis: [0, 1, 0]}
"""

SLIDER = """
eigenbody: 1
name: slider-pendulum
parameters: {k: 20, c: 0, pull: "1 kN"}
gravity: [0, 0, -9.81]
bodies:
  slider:   {mass: 10, inertia: [1, 1, 1],   at: [0, 0, 0]}
  pendulum: {mass: 20, inertia: [15, 15, 1], at: [0, 0, -1]}
joints:
  rail:  {type: prismatic, between: [ground, slider],   at: [0, 0, 0], axis: [0, 1, 0]}
  hinge: {type: revolute,  between: [slider, pendulum], at: [0, 0, 0], axis: [1, 0, 0]}
forces:
  spring: {type: spring, along: rail, k: "=k", c: "=c"}
inputs: {push: {along: rail}}
outputs: {swing: {measure: hinge}}
coordinates: [rail, hinge]
"""

ROTOR = """
eigenbody: 1
name: rotor
parameters: {speed: "0.5 Hz"}
bodies:
  stator: {mass: 200,  inertia: [50, 50, 10],     at: [0, 0, 0]}
  rotor:  {mass: 1300, inertia: [500, 500, 1000], at: [0, 0, 0.75]}
joints:
  spin: {type: revolute, between: [stator, rotor], at: [0, 0, 0.75], axis: [0, 0, 1], velocity: "=2*pi*speed"}
forces:
  mount: {type: bushing, between: [ground, stator], at: [0, 0, 0],
          k: [1000, 1000, 1000, 1.0e4, 1.0e4, 1.0e5], c: [1, 1, 1, 10, 10, 100]}
"""

SKATE = """
eigenbody: 1
name: skate on a plane
bodies: {skate: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}
joints:
  floor: {type: planar, between: [ground, skate], at: [0, 0, 0], axis: [0, 0, 1]}
  blade: {type: knife_edge, between: [ground, skate], at: [0, 0, 0], axis: [0, 1, 0]}
"""

DRIVEN = """
eigenbody: 1
name: driven
bodies:
  arm: {mass: 1, inertia: [1, 1, 1], at: [0, 0, -1]}
  bob: {mass: 1, inertia: [1, 1, 1], at: [0, 0, -2]}
joints:
  motor: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0], motion: "=3*t"}
  pin:   {type: revolute, between: [arm, bob], at: [0, 0, -1], axis: [0, 1, 0]}
drivers:
  swing: {measure: pin, motion: 0}
"""

MODELS = {"four_bar": FOUR_BAR, "slider": SLIDER, "rotor": ROTOR, "skate": SKATE, "driven": DRIVEN}


class Outcome:
    """Exit code, standard output and standard error of one call."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
        assert "Traceback" not in out + err

    @property
    def document(self):
        """The one JSON document on standard output."""

        def refuse(name):
            raise AssertionError(f"{name} in JSON")

        assert self.code == 0, self.err
        assert self.out.count("\n") == 1
        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in MODELS.items():
        (tmp_path / f"{name}.yaml").write_text(text.lstrip())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    def call(*arguments: str) -> Outcome:
        code = main([str(a) for a in arguments])
        caught = capsys.readouterr()
        return Outcome(code, caught.out, caught.err)

    return call


def start(*arguments: str, **options) -> subprocess.Popen:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **options.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "eigenbody", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment, **options,
    )  # fmt: skip


def process(*arguments: str, given: str = "", **options) -> Outcome:
    child = start(*arguments, **options)
    out, err = child.communicate(given.encode(), timeout=60)
    return Outcome(child.returncode, out.decode(), err.decode())


def write(folder: Path, text: str, name: str = "model.yaml") -> str:
    (folder / name).write_text(textwrap.dedent(text).lstrip())
    return name


# ---- documents


def test_modes_document_has_the_keys_of_the_contract(run):
    document = run("modes", "rotor.yaml", "--json").document
    assert {"model", "dof", "states", "stability", "modes", "certificate"} <= set(document)
    assert (document["model"], document["dof"], document["states"]) == ("rotor", 7, 14)
    assert document["stability"] == "drifting"
    for i, mode in enumerate(document["modes"]):
        assert set(mode) == {
            "index", "real", "imag", "frequency_hz", "damped_frequency_hz", "damping_ratio", "kind", "stability",
            "error",
        }  # fmt: skip
        assert mode["index"] == i + 1
        assert 0 <= mode["error"] < 1e-6
        assert mode["frequency_hz"] == pytest.approx(math.hypot(mode["real"], mode["imag"]) / (2 * math.pi), rel=1e-14)
    assert set(document["certificate"]) >= {"residual", "drift", "redundant", "tangent_error", "modes"}
    check = document["certificate"]["modes"]
    assert check["zeros"] == [2, 2]
    assert 0 <= check["residual"] < 1e-14
    assert 0 <= check["trace"] < 1e-12
    assert len(document["certificate"]["drift"]) == 3
    # a free spin: two zeros, then conjugate pairs by magnitude
    assert [mode["kind"] for mode in document["modes"]] == ["rigid"] * 2 + ["oscillatory"] * 6
    for mode in document["modes"][:2]:
        assert (mode["real"], mode["imag"], mode["damping_ratio"]) == (0.0, 0.0, None)
    sizes = [mode["frequency_hz"] for mode in document["modes"]]
    assert sizes == sorted(sizes)


def test_linearize_document_has_the_keys_of_the_contract(run):
    document = run("linearize", "slider.yaml", "--json").document
    assert set(document) >= {
        "coordinates", "mass", "damping", "stiffness", "states", "inputs", "outputs", "A", "B", "C", "D", "certificate",
    }  # fmt: skip
    # Trom 1990, recomputed
    assert document["coordinates"] == ["rail", "hinge"]
    np.testing.assert_allclose(document["mass"], [[30, 20], [20, 35]], atol=1e-12)
    np.testing.assert_allclose(document["stiffness"], [[20, 0], [0, 196.2]], atol=1e-12)
    assert len(document["states"]) == 4
    assert (document["inputs"], document["outputs"]) == (["push"], ["swing"])
    assert np.shape(document["A"]) == (4, 4)
    assert np.shape(document["B"]) == (4, 1)
    assert np.shape(document["C"]) == (1, 4)
    assert np.shape(document["D"]) == (1, 1)


def test_linearize_without_square_stiffness_gives_only_first_order_matrices(run):
    document = run("linearize", "skate.yaml", "--json").document
    assert document["mass"] is document["damping"] is document["stiffness"] is None
    assert len(document["coordinates"]) == 3
    assert len(document["velocities"]) == 2
    assert np.shape(document["A"]) == (5, 5)


def test_numbers_keep_full_precision(run):
    import eigenbody as eb

    exact = eb.modes(eb.load("slider.yaml")).eigenvalues
    document = run("modes", "slider.yaml", "--json").document
    assert [mode["imag"] for mode in document["modes"]] == exact.imag.tolist()


def test_check_counts_a_planar_four_bar(run):
    document = run("check", "four_bar.yaml", "--json").document
    assert (document["gruebler"], document["dof"]) == (-2, 1)  # 3 * 6 - 4 * 5; a crank turns
    assert len(document["redundant"]) == 3
    assert all(set(row) == {"joint", "row"} for row in document["redundant"])
    assert [body["name"] for body in document["bodies"]] == ["crank", "coupler", "rocker"]
    for joint in document["joints"]:
        assert (joint["type"], joint["rows"], joint["class"]) == ("revolute", 5, "holonomic, scleronomic")
    assert sum(row["redundant"] for row in document["constraints"]) == 3
    text = run("check", "four_bar.yaml").out
    assert "18 coordinates - 20 rows = -2" in text
    assert "Degrees of freedom: 1" in text


def test_check_classes_constraints(run):
    joints = {j["name"]: j for j in run("check", "skate.yaml", "--json").document["joints"]}
    assert joints["blade"]["class"] == "non-holonomic, scleronomic"
    assert joints["floor"]["class"] == "holonomic, scleronomic"
    document = run("check", "driven.yaml", "--json").document
    assert [(j["rows"], j["class"]) for j in document["joints"]] == [
        (6, "holonomic, rheonomic"),  # five of the hinge, one prescribed in time
        (5, "holonomic, scleronomic"),
    ]
    assert document["drivers"][0]["class"] == "holonomic, scleronomic"  # held, but not moving in time
    assert (document["gruebler"], document["dof"]) == (0, 0)


def test_check_counts_a_point_mass_with_three_coordinates(run, folder):
    name = write(folder, """
        eigenbody: 1
        bodies: {bob: {mass: 1, at: [0, 0, -1]}}
        joints: {rod: {type: distance, between: [ground, bob], at: [[0, 0, 0], [0, 0, -1]]}}
    """)  # fmt: skip
    document = run("check", name, "--json").document
    assert (document["bodies"][0]["coordinates"], document["gruebler"], document["dof"]) == (3, 2, 2)


def test_schema_accepts_models_and_refuses_wrong_ones(run):
    import yaml

    outcome = run("check", "--schema")
    schema = json.loads(outcome.out)
    assert outcome.code == 0
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for text in MODELS.values():
        validator.validate(yaml.safe_load(text))
    wrong = yaml.safe_load(FOUR_BAR)
    wrong["joints"]["a"]["axes"] = [0, 1, 0]
    assert not validator.is_valid(wrong)


# ---- options


def test_set_takes_numbers_quantities_and_expressions(run):
    def stiffness(*settings):
        options = [part for setting in settings for part in ("--set", setting)]
        return run("linearize", "slider.yaml", "--json", *options).document["stiffness"][0][0]

    assert stiffness("k=1200") == 1200
    assert stiffness("k=-1.5e3") == -1500
    assert stiffness("k=2 kN/m") == 2000
    assert stiffness("k==2*c", "c=7") == 14


def test_set_reports_every_wrong_setting(run):
    outcome = run("modes", "slider.yaml", "--set", "kk=3", "--set", "pull=3 kg")
    assert (outcome.code, outcome.out) == (2, "")
    assert 'no parameter "kk"' in outcome.err
    assert 'Did you mean "k"?' in outcome.err
    assert "3 kg" in outcome.err
    for wrong in ("k", "=3", "k="):
        outcome = run("modes", "slider.yaml", "--set", wrong)
        assert outcome.code == 2
        assert "name=value" in outcome.err


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "abc", "1_0"])
def test_set_refuses_what_is_no_number(run, value):
    outcome = run("modes", "slider.yaml", "--set", f"k={value}")
    assert (outcome.code, outcome.out) == (2, "")


def test_a_parameter_may_have_any_name(run, folder):
    name = write(folder, SLIDER.replace("k: 20", "source: 20").replace("=k", "=source"))
    assert run("linearize", name, "--json", "--set", "source=5").document["stiffness"][0][0] == 5


def test_n_and_near_choose_modes(run):
    everything = [mode["frequency_hz"] for mode in run("modes", "rotor.yaml", "--json").document["modes"]]
    lowest = run("modes", "rotor.yaml", "--json", "--n", "3").document["modes"]
    assert [mode["frequency_hz"] for mode in lowest] == everything[:3]
    nearest = run("modes", "rotor.yaml", "--json", "--near", "15", "--n", "1").document["modes"]
    assert [mode["frequency_hz"] for mode in nearest] == everything[-1:]


def test_coordinates_win(run):
    document = run("linearize", "rotor.yaml", "--json", "--coordinates", "spin, stator.rx").document
    assert document["coordinates"][:2] == ["spin", "stator.rx"]
    assert len(document["coordinates"]) == 7
    outcome = run("linearize", "slider.yaml", "--coordinates", "rial,hinge")
    assert outcome.code == 2
    assert 'coordinates[0]: unknown measure "rial". Did you mean "rail"?' in outcome.err


def test_quiet_and_messages_go_to_standard_error(run):
    loud = run("modes", "rotor.yaml", "--json", "-o", "r.npz")
    assert loud.document
    assert loud.err == "eigenbody: wrote r.npz\n"
    quiet = run("modes", "rotor.yaml", "-q", "-o", "r.npz")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert "oscillatory" in run("modes", "rotor.yaml", "-q").out


def test_table_says_what_an_engineer_asks(run):
    text = run("modes", "rotor.yaml").out
    for words in ("Modes of rotor", "7 degrees of freedom, 14 states", "drifting: a free rotation or translation",
                  "Redundant constraints: none", "Certificate:", "Note: The mechanism moves"):  # fmt: skip
        assert words in text
    assert "marginal: undamped oscillation" in run("modes", "slider.yaml").out
    assert "; stable" in run("modes", "slider.yaml", "--set", "c=20").out
    assert "unstable: 1 growing mode, the fastest doubles every" in run("modes", "slider.yaml", "--set", "k=-20").out
    assert "Redundant constraints: 3: " in run("modes", "four_bar.yaml").out


# ---- files


def test_modes_files_hold_the_values(run):
    for ending in ("npz", "mat", "csv", "json"):
        assert run("modes", "rotor.yaml", "-o", f"r.{ending}").code == 0
    document = run("modes", "rotor.yaml", "--json").document
    modes = document["modes"]
    assert json.loads(Path("r.json").read_text()) == document
    with np.load("r.npz") as arrays:
        assert arrays["eigenvalues"].tolist() == [complex(m["real"], m["imag"]) for m in modes]
        assert arrays["shapes"].shape == (8, 2, 6)
        assert arrays["bodies"].tolist() == ["stator", "rotor"]
        assert arrays["kind"].tolist() == [m["kind"] for m in modes]
    from scipy.io import loadmat

    matlab = loadmat("r.mat", squeeze_me=True)
    assert matlab["frequency_hz"].tolist() == [m["frequency_hz"] for m in modes]
    assert matlab["bodies"].tolist() == ["stator", "rotor"]
    rows = list(csv.DictReader(io.StringIO(Path("r.csv").read_text())))
    assert [float(row["real"]) for row in rows] == [m["real"] for m in modes]
    assert [row["damping_ratio"] for row in rows[:2]] == ["", ""]
    assert list(rows[0]) == list(modes[0])


def test_linear_files_hold_the_values(run):
    for ending in ("npz", "mat", "csv", "json"):
        assert run("linearize", "slider.yaml", "--set", "c=3", "-o", f"s.{ending}").code == 0
    document = run("linearize", "slider.yaml", "--set", "c=3", "--json").document
    assert json.loads(Path("s.json").read_text()) == document
    from scipy.io import loadmat

    matlab = loadmat("s.mat")
    with np.load("s.npz") as arrays:
        for key, npz, mat in (("A", "A", "A"), ("B", "B", "B"), ("C", "C_out", "C"), ("D", "D", "D"),
                              ("mass", "M", "M"), ("damping", "C", "Cd"), ("stiffness", "K", "K")):  # fmt: skip
            assert arrays[npz].tolist() == document[key]
            assert matlab[mat].tolist() == document[key]
        assert arrays["states"].tolist() == document["states"]
    blocks = [list(csv.reader(io.StringIO(block))) for block in Path("s.csv").read_text().split("\n\n")]
    read = {block[0][0]: [[float(cell) for cell in row[1:]] for row in block[1:]] for block in blocks}
    assert list(read) == ["mass", "damping", "stiffness", "A", "B", "C", "D"]
    assert all(read[key] == document[key] for key in read)
    a = blocks[3]
    assert a[0][1:] == [row[0] for row in a[1:]] == document["states"]


@pytest.mark.parametrize("ending", ["npz", "mat", "csv", "json"])
def test_models_without_second_order_form_or_freedom_can_be_written(run, ending):
    for command, model in (("modes", "skate"), ("linearize", "skate"), ("linearize", "driven")):
        assert run(command, f"{model}.yaml", "-o", f"x.{ending}").code == 0


def test_wrong_endings_name_the_known_ones(run):
    for target in ("x.xls", "x", "-"):
        outcome = run("modes", "rotor.yaml", "-o", target)
        assert (outcome.code, outcome.out) == (2, "")
        assert ".npz, .mat, .csv, .json" in outcome.err
    outcome = run("modes", "rotor.yaml", "--plot", "x.gif")
    assert outcome.code == 2
    assert ".png, .svg, .pdf" in outcome.err
    assert "Use one of: .json." in run("check", "rotor.yaml", "-o", "x.csv").err


def test_places_that_cannot_be_written(run, folder):
    before = sorted(p.name for p in folder.iterdir())
    for target in ("missing/x.npz", "rotor.yaml/x.npz", "."):
        outcome = run("modes", "rotor.yaml", "-o", target)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.count("\n") == 1
    (folder / "folder.npz").mkdir()
    assert "folder" in run("modes", "rotor.yaml", "-o", "folder.npz").err
    assert run("modes", "rotor.yaml", "-o", "/proc/x.npz").code == 2
    assert sorted(p.name for p in folder.iterdir()) == sorted([*before, "folder.npz"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_folder(run, folder):
    (folder / "locked").mkdir(mode=0o500)
    outcome = run("modes", "rotor.yaml", "-o", "locked/x.npz")
    assert outcome.code == 2
    assert "not writable" in outcome.err


def test_a_failed_write_leaves_the_old_file_and_nothing_else(run, folder, monkeypatch):
    (folder / "r.json").write_text("old")
    before = sorted(p.name for p in folder.iterdir())

    def full(source, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    outcome = run("modes", "rotor.yaml", "-o", "r.json")
    assert outcome.code == 2
    assert "No space left on device" in outcome.err
    assert (folder / "r.json").read_text() == "old"
    assert sorted(p.name for p in folder.iterdir()) == before


def test_the_model_file_is_not_overwritten(run, folder):
    name = write(folder, json.dumps({"eigenbody": 1, "bodies": {"b": {"mass": 1, "at": [0, 0, 0]}}}), "m.json")
    outcome = run("modes", name, "-o", "./m.json")
    assert outcome.code == 2
    assert "the model file itself" in outcome.err


def test_written_files_have_ordinary_permissions(run, folder):
    (folder / "plain").write_text("")
    run("modes", "rotor.yaml", "-o", "r.csv")
    assert (folder / "r.csv").stat().st_mode == (folder / "plain").stat().st_mode


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures(run, ending, magic):
    assert run("modes", "rotor.yaml", "-q", "--plot", f"p.{ending}").code == 0
    assert Path(f"p.{ending}").read_bytes().startswith(magic)


def test_a_mechanism_that_cannot_move_has_no_modes(run):
    document = run("modes", "driven.yaml", "--json").document
    assert (document["dof"], document["modes"], document["stability"]) == (0, [], "immobile")
    assert run("modes", "driven.yaml", "--plot", "p.png").code == 0
    for ending in ("npz", "mat", "csv", "json"):
        assert run("modes", "driven.yaml", "-q", "-o", f"x.{ending}").code == 0


def test_names_are_shown_as_they_are(run, folder):
    """Neither rich markup, nor a formula of matplotlib, nor HTML."""
    import eigenbody as eb

    odd = "[red]$x_$ <b>&"
    name = write(folder, ROTOR.replace("stator", json.dumps(odd)).replace("name: rotor", f"name: {json.dumps(odd)}"))
    assert odd in run("modes", name).out
    assert run("modes", name, "-q", "--plot", "p.png").code == 0
    assert odd in run("check", name).out
    result = eb.modes(eb.load(name))
    for page in (result._repr_html_(), result.linear._repr_html_()):
        assert "<b>&" not in page
        assert "&lt;b&gt;&amp;" in page


# ---- bad input


def test_all_faults_with_their_lines(run, folder):
    name = write(folder, """
        eigenbody: 1
        bodies:
          bob: {mass: -1, inertia: [1, 1, 1], at: [0, 0, -1]}
        joints:
          pin: {type: revolut, between: [ground, bob], at: [0, 0, 0]}
          pen: {type: revolute, between: [ground, bo], at: [0, 0, 0]}
    """)  # fmt: skip
    for command in ("modes", "linearize", "check"):
        outcome = run(command, name, "--json")
        assert (outcome.code, outcome.out) == (2, "")
        lines = outcome.err.splitlines()
        assert len(lines) == 3
        assert all(line.startswith("eigenbody: ") for line in lines)
        for line, words in zip(lines, ("line 3", "line 5", "line 6"), strict=True):
            assert f"(model.yaml, {words})" in line


def test_faults_of_later_layers_have_lines_too(run, folder):
    turned = "at: [{}, 0, 0],  axis: [0, 1, 0], position: {}"
    open_ = FOUR_BAR.replace("at: [0, 0, 0],  axis: [0, 1, 0]", turned.format(0, 0.1))
    open_ = open_.replace("at: [1, 0, 0],  axis: [0, 1, 0]", turned.format(1, 0.5))
    outcome = run("modes", write(folder, open_))  # the two cranks of a parallelogram turn alike
    assert outcome.code == 2
    assert "(model.yaml, line " in outcome.err
    name = write(folder, """
        eigenbody: 1
        bodies: {bob: {mass: 1, inertia: [1, 1, 1], at: [0, 0, -1]}}
        joints:
          hook: {type: universal, between: [ground, bob], at: [0, 0, 0], axis: [0, 0, 1], axis2: [0, 1, 1]}
    """)  # fmt: skip
    assert "joints.hook.axis2 (model.yaml, line 4): axis2 must be perpendicular" in run("modes", name).err
    outcome = run("modes", write(folder, DRIVEN + '  again: {measure: pin, motion: "=1+t"}\n'))
    assert outcome.code == 2
    assert "drivers.again (model.yaml, line 11): " in outcome.err


def test_long_lists_of_faults_are_shortened(run, folder):
    bodies = "\n".join(f"  b{i}: {{mass: -1, inertia: [1, 1, 1], at: [0, 0, 0]}}" for i in range(50))
    outcome = run("check", write(folder, f"eigenbody: 1\nbodies:\n{bodies}\n"))
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 21
    assert outcome.err.endswith("eigenbody: ... and 30 more\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["modess", "x"], "modess"),
        (["modes"], "MODEL"),
        (["check"], "MODEL"),
        (["modes", "rotor.yaml", "--jsn"], "--jsn"),
        (["modes", "rotor.yaml", "--n", "0"], "--n"),
        (["modes", "rotor.yaml", "--n", "many"], "--n"),
        (["modes", "rotor.yaml", "--near", "nan"], "--near"),
        (["modes", "rotor.yaml", "--near", "-3"], "--near"),
        (["modes", "rotor.yaml", "slider.yaml"], "slider.yaml"),
        (["linearize", "slider.yaml", "--coordinates", "rail,"], "--coordinates"),
        (["modes", "no_such.yaml"], "there is no such file"),
        (["modes", "."], "folder"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(run, arguments, words):
    outcome = run(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("eigenbody: ")
    assert outcome.err.count("\n") == 1
    assert words in outcome.err


def test_without_a_command_the_help_is_shown(run):
    outcome = run()
    assert (outcome.code, outcome.out) == (2, "")
    assert "linearize" in outcome.err


def test_help_and_version(run):
    from eigenbody import __version__

    assert run("--version").out == f"eigenbody {__version__}\n"
    for command in ("modes", "linearize", "check"):
        text = run(command, "--help").out
        assert f"eigenbody {command} " in text
        assert "Exit codes:" in text
        assert "JSON:" in text
        assert "--set" in text


# ---- computations that fail, bugs, interruptions


def fails_with(monkeypatch, error: BaseException) -> None:
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("eigenbody.analyses.modes.find.modes", fail)


def test_failed_computation_is_code_3(run, monkeypatch):
    import eigenbody as eb

    fails_with(monkeypatch, eb.ComputationError("Newton stopped after 7 steps. Try another start."))
    outcome = run("modes", "rotor.yaml", "--json")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == "eigenbody: Newton stopped after 7 steps. Try another start.\n"
    fails_with(monkeypatch, np.linalg.LinAlgError("Singular matrix"))
    assert run("modes", "rotor.yaml").code == 3
    fails_with(monkeypatch, MemoryError())
    assert run("modes", "rotor.yaml").code == 3


def test_numbers_that_are_not_finite_are_never_a_result(run, monkeypatch):
    from dataclasses import replace

    import eigenbody as eb

    good = eb.modes(eb.load("rotor.yaml"))
    for wrong in (np.nan, np.inf):
        values = good.eigenvalues.copy()
        values[3] = wrong
        bad = replace(good, eigenvalues=values)
        monkeypatch.setattr("eigenbody.analyses.modes.find.modes", lambda *a, bad=bad, **k: bad)
        for options in (["--json"], [], ["-o", "x.npz"], ["--plot", "x.png"]):
            outcome = run("modes", "rotor.yaml", *options)
            assert (outcome.code, outcome.out) == (3, "")
            assert "not finite" in outcome.err
    assert not Path("x.npz").exists()


def test_a_bug_is_one_line_unless_debugged(run, monkeypatch):
    fails_with(monkeypatch, ZeroDivisionError("oh\nno"))
    outcome = run("modes", "rotor.yaml", "--json")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.count("\n") == 1
    assert "internal error (ZeroDivisionError: oh no)" in outcome.err
    with pytest.raises(ZeroDivisionError):
        main(["modes", "rotor.yaml", "--debug"])


def test_interruption_is_one_line_and_code_130(run, monkeypatch):
    fails_with(monkeypatch, KeyboardInterrupt())
    outcome = run("modes", "rotor.yaml")
    assert (outcome.code, outcome.err) == (130, "eigenbody: interrupted\n")


# ---- as a process


def test_standard_input_and_one_document(folder):
    outcome = process("modes", "-", "--json", given=ROTOR)
    assert len(outcome.document["modes"]) == 8
    assert outcome.err == ""
    outcome = process("check", "-", given="eigenbody: 1\nbodies: {a: {mass: x, at: [0, 0, 0]}}\n")
    assert (outcome.code, outcome.out) == (2, "")
    assert "(standard input, line 2)" in outcome.err


@pytest.mark.parametrize("arguments", [["check", "--schema"], ["modes", "rotor.yaml"], ["modes", "--help"]])
def test_closed_pipe_is_silent(folder, arguments):
    child = start(*arguments)
    child.stdout.close()  # before it has written anything
    child.stdin.close()
    assert child.wait(timeout=60) == 0
    assert child.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(folder):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "eigenbody", "modes", "rotor.yaml", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == b"eigenbody: standard output: cannot be written: No space left on device.\n"


def test_interrupt_from_the_keyboard(folder):
    child = start("modes", "-")
    child.stdin.write(b"#\n" * 100_000)  # more than a pipe holds: written when it is being read, and more is waited for
    child.stdin.flush()
    while child.poll() is None:
        child.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):  # one that falls between two reads waits for the next
            child.wait(timeout=5)
    assert child.returncode == 130
    assert child.stderr.read() == b"eigenbody: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("setting", "coloured"), [({"NO_COLOR": "1"}, False), ({}, True)])
def test_colour_on_a_terminal(folder, setting, coloured):
    import pty

    control, terminal = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1", **setting}
    command = [sys.executable, "-m", "eigenbody", "modes", "slider.yaml", "--set", "c=20"]
    child = subprocess.Popen(command, stdout=terminal, stderr=terminal, stdin=subprocess.DEVNULL, env=environment)
    os.close(terminal)
    out = b""
    try:
        while chunk := os.read(control, 4096):
            out += chunk
    except OSError:  # Linux: the other end was closed
        pass
    os.close(control)
    assert child.wait(timeout=60) == 0
    assert b"slider-pendulum" in out
    assert (b"\x1b[32m" in out) is coloured


def test_terminals_without_unicode(folder):
    write(folder, ROTOR.replace("name: rotor", "name: Läufer ω"), "rotor.yaml")
    outcome = process("modes", "rotor.yaml", env={"PYTHONIOENCODING": "ascii"})
    assert outcome.code == 0
    assert "oscillatory" in outcome.out


def test_start_up_is_light():
    """Neither numpy nor what draws is imported to parse a command line."""
    script = (
        "import sys; from eigenbody.cli import main; main(['--version']);"
        "heavy = {'numpy', 'scipy', 'matplotlib', 'rich', 'pint'} & set(sys.modules); print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_what_scipy_only_names_is_imported_on_use():
    """numpy.f2py, numpy.testing and numpy.ma: not by a short command, whole as soon as something of theirs is used."""
    script = (
        "import sys; from eigenbody.cli.imports import import_on_use; import_on_use();"
        "import numpy, scipy.linalg, scipy.sparse.linalg;"
        "print({'numpy.f2py.crackfortran', 'numpy.ma.core', 'unittest'} & set(sys.modules));"
        "numpy.testing.assert_allclose(numpy.ma.masked_array([1.0], [False]), 1.0);"
        "from numpy.f2py import crackfortran; print('unittest' in sys.modules, crackfortran.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["set()", "True numpy.f2py.crackfortran"]


# ---- large models


def test_solver_may_be_forced_and_both_agree(run):
    dense, sparse = (
        run("modes", "slider.yaml", "--set", "c=3", "--json", "--solver", solver).document
        for solver in ("dense", "sparse")
    )
    assert (dense["solver"], sparse["solver"]) == ("dense", "sparse")
    for key in ("real", "imag"):
        np.testing.assert_allclose(
            [mode[key] for mode in sparse["modes"]], [mode[key] for mode in dense["modes"]], rtol=1e-8, atol=1e-10
        )
    outcome = run("modes", "slider.yaml", "--solver", "spares")
    assert outcome.code == 2
    assert outcome.err.startswith("eigenbody: --solver: ")


def test_sparse_modes_are_presented_like_dense_ones(run):
    assert "(of the modes found)" in run("modes", "slider.yaml", "--solver", "sparse").out
    for name in ("x.npz", "x.mat", "x.csv", "x.json"):
        assert run("modes", "slider.yaml", "--solver", "sparse", "-q", "-o", name).code == 0
    assert run("modes", "slider.yaml", "--solver", "sparse", "-q", "--plot", "x.png").code == 0


def test_large_linear_models_are_written_in_descriptor_form(run):
    from scipy.io import loadmat

    document = run("linearize", "slider.yaml", "--json", "--solver", "sparse").document
    assert document["A"] is document["mass"] is None
    entries = document["descriptor"]["A"]
    whole = np.zeros(entries["shape"])
    np.add.at(whole, (entries["row"], entries["column"]), entries["value"])
    for ending in ("npz", "mat", "json"):
        assert run("linearize", "slider.yaml", "--solver", "sparse", "-q", "-o", f"x.{ending}").code == 0
    np.testing.assert_array_equal(loadmat("x.mat")["A"].toarray(), whole)
    with np.load("x.npz") as arrays:
        assert tuple(arrays["A_shape"]) == whole.shape
        np.testing.assert_array_equal(whole[arrays["A_row"], arrays["A_column"]], arrays["A_value"])
    outcome = run("linearize", "slider.yaml", "--solver", "sparse", "-q", "-o", "x.csv")
    assert outcome.code == 2
    assert "--solver dense" in outcome.err
    assert "Kept sparse" in run("linearize", "slider.yaml", "--solver", "sparse").out


def test_a_mistyped_command_is_suggested_once(capsys: pytest.CaptureFixture[str]) -> None:
    from eigenbody.cli.main import main

    assert main(["mods", "model.yaml"]) == 2
    said = capsys.readouterr().err
    assert said.count("No such command 'mods'") == 1
    assert said.count("Did you mean 'modes'?") <= 1  # older versions of click have no suggestion
