"""What the records say: distances, seconds, and where daglock stands beside the best others."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from daglock_evaluation.harness.cells import Cells, Standing, cells, grid
from daglock_evaluation.harness.cells import standings as compared
from daglock_evaluation.harness.numbers import NOTHING, share
from daglock_evaluation.harness.store import Line
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.kinds.cases import cases
from daglock_evaluation.kinds.methods import OURS, methods

TITLES = {
    "discrete": "Discrete networks",
    "mixed": "Networks of numbers and categories",
}
# Tables of a case; where a method has fewer, the table says how many.
SEEDS = 10


def standings(suite: str, found: Cells) -> list[Standing]:
    """Compare daglock, case by case, with the best of the others and with the empty graph."""
    return compared(found, [case.label for case in cases(suite)], OURS, methods(suite))


def tables(suite: str, records: Sequence[Line]) -> list[Table]:
    """Return the tables of a suite: losses first, then distances and seconds."""
    found = cells(records)
    return [
        *_standing_table(suite, found),
        _grid(suite, found, "CPDAG-SHD, mean ± standard error", seconds=False),
        _grid(suite, found, "seconds, median", seconds=True),
    ]


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


def _grid(suite: str, found: Cells, what: str, *, seconds: bool) -> Table:
    """Return a table with a row for each case and a column for each method."""
    note = f"{SEEDS} tables of each case; in brackets how many where a method has fewer"
    note = f"{'By the clock' if seconds else note}; {NOTHING} is not run."
    title, labels = f"{TITLES[suite]}: {what}", [case.label for case in cases(suite)]
    return grid(title, found, labels, methods(suite), seconds=seconds, note=note)
