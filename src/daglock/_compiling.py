"""How kernels are compiled, and a line to say so: it happens once after an installation.

What takes time: each function is compiled together with all that it calls, and all that those call.
A tower of functions is therefore compiled once for every storey, and few are a `kernel` of their
own. What is called from one place is `inlined`: it becomes text of its caller. What is small and
called from several is a `part`. What is called a million times a second is `merged`, machine code
of its caller: each call of another function counts up and down who uses each array that it is
given, twenty of them, and what divides may not have to raise, else they are counted at every exit.
Kernels get every array from Python: to make one takes Numba two
seconds, for the errors that might have to be put into words.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from shutil import disk_usage
from time import time
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., Any])

_kept = njit(cache=True, nogil=True, error_model="numpy")
_not_kept = njit(nogil=True, error_model="numpy")
# nobody calls it from C
part = register_jitable(no_cfunc_wrapper=True, error_model="numpy")
merged = register_jitable(no_cfunc_wrapper=True, error_model="numpy", forceinline=True)
inlined = njit(inline="always", error_model="numpy")

# Bytes that must be free where compiled kernels are kept, which take about a tenth of it.
ROOM = 64 << 20

_said = False
_writable = True


def kernel(function: F) -> F:
    """Compile a function when it is called; keep that for other processes where there is a place.

    Numba refuses what it cannot keep: where neither NUMBA_CACHE_DIR nor the folder of the source
    nor the user's can be written to, every process compiles anew.
    """
    return cast(F, kept_if_possible(_kept, _not_kept, function))


def kept_if_possible(
    keeping: Callable[[F], Any], not_keeping: Callable[[F], Any], function: F
) -> Any:
    """Compile a function in the first of two ways, in the second where nothing can be kept."""
    global _writable
    try:
        compiled = keeping(function)
        stats = getattr(compiled, "stats", None)
        if stats is not None:
            _forget_outdated(
                stats.cache_path, Path(cast(Any, function).__code__.co_filename).parent
            )
        if _has_room(stats):
            return compiled
    except RuntimeError:
        pass
    _writable = False
    return not_keeping(function)


@cache
def _forget_outdated(kept: str, sources: Path) -> None:
    """Remove what was compiled before a file beside the kernels, or of the package, changed.

    Numba looks at the file of a kernel alone, and not at those of its parts. A file from the future
    tells nothing: else every process would compile anew.
    """
    files = [*sources.glob("*.py"), *Path(__file__).parent.glob("*.py")]
    with suppress(OSError):
        changed = [file.stat().st_mtime for file in files]
        newest = max((when for when in changed if when <= time()), default=0.0)
        for index in Path(kept).glob("*.nbi"):
            if index.stat().st_mtime < newest:
                index.unlink(missing_ok=True)


def _has_room(stats: Any) -> bool:
    """Whether what is compiled fits where it is kept: a full disk would end the process."""
    return stats is None or disk_usage(stats.cache_path).free > ROOM


@contextmanager
def compiling(*kernels: Any) -> Iterator[None]:
    """Say so where the first of these kernels will have to be compiled, the largest of them.

    As long as one of them was never called Python does not look for garbage: Numba makes so many
    objects that stay that looking through them takes a sixth of the time.
    """
    announce_compilation(kernels[0])
    first = any(getattr(kernel, "signatures", None) == [] for kernel in kernels)
    collects = first and gc.isenabled()
    if collects:
        gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def announce_compilation(function: Any) -> None:
    """Print one line to the error stream when a call of this kernel will have to compile."""
    global _said
    if _said or not hasattr(function, "signatures"):  # a plain function: Numba is switched off
        return
    if function.signatures or _is_cached(function):
        return
    _said = True
    when = "once after an installation (up to half a minute) ..."
    if not _writable:
        when = (
            "up to half a minute in every run, for no folder that could keep them can be "
            "written to: set NUMBA_CACHE_DIR to one ..."
        )
    print(f"daglock: compiling its kernels, {when}", file=sys.stderr, flush=True)


def _is_cached(function: Any) -> bool:
    """Whether an earlier process has left it behind, compiled from this source or a later one.

    Numba names its index after file and function, and compiles again what is older than its source.
    """
    folder, source = function.stats.cache_path, Path(function.py_func.__code__.co_filename)
    if folder is None:
        return False
    changed = source.stat().st_mtime
    indices = Path(folder).glob(f"{source.stem}.{function.py_func.__qualname__}-*.nbi")
    return any(index.stat().st_mtime >= changed for index in indices)
