"""What is called directed where the rows break what daglock takes for granted about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from daglock import DAGLock
from daglock.graph import as_csr
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array
from daglock_evaluation.harness.case import reaches
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each

FIRST_SEED = 8000
ROWS, REPLICATES = 600, 50
# Of rows of another subgroup, which nobody recorded.
SHARE = 0.4
# Of rows that are chosen by what is in them.
KEPT = 1 / 3
Draw = Callable[[Array, np.random.Generator], Array]


def subgroup(W: Array, rng: np.random.Generator, *, shift: float) -> Array:
    """Draw rows of two groups whose means differ in every column, by chance, with this deviation.

    The shift is in standard deviations of a column.
    """
    X = linear_sem(W, ROWS, rng=rng)
    other = rng.random(ROWS) < SHARE
    return np.asarray(X + np.outer(other, shift * rng.standard_normal(len(W)) * X.std(axis=0)))


def series(W: Array, rng: np.random.Generator, *, memory: float) -> Array:
    """Draw rows whose noise remembers that of the row before."""
    noise = rng.standard_normal((ROWS, len(W)))
    for t in range(1, ROWS):
        noise[t] += memory * noise[t - 1]
    return np.asarray(noise @ np.linalg.inv(np.eye(len(W)) - W))


def copies(W: Array, rng: np.random.Generator, *, times: int) -> Array:
    """Draw a few rows and repeat them."""
    return np.asarray(np.tile(linear_sem(W, ROWS // times, rng=rng), (times, 1)))


def chosen(W: Array, rng: np.random.Generator, *, by: int) -> Array:
    """Draw rows of which only the highest are kept, by the sum of the last columns in the order."""
    X = linear_sem(W, int(ROWS / KEPT), rng=rng)
    last = np.argsort(reaches(as_csr(W)).sum(axis=1), kind="stable")[:by]
    sums = (X[:, last] / X[:, last].std(axis=0)).sum(axis=1)
    return np.asarray(X[np.sort(np.argsort(-sums)[:ROWS])])


KINDS: dict[str, Draw] = {
    "as it should be": partial(subgroup, shift=0.0),
    "two groups, means 0.5 sd apart": partial(subgroup, shift=0.5),
    "two groups, means 1 sd apart": partial(subgroup, shift=1.0),
    "two groups, means 2 sd apart": partial(subgroup, shift=2.0),
    "noise remembers 0.5 of the last": partial(series, memory=0.5),
    "noise remembers 0.8 of the last": partial(series, memory=0.8),
    "each row 10 times": partial(copies, times=10),
    "the highest third by one column": partial(chosen, by=1),
    "the highest third by two columns": partial(chosen, by=2),
}


def broken(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Count what is called directed, what of it is false, and what is the wrong way round."""
    count = seeds or 20
    rows: list[tuple[str, ...]] = [("rows", "d", "links", "directed", "false", "reversed")]
    for d in sizes or [8]:
        for name, draw in KINDS.items():
            found = each(partial(claimed, draw, d), FIRST_SEED, count, f"{name}, d = {d}")
            rows.append((name, str(d), *map(str, found.sum(axis=0))))
    yield Table(f"Directions of tables that break an assumption, {count} graphs a row", rows)


def claimed(draw: Draw, d: int, seed: int) -> tuple[int, int, int, int]:
    """Return how many links there are, directed, of these false, and of these reversed."""
    rng = np.random.default_rng([seed, d])
    W = erdos_renyi(d, d, weights=(0.5, 1.0), rng=rng)
    X = draw(W, rng)
    acts = reaches(as_csr(W))
    model = DAGLock("unequal", random_state=0, scores="raw").fit(X / X.std(axis=0))
    sure = model.assess(REPLICATES, rng=0)
    directed = np.array([claim == "directed" for claim in sure.claims.claims], dtype=np.bool_)
    i, j = sure.source[directed], sure.target[directed]
    wrong = int((~acts[i, j]).sum()), int(acts[j, i].sum())
    return int(sure.in_graph.sum()), int(directed.sum()), *wrong
