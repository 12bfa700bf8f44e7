"""The study of proofs: small ones are confirmed, and no bound is above an optimum."""

from __future__ import annotations

import pytest

from daglock_evaluation.studies.proofs import bounds, exact


def test_small_graphs_are_compared_and_confirmed() -> None:
    (table,) = exact(1, [6])
    assert [row[4] for row in table.rows[1:]] == ["1 of 1", "1 of 1"]


@pytest.mark.slow
def test_the_bound_is_never_above_the_optimum() -> None:
    small, larger = bounds(1, [8])
    assert float(small.rows[1][1]) <= 1e-9
    assert all(row[4] == "1 of 1" for row in larger.rows[1:])
