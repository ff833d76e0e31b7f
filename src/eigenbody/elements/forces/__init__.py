"""Force types: one small file each, one line here."""

from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.beam import BEAM
from eigenbody.elements.forces.bushing import BEARING, BUSHING
from eigenbody.elements.forces.friction import FRICTION
from eigenbody.elements.forces.load import ACTUATOR, EXPRESSION, POINT_FORCE, TORQUE
from eigenbody.elements.forces.maxwell import MAXWELL
from eigenbody.elements.forces.motor import DC_MOTOR, MOTOR
from eigenbody.elements.forces.one_sided import BACKLASH, ONE_SIDED
from eigenbody.elements.forces.spring import DAMPER, SPRING
from eigenbody.elements.forces.tyre import TYRE
from eigenbody.elements.forces.wheel_rail import WHEEL_RAIL

__all__ = ["FORCES", "ForceBuilder", "ForceType"]

FORCES: dict[str, ForceType] = {
    force.spec.name: force
    for force in (
        SPRING, DAMPER, BUSHING, BEARING, BEAM, POINT_FORCE, TORQUE, EXPRESSION, ACTUATOR, FRICTION, ONE_SIDED,
        BACKLASH, MAXWELL, MOTOR, DC_MOTOR, TYRE, WHEEL_RAIL,
    )
}  # fmt: skip
