"""Edge and ClaimedEdge: one edge of a graph by the names of its ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from daglock.confidence.confidence import EdgeClaims

# The claims, the boldest first.
_BOLDEST = ("directed", "leaning", "open")


class Edge(NamedTuple):
    """One edge of the graph that was found, source -> target.

    Attributes
    ----------
    source, target : names.
    weight : effect on the scale of the data.
    standardised_weight : effect in standard deviations.
    identified_by : what model and knowledge identify the direction by: "class", "equal variances",
        "regimes" (experiments with known targets), "shape", "curves", "knowledge" (told, or what
        follows from that) or "name" (what a column is called, or what follows from that); "" if
        the other direction fits as well, or nearly so.
    """

    source: str
    target: str
    weight: float
    standardised_weight: float
    identified_by: str


class ClaimedEdge(NamedTuple):
    """One edge of the graph, with how far to believe it.

    Attributes
    ----------
    source, target, weight, standardised_weight, identified_by : as in `Edge`.
    link : probability that the two are linked.
    direction : probability of source -> target, given that they are.
    arrow : link × direction.
    claim : "directed", "leaning" or "open": by the arrow, or because the direction was told.
    because : "knowledge" if it was told; "name" if the name of a column says it; "link" if the
        direction is claimed, and the link is too doubtful for the arrow.
    """

    source: str
    target: str
    weight: float
    standardised_weight: float
    identified_by: str
    link: float
    direction: float
    arrow: float
    claim: str
    because: str

    @property
    def is_directed(self) -> bool:
        """Whether the arrow is claimed: the only edges that may be shown with a full head."""
        return self.claim == "directed"

    @property
    def is_settled(self) -> bool:
        """Whether the direction is claimed, if the two are linked."""
        return self.is_directed or self.because == "link"


def claimed_edges(edges: Iterable[Edge], sure: EdgeClaims) -> list[ClaimedEdge]:
    """Return edges with what may be believed of them."""
    numbers = (values.tolist() for values in (sure.link, sure.direction, sure.arrow))
    rest = zip(*numbers, sure.claims, sure.because, strict=True)
    return [ClaimedEdge(*edge, *one) for edge, one in zip(edges, rest, strict=True)]


def boldest_first(edges: Iterable[ClaimedEdge]) -> list[ClaimedEdge]:
    """Sort edges by claim, then by the probability of the arrow, then by size.

    Examples
    --------
    >>> edge = ClaimedEdge("a", "b", 1.0, 0.5, "class", 0.9, 0.5, 0.45, "open", "")
    >>> told = edge._replace(target="c", arrow=0.3, claim="directed", because="knowledge")
    >>> [edge.target for edge in boldest_first([edge, told, edge._replace(target="d", arrow=0.5)])]
    ['c', 'd', 'b']
    """
    return sorted(
        edges,
        key=lambda edge: (
            _BOLDEST.index(edge.claim),
            -round(edge.arrow, 9),
            -abs(edge.standardised_weight),
        ),
    )
