"""Columns that are set aside because others hold what they hold, for each kind of statistics."""

from __future__ import annotations

import numpy as np

from daglock.blocks import Blocks
from daglock.counts import Counts
from daglock.dependence import find_determined, relations, warnings_about
from daglock.moments import Moments
from daglock.typing import Array, BoolArray, IntArray, Statistics
from daglock.wording import listed

# A block is determined where of each of its columns less than this share of its variance is left.
_EXACT = 1e-10


def find_repeated(
    moments: Statistics, keep: set[int], drop: bool
) -> tuple[IntArray, tuple[str, ...]]:
    """Return the variables that others determine, and what is to be said.

    Parameters
    ----------
    moments : Moments, Blocks or Counts.
    keep : variables that must stay, such as those of required edges.
    drop : whether what is found is set aside, or stays with a caution.
    """
    if isinstance(moments, Moments):
        found = find_determined(moments, keep=sorted(keep))
        return found.aside, tuple(warnings_about(moments, found, set_aside=drop))
    if isinstance(moments, Blocks):
        aside, said = _of_blocks(moments, keep)
    else:
        assert isinstance(moments, Counts)
        aside, said = _of_counts(moments, keep)
    if not said:
        return aside, ()
    which = listed(moments.labels[j] for j in aside)
    one = len(aside) == 1
    done = (
        f"{which} {'is' if one else 'are'} set aside, {'a node' if one else 'nodes'} without "
        'edges; with determined="keep" all are searched.'
        if drop
        else f'all are searched; determined="drop" sets {which} aside.'
    )
    return aside, (f"{said} Which of them is a cause cannot be told: {done}",)


def determined_pairs(moments: Statistics) -> BoolArray:
    """Tell of each pair of variables whether both are among those that determine each other.

    Which of them was computed from the others cannot be told, nor what links the rest but that.
    """
    if isinstance(moments, Moments):
        return find_determined(moments).together()
    pairs = np.zeros((moments.d, moments.d), dtype=np.bool_)
    if isinstance(moments, Blocks):
        of = np.repeat(np.arange(moments.d), moments.widths)
        first, second = np.nonzero(find_determined(moments.columns).together())
        pairs[of[first], of[second]] = of[first] != of[second]
    return pairs


def _of_blocks(blocks: Blocks, keep: set[int]) -> tuple[IntArray, str]:
    """Single columns as ever; a block where the rest determines every one of its columns."""
    names, first, widths = blocks.labels, blocks.first, blocks.widths
    stay = [j for j in range(blocks.d) if j in keep or widths[j] > 1]
    found = find_determined(blocks.columns, keep=blocks.members(stay).tolist())
    aside = [j for j in range(blocks.d) if first[j] in found.aside]
    said = relations(found, blocks.columns.labels)
    R = blocks.columns.standardised().cov
    singular = np.linalg.eigvalsh(R)[0] < _EXACT  # else nothing is determined
    for j in sorted(range(blocks.d), key=lambda j: names[j], reverse=True):
        if widths[j] == 1 or j in keep or not singular:
            continue
        rest = blocks.members([i for i in range(blocks.d) if i != j and i not in aside])
        if len(rest) < blocks.n and _left(R, rest, blocks.members([j])).max() < _EXACT:
            aside.append(j)
            said.append(f"Other columns determine {names[j]}.")
    return np.array(sorted(aside), dtype=np.intp), " ".join(said)


def _left(R: Array, given: IntArray, columns: IntArray) -> Array:
    """Return the share of the variance of each column that others leave unexplained."""
    if not len(given):
        return np.ones(len(columns))
    values, vectors = np.linalg.eigh(R[np.ix_(given, given)])
    shares = (vectors.T @ R[np.ix_(given, columns)]) ** 2
    there = values > 1e-11
    return np.asarray(1.0 - (shares[there] / values[there, None]).sum(axis=0))


def _of_counts(counts: Counts, keep: set[int]) -> tuple[IntArray, str]:
    """Pairs of variables with the same levels under other names: the later name goes."""
    codes, names = counts.dense, counts.labels
    sizes = counts.sizes
    by_name = sorted(range(counts.d), key=lambda j: (j not in keep, names[j]))
    aside: list[int] = []
    said: list[str] = []
    for place, j in enumerate(by_name):
        for i in by_name[:place]:
            if i in aside or sizes[i] != sizes[j] or j in keep:
                continue
            both = codes[i].astype(np.intp) * sizes[j] + codes[j]
            if len(np.unique(both)) == sizes[i]:
                aside.append(j)
                said.append(f"{names[j]} says the same as {names[i]}.")
                break
    return np.array(sorted(aside), dtype=np.intp), " ".join(said)
