"""Ctrl-C: before a command runs it ends the program, in it it is an exception, after it nothing."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

_INTERRUPTED = 130  # as in `Exit`, which is not loaded yet


@contextmanager
def ending_on_ctrl_c(*, for_good: bool = False) -> Iterator[None]:
    """End the process on Ctrl-C, at once and without a traceback: nothing is under way.

    Where this is all that the process does (`for_good`), Ctrl-C is ignored while it ends.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        after = signal.SIG_IGN if for_good else signal.default_int_handler
        signal.signal(signal.SIGINT, after)


@contextmanager
def raising_on_ctrl_c() -> Iterator[None]:
    """Within `ending_on_ctrl_c`: raise KeyboardInterrupt here, and ignore Ctrl-C after it.

    What the command leaves is written, and its code decided: there is no gap in which Ctrl-C
    would end the process with a traceback.
    """
    if signal.getsignal(signal.SIGINT) is not _end:
        yield
        return
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(number: int, frame: object) -> None:
    """Say so and leave; an exception could be caught by whatever is being loaded."""
    os.write(2, b"daglock: interrupted; nothing was written.\n")
    os._exit(_INTERRUPTED)


def load_first(*modules: str) -> None:
    """Import modules that take long.

    That joblib finds no place for what its processes share, and works in one, matters to nobody.
    """
    with ending_on_ctrl_c(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
        for module in modules:
            import_module(module)
