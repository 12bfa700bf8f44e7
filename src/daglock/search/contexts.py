"""Parents of one node where it is regressed in contexts of its own.

A context is a covariance of some of the rows: those that tell of one mechanism of the node. With
contexts c, covariances S_c and weights w_c, the share of all rows that each has,

    f_u(P) = Σ_c w_c · log RSS_u(P; S_c) + (k + e_u)·|P|:

parents are those of all contexts, coefficients and variances are not, and what further coefficients
cost beyond the price k of an edge is e_u. A node with one context is what `daglock.search.parents`
makes it, on a covariance of its own; several are in `daglock.search.several`.

Contexts differ from all rows by few, and their covariances are never written down:

    S_c = scale_c · (base_c · S + Σ_r sign_r f_r f_rᵀ)

over the rows f_r of a factor. A row of S_c is worked out when it is asked for, and kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import part
from daglock.regimes.context import Context
from daglock.search.parents import Work, make_work
from daglock.search.regression import residual_variance
from daglock.search.spec import (
    COLLINEAR,
    MAX_INVERSE,
    Spec,
    conditional_variances,
    knowledge_flags,
    read_only,
)
from daglock.typing import Array, BoolArray, IntArray

# Rows of covariances that a thread keeps, in bytes.
_KEPT = 64_000_000


class ContextSpec(NamedTuple):
    """What the search minimises, and over what: never changed by a kernel."""

    S: Array  # (d, d) covariance of all rows
    factor: Array  # (R, d) rows by which contexts differ from it, one context after the other
    sign: Array  # (R,)
    begin: IntArray  # (K + 1,) where those of each context begin
    base: Array  # (K,)
    scale: Array  # (K,)
    variance: Array  # (K, d) of all variables in each context
    first: IntArray  # (d + 1,) where the contexts of each node begin in the next two
    of: IntArray  # (C,) which context it is
    share: Array  # (C,) its weight
    weight: Array  # (d,) that of the first context of each node
    least: Array  # no choice of parents gives node u a score below least[u]
    reach: float  # as in `Spec`
    exchanges: bool  # as in `Spec`; of nodes with one context
    cost: float  # k, the price of one edge
    extra: Array  # (d,) what an edge into each node costs beyond that
    max_parents: int
    knowledge: NDArray[np.uint8]  # [i, j]: flags of i -> j, as in `Spec`


class ContextWork(NamedTuple):
    """Scratch arrays of one thread."""

    columns: Work  # of a node with one context
    role: NDArray[np.uint8]  # its own
    Vs: Array  # (contexts, max_parents, d)
    rs: Array  # (contexts, d)
    Ds: Array  # (contexts, d)
    rss: Array  # (contexts,)
    inverse: Array  # (max_parents, max_parents)
    rise: Array  # (d,) what dropping each parent costs
    rows: Array  # (capacity, d) rows of covariances
    where: NDArray[np.int32]  # (K, d) which of them, or -1
    used: IntArray  # (1,) how many there are


def make_context_spec(
    S: Array,
    contexts: list[Context],
    of_nodes: list[list[tuple[int, float]]],
    cost: float,
    extra: float = 0.0,
    *,
    max_parents: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    bounded: bool = True,
) -> ContextSpec:
    """Gather the settings of a search in the form that the kernels take.

    Parameters
    ----------
    S : (d, d) covariance of all rows.
    contexts : how others differ from it.
    of_nodes : for each node, the number and the weight of each of its contexts.
    cost : price k of one edge.
    extra : what it costs beyond that in each further context.
    max_parents : of one node.
    allowed, required, before : what is known, [i, j] for i -> j.
    bounded : whether to work out ``least``.
    """
    S = read_only(S)
    d, sizes = len(S), np.array([len(own) for own in of_nodes])
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    begin = np.concatenate([[0], np.cumsum([len(one.factor) for one in contexts])])
    share = np.array([weight for own in of_nodes for _, weight in own])
    return ContextSpec(
        S,
        np.concatenate([*(one.factor for one in contexts), np.empty((0, d))]),
        np.concatenate([*(one.sign for one in contexts), np.empty(0)]),
        begin.astype(np.intp),
        np.array([one.base for one in contexts]),
        np.array([one.scale for one in contexts]),
        np.array([one.variances(S) for one in contexts]),
        first,
        np.array([k for own in of_nodes for k, _ in own], dtype=np.intp),
        share,
        share[first[:-1]],
        _least(S, contexts, of_nodes, bounded),
        np.inf,
        True,
        float(cost),
        extra * (sizes - 1.0),
        int(max_parents),
        knowledge_flags(d, allowed, required, before),
    )


def _least(
    S: Array, contexts: list[Context], of_nodes: list[list[tuple[int, float]]], bounded: bool
) -> Array:
    """Return what each node costs with all others as parents, without their price."""
    least = np.zeros(len(S))
    for k, context in enumerate(contexts):
        mine = [(u, w) for u, own in enumerate(of_nodes) for j, w in own if j == k]
        given = COLLINEAR * context.variances(S)
        if mine and bounded and len(S) <= MAX_INVERSE:
            given = np.maximum(conditional_variances(context.covariance(S)), given)
        for u, weight in mine:
            least[u] += weight * np.log(given[u])
    return least


def make_context_work(spec: ContextSpec) -> ContextWork:
    """Allocate the scratch arrays of one thread."""
    d, m, K = len(spec.weight), spec.max_parents, len(spec.scale)
    several = int(np.diff(spec.first).max())
    columns = make_work(d, m)
    return ContextWork(
        columns,
        columns.role,
        np.empty((several, m, d)),
        np.empty((several, d)),
        np.empty((several, d)),
        np.empty(several),
        columns.inverse,
        np.empty(d),
        np.empty((min(K * d, max(64, _KEPT // (8 * d))), d)),
        np.full((K, d), -1, dtype=np.int32),
        np.zeros(1, dtype=np.intp),
    )


@part
def find_row(spec: ContextSpec, work: ContextWork, k: int, p: int) -> None:
    """Work out the row of p in the covariance of context k; all are forgotten when it gets full."""
    if work.used[0] == work.rows.shape[0]:
        work.used[0] = 0
        for c in range(work.where.shape[0]):
            for i in range(work.where.shape[1]):
                work.where[c, i] = -1
    at = work.used[0]
    work.used[0] += 1
    work.where[k, p] = at
    row, source, base = work.rows[at], spec.S[p], spec.base[k]
    for i in range(row.shape[0]):
        row[i] = base * source[i]
    for t in range(spec.begin[k], spec.begin[k + 1]):
        other = spec.factor[t]
        x = spec.sign[t] * other[p]
        for i in range(row.shape[0]):
            row[i] += x * other[i]
    for i in range(row.shape[0]):
        row[i] *= spec.scale[k]
    row[p] = spec.variance[k, p]


@part
def context_row(spec: ContextSpec, work: ContextWork, k: int, p: int) -> Array:
    """Return a row of the covariance of context k: valid until the next one is asked for."""
    if work.where[k, p] < 0:
        find_row(spec, work, k, p)
    row: Array = work.rows[work.where[k, p]]
    return row


@part
def columns_of(spec: ContextSpec, work: ContextWork, u: int) -> Spec:
    """Return what is asked of a node in its first context."""
    k = spec.of[spec.first[u]]
    return Spec(
        work.rows,
        work.where[k],
        spec.variance[k],
        spec.least,
        spec.reach,
        spec.weight,
        True,
        spec.exchanges,
        spec.cost,
        spec.max_parents,
        spec.knowledge,
    )


def covariance_of(spec: ContextSpec, k: int, nodes: IntArray) -> Array:
    """Return the covariance of some variables in a context."""
    own = slice(spec.begin[k], spec.begin[k + 1])
    context = Context(spec.base[k], spec.factor[own], spec.sign[own], spec.scale[k])
    return context.among(spec.S, nodes)


def context_fit(spec: ContextSpec, u: int, P: IntArray) -> float:
    """Return ``Σ_c w_c log RSS_c`` of a node, solved afresh."""
    fit, nodes, others = 0.0, np.append(P, u), np.arange(len(P))
    for c in range(spec.first[u], spec.first[u + 1]):
        k = int(spec.of[c])
        rss = float(spec.variance[k, u])
        if len(P):
            rss = residual_variance(covariance_of(spec, k, nodes), others, len(P))
        fit += spec.share[c] * np.log(rss)
    return float(fit)


def context_fits(spec: ContextSpec, parents: list[IntArray]) -> Array:
    """Return ``Σ_c w_c log RSS_c`` of every node."""
    return np.array([context_fit(spec, u, P) for u, P in enumerate(parents)])


def context_scores(spec: ContextSpec, parents: list[IntArray]) -> Array:
    """Return f_u of every node with these parents."""
    sizes = np.array([len(P) for P in parents])
    return np.asarray(context_fits(spec, parents) + (spec.cost + spec.extra) * sizes)
