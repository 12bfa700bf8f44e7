"""What columns are, found by looking: the same in a file, a frame, an array and a list."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from daglock.errors import DataWarning, InvalidDataError
from daglock.table import Table, read_file, read_table
from daglock.table.deciding import without_constant
from daglock.table.finding import find_numbers
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.words import NearlyNumbers, Words, find_words, in_order, is_date
from daglock.typing import Array

RNG = np.random.default_rng(0)
N = 200
NUMBERS: dict[str, tuple[Any, str]] = {
    "measured": (RNG.normal(size=N), "continuous"),
    "temperature": (RNG.normal(20.0, 5.0, N).round(), "continuous"),
    "flag": (np.arange(N) % 2, "binary"),
    "dose": (np.where(np.arange(N) % 3, 0.5, 2.5), "binary"),
    "grade": (np.arange(N) % 5 + 1, "ordinal"),
    "cylinders": (np.array([3, 4, 5, 6, 8])[np.arange(N) % 5], "ordinal"),
    "years": (2010 + np.arange(N) % 5, "continuous"),  # close together, but no codes
    "steps": (np.arange(N) % 4 * 50.0, "continuous"),  # few, but far apart
    "tens": (np.arange(N) % 4 * 20.0, "continuous"),
    "visits": (RNG.poisson(2.0, N) + RNG.poisson(2.0, N) ** 2, "count"),
    "purchases": (RNG.poisson(1.0, N) ** 5, "count"),
    "marks": (RNG.binomial(20, 0.5, N), "continuous"),  # from near zero on, but without a tail
    "price": (250 + RNG.poisson(2.0, N) ** 4, "continuous"),  # with a tail, but far from zero
    "balance": (RNG.poisson(2.0, N) ** 4 - 3, "continuous"),
    "nr": (np.arange(N) + 1, "identifier"),
    "from 1000": (np.arange(N) + 1000.0, "identifier"),
    "patient_id": (RNG.permutation(N) + 7, "identifier"),
    "PatientID": (RNG.integers(1, 10**6, N), "identifier"),
    "cards": (RNG.permutation(N) + 7, "continuous"),  # a permutation has no name of an identifier
    "paid": (RNG.permutation(N) + 7, "continuous"),  # nor is this one
    "id": (np.arange(N) % 5, "ordinal"),  # five subjects are a variable
    "site": (np.full(N, 3.0), "constant"),
    "half": (np.full(N, 0.5), "constant"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    values, expected = NUMBERS[name]
    [found] = find_numbers(np.asarray(values, dtype=np.float64)[:, None], [name])
    assert found.kind.value == expected
    assert found.levels is None
    assert bool(found.reason) == (expected != "continuous")
    if name != "nr" and name != "from 1000":  # a counter with a gap no longer counts
        gaps = np.asarray(values, dtype=np.float64).copy()
        gaps[::7] = np.nan
        assert find_numbers(gaps[:, None], [name])[0].kind.value == expected


def test_all_rows_decide_not_the_first() -> None:
    data = np.zeros((20_000, 5))
    data[:, 1] = 1.0
    data[:, 2] = np.arange(20_000) % 3
    data[:, 4] = 0.5
    data[-1] = [1, 0.5, 0.25, 3, 0]
    data[7, 3] = 1
    kinds = [found.kind.value for found in find_numbers(data, list("abcde"))]
    assert kinds == ["binary", "binary", "continuous", "ordinal", "binary"]


def test_small_tables_are_not_judged_by_few_rows() -> None:
    data = np.array([[1, 5, 0], [2, 3, 1], [3, 3, 0], [4, 4, 2.0]])
    kinds = [found.kind.value for found in find_numbers(data, list("abc"))]
    assert kinds == ["continuous"] * 3
    assert find_numbers(np.empty((0, 2)), ["a", "b"])[0].kind is Kind.CONTINUOUS


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32, np.bool_])
def test_arrays_of_any_numbers(dtype: Any) -> None:
    data = np.column_stack([np.arange(60) % 2, np.arange(60) % 4]).astype(dtype)
    expected = ["binary", "binary" if dtype is np.bool_ else "ordinal"]
    assert [found.kind.value for found in find_numbers(data, ["a", "b"])] == expected


def test_an_array_is_not_copied_and_its_values_stay() -> None:
    data = np.column_stack([np.arange(60.0) % 2, RNG.normal(size=60)])
    table = read_table(data)
    assert table.data is data
    assert [found.kind.value for found in table.kinds] == ["binary", "continuous"]


def column(cells: list[str]) -> Words:
    words = list(dict.fromkeys(cells))
    return Words(np.array([float(words.index(cell)) for cell in cells]), tuple(words))


WORDS: dict[str, tuple[list[str], str, tuple[str, ...] | None]] = {
    "yes and no": (["yes", "no"] * 9, "binary", ("no", "yes")),
    "t and f": (["t", "f"] * 9, "binary", ("f", "t")),
    "Y and N": (["Y", "N"] * 9, "binary", ("N", "Y")),
    "signs": (["+", "-"] * 9, "binary", ("-", "+")),
    "leagues": (["N", "A"] * 9, "binary", ("A", "N")),
    "fire": (["fire", "not-fire"] * 9, "binary", ("not-fire", "fire")),
    "three": (["M", "F", "I"] * 9, "categorical", ("F", "I", "M")),
    "codes and a word": (["1", "2", "10", "other"] * 9, "categorical", ("1", "2", "10", "other")),
    "more than": (["0", "1", "2", "3+"] * 9, "categorical", ("0", "1", "2", "3+")),
    "doses": (["5mg", "10mg"] * 9 + ["20mg"] * 9, "categorical", ("10mg", "20mg", "5mg")),
    "thirty": ([f"w{j}" for j in range(30)] * 5, "categorical", None),
    "thirty-one": ([f"w{j}" for j in range(31)] * 9, "identifier", None),
    "too few rows": (["a", "b", "c", "d"] * 4, "identifier", None),
    "names": ([f"person {j}" for j in range(50)], "identifier", None),
    "labels": ([str(j // 2) for j in range(100)] + ["12A"] * 3, "identifier", None),
    "dates": ([f"2020-01-{j % 28 + 1:02}" for j in range(60)], "date", None),
    "three dates": (["1.2.2020", "2.2.2020", "3.2.2020"] * 9, "date", None),
    "times": ([f"{j % 24}:30:00" for j in range(60)], "date", None),
    "one word": (["x"] * 9, "constant", None),
}


@pytest.mark.parametrize("name", WORDS)
def test_words(name: str) -> None:
    cells, expected, levels = WORDS[name]
    found = find_words(column(cells))
    assert isinstance(found, ColumnKind)
    assert found.kind.value == expected
    assert found.reason
    if levels is not None:
        assert found.levels == levels
    assert (found.levels is not None) == found.kind.is_used


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([str(j / 7) for j in range(997)] + ["n.d.", "x", "n.d."], ("n.d.", "x")),
        (["2"] * 300 + ["oops"], ("oops",)),
        (["1", "2", "3", "*"] * 9, ("*",)),  # so few that they could be levels, but for the star
        (["0.5", "1.5", "<0.5"] * 9, ("<0.5",)),
        ([f"{j}%" for j in range(40)], tuple(f"{j}%" for j in range(40))),
        (["1,5", "2.5"], ("1,5", "2.5")),
    ],
)
def test_numbers_with_words_among_them_are_no_levels(cells: list[str], words: Any) -> None:
    found = find_words(column(cells))
    assert isinstance(found, NearlyNumbers)
    assert found.words == words


def test_levels_that_do_not_occur_are_no_levels() -> None:
    found = find_words(Words(np.arange(40.0) % 3, ("c", "b", "a", "never")))
    assert isinstance(found, ColumnKind)
    assert found.levels == ("a", "b", "c")


def test_dates_of_many_countries() -> None:
    dates = ("2020-01-31", "2020/1/31", "31.01.2020", "1/31/20", "31-Jan-2020", "Jan 31, 2020")
    times = ("2020-01-31T12:00:00Z", "2020-01-31 12:00:00.5+01:00", "12:15", "3:05 pm", "2020-Q1")
    assert all(map(is_date, (*dates, *times, "2020-01", "Q4 2020", "May 2020")))
    assert not any(map(is_date, ("2020", "may", "1.5", "12-13", "a:b", "10-20", "1.2.3.4", "Q1")))


def test_the_order_of_levels_does_not_depend_on_that_of_the_words() -> None:
    for words in (["yes", "no"], ["m", "f"], ["b", "B", "a"], ["9", "10", "x"]):
        assert in_order(words) == in_order(words[::-1])


# --- one policy, whatever the table comes as

MIXED: dict[str, list[Any]] = {
    "x": RNG.normal(size=60).round(3).tolist(),
    "sex": ["M", "F", "I"] * 20,
    "smokes": ["yes", "no", None] * 20,
    "grade": [1, 2, 3, 4, 5] * 12,
    "truth": [True, False] * 30,
    "name": [f"person {j}" for j in range(60)],
    "nr": list(range(60)),
    "site": ["here"] * 60,
    "y": RNG.normal(size=60).round(3).tolist(),
}
KINDS = ["continuous", "categorical", "binary", "ordinal", "binary", "continuous"]
LEFT_OUT = {
    "name": "nearly every row has a text of its own",
    "nr": "counts the rows",
    "site": "does not vary",
}


def check(table: Table, names: bool = True) -> None:
    assert [found.kind.value for found in table.kinds] == KINDS
    left_out = LEFT_OUT if names else dict(zip(("x5", "x6", "x7"), LEFT_OUT.values(), strict=True))
    assert dict(table.left_out) == left_out
    labels = ("x", "sex", "smokes", "grade", "truth", "y")
    assert table.labels == (labels if names else ("x0", "x1", "x2", "x3", "x4", "x8"))
    assert table.kinds[1].levels == ("F", "I", "M")
    assert table.kinds[2].levels == ("no", "yes")
    expected = np.column_stack(
        [
            MIXED["x"],
            np.array([2.0, 0.0, 1.0] * 20),
            np.array([1.0, 0.0, np.nan] * 20),
            MIXED["grade"],
            np.array(MIXED["truth"], dtype=float),
            MIXED["y"],
        ]
    )
    np.testing.assert_array_equal(table.data, expected)


def test_a_csv_a_parquet_file_and_what_is_in_memory_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame(MIXED)
    frame.to_csv(tmp_path / "data.csv", index=False)
    frame.to_parquet(tmp_path / "data.parquet")
    check(read_file(tmp_path / "data.csv"))
    check(read_file(tmp_path / "data.parquet"))
    monkeypatch.setattr("daglock.table.frames.complete_rows", lambda table, missing: table)
    for same in (frame, frame.astype(object), pl.DataFrame(MIXED), pa.table(MIXED)):
        check(read_table(same))
    rows = [list(row) for row in zip(*MIXED.values(), strict=True)]
    check(read_table(rows), names=False)
    check(read_table(np.array(rows, dtype=object)), names=False)


def test_dates_of_frames_are_left_out() -> None:
    data = {
        "a": [1.0, 2.0, 4.0],
        "b": [3.0, 1.0, 2.0],
        "day": [date(2020, 1, j) for j in (1, 2, 3)],
        "time": [datetime(2020, 1, j) for j in (1, 2, 3)],
    }
    expected = dict.fromkeys(("day", "time"), "holds dates or times")
    for X in (pd.DataFrame(data), pl.DataFrame(data), pa.table(data)):
        assert read_table(X).left_out == expected
    lists = pa.table({"a": data["a"], "b": data["b"], "c": [[1], [2], [3]]})
    assert read_table(lists).left_out == {"c": "holds lists, not values"}


def test_categories_of_frames() -> None:
    sizes = ["S", "L", "M", "L", "S"]
    order = ["S", "M", "L", "XL"]
    frame = pd.DataFrame(
        {"a": [1.0, 2, 4, 8, 3], "size": pd.Categorical(sizes, order, ordered=True)}
    )
    frame["colour"] = pd.Categorical(["red", "blue", "red", "green", "red"])
    frame["number"] = pd.Categorical([3, 1, 2, 1, 3])
    frame["two"] = pd.Categorical(["x", "z", "x", "z", "x"], ["z", "y", "x"], ordered=True)
    enum = pl.DataFrame({"a": frame["a"].to_list(), "size": sizes}).with_columns(
        pl.col("size").cast(pl.Enum(order))
    )
    for X in (frame, enum):
        table = read_table(X)
        assert table.kinds[1].kind is Kind.ORDINAL
        assert table.kinds[1].levels == ("S", "M", "L")
        assert table.data[:, 1].tolist() == [0, 2, 1, 2, 0]
    table = read_table(frame)
    assert [found.kind.value for found in table.kinds[2:]] == ["categorical"] * 2 + ["binary"]
    assert [found.levels for found in table.kinds[2:]] == [
        ("blue", "green", "red"),
        ("1", "2", "3"),
        ("z", "x"),
    ]


def test_text_that_says_numbers_is_numbers() -> None:
    frame = pd.DataFrame({"a": ["1.5", "2", " 3 "], "b": [1.0, 5.0, 2.0]})
    table = read_table(frame)
    assert table.data[:, 0].tolist() == [1.5, 2, 3]
    assert table.kinds[0].levels is None
    assert table.notes == ("The text in 'a' says numbers, and was taken so.",)
    assert read_table([["1", "2"], ["3", "4"], ["7", "0"]]).data.tolist() == [
        [1, 2],
        [3, 4],
        [7, 0],
    ]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    "cells", [["10.045"] * 30 + ["NA", "10,5"], ["n.d.", *["10,045"] * 30, " 10.5 "]]
)
def test_a_column_with_both_decimal_marks_is_refused(frame: Any, cells: list[str]) -> None:
    numbers = np.random.default_rng(1).normal(size=len(cells)).tolist()
    with pytest.raises(InvalidDataError) as caught:
        read_table(frame({"a": cells, "b": numbers}), "drop")
    point, comma = next(c for c in cells if "0." in c), next(c for c in cells if "," in c)
    rows = cells.index(point), cells.index(comma)
    assert str(caught.value) == (
        f"The point or the comma may be the decimal mark in 'a' ({point!r} in row {rows[0]}, "
        f"{comma!r} in row {rows[1]}): write all numbers there with a decimal point, and with "
        "nothing between thousands."
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_mark_between_thousands_of_a_frame_is_told(frame: Any) -> None:
    numbers = np.random.default_rng(1).normal(size=4).tolist()
    told = {"a": ["10.5", "10,045", "1,234.5", "7"], "b": numbers}
    with pytest.warns(DataWarning, match=r"left out, in 'a' \('10,045' in row 1 became 10045\): "):
        assert read_table(frame(told)).data[:, 0].tolist() == [10.5, 10045.0, 1234.5, 7.0]
    others = {"a": ["10.045", "1.234", "2", "7"], "b": ["1,5", "2,5", "3,5", "8"]}
    with pytest.warns(DataWarning, match=r"in 'a' \('10.045' in row 0 became 10045\): where it"):
        assert read_table(frame(others)).data[:, 1].tolist() == [1.5, 2.5, 3.5, 8.0]
    plain = {"a": ["1.234,5", "2 000,5", "2", "1.234.567"], "b": numbers}  # can be read in one way
    assert read_table(frame(plain)).data[:, 0].tolist() == [1234.5, 2000.5, 2.0, 1234567.0]


def test_a_comma_of_which_nothing_tells_what_it_is_is_refused() -> None:
    frame = pd.DataFrame({"a": ["1,234", "2", "5,678"], "b": [0.5, 1.5, 3.5]})
    with pytest.raises(InvalidDataError) as caught:
        read_table(frame)
    assert str(caught.value) == (
        "The comma may be a decimal mark or stand between thousands in 'a' ('1,234' in row 0): "
        "write all numbers there with a decimal point, and with nothing between thousands."
    )
    assert read_table(frame.assign(c=["1,5", "2", "4"])).data[:, 0].tolist() == [1.234, 2.0, 5.678]
    frame["c"] = ["1.5", "2", "nan"]
    with pytest.warns(DataWarning, match="'1,234' in row 0 became 1234"):
        assert read_table(frame, "model").data[:, 0].tolist() == [1234.0, 2.0, 5678.0]
    frame["c"] = ["1,5", "2", "3"]  # the mark of the others, also where some say nothing
    frame["d"] = ["nan", "2", "3"]
    np.testing.assert_array_equal(read_table(frame, "model").data[:, 3], [np.nan, 2.0, 3.0])


def test_a_column_that_is_in_doubt_does_not_tell_the_decimal_mark() -> None:
    frame = pd.DataFrame({"a": ["1.234", "5,678", "9"], "b": ["1,5", "2,5", "4"], "c": [1.0, 2, 4]})
    with pytest.raises(InvalidDataError, match=r"^The point or the comma may be the decimal mark"):
        read_table(frame)
    table = read_table(frame, columns={"a": "ignore"})
    assert table.data[:, 0].tolist() == [1.5, 2.5, 4.0]
    table = read_table(frame, columns={"a": "categorical"})
    assert table.kinds[0].levels == ("1.234", "9", "5,678")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_without_commas_is_read_as_it_is_written(frame: Any) -> None:
    columns = {"a": ["1.234", " 10.045", "1e3", "NA"], "b": ["7", "8.5", "9", "2"], "c": ["x"] * 4}
    columns["d"] = ["1, x", "a, b", "c, d", "e"]  # words, and no numbers with a comma
    table = read_table(frame(columns), "model")
    np.testing.assert_array_equal(table.data[:, 0], [1.234, 10.045, 1000.0, np.nan])
    assert table.notes == ("The text in 'a', 'b' says numbers, and was taken so.",)


def test_columns_that_no_longer_vary_without_rows_are_left_out() -> None:
    nan = np.nan
    X = pd.DataFrame(
        {
            "a": [1.0, 2, 4, 8, 3, 9],
            "b": [0.0, 0, 0, 0, 0, 1],
            "c": [1.0, 2, 1, 3, 1, nan],
            "d": pd.Categorical(["u", "v", "w", "u", "v", "x"]),
        }
    )
    table = read_table(X, missing="drop")
    assert table.left_out == {"b": "does not vary in the rows that are left"}
    assert table.names == ("a", "c", "d")
    assert table.kinds[2].levels == ("u", "v", "w")
    assert table.data[:, 2].tolist() == [0, 1, 2, 0, 1]
    assert without_constant(table) is table


def test_fewer_than_two_columns_are_refused_with_reasons() -> None:
    X = pd.DataFrame({"a": np.arange(20.0) ** 2, "id": range(20), "s": "x"})
    message = (
        r"At least two columns are needed to learn a graph; only 'a' is left without 'id' "
        r"\(counts the rows\), 's' \(does not vary\)\."
    )
    with pytest.raises(InvalidDataError, match=message):
        read_table(X)


def test_rows_that_are_left_out_are_left_out_of_all_columns(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b,c\n1,,x\n2,5,x\n,,\n4,3,x\n9,8,x\n")
    table = read_table(read_file(tmp_path / "data.csv"), missing="drop")
    assert table.left_out == {"c": "does not vary"}
    values: Array | None = table.aside["c"].values
    assert values is not None
    assert len(values) == len(table.data) == 3


@pytest.mark.parametrize("last", [5, 28])
def test_days_of_one_month_are_dates_too(last: int) -> None:
    days = 20200101.0 + RNG.permutation(np.arange(40 * last) % last)
    assert find_numbers(days[:, None], ["visit"])[0].kind is Kind.DATE
    assert find_numbers(days[:, None] + 40, ["visit"])[0].kind is not Kind.DATE  # no such days


def test_whole_numbers_that_are_all_days_are_dates() -> None:
    days = [int(day.strftime("%Y%m%d")) for day in pd.date_range("2019-11-20", periods=200)]
    dates = np.array(days, dtype=float)
    dates[::7] = np.nan
    other = dates.copy()
    other[3] = 20190230  # no day
    few = np.resize(dates[1:5], 200)
    amounts = 2e7 + np.arange(200.0) * 1_731  # as large, but any number
    table = np.column_stack([dates, other, few, amounts])
    found = find_numbers(table, ["visit", "no day", "few", "amount"])
    assert [kind.kind.value for kind in found] == ["date", "continuous", "continuous", "continuous"]
    assert "dates as whole numbers" in found[0].reason
    assert find_numbers(np.array(days)[:, None], ["visit"])[0].kind is Kind.DATE
