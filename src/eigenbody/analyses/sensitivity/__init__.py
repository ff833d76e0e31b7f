"""How eigenvalues, shapes and values change with parameters, exactly."""

from eigenbody.analyses.sensitivity.derivatives import Derivatives, derivatives, derivatives_at
from eigenbody.analyses.sensitivity.find import Sensitivity, design_numbers, sensitivity
