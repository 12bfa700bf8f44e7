"""The study of units: without the rule chance passes for equal variances, with it hardly ever."""

import numpy as np

from daglock_evaluation.studies import units


def test_two_columns_tell_nothing_with_the_rule() -> None:
    found = np.sum([units.judged(2, 100, seed) for seed in range(40)], axis=0)
    assert found[0] >= 5
    assert found[1] >= found[2] > 0
    assert not found[3:].any()


def test_the_table() -> None:
    (table,) = units.units(2, [2])
    assert [len(row) for row in table.rows] == [9] * 3
