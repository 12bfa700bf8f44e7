"""The data of a benchmark: a graph and a table for each seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from daglock.datasets import load_sachs
from daglock.errors import InvalidParameterError
from daglock.graph import Graph, as_csr, topological_order
from daglock.simulate import erdos_renyi, linear_sem, scale_free
from daglock.simulate.sem import Noise
from daglock.typing import Array, BoolArray
from daglock_evaluation.harness.mechanisms import MECHANISMS, curved_sem
from daglock_evaluation.harness.shapes import (
    Shape,
    cause_hubs,
    layered,
    regulators,
    small_world,
)

# Shapes of graphs other than those of the simulator, with their names in labels.
SHAPES: dict[str, tuple[str, Shape]] = {
    "sw": ("small world ", small_world),
    "hubs": ("hubs ", cause_hubs),
    "regulators": ("regulators ", regulators),
    "layers": ("layers ", layered),
}
# Above this many nodes the true graph is a sparse matrix.
DENSE = 2000
# Noise variances of cases that are called unequal.
UNEQUAL = (0.5, 2.0)
# Share of the rows that is kept, as for training.
SPLIT = 0.8
# Noise variance of a near copy: its correlation with its parents is about 0.999.
NEAR = 1e-3


@dataclass(frozen=True)
class Draw:
    """A table and the graph behind it, ``truth[i, j] != 0`` for i -> j.

    Where columns are hidden, `acts` says of those that are shown whether i acts on j in any way.
    """

    X: Array
    truth: Graph
    acts: BoolArray | None = None


@dataclass(frozen=True)
class Case:
    """A random graph with data from linear equations on it.

    Attributes
    ----------
    d, n : columns and rows.
    edges_per_node : half the average degree; ER4 and SF4 have 4.
    graph : "er", all edges alike; "sf", scale-free, with hubs that many others cause; "hubs", with
        such that cause many others; "sw", small-world; "regulators", few that act on all others,
        as in networks of genes; "layers".
    weights, signs : sizes and signs of the effects.
    noise : distribution of the noise.
    variances : range that the noise variances are drawn from.
    standardised : every column is divided by its standard deviation, so that scale says nothing.
    prepared : what was done to the columns after that, a name in `PREPARATIONS`.
    curves : a name in `MECHANISMS` where effects are not linear; weights, signs and variances are
        then those of the mechanism.
    hidden : share of the columns that are not shown; they are roots that act on two others or more.
    near_copies : share of the nodes whose noise variance is `NEAR`.
    most_seeds : slow cases have fewer graphs.
    """

    d: int
    edges_per_node: float
    n: int = 1000
    graph: Literal["er", "sf", "sw", "hubs", "regulators", "layers"] = "er"
    weights: tuple[float, float] = (0.5, 1.0)
    signs: Literal["both", "positive"] = "both"
    noise: Noise = "gaussian"
    variances: tuple[float, float] = (1.0, 1.0)
    standardised: bool = False
    prepared: str = ""
    curves: str = ""
    hidden: float = 0.0
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
        kept = equal and not (self.standardised or self.near_copies or self.hidden)
        kept = kept and self.prepared != "min–max"
        return "dag" if kept or self.noise != "gaussian" or self.curves else "class"

    @property
    def label(self) -> str:
        """One line for a table."""
        return f"{self.family} d={self.d} n={self.n}"

    @property
    def family(self) -> str:
        """The label without the numbers of rows and columns."""
        shape = SHAPES[self.graph][0] if self.graph in SHAPES else self.graph.upper()
        parts = [f"{shape}{self.edges_per_node:g}"]
        if self.curves:
            parts.append(self.curves)
        else:
            low, high = self.weights
            parts[0] += f" {'±' if self.signs == 'both' else '+'}[{low:g},{high:g}]"
        if self.noise != "gaussian":
            parts.append(self.noise)
        if self.near_copies:
            parts.append(f"{self.near_copies:.0%} near copies")
        elif self.variances == UNEQUAL:
            parts.append("unequal")
        elif self.variances[0] != self.variances[1]:
            parts.append(f"variances [{self.variances[0]:g},{self.variances[1]:g}]")
        if self.hidden:
            parts.append(f"{self.hidden:.0%} hidden")
        if self.standardised:
            parts.append("standardised")
        if self.prepared:
            parts.append(self.prepared)
        return ", ".join(parts)

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""
        settings = {**asdict(self), "weights": [*self.weights], "variances": [*self.variances]}
        del settings["most_seeds"]
        return settings

    def draw(self, seed: int) -> Draw:
        """Return the graph and the table of a seed."""
        graph, variances, rows = np.random.default_rng([seed, self.d, self.n]).spawn(3)
        n = self.n if self.prepared != "split" else round(self.n / SPLIT)
        W = self._graph(graph)
        if self.curves:
            X = curved_sem(np.asarray(W), n, MECHANISMS[self.curves], rows)
        else:
            scale = variances.uniform(*self.variances, size=as_csr(W).shape[0])
            if self.near_copies:
                scale[variances.random(self.d) < self.near_copies] = NEAR
            X = linear_sem(W, n, noise=self.noise, noise_variances=scale, rng=rows)
        draw = Draw(X, W)
        if self.hidden:
            draw = show(draw, self.d)
        X = standardise(draw.X) if self.standardised else draw.X
        if self.prepared:
            X = PREPARATIONS[self.prepared](X, variances)
        return Draw(X, draw.truth, draw.acts)

    def _graph(self, rng: np.random.Generator) -> Graph:
        """Draw a weighted DAG; columns to hide come last."""
        effects = (self.weights, self.signs, rng)
        if self.graph == "sf":
            return scale_free(self.d, round(self.edges_per_node), *effects)
        if self.graph in SHAPES:
            edges = SHAPES[self.graph][1](self.d, 2.0 * self.edges_per_node, rng)
            order = rng.permutation(self.d)
            return weighted(edges[np.ix_(order, order)], *effects)
        n_edges = min(round(self.edges_per_node * self.d), self.d * (self.d - 1) // 2)
        if self.d > DENSE:
            return erdos_renyi(self.d, n_edges, *effects, sparse=True)
        W = erdos_renyi(self.d, n_edges, *effects)
        return with_causes(W, round(self.hidden * self.d), *effects) if self.hidden else W


def weighted(
    edges: BoolArray,
    weights: tuple[float, float],
    signs: Literal["both", "positive"],
    rng: np.random.Generator,
) -> Array:
    """Give edges their effects."""
    W = edges * rng.uniform(*weights, edges.shape)
    return np.asarray(W * rng.choice([-1.0, 1.0], edges.shape) if signs == "both" else W)


def with_causes(
    W: Array,
    count: int,
    weights: tuple[float, float],
    signs: Literal["both", "positive"],
    rng: np.random.Generator,
) -> Array:
    """Return the graph with `count` roots more, each acting on two or three of its nodes."""
    d = len(W)
    edges = np.zeros((d + count, d + count), dtype=np.bool_)
    for k in range(d, d + count):
        edges[k, rng.choice(d, size=rng.integers(2, 4), replace=False)] = True
    larger = weighted(edges, weights, signs, rng)
    larger[:d, :d] = W
    return larger


def show(draw: Draw, d: int) -> Draw:
    """Hide all but the first d columns."""
    acts = reaches(draw.truth)
    kept = np.asarray(draw.truth)[:d, :d]
    return Draw(np.ascontiguousarray(draw.X[:, :d]), kept, acts[:d, :d])


def reaches(W: Graph) -> BoolArray:
    """Return whether a directed path leads from i to j.

    Examples
    --------
    >>> reaches(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    edges = as_csr(W)
    found = np.zeros(edges.shape, dtype=np.bool_)
    for j in topological_order(edges):
        P = edges[:, [j]].nonzero()[0]
        found[P, j] = True
        found[:, j] |= found[:, P].any(axis=1)
    return found


def _split(X: Array, rng: np.random.Generator) -> Array:
    return X[rng.permutation(len(X))[: round(SPLIT * len(X))]]


def _min_max(X: Array, rng: np.random.Generator) -> Array:
    return np.asarray((X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)))


PREPARATIONS: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    "split": _split,
    "rounded": lambda X, rng: X.round(1),
    "min–max": _min_max,
}


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
    acts = None if draw.acts is None else draw.acts[np.ix_(order, order)]
    return Draw(np.ascontiguousarray(draw.X[:, order]), truth, acts)
