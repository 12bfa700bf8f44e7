"""From the lines of a text to its rows, cells as they are written; what ends no row is said."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from daglock.errors import InvalidDataError
from daglock.table.cells import is_comment
from daglock.table.columns import open_quote
from daglock.table.limits import Limits

# In text separated by blanks: what is quoted stays, runs of blanks become one.
_BLANKS = re.compile(r'("[^"\r\n]*")|[ \t]+')
_LONE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True)
class Record:
    """A row as text."""

    cells: list[str]
    first: int  # its first and its last line, counted from 1
    last: int
    is_long: bool = False  # it ends in a cell that is too long, and there is no more of it


def lines_of(text: str) -> list[str]:
    """Lines with their ends, as an editor counts them."""
    return list(io.StringIO(text, newline=""))


def records(
    lines: Iterable[str], separator: str, first_line: int = 1, most: int = Limits.cell
) -> Iterator[Record]:
    """Cells of each row that is not blank; ends at a cell of more than ``most`` characters.

    ``first_line`` is the number of the first of the lines.
    """
    last = ""

    def watched() -> Iterator[str]:
        nonlocal last
        for line in lines:
            last = line
            yield line

    reader = csv.reader(watched(), delimiter=separator)
    begin = first_line
    before = csv.field_size_limit(most)
    try:
        for cells in reader:
            if cells:
                yield Record(cells, begin, first_line + reader.line_num - 1)
            begin = first_line + reader.line_num
    except csv.Error:  # a cell that is too long, or a quote that never ends
        yield Record([], begin, begin, len(last) > most)
    finally:
        csv.field_size_limit(before)


def unreadable_error(record: Record, label: str, most: int) -> InvalidDataError:
    """Build the error about a row that `records` could not read to its end."""
    if record.is_long:
        return long_cell_error(f"Line {record.first}", label, most)
    return open_quote(f"line {record.first}", label)


def long_cell_error(place: str, label: str, most: int) -> InvalidDataError:
    """Build the error about a cell that is too long."""
    return InvalidDataError(
        f"{place} of {label} has a cell of more than {most:,} characters: mend it, or, if that is "
        "meant, give --max-cell N (max_cell in Python)."
    )


def is_filler(cells: list[str], n_columns: int) -> bool:
    """Whether a row that has another number of cells is no data: blank, or a comment."""
    return len(cells) != n_columns and bool(not any(map(str.strip, cells)) or is_comment(cells[0]))


def squeeze(text: str) -> str:
    r"""Put one blank between the cells of text that is separated by runs of blanks.

    Examples
    --------
    >>> squeeze('  "a b"   c\n 1\t2  ')
    '"a b" c\n1 2'
    """
    text = _LONE_RETURN.sub("\n", text)  # a line more for the patterns, and for an editor, too
    lines = (line.strip(" \t\r") + "\r" * line.endswith("\r") for line in text.split("\n"))
    return _BLANKS.sub(lambda found: found[1] or " ", "\n".join(lines))
