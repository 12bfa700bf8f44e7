"""Opinions: what kinds of evidence beyond the model say of the direction between two columns.

Each file is one opinion, a function of a `Pair` that is positive where it speaks for first → second
and the larger the more it does so. To add one: write the function, list it here, and fit the
calibration anew (docs/confidence.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daglock.confidence.opinions.curves import curves
from daglock.confidence.opinions.regression_error import regression_error
from daglock.confidence.opinions.shape import shape
from daglock.confidence.pair import Pair


@dataclass(frozen=True)
class Opinion:
    """A kind of evidence.

    Attributes
    ----------
    name : as people read it.
    look : the function; in nats, or a logarithm.
    scale : value at which it counts half of what it can count.
    because : what it saw, in words that follow "because".
    """

    name: str
    look: Callable[[Pair], float]
    scale: float
    because: str


OPINIONS = (
    Opinion(
        "shape of the noise",
        shape,
        10.0,
        "the noise is not Gaussian, and with linear effects only this way is it independent",
    ),
    Opinion(
        "curved effects",
        curves,
        15.0,
        "what a curve leaves unexplained depends less on {source} than it would the other way on "
        "{target}",
    ),
    Opinion(
        "regression error",
        regression_error,
        1.0,
        "{target} is predicted from {source} with less error than {source} from {target}",
    ),
)
