"""What a promise is, and how it is said how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# How much was tried, and a sentence for each time that it did not end as promised.
Ended: TypeAlias = tuple[int, Sequence[str]]
# From a number of tries and a seed to how it ended; a check may try more, where that is all.
Check: TypeAlias = Callable[[int, int], Ended]
# Failures that are shown of a promise.
SHOWN = 5


@dataclass(frozen=True)
class Promise:
    """A promise, what tries it, and how often: in full, and where there is little time."""

    room: str
    words: str
    check: Check
    full: int
    quick: int


@dataclass(frozen=True)
class Outcome:
    """How a promise ended."""

    promise: Promise
    tried: int
    failures: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether something was tried, and nothing failed."""
        return self.tried > 0 and not self.failures

    @property
    def words(self) -> str:
        """How it ended, in words.

        Examples
        --------
        >>> promise = Promise("a", "b", lambda n, seed: (n, []), 10, 1)
        >>> Outcome(promise, 10, ()).words, Outcome(promise, 10, ("x",)).words
        ('passed 10 of 10', 'FAILED 1 of 10')
        """
        failed = len(self.failures)
        if not self.kept:
            return f"FAILED {failed} of {self.tried:,}" if self.tried else "NOTHING TRIED"
        return f"passed {self.tried:,} of {self.tried:,}"


def keep(promises: Sequence[Promise], *, quick: bool, seed: int) -> Iterator[Outcome]:
    """Try promises one after the other."""
    for promise in promises:
        n = promise.quick if quick else promise.full
        try:
            tried, failures = promise.check(n, seed)
        except Exception as error:  # a check that breaks has not shown anything
            tried, failures = 1, [f"{type(error).__name__}: {error}"]
        yield Outcome(promise, tried, tuple(failures))
