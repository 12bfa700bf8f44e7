"""From columns, as they stand in a file, to a table: index, names, choice, numbers, rows.

`Raw` is what the reader of a format hands over; `assemble` makes a table of it, as `policy` says.
Names that are missing or the same in a file are made to differ, and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from daglock.errors import InvalidDataError, InvalidParameterError, refuse
from daglock.table.deciding import decide
from daglock.table.finding import counts_rows
from daglock.table.given import did_you_mean, level_text
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.table.markers import about_censored, about_words, forget_numbers, forget_words
from daglock.table.policy import (
    MOST_SHOWN,
    infinite_cell_error,
    shown_text,
    too_few_error,
    with_counters_questioned,
    with_first_missing,
    without_blank_rows,
)
from daglock.table.rounding import about_rounded, column_loses_digits
from daglock.table.square import refuse_covariance_file
from daglock.table.table import BLANK, LeftOut, Table
from daglock.typing import Array
from daglock.wording import listed, plural

_ROWS = 4096
# Names that pandas and R's tibbles give to a column without one.
_UNNAMED = re.compile(r"Unnamed: \d+(?:\.\d+)?|\.\.\.\d+|")


@dataclass(eq=False)
class Column:
    """A column while it is read."""

    name: str
    text: pa.ChunkedArray  # or what a typed file holds
    values: Array = field(default_factory=lambda: np.empty(0))  # once they are known to be numbers
    held_truths: bool = False  # true and false, which became 1 and 0
    censored: str = ""  # bounds instead of values, in words, where they are not to be taken
    rounded: bool = False  # it held whole numbers with more digits than a double keeps

    @property
    def is_unnamed(self) -> bool:
        """Whether it has no name of its own."""
        return _UNNAMED.fullmatch(self.name) is not None

    def fill(self, cells: pa.ChunkedArray) -> None:
        """Take numbers, text that says numbers, or truth values as the values of this column."""
        numbers = pc.cast(cells, pa.float64(), safe=False)
        self.values = np.asarray(numbers.to_numpy(), dtype=np.float64)
        self.held_truths = types.is_boolean(cells.type)
        self.rounded = column_loses_digits(cells, self.values)
        if types.is_floating(cells.type) and cells is self.text:
            self.text = _without_copy(self.values)  # the one that it was read into can go

    def encode(self) -> ColumnKind:
        """Take the numbers of the words as the values; return what is known of the words."""
        cells, declared = self.text.combine_chunks(), types.is_dictionary(self.text.type)
        if not declared:
            cells = cells.dictionary_encode()
        words = cells.dictionary.to_pylist()
        if not types.is_string(cells.dictionary.type):
            words = list(map(_as_word, words))
        codes = cells.indices.cast(pa.float64()).to_numpy(zero_copy_only=False)
        self.values = np.asarray(codes, dtype=np.float64)
        kind = Kind.ORDINAL if declared and self.text.type.ordered else Kind.CATEGORICAL
        return ColumnKind(kind, tuple(words), given=declared)

    def where(self, pattern: str) -> int | None:
        """Return the first row that holds a value to which a pattern does not apply."""
        text = self.text if types.is_string(self.text.type) else pc.cast(self.text, pa.string())
        fits = pc.fill_null(pc.match_substring_regex(text, pattern), True).to_numpy()
        row = int(np.argmin(fits)) if len(fits) else 0
        return row if len(fits) and not fits[row] else None

    def all_are(self, pattern: str) -> bool:
        """Whether every value fits a pattern."""
        return self.where(pattern) is None

    def show(self, row: int) -> str:
        """Return a cell as a message shows it."""
        return shown_text(str(self.text[row].as_py()))


def _without_copy(values: Array) -> pa.ChunkedArray:
    """Return numbers as Arrow holds them, in the same memory; no value where there is none."""
    return pa.chunked_array([pa.array(values, from_pandas=True)])


def _as_word(word: Any) -> str:
    """Return a category as text."""
    if isinstance(word, bytes):
        return word.decode("utf-8", "replace")
    if isinstance(word, dict):  # an interval
        return " to ".join(map(_as_word, word.values()))
    return level_text(word) if isinstance(word, int | float) else str(word)


# Fills in the values of numeric columns; returns the others, each with a row to show.
Convert = Callable[[Sequence[Column], list[str]], list[tuple[Column, int]]]


@dataclass(frozen=True)
class Raw:
    """The columns of a file before they are numbers."""

    label: str
    columns: list[Column]
    convert: Convert
    place: Callable[[int], str]  # how a message calls the place of a row
    hint: str = ""  # what else may be wrong where columns are too few


def assemble(
    raw: Raw,
    notes: list[str],
    *,
    index_column: str | bool | None,
    keep: Sequence[str] | None,
    drop: Sequence[str],
    kinds: Any = None,
    na: Sequence[str] = (),
) -> Table:
    """Choose the columns, turn them into numbers, and decide what each is; all faults at once."""
    columns = _without_empty(raw.columns, notes)
    columns = _without_index(raw, columns, index_column, notes)
    names = different([column.name for column in columns], notes)
    columns = [replace(columns[j], name=names[j]) for j in choose(names, keep, drop)]
    if len(columns) < 2:
        chosen = tuple(column.name for column in columns)
        hint = raw.hint if len(raw.columns) < 2 else ""
        raise too_few_error(Table(np.empty((0, len(chosen))), chosen), hint)
    emptied = forget_words(columns, na)
    others = [column for column, _ in _others(raw, columns, notes)]
    are_others = set(map(id, others))
    numbers = [column for column in columns if id(column) not in are_others]
    emptied += forget_numbers(numbers, na)
    if na:
        notes.append(about_words(na, emptied))
    truths = [repr(column.name) for column in columns if column.held_truths]
    if truths:
        notes.append(f"True and false became 1 and 0 in {listed(truths, 5)}.")
    rounded = [column.name for column in columns if column.rounded]
    notes += [about_rounded(rounded)] if rounded else []
    if not len(columns[0].text):
        raise InvalidDataError(f"{raw.label} has no rows.")
    refuse_covariance_file(raw, numbers)
    faults = [about_censored(numbers), _infinite(raw, numbers)]
    try:
        table = without_blank_rows(as_table(columns, others, notes))
        n_read, blank = len(columns[0].text), table.dropped.get(BLANK)

        def place(row: int) -> str:
            there = row if blank is None else int(np.delete(np.arange(n_read), blank)[row])
            return raw.place(there)

        table = decide(table, kinds, place=place, find=True)
    except InvalidDataError as error:
        refuse([*faults, str(error)])
        raise
    refuse(faults)
    return with_counters_questioned(with_first_missing(table, place))


def _infinite(raw: Raw, columns: Sequence[Column]) -> str:
    """Say where a number is too large; empty where none is."""
    for column in columns:
        infinite = np.flatnonzero(np.isinf(column.values))
        if len(infinite):
            row = int(infinite[0])
            return str(infinite_cell_error(column.name, column.show(row), raw.place(row)))
    return ""


def _others(raw: Raw, columns: Sequence[Column], notes: list[str]) -> list[tuple[Column, int]]:
    """Turn columns into numbers; return the others, unless a quote that is open made them."""
    others = raw.convert(columns, notes)
    for column, row in others:
        if not types.is_string(column.text.type) or not len(column.text):  # no rows at all
            continue
        if "\n" in str(column.text[row].as_py()):
            raise open_quote(raw.place(row), raw.label)
    return others


def as_table(columns: Sequence[Column], others: Sequence[Column], notes: Sequence[str]) -> Table:
    """Put columns together, ``others`` being no numbers: text as the numbers of its words.

    What these are is not decided yet, but for dates and what is no single value.
    """
    values, kinds, aside = [], [], {}
    are_others = set(map(id, others))
    for column in columns:
        if id(column) not in are_others:
            values.append(column.values)
            kinds.append(CONTINUOUS)
        elif (gone := _no_variable(column.text.type)) is not None:
            aside[column.name] = LeftOut(gone)
        else:
            kind = column.encode()
            values.append(column.values)
            kinds.append(kind)
    names = tuple(column.name for column in columns)
    return Table(
        stacked(len(columns[0].text), values),
        tuple(name for name in names if name not in aside),
        tuple(notes),
        kinds=tuple(kinds),
        left_out={name: gone.kind.reason.removeprefix("it ") for name, gone in aside.items()},
        aside=aside,
        source=names,
        rounded=tuple(column.name for column in columns if column.rounded),
    )


def stacked(n: int, columns: Sequence[Array]) -> Array:
    """Return columns of n rows as one array, written a few rows at a time: that is quicker.

    Examples
    --------
    >>> stacked(2, [np.array([1.0, 2.0]), np.array([3.0, 4.0])])
    array([[1., 3.],
           [2., 4.]])
    """
    result = np.empty((n, len(columns)))
    for start in range(0, n, _ROWS):
        for j, own in enumerate(columns):
            result[start : start + _ROWS, j] = own[start : start + _ROWS]
    return result


def _no_variable(kind: pa.DataType) -> ColumnKind | None:
    """Return what a column of a type is that is no number and no text."""
    stored = getattr(kind, "storage_type", None)
    is_period = getattr(kind, "extension_name", "") == "pandas.period"
    if stored is not None and not is_period:  # a type of another library
        return _no_variable(stored)
    if is_period or types.is_temporal(kind):
        return ColumnKind(Kind.DATE, reason="it holds dates or times")
    if types.is_nested(kind):
        return ColumnKind(Kind.IGNORE, reason="it holds lists, not values")
    return None


def _without_empty(columns: list[Column], notes: list[str]) -> list[Column]:
    """Leave out what a separator at the end of every line makes: no name and no value."""
    kept = [
        column
        for column in columns
        if not (column.is_unnamed and column.text.null_count == len(column.text))
    ]
    if len(kept) < len(columns):
        notes.append(
            f"Left out: {plural(len(columns) - len(kept), 'column')} without a name and without "
            "a value."
        )
    return kept


def _without_index(
    raw: Raw, columns: list[Column], index_column: str | bool | None, notes: list[str]
) -> list[Column]:
    """Leave out the column that labels the rows."""
    if isinstance(index_column, str):
        rest = [column for column in columns if column.name != index_column]
        if len(rest) == len(columns):
            raise _missing_name(index_column, [column.name for column in columns])
        return rest
    if index_column is False or not columns or not columns[0].is_unnamed:
        return columns
    first = replace(columns[0])
    if raw.convert([first], []):
        what = "holding text"
    elif counts_rows(first.values):
        what = "counting rows"
    else:
        return columns
    notes.append(f"The first column, unnamed and {what}, was taken as an index and left out.")
    return columns[1:]


def different(names: Sequence[str], notes: list[str]) -> list[str]:
    """Give every column a name of its own, as pandas does.

    Examples
    --------
    >>> different(["a", "", "a"], [])
    ['a', 'column2', 'a.1']
    """
    taken = set(names)
    seen: set[str] = set()
    tried: dict[str, int] = {}  # so that the names of many equal ones are not all tried again
    said: list[str] = []
    result = []
    for j, name in enumerate(names, start=1):
        wish = name or f"column{j}"
        label, k = wish, tried.get(wish, 0)
        while label in seen or (label in taken and label != name):
            k += 1
            label = f"{wish}.{k}"
        tried[wish] = max(k - 1, 0)
        if not name:
            said.append(f"Column {j} has no name; it is called {label!r}.")
        elif label != name:
            said.append(f"The name {name!r} occurs again; column {j} is called {label!r}.")
        seen.add(label)
        result.append(label)
    notes += said[:MOST_SHOWN]
    if len(said) > MOST_SHOWN:
        others = plural(len(said) - MOST_SHOWN, "other column")
        notes.append(f"So {others} without a name, or with one that occurs again, got one.")
    return result


def choose(names: Sequence[str], keep: Sequence[str] | None, drop: Sequence[str]) -> list[int]:
    """Return the columns that a user wants, in the order of the file.

    Examples
    --------
    >>> choose(["a", "b", "c"], keep=None, drop=["b"])
    [0, 2]
    """
    known = set(names)
    for name in [*(keep or ()), *drop]:
        if name not in known:
            raise _missing_name(name, names)
    both = sorted(set(keep or ()) & set(drop))
    if both:
        raise InvalidParameterError(f"Column {both[0]!r} is both to be kept and to be left out.")
    wanted = set(names if keep is None else keep) - set(drop)
    return [j for j, name in enumerate(names) if name in wanted]


def _missing_name(name: str, names: Sequence[str]) -> InvalidParameterError:
    """Build the error about a name that no column has."""
    columns = listed([repr(name) for name in names], 8)
    hint = did_you_mean(name, names) or f"the columns are {columns}."
    return InvalidParameterError(f"There is no column {name!r}; {hint}")


def open_quote(place: str, label: str) -> InvalidDataError:
    """Build the error about a quote that does not close."""
    return InvalidDataError(
        f'A quote (") opens in {place} of {label} and does not close there: mend that line.'
    )
