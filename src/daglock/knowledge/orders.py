"""Tiers in one line: ``age, sex < bmi < outcome``, from early to late."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from daglock.errors import InvalidParameterError

Order: TypeAlias = tuple[tuple[str, ...], ...]

# A name in quotes (a quote inside is doubled), a name without, or a sign between names.
_PARTS = re.compile(r"""\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|([^,<"'\s][^,<]*)|([,<]))""")
_PLAIN = re.compile(r"""[^,<"'\s](?:[^,<]*[^,<\s])?""")


def parse_order(text: str) -> Order:
    """Return the tiers of a line; names with a comma, a ``<`` or blanks at an end stand in quotes.

    Examples
    --------
    >>> parse_order('age, sex < "income, yearly" < outcome')
    (('age', 'sex'), ('income, yearly',), ('outcome',))
    >>> parse_order("age < < outcome")
    Traceback (most recent call last):
    daglock.errors.InvalidParameterError: The tiers 'age < < outcome' have an empty place: ...
    """
    tiers: list[list[str]] = [[]]
    place, wants_name = 0, True
    while text[place:].strip():
        found = _PARTS.match(text, place)
        if found is None:
            raise _wrong(text, "have a quote that does not close")
        place = found.end()
        double, single, plain, sign = found.groups()
        if (sign is None) != wants_name:
            what = "have an empty place" if wants_name else "lack a comma after a name in quotes"
            raise _wrong(text, what)
        wants_name = not wants_name
        if sign == "<":
            tiers.append([])
        elif double is not None:
            tiers[-1].append(double.replace('""', '"'))
        elif single is not None:
            tiers[-1].append(single.replace("''", "'"))
        elif plain is not None:
            tiers[-1].append(plain.rstrip())
    if wants_name:
        raise _wrong(text, "have an empty place")
    if len(tiers) < 2:
        raise _wrong(text, "are only one")
    return tuple(map(tuple, tiers))


def order_text(tiers: Sequence[Sequence[str | int]]) -> str:
    """Return the line that `parse_order` reads so.

    Examples
    --------
    >>> order_text([["age", "income, yearly"], ["*"]])
    'age,"income, yearly" < *'
    """
    return " < ".join(",".join(map(_quoted, tier)) for tier in tiers)


def _quoted(name: str | int) -> str:
    """Return a name, in quotes where it needs them."""
    if _PLAIN.fullmatch(str(name)):
        return str(name)
    doubled = str(name).replace('"', '""')
    return f'"{doubled}"'


def _wrong(text: str, what: str) -> InvalidParameterError:
    """Build the error about a line that is no order."""
    return InvalidParameterError(
        f"The tiers {text!r} {what}: write them from early to late, such as 'age,sex < bmi < "
        "outcome', and names with a comma or a < in quotes."
    )
