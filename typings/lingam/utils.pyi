from typing import Any, Protocol

from numpy.typing import NDArray

class _Digraph(Protocol):
    source: str

def calculate_total_effect(
    adjacency_matrix: NDArray[Any], from_index: int, to_index: int
) -> float: ...
def make_dot(adjacency_matrix: NDArray[Any], labels: list[str], lower_limit: float) -> _Digraph: ...
