"""eigenbody: the same cases from the model files of examples/.

python comparison/eigenbody_cases.py
"""

import sys
from math import pi
from pathlib import Path

import numpy as np
from cases import PARALLELOGRAM, PENDULUM, ROTOR, ROTOR_TURNING, SPLAYED, four_bar, rods, say, show, title

import eigenbody as eb

EXAMPLES = Path(__file__).parents[1] / "examples"


def squared(model):
    """omega^2 of a mechanism with one degree of freedom: minus the square of its eigenvalues."""
    return -(eb.modes(model).eigenvalues[0] ** 2).real


def upside_down():
    """The parallelogram standing on its cranks, its last joint a point constraint."""
    document = eb.load(EXAMPLES / "parallelogram.yaml", g=-9.81).document
    document["joints"]["d"]["type"] = "point"
    return eb.load(document)


def splayed():
    """The rods of the parallelogram between pivots 2 m apart."""
    document = eb.load(EXAMPLES / "parallelogram.yaml").document
    for name, rod in zip(("left", "coupler", "right"), rods(SPLAYED), strict=True):
        document["bodies"][name] |= {"at": rod.centre.tolist(), "inertia": rod.inertia.tolist()}
    for name, point in zip("abcd", SPLAYED, strict=True):
        document["joints"][name]["at"] = point
    return eb.load(document)


def whirl(turning=False):
    """Frequencies of the rotor in ground axes, or in axes that turn with it."""
    document = eb.load(EXAMPLES / "rotor_on_bearing.yaml").document
    document["frames"] = {"turn": {"about": [0, 0, 1], "at": [0, 0, 0], "rate": "=spin"}}
    both = eb.modes_in_frames(eb.load(document), frame="turn")
    found = (both.rotating if turning else both.fixed).eigenvalues.imag
    return np.sort(found[found > 1e-3])


def two_discs(segments):
    """Whirl frequencies of the rotor with two discs at 4000 rpm, rad/s."""
    sys.path.insert(0, str(EXAMPLES))
    from two_disc_rotor import whirl_speeds

    return whirl_speeds(f"{4000 * pi / 30} rad/s", segments)[:5]


def main():
    """All cases."""
    title("eigenbody", eb.__version__)
    show("pendulum", "examples/hanging_pendulum.yaml", squared(eb.load(EXAMPLES / "hanging_pendulum.yaml")), PENDULUM)
    show(
        "parallelogram", "examples/parallelogram.yaml", squared(eb.load(EXAMPLES / "parallelogram.yaml")), PARALLELOGRAM
    )
    show("upside down", "the same, g = -9.81, closed by a point", squared(upside_down()), -PARALLELOGRAM)
    show("four-bar", "the same rods, pivots 2 m apart", squared(splayed()), four_bar())
    show("rotor", "examples/rotor_on_bearing.yaml", whirl(), ROTOR)
    show("rotor", "the same in axes that turn", whirl(turning=True), ROTOR_TURNING)
    for segments in (6, 36):
        say("two discs", f"{segments} rigid pieces, 4000 rpm", " ".join(f"{w:.3f}" for w in two_discs(segments)))


if __name__ == "__main__":
    main()
