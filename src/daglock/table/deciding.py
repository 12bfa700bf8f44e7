"""What becomes of each column: a variable of some kind, or left out with a reason.

A reader hands over numbers, and text as the numbers of its words. What a user says of a column
comes first, then what a frame says (categories), then what is found by looking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daglock.errors import refuse
from daglock.table.doubts import Doubt, about_doubts
from daglock.table.finding import find_numbers
from daglock.table.given import Given, check_given, level_text
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.table.policy import about_infinite, nearly_numbers_error
from daglock.table.table import LeftOut, Table
from daglock.table.unordered import with_unordered_codes
from daglock.table.words import MOST_GIVEN, NearlyNumbers, Words, find_words, in_order
from daglock.typing import Array
from daglock.wording import listed, plural

# Why a column is left out that varied in rows with missing values only.
ROUNDED = "varies only in digits that a double does not keep"
STILL = "does not vary in the rows that are left"


@dataclass(frozen=True)
class Cells:
    """A column as it was read: what it holds, and what is known of it."""

    values: Array | None  # numbers, or those of the words
    words: tuple[str, ...] | None
    kind: ColumnKind
    doubts: tuple[Doubt, ...] = ()  # why it is not taken for numbers

    @property
    def text(self) -> Words:
        """The column as text; numbers become words."""
        if self.values is None:
            return Words(np.empty(0), ())
        if self.words is not None:
            return Words(self.values, self.words)
        there = ~np.isnan(self.values)
        numbers, codes = np.unique(self.values[there], return_inverse=True)
        places = np.full(len(self.values), np.nan)
        places[there] = codes
        return Words(places, tuple(map(level_text, numbers.tolist())))


class _UnusableError(Exception):
    """What a user says of a column does not fit what it holds."""


def cells_of(table: Table) -> dict[str, Cells]:
    """Return all columns, those that were left out too, in the order of the source."""
    used = dict(zip(table.labels, range(len(table.kinds)), strict=True))
    result = {}
    for name in table.columns:
        if name in used:
            kind = table.kinds[used[name]]
            doubts = tuple(doubt for doubt in table.doubts if doubt.column == name)
            result[name] = Cells(table.data[:, used[name]], kind.levels, kind, doubts)
        else:
            gone = table.aside[name]
            result[name] = Cells(gone.values, gone.words, gone.kind)
    return result


def decide(
    table: Table, columns: Any = None, *, place: Callable[[int], str] | None = None, find: bool
) -> Table:
    """Return the table with the kinds of its columns, without those that are no variables.

    Parameters
    ----------
    table : as a reader made it; words are numbered in any order.
    columns : what a user says, by name.
    place : how a message calls the place of a row in a file; None for a table in memory.
    find : whether to look at the columns of which nothing is said; one row shows nothing.

    Examples
    --------
    >>> table = Table(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [9.0, 5.0]]), ("a", "b"))
    >>> decide(table, find=True).left_out
    {'b': 'does not vary'}
    """
    given = check_given(columns, table.columns)
    find = find and len(table.data) > 1
    if not (given or find):
        return table
    used = table.labels
    found = dict(zip(used, find_numbers(table.data, used), strict=True))
    settled: dict[str, Cells] = {}
    wrong, nearly = [], {}
    doubts: list[Doubt] = []
    for name, cells in cells_of(table).items():
        if name not in found and cells.values is not None and cells.words is None:
            found[name] = find_numbers(cells.values[:, None], [name])[0]
        if cells.doubts and not _takes_text(given.get(name)):
            doubts += cells.doubts
        elif name in given:
            try:
                settled[name] = _as_given(cells, given[name], found.get(name, CONTINUOUS))
            except _UnusableError as error:
                wrong.append(f"column {name!r} cannot be {given[name].kind.value}: {error}")
        elif not find:
            settled[name] = cells
        elif cells.words is None:
            settled[name] = replace(cells, kind=found[name]) if name in found else cells
        elif cells.kind.given:
            settled[name] = _as_declared(cells)
        else:
            seen = find_words(cells.text)
            if isinstance(seen, NearlyNumbers):
                nearly[name] = (cells.text, seen)
            else:
                settled[name] = _with_levels(cells, seen)
    misfit = f"{'; '.join(wrong)[0].upper()}{'; '.join(wrong)[1:]}." if wrong else ""
    if doubts:  # of a table in memory, where nobody looks for infinite values before
        rest = rebuilt(table, settled)
        infinite = about_infinite(replace(rest, names=rest.labels))
        words = str(nearly_numbers_error(nearly, place)) if nearly else ""
        refuse([misfit, *about_doubts(doubts), words, infinite])
    refuse([misfit])
    if nearly:
        raise nearly_numbers_error(nearly, place)
    for name in table.rounded:
        if name in settled and settled[name].kind.kind is Kind.CONSTANT:
            kind = replace(settled[name].kind, reason=f"it {ROUNDED}")
            settled[name] = replace(settled[name], kind=kind)
    result = rebuilt(table, settled)
    return with_unordered_codes(result) if find else result


def _takes_text(given: Given | None) -> bool:
    """Whether a column may be any text, as a user says what it is."""
    if given is None or given.levels is not None:
        return given is not None
    return given.kind in (Kind.CATEGORICAL, Kind.BINARY) or not given.kind.is_used


def _with_levels(cells: Cells, kind: ColumnKind) -> Cells:
    """Return the words as the numbers of the levels of a kind."""
    if kind.levels is None:
        return replace(cells, kind=kind)
    text = cells.text
    return Cells(text.relabelled(kind.levels), kind.levels, kind)


def _as_declared(cells: Cells) -> Cells:
    """Take the categories that a frame declares, without those that do not occur."""
    tally = cells.text.tally()
    words = cells.words or ()
    occurring = tuple(word for word, count in zip(words, tally, strict=True) if count)
    ordered = cells.kind.kind is Kind.ORDINAL
    if len(occurring) < 2:
        reason = "it does not vary" if occurring else "it has no value"
        return replace(cells, kind=ColumnKind(Kind.CONSTANT, reason=reason))
    if len(occurring) > MOST_GIVEN:
        reason = f"it has {len(occurring)} categories, more than {MOST_GIVEN}"
        return replace(cells, kind=ColumnKind(Kind.IDENTIFIER, reason=reason))
    kind = Kind.BINARY if len(occurring) == 2 else cells.kind.kind
    levels = occurring if ordered else in_order(occurring)
    reason = f"it is {'an ordered' if ordered else 'a'} categorical column of the frame"
    return _with_levels(cells, ColumnKind(kind, levels, reason, given=True))


def _as_given(cells: Cells, given: Given, found: ColumnKind) -> Cells:
    """Take what a user says of a column, if that can be."""
    kind, levels = given.kind, given.levels
    if not kind.is_used:
        reason = {Kind.IGNORE: "ignored, as given", Kind.REGIME: "regime"}.get(kind, "")
        reason = reason or f"{kind.value}, as given"
        return replace(cells, kind=ColumnKind(kind, reason=reason, given=True))
    if cells.values is None:
        raise _UnusableError(f"{cells.kind.reason or 'it holds no values'}")
    if found.kind is Kind.CONSTANT:
        return replace(cells, kind=found)
    is_text = cells.words is not None
    if levels is None and kind in (Kind.CONTINUOUS, Kind.COUNT) and is_text:
        numbers = numbers_of(cells)
        if numbers is None:
            shown = listed(map(repr, in_order(_occurring(cells.text))), 3)
            raise _UnusableError(f"it holds text ({shown})")
        return Cells(numbers, None, ColumnKind(kind, given=True))
    if levels is None and kind is not Kind.CATEGORICAL and not is_text:
        if kind is Kind.BINARY and found.kind is not Kind.BINARY:
            raise _UnusableError("it has more than two values")
        return replace(cells, kind=ColumnKind(kind, given=True))
    text = cells.text
    occurring = _occurring(text)
    if len(occurring) < 2:
        return replace(cells, kind=ColumnKind(Kind.CONSTANT, reason="it does not vary"))
    if len(occurring) > MOST_GIVEN:
        raise _UnusableError(f"it has {len(occurring)} levels, and {MOST_GIVEN} is the most")
    if kind is Kind.BINARY and levels is None and len(occurring) > 2:
        raise _UnusableError(f"it has {plural(len(occurring), 'level')}")
    if levels is None:
        declared = cells.kind.levels or ()
        keeps = kind is Kind.ORDINAL and cells.kind.kind is Kind.ORDINAL
        levels = tuple(w for w in declared if w in occurring) if keeps else in_order(occurring)
    else:
        unknown = [repr(word) for word in in_order(occurring) if word not in levels]
        if unknown:
            raise _UnusableError(f"it holds {listed(unknown)} too; name all levels")
        levels = tuple(level for level in levels if level in occurring)
        kind = Kind.BINARY if len(levels) == 2 else kind
    reason = f"levels {', '.join(levels)}" if len(levels) <= 6 else f"{len(levels)} levels"
    return _with_levels(cells, ColumnKind(kind, levels, f"it was given with {reason}", given=True))


def _occurring(text: Words) -> list[str]:
    """Return the words that occur."""
    tally = text.tally()
    return [word for word, count in zip(text.words, tally, strict=True) if count]


def numbers_of(cells: Cells) -> Array | None:
    """Return words that were numbers as numbers; None where one is not."""
    try:
        numbers = np.array([*map(float, cells.words or ()), np.nan])
    except ValueError:
        return None
    values = np.empty(0) if cells.values is None else cells.values
    places = np.where(np.isnan(values), len(numbers) - 1, values).astype(np.intp)
    return np.asarray(numbers[places])


def rebuilt(table: Table, settled: Mapping[str, Cells]) -> Table:
    """Put the columns together again: those that are used, and beside them the others."""
    used = {name: cells for name, cells in settled.items() if _is_used(cells)}
    aside = {
        name: LeftOut(cells.kind, cells.values, cells.words)
        for name, cells in settled.items()
        if name not in used
    }
    left_out = {name: gone.kind.reason.removeprefix("it ") for name, gone in aside.items()}
    kinds = tuple(cells.kind for cells in used.values())
    data = table.data
    if tuple(used) != table.labels or any(kind.levels is not None for kind in kinds):
        columns = [cells.values for cells in used.values() if cells.values is not None]
        data = np.column_stack([np.empty((len(data), 0)), *columns])
    names = None if table.names is None else tuple(used)
    return replace(
        table,
        data=data,
        names=names,
        kinds=kinds,
        left_out=left_out,
        aside=aside,
        source=tuple(settled),
    )


def _is_used(cells: Cells) -> bool:
    """Whether a column is a variable of the graph."""
    return cells.kind.kind.is_used and cells.values is not None


def without_constant(table: Table) -> Table:
    """Leave out what no longer varies once rows were left out, and levels that no row has."""
    settled = {}
    for name, cells in cells_of(table).items():
        settled[name] = cells
        if not _is_used(cells) or cells.values is None:
            continue
        there = cells.values[~np.isnan(cells.values)]
        if not len(there):
            continue
        if there.min() == there.max():
            still = ColumnKind(Kind.CONSTANT, reason=f"it {STILL}")
            settled[name] = replace(cells, kind=still)
        elif cells.kind.levels is not None:
            levels = tuple(cells.kind.levels[k] for k in np.unique(there).astype(int))
            if len(levels) < len(cells.kind.levels):
                kind = Kind.BINARY if len(levels) == 2 else cells.kind.kind
                settled[name] = _with_levels(cells, replace(cells.kind, kind=kind, levels=levels))
    changed = any(settled[name].kind is not cells.kind for name, cells in cells_of(table).items())
    return rebuilt(table, settled) if changed else table
