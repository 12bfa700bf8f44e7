"""Learn the graphs of many tables and print them: one line a table, the same on every processor.

``python -m tests.processors graphs`` runs this under other kernels of BLAS and NumPy. The tables
are those on which ties are likely: copies, zeros and ones, standardised columns, fewer rows than
columns, categories that can change places, and ordinary ones of many sizes, of numbers, categories
or both, with gaps and by ranks.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np

from daglock import DAGLock, Knowledge
from daglock.simulate import erdos_renyi, linear_sem
from daglock.table import Table
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.typing import Array, IntArray

# Rows, columns, edges, noise models, and on how many seeds.
SIZES: list[tuple[int, int, int, tuple[str, ...], int]] = [
    (100, 6, 7, ("equal", "unequal", "auto"), 4),
    (200, 12, 18, ("equal", "unequal", "auto"), 3),
    (1000, 14, 20, ("equal", "unequal"), 1),
    (12, 10, 12, ("equal", "unequal"), 4),
    (1000, 20, 40, ("equal", "unequal", "auto"), 3),
    (100, 25, 50, ("equal", "unequal"), 3),
    (30, 40, 60, ("equal", "unequal"), 3),
    (500, 50, 100, ("equal", "unequal"), 2),
    (300, 100, 150, ("equal", "unequal"), 1),
    (1000, 200, 250, ("equal", "unequal"), 1),
]


def simulated(seed: int, n: int, d: int, edges: int) -> Array:
    """Rows of a random graph; noise variances differ for every other seed."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, edges, rng=rng)
    variances = rng.uniform(0.5, 2.0, d) if seed % 2 else 1.0
    return linear_sem(W, n, noise_variances=variances, rng=rng)


def codes(X: Array) -> IntArray:
    """Rows cut into two to four levels, by column."""
    levels = [2 + j % 3 for j in range(X.shape[1])]
    cuts = [np.quantile(x, np.arange(1, r) / r) for x, r in zip(X.T, levels, strict=True)]
    return np.column_stack([np.digitize(x, cut) for x, cut in zip(X.T, cuts, strict=True)])


def of_kinds(X: Array | IntArray, discrete: int) -> Table:
    """Return a table whose first columns are categories."""
    kinds = [
        ColumnKind(Kind.CATEGORICAL, tuple("abcd"[: int(x.max()) + 1]))
        if j < discrete
        else CONTINUOUS
        for j, x in enumerate(X.T)
    ]
    return Table(X.astype(np.float64), kinds=tuple(kinds))


def tables() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Name, rows and settings of every table."""
    yield from tables_of_numbers()
    yield from tables_of_categories()
    yield from tables_with_gaps()


def tables_of_numbers() -> Iterator[tuple[str, Array, dict[str, Any]]]:
    """Ordinary tables of many sizes, and tables in which columns tie."""
    for n, d, edges, noises, seeds in SIZES:
        for seed in range(seeds):
            X = simulated(seed, n, d, edges)
            for noise in noises:
                yield f"plain {n}x{d} {noise} {seed}", X, {"noise": noise}
                Z = (X - X.mean(axis=0)) / X.std(axis=0)
                yield f"standardised {n}x{d} {noise} {seed}", Z, {"noise": noise}
    for seed in range(6):
        for d, noise in ((7, "unequal"), (7, "equal"), (18, "unequal"), (18, "equal")):
            X = simulated(seed, 80, d, 2 * d)
            copies = np.column_stack([X, X[:, 0], -2.0 * X[:, 1], X[:, 2] + X[:, 3]])
            for determined in ("drop", "keep"):
                settings = {"noise": noise, "determined": determined}
                yield f"copies {d} {noise} {determined} {seed}", copies, settings
            yield f"zeros and ones {d} {noise} {seed}", (X > 0.5).astype(float), {"noise": noise}
            yield f"one digit {d} {noise} {seed}", np.round(X), {"noise": noise}
    for seed in range(4):
        for d in (8, 20):
            X = simulated(seed, 150, d, 2 * d)
            known = Knowledge(tiers=[[0, 1], [2, 3, 4]], forbidden=[(5, 6)], required=[(2, 7)])
            yield f"knowledge {d} {seed}", X, {"knowledge": known, "noise": "unequal"}


def tables_of_categories() -> Iterator[tuple[str, Table, dict[str, Any]]]:
    """Counts and blocks of columns: ordinary ones, and ties by construction."""
    for seed in range(3):
        for d in (5, 9, 12, 19):
            X = simulated(seed, 400, d, 3 * d // 2)
            C = codes(X)
            yield f"counts {d} {seed}", of_kinds(C, d), {"noise": "counts"}
            yield f"blocks {d} {seed}", of_kinds(C, d), {"noise": "mixed"}
            half = np.column_stack([C[:, : d // 2], X[:, d // 2 :]])
            yield f"mixed {d} {seed}", of_kinds(half, d // 2), {}
            for name, T, discrete in ties_of_categories(C, half):
                for noise in ("counts", "mixed") if discrete == T.shape[1] else ("mixed",):
                    settings = {"noise": noise, "determined": "keep", "scores": "raw"}
                    yield f"{name} {noise} {d} {seed}", of_kinds(T, discrete), settings
    parity = np.array([[a, b, c, a ^ b ^ c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 40)
    for noise in ("counts", "mixed"):
        yield f"parity {noise}", of_kinds(parity, 4), {"noise": noise}


def ties_of_categories(C: IntArray, half: Array) -> Iterator[tuple[str, Array | IntArray, int]]:
    """Name, rows and number of categories of tables in which variables tie."""
    d, near = C.shape[1], C[:, 0].copy()
    near[0] = (near[0] + 1) % (near.max() + 1)
    swapped = np.arange(d)
    swapped[[0, 3]] = 3, 0  # of as many levels
    yield "nearly copies", np.column_stack([near, C]), d + 1
    yield "other codes", np.column_stack([C[:, 1].max() - C[:, 1], C]), d + 1
    yield "places changed", np.vstack([C, C[:, swapped]]), d
    yield "rows twice", np.vstack([C, C]), d
    yield "numbers copied", np.column_stack([half, half[:, -1], -half[:, -2]]), d // 2
    other = half.copy()
    other[:, [-1, -2]] = half[:, [-2, -1]]
    yield "numbers changed", np.vstack([half, other]), d // 2


def tables_with_gaps() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Values missing at random, of numbers and of categories, and ranks in place of values."""
    for seed in range(3):
        for d in (6, 20):
            X, settings = simulated(seed, 200, d, 2 * d), {"missing": "model"}
            gone = np.random.default_rng(seed).random(X.shape) < 0.1
            for noise in ("equal", "unequal"):
                rows = np.where(gone, np.nan, X)
                yield f"gaps {d} {noise} {seed}", rows, {**settings, "noise": noise}
                copies = np.column_stack([rows, X[:, 0], -2.0 * X[:, 1]])
                yield f"gaps and copies {d} {noise} {seed}", copies, {**settings, "noise": noise}
            half = np.column_stack([codes(X)[:, : d // 2], X[:, d // 2 :]]).astype(np.float64)
            table = of_kinds(half, d // 2)
            with_gaps = Table(np.where(gone, np.nan, half), kinds=table.kinds)
            yield f"gaps and categories {d} {seed}", with_gaps, settings
            for scores in ("auto", "normal"):
                yield f"scores {d} {scores} {seed}", np.exp(X), {"scores": scores}
            yield f"scores of one digit {d} {seed}", np.round(X), {"scores": "normal"}


def graph_of(X: Any, settings: dict[str, Any]) -> str:
    """Edges, order, orientation and noise model of the graph, as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learned = DAGLock(random_state=0, **settings).fit(X).learned_
    parts = (learned.dag.source, learned.dag.target, learned.dag.order, learned.dag.oriented)
    return " ".join([learned.noise, *(repr(part.tolist()) for part in parts)])


def replicates(seed: int) -> str:
    """How often each edge comes back when rows are drawn again."""
    X = np.round(simulated(seed, 60, 8, 12), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bootstrap = DAGLock(random_state=0).fit(X).bootstrap(20, rng=0, progress=False)
    return repr([bootstrap.first.tolist(), bootstrap.second.tolist(), bootstrap.forward.tolist()])


if __name__ == "__main__":
    for name, X, settings in tables():
        print(f"{name}: {sha256(graph_of(X, settings).encode()).hexdigest()[:16]}", flush=True)
    for seed in range(4):
        print(f"bootstrap {seed}: {sha256(replicates(seed).encode()).hexdigest()[:16]}", flush=True)
