from typing import Any

from causallearn.graph.GeneralGraph import GeneralGraph
from numpy.typing import NDArray

class _CausalGraph:
    G: GeneralGraph

def pc(
    data: NDArray[Any], alpha: float = 0.05, indep_test: str = ..., *, show_progress: bool = True
) -> _CausalGraph: ...
