r"""Hidden causes: links that one cause which nobody recorded explains at a lower price than arrows.

Two columns a and b with a common cause that is not in the table are linked, and no arrow between
them is right. Where others act on each of them the covariance shows it. With p → a, q → b and a
hidden cause of a and b, p tells nothing of b, nor q of a; a graph that has a → b in its place needs
p → b as well, with a weight that cancels what comes through a. So a graph that pays for such links
is compared with one in which the errors of a set K of columns are correlated in place of the links
between them:

    x_k = Σ_{p ∈ pa(k) \ K} w_pk x_p + ε_k  for k ∈ K,    cov(ε_K) free for two columns,
                                                          λλ' + Ψ for more (one hidden cause),

and links from outside that then cost more than they explain are left out. The gain is that in

    n/2 · log-determinant of the errors' covariance + price · (links + covariances or loadings).

It is found for pairs first; a column that is linked with all of K is added while nothing is lost.
Sets that share columns explain the same links, so they are taken by their gain, each with at most
one column of those before it. What has no such sign stays unknown: where nothing else acts on one
of two columns, a hidden cause of both looks like an arrow in every covariance.

References
----------
Drton, Eichler and Richardson, Computing maximum likelihood estimates in recursive linear models
with correlated errors, JMLR 10 (2009), section 4 (the regressions on errors, by turns).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from daglock.graph import WeightedDAG
from daglock.typing import Array

# From this gain on, in nats, a hidden cause is spoken of.
LEAST = 1.0
# At most so many columns have one and the same hidden cause here, so many parents from outside are
# looked at, and so many larger sets are compared.
MOST_COLUMNS, MOST_PARENTS, MOST_SETS = 8, 30, 1000
# Nats by which a set may be worse than a smaller one: where a pair is the same model as an arrow,
# only a larger set tells them apart.
SAME = 0.1
# Turns of the regressions on errors, and of the factor; nats that are nothing.
_TURNS, _FACTOR_TURNS, _NOTHING = 40, 200, 1e-3
# The least share of a column's error that is its own, and what is added to each variance.
_OWN, _RIDGE = 0.005, 1e-9


@dataclass(frozen=True)
class HiddenCause:
    """A set of columns whose links one hidden cause explains.

    Attributes
    ----------
    columns : that it acts on.
    gain : by how much the graph with it is better, in nats.
    unneeded : links (from, to) from outside the set that are not needed with it.
    """

    columns: tuple[int, ...]
    gain: float
    unneeded: tuple[tuple[int, int], ...]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs, the smaller first, whose link it explains."""
        for pair in (*combinations(self.columns, 2), *self.unneeded):
            yield min(pair), max(pair)


def hidden_causes(S: Array, n: float, price: float, dag: WeightedDAG) -> list[HiddenCause]:
    """Return sets of columns whose links a hidden cause explains, by gain, the largest first.

    Parameters
    ----------
    S : (d, d), covariance or correlation.
    n : rows.
    price : of a link, in nats.
    dag : the graph that was learned.

    Examples
    --------
    >>> from daglock.moments import Moments
    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.standard_normal(1000)
    >>> p, q, noise_a, noise_b = rng.standard_normal((4, 1000))
    >>> a, b = p + hidden + noise_a, q + hidden + noise_b
    >>> S = Moments.from_data(np.column_stack([p, q, a, b])).cov
    >>> W = np.zeros((4, 4))
    >>> W[[0, 0, 1, 2], [2, 3, 3, 3]] = 1.0  # p → a, and p, q, a → b
    >>> dag = WeightedDAG.from_matrix(W)
    >>> [(one.columns, one.unneeded) for one in hidden_causes(S, 1000, 7.0, dag)]
    [((2, 3), ((0, 3),))]
    """
    search = _Search(S, n, price, dag)
    found: list[HiddenCause] = []
    pairs = search.candidates()
    most = len(search.tried) + MOST_SETS
    for pair in pairs:
        if any({*pair} <= {*one.columns} for one in found):
            continue
        best = search.grown(pair) if len(search.tried) < most else search.of(pair)
        if best.gain >= LEAST:
            found.append(best)
    taken: list[HiddenCause] = []
    for one in sorted(found, key=search.order):
        if all(len({*one.columns} & {*other.columns}) < 2 for other in taken):
            taken.append(one)
    return taken


class _Search:
    """The comparison of a graph with such that have hidden causes."""

    def __init__(self, S: Array, n: float, price: float, dag: WeightedDAG) -> None:
        scale = 1.0 / np.sqrt(np.diag(S))
        self.S = S * scale[:, None] * scale + _RIDGE * np.eye(len(S))
        self.n, self.price = n, price
        self.parents = [P.tolist() for P in dag.parents]
        self.linked = [set(P) for P in self.parents]
        for j, P in enumerate(self.parents):
            for i in P:
                self.linked[i].add(j)
        self.tried: dict[frozenset[int], HiddenCause] = {}

    @cached_property
    def alone(self) -> list[float]:
        """What each column costs in the graph, without links that are not worth their price."""
        return [self._without_unneeded([j], [P], {*P})[0] for j, P in enumerate(self.parents)]

    def candidates(self) -> list[tuple[int, int]]:
        """Return linked pairs with a common neighbour, by what a hidden cause of them gains.

        Without a common neighbour no link can become unneeded.
        """
        few = [len(P) <= MOST_PARENTS for P in self.parents]
        links = ((i, j) for j, P in enumerate(self.parents) for i in P if few[i] and few[j])
        pairs = [(i, j) for i, j in links if self.linked[i] & self.linked[j]]
        return sorted(pairs, key=lambda pair: self.order(self.of(pair)))

    def order(self, one: HiddenCause) -> tuple[float, float]:
        """Return what sets are sorted by: gain, and among equals how far columns correlate."""
        among = self.S[np.ix_(one.columns, one.columns)]
        return -round(one.gain / SAME), -float(np.abs(among).sum())

    def grown(self, pair: tuple[int, int]) -> HiddenCause:
        """Return the best hidden cause that begins with two columns."""
        best = last = self.of(pair)
        while len(last.columns) < MOST_COLUMNS:
            others = set.intersection(*(self.linked[k] for k in last.columns))
            larger = [
                self.of([*last.columns, other])
                for other in sorted(others)
                if len(self.parents[other]) <= MOST_PARENTS
            ]
            if not larger:
                break
            found = min(larger, key=self.order)
            if found.gain < last.gain - SAME:
                break
            best, last = max(best, found, key=lambda one: one.gain), found
        return best

    def of(self, K: Sequence[int]) -> HiddenCause:
        """Return what one hidden cause of a set of columns gains."""
        key = frozenset(K)
        if key not in self.tried:
            self.tried[key] = self._of(sorted(K))
        return self.tried[key]

    def _of(self, K: list[int]) -> HiddenCause:
        """Compare with the graph; only links whose source has others in K can be unneeded now."""
        P = [[p for p in self.parents[k] if p not in K] for k in K]
        several = {p for Q, R in combinations(P, 2) for p in set(Q) & set(R)}
        cost, unneeded = self._without_unneeded(K, P, several)
        return HiddenCause(tuple(K), sum(self.alone[k] for k in K) - cost, unneeded)

    def _without_unneeded(
        self, K: list[int], P: list[list[int]], sources: Container[int]
    ) -> tuple[float, tuple[tuple[int, int], ...]]:
        """Leave out links from some sources, the cheapest first, as long as that costs less."""
        cost, explained = self._fitted(K, P)
        unneeded: list[tuple[int, int]] = []
        while True:
            links = [
                (float(explained[r][c]), r, p)
                for r, Q in enumerate(P)
                for c, p in enumerate(Q)
                if p in sources
            ]
            if not links:
                break
            _, r, p = min(links)
            fewer = [[q for q in Q if q != p] if k == r else Q for k, Q in enumerate(P)]
            now, explained = self._fitted(K, fewer)
            if now >= cost:
                break
            cost, P = now, fewer
            unneeded.append((p, K[r]))
        return cost, tuple(unneeded)

    def _fitted(self, K: list[int], P: list[list[int]]) -> tuple[float, list[Array]]:
        """Return what K costs with these parents, and what each link explains given all errors."""
        used = sorted({*K, *(p for Q in P for p in Q)})
        place = {j: c for c, j in enumerate(used)}
        local = [[place[p] for p in Q] for Q in P]
        enough = 2 * _NOTHING / self.n
        covariance, explained = correlated_errors(
            self.S[np.ix_(used, used)], [place[k] for k in K], local, enough
        )
        m = len(K)
        fit = np.linalg.slogdet(covariance)[1] if m < 3 else one_factor(covariance, enough)
        terms = {1: 0, 2: 1}.get(m, m)
        return float(self.n / 2 * fit + self.price * (sum(map(len, P)) + terms)), explained


def correlated_errors(
    S: Array, K: Sequence[int], P: Sequence[Sequence[int]], enough: float
) -> tuple[Array, list[Array]]:
    """Fit x_k = Σ_{p ∈ P_k} w_pk x_p + ε_k, k ∈ K, with errors that are freely correlated.

    Each column by turns is regressed on its parents and on the errors of the others, which never
    lowers the likelihood, until a turn lowers the log-determinant by less than `enough`.

    Returns
    -------
    covariance : (m, m) of the errors.
    explained : for each k, what each parent explains of the variance given all the rest.
    """
    columns, m, last = np.eye(len(S)), len(K), np.inf
    B = columns[K].copy()
    explained = [np.zeros(len(Q)) for Q in P]
    for turn in range(_TURNS):
        others = B if turn else B[:0]  # at first errors are what parents alone leave
        for r, k in enumerate(K):
            if not P[r]:
                continue
            regressors = np.vstack([columns[P[r]], others[:r], others[r + 1 :]])
            with_all = regressors @ S
            inverse = np.linalg.inv(with_all @ regressors.T)
            w = inverse @ with_all[:, k]
            B[r, P[r]] = -w[: len(P[r])]
            explained[r] = (w**2 / np.diag(inverse))[: len(P[r])]
        covariance = B @ S @ B.T
        fit = float(np.linalg.slogdet(covariance)[1])
        if m == 1 or (turn > 1 and last - fit < enough):
            break
        last = fit
    return covariance, explained


def one_factor(covariance: Array, enough: float) -> float:
    """Return log det C + tr(C⁻¹ Ω) − m of the best C = λλ' + Ψ for Ω, by EM.

    References
    ----------
    Rubin and Thayer, EM algorithms for ML factor analysis, Psychometrika 47 (1982), section 2.
    """
    deviation = np.sqrt(np.diag(covariance))
    R = covariance / np.outer(deviation, deviation)
    values, vectors = np.linalg.eigh(R)
    loading = vectors[:, -1] * np.sqrt(0.8 * values[-1])
    own = np.clip(1.0 - loading**2, _OWN, 1.0)
    last = np.inf
    for _ in range(_FACTOR_TURNS):
        b = loading / own / (1.0 + np.sum(loading**2 / own))
        Rb = R @ b
        loading = Rb / (1.0 - b @ loading + b @ Rb)
        own = np.maximum(1.0 - loading * Rb, _OWN)
        fit = _misfit(loading, own, R)
        if last - fit < enough:
            break
        last = fit
    return float(fit + 2 * np.log(deviation).sum())


def _misfit(loading: Array, own: Array, R: Array) -> float:
    """Return log det C + tr(C⁻¹ R) − m of C = λλ' + Ψ, where R has 1 on its diagonal."""
    u = loading / own
    share = 1.0 + u @ loading
    return float(np.log(own).sum() + np.log(share) + (1 / own).sum() - u @ R @ u / share - len(own))
