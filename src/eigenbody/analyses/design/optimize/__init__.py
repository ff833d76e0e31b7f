"""The best design."""

from eigenbody.analyses.design.optimize.find import optimize
from eigenbody.analyses.design.optimize.optimum import Optimum
