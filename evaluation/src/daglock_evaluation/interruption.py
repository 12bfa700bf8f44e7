"""Ctrl-C during long work that is recorded as it goes."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interruption:
    """Remembers that Ctrl-C was pressed, also where a solver turned it into a result.

    Inside, Ctrl-C ends the work as usual; outside, it is as if it had ended by itself.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        self.asked = self.asked or kind is KeyboardInterrupt
        return kind is KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Remember, and end what is being done."""
        self.asked = True
        raise KeyboardInterrupt
