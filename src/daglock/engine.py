"""The pipeline: columns that are searched, both noise models, the price, the result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from time import perf_counter

import numpy as np

from daglock._compiling import announce_compilation
from daglock._finishing import finish
from daglock._fitting import Fit, fit_model, is_small, spec_of
from daglock._request import Progress, Request, check_request
from daglock.dependence import find_determined, warnings_about
from daglock.knowledge import Masks
from daglock.learned import Learned
from daglock.moments import Moments
from daglock.search.exact import least
from daglock.search.noise import explains_scale, variance_price, variances_agree
from daglock.search.order import improve
from daglock.search.price import largest_gains, lowered_gamma
from daglock.search.score import edge_cost, graph_score
from daglock.ties import canonical_order
from daglock.typing import Array, IntArray, Seed


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
    rng : seed or generator; the same table gives the same graph also without one.
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
    request = replace(request, by_margin=by_margin)
    aside, cautions = _set_aside(request)
    request, columns, inner = _searched(request, aside)
    announce_compilation(least if is_small(inner) else improve)
    fits: dict[str, Fit] = {}
    scores: dict[str, float] = {}
    n, d = inner.moments.n, inner.moments.d
    explained = True
    models = inner.noise_models
    if perf_counter() > inner.deadline:
        models = models[-1:]  # there is time for one: unequal variances claim less
    for model in models:
        fits[model] = fit_model(inner, model)
        scores[model] = fits[model].score + variance_price(model, n, d)
        if fits[model].stopped == "interrupt":
            break
        if noise == "auto" and model == "equal":
            explained = explains_scale(np.diag(inner.moments.cov), fits[model].found.rss, n)
            if explained and variances_agree(fits[model].found.rss, n):
                break
    model = min(scores, key=scores.__getitem__)
    if len(scores) == 2 and not explained:
        model = "unequal"
    stopped = next((fit.stopped for fit in fits.values() if fit.stopped), "")
    fit = fits[model]
    if not stopped and not inner.gamma_is_given:
        try:
            inner, fit = _at_the_right_price(inner, model, fit)
        except KeyboardInterrupt:
            fit = replace(fit, stopped="interrupt")
    found = (columns, model, fit, scores)
    try:
        learned = finish(request, inner, *found, stopped or fit.stopped)
    except KeyboardInterrupt:  # once more, without looking what it costs to turn edges
        learned = finish(request, replace(inner, by_margin=False), *found, "interrupt")
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


def _searched(request: Request, aside: IntArray) -> tuple[Request, IntArray, Request]:
    """Return what is asked, the columns that are searched, and what is asked of these.

    They are numbered canonically from here to the end: of equals the first is taken.
    """
    kept = np.setdiff1d(np.arange(request.moments.d), aside)
    if len(kept) < 2:  # all columns are copies of one: two of them, and no edge
        kept = np.union1d(kept, aside[:1])
        no_edge = np.zeros((request.moments.d, request.moments.d), dtype=np.bool_)
        request = replace(request, masks=Masks(allowed=no_edge))
    some = request.moments.select(kept) if len(kept) < request.moments.d else request.moments
    columns = kept[canonical_order(some.cov, some.names)]
    return request, columns, request.select(columns)


def _at_the_right_price(request: Request, noise: str, fit: Fit) -> tuple[Request, Fit]:
    """Fit once more, with edges cheaper, where a graph leaves more unexplained than chance does."""
    moments, found = request.moments, fit.found
    if noise == "equal":
        spec = spec_of(request, moments.cov, 1.0 / float(np.mean(found.rss)), bounded=False)
    else:
        spec = spec_of(request, moments.standardised().cov, 0.0, bounded=False)
    gains = largest_gains(spec, found.order, found.parents)
    gamma = lowered_gamma(gains, found.n_edges, moments.n, request.gamma, noise)
    if gamma == request.gamma:
        return request, fit
    cost = edge_cost(moments.n, moments.d, gamma)
    cheaper = replace(request, gamma=gamma, cost=cost, start=found.order)
    again = fit_model(cheaper, noise)
    if graph_score(found.rss, found.n_edges, cost, noise) < again.score:  # cut short, as a rule
        return request, replace(fit, stopped=again.stopped)
    return cheaper, replace(again, continuous=fit.continuous)
