"""docs/reliability.md is about the promises that there are, tried in full, and all were kept."""

from __future__ import annotations

from pathlib import Path

from daglock_evaluation.reliability.document import text
from daglock_evaluation.reliability.polluting import polluted
from daglock_evaluation.reliability.promise import Outcome
from daglock_evaluation.reliability.promises import PROMISES

# Around what was measured beside others.
BEGIN, END = "<!-- measured -->\n", "<!-- end of what was measured -->\n"
DOCUMENT = Path(__file__).parents[3] / "docs" / "reliability.md"


def test_the_document_is_of_these_promises() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in document.splitlines() if " passed " in line]
    assert [row[0] for row in rows] == [promise.words for promise in PROMISES]
    tried = [int(row[1].split()[1].replace(",", "")) for row in rows]
    outcomes = [Outcome(promise, n, ()) for promise, n in zip(PROMISES, tried, strict=True)]

    def without_the_machine(page: str) -> list[str]:
        return [line for line in page.splitlines() if not line.startswith("Tried on ")]

    measured = document.split(BEGIN)[1].split(END)[0]
    assert without_the_machine(document) == without_the_machine(text(outcomes, measured))


def test_the_document_is_of_all_files_with_a_fault() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in document.splitlines()]
    head = next(row for row in rows if row[0] == "reader" and "silently wrong" in row)
    tried = [row for row in rows if len(row) == len(head) and row[1].replace(",", "").isdigit()]
    counts = {row[0]: dict(zip(head[1:], map(_count, row[1:]), strict=True)) for row in tried}
    assert {"daglock", "daglock --ragged fill", "daglock --ragged drop"} <= set(counts)
    assert len(counts) >= 4  # and others beside it
    for reader, outcomes in counts.items():
        assert sum(outcomes.values()) == len(list(polluted()))
        if reader.startswith("daglock"):
            assert outcomes["silently wrong"] == outcomes["crashed"] == 0


def _count(cell: str) -> int:
    return int(cell.replace(",", ""))


def test_a_broken_promise_is_shown() -> None:
    page = text([Outcome(PROMISES[0], 10, ("a", "b"))])
    assert "FAILED 2 of 10" in page
    assert "- a\n- b" in page
