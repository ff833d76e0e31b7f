"""The command line: parse, load, one library call, present. No numerics here."""

from __future__ import annotations

from eigenbody.cli.main import main

__all__ = ["main"]
