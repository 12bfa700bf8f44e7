"""Observed: the evidence of a table's pairs beside what is true of them; a file of many tables."""

from __future__ import annotations

import csv
import gzip
import io
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daglock import DAGLock
from daglock.confidence.evidence import Evidence
from daglock.confidence.opinions import OPINIONS
from daglock.errors import DaglockError
from daglock.typing import Array, BoolArray
from daglock_evaluation.harness.store import grouped

REPLICATES = 100
UNKNOWN = 9
# How the kinds of tables with regimes begin.
EXPERIMENTS = "experiments"
_COUNTS = ("arrow", "first", "second")
_NUMBERS = ("joined", "lead", "margin", "shaped", "misfit", "regimes", "hidden")
# Of the pair, and of the table as a whole: why no direction may be relied on.
_WITHHELD = ("determined", "dependent", "smaller")
_OPINIONS = tuple(opinion.name for opinion in OPINIONS)


@dataclass(frozen=True, eq=False)
class Observed:
    """A table's evidence and truth.

    Attributes
    ----------
    table : name.
    kind : "real", "pair", the family of a simulated table, or "experiments" and how they are seen.
    weight : of the table among its kind.
    group : tables that are left out together; of its own where it is empty.
    evidence : of its pairs, which are those of columns of the table.
    truth : (m,) 1 for first -> second, -1 for second -> first, 0 for no link, `UNKNOWN`. Of a
        real table: a direction that contradicts what is known is wrong, the other one right.
    """

    table: str
    kind: str
    weight: float
    group: str
    evidence: Evidence
    truth: Array

    @property
    def sort(self) -> str:
        """What sort of table it is: "real", "pair", "experiments" or "simulated"."""
        if self.kind in ("real", "pair"):
            return self.kind
        return EXPERIMENTS if self.kind.startswith(EXPERIMENTS) else "simulated"

    @property
    def used(self) -> BoolArray:
        """Which pairs count where directions do: links of the graph whose order is known."""
        return np.asarray(self.evidence.in_graph & (np.abs(self.truth) == 1))


def observe(
    X: Array,
    truth: Array,
    table: str,
    kind: str,
    weight: float = 1.0,
    group: str = "",
    *,
    regimes: NDArray[np.str_] | None = None,
    targets: dict[str, list[str]] | str | None = None,
    interventions: str = "perfect",
) -> Observed | None:
    """Learn a graph from the rows and gather the evidence; None where daglock refuses the table.

    Parameters
    ----------
    X : (n, d)
    truth : (d, d), antisymmetric but for `UNKNOWN`: 1 where i acts on j, -1 where j acts on i.
    regimes, targets, interventions : as `DAGLock` takes them.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = DAGLock(random_state=0, interventions=interventions)
            model.fit(X, regimes=regimes, targets=targets)
            bootstrap = model.bootstrap(REPLICATES, rng=0, progress=False)
    except DaglockError:
        return None
    evidence = model.evidence(bootstrap)
    # columns that are no variables were left out; the others keep their numbers, x0, x1, ...
    column = np.array([int(name.removeprefix("x")) for name in model.names_], dtype=np.intp)
    evidence = replace(evidence, first=column[evidence.first], second=column[evidence.second])
    known = truth[evidence.first, evidence.second]
    return Observed(table, kind, weight, group or table, evidence, known)


def truth_of(graph: BoolArray) -> Array:
    """Return the truth of a graph."""
    return graph.astype(np.float64) - graph.T


def truth_of_order(columns: Sequence[str], pairs: Iterable[tuple[str, str]]) -> Array:
    """Return the truth of pairs (earlier, later); all others are unknown."""
    place = {name: k for k, name in enumerate(columns)}
    truth = np.full((len(columns), len(columns)), float(UNKNOWN))
    for earlier, later in pairs:
        if earlier in place and later in place:
            truth[place[earlier], place[later]], truth[place[later], place[earlier]] = 1.0, -1.0
    return truth


def write(path: Path, tables: Iterable[Observed]) -> None:
    """Write one row for each pair."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(
        ["table", "kind", "weight", "group", "truth", *_COUNTS, *_NUMBERS, *_WITHHELD, *_OPINIONS]
    )
    for one in tables:
        e = one.evidence
        alone = np.zeros(len(e.first), dtype=np.bool_) if e.determined is None else e.determined
        for k in range(len(e.first)):
            numbers = [f"{getattr(e, name)[k]:.4g}" for name in _NUMBERS]
            counts = [int(getattr(e, name)[k]) for name in _COUNTS]
            said = [f"{value:.4g}" for value in e.opinions[k]]
            about = [one.table, one.kind, f"{one.weight:g}", one.group, int(one.truth[k])]
            withheld = [int(alone[k]), int(e.dependent), f"{e.smaller:.4g}"]
            rows.writerow([*about, *counts, *numbers, *withheld, *said])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(text.getvalue().encode())


def read(path: Path) -> list[Observed]:
    """Read what `write` wrote."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [_restored(mine) for mine in grouped(rows, itemgetter("table")).values()]


def _restored(rows: Sequence[dict[str, str]]) -> Observed:
    """Return a table again."""

    def column(field: str) -> Array:
        return np.array([float(row[field]) for row in rows])

    evidence = Evidence(
        column("first").astype(np.intp),
        column("second").astype(np.intp),
        column("joined"),
        column("lead"),
        column("arrow"),
        column("margin"),
        column("shaped"),
        np.zeros(len(rows)),
        np.zeros(len(rows), dtype=np.bool_),
        np.column_stack([column(opinion) for opinion in _OPINIONS]),
        column("misfit"),
        column("regimes"),
        column("hidden"),
        dependent=bool(column("dependent").any()),
        smaller=float(column("smaller").max()),
        determined=column("determined") > 0,
    )
    name, kind, weight, group = (rows[0][about] for about in ("table", "kind", "weight", "group"))
    return Observed(name, kind, float(weight), group, evidence, column("truth"))
