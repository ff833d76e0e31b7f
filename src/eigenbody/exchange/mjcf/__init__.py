"""MJCF: models of MuJoCo, compiled by the optional package `mujoco` and turned into the sections of a model."""

from __future__ import annotations

from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import Findings, Options
from eigenbody.exchange.mjcf.actuators import add_actuators
from eigenbody.exchange.mjcf.bodies import add_bodies, add_sites
from eigenbody.exchange.mjcf.compiled import compiled
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.exchange.mjcf.equality import add_equalities
from eigenbody.exchange.mjcf.files import texts_of
from eigenbody.exchange.mjcf.left_out import add_notes
from eigenbody.exchange.mjcf.passive import add_passive
from eigenbody.exchange.mjcf.poses import add_poses
from eigenbody.exchange.mjcf.shapes import add_shapes
from eigenbody.exchange.mjcf.tendons import add_tendons
from eigenbody.model.source import Source, shown

__all__ = ["drafted", "read_mjcf"]


def read_mjcf(path: Path, options: Options) -> Source:
    """The sections of a model, with the lines of the file."""
    if options.base is not None:
        what = "an MJCF file says itself which bodies are free."
        raise InputError(Fault("--base", what, "Leave it out: it is for URDF files."))
    draft = drafted(path, options)
    draft.found.raise_if_any()
    return Source(
        draft.document(), path.absolute().parent, draft.found.label, draft.robot.name or path.stem, lines=draft.lines,
        notes=tuple(draft.found.notes), allow_files=options.allow_files,
    )  # fmt: skip


def drafted(path: Path, options: Options) -> Draft:
    """All sections, with what everything in the file is called in them."""
    found = Findings(shown(path.name))
    texts = texts_of(path, options, found)
    draft = Draft(compiled(path, texts, found), texts, options, found)
    for add in (
        add_bodies, add_sites, add_shapes, add_passive, add_tendons, add_equalities, add_actuators, add_poses,
        add_notes,
    ):  # fmt: skip
        add(draft)
    return draft
