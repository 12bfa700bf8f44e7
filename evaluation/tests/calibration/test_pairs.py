"""The cause-effect pairs: labels, weights, and the columns behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daglock_evaluation.calibration import pairs, tables
from daglock_evaluation.calibration.pairs import cause_effect_pairs, group_of
from daglock_evaluation.calibration.tables import place

needs_cdt = pytest.mark.skipif(place("cdt") is None, reason="cdt is not installed")


@needs_cdt
def test_all_pairs_of_the_wheel_are_there() -> None:
    found = cause_effect_pairs()
    assert len(found) == 99
    assert [pair.number for pair in found][-1] == 104
    assert sum(pair.label for pair in found) == sum((-1) ** (pair.number + 1) for pair in found)
    for pair in found:
        assert pair.x.shape == pair.y.shape
        assert np.isfinite([pair.x, pair.y]).all()
        assert pair.label == (-1 if pair.number % 2 == 0 else 1)


@needs_cdt
def test_numbers_are_those_of_the_collection() -> None:
    """Ranges of well-known columns, after each gap in the numbers."""
    found = {pair.number: pair for pair in cause_effect_pairs()}
    assert found[47].x.max() == 2  # kind of day, of traffic
    assert -42 < found[57].x.min() < -41  # latitude of a country's capital
    assert found[69].x.max() == 42.5  # temperature outside the room
    assert found[99].y.max() == 58  # language test
    assert len(found[100].x) == 209  # processors


def test_pairs_of_one_source_share_the_weight_one() -> None:
    members = [number for group in pairs.GROUPS for number in group]
    assert len(set(members)) == len(members)
    assert group_of(75)[0] == 56
    assert pairs.read_pair(18, "1 2", "3 4", 1).weight == 1
    assert pairs.read_pair(64, "1 2", "3 4", 1).weight == pytest.approx(1 / 12)


def test_an_even_pair_is_swapped() -> None:
    odd, even = (pairs.read_pair(number, "1 2", "3 4", 1) for number in (85, 86))
    assert (odd.x.tolist(), odd.label) == ([1, 2], 1)
    assert (even.x.tolist(), even.label) == ([3, 4], -1)


def test_tables_of_the_same_data_are_named() -> None:
    names = {
        fact.get("name", Path(file).name.split(".")[0])
        for facts in tables.declared("fit").values()
        for file, fact in facts.items()
    }
    assert set(pairs.SAME_DATA.values()) <= names
    assert set(pairs.SAME_DATA) == {group_of(number)[0] for number in pairs.SAME_DATA}
    assert pairs.read_pair(41, "1", "2", 1).table == "pima"


def test_without_the_package_there_are_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    assert cause_effect_pairs() == []
    (tmp_path / "Tuebingen_pairs.csv").write_text("SampleID,A,B\npair1,1 2,3 4\n")
    (tmp_path / "Tuebingen_targets.csv").write_text("SampleID,Target\npair1,1.0\n")
    assert [pair.number for pair in cause_effect_pairs(tmp_path)] == [1]
