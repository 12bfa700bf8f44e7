# The little of CausalDisco that the benchmark uses.
from typing import Any

from numpy.typing import NDArray

def var_sort_regress(X: NDArray[Any]) -> NDArray[Any]: ...
def r2_sort_regress(X: NDArray[Any]) -> NDArray[Any]: ...
