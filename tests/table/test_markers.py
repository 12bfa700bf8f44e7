"""Marks of missing values, bounds, users' words, and numbers that may be such marks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from daglock.diagnostics.detectors.codes import sentinels_of
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table import read_file
from daglock.table.columns import Column
from daglock.table.frames import read_table
from daglock.table.markers import MARKS, Emptied, settle_marks
from tests.table.reader import read

nan = np.nan


@pytest.mark.parametrize("mark", MARKS)
def test_marks_among_numbers_are_missing_and_said(mark: str, tmp_path: Path) -> None:
    table = read(tmp_path, f"a,b\n1,2.5\n5, {mark} \n3,4\n")
    np.testing.assert_array_equal(table.data[:, 1], [2.5, nan, 4.0])
    assert table.notes == (f"Taken as missing in 'b': 1 cell with {mark!r}.",)
    assert "line 3, column 'b'" in table.first_missing


def test_a_mark_in_a_column_of_words_is_a_word(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b\n1,+\n2,-\n3,+\n")
    assert table.kinds[1].levels == ("-", "+")
    assert not np.isnan(table.data).any()


def test_a_star_among_words_is_missing_and_a_grade_is_not() -> None:
    notes: list[str] = []
    column = Column("b", pa.chunked_array([["x", "*", "y", "n.d.", None]]))
    assert settle_marks(column, r"^\d+$", None, notes) == Emptied("b", 2, ("*", "n.d."))
    assert column.text.to_pylist() == ["x", None, "y", None, None]
    for words in (["x", "*", "**"], ["*", "-", "*"], ["x", "-", "--"], ["<1", "low", "high"]):
        column = Column("b", pa.chunked_array([words]))
        assert settle_marks(column, r"^\d+$", None, notes) is None
        assert column.text.to_pylist() == words
    assert not notes


def test_marks_in_several_columns_are_told_in_one_sentence(tmp_path: Path) -> None:
    header = ",".join("abcdefgh")
    row = ",".join(["*"] * 7 + ["-"])
    table = read(tmp_path, f"{header}\n{row}\n1,2,3,4,5,6,7,8\n8,7,6,*,4,3,2,1\n2,3,4,5,6,7,8,9\n")
    assert table.notes == (
        "Taken as missing: 9 cells with '*', '-' in 8 columns, 'a' (1), 'b' (1), 'c' (1), "
        "'d' (2), 'e' (1) and 3 more.",
        "Left out: 1 row without any value.",
    )


def test_marks_go_with_a_decimal_comma(tmp_path: Path) -> None:
    table = read(tmp_path, "a;b\n1,5;*\n2,5;3,25\n3,5;<0,5\n", censored="bound")
    np.testing.assert_array_equal(table.data[:, 1], [nan, 3.25, 0.5])


BOUNDS = "a,b,c\n1,<0.5,2\n2,0.7,> 100\n3,0.9,7\n4,<=0.5,8\n"


def test_bounds_are_refused_with_their_number_and_the_options(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError) as caught:
        read(tmp_path, BOUNDS)
    message = str(caught.value)
    assert "'b' (2 cells such as '<0.5'), 'c' (1 cell such as '> 100')" in message
    assert "--censored missing" in message
    assert "--censored bound" in message


@pytest.mark.parametrize(
    ("how", "expected"), [("missing", [nan, 0.7, 0.9, nan]), ("bound", [0.5, 0.7, 0.9, 0.5])]
)
def test_bounds_are_taken_as_is_asked_for(how: str, expected: list[float], tmp_path: Path) -> None:
    table = read(tmp_path, BOUNDS, censored=how)
    np.testing.assert_array_equal(table.data[:, 1], expected)
    assert len([note for note in table.notes if note.startswith("Taken as")]) == 2


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_bounds_in_a_frame_are_refused_with_ways_out(frame: Callable[[Any], Any]) -> None:
    columns = {
        "a": ["1.5", "<0.5", "2.5", "4"],
        "b": ["7", "8", "> 100", ">100"],
        "c": ["≤0.5", "0.7", "0.8", "0.9"],
        "d": [1.0, 2.0, 4.0, 3.0],
    }
    with pytest.raises(InvalidDataError) as caught:
        read_table(frame(columns))
    message = str(caught.value)
    held = "'a' (1 cell such as '<0.5'), 'b' (2 cells such as '> 100'), 'c' (1 cell such as '≤0.5')"
    assert message.startswith(f"Bounds instead of values in {held}: replace such cells")
    assert "read_file(path, censored='missing')" in message
    assert "--" not in message


def test_bounds_in_an_array_are_refused() -> None:
    with pytest.raises(InvalidDataError, match=r"'x0' \(1 cell such as '<1'\): replace such"):
        read_table([["<1", 2.0], ["3", 4.0], ["5", 1.0]])


def test_bounds_in_a_frame_are_told_with_all_else_that_is_wrong() -> None:
    numbers = [f"{value:.3f}" for value in np.random.default_rng(0).normal(5.0, 1.0, 40)]
    frame = pd.DataFrame({"a": ["<0.5", *numbers[1:]], "b": ["bad", *numbers[1:]]})
    with pytest.raises(InvalidDataError) as caught:
        read_table(frame.assign(c=["10,5", *numbers[1:]]))
    message = str(caught.value)
    assert message.startswith("3 things stand in the way. (1) Bounds instead of values in 'a'")
    assert "(2) The point or the comma may be the decimal mark in 'c'" in message
    assert "(3) This column is not numeric: 'b' ('bad' in row 0)" in message
    frame = pd.DataFrame({"a": ["<0.5", "1", "2"], "b": ["1,5", "2", "3"], "c": ["0.5", "1", "2"]})
    with pytest.raises(InvalidDataError) as caught:
        read_table(frame.assign(d=[1.0, np.inf, 3.0]))
    message = str(caught.value)
    assert message.startswith("3 things stand in the way. (1) Bounds instead of values in 'a'")
    assert message.endswith(
        "(2) The decimal mark is a point in 'a' ('<0.5' in row 0), 'c' ('0.5' in row 0), and a "
        "comma in 'b' ('1,5' in row 0): make it the same in all columns. (3) Column 'd' is "
        "infinite (inf) in places, the first in row 1 of column 'd' (rows counted from 0): mend or "
        "remove those rows."
    )


BOUNDED = pd.DataFrame(np.random.default_rng(0).normal(size=(27, 2)), columns=["b", "c"])
BOUNDED.insert(0, "a", ["<0.5", "0.7", "n.d."] * 9)


def test_bounds_of_a_frame_may_be_what_a_user_says() -> None:
    assert read_table(BOUNDED, columns={"a": "ignore"}).names == ("b", "c")
    table = read_table(BOUNDED, "model", columns={"a": "categorical"})
    assert table.kinds[0].levels == ("0.7", "<0.5")
    np.testing.assert_array_equal(table.data[:3, 0], [1.0, 0.0, nan])
    for kind in ("continuous", "ordinal"):  # these are about numbers
        with pytest.raises(InvalidDataError, match=r"^Bounds instead of values in 'a' \(9 cells"):
            read_table(BOUNDED, columns={"a": kind})
    with pytest.raises(InvalidDataError, match=r"2 things .*\(1\) Column 'b' .* \(2\) Bounds"):
        read_table(BOUNDED, columns={"b": ["x", "y"]})


def test_bounds_in_a_frame_are_refused_where_numbers_were_before() -> None:
    numbers = BOUNDED.assign(a=["0.5", "0.7", "2"] * 9)
    schema = read_table(numbers).schema
    assert read_table(numbers.head(1), at_least=1, like=schema).data[0, 0] == 0.5
    with pytest.raises(InvalidDataError, match=r"^Bounds instead of values in 'a' "):
        read_table(BOUNDED.head(1), at_least=1, like=schema)
    schema = read_table(numbers, columns={"a": "ignore"}).schema
    assert read_table(BOUNDED, like=schema).names == ("b", "c")


def test_what_is_done_about_bounds_is_checked(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="censored must be missing or bound"):
        read(tmp_path, BOUNDS, censored="drop")


def test_words_and_numbers_of_a_user_are_missing(tmp_path: Path) -> None:
    raw = "a,b,c\n1,unknown,-999\n-999,2.5,3\n3,4,-999.0\n4,5,6\n"
    table = read(tmp_path, raw, na=["unknown", "-999"])
    np.testing.assert_array_equal(
        table.data, [[1, nan, nan], [nan, 2.5, 3], [3, 4, nan], [4, 5, 6]]
    )
    assert "Taken as missing: 4 cells with 'unknown', '-999'." in table.notes


def test_words_can_be_about_one_column(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b\n1,9\n9,2\n3,4\n", na=["b=9"])
    np.testing.assert_array_equal(table.data, [[1, nan], [9, 2], [3, 4]])
    with pytest.raises(InvalidParameterError, match="about a column 'x', which is not there"):
        read(tmp_path, "a,b\n1,9\n9,2\n3,4\n", na=["x=9"])


def test_words_that_do_not_occur_are_told(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b\n1,9\n9,2\n3,4\n", na=["-1"])
    assert table.notes == ("No cell holds '-1', which is to be taken as missing.",)


def test_numbers_of_a_typed_file_are_missing_too(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    pd.DataFrame({"a": [1, -999, 3], "b": [0.5, 1.5, -999.0]}).to_parquet(file)
    data = read_file(file, na=["-999"]).data
    np.testing.assert_array_equal(data, [[1, 0.5], [nan, 1.5], [3, nan]])


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    raw = "a,b,c,d\n1,x,<0.5,1e999\n2,7,1,2\n3,8,2,3\n"
    with pytest.raises(InvalidDataError) as caught:
        read(tmp_path, raw)
    message = str(caught.value)
    assert message.startswith("3 things stand in the way. (1) ")
    for part in ("'b' ('x' in line 2)", "'c' (1 cell", "'d' holds '1e999'"):
        assert part in message


def test_numbers_that_are_named_become_missing(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(50.0, 10.0, size=(60, 2)).round(2)
    values[[3, 9], 0] = -999.0
    values[[5, 6, 7], 1] = 9999.0
    raw = "a,b c\n" + "\n".join(f"{x},{y}" for x, y in values)
    assert not np.isnan(read(tmp_path, raw).data).any()  # check asks about them
    again = read(tmp_path, raw, na=["a=-999", "b c=9999"])
    assert np.isnan(again.data).sum(axis=0).tolist() == [2, 3]


def test_tables_without_sentinels_are_not_questioned() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n = 200
        data = np.column_stack(
            [
                rng.normal(size=n),
                rng.integers(0, 100, size=n),  # 99 is the last of many
                rng.integers(900, 1100, size=n),
                rng.lognormal(0.0, 2.0, size=n),
                rng.integers(-1, 2, size=n),
                rng.binomial(1, 0.1, size=n),
                np.where(rng.random(n) < 0.5, 99.0, 98.0),
            ]
        )
        tallies = (np.unique(column, return_counts=True) for column in data.T)
        assert not any(sentinels_of(*tally) for tally in tallies)


@pytest.mark.parametrize("word", ["none", "None"])
def test_none_is_a_level_among_words_and_missing_among_numbers(word: str, tmp_path: Path) -> None:
    words = [word, "some", "much"] * 5
    table = read(tmp_path, "a,b\n" + "".join(f"{i % 7},{w}\n" for i, w in enumerate(words)))
    assert set(table.kinds[1].levels or ()) == {word, "some", "much"}
    assert not np.isnan(table.data).any()
    truths = ["true", "false", word] * 5
    table = read(tmp_path, "a,b\n" + "".join(f"{i % 7},{w}\n" for i, w in enumerate(truths)))
    np.testing.assert_array_equal(table.data[:3, 1], [1.0, 0.0, nan])
    assert f"Taken as missing in 'b': 5 cells with {word!r}." in table.notes


def test_none_is_a_level_of_a_frame() -> None:
    frame = pd.DataFrame({"a": np.arange(15.0) ** 2, "b": ["None", "some", None] * 5})
    table = read_table(frame, "drop")
    assert table.kinds[1].levels == ("None", "some")
    assert len(table.data) == 10
