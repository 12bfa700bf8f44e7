# The little of lingam that the tests of the hand-off use.
from typing import Any

from numpy.typing import NDArray

class DirectLiNGAM:
    adjacency_matrix_: NDArray[Any]
    def __init__(self, random_state: int | None = None) -> None: ...
    def fit(self, X: NDArray[Any]) -> DirectLiNGAM: ...
