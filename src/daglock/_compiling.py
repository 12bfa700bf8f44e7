"""Say so when the kernels are compiled, which happens once for an installation."""

from __future__ import annotations

import sys
from typing import Any, cast

from daglock.search import order

# Numba's dispatcher of the largest kernel: what it has compiled, and where it keeps it.
_KERNEL = cast(Any, order.improve)
_said = False


def announce_compilation() -> None:
    """Print one line to the error stream when the first call will have to compile."""
    global _said
    if _said or not hasattr(_KERNEL, "signatures"):  # a plain function: Numba is switched off
        return
    if _KERNEL.signatures:
        return
    _said = True
    if not _is_cached():
        print(
            "daglock: compiling its kernels, once after an installation (about half a minute) ...",
            file=sys.stderr,
            flush=True,
        )


def _is_cached() -> bool:
    """Whether an earlier process has left kernels behind, compiled from this very source."""
    return bool(_KERNEL._cache._cache_file._load_index())
