"""What `DAGLock` does about regimes: labels, targets, and the rows that other methods look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from daglock.diagnostics.regimes import RegimeSummary, summarise_regimes
from daglock.engine.identified import REGIMES, identified_by
from daglock.engine.learned import Learned
from daglock.errors import InvalidParameterError, NotThereError
from daglock.graph import WeightedDAG
from daglock.moments import Moments
from daglock.regimes import (
    Changes,
    Regimes,
    centred,
    labels_of,
    read_targets,
    with_targets,
    without_constant_within,
)
from daglock.table.frames import make_table
from daglock.table.missing import whole_rows
from daglock.table.table import Table
from daglock.typing import IntArray, Statistics
from daglock.wording import listed

# What `fit` takes for targets that nobody knows.
FIND = "find"
# Share of the targets that can be doubted beyond which none is believed.
MOST_DOUBTED = 1 / 3


class InRegimes:
    """What a fitted model tells of its regimes."""

    moments_: Any
    learned_: Learned
    names_: tuple[str, ...]
    _library: str | None
    _labels: NDArray[np.str_] | None

    @property
    def regimes_(self) -> RegimeSummary | None:
        """The regimes: rows, shifts, targets, what they orient; None where there are none."""
        check_is_fitted(self, "learned_")
        if self._labels is None and not isinstance(self.moments_, Regimes):
            return None
        dag = self.learned_.dag
        told = np.flatnonzero(identified_by(self.learned_) == REGIMES)
        ends = zip(dag.source[told].tolist(), dag.target[told].tolist(), strict=True)
        edges = [(self.names_[i], self.names_[j]) for i, j in ends]
        return summarise_regimes(self.moments_, self._labels, edges)

    def targeted(self) -> frozenset[int]:
        """Return the columns that regimes are told to target, by index."""
        kept = self.moments_
        if not isinstance(kept, Regimes) or kept.changed is None or kept.common:
            return frozenset()
        return frozenset(np.flatnonzero(kept.changed.any(axis=0)).tolist())

    @property
    def changes_(self) -> Any:
        """Mechanisms that are another one in some regimes: column, regime, what, gain."""
        return make_table(self._library, self.found_changes(object if self._library else None))

    def found_changes(self, text: Any = object) -> dict[str, NDArray[Any]]:
        """Return the columns of `changes_`."""
        check_is_fitted(self, "learned_")
        if not isinstance(self.moments_, Regimes):
            raise NotThereError(
                "There are no regimes to tell changes of: fit with regimes=, on numbers without "
                "missing values."
            )
        found = Changes.of(self.moments_).table(self.learned_.dag.parents)
        return {
            "column": np.array([one.column for one in found], dtype=text),
            "regime": np.array([one.regime for one in found], dtype=text),
            "what": np.array([", ".join(one.what) for one in found], dtype=text),
            "gain": np.array([one.gain for one in found], dtype=np.float64),
        }


def with_labels(
    table: Table, regimes: Any, targets: object
) -> tuple[Table, NDArray[np.str_] | None]:
    """Return the table without columns that vary between regimes only, and the regimes."""
    labels = labels_of(table, regimes)
    if labels is None:
        if targets is not None:
            raise InvalidParameterError(
                "targets need regimes: name the column that holds them (--regime COLUMN, in Python "
                "regimes='column'), or give the label of each row as regimes."
            )
        return table, None
    return without_constant_within(table, labels), labels


def told_targets(
    moments: Statistics,
    targets: Mapping[Any, Any] | str | Path | None,
    interventions: str,
    noise: str,
) -> Statistics:
    """Return the moments with the targets of their regimes, where these are told."""
    if targets is None:
        return moments
    if noise not in ("auto", "unequal", "regimes"):
        raise InvalidParameterError(
            f"noise={noise!r} does not go with targets of regimes: leave noise at auto."
        )
    if not isinstance(moments, Regimes):
        why = "columns with missing values" if moments.missing else "categories of several levels"
        way = "drop those rows" if moments.missing else "leave those columns out"
        raise InvalidParameterError(
            f"targets are for tables of numbers, and this one has {why}: {way}, or fit with "
            "regimes and without targets."
        )
    if targets == FIND:
        return moments
    if isinstance(targets, str | Path):
        path = Path(targets)
        return with_targets(moments, read_targets(path), interventions, str(path))
    return with_targets(moments, targets, interventions)


def untold_changes(moments: Statistics) -> Changes | None:
    """Return what tells changes between regimes whose targets were not told; None without them."""
    told = isinstance(moments, Regimes) and moments.changed is not None and not moments.common
    return Changes.of(moments) if isinstance(moments, Regimes) and not told else None


def doubt_targets(moments: Statistics, learned: Learned) -> tuple[Learned, list[str]]:
    """Question targets that follow their parents in their regime as they do elsewhere.

    No direction is said to be identified by a target that is doubted, nor by any where more than
    `MOST_DOUBTED` of those are that can be: then the others are likely to be wrong, too.
    """
    if (
        not isinstance(moments, Regimes)
        or moments.changed is None
        or moments.common
        or moments.interventions != "perfect"
        or learned.by_regimes is None
        or not learned.status.is_success
    ):
        return learned, []
    changes, dag = Changes.of(moments), learned.dag
    targets = [(g, j) for g, j in np.argwhere(moments.changed).tolist() if len(dag.parents[j])]
    doubtful = [(g, j) for g, j in targets if changes.still_follows(j, dag.parents[j], g)]
    if not doubtful:
        return learned, []
    doubted = ~(dag.oriented & ~learned.by_regimes)
    if len(doubtful) <= MOST_DOUBTED * len(targets):
        columns = [j for _, j in doubtful]
        doubted &= np.isin(dag.source, columns) | np.isin(dag.target, columns)
    less = replace(dag, oriented=dag.oriented & ~doubted)
    learned = replace(
        learned,
        dag=less,
        certificate=replace(learned.certificate, dag=less),
        by_regimes=learned.by_regimes & ~doubted,
        doubted=doubted,
    )
    one, some = len(doubtful) == 1, [moments.labels[j] for _, j in doubtful]
    where = [f"{name} in {moments.regimes[g]}" for name, (g, _) in zip(some, doubtful, strict=True)]
    return learned, [
        f"{'This target follows' if one else 'These targets follow'} the parents that were found "
        f"as in other regimes, which no perfect intervention allows: {listed(where, 6)}. Are the "
        'targets right, or the interventions imperfect (interventions="imperfect")? No direction '
        "is taken from them."
    ]


def rows_to_look_at(
    rows: NDArray[Any] | None, labels: NDArray[np.str_] | None, moments: Statistics
) -> NDArray[Any] | None:
    """Return rows that tell of one mechanism each: complete, and around the means of their regime.

    Where targets are known they are those of regimes without any, unless these are few.
    """
    if rows is None:
        return None
    if labels is None:
        return whole_rows(rows) if moments.missing else rows
    complete = ~np.isnan(rows).any(axis=1)
    if isinstance(moments, Regimes) and moments.changed is not None:
        alone = untargeted(moments)
        some = np.isin(labels, [moments.regimes[g] for g in alone.tolist()])
        if (some & complete).sum() >= 2 * moments.d:
            complete &= some
    return centred(rows[complete], labels[complete]) if complete.sum() > 2 else None


def untargeted(moments: Regimes, columns: IntArray | None = None) -> IntArray:
    """Return the regimes that target none of some columns, or none at all."""
    if moments.changed is None:
        return np.arange(len(moments.regimes))
    changed = moments.changed if columns is None else moments.changed[:, columns]
    return np.flatnonzero(~changed.any(axis=1))


def between(dag: WeightedDAG, i: int, j: int) -> IntArray:
    """Return all nodes on directed paths from i to j, and j."""
    below, above = {i}, {j}
    for v in dag.order.tolist():
        if not below.isdisjoint(dag.parents[v].tolist()):
            below.add(v)
    for v in dag.order[::-1].tolist():
        if v in above:
            above.update(dag.parents[v].tolist())
    return np.array(sorted((below & above) - {i} | {j}), dtype=np.intp)


def leaving_alone(columns: IntArray, moments: Moments) -> tuple[IntArray | None, Moments]:
    """Return the regimes that leave the mechanisms of some columns alone, and their moments.

    If every regime changes one of them, all regimes; None if nothing is known to change.
    """
    if not isinstance(moments, Regimes) or moments.changed is None:
        return None, moments
    some = untargeted(moments, columns)
    some = some if len(some) else np.arange(len(moments.regimes))
    return some, moments.only(some)


def same_regimes(rows: NDArray[Any], labels: NDArray[np.str_] | None, moments: Statistics) -> bool:
    """Whether rows can be those of the regimes behind the moments, in their order."""
    if not isinstance(moments, Regimes) or labels is None:
        return True
    near = 1e-6 * rows.std(axis=0)
    return all(
        bool((np.abs(rows[labels == label].mean(axis=0) - part.mean) <= near).all())
        for label, part in zip(moments.regimes, moments.parts, strict=True)
    )
