"""The warm-up does all that a run may do, so that no run is timed with its compilation."""

from __future__ import annotations

import pytest

from daglock.engine import learn
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock_evaluation.harness.worker import WARM_COLUMNS, _warm_table


@pytest.mark.parametrize(("n", "d"), [(1000, 100), (50, 100), (2000, 10_000), (853, 11)])
def test_the_warm_up_tries_every_noise_model(n: int, d: int) -> None:
    table = _warm_table(n, d)
    assert (len(table) < 4 * table.shape[1]) == (n < 4 * d)
    learned = learn(Moments.from_data(table), rng=0)
    assert set(learned.scores) == {"equal", "unequal"}
    assert learned.certificate.optimal == (d <= SETTINGS.max_exact)


def test_the_warm_up_searches() -> None:
    """With so few columns all graphs are compared; a larger table needs the search."""
    assert SETTINGS.max_exact < WARM_COLUMNS
