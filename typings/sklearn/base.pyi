# The little of scikit-learn that daglock uses, typed: scikit-learn itself ships no annotations.
from typing import Any, Self, TypeVar

T = TypeVar("T")

class BaseEstimator:
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...

def clone(estimator: T, *, safe: bool = True) -> T: ...
