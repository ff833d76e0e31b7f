"""Newton's iteration for the stages of a collocation step with the Jacobian of each stage.

With one Jacobian for all stages the iteration converges while h^2 times the frequency of a stiff motion times the speed
at which its direction turns is small: a stiff spring on a pendulum would keep the steps short that its motion allows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.numerics.matrices.assembly import Triplets, dense
from eigenbody.simulation.chart import Chart
from eigenbody.simulation.tangents import jacobian
from eigenbody.spatial.rotations import vector_rate


def stage_jacobian(chart: Chart, t: float, y: np.ndarray) -> np.ndarray:
    """dy'/dy at y in the chart, whose rotation vectors are counted from its base; what is not stiff to first order."""
    forward, n = chart.forward, chart.forward.nq
    state = chart.state(t, y)
    J = jacobian(forward, state, forward.evaluate(state))
    turned = forward.spread(y[:n])[:, 3:]
    rates = np.stack([vector_rate(turned, np.tile(axis, (len(turned), 1))) for axis in np.eye(3)], axis=-1)
    dof = np.where(forward.system.dof < 0, n, forward.system.dof)[: forward.system.bodies, 3:]
    straight = np.diag(np.where(forward.system.is_angular, 0.0, 1.0))
    to_body = straight + dense([Triplets.of_blocks(dof, dof, np.linalg.inv(rates))], (n, n))
    J[n:, :n] = J[n:, :n] @ to_body
    J[:n, n : 2 * n] = straight + dense([Triplets.of_blocks(dof, dof, rates)], (n, n))
    return J


def solve_by_stages(
    chart: Chart, times: np.ndarray, h: float, y0: np.ndarray, Z: np.ndarray, inverse: np.ndarray,
    is_enough: Callable[[np.ndarray, int], bool | None],
) -> tuple[np.ndarray | None, int]:  # fmt: skip
    """Z with (A^-1 Z) / h = F(y0 + Z) from a guess, `inverse` being A^-1; `is_enough` judges a correction and its
    number, None where the iteration fails. Also the number of iterations."""
    from scipy.linalg import lapack

    n, count = len(y0), len(times)
    whole = np.kron(inverse / h, np.eye(n))
    for i, t in enumerate(times):
        own = slice(i * n, (i + 1) * n)
        whole[own, own] -= stage_jacobian(chart, float(t), y0 + Z[i])
    if not np.isfinite(whole).all():
        return None, 0
    factors = lapack.dgetrf(whole)[:2]
    for k in range(10):
        F = np.array([chart.derivative(float(t), y0 + z) for t, z in zip(times, Z, strict=True)])
        if not np.isfinite(F).all():
            return None, k
        step = lapack.dgetrs(*factors, (F - inverse @ Z / h).ravel())[0].reshape(count, n)
        Z = Z + step
        enough = is_enough(step, k)
        if enough is None:
            return None, k
        if enough:
            return Z, k + 1
    return None, 10
