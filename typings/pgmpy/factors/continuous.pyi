from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

class LinearGaussianCPD:
    variable: str
    beta: NDArray[Any]
    std: float
    evidence: list[str]
    def __init__(
        self, variable: str, beta: Sequence[float], std: float, evidence: list[str] = ...
    ) -> None: ...
