"""Arrays as results hold them and as algorithms need them: read-only, dense."""

from __future__ import annotations

from typing import Any

import numpy as np


def frozen(values: Any, dtype: Any = None) -> np.ndarray:
    """A read-only copy."""
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def as_dense(matrix: Any) -> np.ndarray:
    """A dense or sparse matrix as an array."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
