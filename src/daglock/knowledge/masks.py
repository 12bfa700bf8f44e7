"""Hard knowledge as masks: what may be an edge, what must be one, who comes before whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.graph import find_cycle
from daglock.typing import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Masks:
    """Knowledge in the form that the engine takes: (d, d), None where there is nothing to say.

    What follows from it is filled in: i precedes j where i -> j is required, and j -> i is not
    allowed where i precedes j. What contradicts itself raises InvalidParameterError.
    """

    allowed: BoolArray | None = None  # i -> j may be an edge
    required: BoolArray | None = None  # i -> j is an edge of every graph that is returned
    before: BoolArray | None = None  # i precedes j in every order: no path leads from j to i

    def __post_init__(self) -> None:
        allowed, required, before = masks = [
            None if mask is None else np.array(mask, dtype=np.bool_) for mask in self
        ]
        shapes = {mask.shape for mask in masks if mask is not None}
        if len(shapes) > 1 or any(len(shape) != 2 or shape[0] != shape[1] for shape in shapes):
            raise InvalidParameterError(
                f"Masks must be square matrices of one size; their shapes are {sorted(shapes)}."
            )
        if required is not None and allowed is not None and (required & ~allowed).any():
            i, j = np.argwhere(required & ~allowed)[0]
            raise InvalidParameterError(f"{i} -> {j} is both required and forbidden: drop one.")
        if required is not None:
            before = required.copy() if before is None else before | required
        if before is not None:
            cycle = find_cycle(before)
            if cycle is not None:
                path = " -> ".join(str(v) for v in [*cycle, cycle[0]])
                raise InvalidParameterError(
                    f"What is required closes a cycle: {path}. Drop one of these."
                )
            allowed = ~before.T if allowed is None else allowed & ~before.T
        object.__setattr__(self, "allowed", allowed)
        object.__setattr__(self, "required", required)
        object.__setattr__(self, "before", before)

    def __iter__(self) -> Iterator[BoolArray | None]:
        return iter((self.allowed, self.required, self.before))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return all(mask is None for mask in self)

    def select(self, columns: IntArray) -> Masks:
        """Masks of some of the variables, in this order.

        Who precedes whom by way of a variable that is left out is kept.
        """
        before = self.before
        if before is not None and len(columns) < len(before):
            before = before.copy()
            for v in np.setdiff1d(np.arange(len(before)), columns):
                before |= np.outer(before[:, v], before[v])
        cells = np.ix_(columns, columns)
        masks = (self.allowed, self.required, before)
        return Masks(*(None if mask is None else mask[cells] for mask in masks))


def respect(order: IntArray, before: BoolArray | None) -> IntArray:
    """Return an order close to ``order`` in which everyone comes after who must precede them.

    Takes, again and again, the first node of ``order`` that waits for nobody: an order that is
    right already stays as it is.
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
