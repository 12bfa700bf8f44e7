# The little of Numba that daglock uses, typed: Numba itself ships no annotations.
from collections.abc import Callable
from typing import Any, TypeVar, overload

F = TypeVar("F", bound=Callable[..., Any])

@overload
def njit(function: F, /) -> F: ...
@overload
def njit(
    *,
    cache: bool = ...,
    nogil: bool = ...,
    parallel: bool = ...,
    fastmath: bool | set[str] = ...,
    inline: str = ...,
    boundscheck: bool = ...,
) -> Callable[[F], F]: ...

prange = range

def set_num_threads(n: int) -> None: ...
def get_num_threads() -> int: ...
