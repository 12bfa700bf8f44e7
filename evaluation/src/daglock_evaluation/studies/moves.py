"""Moves that are left: every place of every node, all parents chosen from nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from daglock.criteria import default_gamma, edge_cost
from daglock.moments import Moments
from daglock.search.memo import IMPROVES
from daglock.search.node import scores_of
from daglock.search.run import Found, choose_parents, search_order
from daglock.search.spec import Spec, make_spec
from daglock.settings import SETTINGS
from daglock_evaluation.harness.shapes import random_pairs
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress
from daglock_evaluation.studies.networks import Network

SIZES = (20, 30)
ROWS_PER_COLUMN = (1.5, 2, 4)


def moves_left(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Count the graphs of a search with few rows that a move of a single node improves."""
    rows = [["d", "n", "windows", "graphs that a move improves", "largest gain, ×n"]]
    count = seeds or 10
    for d in progress(wanted or SIZES, "moves"):
        for share in ROWS_PER_COLUMN:
            n = round(share * d)
            for window in (0, SETTINGS.window):
                gains = [_left(d, n, window, seed) for seed in range(count)]
                improved = f"{sum(gain > 0.0 for gain in gains)} of {count}"
                said = f"{window}" if window else "none"
                rows.append([f"{d}", f"{n}", said, improved, f"{n * max(gains):.2f}"])
    yield Table("Few rows: degree 4, standardised, the usual number of restarts", rows)


def _left(d: int, n: int, window: int, seed: int) -> float:
    """Return by how much the best move of one node improves what the search found."""
    moments = Moments.from_data(Network(random_pairs, 4, (0.5, 1.0)).draw(d, n, seed).X)
    cost = edge_cost(n, d, default_gamma(n, d))
    spec = make_spec(moments.standardised().cov, cost, max_parents=SETTINGS.most_parents(n, d))
    found = search_order(
        spec,
        np.random.default_rng(seed).permutation(d),
        n_restarts=SETTINGS.default_restarts(n, d),
        rng=np.random.default_rng(seed),
        full_regressions=SETTINGS.full_regressions_pay(n, d),
        settings=replace(SETTINGS, window=window),
    )
    return best_move(spec, found)


def best_move(spec: Spec, found: Found) -> float:
    """Return the gain of the best move; whoever still has all parents before it may keep them."""
    now, d = scores_of(spec, found.parents), len(found.order)
    best = 0.0
    for here in range(d):
        rest = np.delete(found.order, here)
        for there in range(d):
            order = np.insert(rest, there, found.order[here])
            position = np.argsort(order)
            scores = scores_of(spec, choose_parents(spec, order).parents)
            for u, parents in enumerate(found.parents):
                if (position[parents] < position[u]).all():
                    scores[u] = min(scores[u], now[u])
            gain = float(now.sum() - scores.sum())
            best = gain if gain > max(best, IMPROVES) else best
    return best
