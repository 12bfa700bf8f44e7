"""DirectLiNGAM (package ``lingam``), for noise that is not Gaussian.

It prunes by an adaptive lasso on standardised columns, so that its zeros are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock_evaluation.bench.peer import Answer, Peer


def weights_of(adjacency: NDArray[Any]) -> Array:
    """Return weights with i -> j at [i, j]; lingam has the effect of j on i there.

    Examples
    --------
    >>> weights_of(np.array([[0.0, 0.0], [0.8, 0.0]])).tolist()
    [[0.0, 0.8], [0.0, 0.0]]
    """
    return np.asarray(adjacency, dtype=np.float64).T


def run(X: Array, seed: int) -> Answer:
    """Run DirectLiNGAM."""
    from lingam import DirectLiNGAM

    return Answer(weights_of(DirectLiNGAM(random_state=seed).fit(X).adjacency_matrix_))


PEERS = (
    Peer(
        "direct-lingam",
        "DirectLiNGAM",
        "dag",
        run,
        package="lingam",
        scaling="as given; the package standardises for its tests",
        colour="yellow",
        marker="^",
    ),
)
