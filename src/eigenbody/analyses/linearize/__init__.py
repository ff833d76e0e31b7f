"""The linear model at an operating point, with inputs and outputs asked for, damping added, or by another route."""

from typing import TYPE_CHECKING

from eigenbody.analyses.linearize.asked import Damping, equations_asked
from eigenbody.analyses.linearize.damping import with_damping, with_hysteresis
from eigenbody.analyses.linearize.linear import constant_linear_of, linear_of, linearize
from eigenbody.analyses.linearize.ports import Ports, need_inputs, ports, with_input, with_output
from eigenbody.base.door import later

if TYPE_CHECKING:
    from eigenbody.analyses.linearize.topology import by_topology, oscillations_at
else:
    __getattr__ = later(__name__)
