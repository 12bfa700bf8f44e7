"""What records of methods on cases come to: means, errors, seconds, and who is nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import itemgetter
from statistics import mean, median, stdev

from daglock_evaluation.harness.numbers import NOTHING, listed, seconds_text
from daglock_evaluation.harness.store import Line, dates, grouped, versions_of
from daglock_evaluation.harness.sweep import Method
from daglock_evaluation.harness.tables import Table

# The method that finds nothing.
EMPTY = "empty"


@dataclass(frozen=True)
class Cell:
    """The runs of a method on the tables of a case.

    Attributes
    ----------
    distances : to the truth, by seed.
    seconds : of each run that came to an end.
    ended : why others did not; empty where all did.
    """

    distances: Mapping[int, int]
    seconds: Sequence[float]
    ended: str = ""

    @classmethod
    def of(cls, records: Sequence[Line], measure: str, clock: str) -> Cell:
        """Collect the records of a method on a case, from their fields of distance and time."""
        done = [record for record in records if record["status"] == "ok"]
        left = [record for record in records if record["status"] != "ok"]
        ended = ""
        if left:
            last = left[-1]
            is_slow = last["status"] == "time limit"
            ended = f"> {last['time_limit']:g} s" if is_slow else "failed"
        distances = {record["seed"]: record[measure] for record in done}
        return cls(distances, [record[clock] for record in done], ended)

    def distance_text(self, most: int) -> str:
        """Write mean and standard error; in brackets the number of runs where it is not `most`."""
        values = [*self.distances.values()]
        if not values:
            return self.ended or NOTHING
        error = f" ± {stdev(values) / sqrt(len(values)):.1f}" if len(values) > 1 else ""
        few = f" [{len(values)}]" if len(values) < most else ""
        return f"{mean(values):.1f}{error}{few}"

    def seconds_text(self) -> str:
        """Write the median."""
        return seconds_text(median(self.seconds)) if self.seconds else self.ended or NOTHING


@dataclass(frozen=True)
class Standing:
    """daglock beside the best of the others in a case, on the tables that both have.

    Attributes
    ----------
    best : method of another package with the smallest mean distance, found after the fact.
    ours, theirs, empty : mean distances.
    error : standard error of the mean of the differences, table by table.
    """

    label: str
    best: str
    ours: float
    theirs: float
    empty: float
    error: float

    @property
    def no_worse(self) -> bool:
        """Whether the mean is not above that of the best."""
        return self.ours <= self.theirs

    @property
    def within_error(self) -> bool:
        """Whether the mean is not above that of the best by more than two standard errors."""
        return self.ours <= self.theirs + 2.0 * self.error


Cells = Mapping[tuple[str, str], Cell]


def cells(
    records: Sequence[Line], measure: str = "cpdag_shd", clock: str = "seconds"
) -> dict[tuple[str, str], Cell]:
    """Return the cells by the label of the case and the method."""
    groups = grouped(records, itemgetter("label", "method"))
    return {name: Cell.of(mine, measure, clock) for name, mine in groups.items()}


def standings(
    found: Cells, labels: Sequence[str], ours: str, methods: Mapping[str, Method]
) -> list[Standing]:
    """Compare one method, case by case, with the best of the others and with the empty graph."""
    peers, results = [name for name, method in methods.items() if method.is_peer], []
    for label in labels:
        mine, nothing = found.get((label, ours)), found.get((label, EMPTY))
        if mine is None or nothing is None:
            continue
        # A peer that ended on fewer tables is compared on these.
        both = {name: _pairs(mine, found[label, name]) for name in peers if (label, name) in found}
        both = {name: pairs for name, pairs in both.items() if pairs}
        if not both:
            continue
        best = min(both, key=lambda name: mean(b - a for a, b in both[name]))
        differences = [a - b for a, b in both[best]]
        error = stdev(differences) / sqrt(len(differences)) if len(differences) > 1 else 0.0
        first, second = (mean(side) for side in zip(*both[best], strict=True))
        base = mean(nothing.distances.values())
        results.append(Standing(label, best, first, second, base, error))
    return results


def _pairs(first: Cell, second: Cell) -> list[tuple[int, int]]:
    """Return the distances of two methods on the tables that both have."""
    seeds = [seed for seed in second.distances if seed in first.distances]
    return [(first.distances[seed], second.distances[seed]) for seed in seeds]


def grid(
    title: str,
    found: Cells,
    labels: Sequence[str],
    methods: Mapping[str, Method],
    *,
    seconds: bool = False,
    note: str = "",
) -> Table:
    """Return a table with a row for each case and a column for each method that is recorded.

    The seconds of no graph at all are not shown.
    """
    recorded, there = ({place[k] for place in found} for k in (0, 1))
    shown = [name for name in methods if name in there and not (seconds and name == EMPTY)]
    rows = [["case", *(methods[name].label for name in shown)]]
    for label in (label for label in labels if label in recorded):
        mine = [found.get((label, name)) for name in shown]
        most = max((len(cell.distances) for cell in mine if cell is not None), default=0)
        texts = [
            NOTHING if one is None else one.seconds_text() if seconds else one.distance_text(most)
            for one in mine
        ]
        rows.append([label, *texts])
    return Table(title, rows, note)


def made(records: Sequence[Line], packages: Sequence[str]) -> str:
    """Say on what the runs were made, when, and with which versions."""
    machines = sorted(
        {f"{r['machine']['processor']}, {r['machine']['cores']} cores" for r in records}
    )
    versions = {name: versions_of(records, name) for name in ("daglock", *packages)}
    texts = [f"{name} {numbers}" for name, numbers in versions.items() if numbers]
    return f"Ran on {listed(machines)} ({dates(records)}) with {listed(texts)}."
