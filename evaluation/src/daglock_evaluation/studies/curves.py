"""Curved effects: the additive criterion beside that of lines, where curves are and where not.

Constants of the criterion (`daglock.curves`, `daglock.criteria.curved`) were chosen on other
functions and other graphs: sines, hyperbolic tangents, kinks and bent lines, Gaussian processes of
bandwidths 0.7 and 1.5, networks of twenty hidden units, and lines, for 8 and 9 variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from daglock import DAGLock
from daglock.metrics import compare, compare_classes
from daglock.simulate import erdos_renyi
from daglock.typing import Array
from daglock_evaluation.harness.mechanisms import (
    Mechanism,
    curved_sem,
    lines,
    process,
    processes,
    sigmoids,
)
from daglock_evaluation.harness.process import timed
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each, fitted

ROWS = 1000
HEAD = (
    *("data", "d", "edges", "lines: SHD", "class", "s", "curves: SHD", "class", "s"),
    *("identified", "of these wrong", "by curves"),
)
CLAIMS = ("data", "d", "edges", "links", "directed", "wrong", "leaning", "wrong")
# Seeds of graphs for claims begin here: others than those of distances.
FURTHER = 1000


@dataclass(frozen=True)
class Cell:
    """Tables of one kind."""

    name: str
    mechanism: Mechanism
    d: int
    n_edges: int
    skewed: bool = False  # exponential noise in place of Gaussian noise


CELLS = (
    Cell("GP of all parents", process, 10, 10),
    Cell("GP of all parents", process, 10, 40),
    Cell("sum of GPs", processes, 10, 10),
    Cell("sum of GPs", processes, 10, 40),
    Cell("sum of GPs", processes, 20, 20),
    Cell("sum of GPs", processes, 50, 50),
    Cell("sum of sigmoids", sigmoids, 20, 20),
    Cell("sum of sigmoids", sigmoids, 50, 50),
    Cell("lines", lines, 10, 10),
    Cell("lines", lines, 10, 40),
    Cell("lines", lines, 20, 20),
    Cell("lines", lines, 50, 50),
    Cell("lines, exponential noise", lines, 20, 20, skewed=True),
    Cell("sum of sigmoids, exponential noise", sigmoids, 20, 20, skewed=True),
)


def draw(cell: Cell, seed: int, n: int = ROWS) -> tuple[Array, Array]:
    """Return a graph and a table."""
    rng = np.random.default_rng(seed)
    W = (erdos_renyi(cell.d, cell.n_edges, rng=rng) != 0).astype(np.float64)
    return W, curved_sem(W, n, cell.mechanism, rng, skewed=cell.skewed)


def curves(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Compare distances to the graph and to its class, claims, and seconds."""
    rows: list[tuple[str, ...]] = [HEAD]
    n_graphs = seeds or 10
    for cell in CELLS:
        if sizes and cell.d not in sizes:
            continue
        what = f"{cell.name}, d = {cell.d}, {cell.n_edges} edges"
        found = each(partial(_one, cell), 0, n_graphs, what)
        *numbers, identified, wrong, by_curves, n_edges = found.sum(axis=0)
        shares = identified / n_edges, wrong / max(identified, 1.0), by_curves / n_edges
        cells = [f"{number / n_graphs:.2f}" for number in numbers]
        rows.append(
            (cell.name, str(cell.d), str(cell.n_edges), *cells, *(f"{x:.0%}" for x in shares))
        )
    yield Table(f"Lines and curves, n = {ROWS}, {n_graphs} graphs a row", rows)


def _one(cell: Cell, seed: int) -> tuple[float, ...]:
    """Return distances and seconds of both, and how many edges of the second are identified."""
    W, X = draw(cell, seed)
    result: list[float] = []
    for curved in (False, True):
        model, seconds, _ = timed(partial(fitted, DAGLock(curved=curved), X))
        found = model.weights_
        result += [compare(found, W).shd, compare_classes(found, W).shd, seconds]
    edges = model.edges_
    by, right = edges["identified_by"], W[edges["source"], edges["target"]] != 0
    told = by != ""
    return (*result, told.sum(), (told & ~right).sum(), (by == "curves").sum(), len(by))


def curve_claims(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Count what is claimed of the directions of links that are there, and how much is wrong."""
    cells = [cell for cell in CELLS if cell.d in (sizes or [10, 20])]
    yield claims_table("Claims about directions with curves", cells, FURTHER, seeds or 10)


def claims_table(title: str, cells: Sequence[Cell], first: int, n_graphs: int) -> Table:
    """Return a table of claims, of graphs with seeds from the first one on."""
    rows: list[tuple[str, ...]] = [CLAIMS]
    for cell in cells:
        what = f"{cell.name}, d = {cell.d}, {cell.n_edges} edges"
        found = each(partial(_claimed, cell), first, n_graphs, what).sum(axis=0)
        rows.append((cell.name, str(cell.d), str(cell.n_edges), *map(str, found)))
    return Table(f"{title}, {n_graphs} graphs a row", rows)


def _claimed(cell: Cell, seed: int) -> tuple[int, ...]:
    """Return the links that are there, and directed and leaning ones with how many are wrong."""
    W, X = draw(cell, seed)
    model = fitted(DAGLock(curved=True, random_state=0), X)
    place = {name: k for k, name in enumerate(model.names_)}
    ways = [(place[edge.source], place[edge.target], edge.claim) for edge in model.claimed_edges()]
    there = [(claim, bool(W[i, j])) for i, j, claim in ways if W[i, j] or W[j, i]]
    counts = [len(there)]
    for wanted in ("directed", "leaning"):
        right = [is_right for claim, is_right in there if claim == wanted]
        counts += [len(right), len(right) - sum(right)]
    return tuple(counts)
