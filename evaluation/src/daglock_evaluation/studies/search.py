"""What each start of the search buys, and how limits are kept.

In the ablation all variants search with the same criterion, at one price and without windows; the
gap is to the best score that any variant found on the same data, so it shows the search and not the
statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from daglock.constraints import SAHOC, Exp
from daglock.constraints.base import Composition
from daglock.constraints.core import HybridCore
from daglock.criteria import default_gamma, edge_cost, graph_score
from daglock.engine import learn
from daglock.graph import Graph, edge_list, parents_of
from daglock.losses import Gaussian, LeastSquares
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock.penalties import MCP
from daglock.problem import Problem
from daglock.search.lock import lock
from daglock.search.regression import residual_variances
from daglock.search.start import conditional_variance_order, precision_order
from daglock.settings import SETTINGS
from daglock.solvers import ProxLinear
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.typing import Array, BoolArray, IntArray
from daglock_evaluation.benchmark.suites import SCALED, sizes
from daglock_evaluation.harness.case import Case
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress

RESTARTS = (0, 5, 20)
LIMITS = (0.05, 0.2, 1.0, 2.0)
NOISES = ("equal", "unequal", "auto")
Start = Callable[[Moments, str, int], IntArray]


class HybridExp(Composition):
    """The un-normalised exponential of α W∘W + (1−α)|W|, α = 0.5: for the comparison only."""

    entrywise, scaling, spectral = HybridCore(0.5), Exp.scaling, Exp.spectral


def random_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """Any order."""
    return np.random.default_rng(seed).permutation(moments.d)


def conditional_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """By conditional variance: pivoted Cholesky."""
    cost = edge_cost(moments.n, moments.d, default_gamma(moments.n, moments.d))
    return conditional_variance_order(moments.cov, moments.n, cost)[0]


def precision(moments: Moments, noise: str, seed: int) -> IntArray:
    """By conditional variance from the end: the precision matrix."""
    order = precision_order(moments.standardised().cov)
    return random_order(moments, noise, seed) if order is None else order


def log_det(
    moments: Moments, noise: str, seed: int, *, alpha: float, gamma: float = 3.0
) -> IntArray:
    """Run the continuous stage with the log-determinant form of C."""
    profile = noise == "unequal"
    path = prox_linear_path(moments.cov, profile=profile, n=moments.n, alpha=alpha, gamma=gamma)
    return lock(path.W)


def other_form(moments: Moments, noise: str, seed: int, *, constraint: Composition) -> IntArray:
    """Run the continuous stage with C from another constraint."""
    loss = Gaussian(moments) if noise == "unequal" else LeastSquares(moments)
    return lock(ProxLinear().solve(Problem(loss, constraint, MCP(0.25, 3.0))).W)


STARTS: dict[str, Start] = {
    "random order": random_order,
    "order of variances": lambda moments, *_: np.argsort(np.diag(moments.cov)),
    "conditional variances": conditional_order,
    "precision, from the end": precision,
    "continuous, log-det, α=0": partial(log_det, alpha=0.0),
    "continuous, log-det, α=0.5": partial(log_det, alpha=0.5),
    "continuous, log-det, α=1": partial(log_det, alpha=1.0),
    "continuous, log-det, α=0.5, L1": partial(log_det, alpha=0.5, gamma=np.inf),
    "continuous, exp, α=0.5": partial(other_form, constraint=HybridExp()),
    "continuous, S-AHOC, α=0.5": partial(other_form, constraint=SAHOC(0.5)),
}


def ablation(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Vary one part at a time."""
    for case in (
        *sizes(50, edges_per_node=4, **SCALED),
        *sizes(100, edges_per_node=2, **SCALED),
        *sizes(50, edges_per_node=4, weights=(0.5, 2.0)),
    ):
        yield starts_and_restarts(case, seeds or 10)


def starts_and_restarts(case: Case, seeds: int) -> Table:
    """Score gap to the best known, distance to the truth, and seconds, for each start."""
    noise = "unequal" if case.target == "class" else "equal"
    measure = compare_classes if noise == "unequal" else compare
    figures: dict[tuple[str, int], list[tuple[float, int, float, float]]] = {}
    gamma = default_gamma(case.n, case.d)  # one price for all: it is the search that is compared
    for seed in progress([0, *range(seeds)], case.label):  # the first turn warms up
        draw = case.draw(seed)
        moments = Moments.from_data(draw.X)
        for name, start in STARTS.items():
            begin = perf_counter()
            order = start(moments, noise, seed)
            starting = perf_counter() - begin
            for count in RESTARTS:
                begin = perf_counter()
                learned = learn(
                    moments,
                    noise=noise,
                    ebic_gamma=gamma,
                    start=order,
                    n_restarts=count,
                    rng=seed,
                    by_margin=False,
                    settings=replace(SETTINGS, window=0),
                )
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
    rss = residual_variances(moments.cov, parents_of(sources, targets, moments.d))
    cost = edge_cost(moments.n, moments.d, gamma)
    return graph_score(rss, sources.size, cost, "unequal")


def consistent_extension(cpdag: NDArray[np.int8]) -> BoolArray:
    """Return a DAG of a class: its undirected edges point from node to node in one order.

    Next is always a node with the most undirected neighbours before it. Their graph is chordal, so
    that these neighbours are adjacent, and no v-structure is new (Tarjan and Yannakakis, 1984).

    Examples
    --------
    >>> consistent_extension(np.array([[0, 2], [2, 0]], dtype=np.int8)).astype(int).tolist()
    [[0, 1], [0, 0]]
    """
    undirected: BoolArray = cpdag == 2
    dag: BoolArray = cpdag == 1
    left, before = np.ones(len(cpdag), dtype=np.bool_), np.zeros(len(cpdag))
    for _ in range(len(cpdag)):
        x = np.argmax(np.where(left, before, -1.0))
        left[x] = False
        dag[x] |= undirected[x] & left
        before += undirected[x]
    return dag


def overruns(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Learn with a time limit; the worst overrun of all limits and noise models.

    ``kept`` means: within 10 % of the limit or 0.2 s, whichever is more.
    """

    def moments_of(d: int, degree: int) -> Moments:
        return Moments.from_data(Case(d, degree / 2, **SCALED).draw(0).X)

    rows = [["d", "degree", "kept", "cut short", "largest overrun, s", "fewest edges"]]
    for d, noise in product((10, 30), NOISES):  # compile what is used
        learn(moments_of(d, 2), noise=noise, time_limit=60.0, rng=0)
    tables = list(product(wanted or [10, 50, 200, 500, 1000, 2000], (2, 4, 8)))
    for d, degree in progress(tables, "time limits"):
        moments = moments_of(d, degree)
        over, cut, edges = [], 0, []
        for noise, limit in product(NOISES, LIMITS):
            began = perf_counter()
            learned = learn(moments, noise=noise, time_limit=limit, rng=0)
            over.append((perf_counter() - began - limit, limit))
            cut += not learned.status.is_success
            edges.append(learned.dag.n_edges)
        kept = sum(seconds <= max(0.2, 0.1 * limit) for seconds, limit in over)
        worst = max(0.0, *(seconds for seconds, _ in over))
        shares = (f"{kept} of {len(over)}", f"{cut} of {len(over)}")
        rows.append([f"{d}", f"{degree}", *shares, f"{worst:.2f}", f"{min(edges)}"])
    limits = ", ".join(map(str, LIMITS))
    yield Table(f"Time limits of {limits} s; noise models {', '.join(NOISES)}", rows)
