"""Rows that are drawn together: how far a correlation varies where rows depend on each other."""

from __future__ import annotations

import numpy as np

from daglock.confidence.drawn import Drawing
from daglock.typing import Array, IntArray

N, MEMORY, BLOCK = 1000, 0.8, 40


def series(rng: np.random.Generator) -> Array:
    """Two series that have nothing to do with each other, each of which remembers its last row."""
    noise = rng.standard_normal((N + 50, 2))
    for k in range(1, len(noise)):
        noise[k] += MEMORY * noise[k - 1]
    return noise[50:]


def correlation(X: Array) -> float:
    """Correlation of two columns."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return float(Z[:, 0] @ Z[:, 1] / len(Z))


def spread(X: Array, groups: IntArray | None) -> float:
    """Standard deviation of the correlation in replicates."""
    drawing, rng = Drawing.of(N, groups), np.random.default_rng(1)
    return float(np.std([correlation(X[drawing.draw(rng)]) for _ in range(200)]))


def test_blocks_vary_as_series_do_and_single_rows_do_not() -> None:
    rng = np.random.default_rng(0)
    true = float(np.std([correlation(series(rng)) for _ in range(300)]))
    tables = [series(rng) for _ in range(8)]
    alone = np.mean([spread(X, None) for X in tables])
    blocks = np.mean([spread(X, np.arange(N) // BLOCK) for X in tables])
    assert alone < 0.6 * true
    assert 0.8 * true < blocks < 1.2 * true
