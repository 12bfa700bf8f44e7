from typing import Any

from numpy.typing import NDArray

def ges(
    X: NDArray[Any], score_func: str = ..., *, lambda_value: float | None = None
) -> dict[str, Any]: ...
