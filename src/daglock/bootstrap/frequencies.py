"""Bootstrap: for each pair of variables how often it is joined, and a graph that sums it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock._parameters import require_number
from daglock.graph import WeightedDAG
from daglock.table.frames import make_digraph, make_matrix, make_table
from daglock.typing import Array, IntArray

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """For each pair of variables, how often replicates join it, and in which direction.

    An edge that a replicate cannot orient counts as adjacent and in neither direction:
    ``adjacent − forward − backward`` is how often it was undirected.

    Attributes
    ----------
    n : replicates.
    names : of the variables.
    first, second : the pairs that were joined at least once, first < second.
    forward, backward : frequency of first -> second and of second -> first.
    adjacent : frequency of any edge between the two.
    order : a topological order of the graph of all rows; decides between directions that are
        equally frequent.
    library : of the frames that are returned; None gives arrays.
    drawn_from : "rows", or "moments" when only the covariance was there: then replicates are
        Gaussian.
    """

    n: int
    names: tuple[str, ...]
    first: IntArray
    second: IntArray
    forward: Array
    backward: Array
    adjacent: Array
    order: IntArray
    library: str | None
    drawn_from: str

    @classmethod
    def count(
        cls,
        replicates: Sequence[WeightedDAG],
        names: tuple[str, ...],
        order: IntArray,
        library: str | None = None,
        drawn_from: str = "rows",
    ) -> Bootstrap:
        """Count how often replicates join each pair, and in which direction."""
        d, n = len(names), len(replicates)
        source, target, oriented = (
            np.concatenate([getattr(dag, part) for dag in replicates])
            for part in ("source", "target", "oriented")
        )
        pairs, k = np.unique(
            np.minimum(source, target) * d + np.maximum(source, target), return_inverse=True
        )
        forward, backward, adjacent = (
            np.asarray(np.bincount(k, weights=vote, minlength=len(pairs)) / n)
            for vote in (oriented & (source < target), oriented & (source > target), source >= 0)
        )
        first, second = (end.astype(np.intp) for end in np.divmod(pairs, d))
        return cls(n, names, first, second, forward, backward, adjacent, order, library, drawn_from)

    def frequencies(self, source: IntArray, target: IntArray) -> tuple[Array, Array]:
        """Return for edges i -> j how often i -> j was found, and how often any edge of the two."""
        d = len(self.names)
        position = {key: k for k, key in enumerate((self.first * d + self.second).tolist())}
        directed, adjacent = np.zeros(len(source)), np.zeros(len(source))
        for e, (i, j) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
            k = position.get(min(i, j) * d + max(i, j))
            if k is not None:
                directed[e] = self.forward[k] if i < j else self.backward[k]
                adjacent[e] = self.adjacent[k]
        return directed, adjacent

    def directed(self) -> Any:
        """Frequency of i -> j in cell (i, j); a labelled frame when the data had names."""
        matrix = np.zeros((len(self.names), len(self.names)))
        matrix[self.first, self.second] = self.forward
        matrix[self.second, self.first] = self.backward
        return self._labelled(matrix)

    def adjacency(self) -> Any:
        """Frequency of an edge between i and j, in whatever direction; symmetric."""
        matrix = np.zeros((len(self.names), len(self.names)))
        matrix[self.first, self.second] = matrix[self.second, self.first] = self.adjacent
        return self._labelled(matrix)

    def table(self) -> Any:
        """One row for each pair that was ever joined, the most frequent first.

        Columns: first, second, forward (first -> second), backward, undirected, adjacent. A frame
        of the library of the data, or a record array.
        """
        rank = np.argsort(-self.adjacent, kind="stable")
        named = np.array(self.names, dtype=object if self.library else None)
        columns = {
            "first": named[self.first[rank]],
            "second": named[self.second[rank]],
            "forward": self.forward[rank],
            "backward": self.backward[rank],
            "undirected": (self.adjacent - self.forward - self.backward)[rank],
            "adjacent": self.adjacent[rank],
        }
        return make_table(self.library, columns)

    def consensus_edges(self, at_least: float = 0.5) -> tuple[IntArray, IntArray, Array, Array]:
        """Return source, target, frequency and support of the edges of `consensus`, by index."""
        require_number("at_least", at_least, above=0, at_most=1)
        place = np.argsort(self.order)
        undirected = self.adjacent - self.forward - self.backward
        lead = self.forward - self.backward
        ahead = np.where(lead == 0, place[self.first] < place[self.second], lead > 0)
        support = np.maximum(self.forward, self.backward) + undirected / 2
        kept = np.flatnonzero(self.adjacent >= at_least)
        kept = kept[np.argsort(-support[kept], kind="stable")]
        children: list[set[int]] = [set() for _ in self.names]
        source, target = [], []
        for k in kept:
            ends = int(self.first[k]), int(self.second[k])
            i, j = ends if ahead[k] else ends[::-1]
            if _reaches(children, j, i):  # i -> j would close a cycle, so that j -> i cannot
                i, j = j, i
            children[i].add(j)
            source.append(i)
            target.append(j)
        return (
            np.array(source, dtype=np.intp),
            np.array(target, dtype=np.intp),
            self.adjacent[kept],
            support[kept],
        )

    def consensus(self, at_least: float = 0.5) -> networkx.DiGraph[str]:
        """Return the acyclic graph of the pairs that are adjacent in at least this share.

        Each pair has its more frequent direction; pairs are entered from the best supported on,
        and one whose direction would close a cycle is turned round.

        Returns
        -------
        networkx.DiGraph
            Every variable is a node. Edges carry ``frequency`` (adjacent) and ``support`` (of the
            more frequent direction, an undirected edge counting half).
        """
        graph = make_digraph(self.names)
        for i, j, frequency, support in zip(*self.consensus_edges(at_least), strict=True):
            graph.add_edge(
                self.names[i], self.names[j], frequency=float(frequency), support=float(support)
            )
        return graph

    def _labelled(self, matrix: Array) -> Any:
        """Return a frame when the data had names."""
        return matrix if self.library is None else make_matrix(self.library, self.names, matrix)


def _reaches(children: list[set[int]], begin: int, end: int) -> bool:
    """Whether a path leads from one node to another."""
    seen, left = {begin}, [begin]
    while left:
        v = left.pop()
        if v == end:
            return True
        left += children[v] - seen
        seen |= children[v]
    return False
