"""Force types: one small file each, one line here."""

from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.registry import Registry, types_in

__all__ = ["FORCES", "ForceBuilder", "ForceType"]

FORCES: Registry[ForceType] = types_in(
    __name__,
    spring="spring.SPRING",
    damper="spring.DAMPER",
    rotational_damper="rotational_damper.ROTATIONAL_DAMPER",
    bushing="bushing.BUSHING",
    bearing="bushing.BEARING",
    beam="beam.BEAM",
    force="load.POINT_FORCE",
    torque="load.TORQUE",
    expression="load.EXPRESSION",
    actuator="load.ACTUATOR",
    friction="friction.FRICTION",
    one_sided="one_sided.ONE_SIDED",
    backlash="one_sided.BACKLASH",
    maxwell="maxwell.MAXWELL",
    motor="motor.MOTOR",
    dc_motor="motor.DC_MOTOR",
    tyre="tyre.TYRE",
    wheel_rail="wheel_rail.WHEEL_RAIL",
)
