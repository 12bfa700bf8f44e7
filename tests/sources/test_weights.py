"""Weights of rows drawn again: multinomial, and the same whoever asks for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from daglock import Moments
from daglock.errors import InvalidDataError
from daglock.moments.grouped import Collect
from daglock.moments.redrawn import BLOCK, Redraw, Weights
from daglock.sources.encoding import Encoding
from daglock.sources.source import Batch


def test_weights_are_multinomial() -> None:
    n = 2000
    weights = Weights(n, (7,), "", range(400)).of(0, n).astype(np.float64)
    assert (weights.sum(axis=1) == n).all()
    # each count is binomial(n, 1/n); two of them are correlated by -1/n, which 400 hardly show
    assert weights.mean() == pytest.approx(1.0)
    assert weights.var() == pytest.approx(1.0 - 1.0 / n, abs=0.01)
    shares = np.bincount(weights.ravel().astype(int), minlength=5)[:5] / weights.size
    np.testing.assert_allclose(shares, np.exp(-1.0) / np.array([1, 1, 2, 6, 24]), atol=0.003)
    assert np.abs(weights.mean(axis=0) - 1.0).max() < 5 * np.sqrt(1 / 400)  # no row is preferred


def test_draws_are_divided_among_blocks_as_chance_does() -> None:
    n = 3 * BLOCK + 100
    weights = Weights(n, (1,), "", range(60))
    whole = np.concatenate(
        [weights.of(k * BLOCK, min(n, (k + 1) * BLOCK)) for k in range(4)], axis=1
    )
    assert (whole.sum(axis=1) == n).all()
    sums = np.array([own[:, :BLOCK].sum(axis=1) for own in np.split(whole, [BLOCK], axis=1)])
    share = BLOCK / n
    assert sums[0].std() == pytest.approx(np.sqrt(n * share * (1 - share)), rel=0.35)
    assert (weights.of(BLOCK - 5, BLOCK + 5) == whole[:, BLOCK - 5 : BLOCK + 5]).all()


def test_replicates_seeds_and_regimes_differ() -> None:
    one = Weights(500, (1,), "", range(2)).of(0, 500)
    assert (one[0] != one[1]).any()
    assert (one[1] == Weights(500, (1,), "", range(1, 2)).of(0, 500)[0]).all()
    assert (one != Weights(500, (2,), "", range(2)).of(0, 500)).any()
    assert (one != Weights(500, (1,), "b", range(2)).of(0, 500)).any()


def test_weighted_sums_are_those_of_the_rows_drawn() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3)) * [1.0, 50.0, 1e-3] + [5.0, -1e4, 2.0]
    names = ["a", "b", "c"]
    collect = Collect(tuple(map(Encoding, names)), (1, 1, 1))
    pattern = np.packbits(np.ones(3, dtype=np.bool_)).tobytes()
    kept = {(0, ""): 500, (1, ""): 400}
    how = Redraw(collect, kept, {("", pattern): X.mean(axis=0)}, (4,), range(3))
    parts = []
    for piece, rows in enumerate((X[:500], X[500:])):
        batches = []
        for start in range(0, len(rows), 130):
            own = rows[start : start + 130]
            data = pa.RecordBatch.from_arrays([pa.array(x) for x in own.T], names)
            batches.append(Batch(data, piece, start, f"piece {piece}"))
        parts.append(how(batches))
    found = parts[0].merge(parts[1])
    weights = Weights(900, (4,), "", range(3)).of(0, 900)
    for b in range(3):
        like = Moments.from_data(np.repeat(X, weights[b], axis=0))
        sums = found.replicate(b, np.zeros(3)).sums["", pattern]
        assert sums.n == 900
        np.testing.assert_allclose(sums.means, like.means, rtol=1e-12)
        scale = np.sqrt(np.diagonal(like.cov))
        error = (sums.scatter / 900 - like.cov) / scale / scale[:, None]
        assert np.abs(error).max() < 1e-12


def test_rows_that_were_added_meanwhile_are_noticed() -> None:
    with pytest.raises(InvalidDataError, match="do not change files while they are read"):
        Weights(10, (0,), "", range(1)).of(5, 12)
