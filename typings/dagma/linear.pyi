# The little of DAGMA that the benchmark and the experiments use.
from typing import Any

from numpy.typing import NDArray

class DagmaLinear:
    def __init__(self, loss_type: str, verbose: bool = False) -> None: ...
    def fit(
        self,
        X: NDArray[Any],
        lambda1: float = 0.03,
        w_threshold: float = 0.3,
        *,
        s: list[float] = ...,
    ) -> NDArray[Any]: ...
    def _adam_update(
        self, grad: NDArray[Any], iter: int, beta_1: float, beta_2: float
    ) -> NDArray[Any]: ...
