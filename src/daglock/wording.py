"""What is told to a person: findings, and the parts that sentences are made of."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from reprlib import Repr
from typing import Literal, TypeAlias

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
Level: TypeAlias = Literal["good", "note", "warning"]


# What the weight of an edge is where an end of it is a category.
STRENGTH = "how strongly the two depend on each other given the other causes, 0 to 1"
# How a message shows what a user gave: a file can hold anything.
_SHOWN = Repr()
_SHOWN.maxstring = _SHOWN.maxother = 80
_SHOWN.maxlevel = 3


@dataclass(frozen=True)
class Finding:
    """One thing to know about a table or a graph."""

    level: Level  # nothing to do; good to know; think before you trust the graph
    title: str  # a few words
    text: str  # one to three plain sentences that name columns
    columns: tuple[str, ...] = ()  # what it is about, where that is some of the columns
    fix: str = ""  # an option to copy, such as "--drop id", or what to write in Python
    word: str = ""  # for the line of a column: "identifier?"
    brief: str = ""  # for a terminal, where there is no option: how it was seen and what to do


def in_brief(given: object) -> str:
    """Return what a user gave, or a part of it, as a message shows it.

    Examples
    --------
    >>> in_brief([[[[1]]], {"a": 2}])
    "[[[...]], {'a': 2}]"
    """
    return _SHOWN.repr(given)


def default_names(d: int) -> tuple[str, ...]:
    """Names of columns that have none: x0, x1, ..."""
    return tuple(f"x{j}" for j in range(d))


def plural(count: int, thing: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> plural(1, "row"), plural(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def listed(items: Iterable[str], most: int = 6, of: int = 0) -> str:
    """Return items with commas, the rest counted; ``of`` if not all are given.

    Examples
    --------
    >>> listed("abcde", most=3)
    'a, b, c and 2 more'
    """
    items = list(items)
    total = max(of, len(items))
    more = f" and {total - most} more" if total > most else ""
    return ", ".join(items[:most]) + more


def percent(share: float) -> str:
    """Return a share as a percentage with about two digits; never 100 or 0 unless it is.

    Examples
    --------
    >>> percent(0.0163), percent(0.8), percent(0.9996), percent(1.0), percent(0.00004)
    ('1.6%', '80%', 'over 99%', '100%', 'under 0.1%')
    """
    value = 100.0 * share
    if 0.0 < value < 0.1:
        return "under 0.1%"
    if 99.5 <= value < 100.0:
        return "over 99%"
    return f"{value:.1f}%" if 0.0 < value < 9.95 else f"{value:.0f}%"


def short(value: float) -> str:
    """Write a number with three digits, or with all digits before the point.

    Examples
    --------
    >>> short(0.01234), short(23563.7), short(4132456.0), short(2.5e12), short(math.inf)
    ('0.0123', '23,564', '4,130,000', '2.5e+12', 'infinite')
    """
    if math.isinf(value):
        return "infinite"
    if not 100.0 <= abs(value) < 1e9:
        return f"{value:.3g}"
    return f"{value if abs(value) < 1e6 else float(f'{value:.3g}'):,.0f}"


def size_text(size: int) -> str:
    """Write a number of bytes in the largest unit that it fills.

    Examples
    --------
    >>> size_text(300), size_text(5_300_000), size_text(4 << 30)
    ('300 bytes', '5.3 MB', '4.29 GB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return plural(size, "byte")


def about_read(read: Mapping[str, int]) -> str:
    """Say what was read in parts: rows, files, bytes, and how many rows were looked at.

    Examples
    --------
    >>> about_read({"rows": 60_000, "files": 3, "bytes": 1_790_000, "rows_looked_at": 20_000})
    '60,000 rows of 3 files (1.79 MB) were read in parts; shapes were judged by 20,000 of them.'
    """
    of = f" of {plural(read['files'], 'file')}" if read["files"] else ""
    of += f" ({size_text(read['bytes'])})" if read["bytes"] else ""
    looked = read["rows_looked_at"]
    some = "all" if looked == read["rows"] else f"{looked:,}"
    return (
        f"{plural(read['rows'], 'row')}{of} were read in parts; shapes were judged by {some} of "
        "them."
    )


def parse_size(text: str) -> int:
    """Return a number of bytes, such as 500M or 8G.

    Examples
    --------
    >>> parse_size("8G"), parse_size("1.5 MB"), parse_size("4096")
    (8000000000, 1500000, 4096)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKMGT]?)i?[bB]?\s*", text)
    if found is None or float(found[1]) <= 0:
        raise ValueError(text)
    return max(1, int(float(found[1]) * _UNITS[found[2].upper()]))
