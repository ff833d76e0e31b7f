"""The loops of spatial.components and spatial.modal, compiled by Numba (extra `fast`); `kernels` loads them when that
pays.

Small mechanisms need them: there the time goes into calling NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

from eigenbody.spatial import components as c
from eigenbody.spatial import modal

F = TypeVar("F", bound=Callable[..., Any])

for formula in (
    c.dot, c.cross, c.times, c.transposed_times, c.transposed, c.product, c.product_rate, c.moment, c.skew_polynomial,
    c.exp, c.log, c.cotangent, c.inverse_jacobian, c.vector_rate, c.angle_slopes, c.features, c.turned_pairs, c.pulled,
    c.move, c.swept,
):  # fmt: skip
    register_jitable(formula)


def _compiled(loop: F) -> F:
    return cast("F", numba.njit(cache=True, error_model="numpy")(loop))


product_jets = _compiled(c.product_jets)
angle_jets = _compiled(c.angle_jets)
turned_pairs = _compiled(c.turned_pairs)
swept = _compiled(c.swept)
swept_many = _compiled(c.swept_many)
swept_back = _compiled(c.swept_back)
move = _compiled(c.move)
between = _compiled(c.between)
vector_steps = _compiled(c.vector_steps)
inertial = _compiled(c.inertial)
modal_forms = _compiled(modal.modal_forms)
bent_inertia = _compiled(c.bent_inertia)
