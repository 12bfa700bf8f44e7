"""The kernels for the parents of one node, against their NumPy twins."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from daglock.search.parents import (
    CANDIDATE,
    OUT,
    START,
    Work,
    exchange,
    first_of_the_largest,
    go_back,
    largest_rise,
    least_gain,
    make_work,
    node_score,
    push,
    rss_of,
    select,
    shrink,
)
from daglock.search.spec import (
    ALLOWED,
    BEFORE,
    COLLINEAR,
    REQUIRED,
    Spec,
    conditional_variances,
    make_spec,
    read_only,
    required_parents,
)
from daglock.ties import TIE
from daglock.typing import Array
from tests.search.twin import Twin, random_spec

BOTH = pytest.mark.parametrize("equal", [False, True])
SEEDS = pytest.mark.parametrize("seed", range(20))


def fitted(spec: Spec, u: int, parents: list[int]) -> tuple[Work, float]:
    """Push the parents one after the other; return the scratch space and RSS."""
    work = make_work(spec.S.shape[0], spec.max_parents)
    rss = go_back(spec, work, u, 0)
    for m, p in enumerate(parents):
        rss -= push(spec, work, p, m)
    return work, rss


def residuals(S: Array, u: int, P: list[int]) -> tuple[Array, Array]:
    """r_i and D_i by the formulas."""
    inverse = np.linalg.inv(S[np.ix_(P, P)])
    r = S[:, u] - S[:, P] @ inverse @ S[P, u]
    D = np.diag(S - S[:, P] @ inverse @ S[P])
    return r, D.copy()


@BOTH
@SEEDS
def test_pushes_follow_the_formulas(seed: int, equal: bool) -> None:
    spec = random_spec(seed, 9, 50, equal=equal)
    rng = np.random.default_rng(seed)
    u, *parents = rng.permutation(9)[: int(rng.integers(1, 9))].tolist()
    work, rss = fitted(spec, u, parents)
    r, D = residuals(spec.S, u, parents)
    r[parents], D[parents] = 0.0, 0.0
    np.testing.assert_allclose(work.r, r, atol=1e-11 * spec.variance.max())
    np.testing.assert_allclose(work.D, D, atol=1e-11 * spec.variance.max())
    assert (work.D[parents] <= COLLINEAR * spec.variance[parents]).all()  # never candidates again
    assert rss == pytest.approx(Twin(spec).rss(u, parents), rel=1e-9)
    assert work.P[: len(parents)].tolist() == parents


@BOTH
@SEEDS
def test_back_to_the_first_parents_is_as_if_the_others_had_never_been(
    seed: int, equal: bool
) -> None:
    """To the last bit; and of what `shrink` needs the first rows are still there."""
    spec = random_spec(seed, 9, 50, equal=equal)
    rng = np.random.default_rng(seed + 100)
    u, *parents = rng.permutation(9)[: int(rng.integers(2, 9))].tolist()
    for m in range(len(parents)):
        work, rss = fitted(spec, u, parents)
        shrink(spec._replace(cost=0.0), work, u, len(parents), 0, 0, rss)
        again = go_back(spec, work, u, m)
        never, expected = fitted(spec, u, parents[:m])
        assert again == expected
        np.testing.assert_array_equal(work.r, never.r)
        np.testing.assert_array_equal(work.D, never.D)
        push(spec, work, parents[-1], m)
        push(spec, never, parents[-1], m)
        assert shrink(spec, work, u, m + 1, 0, m, again) == shrink(
            spec, never, u, m + 1, 0, 0, expected
        )
        np.testing.assert_array_equal(work.slope[: m + 1], never.slope[: m + 1])
        np.testing.assert_array_equal(work.square[: m + 1], never.square[: m + 1])


@BOTH
@SEEDS
def test_shrink_leaves_those_that_pay(seed: int, equal: bool) -> None:
    spec, twin = (s := random_spec(seed, 9, 50, equal=equal)), Twin(s)
    rng = np.random.default_rng(seed + 200)
    u, *parents = rng.permutation(9)[: int(rng.integers(2, 9))].tolist()
    for n_fixed in range(len(parents) + 1):
        work, rss = fitted(spec, u, parents)
        left, same = shrink(spec, work, u, len(parents), n_fixed, 0, rss)
        kept = work.P[:left].tolist()
        assert set(kept) == twin.shrink(u, set(parents), set(parents[:n_fixed]))
        assert kept == [p for p in parents if p in kept]  # the fixed ones stay in front
        assert kept[:same] == parents[:same]
        assert left == len(parents) or kept[: same + 1] != parents[: same + 1]


@BOTH
@SEEDS
def test_exchange_finds_who_is_better_in_the_place_of_a_parent(seed: int, equal: bool) -> None:
    spec, twin = (s := random_spec(seed, 9, 50, equal=equal)), Twin(s)
    rng = np.random.default_rng(seed + 400)
    u, *parents = rng.permutation(9)[: int(rng.integers(2, 8))].tolist()
    candidates = sorted({*range(9)} - {u, *parents, int(rng.integers(9))})
    for n_fixed in range(len(parents) + 1):
        work, rss = fitted(spec, u, parents)
        dear = spec._replace(cost=0.0)  # nobody is dropped, and what `exchange` needs is there
        assert shrink(dear, work, u, len(parents), n_fixed, 0, rss) == (len(parents),) * 2
        work.role[:] = OUT
        work.role[candidates] = CANDIDATE
        best, place = exchange(spec, work, u, len(parents), n_fixed, rss)
        gains = {
            (i, a): rss - twin.rss(u, [p for p in parents if p != parents[a]] + [i])
            for i in range(9)
            if i not in {u, *parents}
            for a in range(n_fixed, len(parents))
        }
        for i in {*range(9)} - {u, *parents}:
            most = max((gain for (x, _), gain in gains.items() if x == i), default=0.0)
            pays = work.r[i] ** 2 > least_gain(spec, u, rss) * work.D[i]
            if i in candidates or not pays:
                assert work.instead[i] == pytest.approx(max(0.0, most), abs=1e-8 * rss)
            else:  # it pays as one more, and is not waited for
                assert work.instead[i] <= max(0.0, most) + 1e-8 * rss
        among = {key: gain for key, gain in gains.items() if key[0] in candidates}
        found = max(among, key=lambda key: among[key], default=(-1, -1))
        if not among or among[found] < 1e-7 * rss:
            found = (-1, -1)
        assert (best, place) == found


def test_the_first_of_the_largest_is_what_a_loop_finds() -> None:
    rng = np.random.default_rng(0)
    for d in (1, 2, 7, 20, 65):
        for _ in range(50):
            values = 3.7 * rng.integers(4, size=d).astype(np.float64)  # several are the largest
            values *= 1.0 + 1e-12 * rng.random(d)  # rounding tells nothing
            bits = values.view(np.int64)
            best = 0
            for i in range(d):
                best = i if values[i] > (1.0 + TIE) * values[best] else best
            assert first_of_the_largest(values, bits) == best


@BOTH
def test_parents_that_nobody_can_stand_in_for_are_passed_over(equal: bool) -> None:
    """Few are worked out where parents are strong, and nothing is lost by that."""
    passed = 0
    for seed in range(30):
        spec = random_spec(seed, 9, 2000, equal=equal)
        u, *parents = np.random.default_rng(seed).permutation(9)[:5].tolist()
        work, rss = fitted(spec, u, parents)
        assert shrink(spec._replace(cost=0.0), work, u, 4, 0, 0, rss) == (4, 4)
        work.role[:] = OUT
        exchange(spec, work, u, 4, 0, rss)
        rise = work.slope[:4] ** 2 / work.square[:4]
        d = np.arange(9)
        free = (work.D > 0.0) & (work.r**2 <= least_gain(spec, u, rss) * work.D) & (d != u)
        V, r, D = spec.variance[free], np.abs(work.r[free]), work.D[free]
        exact = r * (np.sqrt(V - D) + np.sqrt(V)) / D  # what the docstring says
        assert (exact <= 2.0 * r * np.sqrt(V) / D * (1.0 + 1e-9)).all()
        out = np.sqrt(rise) >= (2.0 * r * np.sqrt(V) / D).max(initial=0.0)
        passed += int(out.sum())
        for a in np.flatnonzero(out).tolist():
            rest = [p for p in parents if p != parents[a]]
            for i in np.flatnonzero(free).tolist():
                assert Twin(spec).rss(u, [*rest, i]) >= rss * (1.0 - 1e-9)
    assert passed > 30


@pytest.mark.parametrize("rss", [0.1, 1.0, 37.0])
def test_what_pays_for_an_edge(rss: float) -> None:
    """A drop of least_gain, and a rise of largest_rise, leave the score as it was."""
    for equal in (False, True):
        spec = random_spec(0, 5, 50, equal=equal)
        before = node_score(spec, 1, rss, 3)
        assert node_score(spec, 1, rss - least_gain(spec, 1, rss), 4) == pytest.approx(before)
        assert node_score(spec, 1, rss + largest_rise(spec, 1, rss), 2) == pytest.approx(before)
        assert rss_of(spec, 1, before, 3) == pytest.approx(rss)
        fit = 0.9 * rss if equal else np.log(rss)
        assert before == pytest.approx(fit + 3 * spec.cost)


def test_every_node_has_its_own_weight() -> None:
    weight = np.array([0.5, 1.0, 2.0, 3.0, 4.0])
    for logarithmic in (False, True):
        spec = make_spec(
            np.eye(5) + 0.5, 0.1, weight=weight, logarithmic=logarithmic, max_parents=4
        )
        for u in range(5):
            before = node_score(spec, u, 1.5, 3)
            assert before == pytest.approx(weight[u] * (np.log(1.5) if logarithmic else 1.5) + 0.3)
            rise, gain = largest_rise(spec, u, 1.5), least_gain(spec, u, 1.5)
            assert node_score(spec, u, 1.5 + rise, 2) == pytest.approx(before)
            assert node_score(spec, u, 1.5 - gain, 4) == pytest.approx(before)
            assert spec.least[u] == pytest.approx(Twin(spec).score(u, {*range(5)} - {u}) - 0.4)


def run_select(spec: Spec, u: int, start: list[int], eligible: list[int]) -> tuple[float, set[int]]:
    d = spec.S.shape[0]
    work = make_work(d, spec.max_parents)
    work.role[:] = OUT
    work.role[eligible] = CANDIDATE
    work.role[start] = START
    score, m, rss = select(spec, work, u)
    P = set(work.P[:m].tolist())
    assert len(P) == m <= spec.max_parents
    assert rss == pytest.approx(Twin(spec).rss(u, P), rel=1e-8)
    assert score == pytest.approx(Twin(spec).score(u, P), rel=1e-8, abs=1e-10)
    return score, P


@BOTH
@SEEDS
@pytest.mark.parametrize("full", [False, True])
def test_select_is_grow_shrink_and_exchange(seed: int, equal: bool, full: bool) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(5, 13))
    most = int(rng.integers(2, d)) if full else d - 1
    spec = random_spec(seed, d, 60, equal=equal, max_parents=most)
    if seed % 2:
        spec = spec._replace(weight=rng.uniform(0.5, 2.0, d))
    twin = Twin(spec)
    for u in range(d):
        eligible = [i for i in range(d) if i != u and rng.random() < 0.8]
        start = [i for i in eligible if rng.random() < 0.4][:most]
        score, P = run_select(spec, u, start, eligible)
        assert twin.select(u, start, eligible) == P
        # a fixed point: nobody that may come pays, nobody that is there does not
        if len(P) < most:
            others = [twin.score(u, P | {i}) for i in set(eligible) - P]
            assert min(others, default=np.inf) >= score - 1e-12
        assert min((twin.score(u, P - {i}) for i in P), default=np.inf) >= score - 1e-12


@BOTH
@SEEDS
def test_select_keeps_required_parents_and_its_distance_from_the_others(
    seed: int, equal: bool
) -> None:
    rng = np.random.default_rng(seed)
    d = 8
    required = np.zeros((d, d), dtype=bool)  # [i, j]: i -> j
    u, *must = rng.permutation(d)[:3].tolist()
    required[must, u] = True
    spec = random_spec(seed, d, 60, equal=equal, price=4.0, required=required)
    assert set(np.flatnonzero(spec.knowledge[:, u] & REQUIRED)) == set(must)
    eligible = [i for i in range(d) if i != u and rng.random() < 0.6]
    start = [i for i in eligible if rng.random() < 0.5]
    _, P = run_select(spec, u, start, eligible)
    assert P.issuperset(must)
    assert P.issubset([*must, *eligible])
    assert Twin(spec).select(u, start, eligible, must) == P


def test_select_never_uses_a_parent_that_the_others_determine() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    X[:, 4] += X[:, 0] + X[:, 1]
    X = np.column_stack([X, X[:, 0] - X[:, 1], 2.0 * X[:, 0]])
    S = np.cov(X.T, bias=True)
    spec = make_spec(S, 0.01, max_parents=6)
    work = make_work(7, 6)
    for start in combinations([0, 1, 2, 5, 6], 4):
        work.role[:] = CANDIDATE
        work.role[list(start)] = START
        work.role[4] = OUT
        score, m, rss = select(spec, work, 4)
        P = work.P[:m]
        assert np.linalg.matrix_rank(S[np.ix_(P, P)], hermitian=True) == m == 2
        assert rss == pytest.approx(Twin(spec).rss(4, [0, 1]))
        assert np.isfinite(score)
    # a copy is explained to the last digit that can be trusted, not further
    work.role[:] = [OUT, *[CANDIDATE] * 6]
    score, m, rss = select(spec, work, 0)
    assert rss == COLLINEAR * S[0, 0]
    assert work.P[:m].tolist() == [6]


@BOTH
def test_no_parents_give_less_than_the_lower_bound(equal: bool) -> None:
    spec = random_spec(5, 7, 60, equal=equal)
    twin = Twin(spec)
    for u in range(7):
        others = [i for i in range(7) if i != u]
        full = twin.score(u, others) - 6 * spec.cost
        assert spec.least[u] == pytest.approx(full)
        assert twin.score(u, twin.select(u, [], others)) >= spec.least[u]


def test_conditional_variances() -> None:
    spec = random_spec(1, 6, 40)
    np.testing.assert_allclose(
        conditional_variances(spec.S), 1.0 / np.diag(np.linalg.inv(spec.S)), rtol=1e-9
    )
    singular = np.ones((3, 3))
    np.testing.assert_array_equal(conditional_variances(singular), np.zeros(3))


def test_masks_become_flags() -> None:
    d = 4
    rng = np.random.default_rng(0)
    allowed, required = rng.random((d, d)) < 0.5, rng.random((d, d)) < 0.5
    before = np.triu(np.ones((d, d), dtype=bool), 1)
    spec = make_spec(
        np.eye(d), 0.1, max_parents=3, allowed=allowed, required=required, before=before
    )
    expected = ALLOWED * allowed + REQUIRED * required + BEFORE * before
    np.testing.assert_array_equal(spec.knowledge, expected)
    for u, P in enumerate(required_parents(spec.knowledge)):
        assert P.tolist() == np.flatnonzero(required[:, u]).tolist()
    bare = make_spec(np.eye(d), 0.1, max_parents=3)
    assert (bare.knowledge == ALLOWED).all()
    assert spec.knowledge.flags.f_contiguous


def test_read_only_is_a_view_that_cannot_be_written() -> None:
    S = np.eye(3)
    view = read_only(S)
    assert np.shares_memory(view, S)
    assert not view.flags.writeable
    assert S.flags.writeable
    assert read_only(np.asfortranarray(np.arange(9.0).reshape(3, 3))).flags.c_contiguous


def test_arrays_are_large_enough() -> None:
    """All that may be written: d − 1 parents at once, also when only few are allowed."""
    d = 6
    spec = random_spec(0, d, 60)
    work = make_work(d, d - 1)
    work.role[:] = [OUT, *[START] * (d - 1)]
    free = spec._replace(cost=0.0)
    _, m, _ = select(free, work, 0)
    assert m == d - 1
    narrow = spec._replace(max_parents=2, cost=0.0)
    _, m, _ = select(narrow, make_work(d, 2)._replace(role=work.role), 0)
    assert m == 2


def test_exchanges_begin_where_grow_and_shrink_end() -> None:
    """So they are never worse, and on some tables better."""
    better = 0
    for seed in range(60):
        spec, rng = random_spec(seed, 14, 25, n_edges=60, price=2.0), np.random.default_rng(seed)
        u, *rest = rng.permutation(14).tolist()
        without, _ = run_select(spec._replace(exchanges=False), u, rest[:4], rest[:11])
        score, P = run_select(spec, u, rest[:4], rest[:11])
        assert score <= without + 1e-12
        better += score < without - 1e-9
        others = (P - {a} | {i} for a in P for i in set(rest[:11]) - P)
        assert min((Twin(spec).score(u, Q) for Q in others), default=np.inf) >= score - 1e-8
    assert better >= 10
