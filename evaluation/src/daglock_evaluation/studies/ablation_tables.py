"""What the records of the ablation say, with intervals of paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean
from typing import Any

from daglock_evaluation.harness.numbers import NOTHING, seconds_text
from daglock_evaluation.harness.store import Line, grouped
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies.recorded import paired_text, with_gaps
from daglock_evaluation.studies.starts import CONDITIONAL, CONTINUOUS, SLOW, STARTS

FULL = "10 restarts, windows"
# One search less another, from the default start.
PARTS = {
    "single moves, over none": ("moves", "order"),
    "windows, over single moves": ("windows", "moves"),
    "10 restarts, over single moves": ("10 restarts", "moves"),
    "windows, over 10 restarts without": (FULL, "10 restarts"),
    "10 restarts, over windows": (FULL, "windows"),
}
EVERY = (*STARTS, *SLOW)
# Searches from the default start, whose seconds are told.
THEN = {
    "then: parents alone": "order",
    **{f"then: {name}": name for name in ("moves", "windows", "10 restarts", FULL)},
}
# By cell, start and search the figures of each seed.
Runs = dict[tuple[str, str, str], dict[int, dict[str, Any]]]


def tables(lines: Iterable[Line]) -> list[Table]:
    """Return all tables: the start, the other parts, then all at a fixed time."""
    known = list(with_gaps(lines, lambda line: f"{line['cell']}, {line['seed']}"))
    runs: Runs = {}
    for line in known:
        place = line["cell"], line["start"], line["search"]
        runs.setdefault(place, {})[line["seed"]] = line
    cells = [*grouped(runs, lambda place: place[0])]
    if not cells:
        return []
    return [
        _gaps(runs, cells, "order", "parents along the order of the start, nothing else"),
        _gaps(runs, cells, "moves", "single moves from there"),
        _gaps(runs, cells, FULL, "windows and 10 restarts"),
        _beside(runs, cells, "moves", "single moves"),
        _beside(runs, cells, FULL, "windows and 10 restarts"),
        _distances(runs, cells),
        _parts(runs, cells),
        _seconds(runs, cells),
        *_limited(runs, cells),
    ]


def default_start(cell: str) -> str:
    """Return where daglock begins by default."""
    return CONDITIONAL if cell.startswith("equal") else CONTINUOUS


def _gap(own: dict[int, dict[str, Any]] | None) -> str:
    """Write the mean gap, and on how many graphs there is none."""
    if not own:
        return NOTHING
    gaps = [line["gap"] for line in own.values()]
    return f"{mean(gaps):.1f} ({sum(gap == 0.0 for gap in gaps)} of {len(gaps)})"


def _difference(
    own: dict[int, dict[str, Any]] | None, other: dict[int, dict[str, Any]] | None
) -> str:
    """Write the difference of the scores on the same graphs."""
    both = sorted({*(own or {})} & {*(other or {})})
    if own is None or other is None or len(both) < 2:
        return NOTHING
    return paired_text([own[s]["gap"] for s in both], [other[s]["gap"] for s in both])


def _rows(
    names: Iterable[str], cells: Sequence[str], text: Callable[[str, str], str]
) -> list[list[str]]:
    """Return a row for each name of which something is known, with a text for each cell."""
    rows = [[name, *(text(cell, name) for cell in cells)] for name in names]
    return [row for row in rows if any(shown != NOTHING for shown in row[1:])]


def _gaps(runs: Runs, cells: Sequence[str], search: str, words: str) -> Table:
    """Return the gap to the best score known, by start."""
    cells = [cell for cell in cells if (cell, CONTINUOUS, search) in runs]
    rows = _rows(EVERY, cells, lambda cell, start: _gap(runs.get((cell, start, search))))
    title = f"Gap to the best score known (graphs without one): {words}"
    return Table(title, [["start", *cells], *rows])


def _beside(runs: Runs, cells: Sequence[str], search: str, words: str) -> Table:
    """Return the differences from the continuous start."""
    cells = [cell for cell in cells if (cell, CONTINUOUS, search) in runs]

    def text(cell: str, start: str) -> str:
        return _difference(runs.get((cell, start, search)), runs[cell, CONTINUOUS, search])

    rows = _rows((start for start in EVERY if start != CONTINUOUS), cells, text)
    title = f"Score less that from the continuous start: {words}"
    return Table(title, [[f"less {CONTINUOUS}", *cells], *rows])


def _distances(runs: Runs, cells: Sequence[str]) -> Table:
    """Return the distances to the truth after moves, and after all."""

    def text(cell: str, start: str) -> str:
        some = [runs.get((cell, start, search)) for search in ("moves", FULL)]
        means = [f"{mean(r['distance'] for r in own.values()):.1f}" for own in some if own]
        return " / ".join(means) or NOTHING

    title = "Distance to the truth: single moves / windows and 10 restarts"
    return Table(title, [["start", *cells], *_rows(STARTS, cells, text)])


def _parts(runs: Runs, cells: Sequence[str]) -> Table:
    """Return what each part of the search adds from the default start."""

    def text(cell: str, words: str) -> str:
        return _difference(*(runs.get((cell, default_start(cell), one)) for one in PARTS[words]))

    title = "Score with a part less score without it, from the default start"
    return Table(title, [["part", *cells], *_rows(PARTS, cells, text)])


def _seconds(runs: Runs, cells: Sequence[str]) -> Table:
    """Return seconds: of the starts, and of the searches from the default start without it."""

    def starting(cell: str, start: str) -> str:
        own = runs.get((cell, start, "order"))
        return seconds_text(mean(r["starting"] for r in own.values()) if own else None)

    def then(cell: str, words: str) -> str:
        own = runs.get((cell, default_start(cell), THEN[words]))
        return seconds_text(
            mean(r["seconds"] - r["starting"] for r in own.values()) if own else None
        )

    title = "Seconds of the processor: a start, then the search from the default start"
    rows = [*_rows(EVERY, cells, starting), *_rows(THEN, cells, then)]
    return Table(title, [["seconds", *cells], *rows])


def _limited(runs: Runs, cells: Sequence[str]) -> list[Table]:
    """Return what is reached in a fixed time, by start and parts, and paired differences."""
    places = [place for place in runs if " s" in place[2] and place[2][0].isdigit()]
    limits = sorted(
        {(cell, search) for cell, _, search in places if search.endswith(" s")},
        key=lambda place: (cells.index(place[0]), float(place[1].split()[0])),
    )
    variants = dict.fromkeys((start, search.partition(" s")[2]) for _, start, search in places)
    head = ["tables", "time", *(f"{start}{suffix}" for start, suffix in variants)]
    gaps, beside = [head], [head]
    for cell, limit in limits:
        base = _in_time(runs, (cell, CONTINUOUS, limit))
        some = [_in_time(runs, (cell, start, limit + suffix)) for start, suffix in variants]
        gaps.append([cell, limit, *map(_gap, some)])
        if base is not None:
            beside.append([cell, limit, *(_difference(one, base) for one in some)])
    title = "restarting until time is up"
    return [
        Table(f"Gap to the best score known (graphs without one), {title}", gaps),
        Table(f"Score less that from the continuous start with windows, {title}", beside),
    ]


def _in_time(runs: Runs, place: tuple[str, str, str]) -> dict[int, dict[str, Any]] | None:
    """Return the runs of a search with a time limit, unless the start alone takes longer."""
    own = runs.get(place)
    if own is None or mean(r["starting"] for r in own.values()) > float(place[2].split()[0]):
        return None
    return own
