"""Rows and tables: known means, and a row for whatever has no result."""

from __future__ import annotations

from math import inf, sqrt

import pytest

from benchmark.sample import over, record, runs, without_result
from daglock_evaluation.benchmark.runs import Row, rows
from daglock_evaluation.benchmark.tables import other_measures, overview, tables


def one(*records: dict[str, object]) -> Row:
    [row] = rows(records)
    return row


def cells(records: list[dict[str, object]], method: str) -> dict[str, str]:
    [table] = tables(records)
    head, *body = table.rows
    [line] = [line for line in body if line[0] == method]
    return dict(zip(head, line, strict=True))


def test_means_errors_and_medians() -> None:
    row = one(
        record("dagma", 0, 1, cpu_seconds=1.0, f1=0.5, peak_mb=100.0),
        record("dagma", 1, 3, cpu_seconds=9.0, f1=1.0, peak_mb=300.0),
        record("dagma", 2, 8, cpu_seconds=2.0, f1=0.9, peak_mb=200.0),
    )
    shd, f1 = row.mean("shd"), row.mean("f1")
    assert shd is not None
    assert shd.value == 4.0
    # Variance (9 + 1 + 16) / 2, and Student's quantile for two degrees of freedom.
    assert shd.half == pytest.approx(4.302653 * sqrt(13.0 / 3.0))
    assert shd.most == 8
    assert f1 is not None
    assert f1.value == pytest.approx(0.8)
    assert (row.seconds, row.median("peak_mb"), row.n_ok, row.n_runs) == (2.0, 200.0, 3, 3)
    assert (row.outcomes, row.short) == ("", "")


def test_rows_are_in_the_order_of_the_records() -> None:
    records = [record("ges", 0), record("dagma", 0), record("ges", 1), record("dagma", 0, d=50)]
    assert [(row.peer, row.d) for row in rows(records)] == [
        ("ges", 20),
        ("dagma", 20),
        ("dagma", 50),
    ]


def test_the_same_case_in_two_suites_is_two_rows() -> None:
    assert len(rows([record("dagma"), record("dagma", suite="paper")])) == 2


def test_distances() -> None:
    row = one(record("dagma", 0, 5, cpdag_shd=3))
    assert row.main == row.mean("cpdag_shd")
    assert row.directed == row.mean("shd") != row.main
    # Directions count where the data identify them and the method returns them.
    assert one(record("dagma", 0, 5, target="class")).directed is None
    assert one(record("flop-20", 0, 4)).directed is None


def test_runs_over_the_limit_count_as_longer_than_all() -> None:
    some = one(
        record("ges", 0, cpu_seconds=5.0), record("ges", 1, cpu_seconds=50.0), over("ges", 2)
    )
    assert some.seconds == 50.0
    assert some.outcomes == "1 of 3 over 60 s"
    most = one(record("ges", 0, cpu_seconds=5.0), over("ges", 1), over("ges", 2))
    assert most.seconds == inf
    assert most.finite_seconds is None
    assert most.outcomes == "2 of 3 over 60 s"
    assert one(over("ges")).seconds is None


def test_outcomes_in_words() -> None:
    assert one(over("ges", 0), over("ges", 1)).outcomes == "over 60 s"
    memory = without_result("ges", "memory limit", "over 8 GB")
    assert (one(memory).outcomes, one(memory).short) == ("over 8 GB", "> 8 GB")
    missing = without_result("xges", "not installed", "needs the package xges")
    assert one(missing).outcomes == "not installed: needs the package xges"
    long = without_result("ges", "failed", "ValueError: " + "x" * 500)
    assert one(long).outcomes.startswith("failed: ValueError: xxx")
    assert len(one(long).outcomes) < 120
    mixed = one(over("ges", 0), without_result("ges", "not run", "over 60 s at d=20, n=1000", 1))
    assert mixed.outcomes == "1 of 2 over 60 s; 1 of 2 not run: over 60 s at d=20, n=1000"
    assert mixed.short == "> 60 s"


def test_table_of_a_case() -> None:
    dense = {"n_raw": 380, "raw_is_dag": False}
    records = [
        *runs("daglock", [0, 0, 0], cpu_seconds=0.5),
        record("dagma", 0, 2, cpu_seconds=5.0, **dense),
        record("dagma", 1, 3, cpu_seconds=6.0, **dense, is_dag=False, cpdag_shd=None),
        over("dagma", 2),
        *runs("flop-20", [0, 1, 0], cpu_seconds=0.00002),
        *(without_result("ges", "failed", "LinAlgError: <singular>", seed) for seed in range(3)),
    ]
    dagma = cells(records, "DAGMA")
    assert dagma["SHD"] == "2.5 ± 6.4"
    assert dagma["CPDAG-SHD"] == "2"
    assert dagma["exact"] == "0 of 2"
    assert dagma["acyclic (raw → after cut)"] == "0 of 2 → 1 of 2"
    assert dagma["non-zeros (raw → after cut)"] == "380 → 20"
    assert dagma["remark"] == "1 of 3 over 60 s; 1 of 2 with a cycle: no class"
    flop = cells(records, "FLOP, 20 restarts")
    assert flop["SHD"] == "–"
    assert flop["CPDAG-SHD"].startswith("0.3 ±")
    assert flop["acyclic (raw → after cut)"] == "class"
    assert flop["seconds"] == "< 0.001"
    assert cells(records, "daglock")["time / daglock's"] == "1"
    failed = cells(records, "GES")
    assert failed["remark"] == "failed: LinAlgError: <singular>"
    assert {failed[name] for name in list(failed)[1:-1]} == {"–"}


def test_time_ratio_is_over_the_common_seeds() -> None:
    records = [
        *[record("daglock", seed, cpu_seconds=second) for seed, second in enumerate([1.0, 100.0])],
        record("ges", 0, cpu_seconds=3.0),
        over("ges", 1),
    ]
    assert cells(records, "GES")["time / daglock's"] == "3"
    assert cells(records, "GES")["seconds"] == "> 60"
    [table] = tables([record("ges")])
    assert "–" in table.rows[1]


def test_fewer_graphs_than_others_have_are_told() -> None:
    # Nothing is recorded of the third graph of DAGMA, not even why.
    sizes = ([*runs("daglock", [0, 0, 0], d=d), *runs("dagma", [2, 2], d=d)] for d in (20, 50))
    records = [*(record for size in sizes for record in size), *runs("flop-20", [1, 1, 1])]
    by_class, by_direction, *_ = overview(rows(records))
    assert by_class.rows[2] == ["DAGMA", "2 / 1 s (2 of 3)", "2 / 1 s (2 of 3)"]
    assert by_class.rows[3] == ["FLOP, 20 restarts", "1 / 1 s", "–"]
    assert (
        by_class.note
        == "(2 of 3): the mean is over 2 graphs of the 3 that others have. –: not tried."
    )
    assert by_direction.rows[2] == ["DAGMA", "2 (2 of 3)", "2 (2 of 3)"]
    assert 'fewer where "exact" says so' in other_measures(rows(records)[:2]).note
    assert "fewer" not in other_measures(rows(records)[:1]).note


def test_unknown_methods_keep_their_name() -> None:
    assert cells([record("gone-since")], "gone-since")["SHD"] == "0"
