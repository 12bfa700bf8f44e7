"""A table of strings, for Markdown and for a page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of strings, its first row the head."""

    title: str
    rows: Sequence[Sequence[str]]
    note: str = ""

    def to_markdown(self) -> str:
        """Return the table with its title and note."""
        rows = [[escape(cell) for cell in row] for row in self.rows]
        note = f"\n\n{escape(self.note)}" if self.note else ""
        return f"**{escape(self.title)}**\n\n{markdown_rows(rows)}{note}"

    def to_html(self) -> str:
        """Return a table that scrolls by itself where it is too wide."""

        def line(row: Sequence[str], tag: str) -> str:
            return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in row)}</tr>"

        head, *body = self.rows
        rows = "".join(line(row, "td") for row in body)
        note = f'<p class="note">{html.escape(self.note)}</p>' if self.note else ""
        return (
            f'<h3>{html.escape(self.title)}</h3><div class="scroll"><table>'
            f"<thead>{line(head, 'th')}</thead><tbody>{rows}</tbody></table></div>{note}"
        )

    def to_text(self) -> str:
        """Return the table for a terminal, numbers to the right."""
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        head, *body = (
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in self.rows
        )
        rule = "-" * len(head)
        return "\n".join([self.title, rule, head, rule, *body, rule])


def markdown_rows(rows: Sequence[Sequence[str]]) -> str:
    """Return the lines of a table whose cells are Markdown.

    Examples
    --------
    >>> print(markdown_rows([["a", "b"], ["1", "2"]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *body])


def bullets(lines: Iterable[str]) -> str:
    """Return a list of sentences in Markdown."""
    return "\n".join(f"- {escape(line)}" for line in lines)


def escape(text: str) -> str:
    r"""Escape what Markdown would take for a sign.

    Examples
    --------
    >>> escape("|W|_F ~ a*b <c>")
    '\\|W\\|\\_F \\~ a\\*b \\<c>'
    """
    return re.sub(r"([\\`*_\[\]<|~$])", r"\\\1", text.strip())


def anchor(title: str) -> str:
    """Return the address that a heading has on the usual hosts.

    Examples
    --------
    >>> anchor("Gradients near a cycle (Exp 1)")
    'gradients-near-a-cycle-exp-1'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it.

    Examples
    --------
    >>> duration(0.2), duration(83.0), duration(600.0), duration(7200.0)
    ('under a second', '83 s', '10 min', '2.0 h')
    """
    if seconds < 1.0:
        return "under a second"
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    if seconds < 7200.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h"
