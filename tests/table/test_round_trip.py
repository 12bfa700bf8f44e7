"""Any table in any dialect comes back as it was, and as pandas reads it when it is told how."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from daglock.errors import InvalidDataError
from daglock.table import read_file
from daglock.typing import Array
from tests.examples import examples
from tests.table.reader import all_columns, read


class Dialect(NamedTuple):
    separator: str
    decimal: str
    end: str
    encoding: str
    missing: str
    quoting: Any
    numbered: bool
    preamble: str
    blank_lines: bool


DIALECTS = st.builds(
    Dialect,
    separator=st.sampled_from([",", ";", "\t", "|", " "]),
    decimal=st.sampled_from([".", ","]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    missing=st.sampled_from(["NA", "nan", "?", "null"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    numbered=st.booleans(),
    preamble=st.sampled_from(["", "# a remark\n", "# two, remarks\n\n# more; of it\n"]),
    blank_lines=st.booleans(),
).filter(lambda dialect: dialect.decimal == "." or dialect.separator != ",")

# No blanks at the ends, which are cut off, and nothing that is a number, a remark or "missing".
NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), max_size=8
).map(lambda tail: f"n{tail}x")
NUMBERS = st.floats(allow_nan=True, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[str, ...], Array]:
    d = draw(st.integers(2, 5))
    names = draw(st.lists(NAMES, min_size=d, max_size=d, unique=True))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=3, max_size=8))
    data = np.array(rows)
    data[0] = np.where(np.isnan(data[0]), 0.5, data[0])  # no column without a value
    data[:, 0] = np.where(np.isnan(data[:, 0]), 1.5, data[:, 0])  # no row without one
    return tuple(names), data


def write(names: tuple[str, ...], data: Array, dialect: Dialect) -> bytes:
    text = io.StringIO()
    writer = csv.writer(
        text, delimiter=dialect.separator, lineterminator="\n", quoting=dialect.quoting
    )
    writer.writerow([""] * dialect.numbered + list(names))
    for i, row in enumerate(data.tolist()):
        cells = [dialect.missing if x != x else repr(x).replace(".", dialect.decimal) for x in row]
        writer.writerow([str(i)] * dialect.numbered + cells)
    lines = text.getvalue()
    if dialect.blank_lines:
        lines = lines.replace("\n", "\n\n")
    return (dialect.preamble + lines).replace("\n", dialect.end).encode(dialect.encoding)


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(), DIALECTS)
def test_round_trip(tmp_path: Path, table: tuple[tuple[str, ...], Array], dialect: Dialect) -> None:
    names, data = table
    # a first name of no letters cannot be told from a blank
    assume(not (dialect.separator == " " and dialect.numbered))
    assume(data.shape[0] != data.shape[1] or not np.array_equal(data, data.T))  # no covariance
    raw = write(names, data, dialect)
    told = read(tmp_path, raw, decimal=dialect.decimal)
    assert told.columns == names
    np.testing.assert_array_equal(all_columns(told), data)
    try:
        found = read(tmp_path, raw)
    except InvalidDataError as error:
        if "say which with --decimal" not in str(error):  # asked, not guessed
            raise
    else:
        assert found.columns == names
        np.testing.assert_array_equal(all_columns(found), data)


OPTIONS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "decimal commas": (
        b"a;b;c\n1,5;2;3,25\n-4;5,1;\n1e3;NA;+6,0\n",
        {"sep": ";", "decimal": ","},
    ),
    "thousands": (b'a,b\n"1,234.5",2.5\n"12,345,678",3\n', {"thousands": ","}),
    "German thousands": (
        b"a;b\n1.234,5;2,5\n12.345.678;3\n",
        {"sep": ";", "thousands": ".", "decimal": ","},
    ),
    "blanks": (b"  a    b\n 1.25  2\n 3   -4e-3\n", {"sep": r"\s+"}),
    "comments": (b"# x\n# y\na,b\n1,2\n3,4\n", {"comment": "#"}),
    "Latin-1": ("größe,b\n1,2\n3,4\n".encode("latin-1"), {"encoding": "latin-1"}),
    "UTF-16": ("größe,b\n1,2\n3,4\n".encode("utf-16"), {"encoding": "utf-16"}),
    "index": (b",a,b\n0,1,2\n1,3,4\n2,5,7\n", {"index_col": 0}),
    "index without a name": (b"a b\n1 2 3\n2 3 4\n3 5 7\n", {"sep": " "}),
    "no header": (b"1,2\n3,4\n", {"header": None, "names": ["x0", "x1"]}),
    "twice": (b"a,a,b\n1,2,3\n4,5,7\n", {}),
    "missing": (b"a,b\n1,NA\n,4\nnull,5\n#N/A,6\n7,n/a\n", {}),
    "quotes": (b'"a,1","b ""x"""\n1,2\n"3","4"\n', {}),
    "truth": (b"a,b\n1,True\n2,False\n", {}),
    "old Mac": (b"a,b\r1,2\r3,4\r", {}),
    "title": (b"My table\n\na,b\n1,2\n3,4\n", {"skiprows": 1}),
    "digits": (b"a,b\n0.1,123456789.123456789\n1e-320,1.7976931348623157e308\n", {}),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_the_same_as_pandas(case: str, tmp_path: Path) -> None:
    raw, options = OPTIONS[case]
    file = tmp_path / "data.csv"
    file.write_bytes(raw)
    frame = pd.read_csv(file, **options)
    table = read_file(file)
    assert table.names == tuple(map(str, frame.columns))
    np.testing.assert_array_equal(table.data, frame.to_numpy(dtype=np.float64, na_value=np.nan))


def test_sachs(tmp_path: Path) -> None:
    """The data that ship with daglock, written by pandas in three ways."""
    from daglock.datasets import load_sachs

    sachs = load_sachs()
    frame = pd.DataFrame(sachs.data, columns=list(sachs.names))
    frame.to_csv(tmp_path / "a.csv")
    frame.to_csv(tmp_path / "b.csv.gz", sep=";", decimal=",", encoding="utf-16", index=False)
    frame.to_parquet(tmp_path / "c.parquet")
    for name in ("a.csv", "b.csv.gz", "c.parquet"):
        table = read_file(tmp_path / name)
        assert table.names == sachs.names
        np.testing.assert_array_equal(table.data, sachs.data)
