"""The peers as they are called here, where they are installed."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from daglock.criteria import default_gamma
from daglock.graph import dag_to_cpdag
from daglock.metrics import compare_classes, compare_cpdag
from daglock_evaluation.harness.measures import score_of
from daglock_evaluation.harness.sweep import Method, missing_packages
from daglock_evaluation.kinds.cases import DiscreteCase, MixedCase
from daglock_evaluation.kinds.methods import METHODS
from daglock_evaluation.kinds.tetrad import local_score
from daglock_evaluation.kinds.worker import run
from daglock_evaluation.studies.equal_price import NETWORKS, boss, times_bic

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


@pytest.mark.filterwarnings("ignore")
def test_the_linear_score_has_our_price() -> None:
    """Two graphs differ by the same in Tetrad's score and in ours, so that one price is one."""
    skip_without(next(one for one in PEERS if one.name.startswith("boss")))
    n, d = 300, 12
    draw = NETWORKS[5].draw(d, n, 1)
    rng = np.random.default_rng(0)
    other = np.triu(rng.random((d, d)) < 0.3, 1)
    frame = pd.DataFrame(draw.X, columns=[f"x{j}" for j in range(d)])
    for gamma in (0.0, default_gamma(n, d), 3.0):
        price, differences = times_bic(draw.X, gamma), []
        for dag in (np.asarray(draw.truth) != 0, other):
            local = local_score(frame, "sem", penaltyDiscount=price)
            theirs = sum(local(j, np.flatnonzero(own).tolist()) for j, own in enumerate(dag.T))
            differences.append(theirs + score_of(dag, draw.X, gamma))
        assert differences[0] == pytest.approx(differences[1], abs=1e-6)
    found = [int(boss(draw.X, gamma, 0, starts=2)[0].sum()) for gamma in (0.0, 1.0, 200.0)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0
    assert found[-1] == 0
