"""Frequency responses: of forces, of moving supports, of unbalance; their resonances."""

from eigenbody.analyses.frequency.base_excitation import base_excited
from eigenbody.analyses.frequency.find import frf
from eigenbody.analyses.frequency.known import connected
from eigenbody.analyses.frequency.map import FrequencyMap, frf_map
from eigenbody.analyses.frequency.modal import ModalForm
from eigenbody.analyses.frequency.residues import PoleAtPorts, Poles
from eigenbody.analyses.frequency.result import FrequencyResponse
from eigenbody.analyses.frequency.system import DenseEquations, Excited, dense_equations, excited
