"""docs/reliability.md is about the promises that there are, tried in full, and all were kept."""

from __future__ import annotations

from pathlib import Path

from daglock_evaluation.reliability.document import text
from daglock_evaluation.reliability.promise import Outcome
from daglock_evaluation.reliability.promises import PROMISES

DOCUMENT = Path(__file__).parents[3] / "docs" / "reliability.md"


def test_the_document_is_of_these_promises() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in document.splitlines() if " passed " in line]
    assert [row[0] for row in rows] == [promise.words for promise in PROMISES]
    tried = [int(row[1].split()[1].replace(",", "")) for row in rows]
    outcomes = [Outcome(promise, n, ()) for promise, n in zip(PROMISES, tried, strict=True)]

    def without_the_machine(page: str) -> list[str]:
        return [line for line in page.splitlines() if not line.startswith("Tried on ")]

    assert without_the_machine(document) == without_the_machine(text(outcomes))


def test_a_broken_promise_is_shown() -> None:
    page = text([Outcome(PROMISES[0], 10, ("a", "b"))])
    assert "FAILED 2 of 10" in page
    assert "- a\n- b" in page
