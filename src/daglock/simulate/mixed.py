"""Tables of numbers and categories: the data of a graph some of whose nodes have levels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from daglock._parameters import require_integer, require_number
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.graph import Graph, as_csr, is_dag, topological_order
from daglock.simulate.sem import linear_sem
from daglock.typing import Array, BoolArray, IntArray, Seed
from daglock.wording import default_names

if TYPE_CHECKING:
    import pyarrow

Mechanism: TypeAlias = Literal["conditional gaussian", "thresholded"]

# What every level has at least of its fair share: a level that hardly occurs teaches nothing.
_FLOOR = 0.2
# Letters, so that nobody takes a level for a number.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def mixed_sem(
    W: Graph,
    n_samples: int,
    mechanism: Mechanism = "conditional gaussian",
    discrete: float | BoolArray = 0.5,
    levels: tuple[int, int] = (2, 5),
    *,
    shuffled: bool = True,
    rng: Seed = None,
) -> pyarrow.Table:
    """Draw a table with columns of numbers and columns of levels from a DAG.

    "conditional gaussian"
        A discrete node has discrete parents only and a random distribution for each of their
        configurations. A continuous node j is ``m_j(configuration) + Σ_i W[i, j] x_i + z_j``, with
        the sum over its continuous parents, one mean for each configuration of its discrete
        parents, drawn from N(0, Σ W[i, j]²) over these, and z_j from N(0, 1).
    "thresholded"
        The rows of ``X = X W + Z`` with Gaussian noise, the discrete columns cut into levels.

    Parameters
    ----------
    W : (d, d) array or sparse matrix, acyclic; ``W[i, j] != 0`` means i -> j.
    n_samples : number n of rows.
    mechanism : what makes the values.
    discrete : which columns have levels, (d,), or the share of them: then under "conditional
        gaussian" the first nodes of a topological order, else any.
    levels : least and largest number of levels of a discrete column, at most 26.
    shuffled : whether levels are lettered at random; else, of "thresholded", from low to high.
    rng : the same seed gives the same table.

    Returns
    -------
    pyarrow.Table with columns x0, x1, ..., of doubles or of strings; no level of a cut column has
    less than a fifth of its fair share of the rows.

    References
    ----------
    Lauritzen and Wermuth (1989), "Graphical models for associations between variables, some of
    which are qualitative and some quantitative".

    Examples
    --------
    >>> W = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> table = mixed_sem(W, 100, discrete=np.array([True, False, False]), levels=(3, 3), rng=0)
    >>> table.num_rows, table.column_names, sorted(set(table["x0"].to_pylist()))
    (100, ['x0', 'x1', 'x2'], ['a', 'b', 'c'])
    """
    import pyarrow

    require_integer("n_samples", n_samples, at_least=1)
    csr = as_csr(W)
    if not is_dag(csr):
        raise InvalidDataError("W has a cycle: a table of categories needs a DAG.")
    if mechanism not in _MECHANISMS:
        raise InvalidParameterError(
            f"mechanism must be one of {', '.join(_MECHANISMS)}, not {mechanism!r}."
        )
    least, most = _level_range(levels)
    generator = np.random.default_rng(rng)
    dense = np.asarray(csr.toarray(), dtype=np.float64)
    has_levels = _which(discrete, dense, mechanism, generator)
    counts = generator.integers(least, most, size=len(dense), endpoint=True)
    values = _MECHANISMS[mechanism](dense, n_samples, has_levels, counts, generator)
    columns: dict[str, object] = {}
    for j, name in enumerate(default_names(len(dense))):
        columns[name] = values[:, j]
        if has_levels[j]:
            letters = np.array(list(_LETTERS[: counts[j]]))
            columns[name] = (generator.permutation(letters) if shuffled else letters)[
                values[:, j].astype(np.intp)
            ]
    return pyarrow.table(columns)


def _conditional_gaussian(
    W: Array, n: int, has_levels: BoolArray, counts: IntArray, rng: np.random.Generator
) -> Array:
    """Draw the columns in topological order, discrete ones as codes."""
    into = (W != 0.0) & ~has_levels[:, None] & has_levels[None, :]
    if into.any():
        i, j = np.argwhere(into)[0]
        raise InvalidParameterError(
            f"Under 'conditional gaussian' the parents of a discrete node are discrete, but x{i}, "
            f"a parent of x{j}, is not: make x{i} discrete, or draw 'thresholded'."
        )
    values = np.empty((n, len(W)))
    for j in topological_order(W):
        parents = np.flatnonzero(W[:, j])
        of_levels, of_numbers = parents[has_levels[parents]], parents[~has_levels[parents]]
        # Only configurations that occur are given parameters: there may be thousands of others.
        found = np.unique(values[:, of_levels], axis=0, return_inverse=True)
        n_cells, cell = len(found[0]), found[1].reshape(n)
        if has_levels[j]:
            bounds = np.cumsum(_distributions(n_cells, int(counts[j]), rng), axis=1)[:, :-1]
            values[:, j] = (rng.random(n)[:, None] > bounds[cell]).sum(axis=1)
            continue
        means = rng.normal(0.0, np.linalg.norm(W[of_levels, j]), size=n_cells)
        values[:, j] = means[cell] + values[:, of_numbers] @ W[of_numbers, j]
        values[:, j] += rng.standard_normal(n)
    return values


def _thresholded(
    W: Array, n: int, has_levels: BoolArray, counts: IntArray, rng: np.random.Generator
) -> Array:
    """Draw linear Gaussian columns and cut some of them."""
    values = linear_sem(W, n, rng=rng)
    for j in np.flatnonzero(has_levels):
        bounds = np.cumsum(_distributions(1, int(counts[j]), rng)[0])[:-1]
        values[:, j] = np.searchsorted(np.quantile(values[:, j], bounds), values[:, j])
    return values


_MECHANISMS: dict[str, Callable[[Array, int, BoolArray, IntArray, np.random.Generator], Array]] = {
    "conditional gaussian": _conditional_gaussian,
    "thresholded": _thresholded,
}


def _distributions(n: int, k: int, rng: np.random.Generator) -> Array:
    """Draw n distributions over k levels, none of them rarer than `_FLOOR` of its fair share."""
    drawn = rng.dirichlet(np.ones(k), size=n)
    return np.asarray((1.0 - _FLOOR) * drawn + _FLOOR / k)


def _which(
    discrete: float | BoolArray, W: Array, mechanism: str, rng: np.random.Generator
) -> BoolArray:
    """Return which columns have levels."""
    d = len(W)
    if isinstance(discrete, np.ndarray):
        if discrete.shape != (d,) or discrete.dtype != np.bool_:
            raise InvalidParameterError(f"discrete must be a share, or {d} booleans.")
        return discrete
    require_number("discrete", discrete, at_least=0.0, at_most=1.0)
    order = topological_order(W) if mechanism == "conditional gaussian" else rng.permutation(d)
    chosen = np.zeros(d, dtype=np.bool_)
    chosen[order[: round(discrete * d)]] = True
    return chosen


def _level_range(levels: tuple[int, int]) -> tuple[int, int]:
    """Return the least and the largest number of levels."""
    least, most = levels
    require_integer("the least number of levels", least, at_least=2)
    require_integer("the largest number of levels", most, at_least=least)
    if most > len(_LETTERS):
        raise InvalidParameterError(f"There are letters for {len(_LETTERS)} levels, not {most}.")
    return int(least), int(most)
