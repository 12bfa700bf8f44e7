"""What cells of text say: numbers with a point or a comma, truth values, nothing, or a word."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from daglock.errors import InvalidDataError
from daglock.table.columns import Column
from daglock.table.markers import MARKS, about_marks, settle_marks
from daglock.wording import listed

# The words of pandas, R, SAS ("."), UCI ("?") and Excel for a missing value; but for "none", which
# among words is a level (none, some, much) and so one of the `MARKS`.
MISSING = (
    *("", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "nan", "NaN", "NAN", "-nan", "-NaN"),
    *("null", "NULL", "Null", "nil", "missing", "Missing", ".", "?"),
    *("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "#DIV/0!", "#VALUE!", "#NUM!", "#REF!"),
)
# What lines that are no data begin with.
COMMENTS = ("#", "%", "//")
# For each decimal mark: what tells thousands apart, always in groups of three digits.
_BLANKS = "'’ \u00a0\u2009\u202f"
GROUPING = {".": f",{_BLANKS}", ",": f".{_BLANKS}"}


def _number(mark: str) -> str:
    """Pattern of a plain number, or of one with its thousands told apart."""
    return (
        rf"^[+-]?(?:(?:\d+(?:[{mark}]\d*)?|[{mark}]\d+)(?:[eE][+-]?\d+)?"
        rf"|[1-9]\d{{0,2}}(?:[{GROUPING[mark]}]\d{{3}})+(?:[{mark}]\d*)?)$"
    )


NUMBER = {mark: _number(mark) for mark in GROUPING}
# The point in such a number stands before three decimals or between thousands.
_NO_POINT, _NO_COMMA = "^[^.]*$", "^[^,]*$"
_DOTTED = r"^[+-]?[1-9]\d{0,2}(?:\.\d{3})+$"
_DOTTED_OR_SHORT = rf"{_DOTTED}|^[+-]?\d{{1,3}}$"
# The first cells that do not fit these are all that is needed to judge the points of a column.
POINTS = (_NO_POINT, _NO_COMMA, _DOTTED, _DOTTED_OR_SHORT)
INFINITE = "^(?i:[+-]?inf(?:inity)?)$"
# Cells in quotes of which text files know nothing.
_QUOTED = "^(?:'.*'|`.*`|‘.*’|“.*”|„.*“|«.*»)$"
_ANY_NUMBER = "|".join([*NUMBER.values(), INFINITE])
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip() in MISSING or cell.strip() in MARKS


def is_number(cell: str) -> bool:
    """Whether a cell is a number with a decimal point or comma, thousands told apart or not.

    Examples
    --------
    >>> [is_number(cell) for cell in ("1.5", "-1,5e3", "1.234.567,8", "1 234", "12a", "1,2,3")]
    [True, True, True, True, False, False]
    """
    return re.match(_ANY_NUMBER, cell.strip().replace("\u2212", "-"), re.ASCII) is not None


def is_plain_number(cell: str) -> bool:
    """Whether a cell is a number of digits and at most one decimal mark."""
    return _PLAIN_NUMBER.fullmatch(cell.strip().replace("\u2212", "-")) is not None


def is_comment(line: str) -> bool:
    """Whether a line is a remark."""
    return line.lstrip().startswith(COMMENTS)


def to_numbers(
    columns: Sequence[Column],
    decimal: str | None,
    notes: list[str],
    censored: str | None,
    place: Callable[[int], str],
) -> list[tuple[Column, int]]:
    """Fill in numbers and truth values; return the other columns, each with its first such row.

    Without ``decimal``, a comma is the decimal mark when some number can only be read so, and none
    can only be read the other way. ``censored`` says what is done about cells such as ``<0.5``,
    ``place`` how a message calls a row.
    """
    rest = not_plain(columns, decimal, notes, censored)
    if decimal is None:
        decimal = decimal_mark(columns, rest, place)
        if decimal == ",":
            notes.append("The decimal mark is a comma.")
            # numbers that were read as such have no mark, or the comma would be in doubt
            rest = [column for column in columns if types.is_string(column.text.type)]
    return fill_numbers(rest, decimal, notes)


def not_plain(
    columns: Sequence[Column], decimal: str | None, notes: list[str], censored: str | None = None
) -> list[Column]:
    """Fill in plain numbers with a decimal point; return the other columns, cleaned."""
    rest, emptied = [], []
    unquoted = []
    for column in columns:
        if decimal == "," or not _read_plain(column):
            clean(column)
            if _unquote(column):
                unquoted.append(repr(column.name))
            if (marked := settle_marks(column, _ANY_NUMBER, censored, notes)) is not None:
                emptied.append(marked)
            if decimal == "," or not _read_plain(column):
                rest.append(column)
    if emptied:
        notes.append(about_marks(emptied))
    if unquoted:
        notes.append(f"Quotes round the numbers were left out in {listed(unquoted, 5)}.")
    return rest


def fill_numbers(
    columns: Sequence[Column], decimal: str, notes: list[str]
) -> list[tuple[Column, int]]:
    """Fill in numbers with a known decimal mark, as `to_numbers` does."""
    others: list[tuple[Column, int]] = []
    grouped: list[str] = []
    for column in columns:
        row = column.where(f"{NUMBER[decimal]}|{INFINITE}")
        if row is None:
            if not column.all_are(f"^[^{GROUPING[decimal]}]*$"):
                grouped.append(repr(column.name))
                column.text = pc.replace_substring_regex(column.text, f"[{GROUPING[decimal]}]", "")
            column.fill(pc.replace_substring(column.text, decimal, "."))
        elif column.all_are("^(?i:true|false)$"):
            column.fill(pc.match_substring_regex(column.text, "^(?i:true)$"))
        else:
            either = column.where(_ANY_NUMBER)
            others.append((column, row if either is None else either))
    if grouped:
        what = "point" if decimal == "," else "comma"
        notes.append(f"A {what} or a blank between thousands was left out in {listed(grouped, 5)}.")
    return others


def _read_plain(column: Column) -> bool:
    """Read a column whose cells are all plain numbers with a decimal point, which is quick."""
    try:
        column.fill(column.text)
    except pa.ArrowInvalid:
        return False
    return True


def clean(column: Column) -> None:
    """Take off blanks, make the typographic minus a plain one, forget what says 'missing'."""
    text = pc.replace_substring(pc.utf8_trim_whitespace(column.text), "\u2212", "-")
    missing = pc.is_in(text, pa.array(MISSING, pa.string()))
    column.text = pc.if_else(missing, None, text)


def _unquote(column: Column) -> bool:
    """Leave out quotes that are not the usual ones, where they stand round all numbers."""
    text = column.text
    if not types.is_string(text.type) or text.null_count == len(text):
        return False
    if not column.all_are(_QUOTED):
        return False
    inside = pc.utf8_trim_whitespace(pc.utf8_slice_codeunits(text, 1, -1))
    missing = pc.is_in(inside, pa.array(MISSING, pa.string()))
    bare = pc.if_else(missing, None, inside)
    if bare.null_count == len(bare) or not Column(column.name, bare).all_are(_ANY_NUMBER):
        return False
    column.text = bare
    return True


def says_decimals(column: Column) -> bool:
    """Whether a column of numbers has points that cannot all stand between thousands."""
    return (
        not column.all_are(_DOTTED_OR_SHORT)
        and not column.all_are(_NO_POINT)
        and column.all_are(NUMBER["."])
    )


def doubtful_points(columns: Sequence[Column]) -> list[tuple[Column, int, int]]:
    """Return columns with points that may stand between thousands, as in 2.050 and 950.

    Each comes with a row that has a point and one that has none. Programs write all decimals, or
    leave out zeros at the end, and then some number has one or two decimals. If the table has such
    a number, or one above 999 in a column with points, points are decimal marks.
    """
    text = [column for column in columns if types.is_string(column.text.type)]
    cells = pa.chunked_array([own for column in text for own in column.text.chunks], pa.string())
    if not pc.any(pc.match_substring(cells, ".")).as_py():
        return []
    found = []
    for column in text:
        if says_decimals(column):
            return []
        dotted, short = column.where(_NO_POINT), column.where(_DOTTED)
        if dotted is not None and short is not None and column.all_are(_DOTTED_OR_SHORT):
            found.append((column, dotted, short))
    return found


def decimal_mark(
    columns: Sequence[Column], rest: Sequence[Column], place: Callable[[int], str]
) -> str:
    """Decide by the numbers that can be read in one way only; ``rest`` are no plain numbers."""
    comma = _find(rest, [NUMBER[","]], but=NUMBER["."])
    doubtful = _find(rest, NUMBER.values(), but=_NO_COMMA)
    dotted = [] if comma or doubtful else doubtful_points(columns)
    if comma is None and doubtful is None and not dotted:
        return "."
    # a whole number that was read as such shows as 1.5e+06
    point = _find(columns, [NUMBER["."]], but=rf"{NUMBER[',']}|e\+")
    if comma is not None and point is not None:
        raise InvalidDataError(
            f"Column {comma[0].name!r} holds {comma[0].show(comma[1])} and column "
            f"{point[0].name!r} holds {point[0].show(point[1])}: make the decimal mark the same "
            "in all columns."
        )
    if comma is None and point is None:
        column, row = doubtful or dotted[0][:2]
        cell = str(column.text[row].as_py())
        ways = ["--decimal , (a comma)", "--decimal . (a point)"]
        beside = ""
        if dotted:
            ways.reverse()
            beside = f" and {column.show(dotted[0][2])} in {place(dotted[0][2])}"
        raise InvalidDataError(
            f"Column {column.name!r} holds {cell!r} in {place(row)}{beside}; {cell!r} is "
            f"{cell.replace(',', '.')} or {re.sub('[,.]', '', cell)}: say which with "
            f"{' or '.join(ways)}, in Python with read_file(path, decimal=...)."
        )
    return "." if comma is None else ","


def _find(
    columns: Sequence[Column], patterns: Collection[str], but: str
) -> tuple[Column, int] | None:
    """Find a column whose cells all fit the patterns, and a row that does not fit the last one."""
    for column in columns:
        if all(column.all_are(pattern) for pattern in patterns):
            row = column.where(but)
            if row is not None:
                return column, row
    return None
