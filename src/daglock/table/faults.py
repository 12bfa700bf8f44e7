"""Faults of a table: all that stands in the way is said at once, each with what mends it."""

from __future__ import annotations

from collections.abc import Iterable

from daglock.errors import InvalidDataError


def refuse(faults: Iterable[str]) -> None:
    """Raise one error about all faults, if there are any; an empty sentence is none.

    Examples
    --------
    >>> refuse(["", ""])
    >>> refuse(["Column 'a' is empty: leave it out.", "Column 'b' is infinite: mend it."])
    Traceback (most recent call last):
    daglock.errors.InvalidDataError: 2 things stand in the way. (1) Column 'a' is empty: leave it
    out. (2) Column 'b' is infinite: mend it.
    """
    said = [fault for fault in faults if fault]
    if len(said) == 1:
        raise InvalidDataError(said[0])
    if said:
        numbered = " ".join(f"({k}) {fault}" for k, fault in enumerate(said, start=1))
        raise InvalidDataError(f"{len(said)} things stand in the way. {numbered}")
