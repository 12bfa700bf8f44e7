"""The ablation: parts can only help, what is known is not measured again, the document agrees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daglock.criteria import CRITERIA
from daglock.graph import is_dag
from daglock.moments import Moments
from daglock_evaluation.harness.case import Case
from daglock_evaluation.harness.store import read
from daglock_evaluation.studies import ablation, ablation_tables
from daglock_evaluation.studies.ablation import CELLS, FIELDS, FILE, SEARCHES, Cell, measure
from daglock_evaluation.studies.recorded import open_store
from daglock_evaluation.studies.starts import CONTINUOUS, RANDOM, SLOW, STARTS

ROOT = Path(__file__).parents[3]
RECORDS = ROOT / "benchmark" / "records" / FILE


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_every_part_is_recorded_once_and_moves_only_help(
    noise: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "LIMITS", {20: (0.02,)})
    monkeypatch.setattr(ablation, "SLOW", {})
    case = Case(20, 2, n=300, standardised=noise == "unequal")
    cell = Cell(f"{noise}, small", noise, 300, 20, case.draw)
    path = tmp_path / FILE
    measure(open_store(path, FIELDS), cell, 1)
    lines = {(line["start"], line["search"]): line for line in read(path)}
    searches = len(SEARCHES) if noise == "unequal" else 2
    assert len(lines) == len(STARTS) * searches + 5 + 2 + 1
    for start in STARTS:
        assert lines[start, "moves"]["score"] <= lines[start, "order"]["score"] + 1e-6
        if noise == "unequal":
            assert lines[start, "windows"]["score"] <= lines[start, "moves"]["score"] + 1e-6
    first = path.read_text()
    measure(open_store(path, FIELDS), cell, 1)
    assert path.read_text() == first
    tables = ablation_tables.tables(lines.values())
    assert len(tables) == 10
    for table in tables:
        assert len({len(row) for row in table.rows}) == 1
    starts = [row[0] for row in tables[1].rows[1:]]
    assert tables[1].rows[1 + starts.index(CONTINUOUS)][1].endswith("of 1)")


def test_starts_are_orders_of_all_columns() -> None:
    moments = Moments.from_data(Case(12, 1, n=200, standardised=True).draw(0).X)
    for noise in ("equal", "unequal"):
        criterion = CRITERIA[noise](moments)
        for start in {**STARTS, **SLOW}.values():
            assert np.array_equal(np.sort(start(criterion, 0)), np.arange(12))


def test_no_time_still_gives_a_graph() -> None:
    moments = Moments.from_data(Case(20, 1, n=200, standardised=True).draw(0).X)
    criterion = CRITERIA["unequal"](moments)
    order = STARTS[RANDOM](criterion, 0)
    assert is_dag(ablation.until(criterion, 0, 6, 0.0, order, 1.0))


def test_all_clocks_of_the_engine_are_replaced() -> None:
    """Where a time limit is looked at, and nowhere else on the way of a search."""
    package = ROOT / "src" / "daglock"
    looks = {
        ".".join(file.relative_to(package).with_suffix("").parts)
        for room in ("engine", "search", "criteria", ".")
        for file in (package / room).glob("*.py")
        if "import perf_counter" in file.read_text(encoding="utf-8")
    }
    without_proofs = looks - {"engine.proving", "search.bound", "search.programme"}
    assert without_proofs == set(ablation.CLOCKS)


def test_the_document_is_made_of_the_records() -> None:
    document = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    for table in ablation_tables.tables(read(RECORDS)):
        assert f"{table.to_markdown()}\n\n" in document, table.title


def test_records_are_of_cells_and_starts_that_there_are() -> None:
    records = list(read(RECORDS))
    assert records
    assert {record["cell"] for record in records} <= {cell.label for cell in CELLS}
    assert {record["start"] for record in records} <= {*STARTS, *SLOW}


def test_a_start_that_takes_longer_than_the_limit_is_not_compared() -> None:
    def line(start: str, starting: float, score: float) -> dict[str, object]:
        of = {"cell": "some", "search": "0.1 s", "seed": 0, "distance": 0, "seconds": 0.1}
        return {**of, "start": start, "starting": starting, "score": score}

    lines = [line(RANDOM, 0.0, 5.0), line(CONTINUOUS, 0.2, 1.0)]
    gaps, beside = ablation_tables.tables(lines)[-2:]
    assert gaps.rows[1] == ["some", "0.1 s", "4.0 (0 of 1)", "–"]
    assert len(beside.rows) == 1
    gaps, beside = ablation_tables.tables([lines[0], line(CONTINUOUS, 0.05, 1.0)])[-2:]
    assert gaps.rows[1][-1] == "0.0 (1 of 1)"
    assert len(beside.rows) == 2
