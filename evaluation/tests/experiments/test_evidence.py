"""A selection of runs: what is chosen, grouped and written, and when a claim is judged."""

from __future__ import annotations

from typing import Any

from daglock_evaluation.experiments.evidence import Runs, experiment, grid, need, table
from daglock_evaluation.experiments.experiment import Outcome, Record, Verdict
from daglock_evaluation.harness.tables import Table

RUNS = Runs(
    Record({"d": d, "method": method, "seed": seed}, {"shd": d + seed, "status": "ran_out"})
    for d in (10, 5)
    for method in ("a", "b")
    for seed in (0, 1)
)
SKIPPED = Record({"d": 5, "method": "c"}, {"skipped": "not installed", "status": "skipped"})


def test_what_was_skipped_is_not_looked_at() -> None:
    assert Runs([*RUNS, SKIPPED]).where(d=5) == RUNS.where(d=5)
    assert not Runs([SKIPPED]).where(method="c")


def test_a_setting_that_is_not_there_is_none() -> None:
    assert RUNS.where(lam=None) == RUNS
    assert RUNS.where(method=("b", "c")) == RUNS.where(method="b")


def test_groups_are_sorted_and_complete() -> None:
    groups = RUNS.by("d", "method")
    assert [(g[0].case["d"], g[0].case["method"]) for g in groups] == [
        (5, "a"),
        (5, "b"),
        (10, "a"),
        (10, "b"),
    ]
    assert sorted(map(id, Runs().plus(*groups))) == sorted(map(id, RUNS))


def test_groups_by_a_value_have_what_was_skipped() -> None:
    assert [len(group) for group in Runs([*RUNS, SKIPPED]).grouped("d")] == [5, 4]
    assert [len(group) for group in RUNS.each()] == [1] * 8


def test_sizes_at_which_a_method_is_missing_are_left_out() -> None:
    some = RUNS.but(lambda r: r.case == {"d": 5, "method": "b", "seed": 0})
    assert some.of_sizes_with("a", "b").settings("d") == [5, 10]
    none = RUNS.but(lambda r: r.case["d"] == 5 and r.case["method"] == "b")
    assert none.of_sizes_with("a", "b").settings("d") == [10]


def test_a_value_by_its_name() -> None:
    result = {"status": "stayed_at_start", "raw": {"gamma": 0.5}, "lam": 2.0}
    record = Record({"d": 5, "lam": 1.0}, result, quantities={"half": lambda r: r["d"] / 2})
    names = ("d", "lam", "raw.gamma", "shd", "half", "ending", "converged")
    assert [record[n] for n in names] == [5, 2.0, 0.5, None, 2.5, "stayed at start", True]


def test_numbers_in_words() -> None:
    five = RUNS.where(d=5)
    assert (five.span("shd"), five.spread("shd"), five.mean("shd")) == ("5 to 6", "5.5 (5–6)", 5.5)
    assert five.share(lambda r: r.result["shd"] == 5) == "2 of 4"
    assert (five.statuses(), five.span("h"), five.values("h")) == ("ran out", "–", [])


def test_a_row_for_each_group_that_has_runs() -> None:
    groups = [RUNS.where(d=d) for d in (10, 7, 5)]
    assert [row[0] for row in table("t", groups, ("d", "d")).rows] == ["d", "10", "5"]


def test_grid_varies_tuples_and_ranges_alone() -> None:
    assert grid(start=[1, 2], name="ab", d=(3, 4)) == [
        {"start": [1, 2], "name": "ab", "d": 3},
        {"start": [1, 2], "name": "ab", "d": 4},
    ]


def test_claims_are_judged_on_what_they_are_about() -> None:
    def claim(runs: Runs) -> Verdict:
        need(len(runs) > 2)
        return Verdict("c", "p", runs.span("twice"), Outcome.CONFIRMED, "e")

    def tables(runs: Runs) -> list[Table]:
        return [table(f"d = {d}", runs.where(d=d).by("d"), ("d", "d")) for d in (5, 9)]

    parts: dict[str, Any] = {"name": "n", "title": "t", "source": "s"}
    parts |= {"cases": lambda quick: [], "run": lambda case: {}, "tables": tables}
    parts["figures"] = {"f": lambda runs: runs, "of nine": lambda runs: need(runs.where(d=9))}
    made = experiment(
        **parts,
        claims=[claim],
        quantities={"twice": lambda r: 2 * r["d"]},
        judged_on=lambda runs: runs.where(d=5),
    )
    assert [v.measured for v in made.verdicts(RUNS)] == ["10"]
    assert made.verdicts(RUNS.where(d=5)[:2]) == []
    assert made.verdicts(RUNS.where(d=10)) == []
    assert made.figures([]) == {}
    assert set(made.figures(RUNS)) == {"f"}
    assert [shown.title for shown in made.tables(RUNS)] == ["d = 5"]
    assert made.tables([]) == []
