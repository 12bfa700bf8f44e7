"""What a graph costs: one file a criterion."""

from daglock.criteria.by_regime import ByRegime
from daglock.criteria.criterion import Criterion, Start
from daglock.criteria.curved import Curved
from daglock.criteria.equal import EqualVariances
from daglock.criteria.joint import JointCriterion, Mixed, Multinomial
from daglock.criteria.price import default_gamma, edge_cost, lowered_gamma
from daglock.criteria.unequal import UnequalVariances
from daglock.typing import Array

# By the name that a user writes and a file has; the first that fits is tried first.
CRITERIA: dict[str, type[Criterion]] = {
    kind.name: kind
    for kind in (EqualVariances, UnequalVariances, ByRegime, Mixed, Multinomial, Curved)
}


def graph_score(rss: Array, n_edges: int, cost: float, noise: str) -> float:
    """Score of a graph with these residual variances: fit plus price, per row."""
    return CRITERIA[noise].score(rss, n_edges, cost)


__all__ = [
    "CRITERIA",
    "ByRegime",
    "Criterion",
    "Curved",
    "EqualVariances",
    "JointCriterion",
    "Mixed",
    "Multinomial",
    "Start",
    "UnequalVariances",
    "default_gamma",
    "edge_cost",
    "graph_score",
    "lowered_gamma",
]
