"""Say so when kernels are compiled, which happens once for an installation."""

from __future__ import annotations

import sys
from typing import Any

_said = False


def announce_compilation(kernel: Any) -> None:
    """Print one line to the error stream when a call of this kernel will have to compile.

    ``kernel`` is Numba's dispatcher of the largest one that is going to be called: it knows what it
    has compiled and where it keeps it.
    """
    global _said
    if _said or not hasattr(kernel, "signatures"):  # a plain function: Numba is switched off
        return
    if kernel.signatures:
        return
    if not _is_cached(kernel):
        _said = True
        print(
            "daglock: compiling its kernels, once after an installation (about half a minute) ...",
            file=sys.stderr,
            flush=True,
        )


def _is_cached(kernel: Any) -> bool:
    """Whether an earlier process has left it behind, compiled from this very source."""
    return bool(kernel._cache._cache_file._load_index())
