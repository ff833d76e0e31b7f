"""Ball joint under its primitive name: the two points coincide."""

from dataclasses import replace

from eigenbody.elements.joints.spherical import SPHERICAL

POINT_JOINT = replace(SPHERICAL, name="point", doc=__doc__ or "")
