"""The tables of searches, arrows, thresholds and cases: counts that are known."""

from __future__ import annotations

from typing import Any

from daglock_evaluation.benchmark.answers import answers, arrows, searches, thresholds
from daglock_evaluation.benchmark.runs import rows

from .sample import record


def of(peer: str, scores: list[float], **more: Any) -> list[dict[str, Any]]:
    return [record(peer, seed, score=score, **more) for seed, score in enumerate(scores)]


def test_scores_are_compared_graph_by_graph_at_one_price() -> None:
    made = [
        *of("daglock-2bic", [10.0, 20.0, 30.0], cpu_seconds=0.5),
        *of("flop-20", [9.0, 20.001, 33.0], cpu_seconds=1.0),
        *of("flop-20-ours", [0.0, 0.0, 0.0]),  # at another price: not compared
        record("xges", 0, score=None),
    ]
    table = searches(rows(made))
    [line] = table.rows[1:]
    assert line[:5] == ["FLOP, 20 restarts", "3", "1", "1", "1"]
    assert line[5].startswith("0.67 ±")
    assert line[6] == "2"


def test_without_daglock_at_that_price_there_is_no_table_of_searches() -> None:
    assert answers(of("flop-20", [1.0])) == []


def test_arrows_are_counted_over_all_graphs() -> None:
    made = [
        record("pc", 0, n_arrows=10, n_false=1, n_found=8, n_true=20),
        record("pc", 1, n_arrows=30, n_false=7, n_found=20, n_true=20),
        record("empty", 0, n_arrows=0, n_false=0, n_found=0, n_true=20),
    ]
    [line] = arrows(rows(made)).rows[1:]
    assert line[:4] == ["PC", "2", "40", "8"]
    assert line[4].startswith("20.0% (a graph: 16.7% ±")
    assert line[5] == "70%"


def test_thresholds_in_hindsight() -> None:
    made = [
        record("dagma", 0, 8, best_shd=4, best_cpdag_shd=None),
        record("dagma", 1, 6, best_shd=2, best_cpdag_shd=5),
        record("pc", 0, 3),
    ]
    # Both means of a distance are over the same graphs.
    assert thresholds(rows(made)).rows[1:] == [["DAGMA", "2", "6", "5", "7", "3"]]


def test_sortability_is_that_of_the_case() -> None:
    made = [
        record("empty", seed, var_sortability=v, r2_sortability=0.5)
        for seed, v in enumerate([0.9, 0.7])
    ]
    [table] = answers(made)
    assert table.rows[1] == ["ER1 ±[0.5,1] d=20 n=1000", "0.80", "0.50"]
