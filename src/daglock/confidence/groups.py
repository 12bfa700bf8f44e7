"""Groups of rows that nobody recorded: two sexes, strains or batches whose means differ.

Such a group is a cause of many columns at once, and one that no covariance shows. What a graph
leaves unexplained, its residuals, should be independent of each other, whatever their shapes. Two
groups whose means differ in several of them are not that. So two Gaussians with one covariance are
fitted: of all directions the one along which two groups explain the residuals best. That must gain
more than the price of the direction twice: beyond what the best single residual gains, whose shape
it may be, and by the ranks of each residual, which have no shape.
"""

from __future__ import annotations

import numpy as np

from daglock.graph import WeightedDAG
from daglock.table.scores import normal_scores
from daglock.typing import Array

# Nats beyond a single residual and the price from which on groups are said to be there.
SURE = 10.0
# Rows and directions to begin with, at most; columns of fewer values are codes, not residuals.
MOST_ROWS, STARTS = 3000, 16
CODES = 10
# A group has at least this share of the rows.
LEAST = 0.05
_STEPS, _SETTLED, _SINGULAR = 100, 1e-3, 1e-6


def hidden_groups(rows: Array, dag: WeightedDAG) -> float:
    """Return the share of the smaller of two groups that rows seem to be of; 0 where none seem.

    Parameters
    ----------
    rows : (n, d) without gaps.
    dag : the graph that was learned from them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 4))
    >>> empty = np.empty(0, dtype=np.intp)
    >>> dag = WeightedDAG(np.arange(4), empty, empty, np.empty(0), np.empty(0, dtype=bool))
    >>> hidden_groups(X, dag), hidden_groups(np.exp(X), dag)
    (0.0, 0.0)
    >>> X[:150] += [2.0, -2.0, 2.0, 0.0]
    >>> round(hidden_groups(X, dag), 2)
    0.31
    """
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.intp)]
    left = some - some.mean(axis=0)
    left = left - left @ dag.to_sparse().toarray()
    fine = np.array([len(np.unique(x)) > CODES for x in some.T])
    E = left[:, fine & (left.std(axis=0) > 0)]
    n, d = E.shape
    if d < 2 or n < 10 * d:
        return 0.0
    asked = 0.5 * (d + 1) * np.log(n) + SURE
    E = (E - E.mean(axis=0)) / E.std(axis=0)
    gain, share = _best_groups(E)
    if gain <= asked + max(_two_groups(e[:, None], np.ones(1))[0] for e in E.T):
        return 0.0
    if _best_groups(np.column_stack([normal_scores(e) for e in E.T]))[0] <= asked:
        return 0.0
    return min(share, 1.0 - share)


def _best_groups(E: Array) -> tuple[float, float]:
    """Return what two groups gain along the best direction that is found, and the share of one."""
    d = E.shape[1]
    values, vectors = np.linalg.eigh(E.T @ E / len(E))
    if values[0] < _SINGULAR:
        return 0.0, 0.5
    Z = E @ (vectors / np.sqrt(values)) @ vectors.T  # the nearest whose covariance is I
    starts = np.vstack([np.eye(d), np.random.default_rng(0).standard_normal((STARTS, d))])
    likely = np.argsort(-_shape(Z @ starts.T), kind="stable")[:STARTS]
    return max(_two_groups(Z, start) for start in starts[likely])


def _shape(S: Array) -> Array:
    """Return for each column how far it is from a Gaussian, by its third and fourth moments."""
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    return np.asarray(np.abs((S**3).mean(axis=0)) + np.abs((S**4).mean(axis=0) - 3.0))


def _two_groups(Z: Array, start: Array) -> tuple[float, float]:
    """Fit two Gaussians with one covariance to rows with covariance I: nats gained, and a share.

    With p the share of one group and δ the difference of means, the covariance within groups is
    I − p(1−p) δδᵀ, so that all that a row tells of its group is its part along δ.
    """
    s = Z @ start
    own = 1.0 / (1.0 + np.exp(-4.0 * (s - np.median(s)) / s.std()))
    best, share = 0.0, 0.5
    for _ in range(_STEPS):
        p = float(own.mean())
        if min(p, 1.0 - p) < LEAST:
            break
        delta = (own @ Z) / own.sum() - ((1.0 - own) @ Z) / (1.0 - own).sum()
        D = float(delta @ delta)
        within = 1.0 - p * (1.0 - p) * D
        if within < 1e-9:
            break
        s = Z @ delta
        odds = (s - 0.5 * (1.0 - 2.0 * p) * D) / within
        apart = 2.0 * p * s + p * p * D + p * (1.0 - p) / within * (s + p * D) ** 2
        gain = float(
            np.sum(np.log1p(-p) + np.logaddexp(0.0, odds + np.log(p / (1.0 - p))) - 0.5 * apart)
            - 0.5 * len(Z) * np.log(within)
        )
        own = 1.0 / (1.0 + np.exp(-np.clip(odds + np.log(p / (1.0 - p)), -500.0, 500.0)))
        settled = gain - best < _SETTLED and gain > 0.0
        if gain > best:
            best, share = gain, p
        if settled:
            break
    return best, share
