"""Curved effects: each variable is a sum of smooth curves of its parents, and Gaussian noise.

    score = Σ_j [log RSS_j + (log|A_PP| − log|R_PP| + b·|P_j|) / n] + k·|E|

RSS_j is what curves of the parents leave of the column j itself, the rest in brackets what their
bends cost, see `daglock.search.curves`. A curve has a direction: turned round, the noise is no
longer the same along it. So the DAG itself is identified, except where lines do: without bends
equivalent graphs have one score. Where columns are few and parents act together, a node costs what
one surface of all its parents does, if that is less (`daglock.surfaces`).

References
----------
Bühlmann, Peters and Ernest, CAM: causal additive models, high-dimensional order search and
penalized regression, Annals of Statistics 42 (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from daglock.criteria.criterion import Start, strengths
from daglock.criteria.price import default_gamma, edge_cost
from daglock.criteria.unitless import UnitlessCriterion
from daglock.curves import Curves, correlate, members
from daglock.graph import WeightedDAG, edges_into
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.search.all_curves import all_curve_costs
from daglock.search.all_sets import Sets, make_curve_sets, make_known_sets
from daglock.search.curves import (
    CurveSpec,
    curve_costs,
    curve_fits,
    curve_gains,
    curve_gains_of_edges,
    make_curve_spec,
    make_curve_work,
)
from daglock.search.memo import IMPROVES, PARENT
from daglock.search.node import AnySpec, nodes_of
from daglock.search.spec import ALLOWED, knowledge_flags
from daglock.search.state import work_out
from daglock.settings import SETTINGS
from daglock.surfaces import WIDTHS, Surfaces, all_surface_costs, are_few, surface_costs
from daglock.typing import Array, IntArray

# How large bends may be, see `Curves.ridge`. From so sharp a one on a curve is of more functions.
SHARPNESS = (0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
_SHARP = 16.0
MORE_FUNCTIONS = 12


class Curved(UnitlessCriterion):
    """``Σ_j log RSS_j + k·|E|``, RSS_j with what bends cost in its logarithm.

    The weight of an edge is a strength, ``√(1 − RSS_j(P) / RSS_j(P without i))``, between 0 and 1:
    the absolute value of a partial correlation, were the curve a line. With surfaces RSS has what
    they cost in it.
    """

    name: ClassVar[str] = "curves"
    described: ClassVar[str] = "curved effects, and a noise variance of its own for each variable"
    in_short: ClassVar[str] = "curves"
    called: ClassVar[str] = "curved effects"
    score_equivalent: ClassVar[bool] = False
    moments: Curves

    @cached_property
    def plain(self) -> CurveSpec:
        """Without prices and knowledge: for what parents cost."""
        kept = self.moments
        size = kept.ridged, kept.n_functions, kept.n, kept.bend
        return make_curve_spec(*size, 0.0, max_parents=kept.d - 1)

    def spec(
        self, weight: float, cost: float, max_parents: int, masks: Masks, *, bounded: bool = True
    ) -> CurveSpec:
        """Return all of it as the kernels take it, curves alone.

        Where there are surfaces all graphs are compared, and this is for a first one in no time.
        """
        return self.plain._replace(
            cost=float(cost),
            max_parents=int(max_parents),
            knowledge=knowledge_flags(self.moments.d, *masks),
        )

    @cached_property
    def matrix(self) -> Array:
        """The correlation of the columns."""
        return np.asarray(self.moments.standardised().cov)

    def sets(self, max_parents: int, masks: Masks, deadline: float = np.inf) -> Sets:
        """Regress every variable on curves of every set of others."""
        if self.moments.surfaces is not None:
            return make_known_sets(self.moments.surfaces.cost.copy(), max_parents, *masks)
        return make_curve_sets(self.plain, max_parents, *masks, deadline=deadline)

    def residuals(self, parents: list[IntArray]) -> Array:
        """Return what stands for the residual variance of every node, bends paid for."""
        return np.asarray(np.exp(curve_costs(self.plain, parents) - self.together(parents)))

    def together(self, parents: list[IntArray]) -> Array:
        """Return what parents of each node gain as a surface, beside curves; 0 where these do."""
        if self.moments.surfaces is None:
            return np.zeros(len(parents))
        gains = curve_costs(self.plain, parents) - self.moments.surfaces.of(parents)
        return np.where(gains > IMPROVES, gains, 0.0)

    def own_variances(self, parents: list[IntArray]) -> Array:
        """Return the residual variance of every node, in the unit of its column.

        Of a surface that which curves at its price would leave, were they as likely.
        """
        rss = curve_fits(self.plain, parents)[0] * np.exp(-self.together(parents))
        return np.asarray(rss * np.diag(self.moments.cov))

    def edge_weights(self, parents: list[IntArray]) -> list[Array]:
        """Return strengths."""
        source, target = edges_into(parents)
        surfaces = self.moments.surfaces
        if surfaces is None:
            gains = curve_gains_of_edges(self.plain, parents, source, target)
        else:
            gains = surfaces.gains_of_edges(parents, source, target)
        return strengths(gains, target, len(parents))

    def largest_gains(self, spec: AnySpec, order: IntArray, parents: list[IntArray]) -> Array:
        """Return what one more predecessor would gain each node, without the price of its edge."""
        assert isinstance(spec, CurveSpec)
        if self.moments.surfaces is None:
            return curve_gains(spec, order, parents)
        place = np.argsort(order)
        allowed = (place[:, None] < place) & (spec.knowledge & ALLOWED != 0)
        return self.moments.surfaces.largest_gains(parents, allowed, spec.max_parents)

    def cheap_start(self) -> Start:
        """By how little curves of all others explain: a cause is explained by less."""
        return Start(np.argsort(-self.plain.least.round(6), kind="stable"), 1.0)


def fit_curves(
    X: Array,
    names: Sequence[str] | None = None,
    like: Curves | None = None,
    *,
    hurried: bool = False,
) -> Curves | Moments:
    """Return what a graph with curved effects is learned from, bends as large as the data say.

    Every column is explained by whichever others explain it best, and the sharpness of bends is
    the one under which that is likeliest, all columns together. Where lines are likelier than any
    bends there is nothing to keep but plain moments. Where columns are few, and these parents
    explain more together than by curves of their own, all sets of parents are looked at together.

    Parameters
    ----------
    X : (n, d)
    names : of the columns.
    like : what was kept of nearly the same rows: as many functions, of the same sharpness, and no
        surfaces, which take rows that are drawn twice for near ones.
    hurried : whether there is no time for surfaces.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((500, 2))
    >>> x[:, 1] += x[:, 0]
    >>> fit_curves(x)
    <Moments: 500 rows, 2 columns>
    >>> x[:, 1] += x[:, 0] ** 2
    >>> fit_curves(x)
    <Curves: 500 rows, 2 columns, 7 functions of each>
    """
    if like is not None:  # groups of rows that are drawn again can be few rows
        plain, K = Moments.from_data(X, names), like.n_functions
        gram = correlate(np.asarray(X, dtype=np.float64), K)
        return Curves(**vars(plain), gram=gram, n_functions=K, sharpness=like.sharpness)
    kept = Curves.from_data(X, names)
    sharpest = _sharpened(kept)
    if sharpest.n_functions == 1:
        return Moments.from_data(X, names)
    if sharpest.sharpness >= _SHARP:
        more = _sharpened(Curves.from_data(X, names, MORE_FUNCTIONS))
        sharpest = min(sharpest, more, key=_explained)
    return sharpest if hurried else _with_surfaces(np.asarray(X, dtype=np.float64), sharpest)


def _sharpened(kept: Curves) -> Curves:
    """Return the same with the likeliest sharpness, or with lines alone."""
    bent = [replace(kept, sharpness=sharpness) for sharpness in SHARPNESS]
    return min(kept.lines(), *bent, key=_explained)


def _explained(kept: Curves) -> float:
    """Return what all columns cost, each with the best parents among all others."""
    return _by_others(kept)[0]


def _by_others(kept: Curves) -> tuple[float, list[IntArray]]:
    """Return what all columns cost, and the best parents of each among all others."""
    d, total = kept.d, 0.0
    most = SETTINGS.most_parents(kept.n_fewest, d)
    spec = Curved(kept).spec(1.0, _usual_cost(kept), most, Masks())
    work, place = make_curve_work(spec), np.arange(d)
    nodes = nodes_of(spec, work)
    none, out = np.zeros(d, dtype=np.uint8), np.empty((d, d), dtype=np.uint8)
    for u in range(d):
        total += work_out(nodes, place, u, d, u, none, out[u])
    return float(total), [np.flatnonzero(own == PARENT) for own in out]


def _usual_cost(kept: Curves) -> float:
    """Return the price of an edge that is a line."""
    return edge_cost(kept.n, kept.d, default_gamma(kept.n, kept.d))


def _with_surfaces(X: Array, kept: Curves) -> Curves:
    """Return the same with surfaces, where these gain more than an edge costs for each column."""
    n, d = X.shape
    if not are_few(n, d):
        return kept
    plain, parents = Curved(kept).plain, _by_others(kept)[1]
    several = np.flatnonzero([len(P) > 1 for P in parents])
    curves = curve_costs(plain, parents)[several]
    gains = [
        np.maximum(curves - surface_costs(X, parents, several, width), 0.0).sum()
        for width in WIDTHS
    ]
    best = int(np.argmax(gains))
    if gains[best] <= d * _usual_cost(kept):
        return kept
    width = WIDTHS[best]
    cost = np.minimum(all_surface_costs(X, width), all_curve_costs(plain, d - 1))
    cost[np.arange(1 << d)[:, None] >> np.arange(d) & 1 == 1] = 0.0
    return replace(kept, surfaces=Surfaces(width, cost))


def bends(kept: Curves, dag: WeightedDAG) -> tuple[Array, Array, Array]:
    """Return of each edge what its curve explains, what of that no line does, and what it is worth.

    Returns
    -------
    explained, bend : share of the variance of the target that goes without the source, and without
        the bends of its curve, with the curves of the other parents in place of a surface.
    gain : what the bends explain in units of 2 log-likelihood, less their price.
    """
    A, K, n = kept.ridged, kept.n_functions, kept.n
    found, left = np.empty((3, dag.n_edges)), np.exp(-Curved(kept).together(dag.parents))
    for e, (i, j) in enumerate(zip(dag.source.tolist(), dag.target.tolist(), strict=True)):
        P = dag.parents[j]
        rest = P[i != P]
        all_of_them, line = members(P, K), np.append(members(rest, K), i * K)
        rss, log = _left(A, all_of_them, j * K)
        rss *= left[j]
        straight, log_straight = _left(A, line, j * K)
        without, _ = _left(A, line[:-1], j * K)
        price = log - log_straight + kept.bend
        found[:, e] = without - rss, straight - rss, n * np.log(straight / rss) - price
    return found[0], found[1], found[2]


def _left(A: Array, U: IntArray, j: int) -> tuple[float, float]:
    """Return what functions U leave of column j, and log|A_UU|."""
    block, own = A[np.ix_(U, U)], A[U, j]
    return float(1.0 - own @ np.linalg.solve(block, own)), float(np.linalg.slogdet(block)[1])
