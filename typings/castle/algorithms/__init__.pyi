# The little of gCastle that the benchmark uses.
from typing import Any

from numpy.typing import NDArray

class _Learner:
    causal_matrix: NDArray[Any]
    weight_causal_matrix: NDArray[Any]
    def learn(self, data: NDArray[Any]) -> None: ...

class Notears(_Learner):
    def __init__(self, lambda1: float = 0.1, loss_type: str = "l2") -> None: ...

class GOLEM(_Learner):
    def __init__(
        self,
        B_init: NDArray[Any] | None = None,
        lambda_1: float = 2e-2,
        *,
        equal_variances: bool = True,
        num_iter: float = 1e5,
        seed: int = 1,
        device_type: str = "cpu",
    ) -> None: ...
