"""The best graph under one noise model: all graphs, or a start and the search over orders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import numpy as np

from daglock._pace import OutOfTimeError
from daglock._request import Request
from daglock.knowledge import respect
from daglock.search.exact import best_equal, best_unequal, make_sets
from daglock.search.limits import MAX_EXACT, MAX_FULL, full_regressions_pay, most_parents
from daglock.search.lock import lock
from daglock.search.parents import Spec, make_spec
from daglock.search.run import Found, choose_parents, search_order
from daglock.search.score import graph_score, residual_variances
from daglock.search.start import conditional_variance_order, precision_order
from daglock.solvers.prox_linear_path import Path, prox_linear_path
from daglock.ties import is_better, ranks
from daglock.typing import Array, IntArray

# σ² of the equal-variance criterion is settled when it changes by less than this share.
SIGMA_SETTLED = 0.01
MAX_ROUNDS = 5
# Above this many variables the continuous stage, which keeps dense arrays, is not the default.
MAX_CONTINUOUS = 2000
# Seconds that a first graph may take, whatever the time limit: one without edges is worth nothing.
GRACE = 0.01
# Above this many variables restarts are done only when they are asked for.
MAX_RESTARTED = 500


@dataclass(frozen=True)
class Fit:
    """The best graph under one noise model."""

    found: Found
    score: float  # on the scale of the data
    continuous: Path | None
    stopped: str  # why the search under this model ended early, see Found; "" when it did not


def fit_model(request: Request, noise: str) -> Fit:
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


def _first(request: Request, noise: str) -> Fit:
    """Choose parents along a cheap order."""
    variance = np.diag(request.moments.cov)
    if noise == "equal":
        S, inv_sigma2 = request.moments.cov, 1.0 / float(variance.min())
    else:
        S, inv_sigma2 = request.moments.standardised().cov, 0.0
    spec = spec_of(request, S, inv_sigma2, bounded=False)
    until = max(request.deadline, perf_counter() + GRACE)
    found = choose_parents(spec, _cheap_order(request, noise), until)
    if noise == "unequal":
        found = replace(found, rss=found.rss * variance)
    score = graph_score(found.rss, found.n_edges, request.cost, noise)
    return Fit(found, score, None, found.stopped)


def _fit_equal(request: Request) -> Fit:
    """Minimise d·log(Σ RSS_j / d) + k|E| by turns: the graph for a given σ², σ² for a given graph.

    The logarithm is concave, so Σ RSS_j/σ² + k|E| with σ² = Σ RSS_j / d lies above the score and
    touches it: a graph that is better at this σ² has the better score. A turn takes over the order
    and chooses parents afresh, so it can also lose; the best graph of all turns is kept.
    """
    S = request.moments.cov
    order, continuous, sigma2 = _start(request, "equal", S)
    if is_small(request):
        found = _best_of_all(request, "equal", S / np.diag(S).mean())
        score = graph_score(found.rss, found.n_edges, request.cost, "equal")
        return Fit(found, score, continuous, "")
    best: Fit | None = None
    for _ in range(MAX_ROUNDS):
        found = _search(request, "equal", S, order, 1.0 / sigma2)
        score = graph_score(found.rss, found.n_edges, request.cost, "equal")
        if best is None or is_better(score, found.n_edges, best.score, best.found.n_edges):
            best = Fit(found, score, continuous, "")
        if found.stopped:
            return replace(best, stopped=found.stopped)
        change = abs(np.mean(found.rss) / sigma2 - 1.0)
        order, sigma2 = found.order, float(np.mean(found.rss))
        if change < SIGMA_SETTLED:
            break
    assert best is not None
    return best


def _fit_unequal(request: Request) -> Fit:
    """Minimise Σ log RSS_j + k|E| on the correlation, so that no scale plays a part."""
    variance = np.diag(request.moments.cov)
    R = request.moments.standardised().cov
    order, continuous, _ = _start(request, "unequal", R)
    if is_small(request):
        found = _best_of_all(request, "unequal", R)
    else:
        found = _search(request, "unequal", R, order, 0.0)
        found = replace(found, rss=found.rss * variance)
    score = graph_score(found.rss, found.n_edges, request.cost, "unequal")
    return Fit(found, score, continuous, found.stopped)


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


def is_small(request: Request) -> bool:
    """Whether all graphs can be looked at; not when restarts of the search were asked for."""
    small = request.moments.d <= MAX_EXACT and request.n_restarts is None
    return small and perf_counter() < request.deadline


def _best_of_all(request: Request, noise: str, S: Array) -> Found:
    """Find the best graph of all."""
    masks = request.masks
    sets = make_sets(S, parents_limit(request), masks.allowed, masks.required, masks.before)
    best = (best_equal if noise == "equal" else best_unequal)(sets, request.cost)
    rss = residual_variances(request.moments.cov, best.parents)
    score = graph_score(rss, sum(map(len, best.parents)), request.cost, noise)
    if request.progress is not None:
        request.progress(noise, 0, score)
    return Found(best.order, best.parents, rss, True, 0, [score], "", optimal=True)


def parents_limit(request: Request) -> int:
    """Return how many parents a node may have: as many as are required, at the least."""
    most, required = most_parents(request.moments.n, request.moments.d), request.masks.required
    return most if required is None else max(most, int(required.sum(axis=0).max()))


def _search(request: Request, noise: str, S: Array, order: IntArray, inv_sigma2: float) -> Found:
    """Run the order search with what the user asked for."""
    n, d = request.moments.n, request.moments.d
    restarts = request.n_restarts
    progress = request.progress
    return search_order(
        spec_of(request, S, inv_sigma2),
        order,
        n_restarts=default_restarts(noise, d) if restarts is None else restarts,
        rng=request.rng,
        full_regressions=full_regressions_pay(n, d),
        n_jobs=request.n_jobs,
        deadline=request.deadline,
        progress=None if progress is None else partial(progress, noise),
    )


def spec_of(request: Request, S: Array, inv_sigma2: float, *, bounded: bool = True) -> Spec:
    """Return what the kernels need to know."""
    masks = request.masks
    return make_spec(
        S,
        request.cost,
        weight=inv_sigma2 or 1.0,
        logarithmic=inv_sigma2 == 0.0,
        max_parents=parents_limit(request),
        allowed=masks.allowed,
        required=masks.required,
        before=masks.before,
        bounded=bounded,
    )


def default_restarts(noise: str, d: int) -> int:
    """How often to restart when nothing is said; chosen from the ablation in docs/theory.md.

    Not at all where all graphs are compared, nor under equal variances, whose start is good.
    """
    if noise == "equal" or d <= MAX_EXACT:
        return 0
    return min(60, 20 + d // 4) if d <= MAX_RESTARTED else 0
