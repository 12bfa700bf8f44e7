"""Losses: how well W explains the moments."""

from daglock.losses.gaussian import Gaussian
from daglock.losses.least_squares import LeastSquares

LOSSES: dict[str, type[LeastSquares] | type[Gaussian]] = {
    "least_squares": LeastSquares,
    "gaussian": Gaussian,
}

__all__ = ["LOSSES", "Gaussian", "LeastSquares"]
