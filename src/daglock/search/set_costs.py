"""What sets of variables cost together: log-determinants of blocks, entropies of counts.

What a set costs is worked out once and kept. A search asks for sets of one member more than the
parents P of a node u, and than P ∪ u: these two are kept ready (`prepare`), as a Cholesky factor or
as a code for each row, and one member more costs little (`extend`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel, part
from daglock.search.spec import COLLINEAR, knowledge_flags
from daglock.typing import Array, BoolArray, IntArray

# Sets whose cost is kept, a power of two; all are forgotten when three quarters are in use.
_CAPACITY = 1 << 18


class JointSpec(NamedTuple):
    """What the search minimises, and over what: never changed by a kernel."""

    counted: bool  # counts, else blocks
    S: Array  # blocks: (D, D) correlation of all columns
    first: IntArray  # blocks: (d + 1,) where the columns of each variable begin
    codes: NDArray[np.int16]  # counts: (d, m) level of each variable in each different row
    weight: Array  # counts: (m,) how often each row occurs
    size: Array  # (d,) columns of a block, or levels
    floor: Array  # no choice of parents gives node u a fit below floor[u]
    least: Array  # nor a score below least[u]
    reach: float  # as in `Spec`
    n: float  # rows
    extra: float  # l, the price of a degree of freedom beyond the first
    cost: float  # k, the price of one edge
    max_parents: int
    knowledge: NDArray[np.uint8]  # [i, j]: flags of i -> j, as in `Spec`
    word: NDArray[np.int64]  # (d,) random: of a variable in a set


class JointWork(NamedTuple):
    """Scratch arrays of one thread."""

    role: NDArray[np.uint8]  # (d,) OUT, CANDIDATE or START
    inside: BoolArray  # (d,) the parents
    keys: NDArray[np.int64]  # of the sets whose cost is known
    costs: Array  # NaN where a key is free
    used: IntArray  # (1,)
    # Two sets that are ready, P and P ∪ u: their key, the number of their columns or cells (−1
    # where there is none), and what they cost.
    ready: NDArray[np.int64]  # (2,)
    extent: IntArray  # (2,)
    ready_cost: Array  # (2,)
    column: IntArray  # blocks: (2, D) their columns
    factor: Array  # blocks: (2, D, D) the Cholesky factor of these, with an inverted diagonal
    code: NDArray[np.int64]  # counts: (2, m) which cell each row is in
    table: Array  # counts: as many cells as a table can have
    number: NDArray[np.int64]  # the same


def make_joint_spec(
    cost: float,
    *,
    n: float,
    max_parents: int,
    blocks: tuple[Array, IntArray] | None = None,
    counts: tuple[NDArray[np.int16], Array, IntArray] | None = None,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    bounded: bool = True,
) -> JointSpec:
    """Gather the settings of a search in the form that the kernels take.

    Parameters
    ----------
    cost : price k of one edge.
    n : rows, for the price ``l = log(n) / n``.
    max_parents : of one node.
    blocks : correlation of all columns, (D, D), and where those of each variable begin, (d + 1,).
    counts : different rows, (d, m), how often each occurs, and the levels of each variable.
    allowed, required, before : what is known, [i, j] for i -> j.
    bounded : whether to work out ``floor``, which only a search needs.
    """
    S, first = (np.empty((0, 0)), np.zeros(1, dtype=np.intp)) if blocks is None else blocks
    codes, weight = np.empty((0, 0), dtype=np.int16), np.empty(0)
    if counts is not None:
        codes, weight, levels = counts
        size = levels.astype(np.float64)
    else:
        size = np.diff(first).astype(np.float64)
    d = len(size)
    spec = JointSpec(
        counts is not None,
        np.ascontiguousarray(S, dtype=np.float64),
        np.ascontiguousarray(first, dtype=np.intp),
        np.ascontiguousarray(codes, dtype=np.int16),
        np.ascontiguousarray(weight, dtype=np.float64),
        size,
        np.full(d, -np.inf),
        np.full(d, -np.inf),
        np.inf,
        float(n),
        float(np.log(n) / n),
        float(cost),
        int(max_parents),
        knowledge_flags(d, allowed, required, before),
        np.random.default_rng(0).integers(-(2**63), 2**63 - 1, size=d, dtype=np.int64),
    )
    if not bounded:
        return spec
    work = make_joint_work(spec)
    everyone = np.arange(d)
    together = set_cost(spec, work, everyone)
    floor = np.array([together - set_cost(spec, work, np.delete(everyone, u)) for u in range(d)])
    return spec._replace(floor=floor, least=floor)


def make_joint_work(spec: JointSpec) -> JointWork:
    """Allocate the scratch arrays of one thread."""
    d, (D, m) = len(spec.size), (len(spec.S), len(spec.weight))
    cells = 2 * max(m, 512) * int(spec.size.max()) if spec.counted else 0
    return JointWork(
        np.zeros(d, dtype=np.uint8),
        np.zeros(d, dtype=np.bool_),
        np.zeros(_CAPACITY, dtype=np.int64),
        np.full(_CAPACITY, np.nan),
        np.zeros(1, dtype=np.intp),
        np.zeros(2, dtype=np.int64),
        np.full(2, -1, dtype=np.intp),
        np.zeros(2),
        np.empty((2, D), dtype=np.intp),
        np.empty((2, D, D)),
        np.empty((2, m), dtype=np.int64),
        np.empty(cells),
        np.empty(cells, dtype=np.int64),
    )


@part
def append_columns(spec: JointSpec, work: JointWork, b: int, m: int, i: int) -> float:
    """Append the columns of i to the m that the b-th set has; return the log-determinant they add.

    A column that those before it determine counts as one of variance COLLINEAR.
    """
    L, columns, total = work.factor[b], work.column[b], 0.0
    for own in range(spec.first[i], spec.first[i + 1]):
        row, columns[m] = spec.S[own], own
        pivot = row[own]
        for k in range(m):
            x = row[columns[k]]
            for t in range(k):
                x -= L[m, t] * L[k, t]
            x *= L[k, k]
            L[m, k] = x
            pivot -= x * x
        if pivot > COLLINEAR:
            L[m, m] = 1.0 / np.sqrt(pivot)
            total += np.log(pivot)
        else:
            L[m, m] = 0.0
            total += np.log(COLLINEAR)
        m += 1
    return float(total)


@part
def renumber(code: NDArray[np.int64], number: NDArray[np.int64], cells: int) -> int:
    """Give the codes that occur the numbers 0, 1, ... as they come; return how many there are."""
    for k in range(cells):
        number[k] = -1
    there = 0
    for row in range(code.shape[0]):
        k = code[row]
        if number[k] < 0:
            number[k] = there
            there += 1
        code[row] = number[k]
    return there


@part
def entropy_of(code: NDArray[np.int64], weight: Array, table: Array, cells: int) -> float:
    """Return 2 H of the distribution of codes below ``cells``: ``2 log n − (2/n) Σ N log N``."""
    for k in range(cells):
        table[k] = 0.0
    for row in range(code.shape[0]):
        table[code[row]] += weight[row]
    return entropy_in(table, cells)


@part
def entropy_in(table: Array, cells: int) -> float:
    """Return 2 H of a table of counts."""
    n, total = 0.0, 0.0
    for k in range(cells):
        if table[k] > 0.0:
            n += table[k]
            total += table[k] * np.log(table[k])
    return float(2.0 * (np.log(n) - total / n))


@part
def prepare(spec: JointSpec, work: JointWork, b: int, key: int) -> float:
    """Make the variables inside, whose words make the key, the b-th set that is ready; its cost."""
    if work.extent[b] >= 0 and work.ready[b] == key:
        return float(work.ready_cost[b])
    cost = 0.0
    if spec.counted:
        code, m, cells = work.code[b], work.code.shape[1], 1
        for row in range(m):
            code[row] = 0
        for i in range(work.inside.shape[0]):
            if work.inside[i]:
                r, own = int(spec.size[i]), spec.codes[i]
                for row in range(m):
                    code[row] = code[row] * r + own[row]
                cells *= r
                if cells > 2 * m:
                    cells = renumber(code, work.number, cells)
        cost = entropy_of(code, spec.weight, work.table, cells)
        work.extent[b] = cells
    else:
        columns = 0
        for i in range(work.inside.shape[0]):
            if work.inside[i]:
                cost += append_columns(spec, work, b, columns, i)
                columns += int(spec.size[i])
        work.extent[b] = columns
    work.ready[b], work.ready_cost[b] = key, cost
    return float(cost)


@part
def extend(spec: JointSpec, work: JointWork, b: int, i: int) -> float:
    """Return what the b-th set that is ready costs with i in it."""
    if not spec.counted:
        return float(work.ready_cost[b] + append_columns(spec, work, b, work.extent[b], i))
    code, own, weight, table = work.code[b], spec.codes[i], spec.weight, work.table
    r = int(spec.size[i])
    cells = work.extent[b] * r
    for k in range(cells):
        table[k] = 0.0
    for row in range(code.shape[0]):
        table[code[row] * r + own[row]] += weight[row]
    return entropy_in(table, cells)


@part
def place_of(work: JointWork, key: int) -> int:
    """Return where the cost of a set is kept, or is to be."""
    keys, costs = work.keys, work.costs
    mask = keys.shape[0] - 1
    place = key & mask
    while not np.isnan(costs[place]) and keys[place] != key:
        place = (place + 1) & mask
    return int(place)


@part
def keep_cost(work: JointWork, key: int, cost: float) -> float:
    """Keep what a set costs; all others are forgotten when the table is full."""
    if 4 * work.used[0] >= 3 * work.keys.shape[0]:
        work.used[0] = 0
        for k in range(work.costs.shape[0]):
            work.costs[k] = np.nan
    place = place_of(work, key)
    work.keys[place] = key
    work.costs[place] = cost
    work.used[0] += 1
    return cost


@part
def known_cost(spec: JointSpec, work: JointWork, b: int, key: int) -> float:
    """Return c of the variables inside, whose words make the key; worked out at most once."""
    cost = work.costs[place_of(work, key)]
    if np.isnan(cost):
        cost = keep_cost(work, key, prepare(spec, work, b, key))
    return float(cost)


@part
def known_cost_with(spec: JointSpec, work: JointWork, b: int, key: int, i: int) -> float:
    """Return c of the variables inside, whose words make the key, and of i; at most once."""
    together = key ^ spec.word[i]
    cost = work.costs[place_of(work, together)]
    if np.isnan(cost):
        prepare(spec, work, b, key)
        cost = keep_cost(work, together, extend(spec, work, b, i))
    return float(cost)


@kernel
def _cost_of_inside(spec: JointSpec, work: JointWork) -> float:
    """Return c of the variables inside."""
    work.extent[0] = -1  # it has no key
    cost = prepare(spec, work, 0, 0)
    work.extent[0] = -1
    return float(cost)


def set_cost(spec: JointSpec, work: JointWork, members: IntArray) -> float:
    """Return c(U)."""
    work.inside[:] = False
    work.inside[members] = True
    return float(_cost_of_inside(spec, work))
