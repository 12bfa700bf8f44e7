"""Measurements that are kept: what is missing is measured, tables are made of the records.

A line is one search on one table: which search, of what, its score times the rows (in units of
twice the log-likelihood, smaller is better), the distance of its graph to the truth, and seconds of
the processor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from daglock.errors import InvalidDataError
from daglock_evaluation.harness.numbers import half_interval
from daglock_evaluation.harness.store import Line, Store, grouped
from daglock_evaluation.harness.tables import Table, escape

MEASURED = ("score", "distance", "seconds")
# A difference of the scores that is not rounding.
CLEAR = 1e-3


def open_store(path: Path, fields: tuple[str, ...]) -> Store:
    """Open a file of measurements, which these fields tell apart."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return Store(path, fields, MEASURED)


def measured(score: float, distance: int, seconds: float) -> dict[str, float]:
    """Return what was measured, without digits that mean nothing.

    Examples
    --------
    >>> measured(-21573.2312345678, 3, 0.0512345)
    {'score': -21573.23123, 'distance': 3, 'seconds': 0.0512}
    """
    return {"score": round(score, 5), "distance": int(distance), "seconds": round(seconds, 4)}


def write_tables(file: Path, tables: Sequence[Table]) -> None:
    """Put tables into a document, in place of those that have their titles there."""
    text = file.read_text(encoding="utf-8")
    for table in tables:
        title = f"**{escape(table.title)}**"
        there = re.compile(re.escape(title) + r"\n+(\|.*\n)*\n*")
        if there.search(text) is None:
            raise InvalidDataError(f"{file} has no table with the title {title}: write it there.")
        text = there.sub(_returning(f"{table.to_markdown()}\n\n"), text)
    file.write_text(text, encoding="utf-8")


def _returning(text: str) -> Callable[[object], str]:
    """Return a function of anything that returns a text, as it is."""
    return lambda _: text


def with_gaps(lines: Iterable[Line], table: Callable[[Line], str]) -> Iterator[dict[str, Any]]:
    """Add to each line how far it is above the best that any search found on the same table."""
    for mine in grouped(lines, table).values():
        best = min(line["score"] for line in mine)
        for line in mine:
            gap = line["score"] - best
            yield {**line, "gap": gap if gap > CLEAR else 0.0}


def paired(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return the mean of first less second, and half its 95 % interval by Student's t.

    Examples
    --------
    >>> middle, half = paired([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    >>> round(middle, 3), round(half, 3)
    (2.0, 2.484)
    """
    differences = [a - b for a, b in zip(first, second, strict=True)]
    half = half_interval(differences)
    return mean(differences), float("inf") if half is None else half


def paired_text(first: Sequence[float], second: Sequence[float], digits: int = 1) -> str:
    """Write a paired difference and its interval.

    Examples
    --------
    >>> paired_text([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]), paired_text([1.0, 1.0], [1.0, 1.0])
    ('+2.0 ± 2.5', '0')
    """
    middle, half = paired(first, second)
    if middle == 0.0 and half == 0.0:
        return "0"
    return f"{middle:+.{digits}f} ± {half:.{digits}f}"
