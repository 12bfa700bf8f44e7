"""What every criterion promises: its score, what the search minimises of it, and what it knows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from daglock.checking import (
    Candidates,
    candidates,
    context_candidates,
    curve_candidates,
    joint_candidates,
)
from daglock.criteria import CRITERIA, Criterion, Curved, JointCriterion
from daglock.curves import Curves
from daglock.engine.statistics import keep
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.regimes import Regimes
from daglock.search.regression import residual_variances
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.table import Table
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.typing import Array, IntArray

ALL = pytest.mark.parametrize("name", list(CRITERIA))


def criterion(name: str, seed: int = 0, d: int = 5, n: int = 200) -> Criterion:
    X = linear_sem(erdos_renyi(d, d - 1, rng=seed), n, rng=seed + 1)
    if issubclass(CRITERIA[name], JointCriterion):
        return CRITERIA[name](keep(cut(X, every=1 if name == "counts" else 2), name))
    if name == "curves":
        return CRITERIA[name](Curves.from_data(X))
    if name == "regimes":
        return CRITERIA[name](with_targets(X, d))
    return CRITERIA[name](Moments.from_data(X))


def with_targets(X: Array, d: int) -> Regimes:
    """Return three regimes; the second targets the third column, the third the fourth and fifth."""
    kept = Regimes.from_labelled(X, np.arange(len(X)) % 3)
    changed = np.zeros((3, d), dtype=np.bool_)
    changed[1, 2:3] = changed[2, 3:5] = True
    return replace(kept, changed=changed)


def cut(X: Array, every: int) -> Table:
    """Return a table some of whose columns are categories of three levels."""
    data, kinds = X.copy(), [CONTINUOUS] * X.shape[1]
    for j in range(0, X.shape[1], every):
        data[:, j] = np.searchsorted(np.quantile(X[:, j], [0.3, 0.6]), X[:, j])
        kinds[j] = ColumnKind(Kind.CATEGORICAL, ("a", "b", "c"))
    return Table(data, kinds=tuple(kinds))


def random_parents(d: int, rng: np.random.Generator) -> list[IntArray]:
    """Parents of a random DAG in the order of the numbers."""
    return [np.flatnonzero(rng.random(j) < 0.5) for j in range(d)]


@ALL
def test_the_weights_of_a_graph_make_a_bound_that_touches_its_score(name: str) -> None:
    """A graph that is better for the search at these weights has the better score."""
    rng = np.random.default_rng(3)
    model = criterion(name)
    for _ in range(50):
        here, there = (model.residuals(random_parents(5, rng)) / model.unit for _ in range(2))
        weight = model.weight(here)
        gain = model.node_fits(there, weight).sum() - model.node_fits(here, weight).sum()
        change = model.fit(there * model.unit) - model.fit(here * model.unit)
        assert change <= gain + 1e-12


@pytest.mark.parametrize("name", ["equal", "unequal"])
def test_units_bring_residuals_back_to_the_data(name: str) -> None:
    model = criterion(name)
    parents = random_parents(5, np.random.default_rng(1))
    of_data = residual_variances(model.moments.cov, parents)
    np.testing.assert_allclose(residual_variances(model.matrix, parents) * model.unit, of_data)


@ALL
def test_equivalent_graphs_have_one_score_only_if_it_says_so(name: str) -> None:
    model = criterion(name, d=2)
    forward = model.residuals([np.empty(0, dtype=np.intp), np.array([0])])
    backward = model.residuals([np.array([1]), np.empty(0, dtype=np.intp)])
    same = np.isclose(model.fit(forward), model.fit(backward), rtol=1e-12)
    assert same == model.score_equivalent


@ALL
@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_all_is_confirmed_by_other_arithmetic_and_nothing_below(
    name: str, seed: int
) -> None:
    model, cost = criterion(name, seed), 0.03
    best = model.best_of_all(model.sets(4, Masks()), cost)
    score = model.score(model.residuals(best.parents), sum(map(len, best.parents)), cost)
    graphs: Candidates | None
    if isinstance(model, JointCriterion):
        every = [np.flatnonzero(U >> np.arange(5) & 1) for U in range(32)]
        costs = model.checked_costs_of_all()
        np.testing.assert_allclose(costs, model.checked_costs(every), atol=1e-12)
        graphs = joint_candidates(costs, model.checked_extra, model.extents, 4, Masks())
    elif isinstance(kept := model.moments, Curves):
        what = kept.ridged, kept.n_functions, kept.n, kept.bend
        graphs = curve_candidates(*what, 4, Masks())
    elif isinstance(kept := model.moments, Regimes):
        contexts = [
            [(kept.covariance(g), kept.rows_of(g) / kept.n) for g in kept.groups(j)]
            for j in range(5)
        ]
        graphs = context_candidates(contexts, 0.0, 4, Masks())
    else:
        graphs = candidates(model.moments.cov, 4, Masks())
    assert graphs is not None
    assert model.none_is_better(graphs, score - 1e-9, cost)
    assert not model.none_is_better(graphs, score + 1e-6, cost)


@ALL
def test_chance_falls_with_the_price(name: str) -> None:
    chances = criterion(name).gains_by_chance(np.linspace(0.0, 0.3, 20), n_edges=5)
    assert chances[0] <= 1.0 + 1e-12
    assert all(a > b for a, b in pairwise(chances.tolist()))


@ALL
@pytest.mark.parametrize("how", ["order", "continuous"])
def test_every_start_is_an_order(name: str, how: str) -> None:
    model = criterion(name, d=8)
    start = model.start(how, 0.05, Masks(), SETTINGS, np.inf)
    assert sorted(start.order.tolist()) == list(range(8))
    has_stage = how == "continuous" and not isinstance(model, JointCriterion | Curved)
    assert bool(len(start.trace.mu)) == has_stage
    assert start.weight > 0.0
    assert sorted(model.cheap_start().order.tolist()) == list(range(8))
