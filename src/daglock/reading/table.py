"""What a file holds once it is read: numbers, names, and what was assumed."""

from __future__ import annotations

from dataclasses import dataclass, field

from daglock.typing import Array


@dataclass(frozen=True, eq=False)
class Table:
    """A table of numbers.

    Attributes
    ----------
    data : (n, d) array
        NaN where a cell is missing.
    names : d different names.
    notes : plain sentences about what was assumed while reading.
    first_missing : where the first missing cell stands ("line 3, column 'x'"); empty if none is.
    """

    data: Array = field(repr=False)
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    first_missing: str = ""
