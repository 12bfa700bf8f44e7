"""Regression error: on a common scale the effect is predicted with less error than the cause."""

from __future__ import annotations

import numpy as np

from daglock.confidence.pair import Pair, residual
from daglock.typing import Array

# What is left of a column scaled to [0, 1] when a cubic explains all of it.
_LEAST = 1e-9


def regression_error(pair: Pair) -> float:
    """Logarithm of the ratio of the two errors of a cubic, columns scaled to [0, 1].

    References
    ----------
    Blöbaum, Janzing, Washio, Shimizu and Schölkopf, Cause-effect inference by comparing
    regression errors, AISTATS (2018), theorem 1 and algorithm 1.
    """
    first, second = _scaled(pair.first), _scaled(pair.second)
    return float(np.log(_error(second, first) / _error(first, second)))


def _error(cause: Array, effect: Array) -> float:
    """Mean squared error of a cubic."""
    return float(np.mean(residual(effect, np.vander(cause, 4)) ** 2)) + _LEAST


def _scaled(x: Array) -> Array:
    """Scale to [0, 1]."""
    return np.asarray((x - x.min()) / (float(np.ptp(x)) or 1.0))
