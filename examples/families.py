"""Families of mechanisms of any size: chains, binary trees and closed-loop ladders, as JSON.

    python examples/families.py C10RF1 > chain.json     chain of 10 bodies, revolute joints, 1 spring-damper per joint
    python examples/families.py TL4SF1 > tree.json      binary tree of 4 layers, spherical joints
    python examples/families.py L3RF2 > ladder.json     ladder of 3 layers (9 bodies), 2 spring-dampers per joint

`eigenbody new family C10RF1` writes the same as YAML. A program that makes models of any size needs no more than this:
a dictionary of plain values, printed as JSON, which eigenbody reads wherever it reads YAML.

Source: Jiang, Chen & Luo 2011, section 5.1; how the names are written, and where the paper is silent or misprinted:
src/eigenbody/starters/family.py.
"""

from __future__ import annotations

import json
import sys

from eigenbody import InputError
from eigenbody.starters.family import DAMPING, LINKS, NAME, STIFFNESS, family

__all__ = ["DAMPING", "LINKS", "NAME", "STIFFNESS", "family", "main"]


def main(arguments: list[str]) -> int:
    """Print the model as JSON."""
    if len(arguments) != 1:
        print("usage: python examples/families.py C10RF1 > chain.json", file=sys.stderr)
        return 2
    try:
        model = family(arguments[0])
    except InputError as error:
        print(f"families.py: {error}", file=sys.stderr)
        return 2
    json.dump(model, sys.stdout)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
