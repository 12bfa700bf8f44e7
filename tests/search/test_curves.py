"""What curves of parents cost, and the search on it, against least squares and all graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from daglock.checking import curve_candidates, curve_cost
from daglock.criteria.curved import Curved
from daglock.curves import Basis, Curves
from daglock.engine import learn
from daglock.knowledge import Masks, knowledge_masks
from daglock.search.curves import curve_costs, curve_gains, make_curve_work, settle_curves
from daglock.search.memo import PARENT, PAYS
from daglock.search.parents import CANDIDATE, OUT, START
from daglock.settings import SETTINGS, Settings
from daglock.typing import Array, IntArray
from tests.search.exact import all_dags

COST = 0.02
SEARCHED = replace(SETTINGS, max_exact=0)


def bent(seed: int, d: int, n: int = 300) -> Array:
    """Rows of a random model of sines and squares, columns in an order that tells nothing."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        for i in np.flatnonzero(rng.random(j) < 2.0 / d).tolist():
            z = X[:, i] / X[:, i].std()
            X[:, j] += 2.0 * np.sin(2.0 * z) if rng.random() < 0.5 else z**2
    return X[:, rng.permutation(d)]


def kept(seed: int, d: int, n: int = 300) -> Curves:
    return Curves.from_data(bent(seed, d, n))


def by_least_squares(X: Array, K: int, sharpness: float, P: IntArray, j: int) -> float:
    """Score a node from its rows: a ridge is rows of its own, and |A| that of their cross product.

    Lines have no ridge, and cost nothing: their own determinant is taken off.
    """
    n = len(X)
    y = (X[:, j] - X[:, j].mean()) / X[:, j].std()
    if not len(P):
        return 0.0
    F = np.concatenate([Basis.of(X[:, i], K)(X[:, i]) for i in P], axis=1)
    ridge = np.tile(np.append(0.0, np.arange(2.0, K + 1.0) ** 3 / sharpness), len(P))
    rows = np.concatenate([F, np.diag(np.sqrt(ridge))])
    b = np.linalg.lstsq(rows, np.append(y, np.zeros(len(ridge))), rcond=None)[0]
    rss = (np.append(y, np.zeros(len(ridge))) - rows @ b) @ np.append(y, np.zeros(len(ridge)))
    lines = np.linalg.slogdet(F[:, ::K].T @ F[:, ::K] / n)[1]
    prior = np.log(ridge[ridge > 0] / n).sum()
    log = np.linalg.slogdet(rows.T @ rows / n)[1] - prior - lines
    return float(np.log(rss / n) + log / n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sharpness", [0.25, 16.0])
def test_a_node_costs_what_least_squares_say(seed: int, sharpness: float) -> None:
    X = bent(seed, 5)
    some = replace(Curves.from_data(X), sharpness=sharpness)
    what = some.ridged, some.n_functions, some.n, some.bend
    spec = Curved(some).plain
    for P in ([], [1], [4, 2], [1, 2, 3, 4]):
        parents = [np.array(P, dtype=np.intp)] + [np.empty(0, dtype=np.intp)] * 4
        own = by_least_squares(X, 7, sharpness, parents[0], 0)
        assert curve_costs(spec, parents)[0] == pytest.approx(own, abs=1e-9)
        rss, cost = curve_cost(*what, parents[0], 0)
        assert np.log(rss) + cost == pytest.approx(own, abs=1e-9)


def test_all_sets_cost_what_single_ones_do() -> None:
    some = kept(1, 5)
    model = Curved(some)
    rss = model.sets(3, Masks()).rss
    for U in range(32):
        P = np.flatnonzero(U >> np.arange(5) & 1)
        for j in np.setdiff1d(np.arange(5), P) if len(P) <= 3 else ():
            parents = [np.empty(0, dtype=np.intp)] * 5
            parents[j] = P
            assert np.log(rss[U, j]) == pytest.approx(
                curve_costs(model.plain, parents)[j], abs=1e-10
            )


@pytest.mark.parametrize("seed", range(6))
def test_no_dag_of_four_is_better_than_the_one_found(seed: int) -> None:
    """By going through all 543 of them, by both searches, and by the certificate."""
    some = kept(seed, 4)
    model = Curved(some)
    exact, searched = (learn(some, settings=settings) for settings in (SETTINGS, SEARCHED))
    cost = exact.certificate.edge_cost
    scores = []
    for masks in all_dags(4).tolist():
        parents = [np.flatnonzero(U >> np.arange(4) & 1) for U in masks]
        scores.append(model.score(model.residuals(parents), sum(map(len, parents)), cost))
    assert len(scores) == 543
    assert exact.certificate.score == pytest.approx(min(scores), abs=1e-9)
    assert searched.certificate.score == pytest.approx(min(scores), abs=1e-9)
    assert exact.certificate.optimal
    assert exact.certificate.verify(some)
    assert searched.certificate.verify(some)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_search_finds_the_best_of_nine(seed: int) -> None:
    some = kept(seed, 9, 500)
    exact, searched = (learn(some, settings=settings) for settings in (SETTINGS, SEARCHED))
    assert searched.certificate.score == pytest.approx(exact.certificate.score, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_of_two_starts_one_finds_the_best_parents(seed: int) -> None:
    """From nothing, and from all others, of which those that do not pay are dropped again."""
    d = 7
    some = kept(seed, d, 400)
    model = Curved(some)
    spec = model.spec(1.0, COST, d - 1, Masks())
    work, out = make_curve_work(spec), np.zeros(d, dtype=np.uint8)
    sets = model.sets(d - 1, Masks())
    all_of_them = np.log(sets.rss) + COST * sets.size[:, None]
    for u in range(d):
        found = []
        for role in (CANDIDATE, START):
            work.role[:] = role
            work.role[u] = OUT
            score = settle_curves(spec, work, u, out)
            parents = [np.empty(0, dtype=np.intp)] * d
            parents[u] = np.flatnonzero(out == PARENT)
            again = curve_costs(spec, parents)[u] + COST * len(parents[u])
            assert score == pytest.approx(again, abs=1e-10)
            assert not (out >= PAYS).any()
            found.append(score)
        others = np.arange(1 << d) >> u & 1 == 0
        assert min(found) == pytest.approx(all_of_them[others, u].min(), abs=1e-9)


def test_gains_are_those_of_one_parent_more() -> None:
    d = 6
    some = kept(2, d)
    spec = Curved(some).spec(1.0, COST, d - 1, Masks())
    order = np.arange(d)
    parents = [np.arange(0, j, 3) for j in range(d)]
    gains = curve_gains(spec, order, parents)
    now = curve_costs(spec, parents)
    for u in range(d):
        best = 0.0
        for i in np.setdiff1d(np.arange(u), parents[u]).tolist():
            more = [np.append(P, i) if j == u else P for j, P in enumerate(parents)]
            best = max(best, now[u] - curve_costs(spec, more)[u])
        assert gains[u] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("settings", [SETTINGS, SEARCHED])
def test_knowledge_is_obeyed(settings: Settings) -> None:
    d = 6
    some = kept(3, d)
    free = learn(some)
    edges = list(zip(free.dag.source.tolist(), free.dag.target.tolist(), strict=True))
    forbidden, turned = edges[0], edges[1][::-1]
    masks = knowledge_masks(d, forbidden=[forbidden], required=[turned])
    found = learn(some, masks=masks, settings=settings)
    now = set(zip(found.dag.source.tolist(), found.dag.target.tolist(), strict=True))
    assert forbidden not in now
    assert turned in now
    assert found.certificate.verify(some)
    assert found.certificate.score > free.certificate.score


def test_a_column_that_takes_two_values_is_a_line() -> None:
    X = bent(0, 3)
    X[:, 0] = X[:, 0] > 0
    some = Curves.from_data(X)
    block = some.gram[:7, :7]
    np.testing.assert_array_equal(block, np.diag([1.0] + [0.0] * 6))
    assert not some.gram[1:7, 7:].any()
    none = np.empty(0, dtype=np.intp)
    cost = curve_costs(Curved(some).plain, [none, np.array([0]), none])[1]
    left = np.linalg.det(np.cov(X[:, :2].T)) / X[:, :2].var(axis=0, ddof=1).prod()
    assert cost == pytest.approx(np.log(left), abs=1e-12)


def test_a_column_twice_costs_as_much_as_once_and_is_not_chosen() -> None:
    X = bent(4, 4)
    X = np.column_stack([X, X[:, 1]])
    some = Curves.from_data(X)
    found = learn(some, determined="keep", settings=SEARCHED)
    assert np.isfinite(found.certificate.score)
    assert found.dag.goes_forward()


def test_graphs_too_many_to_compare_are_not_confirmed() -> None:
    some = kept(0, 17, 200)
    what = some.ridged, some.n_functions, some.n, some.bend
    assert curve_candidates(*what, 3, Masks()) is None
