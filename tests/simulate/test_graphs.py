"""Random graphs: exact counts, uniformity, no information in the order of columns."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daglock.errors import InvalidParameterError
from daglock.graph import is_dag
from daglock.simulate import erdos_renyi, near_cyclic, scale_free


@settings(deadline=None)
@given(st.integers(2, 12), st.floats(0.0, 1.0), st.integers(0, 10**6))
def test_erdos_renyi_is_a_dag_with_exactly_the_edges_asked_for(
    d: int, share: float, seed: int
) -> None:
    n_edges = round(share * d * (d - 1) / 2)
    W = erdos_renyi(d, n_edges, rng=seed)
    assert W.shape == (d, d)
    assert np.count_nonzero(W) == n_edges
    assert is_dag(W)
    values = np.abs(W[W != 0])
    assert ((values >= 0.5) & (values <= 1.0)).all()


def test_erdos_renyi_draws_all_dags_with_one_edge_equally_often() -> None:
    draws = 6000
    rng = np.random.default_rng(0)
    seen = Counter(int(np.flatnonzero(erdos_renyi(3, 1, rng=rng))[0]) for _ in range(draws))
    assert len(seen) == 6
    expected = draws / 6
    chi_squared = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_squared < 20.5  # 0.999 quantile with 5 degrees of freedom


@pytest.mark.parametrize("draw", [erdos_renyi, scale_free])
def test_column_order_carries_no_information(draw: Any) -> None:
    rng = np.random.default_rng(1)
    forward = [np.count_nonzero(np.triu(draw(30, 4, rng=rng))) for _ in range(200)]
    total = np.count_nonzero(draw(30, 4, rng=rng))
    assert abs(np.mean(forward) / total - 0.5) < 0.05


def test_signs_and_weights() -> None:
    both = erdos_renyi(60, 1000, weights=(0.3, 2.0), rng=0)
    values = both[both != 0]
    assert 0.4 < (values > 0).mean() < 0.6
    assert np.abs(values).min() >= 0.3
    assert np.abs(values).max() <= 2.0
    assert np.abs(values).max() > 1.9
    positive = erdos_renyi(60, 1000, signs="positive", rng=0)
    assert (positive >= 0).all()
    assert (np.abs(erdos_renyi(5, 4, weights=(0.7, 0.7), rng=0)).max()) == 0.7


def test_the_same_seed_gives_the_same_graph_dense_and_sparse() -> None:
    W = erdos_renyi(40, 100, rng=3)
    np.testing.assert_array_equal(W, erdos_renyi(40, 100, rng=np.random.default_rng(3)))
    np.testing.assert_array_equal(W, erdos_renyi(40, 100, rng=3, sparse=True).toarray())
    assert (erdos_renyi(40, 100, rng=4) != W).any()
    B = scale_free(40, 2, rng=3)
    np.testing.assert_array_equal(B, scale_free(40, 2, rng=3, sparse=True).toarray())


def test_large_sparse_graphs() -> None:
    W = erdos_renyi(20_000, 20_000, rng=0, sparse=True)
    assert W.nnz == 20_000
    assert is_dag(W)
    assert is_dag(scale_free(5000, 2, rng=0, sparse=True))


@pytest.mark.parametrize(("d", "m"), [(2, 1), (10, 1), (30, 4), (6, 5)])
def test_scale_free_counts(d: int, m: int) -> None:
    W = scale_free(d, m, rng=0)
    assert is_dag(W)
    assert np.count_nonzero(W) == m * d - m * (m + 1) // 2


def test_scale_free_hubs_are_effects_or_causes() -> None:
    effects = scale_free(500, 2, rng=0) != 0
    causes = scale_free(500, 2, rng=0, hubs="causes") != 0
    # A new node sends (receives) m edges; hubs receive (send) far more.
    assert effects.sum(axis=1).max() == causes.sum(axis=0).max() == 2
    assert effects.sum(axis=0).max() > 20
    assert causes.sum(axis=1).max() > 20


def test_scale_free_attaches_by_degree() -> None:
    # Node 3 chooses between nodes 0, 1, 2 of a path or a star: the centre has half of the ends.
    rng = np.random.default_rng(0)
    draws, centre = 4000, 0
    for _ in range(draws):
        A = scale_free(4, 1, rng=rng) != 0
        degrees = sorted((A | A.T).sum(axis=0).tolist())
        centre += degrees == [1, 1, 1, 3]
    assert abs(centre / draws - 0.5) < 0.03  # uniform attachment would give one third


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("radius", [0.5, 0.999996, 1.7])
def test_near_cyclic_has_the_spectral_radius(d: int, radius: float) -> None:
    W = near_cyclic(d, radius, rng=0)
    assert not is_dag(W)
    assert np.count_nonzero(W) == d
    found = np.abs(np.linalg.eigvals(W * W)).max()
    assert found == pytest.approx(radius, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: erdos_renyi(1, 0), "n_nodes"),
        (lambda: erdos_renyi(4, 7), "n_edges must be at most 6"),
        (lambda: erdos_renyi(4, -1), "n_edges"),
        (lambda: erdos_renyi(4, 2, weights=(0.0, 1.0)), "weights"),
        (lambda: erdos_renyi(4, 2, weights=(1.0, 0.5)), "weights"),
        (lambda: erdos_renyi(4, 2, weights=(0.5, np.inf)), "weights"),
        (lambda: erdos_renyi(4, 2, signs=cast(Any, "negative")), "signs"),
        (lambda: erdos_renyi(4, cast(Any, 2.5)), "n_edges must be a whole number"),
        (lambda: erdos_renyi(cast(Any, "4"), 2), "n_nodes must be a whole number"),
        (lambda: erdos_renyi(4, 2, weights=cast(Any, 1.0)), "weights must be a sequence"),
        (lambda: scale_free(4, cast(Any, 1.5)), "edges_per_node"),
        (lambda: scale_free(4, 0), "edges_per_node"),
        (lambda: scale_free(4, 4), "edges_per_node"),
        (lambda: scale_free(4, 1, hubs=cast(Any, "both")), "hubs"),
        (lambda: near_cyclic(1), "n_nodes"),
        (lambda: near_cyclic(3, 0.0), "spectral_radius"),
        (lambda: near_cyclic(3, np.nan), "spectral_radius"),
    ],
)
def test_bad_parameters_are_named(call: Any, name: str) -> None:
    with pytest.raises(InvalidParameterError, match=name):
        call()
