"""Where windows are laid: over pairs of which the later would pay, over the order as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from daglock._pace import Pace
from daglock.search.memo import PAYS
from daglock.search.state import State
from daglock.search.windows import Room, lay
from daglock.typing import BoolArray, IntArray

if TYPE_CHECKING:
    from daglock.search.run import Chain


def lay_around(
    chain: Chain,
    room: Room,
    rng: np.random.Generator,
    deadline: float,
    changed: BoolArray | None = None,
) -> int:
    """Lay a window over every pair of which the later would pay; count those that gain.

    ``changed`` are the nodes of which one is in every pair; all by default.
    """
    pairs = rng.permutation(paying_pairs(chain.state, changed))
    luck = rng.integers(1 << 40, size=(len(pairs), 2 * len(room.node)))
    return _lay(chain, room, pairs, luck, deadline)


def lay_along(chain: Chain, room: Room, deadline: float) -> int:
    """Lay a window over every place of the order as it is; count those that gain."""
    last = max(len(chain.state.order) - len(room.node), 0)
    places = np.column_stack([np.arange(last + 1), np.full(last + 1, -1)])
    return _lay(chain, room, places, np.empty((last + 1, 0), dtype=np.int64), deadline)


def _lay(
    chain: Chain, room: Room, places: IntArray, luck: NDArray[np.int64], deadline: float
) -> int:
    """Lay windows, a few at a time."""
    room.seen[:], room.right[0] = False, 0
    pace, first, gained = Pace(deadline), 0, 0
    while first < len(places):
        last = first + pace.width
        gained += lay(*chain.given, room, places[first:last], luck[first:last])
        first = last
        pace.step()
    return gained


def paying_pairs(state: State, changed: BoolArray | None = None) -> IntArray:
    """Return pairs of nodes, (earlier, later), of which the earlier would gain the later."""
    later, earlier = np.nonzero(state.relation >= PAYS)
    are = state.position[earlier] < state.position[later]
    if changed is not None:
        are &= changed[earlier] | changed[later]
    return np.column_stack([earlier, later])[are]
