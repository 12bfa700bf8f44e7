"""Parts of the sentences that messages and notes are made of."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Sequence

from daglock.errors import InvalidDataError


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
