"""The paper's stability threshold: from which penalty on its method stays at the empty graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.diagnostics.finding import Pair, column_names
from daglock.moments import Moments
from daglock.typing import Array

_BLOCK = 1 << 22  # cells of the covariance that are looked at at a time


@dataclass(frozen=True)
class Stability:
    """``‖∇L(0)‖_∞`` of the least-squares loss, and the two columns where it is reached.

    Attributes
    ----------
    raw : on the scale of the data, the largest covariance of two columns in absolute value.
    raw_pair : names of these columns.
    standardised : on standardised columns, the largest correlation in absolute value.
    standardised_pair : names of these columns.
    """

    raw: float
    raw_pair: Pair
    standardised: float
    standardised_pair: Pair


def stability_threshold(moments: Moments) -> Stability:
    """Return the smallest λ of an L1 penalty for which W = 0 is a stationary point.

    ``L(W) = ½ tr((I−W)ᵀ S (I−W))`` has ``∇L(0) = −S``, and the diagonal of W is no variable: the
    threshold is the largest ``|S_ij|``, i ≠ j. The paper asks for a λ at least as large; its
    method, which starts at W = 0, then ends there (docs/theory.md, section 4).

    References
    ----------
    The SPG-AHOC paper, section 2.8, Proposition 2.15, with its proof in the appendix "Formal
    Derivation of Stability Condition".

    Examples
    --------
    >>> moments = Moments.from_covariance([[1.0, 0.5], [0.5, 4.0]], n=100, names=["dose", "weight"])
    >>> stability_threshold(moments)
    Stability(raw=0.5, raw_pair=('dose', 'weight'),
              standardised=0.25, standardised_pair=('dose', 'weight'))
    """
    names = column_names(moments)
    deviation = np.sqrt(np.diag(moments.cov))
    raw, i, j = _largest(moments.cov, np.ones(moments.d))
    standardised, k, m = _largest(moments.cov, deviation)
    return Stability(raw, (names[i], names[j]), min(standardised, 1.0), (names[k], names[m]))


def _largest(S: Array, scale: Array) -> tuple[float, int, int]:
    """Largest ``|S_ij| / (scale_i scale_j)`` off the diagonal, and where, i < j."""
    d = len(S)
    best, at = -1.0, (0, 1)
    rows = max(1, _BLOCK // d)
    for first in range(0, d, rows):
        block = np.abs(S[first : first + rows])
        block /= scale[first : first + rows, None]
        block /= scale
        inside = np.arange(len(block))
        block[inside, first + inside] = -1.0
        i, j = divmod(int(block.argmax()), d)
        if block[i, j] > best:
            best, at = float(block[i, j]), (first + i, j)
    return best, min(at), max(at)
