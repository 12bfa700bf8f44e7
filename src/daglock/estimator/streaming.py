"""From a source to all that `DAGLock.fit` needs of a table: kinds, a sample of rows, statistics.

The first pass profiles all columns and multiplies the numbers. Where that is all that is needed,
no other follows: no categories, no regimes, no missing values, no scores, and a source that knows
how many rows its pieces have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.counts import DISCRETE, ROWS_PER_CELL, Counts
from daglock.criteria import Mixed, Multinomial
from daglock.dependence import find_determined
from daglock.engine.statistics import about_gaps
from daglock.errors import InvalidDataError, InvalidParameterError, refuse
from daglock.estimator.counting import CountRows, merge_counted
from daglock.estimator.preparing import Prepared
from daglock.estimator.regimes import with_labels
from daglock.estimator.sampling import Wanted, gap_places, sample_table
from daglock.estimator.stream import Stream
from daglock.moments import Moments
from daglock.moments.blocked import fits, free_memory
from daglock.moments.grouped import Collect, Collected
from daglock.moments.rare import about_rare
from daglock.moments.raw import known_steps
from daglock.moments.reading import FEW_PARTS, about_infinite_columns, raw_of, watched
from daglock.moments.streamed import Gather, Gathered, merge_gathered, parts_for
from daglock.regimes import centred, labels_of
from daglock.settings import SETTINGS
from daglock.sources import Source, first_rows
from daglock.sources.encoding import Encoding, is_numeric, is_text
from daglock.sources.profile import Numbers, Sample, Texts
from daglock.sources.source import Merge, Part, Summarise
from daglock.table.given import check_given
from daglock.table.kinds import Kind
from daglock.table.policy import check_missing, complete_rows, too_few_error
from daglock.table.scores import (
    check_scores,
    find_misleading,
    normal_scores,
    score_candidates,
    score_columns,
)
from daglock.table.table import Table
from daglock.typing import Statistics
from daglock.wording import listed, plural, size_text


def read_source(
    source: Source,
    *,
    columns: Any = None,
    missing: str = "refuse",
    regimes: Any = None,
    targets: Any = None,
    noise: str = "auto",
    scores: str = "auto",
    progress: bool | None = False,
) -> Prepared:
    """Read a source, in as many passes as it takes."""
    check_missing(missing)
    check_scores(scores)
    if regimes is not None and not isinstance(regimes, str):
        raise InvalidParameterError(
            "The rows of a source are not in memory: regimes must be the name of a column of it."
        )
    reading = _Reading(source, columns, progress)
    table, judged = reading.look()
    refuse([about_infinite_columns(reading.found, table.labels)])
    gaps = gap_places(table, reading.found)
    if gaps and missing == "refuse":
        raise _missing_error(gaps, reading.found)
    complete = complete_rows(table, missing) if gaps else table
    if complete.data.shape[1] < 2:
        raise too_few_error(complete)
    complete, labels = with_labels(complete, regimes, targets)
    counted = _counted(complete, reading.found, noise, labels is not None, bool(gaps))
    chosen = {} if counted else _misleading(complete, judged, scores, reading, labels, missing)
    encodings = tuple(
        _encoding(name, kind.levels, source, complete.data[:, j] if j in chosen else None)
        for j, (name, kind) in enumerate(zip(complete.labels, complete.kinds, strict=True))
    )
    label = _regime_column(complete) if labels is not None else ""
    widths = tuple(
        len(kind.levels) - 1
        if (kind.kind is Kind.CATEGORICAL or noise == Mixed.name) and kind.levels
        else 1
        for kind in complete.kinds
    )
    collect = Collect(encodings, widths, label, keep_gaps=missing == "model")
    names = complete.labels
    n_looked = len(reading.wanted.looked)
    stream = Stream(source, collect, names, {}, {}, np.empty(0), reading.found.n, n_looked)
    why = {names[j]: reason for j, reason in chosen.items()}
    simple = not (gaps or label or chosen) and all(
        width == 1 and encoding.levels is None
        for width, encoding in zip(widths, encodings, strict=True)
    )
    n_dropped, cautions = 0, list[str]()
    moments: Statistics
    if counted:
        moments = reading.count(encodings, complete)
    elif simple and reading.found.sums is not None:
        moments = reading.moments(names)
        whole = np.packbits(np.ones(len(names), dtype=np.bool_)).tobytes()
        centre = {("", whole): moments.means}
        kept = {(piece, ""): rows for piece, rows in reading.found.rows.items()}
        stream = replace(stream, kept=kept, centre=centre, step=moments.resolution)
    else:
        collected = reading.collect(collect)
        n_dropped = collected.blank if missing == "model" else collected.incomplete
        moments = stream.statistics(collected)
        stream = replace(
            stream,
            kept=collected.kept,
            centre={key: sums.means for key, sums in collected.sums.items()},
            step=known_steps(collected.steps.step),
        )
        if sentence := about_gaps(moments):
            rare = about_rare(~np.isnan(complete.data), names, moments.n_rows)
            cautions += [sentence, rare] if rare else [sentence]
    complete = score_columns(complete, chosen)
    return Prepared(complete, labels, why, moments, n_dropped, cautions, stream)


class _Reading:
    """The passes over a source, and what they found."""

    def __init__(self, source: Source, columns: Any, progress: bool | None) -> None:
        self.source, self.progress = source, progress
        self.columns = columns
        given = check_given(columns, source.schema.names)
        self.unread = [name for name, own in given.items() if own.kind is Kind.IGNORE]
        fields = [field for field in source.schema if field.name not in self.unread]
        self.read = [field.name for field in fields]
        self.numbers = tuple(field.name for field in fields if is_numeric(field.type))
        self.texts = tuple(field.name for field in fields if is_text(field.type))
        self.found: Gathered
        self.wanted: Wanted

    def look(self) -> tuple[Table, Table]:
        """Profile all columns; return the rows that are looked at, and those that are judged."""
        _require_room(len(self.numbers), self.source.label)
        counts: Mapping[int, int] | None = getattr(self.source, "counts", None)
        gather = Gather(self.numbers, self.texts)
        d = len(self.read)
        if counts is not None:
            self.wanted = Wanted.of(sum(counts.values()), d, SETTINGS.shape_rows)
            gather = replace(gather, wanted=self.wanted.all, first=first_rows(counts))
        self.found = self._pass(gather)
        if self.found.n < 2:
            raise InvalidDataError(
                f"{self.source.label} has {plural(self.found.n, 'row')}: at least two are needed."
            )
        sample: Sample = self.found.sample
        if counts is None:
            self.wanted = Wanted.of(self.found.n, d, SETTINGS.shape_rows)
            again = Gather((), (), False, self.wanted.all, first_rows(self.found.rows))
            sample = self._pass(again).sample
        table, rows = sample_table(
            self.found, sample, self.source.schema, self.columns, self.unread, self.source.label
        )
        table = replace(table, library=getattr(self.source, "library", None))
        return (
            _only(table, np.isin(rows, self.wanted.looked)),
            _only(table, np.isin(rows, self.wanted.judged)),
        )

    def _pass(self, gather: Gather) -> Gathered:
        """Look at all rows."""
        return self._over(gather, merge_gathered, self.read, parts_for(len(gather.numbers)))

    def _over(
        self, summarise: Summarise[Part], merge: Merge[Part], columns: Sequence[str], parts: int
    ) -> Part:
        """Go over all rows, with a bar."""
        with watched(self.source, self.progress) as watch:
            return self.source.reduce(
                summarise, merge, columns=columns, parts=parts, progress=watch
            )

    def moments(self, names: tuple[str, ...]) -> Moments:
        """Return the moments of some of the columns, all of which are complete numbers."""
        raw = raw_of(self.found, self.numbers)
        place = {name: j for j, name in enumerate(self.numbers)}
        some = np.array([place[name] for name in names], dtype=np.intp)
        cov = raw.cov if names == self.numbers else raw.cov[np.ix_(some, some)]
        cov.flags.writeable = False
        return Moments(cov, raw.n, raw.means[some], names, known_steps(raw.step)[some])

    def collect(self, collect: Collect) -> Collected:
        """Sum up rows by group."""
        return self._over(collect, Collected.merge, collect.columns, FEW_PARTS)

    def count(self, encodings: tuple[Encoding, ...], table: Table) -> Counts:
        """Count different rows."""
        values = []
        for encoding in encodings:
            known = self.found.numbers.get(encoding.name)
            own = None if known is None or encoding.levels is not None else known.values
            values.append(
                np.arange(len(encoding.levels or ()), dtype=np.float64) if own is None else own
            )
        rows = CountRows(encodings, tuple(values))
        names = [encoding.name for encoding in encodings]
        return self._over(rows, merge_counted, names, FEW_PARTS).counts(rows, table)


def _require_room(d: int, label: str) -> None:
    """Raise the error about columns whose covariance does not fit into memory."""
    if not fits(d):
        raise InvalidDataError(
            f"{label} has {plural(d, 'column')} of numbers: learning takes about "
            f"{size_text(20 * d**2)}, and {size_text(free_memory())} of memory are free. Leave "
            "columns out; Moments.from_source can keep a covariance in a file."
        )


def _only(table: Table, rows: NDArray[np.bool_]) -> Table:
    """Return some of the rows of a sample, which are not said to be left out."""
    return replace(table.without(~rows, "not looked at"), dropped={})


def _missing_error(gaps: Mapping[str, str], found: Gathered) -> InvalidDataError:
    """Build the error about missing values."""
    known: dict[str, Numbers | Texts] = {**found.numbers, **found.texts}
    shown = [
        f"{found.n - known[name].there:,} in column {name!r}, the first in {place}"
        for name, place in gaps.items()
    ]
    return InvalidDataError(
        f"Values are missing: {listed(shown, 3)}. Let missing='model' (--missing model) keep these "
        "rows and model what is missing, or missing='drop' (--missing drop) leave them out."
    )


def _counted(table: Table, found: Gathered, noise: str, regimes: bool, gaps: bool) -> bool:
    """Whether rows are counted: as `daglock.counts.can_be_counted`, by the numbers of all rows."""
    if noise == Multinomial.name:
        if regimes or gaps:
            raise InvalidParameterError(
                "noise='counts' does not go with regimes or missing values: leave noise at auto."
            )
        return True
    discrete = all(kind.kind in DISCRETE for kind in table.kinds)
    if noise != "auto" or regimes or gaps or not discrete:
        return False
    sizes = []
    for name, kind in zip(table.labels, table.kinds, strict=True):
        known = found.numbers.get(name)
        if kind.levels is not None:
            sizes.append(len(kind.levels))
        elif known is None or known.values is None:
            return False
        else:
            sizes.append(len(known.values))
    levels = np.array(sizes, dtype=np.float64)
    cells = np.outer(levels, levels)[np.triu_indices(len(levels), 1)]
    return bool(found.n >= ROWS_PER_CELL * np.median(cells))


def _misleading(
    table: Table,
    judged: Table,
    how: str,
    reading: _Reading,
    labels: NDArray[np.str_] | None,
    missing: str,
) -> dict[int, str]:
    """Return the columns that are to be learned by their ranks, and why."""
    if how == "raw":
        return {}
    if how == "normal":
        return {int(j): "as was asked for" for j in score_candidates(table)}
    rows = complete_rows(judged, missing) if np.isnan(judged.data).any() else judged
    own = [rows.labels.index(name) for name in table.labels]
    rows = replace(
        rows,
        data=rows.data[:, own],
        names=table.labels,
        kinds=tuple(rows.kinds[j] for j in own),
        left_out={},
        aside=rows.aside,
        source=(),
    )
    if labels is not None:
        within = labels_of(rows, None)
        if within is not None:
            rows = replace(rows, data=centred(rows.data, within))
    chosen = find_misleading(rows)
    if not chosen:
        return {}
    # ranks would hide that columns determine each other
    if reading.found.sums is not None and set(table.labels) <= set(reading.numbers):
        moments = reading.moments(table.labels)
    else:
        complete = ~np.isnan(table.data).any(axis=1)
        if complete.sum() < 3:
            return chosen
        moments = Moments.from_data(table.data[complete], names=table.labels)
    alone = [int(j) for group in find_determined(moments).groups for j in group]
    return find_misleading(rows, alone) if alone else chosen


def _regime_column(table: Table) -> str:
    """Return the name of the column that tells the regimes."""
    return next(name for name, gone in table.aside.items() if gone.kind.kind is Kind.REGIME)


def _encoding(
    name: str, levels: tuple[str, ...] | None, source: Source, scored: NDArray[Any] | None
) -> Encoding:
    """Return how a column becomes numbers; with scores, where these stand for its values."""
    numbers = levels is not None and is_numeric(source.schema.field(name).type)
    if scored is None:
        return Encoding(name, levels, numbers)
    there = scored[~np.isnan(scored)]
    values, first = np.unique(there, return_index=True)
    return Encoding(name, levels, numbers, (values, normal_scores(there)[first]))
