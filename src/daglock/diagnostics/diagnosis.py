"""Diagnosis: everything that is worth knowing about a learned graph, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from daglock.criteria import CRITERIA, EqualVariances
from daglock.criteria.equal import variances_agree
from daglock.diagnostics.assumptions import Assumptions, Pair, evaluate_assumptions
from daglock.diagnostics.baselines import Baseline, compare_baselines
from daglock.diagnostics.questions import question_edges
from daglock.diagnostics.sortability import TIED, explained_shares, order_alignment
from daglock.diagnostics.table import MAX_DENSE, TableDiagnosis, diagnose_table
from daglock.diagnostics.words import about_assumptions, findings
from daglock.graph import WeightedDAG, dag_to_cpdag
from daglock.knowledge import Knowledge, Masks
from daglock.moments import Moments
from daglock.search.regression import residual_variances
from daglock.typing import Array, IntArray
from daglock.wording import Finding

# Above this many columns simple graphs and the paper's assumptions are left out: they take
# longer than a person waits for an opinion.
MAX_COMPARED = 1500
# Bytes that counting directed paths may touch: edges × columns / 8 × longest path.
MAX_PATH_WORK = 2e10


@dataclass(frozen=True)
class Diagnosis:
    """What is worth knowing about a learned graph; `sentences` says it in words.

    It holds nothing but finite numbers, strings, tuples and None: ``asdict`` of it is JSON.
    """

    table: TableDiagnosis  # what the table alone tells
    noise: str  # "equal" or "unequal", the noise model of the graph
    # By how many BIC points (n times the score) it beats the other one; None if that was not tried.
    noise_gap: float | None
    # Whether unexplained variances are as alike as equal noise variances would make them.
    residuals_agree: bool
    n_edges: int
    reversible: tuple[Pair, ...]  # with no loss of fit, or too small a one to tell
    reversible_if_unequal: int  # how many would be, if equal noise variances were not assumed
    # None where there is no edge, all columns have one variance, rows are too few, or d is large.
    var_sortability: float | None
    r2_sortability: float | None
    baselines: tuple[Baseline, ...]  # the learned graph first, then simpler ones
    assumptions: Assumptions | None  # of the paper's recovery theorem; None without edges
    settled: bool = True  # whether there was time to look at all directions
    # Edges into columns whose name says that nothing causes them, and of which nothing is known.
    questioned: tuple[Pair, ...] = ()
    rare: str = ""  # which few columns cost most rows by their gaps, in words

    @property
    def assumes_equal(self) -> bool:
        """Whether directions rest on one noise variance for all."""
        return self.noise == EqualVariances.name

    def sentences(self) -> list[Finding]:
        """List what a person should know, in plain words."""
        return findings(self)

    def theory(self) -> list[Finding]:
        """List what only those want to know who lean on the paper's theorem."""
        return [self.table.about_stability(), *about_assumptions(self)]


def diagnose(
    moments: Moments,
    dag: WeightedDAG,
    *,
    noise: str,
    scores: Mapping[str, float],
    edge_cost: float,
    aside: IntArray | None = None,
    settled: bool = True,
    known: Knowledge | Masks | None = None,
    rare: str = "",
) -> Diagnosis:
    """Diagnose a learned graph.

    Parameters
    ----------
    scores : best score per row under each noise model that was tried; ``noise`` is the one chosen.
    edge_cost : price of one edge, per row.
    aside : columns that were not searched; only what the table alone tells is about them too.
    settled : whether there was time to look at all directions.
    known : what was known; edges into columns that it names are not questioned.
    rare : which few columns cost most rows by their gaps, in words.

    Examples
    --------
    >>> from daglock.engine import learn
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> moments = Moments.from_data(linear_sem(erdos_renyi(10, 10, rng=0), 1000, rng=1))
    >>> learned = learn(moments, rng=0)
    >>> diagnosis = diagnose(
    ...     moments,
    ...     learned.dag,
    ...     noise=learned.noise,
    ...     scores=learned.scores,
    ...     edge_cost=learned.certificate.edge_cost,
    ... )
    >>> diagnosis.noise, len(diagnosis.reversible), round(diagnosis.var_sortability, 2)
    ('equal', 0, 0.88)
    """
    table = diagnose_table(moments, edge_cost)
    questioned = question_edges(dag, moments.labels, known)
    if aside is not None and 0 < len(aside) <= moments.d - 2:
        searched = np.setdiff1d(np.arange(moments.d), aside)
        moments, dag = moments.select(searched), dag.select(searched)
    d, names = moments.d, moments.labels
    pattern = dag.adjacency()  # a required edge can weigh zero
    criteria: dict[str, Array] = {}  # by which columns can be sorted
    if not table.one_scale:
        criteria["variance"] = np.log(np.diag(moments.cov))
    if moments.n > d and d <= MAX_DENSE:
        criteria["r2"] = explained_shares(moments.cov)
    sortability: dict[str, float] = {}
    if dag.n_edges and dag.n_edges * d / 8 * _longest_path(dag) <= MAX_PATH_WORK:
        sortability = {by: order_alignment(pattern, x, TIED) for by, x in criteria.items()}
    free = np.flatnonzero(~dag.oriented)
    without = dag.marks() if CRITERIA[noise].score_equivalent else dag_to_cpdag(pattern)
    others = [score for model, score in scores.items() if model != noise]
    small, edges = d <= MAX_COMPARED, (dag.source, dag.target, dag.weight)
    rss = residual_variances(moments.cov, dag.parents)
    return Diagnosis(
        table=table,
        noise=noise,
        noise_gap=float(moments.n * (min(others) - scores[noise])) if others else None,
        residuals_agree=variances_agree(rss, moments.n),
        n_edges=dag.n_edges,
        reversible=tuple((names[dag.source[e]], names[dag.target[e]]) for e in free),
        reversible_if_unequal=int((without.data == 2).sum()) // 2,  # each in both of its cells
        var_sortability=sortability.get("variance"),
        r2_sortability=sortability.get("r2"),
        baselines=compare_baselines(
            moments, dag, noise=noise, price=edge_cost, criteria=criteria if small else {}
        ),
        assumptions=evaluate_assumptions(
            moments, *edges, dag.order, standardise=CRITERIA[noise].logarithmic
        )
        if small
        else None,
        settled=settled,
        questioned=questioned,
        rare=rare,
    )


def _longest_path(dag: WeightedDAG) -> int:
    """Edges on the longest directed path."""
    length, parents = np.zeros(dag.d, dtype=np.intp), dag.parents
    for j in dag.order:
        if len(parents[j]):
            length[j] = length[parents[j]].max() + 1
    return int(length.max())
