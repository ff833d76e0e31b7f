"""Motion of the linear model in time."""

from eigenbody.analyses.response.excitation import StepInput
from eigenbody.analyses.response.find import TimeResponse, fundamental_matrix, response
from eigenbody.analyses.response.spectra import Spectrogram, Spectrum, fft, spectrogram
