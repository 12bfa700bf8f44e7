"""Missing values: modelled, dropped, or not there; as how many rows a table with gaps counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from daglock.engine import learn
from daglock.errors import InvalidDataError
from daglock.gaps import effective_rows, fit_gaussian, shared_rows
from daglock.graph import as_csr, topological_order
from daglock.metrics import compare_classes
from daglock.moments import Moments
from daglock.typing import Array, BoolArray
from daglock_evaluation.benchmark.suites import SCALED
from daglock_evaluation.harness.case import Case
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import mean_and_error, progress

# The formula was chosen on seeds 0 to 64 of `simulate` itself, with the gaps "mcar", "half" and
# "uneven"; the tables are of other seeds, graphs and gaps.
FIRST_SEED = 7000
SHARES = (0.05, 0.2, 0.4)
Formula = Callable[[BoolArray], float]


def gaps(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Print what modelling gaps is worth, what was tried for the price, and other data."""
    yield from beside_dropping(seeds or 10, sizes or [20, 50])
    yield absent_edges(seeds or 10, sizes or [20, 50])
    yield formulas(seeds or 10, sizes or [20])
    yield other_data(seeds or 10)


# --- gaps


def with_gaps(X: Array, kind: str, share: float, seed: int) -> Array:
    """Return the table with so much of its cells missing, without rows that have nothing left.

    mcar    every cell alike.
    mar     a fifth of the columns complete; the others miss more where one of these is high.
    half    the same with half of the columns complete.
    uneven  each column its own share, from none to twice the mean.
    drop    columns in an order, rows end somewhere in it: as people leave a study, earlier
            where the first column is high.
    """
    rng = np.random.default_rng([seed, 11])
    n, d = X.shape
    missing = np.zeros((n, d), dtype=np.bool_)
    if kind == "mcar":
        missing = rng.random((n, d)) < share
    elif kind in ("mar", "half"):
        complete = rng.permutation(d)[: d // (2 if kind == "half" else 5)]
        others = np.setdiff1d(np.arange(d), complete)
        for j in others:
            cause = X[:, rng.choice(complete)]
            missing[:, j] = rng.random(n) < _chances(cause, share * d / len(others))
    elif kind == "uneven":
        missing = rng.random((n, d)) < rng.permutation(np.linspace(0.0, 2.0 * share, d))
    elif kind == "drop":
        order = np.asarray(rng.permutation(d))
        leaves = rng.random(n) < _chances(X[:, order[0]], 2.0 * share)
        place = rng.integers(1, d, size=(n, 1))  # half of the columns are left, on average
        late = np.arange(d) >= place
        missing[:, order] = late & leaves[:, None]
    else:
        raise ValueError(f"There is no kind of gaps called {kind!r}.")
    Y = X.copy()
    Y[missing] = np.nan
    return np.asarray(Y[~missing.all(axis=1)])


def _chances(cause: Array, share: float) -> Array:
    """Return chances that rise with a column and have a mean near this share."""
    odds = 1.0 / (1.0 + np.exp(-1.5 * (cause - cause.mean()) / cause.std()))
    chances = odds * share / odds.mean()
    # what would be above 0.95 is spread over the other rows
    for _ in range(20):
        chances = np.minimum(chances * share / chances.mean(), 0.95)
    return np.asarray(chances)


# --- what graphs are worth


def judge(moments: Moments, truth: Array) -> tuple[float, float]:
    """Return the distance between the classes, and how many joined pairs are false."""
    found = learn(moments, rng=0)
    linked = np.zeros(truth.shape, dtype=np.bool_)
    linked[found.dag.source, found.dag.target] = True
    true = (truth != 0.0) | (truth.T != 0.0)
    return float(compare_classes(found.to_sparse(), truth).shd), float((linked & ~true).sum())


class Complete(NamedTuple):
    """A table without gaps, its graph, and what is found in it."""

    X: Array
    truth: Array
    judged: tuple[float, float]


@cache
def draw_complete(case: Case, seed: int) -> Complete:
    """Draw a table, and learn from it as it is, once for all kinds of gaps."""
    draw = case.draw(seed)
    truth = as_csr(draw.truth).toarray()
    return Complete(draw.X, truth, judge(Moments.from_data(draw.X), truth))


def beside_dropping(seeds: int, sizes: list[int]) -> Iterator[Table]:
    """Compare distances to the class: the complete table, gaps modelled, rows dropped."""
    head = ["gaps", "%", "graph", "complete", "model", "drop", "rows left", "model / complete"]
    for d in sizes:
        rows = [head]
        cells = list(product(("mcar", "mar"), SHARES, (1, 2, 4)))
        for kind, share, edges in progress(cells, f"gaps, d = {d}"):
            complete, model, drop, left = [], [], [], []
            for seed in range(FIRST_SEED, FIRST_SEED + seeds):
                X, truth, judged = draw_complete(Case(d, edges, **SCALED), seed)
                Y = with_gaps(X, kind, share, seed)
                whole = Y[~np.isnan(Y).any(axis=1)]
                left.append(len(whole))
                complete.append(judged[0])
                model.append(judge(Moments.from_incomplete(Y, quiet=True), truth)[0])
                drop.append(_dropped(whole, truth))
            ratio = f"{np.mean(model) / np.mean(complete):.2f}" if any(complete) else "-"
            rows.append(
                [
                    *(kind.upper(), f"{100 * share:.0f}", f"degree {2 * edges}"),
                    *(mean_and_error(complete), mean_and_error(model), mean_and_error(drop)),
                    *(f"{np.mean(left):.0f}", ratio),
                ]
            )
        yield Table(f"CPDAG-SHD, standardised, d = {d}, n = 1000, {seeds} graphs (± se)", rows)


def _dropped(rows: Array, truth: Array) -> float:
    """Return the distance that the complete rows reach; not a number where there are too few."""
    try:
        return judge(Moments.from_data(rows), truth)[0]
    except InvalidDataError:
        return np.nan


# --- as how many rows a table counts


def _power_mean(power: float, beyond: float) -> Formula:
    """Return s^beyond / (mean of n_ij^-power)^(1/power)."""

    def rows(there: BoolArray) -> float:
        shared = shared_rows(there)
        counts = np.maximum(shared[np.triu_indices(len(shared), 1)], 1.0)
        mean = np.mean(counts**-power) ** (1.0 / power)
        return float(there.mean() ** beyond / mean)

    return rows


def absent_edges(seeds: int, sizes: list[int]) -> Table:
    """Compare the formula with the number of rows by which absent edges vary as they should.

    Beside its true parents an earlier node gains about χ²₁/n by chance: what the gains of all such
    pairs sum to in the complete table, over what they sum to with gaps, times n, is "by gains".
    """
    rows = [["gaps", "%", "d", "graph", "by gains", "formula", "harmonic"]]
    cells = list(product(("mcar", "mar", "uneven"), SHARES, sizes, (2, 4)))
    for kind, share, d, edges in progress(cells, "absent edges"):
        sums, counted = np.zeros(2), []
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            draw = Case(d, edges, **SCALED).draw(seed)
            truth = as_csr(draw.truth).toarray()
            Y = with_gaps(draw.X, kind, share, seed)
            sums += [gains_by_chance(S, truth) for S in (np.cov(draw.X.T), fit_gaussian(Y).cov)]
            counted.append([f(~np.isnan(Y)) for f in (effective_rows, FORMULAS["harmonic"])])
        numbers = [1000.0 * sums[0] / sums[1], *np.mean(counted, axis=0)]
        shown = [f"{number:.0f}" for number in numbers]
        rows.append([kind, f"{100 * share:.0f}", f"{d}", f"degree {2 * edges}", *shown])
    return Table(f"As how many of 1000 rows a table counts, {seeds} graphs", rows)


def gains_by_chance(S: Array, truth: Array) -> float:
    """Sum over absent edges of what an earlier node explains beside the true parents."""
    place = np.argsort(topological_order(as_csr(truth)))
    total = 0.0
    for j in range(len(S)):
        parents = np.flatnonzero(truth[:, j])
        earlier = np.setdiff1d(np.flatnonzero(place < place[j]), parents)
        both = np.concatenate([[j], earlier])
        rest = S[np.ix_(both, both)]
        if len(parents):
            shared = S[np.ix_(parents, both)]
            rest = rest - shared.T @ np.linalg.solve(S[np.ix_(parents, parents)], shared)
        explained = rest[0, 1:] ** 2 / (rest[0, 0] * np.diagonal(rest)[1:])
        total -= float(np.log1p(-explained).sum())
    return total


FORMULAS: dict[str, Formula] = {
    "all rows": lambda there: float(len(there)),
    "mean of pairs": lambda there: float(
        shared_rows(there)[np.triu_indices(there.shape[1], 1)].mean()
    ),
    "harmonic": _power_mean(1.0, 0.0),
    "harmonic, √s": _power_mean(1.0, 0.5),
    "quadratic, √s": effective_rows,
    "quadratic, s": _power_mean(2.0, 1.0),
}


def formulas(seeds: int, sizes: list[int]) -> Table:
    """Print false links and distances for each formula, where shares are 20 and 40 %."""
    rows = [["gaps", "%", "d", "complete", *FORMULAS]]
    cells = list(product(("mcar", "mar", "uneven"), (0.2, 0.4), sizes))
    for kind, share, d in progress(cells, "formulas"):
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            X, truth, judged = draw_complete(Case(d, 2, **SCALED), seed)
            Y = with_gaps(X, kind, share, seed)
            fit = fit_gaussian(Y)
            found.setdefault("complete", []).append(judged)
            for name, formula in FORMULAS.items():
                n = max(2, round(formula(~np.isnan(Y))))
                found.setdefault(name, []).append(judge(Moments(fit.cov, n, fit.means[0]), truth))
        means = {name: np.mean(values, axis=0) for name, values in found.items()}
        shown = [f"{false:.1f} / {far:.1f}" for far, false in means.values()]
        rows.append([kind, f"{100 * share:.0f}", f"{d}", *shown])
    about = "False links / CPDAG-SHD by as how many rows a table counts"
    return Table(f"{about}; degree 4, {seeds} graphs", rows)


def other_data(seeds: int) -> Table:
    """Print false links and distances on data that nothing was chosen on, a fifth missing."""
    rows = [["data", "gaps", "rows counted", "complete", "model", "drop"]]
    usual = Case(30, 2, **SCALED)
    kinds = {
        "scale-free, d = 30": replace(usual, graph="sf"),
        "exponential noise, d = 30": replace(usual, noise="exponential"),
        "equal variances, d = 30": replace(usual, standardised=False, variances=(1.0, 1.0)),
        "weak effects, d = 30": replace(usual, weights=(0.1, 0.5)),
        "n = 200, d = 10": replace(usual, d=10, edges_per_node=1, n=200),
        "n = 5000, d = 30": replace(usual, n=5000),
    }
    for (name, case), gaps_ in progress(list(product(kinds.items(), ("mar", "drop"))), "others"):
        counted, complete, model, drop = [], [], [], []
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            X, truth, judged = draw_complete(case, seed)
            Y = with_gaps(X, gaps_, 0.2, seed)
            moments = Moments.from_incomplete(Y, quiet=True)
            counted.append(moments.n)
            complete.append(judged)
            model.append(judge(moments, truth))
            whole = Y[~np.isnan(Y).any(axis=1)]
            drop.append(_dropped(whole, truth))
        means = np.mean(complete, axis=0), np.mean(model, axis=0)
        pairs = [f"{false:.1f} / {far:.1f}" for far, false in means]
        rows.append([name, gaps_, f"{np.mean(counted):.0f}", *pairs, mean_and_error(drop)])
    title = "False links / CPDAG-SHD on other data, 20 % missing (drop: CPDAG-SHD)"
    return Table(f"{title}; {seeds} graphs", rows)
