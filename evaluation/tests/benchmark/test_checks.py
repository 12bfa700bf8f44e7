"""Checks of the records: each must be able to fail."""

from __future__ import annotations

from typing import Any

import pytest

from benchmark.sample import MACHINE, VERSIONS, over, record, runs, without_result
from daglock_evaluation.benchmark import setting
from daglock_evaluation.benchmark.setting import check
from daglock_evaluation.harness.store import dates

GOOD = [*runs("daglock", [0, 0]), *runs("dagma", [1, 2]), *runs("flop-20", [0, 1])]


def failing(records: list[dict[str, Any]]) -> list[str]:
    return [one.claim for one in check(records) if not one.holds]


def test_good_records_pass() -> None:
    assert failing(GOOD) == []
    assert str(check(GOOD)[0]) == "All methods got the same data: holds (2 graphs)."


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        (record("ges", 0, data="other"), "All methods got the same data"),
        (record("daglock", 1, 0, is_dag=False), "daglock's graph is acyclic"),
        (record("daglock", 1, 0, n_raw=21), "daglock's graph is not cut afterwards"),
        (record("ges", 0, cpu_seconds=1.9), "No run had more than one core"),
        (
            record("daglock", 1, made_with={**VERSIONS, "numpy": "1.0"}),
            "All runs of a method have the same versions of all packages",
        ),
        (record("ges", 0, machine={**MACHINE, "cores": 8}), "One machine for a suite"),
        (record("ges", 10_001), "No seed is one of those for tuning"),
    ],
)
def test_bad_records_are_named(line: dict[str, Any], claim: str) -> None:
    seeds = "All methods have the same seeds of a case"
    found = failing([*GOOD, line])
    assert set(found) - {seeds} == {claim}
    # One more seed of a method that has two already is a record of the same seed.
    assert (seeds in found) == (line["peer"] == "ges")


def test_what_fails_is_counted() -> None:
    found = check([*GOOD, record("ges", 0, data="other"), record("ges", 1)])
    assert str(found[0]) == "All methods got the same data: does not hold in 1 of 2 graphs."


def test_runs_without_a_result_can_be_checked() -> None:
    found = check([without_result("ges", "failed", "boom")])
    assert str(found[0]) == "All methods got the same data: there is no record to check."


def test_setting() -> None:
    records = [
        record("dagma", 0, options={"lambda1": 0.02}, made_with={**VERSIONS, "dagma": "1.1"}),
        record("dagma", 1, options={"lambda1": 0.05}, made_with={**VERSIONS, "dagma": "1.1"}),
        record("daglock", 0, date="2026-01-05", made_with={**VERSIONS, "numpy": "1.26"}),
        without_result("xges", "not installed", "needs the package xges"),
    ]
    table = {row[0]: row[1:] for row in setting.methods(records).rows}
    assert table["DAGMA"] == [
        *("`dagma`", "dagma 1.1", "a DAG", "centred by the package", "lambda1 = 0.02 or 0.05")
    ]
    assert table["XGES"][1] == "xges (no result)"
    assert dates(records) == "2026-01-02 to 2026-01-05"
    assert setting.versions_line(records) == (
        "Python 3.11.7, daglock 0.1.0, NumPy 1.26 and 2.4.6, SciPy 1.17.1"
    )
    assert "1 to 2 seeds" not in setting.effort(records)
    assert "2 seeds a case" in setting.effort(records)


def test_cells_that_are_thin_are_counted() -> None:
    full = [*runs("daglock", [0, 0]), *runs("dagma", [1, 1])]
    assert "cells" not in setting.effort(full)
    # A graph of which nothing is recorded, one without a result, and a case that was not tried.
    thin = [*full, *runs("pc", [1]), *runs("daglock", [0, 0], d=50), over("dagma", 1, d=50)]
    some = [*thin, record("dagma", 0, 2, d=50)]
    told = "Of 6 cells, a method on a case: 1 not tried, 2 with results of some graphs only."
    assert setting.effort(some).endswith(told)
    none = "Of 6 cells, a method on a case: 1 not tried, 1 with results of some graphs only."
    assert setting.effort(thin).endswith(none)
