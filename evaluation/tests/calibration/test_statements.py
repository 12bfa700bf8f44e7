"""Statements: what contradicts the known order counts as wrong, what says nothing does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock_evaluation.calibration import intervals
from daglock_evaluation.calibration.ours import CONFIDENCE
from daglock_evaluation.calibration.standings import (
    losses,
    main_table,
    pairs_table,
    probabilities,
    same_links,
    unfinished,
)
from daglock_evaluation.calibration.statements import CERTAIN, HINTS, Records, count, methods


def line(table: str, method: str, directed: Any, undirected: Any, said: Any = ()) -> dict[str, Any]:
    found = {"directed": directed, "undirected": undirected, "said": said}
    found["links"] = [1.0] * len(said)
    return {"table": table, "method": method, "status": "ok", "message": "", **found}


def records(*runs: dict[str, Any]) -> Records:
    """Two tables, of whose columns 0 is before 1 and 2, and a pair of which the second causes."""
    roles = {"one": "judge", "two": "judge", "dev": "fit", "pair 2": "pair", "pair 1": "pair"}
    tables = {name: {"table": name, "role": role} for name, role in roles.items()}
    known = dict.fromkeys(("one", "two", "dev"), frozenset({(0, 1), (0, 2)}))
    pairs = {"pair 1": frozenset({(0, 1)}), "pair 2": frozenset({(1, 0)})}
    return Records(tables, known | pairs, {(run["table"], run["method"]): run for run in runs})


def test_wrong_is_what_contradicts_the_order() -> None:
    found = records(
        line("one", "xges", [[0, 1], [2, 0], [1, 3]], []),
        line("two", "xges", [[2, 1]], [[2, 0]]),
        {"table": "dev", "method": "xges", "status": "failed", "message": "no"},
    )
    assert found.verdicts("judge", "xges") == {"one": {(0, 1): 1, (0, 2): -1}, "two": {(0, 2): 0}}
    one = count(found, "judge", "xges")
    assert (one.tables, one.linked, one.stated, one.wrong) == (2, 3, 2, 1)
    assert one.coverage == pytest.approx(2 / 3)
    assert one.by_table == {"one": (1, 2), "two": (0, 0)}
    assert count(found, "fit", "xges").tables == 0
    assert unfinished(found) == ["XGES on dev: no"]


def test_claims_are_made_of_the_probabilities_of_arrows() -> None:
    said = [[0, 1, 0.92], [2, 0, 0.7]]
    found = records(line("one", CONFIDENCE, [], [[0, 1], [0, 2]], said))
    assert found.verdicts("judge", CERTAIN) == {"one": {(0, 1): 1, (0, 2): 0}}
    assert found.verdicts("judge", HINTS) == {"one": {(0, 1): 1, (0, 2): -1}}
    weaker = records(line("one", CONFIDENCE, [], [], said) | {"links": [0.95, 0.9]})
    assert weaker.verdicts("judge", CERTAIN) == {"one": {(0, 1): 0, (0, 2): 0}}
    assert weaker.verdicts("judge", HINTS) == {"one": {(0, 1): 1, (0, 2): 0}}
    against = records(line("one", CONFIDENCE, [], [], [[1, 0, 0.08], [0, 2, 0.3]]))
    assert against.verdicts("judge", HINTS) == {"one": {(0, 1): 0, (0, 2): 0}}
    of_known = against.probabilities("judge", CONFIDENCE)["one"]
    assert of_known == pytest.approx(found.probabilities("judge", CONFIDENCE)["one"])
    assert methods(found, "judge")[:2] == [CERTAIN, HINTS]


def test_who_states_as_much_and_is_wrong_less_often_is_named_first() -> None:
    said = [[1, 0, 0.9], [0, 2, 0.7]]
    found = records(
        line("one", CONFIDENCE, [], [], said),
        line("one", "xges", [[0, 1], [0, 2]], []),
        line("one", "flop-20", [[1, 0], [2, 0]], []),
    )
    sentences = list(losses(found))
    assert "XGES (100 % stated, 0 % wrong)" in sentences[0]
    assert "daglock, directed or leaning (100 % stated, 50 % wrong)" in sentences[0]
    assert not any("FLOP" in sentence for sentence in sentences)


def test_tables_have_a_row_for_each_method() -> None:
    said = [[1, 0, 0.9], [0, 2, 0.7]]
    found = records(
        line("one", CONFIDENCE, [], [], said),
        line("one", "xges", [[0, 1]], []),
        line("dev", CONFIDENCE, [], [], [[0, 1, 0.95]]),
        line("one", "flop-20:replicates", [], [], said),
    )
    rows = {row[0]: row for row in main_table(found, "judge").rows}
    assert rows["XGES"][1:7] == ("1", "1", "1", "100 %", "0", "0 %")
    assert rows["a coin"][2:6] == ("2", "2", "100 %", "1")
    shared = {row[0]: row for row in same_links(found).rows}
    assert shared["XGES"][1] == "1 of 2, 50 %"
    judged = {row[0]: row for row in probabilities(found).rows}
    assert judged["daglock, confidence, developed on"][-3:] == ("1 of 1", "100 %", "0 %")
    assert judged["FLOP, replicates, kept for judging"][-3:] == ("0 of 1", "100 %", "50 %")
    assert judged["FLOP, replicates, kept for judging"][4] == f"{(0.9**2 + 0.3**2) / 2:.3f}"


def test_pairs_count_with_the_weights_of_their_sources() -> None:
    """Pairs 1 and 2 are of one source, so that each counts a sixth."""
    found = records(line("pair 1", "anm", [[0, 1]], []), line("pair 2", "anm", [], [[0, 1]]))
    rows = {row[0]: row for row in pairs_table(found).rows}
    assert rows["ANM"] == ("ANM", "2", "1", "50 %", "100 %", "100 to 100 %")
    wrong = records(line("pair 1", "anm", [[0, 1]], []), line("pair 2", "anm", [[0, 1]], []))
    assert {row[0]: row for row in pairs_table(wrong).rows}["ANM"][4] == "50 %"


def test_intervals_by_groups_are_wider_where_pairs_of_a_group_agree() -> None:
    rng = np.random.default_rng(1)
    together = [(10.0 * (rng.random() < 0.4), 10.0) for _ in range(30)]
    low, high = intervals.by_groups(together)
    share = sum(wrong for wrong, _ in together) / 300
    inner = intervals.wilson(300 * share, 300)
    assert low < inner[0] < share < inner[1] < high
    # a group counts with its size, and a share of all groups is what is drawn around
    error = np.std([wrong / 10 for wrong, _ in together]) / np.sqrt(30)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_wilson_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    ends = [intervals.wilson(k, 40) for k in rng.binomial(40, 0.3, size=2000)]
    assert 0.93 < np.mean([low <= 0.3 <= high for low, high in ends]) < 0.97


def test_a_difference_is_of_tables_drawn_together() -> None:
    """What varies from table to table alike for both does not blur their difference."""
    rng = np.random.default_rng(2)
    base = {str(k): float(rng.integers(2, 8)) for k in range(30)}
    one = {name: (wrong, 10.0) for name, wrong in base.items()}
    more = {name: (wrong + 1, 10.0) for name, wrong in base.items()}
    low, high = intervals.difference_by_groups(more, one)
    assert low == pytest.approx(0.1)
    assert high == pytest.approx(0.1)
