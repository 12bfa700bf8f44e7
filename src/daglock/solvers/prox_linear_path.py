"""The prox-linear path on plain arrays, as the engine follows it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from daglock._pace import Pace
from daglock.graph import is_dag
from daglock.solution import FitTrace, fingerprint
from daglock.solvers import prox_linear_kernels as kernels
from daglock.solvers.prox_linear_kernels import NOT_GIVEN, Columns, Rule, Work
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
    """The end of a path in μ, and how it was reached."""

    W: Array  # (d, d), exact zeros
    is_dag: bool
    trace: FitTrace  # one entry a stage


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
    descent = Descent(S, rule, start, allowed, deadline)
    rows = [
        (mu, n_sweeps, change, descent.n_nonzero, descent.objective(), fingerprint(descent.weights))
        for mu, n_sweeps, change in descent.follow(mus, max_sweeps, tolerance)
    ]
    mu_, sweeps, change_, nonzero, objective, support = map(np.array, zip(*rows, strict=True))
    trace = FitTrace(mu_, sweeps, change_, nonzero, objective, support.astype(np.uint64))
    return Path(descent.weights.T.copy(), descent.is_acyclic(), trace)


class Descent:
    """Sweeps over the columns of W at a price of cycles; the continuous stage is made of them.

    Parameters
    ----------
    S : (d, d)
    rule : what is minimised.
    start : (d, d), zero by default.
    allowed : (d, d) bool, all by default.
    deadline : value of `time.perf_counter` after which a sweep raises OutOfTimeError.
    """

    def __init__(
        self,
        S: Array,
        rule: Rule,
        start: Array | None = None,
        allowed: BoolArray | None = None,
        deadline: float = math.inf,
    ) -> None:
        self.rule = rule
        self.columns, self.work = begin(S, rule, start, allowed)
        self._pace = Pace(deadline)

    def follow(
        self,
        mus: Sequence[float],
        max_sweeps: int,
        tolerance: float,
        each: Callable[[int, float], None] | None = None,
    ) -> Iterator[tuple[float, int, float]]:
        """Sweep at each μ until nothing changes; end at a DAG that a sweep leaves as it is.

        ``each`` is called with stage and μ after every sweep. After every stage come μ, how many
        sweeps it took, and the largest change of the last one.
        """
        for stage, mu in enumerate(map(float, mus)):
            n_sweeps, change = 0, math.inf
            while n_sweeps < max_sweeps and change >= tolerance:
                change = self.sweep(mu)
                n_sweeps += 1
                if each is not None:
                    each(stage, mu)
            yield mu, n_sweeps, change
            if change < tolerance and self.is_acyclic():
                return

    def sweep(self, mu: float, C: Array = NOT_GIVEN, tilt: Array = NOT_GIVEN) -> float:
        """Fit every column once; return the largest change of a weight."""
        d, first, largest = len(self.columns.visit), 0, 0.0
        cutoff = CUTOFF * self.rule.lam / mu
        while first < d:
            last = min(d, first + self._pace.width)
            some = (mu, cutoff, first, last, C, tilt)
            largest = max(largest, kernels.sweep(self.columns, self.rule, self.work, *some))
            first = last
            self._pace.step()
        return largest

    @property
    def weights(self) -> Array:
        """W by columns: the transpose of W."""
        return self.columns.weights

    @property
    def n_nonzero(self) -> int:
        """Number of weights that are not zero."""
        return int(self.columns.n_child.sum())

    def is_acyclic(self) -> bool:
        """Whether the support is a DAG."""
        return is_dag(self.columns.weights != 0.0)  # the transpose has the same cycles

    def objective(self) -> float:
        """Loss plus penalty."""
        rule, variance = self.rule, self.columns.variance
        with np.errstate(divide="ignore"):  # a constant column leaves no variance
            loss = 0.5 * float(np.sum(np.log(variance) if rule.profile else variance))
            lam = np.full(len(variance), rule.lam)
            if rule.noise > 0.0:
                lam = np.maximum(lam, rule.noise / np.sqrt(variance))
        j, i = np.nonzero(self.columns.weights)
        size = np.abs(self.columns.weights[j, i])
        if rule.gamma < math.inf:
            size = np.minimum(size, rule.gamma * lam[j])
        return loss + float(np.sum(lam[j] * size - 0.5 * size * size / rule.gamma))


def begin(
    S: Array, rule: Rule, start: Array | None, allowed: BoolArray | None
) -> tuple[Columns, Work]:
    """Arrays of the kernels, filled for the starting point.

    All are copies: Numba would compile again for an array that is read-only or laid out otherwise.
    """
    d = S.shape[0]
    S = np.array(S, dtype=np.float64, order="C")
    weights = np.zeros((d, d)) if start is None else np.array(start.T, np.float64, order="C")
    residual = S - weights @ S
    rss = np.diag(S) - np.sum(weights * (S + residual), axis=1)
    columns = Columns(
        S=S,
        weights=weights,
        residual=residual,
        variance=np.maximum(rss, rule.floor * np.diag(S)),
        child=np.empty((d, d), dtype=np.int32),
        strength=np.empty((d, d)),
        n_child=np.zeros(d, dtype=np.intp),
        allowed=np.array(np.ones((d, d), np.bool_) if allowed is None else allowed, order="F"),
        visit=_visit(S),
    )
    for j in columns.visit:
        for i in np.flatnonzero(weights[j]):
            w, k = weights[j, i], columns.n_child[i]
            columns.child[i, k] = j
            columns.strength[i, k] = (rule.alpha * w * w + (1.0 - rule.alpha) * abs(w)) / rule.s
            columns.n_child[i] = k + 1
    work = Work(
        price=np.zeros(d),
        mass=np.zeros((2, d)),
        layer=np.empty((2, d), dtype=np.intp),
        touched=np.empty(d, dtype=np.intp),
        seen=np.zeros(d, dtype=np.bool_),
        active=np.empty(d, dtype=np.intp),
        before=np.empty(d),
    )
    return columns, work


def _noise_level(n: int, d: int) -> float:
    """Return the correlation that `_BY_CHANCE` of d unrelated variables exceed, in n rows."""
    share = min(_BY_CHANCE / d, 1.0)
    return NormalDist().inv_cdf(1.0 - 0.5 * share) / math.sqrt(n)


def _visit(S: Array) -> IntArray:
    """Order the variables, the weakest first, so that the order follows them when permuted."""
    return canonical_order(S)[::-1].copy()
