"""The pipeline: moments, a start, the order search, weights, certificate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import numpy as np

from daglock._compiling import announce_compilation
from daglock._request import Progress, Request, check_request
from daglock.certificate import Certificate, gradient_residual
from daglock.diagnostics.singular import warnings_about
from daglock.knowledge import Masks, respect
from daglock.learned import Learned, Stages
from daglock.moments import Moments, canonical_order
from daglock.orientation import oriented_edges
from daglock.search.exact import best_equal, best_unequal, least, make_sets
from daglock.search.identified import identified
from daglock.search.limits import MAX_EXACT, MAX_FULL, full_regressions_pay, most_parents
from daglock.search.lock import lock
from daglock.search.noise import (
    explains_scale,
    overdispersion,
    variance_price,
    variances_agree,
)
from daglock.search.order import improve
from daglock.search.parents import Spec, make_spec
from daglock.search.price import largest_gains, lowered_gamma
from daglock.search.run import Found, search_order
from daglock.search.score import edge_cost, graph_score, least_squares, residual_variances
from daglock.search.start import conditional_variance_order, precision_order
from daglock.search.state import SMALL
from daglock.solution import Status
from daglock.solvers.prox_linear_path import Path, prox_linear_path
from daglock.typing import Array, BoolArray, IntArray, Seed

# σ² of the equal-variance criterion is settled when it changes by less than this share.
SIGMA_SETTLED = 0.01
MAX_ROUNDS = 5
# Above this many variables the continuous stage, which keeps dense arrays, is not the default.
MAX_CONTINUOUS = 2000
# Above this many variables restarts are done only when they are asked for.
MAX_RESTARTED = 500
_OPTIMAL = "Finished: no other DAG has a better score."
_SENTENCES = {
    Status.CONVERGED: "Finished: no move of a single node that was tried improves the graph.",
    Status.TIME_LIMIT: "The time limit was reached; this is the best DAG so far.",
    Status.INTERRUPTED: "Interrupted; this is the best DAG so far.",
}


def learn(
    moments: Moments,
    *,
    noise: str = "auto",
    ebic_gamma: float | None = None,
    masks: Masks | None = None,
    start: str | Array | IntArray | None = None,
    n_restarts: int | None = None,
    time_limit: float | None = None,
    rng: Seed = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    by_margin: bool = True,
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
    by_margin : call an edge oriented only where turning it costs a margin. Replicates of a
        bootstrap, which are counted, go without.

    Examples
    --------
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> W = erdos_renyi(10, 10, rng=0)
    >>> learned = learn(Moments.from_data(linear_sem(W, 1000, rng=1)), noise="equal")
    >>> bool(((learned.to_sparse().toarray() != 0) == (W != 0)).all())
    True
    """
    request = check_request(
        moments, noise, ebic_gamma, masks, start, n_restarts, time_limit, rng, n_jobs, progress
    )
    request = replace(request, by_margin=by_margin)
    announce_compilation(least if _is_small(request) else improve)
    fits: dict[str, _Fit] = {}
    scores: dict[str, float] = {}
    n, d = moments.n, moments.d
    explained = True
    for model in request.noise_models:
        fits[model] = _fit(request, model)
        scores[model] = fits[model].score + variance_price(model, n, d)
        if fits[model].stopped == "interrupt":
            break
        if noise == "auto" and model == "equal":
            explained = explains_scale(np.diag(moments.cov), fits[model].found.rss, n)
            if explained and variances_agree(fits[model].found.rss, n):
                break
    model = min(scores, key=scores.__getitem__)
    if len(scores) == 2 and not explained:
        model = "unequal"
    stopped = next((fit.stopped for fit in fits.values() if fit.stopped), "")
    fit = fits[model]
    if not stopped and not request.gamma_is_given:
        try:
            request, fit = _at_the_right_price(request, model, fit)
        except KeyboardInterrupt:
            fit = replace(fit, stopped="interrupt")
    return _finish(request, model, fit, scores, stopped or fit.stopped)


@dataclass(frozen=True)
class _Fit:
    """The best graph under one noise model."""

    found: Found
    score: float  # on the scale of the data
    continuous: Path | None
    stopped: str  # why the search under this model ended early, see Found; "" when it did not


def _fit(request: Request, noise: str) -> _Fit:
    """Find the best graph under a noise model."""
    return _fit_equal(request) if noise == "equal" else _fit_unequal(request)


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
            if best is None or score < best.score:
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
    """Return a start order, the continuous stage where it was run, and a first σ²."""
    start, before = request.start, request.masks.before
    n, d = request.moments.n, request.moments.d
    path, order, sigma2 = None, None, 1.0
    if start is None:
        start = "continuous" if noise == "unequal" and d <= MAX_CONTINUOUS else "order"
    if noise == "equal":
        order, sigma2 = conditional_variance_order(S, n, request.cost, before)
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
        order = lock(path.W, canonical_order(S))
    elif noise == "unequal" and n >= 2 * d and d <= MAX_FULL:
        order = precision_order(S, before)
    if order is None:
        order, _ = conditional_variance_order(S, n, request.cost, before)
    return respect(order, before), path, sigma2


def _is_small(request: Request) -> bool:
    """Whether all graphs can be looked at; not when restarts of the search were asked for."""
    small = request.moments.d <= MAX_EXACT and request.n_restarts is None
    return small and perf_counter() < request.deadline


def _best_of_all(request: Request, noise: str, S: Array) -> Found:
    """Find the best graph of all, in an order of the columns that depends on the data alone."""
    d, masks = request.moments.d, request.masks
    columns = canonical_order(S)
    mixed = np.ix_(columns, columns)
    sets = make_sets(
        S[mixed],
        _most_parents(request),
        None if masks.allowed is None else masks.allowed[mixed],
        None if masks.required is None else masks.required[mixed],
    )
    best = (best_equal if noise == "equal" else best_unequal)(sets, request.cost)
    parents: list[IntArray] = [np.empty(0, dtype=np.intp)] * d
    for j, P in enumerate(best.parents):
        parents[columns[j]] = np.sort(columns[P])
    rss = residual_variances(request.moments.cov, parents)
    score = graph_score(rss, sum(map(len, parents)), request.cost, noise)
    if request.progress is not None:
        request.progress(noise, 0, score)
    return Found(columns[best.order], parents, rss, True, 0, [score], "", optimal=True)


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
    noise: str,
    fit: _Fit,
    scores: dict[str, float],
    stopped: str,
) -> Learned:
    """Least-squares weights on the chosen parents, certificate, status."""
    S, found = request.moments.cov, fit.found
    d = request.moments.d
    target = np.repeat(np.arange(d), [len(P) for P in found.parents])
    source = np.concatenate(found.parents) if len(target) else np.empty(0, dtype=np.intp)
    weight = np.concatenate([least_squares(S, P, j) for j, P in enumerate(found.parents)])
    certificate = Certificate(
        source,
        target,
        weight,
        found.order,
        fit.score,
        request.cost,
        noise,
        gradient_residual(S, source, target, weight),
        found.locally_optimal,
        found.optimal,
    )
    status = {"": Status.CONVERGED, "time": Status.TIME_LIMIT, "interrupt": Status.INTERRUPTED}[
        stopped
    ]
    sentence = _OPTIMAL if found.optimal and not stopped else _SENTENCES[status]
    cautions = tuple(warnings_about(request.moments))
    return Learned(
        source=source,
        target=target,
        weight=weight,
        oriented=_oriented(request, noise, found, source, target),
        order=found.order,
        noise=noise,
        noise_variances=np.full(d, np.mean(found.rss)) if noise == "equal" else found.rss,
        scores=scores,
        ebic_gamma=request.gamma,
        certificate=certificate,
        status=status,
        message=" ".join([sentence, *cautions]),
        cautions=cautions,
        n_restarts=found.n_restarts,
        search_scores=found.scores,
        continuous=None if fit.continuous is None else Stages.of(fit.continuous),
    )


def _oriented(
    request: Request, noise: str, found: Found, source: IntArray, target: IntArray
) -> BoolArray:
    """Tell which edges data and knowledge orient: what the model can tell, by a margin."""
    moments, masks = request.moments, request.masks
    equal = noise == "equal"
    known = None if masks.allowed is None else ~masks.allowed[target, source]
    if equal:
        told = np.ones(len(source), dtype=np.bool_)
    else:
        told = oriented_edges(source, target, moments.d, known)
    if not request.by_margin or not told.any():
        return told
    if known is None:
        known = np.zeros(len(source), dtype=np.bool_)
    S = moments.cov if equal else moments.standardised().cov
    inv_sigma2 = 1.0 / float(np.mean(found.rss)) if equal else 0.0

    def spec_at(cost: float) -> Spec:
        priced = request if np.isnan(cost) else replace(request, cost=cost)
        return _spec(priced, S, inv_sigma2, bounded=False)

    return known | identified(
        spec_at,
        found.order,
        source,
        target,
        told & ~known,
        n=moments.n,
        dispersion=overdispersion(found.rss, moments.n) if equal else 0.0,
        deadline=-np.inf if found.stopped else request.deadline,
    )
