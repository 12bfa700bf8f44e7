"""What a cell of text says: a number, nothing, or a word; and what a line of no cells is."""

from __future__ import annotations

import re

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
