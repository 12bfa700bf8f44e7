"""Normal scores: where they help, where raw values are right, and what the default does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from daglock import DAGLock
from daglock.graph import dag_to_cpdag, topological_order
from daglock.metrics import compare_cpdag
from daglock.simulate import erdos_renyi
from daglock.table import Table as Rows
from daglock.table.kinds import ColumnKind, Kind
from daglock.typing import Array
from daglock_evaluation.harness.case import standardise
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import change, each, fitted

# The rule was chosen on seeds 0 to 119 of the generators in CHOSEN; these are others.
FIRST_SEED = 300
D, EDGES, N = 20, 30, 1000
Draw = Callable[[np.random.Generator, int], Array]
Generator = Callable[[Array, np.random.Generator], Array]


def linear(noise: Draw) -> Generator:
    """Return a generator of linear models with this noise, and variances of 0.5 to 2."""

    def draw(W: Array, rng: np.random.Generator) -> Array:
        X = np.zeros((N, len(W)))
        scale = np.sqrt(rng.uniform(0.5, 2.0, len(W)))
        for j in topological_order(W):
            X[:, j] = X @ W[:, j] + scale[j] * noise(rng, N)
        return X

    return draw


gaussian = linear(lambda rng, n: rng.standard_normal(n))


def margins(function: Callable[[Array], Array]) -> Generator:
    """Return a generator of functions of standardised Gaussian columns."""
    return lambda W, rng: function(standardise(gaussian(W, rng)))


def some_margins(W: Array, rng: np.random.Generator) -> Array:
    """Exponentiate half of the columns of a Gaussian model."""
    X = gaussian(W, rng)
    return np.where(rng.random(len(W)) < 0.5, np.exp(standardise(X)), X)


def counts(dispersion: float | None = None) -> Generator:
    """Return a generator of counts whose log means are linear in logs of counts."""

    def draw(W: Array, rng: np.random.Generator) -> Array:
        X, logs = np.zeros((2, N, len(W)))
        for j in topological_order(W):
            effect = logs @ W[:, j]
            if effect.std() > 0.0:
                effect *= 0.6 / effect.std()
            mean = np.exp(rng.uniform(0.5, 3.0) + effect)
            if dispersion is not None:
                mean *= rng.gamma(dispersion, 1.0 / dispersion, N)
            X[:, j] = rng.poisson(mean)
            logs[:, j] = np.log(X[:, j] + 0.5) - np.log(X[:, j] + 0.5).mean()
        return X

    return draw


def ordinal(evenness: float, most: int = 6) -> Generator:
    """Return a generator of Gaussian columns that were cut into 3 to ``most`` grades."""

    def draw(W: Array, rng: np.random.Generator) -> Array:
        X = gaussian(W, rng)
        for j in range(len(W)):
            shares = rng.dirichlet(np.full(rng.integers(3, most + 1), evenness))
            X[:, j] = np.searchsorted(np.quantile(X[:, j], np.cumsum(shares)[:-1]), X[:, j])
        return X

    return draw


def rounded(W: Array, rng: np.random.Generator) -> Array:
    """Linear models with exponential noise, as whole numbers of a quarter standard deviation."""
    return np.round(4.0 * linear(lambda rng, n: rng.exponential(1.0, n))(W, rng))


# Raw values are right.
LINEAR: dict[str, Generator] = {
    "Gaussian noise": gaussian,
    "uniform noise": linear(lambda rng, n: rng.uniform(-1.73, 1.73, n)),
    "Laplace noise": linear(lambda rng, n: rng.laplace(0.0, 0.71, n)),
    "exponential noise": linear(lambda rng, n: rng.exponential(1.0, n) - 1.0),
    "t noise, 3 df": linear(lambda rng, n: rng.standard_t(3, n) / 1.73),
    "exponential noise, rounded": rounded,
    "log-normal noise": linear(lambda rng, n: rng.lognormal(0.0, 1.0, n) / 2.16),
}
# Other functions of the columns are.
OTHERWISE: dict[str, Generator] = {
    "exponentiated": margins(np.exp),
    "half of them exponentiated": some_margins,
    "cubes": margins(lambda x: x**3),
    "Poisson counts": counts(),
    "overdispersed counts": counts(1.0),
    "grades": ordinal(5.0),
    "grades, uneven": ordinal(1.0),
}
CHOSEN = {**LINEAR, **OTHERWISE}
# Nothing was chosen on these.
JUDGED: dict[str, Generator] = {
    "Gumbel noise": linear(lambda rng, n: rng.gumbel(0.0, 0.78, n)),
    "gamma noise": linear(lambda rng, n: rng.gamma(0.5, 1.41, n)),
    "logistic noise": linear(lambda rng, n: rng.logistic(0.0, 0.55, n)),
    "hyperbolic sines": margins(lambda x: np.sinh(1.5 * x)),
    "fourth powers of positive": margins(lambda x: (3.5 + x) ** 4),
    "logistic functions": margins(lambda x: 1.0 / (1.0 + np.exp(-2.5 * x))),
    "grades, up to ten": ordinal(2.0, most=10),
}


def raw_and_scored(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Compare distances to the true class, from raw values, normal scores and the default."""
    for title, kinds in (("chosen on", CHOSEN), ("judged on", JUDGED)):
        rows = [["columns", "raw", "normal", "auto", "auto less raw", "± se", "scored"]]
        for name, generator in kinds.items():
            found = each(partial(_distances, generator, _kind(name)), FIRST_SEED, seeds or 20, name)
            means = [f"{value:.1f}" for value in found.mean(axis=0)]
            rows.append([name, *means[:3], *change(found[:, 0], found[:, 2]), means[3]])
        about = f"CPDAG-SHD, d = {D}, {EDGES} edges, n = {N}, {seeds or 20} graphs each"
        yield Table(f"{about}: {title} (scored: columns of {D})", rows)


def _kind(name: str) -> Kind:
    """Return the kind of the columns, as a user would see it."""
    if name.startswith("grades"):
        return Kind.ORDINAL
    return Kind.COUNT if name.endswith(("counts", "rounded")) else Kind.CONTINUOUS


def _distances(generator: Generator, kind: Kind, seed: int) -> tuple[float, ...]:
    """Return the distances of the three, and how many columns the default scores."""
    W = np.asarray(erdos_renyi(D, EDGES, rng=seed))
    X = generator(W, np.random.default_rng([seed, 1]))
    kinds = (ColumnKind(kind),) * D
    truth = dag_to_cpdag(W != 0.0)
    distances, scored = [], 0
    for how in ("raw", "normal", "auto"):
        model = fitted(DAGLock("unequal", scores=how, shape="ignore"), Rows(X, kinds=kinds))
        distances.append(compare_cpdag(dag_to_cpdag(model.learned_.dag.adjacency()), truth).shd)
        scored = len(model.scores_)
    return (*distances, scored)
