"""Moments: covariance, sample count and means, the only thing that daglock keeps of the rows."""

from daglock.moments.moments import Moments

__all__ = ["Moments"]
