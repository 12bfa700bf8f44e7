from collections.abc import Callable, Sequence
from typing import Any

def parametrize_with_checks(estimators: Sequence[Any]) -> Callable[[Any], Any]: ...
