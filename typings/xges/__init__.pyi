# The little of XGES that the benchmark uses.
from typing import Any

from numpy.typing import NDArray

class _PDAG:
    def to_adjacency_matrix(self) -> NDArray[Any]: ...

class XGES:
    def __init__(self, alpha: float = 2.0) -> None: ...
    def fit(self, X: NDArray[Any], *, verbose: int = 1) -> _PDAG: ...
