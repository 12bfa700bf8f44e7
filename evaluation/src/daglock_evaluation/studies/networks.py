"""Tables from graphs of many shapes, with weak and uneven effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from daglock.simulate import linear_sem
from daglock.typing import Array
from daglock_evaluation.harness.case import Draw, standardise
from daglock_evaluation.harness.shapes import Shape


@dataclass(frozen=True)
class Network:
    """Tables from random graphs of one shape.

    Attributes
    ----------
    shape : how the graphs look.
    degree : links of a node, on average.
    weights : absolute effects lie between these.
    law : all sizes are equally likely, "uniform"; all magnitudes, "log"; or those of a normal
        distribution with the second of the weights for its deviation, as far as they exceed the
        first.
    variances : of the noise, between these.
    standardised : whether the columns are.
    """

    shape: Shape
    degree: float
    weights: tuple[float, float]
    law: Literal["uniform", "log", "normal"] = "uniform"
    variances: tuple[float, float] = (1.0, 1.0)
    standardised: bool = True

    @property
    def label(self) -> str:
        """One line for a table."""
        low, high = self.weights
        shape = f"{self.shape.__name__.replace('_', ' ')} {self.degree:g}"
        effects = f"±[{low:g},{high:g}]"
        if self.law != "uniform":
            effects = f"normal {high:g}" if self.law == "normal" else f"{effects} {self.law}"
        parts = [shape, effects]
        if self.variances[0] != self.variances[1]:
            parts.append("uneven noise")
        return ", ".join(parts if self.standardised else [*parts, "raw"])

    def draw(self, d: int, n: int, seed: int) -> Draw:
        """Return the graph and the table of a seed; graphs are the same for all n."""
        graph, rows = np.random.default_rng([seed, d]).spawn(2)
        edges = self.shape(d, self.degree, graph)
        W = edges * self._sizes(d, graph) * graph.choice([-1.0, 1.0], (d, d))
        columns = graph.permutation(d)
        W = W[np.ix_(columns, columns)]
        X = linear_sem(W, n, noise_variances=graph.uniform(*self.variances, d), rng=rows)
        return Draw(standardise(X) if self.standardised else X, W)

    def _sizes(self, d: int, rng: np.random.Generator) -> Array:
        """Return absolute effects for all pairs."""
        low, high = self.weights
        if self.law == "uniform":
            return rng.uniform(low, high, (d, d))
        if self.law == "log":
            return np.asarray(np.exp(rng.uniform(np.log(low), np.log(high), (d, d))))
        return np.maximum(np.abs(rng.normal(0.0, high, (d, d))), low)
