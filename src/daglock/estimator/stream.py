"""Stream: what a model keeps of the source that it was fitted on, to draw its rows again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from daglock.blocks import Blocks
from daglock.confidence.drawn import Sample
from daglock.engine.statistics import begin_at, counted_as, varying_columns
from daglock.moments import Moments
from daglock.moments.grouped import Collect, Collected, Key
from daglock.moments.patterned import effective_rows_of
from daglock.moments.reading import FEW_PARTS, collected_fields
from daglock.moments.redrawn import Redraw, Redrawn, replicates_at_once
from daglock.regimes import Regimes
from daglock.sources import Source
from daglock.typing import Array, IntArray, Statistics
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

    def statistics(self, found: Collected) -> Statistics:
        """Return what is kept of sums: moments, regimes, or blocks."""
        return self._statistics(found, None, np.arange(len(self.names)), self._levels(found))

    def draw(self, first: int, n: int, seed: tuple[int, ...], like: Statistics) -> list[Sample]:
        """Return the statistics of n replicates, from the first on, in one pass over the rows."""
        found = self.source.reduce(
            Redraw(self.collect, self.kept, self.centre, seed, range(first, first + n)),
            Redrawn.merge,
            columns=self.collect.columns,
            parts=FEW_PARTS,
        )
        return [self._sample(found, b, like) for b in range(n)]

    @property
    def at_once(self) -> int:
        """Of how many replicates the sums fit into memory."""
        return replicates_at_once(map(len, self.centre.values()), FEW_PARTS)

    def _sample(self, found: Redrawn, b: int, like: Statistics) -> Sample:
        """Return the statistics of one replicate."""
        drawn = found.replicate(b, self.step)
        levels, first = self._levels(drawn), self._first[:-1]
        several = np.array([len(codes) > 0 for codes in levels])
        within = {regime: several | vary[first] for regime, vary in found.varying(drawn).items()}
        variables = varying_columns(within, like)
        if len(variables) < 2:
            return Sample(like, variables)
        some = like.select(variables) if len(variables) < like.d else like
        kept = self._statistics(drawn, some, variables, levels)
        if like.missing and some is not like:
            kept = counted_as(kept, effective_rows_of(drawn.shared_rows(), drawn.n))
        return Sample(kept, variables)

    def _statistics(
        self,
        found: Collected,
        like: Statistics | None,
        variables: IntArray,
        levels: Sequence[IntArray],
    ) -> Statistics:
        """Return the statistics of some of the variables, with some of their levels."""
        own = [levels[v] for v in variables.tolist()]
        parts = [
            first + (codes[1:] - 1 if len(codes) else np.zeros(1, dtype=np.intp))
            for first, codes in zip(self._first[variables].tolist(), own, strict=True)
        ]
        some = np.concatenate(parts)
        if len(some) < self._first[-1]:
            found = found.only(some)
        names = self._column_names()
        columns = self._columns(found, like, tuple(names[k] for k in some.tolist()))
        if all(width == 1 for width in self.collect.widths):
            return columns
        first = np.cumsum([0, *map(len, parts)]).astype(np.intp)
        means, called = [], list[tuple[str, ...] | None]()
        for k, (v, codes) in enumerate(zip(variables.tolist(), own, strict=True)):
            shares, words = columns.means[first[k] : first[k + 1]], self.collect.encodings[v].levels
            if not len(codes) or words is None:
                means.append(float(shares[0]))
                called.append(words)
            else:
                means.append(float(codes[0] + shares @ (codes[1:] - codes[0])))
                called.append(tuple(words[code] for code in codes.tolist()))
        kept_names = tuple(self.names[v] for v in variables.tolist())
        return Blocks(columns, first, np.array(means), tuple(called), kept_names)

    def _columns(
        self, found: Collected, like: Statistics | None, names: tuple[str, ...]
    ) -> Moments:
        """Return the moments of all columns that there are sums of."""
        whole = all(there.all() for there in found.there.values())
        if self.collect.label and whole:
            kept = Regimes.collected(found, names)
            return like.like(kept) if isinstance(like, Regimes) else kept
        start = like.columns if isinstance(like, Blocks) else like
        begin = begin_at(start, names) if isinstance(start, Moments) else None
        return Moments(**collected_fields(found, names, begin))

    @property
    def _first(self) -> IntArray:
        """Where the columns of each variable begin, and their number."""
        return np.cumsum([0, *self.collect.widths]).astype(np.intp)

    def _levels(self, found: Collected) -> list[IntArray]:
        """Return of each category the levels that vary in some regime; none of a number.

        The first of them is the one that the others are compared with. Of a category that does not
        vary at all there is none, either.
        """
        count, total = found.totals()
        result = []
        for first, width in zip(self._first.tolist(), self.collect.widths, strict=False):
            rows = np.zeros((len(count), 0))
            if width > 1:
                ones = np.rint(total[:, first : first + width])
                rows = np.column_stack([count[:, first] - ones.sum(axis=1), ones])
            vary = (rows > 0.0) & (rows < count[:, first, None])
            result.append(np.flatnonzero(vary.any(axis=0)))
        return result

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
