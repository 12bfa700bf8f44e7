"""Decisions: what the engine chose and why, with the numbers behind it.

Words for people are made from these elsewhere, and from nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class NoiseReason(Enum):
    """Why the graph has the noise model that it has."""

    GIVEN = "given"  # it was asked for
    ONE_SCALE = "one scale"  # all columns have one variance, so equal ones were not tried
    FEW = "few columns"  # whose variances could agree by chance, so equal ones were not tried
    AGREE = "residuals agree"  # under equal variances, so unequal ones were not tried
    SCORE = "score"  # it has the better score
    SCALE = "scale not explained"  # equal variances score better, but do not explain the scale
    TIME = "no time"  # there was none for another
    KINDS = "kinds of columns"  # there are categories, which only this one can score
    TARGETS = "targets of regimes"  # told or found: only this one takes them into account
    LINES = "no bends"  # curves were asked for, and lines do
    SCORES = "normal scores"  # ranks have no scale, so equal variances were not tried


class PriceReason(Enum):
    """Why an edge costs what it does."""

    GIVEN = "given"
    DEFAULT = "default"  # so few false edges are expected
    LOWERED = "lowered"  # a first graph left more unexplained than chance does


class StartReason(Enum):
    """Where the search began."""

    NOWHERE = "all graphs compared"
    CONTINUOUS = "continuous"  # the order of the continuous stage
    ORDER = "order"  # an order of conditional variances, or of the precision matrix
    GIVEN = "given"
    TIME = "no time"  # a cheap order: the time limit left no other


@dataclass(frozen=True)
class Decisions:
    """What was decided on the way to a graph.

    Attributes
    ----------
    noise : the noise model, "equal" or "unequal"; "mixed" or "counts" where there are categories,
        "regimes" where the targets of regimes are known, "curves" where effects are curves.
    noise_reason : NoiseReason
    noise_gap : points of the BIC by which it is better than the other one; negative where the other
        one has the better score but was not taken, None where only one was tried.
    gamma : γ of the price of an edge.
    first_gamma : γ of the first search.
    price : price of an edge, per row.
    price_reason : PriceReason
    exact : whether all graphs were compared, because there are few enough variables.
    start : StartReason
    n_restarts : restarts that were asked for, or are usual for so many rows and variables.
    max_parents : most parents that a node could have.

    Examples
    --------
    >>> from daglock.engine import learn
    >>> from daglock.moments import Moments
    >>> decisions = learn(Moments.from_covariance([[1.0, 0.9], [0.9, 1.0]], n=100)).decisions
    >>> print(decisions)
    noise: unequal (few columns)
    price of an edge: 0.0663 a row, γ = 0.73 (default)
    search: all graphs compared, at most 1 parent a node
    """

    noise: str
    noise_reason: NoiseReason
    noise_gap: float | None
    gamma: float
    first_gamma: float
    price: float
    price_reason: PriceReason
    exact: bool
    start: StartReason
    n_restarts: int
    max_parents: int

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON values."""
        record = asdict(self)
        return {
            name: value.value if isinstance(value, Enum) else value
            for name, value in record.items()
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Decisions:
        """Return what `to_record` was made of.

        Raises
        ------
        ValueError, KeyError, TypeError
        """
        reasons = {
            "noise_reason": NoiseReason(record["noise_reason"]),
            "price_reason": PriceReason(record["price_reason"]),
            "start": StartReason(record["start"]),
        }
        return cls(**{**record, **reasons})

    def __str__(self) -> str:
        """One line for each decision."""
        gap = "" if self.noise_gap is None else f", by {self.noise_gap:.1f} points of the BIC"
        search = self.start.value
        if not self.exact:
            search = f"over orders, {self.n_restarts} restarts, start: {search}"
        parents = "parent" if self.max_parents == 1 else "parents"
        return "\n".join(
            [
                f"noise: {self.noise} ({self.noise_reason.value}{gap})",
                f"price of an edge: {self.price:.4f} a row, γ = {self.gamma:.2f} "
                f"({self.price_reason.value})",
                f"search: {search}, at most {self.max_parents} {parents} a node",
            ]
        )
