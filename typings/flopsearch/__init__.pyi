# The little of FLOP that the benchmark uses.
from typing import Any

from numpy.typing import NDArray

def flop(
    data: NDArray[Any],
    lambda_bic: float,
    *,
    restarts: int | None = None,
    timeout: float | None = None,
) -> NDArray[Any]: ...
