"""The data of a benchmark: a graph, a table, and how to judge what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from daglock.graph import dag_to_cpdag
from daglock.metrics import compare_cpdag
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


@dataclass(frozen=True)
class Case:
    """An Erdős–Rényi graph with linear Gaussian data.

    ``edges_per_node`` is half the average degree. With ``unequal`` the noise variances are drawn
    from [0.5, 2] and every column is divided by its standard deviation, so that scale says nothing.
    """

    d: int
    edges_per_node: float
    n: int = 1000
    weights: tuple[float, float] = (0.5, 1.0)
    signs: Literal["both", "positive"] = "both"
    unequal: bool = False

    @property
    def label(self) -> str:
        """One line for a table."""
        low, high = self.weights
        sign = "±" if self.signs == "both" else "+"
        kind = "unequal" if self.unequal else "equal"
        return f"{kind} ER{self.edges_per_node:g} {sign}[{low:g},{high:g}] d={self.d} n={self.n}"

    def draw(self, seed: int) -> tuple[Array, Array]:
        """Return the weights W and the table X of a seed."""
        rng = np.random.default_rng([seed, self.d, self.n])
        n_edges = round(self.edges_per_node * self.d)
        W = np.asarray(
            erdos_renyi(self.d, n_edges, weights=self.weights, signs=self.signs, rng=rng)
        )
        variances = rng.uniform(0.5, 2.0, size=self.d) if self.unequal else 1.0
        X = linear_sem(W, self.n, noise_variances=variances, rng=rng)
        if self.unequal:
            X = (X - X.mean(axis=0)) / X.std(axis=0)
        return W, np.ascontiguousarray(X)


def cpdag_distance(cpdag: NDArray[np.int8], W: Array) -> int:
    """Count the pairs in which a CPDAG differs from that of the true graph."""
    return compare_cpdag(cpdag, np.asarray(dag_to_cpdag(W))).shd
