"""Unequal noise variances: one for each node. Only the equivalence class is identified.

score = Σ_j log RSS_j + k·|E|
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import fdtrc

from daglock.checking import Candidates
from daglock.criteria.criterion import LogCriterion, Start
from daglock.knowledge import Masks
from daglock.search.lock import lock
from daglock.search.start import conditional_variance_order, precision_order
from daglock.settings import Settings
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.typing import Array, IntArray


class UnequalVariances(LogCriterion):
    """``Σ_j log RSS_j + k·|E|`` on the correlation, so that no scale plays a part.

    Examples
    --------
    >>> UnequalVariances.score(np.array([1.0, np.e]), n_edges=2, cost=0.1)
    1.2
    """

    name: ClassVar[str] = "unequal"
    described: ClassVar[str] = "a noise variance of its own for each variable"
    in_short: ClassVar[str] = "one for each"
    called: ClassVar[str] = "unequal variances"
    search_scale: ClassVar[str] = "on standardised columns: the certificate's score less a constant"
    score_equivalent: ClassVar[bool] = True
    default_start: ClassVar[str] = "continuous"

    @staticmethod
    def variance_price(n: int, d: int) -> float:
        """Return the price of a variance for each node."""
        return float(d * np.log(n) / n)

    @cached_property
    def matrix(self) -> Array:
        """The correlation."""
        return np.asarray(self.moments.standardised().cov)

    @cached_property
    def unit(self) -> Array:
        """Return the variances of the columns."""
        return np.diag(self.moments.cov)

    @staticmethod
    def none_is_better(graphs: Candidates, score: float, cost: float) -> bool:
        """Whether no DAG has a score below this one: the least is computed."""
        rest = np.log(graphs.alone).sum() + graphs.rss.shape[1] * np.log(graphs.scale)
        return bool(score <= graphs.least(np.log(graphs.rss), cost) + rest)

    def start(
        self, how: str | IntArray, cost: float, masks: Masks, settings: Settings, deadline: float
    ) -> Start:
        """Run the continuous stage, or find an order from the precision matrix."""
        n, d = self.moments.n, self.moments.d
        if not isinstance(how, str):
            return Start(how, 1.0)
        if how == "continuous":
            path = prox_linear_path(
                self.matrix, profile=True, n=n, allowed=masks.allowed, deadline=deadline
            )
            return Start(lock(path.W), 1.0, path.trace)
        order = None
        if n >= settings.rows_for_precision * d and d <= settings.max_full:
            order = precision_order(self.matrix, masks.before)
        if order is None:
            order, _ = conditional_variance_order(self.matrix, n, cost, masks.before, deadline)
        return Start(order, 1.0)

    def gains_by_chance(self, prices: Array, n_edges: int) -> Array:
        """Return a tail of F: a gain is −log(1 − R²), and R²/(1 − R²) times the freedom is an F."""
        left = max(self.moments.n - 2.0 - n_edges / self.moments.d, 1.0)
        return np.asarray(fdtrc(1.0, left, left * np.expm1(prices)))
