"""docs/extending.md is true: its code blocks are executed as printed, registered, and used by the page's models."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
import eigenbody.analyses
from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.flexible import FLEXIBLE
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.types import MEASURES
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.schema import json_schema
from test_architecture import RULES, Module

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text()
FILE = re.compile(r"# src/(eigenbody/[\w/]+)\.py\n")
SECTIONS = ("joints", "measures", "forces", "couplings", "flexible")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def module_name(block: str) -> str | None:
    """The module that a block is the file of."""
    found = FILE.match(block)
    return found[1].replace("/", ".").removesuffix(".__init__") if found else None


FILES = {name: block for block in blocks("python") if (name := module_name(block))}


@pytest.fixture
def page() -> Iterator[dict[str, Any]]:
    """Names that the Python blocks define; a block that is a file can be imported by the others. Registries and modules
    are put back afterwards."""
    registries: list[Any] = [JOINTS, MEASURES, FORCES, COUPLINGS, FLEXIBLE]
    registries += [VOCABULARY.sections[section] for section in SECTIONS]
    before = [dict(registry) for registry in registries]
    names: dict[str, Any] = {}
    try:
        for block in blocks("python"):
            name = module_name(block)
            module = ModuleType(name or "page")
            if name:
                sys.modules[name] = module
            else:
                vars(module).update(names)
            exec(compile(block, f"docs/extending.md: {name}", "exec"), vars(module))
            names |= {key: value for key, value in vars(module).items() if not key.startswith("__")}
        yield names
    finally:
        for name in FILES:
            sys.modules.pop(name, None)
        for registry, content in zip(registries, before, strict=True):
            registry.clear()
            registry.update(content)


def model_of_the_page(name: str, folder: Path) -> dict[str, Any]:
    (text,) = (block for block in blocks("yaml") if f"name: {name}\n" in block)
    file = folder / "model.yaml"
    file.write_text(text)
    return eb.load(file).document


@pytest.fixture
def document(page: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    return model_of_the_page("Carriage in a slot with a pendulum", tmp_path)


@pytest.fixture
def ring(page: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    return model_of_the_page("Free ring", tmp_path)


# ---- joint, measure, force


def test_model_of_the_page(document: dict[str, Any]) -> None:
    modes = eb.modes(eb.load(document))
    assert modes.linear.coordinates == ("pin.displacement", "pin.angle", "sight")
    carriage, bob = (500 + 3 * 2e4 * 0.1**2) / 2, 9.81 / 0.5  # (k + 3 k3 s0^2) / (m1 + m2) along, g/l across
    assert modes.eigenvalues[:2] == pytest.approx([0, 0])
    assert np.imag(modes.eigenvalues[2:]) ** 2 == pytest.approx([bob, carriage], rel=1e-12)
    assert modes.linear.point.is_equilibrium
    assert modes.certificate.tangent_error < 1e-12


def test_new_elements_have_exact_tangents_in_motion(document: dict[str, Any]) -> None:
    """Off equilibrium and moving, every derivative of the new kernels is in the tangents the certificate checks."""
    document["joints"]["pin"] |= {"position": [0.1, 0.3], "velocity": [0.4, 2.0]}
    document["joints"]["hinge"] |= {"position": 0.7, "velocity": -1.5}
    document["forces"]["buffer"] |= {"c": 3}
    document["forces"]["sighting"] = {"type": "spring", "along": "sight", "k": 2, "c": 0.1}
    document["drivers"] = {"d": {"measure": "sight", "motion": "=0.2*sin(3*t)"}}
    del document["joints"]["hinge"]["position"], document["joints"]["hinge"]["velocity"]
    certificate = eb.linearize(eb.load(document)).certificate
    assert certificate.tangent_error < 1e-12
    assert max(certificate.drift) < 1e-9


def test_verify_checks_the_new_elements_and_calls_them_by_their_names(document: dict[str, Any]) -> None:
    """Differences of the engine's own equations know every element; other routes say what they do not know."""
    document["joints"]["pin"] |= {"position": [0.1, 0.3], "velocity": [0.4, 2.0]}
    document["forces"]["buffer"] |= {"c": 3}
    found = eb.verify(eb.load(document))
    assert found.verdict == "agree"
    assert [result.route.name for result in found.results if result.applies] == ["difference"]
    reasons = {result.route.name: result.reason for result in found.results if not result.applies}
    assert reasons.pop("topology").startswith("the mechanism moves")
    assert set(reasons.values()) == {'the joint "pin" of type "slot"'}


def test_vocabulary_and_schema_know_the_new_types(page: dict[str, Any], document: dict[str, Any]) -> None:
    schema = json_schema(VOCABULARY)
    new = {"joints-slot", "measures-azimuth", "forces-rubber", "couplings-differential", "flexible-ring"}
    assert new <= set(schema["$defs"])
    document["forces"]["buffer"]["hardening"] = document["forces"]["buffer"].pop("k3")
    with pytest.raises(eb.InputError, match='"k3" is missing'):
        eb.load(document)


# ---- coupling


def test_differential_shares_its_case_between_the_shafts(page: dict[str, Any]) -> None:
    """Shafts of 1 kg m^2 on springs of 100 N m/rad, a case of 2: together 100 / (1 + 1), against each other 100 / 1."""
    inertia = {"left": 1, "right": 1, "case": 2}
    model = {
        "eigenbody": 1,
        "bodies": {name: {"mass": 1, "inertia": [J, J, J], "at": [0, 0, 0]} for name, J in inertia.items()},
        "joints": {
            f"{name} turn": {"type": "revolute", "between": ["ground", name], "at": [0, 0, 0], "axis": [0, 1, 0]}
            for name in inertia
        },
        "forces": {name: {"type": "spring", "along": f"{name} turn", "k": 100} for name in ("left", "right")},
        "couplings": {"gear": {"type": "differential", "joints": [f"{name} turn" for name in inertia]}},
    }
    modes = eb.modes(eb.load(model))
    assert np.abs(modes.eigenvalues) ** 2 == pytest.approx([50, 100], rel=1e-12)


# ---- flexible body


def ring_frequency(n: int) -> float:
    """Hz of the bending of a thin ring in its plane with n waves (Love; inextensional), for the ring of the page."""
    E, density, radius, width, height = 210e9, 7850, 0.5, 0.020, 0.005
    squared = n**2 * (n**2 - 1) ** 2 / (n**2 + 1) * E * width * height**3 / 12 / (density * width * height * radius**4)
    return float(np.sqrt(squared) / (2 * np.pi))


def in_plane(document: dict[str, Any]) -> np.ndarray:
    """Frequencies of modes that move the nodes in the plane of the ring, Hz."""
    modes = eb.modes(eb.load(document))
    assert modes.certificate.tangent_error < 1e-12
    assert np.count_nonzero(modes.is_rigid) == 12
    moved = np.abs(modes.deformations.move).max(axis=1)  # (modes, 3)
    return modes.frequency_hz[(moved[:, 2] < 1e-6 * moved[:, :2].max(axis=1)) & ~modes.is_rigid]


def test_ring_of_the_page(ring: dict[str, Any]) -> None:
    found = in_plane(ring)
    expected = [ring_frequency(2)] * 2 + [ring_frequency(3)] * 2
    stated = re.search(
        r"each twice: ([\d.]+) Hz for n = 2,\s([\d.]+) Hz for n = 3.*?within ([\d.]+) %", PAGE, re.DOTALL
    )
    assert stated is not None
    assert [float(text) for text in stated.groups()[:2]] == [round(ring_frequency(n), 2) for n in (2, 3)]
    assert found[:4] == pytest.approx(expected, rel=float(stated[3]) / 100)


def test_ring_converges_with_the_square_of_its_elements(ring: dict[str, Any]) -> None:
    """A polygon is shorter than its circle by a part that falls with the square of the number of corners."""
    hoop = ring["flexible"]["hoop"]
    found = {n: in_plane(ring | {"flexible": {"hoop": hoop | {"elements": n}}})[0] for n in (12, 24, 48)}
    assert (found[12] - found[24]) / (found[24] - found[48]) == pytest.approx(4, rel=0.05)
    limit = found[48] - (found[24] - found[48]) / 3
    assert limit == pytest.approx(ring_frequency(2), rel=1e-4)  # the thickness is a hundredth of the radius


def test_ring_can_be_differentiated(ring: dict[str, Any]) -> None:
    """Complex steps run through the new builder: frequencies go with sqrt(E) and, thin as it is, with 1 / radius^2."""
    ring["parameters"] = {"E": 210e9, "radius": 0.5}
    ring["flexible"]["hoop"] |= {"E": "=E", "radius": "=radius"}
    relative = eb.sensitivity(eb.load(ring), ["E", "radius"]).relative_frequency
    assert relative[0, 12] == pytest.approx(0.5, rel=1e-9)
    assert relative[1, 12] == pytest.approx(-2, rel=1e-4)


def test_ring_is_held_at_a_node_and_weighs_what_it_should(ring: dict[str, Any]) -> None:
    ring |= {"gravity": [0, 0, -9.81], "operating_point": "equilibrium"}
    ring["joints"] = {"clamp": {"type": "fixed", "between": ["ground", "hoop.0"], "at": [0, 0.5, 0]}}
    point = eb.operating_point(eb.load(ring))
    polygon = 2 * 48 * 0.5 * np.sin(np.pi / 48)
    force = eb.reactions(point)["clamp"].force
    assert np.abs(force).max() == pytest.approx(7850 * 0.020 * 0.005 * polygon * 9.81, rel=1e-9)


def test_ring_says_what_is_wrong(ring: dict[str, Any]) -> None:
    ring["joints"] = {"clamp": {"type": "fixed", "between": ["ground", "hoop.48"], "at": [0, 0, 0]}}
    with pytest.raises(eb.InputError, match='the ring has no node "48"'):
        eb.load(ring)
    ring["flexible"]["hoop"] |= {"elements": 3}
    with pytest.raises(eb.InputError, match="3 elements make no ring"):
        eb.load(ring)


# ---- analysis


COMPLIANT = {
    "eigenbody": 1,
    "name": "two springs in a row",
    "bodies": {"a": {"mass": 2, "at": [0, 0, 0]}, "b": {"mass": 1, "at": [0, 0, 1]}},
    "joints": {
        "low": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]},
        "high": {"type": "prismatic", "between": ["a", "b"], "at": [0, 0, 1], "axis": [0, 0, 1]},
    },
    "forces": {
        "foot": {"type": "spring", "along": "low", "k": 200},
        "link": {"type": "spring", "along": "high", "k": 500},
    },
    "inputs": {"on a": {"along": "low"}, "between": {"along": "high"}},
    "outputs": {"a": {"measure": "low"}, "gap": {"measure": "high"}},
}
EXPECTED = np.diag([1 / 200, 1 / 500])  # each spring alone yields to the force along it


def test_static_compliance(page: dict[str, Any]) -> None:
    from eigenbody.analyses.compliance import compliance

    result = compliance(eb.load(COMPLIANT))
    assert result.values == pytest.approx(EXPECTED, abs=1e-15)
    assert "0.005" in str(result)
    assert "<table>" in result._repr_html_()
    assert len(result.plot().axes[0].lines) == 2
    with pytest.raises(eb.ComputationError, match="free motion"):
        compliance(eb.load({**COMPLIANT, "forces": {}}))


def test_static_compliance_as_files_and_plain_data_in_full_precision(page: dict[str, Any], tmp_path: Path) -> None:
    from eigenbody.analyses.compliance import compliance

    result = compliance(eb.load({**COMPLIANT, "forces": {**COMPLIANT["forces"], "more": {
        "type": "spring", "along": "low", "k": 1}}}))  # fmt: skip
    exact = 1 / 201  # more digits than a table prints
    assert result.document()["compliance"][0][0] == pytest.approx(exact, rel=1e-14)
    for ending in ("json", "csv", "npz", "mat"):
        result.write(tmp_path / f"out.{ending}")
    assert json.loads((tmp_path / "out.json").read_text()) == result.document()
    head, first, _ = (tmp_path / "out.csv").read_text().splitlines()
    assert head == "output,on a,between"
    assert float(first.split(",")[1]) == pytest.approx(exact, rel=1e-14)
    with np.load(tmp_path / "out.npz") as held:
        assert (held["compliance"] == result.values).all()
        assert held["inputs"].tolist() == ["on a", "between"]
    with pytest.raises(eb.InputError, match=r"Use one of: .npz, .mat, .csv, .json"):
        result.write(tmp_path / "out.txt")


def test_registry_line_makes_the_public_names_and_the_command(
    page: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line as the page prints it, then the command as a user types it."""
    from eigenbody.cli.main import main

    (line,) = re.findall(r'^    ("analyses.compliance": ".*"),$', PAGE, re.MULTILINE)
    source = Path(eb.__file__).read_text().replace("PUBLIC = {", f"PUBLIC = {{{line},")
    package = ModuleType("package")
    exec(source, vars(package))
    monkeypatch.setattr(eigenbody.analyses, "__path__", [*eigenbody.analyses.__path__, str(tmp_path)])
    for name, block in FILES.items():
        if ".compliance" in name:  # a command is read from the folder of its analysis
            file = tmp_path.joinpath("compliance", (name.partition(".compliance.")[2] or "__init__") + ".py")
            file.parent.mkdir(exist_ok=True)
            file.write_text(block)
    assert package.__getattr__("compliance") is sys.modules["eigenbody.analyses.compliance"].compliance
    monkeypatch.setitem(eb.PUBLIC, "analyses.compliance", package.PUBLIC["analyses.compliance"])
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_text(json.dumps(COMPLIANT))

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["compliance", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    code, text, _ = run("model.json")
    assert (code, "0.005" in text, "Certificate" in text) == (0, True, True)
    code, text, _ = run("model.json", "--json")
    assert code == 0
    assert json.loads(text)["compliance"] == [pytest.approx(row, abs=1e-15) for row in EXPECTED.tolist()]
    code, text, remarks = run("model.json", "-o", "out.csv", "--plot", "out.png", "--quiet")
    assert (code, text, remarks) == (0, "", "")
    assert Path("out.csv").read_text().startswith("output,on a,between")
    assert Path("out.png").stat().st_size > 5000
    code, _, fault = run("model.json", "-o", "out.doc")
    assert (code, ".npz, .mat, .csv, .json" in fault) == (2, True)
    code, text, _ = run("--help")
    assert (code, '"compliance": [[...]]' in text) == (0, True)


def test_an_analysis_is_one_folder_of_at_most_90_lines() -> None:
    files = {name: block for name, block in FILES.items() if ".compliance" in name}
    assert len({name.split(".")[2] for name in files}) == 1
    assert sum(len(block.splitlines()) - 1 for block in files.values()) <= 90  # without the line that names the file
    assert max(len(line) for block in files.values() for line in block.splitlines()) <= 120


# ---- the page as part of the package


@pytest.mark.parametrize("name", FILES)
def test_files_of_the_page_keep_the_rules_of_the_house(name: str) -> None:
    module = Module("/".join(name.split(".")[1:]) + ".py", FILES[name])
    assert module.imports
    assert not [(rule.__name__, *found) for rule in RULES for found in rule(module)]


def test_every_kind_of_extension_is_shown() -> None:
    layers = {tuple(name.split(".")[1:3]) for name in FILES}
    assert {("elements", kind) for kind in ("joints", "measures", "forces", "flexible")} <= layers
    assert ("analyses", "compliance") in layers


def test_registries_are_as_before() -> None:
    assert "slot" not in JOINTS
    assert "ring" not in FLEXIBLE
    assert "rubber" not in VOCABULARY.sections["forces"]
    assert "eigenbody.analyses.compliance" not in sys.modules
