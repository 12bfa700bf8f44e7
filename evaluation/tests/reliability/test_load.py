"""What reading takes is measured on a file that all readers read alike."""

from __future__ import annotations

from daglock_evaluation.reliability.load import compare


def test_all_read_the_same_file() -> None:
    found = compare(1_500_000, columns=5)
    shapes = {(took.rows, took.columns) for took in found.values() if took is not None}
    assert len(shapes) == 1
    assert found["daglock"] is not None
    assert found["daglock"].peak > 10**7
