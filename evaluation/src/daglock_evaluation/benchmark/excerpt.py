"""What the README says of the benchmark, from the records (``python -m`` this module)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from daglock.errors import InvalidParameterError
from daglock_evaluation.benchmark.answers import Beside
from daglock_evaluation.benchmark.runs import Row, open_records, rows
from daglock_evaluation.benchmark.suites import MANY
from daglock_evaluation.harness.numbers import NOTHING, mean_text, seconds_text
from daglock_evaluation.harness.tables import markdown_rows
from daglock_evaluation.methods import find, label_of


@dataclass(frozen=True)
class Excerpt:
    """Some cases, by suite and label with what they are called here, and some methods."""

    title: str
    cases: dict[tuple[str, str], str]
    methods: tuple[str, ...]


_SCALED = "unequal, standardised"
EXCERPTS = (
    Excerpt(
        "only the class can be found",
        {
            ("unequal", f"ER1 ±[0.5,1], {_SCALED} d=100 n=1000"): "degree 2, d = 100",
            ("unequal", f"ER2 ±[0.5,1], {_SCALED} d=50 n=200"): "degree 4, d = 50, n = 200",
            ("unequal", f"ER2 ±[0.5,1], {_SCALED} d=100 n=1000"): "degree 4, d = 100",
            ("unequal", f"ER4 ±[0.5,1], {_SCALED} d=50 n=1000"): "degree 8, d = 50",
            ("shapes", f"hubs 2 ±[0.05,1], {_SCALED} d=50 n=1000"): "hubs, weak edges, d = 50",
            ("shapes", f"regulators 1.5 ±[0.05,1], {_SCALED} d=100 n=1000"): (
                "regulators, weak edges, d = 100"
            ),
        },
        ("daglock", "flop-20", "tetrad-boss", "tetrad-grasp", "pc-0.01"),
    ),
    Excerpt(
        "equal noise variances",
        {
            ("equal", "ER2 ±[0.5,1] d=50 n=1000"): "degree 4, d = 50",
            ("equal", "ER2 ±[0.5,1] d=100 n=1000"): "degree 4, d = 100",
            ("equal", "ER4 +[0.5,1] d=100 n=1000"): "degree 8, positive, d = 100",
            ("equal", "hubs 2 ±[0.5,1] d=50 n=1000"): "hubs, d = 50",
            ("equal", "ER2 ±[0.05,1] d=50 n=1000"): "weak edges, d = 50",
        },
        ("daglock", "top-down", "dagma", "flop-20", "var-sortnregress"),
    ),
)


# The suites and the searches of the sentence about scores at one price.
SEARCHED, SEARCHES = ("unequal", "shapes"), ("flop-20", "tetrad-boss")


def excerpt(folder: str | Path = "benchmark/records") -> list[str]:
    """Return the tables, in Markdown, and a sentence, from the folder of the records."""
    return [*(_table(chosen, Path(folder)) for chosen in EXCERPTS), _sentence(Path(folder))]


def _sentence(folder: Path) -> str:
    """Say who found the better graph at one price of an edge."""
    files = [open_records(folder / f"{suite}.jsonl") for suite in SEARCHED]
    found = rows(record for file in files for record in file.known.values())
    beside = {peer: Beside.of(found, peer) for peer in SEARCHES}
    told = [
        f"{label_of(peer)} found a graph of better score than daglock {one.better} and one of "
        f"worse score {one.worse} times on {one.graphs} tables"
        for peer, one in beside.items()
    ]
    return f"At one and the same price of an edge {'; '.join(told)}."


def _table(chosen: Excerpt, folder: Path) -> str:
    """Return one of them."""
    by_place: dict[tuple[str, str, str], Row] = {}
    for suite in dict.fromkeys(suite for suite, _ in chosen.cases):
        found = rows(open_records(folder / f"{suite}.jsonl").known.values())
        by_place |= {(suite, row.label, row.peer): row for row in found}
    known = {place[:2] for place in by_place}
    if missing := [label for suite, label in chosen.cases if (suite, label) not in known]:
        raise InvalidParameterError(f"{folder} has no records of {', '.join(missing)}.")
    lines: list[Sequence[str]] = [
        [chosen.title, *(find(method).label for method in chosen.methods)]
    ]
    for place, name in chosen.cases.items():
        cells = [by_place.get((*place, method)) for method in chosen.methods]
        lines.append([name, *map(_cell, cells)])
    return markdown_rows(lines)


def _cell(row: Row | None) -> str:
    """Write distance and seconds, in brackets the number of few graphs; or what became of them."""
    if row is None or (not row.n_ok and row.short == "not run"):
        return NOTHING
    if row.main is None or row.finite_seconds is None:
        return row.short
    few = f" [{row.main.n}]" if row.main.n < MANY else ""
    return f"{mean_text(row.main.value)} / {seconds_text(row.finite_seconds)}{few}"


if __name__ == "__main__":
    print("\n\n".join(excerpt(*sys.argv[1:])))
