"""What the records say: distances, seconds, and where daglock stands beside the best others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import itemgetter
from statistics import mean, median, stdev

from daglock_evaluation.harness.numbers import NOTHING, seconds_text, share
from daglock_evaluation.harness.store import Line, grouped
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.kinds.cases import cases
from daglock_evaluation.kinds.methods import EMPTY, OURS, methods

TITLES = {
    "discrete": "Discrete networks",
    "mixed": "Networks of numbers and categories",
}
# Tables of a case; where a method has fewer, the table says how many.
SEEDS = 10


@dataclass(frozen=True)
class Cell:
    """The runs of a method on the tables of a case.

    Attributes
    ----------
    distances : of the class to that of the true graph, by seed.
    seconds : of each run that came to an end.
    ended : why others did not; empty where all did.
    """

    distances: Mapping[int, int]
    seconds: Sequence[float]
    ended: str = ""

    @classmethod
    def of(cls, records: Sequence[Line]) -> Cell:
        """Collect the records of a method on a case."""
        done = [record for record in records if record["status"] == "ok"]
        left = [record for record in records if record["status"] != "ok"]
        ended = ""
        if left:
            last = left[-1]
            is_slow = last["status"] == "time limit"
            ended = f"> {last['time_limit']:g} s" if is_slow else "failed"
        distances = {record["seed"]: record["cpdag_shd"] for record in done}
        return cls(distances, [record["seconds"] for record in done], ended)

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


def cells(records: Sequence[Line]) -> dict[tuple[str, str], Cell]:
    """Return the cells by the label of the case and the method."""
    groups = grouped(records, itemgetter("label", "method"))
    return {name: Cell.of(mine) for name, mine in groups.items()}


def labels(suite: str, found: Cells) -> list[str]:
    """Return the cases that are recorded, in their order."""
    there = {label for label, _ in found}
    return [case.label for case in cases(suite) if case.label in there]


def standings(suite: str, found: Cells) -> list[Standing]:
    """Compare daglock, case by case, with the best of the others and with the empty graph."""
    peers = [name for name, method in methods(suite).items() if method.is_peer]
    results = []
    for label in labels(suite, found):
        ours = found.get((label, OURS))
        empty = found.get((label, EMPTY))
        others = {name: found[label, name] for name in peers if (label, name) in found}
        # A peer that ended on fewer tables is compared on these.
        pairs = {
            name: [
                (ours.distances[seed], cell.distances[seed])
                for seed in cell.distances
                if seed in ours.distances
            ]
            for name, cell in others.items()
            if ours is not None
        }
        pairs = {name: both for name, both in pairs.items() if both}
        if ours is None or empty is None or not pairs:
            continue
        best = min(pairs, key=lambda name: mean(b - a for a, b in pairs[name]))
        differences = [a - b for a, b in pairs[best]]
        error = stdev(differences) / sqrt(len(differences)) if len(differences) > 1 else 0.0
        mine, theirs = (mean(side) for side in zip(*pairs[best], strict=True))
        nothing = mean(empty.distances.values())
        results.append(Standing(label, best, mine, theirs, nothing, error))
    return results


def tables(suite: str, records: Sequence[Line]) -> list[Table]:
    """Return the tables of a suite: losses first, then distances and seconds."""
    found = cells(records)
    return [*_standing_table(suite, found), _distances(suite, found), _seconds(suite, found)]


def summary(suite: str, records: Sequence[Line]) -> list[str]:
    """Say in sentences where daglock stands."""
    known = cells(records)
    found = standings(suite, known)
    if not found:
        return ["No run of daglock is recorded beside others."]
    worse = [one.label for one in found if one.ours > one.empty]
    unfinished = {label: cell.ended for (label, name), cell in known.items() if name == OURS}
    unfinished = {label: why for label, why in unfinished.items() if why}
    return [
        f"daglock's mean distance is no larger than that of the best other method, chosen for each "
        f"case after the fact, in {share(one.no_worse for one in found)} cases "
        f"({mean(one.no_worse for one in found):.0%}), and within two standard errors of it in "
        f"{share(one.within_error for one in found)}.",
        f"It is worse than the empty graph in {'; '.join(worse)}."
        if worse
        else "It is nowhere worse than the empty graph.",
        *(
            f"On some tables of {label} it did not come to an end ({why}): these are missing above."
            for label, why in unfinished.items()
        ),
    ]


def _standing_table(suite: str, found: Cells) -> list[Table]:
    """Return where daglock stands, the largest loss first."""
    known = standings(suite, found)
    if not known:
        return []
    rows = [["case", "daglock", "best other", "", "difference", "empty graph"]]
    for one in sorted(known, key=lambda one: one.theirs - one.ours):
        label = methods(suite)[one.best].label
        difference = f"{one.ours - one.theirs:+.1f} ± {one.error:.1f}"
        theirs = [f"{one.theirs:.1f}", label, difference]
        rows.append([one.label, f"{one.ours:.1f}", *theirs, f"{one.empty:.1f}"])
    title = f"{TITLES[suite]}: daglock beside the best of the others, the largest loss first"
    return [Table(title, rows, "On the tables that both have.")]


def _distances(suite: str, found: Cells) -> Table:
    """Return the distances of all methods."""
    return _grid(suite, found, "CPDAG-SHD, mean ± standard error", seconds=False)


def _seconds(suite: str, found: Cells) -> Table:
    """Return the seconds of all methods."""
    return _grid(suite, found, "seconds, median", seconds=True)


def _grid(suite: str, found: Cells, what: str, *, seconds: bool) -> Table:
    """Return a table with a row for each case and a column for each method."""
    there = {name for _, name in found}
    shown = {name: one for name, one in methods(suite).items() if name in there}
    if seconds:
        shown.pop(EMPTY, None)
    rows = [["case", *(method.label for method in shown.values())]]
    for label in labels(suite, found):
        mine = [found.get((label, name)) for name in shown]
        most = max(len(cell.distances) for cell in mine if cell is not None)
        texts = [
            NOTHING if one is None else one.seconds_text() if seconds else one.distance_text(most)
            for one in mine
        ]
        rows.append([label, *texts])
    note = f"{SEEDS} tables of each case; in brackets how many where a method has fewer"
    note = "By the clock" if seconds else note
    return Table(f"{TITLES[suite]}: {what}", rows, f"{note}; {NOTHING} is not run.")
