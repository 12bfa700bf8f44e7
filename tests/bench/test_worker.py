"""The warm-up does all that a run may do, so that no run is timed with its compilation."""

from __future__ import annotations

import pytest

from daglock.bench.worker import WARM_COLUMNS, _warm_table
from daglock.engine import learn
from daglock.moments import Moments
from daglock.search.limits import MAX_EXACT


@pytest.mark.parametrize("columns", [11, WARM_COLUMNS])
def test_the_warm_up_tries_every_noise_model(columns: int) -> None:
    learned = learn(Moments.from_data(_warm_table(columns)), rng=0)
    assert set(learned.scores) == {"equal", "unequal"}
    assert learned.certificate.optimal == (columns <= MAX_EXACT)


def test_the_warm_up_searches() -> None:
    """With so few columns all graphs are compared; a larger table needs the search."""
    assert WARM_COLUMNS > MAX_EXACT
