"""Which force channels a motion has to follow."""

from __future__ import annotations

import numpy as np

from eigenbody.system.system import System


def pushing(system: System) -> np.ndarray:
    """(channels,) bool: channels along which something acts or on which a force or a state depends."""
    f = system.forces
    out = np.zeros(f.measures.count, dtype=bool)
    acts = (f.linear.k != 0) | (f.linear.c != 0)
    out[f.linear.i[acts]] = out[f.linear.j[acts]] = True
    out |= f.constant != 0
    out[f.input_channel] = True
    for signal in f.signals:
        out[signal.target] = True
    for signal in (*f.signals, *f.state_rates):
        out[[a.index for a in signal.arguments if a.kind in ("s", "v")]] = True
    for variable in system.algebraic:
        if variable.channel >= 0:
            out[variable.channel] = True
    return out
