"""Normal scores in place of values: for which columns raw values mislead, and what is said of it.

If some increasing functions of the columns were Gaussian together, normal scores would recover
them, and of all functions of two such columns these have the largest correlation (Lancaster 1957).
So scores are considered for the columns whose correlations they raise: ::

    F(s) = − Σ_{i<j} log(1 − r_ij(s)²),   s_j = raw or scored

is compared at its best choices of s, from all raw and from all scored. Then a line has its say:
where lines relate raw values, whatever the shape of their noise, what one column tells of another
is ``h(y) − h(y − b x)`` in one of the two directions, h the entropy. Scores are taken only where
they tell more, ``−½ log(1 − r²)``. The rule was chosen and judged by
``python -m daglock_evaluation.studies scores`` (docs/data.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from daglock.content import content_orders
from daglock.errors import InvalidParameterError
from daglock.table.kinds import Kind
from daglock.table.table import Table
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import listed, short

# What scores must add to -log(1 - r²), on average over the relations of a column; and where they do
# so for many of the columns, or where values are grades or counts, whose scale is in doubt anyhow.
GAIN, LESS = 0.02, 0.0005
MANY = 0.25
# Correlations that count as relations: so many standard errors.
RELATED = 4.0
# Rows that are looked at, evenly spaced; columns beyond which nothing is looked for.
MOST_ROWS, MOST_COLUMNS = 5000, 1000
FEWEST_ROWS = 50
# By how much scores must tell more than lines, in nats a relation, over the strongest ones.
MORE, STRONGEST = 0.01, 5
# Scores whose correlation with the values is this change nothing.
SAME = 0.99
# Columns of at most so many values are codes: they have no entropy to speak of.
CODES = 10
_SWEEPS = 20
_NOT_SCORED = (Kind.CATEGORICAL, Kind.BINARY)
SCORES = ("auto", "raw", "normal")


def find_misleading(table: Table, keep: Iterable[int] = ()) -> dict[int, str]:
    """Return the columns whose raw values mislead, and why, in words; some are to be kept raw.

    A column counts if normal scores raise its correlations, in both halves of the rows, and tell
    more of others than a line does.
    """
    n, d = table.data.shape
    candidates = score_candidates(table)
    if n < FEWEST_ROWS or not 2 <= d <= MOST_COLUMNS or not len(candidates):
        return {}
    rows = np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.intp)
    X = np.asarray(table.data[rows], dtype=np.float64)
    X = X[content_orders(X)[0]]
    if np.isnan(X).all(axis=0).any() or not (np.nanmax(X, axis=0) > np.nanmin(X, axis=0)).all():
        return {}
    Z = X.copy()
    for j in candidates:
        Z[:, j] = normal_scores(X[:, j])
    may = np.zeros(d, dtype=np.bool_)
    may[candidates] = True
    may[list(keep)] = False
    codes = np.array([len(np.unique(x[~np.isnan(x)])) <= CODES for x in X.T])
    loose = np.array([kind.kind in (Kind.ORDINAL, Kind.COUNT) for kind in table.kinds])
    same = np.array([_correlation(x, z) > SAME for x, z in zip(X.T, Z.T, strict=True)])
    # what may be labels is a question, not a column to be ranked
    may &= loose | ~(codes | same)
    whole = _Relations.of(X, Z)
    labels = np.array([kind.kind is Kind.CATEGORICAL for kind in table.kinds])
    if labels.any():  # their numbers mean nothing
        whole = _Relations.of(X, Z, whole.related & ~labels & ~labels[:, None])
    asked = np.where(loose, LESS, GAIN)
    chosen = whole.choose(may, asked)
    if chosen.sum() >= MANY * len(candidates):
        asked = np.full(d, LESS)
        chosen = whole.choose(may, asked)
    if not chosen.any():
        return {}
    # by chance a few rows can do this; hardly in both halves, which every order of rows has
    for half in (slice(0, None, 2), slice(1, None, 2)):
        part = _Relations.of(X[half], Z[half], whole.related)
        chosen = chosen & (part.gains(chosen) > 0.5 * asked)
    for j in np.flatnonzero(chosen & ~codes).tolist():
        chosen[j] = _tells_more(X, Z, j, np.flatnonzero(whole.related[j]), whole.scored[j])
    return {int(j): _why(X[:, j], table.kinds[j].kind) for j in np.flatnonzero(chosen)}


def score_candidates(table: Table) -> IntArray:
    """Columns that scores could change: numbers, with more than two values."""
    found = []
    for j, (column, kind) in enumerate(zip(table.data.T, table.kinds, strict=True)):
        labels = kind.levels is not None and kind.kind is not Kind.ORDINAL
        if labels or kind.kind in _NOT_SCORED:
            continue
        some = column[:: max(1, len(column) // MOST_ROWS)]
        if len(np.unique(some[~np.isnan(some)])) > 2:
            found.append(j)
    return np.array(found, dtype=np.intp)


@dataclass(frozen=True)
class _Relations:
    """−log(1 − r²) of all pairs, raw and scored; 0 where columns are not related."""

    raw: Array  # both raw
    mixed: Array  # the first scored, the second raw
    scored: Array  # both scored
    related: BoolArray

    @classmethod
    def of(cls, X: Array, Z: Array, related: BoolArray | None = None) -> _Relations:
        """Measure them, pair by pair on the rows that have both."""
        there = (~np.isnan(X)).astype(np.float64)
        x, z = _standardised(X), _standardised(Z)
        R, Q, P = (_squared(a, b, there) for a, b in ((x, x), (z, z), (z, x)))
        if related is None:
            related = np.maximum(R, Q) > RELATED**2 / np.maximum(there.T @ there, 1.0)
            np.fill_diagonal(related, False)
        raw, mixed, scored = (np.where(related, -np.log1p(-r), 0.0) for r in (R, P, Q))
        return cls(raw, mixed, scored, related)

    def gains(self, chosen: BoolArray) -> Array:
        """Return what scoring a column adds to a relation of it on average, others as chosen."""
        scored = np.where(chosen, self.scored, self.mixed)
        raw = np.where(chosen, self.mixed.T, self.raw)
        return np.asarray((scored - raw).sum(axis=1) / np.maximum(self.related.sum(axis=1), 1))

    def total(self, chosen: BoolArray, asked: Array) -> float:
        """F, less what scores must gain."""
        both = np.where(chosen, self.scored, self.mixed)
        none = np.where(chosen, self.mixed.T, self.raw)
        value = np.where(chosen[:, None], both, none).sum() / 2.0
        return float(value - (asked * self.related.sum(axis=1))[chosen].sum())

    def choose(self, may: BoolArray, asked: Array) -> BoolArray:
        """Return the better of two choices that no single column can improve, or none."""
        best, nothing = np.zeros_like(may), np.zeros_like(may)
        for chosen in (nothing, may):
            chosen = chosen.copy()
            for _ in range(_SWEEPS):
                before = chosen.copy()
                for j in np.flatnonzero(may).tolist():
                    chosen[j] = self._gain(j, chosen) > asked[j]
                if (before == chosen).all():
                    break
            if self.total(chosen, asked) > self.total(best, asked):
                best = chosen
        return best

    def _gain(self, j: int, chosen: BoolArray) -> float:
        """Return what scoring one column adds to a relation of it on average."""
        scored = np.where(chosen, self.scored[j], self.mixed[j])
        raw = np.where(chosen, self.mixed[:, j], self.raw[j])
        return float((scored - raw).sum() / max(int(self.related[j].sum()), 1))


def _standardised(X: Array) -> Array:
    """Columns with mean 0 and variance 1; 0 where a value is missing."""
    centred = X - np.nanmean(X, axis=0)
    deviation = np.sqrt(np.nanmean(centred**2, axis=0))
    return np.asarray(np.nan_to_num(centred / np.where(deviation > 0.0, deviation, 1.0)))


def _squared(a: Array, b: Array, there: Array) -> Array:
    """Squared correlations, a little below 1 at most."""
    size = np.sqrt((a**2).T @ there) * np.sqrt(there.T @ (b**2))
    r = (a.T @ b) / np.where(size > 0.0, size, 1.0)
    return np.asarray(np.minimum(r**2, 1.0 - 1e-6))


def _tells_more(X: Array, Z: Array, j: int, others: IntArray, strength: Array) -> bool:
    """Whether scores tell more of the strongest relations of a column than lines do."""
    told = []
    for k in others[np.argsort(-strength[others], kind="stable")][:STRONGEST]:
        there = ~np.isnan(X[:, j]) & ~np.isnan(X[:, k])
        x, y = (_scaled(_without_ties(X[there, i])) for i in (j, k))
        r = float(np.mean(x * y))
        line = max(_entropy(y) - _entropy(y - r * x), _entropy(x) - _entropy(x - r * y))
        r = float(np.mean(_scaled(Z[there, j]) * _scaled(Z[there, k])))
        told.append(-0.5 * np.log1p(-min(r**2, 1.0 - 1e-6)) - line)
    return bool(np.mean(told) > MORE)


def _correlation(x: Array, z: Array) -> float:
    """Return the correlation of a column with its scores."""
    there = ~np.isnan(x)
    return float(np.mean(_scaled(x[there]) * _scaled(z[there])))


def _entropy(x: Array) -> float:
    """Return the differential entropy by spacings of order about √n / 2 (Vasicek 1976)."""
    n = len(x)
    m = max(1, round(np.sqrt(n) / 2))
    low, high = np.maximum(np.arange(n) - m, 0), np.minimum(np.arange(n) + m, n - 1)
    x = np.sort(x)
    return float(np.log(np.maximum(x[high] - x[low], 1e-12) * n / (high - low)).mean())


def _without_ties(x: Array) -> Array:
    """Return values spread evenly over the steps between them, where many are the same."""
    values = np.unique(x)
    if len(values) > 0.9 * len(x):
        return x
    step = float(np.median(np.diff(values)))
    return np.asarray(x + step * np.random.default_rng(0).uniform(-0.5, 0.5, len(x)))


def _scaled(x: Array) -> Array:
    """Return a column with mean 0 and variance 1."""
    centred = x - x.mean()
    deviation = float(centred.std())
    return np.asarray(centred / deviation if deviation > 0.0 else centred)


def _why(x: NDArray[Any], kind: Kind) -> str:
    """Say in words what makes raw values mislead."""
    values = x[~np.isnan(x)]
    z = (values - values.mean()) / values.std()
    skewness, few = float((z**3).mean()), len(np.unique(values)) <= 10
    top = np.sort(z**2)[-max(1, len(z) // 100) :].sum() / len(z)
    if kind is Kind.ORDINAL or few:
        return "ordered codes: their distances mean nothing by themselves"
    if abs(skewness) >= 1.0:
        counts = "counts that are " if kind is Kind.COUNT else ""
        return f"{counts}skewed (skewness {short(skewness)}), and ranks relate better to others"
    if top > 0.2:
        return f"heavy tails (1% of the rows have {top:.0%} of the variance)"
    return "bent relations, which ranks make straighter"


def normal_scores(x: ArrayLike) -> Array:
    """Return Φ⁻¹((r − ½)/n) of the ranks r, tied ranks averaged, with mean 0 and variance 1.

    Missing values (NaN) stay missing and are not counted in n.

    Examples
    --------
    >>> normal_scores([3.0, 1000.0, np.nan, -5.0]).round(3).tolist()
    [0.0, 1.225, nan, -1.225]
    """
    values = np.asarray(x, dtype=np.float64)
    there = ~np.isnan(values)
    n = int(there.sum())
    result = np.full(values.shape, np.nan)
    if not n:
        return result
    scores = ndtri((rankdata(values[there]) - 0.5) / n)
    ordered = np.sort(scores)  # sums that end in the same bits however rows are sorted
    scores -= ordered.mean()
    deviation = float(ordered.std())
    result[there] = scores / deviation if deviation > 0.0 else scores
    return result


def apply_scores(
    table: Table, how: str = "auto", keep: Iterable[int] = (), judged: Table | None = None
) -> tuple[Table, dict[str, str]]:
    """Return the table with normal scores in some of its columns, and why, by their names.

    Parameters
    ----------
    how : "raw" changes nothing, "normal" scores every column of numbers with more than two values,
        "auto" those of which `find_misleading` says that raw values mislead.
    keep : columns that stay as they are, such as those that add up: ranks do not.
    judged : the table by which it is judged whether raw values mislead, such as one without the
        shifts between regimes; this one by default.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=500)
    >>> price = np.exp(2 * dose + rng.normal(size=500))
    >>> scored, why = apply_scores(Table(np.column_stack([dose, price]), ("dose", "price")))
    >>> list(why), scored.data[:, 0] is dose, bool(abs(scored.data[:, 1].std() - 1) < 1e-9)
    (['price'], False, True)
    """
    check_scores(how)
    if how == "raw":
        return table, {}
    if how == "normal":
        kept = set(keep)
        chosen = {j: "as was asked for" for j in score_candidates(table).tolist() if j not in kept}
    else:
        with np.errstate(over="ignore", invalid="ignore"):  # Moments refuses what is too large
            chosen = find_misleading(table if judged is None else judged, keep)
    return score_columns(table, chosen), {table.labels[j]: why for j, why in chosen.items()}


def check_scores(how: str) -> None:
    """Raise the error about what is no way to choose the columns that are scored."""
    if how not in SCORES:
        raise InvalidParameterError(
            f"scores must be {', '.join(SCORES[:-1])} or normal; got {how!r}."
        )


def scores_sentence(scores: Mapping[str, str]) -> str:
    """Say which columns were learned by their ranks, why, and how to have it otherwise.

    Examples
    --------
    >>> print(scores_sentence({"price": "skewed (skewness 4.1)"}))
    Ranks (normal scores) stand for the values of price (skewed): weights are in standard
    deviations of these; scores="raw" (--scores raw) keeps the values.
    """
    return (
        f"Ranks (normal scores) stand for the values of {listed(in_short(scores))}: weights are in "
        'standard deviations of these; scores="raw" (--scores raw) keeps the values.'
    )


def in_short(scores: Mapping[str, str]) -> list[str]:
    """Return columns with the reasons why they are scored, those with one reason together."""
    alike: dict[str, list[str]] = {}
    for name, why in scores.items():
        alike.setdefault(re.split(r" \(|:|,", why)[0], []).append(name)
    return [f"{listed(names)} ({why})" for why, names in alike.items()]


def score_columns(table: Table, columns: Iterable[int]) -> Table:
    """Return the table with normal scores in these columns."""
    columns = list(columns)
    if not columns:
        return table
    data = np.array(table.data, dtype=np.float64)
    for j in columns:
        data[:, j] = normal_scores(data[:, j])
    return replace(table, data=data)
