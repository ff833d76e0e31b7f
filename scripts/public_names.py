"""Write `src/eigenbody/__init__.pyi`: the public names as editors and type checkers read them.

They are listed once, in `src/eigenbody/__init__.py`; after a change there: ./run python scripts/public_names.py
"""

from __future__ import annotations

from pathlib import Path

import eigenbody

STUB = Path(eigenbody.__file__).with_suffix(".pyi")


def stub() -> str:
    """The text of the stub."""
    lines = sorted(
        f"from eigenbody.{module} import {name} as {name}"
        for module, names in eigenbody.PUBLIC.items()
        for name in names.replace("$", "").split()
    )
    head = "# Written by scripts/public_names.py from the list in __init__.py."
    return "\n".join([head, "", *lines, "", "PUBLIC: dict[str, str]", "__version__: str", ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
