"""Models built step by step: a method for each section. Keys that are wrong are refused at once.

The keys of every type are in `builder.pyi`, which scripts/builder_stub.py writes from the registries: editors complete
and explain them. `in_` stands for the key `in`.
"""

from __future__ import annotations

from typing import Any, Self

from eigenbody.model.model import InertModel


class Builder(InertModel):
    """A model to which entries are added, each giving a new one."""

    def parameter(self, name: str, value: Any) -> Self:
        """Add a design parameter."""
        return self.with_entry("parameters", name, value)

    def flexible(self, name: str, type: str, **keys: Any) -> Self:
        """Add a flexible body of a type: `beam`, `matrices`."""
        return self.with_entry("flexible", name, {"type": type, **_plain(keys)})

    def body(self, name: str, **keys: Any) -> Self:
        """Add a body: `mass`, `inertia`, `at`, `rotation`, `shape`."""
        return self.with_entry("bodies", name, _plain(keys))

    def marker(self, name: str, **keys: Any) -> Self:
        """Add a marker: `body`, `at`, `rotation`, `frame`."""
        return self.with_entry("markers", name, _plain(keys))

    def frame(self, name: str, **keys: Any) -> Self:
        """Add a moving reference frame: `about`, `at`, `rate`."""
        return self.with_entry("frames", name, _plain(keys))

    def rotor(self, name: str, **keys: Any) -> Self:
        """Name equal blades by hand: `joint` that turns them, `blades`."""
        return self.with_entry("rotors", name, _plain(keys))

    def joint(self, name: str, type: str, **keys: Any) -> Self:
        """Add a joint of a type."""
        return self.with_entry("joints", name, {"type": type, **_plain(keys)})

    def coupling(self, name: str, type: str, **keys: Any) -> Self:
        """Add a coupling of a type."""
        return self.with_entry("couplings", name, {"type": type, **_plain(keys)})

    def measure(self, name: str, type: str, **keys: Any) -> Self:
        """Add a measure of a type."""
        return self.with_entry("measures", name, {"type": type, **_plain(keys)})

    def force(self, name: str, type: str, **keys: Any) -> Self:
        """Add a force of a type."""
        return self.with_entry("forces", name, {"type": type, **_plain(keys)})

    def driver(self, name: str, **keys: Any) -> Self:
        """Add a driver: `measure`, `motion`."""
        return self.with_entry("drivers", name, _plain(keys))

    def state(self, name: str, **keys: Any) -> Self:
        """Add a first-order state: `initial`, `rate`."""
        return self.with_entry("states", name, _plain(keys))

    def variable(self, name: str, value: Any) -> Self:
        """Add a named expression."""
        return self.with_entry("variables", name, value)

    def block(self, name: str, type: str, **keys: Any) -> Self:
        """Add a control block of a type: `transfer`, `state_space`, `pid`, `filter`, `delay`."""
        return self.with_entry("blocks", name, {"type": type, **_plain(keys)})

    def input(self, name: str, **keys: Any) -> Self:
        """Add an input."""
        return self.with_entry("inputs", name, _plain(keys))

    def output(self, name: str, **keys: Any) -> Self:
        """Add an output."""
        return self.with_entry("outputs", name, _plain(keys))


def _plain(keys: dict[str, Any]) -> dict[str, Any]:
    """Keys as the model file has them; those that are None are not given."""
    return {"in" if key == "in_" else key: value for key, value in keys.items() if value is not None}
