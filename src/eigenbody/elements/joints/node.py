"""A node of a flexible body on its floating frame: displacement and rotation are those of the modes.

The rows hold `measure - sum_k shape_k q_k` at zero; the terms of the modal coordinates q are added where the rows are
put together (system/rows.py). The rotation is measured by the axial vector of the relative rotation matrix, axis times
sine of the angle, which is that of the modes as far as modes tell. No user writes this joint: flexible bodies bring
theirs along.
"""

from eigenbody.elements.joints.base import POINT, JointType, Tie
from eigenbody.elements.measures.templates import Cosine

_CYCLES = (("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y"))
TURN = tuple(
    Tie(f"turn {i}", ((Cosine(f"{k}1", f"{j}2"), 0.5, None), (Cosine(f"{j}1", f"{k}2"), -0.5, None)))
    for i, j, k in _CYCLES
)

NODE = JointType("node", held=(*POINT, *TURN), doc=__doc__ or "")
