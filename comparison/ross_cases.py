"""ROSS: a rotor of finite elements with its gyroscopic terms.

    benchmarks/peers/environments/ross/bin/python comparison/ross_cases.py

It is made for rotors and has no mechanisms, so it meets the rotors alone: the one of the other scripts, on two
bearings and a nearly rigid, nearly massless shaft, and example 5.9.1 of Friswell, Penny, Garvey & Lees 2010.
"""

import warnings
from math import pi

import numpy as np
from cases import POLAR, ROTOR, ROTOR_MASS, SPEED, TILT, TRANSVERSE, say, show, title

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import ross  # it remarks on a fluid library that is not used here

FRISWELL = (85.389467, 87.7958637, 251.7846041, 294.7133309, 600.179362)  # rad/s at 4000 rpm
ARM = 0.5


def rotor():
    """Whirl frequencies of the disc: bearings at both ends of the shaft resist its tilt, 2 k a^2 = 500 N m/rad."""
    stiff = ross.Material("stiff", rho=1e-4, E=2.1e11, G_s=8.1e10)
    shaft = [ross.ShaftElement(ARM, 0.0, 0.1, material=stiff) for _ in range(2)]
    disc = ross.DiskElement(n=1, m=ROTOR_MASS, Id=TRANSVERSE, Ip=POLAR)
    bearings = [ross.BearingElement(n, kxx=TILT / (2 * ARM**2), cxx=0) for n in (0, 2)]
    found = frequencies(ross.Rotor(shaft, [disc], bearings), SPEED, 6)
    translation = np.sqrt(TILT / ARM**2 / ROTOR_MASS)  # twice, in a plane: no part of the case
    return [w for w in found if abs(w - translation) > 1e-2][:2]


def two_discs(elements):
    """The first whirl frequencies of the rotor with two discs at 4000 rpm, `elements` shaft elements."""
    steel = ross.Material("steel", rho=7810, E=211e9, G_s=81.2e9)
    shaft = [ross.ShaftElement(1.5 / elements, 0.0, 0.05, material=steel) for _ in range(elements)]
    discs = [
        ross.DiskElement(n=elements // 3, m=32.58972765304033, Id=0.17808928257067666, Ip=0.32956362089137037),
        ross.DiskElement(n=2 * elements // 3, m=51.5252611115262, Id=0.42358058405433824, Ip=0.8050822048675967),
    ]
    bearings = [ross.BearingElement(n, kxx=1e6, cxx=0) for n in (0, elements)]
    return frequencies(ross.Rotor(shaft, discs, bearings), 4000 * pi / 30, 12)[:5]


def frequencies(machine, speed, modes):
    """Lateral whirl frequencies in rad/s, lowest first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = machine.run_modal(speed, num_modes=2 * modes, sparse=False)
    return np.sort(found.wn[found.wn > 1e-2])


def main():
    """Both rotors."""
    title("ROSS", ross.__version__)
    show("rotor", "disc on a stiff light shaft", rotor(), ROTOR)
    for elements in (6, 12, 24):
        say("two discs", f"{elements} shaft elements, 4000 rpm", " ".join(f"{w:.3f}" for w in two_discs(elements)))
    say("two discs", "printed in the book", " ".join(f"{w:.3f}" for w in FRISWELL))
    say("mechanisms", "pendulum, four-bars", "not what it is for: no joints")


if __name__ == "__main__":
    main()
