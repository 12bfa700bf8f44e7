"""The peers as they are called here, where they are installed."""

from __future__ import annotations

import os

import numpy as np
import pytest

from daglock.graph import dag_to_cpdag
from daglock.metrics import compare_classes, compare_cpdag
from daglock_evaluation.harness.sweep import missing_packages
from daglock_evaluation.kinds.cases import DiscreteCase, MixedCase
from daglock_evaluation.kinds.methods import METHODS, Method
from daglock_evaluation.kinds.worker import run

PEERS = [method for method in METHODS if method.is_peer]
REQUIRED = bool(os.environ.get("DAGLOCK_REQUIRE_PEERS"))


def skip_without(method: Method) -> None:
    missing = missing_packages(method)
    if missing and not REQUIRED:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", PEERS, ids=lambda method: method.name)
def test_a_peer_finds_most_links_of_an_easy_graph(method: Method) -> None:
    skip_without(method)
    if method.suites == ("mixed",):
        sample = MixedCase("conditional gaussian", 6, 2.0, 0.5, 2000).draw(1)
    else:
        skip_without(next(one for one in PEERS if one.name.startswith("pgmpy")))
        sample = DiscreteCase("sachs", 10_000).draw(1)
    graph = run(method, sample, 0)
    if method.returns == "class":
        found = compare_cpdag(graph, dag_to_cpdag(sample.truth))
        assert np.array_equal(graph == 2, (graph == 2).T)
    else:
        found = compare_classes(graph, sample.truth)
    linked = found.true_positives + found.reversed
    assert linked >= 0.6 * found.n_true
    assert linked >= 0.6 * found.n_estimated
