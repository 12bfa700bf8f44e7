"""What an order search minimises, over what, and under which knowledge: `Spec`, made once.

Kernels take it as plain arrays and never change it. What the masks and matrices of a criterion
become is worked out here, so that each is of one type and the kernels are compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from daglock.typing import Array, BoolArray, IntArray

# A variable whose residual variance falls below this share of its variance is a linear
# combination of the parents: it can add nothing but rounding errors.
COLLINEAR = 1e-13
# A pivot below this share of its variance makes an inverse that is mostly rounding.
SINGULAR = 1e-11
# Above this many variables the lower bounds from the inverse covariance cost too much.
MAX_INVERSE = 500

# What is known of i -> j: flags that add up.
ALLOWED, REQUIRED, BEFORE = 1, 2, 4


class Spec(NamedTuple):
    """What the search minimises, and over what: never changed by a kernel."""

    S: Array  # rows of the covariance, (d, d) as a rule, C-contiguous
    place: NDArray[np.int32]  # (d,) which row is that of each variable; -1: none yet
    variance: Array  # the diagonal
    least: Array  # no choice of parents gives node u a score below least[u]
    reach: (
        float  # nor gains a node more by a new candidate than so many times what that gains alone
    )
    weight: Array  # (d,) of the fit of each node
    logarithmic: bool  # the fit is log RSS, else RSS
    exchanges: bool  # a parent may be exchanged for another variable, where neither pays alone
    cost: float  # k, the price of one edge
    max_parents: int
    # [i, j]: flags of i -> j; in Fortran order, so that what is known of the parents of j is
    # together
    knowledge: NDArray[np.uint8]


def make_spec(
    S: Array,
    cost: float,
    *,
    max_parents: int,
    weight: float | Array = 1.0,
    logarithmic: bool = True,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    bounded: bool = True,
) -> Spec:
    """Gather the settings of a search in the form that the kernels take.

    The masks are indexed ``[i, j]``: i -> j may be, or must be, an edge; i must come before j.
    There are exchanges where the fit is a logarithm: under equal variances they take longer than
    they are worth. Without ``bounded`` there is no ``least`` worth speaking of, and no matrix to
    invert for it.
    """
    S = read_only(S)
    d = len(S)
    variance = np.ascontiguousarray(np.diag(S))
    rss = np.maximum(conditional_variances(S) if bounded else 0.0, COLLINEAR * variance)
    weight = np.full(d, weight, dtype=np.float64)
    return Spec(
        S,
        np.arange(d, dtype=np.int32),
        variance,
        weight * (np.log(rss) if logarithmic else rss),
        np.inf,
        weight,
        bool(logarithmic),
        bool(logarithmic),
        float(cost),
        int(max_parents),
        knowledge_flags(d, allowed, required, before),
    )


def knowledge_flags(
    d: int, allowed: BoolArray | None, required: BoolArray | None, before: BoolArray | None
) -> NDArray[np.uint8]:
    """Return what is known of i -> j as flags, [i, j], those of one j together."""
    knowledge = np.full((d, d), ALLOWED, dtype=np.uint8, order="F")
    if allowed is not None:
        knowledge[~allowed] = 0
    if required is not None:
        knowledge[required] |= REQUIRED
    if before is not None:
        knowledge[before] |= BEFORE
    return knowledge


def required_parents(knowledge: NDArray[np.uint8]) -> list[IntArray]:
    """Return the parents that every node must have."""
    return [np.flatnonzero(known & REQUIRED) for known in knowledge.T]


def read_only(S: Array) -> Array:
    """View S as the kernels want it, always of one type, so that they are compiled once."""
    S = np.ascontiguousarray(S, dtype=np.float64).view()
    S.flags.writeable = False
    return S


def conditional_variances(S: Array) -> Array:
    """Variance of each variable given all others, 1/(S⁻¹)_uu; zero where that is not to be had."""
    d = S.shape[0]
    if d > MAX_INVERSE:
        return np.zeros(d)
    L = cholesky(S)
    if L is None:
        return np.zeros(d)
    inverse, info = scipy.linalg.lapack.dpotri(L, lower=1)
    return 1.0 / np.diag(inverse) if info == 0 else np.zeros(d)


def cholesky(S: Array) -> Array | None:
    """Lower Cholesky factor; None where S is singular up to rounding, on whatever processor."""
    L, info = scipy.linalg.lapack.dpotrf(S, lower=1, clean=1)
    if info != 0 or (np.diag(L) ** 2 <= SINGULAR * np.diag(S)).any():
        return None
    return np.asarray(L)
