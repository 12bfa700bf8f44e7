"""The prox-linear path on plain arrays, as the engine follows it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._pace import Pace
from daglock.solution import fingerprint, identification
from daglock.solvers import prox_linear_kernels as kernels
from daglock.solvers.prox_linear_kernels import Columns, Rule, Work
from daglock.ties import canonical_order
from daglock.typing import Array, BoolArray, IntArray

# Slow while cycles are being decided, fast afterwards; a path ends when the support is a DAG.
MUS: tuple[float, ...] = (
    *np.geomspace(0.3, 30.0, 15).tolist(),
    *(30.0 * 4.0 ** np.arange(1, 6)).tolist(),
)
# RSS_j is not taken below this share of S_jj.
FLOOR = 1e-6
# Coordinate descent goes over one column this often, at most, before the next one has its turn.
PASSES = 10
# A path whose weight times μ stays below this share of λ is not followed further.
CUTOFF = 0.1
# Unrelated variables, for each column, whose entries chance may bring in.
_BY_CHANCE = 4


class Path(NamedTuple):
    """The end of a path in μ, and one entry for each of its stages."""

    W: Array  # (d, d), exact zeros
    is_dag: bool
    mu: Array
    n_sweeps: IntArray
    change: Array  # largest change of a weight in the last sweep of the stage
    n_nonzero: IntArray
    objective: Array  # loss plus penalty
    fingerprint: NDArray[np.uint64]  # hash of the support: equal when the supports are equal

    @property
    def identification_stage(self) -> int:
        """First stage after which the support never changes."""
        return identification(self.fingerprint)


def prox_linear_path(
    S: Array,
    *,
    profile: bool = True,
    lam: float = 0.25,
    gamma: float = 3.0,
    alpha: float = 0.5,
    s: float = 1.0,
    n: int | None = None,
    mus: Sequence[float] = MUS,
    start: Array | None = None,
    allowed: BoolArray | None = None,
    max_sweeps: int = 10,
    max_path: int = 8,
    tolerance: float = 1e-2,
    deadline: float = math.inf,
) -> Path:
    """Follow the prox-linear path on plain arrays: the least overhead, nothing is checked.

    Minimises ``L(W) + p(W) + μ h(M(W))`` for rising μ, each stage from the last one's end, where
    ``M = α W∘W + (1−α)|W|`` and h is the log-determinant ``−log det(I − M/s)`` up to paths of
    length `max_path`. With ``C = ∂h/∂M`` at the current point, column j of W is fitted to

    ``L_j(w) + Σ_i p(w_i) + μ C_ij (α w_i² + (1−α)|w_i|)``

    by coordinate descent, whose every step is a soft threshold at ``λ + (1−α) μ C_ij``, and C
    follows after each column. An entry that closes a cycle is exactly zero once its threshold
    exceeds the pull of the loss. At a DAG no edge has a price, so a DAG at which a sweep changes
    nothing stays as it is for all larger μ: the path ends there, and the order is locked.

    Parameters
    ----------
    S : (d, d) covariance. λ and γ refer to its scale: with `profile` give the correlation, without
        it the covariance divided by the noise variance.
    profile : the loss ``½ Σ_j log RSS_j`` (unequal variances) instead of ``½ Σ_j RSS_j``.
    lam, gamma : of the MCP; an infinite gamma is L1.
    alpha : share of the quadratic part of the core.
    s : scale of the log-determinant.
    n : rows behind S. When it is given and `profile` holds, λ of column j is not below the level
        that about four unrelated variables exceed by chance. Without it, and with few rows for
        each variable, RSS_j falls, and with it the threshold ``λ RSS_j``, until columns fill up.
    mus : increasing.
    start : (d, d), zero by default.
    allowed : (d, d) bool, ``allowed[i, j]`` says whether i → j may be an edge; all by default.
    max_sweeps : over all columns, for each μ.
    max_path : longest path that is followed; cycles of more than ``max_path + 1`` edges are free.
    tolerance : a stage ends when no weight changes by more than this in a sweep.
    deadline : value of `time.perf_counter` after which nothing further begins.

    Raises
    ------
    OutOfTimeError
        The deadline has passed: a path that is not followed to its end is worth little.

    Examples
    --------
    >>> path = prox_linear_path(np.array([[1.0, 0.8], [0.8, 1.64]]), profile=False, lam=0.1)
    >>> path.W.round(2).tolist(), path.is_dag
    ([[0.0, 0.8], [0.0, 0.0]], True)
    """
    rule = Rule(
        profile=bool(profile),
        lam=float(lam),
        gamma=float(gamma),
        alpha=float(alpha),
        s=float(s),
        max_path=int(max_path),
        max_passes=PASSES,
        tolerance=0.1 * tolerance,
        noise=_noise_level(n, S.shape[0]) if profile and n is not None else 0.0,
        floor=FLOOR,
    )
    columns, work = begin(S, rule, start, allowed)
    rows: list[tuple[float, int, float, int, float, int]] = []
    is_dag = False
    pace = Pace(deadline)
    for mu in map(float, mus):
        cutoff = CUTOFF * rule.lam / mu
        place, changes = np.zeros(2, dtype=np.intp), np.array([np.inf, 0.0])
        stage = (columns, rule, work, mu, cutoff, max_sweeps, tolerance, place, changes)
        while not kernels.descend(*stage, pace.width):
            pace.step()
        n_sweeps, change = int(place[0]), float(changes[0])
        n_nonzero = int(columns.n_child.sum())
        objective, support = kernels.objective(columns, rule), fingerprint(columns.weights)
        rows.append((mu, n_sweeps, change, n_nonzero, objective, support))
        is_dag = kernels.is_acyclic(columns, work)
        if is_dag and change < tolerance:
            break
        pace.step()
    mu_, sweeps, change_, nonzero, objective_, support_ = map(np.array, zip(*rows, strict=True))
    return Path(
        columns.weights.T.copy(),
        is_dag,
        mu_,
        sweeps,
        change_,
        nonzero,
        objective_,
        support_.astype(np.uint64),
    )


def begin(
    S: Array, rule: Rule, start: Array | None, allowed: BoolArray | None
) -> tuple[Columns, Work]:
    """Arrays of the kernels, filled for the starting point.

    All are copies: Numba would compile again for an array that is read-only or laid out otherwise.
    """
    d = S.shape[0]
    columns = Columns(
        S=np.array(S, dtype=np.float64, order="C"),
        weights=np.zeros((d, d)) if start is None else np.array(start.T, np.float64, order="C"),
        residual=np.empty((d, d)),
        variance=np.empty(d),
        child=np.empty((d, d), dtype=np.int32),
        strength=np.empty((d, d)),
        n_child=np.zeros(d, dtype=np.intp),
        allowed=np.ones((d, d), np.bool_) if allowed is None else np.array(allowed.T, order="C"),
        visit=_visit(S),
    )
    work = Work(
        price=np.zeros(d),
        mass=np.zeros((2, d)),
        layer=np.empty((2, d), dtype=np.intp),
        touched=np.empty(d, dtype=np.intp),
        seen=np.zeros(d, dtype=np.bool_),
        active=np.empty(d, dtype=np.intp),
        before=np.empty(d),
    )
    kernels.prepare(columns, rule)
    return columns, work


def _noise_level(n: int, d: int) -> float:
    """Return the correlation that `_BY_CHANCE` of d unrelated variables exceed, in n rows."""
    share = min(_BY_CHANCE / d, 1.0)
    return NormalDist().inv_cdf(1.0 - 0.5 * share) / math.sqrt(n)


def _visit(S: Array) -> IntArray:
    """Order the variables, the weakest first, so that the order follows them when permuted."""
    return canonical_order(S)[::-1].copy()
