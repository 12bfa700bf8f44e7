"""The shape of the noise: a linear effect of noise that is not Gaussian has one direction."""

from __future__ import annotations

from daglock.confidence.pair import Pair
from daglock.residuals import negentropy


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
