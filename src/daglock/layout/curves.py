"""The line of an edge through its bends."""

from __future__ import annotations

import numpy as np

from daglock.typing import Array

# An edge leaves and enters a node this much less slanted than its straight line, and never flat.
_END_SLANT, _MOST_SLANT = 0.5, 0.6


def smooth_curve(points: Array) -> Array:
    """Return the control points of cubic Bézier curves through points that go downwards.

    x is a monotone cubic function of y between two points, so that the line never leaves the
    corridor between them (Fritsch and Carlson, 1980: the harmonic mean of the slopes, zero where
    the direction turns).

    Parameters
    ----------
    points : (k, 2) with increasing y.

    Returns
    -------
    (3k - 2, 2) array
        Point, control, control, point, ...

    Examples
    --------
    >>> smooth_curve(np.array([[0.0, 0.0], [0.0, 3.0]])).tolist()
    [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]
    """
    x, y = points[:, 0], points[:, 1]
    step = np.diff(y)
    slope = np.diff(x) / step
    tangent = np.zeros(len(points))
    same = slope[:-1] * slope[1:] > 0
    product, total = slope[:-1] * slope[1:], slope[:-1] + slope[1:]
    tangent[1:-1][same] = 2.0 * product[same] / total[same]
    tangent[[0, -1]] = np.clip(_END_SLANT * slope[[0, -1]], -_MOST_SLANT, _MOST_SLANT)
    third = step / 3.0
    curve = np.empty((3 * len(points) - 2, 2))
    curve[::3] = points
    curve[1::3] = np.column_stack([x[:-1] + tangent[:-1] * third, y[:-1] + third])
    curve[2::3] = np.column_stack([x[1:] - tangent[1:] * third, y[1:] - third])
    return curve
