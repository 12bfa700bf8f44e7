"""The tables say what the records say: means, errors, losses first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daglock_evaluation.harness.cells import cells
from daglock_evaluation.harness.store import Line
from daglock_evaluation.harness.sweep import open_records
from daglock_evaluation.kinds.document import text
from daglock_evaluation.kinds.tables import standings, summary, tables

ASIA, SACHS = "asia, n = 500", "sachs, n = 500"


def record(label: str, method: str, seed: int, shd: int, **other: Any) -> Line:
    network, n = label.split(", n = ")
    return {
        **{"suite": "discrete", "label": label, "family": network, "n": int(n), "seed": seed},
        **{"case": {"suite": "discrete", "network": network, "n": int(n)}, "method": method},
        **{"status": "ok", "message": "", "cpdag_shd": shd, "seconds": 0.5, "time_limit": 60.0},
        **{"machine": {"processor": "one", "cores": 2}, "date": "2026-01-01"},
        **{"made_with": {"daglock": "1.0"}, **other},
    }


def records() -> list[Line]:
    return [
        *(record(ASIA, "daglock", seed, shd) for seed, shd in enumerate((4, 4, 5, 7))),
        *(record(ASIA, "boss-bdeu", seed, shd) for seed, shd in enumerate((6, 6, 6, 6))),
        *(record(ASIA, "pgmpy-bic", seed, shd) for seed, shd in enumerate((3, 3))),
        *(record(ASIA, "empty", seed, 8) for seed in range(4)),
        *(record(SACHS, "daglock", seed, 18) for seed in range(4)),
        *(record(SACHS, "boss-bdeu", seed, 18) for seed in range(4)),
        *(record(SACHS, "empty", seed, 17) for seed in range(4)),
        record(SACHS, "pgmpy-bic", 0, 0, status="time limit", seconds=None),
    ]


def test_a_cell_has_mean_error_and_the_number_of_runs() -> None:
    found = cells(records())
    assert found[ASIA, "daglock"].distance_text(4) == "5.0 ± 0.7"
    assert found[ASIA, "pgmpy-bic"].distance_text(4) == "3.0 ± 0.0 [2]"
    assert found[SACHS, "pgmpy-bic"].distance_text(4) == "> 60 s"
    assert found[SACHS, "pgmpy-bic"].seconds_text() == "> 60 s"
    assert found[ASIA, "daglock"].seconds_text() == "0.5"


def test_the_best_other_is_compared_on_the_tables_that_both_have() -> None:
    asia, sachs = standings("discrete", cells(records()))
    assert (asia.best, asia.ours, asia.theirs) == ("pgmpy-bic", 4.0, 3.0)
    assert not asia.no_worse
    assert sachs.no_worse
    assert sachs.ours > sachs.empty
    first, second, *others = summary("discrete", records())
    assert not others
    assert "in 1 of 2 cases (50%)" in first
    assert second == f"It is worse than the empty graph in {SACHS}."


def test_tables_that_daglock_did_not_end_on_are_named() -> None:
    slow = record(SACHS, "daglock", 9, 0, status="time limit", seconds=None)
    *_, last = summary("discrete", [*records(), slow])
    assert last.startswith(f"On some tables of {SACHS} it did not come to an end (> 60 s)")


def test_losses_come_first() -> None:
    standing, distances, seconds = tables("discrete", records())
    assert [row[0] for row in standing.rows[1:]] == [ASIA, SACHS]
    assert standing.rows[1][4].startswith("+1.0")
    assert [row[0] for row in distances.rows[1:]] == [ASIA, SACHS]
    assert "empty graph" in distances.rows[0]
    assert "empty graph" not in seconds.rows[0]


def test_without_daglock_nothing_is_claimed(tmp_path: Path) -> None:
    others = [one for one in records() if one["method"] != "daglock"]
    assert summary("discrete", others) == ["No run of daglock is recorded beside others."]
    assert len(tables("discrete", others)) == 2
    store = open_records("discrete", tmp_path)
    for one in others:
        store.add(one)
    document = text(tmp_path)
    assert "No run of daglock is recorded" in document
    assert "## Networks of numbers and categories" not in document
    for line in records():
        store.add(line)
    assert "the largest loss first" in text(tmp_path)
