"""Modes followed along a parameter or a speed: branches, crossings, boundaries of stability."""

from eigenbody.analyses.sweep.campbell import Campbell, campbell
from eigenbody.analyses.sweep.follow import Sweep, SweepInterrupted, sweep
from eigenbody.analyses.sweep.values import path_of, unit_of, value_range
from eigenbody.analyses.sweep.variants import VariantModes, sorted_eigenvalues, variants
