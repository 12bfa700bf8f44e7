"""Equal noise variances: one σ² for all nodes. The DAG itself is identified.

    score = d·log(Σ_j RSS_j / d) + k·|E|

The logarithm is concave, so Σ RSS_j/σ² + k|E| with σ² = Σ RSS_j / d lies above the score and
touches it: a graph that is better at this σ² has the better score.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import chdtrc

from daglock.checking import Candidates
from daglock.criteria.criterion import Criterion, Start
from daglock.knowledge import Masks
from daglock.search.all_sets import Sets
from daglock.search.exact import Best, best_equal
from daglock.search.lock import lock
from daglock.search.start import conditional_variance_order
from daglock.settings import SETTINGS, Settings
from daglock.solution import FitTrace
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.ties import ranks
from daglock.typing import Array, IntArray


class EqualVariances(Criterion):
    """``d·log(Σ_j RSS_j / d) + k·|E|`` on the covariance.

    Examples
    --------
    >>> round(EqualVariances.score(np.array([1.0, 3.0]), n_edges=2, cost=0.1), 4)
    1.5863
    """

    name: ClassVar[str] = "equal"
    described: ClassVar[str] = "the same noise variance for all variables"
    in_short: ClassVar[str] = "one for all"
    called: ClassVar[str] = "equal variances"
    search_scale: ClassVar[str] = "at the last common noise variance"
    score_equivalent: ClassVar[bool] = False
    logarithmic: ClassVar[bool] = False
    default_start: ClassVar[str] = "order"

    @staticmethod
    def fit(rss: Array) -> float:
        """``d·log(Σ_j RSS_j / d)``."""
        return float(len(rss) * np.log(np.mean(rss)))

    @staticmethod
    def variance_price(n: int, d: int) -> float:
        """One variance."""
        return float(np.log(n) / n)

    @staticmethod
    def noise_variances(rss: Array) -> Array:
        """Return the pooled variance, for every node."""
        return np.full(len(rss), rss.mean())

    @cached_property
    def matrix(self) -> Array:
        """The covariance: the scale of the columns matters."""
        return np.asarray(self.moments.cov)

    @cached_property
    def unit(self) -> Array:
        """Residual variances are those of the data."""
        return np.ones(self.moments.d)

    @staticmethod
    def weight(rss: Array) -> float:
        """``1/σ²``."""
        return 1.0 / float(np.mean(rss))

    @staticmethod
    def best_of_all(sets: Sets, cost: float, deadline: float = np.inf) -> Best:
        """Along the convex hull of all graphs."""
        return best_equal(sets, cost, deadline)

    @staticmethod
    def none_is_better(graphs: Candidates, score: float, cost: float) -> bool:
        """Whether no DAG has a score below this one.

        A graph is a point (E, R) with E edges and R = Σ RSS_j, and one with a score below Q lies
        below the curve ``R = d·exp((Q − kE)/d)``. The curve is convex in E, so points with whole
        E lie on it or above exactly when they lie above each line through its values at E and
        E + 1, and a line bounds R + t·E from below. One least total v for a line bounds R by
        v − t·E for all other E as well, which spares most of the lines.
        """
        free = graphs.rss.shape[1]
        d = free + len(graphs.alone)
        rest = graphs.alone.sum() / graphs.scale
        E = np.arange(free * (free - 1) // 2 + 2)
        curve = d * np.exp((score - d * np.log(graphs.scale) - cost * E) / d)
        unsettled = np.ones(len(E), dtype=np.bool_)
        while unsettled.any():
            left = np.flatnonzero(unsettled)
            e = min(int(left[len(left) // 2]), len(E) - 2)
            t = curve[e] - curve[e + 1]
            least = graphs.least(graphs.rss, t) + rest
            if least < (curve[e] + t * e) * (1.0 - 1e-12):
                return False
            unsettled &= least - t * E < curve
            unsettled[e : e + 2] = False
        return True

    def start(
        self, how: str | IntArray, cost: float, masks: Masks, settings: Settings, deadline: float
    ) -> Start:
        """Find an order of conditional variances, for its σ² if for nothing else."""
        n = self.moments.n
        order, sigma2 = conditional_variance_order(self.matrix, n, cost, masks.before, deadline)
        trace = FitTrace()
        if not isinstance(how, str):
            order = how
        elif how == "continuous":
            path = prox_linear_path(
                self.matrix / sigma2, profile=False, n=n, allowed=masks.allowed, deadline=deadline
            )
            order, trace = lock(path.W), path.trace
        return Start(order, 1.0 / sigma2, trace)

    def cheap_start(self) -> Start:
        """By variance: effects vary more than their causes."""
        variance = np.diag(self.matrix)
        return Start(np.argsort(ranks(variance), kind="stable"), 1.0 / float(variance.min()))

    def default_restarts(self, settings: Settings) -> int:
        """None: the start is good."""
        return 0

    def gains_by_chance(self, prices: Array, n_edges: int) -> Array:
        """n·gain is χ² with one degree of freedom: all nodes together tell the variance."""
        return np.asarray(chdtrc(1.0, self.moments.n * prices))

    def overdispersion(self, rss: Array) -> float:
        """Return how many times more residual variances differ than those of equal noise would.

        Bartlett's statistic over its degrees of freedom, d − 1, and at least 1: where noise
        variances differ a little, a larger one says so much less about the direction of an edge.
        """
        return float(max(1.0, self.moments.n * bartlett(rss) / max(len(rss) - 1, 1)))


def may_agree_by_chance(n: int, d: int, settings: Settings = SETTINGS) -> bool:
    """Whether residual variances of d columns in whatever units could well agree by chance.

    Columns whose units have nothing to do with each other have variances that differ by up to a
    factor `Settings.units`, evenly on a logarithmic scale. Some order of them makes each agree with
    the first up to 4 standard errors √(2/n) of a logarithm with the probability

        (8 √(2/n) / log units)^(d−1),

    nearly. Two or three columns, or a few more with few rows, are no evidence of equal variances.

    Examples
    --------
    >>> [may_agree_by_chance(n, d) for n, d in ((1000, 3), (1000, 4), (100, 6), (100, 7))]
    [True, False, True, False]
    """
    share = min(1.0, 8.0 * np.sqrt(2.0 / n) / np.log(settings.units))
    return bool(share ** (d - 1) > settings.by_chance)


def has_one_scale(variance: Array, settings: Settings = SETTINGS) -> bool:
    """Whether all columns have the same variance, as after standardising.

    Under equal noise variances effects vary more than columns without a cause, so a graph with
    edges does not give such columns: their scale was taken away, and says nothing.
    """
    return bool(variance.max() <= (1.0 + settings.one_scale) * variance.min())


def variances_agree(rss: Array, n: int, settings: Settings = SETTINGS) -> bool:
    """Whether the residuals of an equal-variance graph confirm that the variances are equal.

    n times `bartlett` is about χ² with d − 1 degrees of freedom where the variances are equal; the
    BIC asks (d − 1)·log n for telling them apart. Below half of that the graph is taken as it
    is, see docs/theory.md, section 6.

    Examples
    --------
    >>> variances_agree(np.array([1.0, 1.05, 0.95, 1.0]), n=1000)
    True
    >>> variances_agree(np.array([1.0, 0.5, 2.0, 1.0]), n=1000)
    False
    """
    return bool(bartlett(rss) < settings.agree * (len(rss) - 1) * np.log(n) / n)


def explains_scale(variance: Array, rss: Array, n: int, settings: Settings = SETTINGS) -> bool:
    """Whether an equal-variance graph accounts for most of what the columns' variances differ by.

    If noise variances are equal, columns differ in variance because of the edges, and residuals do
    not. Where the scale is arbitrary, as in a table that was standardised and then split or
    rounded, or scaled to a range, taking out what parents explain does not make variances alike.
    Bartlett's statistic of the residuals must not exceed that of the columns, and what it is above
    its expected value, d − 1, must be at most a third of what that of the columns is.

    Examples
    --------
    >>> variance = np.array([1.0, 2.0, 3.0])
    >>> explains_scale(variance, rss=np.array([1.0, 1.1, 0.9]), n=100)
    True
    >>> explains_scale(variance, rss=np.array([1.0, 1.5, 2.5]), n=100)
    False
    """
    by_chance = len(rss) - 1
    before, left = n * bartlett(variance), n * bartlett(rss)
    most = by_chance + settings.unexplained * max(before - by_chance, 0.0)
    return left <= min(before, most)


def bartlett(variances: Array) -> float:
    """Return ``d·log(Σ v_j / d) − Σ log v_j``: zero where all are equal."""
    return float(len(variances) * np.log(np.mean(variances)) - np.sum(np.log(variances)))
