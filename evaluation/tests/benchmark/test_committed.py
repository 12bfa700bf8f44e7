"""docs/benchmarks.md is what the committed records say."""

from __future__ import annotations

from pathlib import Path

import pytest

from daglock_evaluation.benchmark.document import write_document
from daglock_evaluation.benchmark.excerpt import excerpt
from daglock_evaluation.benchmark.runs import Record, finished, open_records, rows
from daglock_evaluation.benchmark.suites import suites
from daglock_evaluation.methods import methods as all_methods

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "benchmark" / "records"
# Suites for a quick look are not in the document.
SHORT = ("quick", "check", "claims")


@pytest.fixture(scope="module")
def committed() -> list[Record]:
    """Return the records of all suites of the document, in its order."""
    found: list[Record] = []
    methods = list(all_methods())
    for name, suite in suites().items():
        if name in SHORT:
            continue
        labels = [case.label for case in suite.cases]
        known = open_records(FOLDER / f"{name}.jsonl").known.values()
        mine = [record for record in known if record["label"] in labels]
        found += sorted(
            mine, key=lambda r: (labels.index(r["label"]), methods.index(r["peer"]), r["seed"])
        )
    return found


def test_every_suite_is_recorded(committed: list[Record]) -> None:
    assert {record["suite"] for record in committed} == set(suites()) - set(SHORT)
    assert (FOLDER / "check.jsonl").exists()  # what make bench-check compares with


@pytest.mark.slow
def test_the_document_is_what_the_records_say(committed: list[Record], tmp_path: Path) -> None:
    write_document(committed, tmp_path)
    for path in [tmp_path / "benchmarks.md", *(tmp_path / "img" / "benchmarks").glob("*.svg")]:
        original = ROOT / "docs" / path.relative_to(tmp_path)
        assert original.exists(), f"{original.name}: daglock bench --suite all --report --docs docs"
    text = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8") == text


def test_the_readme_is_what_the_records_say() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for table in excerpt(FOLDER):
        assert table in readme, "python -m daglock_evaluation.benchmark.excerpt"


def test_which_dense_graphs_are_out_of_reach(committed: list[Record]) -> None:
    """As docs/theory.md says (The noise model)."""
    found = [row for row in rows(committed) if row.suite == "hard" and "standardised" in row.family]
    nearly_all = [row.main.value for row in found if row.family.startswith("ER8") and row.main]
    assert min(nearly_all) > 80  # of 160 edges
    [ours] = [row for row in found if row.family.startswith("ER10") and row.peer == "daglock"]
    assert ours.main is not None
    assert ours.main.value < 5  # of 500


def test_no_threshold_in_hindsight_is_worse_than_the_own_one(committed: list[Record]) -> None:
    known = [record for record in finished(committed) if record.get("best_shd") is not None]
    assert known
    assert all(record["best_shd"] <= record["shd"] for record in known)
    classes = [record for record in known if record["cpdag_shd"] is not None]
    assert all(record["best_cpdag_shd"] <= record["cpdag_shd"] for record in classes)


def test_all_methods_had_the_same_data(committed: list[Record]) -> None:
    seen: dict[tuple[str, int], set[str]] = {}
    for record in finished(committed):
        seen.setdefault((record["label"], record["seed"]), set()).add(record["data"])
    assert seen
    assert {len(found) for found in seen.values()} == {1}
