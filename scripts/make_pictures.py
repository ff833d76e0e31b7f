"""Make the pictures of the documentation: python scripts/make_pictures.py."""

from __future__ import annotations

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


if __name__ == "__main__":
    main()
