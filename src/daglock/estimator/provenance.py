"""Where a result comes from: what made it, of which data, and what its file holds."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock.table.kinds import ColumnKind
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.confidence.resampled import Resampled
    from daglock.typing import Statistics

# Rows that are hashed at a time.
_BLOCK = 1 << 16


def hash_of(rows: NDArray[Any] | None, kinds: tuple[ColumnKind, ...], moments: Statistics) -> str:
    """Return the SHA-256 of a table: names, levels and values, row by row.

    Without rows it is that of n, the names and what is kept of each pair of columns, to nine
    digits: sums end in other bits on another machine.

    Examples
    --------
    >>> from daglock.moments import Moments
    >>> X = np.arange(6.0).reshape(3, 2) ** 2
    >>> moments = Moments.from_data(X)
    >>> hash_of(X, (), moments)[:23], hash_of(None, (), moments)[:26]
    ('sha256 of rows: 8015edb', 'sha256 of moments: cf093cb')
    """
    seal = hashlib.sha256(repr((tuple(moments.labels), moments.n_rows)).encode())
    if rows is None:
        kept = np.concatenate([moments.means, moments.likeness.ravel()])
        seal.update(" ".join(f"{value:.8e}" for value in kept.tolist()).encode())
        return f"sha256 of moments: {seal.hexdigest()}"
    seal.update(repr([kind.levels for kind in kinds]).encode())
    for start in range(0, len(rows), _BLOCK):
        block = np.asarray(rows[start : start + _BLOCK], dtype="<f8") + 0.0  # no -0
        seal.update(np.where(np.isnan(block), np.nan, block).tobytes())
    return f"sha256 of rows: {seal.hexdigest()}"


def what_is_held(
    moments: Statistics,
    confidence: Confidence | None,
    resampled: Resampled | None,
    rows: NDArray[Any] | None,
) -> str:
    """Say in a line what the file of a model holds: people send it to others.

    Examples
    --------
    >>> from daglock.moments import Moments
    >>> what_is_held(Moments.from_covariance(np.eye(2), 9), None, None, None)
    'the graph, moments; no rows'
    """
    parts = ["the graph", type(moments).__name__.lower()]
    parts += [] if confidence is None else ["confidence"]
    parts += [] if resampled is None else [f"{len(resampled)} draws"]
    kept = "no rows" if rows is None else f"all {plural(len(rows), 'row')}"
    return f"{', '.join(parts)}; {kept}"
