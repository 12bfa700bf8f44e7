"""Plain NumPy twins of the kernels: every quantity is solved afresh, and nothing is skipped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from daglock.moments import Moments
from daglock.search.parents import Spec, make_spec
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import BoolArray


def random_spec(
    seed: int,
    d: int,
    n: int,
    *,
    equal: bool = False,
    max_parents: int | None = None,
    n_edges: int | None = None,
    price: float = 1.0,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    thorough: bool = False,
) -> Spec:
    """Return a search problem of simulated data."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, 2 * d if n_edges is None else n_edges, weights=(0.2, 1.5), rng=rng)
    variances = 1.0 if equal else rng.uniform(0.3, 3.0, d)
    moments = Moments.from_data(linear_sem(W, n, noise_variances=variances, rng=rng))
    return make_spec(
        moments.cov if equal else moments.standardised().cov,
        price * np.log(n) / n,
        weight=0.9 if equal else 1.0,
        logarithmic=not equal,
        max_parents=d - 1 if max_parents is None else max_parents,
        allowed=allowed,
        required=required,
        before=before,
        thorough=thorough,
    )


@dataclass(frozen=True)
class Twin:
    """The criterion of a spec, computed in the plainest way."""

    spec: Spec
    known: dict[tuple[int, frozenset[int]], float] = field(default_factory=dict)

    def rss(self, u: int, P: Iterable[int]) -> float:
        """RSS_u, by solving the normal equations."""
        S, parents = self.spec.S, sorted(P)
        b = np.linalg.solve(S[np.ix_(parents, parents)], S[parents, u])
        return float(S[u, u] - S[u, parents] @ b)

    def score(self, u: int, P: Iterable[int]) -> float:
        """f_u(P)."""
        key, spec = (u, frozenset(P)), self.spec
        if key not in self.known:
            rss = self.rss(*key)
            fit = np.log(rss) if spec.logarithmic else rss
            self.known[key] = float(spec.weight[u] * fit + spec.cost * len(key[1]))
        return self.known[key]

    def select(
        self, u: int, start: Iterable[int], eligible: Iterable[int], required: Iterable[int] = ()
    ) -> set[int]:
        """Grow by the best while that pays, shrink by the worst while that pays, until the end."""
        fixed, candidates = set(required), set(eligible)
        P = fixed | set(start)
        while True:
            while len(P) < self.spec.max_parents and candidates - P:
                more = min(candidates - P, key=lambda i: self.score(u, P | {i}))
                if self.score(u, P | {more}) >= self.score(u, P):
                    break
                P = P | {more}
            left = self.shrink(u, P, fixed)
            if left == P:
                return P
            P = left

    def shrink(self, u: int, P: set[int], fixed: set[int]) -> set[int]:
        """Drop the worst parent while that pays."""
        while P - fixed:
            less = min(P - fixed, key=lambda i: self.score(u, P - {i}))
            if self.score(u, P - {less}) >= self.score(u, P):
                break
            P = P - {less}
        return P

    def allowed(self, u: int, candidates: Iterable[int]) -> set[int]:
        """Those of the candidates that may be parents of u."""
        mask = self.spec.allowed
        return {i for i in candidates if i != u and (mask.size == 0 or mask[u, i])}

    def required(self, u: int) -> set[int]:
        """The parents that u must have."""
        mask = self.spec.required
        return set(np.flatnonzero(mask[u]).tolist()) if mask.size else set()

    def may_follow(self, order: list[int]) -> bool:
        """Whether the order agrees with ``before``."""
        before = self.spec.before
        if not before.size:
            return True
        position = np.argsort(order)
        return all(position[i] < position[j] for i, j in np.argwhere(before))


def largest_improvement(twin: Twin, order: list[int], parents: list[set[int]]) -> float:
    """How much the best single-node move improves, when *everybody* it passes chooses anew.

    Nobody is skipped and no walk ends early. Each chooses from the present parents that are left,
    with the node that moved, and may keep what there was.
    """
    d = len(order)
    now = [twin.score(u, parents[u]) for u in range(d)]
    best = 0.0
    for v in range(d):
        here = order.index(v)
        rest = [u for u in order if u != v]
        for q in range(d):
            new = [*rest[:q], v, *rest[q:]]
            if q == here or not twin.may_follow(new):
                continue
            change = 0.0
            for u in {v, *new[min(q, here) : max(q, here) + 1]}:
                candidates = twin.allowed(u, new[: new.index(u)])
                kept = parents[u] & candidates
                start = kept | ({v} & candidates)
                P = twin.select(u, start, candidates, twin.required(u))
                value = twin.score(u, P)
                if kept == parents[u]:
                    value = min(value, now[u])
                change += value - now[u]
            best = max(best, -change)
    return best


def total_score(twin: Twin, parents: Sequence[Iterable[int]]) -> float:
    """Σ f_u of a graph."""
    return sum(twin.score(u, P) for u, P in enumerate(parents))
