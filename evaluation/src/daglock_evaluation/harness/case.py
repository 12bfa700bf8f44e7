"""The data of a benchmark: a graph and a table for each seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from daglock.datasets import load_sachs
from daglock.errors import InvalidParameterError
from daglock.graph import Graph, as_csr
from daglock.simulate import erdos_renyi, linear_sem, scale_free
from daglock.simulate.sem import Noise
from daglock.typing import Array

# Above this many nodes the true graph is a sparse matrix.
DENSE = 2000
# Noise variance of a near copy: its correlation with its parents is about 0.999.
NEAR = 1e-3


@dataclass(frozen=True)
class Draw:
    """A table and the graph behind it, ``truth[i, j] != 0`` for i -> j."""

    X: Array
    truth: Graph


@dataclass(frozen=True)
class Case:
    """A random graph with data from linear equations on it.

    Attributes
    ----------
    d, n : columns and rows.
    edges_per_node : half the average degree; ER4 and SF4 have 4.
    graph : "er", all edges alike, or "sf", scale-free.
    weights, signs : sizes and signs of the effects.
    noise : distribution of the noise.
    variances : range that the noise variances are drawn from.
    standardised : every column is divided by its standard deviation, so that scale says nothing.
    near_copies : share of the nodes whose noise variance is `NEAR`.
    most_seeds : slow cases have fewer graphs.
    """

    d: int
    edges_per_node: float
    n: int = 1000
    graph: Literal["er", "sf"] = "er"
    weights: tuple[float, float] = (0.5, 1.0)
    signs: Literal["both", "positive"] = "both"
    noise: Noise = "gaussian"
    variances: tuple[float, float] = (1.0, 1.0)
    standardised: bool = False
    near_copies: float = 0.0
    most_seeds: int = 100
    # Whether there are other data of this kind, on which options can be chosen.
    tunable: ClassVar[bool] = True

    @property
    def target(self) -> Literal["dag", "class"]:
        """What the data identify.

        The DAG when noise variances are equal and the scale was kept, or when the noise is not
        Gaussian (though not by second moments, which are all that most methods look at); else
        its equivalence class.
        """
        equal = self.variances[0] == self.variances[1]
        kept = equal and not self.standardised and self.near_copies == 0.0
        return "dag" if kept or self.noise != "gaussian" else "class"

    @property
    def label(self) -> str:
        """One line for a table."""
        return f"{self.family} d={self.d} n={self.n}"

    @property
    def family(self) -> str:
        """The label without the numbers of rows and columns."""
        low, high = self.weights
        sign = "±" if self.signs == "both" else "+"
        parts = [f"{self.graph.upper()}{self.edges_per_node:g} {sign}[{low:g},{high:g}]"]
        if self.noise != "gaussian":
            parts.append(self.noise)
        if self.near_copies:
            parts.append(f"{self.near_copies:.0%} near copies")
        elif self.variances[0] != self.variances[1]:
            parts.append("unequal")
        if self.standardised:
            parts.append("standardised")
        return ", ".join(parts)

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""
        settings = {**asdict(self), "weights": [*self.weights], "variances": [*self.variances]}
        del settings["most_seeds"]
        return settings

    def draw(self, seed: int) -> Draw:
        """Return the graph and the table of a seed."""
        graph, variances, rows = np.random.default_rng([seed, self.d, self.n]).spawn(3)
        W = self._graph(graph)
        scale = variances.uniform(*self.variances, size=self.d)
        if self.near_copies:
            scale[variances.random(self.d) < self.near_copies] = NEAR
        X = linear_sem(W, self.n, noise=self.noise, noise_variances=scale, rng=rows)
        return Draw(standardise(X) if self.standardised else X, W)

    def _graph(self, rng: np.random.Generator) -> Graph:
        """Draw a weighted DAG."""
        effects = (self.weights, self.signs, rng)
        if self.graph == "sf":
            return scale_free(self.d, round(self.edges_per_node), *effects)
        n_edges = min(round(self.edges_per_node * self.d), self.d * (self.d - 1) // 2)
        if self.d > DENSE:
            return erdos_renyi(self.d, n_edges, *effects, sparse=True)
        return erdos_renyi(self.d, n_edges, *effects)


@dataclass(frozen=True)
class SachsCase:
    """The Sachs data; a seed gives another order of the columns, no other data.

    Attributes
    ----------
    variant : the 853 observational rows or all 7466.
    edges : of the published graph that counts as the truth, 17 or 20.
    scale : raw intensities, standardised, or logarithms.
    """

    variant: Literal["observational", "pooled"]
    edges: Literal[17, 20] = 17
    scale: Literal["raw", "standardised", "log"] = "raw"
    most_seeds: int = 3
    d: int = 11
    target: Literal["dag", "class"] = "class"
    tunable: ClassVar[bool] = False

    @property
    def n(self) -> int:
        """Rows."""
        return 853 if self.variant == "observational" else 7466

    @property
    def family(self) -> str:
        """The label, too: there is one size of each."""
        return f"Sachs-{self.n}, {self.scale}, {self.edges} edges"

    label = family

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""
        return {"sachs": self.variant, "edges": self.edges, "scale": self.scale}

    def draw(self, seed: int) -> Draw:
        """Return the data."""
        sachs = load_sachs(self.variant)
        X = np.log(sachs.data) if self.scale == "log" else sachs.data.copy()
        truth = sachs.truth_17 if self.edges == 17 else sachs.truth_20
        scaled = standardise(X) if self.scale == "standardised" else X
        return Draw(scaled, truth.astype(np.float64))


AnyCase = Case | SachsCase


def from_settings(settings: Mapping[str, Any]) -> AnyCase:
    """Return the case of some settings.

    Examples
    --------
    >>> case = Case(20, 2, variances=(0.5, 2.0), standardised=True)
    >>> from_settings(case.settings()) == case
    True
    """
    values = dict(settings)
    try:
        if "sachs" in values:
            return SachsCase(values.pop("sachs"), **values)
        for name in ("weights", "variances"):
            values[name] = tuple(values[name])
        return Case(**values)
    except (TypeError, KeyError) as error:
        raise InvalidParameterError(f"These are not the settings of a case: {settings}.") from error


def standardise(X: Array) -> Array:
    """Take location and scale away."""
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def permuted(draw: Draw, seed: int) -> Draw:
    """Return the data with their columns in random order: no method may profit from the order."""
    order = np.random.default_rng([seed, 7]).permutation(draw.X.shape[1])
    truth = as_csr(draw.truth)[order][:, order]
    return Draw(np.ascontiguousarray(draw.X[:, order]), truth)
