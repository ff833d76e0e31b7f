"""The registries name what they hold, and a model brings in no more than it uses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from eigenbody.cli.app import commands, function_of
from eigenbody.elements.registry import Registry
from eigenbody.elements.vocabulary import VOCABULARY

TYPED = ("joints", "forces", "flexible", "blocks", "couplings", "measures")
ENTRIES = [(section, name) for section in TYPED for name in VOCABULARY.types(section)]


@pytest.mark.parametrize(("section", "name"), ENTRIES, ids=lambda part: part)
def test_a_type_has_the_name_of_its_line(section: str, name: str) -> None:
    assert VOCABULARY.types(section)[name].name == name


@pytest.mark.parametrize(("name", "module"), commands().items())
def test_a_command_has_the_name_of_its_function(name: str, module: str) -> None:
    assert function_of(name, module).__name__ == name


def test_values_are_made_once_and_when_asked_for() -> None:
    made: list[str] = []

    def make() -> str:
        made.append("a")
        return "A"

    registry: Registry[str] = Registry({"a": make})
    lower = registry.each(str.lower)
    assert ("a" in registry, "b" in registry, list(registry), len(registry), made) == (True, False, ["a"], 1, [])
    assert (lower["a"], lower["a"], registry["a"], made) == ("a", "a", "A", ["a"])
    registry["b"] = "B"
    assert dict(registry) == {"a": "A", "b": "B"}
    del registry["a"]
    assert dict(registry) == {"b": "B"}
    with pytest.raises(KeyError):
        registry["a"]


def test_a_small_model_loads_no_element_that_it_does_not_have() -> None:
    """Every module costs start-up time."""
    code = """
import sys, eigenbody as eb
pin = {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}
bob = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, -1]}
eb.modes(eb.load({"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {"bob": bob}, "joints": {"pin": pin}}))
print(*sorted(name for name in sys.modules if name.startswith("eigenbody.")))
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "eigenbody.elements.joints.revolute" in loaded
    unused = (
        "elements.joints.screw",
        "elements.forces.tyre",
        "elements.flexible.beam",
        "structures",
        "operating.periodic",
        "operating.steady",
        "simulation",
        "routes",
        "present",
    )
    assert not [name for name in loaded if name.startswith(tuple(f"eigenbody.{part}" for part in unused))]
