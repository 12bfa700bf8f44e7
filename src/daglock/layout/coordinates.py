"""Where in its layer a node stands, once the order in the layer is given."""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from daglock.layout.crossings import Ladder
from daglock.typing import Array, BoolArray, IntArray

_SWEEPS = 30
# How much an edge wants to be straight: between nodes, at one end of a long edge, inside one.
_NODE, _END, _INSIDE = 1.0, 2.0, 8.0


def coordinates(
    ladder: Ladder, place: IntArray, widths: Array, gap: float, bend: BoolArray
) -> Array:
    """Return x such that neighbours in a layer keep their distance and edges are nearly upright.

    Each layer in turn takes the places nearest to the weighted mean of its neighbours, subject to
    ``x_{k+1} − x_k >= (w_k + w_{k+1}) / 2 + gap``: an isotonic regression once the distances are
    subtracted.

    Parameters
    ----------
    ladder : Ladder
    place : (v,) place of each node in its layer.
    widths : (v,) of the boxes.
    gap : free space between two boxes.
    bend : (v,) True for the points of long edges.
    """
    rows = [row[np.argsort(place[row])] for row in ladder.nodes()]
    offsets = []
    x = np.empty(len(place))
    for row in rows:
        half = widths[row] / 2
        steps = half[:-1] + half[1:] + np.where(bend[row[:-1]] & bend[row[1:]], gap / 4, gap)
        offset = np.concatenate([[0.0], np.cumsum(steps)])
        offsets.append(offset)
        x[row] = offset - offset[-1] / 2
    kind = bend[ladder.upper].astype(np.intp) + bend[ladder.lower]
    strength = np.array([_NODE, _END, _INSIDE])[kind]
    one, other = (
        np.concatenate(p) for p in ((ladder.upper, ladder.lower), (ladder.lower, ladder.upper))
    )
    both = np.concatenate([strength, strength])
    by_layer = np.argsort(ladder.layer[one], kind="stable")
    cuts = np.cumsum(np.bincount(ladder.layer[one], minlength=len(rows)))[:-1]
    near = np.split(by_layer, cuts)
    for sweep in range(_SWEEPS):
        order = range(len(rows)) if sweep % 2 == 0 else range(len(rows) - 1, -1, -1)
        for k in order:
            row, edges = rows[k], near[k]
            pull = np.bincount(one[edges], weights=both[edges], minlength=len(x))[row]
            total = np.bincount(
                one[edges], weights=both[edges] * x[other[edges]], minlength=len(x)
            )[row]
            wish = np.where(pull > 0, total / np.maximum(pull, 1e-9), x[row])
            x[row] = _spaced(wish, np.maximum(pull, 1e-3), offsets[k])
    return np.asarray(x - x.min())


def _spaced(wish: Array, pull: Array, offset: Array) -> Array:
    """Nearest places to the wishes, in weighted squares, that keep the distances."""
    fitted = isotonic_regression(wish - offset, weights=pull)
    return np.asarray(fitted.x, dtype=np.float64) + offset
