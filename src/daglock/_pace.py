"""Pace: work handed out in slices, so that the clock and Ctrl-C are heard in between."""

from __future__ import annotations

from time import perf_counter

# Seconds that a slice should take.
SLICE = 0.02


class OutOfTimeError(Exception):
    """The deadline has passed; what was found so far stays valid."""


class Pace:
    """How much to do at a time; what is done does not depend on it.

    Parameters
    ----------
    deadline : value of ``time.perf_counter`` after which no new work is begun.
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.width = 16
        self._began = perf_counter()

    def step(self) -> None:
        """After a slice: raise OutOfTimeError if time is up; choose the width of the next one."""
        now = perf_counter()
        took = now - self._began
        if took < SLICE / 2:
            self.width *= 2
        elif took > SLICE * 2:
            self.width = max(1, self.width // 2)
        if now > self.deadline:
            raise OutOfTimeError
        self._began = now
