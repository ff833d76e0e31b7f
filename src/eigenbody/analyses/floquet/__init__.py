"""Stability of periodic motions by Floquet's theory: multipliers, exponents, harmonics."""

from eigenbody.analyses.floquet.find import Floquet, floquet, floquet_of_model
from eigenbody.analyses.floquet.sweep import FloquetSweep, floquet_sweep
