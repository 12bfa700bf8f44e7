"""From what was found to what is returned: canonical graph, orientation, weights, certificate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from daglock._pace import OutOfTimeError
from daglock.criteria import Criterion
from daglock.decisions import Decisions, PriceReason
from daglock.engine.canonical import canonical_graph
from daglock.engine.certificate import Certificate
from daglock.engine.choosing import Choice
from daglock.engine.fitting import sets_of, spec_of
from daglock.engine.identified import identified
from daglock.engine.learned import Learned
from daglock.engine.proving import Proof
from daglock.engine.request import Request
from daglock.graph import WeightedDAG, edges_into, parents_of, topological_order
from daglock.search.exact import costs_to_turn
from daglock.search.programme import CLOSED
from daglock.search.run import Found
from daglock.search.turning import turning_costs
from daglock.solution import Status
from daglock.typing import Array, BoolArray, IntArray

_STATUS = {"": Status.CONVERGED, "time": Status.TIME_LIMIT, "interrupt": Status.INTERRUPTED}
_ENDED_EARLY = {
    Status.TIME_LIMIT: "The time limit was reached; this is the best DAG so far.",
    Status.INTERRUPTED: "Interrupted; this is the best DAG so far.",
}


def finish(
    request: Request, inner: Request, columns: IntArray, choice: Choice, proof: Proof
) -> Learned:
    """Back to the columns as they were given: canonical graph and order, weights, certificate.

    Parameters
    ----------
    request : what was asked for, of all columns.
    inner : the same of the columns that were searched, at the price of the graph.
    columns : which these are.
    choice : the graph.
    proof : what was shown of it.
    """
    d = request.moments.d
    criterion, found, stopped = choice.criterion, choice.fit.found, choice.stopped
    source, target, order, oriented, by_regimes = canonical_graph(inner, criterion, found)
    known = _known(inner, found)
    told, in_time = np.zeros_like(oriented), False
    if not stopped:  # else a search to its end might have turned any of them
        told, in_time = _by_margin(inner, criterion, found, oriented & ~known)
    oriented = known | told
    source, target = columns[source], columns[target]
    by_target = np.lexsort((source, target))
    parents, whole = parents_of(source, target, d), type(criterion)(request.moments)
    dag = WeightedDAG.from_parents(
        _with_those_aside(columns[order], source, target, request),
        parents,
        whole.edge_weights(parents),
        oriented[by_target],
    )
    rss, variances = whole.residuals(parents), whole.own_variances(parents)
    searched = np.isin(np.arange(d), columns)
    variances[searched] = criterion.noise_variances(variances[searched])
    score = criterion.score(rss[searched], dag.n_edges, inner.cost)
    lower = None if proof.gap is None else score - proof.gap
    certificate = Certificate(
        dag,
        score,
        inner.cost,
        criterion.name,
        whole.gradient_residual(dag),
        found.locally_optimal,
        found.window,
        found.optimal or (proof.gap is not None and proof.gap <= CLOSED),
        inner.max_parents,
        request.masks,
        np.flatnonzero(~searched),
        lower,
    )
    status = _STATUS[stopped or ("" if in_time else "time")]
    sentence = _ENDED_EARLY[status] if stopped else f"Finished: {certificate.statement}."
    if not stopped and not in_time:
        sentence += " The time limit was reached before all directions were looked at."
    return Learned(
        dag=dag,
        noise_variances=variances,
        scores=choice.scores,
        certificate=certificate,
        status=status,
        message=sentence,
        cautions=(),
        trace=replace(
            choice.fit.trace, search_scores=np.array(found.scores), n_restarts=found.n_restarts
        ),
        aside=np.empty(0, dtype=np.intp),
        decisions=_decisions(inner, choice),
        by_regimes=(by_regimes & oriented)[by_target],
    )


def _decisions(request: Request, choice: Choice) -> Decisions:
    """Write down what was chosen, and why."""
    first = request.first_gamma
    reason = PriceReason.GIVEN if request.gamma_is_given else PriceReason.DEFAULT
    if not request.gamma_is_given and request.gamma < first:
        reason = PriceReason.LOWERED
    return Decisions(
        noise=choice.criterion.name,
        noise_reason=choice.reason,
        noise_gap=None if choice.gap is None else request.moments.n * choice.gap,
        gamma=request.gamma,
        first_gamma=first,
        price=request.cost,
        price_reason=reason,
        exact=choice.fit.found.optimal,
        start=choice.fit.began,
        n_restarts=0 if request.is_exact else request.restarts(choice.criterion),
        max_parents=request.max_parents,
    )


def _with_those_aside(
    order: IntArray, source: IntArray, target: IntArray, request: Request
) -> IntArray:
    """Put the columns that were set aside at the end, by name, or where knowledge has them."""
    d, names, before = request.moments.d, request.moments.names, request.masks.before
    rest = np.setdiff1d(np.arange(d), order).tolist()
    if names is not None:
        rest.sort(key=names.__getitem__)
    sequence = np.concatenate([order, np.array(rest, dtype=np.intp)])
    if before is None or not rest:
        return sequence
    number = np.argsort(sequence)
    ones = np.ones(len(source))
    edges = csr_array((ones, (number[source], number[target])), shape=(d, d))
    known = csr_array(before[np.ix_(sequence, sequence)].astype(np.float64))
    return sequence[topological_order(edges + known)]


def _by_margin(
    request: Request, criterion: Criterion, found: Found, told: BoolArray
) -> tuple[BoolArray, bool]:
    """Tell which of the edges that the model can orient cost a margin to turn, and if in time."""
    if not request.by_margin or not told.any():
        return told, True
    weight = criterion.weight(found.rss / criterion.unit)
    source, target = edges_into(found.parents)

    def chosen(loosely: bool) -> Criterion:
        return criterion.loosened() if loosely else criterion

    def by_search(
        cost: float, asked: BoolArray, enough: float, loosely: bool
    ) -> tuple[Array, bool]:
        spec = spec_of(request, chosen(loosely), weight, cost=cost, bounded=False)
        return turning_costs(
            spec,
            found.order,
            source,
            target,
            asked,
            enough=enough,
            deadline=request.deadline,
            settings=request.settings,
        )

    def of_all_graphs(
        cost: float, asked: BoolArray, enough: float, loosely: bool
    ) -> tuple[Array, bool]:
        try:
            sets = sets_of(request, chosen(loosely))
            fits = criterion.node_fits(sets.rss, weight)
            deadline = request.deadline
            return costs_to_turn(sets, fits, cost, source, target, deadline=deadline), True
        except OutOfTimeError:
            return np.where(asked, 0.0, np.inf), False

    return identified(
        of_all_graphs if found.optimal else by_search,
        told,
        n=request.moments.n,
        d=request.moments.d,
        cost=request.cost,
        dispersion=criterion.overdispersion(found.rss),
        twice=criterion.loosened() is not criterion,
        settings=request.settings,
    )


def _known(request: Request, found: Found) -> BoolArray:
    """Tell for each edge whether knowledge rules out its reverse."""
    source, target = edges_into(found.parents)
    if request.masks.allowed is None:
        return np.zeros(len(source), dtype=np.bool_)
    return ~request.masks.allowed[target, source]
