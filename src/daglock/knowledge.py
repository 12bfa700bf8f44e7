"""Hard knowledge as masks: what may be an edge, what must be one, who comes before whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.graph import find_cycle
from daglock.typing import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Masks:
    """Knowledge in the form that the engine takes; None where there is nothing to say.

    Attributes
    ----------
    allowed : (d, d) bool
        ``allowed[i, j]``: i -> j may be an edge.
    required : (d, d) bool
        ``required[i, j]``: i -> j is an edge of every graph that is returned.
    before : (d, d) bool
        ``before[i, j]``: i precedes j in the topological order that is returned.
    """

    allowed: BoolArray | None = None
    required: BoolArray | None = None
    before: BoolArray | None = None


def knowledge_masks(
    d: int,
    *,
    forbidden: Iterable[tuple[int, int]] = (),
    required: Iterable[tuple[int, int]] = (),
    tiers: Iterable[Iterable[int]] = (),
) -> Masks:
    """Turn index pairs and tiers into masks, or say why they contradict each other.

    Parameters
    ----------
    d : number of variables.
    forbidden, required : pairs ``(i, j)`` for i -> j.
    tiers : groups of variables; no edge goes from a later tier to an earlier one. Variables in
        no tier are free.

    Raises
    ------
    InvalidParameterError
        An index is out of range, a pair is both required and forbidden, or what is required
        closes a cycle; the message shows it.

    Examples
    --------
    >>> masks = knowledge_masks(3, required=[(0, 1)], tiers=[[2], [0, 1]])
    >>> bool(masks.allowed[0, 2]), bool(masks.before[2, 0]), bool(masks.required[0, 1])
    (False, True, True)
    """
    required_mask = _pairs(d, required, "required")
    forbidden_mask = _pairs(d, forbidden, "forbidden")
    before = required_mask.copy()
    groups = [np.array(list(group), dtype=np.intp) for group in tiers]
    _check_tiers(d, groups)
    for earlier, group in enumerate(groups):
        for later in groups[earlier + 1 :]:
            before[np.ix_(group, later)] = True
            forbidden_mask[np.ix_(later, group)] = True
    clash = np.argwhere(required_mask & forbidden_mask)
    if len(clash):
        i, j = clash[0]
        raise InvalidParameterError(
            f"{i} -> {j} is both required and forbidden, by a pair or by the tiers: drop one."
        )
    cycle = find_cycle(before.astype(np.float64))
    if cycle is not None:
        path = " -> ".join(str(v) for v in [*cycle, cycle[0]])
        raise InvalidParameterError(f"What is required closes a cycle: {path}. Drop one of these.")
    forbidden_mask |= before.T
    return Masks(
        ~forbidden_mask if forbidden_mask.any() else None,
        required_mask if required_mask.any() else None,
        before if before.any() else None,
    )


def respect(order: IntArray, before: BoolArray | None) -> IntArray:
    """Return the order nearest to ``order`` in which everyone comes after who must precede them.

    Takes, again and again, the first node of ``order`` whose predecessors are all taken.
    """
    if before is None:
        return np.array(order, dtype=np.intp)
    waiting = before.sum(axis=0)
    left = [int(v) for v in order]
    result = []
    while left:
        v = next(v for v in left if waiting[v] == 0)
        left.remove(v)
        result.append(v)
        waiting[before[v]] -= 1
    return np.array(result, dtype=np.intp)


def _pairs(d: int, pairs: Iterable[tuple[int, int]], what: str) -> BoolArray:
    """Return the mask of a list of pairs."""
    mask = np.zeros((d, d), dtype=np.bool_)
    for pair in pairs:
        i, j = pair
        if not (0 <= i < d and 0 <= j < d) or i == j:
            raise InvalidParameterError(
                f"{what} has the pair {(i, j)}; it takes two different variables from 0 to {d - 1}."
            )
        mask[i, j] = True
    return mask


def _check_tiers(d: int, groups: list[IntArray]) -> None:
    """Refuse unknown variables and variables in two tiers."""
    members = np.concatenate(groups) if groups else np.empty(0, dtype=np.intp)
    for v in members:
        if not 0 <= v < d:
            raise InvalidParameterError(f"tiers has the variable {v}; there are 0 to {d - 1}.")
    values, counts = np.unique(members, return_counts=True)
    if (counts > 1).any():
        raise InvalidParameterError(f"Variable {values[counts > 1][0]} is in two tiers.")
