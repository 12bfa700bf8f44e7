"""What a fit with known targets says is identified is the interventional class of its graph."""

from __future__ import annotations

import numpy as np
import pytest

from daglock import DAGLock
from daglock.simulate import erdos_renyi, interventional_sem
from tests.graph.enumeration import equivalent_dags, essential_graph, random_family


@pytest.mark.parametrize("seed", range(20))
def test_the_class_of_a_fit_is_that_of_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = erdos_renyi(5, int(rng.integers(3, 8)), rng=seed)
    family = random_family(5, int(rng.integers(1, 4)), rng)
    targets = {"observed": [], **{f"r{k}": nodes for k, nodes in enumerate(family)}}
    sample = interventional_sem(W, 400, targets, noise_variances=rng.uniform(0.5, 2, 5), rng=rng)
    model = DAGLock(random_state=0).fit(sample.data, regimes=sample.labels, targets=sample.targets)
    found = np.asarray(model.adjacency_matrix_).astype(np.int64)
    members = equivalent_dags(found, [[], *family])
    np.testing.assert_array_equal(np.asarray(model.identified_), essential_graph(members))
