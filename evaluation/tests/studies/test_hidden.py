"""The study of hidden causes: what it counts, and that it adds up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daglock.confidence import Confidence
from daglock.confidence.calibration import SPEAKERS
from daglock_evaluation.studies import hidden

ROOT = Path(__file__).parents[3]


def test_false_and_reversed_claims_are_counted() -> None:
    sure = Confidence(
        names=("a", "b", "c", "d"),
        source=np.array([0, 1, 2, 0]),
        target=np.array([1, 2, 3, 3]),
        link=np.ones(4),
        direction=np.array([0.95, 0.97, 0.8, 0.99]),
        in_graph=np.array([True, True, True, False]),
        misfit=np.zeros(4),
        alone=np.full((4, len(SPEAKERS)), 0.5),
        known=np.zeros(4, dtype=np.bool_),
        hidden=np.zeros(4),
        identifies="class",
        n_replicates=10,
    )
    acts = np.zeros((4, 4), dtype=np.bool_)
    assert hidden._claimed(sure, acts) == (2, 2, 0)  # c -> d is not claimed, a -> d no edge
    acts[0, 1] = acts[2, 1] = True
    assert hidden._claimed(sure, acts) == (2, 1, 1)


@pytest.mark.slow
def test_the_last_rows_are_the_sums() -> None:
    (table,) = hidden.hidden_causes(1, [6])
    head, *body = table.rows
    for name, rows in (
        ("none", [r for r in body if r[3] == "0%"]),
        ("some", [r for r in body if r[3] in ("10%", "30%")]),
    ):
        total = next(r for r in body if r[3] == name)
        assert [int(cell) for cell in total[4:]] == [
            sum(int(row[k]) for row in rows) for k in range(4, len(head))
        ]


def test_the_document_says_what_its_table_has() -> None:
    text = (ROOT / "docs" / "confidence.md").read_text(encoding="utf-8")
    totals = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "all" and cells[3] in ("none", "some"):
            totals[cells[3]] = [int(cell) for cell in cells[4:]]
    plain, false, looked, left, *_ = totals["some"]
    right = plain - false
    assert f"takes {false - left} of {false} false claims away" in text
    assert f"with {right - (looked - left)} of {right:,} right ones" in text
    plain, false, looked, left, *_ = totals["none"]
    right = plain - false
    assert f"and {right - (looked - left)} of {right:,} right\nones where there are none" in text
