"""Plain NumPy twins of the kernels: every quantity is solved afresh, and nothing is skipped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from daglock.moments import Moments
from daglock.search.node import AnySpec
from daglock.search.spec import ALLOWED, BEFORE, REQUIRED, Spec, make_spec
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
        """Grow by the best while that pays, shrink by the worst, by logarithms exchange one."""
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
                replaced = P - fixed if self.spec.exchanges else set()
                others = [P - {a} | {i} for a in replaced for i in candidates - P]
                left = min(others, key=lambda Q: self.score(u, Q), default=P)
                if self.score(u, left) >= self.score(u, P) - 1e-9:
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

    def worth(self, u: int, P: set[int], i: int) -> float:
        """What i would gain u as one more parent or else, by logarithms, in the place of one."""
        if not self.allowed(u, [i]):
            return 0.0
        replaced = P - self.required(u) if self.spec.exchanges else set()
        alone = self.score(u, P) - self.score(u, P | {i})
        instead = [self.score(u, P) - self.score(u, P - {a} | {i}) for a in replaced]
        return max(0.0, alone if alone > 0.0 else max(instead, default=0.0))

    def allowed(self, u: int, candidates: Iterable[int]) -> set[int]:
        """Those of the candidates that may be parents of u."""
        known = self.spec.knowledge
        return {i for i in candidates if i != u and known[i, u] & ALLOWED}

    def required(self, u: int) -> set[int]:
        """The parents that u must have."""
        return set(np.flatnonzero(self.spec.knowledge[:, u] & REQUIRED).tolist())

    def may_follow(self, order: list[int]) -> bool:
        """Whether the order agrees with what must come before what."""
        position = np.argsort(order)
        return all(position[i] < position[j] for i, j in np.argwhere(before(self.spec)))


def before(spec: AnySpec) -> BoolArray:
    """Which must come before which."""
    return np.asarray(spec.knowledge & BEFORE > 0)


def largest_improvement(
    twin: Twin, order: list[int], parents: list[set[int]], *, everybody: bool = False
) -> float:
    """How much the best single-node move improves; no walk ends early.

    Each node concerned chooses from the present parents that are left, with the node that moved,
    and may keep what there was. With ``everybody``, not only those are concerned to whom the one
    that moves is a parent, or pays as one more or in the place of one.
    """
    best, known = 0.0, twin.spec.knowledge

    def chosen(u: int, start: set[int], before: list[int]) -> set[int]:
        """The better of what u finds among those before it, and what it starts with if it may."""
        candidates = twin.allowed(u, before)
        P = twin.select(u, start & candidates, candidates, twin.required(u))
        if start <= candidates and twin.score(u, start) < twin.score(u, P):
            return start
        return P

    for v, here in enumerate(np.argsort(order).tolist()):
        for left in (True, False):
            own, others = parents[v], 0.0
            for q in range(here - 1, -1, -1) if left else range(here + 1, len(order)):
                u = order[q]
                if (known[u, v] if left else known[v, u]) & BEFORE:
                    break
                rest = [i for i in order[:q] if i != v]
                P, now = parents[u], twin.score(u, parents[u])
                if left:
                    if twin.worth(u, P, v) > 1e-9 or everybody:
                        new = twin.score(u, chosen(u, P | {v}, [*rest, v]))
                        others += min(new, now) - now
                    if u in own or everybody:
                        own = chosen(v, own - {u}, rest)
                else:
                    if v in P or everybody:
                        others += twin.score(u, chosen(u, P - {v}, rest)) - now
                    score = twin.score(v, own)
                    if twin.worth(v, own, u) > 1e-9 or everybody:
                        new_own = chosen(v, own | {u}, [*rest, u])
                        own = new_own if twin.score(v, new_own) < score else own
                best = max(best, twin.score(v, parents[v]) - others - twin.score(v, own))
    return best


def total_score(twin: Twin, parents: Sequence[Iterable[int]]) -> float:
    """Σ f_u of a graph."""
    return sum(twin.score(u, P) for u, P in enumerate(parents))
