"""The tables say what the records say: means, agreement with rows left alone, ratios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daglock_evaluation.harness.store import Line
from daglock_evaluation.harness.sweep import open_records
from daglock_evaluation.regimes import RECORDS
from daglock_evaluation.regimes.cases import cases
from daglock_evaluation.regimes.document import text
from daglock_evaluation.regimes.tables import summary, tables


def record(suite: str, method: str, seed: int, shd: int, place: int = 0, **other: Any) -> Line:
    case = cases(suite)[place]
    return {
        **{"suite": suite, "label": case.label, "family": case.family, "seed": seed},
        **{"case": case.settings(), "method": method, "status": "ok", "message": ""},
        **{
            "class_shd": shd,
            "shd": shd + 1,
            "seconds": 9.0,
            "cpu_seconds": 0.5,
            "time_limit": 300.0,
        },
        **{"graph": "g", "machine": {"processor": "one", "cores": 2}, "date": "2026-01-01"},
        **{"made_with": {"daglock": "1.0", "gies": "0.0.3"}, **other},
    }


def records() -> list[Line]:
    return [
        *(record("perfect", "daglock", seed, 1) for seed in range(4)),
        *(record("perfect", "gies", seed, shd) for seed, shd in enumerate((0, 1, 2, 3))),
        *(record("perfect", "empty", seed, 10) for seed in range(4)),
        *(record("perfect", "daglock", seed, 3, 1) for seed in range(4)),
        *(record("perfect", "gies", seed, 2, 1) for seed in range(2)),
        *(record("perfect", "empty", seed, 20, 1) for seed in range(4)),
        record("perfect", "sdcd", 0, 0, status="time limit", seconds=None),
        record("hidden", "daglock-find", 0, 4),
        *(record("batches", "daglock-still", seed, 2) for seed in range(3)),
        *(record("batches", "daglock-shifts", seed, 2, graph="gh"[seed > 1]) for seed in range(3)),
        *(record("batches", "daglock-pooled", seed, 9, graph="p") for seed in range(3)),
        record("cost", "daglock", 0, 0, 1, beside="daglock-still", own_cpu=3.0, beside_cpu=2.0),
        record("cost", "daglock", 1, 0, 1, beside="daglock-still", own_cpu=5.0, beside_cpu=2.0),
        record("cost", "gies", 0, 0, 1, status="time limit", seconds=None),
    ]


def test_a_cell_has_mean_error_and_the_number_of_runs() -> None:
    distances, seconds = tables("perfect", records())
    assert distances.rows == [
        ["case", "daglock, targets told", "GIES", "SDCD", "empty graph"],
        ["d = 10, degree 2", "1.0 ± 0.0", "1.5 ± 0.6", "> 300 s", "10.0 ± 0.0"],
        ["d = 20, degree 2", "3.0 ± 0.0", "2.0 ± 0.0 [2]", "–", "20.0 ± 0.0"],
    ]
    assert seconds.rows[1] == ["d = 10, degree 2", "0.5", "0.5", "> 300 s"]


def test_where_daglock_is_behind_is_said() -> None:
    first, second = summary("perfect", records())
    assert "no larger than that of the best other package" in first
    assert "in 1 of 2 cases, and within two standard errors of it in 1 of 2." in first
    assert second == "It is larger in d = 20, degree 2 (3.0 against 2.0)."
    assert summary("hidden", records()) == ["No run of daglock is recorded beside others."]


def test_where_targets_mislead_is_said() -> None:
    told = [record("hidden", "daglock", 0, 6), record("hidden", "daglock-kind", 0, 2)]
    *_, last = summary("hidden", [*told, record("hidden", "daglock-shifts", 0, 3)])
    first = "daglock, targets told is farther off than daglock, regimes told in "
    assert last == f"{first}d = 10, degree 2, shift (6.0 against 3.0)."


def test_batches_are_compared_with_rows_left_alone() -> None:
    _, same, _ = tables("batches", records())
    assert same.rows[1:] == [["d = 10, degree 2, 5 batches of 200", "2 of 3", "0 of 3"]]
    (sentence,) = summary("batches", records())
    assert sentence.endswith("in 2 of 3 tables; pooled, in 0 of 3.")


def test_cost_is_a_ratio() -> None:
    (table,) = tables("cost", records())
    label = "d = 100, degree 2, 20 experiments"
    ours, still = "daglock, targets told", "daglock, nothing changed"
    assert table.rows[1:] == [
        [label, ours, "4", still, "2", "2"],
        [label, "GIES", "> 300", "–", "–", "–"],
    ]
    assert summary("cost", records()) == [
        f"{label}: a fit of {ours} takes 2 times as long as one of {still}."
    ]


def test_the_document_has_what_is_recorded(tmp_path: Path) -> None:
    store = open_records(RECORDS, tmp_path)
    assert "##" not in text(tmp_path).replace("# Benchmark", "")
    for line in records():
        store.add(line)
    store.add(record("papers", "gies", 0, 0, status="failed", message="no such thing"))
    document = text(tmp_path)
    assert "GIES: no such thing" in document
    assert "## The Sachs cells" not in document
    assert "Ran on one, 2 cores (2026-01-01) with daglock 1.0 and gies 0.0.3." in document
