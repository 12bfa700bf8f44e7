"""Diagnosis: everything that is worth knowing about a learned graph, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse

from daglock.certificate import parents_of
from daglock.criteria.variances import variances_agree
from daglock.diagnostics.assumptions import Assumptions, evaluate_assumptions
from daglock.diagnostics.baselines import EITHER_WAY, Baseline, compare_baselines, pair_marks
from daglock.diagnostics.finding import Finding, Pair, column_names, finite
from daglock.diagnostics.sortability import TIED, explained_shares, order_alignment
from daglock.diagnostics.table import MAX_DENSE, TableDiagnosis, diagnose_table
from daglock.diagnostics.wording import findings
from daglock.errors import InvalidDataError
from daglock.graph import dag_to_cpdag
from daglock.moments import Moments
from daglock.search.regression import residual_variances
from daglock.typing import Array, IntArray

# Above this many columns simple graphs and the paper's assumptions are left out: they take
# longer than a person waits for an opinion.
MAX_COMPARED = 1500
# Bytes that counting directed paths may touch: edges × columns / 8 × longest path.
MAX_PATH_WORK = 2e10


@dataclass(frozen=True)
class Diagnosis:
    """What is worth knowing about a learned graph; `sentences` says it in words.

    Attributes
    ----------
    table : TableDiagnosis, what the table alone tells.
    noise : "equal" or "unequal", the noise model of the graph.
    noise_gap : by how many BIC points (n times the score) it beats the other model; None where
        only one was tried.
    residuals_agree : whether the variances that the graph leaves unexplained are as alike as equal
        noise variances would make them.
    n_edges : number of edges.
    reversible : edges that can point either way with no loss of fit, or too small a one to tell.
    reversible_if_unequal : how many edges could, if equal noise variances were not assumed.
    var_sortability, r2_sortability : of the learned graph; None where it has no edge, all columns
        have one variance, rows are too few, or the graph is too large.
    baselines : the learned graph first, then simpler ones.
    assumptions : of the paper's recovery theorem; None where there is no edge or d > 1500.
    settled : whether there was time to look at all directions.
    """

    table: TableDiagnosis
    noise: str
    noise_gap: float | None
    residuals_agree: bool
    n_edges: int
    reversible: tuple[Pair, ...]
    reversible_if_unequal: int
    var_sortability: float | None
    r2_sortability: float | None
    baselines: tuple[Baseline, ...]
    assumptions: Assumptions | None
    settled: bool = True

    def sentences(self) -> list[Finding]:
        """List what a person should know, in plain words."""
        return findings(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: finite numbers, strings, lists, None."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Diagnosis:
        """Undo `to_dict`."""
        try:
            at_graph = values["assumptions"]
            parts = {
                "table": TableDiagnosis.from_dict(values["table"]),
                "reversible": tuple((first, second) for first, second in values["reversible"]),
                "baselines": tuple(Baseline(**baseline) for baseline in values["baselines"]),
                "assumptions": None if at_graph is None else Assumptions.from_dict(at_graph),
            }
            return cls(**{**values, **parts})
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidDataError(f"This is not the diagnosis of a graph: {error}.") from error


def diagnose(
    moments: Moments,
    *,
    source: IntArray,
    target: IntArray,
    weight: Array,
    order: IntArray,
    cpdag: scipy.sparse.csr_array[np.int8],
    noise: str,
    scores: Mapping[str, float],
    edge_cost: float,
    aside: IntArray | None = None,
    settled: bool = True,
) -> Diagnosis:
    """Diagnose a learned graph.

    Parameters
    ----------
    moments : Moments
    source, target, weight : the edges i -> j with the effect of i on j.
    order : (d,) a topological order.
    cpdag : (d, d) sparse, 1 directed i -> j, 2 undirected in both cells.
    noise : "equal" or "unequal".
    scores : best score per row under each noise model that was tried.
    edge_cost : price of one edge, per row.
    aside : columns that were not searched; only what the table alone tells is about them too.
    settled : whether there was time to look at all directions.

    Examples
    --------
    >>> from daglock.engine import learn
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> moments = Moments.from_data(linear_sem(erdos_renyi(10, 10, rng=0), 1000, rng=1))
    >>> learned = learn(moments, rng=0)
    >>> diagnosis = diagnose(
    ...     moments,
    ...     source=learned.source,
    ...     target=learned.target,
    ...     weight=learned.weight,
    ...     order=learned.order,
    ...     cpdag=learned.cpdag(),
    ...     noise=learned.noise,
    ...     scores=learned.scores,
    ...     edge_cost=learned.certificate.edge_cost,
    ... )
    >>> diagnosis.noise, len(diagnosis.reversible), round(diagnosis.var_sortability, 2)
    ('equal', 0, 0.88)
    """
    table = diagnose_table(moments, edge_cost)
    if aside is not None and 0 < len(aside) <= moments.d - 2:
        searched = np.setdiff1d(np.arange(moments.d), aside)
        index = np.full(moments.d, -1, dtype=np.intp)
        index[searched] = np.arange(len(searched))
        moments, source, target = moments.select(searched), index[source], index[target]
        order = index[order][index[order] >= 0]
        cpdag = cpdag[searched][:, searched]
    d, names = moments.d, column_names(moments)
    ones = np.ones(len(source), dtype=np.int8)  # a required edge can weigh zero
    pattern = scipy.sparse.csr_array((ones, (source, target)), shape=(d, d))
    criteria: dict[str, Array] = {}  # by which columns can be sorted
    if not table.one_scale:
        criteria["variance"] = np.log(np.diag(moments.cov))
    if moments.n > d and d <= MAX_DENSE:
        criteria["r2"] = explained_shares(moments.cov)
    sortability: dict[str, float] = {}
    if len(source) * d / 8 * _longest_path(source, target, order) <= MAX_PATH_WORK:
        sortability = {by: order_alignment(pattern, x, TIED) for by, x in criteria.items()}
    marks = pair_marks(cpdag)
    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    free = [(i, j) for i, j in edges if marks[min(i, j), max(i, j)] == EITHER_WAY]
    without = dag_to_cpdag(pattern) if noise == "equal" else cpdag
    others = [score for model, score in scores.items() if model != noise]
    small = d <= MAX_COMPARED
    rss = residual_variances(moments.cov, parents_of(source, target, d))
    return Diagnosis(
        table=table,
        noise=noise,
        noise_gap=float(moments.n * (min(others) - scores[noise])) if others else None,
        residuals_agree=variances_agree(rss, moments.n),
        n_edges=len(edges),
        reversible=tuple((names[i], names[j]) for i, j in free),
        reversible_if_unequal=int((without.data == EITHER_WAY).sum()) // 2,
        var_sortability=finite(sortability.get("variance", np.nan)),
        r2_sortability=finite(sortability.get("r2", np.nan)),
        baselines=compare_baselines(
            moments,
            pattern,
            cpdag,
            noise=noise,
            price=edge_cost,
            criteria=criteria if small else {},
        ),
        assumptions=evaluate_assumptions(
            moments, source, target, weight, order, standardise=noise == "unequal"
        )
        if small
        else None,
        settled=settled,
    )


def _longest_path(source: IntArray, target: IntArray, order: IntArray) -> int:
    """Edges on the longest directed path."""
    length = np.zeros(len(order), dtype=np.intp)
    parents = parents_of(source, target, len(order))
    for j in order:
        if len(parents[j]):
            length[j] = length[parents[j]].max() + 1
    return int(length.max())
