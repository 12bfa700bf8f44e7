"""Edge and ClaimedEdge: one edge of a graph by the names of its ends."""

from __future__ import annotations

from typing import NamedTuple


class Edge(NamedTuple):
    """One edge of the graph that was found, source -> target.

    Attributes
    ----------
    source, target : names.
    weight : effect on the scale of the data.
    standardised_weight : effect in standard deviations.
    identified_by : what model and knowledge identify the direction by: "class", "equal variances",
        "regimes" (experiments with known targets), "shape", "curves" or "knowledge" (told, or what
        follows from that); "" where the other direction fits as well, or nearly so.
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
    claim : "directed", "leaning" or "open".
    """

    source: str
    target: str
    weight: float
    standardised_weight: float
    identified_by: str
    link: float
    direction: float
    claim: str

    @property
    def is_directed(self) -> bool:
        """Whether the direction is claimed: the only edges that may be shown as arrows."""
        return self.claim == "directed"
