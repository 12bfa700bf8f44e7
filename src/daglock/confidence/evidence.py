"""Evidence: all that is known of each linked pair of columns, before it is weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daglock.confidence.hidden import HiddenCause
from daglock.confidence.opinions import OPINIONS
from daglock.confidence.pair import Pair, pairs_of
from daglock.confidence.replicates import Bootstrap
from daglock.graph import WeightedDAG
from daglock.knowledge.assumed import Assumed
from daglock.regimes import Changes
from daglock.residuals import dependence
from daglock.typing import Array, BoolArray, IntArray

# Rows that opinions look at; more would cost time and change little.
MOST_ROWS = 3000
# Pairs that are in no graph but in so many of the replicates are looked at, too.
RARELY = 0.05
# Dependence of a residual at which the linear model counts as half wrong.
HALF_WRONG = 15.0
# Nats of what does not change between regimes at which that counts half of what it can count.
REGIMES = 10.0
# Links of a column, on average, at which directions of a graph are not believed: where that is half
# of all that there can be, and where it is not.
FEWER, CROWDED = 5, 8
# Replicates as the calibration had them, beside one that says nothing; and rows, below which those
# that replicates draw from are too few to differ as new ones would.
CALIBRATED, ENOUGH_ROWS = 100, 20
# A column of so many values is a code, of which the model is wrong; of twice as many, half wrong.
CODES = 2


@dataclass(frozen=True, eq=False)
class Evidence:
    """For each pair, first < second: what replicates, graph and opinions say of it.

    Attributes
    ----------
    first, second : (m,) columns.
    joined : share of the replicates that link the two.
    lead : of those, the share with first -> second less that with second -> first.
    arrow : 1 where the graph has first -> second, -1 where it has second -> first, 0 where it
        links them not.
    margin : 1 where the graph has first -> second and turning it costs a margin, -1 where it has
        second -> first, 0 where it leaves the direction open.
    shaped : the same, of what the shape of the noise identifies inside the class.
    known : the same, of what knowledge tells; 0 where it tells nothing.
    required : whether knowledge demands the link.
    opinions : (m, k), one column for each of `OPINIONS`, squashed into (-1, 1).
    regimes : (m,) the same, of what regimes with known targets, or with changes that were found,
        identify; where they identify nothing, what mechanisms that do not change between them
        speak for, squashed into (-1, 1).
    misfit : (m,) how far the linear model is from explaining the pair, from 0 to 1: because what a
        line leaves unexplained depends on the cause either way, or because one of the columns
        has few values.
    hidden : (m,) nats by which a cause that is not in the table explains the link better than an
        arrow, see `HiddenCause`; 0 where it does not.
    curved : whether effects may be curves, which also tell directions where all are linked.
    dependent : whether rows resemble their neighbours, but were drawn one by one.
    smaller : share of the smaller of two groups that rows seem to be of; 0 where none seem.
    determined : (m,) whether both are among columns that determine each other, as parts of a sum
        do, which alone may link them; not where knowledge tells of the pair. None: nowhere.
    named : (m,) whether ``known`` rests on the name of a column alone. None: nowhere.
    """

    first: IntArray
    second: IntArray
    joined: Array
    lead: Array
    arrow: Array
    margin: Array
    shaped: Array
    known: Array
    required: BoolArray
    opinions: Array
    misfit: Array
    regimes: Array
    hidden: Array
    curved: bool = False
    dependent: bool = False
    smaller: float = 0.0
    determined: BoolArray | None = None
    named: BoolArray | None = None

    @property
    def in_graph(self) -> BoolArray:
        """Whether the graph links the two."""
        return np.asarray(self.arrow != 0)

    @property
    def doubt(self) -> float:
        """How far the model is from the table as a whole: root of the mean misfit.

        What the class says of an edge rests on all columns around it, so that a model which fails
        elsewhere is doubted here, too. Where nearly everything is linked with everything, as by a
        common cause that nobody measured, links that cancel are missed and turn others round: such
        a graph is doubted altogether. So is one of rows that depend on each other, where replicates
        do not know how little they tell, and one of rows of groups that nobody recorded.
        """
        if not len(self.misfit):
            return 0.0
        return 1.0 if self.unreliable else float(np.sqrt(self.misfit.mean()))

    @property
    def unreliable(self) -> bool:
        """Whether no direction that was learned is relied on, however surely all speak for it."""
        ends = self.first[self.in_graph], self.second[self.in_graph]
        crowded = not self.curved and is_crowded(*ends)
        return self.dependent or self.smaller > 0.0 or crowded


def is_crowded(first: IntArray, second: IntArray) -> bool:
    """Whether columns that have links have `CROWDED` on average, or half of all that there are.

    Half of them and `FEWER` at least: of few columns half is no crowd.

    Examples
    --------
    >>> i, j = np.triu_indices(9, 1)
    >>> is_crowded(i, j), is_crowded(i[:8], j[:8]), is_crowded(i[:1], j[:1])
    (True, False, False)
    """
    linked = np.concatenate([first, second])
    d = len(np.unique(linked))
    degree = len(linked) / max(d, 1)
    return bool(degree >= CROWDED or degree >= max(FEWER, (d - 1) / 2))


def gather(
    bootstrap: Bootstrap,
    dag: WeightedDAG,
    rows: Array | None,
    *,
    shaped: BoolArray | None = None,
    known: BoolArray | None = None,
    required: BoolArray | None = None,
    nominal: BoolArray | None = None,
    by_regimes: BoolArray | None = None,
    changes: Changes | None = None,
    curved: bool = False,
    doubted: BoolArray | None = None,
    hidden: Sequence[HiddenCause] = (),
    determined: BoolArray | None = None,
    dependent: bool = False,
    smaller: float = 0.0,
    n_rows: int = ENOUGH_ROWS,
    assumed: Assumed | None = None,
) -> Evidence:
    """Ask everyone.

    Without rows nobody can tell whether the model holds: opinions are silent, and the misfit is
    taken for the largest.

    Parameters
    ----------
    bootstrap : replicates.
    dag : the graph of all rows.
    rows : (n, d), or None.
    shaped : for each edge of the graph, whether the shape of the noise identifies it.
    known : (d, d), 1 where knowledge rules out that column j is a cause of i.
    required : (d, d), whether knowledge demands i -> j.
    nominal : (d,), whether the numbers of a column stand for categories without an order: of such
        a column opinions say nothing, and the model is as doubtful as that of a code.
    by_regimes : for each edge of the graph, whether regimes identify it.
    changes : of mechanisms between regimes whose targets are not told; None where there are none.
    curved : whether effects may be curves, so that the model fails only where these do.
    doubted : for each edge of the graph, whether replicates have its direction from targets of
        regimes that the data contradict: they then say nothing of it.
    hidden : causes that are not in the table; what knowledge tells of a pair counts more.
    determined : (d, d), pairs among columns that determine each other; so does knowledge.
    dependent : whether rows resemble their neighbours, but were drawn one by one.
    smaller : share of the smaller of two groups that rows seem to be of, see `hidden_groups`.
    n_rows : rows behind the graph.
    assumed : columns that come first by their names; ``known`` has that, too.
    """
    first, second, joined, lead = _replicated(bootstrap, dag)
    worth = worth_of(bootstrap.n, n_rows)
    joined, lead = np.minimum(joined, 0.5 + worth * np.maximum(joined - 0.5, 0.0)), worth * lead
    none = np.zeros(dag.n_edges, dtype=np.bool_)
    by_shape = none if shaped is None else shaped
    experiments = none if by_regimes is None else by_regimes & dag.oriented
    told = np.zeros((dag.d, dag.d)) if known is None else np.asarray(known, dtype=np.float64)
    demanded = np.zeros((dag.d, dag.d), dtype=np.bool_) if required is None else required

    def signed(edges: BoolArray) -> Array:
        """Return for each pair 1 where one of these edges goes from first to second, or -1."""
        matrix = np.zeros((dag.d, dag.d))
        matrix[dag.source[edges], dag.target[edges]] = 1.0
        return np.asarray((matrix - matrix.T)[first, second])

    explained = np.zeros((dag.d, dag.d))
    for cause in hidden:
        for i, j in cause.pairs():
            explained[i, j] = max(explained[i, j], cause.gain)
    known_way, told_link = (told - told.T)[first, second], (demanded | demanded.T)[first, second]
    is_told = (known_way != 0) | told_link
    opinions, misfit = np.zeros((len(first), len(OPINIONS))), np.ones(len(first))
    if rows is not None:
        if len(rows) > MOST_ROWS:
            chosen = np.random.default_rng(0).choice(len(rows), MOST_ROWS, replace=False)
            rows = rows[np.sort(chosen)]
        levels = [len(np.unique(column)) for column in rows.T]
        silent = np.zeros(dag.d, dtype=np.bool_) if nominal is None else nominal
        for k, pair in enumerate(pairs_of(rows, dag, first, second)):
            if silent[first[k]] or silent[second[k]]:
                continue
            opinions[k] = [squashed(opinion.look(pair), opinion.scale) for opinion in OPINIONS]
            coded = CODES / max(min(levels[first[k]], levels[second[k]]), CODES)
            misfit[k] = max(squashed(_misfit(pair, curved), HALF_WRONG), coded)
    return Evidence(
        first,
        second,
        joined,
        lead if doubted is None else np.where(signed(doubted) != 0, 0.0, lead),
        signed(np.ones(dag.n_edges, dtype=np.bool_)),
        signed(dag.oriented & ~by_shape & ~experiments),
        signed(by_shape),
        known_way,
        told_link,
        opinions,
        misfit,
        _by_regimes(signed(experiments), changes, dag, first, second),
        np.where(is_told, 0.0, explained[first, second]),
        curved,
        dependent,
        smaller,
        None if determined is None else ~is_told & determined[first, second],
        None if assumed is None else assumed.before(first, second) | assumed.before(second, first),
    )


def worth_of(n_replicates: int, n_rows: int) -> float:
    """Return what the word of replicates is worth, 1 for as many as the calibration had.

    One that says nothing is added to them, and few rows count in proportion: two of them are on a
    line, however often they are drawn.

    Examples
    --------
    >>> [round(worth_of(n, 500), 2) for n in (1, 10, 25, 100, 1000)], worth_of(100, 2)
    ([0.51, 0.92, 0.97, 1.0, 1.0], 0.1)
    """
    among = n_replicates / (n_replicates + 1) * (CALIBRATED + 1) / CALIBRATED
    return min(1.0, among) * min(1.0, n_rows / ENOUGH_ROWS)


def _by_regimes(
    told: Array, changes: Changes | None, dag: WeightedDAG, first: IntArray, second: IntArray
) -> Array:
    """Return what regimes say of each pair: what they identify, else what does not change."""
    if changes is None:
        return told
    parents = [set(P.tolist()) for P in dag.parents]
    said = told.copy()
    for k in np.flatnonzero(told == 0).tolist():
        i, j = int(first[k]), int(second[k])
        rest = np.array(sorted((parents[i] | parents[j]) - {i, j}), dtype=np.intp)
        said[k] = squashed(changes.direction(i, j, rest), REGIMES)
    return said


def squashed(value: float, scale: float) -> float:
    """Return value / (|value| + scale), which is in (-1, 1)."""
    return value / (abs(value) + scale)


def _misfit(pair: Pair, curved: bool) -> float:
    """Return how far residuals of lines, or curves, depend on the regressor, the better way."""
    ways = (pair.forward, pair.backward)
    left = (dependence(way.curved if curved else way.linear, way.basis) for way in ways)
    return max(0.0, min(left))


def _replicated(bootstrap: Bootstrap, dag: WeightedDAG) -> tuple[IntArray, IntArray, Array, Array]:
    """Return the pairs to look at, how often they are joined, and the lead of one direction."""
    d = dag.d
    joined, lead = np.zeros((d, d)), np.zeros((d, d))
    i, j = bootstrap.first, bootstrap.second
    joined[i, j] = bootstrap.adjacent
    lead[i, j] = (bootstrap.forward - bootstrap.backward) / np.maximum(bootstrap.adjacent, 1e-12)
    looked_at = joined >= RARELY
    looked_at[np.minimum(dag.source, dag.target), np.maximum(dag.source, dag.target)] = True
    first, second = (ends.astype(np.intp) for ends in np.nonzero(looked_at))
    return first, second, joined[first, second], lead[first, second]
