"""What the records of the ablation say, with intervals of paired differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def _gaps(runs: Runs, cells: Sequence[str], search: str, words: str) -> Table:
    """Return the gap to the best score known, by start."""
    cells = [cell for cell in cells if (cell, CONTINUOUS, search) in runs]
    rows = [["start", *cells]]
    for start in (*STARTS, *SLOW):
        texts = [_gap(runs.get((cell, start, search))) for cell in cells]
        if any(text != NOTHING for text in texts):
            rows.append([start, *texts])
    return Table(f"Gap to the best score known (graphs without one): {words}", rows)


def _beside(runs: Runs, cells: Sequence[str], search: str, words: str) -> Table:
    """Return the differences from the continuous start."""
    cells = [cell for cell in cells if (cell, CONTINUOUS, search) in runs]
    rows = [[f"less {CONTINUOUS}", *cells]]
    for start in (*STARTS, *SLOW):
        own = [
            _difference(runs.get((cell, start, search)), runs.get((cell, CONTINUOUS, search)))
            for cell in cells
        ]
        if start != CONTINUOUS and any(text != NOTHING for text in own):
            rows.append([start, *own])
    return Table(f"Score less that from the continuous start: {words}", rows)


def _distances(runs: Runs, cells: Sequence[str]) -> Table:
    """Return the distances to the truth after moves, and after all."""
    rows = [["start", *cells]]
    for start in STARTS:
        texts = []
        for cell in cells:
            some = [runs.get((cell, start, search)) for search in ("moves", FULL)]
            means = [f"{mean(r['distance'] for r in own.values()):.1f}" for own in some if own]
            texts.append(" / ".join(means) or NOTHING)
        rows.append([start, *texts])
    return Table("Distance to the truth: single moves / windows and 10 restarts", rows)


def _parts(runs: Runs, cells: Sequence[str]) -> Table:
    """Return what each part of the search adds from the default start, and in how many seconds."""
    rows = [["part", *cells]]
    for words, (more, less) in PARTS.items():
        texts = []
        for cell in cells:
            own, other = (runs.get((cell, default_start(cell), one)) for one in (more, less))
            texts.append(_difference(own, other))
        rows.append([words, *texts])
    return Table("Score with a part less score without it, from the default start", rows)


def _seconds(runs: Runs, cells: Sequence[str]) -> Table:
    """Return seconds: of the starts, and of the searches from the default start without it."""
    rows = [["seconds", *cells]]
    for start in (*STARTS, *SLOW):
        texts = []
        for cell in cells:
            own = runs.get((cell, start, "order"))
            texts.append(seconds_text(mean(r["starting"] for r in own.values()) if own else None))
        if any(text != NOTHING for text in texts):
            rows.append([start, *texts])
    for search in ("order", "moves", "windows", "10 restarts", FULL):
        texts = []
        for cell in cells:
            own = runs.get((cell, default_start(cell), search))
            spent = [r["seconds"] - r["starting"] for r in own.values()] if own else []
            texts.append(seconds_text(mean(spent) if spent else None))
        rows.append([f"then: {'parents alone' if search == 'order' else search}", *texts])
    return Table("Seconds of the processor: a start, then the search from the default start", rows)


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
