"""Diagnosis of a graph of categories, or of curves: what is worth knowing of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.criteria import CRITERIA, Curved, JointCriterion
from daglock.diagnostics.assumptions import Pair
from daglock.diagnostics.baselines import Baseline
from daglock.diagnostics.questions import about_questioned, question_edges
from daglock.diagnostics.words import about_directions, about_empty_graph, about_rare
from daglock.graph import WeightedDAG
from daglock.knowledge import Knowledge, Masks
from daglock.typing import IntArray, Statistics
from daglock.wording import Finding, percent, plural


@dataclass(frozen=True)
class JointDiagnosis:
    """What is worth knowing about a graph of categories; `sentences` says it in words.

    It holds nothing but finite numbers, strings, tuples and None: ``asdict`` of it is JSON.
    """

    n: int
    d: int
    noise: str  # "mixed", "counts" or "curves"
    n_edges: int
    reversible: tuple[Pair, ...]  # with no loss of fit, or too small a one to tell
    dearest: tuple[Pair, float]  # the edge that costs most for its degrees of freedom, per row
    baselines: tuple[Baseline, ...]  # the learned graph, and the empty one
    settled: bool = True  # whether there was time to look at all directions
    # Edges into columns whose name says that nothing in the table causes them.
    questioned: tuple[Pair, ...] = ()
    n_rows: int = 0  # of the table, more than n where values are missing
    rare: str = ""  # which few columns cost most rows by their gaps, in words

    @property
    def assumes_equal(self) -> bool:
        """No direction rests on variances."""
        return False

    @property
    def reversible_if_unequal(self) -> int:
        """Number of directions that are open."""
        return len(self.reversible)

    def sentences(self) -> list[Finding]:
        """List what a person should know, in plain words."""
        asked = about_questioned(self.questioned)
        return [
            *asked,
            self.about_rows(),
            *about_rare(self),
            self.about_model(),
            about_directions(self),
            *self.theory(),
        ]

    def theory(self) -> list[Finding]:
        """List what only theory is about: the fit beside the empty graph."""
        return [about_empty_graph(self)]

    def about_rows(self) -> Finding:
        """Rows against columns, and what an edge between variables of many levels costs."""
        title = f"{plural(self.n_rows, 'row')}, {plural(self.d, 'column')}"
        if self.noise == Curved.name:
            text = (
                "A curve must explain more than a line to be worth its price: "
                f"{percent(-np.expm1(-self.dearest[1]))} of what is open."
            )
            return Finding("note" if self.dearest[1] > 0.1 else "good", title, text)
        (first, second), price = self.dearest
        text = (
            "The more levels two columns have, the more an edge between them must explain: the "
            f"dearest, between {first} and {second}, {percent(-np.expm1(-price))} of what is open."
        )
        return Finding("note" if price > 0.1 else "good", title, text)

    def about_model(self) -> Finding:
        """Say what is assumed of categories, or of curves."""
        if self.noise == "counts":
            text = (
                "All columns are categories, and rows are counted: nothing is assumed of how one "
                "depends on others, and an order of the levels is not used."
            )
            return Finding("good", "Counted", text)
        if self.noise == Curved.name:
            text = (
                "Each column is a sum of smooth curves, one of each cause, and of Gaussian noise "
                "of one size: causes that act together are looked for in small tables alone, and "
                "noise that grows with them in none."
            )
            return Finding("note", "Curved effects", text)
        text = (
            "A category is a block of columns of 0 and 1, and all columns together are taken for "
            "Gaussian: an approximation, which finds links well and says less of directions."
        )
        return Finding("note", "Numbers and categories together", text)


def diagnose_joint(
    moments: Statistics,
    dag: WeightedDAG,
    *,
    noise: str,
    edge_cost: float,
    aside: IntArray,
    settled: bool = True,
    known: Knowledge | Masks | None = None,
    rare: str = "",
) -> JointDiagnosis:
    """Diagnose a graph that was learned from blocks of columns, from counts or from curves.

    Parameters
    ----------
    moments : Blocks, Counts or Curves.
    dag, noise, edge_cost : the graph, its criterion, and the price of an edge, per row.
    aside : columns that were not searched.
    settled : whether there was time to look at all directions.
    known : what was known; edges into columns that it names are not questioned.
    rare : which few columns cost most rows by their gaps, in words.
    """
    kind = CRITERIA[noise]
    assert issubclass(kind, JointCriterion | Curved)
    searched = np.setdiff1d(np.arange(moments.d), aside)
    some, graph = moments.select(searched), dag.select(searched)
    criterion, names = kind(some), some.labels
    baselines = []
    for name, parents in (
        ("learned", graph.parents),
        ("empty", [np.empty(0, dtype=np.intp)] * graph.d),
    ):
        n_edges = sum(map(len, parents))
        fit = criterion.fit(criterion.residuals(parents))
        baselines.append(
            Baseline(
                name=name,
                n_edges=n_edges,
                score=fit + edge_cost * n_edges,
                log_likelihood=-0.5 * fit,
                adjacencies=n_edges,
                directions=n_edges,
            )
        )
    extras = some.extras
    assert extras is not None
    most = int(extras.argmax())
    pair = tuple(names[int(end[most])] for end in np.triu_indices(some.d, 1))
    price = edge_cost + extras[most]
    free = np.flatnonzero(~graph.oriented)
    return JointDiagnosis(
        n=some.n,
        d=some.d,
        noise=noise,
        n_edges=graph.n_edges,
        reversible=tuple((names[graph.source[e]], names[graph.target[e]]) for e in free),
        dearest=((pair[0], pair[1]), float(price)),
        baselines=tuple(baselines),
        settled=settled,
        questioned=question_edges(dag, moments.labels, known),
        rare=rare,
        n_rows=some.n_rows,
    )
