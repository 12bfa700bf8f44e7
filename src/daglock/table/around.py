"""What stands below and between the rows of a table of numbers and is none of them.

Where all cells are numbers a line without one is no row: below the last row it is passed over, and
so is the header where it comes again. All else that is no number is for `cells` to refuse. A note
names the lines.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from daglock.table.cells import is_comment, is_missing, is_number
from daglock.table.layout import NEARLY, Layout
from daglock.table.records import lines_of, records
from daglock.wording import listed, plural

# Rows that tell whether all is numbers, and bytes at the end in which a footer is looked for.
_ROWS = 20
_TAIL = 1 << 16
_GLANCE = 1 << 18
_SHOWN = 8
BLANK = re.compile(rb"\n[ \t]*\r?\n(?=[^\r\n])")


class Kept(NamedTuple):
    """The rows of a file, and what was passed over in words."""

    raw: bytes
    notes: tuple[str, ...]


def rows_alone(raw: bytes, layout: Layout) -> Kept:
    r"""Return the text below a header without what is no row of numbers.

    Examples
    --------
    >>> layout = Layout(",", ("a", "b"), 2, body_line=2, body_byte=4)
    >>> kept = rows_alone(b"1,2\na,b\n3,4\n\nSource: me\n", layout)
    >>> kept.raw
    b'1,2\n\n3,4\n\n'
    >>> kept.notes[1]
    'The header stands again, and was passed over, in 1 line: 3.'
    """
    rest, below = _without_footer(raw, layout)
    rest, again = _without_header(rest, layout)
    if not _are_numbers(rest, layout):
        return Kept(raw, ())
    notes = []
    if below:
        place = f"line {below[0]}" if len(below) == 1 else f"lines {below[0]} to {below[-1]}"
        notes.append(f"What stands below the rows is no table and was passed over: {place}.")
    if again:
        where = listed(map(str, again), _SHOWN)
        notes.append(
            f"The header stands again, and was passed over, in {plural(len(again), 'line')}: "
            f"{where}."
        )
    blank = None if again else BLANK.search(rest)
    if blank is not None:
        notes.append(about_blank(layout.body_line + _line_ends(rest[: blank.start() + 1])))
    return Kept(rest, tuple(notes))


def about_blank(line: int) -> str:
    """Say that a table goes on below a blank line: it may be another one."""
    return (
        f"There are rows below a blank line (line {line}), which were taken as part of the table."
    )


def _are_numbers(raw: bytes, layout: Layout) -> bool:
    """Whether the first rows hold numbers alone, and each column one."""
    lines = lines_of(raw[:_GLANCE].decode("utf-8", "ignore"))
    rows = [row.cells for row in islice(records(lines, layout.separator), _ROWS)]
    there = [cells for cells in rows if len(cells) == layout.n_columns]
    for column in zip(*there, strict=True):
        cells = [cell for cell in column if not is_missing(cell)]
        if not cells or sum(map(is_number, cells)) < NEARLY * len(cells):
            return False
    return bool(there)


def _without_footer(raw: bytes, layout: Layout) -> tuple[bytes, list[int]]:
    """Return the text without lines at its end that hold words alone, and which they are."""
    begin = max(0, len(raw) - _TAIL)
    lines = lines_of(raw[begin:].decode("utf-8", "ignore"))
    last = at = len(lines)
    for k in range(len(lines) - 1, -1 if begin == 0 else 0, -1):
        if _is_footer(lines[k], layout.separator):
            at = k
        elif lines[k].strip(f'{layout.separator} \t\r\n"') and not is_comment(lines[k]):
            break
    if at == last or at == 0:
        return raw, []
    cut = len("".join(lines[at:]).encode())
    first = layout.body_line + len(lines_of(raw[: len(raw) - cut].decode()))
    return raw[: len(raw) - cut], list(range(first, first + last - at))


def _is_footer(line: str, separator: str) -> bool:
    """Whether a line holds words and no number."""
    record = next(records([line], separator), None)
    if record is None or is_comment(line):
        return False
    words = [cell for cell in record.cells if not is_missing(cell)]
    return bool(words) and not any(map(is_number, words)) and '"' not in "".join(words)


def _without_header(raw: bytes, layout: Layout) -> tuple[bytes, list[int]]:
    """Return the text with an empty line where the header stands again, and where that is."""
    if layout.names is None or not layout.names[0]:
        return raw, []
    names, again = list(layout.names), []
    begins = re.compile(rb"(?m)^[ \t\"']*" + re.escape(layout.names[0].encode()) + rb"[^\r\n]*")

    def emptied(found: re.Match[bytes]) -> bytes:
        record = next(records([found[0].decode("utf-8", "ignore")], layout.separator), None)
        if record is None or [cell.strip() for cell in record.cells] != names:
            return found[0]
        again.append(layout.body_line + _line_ends(raw[: found.start()]))
        return b""

    return begins.sub(emptied, raw), again


def _line_ends(raw: bytes) -> int:
    """Return how many lines end in a text."""
    return len(lines_of(raw.decode("utf-8", "ignore")))
