"""What a peer returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Result:
    """A graph and the seconds that it took: adjacency[i, j] = 1 for i -> j, 2 for undirected."""

    adjacency: NDArray[np.int8]
    seconds: float
    note: str = ""
