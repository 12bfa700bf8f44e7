"""Stream: what a model keeps of the source that it was fitted on, to draw its rows again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from daglock.blocks import Blocks
from daglock.confidence.replicates import MAX_DRAWS
from daglock.errors import InvalidDataError
from daglock.moments import Moments
from daglock.moments.grouped import Collect, Collected, Key
from daglock.moments.reading import FEW_PARTS, collected_fields
from daglock.moments.redrawn import Redraw, Redrawn, replicates_at_once
from daglock.regimes import Regimes
from daglock.sources import Source
from daglock.typing import Array, Statistics
from daglock.wording import about_read


@dataclass(frozen=True, eq=False)
class Stream:
    """A source that a model was fitted on, and how its rows become what is learned from.

    Attributes
    ----------
    source : the rows.
    collect : how batches become columns.
    names : of the variables.
    kept : rows of each piece and regime that are in the statistics.
    centre : of each group of rows, the means of its columns; empty where rows were counted.
    step : of the grids on which the columns lie.
    n_rows : rows of the source.
    n_looked : rows of which shapes were judged.
    """

    source: Source
    collect: Collect
    names: tuple[str, ...]
    kept: Mapping[tuple[int, str], int]
    centre: Mapping[Key, Array]
    step: Array
    n_rows: int
    n_looked: int

    def statistics(self, found: Collected, like: Statistics | None = None) -> Statistics:
        """Return what is kept of sums: moments, regimes, or blocks."""
        columns = self._columns(found, like)
        if all(width == 1 for width in self.collect.widths):
            return columns
        widths = np.array(self.collect.widths)
        first = np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)
        means = []
        for j, width in enumerate(widths.tolist()):
            own = columns.means[first[j] : first[j + 1]]
            means.append(float(own @ np.arange(1, width + 1)) if width > 1 else float(own[0]))
        levels = tuple(encoding.levels for encoding in self.collect.encodings)
        return Blocks(columns, first, np.array(means), levels, self.names)

    def draw(self, first: int, n: int, seed: tuple[int, ...], like: Statistics) -> list[Statistics]:
        """Return what is kept of rows drawn again, of n replicates from the first on, in a pass.

        A replicate in which a column does not vary is drawn again with another seed.
        """
        result: dict[int, Statistics] = {}
        left, attempt, error = range(first, first + n), 0, None
        while len(result) < n:
            if attempt == MAX_DRAWS:
                raise InvalidDataError(f"The rows cannot be drawn again: {error}") from error
            own = seed if not attempt else (*seed, attempt)
            found = self.source.reduce(
                Redraw(self.collect, self.kept, self.centre, own, left),
                Redrawn.merge,
                columns=self.collect.columns,
                parts=FEW_PARTS,
            )
            for k, b in enumerate(left):
                if b not in result:
                    try:
                        result[b] = self.statistics(found.replicate(k, self.step), like)
                    except InvalidDataError as wrong:
                        error = wrong
            attempt += 1
        return [result[b] for b in range(first, first + n)]

    @property
    def at_once(self) -> int:
        """Of how many replicates the sums fit into memory."""
        return replicates_at_once(map(len, self.centre.values()), FEW_PARTS)

    def _columns(self, found: Collected, like: Statistics | None) -> Moments:
        """Return the moments of all columns, those of categories too."""
        names = self._column_names()
        whole = all(there.all() for there in found.there.values())
        if self.collect.label and whole:
            kept = Regimes.collected(found, names)
            return like.like(kept) if isinstance(like, Regimes) else kept
        start = like.columns if isinstance(like, Blocks) else like
        return Moments(
            **collected_fields(found, names, start if isinstance(start, Moments) else None)
        )

    def _column_names(self) -> tuple[str, ...]:
        """Return the names of all columns, those of categories by their levels."""
        names: list[str] = []
        for width, encoding in zip(self.collect.widths, self.collect.encodings, strict=True):
            if width == 1:
                names.append(encoding.name)
            else:
                names += [f"{encoding.name}={level}" for level in (encoding.levels or ())[1:]]
        return tuple(names)

    def facts(self) -> dict[str, int]:
        """Return rows, files, bytes, and how many rows were looked at."""
        return {
            "rows": self.n_rows,
            "files": self.source.n_files,
            "bytes": self.source.n_bytes or 0,
            "rows_looked_at": self.n_looked,
        }

    def about(self) -> str:
        """Say what was read."""
        return about_read(self.facts())
