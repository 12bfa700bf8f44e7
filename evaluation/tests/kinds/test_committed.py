"""docs/benchmarks-mixed.md is what the committed records say."""

from __future__ import annotations

from pathlib import Path

from daglock_evaluation.harness.store import grouped
from daglock_evaluation.harness.sweep import recorded
from daglock_evaluation.kinds.cases import cases, from_settings
from daglock_evaluation.kinds.document import text
from daglock_evaluation.kinds.methods import methods

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "benchmark" / "records"


def test_the_document_is_made_of_the_records() -> None:
    document = ROOT / "docs" / "benchmarks-mixed.md"
    assert document.read_text(encoding="utf-8") == text(FOLDER)


def test_records_are_of_cases_and_methods_that_there_are() -> None:
    for suite in ("discrete", "mixed"):
        known = {case.label for case in cases(suite)}
        for record in recorded(FOLDER, suite):
            assert record["label"] in known
            assert from_settings(record["case"]).label == record["label"]
            assert record["method"] in methods(suite)


def test_all_methods_got_the_same_tables() -> None:
    for suite in ("discrete", "mixed"):
        ended = [record for record in recorded(FOLDER, suite) if record["status"] == "ok"]
        for mine in grouped(ended, lambda record: (record["label"], record["seed"])).values():
            assert len({record["data"] for record in mine}) == 1
