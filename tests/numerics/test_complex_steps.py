"""One factorization for many complex steps solves what each matrix by itself does."""

import numpy as np
import pytest

from eigenbody.numerics.matrices.linear import StepFactor

STEP = 1e-30


@pytest.mark.parametrize("batch", [(), (1,), (4,)])
@pytest.mark.parametrize("step", [0.0, STEP])
def test_right_sides_with_and_without_batch_axes_and_steps(batch: tuple[int, ...], step: float) -> None:
    """d(A^-1 b) = A^-1 (db - dA A^-1 b) (derivative of the inverse)."""
    rng = np.random.default_rng(3)
    A, dA = rng.normal(size=(5, 5)) + 5 * np.eye(5), rng.normal(size=(4, 5, 5))
    b, db = rng.normal(size=(5, 2)), rng.normal(size=(*batch, 5, 2))
    right = b + (1j * step * db if step else np.zeros(db.shape))
    for factor, matrix, change in (("solve", A, dA), ("solve_transposed", A.T, dA.mT)):
        found = getattr(StepFactor(A + 1j * STEP * dA), factor)(right)
        x = np.linalg.solve(matrix, b)
        moved = np.linalg.solve(matrix, (db if step else 0.0) - change @ x)
        np.testing.assert_allclose(found.real, np.broadcast_to(x, found.shape), rtol=1e-12)
        np.testing.assert_allclose(found.imag / STEP, moved, rtol=1e-11, atol=1e-12)
