"""Criteria whose nodes cost what no unit of a column has a part in: sets of variables, curves."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from daglock.checking import Candidates
from daglock.criteria.criterion import LogCriterion, Start
from daglock.criteria.price import by_chance
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.settings import Settings
from daglock.typing import Array, IntArray


class UnitlessCriterion(LogCriterion):
    """``Σ_j log RSS_j + k·|E|``, RSS_j the exponential of what a node costs beside its edges."""

    search_scale: ClassVar[str] = "the certificate's score"
    default_start: ClassVar[str] = "order"

    @staticmethod
    def variance_price(n: int, d: int) -> float:
        """Nothing: there is no other criterion to compare with."""
        return 0.0

    @cached_property
    def unit(self) -> Array:
        """Ones: what stands for residual variances has no unit."""
        return np.ones(self.moments.d)

    def gradient_residual(self, dag: WeightedDAG) -> float:
        """Nothing: what is estimated has a closed form."""
        return 0.0

    @staticmethod
    def none_is_better(graphs: Candidates, score: float, cost: float) -> bool:
        """Whether no DAG has a score below this one: the least is computed."""
        return bool(score <= graphs.least(np.log(graphs.rss), cost))

    def start(
        self, how: str | IntArray, cost: float, masks: Masks, settings: Settings, deadline: float
    ) -> Start:
        """Begin with the order that costs nothing, or with the one that was given."""
        return self.cheap_start() if isinstance(how, str) else Start(how, 1.0)

    def gains_by_chance(self, prices: Array, n_edges: int) -> Array:
        """Return a tail of χ², with the degrees of freedom of an edge between each pair."""
        return by_chance(self.moments.n, prices, self.moments.freedoms, self.moments.extras)
