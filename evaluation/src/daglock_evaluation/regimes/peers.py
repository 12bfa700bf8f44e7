"""Other packages on tables of several regimes: GIES, GnIES, UT-IGSP and SDCD."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock_evaluation.regimes.cases import Codes, Sample, essential_graph


def codes_of(graph: NDArray[Any]) -> Codes:
    """Return a class whose undirected edges are arrows both ways as 1 and 2.

    Examples
    --------
    >>> codes_of(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).tolist()
    [[0, 2, 1], [2, 0, 0], [0, 0, 0]]
    """
    there = np.asarray(graph) != 0
    return np.where(there & there.T, 2, there).astype(np.int8)


def run_gies(sample: Sample, seed: int) -> Codes:
    """Run GIES with its score, the BIC, and the targets told."""
    family = [list(own) for own in sample.targets.values()]
    return codes_of(import_module("gies").fit_bic(sample.parts, family)[0])


def run_gnies(sample: Sample, seed: int, approach: str) -> Codes:
    """Run GnIES, which finds the variables that some regime acts on by mean or variance."""
    found = import_module("gnies").fit(sample.parts, approach=approach, center=False)
    return codes_of(found[1])


def run_utigsp(sample: Sample, seed: int, alpha: float, told: bool) -> Codes:
    """Run UT-IGSP with Gaussian tests; the class is that of its DAG and of the targets it found.

    Its tests of conditional independence are of the first regime, which must be observational.
    """
    tests = import_module("conditional_independence")
    first, *others = sample.parts
    random.seed(seed)
    independence = tests.MemoizedCI_Tester(
        tests.partial_correlation_test, tests.partial_correlation_suffstat(first), alpha=alpha
    )
    invariance = tests.MemoizedInvarianceTester(
        tests.gauss_invariance_test, tests.gauss_invariance_suffstat(first, others), alpha=alpha
    )
    _, *acted_on = sample.targets.values()
    known = [{"known_interventions": list(own) if told else []} for own in acted_on]
    nodes = set(range(len(sample.truth)))
    learn = import_module("graphical_model_learning").unknown_target_igsp
    dag, targets = learn(known, nodes, independence, invariance)
    matrix = np.asarray(dag.to_amat()[0], dtype=np.float64)
    return essential_graph(matrix, [[], *map(list, targets)])


def run_sdcd(sample: Sample, seed: int) -> Codes:
    """Run SDCD with its own settings, and the targets told."""
    torch = import_module("torch")
    masks = np.ones(sample.X.shape)
    regimes = np.zeros(len(masks), dtype=np.int64)
    for number, (label, own) in enumerate(sample.targets.items()):
        here = sample.labels == label
        masks[np.ix_(here, list(own))] = 0.0
        regimes[here] = number
    data = torch.utils.data.TensorDataset(
        torch.tensor(sample.X, dtype=torch.float32),
        torch.tensor(masks, dtype=torch.float32),
        torch.tensor(regimes),
    )
    model = import_module("sdcd.models").SDCD()
    model.train(data)
    dag = np.asarray(model.get_adjacency_matrix(threshold=True), dtype=np.float64)
    return essential_graph(dag, sample.targets.values())
