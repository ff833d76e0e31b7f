"""Units as powers of base units, for formats that want them so."""

from __future__ import annotations

import re
from collections import Counter

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}, "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2}, "Hz": {"s": -1}, "V": {"kg": 1, "m": 2, "s": -3, "A": -1}, "C": {"s": 1, "A": 1},
    "1": {},
}  # fmt: skip
FACTOR = re.compile(r"([A-Za-z]+|1)(?:(?:\^|\*\*)\(?(-?\d+)\)?)?")


def powers(unit: str) -> dict[str, int] | None:
    """Powers of the base units of SI and rad in a product such as "N*m/rad" or "m/s^2"; None where it is another."""
    found: Counter[str] = Counter()
    sign, rest = 1, unit.replace(" ", "").replace("**", "^")
    while rest:
        match = FACTOR.match(rest)
        if match is None:
            return None
        name, power = match[1], sign * int(match[2] or 1)
        parts = {name: 1} if name in BASE else DERIVED.get(name)
        if parts is None:
            return None
        for base, exponent in parts.items():
            found[base] += exponent * power
        rest = rest[match.end() :]
        if rest:
            if rest[0] not in "*/" or len(rest) == 1:
                return None
            sign, rest = (1 if rest[0] == "*" else -1), rest[1:]
    return {base: found[base] for base in BASE if found[base]}
