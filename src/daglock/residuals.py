"""What residuals tell: how far they are from Gaussian, and whether they depend on a regressor."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from daglock.typing import Array

# Constants of the approximation, and E log cosh of a standard Gaussian.
_EVEN, _ODD, _GAUSSIAN = 79.047, 7.4129, 0.37457
# Degree of the polynomials in which a residual may depend on what explained it.
DEGREE = 4
# Values that differ by less than this share of their scale differ by rounding alone.
ROUNDING = 1e-10


def negentropy(u: Array) -> float:
    """Return how far the entropy of u is below that of a Gaussian, by Hyvärinen's approximation.

    79.047 (E log cosh u − 0.37457)² + 7.4129 (E u exp(−u²/2))² of the standardised u: means over
    rows, so that they can be taken in batches.

    References
    ----------
    Hyvärinen, New approximations of differential entropy, NIPS 10 (1997).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> samples = rng.standard_normal(10_000), rng.uniform(size=10_000)
    >>> [round(negentropy(u), 2) for u in samples]
    [0.0, 0.05]
    """
    u = standardised(u)
    size = np.abs(u)
    log_cosh = np.mean(size + np.log1p(np.exp(-2 * size))) - np.log(2)
    odd = np.mean(u * np.exp(-(u**2) / 2))
    return float(_EVEN * (log_cosh - _GAUSSIAN) ** 2 + _ODD * odd**2)


def standardised(x: Array) -> Array:
    """Return x with mean 0 and variance 1; zeros where it does not vary."""
    x = x - x.mean()
    scale = x.std()
    return np.asarray(x / scale if scale > 0 else x)


def dependence(residual: Array, basis: Array) -> float:
    """Return by how much a residual depends on the cause, 0 on average where it does not.

    n Σ r², the squared correlations of all polynomials up to degree 4 of the ranks of the one with
    those of the other, each family made orthonormal, less their number: under independence the
    sum is χ² with as many degrees of freedom.
    """
    own = polynomials(residual)
    return float(len(own) * np.sum((own.T @ basis) ** 2) - own.shape[1] * basis.shape[1])


def polynomials(x: Array) -> Array:
    """Return orthonormal centred polynomials of the ranks of x; fewer for few distinct values."""
    ranks = (2 * average_ranks(x, ROUNDING * float(x.std())) - 1) / len(x) - 1
    B = np.polynomial.legendre.legvander(ranks, DEGREE)[:, 1:]
    U, s, _ = scipy.linalg.svd(B - B.mean(axis=0), full_matrices=False, check_finite=False)
    return np.asarray(U[:, s > 1e-6 * max(float(s[0]), 1e-12)])


def average_ranks(x: Array, apart: float = 0.0) -> Array:
    """Return the ranks 1, 2, ... of x, equal values sharing the mean of theirs.

    Values count as different if they are more than ``apart`` from the next smaller one.

    That of SciPy takes ten times as long on a few hundred values.

    Examples
    --------
    >>> average_ranks(np.array([5.0, 1.0, 5.0, 7.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    order = np.argsort(x, kind="stable")
    new = np.empty(len(x), dtype=np.bool_)
    new[:1] = True
    new[1:] = x[order[1:]] - x[order[:-1]] > apart
    begin = np.append(np.flatnonzero(new), len(x))
    ranks = np.empty(len(x))
    ranks[order] = ((begin[:-1] + begin[1:] + 1) / 2)[np.cumsum(new) - 1]
    return ranks
