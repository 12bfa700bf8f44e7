"""Judging: calibration error, Brier score, precision and coverage of claims."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.confidence.confidence import DIRECTED, LEANING
from daglock.typing import Array, BoolArray

BINS = 10


@dataclass(frozen=True)
class Verdict:
    """How well probabilities did.

    Attributes
    ----------
    n : events.
    error : expected calibration error: how far bins of probabilities are from what happened.
    brier : mean squared distance from what happened.
    directed, leaning, open : (share of the events, share of them that were right) of each claim.
    """

    n: int
    error: float
    brier: float
    directed: tuple[float, float]
    leaning: tuple[float, float]
    open: tuple[float, float]


def judge(
    probability: Array,
    right: BoolArray,
    *,
    two_sided: bool,
    link: Array | float = 1.0,
    claimed: BoolArray | bool = True,
) -> Verdict:
    """Judge probabilities of events.

    Parameters
    ----------
    probability : of the event.
    right : whether it happened.
    two_sided : whether the event and its opposite are named alike, as two directions are: then
        the likelier of the two counts.
    link : probability of the link; claims are about the arrow, which is both.
    claimed : whether anything may be claimed of an event, however likely it is.
    """
    sure, good = probability, right.astype(np.float64)
    if two_sided:
        ahead = probability >= 0.5
        sure = np.where(ahead, probability, 1 - probability)
        good = np.where(probability == 0.5, 0.5, right == ahead)

    arrow = sure * link

    def share(of: BoolArray) -> tuple[float, float]:
        return float(of.mean()), float(good[of].mean()) if of.any() else float("nan")

    return Verdict(
        len(right),
        calibration_error(sure, good),
        float(np.mean((probability - right) ** 2)),
        share(claimed & (arrow >= DIRECTED)),
        share(claimed & (arrow >= LEANING) & (arrow < DIRECTED)),
        share(~(claimed & (arrow >= LEANING))),
    )


def calibration_error(probability: Array, right: Array) -> float:
    """Mean over ten bins of |mean probability − share that was right|, by their numbers.

    Examples
    --------
    >>> round(calibration_error(np.array([0.9, 0.9]), np.array([1.0, 0.0])), 3)
    0.4
    """
    bins = reliability(probability, right)
    return float(sum(share * abs(said - true) for share, said, true in bins))


def reliability(probability: Array, right: Array) -> list[tuple[float, float, float]]:
    """Return for each bin that is not empty its share, its mean probability, and what was right."""
    place = np.minimum((probability * BINS).astype(np.intp), BINS - 1)
    return [
        (float(np.mean(here)), float(probability[here].mean()), float(np.mean(right[here])))
        for here in (place == k for k in range(BINS))
        if here.any()
    ]
