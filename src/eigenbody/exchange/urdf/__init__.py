"""URDF: robots as trees of links and joints (Unified Robot Description Format), read and written by themselves."""

from __future__ import annotations

from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import Findings, Options, content_of
from eigenbody.exchange.meshes import Meshes
from eigenbody.exchange.urdf.elements import Robot, robot_of
from eigenbody.exchange.urdf.sections import sections_of
from eigenbody.exchange.urdf.tree import Tree, tree_of
from eigenbody.exchange.xml import Element, parse
from eigenbody.model.source import Source, shown

__all__ = ["Robot", "Tree", "read_urdf"]

EXPAND = "Expand them first: xacro {name} > expanded.urdf (ROS 2: ros2 run xacro xacro {name} > expanded.urdf)."


def read_urdf(path: Path, options: Options) -> Source:
    """The sections of a model, with the lines of the file."""
    label = shown(path.name)
    root = parse(content_of(path, label), label)
    _refuse_others(root, label)
    found = Findings(label)
    folder = path.absolute().parent
    robot = robot_of(root, found, Meshes(folder, options))
    tree = tree_of(robot, found, options.strict)
    found.raise_if_any()
    assert tree is not None
    data, lines = sections_of(robot, tree, options, found)
    found.raise_if_any()
    name = robot.name or path.stem
    return Source(data, folder, label, name, lines=lines, notes=tuple(found.notes), allow_files=options.allow_files)


def _refuse_others(root: Element, label: str) -> None:
    where = f"{label}, line {root.line}"
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            place = f"{label}, line {element.line}"
            what = f"<{element.tag}> is a macro of xacro, which is not expanded."
            raise InputError(Fault(place, what, EXPAND.format(name=label)))
    if root.tag != "robot":
        kind = {"sdf": " This is SDF.", "mujoco": " This is MJCF."}.get(root.tag, "")
        what = f"a URDF begins with <robot>, not with <{shown(root.tag)}>.{kind}"
        raise InputError(Fault(where, what, "Read are model files (.yaml, .yml, .json) and URDF (.urdf)."))
