"""The figures: time, accuracy and memory over the size, in the look of all our figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from daglock_evaluation.bench.records import Record
from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.canvas import (
    from_zero,
    grid,
    legend,
    legend_height,
    logarithmic,
    over_sizes,
    slug,
    style,
)
from daglock_evaluation.bench.report.curves import EMPTY, Curve, curve, label, share_out
from daglock_evaluation.bench.report.groups import Group, groups
from daglock_evaluation.bench.report.row import Row, by_case, rows
from daglock_evaluation.publish.figures import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REFERENCE = "daglock"
# Shift of overlapping points, as a share of their value.
DODGE = 0.025
DASHED = "Dashed: methods that return an equivalence class, by CPDAG-SHD."
OPEN = "Open markers: over the time limit."
MEMORY = "Memory: the peak beyond data and package."
DOTS = (
    "Distance: SHD where the data identify the DAG and the method returns one, else CPDAG-SHD "
    "(open markers where others are judged by SHD). No point: no result."
)
# A curve has so many points.
SIZES = 3
# Letters in a line of a label.
LABEL = 26


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure with its name, which is that of its file, and what to say of it."""

    name: str
    suite: str
    title: str
    note: str
    figure: Figure


def draw(
    records: Sequence[Record], *, reference: str = REFERENCE, all_parts: bool = True
) -> list[Drawing]:
    """Return the figures of all suites, in the order of the records.

    A figure shows at most `curves.MOST` methods beside the reference. The others are in further
    parts, or, without `all_parts`, named below the first one.
    """
    found = rows(records)
    made: list[Drawing] = []
    for suite in dict.fromkeys(row.suite for row in found):
        mine = [row for row in found if row.suite == suite]
        curves = [group for group in groups(mine) if len(group.sizes) >= SIZES]
        for group in curves:
            stem = slug(f"{suite} {group.family} {group.axis} {group.fixed}")
            parts = _parts(group.rows, reference, all_parts)
            made += [
                Drawing(
                    stem + part.ending,
                    suite,
                    f"{group.title}{part.words}",
                    _note(group.rows, part.peers) + part.left_out,
                    _over_size(group, part.peers, reference),
                )
                for part in parts
            ]
        drawn = {row.case for group in curves for row in group.rows}
        rest = by_case(row for row in mine if row.case not in drawn)
        made += [
            Drawing(
                slug(f"{suite} cases") + part.ending,
                suite,
                f"{'Other cases' if curves else 'All cases'} of the suite{part.words}",
                DOTS + part.left_out,
                _dots(rest, part.peers),
            )
            for part in (_parts([row for case in rest for row in case], reference, all_parts))
        ]
    return made


@dataclass(frozen=True)
class _Part:
    """The methods in one of several figures of the same."""

    peers: Sequence[str]
    ending: str = ""
    words: str = ""
    left_out: str = ""


def _parts(found: Sequence[Row], reference: str, all_parts: bool) -> list[_Part]:
    """Share the methods out over figures."""
    seen = [row for row in found if row.n_ok or row.short.startswith(">")]
    if not seen:
        return []
    names = list(dict.fromkeys(row.peer for row in seen))
    first, *others = share_out(names, found, reference)
    if not others:
        return [_Part(first)]
    if not all_parts:
        missing = [words.label_of(name) for part in others for name in part if name != reference]
        return [_Part(first, left_out=f" Not drawn, see the tables: {words.listed(missing)}.")]
    n = 1 + len(others)
    return [
        _Part(first, "-1", f" (1 of {n}: the most accurate)"),
        *(_Part(part, f"-{k}", f" ({k} of {n}: the others)") for k, part in enumerate(others, 2)),
    ]


def _over_size(group: Group, chosen: Sequence[str], reference: str) -> Figure:
    """Draw a family: time and accuracy, and over d also the time beside ours, and memory."""
    n_rows = 2 if group.axis == "d" else 1
    figure, axes = grid(n_rows, height=2.4 * n_rows + legend_height(len(chosen) + 1))
    time, accuracy = axes[:2]
    for k, peer in enumerate(chosen):
        look = style(peer, group.target)
        times = curve(group, peer, lambda row: row.finite_seconds)
        time.plot(times.x, times.y, label=label(group, peer), **look)
        _draw_over(time, group, peer, look)
        found = curve(group, peer, lambda row: row.main.value if row.main else None)
        _draw_error(accuracy, _dodged(found, k, len(chosen)), look)
    empty = curve(group, EMPTY, lambda row: row.main.value if row.main else None)
    if empty.x:
        accuracy.plot(empty.x, empty.y, color=COLOURS["grey"], ls=":", label="empty graph")
    over_sizes(time, group, "seconds")
    logarithmic(time)
    over_sizes(accuracy, group, f"mean {'SHD' if group.target == 'dag' else 'CPDAG-SHD'}")
    from_zero(accuracy)
    if group.axis == "d":
        _draw_cost(axes[2], axes[3], group, chosen, reference)
    legend(figure, [time, accuracy])
    return figure


def _draw_cost(
    ratio: Any, memory: Any, group: Group, chosen: Sequence[str], reference: str
) -> None:
    """Draw the time of each method as a multiple of the reference's, and its memory."""
    ours = {size: row.finite_seconds for size, row in group.of(reference).items()}

    def multiple(row: Row) -> float | None:
        own = ours.get(group.size(row))
        return row.finite_seconds / own if row.finite_seconds and own else None

    for peer in chosen:
        look = style(peer, group.target)
        times = curve(group, peer, multiple)
        ratio.plot(times.x, times.y, **look)
        needed = curve(group, peer, lambda row: row.extra_mb)
        memory.plot(needed.x, needed.y, **look)
    over_sizes(ratio, group, f"time / {words.label_of(reference)}'s")
    logarithmic(ratio)
    over_sizes(memory, group, "memory, MB")
    from_zero(memory)


def _dots(cases: Sequence[Sequence[Row]], chosen: Sequence[str]) -> Figure:
    """Draw each case as a line of points, for accuracy and for time."""
    tall = 0.6 + 0.46 * len(cases) + legend_height(len(chosen) + 1)
    figure, (accuracy, time) = grid(1, height=tall)
    for place, group in enumerate(cases):
        by_peer = {row.peer: row for row in group}
        for k, peer in enumerate(chosen):
            row = by_peer.get(peer)
            y = place + 0.6 * ((k + 0.5) / len(chosen) - 0.5)
            if row is not None:
                _dot(accuracy, row.main.value if row.main else None, y, row)
                _dot(time, row.finite_seconds, y, row)
        empty = by_peer.get(EMPTY)
        if empty is not None and empty.main is not None:
            reach = [place - 0.4, place + 0.4]
            accuracy.plot([empty.main.value] * 2, reach, color=COLOURS["grey"], ls=":")
    for axis in (accuracy, time):
        axis.set_yticks(range(len(cases)), [_broken(group[0]) for group in cases])
        axis.set_ylim(len(cases) - 0.5, -0.5)
        axis.grid(visible=False, axis="y")
        for place in range(1, len(cases)):
            axis.axhline(place - 0.5, color="#DDDDDD", lw=0.6)
    time.tick_params(labelleft=False)
    accuracy.set_xlabel("mean distance")
    from_zero(accuracy, "x")
    if any(row.finite_seconds for group in cases for row in group if row.peer in chosen):
        time.set_xscale("log")
    time.set_xlabel("seconds")
    for peer in chosen:
        look = {**style(peer, "class"), "ls": "none"}
        time.plot([], [], label=words.label_of(peer), **look)
    accuracy.plot([], [], color=COLOURS["grey"], ls=":", label="empty graph")
    legend(figure, [time, accuracy])
    return figure


def _broken(row: Row) -> str:
    """Return the label of a case in short lines."""
    return "\n".join(wrap(row.label, LABEL))


def _dot(axis: Any, value: float | None, y: float, row: Row) -> None:
    """Draw a point; an open one where it is a distance to the class beside distances to the DAG."""
    if value is not None:
        look = {**style(row.peer, "class"), "ls": "none"}
        if row.target == "dag" and row.returns == "class":
            look |= {"mfc": "white", "mec": look["color"]}
        axis.plot([value], [y], **look)


def _draw_over(axis: Any, group: Group, peer: str, look: dict[str, Any]) -> None:
    """Draw an open marker at the limit where most runs were over it."""
    for size, row in group.of(peer).items():
        over = row.seconds == inf or (row.n_ok == 0 and row.short.endswith(" s"))
        if over and row.time_limit is not None:
            axis.plot([size], [row.time_limit], **{**look, "mfc": "white", "ls": "none"})


def _draw_error(axis: Any, found: Curve, look: dict[str, Any]) -> None:
    """Draw a curve with its standard errors."""
    axis.plot(found.x, found.y, **look)
    low = [max(y - e, 0.0) for y, e in zip(found.y, found.error, strict=True)]
    high = [y + e for y, e in zip(found.y, found.error, strict=True)]
    axis.vlines(found.x, low, high, color=look["color"], lw=0.8)


def _dodged(found: Curve, k: int, n: int) -> Curve:
    """Move points a little aside: many methods are at 0."""
    shift = 1.0 + DODGE * (k - (n - 1) / 2.0)
    return Curve(tuple(x * shift for x in found.x), found.y, found.error)


def _note(found: Sequence[Row], chosen: Sequence[str]) -> str:
    """Explain the marks that a figure has."""
    mine = [row for row in found if row.peer in chosen]
    notes = ["Accuracy: means over the seeds with standard errors."]
    if any(row.target == "dag" and row.returns == "class" for row in mine):
        notes.append(DASHED)
    if any(row.short.startswith(">") for row in mine):
        notes.append(OPEN)
    if len({row.d for row in mine}) > 1:
        notes.append(MEMORY)
    return " ".join(notes)
