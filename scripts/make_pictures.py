"""Make the pictures of the documentation: python scripts/make_pictures.py."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import eigenbody as eb

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
PICTURES = {"rotor_stator": "rotor_stator.yaml"}


def main() -> None:
    """One picture of the modes of each example, and those of a study."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, example in PICTURES.items():
        figure = eb.modes(eb.load(ROOT / "examples" / example)).plot()
        figure.savefig(IMAGES / f"{name}.png", dpi=110, metadata={"Software": None})
        print(f"docs/images/{name}.png")
    study = eb.study(ROOT / "examples" / "problems" / "bicycle_study.yaml")
    for kind in ("instability", "parallel"):
        study.plot(kind).savefig(IMAGES / f"study_{kind}.png", dpi=80, metadata={"Software": None})
        print(f"docs/images/study_{kind}.png")
    eb.reduce(ROOT / "examples" / "active_suspension.yaml", n=4).plot().savefig(
        IMAGES / "reduction.png", dpi=80, metadata={"Software": None}
    )
    print("docs/images/reduction.png")
    sys.path[:0] = [str(ROOT / "tests" / "verification" / "identify")]
    from test_identify import histories

    data = histories(1)
    found = eb.identify(data, inputs=["push", "shake"])
    found.plot().savefig(IMAGES / "stabilization.png", dpi=90, metadata={"Software": None})
    print("docs/images/stabilization.png")


if __name__ == "__main__":
    main()
