"""What a store is asked to keep of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eigenbody.base.version import __version__
from eigenbody.many.store import Column, Request, column_name
from eigenbody.model.files import contents_of_files
from eigenbody.model.model import InertModel


def request_of(
    analysis: str, model: InertModel, names: Sequence[str], found: Sequence[Column], grain: int,
    options: Mapping[str, Any] | None = None, is_whole: bool = False,
) -> Request:  # fmt: skip
    """The columns `found` of variants in which these parameters and paths have other values."""
    varied = tuple(Column(column_name(name, found), "SI", f"value of {name}") for name in names)
    return Request(
        analysis, __version__, model.name, model.document, contents_of_files(model.source, model.vocabulary), varied,
        tuple(found), grain, options or {}, is_whole,
    )  # fmt: skip
