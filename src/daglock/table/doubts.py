"""Doubts: text in memory that says numbers, but bounds among them, or one number in two ways.

A reader cannot ask, and takes no such column for numbers: it stays text, and `Table.doubts` says
why. Who needs the numbers refuses it; as a category, a label of regimes or a column that is left
out it is what it says. Sentences speak of frames, not of options of a command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daglock.wording import listed

_REWRITE = "write all numbers there with a decimal point, and with nothing between thousands"


@dataclass(frozen=True)
class Doubt:
    """Why a column is not taken for numbers; those with the same reason share a sentence."""

    column: str
    shown: str  # the column and what it holds
    reason: str  # what the sentence says before it ...
    remedy: str  # ... and after it


def about_doubts(doubts: Iterable[Doubt]) -> list[str]:
    """Say what is in doubt, in a sentence for each reason.

    Examples
    --------
    >>> about_doubts([in_two_ways("a", ["'1.234' in row 0", "'1,5' in row 2"])])
    ["The point or the comma may be the decimal mark in 'a' ('1.234' in row 0, '1,5' in row 2): \
write all numbers there with a decimal point, and with nothing between thousands."]
    """
    shown: dict[tuple[str, str], list[str]] = {}
    for doubt in doubts:
        shown.setdefault((doubt.reason, doubt.remedy), []).append(doubt.shown)
    return [f"{reason} {listed(held, 5)}: {way}." for (reason, way), held in shown.items()]


def of_bounds(name: str, held: str) -> Doubt:
    """Doubt a column with cells such as ``<0.5``."""
    return Doubt(
        name,
        f"{name!r} ({held})",
        "Bounds instead of values in",
        "replace such cells by missing values or by numbers, or read the file that they are from "
        "with daglock.table.read_file(path, censored='missing') or, to take the number for the "
        "value, censored='bound'",
    )


def in_two_ways(name: str, cells: Sequence[str]) -> Doubt:
    """Doubt a column with 10.045 and 10,5, of which either may have thousands told apart."""
    reason = "The point or the comma may be the decimal mark in"
    return Doubt(name, f"{name!r} ({listed(cells)})", reason, _REWRITE)


def of_comma(name: str, cell: str) -> Doubt:
    """Doubt a column with 10,045 where nothing tells what commas are."""
    reason = "The comma may be a decimal mark or stand between thousands in"
    return Doubt(name, f"{name!r} ({cell})", reason, _REWRITE)


def of_point(name: str, cells: Sequence[str]) -> Doubt:
    """Doubt a column with 2.050 and 950 if no other number shows what points are."""
    reason = "The point may be a decimal mark or stand between thousands in"
    return Doubt(name, f"{name!r} ({listed(cells)})", reason, _REWRITE)


def of_other_mark(name: str, cell: str, points: Sequence[str]) -> Doubt:
    """Doubt a column with decimal commas beside those with decimal points."""
    reason = f"The decimal mark is a point in {listed(points, 5)}, and a comma in"
    return Doubt(name, f"{name!r} ({cell})", reason, "make it the same in all columns")
