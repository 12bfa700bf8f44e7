"""What every registered constraint promises. W[i, j] != 0 means i -> j."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daglock.constraints import CONSTRAINTS
from daglock.errors import InvalidDataError
from daglock.graph import is_dag
from daglock.typing import Array, Constraint
from tests.constraints.reference import (
    dense_core,
    dense_core_grad,
    dense_functional,
    near_cycle,
    random_sparse,
)
from tests.examples import examples

ALL = pytest.mark.parametrize(
    "constraint", [make() for make in CONSTRAINTS.values()], ids=[*CONSTRAINTS]
)
EXACT = pytest.mark.parametrize(
    "constraint",
    [make() for name, make in CONSTRAINTS.items() if name != "smoothed"],
    ids=[name for name in CONSTRAINTS if name != "smoothed"],
)
METHODS = ("value", "value_and_grad", "core", "value_and_core_grad")


def graphs() -> list[Array]:
    """Dense, sparse, acyclic, with loops, nearly cyclic; all inside the domain of log-det."""
    rng = np.random.default_rng(3)
    dense = rng.uniform(0.1, 0.6, (5, 5)) * rng.choice([-1.0, 1.0], (5, 5)) / 1.5
    sparse = [0.9 * random_sparse(rng, 7, loops=loops) for loops in (False, True) for _ in range(6)]
    inside = [W for W in sparse if np.abs(np.linalg.eigvals(W * W)).max() < 0.9]
    return [dense, np.triu(dense, 1), near_cycle(0.9), np.zeros((3, 3)), *inside]


def moved(W: Array, i: int, j: int, step: float) -> Array:
    W = W.copy()
    W[i, j] += step
    return W


@ALL
def test_answers_to_the_protocol(constraint: Constraint) -> None:
    assert isinstance(constraint, Constraint)
    assert 0.0 <= constraint.kink <= 1.0


@ALL
def test_three_ways_to_the_value_agree(constraint: Constraint) -> None:
    for W in [*graphs(), near_cycle()]:
        value = constraint.value(W)
        assert constraint.value_and_grad(W)[0] == pytest.approx(value, rel=1e-12)
        assert constraint.value_and_core_grad(W)[0] == pytest.approx(value, rel=1e-12)


@ALL
@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_the_dense_reference(constraint: Constraint, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for W in (random_sparse(rng, 20, loops=bool(seed % 2)), near_cycle(), 0.2 * rng.random((9, 9))):
        M = dense_core(constraint, W)
        np.testing.assert_allclose(constraint.core(W), M, rtol=1e-12, atol=1e-14)
        expected = dense_functional(constraint, M)
        value, C = constraint.value_and_core_grad(W)
        assert value == pytest.approx(expected, rel=1e-10, abs=1e-10)
        if math.isfinite(expected):
            np.testing.assert_allclose(C, dense_core_grad(constraint, W), rtol=1e-10, atol=1e-10)


@ALL
def test_gradient_by_finite_differences(constraint: Constraint) -> None:
    for W in graphs():
        grad = constraint.value_and_grad(W)[1]
        for i, j in zip(*np.nonzero(W), strict=True):
            step = 1e-5 * abs(W[i, j])
            up, down = (constraint.value(moved(W, i, j, t)) for t in (step, -step))
            assert (up - down) / (2 * step) == pytest.approx(grad[i, j], rel=1e-5, abs=1e-7)


@ALL
def test_gradient_at_zero_weights_is_one_sided_from_above(constraint: Constraint) -> None:
    # Smooth cores: exactly zero. Cores with a kink: the derivative towards positive weights, and
    # its negative towards negative weights.
    for W in graphs():
        grad = constraint.value_and_grad(W)[1]
        if constraint.kink == 0.0:
            assert not grad[W == 0.0].any()
        elif W.any():
            base = constraint.value(W)
            for i, j in np.argwhere(W == 0.0):
                for step in (1e-7, -1e-7):
                    slope = (constraint.value(moved(W, i, j, step)) - base) / abs(step)
                    assert slope == pytest.approx(grad[i, j], rel=1e-4, abs=1e-6)


@ALL
def test_core_gradient_by_finite_differences(constraint: Constraint) -> None:
    # C_ij = Δh/ΔM_ij: move one weight and see both change. Also where there is no edge.
    for W in graphs():
        if not W.any():
            continue  # the norm of M has its own kink there
        C = constraint.value_and_core_grad(W)[1]
        for i, j in np.ndindex(*W.shape):
            steps = (1e-5, -1e-5) if W[i, j] else (1e-3 if constraint.kink == 0.0 else 1e-6, 0.0)
            a, b = (moved(W, i, j, t) for t in steps)
            change = constraint.value(a) - constraint.value(b)
            strength = (constraint.core(a) - constraint.core(b))[i, j]
            assert change / strength == pytest.approx(C[i, j], rel=2e-3, abs=1e-4)


@ALL
def test_core_is_entrywise_and_non_negative(constraint: Constraint) -> None:
    W = graphs()[0]
    M = constraint.core(W)
    assert (M >= 0.0).all()
    changed = constraint.core(moved(W, 1, 2, 0.3)) != M
    assert changed[1, 2]
    assert changed.sum() == 1


@ALL
def test_signs_do_not_matter_and_the_transpose_has_the_same_value(constraint: Constraint) -> None:
    for W in graphs():
        value = constraint.value(W)
        assert constraint.value(-W) == pytest.approx(value, rel=1e-12)
        assert constraint.value(W.T) == pytest.approx(value, rel=1e-9)


@ALL
def test_renaming_the_nodes_renames_the_gradient(constraint: Constraint) -> None:
    rng = np.random.default_rng(0)
    for W in graphs():
        p = rng.permutation(len(W))
        value, grad = constraint.value_and_grad(W)
        renamed_value, renamed_grad = constraint.value_and_grad(W[np.ix_(p, p)])
        assert renamed_value == pytest.approx(value, rel=1e-10)
        np.testing.assert_allclose(renamed_grad, grad[np.ix_(p, p)], rtol=1e-10, atol=1e-12)


@ALL
def test_inputs_are_not_changed_and_results_are_the_callers(constraint: Constraint) -> None:
    for W in graphs():
        before = W.copy()
        W.flags.writeable = False
        first = [getattr(constraint, method)(W) for method in METHODS]
        for result in (first[1][1], first[2], first[3][1]):
            result[...] = 7.0  # a result that shares memory with the input or a cache would show
        second = [getattr(constraint, method)(W) for method in METHODS]
        np.testing.assert_array_equal(W, before)
        assert not any((r == 7.0).all() for r in (second[1][1], second[2], second[3][1]))


@ALL
def test_bad_input_is_named(constraint: Constraint) -> None:
    for method in METHODS:
        with pytest.raises(InvalidDataError, match="square"):
            getattr(constraint, method)(np.zeros((2, 3)))
        with pytest.raises(InvalidDataError, match="finite"):
            getattr(constraint, method)(np.array([[0.0, np.nan], [0.0, 0.0]]))
        with pytest.raises(InvalidDataError, match="real numbers"):
            getattr(constraint, method)([["a", "b"], ["c", "d"]])


@ALL
def test_a_graph_without_nodes_is_a_dag(constraint: Constraint) -> None:
    h, grad_h = constraint.value_and_grad(np.zeros((0, 0)))
    assert h == constraint.value(np.zeros((0, 0))) == 0.0
    assert grad_h.shape == (0, 0)


# Weights of every size that a double can have, and many exact zeros.
MAGNITUDES = [5e-324, 1e-300, 1e-160, 1e-20, 1e-3, 0.5, 1.0, 7.0, 1e5, 1e153, 1e200, 1.7e308]


@st.composite
def matrices(draw: st.DrawFn) -> Array:
    d = draw(st.integers(1, 6))
    cell = st.one_of(st.just(0.0), st.sampled_from([s * m for m in MAGNITUDES for s in (1, -1)]))
    W = np.array(draw(st.lists(cell, min_size=d * d, max_size=d * d)), dtype=np.float64)
    W = W.reshape(d, d)
    if draw(st.booleans()):
        order = draw(st.permutations(range(d)))
        W = np.triu(W, 1)[np.ix_(order, order)]
    return W


@EXACT
@given(W=matrices())
@examples(80)
def test_zero_exactly_on_dags(constraint: Constraint, W: Array) -> None:
    value = constraint.value(W)
    assert value >= 0.0
    assert (value == 0.0) == is_dag(W)
    assert (constraint.value_and_grad(W)[0] == 0.0) == is_dag(W)
    assert (constraint.value_and_core_grad(W)[0] == 0.0) == is_dag(W)


@ALL
@given(W=matrices())
@examples(60)
def test_no_nan_and_finite_gradients(constraint: Constraint, W: Array) -> None:
    value, grad = constraint.value_and_grad(W)
    core_value, C = constraint.value_and_core_grad(W)
    assert not math.isnan(value)
    assert not math.isnan(core_value)
    assert np.isfinite(grad).all()
    assert np.isfinite(C).all()
    assert np.isfinite(constraint.core(W)).all()


@EXACT
def test_core_gradient_of_absent_edges_is_the_weight_of_return_paths(
    constraint: Constraint,
) -> None:
    # At a DAG, C_ij > 0 for an absent edge i -> j exactly when j ⇝ i: what locking stands on.
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 2] = W[3, 2] = 0.8
    C = constraint.value_and_core_grad(W)[1]
    reaches = np.linalg.matrix_power(np.eye(5) + (W != 0), 5) > 0
    absent = W == 0.0
    np.testing.assert_array_equal((C > 0.0)[absent], reaches.T[absent])
    assert (C[absent] >= 0.0).all()
