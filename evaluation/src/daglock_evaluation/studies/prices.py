"""What parents cost where there are categories: the price of counts, and that of blocks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy.special import gammaln

from daglock.counts import Counts
from daglock.criteria import Mixed, Multinomial
from daglock.engine import learn
from daglock.engine.statistics import keep
from daglock.graph import WeightedDAG, edges_into
from daglock.knowledge import Masks
from daglock.metrics import compare_classes
from daglock.regret import regret
from daglock.search.all_sets import Sets
from daglock.search.exact import solve
from daglock.simulate import erdos_renyi, mixed_sem
from daglock.simulate.mixed import Mechanism
from daglock.table import read_table
from daglock.typing import Array
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.kinds.cases import FAMILIES
from daglock_evaluation.studies import change, each

# Nothing was chosen on these.
FIRST_SEED = 9000
# Columns that have nothing to do with each other, their levels equally frequent.
INDEPENDENT = "independent"
LEVELS = ((2, 3), (2, 5), (4, 8))
ROWS = (200, 1000, 5000)
# Average degree and share of discrete nodes.
MIXTURES = ((2, 1 / 3), (2, 2 / 3), (4, 1 / 3), (4, 2 / 3))
MIXED_ROWS = (200, 500, 2000)


def prices(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Print distances to the true class by what counts cost, and where blocks may cost less."""
    yield of_counts(seeds or 10, 10)
    for d in sizes or [20]:
        yield of_blocks(seeds or 10, d)


# --- counts


class Local(NamedTuple):
    """What each variable costs with each set of parents, [U, j], edges included."""

    straight: Array
    nml: Array
    bic: Array
    bdeu_1: Array
    bdeu_10: Array


def of_counts(seeds: int, d: int) -> Table:
    """Find the best of all graphs under each score; beside them the default, with its own price."""
    scores = ["default", "straight", "NML", "BIC", "BDeu 1", "BDeu 10", "NML − straight", "± se"]
    rows = [["tables", "levels", "n", *scores]]
    for mechanism, levels, n in product((INDEPENDENT, *FAMILIES), LEVELS, ROWS):
        label = f"{mechanism}, {levels[0]}-{levels[1]}"
        make = partial(_distances, mechanism, levels, n, d)
        found = each(make, FIRST_SEED, seeds, f"{label}, n = {n}")
        means = [f"{value:.1f}" for value in found.mean(axis=0)]
        of_nml = change(found[:, 1], found[:, 2])
        rows.append([mechanism, f"{levels[0]}-{levels[1]}", f"{n:,}", *means, *of_nml])
    title = f"CPDAG-SHD of the best of all graphs, d = {d}, {d + 2} edges, {seeds} graphs each"
    return Table(title, rows)


def _distances(
    mechanism: Any, levels: tuple[int, int], n: int, d: int, seed: int
) -> tuple[float, ...]:
    """Return the distances of the default and of each score."""
    graph, draws = np.random.default_rng([seed, n, *levels]).spawn(2)
    if mechanism == INDEPENDENT:
        W = np.zeros((d, d))
        sizes = graph.integers(levels[0], levels[1], size=d, endpoint=True)
        codes = draws.integers(0, sizes, size=(n, d))
    else:
        W = np.asarray(erdos_renyi(d, d + 2, rng=graph))
        frame = pd.DataFrame(mixed_sem(W, n, mechanism, 1.0, levels, rng=draws).to_pydict())
        codes = np.column_stack([pd.factorize(frame[name], sort=True)[0] for name in frame])
    counts = Counts.from_codes(codes)
    graphs = [learn(counts, rng=0).dag, *(_best(counts, cost) for cost in local_costs(counts))]
    return tuple(float(compare_classes(dag.adjacency(), W != 0).shd) for dag in graphs)


def local_costs(counts: Counts) -> Local:
    """Return −2/n times the scores of every variable with every set of parents."""
    n, d, r = counts.n, counts.d, counts.sizes.astype(np.float64)
    sets = Multinomial(counts).sets(d - 1, Masks())
    inside = (np.arange(1 << d)[:, None] >> np.arange(d)) & 1 == 1
    cells = np.where(inside, r, 1.0).prod(axis=1)
    price = np.log(n) / n
    straight = np.log(sets.rss) + price * sets.size[:, None]  # that of the criterion
    # the digits of a number for each row, of which those of some variables are added up
    digits = np.concatenate([[1], np.cumprod(counts.sizes)[:-1]])
    numbers = counts.dense.astype(np.int64) * digits[:, None]
    entropy = np.empty(1 << d)
    bayes = np.empty((2, 1 << d))
    for U in range(1 << d):
        place = np.unique(numbers[inside[U]].sum(axis=0), return_inverse=True)[1]
        tally = np.bincount(np.ravel(place), counts.weight)
        entropy[U] = 2.0 * (np.log(n) - (tally * np.log(tally)).sum() / n)
        for k, rows in enumerate((1.0, 10.0)):
            beside = rows / cells[U]
            bayes[k, U] = -2.0 / n * (gammaln(tally + beside) - gammaln(beside)).sum()
    every = np.arange(1 << d)[:, None] | 1 << np.arange(d)
    asked = np.array([regret(float(n), m) if m > 1.0 else 0.0 for m in cells.tolist()])
    alone = asked[1 << np.arange(d)]
    nml = entropy[every] - entropy[:, None] + 2.0 / n * (asked[every] - asked[:, None] - alone)
    bic = entropy[every] - entropy[:, None] + price * (r - 1.0) * cells[:, None]
    bdeu = [own[every] - own[:, None] for own in bayes]
    return Local(straight, nml, bic, *bdeu)


def _best(counts: Counts, cost: Array) -> WeightedDAG:
    """Return the graph that costs the least."""
    plain: Sets = Multinomial(counts).sets(counts.d - 1, Masks())
    found = solve(plain, cost, 0.0)
    W = np.zeros((counts.d, counts.d))
    W[edges_into(found.parents)] = 1.0
    return WeightedDAG.from_matrix(W)


# --- blocks


def of_blocks(seeds: int, d: int) -> Table:
    """Learn with the price of an edge as it is, and lowered where much is left unexplained."""
    distances = ["kept", "lowered", "lowered − kept", "± se", "lower"]
    rows = [["tables", "degree", "discrete", "n", *distances]]
    for mechanism, (degree, share), n in product(FAMILIES, MIXTURES, MIXED_ROWS):
        label = f"{mechanism}, degree {degree}, {share:.0%}, n = {n}"
        make = partial(_kept_and_lowered, mechanism, degree, share, n, d)
        found = each(make, FIRST_SEED, seeds, label)
        means = [f"{value:.1f}" for value in found[:, :2].mean(axis=0)]
        shown = [*means, *change(found[:, 0], found[:, 1]), f"{found[:, 2].mean():.0%}"]
        rows.append([mechanism, str(degree), f"{share:.0%}", f"{n:,}", *shown])
    return Table(f"CPDAG-SHD, d = {d}, {seeds} graphs each (lower: how often the price is)", rows)


def _kept_and_lowered(
    mechanism: Mechanism, degree: float, share: float, n: int, d: int, seed: int
) -> tuple[float, float, float]:
    """Return two distances, and whether the price was lowered."""
    graph, draws = np.random.default_rng([seed, d, n, round(100 * share)]).spawn(2)
    W = erdos_renyi(d, round(degree * d / 2), rng=graph)
    frame = pd.DataFrame(mixed_sem(W, n, mechanism, share, rng=draws).to_pydict())
    blocks = keep(read_table(frame), Mixed.name)
    kept = learn(blocks, rng=0)
    with patch.object(Mixed, "may_cost_less", True):
        lowered = learn(blocks, rng=0)
    truth = W != 0
    one, other = (
        float(compare_classes(found.dag.adjacency(), truth).shd) for found in (kept, lowered)
    )
    return one, other, float(lowered.ebic_gamma < kept.ebic_gamma)
