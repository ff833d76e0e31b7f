"""Response to random excitation: spectra, moments, comfort."""

from eigenbody.analyses.random.find import psd
from eigenbody.analyses.random.result import RandomResponse
