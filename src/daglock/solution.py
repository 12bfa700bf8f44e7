"""Solution: what a solver returns, why it stopped; traces: what happened on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.graph import is_dag
from daglock.typing import Array, IntArray


class Status(Enum):
    """Why a solver stopped; each member carries a sentence for a person.

    Examples
    --------
    >>> Status.TIME_LIMIT.sentence
    'The time limit was reached; this is the last point.'
    >>> Status("time_limit").is_success
    False
    """

    CONVERGED = "converged"
    CONVERGED_CYCLIC = "converged_cyclic"
    STAYED_AT_START = "stayed_at_start"
    ITERATION_LIMIT = "iteration_limit"
    PENALTY_LIMIT = "penalty_limit"
    TIME_LIMIT = "time_limit"
    LINE_SEARCH_STALLED = "line_search_stalled"
    LEFT_DOMAIN = "left_domain"
    INTERRUPTED = "interrupted"
    NUMERICAL_FAILURE = "numerical_failure"

    @property
    def sentence(self) -> str:
        """What it means, in one sentence."""
        return _SENTENCES[self]

    @property
    def is_success(self) -> bool:
        """Whether the solver did what it was asked: a stationary point that is a DAG."""
        return self in (Status.CONVERGED, Status.STAYED_AT_START)


_SENTENCES = {
    Status.CONVERGED: "The solver converged to a DAG.",
    Status.CONVERGED_CYCLIC: (
        "h is within tolerance but the support still has a cycle: not a DAG."
    ),
    Status.STAYED_AT_START: (
        "The starting point is stationary, so the solver stayed there; "
        "from W = 0 this happens when lam is at least the largest entry of |∇L(0)|."
    ),
    Status.ITERATION_LIMIT: "The iteration limit was reached before convergence.",
    Status.PENALTY_LIMIT: (
        "The penalty on h reached its largest weight while h was still above its tolerance."
    ),
    Status.TIME_LIMIT: "The time limit was reached; this is the last point.",
    Status.LINE_SEARCH_STALLED: (
        "The line search stalled: no step above the smallest step size decreased the objective."
    ),
    Status.LEFT_DOMAIN: (
        "The iterates kept leaving the domain of the constraint, even with small steps."
    ),
    Status.INTERRUPTED: "The run was interrupted; this is the last point.",
    Status.NUMERICAL_FAILURE: "A value was not finite; this is the last point where all were.",
}


@dataclass(frozen=True, eq=False)
class Trace:
    """What happened, one row for each iteration; row 0 is the starting point.

    Attributes
    ----------
    objective : array of float
        Loss plus penalty.
    h : array of float
        The constraint as the solver sees it: smoothed, where it uses a smoothed one.
    step_size : array of float
        Step that led to this row; 0 in row 0.
    n_nonzero : array of int
    norm : array of float
        ‖W‖_F.
    fingerprint : array of uint64
        A hash of the support: equal when the supports are equal.
    outer : array of int
        Index of the outer iteration (augmented Lagrangian step, stage of a path).

    Examples
    --------
    >>> points = [np.array([[0.0, w], [0.0, 0.0]]) for w in (0.0, 0.2, 0.1)]
    >>> trace = Trace.of([Trace.row(W, objective=1, h=0, step_size=1, outer=0) for W in points])
    >>> trace.n_nonzero.tolist(), trace.identification_iteration
    ([0, 1, 1], 1)
    """

    objective: Array
    h: Array
    step_size: Array
    n_nonzero: IntArray
    norm: Array
    fingerprint: NDArray[np.uint64]
    outer: IntArray

    @staticmethod
    def row(
        W: Array, *, objective: float, h: float, step_size: float, outer: int
    ) -> tuple[float, ...]:
        """Return the row of W, in the order of the attributes."""
        norm = float(np.sqrt(np.vdot(W, W)))
        made = float(objective), float(h), float(step_size)
        return *made, int(np.count_nonzero(W)), norm, fingerprint(W), outer

    @classmethod
    def of(cls, rows: Sequence[tuple[float, ...]]) -> Trace:
        """Return rows as a trace."""
        columns = list(zip(*rows, strict=True)) or [()] * 7
        kinds: list[Any] = [float, float, float, np.intp, float, np.uint64, np.intp]
        arrays = [np.array(c, dtype=kind) for c, kind in zip(columns, kinds, strict=True)]
        for array in arrays:
            array.flags.writeable = False
        return cls(*arrays)

    def __len__(self) -> int:
        return self.objective.size

    @property
    def identification_iteration(self) -> int | None:
        """First K such that the support is the same in every row from K on; None if empty."""
        if not len(self):
            return None
        return identification(self.fingerprint)


@dataclass(frozen=True, eq=False)
class FitTrace:
    """What happened on the way to a graph: a continuous optimisation, if any, then the search.

    Attributes
    ----------
    mu : price of a cycle, one for each stage of the continuous optimisation. Empty, as are all
        arrays up to `fingerprint`, where the search started from an order: under equal variances
        the order of conditional variances is the better start.
    n_sweeps : sweeps over all columns.
    change : largest change of a weight in the last sweep.
    n_nonzero : weights that are not zero.
    objective : loss plus penalty.
    fingerprint : hash of the support: equal when the supports are equal.
    search_scores : best score after the first descent, after every batch of restarts, at the end.
    n_restarts : restarts that were done.
    """

    mu: Array = field(default_factory=lambda: np.empty(0))
    n_sweeps: IntArray = field(default_factory=lambda: np.empty(0, np.intp))
    change: Array = field(default_factory=lambda: np.empty(0))
    n_nonzero: IntArray = field(default_factory=lambda: np.empty(0, np.intp))
    objective: Array = field(default_factory=lambda: np.empty(0))
    fingerprint: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    search_scores: Array = field(default_factory=lambda: np.empty(0))
    n_restarts: int = 0

    @property
    def identification_iteration(self) -> int | None:
        """First stage of the continuous optimisation after which its support never changed."""
        return identification(self.fingerprint) if len(self.mu) else None

    def __repr__(self) -> str:
        """Return what it says, in a line."""
        return f"<FitTrace: {self}>"

    def __str__(self) -> str:
        """One line for a person."""
        parts = [f"{self.n_restarts} restarts of the order search"]
        if len(self.mu):
            parts.insert(
                0,
                f"{len(self.mu)} continuous stages, support fixed from stage "
                f"{self.identification_iteration} on",
            )
        if len(self.search_scores):
            parts.append(f"score {self.search_scores[-1]:.6f}")
        return ", ".join(parts)


def fingerprint(W: Array) -> int:
    """Hash of the support of W, 64 bits."""
    digest = blake2b(np.packbits(W != 0).tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def identification(fingerprints: NDArray[np.uint64]) -> int:
    """First index from which on the support is always the same."""
    changed = np.flatnonzero(fingerprints != fingerprints[-1])
    return int(changed[-1]) + 1 if changed.size else 0


@dataclass(frozen=True, eq=False)
class Solution:
    """The point that a solver returns.

    Attributes
    ----------
    W : (d, d), ``W[i, j] != 0`` means i → j. Entries that the method set to zero are exactly zero.
        Read-only.
    status, trace : why the solver stopped, and what happened on the way.
    h : the exact (unsmoothed) constraint at W.
    objective : loss plus penalty at W.
    n_iter, seconds : number of steps taken, and their time.
    multiplier : weight of h in the Lagrangian at W: ``multiplier + rho·h`` of the last outer step.
    is_dag : whether the support of W has no cycle, decided on the graph, not by a tolerance.
    """

    W: Array
    status: Status
    h: float
    objective: float
    n_iter: int
    trace: Trace
    multiplier: float = 0.0
    seconds: float = 0.0
    is_dag: bool = field(init=False)

    def __post_init__(self) -> None:
        W = np.array(self.W, dtype=np.float64)
        W.flags.writeable = False
        object.__setattr__(self, "W", W)
        object.__setattr__(self, "is_dag", is_dag(W))

    def with_status(self, status: Status) -> Solution:
        """Return the same point with another status."""
        return replace(self, status=status)

    @property
    def n_nonzero(self) -> int:
        """Number of entries of W that are not zero."""
        return int(np.count_nonzero(self.W))
