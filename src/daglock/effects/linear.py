"""What follows from a linear model on a DAG: total effects, samples, interventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from daglock._parameters import require_integer
from daglock.errors import InvalidParameterError
from daglock.graph import WeightedDAG
from daglock.table.frames import make_matrix, make_rows
from daglock.typing import Array, Seed


@dataclass(frozen=True, eq=False)
class LinearModel:
    """X_j = intercept_j + Σ_i W_ij X_i + Z_j with independent Gaussian Z_j, on a DAG.

    Attributes
    ----------
    dag : WeightedDAG
    intercepts, noise_variances : (d,)
    """

    dag: WeightedDAG
    intercepts: Array
    noise_variances: Array

    @classmethod
    def around(cls, means: Array, dag: WeightedDAG, noise_variances: Array) -> LinearModel:
        """Build the model whose means are given: intercept_j = mean_j − Σ_i W_ij mean_i."""
        pull = dag.weight * means[dag.source]
        explained = np.bincount(dag.target, weights=pull, minlength=len(means))
        return cls(dag, means - explained, noise_variances)

    def means(self) -> Array:
        """Return the mean of every variable."""
        return self._propagate(self.intercepts[:, None].copy())[:, 0]

    def total_effects(self) -> Array:
        """T[i, j], by how much X_j changes when X_i is set one higher: (I − W)⁻¹ − I."""
        one, by_order = np.eye(self.dag.d), np.ix_(self.dag.order, self.dag.order)
        # in topological order I − W is upper triangular with ones on its diagonal
        A = one - self.dag.to_sparse().toarray()[by_order]
        effects = np.zeros_like(one)
        effects[by_order] = scipy.linalg.solve_triangular(A, one, unit_diagonal=True) - one
        return effects

    def covariance(self) -> Array:
        """Return the covariance of the variables, (I − W)⁻ᵀ D (I − W)⁻¹."""
        paths = self.total_effects() + np.eye(self.dag.d)
        return np.asarray((paths.T * self.noise_variances) @ paths)

    def sample(self, n: int, rng: Seed = None) -> Array:
        """Draw n rows."""
        require_integer("n", n, at_least=1)
        generator = np.random.default_rng(rng)
        Z = generator.standard_normal((self.dag.d, n))
        Z *= np.sqrt(self.noise_variances)[:, None]
        Z += self.intercepts[:, None]
        return self._propagate(Z).T

    def log_likelihood(self, X: Array) -> Array:
        """Log density of every row of X."""
        residuals = X - self.intercepts - X @ self.dag.to_sparse()
        # log 2πσ_j² + r_j²/σ_j², summed over the variables
        terms = np.log(2 * np.pi * self.noise_variances) + residuals**2 / self.noise_variances
        return np.asarray(-0.5 * terms.sum(axis=1))

    def intervene(self, values: Mapping[int, float]) -> LinearModel:
        """Return the model in which variables are held at values: do(X_i = x_i)."""
        held = list(values)
        free = ~np.isin(self.dag.target, held)
        intercepts, variances = self.intercepts.copy(), self.noise_variances.copy()
        intercepts[held], variances[held] = list(values.values()), 0.0
        return LinearModel(self.dag.keep(free), intercepts, variances)

    def _propagate(self, Z: Array) -> Array:
        """Add to every row of Z, one for each variable, what comes from its parents; in place."""
        parents, weights = self.dag.parents, self.dag.by_target(self.dag.weight)
        for j in self.dag.order:
            if len(parents[j]):
                Z[j] += weights[j] @ Z[parents[j]]
        return Z


@dataclass(frozen=True, eq=False)
class Intervention:
    """The distribution of all variables when some are held at values.

    Attributes
    ----------
    model : LinearModel
    names : of the variables.
    values : what is held, by name.
    library : of the frames that are returned; None gives arrays.

    Examples
    --------
    >>> from daglock import DAGLock
    >>> x = np.random.default_rng(0).standard_normal((1000, 2))
    >>> x[:, 1] += 2 * x[:, 0]
    >>> round(DAGLock(noise="equal").fit(x).intervene({"x0": 1.0}).means["x1"])
    2
    """

    model: LinearModel
    names: tuple[str, ...]
    values: dict[str, float]
    library: str | None

    @property
    def means(self) -> dict[str, float]:
        """Mean of every variable, by name."""
        return dict(zip(self.names, self.model.means().tolist(), strict=True))

    @property
    def covariance(self) -> Any:
        """Covariance of the variables; a labelled frame when the data had names."""
        return make_matrix(self.library, self.names, self.model.covariance())

    def sample(self, n: int, rng: Seed = None) -> Any:
        """Draw n rows; a frame when the data had names."""
        return make_rows(self.library, self.names, self.model.sample(n, rng))


def slope(cov: Array, cause: int, effect: int, given: Sequence[int]) -> float:
    """Return the coefficient of the cause in the regression of the effect on it and others.

    Where columns repeat each other it is the solution of the smallest norm, in standard deviations.

    Examples
    --------
    >>> slope(np.array([[1.0, 0.5], [0.5, 1.0]]), cause=0, effect=1, given=[])
    0.5
    """
    regressors = [cause, *given]
    deviation = np.sqrt(np.diagonal(cov))
    deviation = np.where(deviation > 0, deviation, 1.0)  # constant columns explain nothing
    A = cov[np.ix_(regressors, regressors)] / np.outer(deviation[regressors], deviation[regressors])
    b = cov[regressors, effect] / (deviation[regressors] * deviation[effect])
    weights = np.linalg.lstsq(A, b, rcond=None)[0]
    return float(weights[0] * deviation[effect] / deviation[cause])


def require_positive_variances(noise_variances: Array, names: tuple[str, ...]) -> None:
    """Raise where a variable is determined by others, so that a row has no density."""
    determined = np.flatnonzero(noise_variances <= 0)
    if len(determined):
        raise InvalidParameterError(
            f"{names[determined[0]]!r} is determined exactly by its parents, so that rows have no "
            "density: leave that column out."
        )
