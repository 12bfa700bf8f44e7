"""Statements: what each method says of pairs whose order is known, and how often it is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from daglock.confidence.confidence import DIRECTED, LEANING
from daglock_evaluation.calibration.comparing import ROLES, open_runs, open_tables
from daglock_evaluation.calibration.contenders import CONTENDERS, OURS, PAIR
from daglock_evaluation.calibration.intervals import (
    Interval,
    by_groups,
    difference_by_groups,
    wilson,
)
from daglock_evaluation.calibration.ours import CONFIDENCE, IDENTIFIED
from daglock_evaluation.calibration.tables import declare, declared, known_pairs
from daglock_evaluation.harness.store import Line

Pair = tuple[int, int]
# Of one table: (earlier, later) of each link whose order is known to what is said of it: 1 that the
# earlier acts on the later, -1 the contrary, which contradicts what is known, 0 nothing.
Verdicts = Mapping[Pair, float]
# Names of the rows that are daglock's, besides the class of its graph.
CERTAIN, HINTS = f"{OURS}:directed", f"{OURS}:leaning"
LABELS = {
    CERTAIN: "daglock, directed",
    HINTS: "daglock, directed or leaning",
    IDENTIFIED: "daglock, identified by a margin",
    **{one.name: one.label for one in CONTENDERS},
}


@dataclass(frozen=True)
class Records:
    """What was recorded of tables and runs.

    Attributes
    ----------
    tables : by name.
    known : of each table the pairs (earlier, later) of its columns.
    runs : by table and method.
    """

    tables: Mapping[str, Line]
    known: Mapping[str, frozenset[Pair]]
    runs: Mapping[tuple[str, str], Line]

    def names(self, role: str) -> list[str]:
        """Return the tables of a role."""
        return [name for name, table in self.tables.items() if table["role"] == role]

    def verdicts(self, role: str, method: str) -> dict[str, Verdicts]:
        """Return what a method says, table by table, where it came to an end."""
        by, least = {CERTAIN: (CONFIDENCE, DIRECTED), HINTS: (CONFIDENCE, LEANING)}.get(
            method, (method, None)
        )
        result = {}
        for name in self.names(role):
            run = self.runs.get((name, by))
            if run is not None and run["status"] == "ok":
                known = self.known[name]
                result[name] = _verdicts(run, known) if least is None else _sure(run, known, least)
        return result

    def probabilities(self, role: str, method: str) -> dict[str, dict[Pair, float]]:
        """Return the probability of what is known, of each link, table by table."""
        runs = ((name, self.runs.get((name, method))) for name in self.names(role))
        return {
            name: _probabilities(run, self.known[name])
            for name, run in runs
            if run is not None and run["status"] == "ok"
        }

    def unfinished(self, role: str, method: str) -> list[Line]:
        """Return the runs of a method that did not come to an end."""
        runs = (self.runs.get((name, method)) for name in self.names(role))
        return [run for run in runs if run is not None and run["status"] != "ok"]


@dataclass(frozen=True)
class Count:
    """How a method did on the tables of a role.

    Attributes
    ----------
    method, label : in records; for people.
    tables : that it was run on to the end.
    linked : links whose order is known.
    by_table : (wrong, stated) of each table.
    """

    method: str
    label: str
    tables: int
    linked: int
    by_table: Mapping[str, tuple[float, float]]

    @property
    def stated(self) -> int:
        """Links with a direction."""
        return int(sum(stated for _, stated in self.by_table.values()))

    @property
    def wrong(self) -> int:
        """Directions that contradict what is known."""
        return int(sum(wrong for wrong, _ in self.by_table.values()))

    @property
    def coverage(self) -> float:
        """Share of the links that have a direction."""
        return self.stated / self.linked if self.linked else float("nan")

    @property
    def share(self) -> float:
        """Share of the directions that are wrong."""
        return self.wrong / self.stated if self.stated else float("nan")

    @property
    def by_pairs(self) -> Interval:
        """Interval of that share, as if pairs were independent."""
        return wilson(self.wrong, self.stated)

    @property
    def by_tables(self) -> Interval:
        """Interval of that share, whole tables drawn again."""
        return by_groups(list(self.by_table.values()))

    def less(self, other: Count) -> Interval:
        """Interval of the share of this one less that of another, on the tables of both."""
        return difference_by_groups(self.by_table, other.by_table)


def load(records: Path) -> Records:
    """Read the records."""
    tables = {str(line["table"]): line for line in open_tables(records).known.values()}
    runs = open_runs(records).known.values()
    return Records(
        tables, _known(tables), {(str(run["table"]), str(run["method"])): run for run in runs}
    )


def methods(records: Records, role: str) -> list[str]:
    """Return the methods that were run on tables of a role: daglock's first."""
    ran = {method for table, method in records.runs if records.tables[table]["role"] == role}
    ran |= {CERTAIN, HINTS} if CONFIDENCE in ran else set()
    return [name for name in LABELS if name in ran]


def count(
    records: Records, role: str, method: str, only: Set[tuple[str, Pair]] | None = None
) -> Count:
    """Count what a method says of the pairs of a role, or of some of them."""
    linked, by_table = 0, {}
    found = records.verdicts(role, method)
    for table, verdicts in found.items():
        said = [v for pair, v in verdicts.items() if only is None or (table, pair) in only]
        linked += len(said)
        by_table[table] = float(sum(v < 0 for v in said)), float(sum(v != 0 for v in said))
    return Count(method, LABELS[method], len(found), linked, by_table)


def links_of_ours(records: Records, role: str) -> set[tuple[str, Pair]]:
    """Return the links of daglock's graphs whose order is known."""
    found = records.probabilities(role, CONFIDENCE)
    return {(table, pair) for table, pairs in found.items() for pair in pairs}


def _known(tables: Mapping[str, Line]) -> dict[str, frozenset[Pair]]:
    """Return the known pairs of columns that each table has."""
    result = {}
    for role in ROLES:
        for source, facts in declared(role).items():
            for file, fact in facts.items():
                table = declare(source, file, fact, role, Path())
                if table.name in tables:
                    place = {name: k for k, name in enumerate(tables[table.name]["columns"])}
                    pairs = [pair for pair in known_pairs(table) if set(pair) <= set(place)]
                    result[table.name] = frozenset((place[a], place[b]) for a, b in pairs)
    for name, line in tables.items():
        if line["role"] == PAIR:  # every even pair is swapped
            result[name] = frozenset({(0, 1) if int(name.split()[1]) % 2 else (1, 0)})
    return result


def _verdicts(run: Line, known: frozenset[Pair]) -> Verdicts:
    """Return what a run says of the known pairs that it links."""
    directed = {tuple(link) for link in run["directed"]}
    undirected = {frozenset(link) for link in run["undirected"]}
    found = {pair: (pair in directed) - (pair[::-1] in directed) for pair in known}
    return {pair: v for pair, v in sorted(found.items()) if v or frozenset(pair) in undirected}


def _probabilities(run: Line, known: frozenset[Pair]) -> dict[Pair, float]:
    """Return the probability of what is known, of each known pair that a run links."""
    said: Sequence[tuple[int, int, float]] = run["said"]
    both = {(i, j): p for i, j, p in said} | {(j, i): 1 - p for i, j, p in said}
    return {pair: both[pair] for pair in sorted(known) if pair in both}


def _sure(run: Line, known: frozenset[Pair], least: float) -> Verdicts:
    """Return what is claimed: arrows of the graph with a probability of at least so much."""
    sure = zip(run["said"], run["links"], strict=True)
    arrows = {(i, j) for (i, j, p), link in sure if p * link >= least}
    linked = _probabilities(run, known)
    return {pair: float((pair in arrows) - (pair[::-1] in arrows)) for pair in linked}
