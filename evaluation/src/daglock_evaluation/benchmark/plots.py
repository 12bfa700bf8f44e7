"""The figures: time, accuracy and memory over the size, in the look of all our figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from daglock.typing import Array
from daglock_evaluation.benchmark import runs
from daglock_evaluation.benchmark.runs import CLASS, NAME, OURS, Group, Record, Row, by_case
from daglock_evaluation.harness.figures import COLOURS, legend, panels
from daglock_evaluation.harness.numbers import count_text, listed
from daglock_evaluation.methods import label_of, methods

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = {"d": "number of variables d", "n": "number of rows n"}
EMPTY = "empty"
# A curve has so many points, and an exponent is told from so many.
SIZES = 3
# Lines that can be told apart in one panel, beside daglock and the empty graph.
MOST = 8
# Columns of a legend, and letters in a line of a label.
COLUMNS, LABEL = 3, 26
# Times that differ by less have ticks at 2 and 5, too.
NARROW = 200.0
# Shift of overlapping points, as a share of their value.
DODGE = 0.025
OPEN = "Open markers: over the time limit."
MEMORY = "Memory: the peak beyond data and package."
DOTS = "No point: no result."


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure with its name, which is that of its file, and what to say of it."""

    name: str
    title: str
    note: str
    figure: Figure


def draw(records: Sequence[Record], *, all_parts: bool = True) -> list[Drawing]:
    """Return the figures of a suite.

    A figure shows at most `MOST` methods beside daglock. The others are in further parts, or,
    without `all_parts`, named below the first one.
    """
    found = runs.rows(records)
    suite = found[0].suite
    curves = [group for group in runs.groups(found) if len(group.sizes) >= SIZES]
    made: list[Drawing] = []
    for group in curves:
        stem = slug(f"{suite} {group.family} {group.axis} {group.fixed}")
        for part in _parts(group.rows, all_parts):
            note = _note(group.rows, part.peers) + part.left_out
            figure = _over_size(group, part.peers)
            made.append(Drawing(stem + part.ending, group.title + part.words, note, figure))
    drawn = {row.case for group in curves for row in group.rows}
    rest = by_case(row for row in found if row.case not in drawn)
    title = f"{'Other cases' if curves else 'All cases'} of the suite"
    for part in _parts([row for case in rest for row in case.values()], all_parts):
        figure = _dots(rest, part.peers)
        name = slug(f"{suite} cases") + part.ending
        made.append(Drawing(name, title + part.words, DOTS + part.left_out, figure))
    return made


def slug(text: str) -> str:
    """Return a name for a file.

    Examples
    --------
    >>> slug("equal ER2 ±[0.5,1] d 1000"), slug("equal ER2 +[0.5,1] d 1000")
    ('equal-er2-0.5-1-d-1000', 'equal-er2-positive-0.5-1-d-1000')
    """
    plain = text.lower().replace("+", "positive ")
    return re.sub(r"[^a-z0-9.]+", "-", plain).strip("-")


class _Part(NamedTuple):
    """The methods in one of several figures of the same."""

    peers: Sequence[str]
    ending: str = ""
    words: str = ""
    left_out: str = ""


def _parts(found: Sequence[Row], all_parts: bool) -> list[_Part]:
    """Share the methods out over figures."""
    seen = [row for row in found if row.n_ok or row.short.startswith(">")]
    if not seen:
        return []
    first, *others = share_out(list(dict.fromkeys(row.peer for row in seen)), found)
    if not others:
        return [_Part(first)]
    if not all_parts:
        missing = [label_of(name) for part in others for name in part if name != OURS]
        return [_Part(first, left_out=f" Not drawn, see the tables: {listed(missing)}.")]
    n = 1 + len(others)
    return [
        _Part(first, "-1", f" (1 of {n}: the most accurate)"),
        *(_Part(part, f"-{k}", f" ({k} of {n}: the others)") for k, part in enumerate(others, 2)),
    ]


def share_out(peers: Sequence[str], found: Sequence[Row]) -> list[list[str]]:
    """Return the methods of each figure: daglock in all, the most accurate in the first.

    The empty graph is in none: it is a line in each panel of accuracy.
    """
    candidates = [peer for peer in peers if peer not in (OURS, EMPTY)]
    cases = [
        {peer: row.main.value for peer, row in case.items() if row.main} for case in by_case(found)
    ]

    def mean_place(peer: str) -> float:
        """Return the mean place by accuracy; without a result it is behind all."""
        places = [
            sum(value < case[peer] for value in case.values()) if peer in case else len(candidates)
            for case in cases
        ]
        return sum(places) / len(places)

    others = sorted(candidates, key=mean_place)
    first = [OURS] if OURS in peers else []
    parts = [others[k : k + MOST] for k in range(0, len(others), MOST)] or [[]]
    return [[*first, *sorted(part, key=list(peers).index)] for part in parts]


def curve(group: Group, peer: str, value: Callable[[Row], float | None]) -> Array:
    """Return the sizes with a value, the values, and half the intervals of the distance."""
    found = [(size, value(row), row.main) for size, row in group.of(peer).items()]
    known = [(size, y, main.half if main else None) for size, y, main in found if y is not None]
    points = [(size, y, error or 0.0) for size, y, error in known]
    return np.array(points, dtype=np.float64).reshape(-1, 3).T


def exponent(sizes: ArrayLike, seconds: ArrayLike) -> float | None:
    """Return the slope of log seconds over log size, where there are enough sizes.

    Examples
    --------
    >>> round(exponent([10, 20, 40], [1.0, 4.0, 16.0]), 6)
    2.0
    >>> exponent([10, 20], [1.0, 4.0]) is None
    True
    """
    if np.size(sizes) < SIZES:
        return None
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _distance(row: Row) -> float | None:
    return row.main.value if row.main else None


def _look(peer: str) -> dict[str, Any]:
    """Return how a method is drawn, in all figures alike."""
    known = methods().get(peer)
    colour = COLOURS["grey" if known is None else known.colour]
    look: dict[str, Any] = {"color": colour, "marker": "o" if known is None else known.marker}
    if look["marker"] == "*":
        look |= {"ms": 8, "zorder": 3}
    if colour == COLOURS["yellow"]:
        look["mec"] = COLOURS["black"]  # yellow alone is faint on white
    return look


def _over_size(group: Group, chosen: Sequence[str]) -> Figure:
    """Draw a family: time and accuracy, and over d also the time beside ours, and memory."""
    n_rows = 2 if group.axis == "d" else 1
    figure, axes = panels(2, n_rows, height=2.4 * n_rows + _legend_height(len(chosen) + 1))
    time, accuracy, *cost = axes
    ours = {size: row.finite_seconds for size, row in group.of(OURS).items()}

    def multiple(row: Row) -> float | None:
        own = ours.get(group.size(row))
        return row.finite_seconds / own if row.finite_seconds and own else None

    def memory(row: Row) -> float | None:
        return row.median("extra_mb")

    for k, peer in enumerate(chosen):
        look = _look(peer)
        x, y, _ = curve(group, peer, lambda row: row.finite_seconds)
        growth = exponent(x, y) if group.axis == "d" else None
        label = label_of(peer) + ("" if growth is None else f", $d^{{{growth:.1f}}}$")
        time.plot(x, y, label=label, **look)
        for size, row in group.of(peer).items():  # open markers where most runs were over the limit
            over = row.seconds == inf or (row.n_ok == 0 and row.short.endswith(" s"))
            if over and row.time_limit is not None:
                time.plot([size], [row.time_limit], **{**look, "mfc": "white", "ls": "none"})
        x, y, error = curve(group, peer, _distance)
        x *= 1.0 + DODGE * (k - (len(chosen) - 1) / 2.0)  # aside: many methods are at 0
        accuracy.plot(x, y, **look)
        accuracy.vlines(x, np.maximum(y - error, 0.0), y + error, color=look["color"], lw=0.8)
        for axis, value in zip(cost, (multiple, memory), strict=False):
            axis.plot(*curve(group, peer, value)[:2], **look)
    x, y, _ = curve(group, EMPTY, _distance)
    if x.size:
        accuracy.plot(x, y, color=COLOURS["grey"], ls=":", label="empty graph")
    names = ("seconds", f"mean {NAME[CLASS]}", f"time / {OURS}'s", "memory, MB")
    for axis, what, scale in zip(axes, names, (_logarithmic, _from_zero) * 2, strict=False):
        axis.set(xscale="log", xlabel=AXES[group.axis], ylabel=what)
        axis.set_xticks(group.sizes, [count_text(size) for size in group.sizes])
        axis.minorticks_off()
        scale(axis)
    legend(figure, [time, accuracy], "lower", COLUMNS)
    return figure


def _dots(cases: Sequence[dict[str, Row]], chosen: Sequence[str]) -> Figure:
    """Draw each case as a line of points, for accuracy and for time."""
    tall = 0.6 + 0.46 * len(cases) + _legend_height(len(chosen) + 1)
    figure, (accuracy, time) = panels(2, height=tall)
    for place, case in enumerate(cases):
        for k, peer in enumerate(chosen):
            y = place + 0.6 * ((k + 0.5) / len(chosen) - 0.5)
            if row := case.get(peer):
                _dot(accuracy, _distance(row), y, row)
                _dot(time, row.finite_seconds, y, row)
        if EMPTY in case and (empty := _distance(case[EMPTY])) is not None:
            accuracy.plot([empty] * 2, [place - 0.4, place + 0.4], color=COLOURS["grey"], ls=":")
    names = ["\n".join(wrap(next(iter(case.values())).label, LABEL)) for case in cases]
    for axis in (accuracy, time):
        axis.set_yticks(range(len(cases)), names)
        axis.set_ylim(len(cases) - 0.5, -0.5)
        axis.grid(visible=False, axis="y")
        for place in range(1, len(cases)):
            axis.axhline(place - 0.5, color="#DDDDDD", lw=0.6)
    time.tick_params(labelleft=False)
    accuracy.set_xlabel(f"mean {NAME[CLASS]}")
    _from_zero(accuracy, "x")
    known = [row.finite_seconds for case in cases for row in case.values() if row.peer in chosen]
    if shown := [seconds for seconds in known if seconds]:
        _few_ticks(time, shown)
    time.set_xlabel("seconds")
    for peer in chosen:
        time.plot([], [], label=label_of(peer), **{**_look(peer), "ls": "none"})
    accuracy.plot([], [], color=COLOURS["grey"], ls=":", label="empty graph")
    legend(figure, [time, accuracy], "lower", COLUMNS)
    return figure


def _few_ticks(axis: Any, seconds: Sequence[float]) -> None:
    """Put seconds on a log scale, with ticks between powers of ten where these are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    axis.set_xscale("log")
    narrow = max(seconds) < NARROW * min(seconds)
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.minorticks_off()


def _dot(axis: Any, value: float | None, y: float, row: Row) -> None:
    """Draw a point."""
    if value is not None:
        axis.plot([value], [y], **{**_look(row.peer), "ls": "none"})


def _note(found: Sequence[Row], chosen: Sequence[str]) -> str:
    """Explain the marks that a figure has."""
    mine = [row for row in found if row.peer in chosen]
    notes = {
        "Accuracy: means over the graphs with 95 % t intervals.": True,
        OPEN: any(row.short.startswith(">") for row in mine),
        MEMORY: len({row.d for row in mine}) > 1,
    }
    return " ".join(note for note, applies in notes.items() if applies)


def _logarithmic(axis: Any) -> None:
    """Put what is drawn on a log scale; where nothing is, there is none to put it on."""
    if any(len(line.get_ydata()) for line in axis.get_lines()):
        axis.set_yscale("log")
        axis.minorticks_off()


def _from_zero(axis: Any, which: str = "y") -> None:
    """Put what is drawn on a scale that is linear below 1 and logarithmic above."""
    data = [getattr(line, f"get_{which}data")() for line in axis.get_lines()]
    top = max(1.6 * max((float(value) for values in data for value in values), default=1.0), 1.5)
    marks = [10.0**k for k in range(8)] if top >= 10.0 else [1.0, 2.0, 5.0]
    ticks = [0.0, *(mark for mark in marks if mark <= top)]
    getattr(axis, f"set_{which}scale")("symlog", linthresh=1.0, linscale=0.5)
    getattr(axis, f"set_{which}lim")(-0.15, top)
    getattr(axis, f"set_{which}ticks")(ticks, [count_text(tick) for tick in ticks])
    axis.minorticks_off()


def _legend_height(n_labels: int) -> float:
    """Return the inches that a legend takes."""
    return 0.2 + 0.18 * -(-n_labels // COLUMNS)
