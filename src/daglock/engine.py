"""The pipeline: moments, a start, the order search, weights, certificate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

from daglock._compiling import announce_compilation
from daglock._pace import OutOfTimeError
from daglock._request import Progress, Request, check_request
from daglock.certificate import Certificate, gradient_residual, parents_of
from daglock.diagnostics.determined import find_determined
from daglock.diagnostics.singular import warnings_about
from daglock.graph import topological_order
from daglock.knowledge import Masks, respect
from daglock.learned import Learned, Stages
from daglock.moments import Moments
from daglock.orientation import canonical_member
from daglock.search.exact import best_equal, best_unequal, least, make_sets
from daglock.search.limits import MAX_EXACT, MAX_FULL, full_regressions_pay, most_parents
from daglock.search.lock import lock
from daglock.search.noise import variance_price, variances_agree
from daglock.search.order import improve
from daglock.search.parents import Spec, make_spec
from daglock.search.price import largest_gains, lowered_gamma
from daglock.search.run import Found, choose_parents, search_order
from daglock.search.score import edge_cost, graph_score, least_squares, residual_variances
from daglock.search.start import conditional_variance_order, precision_order
from daglock.search.state import SMALL
from daglock.solution import Status
from daglock.solvers.prox_linear_path import Path, prox_linear_path
from daglock.ties import canonical_order, is_better, ranks
from daglock.typing import Array, BoolArray, IntArray, Seed

# σ² of the equal-variance criterion is settled when it changes by less than this share.
SIGMA_SETTLED = 0.01
MAX_ROUNDS = 5
# Above this many variables the continuous stage, which keeps dense arrays, is not the default.
MAX_CONTINUOUS = 2000
# Seconds that a first graph may take, whatever the time limit: one without edges is worth nothing.
GRACE = 0.02
# Above this many variables restarts are done only when they are asked for.
MAX_RESTARTED = 500
_STATUS = {"": Status.CONVERGED, "time": Status.TIME_LIMIT, "interrupt": Status.INTERRUPTED}
_ENDED_EARLY = {
    Status.TIME_LIMIT: "The time limit was reached; this is the best DAG so far.",
    Status.INTERRUPTED: "Interrupted; this is the best DAG so far.",
}


def learn(
    moments: Moments,
    *,
    noise: str = "auto",
    ebic_gamma: float | None = None,
    masks: Masks | None = None,
    determined: str | IntArray = "drop",
    start: str | Array | IntArray | None = None,
    n_restarts: int | None = None,
    time_limit: float | None = None,
    rng: Seed = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Learned:
    """Learn a DAG from moments.

    For each noise model: a start (continuous stage or conditional variances), which gives an
    order; the order search with exact parents; least-squares weights on the chosen parents. The
    better model under the BIC is returned, with its certificate. One that the scale of the columns
    rules out is not tried, nor unequal variances where residuals confirm that they are equal.

    Parameters
    ----------
    moments : Moments
    noise : "equal", "unequal" or "auto"
        One variance for all (the DAG is identified), one for each (only its equivalence class
        is), or whichever the data speak for.
    ebic_gamma : float, optional
        γ of the price of an edge; by default the one that expects one false edge in a hundred
        graphs without any, or a lower one where that leaves more unexplained than chance does.
    masks : Masks, optional
        Hard knowledge; never violated.
    determined : "drop", "keep", or columns
        Columns that others determine, exactly or up to rounding, are set aside and get no edges,
        or are searched like all; or which columns to set aside.
    start : "continuous", "order", or an array, optional
        The continuous stage; an order of conditional variances; or your own: a (d,) array is an
        order, a (d, d) array a weight matrix, cyclic or not. By default "order" for equal
        variances and "continuous" for unequal ones.
    n_restarts : int, optional
    time_limit : float, optional
        Seconds; the best graph so far is returned.
    rng : seed or generator
    n_jobs : threads; the result does not depend on it.
    progress : called with the noise model, the restarts done and the best score.

    Examples
    --------
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> W = erdos_renyi(10, 10, rng=0)
    >>> learned = learn(Moments.from_data(linear_sem(W, 1000, rng=1)), noise="equal")
    >>> bool(((learned.to_sparse().toarray() != 0) == (W != 0)).all())
    True
    """
    request = check_request(
        moments,
        noise,
        ebic_gamma,
        masks,
        determined,
        start,
        n_restarts,
        time_limit,
        rng,
        n_jobs,
        progress,
    )
    aside, cautions = _set_aside(request)
    columns, inner = _searched(request, aside)
    announce_compilation(least if _is_small(inner) else improve)
    fits: dict[str, _Fit] = {}
    scores: dict[str, float] = {}
    n, d = inner.moments.n, inner.moments.d
    for model in inner.noise_models:
        fits[model] = _fit(inner, model)
        scores[model] = fits[model].score + variance_price(model, n, d)
        if fits[model].stopped == "interrupt":
            break
        if noise == "auto" and model == "equal" and variances_agree(fits[model].found.rss, n):
            break
    model = min(scores, key=scores.__getitem__)
    stopped = next((fit.stopped for fit in fits.values() if fit.stopped), "")
    fit = fits[model]
    if not stopped and not inner.gamma_is_given:
        try:
            inner, fit = _at_the_right_price(inner, model, fit)
        except KeyboardInterrupt:
            fit = replace(fit, stopped="interrupt")
    learned = _finish(request, inner, columns, model, fit, scores, stopped or fit.stopped)
    message = " ".join([learned.message, *cautions])
    return replace(learned, aside=aside, message=message, cautions=cautions)


def _set_aside(request: Request) -> tuple[IntArray, tuple[str, ...]]:
    """Return the columns that get no edges because others determine them, and what to say."""
    moments, required = request.moments, request.masks.required
    if not isinstance(request.determined, str):
        return np.asarray(request.determined, dtype=np.intp), ()
    keep: Iterable[int] = ()
    if required is not None:
        keep = np.flatnonzero(required.any(axis=0) | required.any(axis=1)).tolist()
    found = find_determined(moments, keep=keep)
    drop = request.determined == "drop"
    aside = found.aside if drop else np.empty(0, dtype=np.intp)
    return aside, tuple(warnings_about(moments, found, set_aside=drop))


def _searched(request: Request, aside: IntArray) -> tuple[IntArray, Request]:
    """Return the columns that are searched, and the request for them.

    They are numbered canonically from here to the end: of equals the first is taken.
    """
    kept = np.setdiff1d(np.arange(request.moments.d), aside)
    if len(kept) < 2:  # all columns are copies of one: two of them, and no edge
        kept = np.union1d(kept, aside[:1])
        no_edge = np.zeros((request.moments.d, request.moments.d), dtype=np.bool_)
        request = replace(request, masks=Masks(allowed=no_edge))
    some = request.moments.select(kept) if len(kept) < request.moments.d else request.moments
    columns = kept[canonical_order(some.cov, some.names)]
    return columns, request.select(columns)


@dataclass(frozen=True)
class _Fit:
    """The best graph under one noise model."""

    found: Found
    score: float  # on the scale of the data
    continuous: Path | None
    stopped: str  # why the search under this model ended early, see Found; "" when it did not


def _fit(request: Request, noise: str) -> _Fit:
    """Find the best graph under a noise model, or the best until time is up."""
    first = _first(request, noise) if request.deadline < np.inf else None
    if first is not None and perf_counter() > request.deadline:
        return replace(first, stopped="time")
    try:
        fit = _fit_equal(request) if noise == "equal" else _fit_unequal(request)
    except (OutOfTimeError, KeyboardInterrupt) as error:  # before there was an order to search from
        stopped = "time" if isinstance(error, OutOfTimeError) else "interrupt"
        return replace(first or _first(replace(request, deadline=np.inf), noise), stopped=stopped)
    if fit.stopped and first is not None and first.score < fit.score:
        return replace(first, continuous=fit.continuous, stopped=fit.stopped)
    return fit


def _first(request: Request, noise: str) -> _Fit:
    """Choose parents along a cheap order."""
    variance = np.diag(request.moments.cov)
    if noise == "equal":
        S, inv_sigma2 = request.moments.cov, 1.0 / float(variance.min())
    else:
        S, inv_sigma2 = request.moments.standardised().cov, 0.0
    spec = _spec(request, S, inv_sigma2, bounded=False)
    until = max(request.deadline, perf_counter() + GRACE)
    found = choose_parents(spec, _cheap_order(request, noise), until)
    if noise == "unequal":
        found = replace(found, rss=found.rss * variance)
    score = graph_score(found.rss, found.n_edges, request.cost, noise)
    return _Fit(found, score, None, found.stopped)


def _fit_equal(request: Request) -> _Fit:
    """Minimise d·log(Σ RSS_j / d) + k|E| by turns: the graph for a given σ², σ² for a given graph.

    The logarithm is concave, so Σ RSS_j/σ² + k|E| with σ² = Σ RSS_j / d lies above the score and
    touches it: a graph that is better at this σ² has the better score. A turn takes over the order
    and chooses parents afresh, so it can also lose; the best graph of all turns is kept.
    """
    S = request.moments.cov
    order, continuous, first = _start(request, "equal", S)
    if _is_small(request):
        found = _best_of_all(request, "equal", S / np.diag(S).mean())
        score = graph_score(found.rss, found.n_edges, request.cost, "equal")
        return _Fit(found, score, continuous, "")
    best: _Fit | None = None
    # Turns can settle at different σ²; where the graph is small there is time to try several.
    for factor in (1.0, 0.6, 0.8, 1.25, 1.6) if request.moments.d <= SMALL else (1.0,):
        sigma2 = factor * (first if best is None else float(np.mean(best.found.rss)))
        for _ in range(MAX_ROUNDS):
            found = _search(request, "equal", S, order, 1.0 / sigma2)
            score = graph_score(found.rss, found.n_edges, request.cost, "equal")
            if best is None or is_better(score, found.n_edges, best.score, best.found.n_edges):
                best = _Fit(found, score, continuous, "")
            if found.stopped:
                return replace(best, stopped=found.stopped)
            change = abs(np.mean(found.rss) / sigma2 - 1.0)
            order, sigma2 = found.order, float(np.mean(found.rss))
            if change < SIGMA_SETTLED:
                break
    assert best is not None
    return best


def _fit_unequal(request: Request) -> _Fit:
    """Minimise Σ log RSS_j + k|E| on the correlation, so that no scale plays a part."""
    variance = np.diag(request.moments.cov)
    R = request.moments.standardised().cov
    order, continuous, _ = _start(request, "unequal", R)
    if _is_small(request):
        found = _best_of_all(request, "unequal", R)
    else:
        found = _search(request, "unequal", R, order, 0.0)
        found = replace(found, rss=found.rss * variance)
    score = graph_score(found.rss, found.n_edges, request.cost, "unequal")
    return _Fit(found, score, continuous, found.stopped)


def _at_the_right_price(request: Request, noise: str, fit: _Fit) -> tuple[Request, _Fit]:
    """Fit once more, with edges cheaper, where a graph leaves more unexplained than chance does."""
    moments, found = request.moments, fit.found
    if noise == "equal":
        spec = _spec(request, moments.cov, 1.0 / float(np.mean(found.rss)), bounded=False)
    else:
        spec = _spec(request, moments.standardised().cov, 0.0, bounded=False)
    gains = largest_gains(spec, found.order, found.parents)
    gamma = lowered_gamma(gains, found.n_edges, moments.n, request.gamma, noise)
    if gamma == request.gamma:
        return request, fit
    cost = edge_cost(moments.n, moments.d, gamma)
    cheaper = replace(request, gamma=gamma, cost=cost, start=found.order)
    again = _fit(cheaper, noise)
    if graph_score(found.rss, found.n_edges, cost, noise) < again.score:  # cut short, as a rule
        return request, replace(fit, stopped=again.stopped)
    return cheaper, replace(again, continuous=fit.continuous)


def _start(request: Request, noise: str, S: Array) -> tuple[IntArray, Path | None, float]:
    """Return a start order, the continuous stage where it was run, and a first σ².

    Of a time limit at most half is spent here: then the search begins from a cheap order.
    """
    began = perf_counter()
    if request.deadline == np.inf or began > request.deadline:
        return _good_start(request, noise, S)
    try:
        half = replace(request, deadline=began + (request.deadline - began) / 2)
        return _good_start(half, noise, S)
    except OutOfTimeError:
        return _cheap_order(request, noise), None, float(np.diag(S).min())


def _cheap_order(request: Request, noise: str) -> IntArray:
    """Return an order that costs nothing: the one given, by variance, or by number."""
    order = np.arange(request.moments.d)
    if request.start is not None and not isinstance(request.start, str):
        order = request.start
    elif noise == "equal":
        order = np.argsort(ranks(np.diag(request.moments.cov)), kind="stable")
    return respect(order, request.masks.before)


def _good_start(request: Request, noise: str, S: Array) -> tuple[IntArray, Path | None, float]:
    """Return what `_start` does; raises OutOfTimeError at the deadline."""
    start, before = request.start, request.masks.before
    n, d = request.moments.n, request.moments.d
    path, order, sigma2 = None, None, 1.0
    if start is None:
        start = "continuous" if noise == "unequal" and d <= MAX_CONTINUOUS else "order"
    if noise == "equal":
        order, sigma2 = conditional_variance_order(S, n, request.cost, before, request.deadline)
    if not isinstance(start, str):
        order = start
    elif start == "continuous":
        path = prox_linear_path(
            S if sigma2 == 1.0 else S / sigma2,
            profile=noise == "unequal",
            n=n,
            allowed=request.masks.allowed,
            deadline=request.deadline,
        )
        order = lock(path.W)
    elif noise == "unequal" and n >= 2 * d and d <= MAX_FULL:
        order = precision_order(S, before)
    if order is None:
        order, _ = conditional_variance_order(S, n, request.cost, before, request.deadline)
    return respect(order, before), path, sigma2


def _is_small(request: Request) -> bool:
    """Whether all graphs can be looked at; not when restarts of the search were asked for."""
    small = request.moments.d <= MAX_EXACT and request.n_restarts is None
    return small and perf_counter() < request.deadline


def _best_of_all(request: Request, noise: str, S: Array) -> Found:
    """Find the best graph of all."""
    masks = request.masks
    sets = make_sets(S, _most_parents(request), masks.allowed, masks.required, masks.before)
    best = (best_equal if noise == "equal" else best_unequal)(sets, request.cost)
    rss = residual_variances(request.moments.cov, best.parents)
    score = graph_score(rss, sum(map(len, best.parents)), request.cost, noise)
    if request.progress is not None:
        request.progress(noise, 0, score)
    return Found(best.order, best.parents, rss, True, 0, [score], "", optimal=True)


def _most_parents(request: Request) -> int:
    """Return how many parents a node may have: as many as are required, at the least."""
    most, required = most_parents(request.moments.n, request.moments.d), request.masks.required
    return most if required is None else max(most, int(required.sum(axis=0).max()))


def _search(request: Request, noise: str, S: Array, order: IntArray, inv_sigma2: float) -> Found:
    """Run the order search with what the user asked for."""
    n, d = request.moments.n, request.moments.d
    restarts = request.n_restarts
    progress = request.progress
    return search_order(
        _spec(request, S, inv_sigma2),
        order,
        n_restarts=default_restarts(noise, d) if restarts is None else restarts,
        rng=request.rng,
        full_regressions=full_regressions_pay(n, d),
        n_jobs=request.n_jobs,
        deadline=request.deadline,
        progress=None if progress is None else partial(progress, noise),
    )


def _spec(request: Request, S: Array, inv_sigma2: float, *, bounded: bool = True) -> Spec:
    """Return what the kernels need to know."""
    masks = request.masks
    return make_spec(
        S,
        request.cost,
        inv_sigma2,
        _most_parents(request),
        masks.allowed,
        masks.required,
        masks.before,
        thorough=request.moments.d <= SMALL,
        bounded=bounded,
    )


def default_restarts(noise: str, d: int) -> int:
    """How often to restart when nothing is said; chosen from the ablation in docs/theory.md.

    Not at all where all graphs are compared, nor under equal variances, whose start is good.
    """
    if noise == "equal" or d <= MAX_EXACT:
        return 0
    return min(60, 20 + d // 4) if d <= MAX_RESTARTED else 0


def _finish(
    request: Request,
    inner: Request,
    columns: IntArray,
    noise: str,
    fit: _Fit,
    scores: dict[str, float],
    stopped: str,
) -> Learned:
    """Back to the columns as they were given: canonical graph and order, weights, certificate."""
    S, found, d = request.moments.cov, fit.found, request.moments.d
    source, target, order, oriented = _canonical(inner, noise, found)
    source, target = columns[source], columns[target]
    order = _with_those_aside(columns[order], request)
    by_target = np.lexsort((source, target))
    source, target, oriented = source[by_target], target[by_target], oriented[by_target]
    parents = parents_of(source, target, d)
    weight = np.concatenate([least_squares(S, P, j) for j, P in enumerate(parents)])
    rss = residual_variances(S, parents)
    certificate = Certificate(
        source,
        target,
        weight,
        order,
        graph_score(rss, len(source), inner.cost, noise),
        inner.cost,
        noise,
        gradient_residual(S, source, target, weight),
        found.locally_optimal,
        found.optimal,
        d - 1 if _most_parents(inner) == inner.moments.d - 1 else _most_parents(inner),
        _of_certificate(request.masks, columns, d),
    )
    status = _STATUS[stopped]
    sentence = _ENDED_EARLY.get(status, f"Finished: {certificate.statement}.")
    return Learned(
        source=source,
        target=target,
        weight=weight,
        oriented=oriented,
        order=order,
        noise=noise,
        noise_variances=np.full(d, np.mean(rss)) if noise == "equal" else rss,
        scores=scores,
        ebic_gamma=inner.gamma,
        certificate=certificate,
        status=status,
        message=sentence,
        cautions=(),
        n_restarts=found.n_restarts,
        search_scores=found.scores,
        continuous=None if fit.continuous is None else Stages.of(fit.continuous),
        aside=np.empty(0, dtype=np.intp),
    )


def _with_those_aside(order: IntArray, request: Request) -> IntArray:
    """Put the columns that were set aside at the end, or where knowledge has them."""
    rest = np.setdiff1d(np.arange(request.moments.d), order)
    return respect(np.concatenate([order, rest]), request.masks.before)


def _of_certificate(masks: Masks, columns: IntArray, d: int) -> Masks:
    """Return what was known, and that columns that were set aside have no edges."""
    if len(columns) == d:
        return masks
    allowed = np.zeros((d, d), dtype=np.bool_)
    allowed[np.ix_(columns, columns)] = True
    if masks.allowed is not None:
        allowed &= masks.allowed
    return replace(masks, allowed=allowed)


def _canonical(
    request: Request, noise: str, found: Found
) -> tuple[IntArray, IntArray, IntArray, BoolArray]:
    """Return the edges of the graph that stands for its class, their order, and what is oriented.

    Under equal variances the graph is itself identified, and every edge is oriented. Of nodes that
    can be next the weakest comes first: an effect is explained by more than a cause is.
    """
    d = request.moments.d
    masks = request.masks.select(np.arange(d)[::-1])
    target = d - 1 - np.repeat(np.arange(d), [len(P) for P in found.parents])
    source = np.empty(0, dtype=np.intp)
    if len(target):
        source = d - 1 - np.concatenate(found.parents)
    oriented = np.ones(len(source), dtype=np.bool_)
    if noise == "unequal":
        known = None if masks.allowed is None else ~masks.allowed[target, source]
        first, second, oriented = canonical_member(source, target, d, known, masks.before)
        rss = residual_variances(request.moments.cov[::-1, ::-1], parents_of(first, second, d))
        # Equivalent graphs have one score, but not where a variance is nothing but rounding.
        if not is_better(float(np.log(found.rss).sum()), 0, float(np.log(rss).sum()), 0):
            source, target = first, second
    edges = csr_array((np.ones(len(source)), (source, target)), shape=(d, d))
    order = topological_order(edges if masks.before is None else edges + csr_array(masks.before))
    return d - 1 - source, d - 1 - target, d - 1 - order, oriented
