"""Whether beams are made shorter by too much for one body each, beside what their load leaves of their stiffness.

A body has the elastic stiffness of small strains. That of a beam which is longer by a part e is another by about e of
itself; of a mode in which compression takes most of the elastic stiffness away, e of what is taken from is more of what
is left: with the elastic energy V_e of the beam and all energy of the mode, kinetic T and potential V, the frequency
errs by e / 2 times 2 V_e / (T + V), which is e / 2 / (1 - P / P_E) of a column under a part of its buckling load.
"""

from __future__ import annotations

import numpy as np

from eigenbody.analyses.modes.energy import ELASTIC, mode_energies
from eigenbody.analyses.modes.motion import mode_motion
from eigenbody.analyses.modes.result import Modes
from eigenbody.analyses.modes.richer import swinging
from eigenbody.linearization.bending import HALF, NOTED, stretched_beams

LEAST = 1e-5  # stretch from which on it may matter: beside 0.995 of the buckling load
SOFTENED = 1.2  # elastic energy over that of the mode, from which on the load has taken some away


def remarks_on_stretched_beams(found: Modes) -> tuple[str, ...]:
    """A sentence for every beam of one body with a frequency that its load lowers so far that its stretch counts."""
    beams = {name: beam for name, beam in stretched_beams(found.linear.point, LEAST).items() if beam.parts == 1}
    judged = np.flatnonzero(swinging(found.eigenvalues) & ~found.is_rigid)
    if not beams or not len(judged):
        return ()
    energies = mode_energies(found, mode_motion(found))
    whole = energies.kinetic.sum(axis=(1, 2)) + energies.deformation.sum(axis=1) + energies.strain.sum(axis=1)
    remarks = []
    for name, beam in beams.items():
        elastic = 2 * energies.strain[judged, energies.sources.index(name + ELASTIC)]
        share = elastic / np.maximum(np.abs(whole[judged]), 1e-300)
        worst = int(np.argmax(share))
        error = HALF * beam.stretch * float(share[worst])
        if share[worst] > SOFTENED and error > NOTED:
            remarks.append(
                f"flexible.{name}: its load makes it longer or shorter by {beam.stretch:.1e} of its length and takes"
                f" {1 - 1 / share[worst]:.2g} of its elastic stiffness from the mode of"
                f" {found.frequency_hz[judged[worst]]:.4g} Hz: this frequency may err by {error:.1e} with one body."
                f" Give flexible.{name}.sections, and compare."
            )
    return tuple(remarks)
