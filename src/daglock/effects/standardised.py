"""Effects between categories: by counting, whatever the interactions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array

# Rows that the shares over all strata count for in a stratum: one that is empty has no others.
PRIOR = 1.0


def standardised_contrasts(
    cause: NDArray[np.int16],
    effect: NDArray[np.int16],
    given: NDArray[np.int16],
    weight: Array,
) -> Array:
    """Return the change of the share of each level of the effect, by level of the cause.

    ``P(effect | do(cause = a)) = Σ_z P(z) P(effect | a, z)`` over the strata z of what is adjusted
    for, less the same of the first level.

    Parameters
    ----------
    cause, effect : (m,) codes 0, 1, ... of different rows.
    given : (k, m) codes of what is adjusted for.
    weight : (m,) how often each row occurs.

    Returns
    -------
    (levels of the cause − 1, levels of the effect − 1)

    References
    ----------
    Pearl, Causality (2009), theorem 3.3.2, the back-door adjustment.

    Examples
    --------
    Of those without treatment half recover, of those with it three in four.

    >>> cause, effect = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int16)
    >>> none = np.empty((0, 4), dtype=np.int16)
    >>> standardised_contrasts(cause, effect, none, np.array([50.0, 50, 25, 75])).round(4).tolist()
    [[0.25]]
    """
    r, s = int(cause.max()) + 1, int(effect.max()) + 1
    z = np.zeros(len(weight), dtype=np.intp)
    if len(given):
        z = np.unique(given, axis=1, return_inverse=True)[1].ravel().astype(np.intp)
    cell = (z * r + cause) * s + effect
    table = np.bincount(cell, weights=weight, minlength=(int(z.max()) + 1) * r * s)
    counts = table.reshape(-1, r, s)
    overall = counts.sum(axis=0)
    overall = overall / np.maximum(overall.sum(axis=1, keepdims=True), 1e-300)
    share = (counts + PRIOR * overall) / (counts.sum(axis=2, keepdims=True) + PRIOR)
    stratum = counts.sum(axis=(1, 2)) / weight.sum()
    done = np.einsum("z,zab->ab", stratum, share)
    return np.asarray((done[1:] - done[0])[:, 1:])
