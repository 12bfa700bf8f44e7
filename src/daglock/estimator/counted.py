"""What a model with categories answers of rows: how likely they are, and rows drawn from it.

Where all columns are categories the model is a distribution of rows (`TabularModel`). Where numbers
stand beside categories, these are taken for Gaussian columns of 0 and 1: that compares graphs, and
is no distribution that a row could come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock._parameters import require_integer
from daglock.counts import Counts
from daglock.effects.tabular import TabularModel
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.estimator.curving import require_lines
from daglock.table.frames import make_table, read_table
from daglock.table.kinds import ColumnKind
from daglock.typing import IntArray, Seed
from daglock.wording import listed, short

if TYPE_CHECKING:
    from daglock.estimator.fitted import Fitted


def score(model: Fitted, X: Any) -> float:
    """Return the mean log-likelihood of rows."""
    found, searched = _model(model)
    rows = read_table(X, at_least=1, like=model._schema).data[:, searched]
    kinds = [model._kinds[j] for j in searched.tolist()]
    return float(found.log_likelihood(codes_of(rows, found.counts, kinds)).mean())


def sample(model: Fitted, n: int, rng: Seed) -> Any:
    """Draw rows, levels by their names and numbers as numbers."""
    found, searched = _model(model)
    require_integer("n", n, at_least=1)
    codes = found.sample(n, rng)
    columns: list[list[Any]] = []
    for j, levels, own in zip(searched.tolist(), found.counts.levels, codes.T, strict=True):
        is_text = model._kinds[j].levels is not None
        named = [level if is_text else float(level.replace(",", "")) for level in levels]
        columns.append([named[k] for k in own.tolist()])
    if model._library is not None:
        named_columns = zip(model._names(searched), columns, strict=True)
        return make_table(model._library, dict(named_columns))
    has_text = any(isinstance(column[0], str) for column in columns)
    return np.array(columns, dtype=object if has_text else np.float64).T


def codes_of(rows: NDArray[Any], counts: Counts, kinds: list[ColumnKind]) -> NDArray[np.int16]:
    """Return rows as the codes of the levels that were counted."""
    codes, wrong = np.empty(rows.shape, dtype=np.int16), []
    for j, (kind, levels) in enumerate(zip(kinds, counts.levels, strict=True)):
        values, place = np.unique(rows[:, j], return_inverse=True)
        called = [
            short(value) if kind.levels is None else kind.levels[int(value)]
            for value in values.tolist()
        ]
        unknown = [name for name in called if name not in levels]
        if unknown:
            wrong.append(
                f"column {counts.labels[j]!r} holds {listed(unknown, 3)}, which no row of the fit "
                "has"
            )
            continue
        codes[:, j] = np.array([levels.index(name) for name in called])[np.ravel(place)]
    if wrong:
        raise InvalidDataError(
            f"X is not like the table of the fit: {'; '.join(wrong)}. Leave out such rows."
        )
    return codes


def _model(model: Fitted) -> tuple[TabularModel, IntArray]:
    """Return the distribution of rows, and the columns that are in it."""
    learned, counts = model._fitted(), model.moments_
    require_lines(counts)
    if not isinstance(counts, Counts):
        raise InvalidParameterError(
            "This model has numbers beside categories, which it takes for Gaussian columns of 0 "
            "and 1 to compare graphs: that is no distribution of rows, so that rows have no "
            "likelihood under it and none can be drawn. Ask for effect(cause, effect), which tells "
            "of each level, or fit the numeric columns alone."
        )
    searched = np.setdiff1d(np.arange(counts.d), learned.aside)
    return TabularModel(counts.select(searched), learned.dag.select(searched)), searched
