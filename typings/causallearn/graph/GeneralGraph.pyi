# The little of causal-learn that the benchmark uses.
from typing import Any

from numpy.typing import NDArray

class GeneralGraph:
    graph: NDArray[Any]
