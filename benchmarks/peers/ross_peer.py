"""ROSS: whirl of the rotors of examples/flexible_rotor.py, and the clock around its Campbell diagram.

    ross_peer.py FILE whirl                  eigenvalues at every speed, critical speeds
    ross_peer.py FILE times COUNT            seconds of the processor for diagrams of COUNT frequencies

FILE is written by benchmarks/rotors.py. One JSON document is printed.
"""

import contextlib
import json
import os
import signal
import sys
import time
import warnings

import numpy as np

with warnings.catch_warnings(), contextlib.redirect_stdout(open(os.devnull, "w")):
    warnings.simplefilter("ignore")
    import ross  # it remarks on a fluid library that is not used here


def build(rotor, elements):
    """The rotor of so many equal shaft elements: Timoshenko with Cowper's shear coefficient, as ROSS has them."""
    steel = ross.Material("steel", rho=rotor["density"], E=rotor["E"], G_s=rotor["G"])
    shaft = [
        ross.ShaftElement(rotor["length"] / elements, 0.0, rotor["diameter"], material=steel) for _ in range(elements)
    ]
    discs = [
        ross.DiskElement(n=round(z / rotor["length"] * elements), m=mass, Id=across, Ip=along)
        for z, mass, across, along in rotor["discs"]
    ]
    (kxx, kxy), (kyx, kyy) = rotor["k"]
    bearings = [
        ross.BearingElement(node, kxx=kxx, kxy=kxy, kyx=kyx, kyy=kyy, cxx=rotor["c"], cyy=rotor["c"],
                            kzz=0 if node else rotor["axial"])
        for node in (0, elements)
    ]  # fmt: skip
    return ross.Rotor(shaft, discs, bearings)


def eigenvalues(machine, speed):
    """All with positive imaginary part."""
    found = machine.run_modal(speed, num_modes=machine.ndof, sparse=False).evalues
    return found[found.imag > 1e-3]


def whirl(document):
    """Eigenvalues of every rotor at its speeds, and where one of them equals the speed."""
    from scipy.optimize import brentq

    out = {}
    for rotor in document["rotors"]:
        machine = build(rotor, document["elements"])
        values = [eigenvalues(machine, speed) for speed in rotor["speeds"]]
        critical = []
        for guess, low, high in rotor["criticals"]:

            def miss(speed, guess=guess, machine=machine):
                found = eigenvalues(machine, speed).imag
                return found[np.argmin(np.abs(found - guess))] - speed

            critical.append(brentq(miss, low, high, rtol=1e-10))
        out[rotor["name"]] = {
            "eigenvalues": [[[v.real, v.imag] for v in row[np.argsort(np.abs(row))][:24]] for row in values],
            "critical": critical,
        }
    return out


def times(document, count):
    """Best seconds of the processor for one Campbell diagram from the rotor's numbers on, by number of elements; a new
    rotor every time, because a second diagram of the same one comes from its memory. Numba's compilation is over
    before. `critical` is for its critical speeds up to the fastest one, or why there are none."""
    rotor, out = document["rotors"][0], {}
    speeds = np.array(rotor["speeds"])
    build(rotor, 6).run_campbell(speeds[:3], frequencies=count)
    for elements in document["sizes"]:
        seconds = []
        begin = time.perf_counter()
        for _ in range(document["runs"]):
            start = time.process_time()
            machine = build(rotor, elements)
            found = machine.run_campbell(speeds, frequencies=count)
            seconds.append(time.process_time() - start)
            if time.perf_counter() - begin > document["patience"]:
                break
        out[elements] = {"seconds": min(seconds), "runs": len(seconds), "unknowns": int(2 * machine.ndof),
                         "last": np.sort(found.wd[-1]).tolist(),
                         "critical": critical(build(rotor, elements), speeds[-1], document["patience"])}  # fmt: skip
    return out


def critical(machine, fastest, patience):
    """Seconds of the processor for the critical speeds, once; or why there are none."""

    def give_up(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(patience)
    start = time.process_time()
    try:
        machine.run_critical_speed(speed_range=(0.0, float(fastest)))
        return time.process_time() - start
    except (SystemError, TimeoutError):  # a signal amid compiled code is a SystemError
        return f"not within {patience} s"
    except RuntimeError as error:
        return str(error)
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    with open(sys.argv[1]) as stream:
        asked = json.load(stream)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = whirl(asked) if sys.argv[2] == "whirl" else times(asked, int(sys.argv[3]))
    print(json.dumps({"version": ross.__version__, "found": answer}))
