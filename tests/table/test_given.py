"""What a user says that columns are, in Python and in a file; later tables are read alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table import Table, read_file, read_table
from daglock.table.given import check_given, read_kinds, write_kinds
from daglock.table.kinds import Kind, Schema

N = 60
RNG = np.random.default_rng(0)


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "x": RNG.normal(size=N),
            "grade": ["low", "mid", "high"] * 20,
            "code": [3, 1, 2, 7] * 15,
            "town": [f"town {j % 40}" for j in range(N)],
            "id": range(N),
            "day": ["2020-01-01", "2020-01-02", "2020-01-03"] * 20,
            "no": ["yes", "no", "no", "yes", "no"] * 12,
            "y": RNG.normal(size=N),
        }
    )


def kinds(table: Table) -> dict[str, str]:
    return {name: table.kind_of(name).kind.value for name in table.columns}


FOUND = {
    "x": "continuous",
    "grade": "categorical",
    "code": "ordinal",
    "town": "identifier",
    "id": "identifier",
    "day": "date",
    "no": "binary",
    "y": "continuous",
}


def test_what_is_given_overrules_what_is_found() -> None:
    assert kinds(read_table(frame())) == FOUND
    said = {
        "grade": ["low", "mid", "high"],
        "code": "categorical",
        "town": "categorical",
        "id": "continuous",
        "day": "ordinal",
        "no": "ignore",
        "x": "regime",
    }
    table = read_table(frame(), columns=said)
    expected = {**said, "grade": "ordinal", "y": "continuous"}
    assert kinds(table) == expected
    assert table.names == ("grade", "code", "town", "id", "day", "y")
    assert table.left_out == {"x": "regime", "no": "ignored, as given"}
    levels = [found.levels for found in table.kinds]
    assert levels[0] == ("low", "mid", "high")
    assert levels[1] == ("1", "2", "3", "7")
    assert levels[2] is not None
    assert len(levels[2]) == 40
    assert levels[3] is None
    assert table.data[:4, 0].tolist() == [0, 1, 2, 0]
    assert table.data[:4, 1].tolist() == [2, 0, 1, 3]
    assert all(found.given for found in table.kinds[:-1])


def test_a_table_of_a_file_can_still_be_overruled(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "data.csv", index=False)
    read = read_file(tmp_path / "data.csv")
    said = {"id": "count", "town": "categorical", "y": "ignore"}
    later = read_table(read, columns=said)
    at_once = read_file(tmp_path / "data.csv", kinds=said)
    assert kinds(later) == kinds(at_once) == {**FOUND, **said}
    np.testing.assert_array_equal(later.data, at_once.data)
    assert later.kinds == at_once.kinds
    assert kinds(read_table(read)) == FOUND
    # and back again
    assert kinds(read_table(later, columns={"y": "continuous"}))["y"] == "continuous"
    coded = read_file(tmp_path / "data.csv", kinds={"code": "categorical"})
    back = read_table(coded, columns={"code": "continuous"})
    assert back.data[:4, back.labels.index("code")].tolist() == [3, 1, 2, 7]


def test_columns_of_arrays_go_by_number() -> None:
    X = np.column_stack([RNG.normal(size=N), np.arange(N) % 3, np.arange(N), RNG.normal(size=N)])
    for key in (1, "x1"):
        table = read_table(X, columns={key: "categorical", "x0": "ignore"})
        assert table.names is None
        assert table.labels == ("x1", "x3")
        assert table.kinds[0].levels == ("0", "1", "2")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a"], "columns must say by name what columns are, .* got .'a'."),
        ({"grad": "ordinal"}, "names 'grad', which is no column: did you mean 'grade'?"),
        ({"zzzz": "ordinal"}, "names 'zzzz', which is no column: the columns are 'x', 'grade'"),
        ({"x": "categoricl"}, "'categoricl' is no kind of column: did you mean 'categorical'?"),
        ({"x": "zzzz"}, "'zzzz' is no kind of column: the kinds are continuous, ordinal, count"),
        ({"x": 3}, "3 is neither a kind of column .* nor a list of levels"),
        ({"x": ["a", "a"]}, "levels must be two or more, and differ; got 'a', 'a'"),
        ({"grad": "ordnal", "idd": "count"}, "'grad'.* And 'ordnal' .* And columns names 'idd'"),
    ],
)
def test_wrong_names_and_kinds_are_named_all_at_once(columns: Any, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        read_table(frame(), columns=columns)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"grade": "continuous"},
            r"Column 'grade' cannot be continuous: it holds text \('high', 'low', 'mid'\)",
        ),
        ({"x": "binary"}, "'x' cannot be binary: it has more than two values"),
        ({"grade": "binary"}, "'grade' cannot be binary: it has 3 levels"),
        ({"grade": ["low", "mid", "top"]}, "cannot be ordinal: it holds 'high' too; name all"),
        ({"x": "categorical", "no": "count"}, r"'x' .* 60 levels|'no' cannot be count"),
    ],
)
def test_what_does_not_fit_the_values(columns: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        read_table(frame(), columns=columns)


def test_a_hundred_levels_are_the_most() -> None:
    X = pd.DataFrame({"t": [f"t{j}" for j in range(101)] * 2, "x": RNG.normal(size=202)})
    X["y"] = RNG.normal(size=202)
    with pytest.raises(InvalidDataError, match="it has 101 levels, and 100 is the most"):
        read_table(X, columns={"t": "categorical"})
    assert "t" in read_table(X).left_out


def test_a_constant_column_stays_left_out() -> None:
    X = frame().assign(site=1.0, place="here")
    table = read_table(X, columns={"site": "continuous", "place": "categorical"})
    assert table.left_out["site"] == table.left_out["place"] == "does not vary"


def test_dates_cannot_be_numbers() -> None:
    X = frame().assign(day=pd.date_range("2020-01-01", periods=N))
    with pytest.raises(InvalidDataError, match="'day' cannot be continuous: it holds dates"):
        read_table(X, columns={"day": "continuous"})


def test_words_among_numbers_can_be_levels(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("a,b\n" + "".join(f"{j % 7}.5,{j * j}\n" for j in range(30)) + "bad,1\n")
    with pytest.raises(InvalidDataError, match=r"--na=bad, .*--columns FILE\.yaml"):
        read_file(file)
    table = read_file(file, kinds={"a": "categorical"})
    assert table.kinds[0].levels is not None
    assert table.kinds[0].levels[-1] == "bad"
    assert read_file(file, kinds={"a": "ignore"}).left_out == {"a": "ignored, as given"}


# --- the file


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_what_was_found_is_written_and_read_back(ending: str, tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    X = frame().rename(columns={"y": "no: #1", "x": "größe"})
    X.to_csv(data, index=False)
    said = {"grade": ["low", "mid", "high"], "town": "ignore", "no": ["yes", "no"]}
    first = read_file(data, kinds=said)
    file = tmp_path / f"columns.{ending}"
    write_kinds(file, first, "data.csv")
    again = read_file(data, kinds=read_kinds(file))
    assert kinds(again) == kinds(first)
    assert [found.levels for found in again.kinds] == [found.levels for found in first.kinds]
    np.testing.assert_array_equal(again.data, first.data)
    if ending == "yaml":
        text = file.read_text()
        assert "grade: [low, mid, high]" in text
        assert '"no": [' in text  # else YAML takes it for false
        assert "# it counts the rows" in text
        assert "# it has 4 different whole numbers from 1 to 7" in text


def test_names_that_yaml_takes_for_something_else(tmp_path: Path) -> None:
    file = tmp_path / "columns.yaml"
    file.write_text("no: binary\n2020: [1, 2, on]\n")
    assert read_kinds(file) == {"no": "binary", "2020": ["1", "2", "on"]}
    file.write_text("# nothing\n")
    assert read_kinds(file) == {}
    assert check_given(None, ["a"]) == {}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.yaml", "- a\n- b\n", "must have a line for each column"),
        ("a.yaml", "a: [b\n", r"a\.yaml is not YAML, line 2"),
        ("a.json", "{", r"a\.json is not JSON, line 1"),
        ("a.yaml", b"\xff\xfe\x00", "is not UTF-8 text"),
        ("b.yaml", None, r"cannot be read from .*b\.yaml: No such file"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: Any, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidParameterError, match=message):
        read_kinds(tmp_path / name)


# --- later tables


def test_a_later_table_is_read_as_the_first(tmp_path: Path) -> None:
    said = {"code": "categorical"}
    first = read_table(frame(), columns=said)
    like = first.schema
    assert like.names == ("x", "grade", "code", "no", "y")
    later = frame().iloc[[1, 5], ::-1].reset_index(drop=True)
    expected = read_table(frame(), columns=said)
    for X in (later, later.drop(columns=["id", "town", "day"])):
        table = read_table(X, at_least=1, like=like)
        assert table.names == first.names
        assert table.kinds == first.kinds
        np.testing.assert_array_equal(table.data[:, 1:4], expected.data[[1, 5], 1:4])
    # from a file, in which two rows would be found to be something else
    later.to_csv(tmp_path / "later.csv", index=False)
    table = read_table(read_file(tmp_path / "later.csv"), at_least=1, like=like)
    np.testing.assert_array_equal(table.data[:, 1:4], expected.data[[1, 5], 1:4])
    one = read_table(frame()[:1], at_least=1, like=like)
    assert one.data.shape == (1, 5)


def test_what_a_later_table_lacks_is_named() -> None:
    like = read_table(frame()).schema
    X = frame()
    X["no"] = X["no"].replace({"yes": "maybe"})
    X["grade"] = X["grade"].replace({"mid": "top"})
    X["y"] = "word"
    message = (
        "column 'grade' holds 'top', and its levels are 'high', 'low', 'mid'; column 'no' holds "
        r"'maybe', and its levels are 'no', 'yes'; column 'y' holds text \('word'\), not numbers"
    )
    with pytest.raises(InvalidDataError, match=message):
        read_table(X, like=like)
    with pytest.raises(InvalidDataError, match="X has no columns 'x', 'y', which the model"):
        read_table(frame().rename(columns={"x": "u", "y": "v"}), like=like)
    with pytest.raises(InvalidDataError, match="X has 2 features, but DAGLock is expecting 8"):
        read_table(frame()[["x", "y"]], like=like)
    dates = frame().assign(x=pd.date_range("2020-01-01", periods=N))
    with pytest.raises(InvalidDataError, match="'x' cannot be used: it holds dates or times"):
        read_table(dates, like=like)


def test_arrays_go_by_place() -> None:
    X = np.column_stack([RNG.normal(size=N), np.full(N, 2.0), RNG.normal(size=N)])
    table = read_table(X)
    assert table.left_out == {"x1": "does not vary"}
    np.testing.assert_array_equal(read_table(X, like=table.schema).data, X[:, [0, 2]])
    again = read_table(X[:, [0, 2]], like=table.schema)
    np.testing.assert_array_equal(again.data, X[:, [0, 2]])
    assert again.labels == ("x0", "x2")


def test_a_schema_goes_through_json() -> None:
    schema = read_table(frame(), columns={"code": "categorical"}).schema
    assert Schema.from_record(json.loads(json.dumps(schema.to_record()))) == schema
    assert schema.kinds[1].kind is Kind.CATEGORICAL
