"""What a person sees: plain text at the width of the terminal, whatever it can show.

Names of columns come from files and are not trusted: nothing in them reaches the terminal that
could move its cursor.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import ClassVar

_ASCII = str.maketrans(
    {
        "→": "->",
        "⇢": "~>",
        "—": "--",
        "–": "-",
        "−": "-",
        "²": "^2",
        "✓": "+",
        "•": "*",
        "…": "...",
        "’": "'",
        "λ": "lambda",
        "μ": "mu",
        "γ": "gamma",
        "κ": "kappa",
        "∇": "grad ",
        "‖": "|",
        "∞": "inf",
        "±": "+-",
    }
)
_WIDEST = 100


def prepare_streams() -> None:
    """Let no letter that a terminal does not know end the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def clean(text: str) -> str:
    r"""Escape everything that is not a letter, a sign or a blank.

    Examples
    --------
    >>> clean("a\x1b[2Jb\nc\u202ed")
    'a\\x1b[2Jb\\nc\\u202ed'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def width_of(text: str) -> int:
    """Return the columns that text takes on a terminal.

    Examples
    --------
    >>> width_of("abc"), width_of("数据"), width_of("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def shorten(text: str, most: int) -> str:
    """Cut text that takes more than so many columns.

    Examples
    --------
    >>> shorten("a long name", 8)
    'a long …'
    """
    if width_of(text) <= most:
        return text
    while text and width_of(text) > most - 1:
        text = text[:-1]
    return f"{text}…"


def align(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    r"""Return the lines of a table whose first row is the head.

    Examples
    --------
    >>> print(*align([("a", "n"), ("bc", "10")], right=[False, True]), sep="\n")
    a    n
    --  --
    bc  10
    """
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (width - width_of(cell)) + cell
            if to_right
            else cell + " " * (width - width_of(cell))
            for cell, width, to_right in zip(cells, widths, right, strict=True)
        ]
        return "  ".join(padded).rstrip()

    head, *body = rows
    return [line(head), "  ".join("-" * width for width in widths), *map(line, body)]


def forget_output() -> None:
    """Let everything that is still to be printed go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Terminal:
    """Standard output, or nothing when it is to be quiet.

    A reader that goes away (``| head``) does not end the work, nor does a disk that is full: `lost`
    is then why nothing more could be printed.
    """

    lost: ClassVar[str] = ""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self._encoding = getattr(sys.stdout, "encoding", None) or "ascii"
        try:
            "→⇢—✓•".encode(self._encoding)
            self._plain = False
        except UnicodeEncodeError:
            self._plain = True
        self.width = max(40, min(_WIDEST, shutil.get_terminal_size().columns))

    def line(self, text: str = "") -> None:
        """Print a line as it is."""
        if self.quiet:
            return
        try:
            print(self._shown(text), flush=True)
        except OSError as error:
            self.quiet = True
            forget_output()
            if not isinstance(error, BrokenPipeError):
                Terminal.lost = error.strerror or str(error)

    def say(self, text: str, *, mark: str = "") -> None:
        """Print a paragraph, broken to the width; ``mark`` stands before its first line."""
        lead = f"{mark} " if mark else ""
        for line in textwrap.wrap(
            clean(text),
            self.width,
            initial_indent=lead,
            subsequent_indent=" " * len(lead),
            break_long_words=False,
            break_on_hyphens=False,
        ):
            self.line(line)

    def table(self, rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
        """Print a table whose first row is the head."""
        for line in align([[self._shown(cell) for cell in row] for row in rows], right):
            self.line(f"  {line}")

    def _shown(self, text: str) -> str:
        """Return text as this terminal can show it."""
        text = clean(text)
        if self._plain:
            text = (
                text.translate(_ASCII)
                .encode(self._encoding, "backslashreplace")
                .decode(self._encoding)
            )
        return text
