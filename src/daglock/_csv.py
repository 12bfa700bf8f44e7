"""Rows as CSV: names stay names, and no spreadsheet takes one for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

# Text that a spreadsheet would run; an apostrophe before it makes it text. One that begins with
# apostrophes already gets one more, so that each text can be told from all others.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r]")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    r"""Return rows as CSV in which only numbers stand without quotes.

    Text that begins with one of = + - @, a tab or a carriage return has an apostrophe before it.

    Examples
    --------
    >>> csv_text([["name", "size"], ["7", -0.5], ["=1+1", 2]])
    '"name","size"\n"7",-0.5\n"\'=1+1",2\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows(
        [escaped(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return text.getvalue()


def csv_rows(text: str) -> list[list[str]]:
    r"""Return the rows of what `csv_text` wrote, each cell as text, as it was.

    Examples
    --------
    >>> csv_rows(csv_text([["=1+1", "'=1+1", "it's", -0.5]]))
    [['=1+1', "'=1+1", "it's", '-0.5']]
    """
    rows = csv.reader(io.StringIO(text, newline=""))
    return [[cell[1:] if _ESCAPED.match(cell) else cell for cell in row] for row in rows]


def escaped(text: str) -> str:
    """Return text as a cell that nothing runs."""
    return f"'{text}" if _FORMULA.match(text) else text
