"""Simulated tables of many kinds: where the model of daglock holds, and where it does not.

A table is drawn from its seed alone: the shape of its graph, its size, and a family that says in
what way it departs from linear effects with Gaussian noise. The families of `FIT` are for fitting,
those of `JUDGE` were not looked at while anything was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from daglock.typing import Array, BoolArray, IntArray

Generator: TypeAlias = np.random.Generator
# From a column, what its parents make of it, and its noise, to its values.
Act: TypeAlias = Callable[[int, Array, Array], Array]

NOISES: dict[str, Callable[[Generator, int], Array]] = {
    "gaussian": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "gumbel": lambda rng, n: rng.gumbel(size=n),
    "t5": lambda rng, n: rng.standard_t(5, n),
    "lognormal": lambda rng, n: np.exp(0.8 * rng.standard_normal(n)),
    "beta": lambda rng, n: rng.beta(0.5, 0.8, n),
    # kept for judging
    "logistic": lambda rng, n: rng.logistic(size=n),
    "gamma": lambda rng, n: rng.gamma(2.0, size=n),
    "mixture": lambda rng, n: rng.standard_normal(n) + 3.0 * (rng.random(n) < 0.3),
}
_SHAPED = tuple(NOISES)[1:8]


@dataclass(frozen=True)
class Family:
    """A way in which tables are made.

    Attributes
    ----------
    noises : names of `NOISES`; each column has one of them.
    one_noise : whether all columns have the same one.
    curved : share of the effects that are curved.
    gaussian_process : whether curves are smooth random functions instead of simple ones.
    hidden : share of the columns that are not shown.
    spread : whether the variance of the noise grows with the mean.
    bent : whether each column is shown through a monotone curve.
    coded : whether columns are rounded, counted, cut into grades or halves.
    equal : whether all noise has one variance and columns are shown as they are.
    products : share of the pairs of parents that act by their product, too.
    """

    noises: tuple[str, ...] = ("gaussian",)
    one_noise: bool = False
    curved: float = 0.0
    gaussian_process: bool = False
    hidden: float = 0.0
    spread: bool = False
    bent: bool = False
    coded: bool = False
    equal: bool = False
    products: float = 0.0


FIT = {
    "linear Gaussian": Family(),
    "equal variances": Family(equal=True),
    "linear, one shape": Family(_SHAPED, one_noise=True),
    "linear, many shapes": Family(_SHAPED),
    "curved, Gaussian": Family(curved=1.0),
    "curved, many shapes": Family(("gaussian", *_SHAPED), curved=1.0),
    "partly curved": Family(("gaussian", *_SHAPED), curved=0.5, spread=True, bent=True),
    "hidden causes": Family(("gaussian", "laplace", "exponential"), hidden=0.2),
    "codes": Family(("gaussian", "uniform", "exponential"), coded=True),
    "codes and curves": Family(("gaussian", *_SHAPED), curved=0.5, coded=True, hidden=0.2),
    "bent scales": Family(("gaussian", *_SHAPED), bent=True),
    "uneven spread": Family(("gaussian", *_SHAPED), spread=True),
}
JUDGE = {
    "linear Gaussian, other graphs": Family(),
    "linear, other shapes": Family(("logistic", "gamma", "mixture")),
    "random curves": Family(curved=1.0, gaussian_process=True),
    "random curves, other shapes": Family(
        ("gaussian", "gamma", "mixture"), curved=1.0, gaussian_process=True
    ),
    "products": Family(("gaussian", "gamma"), products=0.5),
    "hidden and coded": Family(("gaussian", "gamma"), hidden=0.3, coded=True),
}


@dataclass(frozen=True, eq=False)
class SimulatedTable:
    """A table with its truth.

    Attributes
    ----------
    X : (n, d)
    graph : (d, d), whether i acts on j.
    family : by name.
    """

    X: Array
    graph: BoolArray
    family: str
    name: str = field(default="")


def simulated(seed: int, families: dict[str, Family]) -> SimulatedTable:
    """Draw a table."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice(list(families)))
    family, judging = families[name], families is JUDGE
    d = int(rng.choice([7, 10, 18, 25, 40] if judging else [5, 8, 12, 15, 20, 30]))
    n = int(rng.choice([200, 400, 800, 2500] if judging else [150, 300, 500, 1000, 2000, 4000]))
    total = d + int(np.ceil(family.hidden * d))
    order, graph = draw_graph(rng, total, judging)
    X = draw_columns(rng, n, order, graph, family)
    shown = np.sort(rng.permutation(total)[:d])
    X = X[:, shown]
    varies = X.std(axis=0) > 1e-9
    graph = graph[np.ix_(shown, shown)][np.ix_(varies, varies)]
    return SimulatedTable(np.ascontiguousarray(X[:, varies]), graph, name, f"simulated {seed}")


def draw_graph(rng: Generator, d: int, judging: bool) -> tuple[IntArray, BoolArray]:
    """Draw an order and a graph along it, with 1.5 to 4 edges for each two columns."""
    shapes = ("small world", "layers") if judging else ("even", "hubs", "sinks", "near")
    shape, degree = str(rng.choice(shapes)), float(rng.choice([1.5, 2, 3, 4]))
    order = rng.permutation(d)
    first, second = np.triu_indices(d, 1)
    pull = rng.pareto(1.2, d) + 0.2
    weight = {
        "even": np.ones(len(first)),
        "hubs": pull[first],
        "sinks": pull[second],
        "near": np.exp(-(second - first) / 2.0),
        "small world": np.where(second - first <= 2, 1.0, 0.5 / d),
        "layers": ((first // 4 + 1 == second // 4) | (rng.random(len(first)) < 0.02)) + 1e-9,
    }[shape]
    count = min(int(degree * d / 2), len(first))
    chosen = rng.choice(len(first), count, replace=False, p=weight / weight.sum())
    graph = np.zeros((d, d), dtype=np.bool_)
    graph[order[first[chosen]], order[second[chosen]]] = True
    return order, graph


def draw_columns(
    rng: Generator,
    n: int,
    order: IntArray,
    graph: BoolArray,
    family: Family,
    act: Act = lambda j, mean, noise: mean + noise,
    offset: Array | float = 0.0,
) -> Array:
    """Fill the columns in the order of the graph, then show them as the family does.

    Parameters
    ----------
    act : what happens to a column: by itself it is the sum of mean and noise.
    offset : (n, d), added to deviations of columns that are there, as a batch does to what it
        measures: what other columns follow is without it.
    """
    d, weakest = len(order), float(rng.choice([0.05, 0.2, 0.5]))
    weights = rng.uniform(weakest, 1.0, (d, d)) * rng.choice([-1.0, 1.0], (d, d))
    deviation = np.ones(d) if family.equal else rng.uniform(0.5, 1.5, d)
    same = str(rng.choice(family.noises))
    X = np.zeros((n, d))
    for j in order:
        mean, parents = np.zeros(n), np.flatnonzero(graph[:, j])
        for i in parents:
            curved = rng.random() < family.curved
            mean += weights[i, j] * (_curve(rng, X[:, i], family) if curved else X[:, i])
        if len(parents) > 1 and rng.random() < family.products:
            mean += _unit(X[:, parents[0]]) * _unit(X[:, parents[1]])
        noise = _unit(NOISES[same if family.one_noise else str(rng.choice(family.noises))](rng, n))
        if family.spread and len(parents):
            noise *= np.exp(0.5 * np.tanh(_unit(mean)))
        X[:, j] = act(int(j), mean, deviation[j] * noise)
    X = X + offset * X.std(axis=0)
    for j in range(d):
        if family.bent:
            X[:, j] = _bent(rng, _unit(X[:, j]))
        if family.coded:
            X[:, j] = _coded(rng, _unit(X[:, j]))
    if not family.equal:
        X *= np.exp(rng.uniform(-1, 1, d))
    return np.asarray(X)


def _unit(x: Array) -> Array:
    """Return x with mean 0 and variance 1."""
    return np.asarray((x - x.mean()) / (x.std() + 1e-12))


def _curve(rng: Generator, x: Array, family: Family) -> Array:
    """Return a random function of x."""
    x, c = _unit(x), rng.uniform(-1, 1)
    if family.gaussian_process:  # with random Fourier features
        frequency, phase = rng.standard_normal(50) / 1.2, rng.uniform(0, 2 * np.pi, 50)
        return np.asarray(np.cos(np.outer(x, frequency) + phase) @ rng.standard_normal(50) / 5.0)
    return (
        np.tanh(2 * (x - c)),
        x + 0.6 * x**2,
        np.sin(1.5 * x + c),
        np.exp(0.7 * np.minimum(x, 6.0)),
        np.maximum(x - c, 0.0),
        x * np.abs(x),
    )[rng.integers(6)]


def _bent(rng: Generator, x: Array) -> Array:
    """Return a monotone function of x, or x."""
    kinds = (x, np.exp(0.6 * x), np.sign(x) * np.abs(x) ** 1.5, np.logaddexp(0.0, 2 * x))
    return kinds[rng.integers(4)]


def _coded(rng: Generator, x: Array) -> Array:
    """Return x, or x in two, four, or many grades, or as counts."""
    cut = rng.uniform(-0.8, 0.8)
    kinds = (
        x,
        (x > cut).astype(np.float64),
        np.digitize(x, [-1.0, 0.0, 1.0]).astype(np.float64),
        np.round(5 * x),
        np.floor(np.exp(np.minimum(x, 6.0))),
    )
    return kinds[rng.integers(5)]
