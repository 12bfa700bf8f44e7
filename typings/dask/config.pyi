from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

def set(arg: Mapping[str, Any]) -> AbstractContextManager[Any]: ...
