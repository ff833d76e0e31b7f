"""What a mechanism looks like in space: solids, springs, joints."""

from eigenbody.analyses.drawing.elements import places_of_attachment
from eigenbody.analyses.drawing.moving import moving_modes, scales
from eigenbody.analyses.drawing.scene import Scene, scene_of, xyzw
from eigenbody.analyses.drawing.wireframe import motion_at, wireframe_shapes
