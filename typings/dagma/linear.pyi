# The little of DAGMA that the benchmark uses.
from typing import Any

from numpy.typing import NDArray

class DagmaLinear:
    def __init__(self, loss_type: str, verbose: bool = False) -> None: ...
    def fit(self, X: NDArray[Any], lambda1: float = 0.03) -> NDArray[Any]: ...
