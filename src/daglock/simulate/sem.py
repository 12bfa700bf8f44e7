"""Linear structural equations: their noise, samples, and the exact covariance behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from daglock._parameters import as_numbers, require_integer
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.graph import Graph, SparseArray, as_csr, is_dag, topological_order
from daglock.typing import Array, Seed

Noise: TypeAlias = Literal["gaussian", "exponential", "gumbel", "uniform", "laplace"]
Sampler: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], Array]

_GUMBEL_SCALE = np.sqrt(6.0) / np.pi  # its mean is loc + gamma scale
# Each with mean zero and variance one; the skewness is 2 for exponential and 1.14 for Gumbel noise.
NOISES: dict[str, Sampler] = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape) - 1.0,
    "gumbel": lambda rng, shape: rng.gumbel(-np.euler_gamma * _GUMBEL_SCALE, _GUMBEL_SCALE, shape),
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape),
    "laplace": lambda rng, shape: rng.laplace(0.0, np.sqrt(0.5), shape),
}


def sample_noise(noise: Noise, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draw independent noise with mean zero and variance one.

    Examples
    --------
    >>> Z = sample_noise("gumbel", (100_000,), np.random.default_rng(0))
    >>> bool(abs(Z.mean()) < 0.02), bool(abs(Z.var() - 1) < 0.05)
    (True, True)
    """
    if not isinstance(noise, str) or noise not in NOISES:
        raise InvalidParameterError(f"noise must be one of {', '.join(NOISES)}, not {noise!r}.")
    return NOISES[noise](rng, shape)


def linear_sem(
    W: Graph,
    n_samples: int,
    noise: Noise = "gaussian",
    noise_variances: float | Array = 1.0,
    rng: Seed = None,
    *,
    intercepts: float | Array = 0.0,
) -> Array:
    """Draw samples of X = a + X W + Z, where ``W[i, j]`` is the effect of i on j.

    On a DAG the columns are filled in topological order. On a cyclic ``W`` the rows are the
    equilibrium ``X = (a + Z) (I - W)⁻¹``, which exists when ``I - W`` is invertible; that it is
    also stable (spectral radius of ``W`` below one) is not asked for.

    Parameters
    ----------
    W : (d, d) array or sparse matrix.
    n_samples : number n of rows.
    noise : "gaussian", "exponential", "gumbel", "uniform" or "laplace"; always centred.
    noise_variances : of each column of Z, (d,): one number for equal variances.
    rng : the same seed gives the same bytes, for dense and for sparse ``W``.
    intercepts : a, (d,) or one number for all columns.

    Returns
    -------
    (n, d) array, stored column by column (Fortran order).

    Examples
    --------
    >>> W = np.array([[0.0, 2.0], [0.0, 0.0]])
    >>> X = linear_sem(W, n_samples=10_000, rng=0)
    >>> X.shape, bool(abs(X[:, 1].var() - 5) < 0.2)
    ((10000, 2), True)
    """
    require_integer("n_samples", n_samples, at_least=1)
    csr = as_csr(W)
    d = csr.shape[0]
    scales = np.sqrt(for_each_node("noise_variances", noise_variances, d, above_zero=True))
    # One contiguous row for each variable: at d = 20,000 strided columns cost ten times as much.
    Z = sample_noise(noise, (d, n_samples), np.random.default_rng(rng))
    Z *= scales[:, None]
    Z += for_each_node("intercepts", intercepts, d)[:, None]
    return _equilibrium(csr, Z).T


def population_covariance(W: Graph, noise_variances: float | Array = 1.0) -> Array:
    """Return the exact covariance of X = X W + Z, (I - W)⁻ᵀ D (I - W)⁻¹ with D = diag(variances).

    A cyclic graph is taken at its equilibrium, as in `linear_sem`.

    Examples
    --------
    >>> population_covariance(np.array([[0.0, 2.0], [0.0, 0.0]]))
    array([[1., 2.],
           [2., 5.]])
    """
    csr = as_csr(W)
    # The samples' recursion, with the noise of node i replaced by sqrt(D_ii) e_i.
    d = csr.shape[0]
    scales = np.sqrt(for_each_node("noise_variances", noise_variances, d, above_zero=True))
    loadings = _equilibrium(csr, np.diag(scales))
    with np.errstate(over="ignore", invalid="ignore"):
        covariance = loadings @ loadings.T
    return _finite((covariance + covariance.T) / 2.0)


def population_mean(W: Graph, intercepts: float | Array) -> Array:
    """Return the exact means of X = a + X W + Z, a (I - W)⁻¹ with the intercepts a.

    Examples
    --------
    >>> population_mean(np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([1.0, -1.0]))
    array([1., 1.])
    """
    csr = as_csr(W)
    a = for_each_node("intercepts", intercepts, csr.shape[0])
    return _equilibrium(csr, a[:, None].copy())[:, 0]


def _equilibrium(csr: SparseArray, Z: Array) -> Array:
    """Solve X = Wᵀ X + Z for X, one row for each node; Z is overwritten."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not is_dag(csr):
            return _finite(_solve_cyclic(csr, Z))
        csc = csr.tocsc()
        for j in topological_order(csr):
            parents = slice(csc.indptr[j], csc.indptr[j + 1])
            if parents.start < parents.stop:
                Z[j] += csc.data[parents] @ Z[csc.indices[parents]]
    return _finite(Z)


def _solve_cyclic(csr: SparseArray, Z: Array) -> Array:
    """(I - Wᵀ)⁻¹ Z, or an error that says that it does not exist."""
    system = sparse.csc_array(sparse.eye_array(csr.shape[0]) - csr.T)
    try:
        return np.asarray(splu(system).solve(Z), dtype=np.float64)
    except RuntimeError as error:
        raise InvalidDataError(
            "W is cyclic and I - W is singular, so X = X W + Z has no unique solution; "
            "rescale W or remove a cycle."
        ) from error


def for_each_node(name: str, given: float | Array, d: int, *, above_zero: bool = False) -> Array:
    """Return one number for each node, finite, and above zero where it must be."""
    values = as_numbers(name, given)
    if values.shape not in ((), (d,)):
        raise InvalidParameterError(
            f"{name} must be one number or have shape ({d},), not {values.shape}."
        )
    if not np.isfinite(values).all() or (above_zero and not (values > 0).all()):
        raise InvalidParameterError(f"{name} must be {'positive and ' * above_zero}finite.")
    return np.broadcast_to(values, (d,))


def _finite(values: Array) -> Array:
    """Pass values on unless they overflowed."""
    if not np.isfinite(values).all():
        raise InvalidDataError("The simulated values overflow; use smaller weights or variances.")
    return values
