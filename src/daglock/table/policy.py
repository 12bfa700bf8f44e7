"""The policy: what is done about words, missing, infinite and constant values, and what is said.

In this order, whoever asks: `DAGLock` or the command line. Infinite values are refused. Rows of a
file without any value are no rows. What each column is, is decided next (`deciding`): what is no
variable, or has no value, is left out, numbers with words among them are refused, and two columns
must be left. Rows with missing values are refused, left out, or kept with their gaps,
as is asked for; two rows must be left; columns that no longer vary are left out. `Moments` takes
numbers alone and refuses columns that do not vary. A table from a file speaks of lines and of
options of the command line, others of rows and of parameters.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daglock.errors import InvalidCellError, InvalidDataError, InvalidParameterError, refuse
from daglock.table.finding import counts_rows
from daglock.table.table import BLANK, INCOMPLETE, NOTHING, Table
from daglock.table.words import NearlyNumbers, Words
from daglock.typing import Array, BoolArray
from daglock.wording import Finding, listed, plural

MISSING = ("refuse", "drop", "model")
# So many columns are shown where more cannot be used.
MOST_SHOWN = 10


# --- names, and how messages call columns


def check_names(names: Sequence[str] | None, d: int) -> tuple[str, ...] | None:
    """Return names as a tuple of d different strings, or raise."""
    if names is None:
        return None
    labels = tuple(map(str, names))
    if len(labels) != d:
        raise InvalidDataError(f"There are {len(labels)} names for {d} columns.")
    if len(set(labels)) != d:
        twice = Counter(labels).most_common(1)[0][0]
        raise InvalidDataError(f"Column names must differ; {twice!r} occurs more than once.")
    return labels


def column(names: Sequence[str] | None, j: int) -> str:
    """Return how a message calls a column."""
    return f"column {j}" if names is None else f"column {names[j]!r}"


def columns_are(columns: Sequence[int], names: Sequence[str] | None) -> str:
    """Return the start of a sentence about columns.

    Examples
    --------
    >>> columns_are([0, 2], ["a", "b", "c"]), columns_are([1], None)
    ("Columns 'a', 'c' are", 'Column 1 is')
    """
    called = listed((str(j) if names is None else repr(names[j]) for j in columns), 10)
    word, verb = ("Column", "is") if len(columns) == 1 else ("Columns", "are")
    return f"{word} {called} {verb}"


def as_argument(names: Sequence[str]) -> str:
    r"""Return names as a shell takes them, for an option like ``--drop``.

    Examples
    --------
    >>> as_argument(["a", "b c", "d,e"])
    '\'a,b c,"d,e"\''
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return shlex.quote(line.getvalue())


# --- what is no number


def is_gap(cell: Any) -> bool:
    """Whether an object stands for no value: None, not a number, and what pandas calls NA and NaT.

    Examples
    --------
    >>> is_gap(None), is_gap(float("nan")), is_gap("None"), is_gap(np.zeros(2))
    (True, True, False, False)
    """
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):  # NA says neither yes nor no, an array one for each cell
        return type(cell).__name__ == "NAType"


def shown_cell(cell: Any) -> str:
    """Return an object as a message shows it, in one short line.

    Examples
    --------
    >>> shown_cell([1, 2]), shown_cell(np.zeros((2, 2)))
    ('[1, 2]', 'array([[0., 0.], [0., 0.]])')
    """
    text = " ".join((type(cell).__name__ if isinstance(cell, int) else repr(cell)).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def as_floats(
    cells: NDArray[Any],
    names: Sequence[str] | None,
    first_column: int = 0,
    wanted: str = "The data must be numbers",
) -> Array:
    """Convert Python objects to floats, gaps to NaN, or name the first that is not a number."""
    result = np.empty(cells.shape)
    for j in range(cells.shape[1]):
        for i, cell in enumerate(cells[:, j]):
            try:
                if isinstance(cell, str | bytes):
                    raise ValueError
                result[i, j] = np.nan if is_gap(cell) else float(cell)
            except (TypeError, ValueError, OverflowError) as error:
                raise InvalidCellError(
                    f"{wanted}, but row {i} of {column(names, first_column + j)} holds "
                    f"{shown_cell(cell)}: encode or remove that column."
                ) from error
    return result


def nearly_numbers_error(
    columns: Mapping[str, tuple[Words, NearlyNumbers]], place: Callable[[int], str] | None
) -> InvalidDataError:
    """Build the error about columns of numbers with words among them, each with its words."""
    shown: list[str] = []
    words: list[str] = []
    for name, (text, found) in columns.items():
        if len(shown) < MOST_SHOWN:
            row = int(np.argmax(text.codes == text.words.index(found.words[0])))
            where = f"row {row}" if place is None else place(row)
            also = [shown_text(word) for word in found.words[1:4]]
            more = f", also {listed(also, of=len(found.words) - 1)}" if also else ""
            times = "" if found.counts[0] == 1 else f", {found.counts[0]:,} times"
            shown.append(f"{name!r} ({shown_text(found.words[0])} in {where}{times}{more})")
        words += [] if found.unit or found.marks_differ else found.words
    one = len(columns) == 1
    ways, different = [], dict.fromkeys(words)
    if 0 < len(different) <= MOST_SHOWN:
        options = " ".join(f"--na={shlex.quote(word)}" for word in different)
        missing = "replace the words by NaN" if place is None else f"with {options}"
        ways.append(missing if place is None else f"make the words missing {missing}")
    units = sorted({found.unit for _, found in columns.values() if found.unit})
    if units:
        ways.append(f"take off the unit ({', '.join(units)})")
    if any(found.marks_differ for _, found in columns.values()):
        ways.append("make the decimal mark the same in all cells")
    first = next(iter(columns))
    if place is None:
        kinds, drop = (
            f"columns={{{first!r}: 'categorical'}}",
            f" with columns={{{first!r}: 'ignore'}}",
        )
    else:
        kinds, drop = "--columns FILE.yaml", f" with --drop {as_argument(list(columns))}"
        if len(columns) > MOST_SHOWN:
            drop = " with --drop, or choose columns with --columns"
    ways.append(f"make the {'column' if one else 'columns'} categorical with {kinds}")
    return InvalidDataError(
        f"{'This column is' if one else f'These {len(columns)} columns are'} not numeric: "
        f"{listed(shown, MOST_SHOWN, of=len(columns))}. {_sentence(ways)}, or leave "
        f"{'it' if one else 'them'} out{drop}."
    )


def shown_text(text: str) -> str:
    """Return a cell of text as a message shows it."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _sentence(ways: Sequence[str]) -> str:
    """Return ways out as the beginning of a sentence."""
    text = ", ".join(ways)
    return text[0].upper() + text[1:]


def too_few_error(table: Table, hint: str = "") -> InvalidDataError:
    """Build the error about a table of which fewer than two columns can be used."""
    labels = table.labels
    found = f"only {labels[0]!r} is there" if labels else "there is none"
    if table.left_out:
        gone = listed((f"{name!r} ({why})" for name, why in table.left_out.items()), MOST_SHOWN)
        found = f"{f'only {labels[0]!r}' if labels else 'none'} is left without {gone}"
    return InvalidDataError(f"At least two columns are needed to learn a graph; {found}{hint}.")


def infinite_cell_error(name: str, cell: str, place: str) -> InvalidDataError:
    """Build the error about a number in a file that is too large."""
    return InvalidDataError(
        f"Column {name!r} holds {cell} in {place}, which is infinite: mend it or leave that row "
        "out."
    )


def about_infinite(table: Table) -> str:
    """Name the columns with infinite values, if there are any; a file is refused earlier."""
    infinite = np.flatnonzero(np.isinf(table.data).any(axis=0))
    if not infinite.size:
        return ""
    j = int(infinite[0])
    row = int(np.isinf(table.data[:, j]).argmax())
    return (
        f"{columns_are(infinite.tolist(), table.names)} infinite (inf) in places, the first in "
        f"row {row} of {column(table.names, j)} (rows counted from 0): mend or remove those "
        "rows."
    )


def require_size(shape: tuple[int, ...], at_least: int) -> None:
    """Raise unless there are so many rows and columns, in the words of scikit-learn."""
    for count, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if count < at_least:
            raise InvalidDataError(
                f"Found a table with {count} {what} (shape=({shape[0]}, {shape[1]})) while a "
                f"minimum of {at_least} is required."
            )


def require_finite(block: NDArray[Any], names: Sequence[str] | None, first_row: int) -> None:
    """Raise the error that names the first missing or infinite value, if there is one."""
    bad = ~np.isfinite(block)
    count = int(bad.sum())
    if count:
        i, j = (int(k) for k in np.unravel_index(int(bad.argmax()), bad.shape))
        raise InvalidDataError(
            f"{count} value(s) are missing or infinite, the first in row {first_row + i} of "
            f"{column(names, j)} (rows counted from 0): fill them in or remove those rows."
        )


# --- missing values


def check_missing(missing: str) -> None:
    """Raise unless it says what is to be done about missing values."""
    if missing not in MISSING:
        known = f"{', '.join(MISSING[:-1])} or {MISSING[-1]}"
        raise InvalidParameterError(f"missing must be {known}; got {missing!r}.")


def complete_rows(table: Table, missing: str) -> Table:
    """Return the table without rows that have missing values, if they may be dropped.

    Where gaps are to be modelled they are kept, but for rows without any value.
    """
    gaps = np.isnan(table.data)
    bad = np.asarray(gaps.any(axis=1))
    # without names, those that are left keep the numbers that they had
    named = replace(table, names=table.labels) if table.left_out else table
    refuse([about_infinite(named), _refused(named, gaps, bad) if missing == "refuse" else ""])
    if not bad.any():
        return table
    if missing == "model":
        blank = np.asarray(gaps.all(axis=1))
        return table.without(blank, NOTHING) if blank.any() else table
    if len(bad) - bad.sum() < 2:
        raise _none_left(table, gaps, bad)
    return table.without(bad, INCOMPLETE)


def find_faults(table: Table) -> tuple[list[Finding], Table]:
    """Return what is in the way of a table from a file, and what is left without that.

    A warning is a reason to refuse it; of missing values there is a note.
    """
    faults = []
    names = table.labels
    gaps = np.isnan(table.data)
    bad = np.asarray(gaps.any(axis=1))
    if bad.any():
        share = gaps.mean(axis=0)
        worst = np.argsort(-share, kind="stable")[: int((share > 0).sum())]
        by_column = listed([f"{names[j]} ({share[j]:.1%})" for j in worst])
        text = (
            f"{int(bad.sum()):,} of {plural(len(bad), 'row')} have one, the first in "
            f"{table.first_missing}; by column: {by_column}. learn keeps these rows and models "
            "what is missing, which is right where what is there tells why; with --missing drop it "
            f"uses the other {plural(int((~bad).sum()), 'row')}."
        )
        faults.append(Finding("note", "Missing values", text))
        table = table.without(bad, INCOMPLETE)
    if len(names) < 2:
        faults.append(Finding("warning", "Too few columns", str(too_few_error(table))))
    return faults, table


def _refused(table: Table, gaps: BoolArray, bad: BoolArray) -> str:
    """Say which values are missing, if some are."""
    count, n = int(bad.sum()), len(bad)
    if not count:
        return ""
    if table.first_missing:
        return (
            f"{count} of {plural(n, 'row')} {'has' if count == 1 else 'have'} missing values, the "
            f"first in {table.first_missing}: keep these rows and model what is missing with "
            "--missing model, or leave them out with --missing drop."
        )
    missing = gaps.sum(axis=0)
    columns = np.flatnonzero(missing)
    shown = ", ".join(f"{missing[j]} in {column(table.names, int(j))}" for j in columns[:5])
    more = f" and more in {columns.size - 5} other columns" if columns.size > 5 else ""
    return (
        f"Values are missing (NaN): {shown}{more}. Let missing='model' keep these rows and model "
        f"what is missing, or missing='drop' leave out {count} of the {n} rows."
    )


def _none_left(table: Table, gaps: BoolArray, bad: BoolArray) -> InvalidDataError:
    """Build the error about rows that nearly all have a missing value."""
    left = int((~bad).sum())
    share = gaps.mean(axis=0)
    worst = int(share.argmax())
    if table.first_missing:
        return InvalidDataError(
            f"Without rows that have missing values {plural(left, 'row')} would be left; "
            f"{column(table.names, worst)} has no value in {share[worst]:.0%} of the rows: leave "
            "out such columns with --drop, or keep the rows with --missing model."
        )
    return InvalidDataError(
        f"Only {left} of the {len(bad)} rows have no missing value: leave out the columns "
        f"with the most gaps, such as {column(table.names, worst)}, or keep the rows with "
        "missing='model'."
    )


def without_blank_rows(table: Table) -> Table:
    """Leave out rows without any value, with a note."""
    blank = np.asarray(np.isnan(table.data).all(axis=1))
    if not blank.any():
        return table
    note = f"Left out: {plural(int(blank.sum()), 'row')} {BLANK}."
    return replace(table.without(blank, BLANK), notes=(*table.notes, note))


def with_first_missing(table: Table, place: Callable[[int], str]) -> Table:
    """Remember where the first missing cell is."""
    gaps = np.isnan(table.data)
    rows = gaps.any(axis=1)
    if not rows.any():
        return table
    row = int(rows.argmax())
    j = int(gaps[row].argmax())
    return replace(table, first_missing=f"{place(row)}, {column(table.names, j)}")


# --- what a column is, and which regime a row belongs to


def with_counters_questioned(table: Table) -> Table:
    """Note which columns may be no variables: they count the rows."""
    notes = [
        f"Column {name!r} counts the rows: if it is no variable, leave it out with "
        f"--drop {as_argument([name])}."
        for name, values in zip(table.labels, table.data.T, strict=True)
        if counts_rows(values)
    ]
    return replace(table, notes=(*table.notes, *notes))


def about_constant(constant: BoolArray, names: Sequence[str] | None) -> str:
    """Name the columns that do not vary, if there are any."""
    still = listed([column(names, int(j)) for j in np.flatnonzero(constant)], 5)
    return f"These columns do not vary; remove them: {still}." if still else ""


def refuse_constant(constant: BoolArray, names: Sequence[str] | None) -> None:
    """Raise the error that names the columns that do not vary, if any."""
    refuse([about_constant(constant, names)])


def rows_by_regime(labels: ArrayLike, n: int) -> list[tuple[Hashable, NDArray[np.intp]]]:
    """Each label, in order of appearance, with its rows."""
    values = np.asarray(labels)
    if values.shape != (n,):
        raise InvalidDataError(
            f"labels must give one regime for each of the {n} rows; its shape is {values.shape}."
        )
    rows: dict[Hashable, list[int]] = {}
    for row, label in enumerate(values.tolist()):
        rows.setdefault(label, []).append(row)
    return [(label, np.array(index, dtype=np.intp)) for label, index in rows.items()]
