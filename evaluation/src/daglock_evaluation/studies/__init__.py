"""Measurements behind docs/theory.md: what the parts and the price of an edge buy."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], label: str) -> Iterator[T]:
    """Go through the items, saying on a terminal which one it is."""
    items = list(items)
    show = sys.stderr.isatty()
    for count, item in enumerate(items, start=1):
        if show:
            print(f"\r{label}: {count} of {len(items)} ", end="", file=sys.stderr, flush=True)
        yield item
    if show:
        print("\r" + " " * (len(label) + 30) + "\r", end="", file=sys.stderr, flush=True)
