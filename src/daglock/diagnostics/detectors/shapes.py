"""Shapes: curved relations, one row that carries a correlation, tails that carry everything."""

from __future__ import annotations

import numpy as np

from daglock.diagnostics.detectors.view import View, around_means, filled, standardised
from daglock.typing import Array, IntArray
from daglock.wording import Finding, listed, percent

# Share of a column's variation that a square must explain beyond the line, one way or both ways.
CURVED, BOTH_WAYS = 0.25, 0.05
# By how much one row must change a correlation, and in how many standard errors.
CHANGED, SURE = 0.2, 2.5
# Share of a variance that is in one percent of the rows.
HEAVY = 0.5
# Curved relations whose columns are named: of many the first tell enough.
MOST_NAMED = 10


def find_curvature(view: View) -> list[Finding]:
    """Name pairs whose relation bends so that a line misses much of it.

    The gain in R² by the square of one column in the regression of the other on it, on values that
    are cut at three robust standard deviations. Skewed noise bends one of the two regressions of a
    straight relation, by up to a quarter where it is exponential, so both must bend, or one of them
    by more than that.
    """
    columns = view.measured
    n = len(view.sample)
    if len(columns) < 2 or n < 50:
        return []
    Z = standardised(_cut(view.centred[:, columns]))
    gain = _gains(Z)
    gain[gain < 25.0 / n] = 0.0
    bent = np.maximum(gain, gain.T) * ((gain > CURVED) | (np.minimum(gain, gain.T) > BOTH_WAYS))
    pairs = np.argwhere(np.triu(np.maximum(bent, bent.T), 1) > 0.0)
    if not len(pairs):
        return []
    size = np.maximum(gain, gain.T)
    order = np.argsort([-size[i, k] for i, k in pairs], kind="stable")
    shown = []
    for i, k in pairs[order].tolist():
        x, y = (i, k) if gain[i, k] >= gain[k, i] else (k, i)
        missed = percent(float(gain[x, y]))
        shown.append(f"{view.names[columns[y]]} with {view.names[columns[x]]} ({missed})")
    text = (
        f"{listed(shown, 4)}; in brackets, the share of the variation that a curve explains and a "
        "line misses. The linear model sees only part of these relations. Where a relation only "
        "rises or only falls, logarithms or normal scores make it straighter; with curved effects "
        "(--curved) they are learned as they are."
    )
    names = {int(columns[k]): None for pair in pairs[order[:MOST_NAMED]].tolist() for k in pair}
    title = f"{len(pairs)} curved relation{'s' if len(pairs) > 1 else ''}"
    return [Finding("note", title, text, view.named(names), "--scores normal", "curved")]


def _cut(X: Array) -> Array:
    """Return columns without what is further out than three robust standard deviations."""
    low, middle, high = np.quantile(X, (0.25, 0.5, 0.75), axis=0)
    reach = 3.0 * (high - low) / 1.349
    flat = reach <= 0.0
    low = np.where(flat, X.min(axis=0), middle - reach)
    high = np.where(flat, X.max(axis=0), middle + reach)
    return np.clip(X, low, high)


def _gains(Z: Array) -> Array:
    """Return in cell (i, k) what the square of column i adds to R² of k beyond column i."""
    n = len(Z)
    Q = standardised(Z**2)
    R = Z.T @ Z / n
    to_square = Q.T @ Z / n
    own = np.diag(to_square)[:, None]
    rest = 1.0 - own**2
    gain = (to_square - own * R) ** 2 / np.where(rest > 0.05, rest, np.inf)
    np.fill_diagonal(gain, 0.0)
    return np.asarray(gain)


def find_carrying_rows(view: View) -> list[Finding]:
    """Name single rows without which a correlation is quite another."""
    columns, n = np.flatnonzero(view.numeric), view.n
    if len(columns) < 2 or n < 20:
        return []
    # a row changes a correlation by about z² / n, and by 2 z² / n at the most
    far_out = [k for k, j in enumerate(columns.tolist()) if _farthest(view, j) > 0.5 * CHANGED * n]
    if not far_out:
        return []
    X = filled(np.array(view.table.data[:, columns], dtype=np.float64))
    if view.labels is not None:
        X = around_means(X, view.labels)
    Z = standardised(X)
    R = Z.T @ Z / n
    shown: list[str] = []
    named: dict[int, None] = {}
    for i in sorted({int(np.abs(Z[:, k]).argmax()) for k in far_out}):
        # moments without row i, by one step of Welford's recursion backwards
        z = Z[i]
        S = (n * R - (n / (n - 1)) * np.outer(z, z)) / (n - 1)
        size = np.sqrt(np.maximum(np.diag(S), 1e-12))
        without = np.clip(S / np.outer(size, size), -1.0 + 1e-9, 1.0 - 1e-9)
        far = np.arctanh(np.clip(R, -1.0 + 1e-9, 1.0 - 1e-9)) - np.arctanh(without)
        change = np.where(np.abs(far) * np.sqrt(n - 3) > SURE, np.abs(R - without), 0.0)
        np.fill_diagonal(change, 0.0)
        if change.max(initial=0.0) < CHANGED:
            continue
        a, b = (int(k) for k in np.unravel_index(int(change.argmax()), change.shape))
        a, b = min(a, b), max(a, b)
        first, second = (view.names[columns[k]] for k in (a, b))
        shown.append(
            f"row {view.row(i):,} makes the correlation of {first} and {second} {R[a, b]:.2f}, "
            f"which is {without[a, b]:.2f} without it"
        )
        named |= {int(columns[a]): None, int(columns[b]): None}
    if not shown:
        return []
    text = (
        f"{'; '.join(shown[:3])} (rows counted from 1). Look at it: if it is a mistake, mend it or "
        "leave it out; if it is right, normal scores keep it and take its pull away."
    )
    text = text[0].upper() + text[1:]
    count = len(shown)
    title = "One row carries a correlation" if count == 1 else f"{count} rows carry correlations"
    return [Finding("warning", title, text, view.named(named), "--scores normal", "one row")]


def _farthest(view: View, j: int) -> float:
    """Return the largest square of a column, in units of its variance."""
    far, counts = _squares(view, j)
    total = far @ counts
    return float(far.max() * counts.sum() / total) if total > 0.0 else 0.0


def _squares(view: View, j: int) -> tuple[Array, IntArray]:
    """Return squares of a column around its mean, or means in regimes, and how often each is."""
    if view.labels is None:
        values, counts = view.values[j], view.counts[j]
        return (values - values @ counts / counts.sum()) ** 2, counts
    column = np.asarray(view.table.data[:, j], dtype=np.float64)
    there = ~np.isnan(column)
    far = around_means(column[there], view.labels[there]) ** 2
    return far, np.ones(len(far), dtype=np.intp)


def _is_endless(view: View, j: int) -> bool:
    """Whether a column has tails without a variance: their index α is surely below two.

    In such tails ``log(x_i / x_k)`` of the k largest distances from the median is exponential with
    rate α (Hill 1975), and its median is log 2 / α, with a relative error of 1 / (log 2 √k): one
    row that is far out does not move it.
    """
    values, counts = view.values[j], view.counts[j]
    x = np.repeat(values, counts)
    far = np.sort(np.abs(x - np.median(x)))[::-1]
    k = max(20, len(far) // 10)
    if k >= len(far) or not far[k] > 0.0:
        return False
    middle = float(np.median(np.log(far[:k] / far[k])))
    return middle > 0.0 and np.log(2.0) / middle * (1.0 + 2.0 / (np.log(2.0) * np.sqrt(k))) < 2.0


def find_heavy_tails(view: View) -> list[Finding]:
    """Name columns of which a few rows have most of the variance."""
    found = []
    if view.n < 100:
        return []
    for j in view.measured.tolist():
        far, counts = _squares(view, j)
        order = np.argsort(-far, kind="stable")
        rows = np.cumsum(counts[order])
        total = far @ counts
        top = int(np.searchsorted(rows, 0.01 * rows[-1], side="right"))
        some = top and total > 0.0
        share = float((far[order] * counts[order])[:top].sum() / total) if some else 0.0
        if share >= HEAVY:
            found.append((j, share))
    if not found:
        return []
    shown = [f"{view.names[j]} ({percent(share)})" for j, share in found]
    columns = [j for j, _ in found]
    text = (
        f"One row in a hundred has most of the variance of {listed(shown)}. Correlations are then "
        "those of a few rows: use logarithms, or normal scores."
    )
    endless = [j for j in columns if _is_endless(view, j)]
    if endless:
        text += (
            f" The tails of {view.called(endless)} fall so slowly that more rows would not settle "
            "a mean or a variance: moments, and a graph made of them, mean nothing there."
        )
    title = f"Very long tails: {view.called(columns)}"
    return [Finding("warning", title, text, view.named(columns), "--scores normal", "long tail")]
