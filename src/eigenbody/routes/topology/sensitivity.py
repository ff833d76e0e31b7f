"""Explicit derivatives of eigenvalues by masses, springs, and the places and axes of springs and joints (section 4).

    d lambda = -[phi^T (lambda^2 dM + lambda dC + dK) phi + 2 phi^T (lambda^2 M + lambda C + K) dB psi] / norm
    phi = B psi,  B = B' B'',  norm = phi^T (2 lambda M + C) phi

Eq. 62 with its transposes restored; "unitary" vectors, as printed, would need norm = 1 (docs/theory/topology.md). Only
joints change B: dB' follows the tree from the joint outwards (Eqs. 37, 38 differentiated), dB'' keeps the rows of cut
joints satisfied, which the paper leaves open. A spring along a coordinate of a joint moves with it. Where the place of
rest depends on the number, that is not in these formulas, nor is geometric stiffness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.routes.topology.constraints import Joint, _relative_of, joint_at, transmission_row
