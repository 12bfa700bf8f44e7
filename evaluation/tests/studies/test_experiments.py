"""The studies of experiments print what the documents quote."""

from __future__ import annotations

import pytest

from daglock_evaluation.studies.experiments import claims, sachs


def test_the_sachs_cells_with_regimes_told_are_nearer_than_the_empty_graph() -> None:
    table = next(sachs(None, []))
    rows = {(row[0], row[1]): (int(row[3]), int(row[4])) for row in table.rows[1:]}
    for columns in ("logarithms", "normal scores"):
        assert min(rows[columns, "pooled"]) > 17
        assert rows[columns, "regimes told"][0] <= 9
        assert rows[columns, "targets told"] == (9, 11)


@pytest.mark.slow
def test_right_targets_are_not_questioned_and_wrong_ones_identify_nothing() -> None:
    rows = {(row[0], row[1]): row[2:5] for row in next(claims(3, [])).rows[1:]}
    for kind in ("perfect", "imperfect", "shift"):
        said, wrong, questioned = rows[kind, "right"]
        assert (int(said) > 3, wrong, questioned) == (True, "0", "0 of 3")
    assert rows["perfect", "wrong"] == ["0", "0", "3 of 3"]
    assert rows["nothing happens", "found"][:2] == ["0", "0"]
