"""The best graph under one criterion: all graphs compared, or orders searched from a start."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter

import numpy as np

from daglock._pace import OutOfTimeError
from daglock.criteria import Criterion, Start
from daglock.decisions import StartReason
from daglock.engine.request import Request
from daglock.knowledge import respect
from daglock.search.all_sets import Sets
from daglock.search.contexts import ContextSpec
from daglock.search.node import AnySpec
from daglock.search.run import Found, choose_parents, search_order
from daglock.search.spec import Spec
from daglock.solution import FitTrace
from daglock.ties import is_better


@dataclass(frozen=True)
class Fit:
    """The best graph under one criterion."""

    found: Found
    score: float  # on the scale of the data
    began: StartReason
    trace: FitTrace = field(default_factory=FitTrace)  # of the continuous stage
    stopped: str = ""  # why the search under this criterion ended early, see Found


def fit_graph(request: Request, criterion: Criterion) -> Fit:
    """Find the best graph under a criterion, or the best until time is up."""
    first = _first(request, criterion) if request.deadline < np.inf else None
    if first is not None and perf_counter() > request.deadline:
        return replace(first, stopped="time")
    try:
        if request.is_exact:
            return _best_of_all(request, criterion)
        fit = _best_found(request, criterion)
    except (OutOfTimeError, KeyboardInterrupt) as error:  # before there was an order to search from
        stopped = "time" if isinstance(error, OutOfTimeError) else "interrupt"
        first = first or _first(replace(request, deadline=np.inf), criterion)
        return replace(first, stopped=stopped)
    if fit.stopped and first is not None and first.score < fit.score:
        return replace(first, trace=fit.trace, stopped=fit.stopped)
    return fit


def _best_of_all(request: Request, criterion: Criterion) -> Fit:
    """Compare all graphs."""
    best = criterion.best_of_all(sets_of(request, criterion), request.cost, request.deadline)
    rss = criterion.residuals(best.parents)
    score = criterion.score(rss, sum(map(len, best.parents)), request.cost)
    if request.progress is not None:
        request.progress(criterion.name, 0, score)
    found = Found(best.order, best.parents, rss, True, len(rss), 0, [score], "", optimal=True)
    return Fit(found, score, StartReason.NOWHERE)


def _best_found(request: Request, criterion: Criterion) -> Fit:
    """Search by turns: the graph for given weights of the fit, the weights for a given graph.

    A turn takes over the order and chooses parents afresh, so it can also lose; the best graph of
    all turns is kept. A criterion whose weights do not depend on the graph needs one turn.
    """
    start, began = _start(request, criterion)
    order, weight = start.order, start.weight
    n, d, progress = request.moments.n, request.moments.d, request.progress
    best: Fit | None = None
    for _ in range(request.settings.max_turns):
        found = search_order(
            spec_of(request, criterion, weight),
            order,
            n_restarts=request.restarts(criterion),
            patient=request.n_restarts is None,
            rng=request.rng,
            full_regressions=request.settings.full_regressions_pay(n, d),
            n_jobs=request.n_jobs,
            deadline=request.deadline,
            progress=None if progress is None else partial(progress, criterion.name),
            settings=request.settings,
        )
        now = criterion.weight(found.rss)
        found = replace(found, rss=found.rss * criterion.unit)
        score = criterion.score(found.rss, found.n_edges, request.cost)
        if best is None or is_better(score, found.n_edges, best.score, best.found.n_edges):
            best = Fit(found, score, began, start.trace)
        if found.stopped:
            return replace(best, stopped=found.stopped)
        change = abs(weight / now - 1.0)
        order, weight = found.order, now
        if change < request.settings.sigma_settled:
            break
    assert best is not None
    return best


def _first(request: Request, criterion: Criterion) -> Fit:
    """Choose parents along a cheap order."""
    start = _cheap_start(request, criterion)
    until = max(request.deadline, perf_counter() + request.settings.grace)
    spec = spec_of(request, criterion, start.weight, bounded=False)
    found = choose_parents(spec, start.order, until)
    found = replace(found, rss=found.rss * criterion.unit)
    score = criterion.score(found.rss, found.n_edges, request.cost)
    return Fit(found, score, StartReason.TIME, stopped=found.stopped)


def _start(request: Request, criterion: Criterion) -> tuple[Start, StartReason]:
    """Return where to begin, and why there.

    Of a time limit at most half is spent here: then the search begins from a cheap order.
    """
    how, settings = request.start, request.settings
    if how is None:
        small = request.moments.d <= settings.max_continuous
        how = criterion.default_start if small else "order"
    began = perf_counter()
    deadline = request.deadline
    if began < deadline < np.inf:
        deadline = began + (deadline - began) / 2
    try:
        start = criterion.start(how, request.cost, request.masks, settings, deadline)
    except OutOfTimeError:
        if deadline == request.deadline:
            raise
        return _cheap_start(request, criterion), StartReason.TIME
    reason = StartReason(how) if isinstance(how, str) else StartReason.GIVEN
    return start._replace(order=respect(start.order, request.masks.before)), reason


def _cheap_start(request: Request, criterion: Criterion) -> Start:
    """Begin from the order that was given, or else from one that costs nothing."""
    start = criterion.cheap_start()
    if request.start is not None and not isinstance(request.start, str):
        start = start._replace(order=request.start)
    return start._replace(order=respect(start.order, request.masks.before))


def spec_of(
    request: Request,
    criterion: Criterion,
    weight: float,
    *,
    cost: float | None = None,
    bounded: bool = True,
) -> AnySpec:
    """Return what the kernels need to know; at another price than the one asked for, if given."""
    cost = request.cost if cost is None else cost
    spec = criterion.spec(weight, cost, request.max_parents, request.masks, bounded=bounded)
    if isinstance(spec, Spec | ContextSpec) and not request.settings.exchanges:
        return spec._replace(exchanges=False)
    return spec


def sets_of(request: Request, criterion: Criterion) -> Sets:
    """Regress every variable on every set of others."""
    return criterion.sets(request.max_parents, request.masks, request.deadline)
