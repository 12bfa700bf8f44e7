"""Ctrl-C: before a command runs it ends the program, in it it is an exception, after it nothing.

All of this is for the program, `as_a_program`; whoever calls `main` from Python gets a
KeyboardInterrupt, and keeps the handlers that there were.
"""

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
def as_a_program() -> Iterator[None]:
    """End the process on Ctrl-C, at once and without a traceback; ignore it while it ends.

    Where Ctrl-C is ignored already, as by nohup, that stays.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def raising_on_ctrl_c() -> Iterator[None]:
    """In a program: raise KeyboardInterrupt here, and ignore Ctrl-C after it.

    What the command leaves is written then, and its code decided.
    """
    if signal.getsignal(signal.SIGINT) is not _end:
        yield
        return
    try:
        signal.signal(signal.SIGINT, _raise)
        yield
    finally:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        except KeyboardInterrupt:  # it came just now, when all was done
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(number: int, frame: object) -> None:
    """Say so and leave; an exception could be caught by whatever is being loaded."""
    os.write(2, b"daglock: interrupted; nothing was written.\n")
    os._exit(_INTERRUPTED)


def _raise(number: int, frame: object) -> None:
    """Raise, as Python does by itself; a function of its own tells that this is a program."""
    raise KeyboardInterrupt


def load_first(*modules: str) -> None:
    """Import modules that take long; in a program Ctrl-C ends it meanwhile.

    That joblib finds no place for what its processes share, and works in one, matters to nobody.
    """
    program = signal.getsignal(signal.SIGINT) is _raise
    if program:
        signal.signal(signal.SIGINT, _end)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
            for module in modules:
                import_module(module)
    finally:
        if program:
            signal.signal(signal.SIGINT, _raise)
