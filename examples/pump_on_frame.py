"""A pump goes to those who build the frame: as one element, without its insides, and back as a flexible body.

    python examples/pump_on_frame.py

A pump unit has a housing, a motor on four rubber mounts and a coupling shaft with a disc on springs. Its maker hands
out a superelement: mass and stiffness at the flange of the housing, and the lowest modes with the flange held
(`.pch` for Nastran, `.npz` for this example). The builder of the frame bolts it to a beam. The same frame with the
whole pump on it says how right that is.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import eigenbody as eb

FLANGE = [0.9, 0, 0.05]  # m, on the frame
FEET = ((-0.15, -0.1), (-0.15, 0.1), (0.15, -0.1), (0.15, 0.1))  # m, of the motor
LISTED = 8
KEPT = (0, 2, 6, 14)


def with_pump(model: eb.Model) -> eb.Model:
    """The model with the pump in it, its flange free."""
    x, y, z = FLANGE
    model = model.body("housing", mass=14, inertia=[0.12, 0.2, 0.25], at=[x, y, z + 0.1])
    model = model.body("motor", mass=9, inertia=[0.05, 0.09, 0.1], at=[x - 0.05, y, z + 0.3])
    model = model.body("disc", mass=2.5, inertia=[0.012, 0.012, 0.02], at=[x + 0.3, y, z + 0.3])
    for i, (dx, dy) in enumerate(FEET):
        model = model.force(
            f"mount{i}", "bushing", between=["housing", "motor"], at=[x - 0.05 + dx, y + dy, z + 0.2],
            k=[6e4, 6e4, 1.5e5, 20, 20, 10],
        )  # fmt: skip
    for end, k in (("motor", [3e4, 3e4, 2e4, 40, 40, 60]), ("housing", [4e5, 4e5, 1e5, 200, 200, 0])):
        model = model.force(
            f"shaft_{end}", "bushing", between=[end, "disc"], at=[x + 0.2, y, z + 0.3], k=k, axis=[1, 0, 0]
        )
    return model


def pump() -> eb.Model:
    """The pump alone, free."""
    return with_pump(eb.Model(name="pump"))


def frame() -> eb.Model:
    """A beam on two posts that stand on ground, with a place for the flange."""
    beam = {
        "type": "beam", "points": [[0, 0, 0], [*FLANGE[:2], 0.0], [1.6, 0, 0]], "names": ["left", "seat", "right"],
        "E": 210e9, "G": 81e9, "density": 7850, "width": 0.1, "height": 0.05, "modes": 20,
    }  # fmt: skip
    model = eb.Model(name="frame", flexible={"beam": beam})
    for end, x in (("left", 0.0), ("right", 1.6)):
        model = model.force(
            f"post_{end}", "bushing", between=["ground", f"beam.{end}"], at=[x, 0, 0], k=[2e6, 1e6, 8e6, 4e4, 4e4, 2e4]
        )
    return model


def together() -> eb.Model:
    """The frame with the whole pump bolted on."""
    return with_pump(frame()).joint("bolts", "fixed", between=["beam.seat", "housing"], at=FLANGE)


def with_element(file: Path) -> eb.Model:
    """The frame with what the maker of the pump handed out."""
    model = frame().flexible("pump", "matrices", file=str(file), reduced=True)
    return model.joint("bolts", "fixed", between=["beam.seat", "pump.housing"], at=FLANGE)


def comparison() -> tuple[np.ndarray, dict[int, np.ndarray], dict[int, float]]:
    """Frequencies of the whole, of the frame with superelements of so many modes, and the first that each dropped."""
    found, dropped = {}, {}
    with TemporaryDirectory() as folder:
        for n in KEPT:
            element = eb.superelement(pump(), {"housing": FLANGE}, n=n)
            element.write(Path(folder) / "pump.npz")
            found[n] = eb.modes(with_element(Path(folder) / "pump.npz")).frequency_hz
            dropped[n] = element.first_dropped_hz
    return eb.modes(together()).frequency_hz, found, dropped


def main() -> None:
    """The superelement, and how its frequencies come near."""
    print(eb.superelement(pump(), {"housing": FLANGE}, n=6))
    whole, found, dropped = comparison()
    print("\nFrame with the pump, Hz, and what superelements miss, in parts of it")
    print("    whole " + "".join(f"{n:>6} modes" for n in KEPT))
    for k in range(LISTED):
        off = [found[n][k] / whole[k] - 1 for n in KEPT]
        print(f"{whole[k]:9.4f} " + "".join(f"{part:12.1e}" if part > 1e-9 else f"{'0':>12}" for part in off))
    print("first dropped, Hz:" + "".join(f"{dropped[n]:10.1f}" for n in KEPT))


if __name__ == "__main__":
    main()
