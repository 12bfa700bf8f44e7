"""The peers as they are called here, where they are installed, and what GIES says of classes."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from tests.graph.enumeration import random_family

from daglock.metrics import compare_cpdag
from daglock.simulate import erdos_renyi
from daglock_evaluation.harness.sweep import Method, missing_packages
from daglock_evaluation.regimes.cases import Kind, SimulatedCase, essential_graph
from daglock_evaluation.regimes.methods import METHODS
from daglock_evaluation.regimes.peers import codes_of
from daglock_evaluation.regimes.worker import run

PEERS = [method for method in METHODS if method.is_peer]
REQUIRED = bool(os.environ.get("DAGLOCK_REQUIRE_PEERS"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", PEERS, ids=lambda method: method.name)
def test_a_peer_finds_most_of_an_easy_graph(method: Method) -> None:
    missing = missing_packages(method)
    if missing and not REQUIRED:
        pytest.skip(f"not installed: {', '.join(missing)}")
    # GnIES does not know interventions that cut causes off
    kind: Kind = "shift" if method.name == "gnies" else "perfect"
    sample = SimulatedCase("hidden", 5, 5, kind, 5, 1000, 300).draw(0)
    found = compare_cpdag(run(method, sample, 0), sample.truth)
    assert found.extra <= 2
    assert found.true_positives >= 4  # directions, too


@pytest.mark.skipif(find_spec("gies") is None and not REQUIRED, reason="gies is not installed")
@pytest.mark.filterwarnings("ignore")
def test_classes_are_those_of_gies() -> None:
    utilities = import_module("gies.utils")
    undirected = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(4, 11))
        n_edges = int(rng.integers(1, min(3 * d, d * (d - 1) // 2) + 1))
        dag = (erdos_renyi(d, n_edges, rng=seed) != 0).astype(np.int64)
        family = random_family(d, int(rng.integers(1, 4)), rng)
        theirs = codes_of(utilities.replace_unprotected(dag, family))
        ours = essential_graph(dag.astype(np.float64), family)
        np.testing.assert_array_equal(ours, theirs, err_msg=f"seed {seed}")
        undirected += int((ours == 2).sum())
    assert undirected > 200  # not all of them are wholly directed
