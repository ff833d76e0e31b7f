"""What a kind of model to begin with has to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Starter:
    """A kind of model: what it is, how its names are written (empty where it takes none), and its file as text."""

    about: str
    names: str
    text: Callable[[str | None], str]
