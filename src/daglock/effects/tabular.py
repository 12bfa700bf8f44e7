"""TabularModel: a network of categories, each with a distribution for every case of its parents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daglock.counts import Counts
from daglock.graph import WeightedDAG
from daglock.typing import Array, IntArray, Seed

# Rows that every level counts beside those that were seen: so none is impossible.
BESIDE = 0.5


@dataclass(frozen=True, eq=False)
class TabularModel:
    """Frequencies of the levels of each variable, given the levels of its parents.

    ``P(x_j = k | pa) = (N(k, pa) + 1/2) / (N(pa) + r_j/2)`` with N the rows of the table and r_j
    the levels of j: the estimator of Krichevsky and Trofimov, under which no row is impossible,
    and the levels of a variable are equally likely where its parents were never seen so.

    Parameters
    ----------
    counts : the rows of the table.
    dag : its graph.

    References
    ----------
    Krichevsky and Trofimov, The performance of universal encoding, IEEE Transactions on
    Information Theory 27 (1981), equation 2.

    Examples
    --------
    >>> counts = Counts.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]])
    >>> model = TabularModel(counts, WeightedDAG.from_matrix(np.array([[0.0, 1.0], [0.0, 0.0]])))
    >>> np.exp(model.log_likelihood(np.array([[0, 0]]))).round(4).tolist()  # 3.5/5 · 2.5/4
    [0.4375]
    """

    counts: Counts
    dag: WeightedDAG

    def log_likelihood(self, codes: NDArray[np.int16]) -> Array:
        """Return the log-likelihood of rows, (n, d) of codes, one number for each."""
        total = np.zeros(len(codes))
        for j, P in self._in_order():
            shares = self._shares(j, P, codes[:, P])
            total += np.log(shares[np.arange(len(codes)), codes[:, j]])
        return total

    def sample(self, n: int, rng: Seed = None) -> NDArray[np.int16]:
        """Draw n rows of codes, causes before effects."""
        generator = np.random.default_rng(rng)
        codes = np.zeros((n, self.counts.d), dtype=np.int16)
        for j, P in self._in_order():
            above = np.cumsum(self._shares(j, P, codes[:, P]), axis=1)[:, :-1]
            codes[:, j] = (generator.random(n)[:, None] >= above).sum(axis=1)
        return codes

    def _in_order(self) -> Iterator[tuple[int, IntArray]]:
        """Go through the variables and their parents, causes first."""
        parents = self.dag.parents
        for j in self.dag.order.tolist():
            yield j, parents[j]

    def _shares(self, j: int, P: IntArray, cases: NDArray[np.int16]) -> Array:
        """Return for each case of the parents, (n, |P|), how likely each level of j is."""
        seen, own, r = self.counts.codes[P].T, self.counts.codes[j], len(self.counts.levels[j])
        if len(P):
            _, place = np.unique(np.concatenate([seen, cases]), axis=0, return_inverse=True)
            place = np.ravel(place)
        else:
            place = np.zeros(len(seen) + len(cases), dtype=np.intp)
        cells = place[: len(seen)] * r + own
        size = (int(place.max(initial=0)) + 1) * r
        table = np.bincount(cells, self.counts.weight, minlength=size).reshape(-1, r) + BESIDE
        return np.asarray((table / table.sum(axis=1, keepdims=True))[place[len(seen) :]])
