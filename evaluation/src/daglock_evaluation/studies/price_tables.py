"""What the records of searches at one price say: where daglock loses, how often, and how fast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean
from typing import Any

from daglock_evaluation.harness.store import Line, grouped
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies.recorded import CLEAR, paired_text, with_gaps

OURS, FLOP = "daglock", "FLOP, 20 restarts"
Lines = Sequence[dict[str, Any]]


def tables(lines: Iterable[Line]) -> list[Table]:
    """Return the tables: losses first, then all, then seconds."""
    known = sorted(
        with_gaps(lines, lambda line: str(_table(line))), key=lambda line: (line["d"], line["n"])
    )
    if not known:
        return []
    return [losses(known), standing(known), *_beside(known)]


def losses(lines: Lines) -> Table:
    """Return the cells in which daglock is worse than the best known, the most often first."""
    rows = [["graphs", "d", "n", "price of", "worse", "mean gap", "largest", "best by"]]
    found = []
    for cell, mine in grouped(lines, lambda line: _table(line)[:4]).items():
        own = [line for line in mine if line["method"] == OURS]
        lost = {line["seed"]: line["gap"] for line in own if line["gap"] > 0.0}
        best_by = {line["method"] for line in mine if line["gap"] == 0.0 and line["seed"] in lost}
        if lost:
            gaps = [line["gap"] for line in own]
            found.append((len(lost), cell, len(own), mean(gaps), max(gaps), sorted(best_by)))
    for count, cell, total, middle, most, names in sorted(found, key=lambda one: -one[0]):
        numbers = [f"{count} of {total}", f"{middle:.2f}", f"{most:.2f}"]
        rows.append([*map(str, cell), *numbers, "; ".join(names)])
    return Table("Where daglock's graph is worse than the best known", rows)


def standing(lines: Lines) -> Table:
    """Return how often each search is worse than the best known, by how much, and its seconds."""
    shares = ["worse", "not worse", "worse than another package's"]
    rows = [["d", "search", *shares, "mean gap", "SHD", "mean s", "s / daglock"]]
    by_table = grouped(lines, _table)
    for (d, method), mine in grouped(lines, lambda line: (line["d"], line["method"])).items():
        worse = sum(line["gap"] > 0.0 for line in mine)
        beaten = sum(
            any(
                _package(other) != _package(line) and other["score"] < line["score"] - CLEAR
                for other in by_table[_table(line)]
            )
            for line in mine
        )
        there = {_table(line) for line in mine}
        own = [line for line in lines if line["method"] == OURS and _table(line) in there]
        seconds = mean(line["seconds"] for line in mine)
        rows.append(
            [
                f"{d}",
                method,
                f"{worse} of {len(mine)}",
                f"{1 - worse / len(mine):.1%}",
                f"{beaten}",
                f"{mean(line['gap'] for line in mine):.2f}",
                f"{mean(line['distance'] for line in mine):.1f}",
                f"{seconds:.3f}",
                f"{seconds / mean(line['seconds'] for line in own):.1f}" if own else "",
            ]
        )
    return Table("All graphs: worse than the best known", rows)


def _beside(lines: Lines) -> list[Table]:
    """Compare daglock with FLOP, 20 restarts, table by table; and both with BOSS."""
    rows = [["d", "beside", "graphs", "better", "same", "worse", "score", "seconds", "slower on"]]
    for d, mine in grouped(lines, lambda line: line["d"]).items():
        by_table = grouped(mine, _table)
        for peer in (FLOP, "BOSS", "BOSS, 10 starts"):
            pairs = []
            for some in by_table.values():
                here = {line["method"]: line for line in some}
                if OURS in here and peer in here:
                    pairs.append((here[OURS], here[peer]))
            if len(pairs) < 2:
                continue
            gains = [theirs["score"] - own["score"] for own, theirs in pairs]
            better, worse = sum(g > CLEAR for g in gains), sum(g < -CLEAR for g in gains)
            first, second = zip(*pairs, strict=True)
            slower = sum(own["seconds"] > theirs["seconds"] for own, theirs in pairs)
            counts = [f"{better}", f"{len(pairs) - better - worse}", f"{worse}"]
            rows.append(
                [
                    *(f"{d}", peer, f"{len(pairs)}", *counts),
                    paired_text(_column(first, "score"), _column(second, "score"), digits=2),
                    paired_text(_column(first, "seconds"), _column(second, "seconds"), digits=3),
                    f"{slower}",
                ]
            )
    note = "daglock less the other, mean ± 95 % interval (Student's t)"
    return [Table(f"Table by table beside another search: {note}", rows)] if rows[1:] else []


def widths(lines: Iterable[Line]) -> Table:
    """Return for each kind of tables and each search how often it is the worse, and its seconds."""
    rows = [["graphs", "n", "search", "worse", "mean gap", "SHD", "s"]]
    known = list(with_gaps(lines, lambda line: str(_table(line))))
    for (graphs, n, method), mine in grouped(
        known, lambda line: (line["graphs"], line["n"], line["method"])
    ).items():
        rows.append([graphs, f"{n}", method, *_figures(mine)])
    return Table(f"d = {known[0]['d']}", rows)


def _figures(mine: Sequence[Line]) -> list[str]:
    """Return how often these lines are the worse, and their mean gap, distance and seconds."""
    means = {what: mean(line[what] for line in mine) for what in ("gap", "distance", "seconds")}
    worse = f"{sum(line['gap'] > 0.0 for line in mine)} of {len(mine)}"
    return [worse, f"{means['gap']:.2f}", f"{means['distance']:.1f}", f"{means['seconds']:.3f}"]


def together(lines: Iterable[Line]) -> Table:
    """Return for each search how often it is the worse, on tables of all kinds, and its seconds."""
    rows = [["search", "worse", "mean gap", "SHD", "s"]]
    known = list(with_gaps(lines, lambda line: str(_table(line))))
    for method, mine in grouped(known, lambda line: str(line["method"])).items():
        rows.append([method, *_figures(mine)])
    return Table(f"d = {known[0]['d']}", rows)


def _package(line: Line) -> str:
    """Return whose search it is: restarts do not matter."""
    return str(line["method"]).partition(",")[0]


def _column(lines: Iterable[Line], what: str) -> list[float]:
    """Return one figure of each line."""
    return [line[what] for line in lines]


def _table(line: Line) -> tuple[str, int, int, str, int]:
    """Return which table a line is about."""
    return line["graphs"], line["d"], line["n"], line["price"], line["seed"]
