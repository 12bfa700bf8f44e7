"""The pipeline: columns that are searched, the criterion, the price, the result."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from daglock._compiling import compiling
from daglock.engine.choosing import at_the_right_price, choose_criterion
from daglock.engine.finishing import finish
from daglock.engine.learned import Learned
from daglock.engine.proving import prove as prove_best
from daglock.engine.repeated import find_repeated
from daglock.engine.request import Progress, Request, check_request
from daglock.knowledge import Masks
from daglock.search.order import improve
from daglock.search.windows import lay
from daglock.settings import SETTINGS, Settings
from daglock.ties import canonical_order
from daglock.typing import Array, IntArray, Seed, Statistics


def learn(
    moments: Statistics,
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
    prove: float | None = None,
    settings: Settings = SETTINGS,
) -> Learned:
    """Learn a DAG from moments.

    For each criterion that is to be tried: up to 18 variables all graphs are compared; beyond, a
    start (continuous stage or conditional variances) gives an order, and the order search goes on
    from there with exact parents. The better criterion under the BIC is taken, the price of an
    edge is lowered where that is called for, and the graph is returned with least-squares weights
    and its certificate.

    Parameters
    ----------
    moments : Moments, or Blocks or Counts where there are categories
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
        variances and "continuous" for unequal ones. Where all graphs are compared there is none.
    n_restarts : int, optional
    time_limit : float, optional
        Seconds; the best graph so far is returned.
    rng : seed or generator; the same table gives the same graph also without one.
    n_jobs : threads; the result does not depend on it.
    progress : called with the noise model, the restarts done and the best score.
    by_margin : call an edge oriented only where turning it costs a margin. Replicates of a
        bootstrap, which are counted, go without.
    prove : seconds to spend on a proof, after the search: up to 20 variables all graphs are
        compared, beyond that all are bounded from below (unequal noise variances).
    settings : Settings
        The constants behind all this, for experiments with them.

    Examples
    --------
    >>> from daglock.moments import Moments
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
        by_margin,
        prove,
        settings,
    )
    aside, cautions = _set_aside(request)
    request, columns, inner = _searched(request, aside)
    # the kernels of the exact search take no second
    with nullcontext() if inner.is_exact else compiling(improve, lay):
        choice = choose_criterion(inner)
    priced = inner
    if not choice.stopped and not inner.gamma_is_given and choice.criterion.may_cost_less:
        try:
            priced, choice = at_the_right_price(inner, choice)
        except KeyboardInterrupt:
            choice = replace(choice, stopped="interrupt")
    choice, proof = prove_best(priced, choice)
    try:
        learned = finish(request, priced, columns, choice, proof)
    except KeyboardInterrupt:  # once more, without looking what it costs to turn edges
        stopped = replace(choice, stopped="interrupt")
        learned = finish(request, replace(priced, by_margin=False), columns, stopped, proof)
    if proof.said:  # it was asked for
        cautions = (proof.said, *cautions)
    message = " ".join([learned.message, *cautions])
    return replace(learned, aside=aside, message=message, cautions=cautions)


def _set_aside(request: Request) -> tuple[IntArray, tuple[str, ...]]:
    """Return the columns that get no edges because others determine them, and what to say."""
    required = request.masks.required
    if not isinstance(request.determined, str):
        return np.asarray(request.determined, dtype=np.intp), ()
    keep: set[int] = set()
    if required is not None:
        keep = set(np.flatnonzero(required.any(axis=0) | required.any(axis=1)).tolist())
    drop = request.determined == "drop"
    aside, cautions = find_repeated(request.moments, keep, drop)
    return aside if drop else np.empty(0, dtype=np.intp), cautions


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
    columns = kept[canonical_order(some.likeness, some.names)]
    return request, columns, request.select(columns)
