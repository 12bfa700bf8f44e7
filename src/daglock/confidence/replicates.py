"""How often each edge comes back when the rows are drawn again, and a graph that sums it up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daglock._parameters import require_integer, require_number
from daglock._progress import Bar
from daglock.confidence.checkpoint import Checkpoint, fingerprint, seeds_of
from daglock.confidence.drawn import Drawing, Sample
from daglock.confidence.resampled import Replicate, Resampled, n_kept, pack
from daglock.confidence.workers import Workers, find_workers
from daglock.errors import WorkerDiedError
from daglock.graph import WeightedDAG
from daglock.solution import Status
from daglock.table.frames import make_digraph, make_matrix, make_table
from daglock.typing import Array, IntArray, Seed, Statistics
from daglock.wording import plural

if TYPE_CHECKING:
    import networkx

    from daglock.engine.learned import Learned

Progress = Callable[[int, int], None]
# From rows, and the regime of each where there are regimes, to what is learned from.
Keep: TypeAlias = Callable[[NDArray[Any], NDArray[np.str_] | None], Sample]
# Replicates that are given to each worker between two steps of the progress bar.
BATCH = 4
# Replicates of a table of usual size: up to so many multiplications for one of them, and columns.
REPLICATES, USUAL_WORK, USUAL_COLUMNS = 100, 2.5e9, 1000
# Fewer for larger tables, but no fewer than this.
FEWEST = 25


def default_replicates(n: int, d: int) -> int:
    """Return how many replicates a table has by default: by its size, whatever the machine.

    Examples
    --------
    >>> [default_replicates(n, d) for n, d in ((1000, 50), (10**6, 50), (5 * 10**6, 30))]
    [100, 100, 55]
    >>> [default_replicates(n, d) for n, d in ((500, 2000), (500, 20_000))]
    [50, 25]
    """
    share = min(1.0, USUAL_WORK / (float(n) * d * d), USUAL_COLUMNS / d)
    return max(FEWEST, int(REPLICATES * share))


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
    stopped : why there are fewer than were asked for: "time" or "interrupt"; else empty.
    together : whether rows of one group were drawn together.
    resampled : the covariances of the replicates; None where there is no room for them, or no need.
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
    stopped: str = ""
    together: bool = False
    resampled: Resampled | None = None

    @classmethod
    def count(
        cls,
        replicates: Sequence[WeightedDAG],
        names: tuple[str, ...],
        order: IntArray,
        library: str | None = None,
        drawn_from: str = "rows",
        stopped: str = "",
        together: bool = False,
        resampled: Resampled | None = None,
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
        how = (order, library, drawn_from, stopped, together, resampled)
        return cls(n, names, first, second, forward, backward, adjacent, *how)

    def __repr__(self) -> str:
        """One line for a person."""
        pairs = plural(len(self.first), "pair")
        return (
            f"<Bootstrap: {plural(self.n, 'replicate')} of the {self.drawn_from}, {pairs} joined>"
        )

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
        return make_matrix(self.library, self.names, matrix)

    def adjacency(self) -> Any:
        """Frequency of an edge between i and j, in whatever direction; symmetric."""
        matrix = np.zeros((len(self.names), len(self.names)))
        matrix[self.first, self.second] = matrix[self.second, self.first] = self.adjacent
        return make_matrix(self.library, self.names, matrix)

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
        from networkx import DiGraph, has_path

        require_number("at_least", at_least, above=0, at_most=1)
        place = np.argsort(self.order)
        undirected = self.adjacent - self.forward - self.backward
        lead = self.forward - self.backward
        ahead = np.where(lead == 0, place[self.first] < place[self.second], lead > 0)
        support = np.maximum(self.forward, self.backward) + undirected / 2
        kept = np.flatnonzero(self.adjacent >= at_least)
        kept = kept[np.argsort(-support[kept], kind="stable")]
        source = np.where(ahead, self.first, self.second)[kept]
        target = np.where(ahead, self.second, self.first)[kept]
        graph: DiGraph[int] = DiGraph()
        graph.add_nodes_from(range(len(self.names)))
        for k, (i, j) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
            if has_path(graph, j, i):  # i -> j would close a cycle, so j -> i cannot
                source[k], target[k] = i, j = j, i
            graph.add_edge(i, j)
        return source, target, self.adjacent[kept], support[kept]

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


def learn_replicates(
    learn: Callable[..., Learned],
    X: NDArray[Any] | None,
    moments: Statistics,
    *,
    keep: Keep | None = None,
    groups: NDArray[Any] | None = None,
    regimes: NDArray[np.str_] | None = None,
    n: int,
    rng: Seed,
    n_jobs: int | None,
    seconds: float | None = None,
    progress: Progress | bool | None,
    checkpoint: Checkpoint | None = None,
    drawn: Drawn | None = None,
) -> tuple[list[Replicate], str]:
    """Draw rows and learn, n times; the same seed gives the same, whatever n_jobs.

    Ctrl-C ends it with the replicates that are done, if there are any. Returns them and, where
    they are fewer than n, why: "time" or "interrupt". What a process was at that was killed is done
    again.

    Parameters
    ----------
    learn : from moments, which columns they are of and ``rng``, a generator; must be one that can
        be pickled.
    X : rows to draw from with replacement; without them rows are drawn from what was kept of
        them, numbers from the Gaussian distribution with these moments.
    keep : from rows and their regimes to what is learned from; must be one that can be pickled.
    groups : of rows that are drawn together, a label for each row; without them each row by itself.
    regimes : a label for each row; each regime keeps its number of rows, or of groups.
    n_jobs : as in joblib, whose backend is the one that the caller has set. None, or Dask as that
        backend, makes the replicates tasks of a ``dask.distributed.Client`` that is active.
    seconds : of work, after which no more are begun; what replicates of the checkpoint took counts.
    progress : called with the replicates done and n; None is a bar on a terminal, False nothing.
    checkpoint : replicates of the same data, settings and seed are taken from it, others added.
    drawn : what is kept of rows that are not here, drawn again for several replicates at once.

    Raises
    ------
    WorkerDiedError
        The same replicate ended three processes.
    ClusterError
        The workers of a cluster do not answer.
    """
    require_integer("n", n, at_least=1)
    generator = np.random.default_rng(rng)
    drawing = None if X is None else Drawing.of(len(X), groups, regimes)
    crew = find_workers(n_jobs)
    # what else runs on the machine does not count, as far as that can be told
    clock = process_time if isinstance(crew, Workers) and crew.width == 1 else perf_counter
    began, result = clock(), list[Replicate]()
    # those of a Gaussian can be drawn whenever they are needed
    kept = 0 if X is None and drawn is None else n_kept(moments, n)
    if checkpoint is not None:
        source = [] if drawn is None else [type(drawn).__name__]
        how = (seeds_of(generator), kept > 0)
        of = fingerprint(learn, X, moments, keep, drawing, *how, *source)
        result = checkpoint.open(of)[:n]
        began -= checkpoint.seconds  # a run that goes on has what is left of its time
    generator.spawn(len(result))
    waiting = _Waiting(drawn, moments, seeds_of(generator), n, seconds is not None)
    # what all replicates share; to a cluster it is sent once
    work: Callable[..., Replicate] = partial(_replicate, learn, X, moments, keep, drawing)
    if drawn is not None:
        work = partial(_learn_from, learn, moments)
    try:
        with crew as workers, Bar(None if callable(progress) else progress) as bar:
            while len(result) < n:
                late = seconds is not None and clock() - began > seconds
                if late and result:
                    return result, "time"
                width = min(BATCH * workers.width, n - len(result))
                seeds = generator.spawn(width)  # the same whatever the width
                numbers = range(len(result), len(result) + width)
                pieces: list[tuple[Any, ...]] = [
                    (b < kept, seed) for b, seed in zip(numbers, seeds, strict=True)
                ]
                if drawn is not None:
                    own = waiting.take(len(result), width)
                    pieces = [(one, *piece) for one, piece in zip(own, pieces, strict=True)]
                for replicate in workers.in_order(work, pieces):  # what is done stays
                    result.append(replicate)
                    if checkpoint is not None:
                        checkpoint.add(replicate, None if seconds is None else clock() - began)
                if checkpoint is not None:
                    checkpoint.sync()
                if callable(progress):
                    progress(len(result), n)
                else:
                    bar.step("bootstrap", len(result), n)
    except KeyboardInterrupt:
        if not result:
            raise
    except WorkerDiedError as error:
        raise WorkerDiedError(len(result), error.deaths, error.on_cluster) from error
    finally:
        if checkpoint is not None:
            checkpoint.close()
    return result, "" if len(result) == n else "interrupt"


class Drawn(Protocol):
    """Rows that are not in memory, which can be drawn again in a pass over them."""

    @property
    def at_once(self) -> int:
        """How many replicates a pass can make."""
        ...

    def draw(self, first: int, n: int, seed: tuple[int, ...], like: Statistics) -> list[Sample]:
        """Return what is kept of n replicates from the first on."""
        ...


class _Waiting:
    """What is kept of replicates that were drawn in one pass, until they are learned from.

    Where time is limited the first pass makes the fewest that are wanted, and each further one as
    many again.
    """

    def __init__(
        self,
        drawn: Drawn | None,
        moments: Statistics,
        seeds: tuple[Any, ...],
        n: int,
        limited: bool,
    ) -> None:
        self.drawn, self.moments, self.n = drawn, moments, n
        entropy, key, _ = seeds
        whole = entropy if isinstance(entropy, Sequence) else [entropy or 0]
        self.seed = (*map(int, whole), *map(int, key))
        self.width = FEWEST if limited else n
        self._first, self._ready = 0, list[Sample]()

    def take(self, first: int, n: int) -> list[Sample]:
        """Return what n replicates are learned from, from the first on."""
        assert self.drawn is not None
        taken: list[Sample] = []
        for b in range(first, first + n):
            if not self._first <= b < self._first + len(self._ready):
                width = min(self.width, self.drawn.at_once, self.n - b)
                self._first, self._ready = b, self.drawn.draw(b, width, self.seed, self.moments)
            taken.append(self._ready[b - self._first])
        return taken


def _learn_from(
    learn: Callable[..., Learned],
    like: Statistics,
    sample: Sample,
    is_kept: bool,
    rng: np.random.Generator,
) -> Replicate:
    """Learn a graph of all variables; those that do not vary in the sample have no edges."""
    d, packed = like.d, pack(sample, like) if is_kept else None
    if len(sample.columns) < 2:
        return Replicate(WeightedDAG.from_parents(np.arange(d), [[]] * d, [[]] * d), packed)
    learned = learn(sample.moments, sample.columns, rng=rng)
    if learned.status is Status.INTERRUPTED:  # the search keeps its best graph; here it is Ctrl-C
        raise KeyboardInterrupt
    return Replicate(learned.dag.among(sample.columns, d), packed)


def _replicate(
    learn: Callable[..., Learned],
    X: NDArray[Any] | None,
    moments: Statistics,
    keep: Keep | None,
    drawing: Drawing | None,
    is_kept: bool,
    rng: np.random.Generator,
) -> Replicate:
    """Draw the rows, or groups of rows, with replacement and learn."""
    if X is None or keep is None or drawing is None:
        sample = Sample(moments.redraw(rng), np.arange(moments.d))
    else:
        drawn = drawing.draw(rng)
        labels = None if drawing.regimes is None else drawing.regimes[drawn]
        sample = keep(X[drawn], labels)
    return _learn_from(learn, moments, sample, is_kept, rng)
