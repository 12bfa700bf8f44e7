"""The shape of the noise: a linear effect of noise that is not Gaussian has one direction."""

from __future__ import annotations

import numpy as np

from daglock.confidence.pair import Pair, standardised
from daglock.typing import Array

# Constants of the approximation, and E log cosh of a standard Gaussian.
_EVEN, _ODD, _GAUSSIAN = 79.047, 7.4129, 0.37457


def shape(pair: Pair) -> float:
    """Log-likelihood ratio of the two directions from the entropies of noise, in nats.

    With linear effects, first → second has the log-likelihood −n [H(x) + H(y − βx)], where H are
    entropies of standardised columns and the variances cancel. For Gaussian noise the two
    directions have the same one.

    References
    ----------
    Hyvärinen and Smith, Pairwise likelihood ratios for estimation of non-Gaussian structural
    equation models, JMLR 14 (2013), equation 8 and section 3.1.
    """
    forward = negentropy(pair.first) + negentropy(pair.forward.linear)
    backward = negentropy(pair.second) + negentropy(pair.backward.linear)
    return pair.n * (forward - backward)


def negentropy(u: Array) -> float:
    """Return how far the entropy of u is below that of a Gaussian, by Hyvärinen's approximation.

    79.047 (E log cosh u − 0.37457)² + 7.4129 (E u exp(−u²/2))² of the standardised u.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> samples = rng.standard_normal(10_000), rng.uniform(size=10_000)
    >>> [round(negentropy(u), 2) for u in samples]
    [0.0, 0.1]
    """
    u = standardised(u)
    size = np.abs(u)
    log_cosh = np.mean(size + np.log1p(np.exp(-2 * size)) - np.log(2))
    odd = np.mean(u * np.exp(-(u**2) / 2))
    return float(_EVEN * (log_cosh - _GAUSSIAN) ** 2 + _ODD * odd**2)
