"""What the records say: distances, seconds, who learns the same graph, what regimes cost."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from statistics import mean, median

from daglock_evaluation.harness.cells import Cells, Standing, cells, grid, standings
from daglock_evaluation.harness.numbers import NOTHING, ratio_text, seconds_text, share
from daglock_evaluation.harness.store import Line, grouped
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.regimes.cases import SUITES, cases
from daglock_evaluation.regimes.methods import (
    FIND,
    KIND,
    OURS,
    POOLED,
    SHIFTS,
    STILL,
    methods,
)

NOTE = f"In brackets how many graphs where a method has fewer; {NOTHING} is not run."
# What stands for daglock beside others where nobody tells the targets, as far as it is recorded.
UNTOLD = (FIND, SHIFTS)


def of_suite(suite: str, records: Sequence[Line]) -> list[Line]:
    """Return the records of a suite, of cases that there are."""
    labels = {case.label for case in cases(suite)}
    return [one for one in records if one["suite"] == suite and one["label"] in labels]


def tables(suite: str, records: Sequence[Line]) -> list[Table]:
    """Return the tables of a suite."""
    mine = of_suite(suite, records)
    if not mine:
        return []
    if suite == "cost":
        return [cost(mine)]
    found = [_grid(suite, mine, "distance, mean ± standard error", seconds=False)]
    if suite == "batches":
        found.append(agreement(mine))
    return [*found, _grid(suite, mine, "seconds, median", seconds=True)]


def summary(suite: str, records: Sequence[Line]) -> list[str]:
    """Say in sentences what the records of a suite show."""
    mine = of_suite(suite, records)
    if suite in ("perfect", "papers", "hidden"):
        return [*_beside_others(suite, mine), *(_misled(mine) if suite == "hidden" else [])]
    if suite == "batches":
        same = [flag for flags in _same(mine).values() for flag in flags]
        pooled = [flag for flags in _same(mine, POOLED).values() for flag in flags]
        return [
            f"Told the batches, daglock learns the class of the same rows without shifts in "
            f"{share(same)} tables; pooled, in {share(pooled)}."
        ] * bool(same)
    if suite == "cost":
        return [
            f"{label}: a fit of {methods(suite)[name].label} takes {ratio_text(ratio)} times as "
            f"long as one of {methods(suite)[beside].label}."
            for label, name, beside, ratio in _ratios(mine)
        ]
    return []


def _beside_others(suite: str, mine: Sequence[Line]) -> list[str]:
    """Say where daglock stands beside the best of the others."""
    found = _standings(suite, cells(mine, "class_shd"))
    if not found:
        return ["No run of daglock is recorded beside others."]
    champion = methods(suite)[_champion(suite, cells(mine, "class_shd"))].label
    behind = [f"{one.label} ({one.ours:.1f} against {one.theirs:.1f})" for one in found]
    behind = [text for text, one in zip(behind, found, strict=True) if not one.no_worse]
    return [
        f"The mean distance of {champion} is no larger than that of the best other package, "
        f"chosen for each case after the fact, in {share(one.no_worse for one in found)} cases, "
        f"and within two standard errors of it in {share(one.within_error for one in found)}.",
        *([f"It is larger in {'; '.join(behind)}."] if behind else []),
    ]


def _misled(mine: Sequence[Line]) -> list[str]:
    """Say where it is worse to tell targets than to say nothing of them."""
    found = cells(mine, "class_shd")
    far = {place: mean(cell.distances.values()) for place, cell in found.items() if cell.distances}
    sentences = []
    for name in (OURS, KIND):
        worse = [
            f"{label} ({own:.1f} against {far[label, SHIFTS]:.1f})"
            for (label, method), own in far.items()
            if method == name and own > far.get((label, SHIFTS), own)
        ]
        if worse:
            told, untold = methods("hidden")[name].label, methods("hidden")[SHIFTS].label
            sentences.append(f"{told} is farther off than {untold} in {'; '.join(worse)}.")
    return sentences


def _standings(suite: str, found: Cells) -> list[Standing]:
    """Compare daglock, case by case, with the best of the others."""
    labels = [case.label for case in cases(suite)]
    return standings(found, labels, _champion(suite, found), methods(suite))


def _champion(suite: str, found: Cells) -> str:
    """Return what stands for daglock beside the others."""
    there = {name for _, name in found}
    known = [name for name in UNTOLD if name in there]
    return known[0] if suite == "hidden" and known else OURS


def _grid(suite: str, mine: Sequence[Line], what: str, *, seconds: bool) -> Table:
    """Return a table of all methods that are recorded."""
    found = cells(mine, "class_shd", "cpu_seconds")
    labels, note = [case.label for case in cases(suite)], "Of one core." if seconds else NOTE
    title = f"{SUITES[suite]}: {what}"
    return grid(title, found, labels, methods(suite), seconds=seconds, note=note)


def _same(mine: Sequence[Line], name: str = SHIFTS) -> dict[str, list[bool]]:
    """Tell for each case and table whether a method learns what it learns where nothing moves."""
    graphs = {
        (one["label"], one["method"], one["seed"]): one["graph"]
        for one in mine
        if one["status"] == "ok"
    }
    result: dict[str, list[bool]] = {}
    for (label, method, seed), graph in graphs.items():
        other = graphs.get((label, STILL, seed))
        if method == name and other is not None:
            result.setdefault(label, []).append(graph == other)
    return result


def agreement(mine: Sequence[Line]) -> Table:
    """Return how often batches change what is learned."""
    told, pooled = _same(mine), _same(mine, POOLED)
    known = methods("batches")
    rows = [["case", known[SHIFTS].label, known[POOLED].label]]
    rows += [
        [label, share(told.get(label, [])), share(pooled.get(label, []))]
        for label in dict.fromkeys(one["label"] for one in mine)
    ]
    title = f"{SUITES['batches']}: tables with the same class as without shifts"
    return Table(title, rows)


def _ratios(mine: Sequence[Line]) -> list[tuple[str, str, str, float]]:
    """Return for each case and method how much longer it takes than the one beside it."""
    there = [one for one in mine if one["status"] == "ok" and "beside" in one]
    return [
        (label, name, beside, median(one["own_cpu"] / one["beside_cpu"] for one in those))
        for (label, name, beside), those in grouped(
            there, itemgetter("label", "method", "beside")
        ).items()
    ]


def cost(mine: Sequence[Line]) -> Table:
    """Return what a fit costs beside another, the two run by turns on the same table."""
    known = methods("cost")
    rows = [["case", "method", "seconds", "beside", "seconds", "ratio"]]
    there = [one for one in mine if one["status"] == "ok" and "beside" in one]
    groups = grouped(there, itemgetter("label", "method"))
    for label, name, beside, ratio in _ratios(mine):
        own, other = (
            seconds_text(median(one[what] for one in groups[label, name]))
            for what in ("own_cpu", "beside_cpu")
        )
        rows.append([label, known[name].label, own, known[beside].label, other, ratio_text(ratio)])
    rows += [
        [one["label"], known[one["method"]].label, f"> {one['time_limit']:g}", *[NOTHING] * 3]
        for one in mine
        if one["status"] == "time limit"
    ]
    note = "Seconds of one core, the least of up to three turns; medians over the tables."
    return Table(SUITES["cost"], rows, note)
