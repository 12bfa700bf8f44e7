"""Data of several regimes: a linear graph under interventions, or measured in batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from daglock._parameters import require_integer, require_number
from daglock.errors import InvalidParameterError
from daglock.graph import Graph, SparseArray, as_csr, edge_list
from daglock.simulate.sem import (
    Noise,
    for_each_node,
    linear_sem,
    population_covariance,
    population_mean,
)
from daglock.typing import Array, IntArray, Seed
from daglock.wording import default_names, listed

Intervention: TypeAlias = Literal["perfect", "imperfect", "shift"]
Targets: TypeAlias = Mapping[str, Sequence[str | int]]


@dataclass(frozen=True, eq=False)
class Equations:
    """What holds in a regime: X = a + X W + Z.

    Attributes
    ----------
    W : (d, d) CSR array; ``W[i, j] != 0`` means i -> j.
    intercepts : a, (d,).
    noise_variances : of the columns of Z, (d,).
    """

    W: SparseArray
    intercepts: Array
    noise_variances: Array

    @property
    def mean(self) -> Array:
        """Exact means of the columns, (d,)."""
        return population_mean(self.W, self.intercepts)

    @property
    def covariance(self) -> Array:
        """Exact covariance of the columns, (d, d)."""
        return population_covariance(self.W, self.noise_variances)


@dataclass(frozen=True, eq=False)
class RegimeData:
    """Rows of several regimes, one regime after the other.

    Attributes
    ----------
    names : of the d columns.
    data : (n, d).
    labels : (n,) the regime of each row.
    targets : for each regime the names of the variables that it acts on, for a learner who is to
        know them; empty for an observational regime and for a batch.
    equations : for each regime what holds in it.
    """

    names: tuple[str, ...]
    data: Array = field(repr=False)
    labels: NDArray[np.str_] = field(repr=False)
    targets: dict[str, tuple[str, ...]]
    equations: dict[str, Equations] = field(repr=False)


def interventional_sem(
    W: Graph,
    n_samples: int | Mapping[str, int],
    targets: Targets,
    *,
    kind: Intervention = "perfect",
    mean: float = 2.0,
    variance: float = 1.0,
    strength: float = 1.0,
    noise: Noise = "gaussian",
    noise_variances: float | Array = 1.0,
    names: Sequence[str] | None = None,
    rng: Seed = None,
) -> RegimeData:
    """Draw rows of X = X W + Z in regimes that change the equations of some variables.

    "perfect"
        A target j has no parents left: ``X_j = mean + Z_j``, with ``variance`` for that of Z_j.
    "imperfect"
        A target keeps its parents; the variance of its noise and each weight into it are multiplied
        by ``exp(± strength · u)``, u uniform on (1/2, 1) and either sign equally likely.
    "shift"
        A target has the intercept ``± strength · u · √(variance of its noise)``, u as above.

    Parameters
    ----------
    W : (d, d) array or sparse matrix; ``W[i, j] != 0`` means i -> j.
    n_samples : rows of each regime, or for each label how many.
    targets : for each regime, by its label, the variables that it acts on, by name or number; with
        none of them it is observational.
    kind : what happens to a target.
    mean, variance : of a target of a perfect intervention.
    strength : of the others, at least 0.
    noise, noise_variances : as in `linear_sem`.
    names : of the variables, x0, x1, ... by default.
    rng : the same seed gives the same bytes.

    References
    ----------
    Hauser and Bühlmann (2012), "Characterization and greedy learning of interventional Markov
    equivalence classes of directed acyclic graphs"; Yang, Katcoff and Uhler (2018),
    "Characterizing and learning equivalence classes of causal DAGs under interventions", for
    interventions that are not perfect.

    Examples
    --------
    >>> W = np.array([[0.0, 2.0], [0.0, 0.0]])
    >>> sample = interventional_sem(W, 1000, {"observed": [], "drug": ["x1"]}, rng=0)
    >>> sample.data.shape, sample.targets
    ((2000, 2), {'observed': (), 'drug': ('x1',)})
    >>> drug = sample.data[sample.labels == "drug"]
    >>> bool(abs(np.corrcoef(drug.T)[0, 1]) < 0.1), bool(abs(drug[:, 1].mean() - 2) < 0.1)
    (True, True)
    """
    csr = as_csr(W)
    known = _names(names, csr.shape[0])
    told = _told(targets, known)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InvalidParameterError(f"kind must be one of {', '.join(_KINDS)}, not {kind!r}.")
    require_number("mean", mean)
    require_number("variance", variance, above=0)
    require_number("strength", strength, at_least=0)
    usual = _usual(csr, noise_variances)
    changes, rows = np.random.default_rng(rng).spawn(2)
    how = _How(mean, variance, strength)
    equations = {
        label: _KINDS[kind](usual, np.array(nodes, dtype=np.intp), how, own)
        for (label, nodes), own in zip(told.items(), changes.spawn(len(told)), strict=True)
    }
    by_name = {label: tuple(known[j] for j in nodes) for label, nodes in told.items()}
    return _draw(known, equations, by_name, n_samples, noise, rows)


def batch_sem(
    W: Graph,
    n_samples: int | Mapping[str, int],
    n_batches: int = 5,
    *,
    strength: float = 1.0,
    noise: Noise = "gaussian",
    noise_variances: float | Array = 1.0,
    names: Sequence[str] | None = None,
    rng: Seed = None,
) -> RegimeData:
    """Draw rows of X = X W + Z in batches that move every column, each by amounts of its own.

    A batch adds to column j a number from ``N(0, strength² Var(X_j))``. All batches have the same
    graph and weights, and other means.

    Parameters
    ----------
    W, noise, noise_variances, names : as in `interventional_sem`.
    n_samples : rows of each batch, or for each label, batch1, batch2, ..., how many.
    n_batches : how many there are.
    strength : at least 0, where batches are alike.
    rng : the same seed gives the same bytes, but for what a batch adds, whatever the strength.

    Examples
    --------
    >>> sample = batch_sem(np.zeros((2, 2)), 500, n_batches=2, strength=3.0, rng=0)
    >>> sample.targets
    {'batch1': (), 'batch2': ()}
    >>> sample.equations["batch1"].mean.round(1)
    array([ 4.3, -2.7])
    """
    csr = as_csr(W)
    require_integer("n_batches", n_batches, at_least=1)
    require_number("strength", strength, at_least=0)
    usual = _usual(csr, noise_variances)
    changes, rows = np.random.default_rng(rng).spawn(2)
    scales = strength * np.sqrt(np.diag(usual.covariance))
    equations = {}
    for number in range(1, int(n_batches) + 1):
        added = scales * changes.standard_normal(len(scales))
        # X + b solves the equations whose intercepts are b − b W.
        intercepts = added - np.asarray(csr.T @ added)
        equations[f"batch{number}"] = Equations(csr, intercepts, usual.noise_variances)
    nobody: dict[str, tuple[str, ...]] = dict.fromkeys(equations, ())
    return _draw(_names(names, csr.shape[0]), equations, nobody, n_samples, noise, rows)


@dataclass(frozen=True)
class _How:
    """What a kind of intervention is told."""

    mean: float
    variance: float
    strength: float


def _perfect(usual: Equations, nodes: IntArray, how: _How, rng: np.random.Generator) -> Equations:
    """Cut the parents of the nodes, and give these a mean and a variance."""
    intercepts, variances = usual.intercepts.copy(), usual.noise_variances.copy()
    intercepts[nodes], variances[nodes] = how.mean, how.variance
    return Equations(_times(usual.W, nodes, lambda n: np.zeros(n)), intercepts, variances)


def _imperfect(usual: Equations, nodes: IntArray, how: _How, rng: np.random.Generator) -> Equations:
    """Change the weights of the nodes' parents, and the variances of their noise."""

    def factors(n: int) -> Array:
        return np.exp(how.strength * _signed(n, rng))

    variances = usual.noise_variances.copy()
    variances[nodes] *= factors(len(nodes))
    return Equations(_times(usual.W, nodes, factors), usual.intercepts, variances)


def _shift(usual: Equations, nodes: IntArray, how: _How, rng: np.random.Generator) -> Equations:
    """Give the nodes another intercept."""
    intercepts = usual.intercepts.copy()
    scales = np.sqrt(usual.noise_variances[nodes])
    intercepts[nodes] += how.strength * _signed(len(nodes), rng) * scales
    return Equations(usual.W, intercepts, usual.noise_variances)


def _times(W: SparseArray, nodes: IntArray, factors: Callable[[int], Array]) -> SparseArray:
    """Return W with the weights into some nodes multiplied; edges of weight zero are none."""
    source, target, weight = edge_list(W)
    into = np.isin(target, nodes)
    weight = weight.copy()
    weight[into] *= factors(int(into.sum()))
    return as_csr(csr_array((weight, (source, target)), shape=W.shape))


def _signed(n: int, rng: np.random.Generator) -> Array:
    """Draw numbers that are not near zero, of either sign."""
    return np.asarray(rng.uniform(0.5, 1.0, n) * rng.choice([-1.0, 1.0], n))


_KINDS: dict[str, Callable[[Equations, IntArray, _How, np.random.Generator], Equations]] = {
    "perfect": _perfect,
    "imperfect": _imperfect,
    "shift": _shift,
}


def _usual(csr: SparseArray, noise_variances: float | Array) -> Equations:
    """Return what holds where nothing is changed."""
    d = csr.shape[0]
    variances = for_each_node("noise_variances", noise_variances, d, above_zero=True)
    return Equations(csr, np.zeros(d), variances.copy())


def _draw(
    names: tuple[str, ...],
    equations: dict[str, Equations],
    targets: dict[str, tuple[str, ...]],
    n_samples: int | Mapping[str, int],
    noise: Noise,
    rng: np.random.Generator,
) -> RegimeData:
    """Draw the rows of every regime, each from a stream of its own."""
    counts = _counts(n_samples, list(equations))
    data = np.empty((len(names), sum(counts)))
    end = 0
    for equation, n, own in zip(equations.values(), counts, rng.spawn(len(counts)), strict=True):
        rows = linear_sem(
            equation.W, n, noise, equation.noise_variances, own, intercepts=equation.intercepts
        )
        data[:, end : end + n] = rows.T
        end += n
    return RegimeData(names, data.T, np.repeat(list(equations), counts), targets, equations)


def _names(names: Sequence[str] | None, d: int) -> tuple[str, ...]:
    """Return the names of the variables."""
    if names is None:
        return default_names(d)
    if isinstance(names, str) or len(names) != d or len(set(names)) != d:
        raise InvalidParameterError(f"names must be {d} different names; got {names!r}.")
    return tuple(names)


def _told(targets: Targets, names: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the numbers of the targets of each regime, each once, in order."""
    if not isinstance(targets, Mapping) or not targets:
        raise InvalidParameterError(
            "targets must give for each regime the variables that it acts on, such as "
            f"{{'observed': [], 'drug': [{names[0]!r}]}}; got {targets!r}."
        )
    place = {name: j for j, name in enumerate(names)}
    found: dict[str, list[int]] = {}
    strange: list[str] = []
    for label, nodes in targets.items():
        if not isinstance(label, str):
            raise InvalidParameterError(f"The label of a regime must be a text; got {label!r}.")
        if isinstance(nodes, str) or not isinstance(nodes, Sequence | np.ndarray):
            raise InvalidParameterError(
                f"targets of {label!r} must be a list of variables; got {nodes!r}."
            )
        numbers = [_number(node, place) for node in nodes]
        strange += [f"{n!r} ({label!r})" for n, j in zip(nodes, numbers, strict=True) if j is None]
        found[label] = sorted({j for j in numbers if j is not None})
    if strange:
        raise InvalidParameterError(
            f"targets has what is no variable: {listed(strange)}; there are {listed(names)}."
        )
    return found


def _number(node: str | int, place: Mapping[str, int]) -> int | None:
    """Return the number of a variable that is given by name or number, if there is such a one."""
    if isinstance(node, Integral) and not isinstance(node, bool):
        return int(node) if 0 <= int(node) < len(place) else None
    return place.get(node) if isinstance(node, str) else None


def _counts(n_samples: int | Mapping[str, int], labels: Sequence[str]) -> list[int]:
    """Return the number of rows of each regime."""
    if not isinstance(n_samples, Mapping):
        require_integer("n_samples", n_samples, at_least=1)
        return [int(n_samples)] * len(labels)
    if set(n_samples) != set(labels):
        differing = sorted(set(map(str, n_samples)) ^ set(labels))
        raise InvalidParameterError(
            f"n_samples and the regimes must have the same labels; {listed(differing)} is not in "
            "both."
        )
    for label in labels:
        require_integer(f"n_samples of {label!r}", n_samples[label], at_least=1)
    return [int(n_samples[label]) for label in labels]
