"""A plain table for the terminal, and a progress line that stays out of pipes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Table:
    """Rows of text under a title."""

    title: str
    columns: list[str]
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Append a row."""
        self.rows.append(cells)

    def __str__(self) -> str:
        lines = [tuple(self.columns), *self.rows]
        widths = [max(len(line[c]) for line in lines) for c in range(len(self.columns))]
        text = [
            "  ".join(
                cell.ljust(width) if c == 0 else cell.rjust(width)
                for c, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        ]
        rule = "-" * len(text[0])
        return "\n".join([self.title, rule, text[0], rule, *text[1:], rule])


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
