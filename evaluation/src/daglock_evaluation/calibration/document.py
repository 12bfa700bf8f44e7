"""The tables and the figure of docs/confidence.md, from the records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from daglock.confidence.calibration import Calibration, shipped
from daglock.typing import Array, BoolArray
from daglock_evaluation.calibration import fitting
from daglock_evaluation.calibration.experiments import VIEWS
from daglock_evaluation.calibration.fitting import Problem
from daglock_evaluation.calibration.gathering import FITTED, JUDGED, recorded
from daglock_evaluation.calibration.judging import Verdict, judge, reliability
from daglock_evaluation.calibration.observed import EXPERIMENTS, Observed
from daglock_evaluation.calibration.rivals import rules
from daglock_evaluation.calibration.saying import Said, say
from daglock_evaluation.harness.figures import COLOURS, legend, panels, save
from daglock_evaluation.harness.page import put_between
from daglock_evaluation.harness.tables import Table

# Families in which linear effects and independent noise hold, whatever its shape.
HOLDS = (
    "linear Gaussian",
    "equal variances",
    "linear, one shape",
    "linear, many shapes",
    "linear Gaussian, other graphs",
    "linear, other shapes",
)
HEAD = (
    "tables",
    "directions",
    "calibration error",
    "Brier",
    "directed: share",
    "right",
    "leaning: share",
    "right",
    "open: share",
    "right",
)


def make_tables(records: Path) -> list[Table]:
    """Judge directions and links, on tables left out and on tables kept for judging."""
    fitted = recorded(records, *FITTED)
    judged = _at_hand(records, *JUDGED)
    problem = fitting.directions(fitted)
    rows = _rows(fitted, problem, fitting.directions_left_out(fitted))
    result = [Table("Directions, tables left out of the fit", [("", *HEAD), *rows])]
    result.append(
        Table("Directions, other rules on the same links", _rivals(fitted, problem, records))
    )
    result.append(Table("Tables on which no direction is relied on", _withheld([*fitted, *judged])))
    links = fitting.links(fitted)
    result.append(
        Table(
            "Links, simulated tables left out of the fit",
            _links(fitted, links, fitting.links_left_out(fitted)),
        )
    )
    if judged:
        problem = fitting.directions(judged)
        rows = _rows(judged, problem, _directions(judged, shipped()))
        result.append(Table("Directions, tables kept for judging", [("", *HEAD), *rows]))
        result.append(
            Table("Other rules, tables kept for judging", _rivals(judged, problem, records)),
        )
        links = fitting.links(judged)
        if len(links.right):
            rows = _links(judged, links, _shipped_links(judged))
            result.append(Table("Links, simulated tables kept for judging", rows))
    with_regimes = _at_hand(records, "judged-experiments", "sachs")
    if with_regimes:
        result.append(Table("What regimes count, shipped and fitted", _both(records, with_regimes)))
    return result


def reliability_figure(records: Path, folder: Path) -> None:
    """Draw what was said against what was true, for links and for directions."""
    fitted = recorded(records, *FITTED)
    figure, (left, right) = panels(2, height=3.4)
    problem = fitting.directions(fitted)
    said = fitting.directions_left_out(fitted).forward
    sure = np.where(said >= 0.5, said, 1 - said)
    good = np.where(said >= 0.5, problem.right, ~problem.right).astype(np.float64)
    groups = _groups(fitted, problem)
    colours = {"real tables": "vermilion", "simulated, the model holds": "blue"}
    colours |= {"simulated, it does not": "sky", "Tübingen pairs": "purple"}
    colours |= {"with regimes, all": "green"}
    for name, rows in groups.items():
        if rows.any() and name in colours:
            _curve(right, sure[rows], good[rows], COLOURS[colours[name]], name)
    right.set(title="directions", xlim=(0.48, 1.02), ylim=(0.3, 1.02))
    links = fitting.links(fitted)
    said = fitting.links_left_out(fitted)
    for name, rows in _groups(fitted, links).items():
        if rows.any() and name in colours:
            _curve(left, said[rows], links.right[rows].astype(float), COLOURS[colours[name]], name)
    left.set(title="links", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    for axis in (left, right):
        axis.plot([0, 1], [0, 1], color=COLOURS["grey"], linewidth=0.8, zorder=0)
        axis.set(xlabel="said", ylabel="true")
    legend(figure, [right], "lower", 3)
    save(figure, folder, "reliability")


def fill(document: Path, tables: Sequence[Table]) -> None:
    """Put the tables between the marks of the document that bear their titles."""
    for table in tables:
        body = table.to_markdown().split("\n\n", 1)[1]
        put_between(document, f"<!-- {table.title} -->\n", "<!-- end -->", f"\n{body}\n\n")


def _at_hand(records: Path, *parts: str) -> list[Observed]:
    """Read the parts that were recorded."""
    return recorded(records, *(part for part in parts if (records / f"{part}.csv.gz").exists()))


def _groups(tables: Sequence[Observed], problem: Problem) -> dict[str, BoolArray]:
    """Return which rows are of which group."""
    kinds = np.array([one.kind for one in tables])[problem.table]
    sorts = np.array([one.sort for one in tables])[problem.table]
    simulated, regimes = sorts == "simulated", sorts == EXPERIMENTS
    return {
        "real tables": kinds == "real",
        "Tübingen pairs": kinds == "pair",
        "simulated, all": simulated,
        "simulated, the model holds": np.isin(kinds, HOLDS),
        "simulated, it does not": simulated & ~np.isin(kinds, HOLDS),
        "with regimes, all": regimes,
        **{f"with regimes, targets {view}": kinds == f"{EXPERIMENTS}, {view}" for view in VIEWS},
        **{f"· {kind}": kinds == kind for kind in dict.fromkeys(kinds[simulated].tolist())},
    }


def _rows(tables: Sequence[Observed], problem: Problem, said: Said) -> list[tuple[str, ...]]:
    """Judge directions, group by group."""
    return [
        (
            name,
            str(len(np.unique(problem.table[rows]))),
            *_verdict(said.of(rows), problem.right[rows]),
        )
        for name, rows in _groups(tables, problem).items()
        if rows.any()
    ]


def _verdict(said: Said, right: BoolArray) -> tuple[str, ...]:
    """Return the cells of a verdict."""
    verdict: Verdict = judge(
        said.forward, right, two_sided=True, link=said.link, claimed=said.claimed
    )
    cells = [str(verdict.n), f"{verdict.error:.3f}", f"{verdict.brier:.3f}"]
    for share, good in (verdict.directed, verdict.leaning, verdict.open):
        cells += [f"{share:.0%}", "" if np.isnan(good) else f"{good:.0%}"]
    return tuple(cells)


def _rivals(tables: Sequence[Observed], problem: Problem, records: Path) -> list[tuple[str, ...]]:
    """Count what simpler rules claim, and how often they are right."""
    sign = np.where(problem.right, 1.0, -1.0)
    groups = _groups(tables, problem)
    parts = ("·", "with regimes, targets")
    shown = [name for name in groups if not name.startswith(parts) and groups[name].any()]
    rows: list[tuple[str, ...]] = [("rule", *(f"{name}: claimed, right" for name in shown))]
    for rule, (claims, says) in rules(tables, records).items():
        cells = []
        for name in shown:
            here = groups[name] & claims
            good = (np.sign(says[here] * sign[here]) + 1) / 2
            share = f"{here.sum() / groups[name].sum():.0%}"
            cells.append(f"{share}, {good.mean():.0%}" if here.any() else "")
        rows.append((rule, *cells))
    return rows


def _both(records: Path, tables: Sequence[Observed]) -> list[tuple[str, ...]]:
    """Judge the shipped coefficients beside those of regimes that simulated tables ask for."""
    asked = fitting.fit_regimes(recorded(records, "experiments"), shipped())
    head = ["", "directions"]
    for name in ("shipped", "fitted"):
        head += [f"{name}: calibration error", "directed, right of", "leaning, right of"]
    rows = [tuple(head)]
    for kind in dict.fromkeys(one.kind for one in tables):
        some = [one for one in tables if one.kind == kind]
        right = fitting.directions(some).right
        cells = [kind.replace(f"{EXPERIMENTS}, ", "simulated, targets "), str(len(right))]
        for calibration in (shipped(), asked):
            said = _directions(some, calibration)
            verdict = judge(
                said.forward, right, two_sided=True, link=said.link, claimed=said.claimed
            )
            cells.append(f"{verdict.error:.3f}")
            for share, good in (verdict.directed, verdict.leaning):
                claimed = round(share * len(right))
                cells.append(f"{round(good * claimed)} of {claimed}" if claimed else "none")
        rows.append(tuple(cells))
    return rows


def _withheld(tables: Sequence[Observed]) -> list[tuple[str, ...]]:
    """Count the tables whose rows are not what they are taken for, or where all are linked."""
    head = ("", "tables", "no direction", "two groups", "like their neighbours", "crowded")
    rows: list[tuple[str, ...]] = [head]
    for sort in dict.fromkeys(one.sort for one in tables):
        some = [one.evidence for one in tables if one.sort == sort and one.used.any()]
        groups, neighbours = sum(e.smaller > 0 for e in some), sum(e.dependent for e in some)
        crowded = sum(e.unreliable and not e.smaller and not e.dependent for e in some)
        counts = (len(some), sum(e.unreliable for e in some), groups, neighbours, crowded)
        rows.append((sort, *map(str, counts)))
    return rows


def _links(tables: Sequence[Observed], links: Problem, said: Array) -> list[tuple[str, ...]]:
    """Judge links, group by group."""
    head = ("", "tables", "pairs", "calibration error", "Brier", "at 0.9 or more", "of them linked")
    rows: list[tuple[str, ...]] = [head]
    for name, here in _groups(tables, links).items():
        if here.any():
            verdict = judge(said[here], links.right[here], two_sided=False)
            share, good = verdict.directed
            cells = (f"{verdict.error:.3f}", f"{verdict.brier:.3f}", f"{share:.0%}", f"{good:.0%}")
            n_tables = str(len(np.unique(links.table[here])))
            rows.append((name, n_tables, str(verdict.n), *cells))
    return rows


def _directions(tables: Sequence[Observed], calibration: Calibration) -> Said:
    """Return what is said of the rows of `fitting.directions` by some coefficients."""
    return say(tables, [calibration] * len(tables))


def _shipped_links(tables: Sequence[Observed]) -> Array:
    """Return the probabilities of the rows of `fitting.links` by the shipped coefficients."""
    simulated = [one for one in tables if one.kind not in ("real", "pair")]
    return np.concatenate([shipped().links(one.evidence) for one in simulated])


def _curve(axis: Any, said: Array, true: Array, colour: str, name: str) -> None:
    """Draw bins of probabilities against what was true."""
    bins = [(s, t) for share, s, t in reliability(said, true) if share * len(said) >= 10]
    xs, ys = zip(*bins, strict=True)
    axis.plot(xs, ys, marker="o", color=colour, label=name)
