"""How far a walk hopes: what it costs, and what it misses, to end walks early."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time
from typing import Literal

import numpy as np

from daglock.engine import learn
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress

REACHES = (1.0, 2.0, 4.0, np.inf)
# Beyond this many variables walks that hope for all that a node could gain take minutes.
MAX_UNLIMITED = 300
# A difference of the scores, times the rows, that is not rounding.
CLEAR = 1e-3


@dataclass(frozen=True)
class Cell:
    """Random graphs with effects of one sign, where all depends on all, or of both."""

    d: int
    edges: int  # for each variable
    n: int
    noise: str

    def draw(self, seed: int) -> tuple[Array, Moments]:
        """Return a graph and its moments; standardised where variances are unequal."""
        equal = self.noise == "equal"
        rng = np.random.default_rng([seed, self.d])
        signs: Literal["positive", "both"] = "positive" if equal else "both"
        W = erdos_renyi(self.d, self.edges * self.d, signs=signs, rng=rng)
        X = linear_sem(W, self.n, rng=rng)
        return W, Moments.from_data(X if equal else X / X.std(axis=0))


CELLS = (
    Cell(100, 4, 5000, "equal"),
    Cell(300, 4, 5000, "equal"),
    Cell(1000, 4, 5000, "equal"),
    Cell(50, 2, 200, "unequal"),
    Cell(100, 2, 1000, "unequal"),
)


def reach(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Vary how many times what a candidate gains alone a node is expected to gain by it."""
    rows = [["d", "edges", "n", "noise", "reach", "worse", "SHD", "search, s", "with margins, s"]]
    for cell in [cell for cell in CELLS if not wanted or cell.d in wanted]:
        count = seeds or (10 if cell.d <= 100 else 5)
        reaches = [one for one in REACHES if one < np.inf or cell.d <= MAX_UNLIMITED]
        figures = {one: [_fit(cell, seed, one) for seed in _seeds(cell, count)] for one in reaches}
        found = {one: np.array(entries).T for one, entries in figures.items()}
        best = np.min([scores for scores, *_ in found.values()], axis=0)
        for one, (scores, distances, search, whole) in found.items():
            worse = int((cell.n * (scores - best) > CLEAR).sum())
            rows.append(
                [
                    *(str(cell.d), str(cell.edges * cell.d), str(cell.n), cell.noise),
                    "no limit" if one == np.inf else f"{one:g}",
                    f"{worse} of {count}",
                    f"{distances.mean():.1f}",
                    f"{search.mean():.2f}",
                    f"{whole.mean():.2f}",
                ]
            )
    yield Table(
        "How far a walk hopes: seconds of one core; SHD to the graph, or to its class", rows
    )


def _seeds(cell: Cell, count: int) -> Iterator[int]:
    """Draw one graph to compile the kernels, then give the seeds."""
    _fit(replace(cell, d=30), 0, SETTINGS.reach)
    yield from progress(range(count), f"d = {cell.d}, {cell.noise}")


def _fit(cell: Cell, seed: int, limit: float) -> tuple[float, float, float, float]:
    """Return score, distance, and seconds without and with what turning each edge costs."""
    W, moments = cell.draw(seed)
    settings = replace(SETTINGS, reach=limit)
    spent = []
    for by_margin in (False, True):
        began = process_time()
        found = learn(moments, noise=cell.noise, by_margin=by_margin, settings=settings)
        spent.append(process_time() - began)
    graph = found.to_sparse()
    distance = compare if cell.noise == "equal" else compare_classes
    return found.certificate.score, float(distance(graph, W).shd), spent[0], spent[1]
