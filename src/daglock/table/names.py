"""Names of columns: what is done where they are missing or the same, and those that a user chose.

Names that a program gives must differ; those in a file are made to, and a note says so.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
import shlex
from collections.abc import Sequence

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.wording import listed

# Names that pandas and R's tibbles give to a column without one.
_UNNAMED = re.compile(r"(?:Unnamed: \d+(?:\.\d+)?|\.\.\.\d+|)\Z")


def check_names(names: Sequence[str] | None, d: int) -> tuple[str, ...] | None:
    """Return names as a tuple of d different strings, or raise."""
    if names is None:
        return None
    labels = tuple(map(str, names))
    if len(labels) != d:
        raise InvalidDataError(f"There are {len(labels)} names for {d} columns.")
    if len(set(labels)) != d:
        twice = next(name for name in labels if labels.count(name) > 1)
        raise InvalidDataError(f"Column names must differ; {twice!r} occurs more than once.")
    return labels


def is_unnamed(name: str) -> bool:
    """Whether a column has no name of its own.

    Examples
    --------
    >>> [is_unnamed(name) for name in ("", "Unnamed: 0", "...1", "a")]
    [True, True, True, False]
    """
    return _UNNAMED.match(name) is not None


def different(names: Sequence[str], notes: list[str]) -> list[str]:
    """Give every column a name of its own, as pandas does.

    Examples
    --------
    >>> different(["a", "", "a"], [])
    ['a', 'column2', 'a.1']
    """
    taken = set(names)
    seen: set[str] = set()
    result = []
    for j, name in enumerate(names, start=1):
        wish = name or f"column{j}"
        label, k = wish, 0
        while label in seen or (label in taken and label != name):
            k += 1
            label = f"{wish}.{k}"
        if not name:
            notes.append(f"Column {j} has no name; it is called {label!r}.")
        elif label != name:
            notes.append(f"The name {name!r} occurs again; column {j} is called {label!r}.")
        seen.add(label)
        result.append(label)
    return result


def choose(names: Sequence[str], keep: Sequence[str] | None, drop: Sequence[str]) -> list[int]:
    """Return the columns that a user wants, in the order of the file.

    Examples
    --------
    >>> choose(["a", "b", "c"], keep=None, drop=["b"])
    [0, 2]
    """
    for name in [*(keep or ()), *drop]:
        if name not in names:
            raise missing_name(name, names)
    both = sorted(set(keep or ()) & set(drop))
    if both:
        raise InvalidParameterError(f"Column {both[0]!r} is both to be kept and to be left out.")
    return [
        j for j, name in enumerate(names) if name not in drop and (keep is None or name in keep)
    ]


def missing_name(name: str, names: Sequence[str]) -> InvalidParameterError:
    """Build the error about a name that no column has."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return InvalidParameterError(f"There is no column {name!r}; did you mean {close[0]!r}?")
    columns = listed([repr(name) for name in names], 8)
    return InvalidParameterError(f"There is no column {name!r}; the columns are {columns}.")


def column(names: Sequence[str] | None, j: int) -> str:
    """Return how a message calls a column.

    Examples
    --------
    >>> column(["a", "b"], 1), column(None, 1)
    ("column 'b'", 'column 1')
    """
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
