"""Lines that have another number of cells than the table has columns: told, left out or filled up.

Without a word of the user they are refused, all of them at once, but for those that can be read in
one way only (`unquestioned`), which a note names. A line that is left out becomes an empty one, so
that all others keep their numbers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.cells import is_missing, is_number, is_plain_number
from daglock.table.columns import open_quote
from daglock.table.layout import SEPARATORS, separator_name
from daglock.table.records import Record, is_filler, unreadable_error
from daglock.wording import listed, plural

RAGGED = ("fill", "drop")
# So many lines are named.
_SHOWN = 8


class Fault(NamedTuple):
    """A row with too few or too many cells, its lines, and what it means where that is clear."""

    cells: int
    first: int
    last: int
    meant: tuple[str, ...] = ()


def check_ragged(ragged: str | None) -> None:
    """Raise unless it says what is to be done about lines that are too short or too long."""
    if ragged is not None and ragged not in RAGGED:
        raise InvalidParameterError(f"ragged must be {' or '.join(RAGGED)}; got {ragged!r}.")


def find_faults(
    records: Iterable[Record], width: int, separator: str, label: str, most: int
) -> list[Fault]:
    """Return all rows that have another number of cells, blank lines and remarks aside."""
    faults = []
    record = None
    for record in records:
        if not record.cells:
            raise unreadable_error(record, label, most)
        if len(record.cells) != width and not is_filler(record.cells, width):
            meant = unquestioned(record.cells, width, separator)
            faults.append(Fault(len(record.cells), record.first, record.last, meant))
    if record is not None and faults and faults[-1].last == record.last:
        whole = "".join(record.cells)
        if "\n" in whole or "\r" in whole:  # a quote goes on to the end and has swallowed all rows
            raise open_quote(f"line {record.first}", label)
    return faults


def unquestioned(cells: Sequence[str], width: int, separator: str) -> tuple[str, ...]:
    """Return the cells that a line means though they are not as many; none where that is in doubt.

    That is a line with a number in each column and empty cells beyond, and one of a single cell
    that another separator, or a quote around the line, keeps from being as many numbers as there
    are columns.

    Examples
    --------
    >>> unquestioned(["1", "2", ""], 2, ","), unquestioned(["1;2"], 2, ",")
    (('1', '2'), ('1', '2'))
    >>> unquestioned(["1", "", "2"], 2, ","), unquestioned(["1,5"], 2, ";")
    ((), ())
    """
    if len(cells) > width:
        filled = all(map(is_plain_number, cells[:width]))
        return tuple(cells[:width]) if filled and not any(map(str.strip, cells[width:])) else ()
    if len(cells) == 1 and not is_number(cells[0]):
        for mark in SEPARATORS:
            parts = cells[0].split(None if mark == " " else mark)
            # a comma may be the decimal mark where something else separates
            is_mark = mark != "," or separator == ","
            if is_mark and len(parts) == width and _are_numbers(parts):
                return tuple(parts)
    return ()


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether cells are plain numbers or missing, and one of them a number."""
    numbers = list(map(is_plain_number, cells))
    known = all(is_one or is_missing(cell) for is_one, cell in zip(numbers, cells, strict=True))
    return known and any(numbers)


def ragged_error(
    faults: Sequence[Fault], label: str, width: int, separator: str
) -> InvalidDataError:
    """Build the error that names all lines that are too short or too long, or how many they are."""
    first, *others = faults
    more, mend = "", "mend that line"
    if others:
        more = f"; {plural(len(others), 'other line')} too: {_lines(others)}"
        mend = "mend them"
    return InvalidDataError(
        f"Line {first.first} of {label} has {plural(first.cells, 'cell')}, but the table has "
        f"{plural(width, 'column')} (separated by {separator_name(separator)}){more}: {mend}, give "
        "--ragged drop to leave such lines out or --ragged fill to fill up short ones, or give "
        "--separator."
    )


def mended(
    raw: bytes, faults: Sequence[Fault], how: str | None, width: int, separator: str, above: int
) -> tuple[bytes, list[str]]:
    r"""Return the text without its faults, and what was done in words; ``above`` are lines above.

    Examples
    --------
    >>> faults = [Fault(1, 2, 2), Fault(3, 3, 3), Fault(3, 4, 4, ("7", "8"))]
    >>> text, notes = mended(b"1,2\n3\n4,5,6\n7,8,\n", faults, "fill", 2, ",", above=0)
    >>> text
    b'1,2\n3,\n\n7,8\n'
    >>> notes[1]
    'Filled up with missing values at the end: 1 line with fewer than 2 cells: 2 (1 cell).'
    """
    lines = list(io.StringIO(raw.decode(), newline=""))
    clear = [fault for fault in faults if fault.meant]
    rest = [fault for fault in faults if not fault.meant]
    filled = [fault for fault in rest if how == "fill" and fault.cells < width]
    dropped = [fault for fault in rest if fault not in filled]
    for fault in faults:
        for at in range(fault.first - above - 1, fault.last - above):
            text = lines[at].rstrip("\r\n")
            end = lines[at][len(text) :]
            if fault.meant:
                text = _joined(fault.meant, separator) if at == fault.first - above - 1 else ""
            elif fault in filled:
                text += separator * (width - fault.cells) if at == fault.last - above - 1 else ""
            else:
                text = ""
            lines[at] = text + end
    notes = []
    beyond = [fault for fault in clear if fault.cells > width]
    other = [fault for fault in clear if fault.cells < width]
    if beyond:
        notes.append(
            f"Empty cells beyond the last column were passed over in {plural(len(beyond), 'line')}:"
            f" {_lines(beyond)}."
        )
    if other:
        notes.append(
            f"Cells are separated otherwise, and were read so, in {plural(len(other), 'line')}: "
            f"{_lines(other)}."
        )
    if filled:
        notes.append(
            f"Filled up with missing values at the end: {plural(len(filled), 'line')} with fewer "
            f"than {plural(width, 'cell')}: {_lines(filled)}."
        )
    if dropped:
        number = f"more than {width}" if how == "fill" else f"another number than {width}"
        notes.append(
            f"Left out: {plural(len(dropped), 'line')} with {number} cells: {_lines(dropped)}."
        )
    return "".join(lines).encode(), notes


def _joined(cells: Sequence[str], separator: str) -> str:
    """Return cells as a line, without its end."""
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="").writerow(cells)
    return line.getvalue()


def _lines(faults: Sequence[Fault]) -> str:
    """Return the numbers of some lines with their cells."""
    return listed((f"{_place(fault)} ({plural(fault.cells, 'cell')})" for fault in faults), _SHOWN)


def _place(fault: Fault) -> str:
    """Return the line of a row, or its first and its last one."""
    return f"{fault.first}" if fault.first == fault.last else f"{fault.first} to {fault.last}"
