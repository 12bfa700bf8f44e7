"""The tables of the README, from the records (``python -m`` this module)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from daglock.errors import InvalidParameterError
from daglock_evaluation.benchmark.runs import Row, open_records, rows
from daglock_evaluation.benchmark.tables import MARK as CLASS
from daglock_evaluation.harness.numbers import NOTHING, seconds_text
from daglock_evaluation.harness.tables import markdown_rows
from daglock_evaluation.methods import find


@dataclass(frozen=True)
class Excerpt:
    """Some cases of a suite, by label with what they are called here, and some of its methods."""

    suite: str
    title: str
    cases: dict[str, str]
    methods: tuple[str, ...]


_SCALED = "±[0.5,1], unequal, standardised"
EXCERPTS = (
    Excerpt(
        "equal",
        f"equal variances, SHD ({CLASS} class)",
        {
            "ER2 ±[0.5,1] d=50 n=1000": "ER2 ±[0.5,1], d = 50",
            "ER2 ±[0.5,1] d=200 n=1000": "ER2 ±[0.5,1], d = 200",
            "ER2 ±[0.5,1] d=1000 n=1000": "ER2 ±[0.5,1], d = 1000",
            "ER4 +[0.5,1] d=100 n=1000": "ER4 +[0.5,1], d = 100",
            "ER4 +[0.5,1] d=200 n=1000": "ER4 +[0.5,1], d = 200",
            "ER4 ±[0.5,2] d=100 n=1000": "ER4 ±[0.5,2], d = 100",
        },
        ("daglock", "flop-0", "flop-20", "dagma", "var-sortnregress"),
    ),
    Excerpt(
        "unequal",
        "unequal variances, standardised, CPDAG-SHD",
        {
            f"ER1 {_SCALED} d=100 n=1000": "degree 2, d = 100",
            f"ER1 {_SCALED} d=500 n=1000": "degree 2, d = 500",
            f"ER2 {_SCALED} d=50 n=200": "degree 4, d = 50, n = 200",
            f"ER2 {_SCALED} d=100 n=1000": "degree 4, d = 100",
            f"ER2 {_SCALED} d=200 n=1000": "degree 4, d = 200",
            f"ER2 {_SCALED} d=500 n=1000": "degree 4, d = 500",
            f"ER4 {_SCALED} d=50 n=1000": "degree 8, d = 50",
            f"ER4 {_SCALED} d=100 n=1000": "degree 8, d = 100",
        },
        ("daglock", "flop-20", "flop-100", "boss", "xges", "pc"),
    ),
    Excerpt(
        "hard",
        f"few rows, weak edges, dense graphs: SHD ({CLASS} class) if equal, else CPDAG-SHD",
        {
            "ER1 ±[0.5,1] d=100 n=50": "ER1, equal, d = 100, n = 50",
            "ER1 ±[0.5,1], unequal, standardised d=100 n=50": "ER1, unequal, d = 100, n = 50",
            "ER2 ±[0.1,0.5] d=50 n=1000": "ER2 ±[0.1,0.5], equal, d = 50",
            "ER2 ±[0.1,0.5], unequal, standardised d=50 n=1000": "ER2 ±[0.1,0.5], unequal, d = 50",
            "ER2 ±[0.5,1], 30% near copies, standardised d=50 n=1000": "ER2, near copies, d = 50",
            "ER10 ±[0.5,1], unequal, standardised d=50 n=1000": "ER10, unequal, d = 50",
            "ER8 ±[0.5,1] d=20 n=1000": "ER8, equal, d = 20",
            "ER8 ±[0.5,1], unequal, standardised d=20 n=1000": "ER8, unequal, d = 20",
        },
        ("daglock", "flop-20", "flop-100", "boss", "pc", "dagma"),
    ),
)


def excerpt(folder: str | Path = "benchmark/records") -> list[str]:
    """Return the tables, in Markdown, from the folder of the records."""
    return [_table(chosen, Path(folder)) for chosen in EXCERPTS]


def _table(chosen: Excerpt, folder: Path) -> str:
    """Return one of them."""
    found = rows(open_records(folder / f"{chosen.suite}.jsonl").known.values())
    by_place = {(row.label, row.peer): row for row in found}
    if missing := {*chosen.cases} - {row.label for row in found}:
        raise InvalidParameterError(f"{folder} has no records of {', '.join(sorted(missing))}.")
    lines: list[Sequence[str]] = [
        [chosen.title, *(find(method).label for method in chosen.methods)]
    ]
    for label, name in chosen.cases.items():
        cells = [by_place.get((label, method)) for method in chosen.methods]
        lines.append([name, *map(_cell, cells)])
    return markdown_rows(lines)


def _cell(row: Row | None) -> str:
    """Write distance and seconds, or what became of the runs."""
    if row is None or row.short == "not run":
        return NOTHING
    if row.main is None or row.finite_seconds is None:
        return row.short
    between_classes = row.target == "dag" and row.measure == "cpdag_shd"
    return (
        f"{round(row.main.value, 1):g}{CLASS if between_classes else ''} / "
        f"{seconds_text(row.finite_seconds)}"
    )


if __name__ == "__main__":
    print("\n\n".join(excerpt(*sys.argv[1:])))
