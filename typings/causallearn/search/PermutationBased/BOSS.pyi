from typing import Any

from causallearn.graph.GeneralGraph import GeneralGraph
from numpy.typing import NDArray

def boss(
    X: NDArray[Any],
    score_func: str = ...,
    parameters: dict[str, Any] | None = None,
    verbose: bool | None = True,
) -> GeneralGraph: ...
