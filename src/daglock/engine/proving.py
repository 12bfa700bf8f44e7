"""How far a graph is from the best there is: all graphs compared, or all bounded from below."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

from daglock._pace import OutOfTimeError
from daglock.checking import MAX_COMPARED_CURVES
from daglock.criteria import Curved, UnequalVariances
from daglock.engine.choosing import Choice
from daglock.engine.request import Request
from daglock.graph import topological_order
from daglock.search.bound import lower_bound
from daglock.search.parent_sets import MOST_VARIABLES, parent_sets
from daglock.search.regression import residual_variances
from daglock.ties import is_better
from daglock.typing import IntArray

# An eigenvalue of a correlation below this leaves variances that are nothing but rounding.
_SINGULAR = 1e-8


@dataclass(frozen=True)
class Proof:
    """What was shown of a graph.

    Attributes
    ----------
    gap : no graph has a score that is lower by more; None where nothing was shown.
    said : why nothing was shown, in a sentence.
    """

    gap: float | None = None
    said: str = ""


def prove(request: Request, choice: Choice) -> tuple[Choice, Proof]:
    """Show that no graph is better, or by how much it can be, in the seconds that were asked for.

    Up to `Settings.max_proven` variables all graphs are compared. Beyond, unequal noise variances
    have a lower bound. Returns the choice, with a better graph where one was found on the way.
    """
    if request.prove is None:
        return choice, Proof()
    if choice.fit.found.optimal:
        return choice, Proof(0.0)
    if choice.stopped:
        return choice, Proof(said="There is no proof of a graph whose search was cut short.")
    deadline = perf_counter() + request.prove
    try:
        if request.moments.d <= _most_compared(request):
            return _by_comparing(request, choice, deadline), Proof(0.0)
        return _by_bounding(request, choice, deadline)
    except OutOfTimeError:
        return choice, Proof(said="The time for a proof was over before it had come to anything.")
    except KeyboardInterrupt:
        return choice, Proof(said="The proof was interrupted.")


def _most_compared(request: Request) -> int:
    """Return how many variables a graph may have for all others to be compared with it."""
    most = request.settings.max_proven
    return min(most, MAX_COMPARED_CURVES) if Curved in request.criteria else most


def _by_comparing(request: Request, choice: Choice, deadline: float) -> Choice:
    """Compare all graphs, and take the best of them unless the one that was found is as good."""
    criterion = choice.criterion
    sets = criterion.sets(request.max_parents, request.masks, deadline)
    best = criterion.best_of_all(sets, request.cost, deadline)
    return _better_of(request, choice, best.order, best.parents)


def _by_bounding(request: Request, choice: Choice, deadline: float) -> tuple[Choice, Proof]:
    """Bound the scores of all graphs from below."""
    criterion, masks, d = choice.criterion, request.masks, request.moments.d
    least = _most_compared(request)
    if type(criterion) is not UnequalVariances:
        what = criterion.described
        said = f"Beyond {least} variables there is no proof for a model that has {what}."
        return choice, Proof(said=said)
    if d > MOST_VARIABLES:
        return choice, Proof(said=f"There is no proof beyond {MOST_VARIABLES} variables.")
    R, found = criterion.matrix, choice.fit.found
    if np.linalg.eigvalsh(R)[0] < _SINGULAR:
        return choice, Proof(said="There is no proof where columns nearly determine each other.")
    sets = parent_sets(R, request.cost, request.max_parents, masks, deadline)
    if sets is None:
        said = "There is no proof: too many sets of parents are worth their price."
        return choice, Proof(said=said)
    upper = criterion.score(residual_variances(R, found.parents), found.n_edges, request.cost)
    shift, progress, began = choice.fit.score - upper, request.progress, perf_counter()

    def show(lower: float) -> None:
        if progress is not None:
            progress("proof", int(perf_counter() - began), lower + shift)

    bounded = lower_bound(sets, upper, masks.before, deadline=deadline, progress=show)
    if bounded.parents is not None:
        order = _order(bounded.parents, request)
        choice = _better_of(request, choice, order, bounded.parents)
    gap = choice.fit.score - shift - bounded.lower
    return choice, Proof(max(gap, 0.0))


def _order(parents: list[IntArray], request: Request) -> IntArray:
    """Return an order in which parents come first, and what must."""
    d = len(parents)
    edges = np.zeros((d, d))
    for j, P in enumerate(parents):
        edges[P, j] = 1.0
    if request.masks.before is not None:
        edges += request.masks.before
    return topological_order(csr_array(edges))


def _better_of(
    request: Request, choice: Choice, order: IntArray, parents: list[IntArray]
) -> Choice:
    """Return the choice with this graph if it is better."""
    criterion, fit = choice.criterion, choice.fit
    rss, n_edges = criterion.residuals(parents), sum(map(len, parents))
    score = criterion.score(rss, n_edges, request.cost)
    if not is_better(score, n_edges, fit.score, fit.found.n_edges):
        return choice
    found = replace(fit.found, order=order, parents=parents, rss=rss)
    return replace(choice, fit=replace(fit, found=found, score=score))
