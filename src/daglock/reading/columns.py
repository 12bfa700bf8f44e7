"""Names of columns: those that are missing, those that occur twice, those that a user chose."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.typing import Array
from daglock.wording import listed

# Names that pandas and R's tibbles give to a column without one.
_UNNAMED = re.compile(r"(?:Unnamed: \d+(?:\.\d+)?|\.\.\.\d+|)\Z")


def is_unnamed(name: str) -> bool:
    """Whether a column has no name of its own.

    Examples
    --------
    >>> [is_unnamed(name) for name in ("", "Unnamed: 0", "...1", "a")]
    [True, True, True, False]
    """
    return _UNNAMED.match(name) is not None


def counts_rows(values: Array) -> bool:
    """Whether a column only counts: 0, 1, 2, ... or 1, 2, 3, ..."""
    n = len(values)
    return n > 2 and any(np.array_equal(values, np.arange(n) + first) for first in (0, 1))


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
