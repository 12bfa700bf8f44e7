"""The contracts: what a constraint, a loss, a penalty and a solver answer to.

Orientation everywhere: ``W[i, j] != 0`` means i -> j.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from daglock.problem import Problem
    from daglock.solution import Solution

Array: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
Seed: TypeAlias = int | np.random.Generator | None
Callback: TypeAlias = Callable[[dict[str, Any]], None]


@runtime_checkable
class Constraint(Protocol):
    """An acyclicity function h(W) = F(M(W)), zero exactly when W is a DAG.

    ``M(W) >= 0`` is the *core*: entrywise, ``M_ij`` depends on ``W_ij`` alone.
    """

    @property
    def kink(self) -> float:
        """Coefficient of ``|W_ij|`` in the core: 0 for a core that is smooth at zero."""
        ...

    def value(self, W: Array) -> float:
        """h(W)."""
        ...

    def value_and_grad(self, W: Array) -> tuple[float, Array]:
        """h(W) and its gradient with respect to W (one-sided from above where W_ij = 0)."""
        ...

    def core(self, W: Array) -> Array:
        """M(W), entrywise non-negative."""
        ...

    def value_and_core_grad(self, W: Array) -> tuple[float, Array]:
        """h(W) and its gradient with respect to M: what the prox-linear step uses."""
        ...


@runtime_checkable
class Loss(Protocol):
    """A smooth data-fitting term, a function of W and the moments only."""

    def value(self, W: Array) -> float:
        """L(W)."""
        ...

    def value_and_grad(self, W: Array) -> tuple[float, Array]:
        """L(W) and its gradient."""
        ...


@runtime_checkable
class Penalty(Protocol):
    """A separable sparsity penalty with a closed-form proximal operator."""

    def value(self, W: Array) -> float:
        """Sum of the penalty over all entries."""
        ...

    def prox(
        self,
        Z: Array,
        step_size: float | Array,
        extra_l1: float | Array = 0.0,
        extra_l2: float | Array = 0.0,
    ) -> Array:
        """argmin_W ½(W−Z)² + step_size · (penalty(W) + extra_l1·|W| + extra_l2·W²), entrywise."""
        ...

    def subdifferential_distance(
        self, W: Array, grad: Array, extra_l1: float | Array = 0.0
    ) -> Array:
        """Distance of −grad to the subdifferential of penalty + extra_l1·|·| at W, entrywise."""
        ...


@runtime_checkable
class Solver(Protocol):
    """Minimises a problem; never raises for failing to converge: the status says so."""

    def solve(
        self,
        problem: Problem,
        *,
        start: Array | None = None,
        callback: Callback | None = None,
        time_limit: float | None = None,
    ) -> Solution:
        """Return the best point found, with its status and its trace."""
        ...


class Statistics(Protocol):
    """What is kept of a table, and all that a graph is learned from.

    Attributes
    ----------
    n, d : rows and variables.
    n_fewest : rows behind the mechanism of a node, at the fewest.
    n_rows, missing : rows of the table, more than n where cells are missing, and their share.
    names, labels : of the variables, if they have any; x0, x1, ... where they have none.
    likeness : (d, d) how far each pair depends on each other, as correlations do.
    freedoms : degrees of freedom of an edge between each pair; None where each has one.
    means : (d,) of the numbers in the table, codes of categories among them.
    """

    @property
    def n(self) -> int:
        """Number of rows."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        ...

    @property
    def n_fewest(self) -> int:
        """Rows behind the mechanism of a node, at the fewest."""
        ...

    @property
    def missing(self) -> float:
        """Share of the cells that are missing."""
        ...

    @property
    def d(self) -> int:
        """Number of variables."""
        ...

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the variables, if they have any."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the variables; x0, x1, ... where there are none."""
        ...

    @property
    def likeness(self) -> Array:
        """How far each pair depends on each other, (d, d)."""
        ...

    @property
    def freedoms(self) -> Array | None:
        """Degrees of freedom of an edge between each pair."""
        ...

    @property
    def extras(self) -> Array | None:
        """What an edge between each pair costs beyond the price of an edge, per row."""
        ...

    @property
    def means(self) -> Array:
        """Means of the numbers in the table, (d,)."""
        ...

    @property
    def covariances(self) -> Array | None:
        """Covariances of the columns, (groups, D, D), one for each group of rows that is kept.

        None where effects need none.
        """
        ...

    @property
    def group_rows(self) -> Array:
        """Rows of each of these groups, (groups,)."""
        ...

    def places(self, other: Self, variables: IntArray) -> tuple[IntArray, IntArray]:
        """Return columns of other statistics, which are of some variables, and which these are."""
        ...

    def redraw(self, rng: np.random.Generator) -> Self:
        """Return what would be kept of as many rows, drawn from what is kept of these."""
        ...

    def edge_scale(self, source: IntArray, target: IntArray) -> Array:
        """Return what the weight of each edge is to be multiplied by to be free of units."""
        ...

    def select(self, columns: Sequence[int] | IntArray) -> Self:
        """Return what is kept of some of the variables, in this order."""
        ...
