# atheris ships no annotations.
from typing import Any

def __getattr__(name: str) -> Any: ...
