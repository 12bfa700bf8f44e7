"""The search alone: who finds the better graph at one price of an edge, and how fast.

All searches are given one price, FLOP's or daglock's, so that a score is one and the same number
for all; it is worked out apart from any of them. The best known graph is the best of all that were
found on the same table. Seconds are those of the processor, of one thread, without loading,
compiling and handing over the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.graph import dag_to_cpdag
from daglock.metrics import compare_cpdag
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.typing import Array, BoolArray
from daglock_evaluation.harness.measures import consistent_extension, score_of
from daglock_evaluation.harness.shapes import (
    cause_hubs,
    effect_hubs,
    layered,
    random_pairs,
    regulators,
    small_world,
)
from daglock_evaluation.harness.store import Line, Store
from daglock_evaluation.harness.sweep import RECORDS
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.kinds import tetrad
from daglock_evaluation.methods.classes import gamma_of_flop
from daglock_evaluation.methods.tetrad import VERSION
from daglock_evaluation.studies import progress
from daglock_evaluation.studies.networks import Network
from daglock_evaluation.studies.price_tables import tables, together, widths
from daglock_evaluation.studies.recorded import measured, open_store

FILE = "same-price.jsonl"
FIELDS = ("method", "graphs", "d", "n", "price", "seed")
OURS, FLOP, BOSS = "daglock", "FLOP, 20 restarts", "BOSS"
ROWS = (200, 1000, 5000)
# By the number of variables: restarts of FLOP and of daglock for the best known graph; how many
# graphs of a cell the slow ones are given, FLOP with many restarts and BOSS; how many there are,
# unless somebody says otherwise.
MANY = {20: (200, 400), 50: (100, 400), 100: (40, 400), 200: (20, 400)}
GRAPHS_OF_FLOP = {20: 20, 50: 1, 100: 1, 200: 0}
GRAPHS_OF_BOSS = {20: 2, 50: 1, 100: 1, 200: 0}
GRAPHS = {20: 20, 50: 20, 100: 20, 200: 10}
# So many had earlier searches whose graphs are on record, and are not made again.
EARLIER = {50: 200, 100: 100, 200: 150}
# Of more variables than these the slow ones are given no graphs of a higher degree than that.
SMALL, SPARSE = 50, 4
NETWORKS = (
    *(Network(random_pairs, degree, (0.5, 1.0)) for degree in (2, 4, 8, 10)),
    Network(effect_hubs, 4, (0.5, 1.0)),
    Network(random_pairs, 4, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(regulators, 3, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(cause_hubs, 4, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(small_world, 4, (0.05, 1.0), variances=(0.5, 2.0)),
    Network(layered, 4, (0.05, 1.0), variances=(0.5, 2.0)),
)
# Of these there are tables of 200 columns.
LARGE = (1, 4, 5, 6, 7)
# Of this one with so many columns and rows FLOP with many restarts is given all graphs.
DENSE = (NETWORKS[3].label, 50, 1000)
Found = tuple[BoolArray, float]
Search = Callable[[Array, float, int], Found]


class Cell(NamedTuple):
    """Tables of one kind and size, and the price of an edge: FLOP's or daglock's."""

    net: Network
    d: int
    n: int
    price: str

    @property
    def gamma(self) -> float:
        """EBIC γ of the price."""
        own = self.price == OURS
        return default_gamma(self.n, self.d) if own else gamma_of_flop(self.n, self.d)

    @property
    def line(self) -> dict[str, str | int]:
        """What a record says about the cell."""
        return {"graphs": self.net.label, "d": self.d, "n": self.n, "price": self.price}


def flop(X: Array, gamma: float, seed: int, *, restarts: int) -> Found:
    """Search with FLOP at this price: a graph and seconds."""
    began = process_time()
    cpdag = import_module("flopsearch").flop(X, times_bic(X, gamma), restarts=restarts)
    seconds = process_time() - began
    return consistent_extension(np.asarray(cpdag, dtype=np.int8)), seconds


def boss(X: Array, gamma: float, seed: int, *, starts: int = 1) -> Found:
    """Search with Tetrad's BOSS at this price: from one order, as by default, or from several."""
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    data = tetrad.as_data(frame)
    began = process_time()
    price = times_bic(X, gamma)
    graph = tetrad.search_boss(data, seed, "sem", penaltyDiscount=price, numStarts=starts)
    seconds = process_time() - began
    return consistent_extension(tetrad.codes_of_graph(graph, [*frame])), seconds


def ours(
    X: Array,
    gamma: float,
    seed: int,
    *,
    restarts: int | None = None,
    start: str | None = None,
    **changed: Any,
) -> Found:
    """Search with daglock at this price, with some settings changed: a graph and seconds."""
    began = process_time()
    learned = learn(
        Moments.from_data(X),
        noise="unequal",
        ebic_gamma=gamma,
        start=start,
        n_restarts=restarts,
        rng=seed,
        by_margin=False,
        settings=replace(SETTINGS, max_exact=2, **changed),
    )
    return learned.to_sparse().toarray() != 0, process_time() - began


def times_bic(X: Array, gamma: float) -> float:
    """Return the price of an edge in units of that of the BIC, as FLOP and Tetrad count."""
    n, d = X.shape
    return float(1.0 + 4.0 * gamma * np.log(d) / np.log(n))


def searches(cell: Cell, seed: int) -> dict[str, Search]:
    """Return what is compared on a table: the slow ones on some."""
    many, own = MANY[cell.d]
    found: dict[str, Search] = {OURS: ours, FLOP: partial(flop, restarts=20)}
    found[f"{OURS}, {own} restarts"] = partial(ours, restarts=own)
    quick = cell.d <= SMALL or cell.net.degree <= SPARSE
    dense = (cell.net.label, cell.d, cell.n) == DENSE
    if dense or (quick and seed < GRAPHS_OF_FLOP[cell.d]):
        found[f"FLOP, {many} restarts"] = partial(flop, restarts=many)
    if quick and seed < GRAPHS_OF_BOSS[cell.d]:
        found[BOSS] = boss
        if cell.d <= 20:
            found["BOSS, 10 starts"] = partial(boss, starts=10)
    return found


def cells(d: int) -> list[Cell]:
    """Return the tables of d columns: the larger, the fewer kinds."""
    large = d > 100
    nets = [NETWORKS[i] for i in LARGE] if large else NETWORKS
    at_flop = [Cell(net, d, n, "FLOP") for net, n in product(nets, ROWS[:2] if large else ROWS)]
    return at_flop + [Cell(net, d, 1000, OURS) for net in nets]


def same_price(seeds: int | None, wanted: list[int], folder: Path = RECORDS) -> Iterator[Table]:
    """Measure what is not recorded yet (``--seeds 0``: nothing); tables of all that is."""
    store = open_store(folder / FILE, FIELDS)
    for d in wanted or MANY:
        count = GRAPHS[d] if seeds is None else seeds
        for seed, cell in progress(product(range(count), cells(d)), f"d = {d}"):
            measure(store, cell, searches(cell, seed), seed)
    yield from tables([*store.known.values()])


def windows(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Vary the width of the windows and the number of restarts, at one price."""
    methods: dict[str, Search] = {
        f"w = {w or 'none'}, {count} restarts": partial(ours, window=w, restarts=count)
        for w, count in product((0, 4, 6, 8), (1, 10, 40))
    }
    for d in wanted or (50, 100):
        kinds = ((NETWORKS[5], 1000), (NETWORKS[1], 200), (NETWORKS[3], 1000))
        lines: list[Line] = []
        for (net, n), seed in progress(product(kinds, range(seeds or 10)), f"d = {d}"):
            cell = Cell(net, d, n, OURS)
            lines += [searched(cell, name, search, seed) for name, search in methods.items()]
        yield widths(lines)


def exchanges(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Leave out exchanges of parents, and what is better in worse graphs, at one price."""
    methods: dict[str, Search] = {
        "as it is": ours,
        "no exchanges": partial(ours, exchanges=False),
        "nothing of worse graphs": partial(ours, crossing=False),
        "neither": partial(ours, exchanges=False, crossing=False),
        "as it is, 150 restarts": partial(ours, restarts=150),
    }
    yield from _weak(seeds, wanted, lambda d: methods)


def restarts(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Restart a fixed number of times in place of until the best score has come back, at one price.

    The numbers are multiples of how often it is to come back.
    """

    def methods(d: int) -> dict[str, Search]:
        usual = SETTINGS.default_restarts(1000, d)
        fixed = {f"{k * usual} restarts": partial(ours, restarts=k * usual) for k in (1, 2, 3, 6)}
        before = partial(ours, lead=1.0, rows_for_restarts=0, quick=1)
        return {"by default": ours, f"until it came back {usual} times": before, **fixed}

    yield from _weak(seeds, wanted, methods)


def starts(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Begin from an order from the covariance, or from the continuous stage, at one price."""
    methods: dict[str, Search] = {
        "order from the covariance": partial(ours, start="order"),
        "continuous stage": partial(ours, start="continuous"),
        "order from the covariance, no restarts": partial(ours, start="order", restarts=0),
        "continuous stage, no restarts": partial(ours, start="continuous", restarts=0),
    }
    yield from _weak(seeds, wanted, lambda d: methods)


def _weak(
    seeds: int | None, wanted: list[int], methods_of: Callable[[int], dict[str, Search]]
) -> Iterator[Table]:
    """Compare searches on graphs with weak and uneven effects."""
    for d in wanted or (50, 100):
        lines: list[Line] = []
        kinds, methods = product((5, 6, 7, 8), (200, 1000)), methods_of(d)
        for (kind, n), seed in progress(product(kinds, range(seeds or 10)), f"d = {d}"):
            cell = Cell(NETWORKS[kind], d, n, OURS)
            lines += [searched(cell, name, search, seed) for name, search in methods.items()]
        yield together(lines)


_warm: set[tuple[str, int]] = set()


def measure(store: Store, cell: Cell, methods: dict[str, Search], seed: int) -> None:
    """Record what each search finds on a table, unless that is known."""
    for name, search in methods.items():
        if store.get({**cell.line, "method": name, "seed": seed}) is None:
            store.add({**searched(cell, name, search, seed), "version": _version(name)})


def searched(cell: Cell, name: str, search: Search, seed: int) -> dict[str, str | int | float]:
    """Search on the table of a seed; before the first of a size once more, to compile."""
    if (name, cell.d) not in _warm:
        search(cell.net.draw(cell.d, 500, 10**6).X, 1.0, 0)
        _warm.add((name, cell.d))
    draw = cell.net.draw(cell.d, cell.n, seed)
    dag, seconds = search(draw.X, cell.gamma, seed)
    truth = np.asarray(dag_to_cpdag(np.asarray(draw.truth) != 0))
    distance = compare_cpdag(dag_to_cpdag(dag), truth).shd
    score = score_of(dag, draw.X, cell.gamma)
    return {**cell.line, "method": name, "seed": seed, **measured(score, distance, seconds)}


def _version(method: str) -> str:
    """Return the version of the package behind a search."""
    if method.startswith(BOSS):
        return f"Tetrad {VERSION}"
    package = "daglock" if method.startswith(OURS) else "flopsearch"
    return f"{package} {version(package)}"
