"""The study of tables that break assumptions: what it draws, and what it counts."""

import numpy as np

from daglock_evaluation.studies import broken


def test_what_is_drawn() -> None:
    W = np.zeros((3, 3))
    W[0, 1] = 1.0
    rng = np.random.default_rng(0)
    X = broken.series(W, rng, memory=0.8)
    assert np.corrcoef(X[1:, 2], X[:-1, 2])[0, 1] > 0.7
    assert len(np.unique(broken.copies(W, rng, times=10), axis=0)) == broken.ROWS // 10
    apart = broken.subgroup(W, rng, shift=5.0)
    high = broken.chosen(W, rng, by=1)  # by column 1 or 2, which act on nothing
    assert len(high) == broken.ROWS
    assert high[:, 1:].mean(axis=0).max() > 0.5
    R = np.asarray(np.corrcoef(apart.T))
    assert np.abs(R[np.triu_indices(3, 1)]).min() > 0.5


def test_what_is_counted() -> None:
    (table,) = broken.broken(1, [5])
    assert len(table.rows) == 1 + len(broken.KINDS)
    links, directed, false, reversed_ = (int(cell) for cell in table.rows[1][2:])
    assert links >= directed >= false >= reversed_ == 0
