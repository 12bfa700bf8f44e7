"""What each part of the search buys, at one price of an edge: one varied at a time, or one time.

All searches on a table have the same criterion and the same price; a score is worked out apart
from them. Time is that of the processor, of one thread, so that what else the machine does plays no
part: a time limit is counted so, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time
from unittest.mock import patch

import numpy as np

from daglock.criteria import CRITERIA, Criterion, default_gamma
from daglock.engine import learn
from daglock.graph import Graph, edges_into
from daglock.knowledge import Masks
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock.search.run import choose_parents
from daglock.settings import SETTINGS
from daglock.typing import BoolArray, IntArray
from daglock_evaluation.benchmark.suites import SCALED
from daglock_evaluation.harness.case import Case, Draw
from daglock_evaluation.harness.measures import score_of_row
from daglock_evaluation.harness.process import timed
from daglock_evaluation.harness.shapes import regulators
from daglock_evaluation.harness.store import Store
from daglock_evaluation.harness.sweep import RECORDS
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress
from daglock_evaluation.studies.ablation_tables import tables
from daglock_evaluation.studies.networks import Network
from daglock_evaluation.studies.recorded import measured, open_store
from daglock_evaluation.studies.starts import (
    AT_ZERO,
    CONDITIONAL,
    CONTINUOUS,
    PRECISION,
    RANDOM,
    SLOW,
    STARTS,
    Start,
    price,
)

FILE = "ablation.jsonl"
FIELDS = ("cell", "start", "search", "seed")
# Graphs of a cell; those of slow starts, which are given none of more than so many variables.
GRAPHS, GRAPHS_OF_SLOW, MOST_OF_SLOW = 10, 2, 100
# Restarts and width of the windows; without moves of single nodes, and without anything else.
SEARCHES: dict[str, tuple[int, int] | None] = {
    "order": None,
    "moves": (0, 0),
    "windows": (1, SETTINGS.window),
    "10 restarts": (10, 0),
    "10 restarts, windows": (10, SETTINGS.window),
}
# With slow starts, and with equal variances, where windows and restarts are not the default.
FEW = ("order", "moves")
# Seconds, by the number of variables; then everybody restarts until they are over.
LIMITS = {50: (0.03, 0.1), 100: (0.1, 0.5), 200: (0.1,)}
WITH_WINDOWS = (RANDOM, CONDITIONAL, PRECISION, AT_ZERO, CONTINUOUS)
WITHOUT = (RANDOM, CONTINUOUS)
# Whose clock a time limit looks at.
CLOCKS = ("engine.request", "engine.fitting", "engine.choosing", "search.run", "_pace")


@dataclass(frozen=True)
class Cell:
    """Tables of one kind, and the noise model that they are searched with."""

    label: str
    noise: str
    n: int
    d: int
    draw: Callable[[int], Draw]


def _cell(label: str, case: Case) -> Cell:
    """Return the tables of a case, with the noise model that it has."""
    noise = "unequal" if case.target == "class" else "equal"
    return Cell(label, noise, case.n, case.d, case.draw)


WEAK = Network(regulators, 3, (0.05, 1.0), variances=(0.5, 2.0))
CELLS = (
    _cell("ER4, d = 50", Case(50, 4, **SCALED)),
    _cell("ER2, d = 100", Case(100, 2, **SCALED)),
    Cell("weak, hubs, d = 50", "unequal", 1000, 50, partial(WEAK.draw, 50, 1000)),
    _cell("ER2, d = 50, n = 200", Case(50, 2, n=200, **SCALED)),
    _cell("equal, ER4, d = 50", Case(50, 4, weights=(0.5, 2.0))),
    _cell("equal, ER4 positive, d = 200", Case(200, 4, signs="positive")),
)


def ablation(seeds: int | None, wanted: list[int], folder: Path = RECORDS) -> Iterator[Table]:
    """Measure what is not recorded yet (``--seeds 0``: nothing); tables of all that is."""
    store = open_store(folder / FILE, FIELDS)
    count = GRAPHS if seeds is None else seeds
    some = [cell for cell in CELLS if not wanted or cell.d in wanted]
    if count:
        _warm_up()
    for seed, cell in progress(product(range(count), some), "ablation"):
        measure(store, cell, seed)
    yield from tables([*store.known.values()])


def measure(store: Store, cell: Cell, seed: int) -> None:
    """Record what every search finds on a table, unless that is known."""
    draw = cell.draw(seed)
    moments = Moments.from_data(draw.X)
    criterion = CRITERIA[cell.noise](moments)
    orders: dict[str, IntArray] = {}
    took: dict[str, float] = {}

    def keep(start: str, search: str, run: Callable[[IntArray, float], Graph]) -> None:
        known = {"cell": cell.label, "start": start, "search": search, "seed": seed}
        if store.get(known) is not None:
            return
        if start not in orders:
            begin = {**STARTS, **SLOW}[start]
            orders[start], _, took[start] = timed(lambda: begin(criterion, seed))
        starting = took[start]
        dag, _, seconds = timed(lambda: run(orders[start], starting))
        distance = (compare if cell.noise == "equal" else compare_classes)(dag, draw.truth).shd
        figures = measured(moments.n * _score(dag, criterion), distance, starting + seconds)
        store.add({**known, **figures, "starting": round(starting, 4)})

    starts: dict[str, Start] = dict(STARTS)
    if cell.d <= MOST_OF_SLOW and seed < GRAPHS_OF_SLOW:
        starts |= SLOW
    for start, (name, options) in product(starts, SEARCHES.items()):
        if options is None:
            keep(start, name, partial(along, criterion))
        elif name in FEW or (start in STARTS and cell.noise == "unequal"):
            keep(start, name, partial(searched, criterion, seed, *options))
    for limit in LIMITS[cell.d]:
        for start in WITH_WINDOWS:
            keep(start, f"{limit:g} s", partial(until, criterion, seed, SETTINGS.window, limit))
        for start in WITHOUT:
            keep(start, f"{limit:g} s, no windows", partial(until, criterion, seed, 0, limit))
        keep(RANDOM, f"{limit:g} s, no moves", partial(orders_until, criterion, seed, limit))


def along(criterion: Criterion, order: IntArray, starting: float = 0.0) -> BoolArray:
    """Choose parents along an order, and leave it at that."""
    n, d = criterion.moments.n, criterion.moments.d
    cost = price(criterion.moments)
    start = criterion.start(order, cost, Masks(), SETTINGS, np.inf)
    spec = criterion.spec(start.weight, cost, SETTINGS.most_parents(n, d), Masks())
    full = SETTINGS.full_regressions_pay(n, d)
    dag = np.zeros((d, d), dtype=np.bool_)
    dag[edges_into(choose_parents(spec, order, full_regressions=full).parents)] = True
    return dag


def searched(
    criterion: Criterion,
    seed: int,
    restarts: int,
    window: int,
    order: IntArray,
    starting: float = 0.0,
    limit: float | None = None,
) -> Graph:
    """Search from an order that took so many seconds; a limit is for both together."""
    moments = criterion.moments
    learned = learn(
        moments,
        noise=criterion.name,
        ebic_gamma=default_gamma(moments.n, moments.d),
        determined="keep",
        start=order,
        n_restarts=restarts,
        time_limit=None if limit is None else max(limit - starting, 0.0),
        rng=seed,
        by_margin=False,
        settings=replace(SETTINGS, window=window),
    )
    return learned.to_sparse()


def until(
    criterion: Criterion, seed: int, window: int, limit: float, order: IntArray, starting: float
) -> Graph:
    """Search and restart until time is up."""
    with ExitStack() as stack:
        for module in CLOCKS:
            stack.enter_context(patch(f"daglock.{module}.perf_counter", process_time))
        return searched(criterion, seed, 10**6, window, order, starting, limit)


def orders_until(
    criterion: Criterion, seed: int, limit: float, order: IntArray, starting: float
) -> BoolArray:
    """Choose parents along one random order after the other until time is up."""
    end, rng = process_time() + limit - starting, np.random.default_rng(seed)
    best = along(criterion, order)
    score = _score(best, criterion)
    while process_time() < end:
        dag = along(criterion, rng.permutation(len(order)))
        if (now := _score(dag, criterion)) < score:
            best, score = dag, now
    return best


def _score(dag: Graph, criterion: Criterion) -> float:
    """Score a graph apart from any search, per row."""
    moments = criterion.moments
    return score_of_row(dag, moments, default_gamma(moments.n, moments.d), criterion.name)


def _warm_up() -> None:
    """Compile whatever is timed, on tables that are not looked at."""
    for noise in ("equal", "unequal"):
        scaled = SCALED if noise == "unequal" else {}
        moments = Moments.from_data(Case(30, 2, **scaled).draw(10**6).X)
        criterion = CRITERIA[noise](moments)
        for start in {**STARTS, **SLOW}.values():
            order = start(criterion, 0)
        along(criterion, order)
        searched(criterion, 0, 2, SETTINGS.window, order)
        until(criterion, 0, SETTINGS.window, 0.5, order, 0.0)
