"""What a figure shows of a method: its points over the sizes, and how its time grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.groups import Group
from daglock_evaluation.bench.report.row import Row

# An exponent is told from so many sizes.
SIZES_OF_A_FIT = 3
# Lines that can be told apart in one panel, beside the reference and the empty graph.
MOST = 8
EMPTY = "empty"


@dataclass(frozen=True)
class Curve:
    """The points of a method; `error` is 0 where there is none."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...]


def curve(group: Group, peer: str, value: Callable[[Row], float | None]) -> Curve:
    """Return the points of a method that has a value there."""
    points = [(size, value(row), row) for size, row in group.of(peer).items()]
    known = [(float(size), y, row) for size, y, row in points if y is not None]
    errors = [row.main.error or 0.0 if row.main else 0.0 for _, _, row in known]
    return Curve(tuple(x for x, _, _ in known), tuple(y for _, y, _ in known), tuple(errors))


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float | None:
    """Return the slope of log seconds over log size, where there are enough sizes.

    Examples
    --------
    >>> round(exponent([10, 20, 40], [1.0, 4.0, 16.0]), 6)
    2.0
    >>> exponent([10, 20], [1.0, 4.0]) is None
    True
    """
    if len(sizes) < SIZES_OF_A_FIT:
        return None
    return float(np.polyfit([log(size) for size in sizes], [log(s) for s in seconds], 1)[0])


def label(group: Group, peer: str) -> str:
    """Return the label of a method, with the exponent of its time where the group is over d."""
    name = words.label_of(peer)
    if group.axis != "d":
        return name
    times = curve(group, peer, lambda row: row.finite_seconds)
    found = exponent(times.x, times.y)
    return name if found is None else f"{name}, $d^{{{found:.1f}}}$"


def share_out(peers: Sequence[str], rows: Sequence[Row], reference: str) -> list[list[str]]:
    """Return the methods of each figure: the reference in all, the most accurate in the first.

    The empty graph is in none: it is a line in each panel of accuracy.
    """
    candidates = [peer for peer in peers if peer not in (reference, EMPTY)]
    others = sorted(candidates, key=lambda peer: _place(peer, len(candidates), rows))
    first = [reference] if reference in peers else []
    parts = [others[k : k + MOST] for k in range(0, len(others), MOST)] or [[]]
    return [[*first, *sorted(part, key=list(peers).index)] for part in parts]


def _place(peer: str, last: int, rows: Sequence[Row]) -> float:
    """Return the mean place of a method by accuracy; without a result it is behind all."""
    places = []
    for case in dict.fromkeys(row.case for row in rows):
        distances = {
            row.peer: row.main.value for row in rows if row.case == case and row.main is not None
        }
        own = distances.get(peer)
        places.append(last if own is None else sum(value < own for value in distances.values()))
    return sum(places) / len(places)
