"""Flexible bodies in models: beams spliced into the joints of any mechanism, and models that several tests share."""

import numpy as np

from mechanism_parts import decimal, direction, numbers

SPLICED = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "fixed")
SOFT = {"E": 4e4, "nu": 0.3, "density": 300.0, "width": 0.06, "height": 0.09}  # some rad/s to some hundred rad/s


def with_beams(rng: np.random.Generator, document: dict, most: int = 2) -> dict:
    """The document with a beam between a joint and its second body, at up to `most` joints.

    The beam leads from the joint's point to another point, at which the body is then fixed to it; the drawing stays
    consistent, and loops stay loops.
    """
    document = {**document, "joints": dict(document["joints"]), "flexible": {}}
    for name, joint in list(document["joints"].items()):
        if len(document["flexible"]) < most and _can_splice(joint, document):
            beam = f"beam{len(document['flexible']) + 1}"
            start = np.array(joint["at"], dtype=float)
            tip = numbers(start + direction(rng) * rng.uniform(0.3, 0.7))
            document["flexible"][beam] = {
                "type": "beam", "points": [numbers(start), tip], "y_axis": numbers(direction(rng)), **SOFT,
                "elements": 4, "modes": int(rng.integers(0, 3)), "damping": decimal(rng, 0.0, 0.1),
                **({"sections": 2} if rng.random() < 0.3 else {}),
                **({"tension": decimal(rng, -2, 5)} if rng.random() < 0.3 else {}),
            }  # fmt: skip
            first, second = joint["between"]
            document["joints"][name] = {**joint, "between": [first, f"{beam}.start"]}
            document["joints"][f"{beam}_end"] = {"type": "fixed", "between": [f"{beam}.end", second], "at": tip}
    return document


def _can_splice(joint: dict, document: dict) -> bool:
    """A joint at one point given in plain numbers, whose second part is a body."""
    at = joint.get("at")
    plain = isinstance(at, list) and len(at) == 3 and all(isinstance(x, int | float) for x in at)
    return joint["type"] in SPLICED and plain and joint["between"][1] in document["bodies"]
