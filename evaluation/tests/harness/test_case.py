"""Cases: the same data for the same seed, of the kind that they say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.graph import as_csr, is_dag
from daglock_evaluation.benchmark.suites import suites
from daglock_evaluation.harness.case import (
    SHAPES,
    AnyCase,
    Case,
    Draw,
    SachsCase,
    from_settings,
    permuted,
)

SCALED = Case(30, 2, variances=(0.5, 2.0), standardised=True)


def cases() -> list[AnyCase]:
    return [case for suite in suites().values() for case in suite.cases]


def dense(draw: Draw) -> np.ndarray:
    return as_csr(draw.truth).toarray()


def test_a_seed_gives_the_same_data_and_another_seed_others() -> None:
    first, again, other = SCALED.draw(3), SCALED.draw(3), SCALED.draw(4)
    np.testing.assert_array_equal(first.X, again.X)
    assert (dense(first) != dense(other)).any()


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.label)
def test_settings_survive_a_record(case: AnyCase) -> None:
    again = from_settings(json.loads(json.dumps(case.settings())))
    assert replace(again, most_seeds=case.most_seeds) == case
    assert (again.label, again.target) == (case.label, case.target)


def test_labels_tell_all_cases_of_a_suite_apart() -> None:
    for suite in suites().values():
        labels = [case.label for case in suite.cases]
        assert len(set(labels)) == len(labels)


def test_families_begin_with_their_smallest_case() -> None:
    # A method that is too slow for a case is not tried on larger ones of its family.
    for suite in suites().values():
        seen: dict[tuple[str, int], int] = {}
        for case in suite.cases:
            place = (case.family, case.n)
            assert case.d > seen.get(place, 0)
            seen[place] = case.d


@pytest.mark.parametrize(
    ("case", "target"),
    [
        (Case(10, 1), "dag"),
        (Case(10, 1, standardised=True), "class"),
        (Case(10, 1, variances=(0.5, 2.0)), "class"),
        (Case(10, 1, near_copies=0.3), "class"),
        (Case(10, 1, noise="laplace", variances=(0.5, 2.0), standardised=True), "dag"),
        (Case(10, 1, prepared="min–max"), "class"),
        (Case(10, 1, hidden=0.2), "class"),
        (Case(10, 1, curves="sum of GPs"), "dag"),
        (SachsCase("observational"), "class"),
    ],
)
def test_target_is_what_the_data_identify(case: AnyCase, target: str) -> None:
    assert case.target == target


def test_data_are_as_the_settings_say() -> None:
    draw = SCALED.draw(0)
    np.testing.assert_allclose(draw.X.std(axis=0), 1.0)
    assert np.count_nonzero(dense(draw)) == 60
    weak = dense(Case(40, 2, weights=(0.1, 0.2), signs="positive").draw(0))
    assert weak[weak != 0].min() >= 0.1
    assert weak.max() <= 0.2
    # More edges than pairs are as many as there are pairs.
    assert np.count_nonzero(dense(Case(5, 8).draw(0))) == 10


def test_near_copies_are_nearly_what_their_parents_say() -> None:
    case = Case(12, 1, n=4000, near_copies=0.5)
    draw = case.draw(1)
    W = dense(draw)
    residual = (draw.X - draw.X @ W).var(axis=0)
    near = residual < 0.01
    assert 0 < near.sum() < 12
    np.testing.assert_allclose(residual[near], 1e-3, rtol=0.2)
    np.testing.assert_allclose(residual[~near], 1.0, rtol=0.2)


def test_large_graphs_are_sparse_matrices() -> None:
    draw = Case(2500, 1, n=5).draw(0)
    assert not isinstance(draw.truth, np.ndarray)
    assert is_dag(draw.truth)


def test_permuting_keeps_table_and_truth_together() -> None:
    draw = Case(15, 2, n=20_000).draw(2)
    mixed = permuted(draw, 2)
    assert (mixed.X != draw.X).any()
    W = dense(mixed)
    np.testing.assert_allclose((mixed.X - mixed.X @ W).var(axis=0), 1.0, rtol=0.1)
    np.testing.assert_array_equal(mixed.X, permuted(draw, 2).X)


def test_sachs_is_what_its_label_says() -> None:
    case = SachsCase("observational", scale="log")
    draw = case.draw(0)
    assert draw.X.shape == (853, 11)
    assert np.count_nonzero(dense(draw)) == 17
    np.testing.assert_allclose(np.exp(draw.X), SachsCase("observational").draw(0).X)
    assert SachsCase("pooled", edges=20).label == "Sachs-7466, raw, 20 edges"


def test_unknown_settings_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="not the settings"):
        from_settings({"d": 3})


@pytest.mark.parametrize("shape", [*SHAPES])
def test_other_shapes_are_as_dense_and_strong_as_they_say(shape: Any) -> None:
    W = dense(Case(60, 2, graph=shape, weights=(0.05, 1.0)).draw(0))
    assert is_dag(W)
    assert 0.6 < np.count_nonzero(W) / 120 < 1.4
    sizes = np.abs(W[W != 0])
    assert 0.05 <= sizes.min() < 0.2 < 0.8 < sizes.max() <= 1.0


def test_hubs_and_regulators_act_on_many() -> None:
    even, hubs = (dense(Case(60, 2, graph=g).draw(0)) != 0 for g in ("er", "hubs"))
    assert hubs.sum(axis=1).max() > even.sum(axis=1).max()
    few = dense(Case(60, 1.5, graph="regulators").draw(0)) != 0
    assert (few.sum(axis=1) > 0).sum() <= 11


def test_columns_are_prepared_as_it_says() -> None:
    split = Case(10, 1, standardised=True, prepared="split").draw(0)
    assert split.X.shape == (1000, 10)
    assert 1e-4 < np.abs(split.X.std(axis=0) - 1.0).max() < 0.1
    rounded = Case(10, 1, standardised=True, prepared="rounded").draw(0).X
    np.testing.assert_allclose(rounded, rounded.round(1))
    scaled = Case(10, 1, prepared="min–max").draw(0).X
    assert (scaled.min(axis=0) == 0.0).all()
    assert (scaled.max(axis=0) == 1.0).all()


def test_curves_are_no_lines() -> None:
    draw = Case(10, 1, curves="sum of GPs").draw(0)
    parents = dense(draw) != 0
    j = int(np.argmax(parents.sum(axis=0) == 1))
    x, y = draw.X[:, np.flatnonzero(parents[:, j])[0]], draw.X[:, j]
    straight, bent = (np.polyval(np.polyfit(x, y, k), x) for k in (1, 7))
    assert ((y - bent) ** 2).mean() < 0.9 * ((y - straight) ** 2).mean()
