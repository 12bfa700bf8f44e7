"""Findings: whatever is better than daglock is named, on the seeds that both have."""

from __future__ import annotations

import pytest

from benchmark.sample import over, record, runs, without_result
from daglock_evaluation.benchmark.findings import accuracy_sentence, ends, find
from daglock_evaluation.benchmark.runs import Pair

SACHS = {
    "case": {"sachs": "observational", "edges": 17, "scale": "raw"},
    "label": "Sachs-853, raw, 17 edges",
    "family": "Sachs-853, raw, 17 edges",
    "target": "class",
}


def only(found: list[Pair]) -> Pair:
    """Return the only one by class."""
    [one] = [one for one in found if one.measure == "cpdag_shd"]
    return one


def test_a_planted_winner_is_found() -> None:
    found = find([*runs("daglock", [4, 5, 6]), *runs("dagma", [1, 2, 3])])
    one = only(found.more_accurate)
    assert (one.theirs.peer, *one.means) == ("dagma", 2.0, 5.0)
    assert one.interval == (3.0, 3.0)
    assert one.is_told
    told = "CPDAG-SHD 2 against 5 (mean of 3 graphs; difference 3.0, 3.0 to 3.0)."
    sentence = f"ER1 ±[0.5,1] d=20 n=1000: DAGMA is more accurate than daglock, {told}"
    assert accuracy_sentence(one) == sentence
    assert found.headlines() == [sentence, sentence.replace("CPDAG-SHD", "SHD")]
    assert found.summary()[0].startswith("In 1 of 1 case another method is more accurate")
    assert find([*runs("daglock", [1, 2, 3]), *runs("dagma", [4, 5, 6])]).more_accurate == []
    found = find([*runs("daglock", [1, 2]), *runs("dagma", [1, 2])])
    assert found.more_accurate == []
    assert found.summary()[0] == (
        "In none of 1 case another method is more accurate than daglock as it is by default."
    )


def test_only_common_seeds_count() -> None:
    # Over all its seeds daglock has the larger mean, over the common ones the smaller.
    records = [*runs("daglock", [1, 1, 40]), record("dagma", 0, 2), record("dagma", 1, 2)]
    found = find([*records, over("dagma", 2)])
    assert found.more_accurate == []
    [one] = found.compared
    assert one.distances == [(2.0, 1.0), (2.0, 1.0)]
    assert ends(one) == ("2 of 3", "3 of 3")


def test_chance_between_graphs() -> None:
    # Differences 4, −1, 0: mean 1, standard error 1.53, and Student's quantile is 4.30.
    found = find([*runs("daglock", [5, 1, 2]), *runs("dagma", [1, 2, 2])])
    one = only(found.more_accurate)
    assert not one.is_told
    assert one.interval == pytest.approx((1.0 - 4.3027 * 1.5275, 1.0 + 4.3027 * 1.5275), abs=1e-3)
    assert found.headlines() == []
    # Differences 3, 2, 4, 3: the graphs differ much more than that, but in common.
    found = find([*runs("daglock", [90, 52, 14, 33]), *runs("dagma", [87, 50, 10, 30])])
    assert only(found.more_accurate).is_told
    found = find([record("daglock", 0, 9), record("dagma", 0, 1)])
    assert only(found.more_accurate).interval is None
    assert "8.0, one graph" in accuracy_sentence(only(found.more_accurate))
    # Differences 1, 2, 3: beyond twice the standard error, 0.58, which three graphs do not justify.
    found = find([*runs("daglock", [3, 5, 5]), *runs("dagma", [2, 3, 2])])
    assert not only(found.more_accurate).is_told


def test_classes_are_compared_with_classes_and_directions_apart() -> None:
    # As a DAG daglock has 6 wrong edges, as a class none: FLOP's 2 are no better.
    ours = runs("daglock", [6, 6], cpdag_shd=0)
    assert find([*ours, *runs("flop-20", [2, 2])]).more_accurate == []
    found = find([*runs("daglock", [0, 0], cpdag_shd=3), *runs("flop-20", [2, 2])])
    assert [one.measure for one in found.more_accurate] == ["cpdag_shd"]
    # What returns a DAG is compared by its directions, too, where these are identified.
    found = find([*ours, *runs("dagma", [2, 2])])
    assert [one.measure for one in found.more_accurate] == ["shd"]
    given = {"target": "class"}
    found = find([*runs("daglock", [9], cpdag_shd=1, **given), *runs("dagma", [5], **given)])
    assert found.more_accurate == []


def test_a_graph_with_a_cycle_is_not_compared_as_a_class() -> None:
    ours = runs("daglock", [3, 3], target="class")
    cyclic = record("dagma", 0, 0, target="class", cpdag_shd=None, is_dag=False, cpu_seconds=0.1)
    found = find([*ours, cyclic, record("dagma", 1, 5, target="class", cpu_seconds=0.1)])
    assert found.more_accurate == []
    assert only(found.faster(as_accurate=False)).distances == [(5.0, 3.0)]
    found = find([*ours, cyclic])
    assert only(found.faster(as_accurate=False)).distances == []
    assert "no class to compare" in str(found.tables())


def test_variants_that_do_as_well_are_named() -> None:
    records = [*runs("daglock", [5, 5]), *runs("dagma", [1, 1]), *runs("daglock-unequal", [2, 2])]
    one = only(find(records).more_accurate)
    assert "As good" not in accuracy_sentence(one)
    one = only(find([*records, *runs("daglock-equal", [1, 1])]).more_accurate)
    assert accuracy_sentence(one).endswith("As good (daglock, told equal variances: 1).")
    # A variant that was lucky on another seed is not as good.
    lucky = [record("daglock-equal", 0, 3), record("daglock-equal", 2, 0)]
    one = only(find([*records, *lucky, record("dagma", 2, 9)]).more_accurate)
    assert "As good" not in accuracy_sentence(one)


def test_options_that_do_as_well_are_named_in_the_summary() -> None:
    records = [*runs("daglock", [5, 5]), *runs("dagma", [1, 1]), *runs("daglock-2bic", [1, 1])]
    assert find(records).summary()[2] == (
        "In 1 of the cases in which another is more accurate, daglock with an option (price of "
        "FLOP) does as well as that method."
    )


def test_that_no_graph_is_had_faster_is_not_told() -> None:
    ours, empty = runs("daglock", [1, 1]), runs("empty", [9, 9], cpu_seconds=0.0)
    found = find([*ours, *empty])
    assert found.faster(as_accurate=False) == []
    assert "in none another one, the empty graph aside, is faster" in found.summary()[1]
    # Where it is as accurate, it is.
    assert only(find([*runs("daglock", [9, 9]), *empty]).faster(as_accurate=True)).means == (9, 9)


def test_variants_are_no_other_methods() -> None:
    found = find([*runs("daglock", [5]), *runs("daglock-equal", [0], cpu_seconds=0.1)])
    assert found.compared == ()
    assert found.tables() == []


def test_faster() -> None:
    found = find(
        [
            *runs("daglock", [1, 1], cpu_seconds=1.0),
            *runs("daglock-equal", [1, 1], cpu_seconds=0.25),
            *runs("dagma", [1, 1], cpu_seconds=0.5),
            *runs("notears", [3, 3], cpu_seconds=0.5),
            *runs("pc", [0, 0], cpu_seconds=2.0),
        ]
    )
    good = only(found.faster(as_accurate=True))
    assert good.theirs.peer == "dagma"
    shown = {table.title: table.rows[1:] for table in found.tables()}
    [line] = shown["Faster than daglock and at least as accurate"]
    assert line[2:] == ["1", "equal 0.25", "DAGMA (0.5; 1 against 1)"]
    assert only(found.faster(as_accurate=False)).theirs.peer == "notears"
    [line] = shown["Faster than daglock but less accurate"]
    assert line[-1] == "NOTEARS (0.5; 3 against 1)"


def test_median_time_is_over_the_common_seeds() -> None:
    ours = [record("daglock", seed, cpu_seconds=s) for seed, s in enumerate([1.0, 50.0, 50.0])]
    found = find([*ours, record("dagma", 0, cpu_seconds=2.0)])
    assert found.faster(as_accurate=True) == []


def test_the_empty_graph_may_win_on_real_data() -> None:
    found = find([*runs("daglock", [19, 19], **SACHS), *runs("empty", [17, 17], **SACHS)])
    one = only(found.more_accurate)
    assert one.interval is None
    assert "difference 2.0, one data set" in accuracy_sentence(one)
    assert found.headlines() == [accuracy_sentence(one)]


def test_a_result_where_daglock_has_none_is_found() -> None:
    failed = without_result("daglock", "failed", "boom", 1)
    found = find([record("daglock", 0), failed, *runs("dagma", [1, 1])])
    assert "on 2 of 2 graphs, daglock on 1" in found.headlines()[0]
    found = find([over("daglock"), record("dagma")])
    assert ends(only(found.ends_more_often)) == ("1 of 1", "0 of 1")
    assert any(table.title == "A result where daglock has none" for table in found.tables())


def test_without_daglock_there_is_nothing_to_compare() -> None:
    assert find([record("dagma")]).summary() == [
        "daglock was not run beside another method: there is nothing to compare."
    ]


def test_every_finding_is_in_the_tables() -> None:
    records = [
        *runs("daglock", [5, 5], cpu_seconds=1.0),
        *runs("daglock-equal", [5, 5], cpu_seconds=0.25),
        *runs("dagma", [1, 1], cpu_seconds=2.0),
        *runs("notears", [9, 9], cpu_seconds=0.5),
        *runs("ges", [5, 5], cpu_seconds=0.5),
        over("pc", 0),
    ]
    shown = {table.title: table.rows for table in find(records).tables()}
    assert [row[2:4] for row in shown["More accurate than daglock"][1:]] == [
        ["DAGMA", "CPDAG-SHD"],
        ["DAGMA", "SHD"],
    ]
    [line] = shown["Faster than daglock and at least as accurate"][1:]
    assert line == [
        "equal",
        "ER1 ±[0.5,1] d=20 n=1000",
        "1",
        "equal 0.25",
        "GES (0.5; 5 against 5)",
    ]
    [line] = shown["Faster than daglock but less accurate"][1:]
    assert line[-1] == "NOTEARS (0.5; 9 against 5)"
    standing = {row[0]: row[1:] for row in shown["Each method beside daglock: in how many cases"]}
    assert standing["DAGMA"] == ["1", "1 (1)", "0", "0 (0)", "0", "0", "0", "0", "1 (1)", "0 (0)"]
    assert standing["NOTEARS"] == ["1", "0 (0)", "0", "1 (1)", "1", "0", "0", "0", "0 (0)", "1 (1)"]
    assert standing["GES"] == ["1", "0 (0)", "1", "0 (0)", "1", "1", "0", "0", "–", "–"]
    assert standing["PC"] == ["1", "0 (0)", "0", "0 (0)", "0", "0", "0", "1", "–", "–"]


@pytest.mark.parametrize(("memory", "count"), [(9.0, "1"), (10.0, "0"), (11.0, "0")])
def test_less_memory(memory: float, count: str) -> None:
    found = find([*runs("daglock", [0]), *runs("dagma", [0], extra_mb=memory)])
    assert found.standing().rows[1][7] == count
