"""What every set of variables costs together, each worked out from the one without a member.

`daglock.search.set_costs` says what a set costs, and works out single ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel, part
from daglock._pace import Pace
from daglock.search.set_costs import JointSpec, JointWork, append_columns, make_joint_work
from daglock.typing import Array, IntArray

# Counts below this have their logarithms in a table.
_TABULATED = 1 << 14


class Rows(NamedTuple):
    """Rows that share a cell with another, of the first t members of a set.

    Attributes
    ----------
    row, cell : [t, k] number of such a row, and its cell.
    left, single : [t] how many there are, and what all others add to Σ N log N.
    first : [k] where the k-th cell was in the table before they were numbered.
    n_log_n : [N] ``N log N`` of small whole numbers; of none where weights are others.
    """

    row: NDArray[np.int32]
    cell: NDArray[np.int32]
    left: NDArray[np.int64]
    single: Array
    first: NDArray[np.int32]
    n_log_n: Array


@part
def refine(spec: JointSpec, rows: Rows, table: Array, number: IntArray, t: int, i: int) -> float:
    """Split the cells of t − 1 members by the levels of i; return Σ N log N of all that are left.

    Rows that are alone stay alone, and in most of the sets there are few others. ``table`` is zero,
    and is left so.
    """
    r, own, weight, exact = int(spec.size[i]), spec.codes[i], spec.weight, len(rows.n_log_n)
    row, cell = rows.row[t], rows.cell[t]
    left, total, alone = rows.left[t - 1], 0.0, rows.single[t - 1]
    for k in range(left):
        row[k] = rows.row[t - 1, k]
        cell[k] = rows.cell[t - 1, k] * r + own[row[k]]
        table[cell[k]] += weight[row[k]]
    kept, there = 0, 0
    for k in range(left):
        c = cell[k]
        N = table[c]
        if weight[row[k]] == N:
            alone += rows.n_log_n[int(N)] if exact > N else N * np.log(N)
            table[c] = 0.0
            continue
        if N > 0.0:  # the first of its cell
            total += rows.n_log_n[int(N)] if exact > N else N * np.log(N)
            rows.first[there] = c
            number[c] = there
            table[c] = -1.0
            there += 1
        row[kept] = row[k]
        cell[kept] = number[c]
        kept += 1
    for k in range(there):
        table[rows.first[k]] = 0.0
    rows.left[t], rows.single[t] = kept, alone
    return float(total + alone)


@kernel
def _all_costs(
    spec: JointSpec,
    work: JointWork,
    rows: Rows,
    at: NDArray[np.int64],
    width: int,
    found: Array,
) -> bool:
    """Fill in so many more of `all_set_costs`, sets as the bits of a number; whether some are left.

    A set comes from the one without its highest member, of which the factor or the cells are still
    there. ``at`` has U, the number of its members and of their columns, and the highest.
    """
    d, n = len(spec.size), spec.weight.sum()
    U, t, columns, highest = at
    for _ in range(width):
        if highest == d - 1:
            U ^= 1 << highest
            columns -= int(spec.size[highest])
            while highest >= 0 and not U >> highest & 1:
                highest -= 1
            if highest < 0:
                return False
            U ^= 1 << highest
            columns -= int(spec.size[highest])
            t -= 2
        highest += 1
        t += 1
        if spec.counted:
            total = refine(spec, rows, work.table, work.number, t, highest)
            found[U ^ 1 << highest] = 2.0 * (np.log(n) - total / n)
        else:
            added = append_columns(spec, work, 0, columns, highest)
            found[U ^ 1 << highest] = found[U] + added
        columns += int(spec.size[highest])
        U ^= 1 << highest
    at[0], at[1], at[2], at[3] = U, t, columns, highest
    return True


def all_set_costs(spec: JointSpec, deadline: float = np.inf) -> Array:
    """Return c of every set of variables, (2^d,).

    Raises
    ------
    OutOfTimeError
    """
    d, pace, work = len(spec.size), Pace(deadline), make_joint_work(spec)
    # with the most levels first cells are split soon, and what is last is split most often
    order = np.argsort(-spec.size, kind="stable")
    spec = spec._replace(size=spec.size[order])
    if spec.counted:
        spec = spec._replace(codes=spec.codes[order])
        work.table[:] = 0.0
    else:
        columns = [np.arange(spec.first[i], spec.first[i + 1]) for i in order]
        chosen = np.concatenate(columns)
        first = np.append(0, np.cumsum(spec.size)).astype(np.intp)
        spec = spec._replace(S=spec.S[np.ix_(chosen, chosen)], first=first)
    found, at = np.zeros(1 << d), np.array([0, 0, 0, -1])
    rows = _all_rows(spec)
    while _all_costs(spec, work, rows, at, pace.width, found):
        pace.step()
    place = np.zeros(1 << d, dtype=np.int64)  # of a set among the reordered ones
    for i, rank in enumerate(np.argsort(order).tolist()):
        place[1 << i : 2 << i] = place[: 1 << i] | 1 << rank
    return np.asarray(found[place])


def _all_rows(spec: JointSpec) -> Rows:
    """Return the rows of the empty set, which are all in one cell, and room for the others."""
    d, m, weight = len(spec.size), len(spec.weight), spec.weight
    row, cell = np.zeros((2, d + 1, m), dtype=np.int32)
    row[0] = np.arange(m)
    left, single, first = np.zeros(d + 1, dtype=np.int64), np.zeros(d + 1), np.zeros(m, np.int32)
    left[0] = m
    N = np.arange(min(weight.sum() + 1.0, _TABULATED) if (weight == weight.round()).all() else 0)
    return Rows(row, cell, left, single, first, N * np.log(np.maximum(N, 1.0)))
