"""What is drawn: boxes that are wide enough for their names, and lines through the bends."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from daglock.typing import Array

# In units of the layout, which are pixels of a page at a font size of 13.
NODE_HEIGHT = 30.0
FONT_SIZE = 13.0
_PADDING = 24.0
_NARROWEST, _WIDEST = 44.0, 170.0
_NARROW, _BROAD = frozenset("fijlrtI.,:;!|'`()[] "), frozenset("mwMW@%")
# An edge leaves and enters a node this much less slanted than its straight line, and never flat.
_END_SLANT, _MOST_SLANT = 0.5, 0.6


def label_widths(names: Sequence[str]) -> Array:
    """Estimate the width of each box; a name that needs more than the widest will be cut.

    Examples
    --------
    >>> label_widths(["a", "expression level", "x" * 1000]).round().tolist()
    [44.0, 133.0, 170.0]
    """
    widths = [_PADDING + FONT_SIZE * sum(map(_em, name[:60])) for name in names]
    return np.clip(np.array(widths, dtype=np.float64), _NARROWEST, _WIDEST)


def shortened(name: str) -> str:
    r"""Return a name as one line that fits into its box, cut where it must be.

    Examples
    --------
    >>> shortened("a name"), shortened("first line\nsecond"), shortened("W" * 100), shortened("")
    ('a name', 'first line second', 'WWWWWWWWWW…', '(no name)')
    """
    line = " ".join(name.split()) or "(no name)"
    room = (_WIDEST - _PADDING) / FONT_SIZE
    lengths = np.cumsum([_em(letter) for letter in line])
    if lengths[-1] <= room:
        return line
    return line[: int(np.searchsorted(lengths, room - 0.8, side="right"))] + "…"


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


def _em(letter: str) -> float:
    """Width of a letter in units of the font size, for a usual sans-serif font."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf", "Cc"):  # marks, controls
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in _NARROW:
        return 0.36
    return 1.0 if letter in _BROAD else 0.7 if letter.isupper() else 0.6
