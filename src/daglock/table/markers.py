"""Cells that stand for no value, or for a bound of one: `*`, `n.d.`, `<0.5`, words that users name.

Some marks mean "missing" only where everything else is a number, or true or false: `-` is a level
of a column of signs, `none` one of `none`, `some` and `much`, `*` one of `*`, `**` and `***`. A
cell such as `<0.5` says that a value is below what could be measured: to take it for missing, or
for that bound, is a claim, which a user makes or does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from daglock.errors import InvalidParameterError
from daglock.typing import BoolArray
from daglock.wording import listed, plural

if TYPE_CHECKING:
    from daglock.table.columns import Column

# Marks of a missing value among numbers.
MARKS = (
    *("*", "**", "***", "-", "--", "---", "–", "—", "_"),
    *("n.d.", "N.D.", "n.d", "nd", "ND", "n/d", "N/D", "n.a.", "N.A.", "n.a", "None", "none"),
)
# Those that mean it among words, too.
WORD_MARKS = ("*", "n.d.", "N.D.", "n/d", "N/D", "n.a.", "N.A.")
# What may be done about cells such as <0.5; None refuses them.
CENSORED = ("missing", "bound")
_BOUND = r"^(?:[<>]=?|[≤≥])\s*"
_TRUTH = "^(?i:true|false)$"


def check_censored(censored: str | None) -> None:
    """Raise unless it says what is to be done about bounds."""
    if censored is not None and censored not in CENSORED:
        raise InvalidParameterError(f"censored must be {' or '.join(CENSORED)}; got {censored!r}.")


class Emptied(NamedTuple):
    """Cells of a column that held a mark."""

    name: str
    cells: int
    marks: tuple[str, ...]


def about_marks(emptied: Sequence[Emptied]) -> str:
    """Say in which columns marks were taken as missing, in one sentence for all.

    Examples
    --------
    >>> about_marks([Emptied("age", 2, ("*",))])
    "Taken as missing in 'age': 2 cells with '*'."
    >>> about_marks([Emptied("age", 2, ("*",)), Emptied("bmi", 1, ("-",))])
    "Taken as missing: 3 cells with '*', '-' in 2 columns, 'age' (2), 'bmi' (1)."
    """
    count = plural(sum(own.cells for own in emptied), "cell")
    marks = listed(map(repr, dict.fromkeys(mark for own in emptied for mark in own.marks)))
    if len(emptied) == 1:
        return f"Taken as missing in {emptied[0].name!r}: {count} with {marks}."
    columns = listed((f"{own.name!r} ({own.cells:,})" for own in emptied), 5)
    return f"Taken as missing: {count} with {marks} in {len(emptied)} columns, {columns}."


def settle_marks(
    column: Column, number: str, censored: str | None, notes: list[str]
) -> Emptied | None:
    """Empty the marks of a column of text, and settle its bounds where it holds numbers otherwise.

    Bounds become missing, or their numbers: the latter for the time being also where they are to
    be refused, and `Column.censored` says so. Returns what marks were emptied, if any.

    Parameters
    ----------
    column : of text, without blanks around it.
    number : pattern of a number.
    censored : what is to be done about bounds.
    notes : of what was assumed of bounds.
    """
    text, emptied = column.text, None
    bounds = pc.replace_substring_regex(text, _BOUND, "")
    is_number = _holds(pc.match_substring_regex(text, number))
    is_mark = _holds(pc.is_in(text, pa.array(MARKS, pa.string())))
    is_bound = _holds(pc.match_substring_regex(bounds, number)) & ~is_number
    is_truth = _holds(pc.match_substring_regex(text, _TRUTH))
    numeric = is_number | is_bound | is_truth
    known = numeric | is_mark | ~_holds(pc.is_valid(text))
    meant = set(MARKS)
    if not (known.all() and numeric.any()):  # a column of words, or of marks alone
        meant = set() if known.all() or "**" in pc.unique(text).to_pylist() else set(WORD_MARKS)
        is_mark = _holds(pc.is_in(text, pa.array(sorted(meant), pa.string())))
        is_bound = np.zeros_like(is_mark)
    if is_mark.any():
        marks = sorted(meant & set(pc.unique(text).to_pylist()))
        emptied = Emptied(column.name, int(is_mark.sum()), tuple(marks))
        text = _replaced(text, is_mark, None)
    if is_bound.any():
        example = column.show(int(is_bound.argmax()))
        held = f"{plural(int(is_bound.sum()), 'cell')} such as {example}"
        if censored is None:
            column.censored = held
        else:
            how = "as missing" if censored == "missing" else "as the number itself"
            notes.append(f"Taken {how} in {column.name!r}: {held}.")
        text = _replaced(text, is_bound, None if censored == "missing" else bounds)
    column.text = text
    return emptied


def about_censored(columns: Sequence[Column]) -> str:
    """Say which columns hold bounds, and how to go on; empty where none does."""
    held = [f"{column.name!r} ({column.censored})" for column in columns if column.censored]
    if not held:
        return ""
    return (
        f"Bounds instead of values in {listed(held, 5)}: give --censored missing to take them as "
        "missing, or --censored bound to take the number for the value."
    )


def forget_words(columns: Sequence[Column], words: Sequence[str]) -> int:
    """Empty cells of text that hold one of a user's words for "missing"; return how many."""
    count = 0
    for column, word in _about(columns, words):
        kind = column.text.type
        if str(kind) in ("string", "large_string"):
            trimmed = pc.utf8_trim_whitespace(column.text)
            same = _holds(pc.is_in(trimmed, pa.array([word], kind)))
            count += int(same.sum())
            column.text = _replaced(column.text, same, None)
        elif types.is_dictionary(kind) and types.is_string(kind.value_type):
            cells = column.text.combine_chunks()
            text = pc.utf8_trim_whitespace(pc.cast(column.text, pa.string()))
            same = _holds(pc.is_in(text, pa.array([word], pa.string())))
            count += int(same.sum())
            places = pa.array(cells.indices.to_pylist(), mask=same, type=pa.int64())
            emptied = pa.DictionaryArray.from_arrays(places, cells.dictionary, ordered=kind.ordered)
            column.text = pa.chunked_array([emptied])
    return count


def forget_numbers(columns: Sequence[Column], words: Sequence[str]) -> int:
    """Empty cells with a number that a user calls "missing", however it is written; count them."""
    count = 0
    for column, word in _about(columns, words):
        number = _as_number(word)
        if number is not None and len(column.values):
            same = column.values == number
            count += int(same.sum())
            column.values = np.where(same, np.nan, column.values)
    return count


def about_words(words: Sequence[str], count: int) -> str:
    """Say how many cells a user's words for "missing" emptied."""
    named = listed(map(repr, words))
    if not count:
        return f"No cell holds {named}, which is to be taken as missing."
    return f"Taken as missing: {plural(count, 'cell')} with {named}."


def _about(columns: Sequence[Column], words: Sequence[str]) -> Iterator[tuple[Column, str]]:
    """Go through columns and the words that are about them: WORD, or COLUMN=WORD for one."""
    by_name = {column.name: column for column in columns}
    for word in words:
        name, equals, rest = word.rpartition("=")
        if equals and name not in by_name:
            raise InvalidParameterError(
                f"na={word!r} is about a column {name!r}, which is not there; the columns are "
                f"{listed(map(repr, by_name), 8)}."
            )
        for column in [by_name[name]] if equals else columns:
            yield column, rest.strip() if equals else word.strip()


def _as_number(word: str) -> float | None:
    """Return the number that a word is, if it is one."""
    try:
        return float(word.replace("\u2212", "-").replace(",", "."))
    except ValueError:
        return None


def _replaced(
    text: pa.ChunkedArray, where: BoolArray, by: pa.ChunkedArray | None
) -> pa.ChunkedArray:
    """Return the text with other cells, or none, in some places."""
    return pc.if_else(pa.chunked_array([pa.array(where)]), by, text)


def _holds(answers: pa.ChunkedArray) -> BoolArray:
    """Return where the answer is yes."""
    return np.asarray(pc.fill_null(answers, False).to_numpy(), dtype=np.bool_)
