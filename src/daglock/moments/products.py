"""Products of rows, added to the upper triangle of a matrix where it is."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsyrk

from daglock.typing import Array

# OpenBLAS 0.3.30 ends the process in this product where the matrix is larger, and it has several
# threads; so it is then made of panels of so many columns.
_MOST_BYTES, _PANEL = 1 << 31, 512


def add_product(B: Array, C: Array, weight: float = 1.0) -> Array:
    """Return ``C + weight · B Bᵀ``, of which only the upper triangle is right; C is overwritten.

    Parameters
    ----------
    B : (d, m), in either order.
    C : (d, d), column after column.

    Examples
    --------
    >>> np.triu(add_product(np.array([[1.0, 2.0], [0.0, 3.0]]), np.zeros((2, 2), order="F")))
    array([[5., 6.],
           [0., 9.]])
    """
    if C.nbytes < _MOST_BYTES:
        a, trans = (B, 0) if B.flags.f_contiguous else (B.T, 1)
        return np.asarray(dsyrk(weight, a, trans=trans, beta=1.0, c=C, overwrite_c=True))
    for start in range(0, len(C), _PANEL):
        end = min(len(C), start + _PANEL)
        own = B[:end] @ B[start:end].T
        own *= weight
        C[:end, start:end] += own
    return C
