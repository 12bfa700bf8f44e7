"""Parts of the sentences that messages and notes are made of."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Sequence

from daglock.errors import InvalidDataError


def plural(count: int, thing: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> plural(1, "row"), plural(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def listed(items: Sequence[str], most: int = 5, of: int = 0) -> str:
    """Return some items in a row, and how many more there are; ``of`` if not all are given.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    total = max(of, len(items))
    more = f" and {total - most} more" if total > most else ""
    return ", ".join(items[:most]) + more


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


def open_quote(place: str, label: str) -> InvalidDataError:
    """Build the error about a quote that does not close."""
    return InvalidDataError(
        f'A quote (") opens in {place} of {label} and does not close there: mend that line.'
    )
