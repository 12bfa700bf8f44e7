"""The study of how far walks hope: one line for each limit, and none is worse on an easy graph."""

from __future__ import annotations

from daglock_evaluation.studies.reach import REACHES, reach


def test_every_limit_has_its_line() -> None:
    (table,) = reach(1, [50])
    head, *rows = table.rows
    assert [row[head.index("reach")] for row in rows] == ["1", "2", "4", "no limit"]
    assert len(rows) == len(REACHES)
    assert all(row[head.index("worse")] == "0 of 1" for row in rows)
