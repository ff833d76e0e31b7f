"""What scattering parameters do."""

from eigenbody.analyses.design.tolerance.find import Tolerance, tolerance
