"""docs/benchmarks-regimes.md is what the committed records say."""

from __future__ import annotations

from pathlib import Path

from daglock_evaluation.harness.store import grouped
from daglock_evaluation.harness.sweep import recorded
from daglock_evaluation.regimes import RECORDS
from daglock_evaluation.regimes.cases import cases, from_settings
from daglock_evaluation.regimes.document import text
from daglock_evaluation.regimes.methods import methods

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "benchmark" / "records"


def test_the_document_is_made_of_the_records() -> None:
    document = ROOT / "docs" / "benchmarks-regimes.md"
    assert document.read_text(encoding="utf-8") == text(FOLDER)


def test_records_are_of_cases_and_methods_that_there_are() -> None:
    for record in recorded(FOLDER, RECORDS):
        case = from_settings(record["case"])
        assert case in cases(record["suite"])
        assert (case.suite, case.label) == (record["suite"], record["label"])
        assert record["method"] in methods(record["suite"])


def test_all_methods_got_the_same_tables() -> None:
    ended = [record for record in recorded(FOLDER, RECORDS) if record["status"] == "ok"]
    for mine in grouped(ended, lambda record: (record["label"], record["seed"])).values():
        assert len({record["data"] for record in mine}) == 1
