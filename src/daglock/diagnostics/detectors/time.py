"""Time: columns that tell when."""

from __future__ import annotations

import re

import numpy as np

from daglock.diagnostics.detectors.view import View
from daglock.wording import Finding

# What columns of these names hold when they tell the time; plurals count, they do not date.
CALENDAR = {
    "year": ((1500.0, 2200.0), (50.0, 99.0)),
    "month": ((1.0, 12.0),),
    "week": ((1.0, 53.0),),
    "day": ((1.0, 31.0), (1.0, 366.0)),
    "weekday": ((0.0, 7.0),),
    "quarter": ((1.0, 4.0),),
    "hour": ((0.0, 24.0),),
}


def find_calendar(view: View) -> list[Finding]:
    """Question columns whose names and values are those of years, months or days."""
    found = [j for j in np.flatnonzero(view.numeric & view.whole).tolist() if tells_time(view, j)]
    if not found:
        return []
    one = len(found) == 1
    cyclic = [j for j in found if _unit(view.names[j]) != "year"]
    text = (
        f"Nothing in a table causes the time: say that {'it comes' if one else 'they come'} first, "
        f"with roots: [{', '.join(view.named(found))}] in a knowledge file (--knowledge), or leave "
        f"{'it' if one else 'them'} out."
    )
    if cyclic:
        text += (
            f" A line takes the ends of {view.called(cyclic)} for far apart, which they are not."
        )
    title = f"{view.called(found)} {'tells' if one else 'tell'} the time"
    return [Finding("note", title, text, view.named(found), view.drop(found), "time?")]


def _unit(name: str) -> str | None:
    """Return which unit of time a column is called by."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    words = re.sub(r"[^a-z]+", " ", spaced.lower()).split()
    for unit in CALENDAR:
        if unit in words or any(
            word.endswith(unit) and unit in ("year", "month") for word in words
        ):
            return unit
    return None


def tells_time(view: View, j: int) -> bool:
    """Whether a column tells the time: name and values fit."""
    unit, values = _unit(view.names[j]), view.values[j]
    if unit is None:
        return False
    return any(low <= values[0] and values[-1] <= high for low, high in CALENDAR[unit])
