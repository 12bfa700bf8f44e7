"""What cells of text say: numbers with a point or a comma, truth values, nothing, or a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from daglock.errors import InvalidDataError
from daglock.table.columns import Column
from daglock.typing import Array
from daglock.wording import listed

if TYPE_CHECKING:
    from pyarrow import ChunkedArray

# The words of pandas, R, SAS ("."), UCI ("?") and Excel for a missing value.
MISSING = (
    *("", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "nan", "NaN", "NAN", "-nan", "-NaN"),
    *("null", "NULL", "Null", "None", "none", "nil", "missing", "Missing", ".", "?"),
    *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "#DIV/0!", "#VALUE!", "#NUM!", "#REF!"),
)
# What lines that are no data begin with.
COMMENTS = ("#", "%", "//")

# Thousands are told apart by these, always in groups of three digits.
_GROUPING = "'’ \u00a0\u2009\u202f"
_SIGN = "^[+-]?"
# For each decimal mark: a plain number, or one with its thousands told apart.
NUMBER = {
    ".": (
        rf"{_SIGN}(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
        rf"|[1-9]\d{{0,2}}(?:[,{_GROUPING}]\d{{3}})+(?:\.\d*)?)$"
    ),
    ",": (
        rf"{_SIGN}(?:(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)?"
        rf"|[1-9]\d{{0,2}}(?:[.{_GROUPING}]\d{{3}})+(?:,\d*)?)$"
    ),
}
# The characters to take out of such a number.
GROUPING = {".": f",{_GROUPING}", ",": f".{_GROUPING}"}
INFINITE = "^(?i:[+-]?inf(?:inity)?)$"

_MISSING = frozenset(MISSING)
_ANY_NUMBER = re.compile("|".join([*NUMBER.values(), INFINITE]), re.ASCII)
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip() in _MISSING


def is_number(cell: str) -> bool:
    """Whether a cell is a number with a decimal point or comma, thousands told apart or not.

    Examples
    --------
    >>> [is_number(cell) for cell in ("1.5", "-1,5e3", "1.234.567,8", "1 234", "12a", "1,2,3")]
    [True, True, True, True, False, False]
    """
    return _ANY_NUMBER.match(cell.strip().replace("\u2212", "-")) is not None


def is_plain_number(cell: str) -> bool:
    """Whether a cell is a number of digits and at most one decimal mark."""
    return _PLAIN_NUMBER.fullmatch(cell.strip().replace("\u2212", "-")) is not None


def is_comment(line: str) -> bool:
    """Whether a line is a remark."""
    return line.lstrip().startswith(COMMENTS)


def to_numbers(
    columns: Sequence[Column], decimal: str | None, notes: list[str]
) -> list[tuple[Column, int]]:
    """Fill in the values of each column that holds numbers or truth values.

    Returns the other columns, each with the first row that holds neither.

    Without ``decimal``, a comma is the decimal mark when some number can only be read so, and none
    can only be read the other way.

    Raises
    ------
    InvalidDataError
        Numbers can be read in two ways, or contradict each other.
    """
    import pyarrow.compute as pc

    rest = []
    for column in columns:
        if decimal == "," or not _read_plain(column):
            _clean(column)
            if decimal == "," or not _read_plain(column):
                rest.append(column)
    if decimal is None:
        decimal = _decimal_mark(columns, rest)
        if decimal == ",":
            notes.append("The decimal mark is a comma.")
            rest = list(columns)
    others: list[tuple[Column, int]] = []
    truths: list[str] = []
    grouped: list[str] = []
    for column in rest:
        row = column.where(f"{NUMBER[decimal]}|{INFINITE}")
        if row is None:
            if not column.all_are(f"^[^{GROUPING[decimal]}]*$"):
                grouped.append(repr(column.name))
                column.text = pc.replace_substring_regex(column.text, f"[{GROUPING[decimal]}]", "")
            column.values = _convert(column.text, decimal)
        elif column.all_are("^(?i:true|false)$"):
            column.values = _truth(column)
            truths.append(repr(column.name))
        else:
            either = column.where(f"{NUMBER['.']}|{NUMBER[',']}|{INFINITE}")
            others.append((column, row if either is None else either))
    if grouped:
        what = "point" if decimal == "," else "comma"
        notes.append(f"A {what} or a blank between thousands was left out in {listed(grouped, 5)}.")
    if truths:
        notes.append(f"True and false became 1 and 0 in {listed(truths, 5)}.")
    return others


def _read_plain(column: Column) -> bool:
    """Read a column whose cells are all plain numbers with a decimal point, which is quick."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        numbers = pc.cast(column.text, pa.float64())
    except pa.ArrowInvalid:
        return False
    column.values = np.asarray(numbers.to_numpy(), dtype=np.float64)
    return True


def _clean(column: Column) -> None:
    """Take off blanks, make the typographic minus a plain one, forget what says 'missing'."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.replace_substring(pc.utf8_trim_whitespace(column.text), "\u2212", "-")
    missing = pc.is_in(text, pa.array(MISSING, pa.string()))
    column.text = pc.if_else(missing, None, text)


def _convert(text: ChunkedArray, decimal: str) -> Array:
    """Turn numbers with this decimal mark, which have been checked, into floats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == ",":
        text = pc.replace_substring(text, ",", ".")
    return np.asarray(pc.cast(text, pa.float64()).to_numpy(), dtype=np.float64)


def _truth(column: Column) -> Array:
    """Return 1 for true, 0 for false, NaN for nothing."""
    values = {"true": 1.0, "false": 0.0}
    cells = column.text.to_pylist()
    return np.array([np.nan if cell is None else values[cell.lower()] for cell in cells])


def _decimal_mark(columns: Sequence[Column], rest: Sequence[Column]) -> str:
    """Decide by the numbers that can be read in one way only; ``rest`` are no plain numbers."""
    comma = _only(rest, ",", ".")
    if comma is None:
        doubtful = _doubtful(rest)
        if doubtful is None or _only(columns, ".", ",") is not None:
            return "."
        column, row = doubtful
        cell = str(column.text[row].as_py())
        raise InvalidDataError(
            f"Column {column.name!r} holds {cell!r}, which is {cell.replace(',', '.')} or "
            f"{cell.replace(',', '')}: say which with --decimal , or --decimal . (a point)."
        )
    point = _only(columns, ".", ",")
    if point is not None:
        raise InvalidDataError(
            f"Column {comma[0].name!r} holds {comma[0].show(comma[1])} and column "
            f"{point[0].name!r} holds {point[0].show(point[1])}: make the decimal mark the same "
            "in all columns."
        )
    return ","


def _only(columns: Sequence[Column], mark: str, other: str) -> tuple[Column, int] | None:
    """Find a column of numbers with this decimal mark, and a cell that has no other reading."""
    for column in columns:
        if column.all_are(NUMBER[mark]):
            row = column.where(f"{NUMBER[other]}")
            if row is not None:
                return column, row
    return None


def _doubtful(columns: Sequence[Column]) -> tuple[Column, int] | None:
    """Find a number with a comma that can be read in two ways."""
    for column in columns:
        if column.all_are(NUMBER["."]) and column.all_are(NUMBER[","]):
            row = column.where("^[^,]*$")
            if row is not None:
                return column, row
    return None
