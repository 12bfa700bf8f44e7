"""The records of a benchmark put together: a method on a case, two methods on the same data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isinf
from operator import attrgetter
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple, TypeAlias

from daglock_evaluation.harness import store
from daglock_evaluation.harness.numbers import NOTHING, half_interval, share
from daglock_evaluation.harness.store import Store

# The fields are listed in docs/architecture.md.
Record: TypeAlias = Mapping[str, Any]
OURS = "daglock"
# Distances between classes, for all, and between directed graphs; and their names for people.
CLASS, DIRECTED = "cpdag_shd", "shd"
NAME = {CLASS: "CPDAG-SHD", DIRECTED: "SHD"}
# Seconds are those of the processor.
SECONDS = "cpu_seconds"
# What is the same along a curve over d, and over n.
OTHER = {"d": "n", "n": "d"}
# Messages of failures may be long.
MESSAGE = 100


def open_records(path: Path) -> Store:
    """Return the records of a file: one for each method on the data of a seed."""
    return Store(path, ("case", "peer", "seed"), needs=("status",))


def finished(records: Iterable[Record]) -> list[Record]:
    """Return the records of runs that came to an end."""
    return [record for record in records if record["status"] == "ok"]


def main_measure(record: Record) -> str:
    """Return the distance to what the data identify, as far as the method returns it."""
    return DIRECTED if record["target"] == record["returns"] == "dag" else CLASS


def case_key(record: Record) -> str:
    """Return what tells a case from others."""
    return store.key(record["case"])


class Mean(NamedTuple):
    """A mean over seeds, half its t interval (None from one value) and the largest value."""

    value: float
    half: float | None
    most: float
    n: int


class Row:
    """The runs of a method on a case.

    Means are over the runs that have the figure (a method that returns a class has no SHD, a graph
    with a cycle no CPDAG-SHD), and None where no run has.

    Attributes
    ----------
    case : key of its settings.
    is_real : real data, of which the seeds only give other orders of the columns.
    main : the distance between classes.
    directed : that between directed graphs, where the data identify one and the method returns one.
    runs, ok : all by seed, and those that came to an end.
    beside : the rows of its case by method, when these were put together.
    seconds : the median, a run over the time limit counted as longer than all; it may be infinite.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        first = records[0]
        self.suite: str = first["suite"]
        self.label: str = first["label"]
        self.family: str = first["family"]
        self.d: int = first["d"]
        self.n: int = first["n"]
        self.target: str = first["target"]
        self.peer: str = first["peer"]
        self.returns: str = first["returns"]
        self.case = case_key(first)
        self.is_real = "sachs" in first["case"]
        self.beside: dict[str, Row] = {}
        self.runs = {record["seed"]: record for record in records}
        self.ok = {record["seed"]: record for record in finished(records)}
        self.others = [record for record in records if record["status"] != "ok"]
        self.n_ok, self.n_runs = len(self.ok), len(self.runs)
        self.main = self.mean(CLASS)
        self.directed = self.mean(DIRECTED) if main_measure(first) == DIRECTED else None
        limits = [record["time_limit"] for record in records if record.get("time_limit")]
        self.time_limit: float | None = max(limits, default=None)
        longer = [inf for record in self.others if record["status"] == "time limit"]
        self.seconds = self.median(SECONDS, longer)

    def values(self, name: str) -> list[Any]:
        """Return a figure of the runs that have it."""
        return [record[name] for record in self.ok.values() if record.get(name) is not None]

    def mean(self, name: str) -> Mean | None:
        """Return the mean of a figure."""
        found = self.values(name)
        if not found:
            return None
        return Mean(float(mean(found)), half_interval(found), max(found), len(found))

    def share(self, name: str) -> str:
        """Say in how many runs something holds."""
        found = self.values(name)
        return share(found) if found else NOTHING

    def median(self, name: str, more: Sequence[float] = ()) -> float | None:
        """Return the median of a figure."""
        found = self.values(name)
        return float(median([*found, *more])) if found else None

    @property
    def finite_seconds(self) -> float | None:
        """The median of the seconds where it is below the limit."""
        return None if self.seconds is None or isinf(self.seconds) else self.seconds

    @property
    def outcomes(self) -> str:
        """In words, what became of the runs without a result; "" when there are none."""
        counts, n = Counter(map(_outcome, self.others)), self.n_runs
        return "; ".join(what if k == n else f"{k} of {n} {what}" for what, k in counts.items())

    @property
    def short(self) -> str:
        """The same in a word or two, for a cell."""
        if not self.others:
            return ""
        statuses = Counter(record["status"] for record in self.others)
        [(most, _)] = statuses.most_common(1)
        status = "time limit" if "time limit" in statuses else most  # the others were then not run
        last = next(record for record in self.others if record["status"] == status)
        unit = {"time limit": "s", "memory limit": "GB"}.get(status)
        limit = last.get(status.replace(" ", "_"))
        return f"> {limit:g} {unit}" if unit and limit else str(status)


def _outcome(record: Record) -> str:
    """Say what became of a run."""
    status, message = record["status"], str(record.get("message", "")).strip()
    if len(message) > MESSAGE:
        message = message[: MESSAGE - 1].rstrip() + "…"
    if status in ("time limit", "memory limit") and message:
        return message
    return f"{status}: {message}" if message else str(status)


def rows(records: Iterable[Record]) -> list[Row]:
    """Return a row for each case and method, in the order of the records."""
    groups = store.grouped(records, lambda r: (r["suite"], case_key(r), r["peer"]))
    return [Row(group) for group in groups.values()]


def by_case(found: Iterable[Row]) -> list[dict[str, Row]]:
    """Return the rows of each case by method."""
    groups: dict[tuple[str, str], dict[str, Row]] = {}
    for row in found:
        row.beside = groups.setdefault((row.suite, row.case), {})
        row.beside[row.peer] = row
    return list(groups.values())


@dataclass(frozen=True)
class Pair:
    """Two methods on a case, on the seeds on which both came to an end.

    Attributes
    ----------
    measure : the distance that they are compared by.
    seeds : on which both came to an end.
    variants : the same with daglock told what the case is about, where that was run.
    """

    theirs: Row
    ours: Row
    measure: str
    seeds: tuple[int, ...]
    variants: tuple[Pair, ...] = ()

    @property
    def place(self) -> tuple[str, str]:
        """Suite and case."""
        return self.theirs.suite, self.theirs.label

    @cached_property
    def distances(self) -> list[tuple[float, float]]:
        """Their values of the measure and ours, on the seeds on which both have one."""
        runs = [(self.theirs.ok[seed], self.ours.ok[seed]) for seed in self.seeds]
        both = [(theirs.get(self.measure), ours.get(self.measure)) for theirs, ours in runs]
        return [(float(a), float(b)) for a, b in both if a is not None and b is not None]

    @cached_property
    def means(self) -> tuple[float, float]:
        """Their mean distance and ours, where they can be compared."""
        theirs, ours = zip(*self.distances, strict=True)
        return float(mean(theirs)), float(mean(ours))

    @cached_property
    def advantage(self) -> float:
        """How much smaller their distance is; 0 when they are equal, or cannot be compared."""
        return float(mean(b - a for a, b in self.distances)) if self.distances else 0.0

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """Of the mean of the differences, graph by graph; None from one graph, or one data set."""
        half = half_interval([b - a for a, b in self.distances])
        if half is None or self.theirs.is_real:
            return None
        return self.advantage - half, self.advantage + half

    @property
    def is_told(self) -> bool:
        """Whether the interval leaves 0 out: the graphs tell the two apart."""
        return self.interval is not None and not self.interval[0] <= 0.0 <= self.interval[1]

    @property
    def as_accurate(self) -> bool:
        """Whether their mean distance is not larger."""
        return bool(self.distances) and self.advantage >= 0.0

    def medians(self, name: str) -> tuple[float, float] | None:
        """Return the medians of a figure, theirs and ours, on the common seeds."""
        if not self.seeds:
            return None
        theirs, ours = (
            median(float(row.ok[seed][name]) for seed in self.seeds)
            for row in (self.theirs, self.ours)
        )
        return theirs, ours

    def less(self, name: str) -> bool:
        """Whether their median of a figure is smaller."""
        found = self.medians(name)
        return found is not None and found[0] < found[1]


def pair(theirs: Row, ours: Row, variants: Sequence[Row] = (), measure: str = CLASS) -> Pair:
    """Compare two methods of a case, and variants of ours on the seeds that all share."""
    seeds = tuple(seed for seed in ours.ok if seed in theirs.ok)
    beside = [Pair(theirs, v, measure, tuple(s for s in v.ok if s in seeds)) for v in variants]
    return Pair(theirs, ours, measure, seeds, tuple(one for one in beside if one.distances))


@dataclass(frozen=True)
class Group:
    """The rows of a family over d or over n (`axis`), the other being `fixed`."""

    family: str
    target: str
    axis: str
    fixed: int
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """What the group is, in one line."""
        return f"{self.family}, {OTHER[self.axis]} = {self.fixed}"

    @property
    def sizes(self) -> list[int]:
        """The values of what differs, in their order."""
        return sorted({self.size(row) for row in self.rows})

    def size(self, row: Row) -> int:
        """Return the value of what differs."""
        return row.d if self.axis == "d" else row.n

    def of(self, peer: str) -> dict[int, Row]:
        """Return the rows of a method by size, the small ones first."""
        mine = sorted((row for row in self.rows if row.peer == peer), key=self.size)
        return {self.size(row): row for row in mine}

    def at(self, size: int) -> list[Row]:
        """Return the rows of one size."""
        return [row for row in self.rows if self.size(row) == size]


def groups(found: Sequence[Row]) -> list[Group]:
    """Return the curves of one suite; a case may be on one over d and on one over n."""
    made: list[Group] = []
    for family, mine in store.grouped(found, attrgetter("family")).items():
        for axis in OTHER:
            lines: dict[int, list[Row]] = store.grouped(mine, attrgetter(OTHER[axis]))
            made += [Group(family, r[0].target, axis, k, tuple(r)) for k, r in lines.items()]
    return [group for group in made if len(group.sizes) > 1]


def singles(found: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each case of one suite that is on no curve."""
    on_curves = {row.case for group in groups(found) for row in group.rows}
    rest = by_case(row for row in found if row.case not in on_curves)
    return [list(case.values()) for case in rest]
