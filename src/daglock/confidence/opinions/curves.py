"""Curved effects: what a curve leaves is independent of the cause, not of the effect."""

from __future__ import annotations

from daglock.confidence.pair import Pair
from daglock.residuals import dependence


def curves(pair: Pair) -> float:
    """Return by how much more the residual depends on the regressor in the second direction.

    Where effect = f(cause) + noise, the residual of the effect is independent of the cause, and
    that of the cause, explained by a curve of the effect, is not independent of the effect but
    for a few families. Difference of the two statistics of `dependence`.

    References
    ----------
    Hoyer, Janzing, Mooij, Peters and Schölkopf, Nonlinear causal discovery with additive noise
    models, NIPS 21 (2009), theorem 1.
    """
    forward = dependence(pair.forward.curved, pair.forward.basis)
    backward = dependence(pair.backward.curved, pair.backward.basis)
    return backward - forward
