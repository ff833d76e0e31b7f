"""Frequencies, damping, shapes and stability, and what explains and compares them."""

from typing import TYPE_CHECKING

from eigenbody.analyses.modes.blade_labels import BladePattern
from eigenbody.analyses.modes.checks import ModesCertificate
from eigenbody.analyses.modes.deformation import TrackedRows, tracked_rows, tracked_shapes
from eigenbody.analyses.modes.find import modes, modes_from, sparse_modes
from eigenbody.analyses.modes.many import modes_of_many
from eigenbody.analyses.modes.result import Modes
from eigenbody.analyses.modes.spectrum import damping_ratios, frequencies_hz, growth_of
from eigenbody.analyses.modes.stacked import StackedModes, spins_of, stacked_modes, stands_still
from eigenbody.base.door import later

if TYPE_CHECKING:
    from eigenbody.analyses.modes.alike import mac, mac_matrix
    from eigenbody.analyses.modes.explain import Explanation
    from eigenbody.analyses.modes.few_shapes import remarks_on_few_shapes
    from eigenbody.analyses.modes.frames import modes_in_frames
    from eigenbody.analyses.modes.measured import MeasuredModes, measured_modes
    from eigenbody.analyses.modes.motion import global_motion
    from eigenbody.analyses.modes.small import SmallModel, frequency_response
else:
    __getattr__ = later(__name__)
