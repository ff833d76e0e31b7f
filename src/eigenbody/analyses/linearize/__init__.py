"""The linear model at an operating point, with inputs and outputs asked for and damping added."""

from eigenbody.analyses.linearize.damping import with_damping
from eigenbody.analyses.linearize.linear import linear_of, linearize
from eigenbody.analyses.linearize.ports import Ports, need_inputs, ports, with_input, with_output
