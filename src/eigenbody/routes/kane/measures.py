"""Named measures as the chain sees them: with angles of sequences, modal coordinates and nodes, and turns counted."""

from __future__ import annotations

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place, Unsupported
from eigenbody.routes.deflections import Angle, Deflection, Displacement, Part
from eigenbody.routes.drawing import GROUND, Attachment, ends, poses_of
from eigenbody.routes.joints import SIX
from eigenbody.routes.kane.second_rates import Counted, SequenceAngle
from eigenbody.routes.named import Measures

ANGLES = ("1", "2", "3")


class ChainMeasures(Measures):
    """Finds a measure by its name; angles stay on the branch on which the place has them."""

    def __init__(self, description: Description, place: Place) -> None:
        super().__init__(description, place)
        self._angles = {entry.name: entry for entry in description.measures if entry.type == "angles"}
        self._modal = {
            name: (body.carriers[k // 3], k % 3)
            for body in description.flexible
            for k, name in enumerate(body.coordinates)
        }
        joints = {joint.name for joint in description.joints}
        self._own_bodies = {name for name in description.bodies.names if "." in name and name not in joints}
        self._own_bodies |= {node for body in description.flexible for node in body.nodes}

    def knows(self, name: str) -> bool:
        """Whether there is such a measure."""
        try:
            return self[name] is not None
        except (KeyError, ValueError, Unsupported):
            return False

    def _find(self, name: str) -> Deflection:
        owner, _, label = name.rpartition(".")
        if owner in self._angles and label in ANGLES:
            first, second = angle_frames(self.description, self._angles[owner])
            return SequenceAngle(first, second, self._angles[owner]["sequence"], int(label) - 1)
        if name in self._modal:
            carrier, axis = self._modal[name]
            body = self.description.bodies.names.index(carrier)
            still = Attachment(GROUND, np.zeros(3), np.eye(3))
            return Part(Displacement(still, Attachment(body, np.zeros(3), np.eye(3))), (axis,))
        if owner in self._own_bodies and label in SIX:
            return self.of_body(owner, label)
        return super()._find(name)

    def _with_turns(self, name: str, found: Deflection) -> Deflection:
        outer = isinstance(found, SequenceAngle) and found.index != 1
        if not outer and not isinstance(found, Angle):
            return found
        here = float(np.real(found.value(poses_of(self.place))[..., 0]))
        return Counted(found, self.place.coordinates.get(name, here))


def angle_frames(description: Description, entry: Entry) -> tuple[Attachment, Attachment]:
    """The frames of a measure of angles: those of the joint that it is of, else its own."""
    if entry.get("of") is None:
        return ends(description, entry)
    joint = next((joint for joint in description.joints if joint.name == entry["of"]), None)
    if joint is None:
        raise Unsupported(f'the angles "{entry.name}"')
    return ends(description, joint)
