"""Columns that others determine: found exactly and up to rounding, and not where noise is real."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from daglock.dependence.determined import Determined, find_determined
from daglock.dependence.words import about_patterns, relations, warnings_about
from daglock.diagnostics.table import diagnose_table
from daglock.moments import Moments
from daglock.typing import Array, BoolArray


def found(table: Array, names: list[str] | None = None) -> Determined:
    return find_determined(Moments.from_data(table, names=names))


def normal(n: int, d: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0.0, 10.0, (n, d))


def strong_sem(n: int, d: int, seed: int, edges_per_node: int = 4) -> Array:
    """Effects of one half to two, nothing scaled back: variances reach millions."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((d, d)) < 2 * edges_per_node / (d - 1), 1) * rng.uniform(0.5, 2, (d, d))
    W *= rng.choice([-1.0, 1.0], (d, d))
    X = rng.standard_normal((n, d))
    for j in range(d):
        X[:, j] += X[:, :j] @ W[:j, j]
    return X


@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_copies_and_sums(scale: float) -> None:
    x = normal(60, 5)
    copy = found(np.column_stack([x, -2.0 * scale * x[:, 1] + 3.0 * scale]))
    assert (copy.aside.tolist(), copy.by[5].tolist(), copy.exact[5]) == ([5], [1], True)
    total = found(np.column_stack([x, scale * x[:, [0, 2, 3]].sum(axis=1)]))
    assert total.aside.tolist() == [5]
    assert total.by[5].tolist() == [0, 2, 3]
    assert [group.tolist() for group in total.groups] == [[0, 2, 3, 5]]
    both = found(np.column_stack([x, x[:, 0], x[:, 2] + x[:, 4]]))
    assert both.aside.tolist() == [5, 6]
    assert [group.tolist() for group in both.groups] == [[0, 5], [2, 4, 6]]
    assert both.kept.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("decimals", [-1, 0, 1, 2])
@pytest.mark.parametrize("n", [80, 500, 5000])
def test_sums_up_to_rounding(n: int, decimals: int) -> None:
    parts = 10.0 * normal(n, 4)
    table = np.column_stack([parts, parts[:, :3].sum(axis=1)]).round(decimals)
    result = found(table)
    assert (result.aside.tolist(), result.by[4].tolist()) == ([4], [0, 1, 2])
    assert not result.exact[4]
    scaled = found((table - table.mean(axis=0)) / table.std(axis=0))
    assert scaled.aside.tolist() == [4]


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_percentages(decimals: int) -> None:
    parts = np.random.default_rng(0).gamma(2.0, size=(300, 6))
    shares = (100 * parts / parts.sum(axis=1, keepdims=True)).round(decimals)
    table = np.column_stack([shares, normal(300, 2)])
    result = found(table)
    assert len(result.aside) == 1
    assert [group.tolist() for group in result.groups] == [[0, 1, 2, 3, 4, 5]]
    assert diagnose_table(Moments.from_data(table)).about_overlap().level == "warning"


def test_the_finer_of_two_near_copies_is_kept() -> None:
    x = 10.0 * normal(200, 3)
    assert found(np.column_stack([x.round(), x[:, 0]])).aside.tolist() == [0]
    assert found(np.column_stack([x, x[:, 0].round()])).aside.tolist() == [3]


@pytest.mark.parametrize("seed", range(5))
def test_the_choice_depends_on_names_not_on_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = normal(100, 6)
    table = np.column_stack([x, x[:, :3], x[:, 3:].sum(axis=1), x[:, 4] - x[:, 0]])
    names = np.array([f"v{k:02d}" for k in rng.permutation(table.shape[1])])
    expected = set(names[found(table, names.tolist()).aside])
    for _ in range(5):
        columns, rows = rng.permutation(len(names)), rng.permutation(100)
        scale = 10.0 ** rng.uniform(-4, 4, len(names))
        again = found((table * scale)[np.ix_(rows, columns)], names[columns].tolist())
        assert set(names[columns][again.aside]) == expected


def test_columns_that_must_be_kept() -> None:
    x = normal(100, 3)
    moments = Moments.from_data(np.column_stack([x, x[:, 0], x.sum(axis=1)]))
    assert find_determined(moments).aside.tolist() == [3, 4]
    assert find_determined(moments, keep=[3]).aside.tolist() == [0, 4]
    result = find_determined(moments, keep=[3, 4])
    assert len(result.aside) == 2
    assert not set(result.aside) & {3, 4}
    assert find_determined(moments, keep=range(5)).aside.tolist() == []


@pytest.mark.parametrize(("n", "d"), [(60, 50), (210, 200), (240, 200), (1000, 200)])
def test_real_noise_is_not_rounding(n: int, d: int) -> None:
    for seed in range(3):
        assert not found(strong_sem(n, d, seed))


@pytest.mark.parametrize("ratio", [1.02, 1.2, 2.0, 5.0])
@pytest.mark.parametrize("d", [5, 30, 100])
def test_whole_numbers_alone_are_no_reason(d: int, ratio: float) -> None:
    rng = np.random.default_rng(d)
    n = max(d + 1, int(ratio * d))
    for _ in range(5):
        ages = rng.normal(40.0, rng.choice([4.0, 12.0], d // 2), (n, d // 2)).round()
        counts = rng.poisson(rng.choice([12.0, 100.0], d - d // 2), (n, d - d // 2))
        assert not found(np.column_stack([ages, counts]))
        assert not found(np.round(3.0 * strong_sem(n, d, 7, 2)))


def test_no_more_rows_than_columns() -> None:
    x = normal(20, 30)
    assert not found(x)
    assert found(np.column_stack([x, 2.0 * x[:, 7]])).by[30].tolist() == [7]
    assert not found(normal(2, 5))


@pytest.mark.parametrize("condition", 10.0 ** np.arange(2, 17, 2))
@pytest.mark.parametrize("kind", ["exact", "rounded"])
def test_no_condition_number_is_too_large(condition: float, kind: str) -> None:
    rng = np.random.default_rng(int(np.log10(condition)))
    Q, _ = np.linalg.qr(rng.normal(size=(30, 30)))
    X = rng.normal(size=(200, 30)) @ np.diag(np.geomspace(1.0, condition**-0.5, 30)) @ Q.T
    if kind == "rounded":
        X = (100.0 * X).round(2)
    result = found(X)
    np.testing.assert_array_equal(np.sort(np.concatenate([result.aside, result.kept])), range(30))
    if condition < 1e10 and kind == "exact":
        assert not result
    if condition == 1e16:
        assert result
    for j, P in result.by.items():
        assert len(P)
        assert set(P) <= set(result.kept)
        assert j in result.aside


def test_squares_and_equal_columns_and_scales() -> None:
    x = np.random.default_rng(0).uniform(100.0, 110.0, (300, 1))
    assert not found(np.column_stack([x, x**2, x**3]))
    same = found(np.repeat(x, 8, axis=1))
    assert same.aside.tolist() == [1, 2, 3, 4, 5, 6, 7]
    spread = normal(300, 17) * 10.0 ** np.arange(-8.0, 9.0)
    assert not found(spread)
    assert found(np.column_stack([spread, spread[:, 0] * 1e16])).aside.tolist() == [17]


@pytest.mark.parametrize(("n", "d", "aside"), [(372, 109, 27), (3000, 1000, 600), (100, 1500, 0)])
def test_large_tables(n: int, d: int, aside: int) -> None:
    rank = min(d - d // 4, 400)
    X = normal(n, rank) @ np.random.default_rng(1).normal(size=(rank, d))
    assert len(found(X.round(6)).aside) == aside


def test_long_lists_are_cut() -> None:
    X = normal(500, 40)
    table = np.column_stack([X, X @ np.random.default_rng(1).normal(size=(40, 30))])
    moments = Moments.from_data(table)
    result = find_determined(moments)
    assert len(result.aside) == 30
    assert len(relations(result, moments.labels)) == 1
    (sentence,) = warnings_about(moments, result, set_aside=True)
    assert "24 more are determined exactly by 40 columns: " in sentence
    assert "24 more are set aside, nodes without edges" in sentence
    assert "all are searched" in warnings_about(moments, result)[0]
    assert relations(found(X), moments.labels) == []


def test_figures_of_a_quarter_are_recognised() -> None:
    rng = np.random.default_rng(0)
    quarter = rng.integers(0, 20, 300)
    table = np.column_stack([normal(300, 5), rng.normal(size=(20, 25))[quarter]])
    names = tuple(f"v{j}" for j in range(30))
    (finding,) = about_patterns(table, names, found(table))
    assert finding.level == "warning"
    assert finding.title == "25 columns with 20 patterns of values"
    x = normal(300, 5)
    total = np.column_stack([x, x.sum(axis=1)])
    assert about_patterns(total, names, found(total)) == []


def test_sums_in_single_precision_are_exact() -> None:
    x = (normal(500, 3) + 100.0).astype(np.float32)
    result = found(np.column_stack([x, x.sum(axis=1)]))
    assert (result.aside.tolist(), result.exact[3]) == ([3], True)


def dependent_together(A: Array) -> BoolArray:
    """Brute force: which columns share a set that is dependent, and none of whose parts is."""
    d = A.shape[1]
    pairs = np.zeros((d, d), dtype=np.bool_)
    for size in range(2, d + 1):
        for subset in combinations(range(d), size):
            some = list(subset)
            ranks = [np.linalg.matrix_rank(A[:, [j for j in some if j != k]]) for k in some]
            if np.linalg.matrix_rank(A[:, some]) == size - 1 and set(ranks) == {size - 1}:
                pairs[np.ix_(some, some)] = True
    np.fill_diagonal(pairs, False)
    return pairs


@pytest.mark.parametrize("seed", range(12))
def test_who_determine_each_other(seed: int) -> None:
    """Sums of sums, copies of sums: also sets that `by` does not name."""
    rng = np.random.default_rng(seed)
    A = np.eye(5)
    for _ in range(3):
        some = rng.choice(A.shape[1], rng.integers(1, 3), replace=False)
        A = np.column_stack([A, A[:, some].sum(axis=1)])
    A = A[:, rng.permutation(A.shape[1])]
    together = found(normal(80, 5, seed) @ A).together()
    np.testing.assert_array_equal(together, dependent_together(A))
    assert together.any()
    assert not together.all()


def test_a_sum_of_a_sum() -> None:
    """With t = a + b and s = t + c, s, t and c determine each other, whichever are set aside."""
    a, b, c, z = normal(60, 4).T
    together = found(np.column_stack([a, b, c, a + b, a + b + c, z])).together()
    assert together[:5, :5].sum() == 20
    assert not together[5].any()
