"""Cases draw what they say: regimes, targets in the order of the columns, rows left alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.graph.enumeration import all_dags, classes, equivalent_dags, random_family
from tests.graph.enumeration import essential_graph as by_enumeration

from daglock.errors import InvalidParameterError
from daglock_evaluation.regimes.cases import (
    SUITES,
    SachsCase,
    SimulatedCase,
    cases,
    essential_graph,
    from_settings,
)

SMALL = SimulatedCase("perfect", 6, 7, "perfect", 6, 400, 300)
BATCHES = SimulatedCase("batches", 6, 7, "batches", 3, 0, 200)


def test_cases_are_found_again_by_their_settings() -> None:
    everything = [case for suite in SUITES for case in cases(suite)]
    for case in everything:
        assert from_settings(json.loads(json.dumps(case.settings()))) == case
    labels = [(case.suite, case.label) for case in everything]
    assert len(labels) == len(set(labels))
    with pytest.raises(InvalidParameterError, match="no suite 'all'; there are perfect"):
        cases("all")


def test_a_seed_gives_one_table_with_its_columns_mixed_up() -> None:
    first, again, other = SMALL.draw(3), SMALL.draw(3), SMALL.draw(4)
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert first.truth.sum() == 7
    assert [len(part) for part in first.parts] == [400, *[300] * 6]
    assert sorted(own for own in first.targets.values() if own) == [(j,) for j in range(6)]


def test_targets_and_truth_go_with_the_columns() -> None:
    sample = SMALL.draw(0)
    for part, own in zip(sample.parts, sample.targets.values(), strict=True):
        for j in range(6):
            parents = np.flatnonzero(sample.truth[:, j])
            if j in own:  # cut off from its causes, and drawn from N(2, 1)
                assert abs(part[:, j].mean() - 2.0) < 0.3
                assert abs(part[:, j].var() - 1.0) < 0.35
                continue
            fit = np.column_stack([part[:, parents], np.ones(len(part))])
            residual = part[:, j] - fit @ np.linalg.lstsq(fit, part[:, j])[0]
            assert 0.3 < residual.var() < 2.6
            assert (np.abs(np.linalg.lstsq(fit, part[:, j])[0][:-1]) > 0.25).all()


def test_still_rows_are_those_that_no_regime_changed() -> None:
    sample = BATCHES.draw(1)
    for label, part in zip(sample.targets, sample.parts, strict=True):
        added = part - sample.still[sample.labels == label]
        np.testing.assert_allclose(added, np.tile(added[0], (len(added), 1)), atol=1e-9)
        assert (np.abs(added[0]) > 0).all()
    experiments = SMALL.draw(1)
    observational = experiments.labels == "observational"
    np.testing.assert_array_equal(experiments.X[observational], experiments.still[observational])
    assert not np.allclose(experiments.X, experiments.still)


def test_the_class_is_that_of_enumeration() -> None:
    rng = np.random.default_rng(0)
    families: list[list[list[int]]] = [[[]], [[], [1]], [[0, 1], [2]], random_family(4, 2, rng)]
    for family in families:
        for members in classes(all_dags(4), family)[::3]:
            A = members[rng.integers(len(members))].astype(np.float64)
            np.testing.assert_array_equal(essential_graph(A, family), by_enumeration(members))
    sample = SMALL.draw(2)
    np.testing.assert_array_equal(sample.essential, sample.truth)  # each in turn: the graph itself
    found = by_enumeration(equivalent_dags(BATCHES.draw(2).truth.astype(np.int64)))
    np.testing.assert_array_equal(BATCHES.draw(2).essential, found)


def test_the_sachs_cells() -> None:
    sample = SachsCase("pooled", "log").draw(0)
    assert sample.X.shape == (7466, 11)
    assert len(sample.parts) == 9
    scores = SachsCase("pooled", "scores").draw(0)
    np.testing.assert_array_equal(np.argsort(scores.X[:, 4]), np.argsort(sample.X[:, 4]))
    np.testing.assert_allclose(scores.X.std(axis=0), 1.0)
    one = SachsCase("observational", "log").draw(0)
    assert len(one.parts) == 1
    assert (one.essential != 1).all()  # without experiments nothing of it is directed
    np.testing.assert_array_equal(sample.essential, sample.truth)  # the nine direct all 17 edges
