"""Tables of numbers and categories: the graph that they come from is found in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.simulate import erdos_renyi, mixed_sem
from daglock.typing import Array, BoolArray

CHAIN = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, 1.5], [0.0, 0.0, 0.0]])
MECHANISMS: list[Any] = ["conditional gaussian", "thresholded"]


def text_columns(table: Any) -> BoolArray:
    return np.array([str(field.type) == "string" for field in table.schema])


def coded(column: Any) -> Array:
    return np.unique(np.array(column.to_pylist()), return_inverse=True)[1].astype(np.float64)


def dependence(a: Array, b: Array) -> float:
    """Return twice n times the mutual information of two columns of codes."""
    counts = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(counts, (a.astype(int), b.astype(int)), 1.0)
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / len(a)
    there = counts > 0
    return float(2.0 * (counts[there] * np.log(counts[there] / expected[there])).sum())


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_seed_gives_one_table_dense_or_sparse(mechanism: Any) -> None:
    W = erdos_renyi(12, 18, rng=1)
    table = mixed_sem(W, 200, mechanism, 2 / 3, rng=3)
    assert (
        table.to_pydict()
        == mixed_sem(sparse.csr_array(W), 200, mechanism, 2 / 3, rng=3).to_pydict()
    )
    assert table.to_pydict() != mixed_sem(W, 200, mechanism, 2 / 3, rng=4).to_pydict()
    assert text_columns(table).sum() == 8
    for name, is_text in zip(table.column_names, text_columns(table), strict=True):
        assert not is_text or 2 <= len(set(table.column(name).to_pylist())) <= 5


def test_discrete_nodes_are_drawn_before_their_effects() -> None:
    W = erdos_renyi(30, 60, rng=5)
    has_levels = text_columns(mixed_sem(W, 50, "conditional gaussian", 0.5, rng=5))
    assert not (W[np.ix_(~has_levels, has_levels)] != 0).any()
    # where levels are cut, any column may have them
    has_levels = text_columns(mixed_sem(W, 50, "thresholded", 0.5, rng=5))
    assert (W[np.ix_(~has_levels, has_levels)] != 0).any()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_neighbours_in_a_chain_of_levels_depend_on_each_other(mechanism: Any) -> None:
    table = mixed_sem(CHAIN, 5000, mechanism, 1.0, levels=(3, 3), rng=0)
    x, y, z = (coded(table.column(name)) for name in table.column_names)
    assert dependence(x, y) > 100
    assert dependence(y, z) > 100


def test_levels_screen_off_what_is_behind_them() -> None:
    table = mixed_sem(CHAIN, 20_000, "conditional gaussian", 1.0, levels=(3, 3), rng=0)
    x, y, z = (coded(table.column(name)) for name in table.column_names)
    left = sum(dependence(x[y == level], z[y == level]) for level in range(3))
    assert left < 30  # chi-squared with 12 degrees of freedom
    assert dependence(x, z) > left


def test_numbers_have_a_mean_for_each_configuration_and_slopes() -> None:
    W = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 1.5], [0.0, 0.0, 0.0]])
    which = np.array([True, False, False])
    table = mixed_sem(W, 20_000, "conditional gaussian", which, levels=(4, 4), rng=2)
    codes = coded(table.column("x0")).astype(int)
    x, y = (np.array(table.column(name).to_pylist()) for name in ("x1", "x2"))
    design = np.column_stack([np.eye(4)[codes], x])
    found, *_ = np.linalg.lstsq(design, y, rcond=None)
    assert abs(found[-1] - 1.5) < 0.03
    assert np.ptp(found[:4]) > 0.5
    assert abs(np.var(y - design @ found) - 1.0) < 0.05


def test_levels_in_order_follow_the_numbers_and_shuffled_ones_do_not() -> None:
    W = np.array([[0.0, 5.0], [0.0, 0.0]])
    which = np.array([True, False])
    options: Any = {"levels": (5, 5), "rng": 1}
    ordered = mixed_sem(W, 3000, "thresholded", which, shuffled=False, **options)
    codes, y = coded(ordered.column("x0")), np.array(ordered.column("x1").to_pylist())
    means = [y[codes == level].mean() for level in range(5)]
    assert means == sorted(means)
    shares = np.bincount(codes.astype(int)) / 3000
    assert shares.min() > 0.2 / 5 - 0.01
    mixed = mixed_sem(W, 3000, "thresholded", which, shuffled=True, **options)
    codes = coded(mixed.column("x0"))
    assert (means := [y[codes == level].mean() for level in range(5)]) != sorted(means)


def test_the_graph_is_not_changed() -> None:
    W = erdos_renyi(10, 15, rng=0)
    before = W.copy()
    mixed_sem(W, 20, rng=0)
    np.testing.assert_array_equal(W, before)


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(InvalidParameterError, match="x0, a parent of x1, is not"):
        mixed_sem(CHAIN, 10, discrete=np.array([False, True, False]))
    with pytest.raises(InvalidDataError, match="has a cycle"):
        mixed_sem(CHAIN + CHAIN.T, 10)
    wrong: Any
    for wrong, said in (
        ({"mechanism": "copula"}, "mechanism must be one of"),
        ({"discrete": 1.5}, "discrete must be a number"),
        ({"discrete": np.array([True])}, "3 booleans"),
        ({"levels": (1, 3)}, "least number of levels"),
        ({"levels": (4, 3)}, "largest number of levels"),
        ({"levels": (2, 30)}, "26 levels"),
        ({"n_samples": 0}, "n_samples"),
    ):
        with pytest.raises(InvalidParameterError, match=said):
            mixed_sem(**{"W": CHAIN, "n_samples": 10, **wrong})
