"""Lines that have another number of cells than the table has columns: told, left out or filled up.

Without a word of the user they are refused, all of them at once. A line that is left out becomes an
empty one, so that all others keep their numbers.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.layout import Record, is_filler, separator_name, unreadable_error
from daglock.wording import listed, plural

RAGGED = ("fill", "drop")
# So many lines are named.
_SHOWN = 8


class Fault(NamedTuple):
    """A row with too few or too many cells, and its first and last line."""

    cells: int
    first: int
    last: int


def check_ragged(ragged: str | None) -> None:
    """Raise unless it says what is to be done about lines that are too short or too long."""
    if ragged is not None and ragged not in RAGGED:
        raise InvalidParameterError(f"ragged must be {' or '.join(RAGGED)}; got {ragged!r}.")


def find_faults(records: Iterable[Record], width: int, label: str, most: int) -> list[Fault]:
    """Return all rows that have another number of cells, blank lines and remarks aside."""
    faults = []
    for record in records:
        if not record.cells:
            raise unreadable_error(record, label, most)
        if len(record.cells) != width and not is_filler(record.cells, width):
            faults.append(Fault(len(record.cells), record.first, record.last))
    return faults


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
    raw: bytes, faults: Sequence[Fault], how: str, width: int, separator: str, first_line: int
) -> tuple[bytes, list[str]]:
    r"""Return the text without its faults, and what was done in words.

    Examples
    --------
    >>> faults = [Fault(1, 2, 2), Fault(3, 3, 3)]
    >>> text, notes = mended(b"1,2\n3\n4,5,6\n", faults, "fill", 2, ",", first_line=1)
    >>> text
    b'1,2\n3,\n\n'
    >>> notes[0]
    'Filled up with missing values at the end: 1 line with fewer than 2 cells: 2 (1 cell).'
    """
    lines = list(io.StringIO(raw.decode(), newline=""))
    filled = [fault for fault in faults if how == "fill" and fault.cells < width]
    dropped = [fault for fault in faults if fault not in filled]
    for fault in filled:
        last = fault.last - first_line
        text = lines[last].rstrip("\r\n")
        lines[last] = text + separator * (width - fault.cells) + lines[last][len(text) :]
    for fault in dropped:
        for at in range(fault.first - first_line, fault.last - first_line + 1):
            lines[at] = lines[at][len(lines[at].rstrip("\r\n")) :]
    notes = []
    if filled:
        notes.append(
            f"Filled up with missing values at the end: {plural(len(filled), 'line')} with fewer "
            f"than {plural(width, 'cell')}: {_lines(filled)}."
        )
    if dropped:
        other = f"more than {width}" if how == "fill" else f"another number than {width}"
        notes.append(
            f"Left out: {plural(len(dropped), 'line')} with {other} cells: {_lines(dropped)}."
        )
    return "".join(lines).encode(), notes


def _lines(faults: Sequence[Fault]) -> str:
    """Return the numbers of some lines with their cells."""
    return listed((f"{fault.first} ({plural(fault.cells, 'cell')})" for fault in faults), _SHOWN)
