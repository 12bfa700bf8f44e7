"""Which columns vary, and where: as a look at every value tells."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.table.variation import varying


@pytest.mark.parametrize("seed", range(20))
def test_as_every_value_tells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (12, 5)).astype(np.float64)
    rows[rng.random(rows.shape) < 0.5] = np.nan
    labels = rng.choice(["b", "a", "c"], 12)
    found = varying(rows, labels)
    assert list(found) == sorted(set(labels.tolist()))
    for label, own in found.items():
        values = [set(x[~np.isnan(x)].tolist()) for x in rows[labels == label].T]
        assert own.tolist() == [len(different) > 1 for different in values]
    whole = varying(rows)[""]
    assert whole.tolist() == [len(set(x[~np.isnan(x)].tolist())) > 1 for x in rows.T]


def test_numbers_for_labels() -> None:
    assert list(varying(np.arange(6.0)[:, None], np.array([2, 1, 1, 2, 1, 2]))) == ["1", "2"]
