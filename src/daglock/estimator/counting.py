"""Different rows of a source of categories, and how often each occurs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.counts import Counts
from daglock.errors import InvalidDataError
from daglock.sources.encoding import Encoding, encode
from daglock.sources.source import Batch
from daglock.table.table import Table
from daglock.typing import Array
from daglock.wording import plural, short

# Different rows that are kept.
MOST_ROWS = 1_000_000


@dataclass(frozen=True, eq=False)
class CountRows:
    """How batches become codes; called where the rows are.

    Attributes
    ----------
    encodings : of the variables.
    values : of each variable all that occur, sorted.
    """

    encodings: tuple[Encoding, ...]
    values: tuple[Array, ...]

    def __call__(self, batches: Iterable[Batch]) -> Counted:
        """Count batches."""
        found = Counted(np.empty((0, len(self.encodings)), dtype=np.int16), np.empty(0))
        for batch in batches:
            if batch.data.num_rows:
                codes = [
                    np.searchsorted(values, own).astype(np.int16)
                    for values, own in zip(self.values, encode(batch, self.encodings), strict=True)
                ]
                rows, weight = _different(np.column_stack(codes), None)
                found = merge_counted(found, Counted(rows, weight))
        return found


@dataclass(frozen=True, eq=False)
class Counted:
    """Different rows, and how often each occurs."""

    rows: NDArray[np.int16]
    weight: Array

    def counts(self, how: CountRows, table: Table) -> Counts:
        """Return them as what a graph is learned from."""
        levels = []
        for kind, values in zip(table.kinds, how.values, strict=True):
            if kind.levels is None:
                levels.append(tuple(map(short, values.tolist())))
            else:
                levels.append(kind.levels)
        counts = Counts.from_codes(self.rows, levels, table.labels)
        order = np.lexsort(self.rows.T[::-1])
        numbers = np.column_stack(
            [values[own] for values, own in zip(how.values, self.rows.T, strict=True)]
        )
        means = self.weight @ numbers / self.weight.sum()
        return replace(counts, weight=self.weight[order], means=means)


def merge_counted(first: Counted, second: Counted) -> Counted:
    """Return the different rows of both."""
    rows = np.concatenate([first.rows, second.rows])
    return Counted(*_different(rows, np.concatenate([first.weight, second.weight])))


def _different(
    rows: NDArray[np.int16], weight: NDArray[Any] | None
) -> tuple[NDArray[np.int16], Array]:
    """Return different rows, sorted, and the sum of the weights of each."""
    if not len(rows):
        return rows, np.empty(0)
    different, place = np.unique(rows, axis=0, return_inverse=True)
    if len(different) > MOST_ROWS:
        raise InvalidDataError(
            f"There are more than {plural(MOST_ROWS, 'different row')} of categories, too many to "
            "be counted: leave columns out, or fit with noise='mixed'."
        )
    return different, np.bincount(place.ravel(), weight).astype(np.float64)
