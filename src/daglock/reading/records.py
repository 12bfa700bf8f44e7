"""Cells of the first lines, and the line of a row: Python's csv module, which counts lines.

pyarrow reads the table; it does not say where in the file a row stands.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from daglock.reading.cells import is_comment

# In text separated by blanks: what is quoted stays, runs of blanks become one.
_BLANKS = re.compile(r'("[^"\r\n]*")|[ \t]+')
_LONE_RETURN = re.compile(r"\r(?!\n)")
_EDGES = re.compile(r"(?m)^[ \t]+|[ \t]+(?=\r?$)")


@dataclass(frozen=True)
class Record:
    """A row as text."""

    cells: list[str]
    first: int  # its first and its last line, counted from 1
    last: int


def lines_of(text: str) -> list[str]:
    """Lines with their ends, as an editor counts them."""
    return list(io.StringIO(text, newline=""))


def records(lines: Iterable[str], separator: str, first_line: int = 1) -> Iterator[Record]:
    """Cells of each row that is not blank; ends at a cell that is longer than any cell should be.

    ``first_line`` is the number of the first of the lines.
    """
    reader = csv.reader(lines, delimiter=separator)
    begin = first_line
    while True:
        try:
            cells = next(reader, None)
        except csv.Error:  # a quote that never ends
            yield Record([], begin, begin)
            return
        if cells is None:
            return
        if cells:
            yield Record(cells, begin, first_line + reader.line_num - 1)
        begin = first_line + reader.line_num


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
    return _BLANKS.sub(lambda found: found[1] or " ", _EDGES.sub("", text))
