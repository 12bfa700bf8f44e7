"""Which criterion, and at which price: what the data speak for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from daglock.criteria import (
    ByRegime,
    Criterion,
    Curved,
    EqualVariances,
    JointCriterion,
    edge_cost,
    lowered_gamma,
)
from daglock.criteria.equal import explains_scale, may_agree_by_chance, variances_agree
from daglock.decisions import NoiseReason
from daglock.engine.canonical import canonical_graph
from daglock.engine.fitting import Fit, fit_graph, spec_of
from daglock.engine.request import Request
from daglock.graph import parents_of


@dataclass(frozen=True)
class Choice:
    """A criterion, the best graph under it, and why it is this one."""

    criterion: Criterion
    fit: Fit
    reason: NoiseReason
    scores: dict[str, float]  # of all criteria tried, the price of the variances included
    stopped: str  # why a search ended early, see Found; "" when none did

    @property
    def gap(self) -> float | None:
        """Score of the best other criterion less its own, per row; None where there is none."""
        name = self.criterion.name
        others = [score for other, score in self.scores.items() if other != name]
        return min(others) - self.scores[name] if others else None


def choose_criterion(request: Request) -> Choice:
    """Fit under each criterion that is to be tried, and take the better one under the BIC.

    Unequal variances are not tried where residuals confirm that they are equal, and taken where
    equal ones do not explain why columns differ in scale.
    """
    kinds, n, d = request.criteria, request.moments.n, request.moments.d
    reason = NoiseReason.GIVEN
    if issubclass(kinds[0], JointCriterion):
        reason = NoiseReason.KINDS
    elif request.noise == "auto":
        by_chance = may_agree_by_chance(n, d, request.settings)
        reason = NoiseReason.FEW if by_chance else NoiseReason.ONE_SCALE
    if issubclass(kinds[0], Curved):
        reason = NoiseReason.GIVEN
    if issubclass(kinds[0], ByRegime):
        reason = NoiseReason.TARGETS
    if perf_counter() > request.deadline and len(kinds) > 1:
        kinds, reason = kinds[-1:], NoiseReason.TIME  # the last claims the least
    fits: dict[str, Fit] = {}
    scores: dict[str, float] = {}
    criteria = {kind.name: kind(request.moments) for kind in kinds}
    explained = True
    for name, criterion in criteria.items():
        fits[name] = fit = fit_graph(request, criterion)
        scores[name] = fit.score + criterion.variance_price(n, d)
        if fit.stopped == "interrupt":
            break
        if len(kinds) > 1 and isinstance(criterion, EqualVariances):
            rss = fit.found.rss
            variance = np.diag(criterion.matrix)
            explained = explains_scale(variance, rss, n, request.settings)
            if explained and variances_agree(rss, n, request.settings):
                reason = NoiseReason.AGREE
                break
    name = min(scores, key=scores.__getitem__)
    if len(scores) == 2:
        reason = NoiseReason.SCORE
        if not explained and name == EqualVariances.name:
            name, reason = list(scores)[-1], NoiseReason.SCALE
    elif len(kinds) > 1 and reason is not NoiseReason.AGREE:
        reason = NoiseReason.TIME  # interrupted
    stopped = next((fit.stopped for fit in fits.values() if fit.stopped), "")
    return Choice(criteria[name], fits[name], reason, scores, stopped or fits[name].stopped)


def at_the_right_price(request: Request, choice: Choice) -> tuple[Request, Choice]:
    """Fit once more, with edges cheaper, where a graph leaves more unexplained than chance does."""
    criterion, fit = choice.criterion, choice.fit
    found, moments = fit.found, request.moments
    weight = criterion.weight(found.rss / criterion.unit)
    spec = spec_of(request, criterion, weight, bounded=False)
    # equal graphs have many orders: the canonical one depends on the equivalence class alone
    canonical = canonical_graph(request, criterion, found)
    parents = parents_of(canonical.source, canonical.target, moments.d)
    gains = criterion.largest_gains(spec, canonical.order, parents)
    gamma = lowered_gamma(criterion, gains, found.n_edges, request.gamma, request.settings)
    if gamma == request.gamma:
        return request, choice
    cost = edge_cost(moments.n, moments.d, gamma)
    cheaper = replace(request, gamma=gamma, cost=cost, start=canonical.order)
    again = fit_graph(cheaper, criterion)
    if criterion.score(found.rss, found.n_edges, cost) < again.score:  # cut short, as a rule
        fit = replace(fit, stopped=again.stopped)
        return request, replace(choice, fit=fit, stopped=again.stopped)
    again = replace(again, trace=fit.trace, began=fit.began)
    return cheaper, replace(choice, fit=again, stopped=again.stopped)
