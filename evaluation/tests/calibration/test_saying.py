"""Saying: what is judged is what a fitted model would claim, cap, cycles and arrows included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from daglock import DAGLock
from daglock.confidence.calibration import SPEAKERS, shipped
from daglock.confidence.confidence import NOT_RELIED_ON
from daglock.simulate import erdos_renyi, linear_sem
from daglock_evaluation.calibration.observed import Observed, observe, truth_of
from daglock_evaluation.calibration.saying import say

SURE = replace(shipped(), holds=(4.0,) * len(SPEAKERS), fails=(4.0,) * len(SPEAKERS))


@pytest.fixture(scope="module")
def seen() -> Observed:
    W = erdos_renyi(8, 10, rng=0)
    found = observe(linear_sem(W, 500, noise="uniform", rng=1), truth_of(W != 0), "t", "real")
    assert found is not None
    assert found.used.sum() >= 8
    return found


def test_it_is_what_the_model_says(seen: Observed) -> None:
    W = erdos_renyi(8, 10, rng=0)
    model = DAGLock(random_state=0).fit(linear_sem(W, 500, noise="uniform", rng=1))
    said, e = say([seen], [shipped()]), seen.evidence
    frame = model.confidence_
    expected = {(row["source"], row["target"]): row for row in frame}
    for k, pair in enumerate(zip(e.first[seen.used], e.second[seen.used], strict=True)):
        row = expected[pair if pair in expected else pair[::-1]]
        p = row["direction"] if pair in expected else 1 - row["direction"]
        assert said.forward[k] == pytest.approx(p, abs=1e-12)
        assert said.link[k] == pytest.approx(row["link"], abs=1e-12)
        arrow = max(p, 1 - p) * said.link[k]
        assert (row["claim"] != "open") == (said.claimed[k] and arrow >= 0.65)


def test_no_direction_is_sure_where_rows_are_not_what_they_are_taken_for(seen: Observed) -> None:
    grouped = replace(seen, evidence=replace(seen.evidence, smaller=0.3))
    for one, limit in ((seen, 1.0), (grouped, NOT_RELIED_ON)):
        forward = say([one], [SURE]).forward
        assert NOT_RELIED_ON - 1e-9 <= np.maximum(forward, 1 - forward).max() <= limit + 1e-9


def test_nothing_is_claimed_against_an_arrow_or_of_what_determines_each_other(
    seen: Observed,
) -> None:
    e = seen.evidence
    assert say([seen], [SURE]).claimed.any()
    turned = replace(seen, evidence=replace(e, arrow=-e.arrow))
    said, other = say([seen], [SURE]), say([turned], [SURE])
    sure = np.abs(said.forward - 0.5) > 0.2
    assert (said.claimed != other.claimed)[sure].all()
    parts = replace(seen, evidence=replace(e, determined=np.ones(len(e.first), dtype=np.bool_)))
    np.testing.assert_array_equal(say([parts], [SURE]).forward, 0.5)


def test_tables_follow_each_other(seen: Observed) -> None:
    both = say([seen, seen], [shipped(), SURE])
    k = int(seen.used.sum())
    np.testing.assert_array_equal(both.forward[:k], say([seen], [shipped()]).forward)
    np.testing.assert_array_equal(both.forward[k:], say([seen], [SURE]).forward)
    some = both.of(np.arange(2 * k) >= k)
    np.testing.assert_array_equal(some.claimed, both.claimed[k:])
    assert len(say([], []).forward) == 0
