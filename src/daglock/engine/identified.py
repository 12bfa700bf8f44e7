"""Which edges are identified, those that cost a margin to turn, and what identifies a direction.

The best graph is one of several that the data do not tell apart, and the model says nothing about
that: a collider rests on an edge that is not there, a direction under equal variances on a variance
that is larger. So an edge is called identified where the best graph with the edge turned is worse
by a `margin`, in units of 2 log-likelihood. See docs/theory.md, section 6. What identifies it is
the noise model, regimes, the shape of the noise, or knowledge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from daglock.criteria import ByRegime, Curved, EqualVariances, default_gamma, edge_cost
from daglock.engine.learned import Learned
from daglock.graph import dag_to_cpdag
from daglock.settings import SETTINGS, Settings
from daglock.typing import Array, BoolArray

# What turning costs at a price, of the edges asked about, as far as it is below what is enough.
# The last says whether the criterion is to be the looser one, too.
Costs: TypeAlias = Callable[[float, BoolArray, float, bool], tuple[Array, bool]]
# What a noise model identifies a direction by.
IDENTIFIED_BY = {
    "equal": "equal variances",
    "unequal": "class",
    "mixed": "class",
    "counts": "class",
    "regimes": "class",
    "curves": "curves",
}
REGIMES = "regimes"
# What was told, or follows from that, or from what a column is called.
KNOWLEDGE, NAME = "knowledge", "name"


def margin(n: int, d: int, settings: Settings = SETTINGS) -> float:
    """Return what turning an edge must cost, in units of 2 log-likelihood.

    A regression on up to d variables leaves n − d degrees of freedom, and differences of fit are
    larger by chance in proportion: by n/(n − d), which is cut off.

    Examples
    --------
    >>> [round(margin(500, d), 1) for d in (3, 5, 10, 20, 1000)]
    [6.5, 8.2, 10.4, 12.5, 14.4]
    """
    share = settings.margin_share * n * edge_cost(n, d, default_gamma(n, d))
    return min(settings.margin, share) * min(n / max(n - d, 1), settings.margin_by_chance)


def loose_cost(n: int, d: int, cost: float, settings: Settings = SETTINGS) -> float:
    """Return the lower price of an edge: that of the BIC, or of a false edge for five variables.

    Examples
    --------
    >>> round(1000 * loose_cost(1000, 20, cost=0.02), 2), round(100 * loose_cost(100, 500, 0.5), 2)
    (6.91, 11.24)
    """
    return min(cost, edge_cost(n, d, default_gamma(n, d, settings.loose_false_edges * d)))


def identified(
    costs_at: Costs,
    asked: BoolArray,
    *,
    n: int,
    d: int,
    cost: float,
    dispersion: float | None,
    twice: bool = False,
    settings: Settings = SETTINGS,
) -> tuple[BoolArray, bool]:
    """Tell for each edge that is asked about whether turning it costs the margin, and if in time.

    Parameters
    ----------
    costs_at : what turning costs at a price of an edge: for the edges asked about, and exactly
        so only below what is enough; and whether there was time to tell.
    asked : edges that the model can identify.
    n, d : rows and variables.
    cost : price of an edge at which the graph was found.
    dispersion : `Criterion.overdispersion`, by which costs are divided; where it is None they are
        compared at two prices instead.
    twice : whether to ask twice also where there is no lower price, because the criterion itself
        is a looser one then.
    """
    enough = margin(n, d, settings) * (1.0 if dispersion is None else dispersion) / n
    costs, in_time = costs_at(cost, asked, enough, False)
    asked = asked & (costs >= enough)
    loose = loose_cost(n, d, cost, settings)
    if dispersion is not None or (loose == cost and not twice) or not asked.any():
        return asked, in_time
    enough = settings.loose_margin / n
    costs, also = costs_at(loose, asked, enough, True)
    return asked & (costs >= enough), in_time and also


def identified_by(learned: Learned) -> NDArray[np.str_]:
    """Return for each edge what identifies its direction; "" where nothing does."""
    dag = learned.dag
    by_model = np.where(dag.oriented, IDENTIFIED_BY[learned.noise], "")
    if learned.noise != EqualVariances.name:
        compelled = dag_to_cpdag(dag.adjacency()).toarray()[dag.source, dag.target] == 1
        # not by curves what lines would do, nor by the class what follows from what is known
        beyond = "curves" if learned.noise == Curved.name else _what_is_known(learned)
        by_model = np.where(dag.oriented, np.where(compelled, "class", beyond), "")
    if learned.by_regimes is not None:
        by_model = np.where(learned.by_regimes & dag.oriented, REGIMES, by_model)
    if learned.shaped is not None:
        by_model = np.where(learned.shaped, "shape", by_model)
    by = np.where(learned.ruled_out[dag.source, dag.target], KNOWLEDGE, by_model)
    if learned.assumed is not None:
        by = np.where(learned.assumed.before(dag.source, dag.target), NAME, by)
    return by


def _what_is_known(learned: Learned) -> str:
    """Return where knowledge comes from: the user, or names alone."""
    assumed = learned.assumed
    return NAME if assumed and assumed.first.sum() == learned.ruled_out.sum() else KNOWLEDGE


def rests_on(learned: Learned) -> str:
    """Return what the directions in replicates rest on: a word for `Confidence`."""
    return REGIMES if learned.noise == ByRegime.name else IDENTIFIED_BY[learned.noise]
