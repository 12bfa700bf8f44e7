"""pgmpy: the graph with its weights, as a linear Gaussian Bayesian network."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.errors import MissingExtraError
from daglock.interop._model import fitted

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


def to_pgmpy(model: DAGLock) -> Any:
    """Return the fitted ``LinearGaussianBayesianNetwork``: x_j = a_j + Σ_i W[i, j] x_i + noise.

    Intercepts a_j are such that the means are those of the data. It is a ``DAG`` of pgmpy, too.

    Raises
    ------
    MissingExtraError
        Without pgmpy.
    """
    learned = fitted(model)
    try:
        factors, models = import_module("pgmpy.factors.continuous"), import_module("pgmpy.models")
    except ImportError as missing:
        raise MissingExtraError("The hand-off to pgmpy needs it: pip install pgmpy") from missing
    dag, names, means = learned.dag, model.names_, model.moments_.means
    deviations = np.sqrt(learned.noise_variances)
    network = models.LinearGaussianBayesianNetwork()
    network.add_nodes_from(names)
    network.add_edges_from(
        [(names[i], names[j]) for i, j in zip(dag.source, dag.target, strict=True)]
    )
    for j, (P, weights) in enumerate(zip(dag.parents, dag.by_target(dag.weight), strict=True)):
        coefficients = [means[j] - weights @ means[P], *weights]
        evidence = [names[i] for i in P]
        cpd = factors.LinearGaussianCPD(names[j], coefficients, float(deviations[j]), evidence)
        network.add_cpds(cpd)
    return network
