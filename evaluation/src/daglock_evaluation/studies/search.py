"""What each part of the search buys, and the search alone beside FLOP's, at one price of an edge.

In the ablation all variants search with the same criterion; the gap is to the best score that any
variant found on the same data, so it shows the search and not the statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from daglock.constraints import SAHOC, Exp
from daglock.constraints.base import Composition
from daglock.constraints.core import HybridCore
from daglock.criteria import default_gamma, edge_cost, graph_score
from daglock.engine import learn
from daglock.errors import NotADAGError
from daglock.graph import Graph, dag_to_cpdag, edge_list
from daglock.losses import Gaussian, LeastSquares
from daglock.metrics import compare, compare_classes, compare_cpdag
from daglock.moments import Moments
from daglock.penalties import MCP
from daglock.problem import Problem
from daglock.search.lock import lock
from daglock.search.regression import residual_variances
from daglock.search.start import conditional_variance_order, precision_order
from daglock.solvers import ProxLinear
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.typing import Array, BoolArray, IntArray
from daglock_evaluation.harness.case import Case
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods import ours
from daglock_evaluation.methods.classes import gamma_of_flop, run_flop
from daglock_evaluation.studies import progress

OURS = "daglock"
Start = Callable[[Moments, str, int], IntArray]


@dataclass(frozen=True)
class HybridExp(Composition):
    """The un-normalised exponential on the hybrid core: for the comparison only."""

    alpha: float = 0.5
    scaling = Exp.scaling
    spectral = Exp.spectral

    @property
    def entrywise(self) -> HybridCore:
        """M(W) = α W∘W + (1−α)|W|."""
        return HybridCore(self.alpha)


def random_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """Any order."""
    return np.random.default_rng(seed).permutation(moments.d)


def variance_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """By marginal variance: what sortnregress does."""
    return np.argsort(np.diag(moments.cov))


def conditional_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """By conditional variance: pivoted Cholesky."""
    cost = edge_cost(moments.n, moments.d, default_gamma(moments.n, moments.d))
    return conditional_variance_order(moments.cov, moments.n, cost)[0]


def precision(moments: Moments, noise: str, seed: int) -> IntArray:
    """By conditional variance from the end: the precision matrix."""
    order = precision_order(moments.standardised().cov)
    return random_order(moments, noise, seed) if order is None else order


def log_det(moments: Moments, noise: str, seed: int, *, alpha: float, l1: bool = False) -> IntArray:
    """Run the continuous stage with the log-determinant form of C."""
    path = prox_linear_path(
        moments.cov,
        profile=noise == "unequal",
        n=moments.n,
        alpha=alpha,
        gamma=np.inf if l1 else 3.0,
    )
    return lock(path.W)


def other_form(
    moments: Moments, noise: str, seed: int, *, constraint: Composition, lam: float = 0.25
) -> IntArray:
    """Run the continuous stage with C from another constraint."""
    loss = Gaussian(moments) if noise == "unequal" else LeastSquares(moments)
    return lock(ProxLinear().solve(Problem(loss, constraint, MCP(lam, 3.0))).W)


STARTS: dict[str, Start] = {
    "random order": random_order,
    "order of variances": variance_order,
    "conditional variances": conditional_order,
    "precision, from the end": precision,
    "continuous, log-det, α=0": partial(log_det, alpha=0.0),
    "continuous, log-det, α=0.5": partial(log_det, alpha=0.5),
    "continuous, log-det, α=1": partial(log_det, alpha=1.0),
    "continuous, log-det, α=0.5, L1": partial(log_det, alpha=0.5, l1=True),
    "continuous, exp, α=0.5": partial(other_form, constraint=HybridExp(0.5)),
    "continuous, S-AHOC, α=0.5": partial(other_form, constraint=SAHOC(0.5)),
}


def starts_and_restarts(case: Case, seeds: int, restarts: tuple[int, ...] = (0, 5, 20)) -> Table:
    """Score gap to the best known, distance to the truth, and seconds, for each start."""
    noise = "unequal" if case.target == "class" else "equal"
    measure = compare_classes if noise == "unequal" else compare
    figures: dict[tuple[str, int], list[tuple[float, int, float, float]]] = {}
    for seed in progress([0, *range(seeds)], case.label):  # the first turn warms up
        draw = case.draw(seed)
        moments = Moments.from_data(draw.X)
        for name, start in STARTS.items():
            begin = perf_counter()
            order = start(moments, noise, seed)
            starting = perf_counter() - begin
            for count in restarts:
                begin = perf_counter()
                learned = learn(moments, noise=noise, start=order, n_restarts=count, rng=seed)
                searching = perf_counter() - begin
                distance = measure(learned.to_sparse(), draw.truth).shd
                entry = (learned.certificate.score, distance, starting, searching)
                figures.setdefault((name, count), []).append(entry)
    rows = [["start", "restarts", "best score", "mean gap", "SHD", "start s", "search s"]]
    known = {variant: np.array(entries[1:]).T for variant, entries in figures.items()}
    best = np.min([score for score, *_ in known.values()], axis=0)
    for (name, count), (score, distance, starting, searching) in known.items():
        reached = f"{int((score <= best + 1e-7).sum())} of {seeds}"
        seconds = (f"{starting.mean():.3f}", f"{searching.mean():.3f}")
        gap = f"{(score - best).mean():.4f}"
        rows.append([name, str(count), reached, gap, f"{distance.mean():.1f}", *seconds])
    return Table(f"{case.label}, {seeds} seeds", rows)


def score_of(dag: Graph, X: Array, gamma: float) -> float:
    """Score a DAG under unequal variances, apart from the search."""
    moments = Moments.from_data(X)
    sources, targets, _ = edge_list(dag)
    parents = [sources[targets == j] for j in range(moments.d)]
    rss = residual_variances(moments.cov, parents)
    cost = edge_cost(moments.n, moments.d, gamma)
    return graph_score(rss, sources.size, cost, "unequal")


def same_criterion(case: Case, seeds: int, restarts: tuple[int, ...]) -> Table:
    """Compare under FLOP's own price of an edge: who reaches the better score, and how fast.

    The last row is daglock at its default price; its score is still counted at FLOP's.
    """
    gamma = gamma_of_flop(case.n, case.d)
    ours.fit(case.draw(seeds).X, 0, noise="unequal")  # warm up
    entries: dict[str, list[tuple[int, float, float]]] = {}
    flops = {f"FLOP-{count}": partial(run_flop, restarts=count) for count in restarts}
    own = {
        OURS: partial(ours.run, noise="unequal", ebic_gamma=gamma),
        f"{OURS}, its own price": partial(ours.run, noise="unequal"),
    }
    for seed in progress(range(seeds), case.label):
        draw = case.draw(seed)
        truth = np.asarray(dag_to_cpdag(np.asarray(draw.truth)))
        for method, run in {**flops, **own}.items():
            begin = perf_counter()
            dag = cpdag = run(draw.X, seed).graph
            seconds = perf_counter() - begin
            if method in flops:
                dag = consistent_extension(np.asarray(cpdag))
            else:
                cpdag = dag_to_cpdag(dag)
            distance = compare_cpdag(cpdag, truth).shd
            score = score_of(dag, draw.X, gamma)
            entries.setdefault(method, []).append((distance, score, seconds))
    figures = {method: np.array(rows).T for method, rows in entries.items()}
    best = np.min([figure[1] for figure in figures.values()], axis=0)
    mine = figures[OURS][2].mean()
    rows = [["method", "CPDAG-SHD", "exact", "score worse than best", "seconds", "time / ours"]]
    for method, (distances, scores, times) in figures.items():
        exact = f"{int((distances == 0).sum())} of {seeds}"
        worse = f"{int((scores > best + 1e-7).sum())} of {seeds}"
        needed = (f"{times.mean():.3f}", f"{times.mean() / mine:.1f}")
        rows.append([method, f"{distances.mean():.2f}", exact, worse, *needed])
    return Table(f"{case.label}, {seeds} seeds, one criterion", rows)


def consistent_extension(cpdag: NDArray[np.int8]) -> BoolArray:
    """Orient the undirected edges of a CPDAG without a new v-structure (Dor and Tarsi, 1992).

    Takes a node without outgoing edges whose undirected neighbours are adjacent to all its other
    neighbours, directs its undirected edges towards it, removes it, and repeats.

    Examples
    --------
    >>> consistent_extension(np.array([[0, 2], [2, 0]], dtype=np.int8)).astype(int).tolist()
    [[0, 0], [1, 0]]
    """
    directed = cpdag == 1
    undirected = cpdag == 2
    result: BoolArray = directed.copy()
    left = np.ones(len(cpdag), dtype=np.bool_)
    while left.any():
        for x in np.flatnonzero(left):
            if (directed[x] & left).any():
                continue
            around = (undirected[x] | directed[:, x]) & left
            adjacent = directed | directed.T | undirected
            fits = all(
                not (around & ~adjacent[y] & (np.arange(len(cpdag)) != y)).any()
                for y in np.flatnonzero(undirected[x] & left)
            )
            if fits:
                result[undirected[x] & left, x] = True
                left[x] = False
                break
        else:
            raise NotADAGError("The CPDAG has no consistent extension.")
    return result
