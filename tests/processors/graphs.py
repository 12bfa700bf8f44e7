"""Learn the graphs of many tables and print them: one line a table, the same on every processor.

``python -m tests.processors.graphs`` is run by test_processors.py under other kernels of BLAS and
NumPy. The tables are those on which ties are likely: copies, zeros and ones, standardised columns,
fewer rows than columns, and ordinary ones of many sizes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import numpy as np

from daglock import DAGLock, Knowledge
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array

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


def tables() -> Iterator[tuple[str, Array, dict[str, Any]]]:
    """Name, rows and settings of every table."""
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
        for d in (8, 16):
            X = simulated(seed, 150, d, 2 * d)
            known = Knowledge(tiers=[[0, 1], [2, 3, 4]], forbidden=[(5, 6)], required=[(2, 7)])
            yield f"knowledge {d} {seed}", X, {"knowledge": known, "noise": "unequal"}


def graph_of(X: Array, settings: dict[str, Any]) -> str:
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
