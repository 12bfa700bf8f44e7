"""The search alone: who finds the better graph at one price of an edge, and how fast.

FLOP is given the price of daglock and daglock that of FLOP, so that a score is one and the same
number for both; it is worked out apart from either. The best known graph is the best of all that
were found on the same table. Seconds are those of the processor, of one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import product
from time import process_time

import numpy as np

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.graph import dag_to_cpdag
from daglock.metrics import compare_cpdag
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.typing import Array, BoolArray
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods.classes import gamma_of_flop
from daglock_evaluation.studies import progress
from daglock_evaluation.studies.search import consistent_extension, score_of
from daglock_evaluation.studies.shapes import (
    Network,
    cause_hubs,
    effect_hubs,
    layered,
    random_pairs,
    regulators,
    small_world,
)

OURS = "daglock"
ROWS = (200, 1000, 5000)
# By the number of variables: restarts of FLOP and of daglock for the best known graph.
MANY = {20: (200, 400), 50: (100, 200), 100: (40, 100), 200: (20, 60)}
NETWORKS = (
    *(Network(random_pairs, degree, (0.5, 1.0)) for degree in (2, 4, 8, 10)),
    Network(effect_hubs, 4, (0.5, 1.0)),
    Network(random_pairs, 4, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(regulators, 3, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(cause_hubs, 4, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(small_world, 4, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(layered, 4, (0.05, 1.0), variances=(0.5, 2.0)),
)
Found = tuple[BoolArray, float]
Search = Callable[[Array, float, int], Found]
# A difference of the scores, times the rows, that is not rounding.
CLEAR = 1e-3


def flop(X: Array, gamma: float, seed: int, *, restarts: int) -> Found:
    """Search with FLOP at this price: a graph and seconds."""
    n, d = X.shape
    price = 1.0 + 4.0 * gamma * np.log(d) / np.log(n)
    began = process_time()
    cpdag = import_module("flopsearch").flop(X, price, restarts=restarts)
    seconds = process_time() - began
    return consistent_extension(np.asarray(cpdag, dtype=np.int8)), seconds


def ours(
    X: Array, gamma: float, seed: int, *, restarts: int | None = None, window: int = SETTINGS.window
) -> Found:
    """Search with daglock at this price: a graph and seconds."""
    began = process_time()
    learned = learn(
        Moments.from_data(X),
        noise="unequal",
        ebic_gamma=gamma,
        n_restarts=restarts,
        rng=seed,
        by_margin=False,
        settings=replace(SETTINGS, window=window, max_exact=2),
    )
    return learned.to_sparse().toarray() != 0, process_time() - began


def same_price(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Search beside FLOP: at its price for all tables, at our own for those of 1000 rows."""
    for d in wanted or MANY:
        many, own = MANY[d]
        methods: dict[str, Search] = {
            OURS: ours,
            "FLOP-20": partial(flop, restarts=20),
            f"FLOP-{many}": partial(flop, restarts=many),
            f"{OURS}, {own} restarts": partial(ours, restarts=own),
        }
        cells = [(net, n, "FLOP") for net, n in product(NETWORKS, ROWS)]
        cells += [(net, 1000, OURS) for net in NETWORKS]
        yield from _compared(methods, d, cells, seeds or (20 if d <= 100 else 5))


def windows(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Vary the width of the windows and the number of restarts, at one price."""
    methods: dict[str, Search] = {
        f"w = {w or 'none'}, {count} restarts": partial(ours, window=w, restarts=count)
        for w, count in product((0, 4, 6, 8), (1, 10, 40))
    }
    weak = NETWORKS[5]
    cells = [(weak, 1000, OURS), (NETWORKS[1], 200, OURS), (NETWORKS[3], 1000, OURS)]
    for d in wanted or (50, 100):
        yield from _compared(methods, d, cells, seeds or 10)


def _compared(
    methods: dict[str, Search],
    d: int,
    cells: list[tuple[Network, int, str]],
    seeds: int,
) -> Iterator[Table]:
    """Compare searches on every cell: how often worse than the best known, by how much, seconds."""
    X = cells[0][0].draw(d, 500, seeds).X
    for search in methods.values():  # compile
        search(X, 1.0, 0)
    worse: dict[str, int] = dict.fromkeys(methods, 0)
    spent: dict[str, float] = dict.fromkeys(methods, 0.0)  # mean seconds of a row, added up
    rows = [["graphs", "n", "price of", "method", "worse", "mean gap", "SHD", "s", "s / ours"]]
    for net, n, price in progress(cells, f"d = {d}"):
        gamma = gamma_of_flop(n, d) if price == "FLOP" else default_gamma(n, d)
        figures: dict[str, list[tuple[float, int, float]]] = {name: [] for name in methods}
        for seed in range(seeds):
            draw = net.draw(d, n, seed)
            truth = np.asarray(dag_to_cpdag(np.asarray(draw.truth) != 0))
            for name, search in methods.items():
                dag, seconds = search(draw.X, gamma, seed)
                distance = compare_cpdag(dag_to_cpdag(dag), truth).shd
                figures[name].append((n * score_of(dag, draw.X, gamma), distance, seconds))
        found = {name: np.array(entries).T for name, entries in figures.items()}
        best = np.min([scores for scores, *_ in found.values()], axis=0)
        first = next(iter(found.values()))[2].mean()
        for name, (scores, distances, seconds) in found.items():
            count = int((scores > best + CLEAR).sum())
            worse[name] += count
            spent[name] += seconds.mean()
            label = [net.label, f"{n}", price] if name == next(iter(found)) else ["", "", ""]
            figures_of = [f"{(scores - best).mean():.2f}", f"{distances.mean():.1f}"]
            times = [f"{seconds.mean():.3f}", f"{seconds.mean() / first:.1f}"]
            rows.append([*label, name, f"{count}", *figures_of, *times])
    total = len(cells) * seeds
    first = next(iter(spent.values()))
    for name, count in worse.items():
        times = [f"{spent[name] / len(cells):.3f}", f"{spent[name] / first:.1f}"]
        rows.append(["all", "", "", name, f"{count} of {total}", "", "", *times])
    yield Table(f"d = {d}, {seeds} graphs a row", rows)
