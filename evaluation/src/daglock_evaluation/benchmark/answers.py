"""What else the answers of a suite tell: the search alone, arrows, thresholds, and the cases."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import geometric_mean, mean
from typing import NamedTuple

from daglock_evaluation.benchmark.runs import (
    CLASS,
    DIRECTED,
    SECONDS,
    Record,
    Row,
    by_case,
    rows,
)
from daglock_evaluation.harness.numbers import NOTHING, half_interval, mean_text, ratio_text
from daglock_evaluation.harness.store import grouped
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods import label_of

# At twice the price of BIC, and those that search at that price.
BASE = "daglock-2bic"
SAME_PRICE = (
    *("flop-0", "flop-20", "flop-100", "tetrad-boss", "tetrad-grasp", "tetrad-fges", "xges"),
    "boss-2bic",
)
# A difference of scores, for all rows, that is not rounding.
CLEAR = 1e-2


def answers(records: Sequence[Record]) -> list[Table]:
    """Return the tables that a suite has."""
    found = rows(records)
    made = (searches(found), arrows(found), thresholds(found), cases(found))
    return [table for table in made if len(table.rows) > 1]


class Beside(NamedTuple):
    """A search beside daglock at the same price: graphs, and of those with better, worse scores."""

    graphs: int
    better: int
    worse: int
    gaps: Sequence[float]
    times: float

    @classmethod
    def of(cls, found: Sequence[Row], peer: str) -> Beside:
        """Compare graph by graph; scores that differ by rounding are the same."""
        both = [
            (theirs, case[BASE].ok[seed])
            for case in by_case(found)
            if BASE in case and peer in case and not case[BASE].is_real
            for seed, theirs in case[peer].ok.items()
            if seed in case[BASE].ok and _has_score(theirs) and _has_score(case[BASE].ok[seed])
        ]
        gaps = [a["score"] - b["score"] for a, b in both]
        better, worse = sum(gap < -CLEAR for gap in gaps), sum(gap > CLEAR for gap in gaps)
        ratios = [max(a[SECONDS], 1e-4) / max(b[SECONDS], 1e-4) for a, b in both]
        return cls(len(gaps), better, worse, gaps, geometric_mean(ratios) if ratios else 1.0)


def searches(found: Sequence[Row]) -> Table:
    """Compare scores at one price, graph by graph: who found the better graph, and how fast."""
    head = ["search", "graphs", "better score", "same", "worse", "mean difference", "seconds"]
    body = []
    for peer in SAME_PRICE:
        one = Beside.of(found, peer)
        if not one.graphs:
            continue
        half = half_interval(one.gaps)
        spread = "" if half is None else f" ± {half:.2f}"
        same = one.graphs - one.better - one.worse
        counts = [str(k) for k in (one.graphs, one.better, same, one.worse)]
        gap = f"{mean(one.gaps):.2f}{spread}"
        body.append([label_of(peer), *counts, gap, ratio_text(one.times)])
    return Table(
        f"The search alone, beside {label_of(BASE)}",
        [head, *body],
        "All search at twice the price of BIC, so that a score is one and the same number, worked "
        "out apart from all of them (n times fit plus price, the smaller the better). Seconds: "
        f"geometric mean of the ratios to those of {label_of(BASE)}.",
    )


def _has_score(record: Record) -> bool:
    return record.get("score") is not None


def arrows(found: Sequence[Row]) -> Table:
    """Count the directions that methods state, and those that are false."""
    head = ["method", "graphs", "arrows", "false", "share false", "true edges found"]
    body = []
    for peer, mine in grouped(found, lambda row: row.peer).items():
        runs = [r for row in mine if not row.is_real for r in row.ok.values() if "n_arrows" in r]
        stated = sum(run["n_arrows"] for run in runs)
        if not stated:
            continue
        false = sum(run["n_false"] for run in runs)
        recall = sum(run["n_found"] for run in runs) / max(1, sum(run["n_true"] for run in runs))
        # Arrows of one graph are not independent: the interval is over graphs.
        shares = [run["n_false"] / run["n_arrows"] for run in runs if run["n_arrows"]]
        half = half_interval(shares)
        spread = "" if half is None else f" (a graph: {mean(shares):.1%} ± {half:.1%})"
        counts = [str(len(runs)), str(stated), str(false)]
        body.append([label_of(peer), *counts, f"{false / stated:.1%}{spread}", f"{recall:.0%}"])
    return Table(
        "Arrows: what is stated, and how much of that is false",
        [head, *body],
        "False: no directed path leads that way. A class states the arrows that it has; daglock "
        "those that its model identifies, or, in the row of what it claims, those that it calls "
        "directed; a method that returns a DAG states all its edges. Graphs are those on which a "
        "method came to an end: rows of different numbers of them do not compare.",
    )


def thresholds(found: Sequence[Row]) -> Table:
    """Show what the best threshold would do for methods that have weights."""
    head = ["method", "graphs", "CPDAG-SHD", "at its best", "SHD", "at its best"]
    body = []
    for peer, mine in grouped(found, lambda row: row.peer).items():
        runs = [r for row in mine for r in row.ok.values() if r.get("best_shd") is not None]
        if not runs:
            continue
        means = [*_means(runs, CLASS, "best_cpdag_shd"), *_means(runs, DIRECTED, "best_shd")]
        body.append([label_of(peer), str(len(runs)), *means])
    return Table(
        "Thresholds",
        [head, *body],
        "At its best: with the threshold that is nearest to the truth, chosen graph by graph in "
        "hindsight, which nobody can do. Means over these graphs, of CPDAG-SHD over those that "
        "have a class without it, too.",
    )


def _means(runs: Sequence[Record], *names: str) -> list[str]:
    """Write the means of figures over the runs that have all of them."""
    known = [run for run in runs if all(run.get(name) is not None for name in names)]
    return [
        mean_text(float(mean(run[name] for run in known))) if known else NOTHING for name in names
    ]


def cases(found: Sequence[Row]) -> Table:
    """Say how far sorting alone gives the order, case by case."""
    head = ["case", "var-sortability", "R²-sortability"]
    names = ("var_sortability", "r2_sortability")
    told = [row for row in found if row.values(names[0])]
    body = [[row.label, *(f"{mean(row.values(name)):.2f}" for name in names)] for row in told]
    return Table(
        "Sortability",
        [head, *body],
        "Share of the directed paths along which the variance, or R², grows: at 1 sorting gives "
        "the order, at 0.5 it tells nothing.",
    )
